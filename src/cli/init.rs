//! `init`: make a store.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::to_value;

use super::args::Global;
use super::output::{Answer, json};
use crate::format::steps::Unhindered;
use crate::ops::{self, Error};

/// Make a store, in a work tree or on a branch
///
/// Writes docket.json, .gitattributes and .gitignore, makes a git repository where there is none, and in a new one the
/// root commit that all stores share, so that separately made stores merge with a plain `git merge`. With --ref the store
/// is that branch of the repository, without a work tree. Where there is a store already, also on a branch that only a remote
/// has, nothing changes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket init docket
  git docket init --ref docket-facts .")]
pub struct InitArgs {
    /// The directory; without one that of --store, else the current one
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &InitArgs, global: &Global) -> Result<Answer, Error> {
    let dir = args.dir.as_deref().or(global.store.as_deref()).unwrap_or(Path::new("."));
    let options = ops::init::Options { dir, branch: global.facts_ref.as_deref(), steps: &Unhindered };
    let report = ops::init::init(&options)?;
    let what = if report.created { "made a store" } else { "there is a store already" };
    let at = report.branch.as_ref().map(|branch| format!(" on branch {branch}")).unwrap_or_default();
    let of = report.remote.as_ref().map(|name| format!(", which is {name} here")).unwrap_or_default();
    let text = format!("{what} in {}{at}{of}\n", report.store.display());
    Ok(Answer { text, json: json(to_value(&report))?, ..Answer::default() })
}
