//! `stage --repo`: what the forge says that a pull request changes, against a real repository.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{arg, git, report, scratch};

/// A repository with a base, a commit on it after the branch was made, and a head that changes, adds, removes and renames.
fn repository(dir: &Path) -> (String, String) {
    git(dir, &["init", "-q", "-b", "main"]);
    let write = |path: &str, text: &str| fs::write(dir.join(path), text).expect("written");
    let long: String = (0..50).map(|line| format!("line {line}\n")).collect();
    for (path, text) in
        [("kept", "kept\n"), ("edited", "old\n"), ("removed", "gone\n"), ("from", &long), ("script", "true\n")]
    {
        write(path, text);
    }
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-qm", "one"]);
    git(dir, &["checkout", "-qb", "topic"]);
    write("edited", "new\n");
    write("added", "added\n");
    git(dir, &["rm", "-q", "removed"]);
    git(dir, &["mv", "from", "to"]);
    git(dir, &["add", "-A"]);
    git(dir, &["update-index", "--chmod=+x", "script"]);
    git(dir, &["commit", "-qm", "two"]);
    git(dir, &["checkout", "-qf", "main"]);
    write("kept", "changed on the base meanwhile\n");
    git(dir, &["commit", "-qam", "three"]);
    (sha(dir, "main"), sha(dir, "topic"))
}

fn sha(dir: &Path, rev: &str) -> String {
    String::from_utf8_lossy(&git(dir, &["rev-parse", rev]).stdout).trim().to_owned()
}

fn listed(dir: &Path) -> Vec<Value> {
    let file = |path: &str, status: &str, rev: &str| json!({"filename": path, "status": status, "sha": sha(dir, &format!("{rev}:{path}")), "additions": 1, "deletions": 1, "changes": 2});
    let mut renamed = file("to", "renamed", "topic");
    renamed["previous_filename"] = "from".into();
    vec![
        file("added", "added", "topic"),
        file("edited", "modified", "topic"),
        file("removed", "removed", "topic~1"),
        renamed,
        file("script", "modified", "topic"),
    ]
}

fn header(base: &str, head: &str) -> Value {
    let side = |branch: &str, sha: &str| json!({"ref": branch, "sha": sha, "repo": null, "user": null});
    json!({
        "url": "https://api.github.com/repos/acme/web/pulls/7", "id": 7, "number": 7, "title": "t", "state": "open", "body": null,
        "user": null, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        "base": side("main", base), "head": side("topic", head),
    })
}

/// What `stage --repo` reports for a list of files.
fn crossed(dir: &Path, header: &Value, files: &[Value], repo: &Path) -> Value {
    crossed_as("--complete", dir, header, files, repo)
}

fn crossed_as(how: &str, dir: &Path, header: &Value, files: &[Value], repo: &Path) -> Value {
    let at = |name: &str| dir.join(name);
    fs::write(at("header.json"), header.to_string()).expect("written");
    fs::write(at("files.json"), Value::from(files.to_vec()).to_string()).expect("written");
    let (header, files) = (format!("header={}", arg(&at("header.json"))), format!("files={}", arg(&at("files.json"))));
    let args = ["stage", "--from", &header, &files, how, "--out", "out", "--replace", "--repo", arg(repo)];
    let (status, value) = report(dir, &args);
    assert_eq!(status, 0, "{value}");
    value["repository"][0].clone()
}

