//! Request logs beside payload files: no answer is lost, and no name in a log is opened.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{done, files, report, scratch};

const API: &str = "https://api.github.com/repos/acme/web";

fn entry(file: &str, path: &str, status: u16) -> Value {
    json!({"file": file, "url": format!("{API}{path}"), "status": status, "headers": {"x": "y"}})
}

fn write(dir: &Path, name: &str, value: &Value) {
    fs::create_dir_all(dir.join("t")).expect("a folder");
    fs::write(dir.join("t").join(name), value.to_string()).expect("a file");
}

fn comment() -> Value {
    json!([{"id": 5, "body": "b", "user": {"login": "mona", "id": 1}, "created_at": "2026-01-01T00:00:00Z"}])
}

fn observe(dir: &Path, inputs: &[&str]) -> Value {
    done(dir, &["init", "store"]);
    let at = ["--store", "store", "observe", "--observed-at", "2026-01-02T00:00:00Z"];
    done(dir, &[&at[..], inputs].concat())
}

fn left(seen: &Value) -> Vec<(&str, &str)> {
    let rows = seen["unrecognised"].as_array().expect("rows").iter();
    rows.map(|row| (row["input"].as_str().expect("a name"), row["reason"].as_str().expect("a reason"))).collect()
}

/// Every observation of a store.
fn filed(dir: &Path) -> Vec<Value> {
    let all = files(&dir.join("store")).into_iter().filter(|(name, _)| name.starts_with("observations/"));
    all.map(|(_, bytes)| serde_json::from_slice(&bytes).expect("an observation")).collect()
}

#[test]
fn an_answer_without_its_file_is_still_an_answer() {
    let dir = scratch();
    write(dir.path(), "a.json", &comment());
    fs::write(dir.path().join("secret.json"), comment().to_string()).expect("a file beside the folder");
    let mut entries = vec![
        entry("a.json", "/issues/7/comments", 200),
        entry("gone.json", "/pulls/7/files", 404),
        entry("lost.json", "/pulls/7/commits", 200),
        entry("moved.json", "/pulls/7", 301),
    ];
    let absolute = dir.path().join("secret.json").display().to_string();
    for name in ["../secret.json", &absolute, "..", "", "./a.json", "t/a.json", "a\u{0}.json"] {
        entries.push(entry(name, "/issues/7/comments", 200));
    }
    write(dir.path(), "_requests.json", &Value::Array(entries));
    let seen = observe(dir.path(), &["t"]);
    assert_eq!(seen["observed"], 2, "{seen}");
    let mut found = left(&seen);
    found.sort_unstable();
    let mut expected: Vec<_> =
        [3, 5, 6, 7, 8, 9, 10, 11].map(|line| (format!("t/_requests.json:{line}"), "body-missing")).into();
    expected.push(("t/_requests.json:4".to_owned(), "redirect"));
    expected.sort_unstable();
    assert_eq!(found, expected.iter().map(|(name, reason)| (name.as_str(), *reason)).collect::<Vec<_>>());
    let absence = filed(dir.path()).into_iter().find(|look| look["facet"] == "files").expect("an absence");
    assert_eq!(absence["unavailable"], json!({"status": 404, "url": format!("{API}/pulls/7/files")}));
}

#[test]
fn a_file_that_two_entries_name_answers_both() {
    let dir = scratch();
    write(dir.path(), "a.json", &comment());
    let entries = [
        entry("a.json", "/issues/7/comments", 200),
        entry("a.json", "/issues/8/comments", 200),
        entry("a.json", "/issues/9/comments", 404),
    ];
    write(dir.path(), "_requests.json", &json!(entries));
    // A file that is named once more is the body of the same answers.
    for inputs in [&["t"][..], &["t", "t/a.json"]] {
        let seen = observe(dir.path(), inputs);
        assert_eq!(left(&seen), []);
        let of = |n: u64| format!("github:github.com/acme/web/thread/{n}");
        let mut looks: Vec<_> = filed(dir.path()).into_iter().collect();
        looks.sort_by_key(|look| look["subject"].to_string());
        assert_eq!(looks.iter().map(|look| look["subject"].clone()).collect::<Vec<_>>(), [of(7), of(8), of(9)]);
        assert_eq!(looks[0]["inputs"][0]["url"], format!("{API}/issues/7/comments"));
        assert_eq!(looks[1]["inputs"][0]["url"], format!("{API}/issues/8/comments"));
        assert_eq!(looks[2]["unavailable"]["status"], 404);
        fs::remove_dir_all(dir.path().join("store")).expect("removed");
    }
}

#[test]
fn one_bad_entry_is_one_line() {
    let dir = scratch();
    write(dir.path(), "a.json", &comment());
    let entries = json!([
        entry("a.json", "/issues/7/comments", 200),
        {"file": "b.json", "url": format!("{API}/issues/7"), "status": "404"},
        7,
        entry("c.json", "/issues/7", 410),
    ]);
    write(dir.path(), "_requests.json", &entries);
    let seen = observe(dir.path(), &["t"]);
    assert_eq!(seen["observed"], 2, "{seen}");
    let invalid = ["t/_requests.json:2", "t/_requests.json:3"].map(|name| (name, "exchange-invalid"));
    assert_eq!(left(&seen), invalid);
    let (status, error) = report(dir.path(), &["--store", "store", "observe", "--strict", "t"]);
    assert_ne!(status, 0);
    assert_eq!(error["error"]["code"], "unrecognised", "{error}");
}

#[test]
fn a_body_that_is_not_json_costs_only_the_answers_that_need_it() {
    let dir = scratch();
    write(dir.path(), "a.json", &comment());
    fs::write(dir.path().join("t/page"), "<html>").expect("a file");
    let entries = json!([
        entry("a.json", "/issues/7/comments", 200),
        entry("page", "/pulls/7/files", 200),
        entry("page", "/pulls/7/files", 502),
    ]);
    write(dir.path(), "_requests.json", &entries);
    let seen = observe(dir.path(), &["t"]);
    assert_eq!((seen["observed"].clone(), left(&seen)), (json!(2), vec![("t/page", "not-json")]));
    let line = json!({"method": "GET", "url": format!("{API}/issues/7"), "status": 200, "headers": {}});
    fs::write(dir.path().join("r.jsonl"), line.to_string()).expect("a recording");
    let (status, error) = report(dir.path(), &["--store", "store", "observe", "r.jsonl"]);
    assert_ne!(status, 0);
    assert!(error.to_string().contains("r.jsonl:1: body-missing"), "{error}");
}
