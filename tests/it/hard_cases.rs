//! The hard cases of what forges say, from a payload to the tree or the diff of two trees. The values are those that the
//! forge's documentation gives.

mod conversation;
mod entity;
mod names;
mod pages;
mod partial;
mod threads;
mod times;
mod unread;

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::support::{done, files, scratch};

const API: &str = "https://api.github.com/repos/acme/web";
const FIRST: &str = "2026-03-05T00:00:00Z";
const SECOND: &str = "2026-03-06T00:00:00Z";

/// Payloads of one look, and what the tree of pull request 42 then says: file, pointer, value. A file may be named by its
/// beginning.
type Case = (&'static str, Vec<Value>, Vec<(&'static str, &'static str, Value)>);

/// Payloads of two looks one after the other, and what changed: `change facet id`.
type Change = (&'static str, [Vec<Value>; 2], &'static [&'static str]);

/// An object with other members laid over it.
fn with(mut object: Value, members: Value) -> Value {
    let Value::Object(members) = members else { panic!("members") };
    object.as_object_mut().expect("an object").extend(members);
    object
}

fn user(login: &str, id: u64) -> Value {
    json!({"login": login, "id": id, "type": "User"})
}

/// The pull request, as REST gives it.
fn pull(members: Value) -> Value {
    let side = |branch: &str| json!({"ref": branch, "sha": "a".repeat(40), "repo": {"full_name": "acme/web", "id": 1, "owner": {"login": "acme", "id": 2}}});
    let own = json!({"number": 42, "id": 881_042, "url": format!("{API}/pulls/42"), "title": "t", "state": "open",
        "html_url": "https://github.com/acme/web/pull/42", "user": user("mira", 4101), "body": "b",
        "created_at": "2026-03-01T00:00:00Z", "updated_at": "2026-03-02T00:00:00Z", "head": side("topic"), "base": side("main")});
    with(own, members)
}

fn comment(id: u64, members: Value) -> Value {
    let own = json!({"id": id, "url": format!("{API}/issues/comments/{id}"), "issue_url": format!("{API}/issues/42"),
        "html_url": format!("https://github.com/acme/web/pull/42#issuecomment-{id}"), "user": user("tove", 4103), "body": "c",
        "created_at": "2026-03-03T00:00:00Z", "updated_at": "2026-03-03T00:00:00Z"});
    with(own, members)
}

fn review_comment(id: u64, members: Value) -> Value {
    let own = json!({"id": id, "pull_request_review_id": 7, "pull_request_url": format!("{API}/pulls/42"), "path": "a.rs",
        "diff_hunk": "@@ -1 +1 @@\n-a\n+b", "user": user("tove", 4103), "body": "c", "side": "RIGHT", "line": 1, "original_line": 1,
        "position": 1, "created_at": "2026-03-03T00:00:00Z", "updated_at": "2026-03-03T00:00:00Z"});
    with(own, members)
}

/// An entry of the timeline.
fn event(id: u64, name: &str, members: Value) -> Value {
    let own = json!({"id": id, "event": name, "actor": user("mira", 4101), "created_at": "2026-03-03T00:00:00Z",
        "commit_id": null, "url": format!("{API}/issues/events/{id}")});
    with(own, members)
}

/// An answer of REST below the repository.
fn answer(path: &str, headers: Value, body: Value) -> Value {
    json!({"method": "GET", "url": format!("{API}/{path}"), "status": 200, "headers": headers, "body": body})
}

/// An answer of GraphQL about the pull request.
fn node(members: Value) -> Value {
    let own = json!({"number": 42, "url": "https://github.com/acme/web/pull/42", "title": "t"});
    json!({"data": {"repository": {"pullRequest": with(own, members)}}})
}

/// The file that is named by its beginning.
fn file<'f>(files: &'f BTreeMap<String, Vec<u8>>, name: &str) -> Option<&'f [u8]> {
    files.iter().find(|(path, _)| path.starts_with(name)).map(|(_, bytes)| bytes.as_slice())
}

/// Stages every case and compares what it says; all differences at once.
fn check(cases: Vec<Case>) {
    let mut wrong = Vec::new();
    for (name, payloads, says) in cases {
        let tree = staged(&payloads);
        for (path, pointer, value) in says {
            let read = file(&tree, path).map(|bytes| serde_json::from_slice::<Value>(bytes).expect("JSON"));
            let found = read.map(|value| at(&value, pointer).cloned().unwrap_or(json!("absent")));
            if found.as_ref() != Some(&value) {
                wrong.push(format!("{name}: {path} {pointer}: {found:?}, not {value}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What stands at a pointer; `/item` is the first entry of an index that is an item, `/body` that of the body.
fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let entry = |is: &dyn Fn(&Value) -> bool| value["entries"].as_array()?.iter().find(|entry| is(entry));
    if let Some(rest) = pointer.strip_prefix("/item") {
        entry(&|entry| entry["ordinal"] == 1)?.pointer(rest)
    } else if let Some(rest) = pointer.strip_prefix("/body") {
        entry(&|entry| entry["path"] == "body.md")?.pointer(rest)
    } else {
        value.pointer(pointer)
    }
}

fn staged(payloads: &[Value]) -> BTreeMap<String, Vec<u8>> {
    let dir = scratch();
    write(&dir.path().join("in.json"), payloads);
    let entity = ["--entity", "github:github.com/acme/web/pull/42", "--observed-at", FIRST];
    done(dir.path(), &[&["stage", "--from", "in.json", "--profile", "full", "--out", "out"], &entity[..]].concat());
    files(&dir.path().join("out"))
}

fn write(path: &std::path::Path, payloads: &[Value]) {
    let lines: Vec<_> = payloads.iter().map(Value::to_string).collect();
    fs::write(path, lines.join("\n")).expect("written");
}

/// Observes two looks one after the other, and compares what changed between their snapshots.
fn check_changes(cases: Vec<Change>) {
    let mut wrong = Vec::new();
    for (name, looks, says) in cases {
        let said = changed(&looks);
        if said != says {
            wrong.push(format!("{name}: {said:?}, not {says:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn changed(looks: &[Vec<Value>; 2]) -> Vec<String> {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    for (payloads, (at, out)) in looks.iter().zip([(FIRST, "one"), (SECOND, "two")]) {
        write(&dir.path().join("in.json"), payloads);
        let entity = ["--entity", "github:github.com/acme/web/pull/42", "--observed-at", at];
        done(dir.path(), &[&["--store", "store", "observe", "in.json"], &entity[..]].concat());
        done(dir.path(), &["--store", "store", "snapshot", "--out", out]);
    }
    assert_eq!(done(dir.path(), &["verify", "--rebuild", "store"])["verified"], true);
    let diff = done(dir.path(), &["diff", "one", "two"]);
    let text = |row: &Value, name: &str| row[name].as_str().map_or_else(|| row[name].to_string(), str::to_owned);
    let row = |row: &Value| format!("{} {} {}", text(row, "change"), text(row, "facet"), text(row, "id"));
    diff["changes"].as_array().expect("changes").iter().map(row).collect()
}

/// The whole tree of a snapshot.
fn snapshot(payloads: &[Value]) -> BTreeMap<String, Vec<u8>> {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    write(&dir.path().join("in.json"), payloads);
    let args = ["--store", "store", "observe", "in.json", "--observed-at", FIRST];
    done(dir.path(), &args);
    done(dir.path(), &["--store", "store", "snapshot", "--out", "out"]);
    files(&dir.path().join("out"))
}
