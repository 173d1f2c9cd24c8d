//! Appending to a file of somebody else: the ones that a CI runner reads after each step.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::Gate;
use crate::format::steps::{Step, Steps};
use crate::store::Error;
use crate::system::append_to;

/// Appends lines in one write, so that those of two writers do not mix; a last line that another left without its end is ended
/// first. A file that is not there is made; a link is followed: the path is the caller's. With a limit, a file that would grow
/// beyond it is left as it is, and false returned; none for what is no regular file, which is not written to.
///
/// # Errors
/// [`Error::Io`], [`Error::Stopped`].
pub fn append(path: &Path, bytes: &[u8], limit: Option<u64>, steps: &dyn Steps) -> Result<Option<bool>, Error> {
    let io = |error| Error::io(path, error);
    Gate::new(steps).before(Step::Write, path)?;
    let mut file = append_to(path).map_err(io)?;
    let found = file.metadata().map_err(io)?;
    if !found.is_file() {
        return Ok(None);
    }
    let there = found.len();
    let end: &[u8] = if there > 0 && is_cut(path).map_err(io)? { b"\n" } else { b"" };
    let lines = [end, bytes].concat();
    if limit.is_some_and(|limit| there + lines.len() as u64 > limit) {
        return Ok(Some(false));
    }
    file.write_all(&lines).map_err(io)?;
    Ok(Some(true))
}

/// Whether the last line of a file has no end.
fn is_cut(path: &Path) -> io::Result<bool> {
    let mut last = [0];
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
