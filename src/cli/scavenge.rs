//! `scavenge`: remove what dead runs left.

use std::path::PathBuf;

use clap::Args;
use serde_json::to_value;

use super::output::{Answer, json};
use super::place::temp_dir;
use crate::ops::Error;
use crate::ops::process::Interrupts;
use crate::ops::scavenge::scavenge;

/// Remove what killed runs left: stages of `stage -- CMD`, and trees that were being written
///
/// Looks at one directory, not below it. What a living run uses stays, and so does every stage that was written for later.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket scavenge
  git docket scavenge --root /var/tmp/contexts")]
pub struct ScavengeArgs {
    /// The directory in which stages were made; $RUNNER_TEMP or the directory for temporary files unless given
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

pub(super) fn run(args: &ScavengeArgs) -> Result<Answer, Error> {
    let report = scavenge(&args.root.clone().unwrap_or_else(temp_dir), &Interrupts::default())?;
    let mut text: String = report.removed.iter().map(|name| format!("removed {name}\n")).collect();
    text.push_str(&format!("{} removed, {} in use\n", report.removed.len(), report.in_use));
    Ok(Answer { text, json: json(to_value(&report))?, ..Answer::default() })
}
