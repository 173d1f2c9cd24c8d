//! Gitea and Forgejo: our pull request 3, which of the two a host is, and the proof of pages.

use std::fs;

use serde_json::{Value, json};

use super::{coverage, exchange, gaps, staged, staged_from};
use crate::support::{arg, done, scratch, testdata};

#[test]
fn a_pull_request_is_shown_with_what_forgejo_tells() {
    let (report, read) = staged_from(scratch(), &testdata("threads/forgejo-pull-3"));
    assert_eq!(report["entities"], json!(["forgejo:git.forgejo.example.org/acme/web/pull/3"]));
    let expected = [
        "commits/not-observed=1",
        "files/patch-missing=1",
        "review-comments/incomplete=1",
        "reviews/invalid-metadata=1",
    ];
    assert_eq!(gaps(&report), expected);
    let entity = read("entity.json");
    assert_eq!(entity["author"], Value::Null, "the account -1 is one that is gone");
    assert_eq!((&entity["labels"], &entity["assignees"]), (&json!([]), &json!([])));
    assert_eq!(
        (&entity["locked"], &entity["draft"], &entity["head"]["repository"]),
        (&json!(true), &json!(true), &Value::Null)
    );
    let threads = read("threads.json");
    assert_eq!((&threads["threads"][0]["resolved"], &threads["threads"][0]["originalLine"]), (&json!(true), &json!(1)));
    assert!(threads["threads"][0].get("outdated").is_none());
    let index = read("index.json");
    let reviews = index["entries"].as_array().expect("entries").iter().filter(|entry| entry["role"] == "review");
    let states: Vec<_> = reviews
        .map(|entry| (entry["source"]["id"].as_u64(), entry["state"].as_str(), entry.get("createdAt").is_some()))
        .collect();
    let expected = [
        (3, Some("dismissed"), true),
        (4, Some("changes-requested"), true),
        (5, None, true),
        (2, Some("pending"), false),
    ];
    assert_eq!(states, expected.map(|(id, state, dated)| (Some(id), state, dated)), "a request is no review");
    let check = read("checks/20260102T070000Z-status-8/check.json");
    assert_eq!((&check["conclusion"], &check["headSha"]), (&json!("neutral"), &json!("a".repeat(40))));
    let timeline = read("timeline.json");
    let events: Vec<_> =
        timeline["events"].as_array().expect("events").iter().map(|e| e["event"].as_str().expect("event")).collect();
    let expected = [
        "commented",
        "labeled",
        "unlabeled",
        "head_ref_force_pushed",
        "renamed",
        "review_requested",
        "review_request_removed",
        "pin",
    ];
    assert_eq!(events, expected);
    assert_eq!(timeline["events"][3]["details"], json!({"from": "c".repeat(40), "to": "a".repeat(40)}));
    let reactions = read("reactions.json");
    let expected = json!([
        {"actor": null, "content": "gitea", "createdAt": "2026-01-02T08:00:01Z"},
        {"actor": {"id": 4, "login": "mona"}, "content": "heart", "createdAt": "2026-01-02T08:00:00Z"},
    ]);
    assert_eq!(reactions["reactions"], expected);
}

fn issue(host: &str) -> Value {
    json!({"id": 1, "number": 1, "title": "t", "body": "", "state": "open", "is_locked": false, "pull_request": null,
        "user": {"id": 1, "login": "a", "username": "a"}, "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z", "labels": null, "assignees": null,
        "url": format!("https://{host}/api/v1/repos/a/b/issues/1"), "html_url": format!("https://{host}/a/b/issues/1")})
}

#[test]
fn the_name_of_the_host_or_the_caller_says_which_of_the_two_it_is() {
    for (host, named, expected) in [
        ("codeberg.org", None, "forgejo:codeberg.org/a/b/issue/1"),
        ("code.forgejo.org", None, "forgejo:code.forgejo.org/a/b/issue/1"),
        ("git.example.org:3000", None, "gitea:git.example.org:3000/a/b/issue/1"),
        ("git.example.org", Some("forgejo:git.example.org/a/b/issue/1"), "forgejo:git.example.org/a/b/issue/1"),
    ] {
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        let input = dir.path().join("issue.json");
        fs::write(&input, issue(host).to_string()).expect("the payload");
        let mut args = vec!["--store", "store", "observe", "--observed-at", "2026-02-01T00:00:00Z", arg(&input)];
        if let Some(named) = named {
            args.extend(["--entity", named]);
        }
        done(dir.path(), &args);
        let staged = done(dir.path(), &["--store", "store", "stage", expected, "--out", "out"]);
        assert_eq!(staged["entities"], json!([expected]));
    }
}

