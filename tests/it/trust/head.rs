//! `--head`: what is not shown to belong to the commit is counted, not shown.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{API, HEAD, OLD_HEAD, gap, json_of, pull, stage, user, write};
use crate::support::{done, scratch};

const AT: &str = "2026-03-02T00:00:00Z";

fn file(path: &str, head: Option<&str>, patch: &str) -> Value {
    let mut file = json!({"filename": path, "status": "modified", "additions": 1, "deletions": 1, "changes": 2,
        "sha": "cccccccccccccccccccccccccccccccccccccccc", "patch": format!("@@ -1 +1 @@\n-a\n+{patch}")});
    if let Some(head) = head {
        file["contents_url"] = format!("{API}/contents/{path}?ref={head}").into();
    }
    file
}

fn commit(sha: &str, parents: &[&str]) -> Value {
    json!({"sha": sha, "node_id": "C", "parents": parents.iter().map(|sha| json!({"sha": sha})).collect::<Vec<_>>(),
        "author": null, "committer": null, "url": format!("{API}/commits/{sha}"), "html_url": format!("https://github.com/acme/web/commit/{sha}"),
        "commit": {"message": format!("commit {sha}"), "author": {"name": "A", "email": "a@example.org", "date": AT},
            "committer": {"name": "A", "email": "a@example.org", "date": AT}}})
}

fn run(id: u64, head: &str) -> Value {
    json!({"id": id, "name": "ci", "head_sha": head, "status": "completed", "conclusion": "success", "started_at": AT,
        "completed_at": AT, "app": {"slug": "ci"}, "check_suite": {"id": 1}, "output": {"title": null, "summary": null}})
}

/// A pull request whose head moved from the old to the new one: two commits, files and checks of both.
fn store(dir: &Path) {
    let observe = |day: u32, payloads: &[(&str, Value)]| {
        let day = day.to_string();
        let mut inputs = Vec::new();
        for (name, value) in payloads {
            write(&dir.join(&day), name, value);
            inputs.push(
                format!("{}={day}/{name}", name.trim_end_matches(".json"))
                    .replace("checks=", "")
                    .replace("header=", ""),
            );
        }
        let at = format!("2026-03-0{day}T13:00:00Z");
        let fixed = ["--store", "store", "observe", "--complete", "--observed-at", &at, "--entity", "acme/web#42"];
        done(dir, &fixed.into_iter().chain(inputs.iter().map(String::as_str)).collect::<Vec<_>>());
    };
    done(dir, &["init", "store"]);
    let mut old = pull((&user(1, "alice"), "MEMBER"), "a title", "a body", AT);
    old["head"]["sha"] = OLD_HEAD.into();
    let files = json!([file("a.rs", Some(OLD_HEAD), "old"), file("only-old.rs", Some(OLD_HEAD), "old")]);
    let checks = json!({"total_count": 1, "check_runs": [run(1, OLD_HEAD)]});
    observe(
        2,
        &[
            ("header.json", old),
            ("files.json", files),
            ("commits.json", json!([commit(OLD_HEAD, &[])])),
            ("checks.json", checks),
        ],
    );
    let new = pull((&user(1, "alice"), "MEMBER"), "a title", "a body", "2026-03-03T00:00:00Z");
    let files = json!([file("a.rs", Some(HEAD), "new")]);
    let commits = json!([commit(OLD_HEAD, &[]), commit(HEAD, &[OLD_HEAD])]);
    let checks = json!({"total_count": 2, "check_runs": [run(1, OLD_HEAD), run(2, HEAD)]});
    observe(3, &[("header.json", new), ("files.json", files), ("commits.json", commits), ("checks.json", checks)]);
}

fn staged(dir: &Path, out: &str, more: &[&str]) -> Value {
    done(dir, &[&["--store", "store", "stage", "acme/web#42", "--out", out], more].concat());
    assert_eq!(done(dir, &["--store", "store", "verify", out, "--rebuild"])["verified"], true, "{out}");
    json_of(&dir.join(out).join("index.json"))
}

