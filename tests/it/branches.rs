//! Branches and indexes of others: what is not ours is refused, and no fact is ever staged for deletion.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::support::{arg, docket, done, git, report, scratch, testdata};

const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];

fn thread() -> String {
    arg(&testdata("threads/acme-web-42")).to_owned()
}

fn said(dir: &Path, args: &[&str]) -> String {
    String::from_utf8(git(dir, args).stdout).expect("UTF-8").trim().to_owned()
}

fn refused(dir: &Path, args: &[&str], code: &str) {
    let (status, answer) = report(dir, args);
    assert_eq!((status, answer["error"]["code"].as_str()), (2, Some(code)), "{args:?}: {answer}");
}

/// A store in a work tree with facts that are committed.
fn store(dir: &Path) {
    done(dir, &["init", "store"]);
    done(dir, &["--store", "store", "observe", "--commit", AT[0], AT[1], &thread()]);
}

fn snapshot<'a>(store: &'a str, branch: &'a str) -> [&'a str; 6] {
    ["--store", store, "--snapshot-ref", branch, "snapshot", "--commit"]
}

#[test]
fn only_a_branch_of_snapshots_is_replaced_by_a_snapshot() {
    let dir = scratch();
    store(dir.path());
    let work = dir.path().join("store");
    let facts = said(&work, &["rev-parse", "HEAD"]);
    git(&work, &["branch", "work"]);
    let empty = said(&work, &["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let commit = said(&work, &["commit-tree", "-m", "empty", &empty]);
    git(&work, &["branch", "empty", &commit]);
    for branch in ["docket-facts", "refs/heads/docket-facts", "work", "empty"] {
        refused(dir.path(), &snapshot("store", branch), "not-a-snapshot-branch");
    }
    assert_eq!(said(&work, &["rev-parse", "work"]), facts);
    assert_eq!(said(&work, &["rev-parse", "empty"]), commit);
    for name in ["HEAD", "@", "refs/tags/x", "refs/remotes/origin/x", "refs/heads/HEAD", "a..b", "refs/heads/"] {
        refused(dir.path(), &snapshot("store", name), "ref-invalid");
        refused(dir.path(), &["--store", "store", "--ref", name, "observe", &thread()], "ref-invalid");
        refused(dir.path(), &["--ref", name, "init", "other.git"], "ref-invalid");
    }
    assert!(!dir.path().join("other.git").exists());
    assert!(done(dir.path(), &snapshot("store", "refs/heads/mine"))["commit"].is_string());
    assert_eq!(said(&work, &["rev-parse", "--verify", "-q", "docket-facts"]), facts);
    git(&work, &["worktree", "add", "-q", "../linked", "mine"]);
    refused(dir.path(), &snapshot("store", "mine"), "branch-checked-out");
    // A snapshot of a part is one too, also when its branch is spelt in full.
    let whole = ["--store", "store", "--snapshot-ref", "refs/heads/docket-snapshots", "snapshot", "--commit"];
    refused(dir.path(), &[&whole[..], &["--scope", "github:github.com/acme"]].concat(), "scope-needs-ref");
}

#[test]
fn facts_do_not_go_behind_the_back_of_a_work_tree() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let before = said(&dir.path().join("store"), &["rev-parse", "HEAD"]);
    refused(dir.path(), &["--store", "store", "--ref", "docket-facts", "observe", &thread()], "branch-checked-out");
    git(&dir.path().join("store"), &["switch", "-q", "-c", "other"]);
    git(&dir.path().join("store"), &["worktree", "add", "-q", "../linked", "docket-facts"]);
    for place in ["store", "linked"] {
        refused(dir.path(), &["--store", place, "--ref", "docket-facts", "observe", &thread()], "branch-checked-out");
    }
    assert_eq!(said(&dir.path().join("store"), &["rev-parse", "docket-facts"]), before);
    // The branch that a new repository is on is checked out before it exists.
    git(dir.path(), &["init", "-q", "-b", "main", "new"]);
    refused(dir.path(), &["--ref", "main", "init", "new"], "branch-checked-out");
    // What a bare repository has as HEAD is no matter.
    done(dir.path(), &["--ref", "main", "init", "bare.git"]);
    assert!(done(dir.path(), &["--store", "bare.git", "--ref", "main", "observe", &thread()])["commit"].is_string());
    git(&dir.path().join("bare.git"), &["worktree", "add", "-q", "../tree", "main"]);
    refused(dir.path(), &["--store", "bare.git", "--ref", "main", "observe", &thread()], "branch-checked-out");
}

#[test]
fn nothing_is_committed_while_somebody_holds_the_index() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let work = dir.path().join("store");
    let before = said(&work, &["rev-parse", "HEAD"]);
    fs::write(work.join(".git/index.lock"), "").expect("a lock");
    let args = ["--store", "store", "observe", "--commit", AT[0], AT[1], &thread()];
    let (status, answer) = report(dir.path(), &args);
    assert_eq!((status, answer["error"]["code"].as_str()), (2, Some("repo-locked")), "{answer}");
    assert!(!answer["error"]["hint"].as_str().expect("a hint").contains("remove"), "{answer}");
    assert_eq!(said(&work, &["rev-parse", "HEAD"]), before);
    assert_eq!(said(&work, &["diff", "--cached", "--name-only"]), "");
    fs::remove_file(work.join(".git/index.lock")).expect("the lock was left alone");
    assert!(done(dir.path(), &args)["commit"].is_string());
    assert_eq!(said(&work, &["status", "--porcelain"]), "");
}

