//! When a look was made is in no derived byte: the same payloads give the same snapshot at any time, and a stage of them is that of a
//! store which holds exactly them.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;
use crate::support::{arg, shared};

/// Times whose digests fall in other orders each: which of two looks of one second is the later by its record is a matter of chance.
const TIMES: [&str; 8] = [
    "2026-03-05T00:00:00Z",
    "2026-03-05T00:00:01Z",
    "2026-03-06T00:00:00Z",
    "2026-03-07T10:20:30Z",
    "2026-04-01T00:00:00Z",
    "2026-05-01T12:00:00Z",
    "2027-01-01T00:00:00Z",
    "2030-12-31T23:59:59Z",
];

/// The root indexes of snapshots of the same payloads, observed at each time.
fn indexes(payloads: &Path, times: &[&str]) -> BTreeSet<Vec<u8>> {
    let snapshot = |time: &&str| {
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        done(dir.path(), &["--store", "store", "observe", arg(payloads), "--observed-at", time]);
        done(dir.path(), &["--store", "store", "snapshot", "--out", "out"]);
        fs::read(dir.path().join("out/index.json")).expect("the root index")
    };
    times.iter().map(snapshot).collect()
}

/// A folder with each payload in a file of its own.
fn folder(payloads: &[Value]) -> tempfile::TempDir {
    let dir = scratch();
    for (at, payload) in payloads.iter().enumerate() {
        fs::write(dir.path().join(format!("{at:02}.json")), payload.to_string()).expect("written");
    }
    dir
}

fn commit(own: char, parent: char) -> Value {
    let sha = |digit: char| digit.to_string().repeat(40);
    let by = json!({"name": "Mira", "date": "2026-03-01T00:00:00Z"});
    let commit = json!({"message": "m", "author": by, "committer": by});
    json!({"sha": sha(own), "url": format!("{API}/commits/{}", sha(own)), "commit": commit, "author": null, "parents": [{"sha": sha(parent)}]})
}

/// A pull request of GitHub whose sets are told in parts that nothing orders.
fn github() -> Vec<Value> {
    let list = |ids: [u64; 2]| {
        let label = |id: u64| event(id, "labeled", json!({"label": {"name": format!("l{id}"), "color": "f"}}));
        json!(ids.map(label))
    };
    let reference = |number: u64| {
        let issue = json!({"id": 9_000 + number, "number": number, "html_url": format!("https://github.com/acme/web/issues/{number}"),
            "url": format!("{API}/issues/{number}"), "title": "x", "state": "open"});
        json!([{"event": "cross-referenced", "actor": user("mira", 4101), "created_at": "2026-03-03T00:00:00Z",
            "source": {"type": "issue", "issue": issue}}])
    };
    vec![
        pull(json!({"title": "one"})),
        pull(json!({"title": "two", "body": "other"})),
        list([2, 1]),
        list([10, 9]),
        event(3, "closed", json!({})),
        event(4, "reopened", json!({})),
        reference(11),
        reference(12),
        json!([comment(1, json!({"body": "x"}))]),
        json!([comment(1, json!({"body": "y"})), comment(2, json!({}))]),
        json!([review_comment(11, json!({"body": "x"}))]),
        json!([review_comment(11, json!({"body": "y"})), review_comment(12, json!({}))]),
    ]
}

fn gitlab() -> Vec<Value> {
    let by = json!({"id": 101, "username": "alice", "name": "Alice", "state": "active", "web_url": "https://gitlab.com/alice"});
    let of = |id: u64| json!({"id": id, "user": by, "created_at": "2026-03-03T00:00:00Z", "resource_type": "MergeRequest", "resource_id": 800});
    let label = |id: u64| with(of(id), json!({"action": "add", "label": {"id": 1, "name": "bug", "color": "#f00"}}));
    let request = json!({"id": 800, "iid": 7, "project_id": 77, "title": "t", "description": null, "state": "opened",
        "created_at": "2026-03-01T00:00:00.123Z", "updated_at": "2026-03-02T00:00:00.456Z", "merged_at": null, "closed_at": null,
        "target_branch": "main", "source_branch": "topic", "author": by, "assignees": [], "labels": [], "draft": false,
        "sha": "a".repeat(40), "references": {"short": "!7", "relative": "!7", "full": "acme/web!7"},
        "web_url": "https://gitlab.com/acme/web/-/merge_requests/7"});
    vec![
        request,
        json!([label(2), label(3)]),
        json!([with(of(1), json!({"state": "closed"})), with(of(4), json!({"state": "reopened"}))]),
    ]
}

fn gitea() -> Vec<Value> {
    let by = json!({"id": 3, "login": "alice", "login_name": "", "full_name": "", "email": "a@x", "avatar_url": "", "username": "alice"});
    let page = "https://codeberg.org/acme/web/issues/7";
    let entry = |id: u64, kind: &str| {
        json!([{"id": id, "type": kind, "html_url": "", "pull_request_url": "", "issue_url": page, "user": by,
        "body": "", "created_at": "2026-03-03T00:00:00Z", "updated_at": "2026-03-03T00:00:00Z", "old_ref": "", "new_ref": ""}])
    };
    let issue = json!({"id": 70, "url": "https://codeberg.org/api/v1/repos/acme/web/issues/7", "html_url": page, "number": 7, "user": by,
        "original_author": "", "original_author_id": 0, "title": "t", "body": "b", "ref": "", "labels": [], "milestone": null,
        "assignees": null, "state": "open", "is_locked": false, "comments": 0, "created_at": "2026-03-01T00:00:00Z",
        "updated_at": "2026-03-02T00:00:00Z", "closed_at": null, "pull_request": null,
        "repository": {"id": 1, "name": "web", "owner": "acme", "full_name": "acme/web"}});
    vec![issue, entry(5, "close"), entry(6, "reopen"), entry(12, "lock"), entry(9, "unlock")]
}

