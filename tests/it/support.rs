//! What every test needs: the built program, a real git, the recorded data, and a reason when that is not there.

#![allow(dead_code, clippy::print_stderr, reason = "each test module uses its own part; a skipped test says why")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use git_docket::format::steps::Steps;
use git_docket::ops::snapshot;
use serde_json::Value;

/// The folder of recorded data beside the checkout, or `None` with a printed reason.
pub fn shared(below: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared").join(below);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not there", path.display());
    None
}

/// A path below the project.
pub fn project(below: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(below)
}

/// A path below the project's own test data.
pub fn testdata(below: &str) -> PathBuf {
    project("testdata").join(below)
}

/// A fresh directory, removed when dropped.
pub fn scratch() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("docket-test-").tempdir().expect("a temporary directory")
}

/// The built program, in a directory, without anything from the caller's environment that could matter.
pub fn docket(dir: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("git-docket"));
    command.current_dir(dir);
    hermetic(&mut command);
    command
}

/// A real git with an identity and without the caller's configuration.
pub fn git(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.current_dir(dir).args(args);
    hermetic(&mut command);
    command.env("GIT_AUTHOR_NAME", "Test").env("GIT_AUTHOR_EMAIL", "test@example.org");
    command.env("GIT_COMMITTER_NAME", "Test").env("GIT_COMMITTER_EMAIL", "test@example.org");
    checked(command.output().expect("git can be started"), &format!("git {}", args.join(" ")))
}

fn hermetic(command: &mut Command) {
    for name in ["GIT_DOCKET_STORE", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "NO_COLOR"] {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
}

/// The output of a command that must have succeeded; says everything when it did not.
pub fn checked(output: Output, what: &str) -> Output {
    assert!(
        output.status.success(),
        "{what}: {}\nstdout: {}\nstderr: {}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Runs the program with `--json`: its exit status and the one object on stdout.
pub fn report(dir: &Path, args: &[&str]) -> (i32, Value) {
    let output = docket(dir).arg("--json").args(args).output().expect("the program can be started");
    let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{args:?}: not one JSON object: {error}\nstdout: {}\nstderr: {}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    });
    (output.status.code().expect("not killed"), value)
}

/// The same for a run that must exit 0.
pub fn done(dir: &Path, args: &[&str]) -> Value {
    let (status, value) = report(dir, args);
    assert_eq!(status, 0, "{args:?}: {value}");
    value
}

/// Every file below a directory with its bytes, by path; `.git` is left out.
pub fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(root).into_iter().filter_entry(|e| e.file_name() != ".git") {
        let entry = entry.expect("the tree can be walked");
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
            found.insert(path, fs::read(entry.path()).expect("the file can be read"));
        }
    }
    found
}

/// The eleven recorded GitHub threads, sorted by name.
pub fn github_threads() -> Vec<PathBuf> {
    let Some(root) = shared("data/threads/github") else { return Vec::new() };
    let mut found: Vec<_> = fs::read_dir(root).expect("the threads").map(|e| e.expect("an entry").path()).collect();
    found.sort();
    assert_eq!(found.len(), 11, "the recorded threads are not the ones that the tests know");
    found
}

/// A path as an argument.
pub fn arg(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

/// A snapshot of everything to its branch.
pub fn onto_branch<'o>(to: snapshot::To<'o>, steps: &'o dyn Steps) -> snapshot::Options<'o> {
    snapshot::Options {
        scopes: &[],
        branch: "docket-snapshots",
        commit: Some(to),
        out: None,
        replace: false,
        allow_inside_worktree: false,
        steps,
    }
}
