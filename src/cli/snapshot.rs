//! `snapshot`: derive the snapshot tree.

use std::path::PathBuf;

use clap::Args;
use serde_json::to_value;

use super::args::Global;
use super::output::{Answer, json};
use super::place::{now, store};
use crate::format::steps::Unhindered;
use crate::ops::Error;
use crate::ops::place::branch_name;
use crate::ops::snapshot::{Options, To, snapshot};

/// The branch that holds snapshots of everything.
const EVERYTHING: &str = "docket-snapshots";

/// Derive the snapshot tree and print its id
///
/// The id is the digest of the root index.json: the same facts give the same id on every machine. Without --commit and
/// --out nothing is written. --commit writes the tree straight into the object database and moves the snapshot branch; no
/// work tree and no index is touched. When nothing changed there is no commit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket snapshot --commit
  git docket snapshot --out /tmp/snapshot
  git docket snapshot --scope github:github.com/acme/web --snapshot-ref docket-web --commit")]
pub struct SnapshotArgs {
    /// Only entities whose id begins with this
    #[arg(long, value_name = "PREFIX")]
    scope: Vec<String>,
    /// Commit the tree to the snapshot branch
    #[arg(long, conflicts_with = "out")]
    commit: bool,
    /// The message of the commit
    #[arg(long, short, requires = "commit")]
    message: Option<String>,
    /// Write the tree to a directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace what a former run wrote there
    #[arg(long, requires = "out")]
    replace: bool,
    /// Write inside a git work tree too
    #[arg(long, requires = "out")]
    allow_inside_worktree: bool,
}

pub(super) fn run(args: &SnapshotArgs, global: &Global) -> Result<Answer, Error> {
    let branch = branch_name(&global.snapshot_ref)?;
    if args.commit && !args.scope.is_empty() && branch == EVERYTHING {
        return Err(Error::new("scope-needs-ref", "a snapshot of a part needs a branch of its own")
            .hint("name one with --snapshot-ref"));
    }
    let place = store(global)?;
    let to = To { message: args.message.as_deref(), now: now()? };
    let options = Options {
        scopes: &args.scope,
        branch,
        commit: args.commit.then_some(to),
        out: args.out.as_deref(),
        replace: args.replace,
        allow_inside_worktree: args.allow_inside_worktree,
        steps: &Unhindered,
    };
    let report = snapshot(&place, &options)?;
    let story = format!("{} entities, {} changed, {} removed", report.entities, report.changed, report.removed);
    let commit = report.commit.as_ref().map(|id| format!("commit {id}"));
    let text = format!("{}\n", report.snapshot);
    Ok(Answer {
        text,
        json: json(to_value(&report))?,
        story: [Some(story), commit].into_iter().flatten().collect(),
        ..Answer::default()
    })
}
