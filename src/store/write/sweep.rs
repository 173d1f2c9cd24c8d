//! Sweeping what killed runs left: the directories of temporary files whose writer is gone.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, AtFlags, Dir, FlockOperation};
use rustix::io::{Errno, Result};

use super::remove::Removal;
use super::{Gate, create_unique};
use crate::format::steps::Steps;
use crate::store::{Error, beneath};

/// The beginning of the names of directories in which a [`Writer`](super::Writer) keeps its temporary files.
const PREFIX: &str = "put-";

/// Makes a directory for temporary files. It is locked as long as it is open, so that nobody takes it for a leftover.
pub(super) fn create(parent: BorrowedFd<'_>) -> Result<(String, OwnedFd)> {
    loop {
        let (name, dir) = match create_unique(parent, PREFIX) {
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
    let parent = match beneath::open_root(temp_dir) {
        Err(Error::Nothing { .. }) => return Ok(()),
        opened => opened?,
    };
    let io = |errno: Errno| Error::io(temp_dir, errno);
    let gate = Gate::new(steps);
    let names = Dir::read_from(&parent).and_then(Iterator::collect::<Result<Vec<_>>>).map_err(io)?;
    for name in names.iter().map(|entry| entry.file_name().to_bytes()).filter(|n| n.starts_with(PREFIX.as_bytes())) {
        // A link or a file is not ours; what has vanished is swept.
        let Ok(dir) = beneath::open(parent.as_fd(), name, beneath::DIRECTORY) else { continue };
        let is_dead = fs::flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok();
        if is_dead && is_at(parent.as_fd(), name, &dir).map_err(io)? {
            let name = OsStr::from_bytes(name);
            Removal { parent: parent.as_fd(), name, shown: &temp_dir.join(name), gate: &gate }.run()?;
        }
    }
    Ok(())
}

/// Whether a name still leads to the open directory.
fn is_at(parent: BorrowedFd<'_>, name: &[u8], dir: &OwnedFd) -> Result<bool> {
    let open = fs::fstat(dir)?;
    match fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok((found.st_dev, found.st_ino) == (open.st_dev, open.st_ino)),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(errno),
    }
}
