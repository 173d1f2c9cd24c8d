//! What every verb prints with `--json`, for yes, no and trouble, is one object of its own part of the schema.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::assert_report;
use crate::support::{arg, done, report, scratch, testdata};

const ENTITY: &str = "acme/web#42";
const AT: [&str; 2] = ["--observed-at", "2026-01-02T03:04:05Z"];

fn thread() -> PathBuf {
    testdata("threads/acme-web-42")
}

/// A store with one thread, committed facts and a snapshot commit.
fn store(root: &Path) -> PathBuf {
    let store = root.join("store");
    assert_report("init", &done(root, &["init", arg(&store)]), "init");
    let filed = done(&store, &["observe", "--commit", AT[0], AT[1], arg(&thread())]);
    assert_report("observe", &filed, "observe");
    assert_report("snapshot", &done(&store, &["snapshot", "--commit"]), "snapshot");
    store
}

/// Trouble: exit 2 and the error object.
#[track_caller]
fn trouble(dir: &Path, args: &[&str], code: &str) {
    let (status, value) = report(dir, args);
    assert_eq!((status, &value["error"]["code"]), (2, &Value::from(code)), "{args:?}: {value}");
    assert_report("error", &value, &format!("{args:?}"));
}

#[test]
fn yes() {
    let scratch = scratch();
    let (store, out, ran) = (store(scratch.path()), scratch.path().join("out"), scratch.path().join("ran"));
    for (verb, args) in [
        ("init", vec!["init", "."]),
        ("observe", vec!["observe", AT[0], AT[1], arg(&thread())]),
        ("snapshot", vec!["snapshot", "--commit"]),
        ("snapshot", vec!["snapshot"]),
        ("stage", vec!["stage", ENTITY, "--out", arg(&out)]),
        ("stage", vec!["stage", ENTITY, "--out", arg(&out), "--replace", "--profile", "minimal", "--seal"]),
        ("stage", vec!["stage", ENTITY, "--out", arg(&ran), "--repo", ".", "--", "true"]),
        ("scavenge", vec!["scavenge", "--root", arg(scratch.path())]),
        ("verify", vec!["verify"]),
        ("verify", vec!["verify", arg(&out)]),
        ("verify", vec!["verify", "--at", "docket-snapshots", "--rebuild"]),
        ("diff", vec!["diff", "docket-snapshots", "docket-snapshots"]),
        ("show", vec!["show", ENTITY]),
        ("clean", vec!["clean", arg(&out)]),
        ("digestReport", vec!["digest", "docket.json", ".gitattributes"]),
        ("schemaReport", vec!["schema"]),
        ("welcome", vec![]),
    ] {
        assert_report(verb, &done(&store, &args), &format!("{args:?}"));
    }
}

#[test]
fn no() {
    let scratch = scratch();
    let (store, out) = (store(scratch.path()), scratch.path().join("out"));
    done(&store, &["stage", ENTITY, "--out", arg(&out)]);
    fs::write(out.join("body.md"), "damaged").expect("a stage can be damaged");
    let minimal = scratch.path().join("minimal");
    done(&store, &["stage", ENTITY, "--out", arg(&minimal), "--profile", "minimal"]);
    let full = scratch.path().join("full");
    done(&store, &["stage", ENTITY, "--out", arg(&full), "--profile", "full"]);
    let (partial, issue) = (scratch.path().join("partial"), scratch.path().join("issue.json"));
    fs::copy(thread().join("pull.json"), &issue).expect("the payload");
    for (verb, args) in [
        ("verify", vec!["verify", arg(&out)]),
        ("diff", vec!["diff", "--exit-code", arg(&minimal), arg(&full)]),
        ("stage", vec!["stage", "--from", arg(&issue), "--out", arg(&partial), "--require", "complete"]),
    ] {
        let (status, value) = report(&store, &args);
        assert_eq!(status, 1, "{args:?}: {value}");
        assert_report(verb, &value, &format!("{args:?}"));
    }
    assert!(partial.join("index.json").exists(), "a stage that lacks something is written all the same");
}

