//! Threads by file, unresolved first; diffs with the numbers of their lines; sizes that are not known.

use std::collections::BTreeSet;

use git_docket::format::patch::numbered;
use git_docket::format::profile::{Keep, Profile};
use serde_json::{Value, json};

use super::{Files, busy, facts, full, json_in, staged};
use crate::support::{scratch, shared, testdata};

#[test]
fn lines_have_the_side_and_number_that_a_comment_needs() {
    let patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -3,4 +3,5 @@ fn main\n a\n-b\n+c\n+--- d\n e\n f\n@@ -20 +21,0 @@\n-++ g\n\\ No newline at end of file\n";
    let head = patch.find("@@").expect("a hunk");
    assert_eq!(
        numbered(patch, head),
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -3,4 +3,5 @@ fn main\nR3\t a\nL4\t-b\nR4\t+c\nR5\t+--- d\nR6\t e\nR7\t f\n@@ -20 +21,0 @@\nL20\t-++ g\n\t\\ No newline at end of file\n"
    );
    // A line that looks like the head of a hunk is one only where no line is due.
    let odd = "@@ -1,2 +1,2 @@\n@@ -9 +9 @@\n x\n";
    assert_eq!(numbered(odd, 0), "@@ -1,2 +1,2 @@\nR1\t@@ -9 +9 @@\nR2\t x\n");
    assert_eq!(numbered("", 0), "");
}

/// The lines of a numbered diff that are no part of it, taken away again.
fn plain(numbered: &str) -> String {
    numbered
        .split_inclusive('\n')
        .map(|line| match line.split_once('\t') {
            Some((number, rest))
                if number.is_empty()
                    || number[1..].bytes().all(|b| b.is_ascii_digit()) && number.starts_with(['L', 'R']) =>
            {
                rest
            }
            _ => line,
        })
        .collect()
}

#[test]
fn each_file_of_the_diff_stands_by_itself() {
    let dir = scratch();
    for facts in [busy(dir.path()), facts(&[&testdata("threads/acme-web-42")], None)] {
        let (files, _) = staged(&facts, &full()).expect("a stage");
        let parts: String = files
            .iter()
            .filter(|(path, _)| path.starts_with("changes/by-file/"))
            .map(|(_, bytes)| plain(std::str::from_utf8(bytes).expect("UTF-8")))
            .collect();
        let diff = String::from_utf8_lossy(&files["changes/diff.patch"]).into_owned();
        let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
        assert_eq!(sorted(&parts), sorted(&diff));
        assert_eq!(parts.len(), diff.len());
        let index = json_in(&files, "index.json");
        for row in index["entries"].as_array().expect("entries").iter().filter(|row| row["role"] == "patch") {
            let listed = json_in(&files, "changes/files.json");
            let file = listed["files"]
                .as_array()
                .expect("files")
                .iter()
                .find(|file| file["path"] == row["on"])
                .expect("a row");
            assert_eq!((&row["additions"], &row["deletions"]), (&file["additions"], &file["deletions"]), "{row}");
            assert_eq!((&row["change"], &row["mediaType"]), (&file["status"], &json!("text/plain")));
        }
    }
}

#[test]
fn a_name_of_a_file_leads_nowhere_else() {
    let dir = scratch();
    let names = [
        "../../etc/passwd",
        "/root",
        "a/../b",
        "con",
        "C:\\x",
        "x\ny",
        "é.rs",
        "A.rs",
        "a.rs",
        ".git/config",
        "-rf",
        "",
    ];
    let list: Vec<Value> = names
        .iter()
        .map(|name| json!({"filename": name, "status": "modified", "additions": 1, "deletions": 1, "changes": 2, "sha": "c".repeat(40), "patch": "@@ -1 +1 @@\n-a\n+b"}))
        .collect();
    std::fs::write(dir.path().join("files.json"), Value::from(list).to_string()).expect("a payload");
    let (files, _) =
        staged(&facts(&[&dir.path().join("files.json")], Some("github:github.com/acme/web/pull/1")), &full())
            .expect("a stage");
    let parts: Vec<_> = files.keys().filter_map(|path| path.strip_prefix("changes/by-file/")).collect();
    assert!(parts.len() >= names.len() - 2, "{parts:?}");
    assert!(
        parts.iter().all(|name| !name.contains(['/', '\\', ':', '\n']) && !name.starts_with('.') && name.is_ascii()),
        "{parts:?}"
    );
}

fn threads(resolved: &[Option<bool>]) -> (tempfile::TempDir, git_docket::store::mem::MemTree) {
    let dir = scratch();
    let thread = |(at, resolved): (usize, &Option<bool>)| {
        let comments: Vec<_> = (0..3)
            .map(|n| {
                json!({"__typename": "PullRequestReviewComment", "databaseId": 100 * (at + 1) + n, "body": format!("b{n}"), "path": format!("src/{}.rs", at % 2),
                "createdAt": format!("2026-01-02T0{at}:00:0{n}Z"), "diffHunk": "@@ -1 +1 @@\n-a\n+b", "author": {"login": "octocat"}})
            })
            .collect();
        let mut thread = json!({"__typename": "PullRequestReviewThread", "id": format!("PRRT_{at}"), "path": format!("src/{}.rs", at % 2), "line": 1,
            "comments": {"totalCount": 3, "nodes": comments}});
        if let Some(resolved) = resolved {
            thread["isResolved"] = json!(resolved);
            thread["isOutdated"] = json!(false);
        }
        thread
    };
    let nodes: Vec<_> = resolved.iter().enumerate().map(thread).collect();
    let answer = json!({"data": {"repository": {"pullRequest": {"__typename": "PullRequest", "number": 42, "url": "https://github.com/acme/web/pull/42",
        "reviewThreads": {"totalCount": nodes.len(), "nodes": nodes}}}}});
    std::fs::write(dir.path().join("a.json"), answer.to_string()).expect("a payload");
    let facts = facts(&[&dir.path().join("a.json")], None);
    (dir, facts)
}