#[test]
fn an_index_that_lacks_committed_facts_gets_them_back() {
    let dir = scratch();
    store(dir.path());
    let work = dir.path().join("store");
    fs::write(work.join("mine.txt"), "mine").expect("a file of the user");
    git(&work, &["add", "mine.txt"]);
    git(&work, &["rm", "-q", "-r", "--cached", "objects", "observations", "docket.json"]);
    let again = done(dir.path(), &["--store", "store", "observe", "--commit", AT[0], AT[1], &thread()]);
    assert!(again["commit"].is_null(), "{again}");
    assert_eq!(said(&work, &["status", "--porcelain"]), "A  mine.txt");
}

#[test]
fn of_parallel_first_snapshots_all_succeed() {
    let dir = scratch();
    store(dir.path());
    let start = || {
        let mut command = docket(dir.path());
        command.args(["--quiet", "--store", "store", "snapshot", "--commit"]);
        command.stdout(Stdio::null()).spawn().expect("started")
    };
    let running: Vec<_> = (0..6).map(|_| start()).collect();
    for mut one in running {
        assert!(one.wait().expect("ended").success());
    }
    assert_eq!(said(&dir.path().join("store"), &["rev-list", "--count", "docket-snapshots"]), "1");
}

#[test]
fn a_scope_is_the_beginning_of_an_id_and_what_lies_outside_is_not_removed() {
    let dir = scratch();
    store(dir.path());
    done(dir.path(), &["--store", "store", "snapshot", "--commit"]);
    for (scope, entities) in [
        ("github:github.com", 1),
        ("github:github.com/acme/", 1),
        ("GitHub:github.com/Acme/web/pull", 1),
        ("github:github.com/acme/web/pull/42", 1),
        ("github:github.com/acm", 0),
        ("github:github.com/acme/web/issue/42", 0),
        ("gitlab:gitlab.com/acme/web/-/issues", 0),
        ("gitea:localhost:3000/acme", 0),
    ] {
        let said = done(dir.path(), &["--store", "store", "snapshot", "--scope", scope]);
        let counts = (&said["entities"], &said["changed"], &said["removed"]);
        assert_eq!(counts, (&entities.into(), &0.into(), &0.into()), "{scope}: {said}");
    }
    for scope in [
        "nonsense",
        "",
        "github",
        "github:",
        "acme/web",
        "github:github.com/acme/web/label/1",
        "github:github.com//web",
    ] {
        refused(dir.path(), &["--store", "store", "snapshot", "--scope", scope], "scope-invalid");
    }
    let own = ["--store", "store", "--snapshot-ref", "part", "snapshot", "--scope", "github:github.com/acme"];
    done(dir.path(), &[&own[..], &["--commit"]].concat());
    assert_eq!(done(dir.path(), &own)["removed"], 0);
}
