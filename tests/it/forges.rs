//! The recorded and the invented threads of GitLab, Gitea and Forgejo, from `observe` to `diff`.

mod gitea;
mod gitlab;
mod gitlab_past;
mod hooks;
mod names;
mod notes;
mod recorded;
mod versions;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{arg, done, scratch};

/// One line of a recording.
fn exchange(url: &str, headers: &Value, body: &Value) -> String {
    json!({"method": "GET", "url": url, "status": 200, "headers": headers, "body": body}).to_string()
}

/// What a stage of recorded answers says of itself: the report, and a reader of its JSON files.
fn staged(lines: &[String]) -> (Value, impl Fn(&str) -> Value + use<>) {
    let dir = scratch();
    let input = dir.path().join("recording.jsonl");
    fs::write(&input, lines.join("\n")).expect("the recording");
    staged_from(dir, &input)
}

fn staged_from(dir: tempfile::TempDir, input: &Path) -> (Value, impl Fn(&str) -> Value + use<>) {
    let args =
        ["stage", "--from", arg(input), "--observed-at", "2026-02-01T00:00:00Z", "--profile", "full", "--out", "out"];
    let report = done(dir.path(), &args);
    let digest = report["indexDigest"].as_str().expect("a digest");
    let verified = done(dir.path(), &["verify", "out", "--index-digest", digest]);
    assert_eq!(verified["verified"], true, "{verified}");
    let read = move |name: &str| {
        let bytes = fs::read(dir.path().join("out").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        serde_json::from_slice(&bytes).expect("JSON")
    };
    (report, read)
}

/// How completely a facet is known.
fn coverage(lines: &[String], facet: &str) -> String {
    let (_, read) = staged(lines);
    let index = read("index.json");
    index["coverage"][facet]["state"].as_str().unwrap_or("none").to_owned()
}

/// The gaps of a report, `scope/code=count`.
fn gaps(report: &Value) -> Vec<String> {
    let rows = report["gaps"].as_array().expect("gaps").iter();
    let text = |row: &Value, name: &str| row[name].as_str().expect("text").to_owned();
    rows.map(|row| format!("{}/{}={}", text(row, "scope"), text(row, "code"), row["count"])).collect()
}
