//! GitLab: threads that are not on the diff, internal notes, moved issues, and what lists of links tell.

use std::fs;

use git_docket::forge::dialect::Dialect;
use git_docket::forge::facets::Item;
use git_docket::format::facet::Facet;
use git_docket::format::json::parse;
use serde_json::{Value, json};

use super::{exchange, staged};
use crate::support::{done, scratch};

const API: &str = "https://gitlab.example.org/api/v4/projects/acme%2Fweb";

pub fn merge_request(more: &Value) -> Value {
    let mut value = json!({"id": 900, "iid": 7, "project_id": 9, "title": "t", "description": "", "state": "opened",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "source_branch": "topic", "target_branch": "main",
        "source_project_id": 9, "target_project_id": 9, "sha": "a".repeat(40), "author": {"id": 1, "username": "ann"},
        "web_url": "https://gitlab.example.org/acme/web/-/merge_requests/7"});
    value.as_object_mut().expect("an object").extend(more.as_object().expect("members").clone());
    value
}

fn note(id: u64, more: &Value) -> Value {
    let mut value = json!({"id": id, "type": null, "body": format!("text {id}"), "author": {"id": 2, "username": "bob"}, "system": false,
        "created_at": format!("2026-01-02T03:{id:02}:00Z"), "updated_at": format!("2026-01-02T03:{id:02}:00Z"),
        "noteable_type": "MergeRequest", "noteable_iid": 7, "resolvable": false});
    value.as_object_mut().expect("an object").extend(more.as_object().expect("members").clone());
    value
}

fn in_thread(id: u64, resolved: bool) -> Value {
    let by = if resolved { json!({"id": 1, "username": "ann"}) } else { Value::Null };
    let at = if resolved { json!("2026-01-03T00:00:00Z") } else { Value::Null };
    note(
        id,
        &json!({"type": "DiscussionNote", "resolvable": true, "resolved": resolved, "resolved_by": by, "resolved_at": at}),
    )
}

fn discussions() -> Value {
    json!([
        {"id": "d1", "individual_note": true, "notes": [note(1, &json!({"internal": true}))]},
        {"id": "d2", "individual_note": false, "notes": [in_thread(2, true), in_thread(3, true), note(4, &json!({"system": true, "body": "closed"}))]},
        {"id": "d3", "individual_note": false, "notes": [in_thread(5, false)]},
    ])
}

fn lines() -> [String; 2] {
    let all = json!({"X-Total": "3", "X-Next-Page": ""});
    [
        exchange(&format!("{API}/merge_requests/7"), &json!({}), &merge_request(&json!({}))),
        exchange(&format!("{API}/merge_requests/7/discussions"), &all, &discussions()),
    ]
}

#[test]
fn a_thread_without_a_place_has_a_state_and_its_replies() {
    let (_, read) = staged(&lines());
    let threads = read("threads.json");
    let settled = &threads["threads"][0];
    assert_eq!(
        json!([settled["id"], settled["resolved"], settled["resolvedAt"]]),
        json!([2, true, "2026-01-03T00:00:00Z"])
    );
    assert_eq!((&settled["resolvedBy"], settled.get("path")), (&json!({"id": 1, "login": "ann"}), None));
    let replies: Vec<_> = settled["comments"].as_array().expect("rows").iter().map(|row| &row["replyTo"]).collect();
    assert_eq!(replies, [&Value::Null, &json!(2)]);
    let open = &threads["threads"][1];
    assert_eq!((&open["resolved"], open.get("resolvedBy"), open.get("resolvedAt")), (&json!(false), None, None));
    assert_eq!(threads["unresolvedFirst"][0], open["file"]);
    let index = read("index.json");
    let of =
        |role: &str| index["entries"].as_array().expect("entries").iter().filter(|entry| entry["role"] == role).count();
    assert_eq!((of("comment"), of("thread")), (1, 2), "an individual note is a comment");
    assert_eq!(index["coverage"]["review-comments"]["state"], "complete");
}