fn roots(files: &Files) -> Vec<String> {
    files
        .keys()
        .filter_map(|path| path.strip_prefix("threads/")?.strip_suffix(".md")?.rsplit('-').next().map(str::to_owned))
        .collect()
}

#[test]
fn threads_are_listed_by_file_and_those_first_that_are_open() {
    let (_dir, facts) = threads(&[Some(true), Some(false), Some(true), None, Some(false)]);
    let (files, _) = staged(&facts, &full()).expect("a stage");
    let list = json_in(&files, "threads.json");
    let by_file = list["byFile"].as_array().expect("rows");
    assert_eq!(
        by_file.iter().map(|row| row["path"].as_str().expect("a path")).collect::<Vec<_>>(),
        ["src/0.rs", "src/1.rs"]
    );
    assert_eq!(by_file[0]["threads"].as_array().map(Vec::len), Some(3));
    let order: Vec<_> = list["unresolvedFirst"]
        .as_array()
        .expect("files")
        .iter()
        .map(|path| {
            path.as_str().and_then(|path| path.strip_suffix(".md")?.rsplit('-').next()).expect("a file").to_owned()
        })
        .collect();
    assert_eq!(order, ["200", "400", "500", "100", "300"]);
    assert!(order.iter().collect::<BTreeSet<_>>() == roots(&files).iter().collect::<BTreeSet<_>>());
    let summary = String::from_utf8_lossy(&files["summary.md"]).into_owned();
    assert!(
        summary.contains("3 of 5 review threads are not known to be resolved (of 1 nothing tells it)"),
        "{summary}"
    );
    assert!(summary.find("-500.md | unresolved") < summary.find("-100.md | resolved"), "{summary}");
}

#[test]
fn a_bound_may_keep_the_open_threads_whole() {
    let (_dir, facts) = threads(&[Some(false), Some(true), Some(true), Some(false), Some(true)]);
    let with = |keep, most| {
        let profile =
            Profile { keep, max_items: [(git_docket::format::facet::Facet::ReviewComments, most)].into(), ..full() };
        staged(&facts, &profile).expect("a stage").0
    };
    assert_eq!(roots(&with(Keep::UnresolvedFirst, 6)), ["100", "400"]);
    assert_eq!(roots(&with(Keep::Newest, 6)), ["400", "500"]);
    // The first comment of a thread stays before its answers.
    let cut = with(Keep::UnresolvedFirst, 4);
    let text = cut
        .iter()
        .find(|(path, _)| path.ends_with("-100.md"))
        .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
    assert!(
        text.as_ref().is_some_and(|text| text.contains("## Comment 100 ") && !text.contains("## Comment 101 ")),
        "{text:?}"
    );
}

/// Every number of lines in a stage.
fn sizes(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if matches!(name.as_str(), "additions" | "deletions" | "changes") {
                    found.push(value.clone());
                }
                sizes(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| sizes(item, found)),
        _ => {}
    }
}

#[test]
fn a_size_that_nobody_knows_is_never_nought() {
    let dir = scratch();
    let file = |name: &str, more: Value| {
        let mut file = json!({"filename": name, "status": "modified", "sha": "c".repeat(40)});
        file.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
        file
    };
    let list = json!([
        file("binary", json!({"additions": 0, "deletions": 0, "changes": 0})),
        file("large", json!({"additions": 0, "deletions": 0, "changes": 0, "patch": null})),
        file("silent", json!({}))
    ]);
    std::fs::write(dir.path().join("files.json"), list.to_string()).expect("a payload");
    let (files, told) =
        staged(&facts(&[&dir.path().join("files.json")], Some("github:github.com/acme/web/pull/1")), &full())
            .expect("a stage");
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".json")) {
        let mut found = Vec::new();
        sizes(&serde_json::from_slice(bytes).expect("JSON"), &mut found);
        assert!(found.iter().all(Value::is_null), "{path}: {found:?}");
    }
    assert!(!files.contains_key("changes/diff.patch"), "an empty diff would say that nothing changed");
    assert!(told.gaps.iter().any(|gap| gap.code == "patch-missing" && gap.count == 3));
    let summary = String::from_utf8_lossy(&files["summary.md"]).into_owned();
    assert_eq!(summary.matches("| not known | not known |").count(), 3, "{summary}");
}

#[test]
fn recorded_changes_have_no_size_of_nought_without_a_diff() {
    for forge in ["github", "gitlab", "gitea", "forgejo"] {
        let Some(root) = shared(&format!("data/threads/{forge}")) else { return };
        for thread in std::fs::read_dir(root).expect("threads") {
            let (files, _) = staged(&facts(&[&thread.expect("an entry").path()], None), &full()).expect("a stage");
            for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with("changes/files.json")) {
                let list: Value = serde_json::from_slice(bytes).expect("JSON");
                for file in list["files"].as_array().expect("files").iter().filter(|file| file["patch"] == false) {
                    let known = [&file["additions"], &file["deletions"]].map(|count| count.as_u64().unwrap_or(1));
                    assert!(known != [0, 0] || file["status"] == "renamed", "{path}: {file}");
                }
            }
        }
    }
}
