//! Any bytes at all, observed in memory and staged: no panic, and what was staged verifies.
//!
//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz observe`

#![no_main]

use git_docket::format::profile::Profile;
use git_docket::format::steps::Unhindered;
use git_docket::format::time::Time;
use git_docket::ops::{observe, stage, verify};
use git_docket::store::mem::MemTree;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check(bytes));

fn check(bytes: &[u8]) {
    let now: Time = "2026-01-01T00:00:00Z".parse().expect("a time");
    let inputs = ["-".to_owned()];
    let options = observe::Options {
        inputs: &inputs,
        entity: None,
        completeness: None,
        source: None,
        observed_at: None,
        record_look: false,
        commit: false,
        strict: false,
        now,
        steps: &Unhindered,
    };
    let Ok((facts, _)) = observe::observe_in_memory(&options, &mut &bytes[..]) else { return };
    let profile = Profile::built_in("default").expect("built in");
    let options = stage::Options {
        wanted: &[],
        profile: &profile,
        out: std::path::Path::new("never"),
        replace: false,
        allow_inside_worktree: true,
        seal: false,
        require: &[],
        steps: &Unhindered,
    };
    let Ok((files, _)) = stage::staged_files(&facts, &options) else { return };
    let tree: MemTree = files.into_iter().collect();
    let report = verify::verify(&tree, &verify::Anchor { index_digest: None, commit: None }).expect("checked");
    assert!(report.verified, "{:?}", report.findings);
}
