//! `diff`: what changed, in the words of a forge.

use std::path::Path;

use clap::Args;
use globset::{Glob, GlobSetBuilder};
use serde_json::to_value;

use super::args::Global;
use super::output::{Answer, json};
use super::place::here;
use crate::format::tree::Tree;
use crate::ops::Error;
use crate::ops::diff::{Diff, Options, diff};
use crate::ops::place::{directory_tree, revision_tree};

/// What changed between two stages or snapshots
///
/// Each side is a directory, the index.json in one, a revision (REV or REV:PATH), or a snapshot id. Reads only what
/// differs, straight from the object database where it is a revision. Exit 0 like `git diff`; with --exit-code 1 when
/// there are changes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket diff docket-snapshots~1 docket-snapshots
  git docket diff --markdown /tmp/before /tmp/after
  git docket diff --exit-code --ignore '**/reactions.json' docket-snapshots~7 docket-snapshots")]
pub struct DiffArgs {
    /// The older side
    #[arg(value_name = "A")]
    before: String,
    /// The newer side
    #[arg(value_name = "B")]
    after: String,
    /// Count the changes by kind
    #[arg(long, conflicts_with_all = ["patch", "markdown"])]
    stat: bool,
    /// Show changed texts as unified diffs
    #[arg(long, short, conflicts_with = "markdown")]
    patch: bool,
    /// A report in Markdown
    #[arg(long)]
    markdown: bool,
    /// Leave out changes of paths that match
    #[arg(long, value_name = "GLOB")]
    ignore: Vec<String>,
    /// Exit 1 when there are changes
    #[arg(long)]
    exit_code: bool,
}

pub(super) fn run(args: &DiffArgs, global: &Global) -> Result<Answer, Error> {
    let mut ignore = GlobSetBuilder::new();
    for pattern in &args.ignore {
        let glob = Glob::new(pattern).map_err(|error| Error::new("usage", format!("--ignore {pattern}: {error}")))?;
        ignore.add(glob);
    }
    let ignore = ignore.build().map_err(|error| Error::new("usage", format!("--ignore: {error}")))?;
    let options = Options { ignore, texts: args.patch || args.markdown };
    let found = diff(side(&args.before, global)?.as_ref(), side(&args.after, global)?.as_ref(), &options)?;
    let text = match args {
        DiffArgs { stat: true, .. } => found.stat(),
        DiffArgs { patch: true, .. } => found.patch(),
        DiffArgs { markdown: true, .. } => found.markdown(),
        _ => found.listing(),
    };
    let lines = found.changes.iter().map(to_value).collect::<Result<_, _>>().ok();
    Ok(Answer {
        text,
        json: json(to_value(&found))?,
        lines,
        no: args.exit_code && !is_equal(&found),
        ..Answer::default()
    })
}

fn is_equal(found: &Diff) -> bool {
    found.changes.is_empty()
}

/// A directory when one of that name is there, else a revision.
fn side(text: &str, global: &Global) -> Result<Box<dyn Tree>, Error> {
    let path = Path::new(text);
    if path.is_dir() {
        return directory_tree(path);
    }
    if path.is_file() && path.file_name().is_some_and(|name| name == "index.json") {
        return directory_tree(path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")));
    }
    let around = global.store.clone().map_or_else(here, Ok)?;
    revision_tree(&around, text, &global.snapshot_ref).map(|(tree, _)| tree)
}
