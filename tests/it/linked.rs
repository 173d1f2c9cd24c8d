//! `stage --with-linked`: what an issue or pull request links is staged beside it, or named as missing; text grants nothing else.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{docket, done, files, report, scratch};

fn entity(repository: &str, kind: &str, number: u64, body: &str) -> Value {
    let at = "2026-03-01T00:00:00Z";
    let page = format!("https://github.com/{repository}/{}/{number}", if kind == "pull" { "pull" } else { "issues" });
    let mut value = json!({
        "id": number + 1000, "node_id": format!("N_{number}"), "number": number, "title": format!("number {number}"),
        "state": "open", "body": body, "user": {"login": "ann", "id": 1, "url": "https://api.github.com/users/ann"},
        "created_at": at, "updated_at": at, "html_url": page,
        "url": format!("https://api.github.com/repos/{repository}/{}/{number}", if kind == "pull" { "pulls" } else { "issues" }),
    });
    if kind == "pull" {
        value["head"] = json!({"ref": "topic", "sha": "1".repeat(40)});
        value["base"] = json!({"ref": "main", "sha": "2".repeat(40)});
    }
    value
}

fn cross_reference(number: u64) -> Value {
    json!([{
        "event": "cross-referenced", "created_at": "2026-03-02T00:00:00Z", "actor": {"login": "bob", "id": 2},
        "source": {"type": "issue", "issue": {"id": number + 1000, "number": number,
            "html_url": format!("https://github.com/acme/web/pull/{number}")}},
    }])
}

/// Writes payloads as one recording, so that each names what it is about.
fn recording(dir: &Path, name: &str, answers: &[(&str, Value)]) {
    let lines = answers.iter().map(|(path, body)| {
        let url = format!("https://api.github.com/repos/{path}");
        json!({"method": "GET", "url": url, "status": 200, "headers": {"date": "Sun, 01 Mar 2026 12:00:00 GMT"}, "body": body})
            .to_string()
    });
    fs::write(dir.join(name), lines.collect::<Vec<_>>().join("\n")).expect("written");
}

fn index(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("index.json")).expect("an index")).expect("JSON")
}

const BODY: &str = "Fixes #7, and resolves: acme/web#8.\n\nSee #9, https://github.com/acme/web/issues/10#issuecomment-3 \
and https://github.com/acme/secret/issues/5.\n\n<!-- closes #11 -->\n`#12` and &#39; or word#13\n\n```\nfixes #14\n```\n";

fn thread(dir: &Path) {
    recording(
        dir,
        "thread.ndjson",
        &[
            ("acme/web/pulls/42", entity("acme/web", "pull", 42, BODY)),
            ("acme/web/issues/42/timeline", cross_reference(43)),
            ("acme/web/issues/7", entity("acme/web", "issue", 7, "links #42 and #100")),
            ("acme/web/pulls/43", entity("acme/web", "pull", 43, "based on #42")),
            ("acme/secret/issues/5", entity("acme/secret", "issue", 5, "a secret")),
        ],
    );
}

fn stage(dir: &Path, out: &str, more: &[&str]) -> Value {
    let args = ["stage", "--entity", "acme/web#42", "--from", "thread.ndjson", "--out", out];
    done(dir, &[&args, more].concat())
}

fn link(id: &str, how: &[&str], is: &str) -> Value {
    json!({"entity": format!("github:github.com/acme/{id}"), "how": how, "is": is})
}

