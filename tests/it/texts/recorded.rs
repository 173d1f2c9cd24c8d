//! The recorded logs: none is lost, changed or shown as it came.

use super::{Bench, PULL};
use crate::support::{arg, docket, done, scratch, shared};

#[test]
fn every_recorded_log_comes_back_byte_for_byte() {
    let Some(root) = shared("data/logs") else { return };
    let bench = Bench::new();
    let seen = bench.observe(&[&format!("logs={}", arg(&root))]);
    let mut texts = 0;
    for input in seen["inputs"].as_array().expect("inputs") {
        let (name, digest) = (input["input"].as_str().expect("a name"), input["digest"].as_str().expect("a digest"));
        if let Ok(bytes) = std::fs::read(name) {
            assert_eq!(bench.raw(digest), bytes, "{name}");
            texts += 1;
        }
    }
    assert!(texts >= 29, "{texts}");
    let left: Vec<_> = seen["unrecognised"].as_array().expect("rows").iter().map(|row| &row["reason"]).collect();
    assert!(left.iter().all(|reason| *reason == "not-a-log"), "{left:?}");
    assert_eq!(left.len(), 6, "what a Mac put into the archive: {seen}");
}

#[test]
fn recorded_logs_are_staged_without_anything_that_moves_a_cursor() {
    let Some(root) = shared("data/logs") else { return };
    let dir = scratch();
    let out = dir.path().join("out");
    let input = format!("logs={}", arg(&root));
    let run = ["stage", "--from", &input, "--entity", PULL, "--profile", "full", "--out", arg(&out)];
    let staged = done(dir.path(), &run);
    done(dir.path(), &["verify", arg(&out), "--index-digest", staged["indexDigest"].as_str().expect("a digest")]);
    let mut logs = 0;
    for (path, bytes) in crate::support::files(&out).into_iter().filter(|(path, _)| path.ends_with("log.txt")) {
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{path}");
        assert!(text.ends_with('\n') || text.is_empty(), "{path}");
        logs += 1;
    }
    assert_eq!(logs, 30, "22 texts, 1 folder of steps, 7 jobs of an archive");
    let again = docket(dir.path()).args(["sums", arg(&out)]).output().expect("the program runs");
    assert!(again.status.success());
}
