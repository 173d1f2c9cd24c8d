//! Any bytes at all, observed in memory and staged: no panic, and what was staged verifies. The fuzz target checks the same.

use git_docket::format::profile::Profile;
use git_docket::format::steps::Unhindered;
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
    let options = observe::Options {
        progress: &observe::Untold,
        inputs: &["-".to_owned()],
        entity: None,
        completeness: None,
        event: None,
        source: None,
        observed_at: None,
        record_look: false,
        commit: false,
        strict: false,
        keep_unrecognised: false,
        now,
        steps: &Unhindered,
    };
    let Ok((facts, _)) = observe::observe_in_memory(&options, &mut bytes) else { return Reached::Refused };
    let profile = Profile::built_in("default").expect("built in");
    let options = stage::Options {
        wanted: &[],
        event: None,
        profile: &profile,
        out: std::path::Path::new("never"),
        replace: false,
        allow_inside_worktree: true,
        seal: false,
        require: &[],
        quote: None,
        repository: None,
        credentials: &[],
        explain: None,
        record: None,
        layout: stage::Layout::Docket,
        held: None,
        steps: &Unhindered,
    };
    let Ok((files, _)) = stage::staged_files(&facts, &options) else { return Reached::Observed };
    let tree: MemTree = files.into_iter().collect();
    let report = verify::verify(&tree, &verify::Anchor { index_digest: None, commit: None }).expect("checked");
    assert!(report.verified, "{:?}", report.findings);
    Reached::Staged
}
