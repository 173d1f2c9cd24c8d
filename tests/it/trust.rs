//! `stage`: whose texts it shows, of which time, of which head.

mod admission;
mod as_of;
mod events;
mod head;
mod history;
mod impostors;
mod laws;
mod leaks;
mod renamed;
mod roles;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::contracts::assert_valid;
use crate::support::{done, files};

/// Stands in every text of whoever is not to be heard.
const MARK: &str = "XYZZY-MARK";

const API: &str = "https://api.github.com/repos/acme/web";
const HEAD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const OLD_HEAD: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

fn user(id: u64, login: &str) -> Value {
    let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
    json!({"login": login, "id": id, "avatar_url": "https://avatars.example/1", "type": kind})
}

fn mallory() -> Value {
    user(9, "Mallory")
}

/// A pull request by somebody, last changed at a time.
fn pull(author: (&Value, &str), title: &str, body: &str, updated: &str) -> Value {
    json!({"number": 42, "id": 881, "node_id": "PR_42", "title": title, "body": body, "state": "open", "locked": false,
        "user": author.0, "author_association": author.1, "labels": [{"id": 1, "name": "bug", "color": "ff0000"}],
        "assignees": [], "draft": false, "merged": false, "merged_at": null, "closed_at": null,
        "requested_reviewers": [], "requested_teams": [], "comments": 3, "commits": 1, "changed_files": 1,
        "head": {"ref": "topic", "sha": HEAD, "repo": null}, "base": {"ref": "main", "sha": OLD_HEAD, "repo": null},
        "url": format!("{API}/pulls/42"), "html_url": "https://github.com/acme/web/pull/42", "issue_url": format!("{API}/issues/42"),
        "created_at": "2026-03-01T00:00:00Z", "updated_at": updated})
}

fn comment(id: u64, author: &Value, association: Option<&str>, body: &str, times: [&str; 2]) -> Value {
    let mut value = json!({"id": id, "node_id": format!("IC_{id}"), "body": body, "user": author,
        "url": format!("{API}/issues/comments/{id}"), "issue_url": format!("{API}/issues/42"),
        "html_url": format!("https://github.com/acme/web/pull/42#issuecomment-{id}"),
        "created_at": times[0], "updated_at": times[1]});
    if let Some(association) = association {
        value["author_association"] = association.into();
    }
    value
}

fn write(dir: &Path, name: &str, value: &Value) {
    fs::create_dir_all(dir).expect("a directory");
    fs::write(dir.join(name), value.to_string()).expect("a payload");
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

/// Stages the payloads in `in`; the index, which keeps its schema and its digests.
fn stage(dir: &Path, out: &str, more: &[&str]) -> Value {
    let said = done(dir, &[&["stage", "--from", "in", "--entity", "acme/web#42", "--out", out], more].concat());
    let index = json_of(&dir.join(out).join("index.json"));
    assert_valid("index", &index, out);
    assert_eq!(index["gaps"], said["gaps"], "the report says what the index says");
    for (file, schema) in [
        ("timeline.json", "timeline"),
        ("threads.json", "threads"),
        ("changes/commits.json", "commits"),
        ("entity.json", "entity"),
        ("reactions.json", "reactions"),
    ] {
        if dir.join(out).join(file).exists() {
            assert_valid(schema, &json_of(&dir.join(out).join(file)), file);
        }
    }
    assert_eq!(done(dir, &["verify", out])["verified"], true, "{out}");
    index
}

/// The count of a gap, 0 without one.
fn gap(index: &Value, scope: &str, code: &str) -> u64 {
    let rows = index["gaps"].as_array().expect("gaps").iter();
    rows.filter(|row| row["scope"] == scope && row["code"] == code)
        .map(|row| row["count"].as_u64().expect("a count"))
        .sum()
}

/// The entry of an item by the id of its source.
fn entry(index: &Value, id: u64) -> &Value {
    let mut entries = index["entries"].as_array().expect("entries").iter();
    entries.find(|entry| entry["source"]["id"] == id).unwrap_or_else(|| panic!("no entry of {id} in {index}"))
}

/// The files in which a text stands.
fn having(root: &Path, text: &str) -> Vec<String> {
    let has = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(text);
    files(root).into_iter().filter(|(_, bytes)| has(bytes)).map(|(path, _)| path).collect()
}