#[test]
fn the_time_of_looking_changes_no_byte() {
    for (forge, payloads) in [("GitHub", github()), ("GitLab", gitlab()), ("Gitea", gitea())] {
        let dir = folder(&payloads);
        assert_eq!(indexes(dir.path(), &TIMES).len(), 1, "{forge}: one snapshot at any time");
    }
}

#[test]
fn deliveries_of_one_second_give_one_snapshot() {
    for name in ["issues", "pull_request"] {
        let Some(dir) = shared(&format!("data/webhooks/{name}")) else { return };
        assert_eq!(indexes(&dir, &TIMES[..5]).len(), 1, "{name}");
    }
}

#[test]
fn a_stage_of_payloads_is_that_of_a_store_that_holds_them() {
    for (forge, payloads, entity) in [
        ("GitHub", github(), "github:github.com/acme/web/pull/42"),
        ("GitLab", gitlab(), "gitlab:gitlab.com/acme/web/-/merge_requests/7"),
    ] {
        let (payloads, dir) = (folder(&payloads), scratch());
        let stage = |args: &[&str], out: &str| {
            done(dir.path(), &[args, &["--profile", "full", "--out", out]].concat());
            files(&dir.path().join(out))
        };
        let direct = stage(&["stage", "--from", arg(payloads.path()), "--entity", entity], "direct");
        for (at, time) in TIMES[..4].iter().enumerate() {
            let store = format!("store-{at}");
            done(dir.path(), &["init", &store]);
            done(dir.path(), &["--store", &store, "observe", arg(payloads.path()), "--observed-at", time]);
            assert!(stage(&["--store", &store, "stage", entity], &format!("out-{at}")) == direct, "{forge} at {time}");
        }
    }
}

/// The tree of a stage of payloads, each in a file of its own: nothing orders them.
fn staged_apart(payloads: &[Value]) -> BTreeMap<String, Vec<u8>> {
    let (payloads, dir) = (folder(payloads), scratch());
    let entity = ["--entity", "github:github.com/acme/web/pull/42", "--observed-at", FIRST];
    let args = ["stage", "--from", arg(payloads.path()), "--profile", "full", "--out", "out"];
    done(dir.path(), &[&args[..], &entity[..]].concat());
    files(&dir.path().join("out"))
}

/// What a list of a tree holds, by a member of its rows.
fn listed(tree: &BTreeMap<String, Vec<u8>>, file: &str, list: &str, member: &str) -> Vec<Value> {
    let read: Value = serde_json::from_slice(super::file(tree, file).expect("the list")).expect("JSON");
    read[list].as_array().expect("rows").iter().map(|row| row[member].clone()).collect()
}

#[test]
fn entries_of_one_second_are_ordered_by_their_keys_and_each_list_keeps_its_order() {
    let ids = listed(&staged_apart(&github()), "timeline.json", "events", "id");
    let entries: Vec<_> = ids.iter().filter_map(Value::as_str).filter(|id| !id.contains(':')).collect();
    // The lists are 2 1, 10 9, 3 and 4: the list whose next entry is the first goes on.
    assert_eq!(entries, ["2", "1", "3", "4", "10", "9"]);
}

#[test]
fn commits_that_are_told_in_parts_are_in_the_order_of_their_history() {
    let of = |parts: &[&[(char, char)]]| {
        let part = |part: &&[(char, char)]| json!(part.iter().map(|(own, up)| commit(*own, *up)).collect::<Vec<_>>());
        let payloads: Vec<_> = [pull(json!({}))].into_iter().chain(parts.iter().map(part)).collect();
        let tree = staged_apart(&payloads);
        let shas = listed(&tree, "changes/commits.json", "commits", "sha");
        let order: String = shas.iter().filter_map(|sha| sha.as_str()?.chars().next()).collect();
        let index: Value = serde_json::from_slice(&tree["index.json"]).expect("JSON");
        let is_open = |gap: &Value| gap["scope"] == "commits" && gap["code"] == "order-ambiguous";
        (order, index["gaps"].as_array().expect("gaps").iter().any(is_open))
    };
    // Ten histories in two parts each: a digest would have every other one the wrong way round.
    for digit in '0'..='9' {
        let (first, second) = ([('a', digit), ('b', 'a')], [('c', 'b'), ('d', 'c')]);
        assert_eq!(of(&[&first, &second]), ("abcd".to_owned(), false), "{digit}");
    }
    // Where nothing tells which part comes first, that is said.
    assert!(of(&[&[('1', '0'), ('2', '1')], &[('5', '9'), ('6', '5')]]).1);
    // One list keeps the order of the forge, whatever the parents are.
    assert_eq!(of(&[&[('2', '1'), ('1', '0')]]), ("21".to_owned(), false));
}
