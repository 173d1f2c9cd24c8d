//! `clean`: remove a stage.

use std::path::PathBuf;

use clap::Args;
use serde_json::to_value;

use super::output::{Answer, json};
use crate::ops::Error;
use crate::ops::clean::clean;
use crate::ops::process::Interrupts;

/// Remove a stage, sealed or not
///
/// Only what git-docket wrote is removed, to the last path; --altered also removes a stage to which somebody added files. A
/// stage that a command runs on is refused. What is not there is removed already.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket clean \"$RUNNER_TEMP/docket\"")]
pub struct CleanArgs {
    /// The directory
    dir: PathBuf,
    /// Also when it holds files that its indexes do not list
    #[arg(long)]
    altered: bool,
}

pub(super) fn run(args: &CleanArgs) -> Result<Answer, Error> {
    let report = clean(&args.dir, args.altered, &Interrupts::default())?;
    let what = if report.removed { "removed" } else { "nothing was there" };
    let text = format!("{}: {what}\n", report.dir.display());
    Ok(Answer { text, json: json(to_value(&report))?, ..Answer::default() })
}
