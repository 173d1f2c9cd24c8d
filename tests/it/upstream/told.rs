//! What the gaps count, and what they do not: an item once, and nothing where nothing is missing.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{LAYOUT, Tree};
use crate::support::{done, files, report, scratch, testdata};

/// A thread of the project in a directory of its own, with one document changed.
fn thread(dir: &Path, file: &str, change: impl FnOnce(&mut Value)) {
    let from = testdata("threads/acme-web-42");
    for (name, bytes) in files(&from) {
        fs::write(dir.join(name), bytes).expect("written");
    }
    let path = dir.join(file);
    let mut value: Value = serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
    change(&mut value);
    fs::write(path, value.to_string()).expect("written");
}

fn staged(dir: &Path, out: &Path, more: &[&str]) -> Value {
    let out = out.to_str().expect("UTF-8");
    let mut args = vec!["stage", "--layout", LAYOUT, "--out", out, "--from", "."];
    args.extend(more);
    done(dir, &args)
}

fn count(report: &Value, scope: &str, code: &str) -> u64 {
    let rows = report["gaps"].as_array().expect("gaps");
    rows.iter()
        .filter(|row| row["scope"] == scope && row["code"] == code)
        .map(|row| row["count"].as_u64().expect("a count"))
        .sum()
}

#[test]
fn one_item_is_counted_once() {
    type Change = fn(&mut Value);
    let cases: [(&str, &str, Change); 4] = [
        ("comments.json", "comments", |all| all[0]["created_at"] = json!("2026-13-01T00:00:00Z")),
        ("reviews.json", "reviews", |all| all[0]["state"] = json!("FOO")),
        ("check-runs.json", "checks", |all| all["check_runs"][0]["conclusion"] = json!("weird")),
        ("check-runs.json", "checks", |all| all["check_runs"][0]["head_sha"] = Value::Null),
    ];
    let (plain, out) = (scratch(), scratch());
    thread(plain.path(), "comments.json", |_| ());
    let before = staged(plain.path(), &out.path().join("plain"), &[]);
    for (at, (file, scope, change)) in cases.into_iter().enumerate() {
        let dir = scratch();
        thread(dir.path(), file, change);
        let after = staged(dir.path(), &out.path().join(at.to_string()), &[]);
        let more = count(&after, scope, "invalid_metadata") - count(&before, scope, "invalid_metadata");
        assert_eq!(more, 1, "{file} {at}: {} {}", before["gaps"], after["gaps"]);
    }
}

#[test]
fn the_entity_is_there_whoever_wrote_it() {
    let all = Tree::staged(&["threads/acme-web-42"], &[]);
    for more in [["--admit", "members"], ["--deny-author", "mira"]] {
        let some = Tree::staged(&["threads/acme-web-42"], &more);
        let body = some.path("records/00000000T", ".md");
        assert_eq!(some.0[&body], all.0[&body], "{more:?}");
        assert_eq!(some.json("entity/metadata.json")["title"], all.json("entity/metadata.json")["title"]);
        assert_eq!(some.found().0, Vec::<&str>::new(), "{}", some.found().1);
    }
}

#[test]
fn there_is_no_gap_where_nothing_is_missing() {
    let (dir, out) = (scratch(), scratch());
    thread(dir.path(), "comments.json", |_| ());
    let denied = staged(dir.path(), &out.path().join("denied"), &["--deny-author", "acme-ci[bot]"]);
    assert_eq!(count(&denied, "checks", "authorization_failed"), 0, "{}", denied["gaps"]);
    let old = "0123456789abcdef0123456789abcdef01234567";
    let moved = staged(dir.path(), &out.path().join("moved"), &["--head", old]);
    assert_eq!(count(&moved, "entity", "invalid_metadata"), 0, "{}", moved["gaps"]);
}

#[test]
fn a_check_without_its_commit_is_recognised() {
    let dir = scratch();
    thread(dir.path(), "check-runs.json", |all| all["check_runs"][0]["head_sha"] = Value::Null);
    let out = scratch();
    let out = out.path().join("plain");
    let told = done(dir.path(), &["stage", "--from", ".", "--out", out.to_str().expect("UTF-8")]);
    assert_eq!(told["unrecognised"], json!([]), "{told}");
    assert_eq!(count(&told, "checks", "invalid-metadata"), 1, "{}", told["gaps"]);
}

#[test]
fn the_id_of_the_repository_is_known_as_of_a_time_too() {
    let (dir, out) = (scratch(), scratch());
    thread(dir.path(), "comments.json", |_| ());
    let out = out.path().join("then");
    let args = ["stage", "--layout", LAYOUT, "--as-of", "2026-03-04T15:00:00Z", "--from", ".", "--out"];
    let mut args = args.to_vec();
    args.push(out.to_str().expect("UTF-8"));
    let (_, value) = report(dir.path(), &args);
    let message = value["error"]["message"].as_str().unwrap_or_default();
    assert!(!message.contains("repository_id"), "{value}");
}

#[test]
fn what_was_found_was_not_left_unchanged() {
    let mut tree = Tree::staged(&["threads/acme-web-42"], &[]);
    tree.edit("index.json", |index| index["filter"]["findings"] = json!([{"code": "invisible", "count": 1}]));
    assert_eq!(tree.found().0, ["layout-relation"], "{}", tree.found().1);
}
