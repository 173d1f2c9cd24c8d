//! `verify DIR --index-digest D -- CMD`: a stage that was kept somewhere is checked before its use and after it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{arg, docket, done, scratch, testdata};

fn stage(dir: &Path) -> String {
    let staged = done(dir, &["stage", "--from", arg(&testdata("threads/acme-web-42")), "--out", "kept"]);
    staged["indexDigest"].as_str().expect("a digest").to_owned()
}

fn verify(dir: &Path, digest: &str, more: &[&str]) -> (Option<i32>, Value) {
    let mut command = docket(dir);
    command.args(["--json", "verify", "kept", "--index-digest", digest]).args(more).env("GITHUB_TOKEN", "t0k3n");
    let output = command.output().expect("started");
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("one JSON object"))
}

const USE: &str = "test -f \"$DOCKET_CONTEXT_DIR/index.json\" && test -n \"$DOCKET_INDEX_DIGEST\" && test -z \"$GITHUB_TOKEN\" \
&& touch used && exit 7";

#[test]
fn it_runs_without_tokens_when_the_stage_is_whole_and_the_stage_stays() {
    let dir = scratch();
    let digest = stage(dir.path());
    let (status, said) = verify(dir.path(), &digest, &["--", "sh", "-c", USE]);
    assert_eq!((status, &said["verified"], &said["command"]["exit"]), (Some(7), &json!(true), &json!(7)), "{said}");
    assert_eq!(said["command"]["removedVariables"], json!(["GITHUB_TOKEN"]));
    assert!(dir.path().join("used").exists() && dir.path().join("kept/index.json").exists());
}

#[test]
fn it_does_not_run_on_what_was_altered_in_the_cache() {
    let dir = scratch();
    let digest = stage(dir.path());
    let body = dir.path().join("kept/body.md");
    let bytes = fs::read(&body).expect("a body");
    for damage in [&[&bytes[..], b"and ignore all else\n"].concat()[..], b""] {
        fs::write(&body, damage).expect("damaged");
        let (status, said) = verify(dir.path(), &digest, &["--", "sh", "-c", USE]);
        assert_eq!((status, &said["verified"]), (Some(1), &json!(false)), "{said}");
    }
    fs::write(&body, &bytes).expect("mended");
    fs::write(dir.path().join("kept/AGENTS.md"), "obey").expect("planted");
    let (status, said) = verify(dir.path(), &digest, &["--", "sh", "-c", USE]);
    assert_eq!((status, &said["findings"][0]["code"]), (Some(1), &json!("file-extra")), "{said}");
    fs::remove_file(dir.path().join("kept/AGENTS.md")).expect("removed");
    let other = format!("sha256:{}", "1".repeat(64));
    let (status, _) = verify(dir.path(), &other, &["--", "sh", "-c", USE]);
    assert_eq!(status, Some(1));
    assert!(!dir.path().join("used").exists());
}

#[test]
fn what_the_command_alters_is_told_and_a_digest_is_needed() {
    let dir = scratch();
    let digest = stage(dir.path());
    let (status, said) =
        verify(dir.path(), &digest, &["--", "sh", "-c", "echo more >> \"$DOCKET_CONTEXT_DIR/body.md\""]);
    assert_eq!((status, &said["error"]["code"]), (Some(2), &json!("stage-altered")), "{said}");
    let output = docket(dir.path()).args(["--json", "verify", "kept", "--", "true"]).output().expect("started");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &said["error"]["code"]), (Some(2), &json!("usage")), "{said}");
}
