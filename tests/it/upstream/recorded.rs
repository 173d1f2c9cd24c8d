//! Every recorded thread of every forge: the same bytes twice, verified, and each document as its schema says.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::LAYOUT;
use crate::contracts::assert_valid;
use crate::support::{arg, done, files, report, scratch, shared};

/// The schema of a file of such a tree.
pub fn schema_of(path: &str) -> Option<String> {
    let name = match path {
        "index.json" => "index",
        "collection.json" => "collection",
        "entity/metadata.json" => "entity",
        "relations/reviews.json" => "reviews",
        "history/agent-runs.json" => "agent-runs",
        "state/actors.json" => "actor-state",
        "state/threads.json" => "thread-state",
        path if path.ends_with("/metadata.json") => "check",
        _ => return None,
    };
    Some(format!("entity-context-snapshot.v1.{name}"))
}

fn threads() -> Vec<PathBuf> {
    let Some(root) = shared("data/threads") else { return Vec::new() };
    let below = |dir: PathBuf| fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<_> = below(root).flat_map(below).collect();
    all.sort();
    all
}

#[test]
fn every_recorded_thread_is_staged_or_refused_for_a_reason_and_verifies() {
    let (mut staged, mut refused) = (0, 0);
    for thread in threads() {
        let dir = scratch();
        let stage =
            |out: &str| report(dir.path(), &["stage", "--layout", LAYOUT, "--out", out, "--from", arg(&thread)]);
        let (status, first) = stage("one");
        if status == 2 {
            // Issues of GitHub do not tell the id of their repository; one folder is of a whole repository.
            let code = first["error"]["code"].as_str().expect("a code");
            assert!(matches!(code, "layout-unmet" | "layout-unsupported"), "{}: {first}", thread.display());
            assert!(!dir.path().join("one").exists(), "{}", thread.display());
            refused += 1;
            continue;
        }
        assert_eq!(status, 0, "{}: {first}", thread.display());
        let (_, second) = stage("two");
        assert_eq!(first["indexDigest"], second["indexDigest"], "{}", thread.display());
        let tree = files(&dir.path().join("one"));
        assert_eq!(tree, files(&dir.path().join("two")), "{}", thread.display());
        for (path, bytes) in &tree {
            if let Some(schema) = schema_of(path) {
                let value: Value = serde_json::from_slice(bytes).expect("JSON");
                assert_valid(&schema, &value, path);
                assert_eq!(serde_jcs::to_vec(&value).expect("canonical"), *bytes, "{path}");
            }
        }
        let digest = first["indexDigest"].as_str().expect("a digest");
        let verified = done(dir.path(), &["verify", "one", "--index-digest", digest]);
        assert_eq!((verified["verified"].as_bool(), verified["files"].as_u64()), (Some(true), Some(tree.len() as u64)));
        staged += 1;
    }
    if staged + refused > 0 {
        assert_eq!((staged, refused), (17, 7));
    }
}