fn shown(dir: &Path, out: &str) -> Value {
    let list = |file: &str, list: &str, name: &str| -> Vec<Value> {
        let path = dir.join(out).join(file);
        let rows = if path.exists() { json_of(&path)[list].as_array().expect("rows").clone() } else { Vec::new() };
        rows.iter().map(|row| row[name].clone()).collect()
    };
    let index = json_of(&dir.join(out).join("index.json"));
    let checks = index["entries"].as_array().expect("entries").iter().filter(|entry| entry["role"] == "check");
    let checks: Vec<_> = checks.map(|entry| entry["source"]["id"].clone()).collect();
    json!([list("changes/files.json", "files", "path"), list("changes/commits.json", "commits", "sha"), checks])
}

#[test]
fn files_commits_and_checks_are_those_of_the_head() {
    let dir = scratch();
    store(dir.path());
    let index = staged(dir.path(), "new", &["--head", HEAD]);
    assert_eq!(shown(dir.path(), "new"), json!([["a.rs"], [OLD_HEAD, HEAD], [2]]));
    assert_eq!((gap(&index, "checks", "head-moved"), gap(&index, "header", "head-moved")), (1, 0));
    let index = staged(dir.path(), "old", &["--head", &OLD_HEAD.to_uppercase()]);
    assert_eq!(shown(dir.path(), "old"), json!([["a.rs", "only-old.rs"], [OLD_HEAD], [1]]));
    let gaps = ["header", "files", "commits", "checks"].map(|scope| gap(&index, scope, "head-moved"));
    assert_eq!(gaps, [1, 1, 1, 1], "the record names another head, and each set has one of it");
    let patch = fs::read_to_string(dir.path().join("old/changes/diff.patch")).expect("a diff");
    assert!(patch.contains("+old") && !patch.contains("+new"), "{patch}");
    let index = staged(dir.path(), "none", &["--head", &"d".repeat(40)]);
    assert_eq!(shown(dir.path(), "none"), json!([[], [], []]));
    let gaps = ["files", "commits", "checks"].map(|scope| gap(&index, scope, "head-moved"));
    assert_eq!(gaps, [2, 2, 2]);
}

#[test]
fn as_of_a_time_the_head_is_that_of_the_record() {
    let dir = scratch();
    store(dir.path());
    let index = staged(dir.path(), "then", &["--as-of", "2026-03-02T12:00:00Z"]);
    assert_eq!(shown(dir.path(), "then"), json!([["a.rs", "only-old.rs"], [OLD_HEAD], [1, 2]]));
    assert_eq!(gap(&index, "commits", "as-of-unknown"), 1, "nothing dates what was pushed");
    assert_eq!(index["profile"]["head"], json!(null));
}

#[test]
fn what_does_not_tell_its_head_is_not_shown_to_belong() {
    let dir = scratch();
    write(&dir.path().join("in"), "pull.json", &pull((&user(1, "alice"), "MEMBER"), "a title", "a body", AT));
    write(dir.path(), "files.json", &json!([file("a.rs", None, "new")]));
    write(dir.path(), "mixed.json", &json!([file("a.rs", Some(HEAD), "new"), file("b.rs", Some(OLD_HEAD), "new")]));
    for (name, count) in [("files", 1), ("mixed", 2)] {
        let input = format!("files={name}.json");
        let index = stage(dir.path(), name, &["--from", &input, "--head", HEAD]);
        assert_eq!(gap(&index, "files", "head-moved"), count, "{name}");
        assert!(!dir.path().join(name).join("changes/diff.patch").exists(), "{name}");
    }
    // One answer tells of the record and its files at once.
    let answer = json!({"data": {"repository": {"nameWithOwner": "acme/web", "pullRequest": {"number": 42, "title": "a title",
        "url": "https://github.com/acme/web/pull/42", "headRefOid": HEAD, "headRefName": "topic", "updatedAt": AT,
        "files": {"totalCount": 1, "pageInfo": {"hasNextPage": false, "hasPreviousPage": false},
            "nodes": [{"path": "a.rs", "additions": 1, "deletions": 1, "changeType": "MODIFIED"}]}}}}});
    write(dir.path(), "answer.json", &answer);
    for (head, count) in [(HEAD, 0), (OLD_HEAD, 1)] {
        done(dir.path(), &["stage", "--from", "answer.json", "--out", head, "--head", head]);
        let index = json_of(&dir.path().join(head).join("index.json"));
        assert_eq!(gap(&index, "files", "head-moved"), count, "{head}: {}", index["gaps"]);
    }
}
