//! `digest`: SHA-256 of files as they are, or of a text as a canonical JSON string.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::output::Answer;
use super::place::{MAX_DOCUMENT, digest_input, read_input};
use crate::ops::{self, Error};

/// Print SHA-256 digests
///
/// One line a file, `sha256:` and 64 hex digits; with several files each line names its own. With --json-string the text
/// is digested as a canonical JSON string, as source references do it, and the 64 digits stand alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket digest context/index.json
  gh api repos/acme/web/pulls/42 | git docket canon | git docket digest")]
pub struct DigestArgs {
    /// The files, `-` for stdin
    #[arg(default_value = "-", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Digest the UTF-8 text as a canonical JSON string
    #[arg(long)]
    json_string: bool,
}

pub(super) fn run(args: &DigestArgs) -> Result<Answer, Error> {
    let (mut text, mut rows) = (String::new(), Vec::new());
    for file in &args.files {
        let digest = if args.json_string {
            ops::json_string_digest(&read_input(file, MAX_DOCUMENT)?)?
        } else {
            digest_input(file)?.to_string()
        };
        text.push_str(&digest);
        if args.files.len() > 1 {
            text.push_str(&format!("  {}", file.display()));
        }
        text.push('\n');
        rows.push(json!({"input": file.display().to_string(), "digest": digest}));
    }
    Ok(Answer { text, json: Some(json!({ "digests": rows })), ..Answer::default() })
}