#[test]
fn changes_line_by_line() {
    let scratch = scratch();
    let store = store(scratch.path());
    let (minimal, full) = (scratch.path().join("minimal"), scratch.path().join("full"));
    done(&store, &["stage", ENTITY, "--out", arg(&minimal), "--profile", "minimal"]);
    done(&store, &["stage", ENTITY, "--out", arg(&full), "--profile", "full"]);
    let args = ["--ndjson", "diff", arg(&minimal), arg(&full)];
    let output = crate::support::docket(&store).args(args).output().expect("the program runs");
    let lines: Vec<_> = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert!(lines.len() > 5, "{} lines", lines.len());
    for line in lines {
        assert_report("change", &serde_json::from_slice(line).expect("a line is an object"), "diff --ndjson");
    }
}

#[test]
fn trouble_of_every_verb() {
    let scratch = scratch();
    let store = store(scratch.path());
    let (empty, page) = (scratch.path().join("empty"), scratch.path().join("page.json"));
    fs::create_dir(&empty).expect("a directory");
    fs::write(&page, "<html>").expect("a page");
    fs::write(empty.join("file"), "").expect("a file");
    let digest = format!("sha256:{}", "0".repeat(64));
    for (args, code) in [
        (vec!["init", "docket.json"], "store-invalid"),
        (vec!["observe", "none.json"], "input-unreadable"),
        (vec!["observe", arg(&page)], "json-invalid"),
        (vec!["observe", "docket.json"], "nothing-recognised"),
        (vec!["observe", "--strict", "docket.json", arg(&thread())], "unrecognised"),
        (vec!["snapshot", "--commit", "--scope", "github:github.com/acme"], "scope-needs-ref"),
        (vec!["snapshot", "--out", arg(&empty)], "target-exists"),
        (vec!["snapshot", "--out", arg(&empty), "--replace"], "target-not-a-stage"),
        (vec!["stage", "acme/web#7", "--out", "../new"], "entity-not-found"),
        (vec!["stage", "what", "--out", "../new"], "entity-invalid"),
        (vec!["stage", ENTITY], "out-missing"),
        (vec!["stage", ENTITY, "--out", "inside"], "target-inside-worktree"),
        (vec!["stage", ENTITY, "--out", "../empty"], "target-exists"),
        (vec!["stage", ENTITY, "--out", "../new", "--profile", "docket.json"], "profile-invalid"),
        (vec!["verify", arg(&empty)], "verify-nothing"),
        (vec!["verify", "--at", "nowhere"], "revision-unknown"),
        (vec!["diff", arg(&empty), arg(&empty)], "diff-nothing"),
        (vec!["diff", "nowhere", "docket-snapshots"], "revision-unknown"),
        (vec!["show", "acme/web#7"], "entity-not-found"),
        (vec!["show", "--raw", &digest], "input-unknown"),
        (vec!["show", "--element", &digest], "element-missing"),
        (vec!["show", ENTITY, "--raw", "wiki"], "usage"),
        (vec!["sums", "nowhere"], "store-missing"),
        (vec!["canon", arg(&page)], "json-invalid"),
        (vec!["digest", "nowhere"], "input-unreadable"),
        (vec!["schema", "wiki"], "schema-unknown"),
        (vec!["--store", "nowhere", "verify"], "store-missing"),
        (vec!["--ref", "nowhere", "show", ENTITY], "store-missing"),
    ] {
        trouble(&store, &args, code);
    }
    assert!(!scratch.path().join("new").exists(), "trouble leaves nothing behind");
}

#[test]
fn trouble_with_the_arguments() {
    let scratch = scratch();
    for args in [
        vec!["what"],
        vec!["help", "what"],
        vec!["stage"],
        vec!["stage", "--what"],
        vec!["stage", "a/b#1", "--facets", "wiki"],
        vec!["observe"],
        vec!["observe", "--observed-at", "yesterday", "x"],
        vec!["diff", "a"],
        vec!["verify", "--index-digest", "x"],
        vec!["--color", "pink", "verify"],
        vec!["show"],
        vec!["diff", "--ignore", "[", "a", "b"],
    ] {
        trouble(scratch.path(), &args, "usage");
        let (status, value) = report(scratch.path(), &args);
        let message = value["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(status, 2);
        assert!(!message.ends_with(':') && !message.contains('\n'), "{args:?}: {message:?} says not what is wrong");
    }
}