#[test]
fn files_are_checked_against_what_the_commits_change() {
    let dir = scratch();
    let repo = dir.path().join("repo");
    fs::create_dir(&repo).expect("made");
    let (base, head) = repository(&repo);
    let (header, files) = (header(&base, &head), listed(&repo));
    let same = crossed(dir.path(), &header, &files, &repo);
    assert_eq!((&same["state"], &same["differences"]), (&"same".into(), &json!([])), "{same}");
    let bare = dir.path().join("bare");
    git(dir.path(), &["clone", "-q", "--bare", arg(&repo), arg(&bare)]);
    assert_eq!(crossed(dir.path(), &header, &files, &bare)["state"], "same");

    let told = |files: &[Value]| {
        let told = crossed(dir.path(), &header, files, &repo);
        let rows = told["differences"].as_array().expect("a list").clone();
        rows.iter()
            .map(|row| format!("{} {}", row["code"].as_str().expect("a code"), row["path"].as_str().expect("a path")))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&files[1..]), ["file-extra added"]);
    let mut other = files.clone();
    other[1]["sha"] = sha(&repo, "main:kept").into();
    other[2]["status"] = "modified".into();
    other.push(json!({"filename": "kept", "status": "modified", "sha": sha(&repo, "main:kept")}));
    assert_eq!(told(&other), ["blob-differs edited", "file-missing kept", "status-differs removed"]);
}

#[test]
fn what_the_repository_cannot_tell_is_unknown() {
    let dir = scratch();
    let repo = dir.path().join("repo");
    fs::create_dir(&repo).expect("made");
    let (base, head) = repository(&repo);
    let files = listed(&repo);
    let unknown = |header: &Value, repo: &Path| {
        let told = crossed(dir.path(), header, &files, repo);
        assert_eq!(told["state"], "unknown", "{told}");
        told["reason"].as_str().expect("a reason").to_owned()
    };
    let some = crossed_as("--partial", dir.path(), &header(&base, &head), &files[1..], &repo);
    assert_eq!((&some["state"], &some["reason"]), (&"unknown".into(), &"files-incomplete".into()), "{some}");
    let mut other = files[1..].to_vec();
    other[0]["sha"] = sha(&repo, "main:kept").into();
    let some = crossed_as("--partial", dir.path(), &header(&base, &head), &other, &repo);
    assert_eq!(some["differences"], json!([{"path": "edited", "code": "blob-differs"}]), "{some}");
    assert_eq!(unknown(&header(&base, &"1".repeat(40)), &repo), "commit-missing");
    let shallow = dir.path().join("shallow");
    let from = format!("file://{}", arg(&repo));
    git(dir.path(), &["clone", "-q", "--depth", "1", "--no-single-branch", &from, arg(&shallow)]);
    assert_eq!(unknown(&header(&base, &head), &shallow), "commit-missing");
    let (status, value) = report(dir.path(), &["stage", "--from", "header.json", "--out", "none", "--repo", "/"]);
    assert_eq!((status, &value["error"]["code"]), (2, &"repo-not-found".into()), "{value}");
    assert!(!dir.path().join("none").exists());
}

#[test]
fn the_stage_is_the_same_with_and_without() {
    let dir = scratch();
    let repo = dir.path().join("repo");
    fs::create_dir(&repo).expect("made");
    let (base, head) = repository(&repo);
    crossed(dir.path(), &header(&base, &head), &listed(&repo), &repo);
    let digest = |more: &[&str]| {
        let args =
            ["stage", "--from", "header=header.json", "files=files.json", "--complete", "--out", "out", "--replace"];
        report(dir.path(), &[&args[..], more].concat()).1["indexDigest"].clone()
    };
    assert_eq!(digest(&[]), digest(&["--repo", arg(&repo)]));
}

/// A text of what forges call a diff, and the same in a list of files.
fn diff(dir: &Path, more: &[&str]) -> String {
    let args = [&["diff", "--no-ext-diff"][..], more, &["main...topic"]].concat();
    String::from_utf8(git(dir, &args).stdout).expect("text")
}

