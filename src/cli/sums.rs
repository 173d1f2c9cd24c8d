//! `sums`: the manifest for sha256sum.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output::Answer;
use crate::ops::place::directory_tree;
use crate::ops::{self, Error};

/// Print the manifest in the form that `sha256sum -c` accepts
///
/// Every file of a stage, a snapshot or a store, recursive, with the escapes of sha256sum.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket sums /tmp/context | (cd /tmp/context && sha256sum --quiet -c)")]
pub struct SumsArgs {
    /// The directory
    #[arg(default_value = ".")]
    path: PathBuf,
}

pub(super) fn run(args: &SumsArgs) -> Result<Answer, Error> {
    let sums = ops::sums::sums(directory_tree(&args.path)?.as_ref())?;
    Ok(Answer { json: Some(json!({ "text": sums })), bytes: sums.into(), ..Answer::default() })
}
