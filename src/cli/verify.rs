//! `verify`: check a tree offline.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::to_value;

use super::args::Global;
use super::output::{Answer, json};
use super::place::here;
use crate::format::digest::Digest;
use crate::ops::Error;
use crate::ops::place::{Place, directory_tree, revision_tree};
use crate::ops::rebuild::rebuild;
use crate::ops::verify::{Anchor, Report, verify};

/// Check a stage, a snapshot, a store or a revision, offline
///
/// Lists all damage at once, each with its code and cause; exit 1 when there is any. Without --index-digest or --at the
/// tree can only agree with its own manifest: the answer is "consistent, not authenticated".
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket verify /tmp/context --index-digest sha256:…
  git docket verify --at docket-snapshots
  git docket verify --at docket-snapshots --rebuild
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
}

pub(super) fn run(args: &VerifyArgs, global: &Global) -> Result<Answer, Error> {
    let around = args.path.clone().unwrap_or(here()?);
    let (tree, commit) = match (&args.at, &args.path, &global.store) {
        (Some(at), _, _) => {
            let (tree, commit) = revision_tree(&around, at, &global.snapshot_ref)?;
            (tree, Some(commit))
        }
        (None, Some(path), _) if is_tree(path) => (directory_tree(path)?, None),
        (None, None, None) if global.facts_ref.is_none() && has_head(&around) => (directory_tree(&around)?, None),
        (None, path, store) => {
            let place = Place::find(store.as_deref().or(path.as_deref()), global.facts_ref.as_deref(), &around)?;
            (place.facts()?, None)
        }
    };
    let anchor =
        Anchor { index_digest: args.index_digest, commit: commit.as_ref().map(|commit| commit.id.to_string()) };
    let mut report = verify(tree.as_ref(), &anchor)?;
    if args.rebuild {
        let place = || Place::find(global.store.as_deref(), global.facts_ref.as_deref(), &around);
        report.add(rebuild(tree.as_ref(), commit.as_ref(), &place, &global.snapshot_ref)?);
    }
    Ok(Answer { text: text(&report), json: json(to_value(&report))?, no: !report.verified, ..Answer::default() })
}

/// A directory that is itself what is to be checked.
fn is_tree(path: &Path) -> bool {
    has_head(path) || !path.join(".git").exists()
}

/// A directory with what heads a store or an index tree.
fn has_head(path: &Path) -> bool {
    path.join("docket.json").exists() || path.join("index.json").exists()
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