#[test]
fn what_is_linked_is_beside_it_or_named() {
    let dir = scratch();
    thread(dir.path());
    let staged = stage(dir.path(), "out", &["--with-linked"]);
    let ids = ["web/issue/7", "web/pull/42", "web/pull/43"].map(|id| format!("github:github.com/acme/{id}"));
    assert_eq!(staged["entities"], json!(ids));
    let main = index(&dir.path().join("out/github.com/acme/web/pull/42"));
    assert_eq!(
        main["links"],
        json!([
            link("web/issue/7", &["closes"], "staged"),
            link("web/thread/8", &["closes"], "not-filed"),
            link("web/pull/43", &["cross-referenced"], "staged"),
            link("secret/thread/5", &["mentions"], "elsewhere"),
            link("web/thread/9", &["mentions"], "not-filed"),
            link("web/thread/10", &["mentions"], "not-filed"),
        ])
    );
    let gap = |code: &str| main["gaps"].as_array().into_iter().flatten().find(|gap| gap["code"] == code).cloned();
    let count = |code: &str| gap(code).map(|gap| (gap["scope"].clone(), gap["count"].clone()));
    assert_eq!(count("linked-not-filed"), Some((json!("header"), json!(3))));
    assert_eq!(count("linked-not-staged"), Some((json!("header"), json!(1))));
    let child = index(&dir.path().join("out/github.com/acme/web/issue/7"));
    assert_eq!(child["linkedBy"], json!(["github:github.com/acme/web/pull/42"]));
    assert!(child.get("links").is_none() && main.get("linkedBy").is_none(), "{child}");
    let digest = staged["indexDigest"].as_str().expect("a digest");
    assert_eq!(done(dir.path(), &["verify", "out", "--index-digest", digest])["verified"], true);
    let summary = fs::read_to_string(dir.path().join("out/github.com/acme/web/pull/42/summary.md")).expect("a summary");
    assert!(summary.contains("- links: 6, of which 2 are staged"), "{summary}");
}

#[test]
fn a_stage_of_several_has_a_page_above_them_and_gaps_that_name_whose_they_are() {
    let dir = scratch();
    thread(dir.path());
    let staged = stage(dir.path(), "out", &["--with-linked"]);
    let out = dir.path().join("out");
    let page = fs::read_to_string(out.join("summary.md")).expect("a page above them");
    let rows = index(&out)["entries"].as_array().cloned().unwrap_or_default();
    assert!(rows.iter().any(|row| row["path"] == "summary.md" && row["role"] == "summary"), "{rows:?}");
    let (asked, linked) = page.split_once("## Only linked").expect("two tables");
    assert!(asked.contains("acme/web/pull/42 | no | github.com/acme/web/pull/42/summary.md |"), "{page}");
    for path in ["issue/7", "pull/43"] {
        assert!(linked.contains(&format!("github.com/acme/web/{path}/summary.md |")), "{page}");
        assert!(!asked.contains(path) && out.join(format!("github.com/acme/web/{path}/summary.md")).exists());
    }
    assert_eq!(staged["linked"], json!(["github:github.com/acme/web/issue/7", "github:github.com/acme/web/pull/43"]));
    let gaps = staged["gaps"].as_array().cloned().unwrap_or_default();
    assert!(!gaps.is_empty() && gaps.iter().all(|gap| gap["entity"].is_string()), "{gaps:?}");
    let all: u64 = ["issue/7", "pull/42", "pull/43"]
        .iter()
        .flat_map(|path| index(&out.join(format!("github.com/acme/web/{path}")))["gaps"].as_array().cloned())
        .flatten()
        .filter_map(|gap| gap["count"].as_u64())
        .sum();
    assert_eq!(gaps.iter().filter_map(|gap| gap["count"].as_u64()).sum::<u64>(), all);
    // Files and bytes are those of the whole tree, and it is removed like any other.
    assert_eq!(staged["bytes"], files(&out).values().map(Vec::len).sum::<usize>());
    assert!(
        String::from_utf8_lossy(&docket(dir.path()).args(["sums", "out"]).output().expect("started").stdout)
            .contains("  summary.md\n")
    );
    assert_eq!(report(dir.path(), &["diff", "out", "out"]).1["equal"], true);
    // One alone has neither.
    let plain = stage(dir.path(), "plain", &[]);
    assert!(plain.get("linked").is_none() && plain["gaps"][0].get("entity").is_none(), "{plain}");
    // What the page says, the trees below say: it is no change of its own.
    let (_, changes) = report(dir.path(), &["diff", "plain", "out"]);
    assert!(!changes.to_string().contains("file-bytes-changed"), "{changes}");
    fs::write(out.join("summary.md"), "other words").expect("written");
    assert_eq!(report(dir.path(), &["verify", "out"]).0, 1);
    assert_eq!(done(dir.path(), &["clean", "out", "--altered"])["removed"], true);
}

