//! Logs and diffs, from `observe` to the tree: bytes kept as they are, shown safely, hostile archives refused whole.

mod archives;
mod diffs;
mod logs;
mod patch;
mod recorded;
#[cfg(target_os = "linux")]
mod shapes;
mod zip;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{arg, done, report, scratch};

const PULL: &str = "github:github.com/acme/web/pull/42";

/// A scratch directory with a store in it.
struct Bench {
    dir: TempDir,
}

impl Bench {
    fn new() -> Self {
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        Self { dir }
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file and gives its path.
    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("below the scratch directory")).expect("a folder");
        fs::write(&path, bytes).expect("an input can be written");
        path
    }

    fn observe(&self, inputs: &[&str]) -> Value {
        done(self.root(), &[&["--store", "store", "observe", "--entity", PULL], inputs].concat())
    }

    /// The code of a run that is refused; the store is as it was.
    fn refused(&self, inputs: &[&str]) -> String {
        let before = crate::support::files(&self.root().join("store"));
        let (status, value) =
            report(self.root(), &[&["--store", "store", "observe", "--entity", PULL], inputs].concat());
        assert_eq!(status, 2, "{inputs:?}: {value}");
        assert_eq!(crate::support::files(&self.root().join("store")), before, "something was written");
        value["error"]["code"].as_str().expect("a code").to_owned()
    }

    /// Stages the pull request and checks the stage; its index.
    fn stage(&self, more: &[&str]) -> (PathBuf, Value) {
        let out = self.root().join("out");
        let at = ["--store", "store", "stage", PULL, "--replace", "--out", arg(&out)];
        let staged = done(self.root(), &[&at, more].concat());
        done(self.root(), &["verify", arg(&out), "--index-digest", staged["indexDigest"].as_str().expect("a digest")]);
        let index = fs::read(out.join("index.json")).expect("the index");
        (out, serde_json::from_slice(&index).expect("JSON"))
    }

    /// Derives a snapshot to a directory and gives that of the pull request.
    fn snapshot(&self) -> PathBuf {
        let out = self.root().join("snapshot");
        let _ = fs::remove_dir_all(&out);
        done(self.root(), &["--store", "store", "snapshot", "--out", arg(&out)]);
        done(self.root(), &["verify", arg(&out)]);
        done(self.root(), &["verify", "store", "--rebuild"]);
        out.join("github/github.com/acme/web/pull/0000/42")
    }

    fn raw(&self, digest: &str) -> Vec<u8> {
        let output = crate::support::docket(self.root()).args(["--store", "store", "show", "--raw", digest]).output();
        crate::support::checked(output.expect("the program runs"), "show --raw").stdout
    }
}

/// The gaps of a scope in an index, with their counts.
fn gaps(index: &Value, scope: &str) -> Vec<(String, u64)> {
    let rows = index["gaps"].as_array().expect("gaps").iter().filter(|gap| gap["scope"] == scope);
    rows.map(|gap| (gap["code"].as_str().expect("a code").to_owned(), gap["count"].as_u64().expect("a count")))
        .collect()
}

/// The row of a file in an index.
fn entry(index: &Value, path: &str) -> Value {
    let rows = index["entries"].as_array().expect("entries");
    rows.iter().find(|entry| entry["path"] == path).unwrap_or_else(|| panic!("{path} is not in {rows:#?}")).clone()
}

fn header(files: u64, additions: u64, deletions: u64) -> Value {
    json!({
        "url": "https://api.github.com/repos/acme/web/pulls/42", "number": 42, "id": 1, "state": "open", "title": "t",
        "body": null, "user": {"login": "ada", "id": 7}, "created_at": "2026-01-02T03:04:05Z",
        "updated_at": "2026-01-02T03:04:05Z", "head": {"ref": "topic", "sha": HEAD, "repo": null},
        "base": {"ref": "main", "sha": BASE, "repo": null},
        "changed_files": files, "additions": additions, "deletions": deletions,
    })
}

const HEAD: &str = "1111111111111111111111111111111111111111";
const BASE: &str = "2222222222222222222222222222222222222222";

/// The check runs of the head: id, name, start and end.
fn checks(rows: &[(u64, &str, &str, &str)]) -> Value {
    let runs: Vec<_> = rows
        .iter()
        .map(|(id, name, started, completed)| {
            json!({
                "id": id, "name": name, "head_sha": HEAD, "status": "completed", "conclusion": "failure",
                "started_at": started, "completed_at": completed, "output": {"title": null, "summary": null},
                "app": {"slug": "github-actions"}, "pull_requests": [],
                "html_url": format!("https://github.com/acme/web/runs/{id}"),
            })
        })
        .collect();
    Value::Array(runs)
}
