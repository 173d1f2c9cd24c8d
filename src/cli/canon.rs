//! `canon`: the canonical bytes of a JSON document.

use clap::Args;

use super::output::Answer;
use super::place::{MAX_DOCUMENT, read_input};
use crate::ops::{self, Error};

/// Print the canonical bytes of a JSON document
///
/// RFC 8785 without a trailing newline. What would be lost silently is refused by code: json-invalid,
/// json-duplicate-key, json-lone-surrogate, json-number-out-of-range, json-too-deep.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket canon payload.json")]
pub struct CanonArgs {
    /// The document, `-` for stdin
    #[arg(default_value = "-")]
    file: std::path::PathBuf,
}

pub(super) fn run(args: &CanonArgs) -> Result<Answer, Error> {
    Ok(Answer::bytes(ops::canon(&read_input(&args.file, MAX_DOCUMENT)?)?))
}
