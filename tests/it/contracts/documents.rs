//! Every JSON file that is written from real threads validates against its schema.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::assert_valid;
use crate::support::{arg, done, files, github_threads, scratch, testdata};

/// The schema of a file in a stage, a snapshot or a store; `None` for one that is no JSON of ours.
fn schema_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "docket.json" => "store",
        "index.json" => "index",
        "entity.json" => "entity",
        "threads.json" => "threads",
        "timeline.json" => "timeline",
        "actors.json" => "actors",
        "reactions.json" => "reactions",
        "check.json" => "check",
        "files.json" => "files",
        "commits.json" => "commits",
        "references.json" => "references",
        "context.json" => "openagents.repository-context.v1",
        _ if path.starts_with("observations/") => "observation",
        _ if path.starts_with("stages/") => {
            if path.matches('/').count() == 1 {
                "stage-record"
            } else {
                "stage-facts"
            }
        }
        _ => return None,
    })
}

/// The recorded threads, and the one of our own.
fn threads() -> Vec<PathBuf> {
    let mut threads = github_threads();
    threads.push(testdata("threads/acme-web-42"));
    threads
}

/// Validates every JSON file of a tree and counts them by schema.
fn validate(root: &Path, seen: &mut BTreeMap<&'static str, usize>) {
    for (path, bytes) in files(root) {
        let what = format!("{}/{path}", root.display());
        match schema_of(&path) {
            Some(schema) => {
                let value: Value =
                    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{what} is not JSON: {error}"));
                assert_valid(schema, &value, &what);
                *seen.entry(schema).or_default() += 1;
            }
            None => {
                let known = !path.ends_with(".json") || path.starts_with("objects/");
                assert!(known, "{what} has no schema");
            }
        }
    }
}

#[test]
fn stages_of_every_profile() {
    let scratch = scratch();
    let mut seen = BTreeMap::new();
    for (at, thread) in threads().iter().enumerate() {
        for profile in ["minimal", "default", "full"] {
            let out = scratch.path().join(format!("{at}-{profile}"));
            done(scratch.path(), &["stage", "--from", arg(thread), "--out", arg(&out), "--profile", profile]);
            validate(&out, &mut seen);
        }
    }
    for schema in ["index", "entity", "threads", "timeline", "actors", "reactions", "check", "files", "commits"] {
        assert!(seen.contains_key(schema), "no stage shows {schema}");
    }
}

#[test]
fn a_stage_with_sources() {
    let (scratch, repo) = (scratch(), crate::sources_support::Repo::new());
    repo.write("src/money/round.ts", "needle\n").commit();
    let (out, root) = (scratch.path().join("out"), repo.path());
    let thread = testdata("threads/acme-web-42");
    let staged = done(scratch.path(), &["stage", "--from", arg(&thread), "--out", arg(&out), "--sources", arg(&root)]);
    super::assert_report("stage", &staged, "stage --sources");
    let mut seen = BTreeMap::new();
    validate(&out, &mut seen);
    assert_eq!((seen["references"], seen["openagents.repository-context.v1"]), (1, 1));
}

#[test]
fn a_store_and_its_snapshot() {
    let scratch = scratch();
    let (store, out) = (scratch.path().join("store"), scratch.path().join("snapshot"));
    done(scratch.path(), &["init", arg(&store)]);
    for thread in threads() {
        done(&store, &["observe", "--observed-at", "2026-01-02T03:04:05Z", arg(&thread)]);
    }
    done(&store, &["snapshot", "--out", arg(&out)]);
    let mut seen = BTreeMap::new();
    validate(&store, &mut seen);
    assert!(seen["observation"] >= 10 && seen["store"] == 1, "{seen:?}");
    validate(&out, &mut seen);
    assert!(seen["index"] >= 6 && seen["entity"] >= 1, "{seen:?}");
}