#[test]
fn an_internal_note_is_shown_as_such_and_silence_is_not_known() {
    for (member, internal) in [
        (json!({"internal": true}), Some(true)),
        (json!({"internal": false, "confidential": null}), Some(false)),
        (json!({"confidential": true}), Some(true)),
        (json!({"confidential": null}), None),
        (json!({}), None),
    ] {
        let bytes = note(1, &member).to_string();
        let items = Dialect::GitlabRest.items(Facet::Comments, &parse(bytes.as_bytes()).expect("JSON"));
        let Some(Ok(Item::Comment(comment))) = items.into_iter().next().map(|item| item.map(|item| item.value)) else {
            panic!("no comment: {member}");
        };
        assert_eq!(comment.internal, internal, "{member}");
    }
    let (_, read) = staged(&lines());
    let index = read("index.json");
    let comment = index["entries"].as_array().expect("entries").iter().find(|entry| entry["role"] == "comment");
    assert_eq!(comment.expect("a comment")["internal"], true);
}

#[test]
fn a_thread_that_is_settled_since_before_was_settled_then() {
    let dir = scratch();
    fs::write(dir.path().join("all.jsonl"), lines().join("\n")).expect("written");
    for (as_of, known) in [("2026-01-02T12:00:00Z", Value::Null), ("2026-01-03T00:00:00Z", json!(true))] {
        done(dir.path(), &["stage", "--from", "all.jsonl", "--as-of", as_of, "--out", "out", "--replace"]);
        let threads = fs::read(dir.path().join("out/threads.json")).expect("threads");
        let threads: Value = serde_json::from_slice(&threads).expect("JSON");
        assert_eq!(threads["threads"][0]["resolved"], known, "{as_of}");
        assert_eq!(threads["threads"][1]["resolved"], Value::Null, "{as_of}");
    }
}

#[test]
fn a_moved_issue_says_so() {
    let issue = |state: &str, moved: Value| {
        json!({"id": 70, "iid": 5, "project_id": 9, "title": "t", "description": "", "state": state, "moved_to_id": moved,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "author": null,
            "web_url": "https://gitlab.example.org/acme/web/-/issues/5"})
    };
    for (state, moved, reason) in [
        ("closed", json!(99), Some(json!("moved"))),
        ("closed", Value::Null, None),
        ("opened", json!(99), Some(Value::Null)),
    ] {
        let (_, read) = staged(&[exchange(&format!("{API}/issues/5"), &json!({}), &issue(state, moved))]);
        assert_eq!(read("entity.json").get("stateReason"), reason.as_ref(), "{state}");
    }
}

#[test]
fn an_empty_list_of_parents_tells_none() {
    for (parents, known) in [(json!([]), None), (json!(["b".repeat(40)]), Some(vec!["b".repeat(40)]))] {
        let commit = json!({"id": "a".repeat(40), "short_id": "aaaaaaaa", "author_name": "Ann", "parent_ids": parents});
        let bytes = commit.to_string();
        let items = Dialect::GitlabRest.items(Facet::Commits, &parse(bytes.as_bytes()).expect("JSON"));
        let Some(Ok(Item::Commit(commit))) = items.into_iter().next().map(|item| item.map(|item| item.value)) else {
            panic!("no commit");
        };
        assert_eq!(commit.parents, known);
    }
}

/// Commits without parents prove no force-push, whatever heads they have.
#[test]
fn a_new_head_without_parents_is_not_called_rewritten() {
    let dir = scratch();
    let all = json!({"X-Total": "1", "X-Next-Page": ""});
    for (name, sha) in [("a", "a"), ("b", "b")] {
        let commit = json!([{"id": sha.repeat(40), "short_id": sha.repeat(8), "author_name": "Ann", "parent_ids": [], "message": "m"}]);
        let lines = [
            exchange(&format!("{API}/merge_requests/7"), &json!({}), &merge_request(&json!({"sha": sha.repeat(40)}))),
            exchange(&format!("{API}/merge_requests/7/commits"), &all, &commit),
        ];
        fs::write(dir.path().join(format!("{name}.jsonl")), lines.join("\n")).expect("written");
        done(dir.path(), &["stage", "--from", &format!("{name}.jsonl"), "--profile", "full", "--out", name]);
    }
    let said = done(dir.path(), &["diff", "a", "b"]);
    let words: Vec<_> =
        said["changes"].as_array().expect("changes").iter().filter_map(|row| row["change"].as_str()).collect();
    assert!(words.contains(&"head-pushed") && !words.contains(&"head-force-pushed"), "{words:?}");
}

