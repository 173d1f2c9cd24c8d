//! Appending to a file of somebody else: the ones that a CI runner reads after each step.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::Gate;
use crate::format::steps::{Step, Steps};
use crate::store::Error;

/// Appends lines in one write, so that those of two writers do not mix; a last line that another left without its end is ended
/// first. A file that is not there is made; a link is followed: the path is the caller's. With a limit, a file that would grow
/// beyond it is left as it is, and false returned.
///
/// # Errors
/// [`Error::Io`], [`Error::Stopped`].
pub fn append(path: &Path, bytes: &[u8], limit: Option<u64>, steps: &dyn Steps) -> Result<bool, Error> {
    let io = |error| Error::io(path, error);
    Gate::new(steps).before(Step::Write, path)?;
    let mut file: File = OpenOptions::new().append(true).create(true).open(path).map_err(io)?;
    let there = file.metadata().map_err(io)?.len();
    let end: &[u8] = if there > 0 && is_cut(path).map_err(io)? { b"\n" } else { b"" };
    let lines = [end, bytes].concat();
    if limit.is_some_and(|limit| there + lines.len() as u64 > limit) {
        return Ok(false);
    }
    file.write_all(&lines).map_err(io)?;
    Ok(true)
}

/// Whether the last line of a file has no end.
fn is_cut(path: &Path) -> io::Result<bool> {
    let mut last = [0];
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
