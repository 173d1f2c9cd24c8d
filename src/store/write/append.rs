//! Appending to a file of somebody else: the ones that a CI runner reads after each step.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::Gate;
use crate::format::steps::{Step, Steps};
use crate::store::Error;

/// Appends bytes in one write, so that lines of two writers do not mix. A file that is not there is made; a link is
/// followed: the path is the caller's. With a limit, a file that would grow beyond it is left as it is, and false returned.
///
/// # Errors
/// [`Error::Io`], [`Error::Stopped`].
pub fn append(path: &Path, bytes: &[u8], limit: Option<u64>, steps: &dyn Steps) -> Result<bool, Error> {
    let io = |error| Error::io(path, error);
    Gate::new(steps).before(Step::Write, path)?;
    let mut file: File = OpenOptions::new().append(true).create(true).open(path).map_err(io)?;
    let there = file.metadata().map_err(io)?.len();
    if limit.is_some_and(|limit| there + bytes.len() as u64 > limit) {
        return Ok(false);
    }
    file.write_all(bytes).map_err(io)?;
    Ok(true)
}
