//! Any bytes at all, observed in memory and staged: no panic, and what was staged verifies. The fuzz target checks the same.

use git_docket::format::profile::Profile;
use git_docket::format::time::Time;
use git_docket::ops::{observe, stage, verify};
use git_docket::store::mem::MemTree;

/// How far a payload came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    Refused,
    Observed,
    Staged,
}

pub fn check(mut bytes: &[u8]) -> Reached {
    let now: Time = "2026-01-01T00:00:00Z".parse().expect("a time");
    let inputs = ["-".to_owned()];
    let options = observe::Options::of(&inputs, now);
    let Ok((facts, _)) = observe::observe_in_memory(&options, &mut bytes) else { return Reached::Refused };
    let profile = Profile::built_in("default").expect("built in");
    let options = stage::Options::unwritten(&[], &profile);
    let Ok((files, _)) = stage::staged_files(&facts, &options) else { return Reached::Observed };
    let tree: MemTree = files.into_iter().collect();
    let report = verify::verify(&tree, &verify::Anchor { index_digest: None, commit: None }).expect("checked");
    assert!(report.verified, "{:?}", report.findings);
    Reached::Staged
}