#[test]
fn other_repositories_are_followed_only_when_that_is_said() {
    let dir = scratch();
    thread(dir.path());
    let staged = stage(dir.path(), "out", &["--with-linked=any"]);
    assert!(staged["entities"].to_string().contains("acme/secret/issue/5"), "{staged}");
    let text: String = files(&dir.path().join("out")).into_keys().collect();
    assert!(text.contains("acme/secret/issue/5/body.md"), "{text}");
    let plain = stage(dir.path(), "plain", &["--with-linked", "--replace"]);
    assert!(!plain["entities"].to_string().contains("secret"), "{plain}");
    // Without the option nothing is said of links at all.
    stage(dir.path(), "none", &[]);
    assert!(index(&dir.path().join("none")).get("links").is_none());
}

#[test]
fn a_bound_leaves_the_closest_and_counts_the_rest() {
    let dir = scratch();
    thread(dir.path());
    stage(dir.path(), "wide", &["--with-linked"]);
    let mut profile = index(&dir.path().join("wide/github.com/acme/web/pull/42"))["profile"].clone();
    profile["linked"]["max"] = json!(1);
    fs::write(dir.path().join("profile.json"), profile.to_string()).expect("written");
    stage(dir.path(), "out", &["--profile", "profile.json"]);
    let main = index(&dir.path().join("out/github.com/acme/web/pull/42"));
    let is: Vec<_> = main["links"].as_array().into_iter().flatten().map(|link| link["is"].clone()).collect();
    assert_eq!(is, ["staged", "beyond-bound", "beyond-bound", "elsewhere", "beyond-bound", "beyond-bound"]);
    let gaps = main["gaps"].to_string();
    assert!(gaps.contains(r#"{"code":"linked-not-staged","count":5"#) && !gaps.contains("linked-not-filed"), "{gaps}");
}

#[test]
fn a_store_an_event_and_a_replay_give_the_same() {
    let dir = scratch();
    thread(dir.path());
    let staged = stage(dir.path(), "from", &["--with-linked"]);
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", "thread.ndjson"]);
    let args = ["--store", "store", "stage", "acme/web#42", "--with-linked", "--record", "--out", "stored"];
    let stored = done(dir.path(), &args);
    assert_eq!(staged["indexDigest"], stored["indexDigest"]);
    // What was not filed then is not there when the stage is made again.
    recording(dir.path(), "later.ndjson", &[("acme/web/issues/9", entity("acme/web", "issue", 9, ""))]);
    done(dir.path(), &["--store", "store", "observe", "later.ndjson"]);
    let digest = stored["indexDigest"].as_str().expect("a digest");
    let again = done(dir.path(), &["--store", "store", "stage", "--replay", digest, "--out", "again"]);
    assert_eq!(again["indexDigest"], stored["indexDigest"]);
    let delivery = json!({
        "action": "edited", "pull_request": entity("acme/web", "pull", 42, "now closes #9"), "number": 42,
        "repository": {"full_name": "acme/web", "name": "web", "id": 9, "owner": {"login": "acme", "id": 8},
            "url": "https://api.github.com/repos/acme/web", "html_url": "https://github.com/acme/web"},
        "sender": {"login": "ann", "id": 1},
    });
    fs::write(dir.path().join("event.json"), delivery.to_string()).expect("written");
    let args = ["--store", "store", "stage", "--event", "event.json", "--with-linked", "--record", "--out", "event"];
    let event = done(dir.path(), &args);
    let main = index(&dir.path().join("event/github.com/acme/web/pull/42"));
    assert_eq!(main["links"][0], link("web/issue/9", &["closes"], "staged"));
    assert!(main.get("event").is_some());
    assert!(index(&dir.path().join("event/github.com/acme/web/issue/9")).get("event").is_none());
    let digest = event["indexDigest"].as_str().expect("a digest");
    let again = done(dir.path(), &["--store", "store", "stage", "--replay", digest, "--out", "again", "--replace"]);
    assert_eq!(again["indexDigest"], event["indexDigest"]);
}

#[test]
fn what_is_only_linked_need_not_be_complete() {
    let dir = scratch();
    thread(dir.path());
    let args = ["stage", "--entity", "acme/web#42", "--from", "thread.ndjson", "--out", "out", "--facets", "header"];
    let (status, said) = report(dir.path(), &[&args[..], &["--with-linked", "--require", "complete"]].concat());
    assert_eq!((status, &said["complete"]), (0, &json!(true)), "{said}");
}

#[test]
fn a_body_of_links_and_nothing_else_is_read_in_one_pass() {
    let dir = scratch();
    let many: String = (1..=3000).map(|number| format!("#{number} ")).collect();
    let hostile = format!("{many}{}{}{}", "#".repeat(100_000), "`".repeat(100_000), "https://".repeat(20_000));
    recording(dir.path(), "thread.ndjson", &[("acme/web/pulls/42", entity("acme/web", "pull", 42, &hostile))]);
    let staged = stage(dir.path(), "out", &["--with-linked"]);
    let main = index(&dir.path().join("out"));
    assert_eq!(main["links"].as_array().map(Vec::len), Some(1000));
    let gaps = staged["gaps"].to_string();
    assert!(gaps.contains(r#""code":"linked-not-filed","count":20,"#) || gaps.contains("linked-not-filed"), "{gaps}");
    let counted: u64 = staged["gaps"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|gap| gap["code"].as_str().is_some_and(|code| code.starts_with("linked-")))
        .filter_map(|gap| gap["count"].as_u64())
        .sum();
    assert_eq!(counted, 2999, "{gaps}");
}

#[test]
fn gitlab_numbers_its_issues_and_merge_requests_apart() {
    let dir = scratch();
    let payload = crate::support::testdata("threads/gitlab-mr-7");
    let store = dir.path().join("thread");
    fs::create_dir(&store).expect("a directory");
    for (path, bytes) in files(&payload) {
        let text = String::from_utf8(bytes).expect("UTF-8");
        fs::write(store.join(path), text).expect("written");
    }
    let output = docket(dir.path())
        .args(["--json", "stage", "--from", "thread", "--with-linked", "--out", "out"])
        .output()
        .expect("started");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn code_and_comments_are_no_prose_and_what_does_not_end_is_text() {
    for (text, shown) in [
        ("a `<!--` #1", "#1"),
        ("```\n<!--\n```\n#1", "#1"),
        ("a `` lone mark, `code #2`, #1", "#1"),
        ("```` open and `#2` #1", "#1"),
        ("a `#2\n#3` #1", "#1"),
        ("a `\n\n#1 `", "#1"),
        ("- a `\n- #1 `", "#1"),
        ("# a `\n#1 `", "#1"),
        ("> ```\n> #2\n> ```\n#1", "#1"),
        ("> ```\n> #2\n#1", "#1"),
        ("1. a\n    ```\n    #2\n    ```\n#1", "#1"),
        ("- ```\n  #2\n  ```\n- #1", "#1"),
        ("    ```\n#1", "#1"),
        ("<!-- `#2 --> #1 `", "#1"),
        ("<!-- #2\n\n```\n#3 --> #1", "#1"),
        ("a <!-- #2 --> #1 <!-- #1", "#1 #1"),
        ("a <!-- #1\n\n--> #1", "#1 #1"),
        ("#1\n<!-- #2\n#3", "#1"),
        ("> <!-- #2\n\n#1", "#1"),
        ("<!--> #1 \\`#1`", "#1 #1"),
        ("~~~\n#2\n```\n#3\n~~~~\n#1", "#1"),
        // None of them ends, which is asked once.
        (&"> <!-- #2\n".repeat(100_000), ""),
        ("", ""),
        ("`", ""),
        ("\\", ""),
    ] {
        let prose = git_docket::forge::prose::prose(text);
        assert_eq!(prose.len(), text.len(), "{text:?}");
        let found: Vec<_> = prose.split_whitespace().map(|word| word.trim_end_matches('`')).collect();
        let found: Vec<_> = found.into_iter().map(|word| word.trim_start_matches(['\\', '`'])).collect();
        let found: Vec<_> = found.into_iter().filter(|word| word.len() > 1 && word.starts_with('#')).collect();
        assert_eq!(found.join(" "), shown, "{text:?}: {prose:?}");
    }
}

/// Nodes as `gh` and as an answer of the API write them: what the forge links is linked, whatever the body says.
#[test]
fn what_the_forge_lists_as_closed_or_closing_is_linked() {
    let dir = scratch();
    let node = |number: u64| {
        json!({"number": number, "title": "t", "body": "no word of it", "state": "OPEN", "author": {"login": "ann", "is_bot": false},
            "createdAt": "2026-03-01T00:00:00Z", "updatedAt": "2026-03-01T00:00:00Z", "headRefName": "topic", "baseRefName": "main",
            "url": format!("https://github.com/acme/web/pull/{number}")})
    };
    let mut pull = node(42);
    pull["closingIssuesReferences"] = json!([
        {"id": "I_1", "number": 7, "url": "https://github.com/acme/web/issues/7"},
        {"number": 8, "repository": {"name": "web", "owner": {"login": "acme"}}},
        {"number": 9, "repository": {"nameWithOwner": "acme/secret"}},
        {"number": 10, "repository": {"id": "R_1"}},
    ]);
    let mut issue = json!({"number": 7, "title": "t", "body": "", "state": "OPEN", "author": {"login": "bob", "is_bot": false},
        "createdAt": "2026-03-01T00:00:00Z", "updatedAt": "2026-03-01T00:00:00Z", "url": "https://github.com/acme/web/issues/7"});
    issue["closedByPullRequestsReferences"] =
        json!({"nodes": [{"number": 42}, {"number": 43}], "pageInfo": {"hasNextPage": true}});
    for (name, value) in [("pull.json", &pull), ("issue.json", &issue)] {
        fs::write(dir.path().join(name), value.to_string()).expect("a payload");
    }
    let staged = |number: u64, out: &str, more: &[&str]| {
        let entity = format!("acme/web#{number}");
        let args = ["stage", "--entity", &entity, "--out", out, "--with-linked", "--from", "pull.json", "issue.json"];
        done(dir.path(), &[&args, more].concat());
        let kind = if number == 7 { "issue/7" } else { "pull/42" };
        index(&dir.path().join(out).join("github.com/acme/web").join(kind))
    };
    let links = staged(42, "a", &[])["links"].clone();
    assert_eq!(links[0], link("secret/thread/9", &["closes"], "elsewhere"));
    assert_eq!(links[1], link("web/issue/7", &["closes"], "staged"));
    assert_eq!(links[2], link("web/thread/8", &["closes"], "not-filed"));
    assert_eq!(links[3], Value::Null, "the number of a repository that is not named is nobody's");
    let links = staged(7, "b", &[])["links"].clone();
    assert_eq!(links[0], link("web/pull/42", &["closed-by"], "staged"));
    assert_eq!(links[1], link("web/thread/43", &["closed-by"], "not-filed"));
    // Its body may have said so, which is by nobody who is heard.
    let args = [
        "stage",
        "--entity",
        "acme/web#42",
        "--out",
        "c",
        "--with-linked",
        "--deny-author",
        "ann",
        "--from",
        "pull.json",
        "issue.json",
    ];
    done(dir.path(), &args);
    assert_eq!(index(&dir.path().join("c"))["links"], json!([]));
}
