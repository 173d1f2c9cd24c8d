//! Sweeping what killed runs left: the directories whose writer is gone.

use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, AtFlags, Dir, FlockOperation};
use rustix::io::{Errno, Result};
use rustix::process::geteuid;

use super::remove::Removal;
use super::replace::STAGING_PREFIX;
use super::{Gate, create_unique};
use crate::format::steps::Steps;
use crate::store::{Error, beneath};

/// The beginning of the names of directories in which a [`Writer`](super::Writer) keeps its temporary files.
pub(super) const PREFIX: &str = "put-";

/// Makes a directory for what is not finished. It is locked as long as it is open, so that nobody takes it for a leftover.
pub(super) fn create(parent: BorrowedFd<'_>, prefix: &str) -> Result<(String, OwnedFd)> {
    loop {
        let (name, dir) = match create_unique(parent, prefix) {
            // Swept between its making and its opening.
            Err(Errno::NOENT) => continue,
            made => made?,
        };
        // A file system without locks for directories has nothing swept either.
        let _ = fs::flock(&dir, FlockOperation::LockExclusive);
        if is_at(parent, name.as_bytes(), &dir)? {
            return Ok((name, dir));
        }
    }
}

/// Removes what killed writers left in a directory of temporary files. Nothing else there is touched.
///
/// # Errors
/// [`Error::NotADirectory`], [`Error::Io`] naming what could not be removed, [`Error::Stopped`].
pub fn sweep(temp_dir: &Path, steps: &dyn Steps) -> std::result::Result<(), Error> {
    sweep_named(temp_dir, PREFIX, steps).map(drop)
}

/// Removes what killed writers of whole trees left beside their targets, and returns the names.
///
/// # Errors
/// As [`sweep`].
pub fn sweep_staging(dir: &Path, steps: &dyn Steps) -> std::result::Result<Vec<String>, Error> {
    sweep_named(dir, STAGING_PREFIX, steps)
}

fn sweep_named(dir: &Path, prefix: &str, steps: &dyn Steps) -> std::result::Result<Vec<String>, Error> {
    let parent = match beneath::open_root(dir) {
        Err(Error::Nothing { .. }) => return Ok(Vec::new()),
        opened => opened?,
    };
    let io = |errno: Errno| Error::io(dir, errno);
    let gate = Gate::new(steps);
    let mut swept = Vec::new();
    let entries = Dir::read_from(&parent).and_then(Iterator::collect::<Result<Vec<_>>>).map_err(io)?;
    for name in entries.iter().filter_map(|entry| entry.file_name().to_str().ok()) {
        if !is_made(name, prefix) {
            continue;
        }
        // A link or a file is not ours; what has vanished is swept.
        let Ok(open) = beneath::open(parent.as_fd(), name.as_bytes(), beneath::DIRECTORY) else { continue };
        let is_own = fs::fstat(&open).map_err(io)?.st_uid == geteuid().as_raw();
        let is_dead = is_own && fs::flock(&open, FlockOperation::NonBlockingLockExclusive).is_ok();
        if is_dead && is_at(parent.as_fd(), name.as_bytes(), &open).map_err(io)? {
            Removal { parent: parent.as_fd(), name: name.as_ref(), shown: &dir.join(name), gate: &gate }.run()?;
            swept.push(name.to_owned());
        }
    }
    Ok(swept)
}

/// Whether a name is one that [`create`] gives, or that an old tree waits under for its removal.
fn is_made(name: &str, prefix: &str) -> bool {
    let made = name.strip_prefix(prefix).map(|made| made.strip_suffix("-old").unwrap_or(made));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    made.and_then(|made| made.split_once('-')).is_some_and(|(id, number)| is_number(id) && is_number(number))
}

/// Whether a name still leads to the open file or directory.
pub(super) fn is_at(parent: BorrowedFd<'_>, name: &[u8], open: impl AsFd) -> Result<bool> {
    let open = fs::fstat(open)?;
    match fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok((found.st_dev, found.st_ino) == (open.st_dev, open.st_ino)),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(errno),
    }
}