fn linked(lines: &[String]) -> Vec<Value> {
    let dir = scratch();
    fs::write(dir.path().join("all.jsonl"), lines.join("\n")).expect("written");
    let args = ["--store", "store", "observe", "--observed-at", "2026-02-01T00:00:00Z", "all.jsonl"];
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &args);
    done(dir.path(), &["--store", "store", "stage", "acme/web!7", "--with-linked", "--out", "out"]);
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(dir.path().join("out")).sort_by_file_name().into_iter().flatten() {
        if entry.file_name() == "index.json" {
            let index: Value = serde_json::from_slice(&fs::read(entry.path()).expect("an index")).expect("JSON");
            found.extend(index["links"].as_array().into_iter().flatten().cloned());
        }
    }
    found
}

#[test]
fn what_a_merge_request_closes_and_what_refers_to_it_is_linked() {
    let issue = |iid: u64| {
        json!({"id": 70 + iid, "iid": iid, "project_id": 9, "title": format!("issue {iid}"), "description": "", "state": "opened",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "author": null,
            "web_url": format!("https://gitlab.example.org/acme/web/-/issues/{iid}")})
    };
    let mention = json!([
        note(1, &json!({"system": true, "body": "mentioned in issue #8"})),
        note(2, &json!({"system": true, "body": "mentioned in commit 0123456789abcdef"}))
    ]);
    let lines = [
        exchange(&format!("{API}/merge_requests/7"), &json!({}), &merge_request(&json!({}))),
        exchange(&format!("{API}/merge_requests/7/closes_issues"), &json!({}), &json!([issue(5), issue(7)])),
        exchange(&format!("{API}/merge_requests/7/notes"), &json!({}), &mention),
    ];
    let expected = json!([
        {"entity": "gitlab:gitlab.example.org/acme/web/-/issues/5", "how": ["closes"], "is": "staged"},
        {"entity": "gitlab:gitlab.example.org/acme/web/-/issues/7", "how": ["closes"], "is": "staged"},
        {"entity": "gitlab:gitlab.example.org/acme/web/-/issues/8", "how": ["cross-referenced"], "is": "not-filed"},
    ]);
    assert_eq!(Value::from(linked(&lines)), expected);
}

#[test]
fn lists_of_links_are_parts_of_the_record_and_what_is_in_them_has_its_own() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let url = |part: &str| format!("{API}/issues/5/{part}");
    let own = json!({"id": 75, "iid": 5, "project_id": 9, "title": "t", "description": "", "state": "opened", "author": null,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "web_url": "https://gitlab.example.org/acme/web/-/issues/5"});
    let other = merge_request(&json!({}));
    let lines = [
        exchange(&format!("{API}/issues/5"), &json!({}), &own),
        exchange(&url("closed_by"), &json!({}), &json!([other])),
        exchange(
            &url("related_merge_requests"),
            &json!({}),
            &json!([other, {"iid": 5, "project_id": 9, "title": "x", "state": "opened", "web_url": null}]),
        ),
        exchange(&url("related_merge_requests?page=2"), &json!({}), &json!([])),
    ];
    fs::write(dir.path().join("all.jsonl"), lines.join("\n")).expect("written");
    let observe = ["--store", "store", "observe", "all.jsonl"];
    let seen = done(dir.path(), &observe);
    let left: Vec<_> =
        seen["unrecognised"].as_array().expect("rows").iter().map(|row| row["reason"].as_str()).collect();
    assert_eq!(left, [Some("entity-ambiguous"), Some("facet-unsupported")], "{seen}");
    assert_eq!(done(dir.path(), &["verify", "store", "--rebuild"])["verified"], true);
    done(dir.path(), &["--store", "store", "stage", "acme/web#5", "--with-linked", "--out", "out"]);
    let index =
        fs::read_to_string(dir.path().join("out/gitlab.example.org/acme/web/-/issue/5/index.json")).expect("an index");
    let index: Value = serde_json::from_str(&index).expect("JSON");
    assert_eq!(
        index["links"],
        json!([{"entity": "gitlab:gitlab.example.org/acme/web/-/merge_requests/7", "how": ["closed-by"], "is": "staged"}])
    );
    assert_eq!(index["coverage"]["header"]["state"], "complete");
}
