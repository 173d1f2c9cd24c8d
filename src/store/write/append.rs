//! Appending to a file of somebody else: the ones that a CI runner reads after each step.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::Gate;
use crate::format::steps::{Step, Steps};
use crate::store::Error;
use crate::system::append_to;

/// Appends lines in one write, so that those of two writers do not mix; a last line that another left without its end is ended
/// first, and that a disk which is full meanwhile keeps no part of. A file that is not there is made; a link is followed: the path is the caller's. With a limit, a file that would grow
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
    let mut done = 0;
    while done < lines.len() {
        let wrote = match file.write(&lines[done..]) {
            Ok(0) => Err(io::ErrorKind::WriteZero.into()),
            wrote => wrote,
        };
        match wrote {
            Ok(more) => done += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                // A full disk takes a part, of which a runner would make something else; what another wrote since stays.
                let is_last = file.metadata().is_ok_and(|now| now.len() == there + done as u64);
                if is_last && let Err(also) = file.set_len(there) {
                    return Err(io(io::Error::new(error.kind(), format!("{error}; a part of a line is left: {also}"))));
                }
                return Err(io(error));
            }
        }
    }
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