#[test]
fn what_was_altered_in_a_diff_is_told() {
    let dir = scratch();
    let repo = dir.path().join("repo");
    fs::create_dir(&repo).expect("made");
    let (base, head) = repository(&repo);
    fs::write(dir.path().join("header.json"), header(&base, &head).to_string()).expect("written");
    let told = |text: &str| {
        fs::write(dir.path().join("diff"), text).expect("written");
        let args =
            ["stage", "--from", "header=header.json", "diff=diff", "--out", "out", "--replace", "--repo", "repo"];
        let (status, value) = report(dir.path(), &args);
        assert_eq!(status, 0, "{value}");
        let told = &value["repository"][0];
        let rows = told["differences"].as_array().expect("a list").iter();
        let rows = rows.map(|row| format!(" {} {}", row["code"], row["path"]).replace('"', ""));
        format!("{}{}", told["state"].as_str().expect("a state"), rows.collect::<String>())
    };
    for whole in
        [diff(&repo, &[]), diff(&repo, &["--full-index"]), diff(&repo, &["--no-renames"]), diff(&repo, &["-U0"])]
    {
        assert_eq!(told(&whole), "same", "{whole}");
    }
    let whole = diff(&repo, &[]);
    for (from, to, expected) in [
        ("+new\n", "+evil\n", "differs patch-differs edited"),
        ("-old\n", "-ancient\n", "differs patch-differs edited"),
        ("@@ -1 +1 @@", "@@ -1 +7 @@", "differs patch-differs edited"),
        ("new mode 100755", "new mode 100644", "differs mode-differs script"),
        ("+added\n", "+other\n", "differs patch-differs added"),
    ] {
        assert!(whole.contains(from), "{from}: {whole}");
        assert_eq!(told(&whole.replace(from, to)), expected, "{from}");
    }
    let index = whole.lines().find(|line| line.starts_with("index ") && line.ends_with(" 100644")).expect("blobs");
    let other = index.replace("..", "..0123456");
    assert_eq!(told(&whole.replace(index, &other)), "differs blob-differs edited");
    // One commit after the other cannot be compared as one change where they touch a file twice.
    git(&repo, &["checkout", "-qf", "topic"]);
    fs::write(repo.join("edited"), "newer\n").expect("written");
    git(&repo, &["commit", "-qam", "four"]);
    let head = sha(&repo, "topic");
    fs::write(dir.path().join("header.json"), header(&base, &head).to_string()).expect("written");
    let series = git(&repo, &["format-patch", "--stdout", "main..topic"]).stdout;
    assert_eq!(told(&String::from_utf8(series).expect("text")), "unknown");
    assert_eq!(told(&diff(&repo, &[])), "same");
}

#[test]
fn patches_of_a_list_are_compared_and_what_is_not_told_is_unknown() {
    let dir = scratch();
    let repo = dir.path().join("repo");
    fs::create_dir(&repo).expect("made");
    let (base, head) = repository(&repo);
    let (header, mut files) = (header(&base, &head), listed(&repo));
    files[1]["patch"] = "@@ -1 +1 @@\n-old\n+new".into();
    files[2]["patch"] = "@@ -1 +0,0 @@\n-gone".into();
    files[2]["additions"] = 0.into();
    let told = |files: &[Value]| crossed(dir.path(), &header, files, &repo);
    assert_eq!(told(&files)["state"], "same");
    let mut altered = files.clone();
    altered[1]["patch"] = "@@ -1 +1 @@\n-old\n+evil".into();
    let expected = json!([{"path": "edited", "code": "patch-differs"}]);
    assert_eq!(told(&altered)["differences"], expected);
    // Without the blob the patch alone tells, and without both nothing does.
    altered[1]["sha"] = Value::Null;
    assert_eq!(told(&altered)["differences"], expected);
    altered[1].as_object_mut().expect("a row").remove("patch");
    let unknown = told(&altered);
    assert_eq!((&unknown["state"], &unknown["reason"]), (&"unknown".into(), &"content-unknown".into()), "{unknown}");
    // A patch that the forge cut is not compared.
    let mut cut = files.clone();
    cut[1]["additions"] = 2.into();
    assert_eq!(told(&cut)["reason"], "content-unknown");
}