#[test]
fn pages_are_whole_only_by_count_or_link() {
    let api = "https://codeberg.org/api/v1/repos/a/b/issues/1";
    let page = |query: &str, headers: Value, ids: std::ops::Range<u64>| {
        let comment = |id| json!({"id": id, "body": "b", "user": null, "issue_url": "https://codeberg.org/a/b/issues/1", "pull_request_url": ""});
        exchange(&format!("{api}/comments?{query}"), &headers, &ids.map(comment).collect())
    };
    let cases = [
        (vec![page("", json!({"X-Total-Count": "2"}), 1..3)], "complete"),
        (vec![page("", json!({"X-Total-Count": "3"}), 1..3)], "partial"),
        (vec![page("", json!({"Date": "Sat, 03 Jan 2026 01:00:00 GMT"}), 1..3)], "partial"),
        (vec![page("limit=50", json!({"Date": "Sat, 03 Jan 2026 01:00:00 GMT"}), 1..3)], "partial"),
        (
            vec![
                page("limit=2&page=1", json!({"X-Total-Count": "3"}), 1..3),
                page("limit=2&page=2", json!({"X-Total-Count": "3"}), 3..4),
            ],
            "complete",
        ),
        (vec![page("since=2026-01-01T00:00:00Z", json!({"X-Total-Count": "2"}), 1..3)], "partial"),
    ];
    for (at, (lines, expected)) in cases.into_iter().enumerate() {
        assert_eq!(coverage(&lines, "comments"), expected, "case {at}");
    }
    let null = exchange(&format!("{api}/reactions"), &json!({"X-Total-Count": "0"}), &Value::Null);
    assert_eq!(coverage(&[null], "reactions"), "complete", "null is an empty list here");
    let (report, _) = staged(&[exchange(api, &json!({}), &{
        let mut odd = issue("codeberg.org");
        odd["state"] = json!("limbo");
        odd
    })]);
    assert!(gaps(&report).contains(&"header/invalid-metadata=1".to_owned()));
}

#[test]
fn what_was_migrated_is_by_its_author_elsewhere_who_is_nobody_here() {
    let dir = scratch();
    let mut thread = issue("codeberg.org");
    thread["original_author"] = json!("alice");
    let user = json!({"id": 1, "login": "a", "username": "a"});
    let comment = |id: u64, original: &str| {
        json!({"id": id, "body": format!("text {id}"), "user": user, "original_author": original, "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00Z", "issue_url": "https://codeberg.org/a/b/issues/1", "pull_request_url": ""})
    };
    fs::write(dir.path().join("issue.json"), thread.to_string()).expect("the payload");
    let comments = json!([comment(101, "alice"), comment(102, "")]);
    fs::write(dir.path().join("comments.json"), comments.to_string()).expect("the payload");
    let shown = |out: &str, more: &[&str]| -> Vec<bool> {
        let from = [
            "stage",
            "--from",
            "issue.json",
            "comments.json",
            "--entity",
            "forgejo:codeberg.org/a/b/issue/1",
            "--out",
            out,
        ];
        done(dir.path(), &[&from, more].concat());
        let index: Value =
            serde_json::from_slice(&fs::read(dir.path().join(out).join("index.json")).expect("an index"))
                .expect("JSON");
        let entries = index["entries"].as_array().expect("entries").iter();
        let of = |id: u64| entries.clone().find(|entry| entry["source"]["id"] == id).expect("a row").clone();
        assert_eq!(of(101)["author"]["login"], "alice", "{index}");
        let actors = fs::read_to_string(dir.path().join(out).join("actors.json")).expect("the accounts");
        assert!(actors.contains("Migrated"), "{actors}");
        assert_eq!(of(102)["author"]["login"], "a", "{index}");
        [101, 102].map(|id| of(id).get("withheld").is_none()).to_vec()
    };
    assert_eq!(shown("all", &[]), [true, true]);
    assert_eq!(shown("deny", &["--deny-author", "Alice"]), [false, true]);
    assert_eq!(shown("allow", &["--allow-author", "alice", "--allow-author", "a"]), [false, true]);
    assert_eq!(shown("members", &["--admit", "members"]), [false, false]);
}

/// Gitea gives what merging closed no time of that; what was closed at another time keeps it.
#[test]
fn what_was_merged_was_closed_then() {
    let side = json!({"ref": "b", "sha": "a".repeat(40), "repo": null});
    for (merged, closed_at, expected) in [
        (true, Value::Null, json!("2026-01-03T00:00:00Z")),
        (true, json!("2026-01-04T00:00:00Z"), json!("2026-01-04T00:00:00Z")),
        (false, Value::Null, Value::Null),
    ] {
        let merged_at = if merged { json!("2026-01-03T00:00:00Z") } else { Value::Null };
        let pull = json!({"id": 6, "number": 2, "title": "p", "body": "", "state": "closed", "user": null, "head": side, "base": side,
            "url": "https://gitea.example.org/acme/web/pulls/2", "html_url": "https://gitea.example.org/acme/web/pulls/2", "is_locked": false,
            "merged": merged, "merged_at": merged_at, "closed_at": closed_at, "created_at": "2026-01-01T00:00:00Z"});
        let url = "https://gitea.example.org/api/v1/repos/acme/web/pulls/2";
        let (_, read) = staged(&[exchange(url, &json!({}), &pull)]);
        assert_eq!(read("entity.json")["closedAt"], expected, "{merged}");
    }
}
