//! `verify`: check a tree offline.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::to_value;

use super::args::Global;
use super::output::{Answer, json};
use super::place::here;
use super::wrap::{Wrap, with_command, withheld};
use crate::format::digest::Digest;
use crate::format::header;
use crate::ops::Error;
use crate::ops::place::{Place, checked_out, revision_tree};
use crate::ops::rebuild::rebuild;
use crate::ops::verify::{Anchor, Report, Standing, Where, is_tree, standing, verify};

/// Check a stage, a snapshot, a store or a revision, offline
///
/// Lists all damage at once, each with its code and cause; exit 1 when there is any. Without --index-digest or --at the
/// tree can only agree with its own manifest: the answer is "consistent, not authenticated".
///
/// With a command, a stage that was kept somewhere (a cache, an artifact) is checked, used and checked again: the command runs only
/// when there is no finding, without credentials in its environment, and its status is passed on, or 2 when it altered the stage. It
/// needs the directory and --index-digest, and cannot go with --at or --rebuild.
#[derive(Debug, Args)]
#[command(mut_arg("command", |command| command.requires("path").requires("index_digest").conflicts_with_all(["at", "rebuild"])
    .help("Run this on the stage if it is whole, check the stage again, and exit with the command's status")))]
#[command(after_help = "\
Examples:
  git docket verify /tmp/context --index-digest sha256:…
  git docket verify --at docket-snapshots
  git docket verify --at docket-snapshots --rebuild
  git docket verify context/ --index-digest sha256:… -- ./review.sh
  git docket verify docket/")]
pub struct VerifyArgs {
    /// The directory; without one, the store or tree around the current directory
    path: Option<PathBuf>,
    /// A tree in a revision instead of a directory, or a snapshot id
    #[arg(long, value_name = "REV[:PATH]")]
    at: Option<String>,
    /// The digest that the root index.json must have
    #[arg(long, value_name = "DIGEST")]
    index_digest: Option<Digest>,
    /// Derive the tree again from the facts of the store, and compare
    #[arg(long)]
    rebuild: bool,
    /// What runs on the stage
    #[command(flatten)]
    wrap: Wrap,
}

pub(super) fn run(args: &VerifyArgs, global: &Global) -> Result<Answer, Error> {
    let here = here()?;
    let (path, store) = (args.path.as_deref(), global.store.as_deref());
    let (checked, commit) = match &args.at {
        Some(at) => {
            let (tree, commit) = revision_tree(path.or(store).unwrap_or(&here), at, &global.snapshot_ref)?;
            (Standing { tree, branch: None }, Some(commit))
        }
        None => {
            // With --rebuild and a tree, --ref names the facts that the tree was derived from.
            let branch = global.facts_ref.as_deref().filter(|_| !(args.rebuild && path.is_some_and(is_tree)));
            (standing(&Where { path, store, branch, here: &here })?, None)
        }
    };
    let id = commit.as_ref().map(|commit| commit.id).or(checked.branch.as_ref().map(|branch| branch.id));
    let anchor = Anchor { index_digest: args.index_digest, commit: id.map(|id| id.to_string()) };
    let mut report = verify(checked.tree.as_ref(), &anchor)?;
    if global.facts_ref.is_none() {
        checked.tell(&mut report);
    }
    if args.rebuild {
        let place = || facts_of(args, global, &here);
        let there = if args.at.is_none() { checked_out(path.or(store).unwrap_or(&here)) } else { None };
        rebuild(checked.tree.as_ref(), commit.as_ref(), there.as_ref(), &place, &global.snapshot_ref, &mut report)?;
    }
    if let (true, Some(dir), Some(digest)) = (args.wrap.is_some() && report.verified, &args.path, &args.index_digest) {
        return ran(args, global, &report, dir, digest);
    }
    Ok(Answer { text: text(&report), json: json(to_value(&report))?, no: !report.verified, ..Answer::default() })
}

/// Runs the command. Its output is the answer, so that ours goes to stderr unless it is asked for as JSON.
fn ran(args: &VerifyArgs, global: &Global, report: &Report, dir: &Path, digest: &Digest) -> Result<Answer, Error> {
    let ran = args.wrap.run_on(dir, digest, global.json || global.ndjson)?;
    let value = with_command(report, &ran)?;
    let story = text(report).lines().map(str::to_owned).chain(withheld(&ran)).collect();
    Ok(Answer { json: value, story, exit: Some(ran.exit), ..Answer::default() })
}

/// Where the facts lie that a tree was derived from. A store has its own, and a commit those of its repository, unless
/// --store names others; any other tree may lie anywhere, so that the store of the current directory comes first.
fn facts_of(args: &VerifyArgs, global: &Global, here: &Path) -> Result<Place, Error> {
    let branch = global.facts_ref.as_deref();
    let own = args.path.as_deref().filter(|path| args.at.is_none() && (is_store(path) || !is_tree(path)));
    if let Some(named) = own.or(global.store.as_deref()) {
        return Place::find(Some(named), if is_store(named) { None } else { branch }, here);
    }
    let around = args.path.as_deref().map_or(here.to_path_buf(), |path| here.join(path));
    let is_inside = branch.is_none() && args.at.is_none() && here.ancestors().any(is_store);
    if is_inside {
        return Place::find(None, None, here);
    }
    Place::find(None, branch, &around).or_else(|_| Place::find(None, branch, here))
}

fn is_store(path: &Path) -> bool {
    path.join(header::PATH).is_file()
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        text.push_str(&format!("{finding}\n"));
    }
    for note in &report.notes {
        text.push_str(&format!("note: {}\n", note.text));
    }
    let verdict = if report.verified { "verified" } else { "NOT verified" };
    text.push_str(&format!(
        "{verdict}: {} files, {} bytes, {} findings\n",
        report.files,
        report.bytes,
        report.findings.len()
    ));
    text
}
