//! One file for this user alone, written beside its place before something else and given its name after it.

use std::ffi::OsStr;
use std::path::Path;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{self, AtFlags, Mode};
use rustix::io::Errno;

use super::{Gate, create_file, parent_of, rename_new};
use crate::format::steps::{Step, Steps};
use crate::store::Error;

/// A finished file without its name. Dropped, it is gone.
pub struct Draft<'p> {
    parent: OwnedFd,
    target: &'p Path,
    name: &'p OsStr,
    temporary: String,
    gate: Gate<'p>,
    is_there: bool,
}

impl<'p> Draft<'p> {
    /// Writes and flushes the file, mode 0600, under a name that nobody else has.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Stopped`].
    pub fn new(target: &'p Path, bytes: &[u8], steps: &'p dyn Steps) -> Result<Self, Error> {
        let gate = Gate::new(steps);
        let (parent, name) = parent_of(target)?;
        gate.before(Step::Write, target)?;
        for number in 0u64.. {
            let temporary = format!("{}{}-{number}", super::STAGING_PREFIX, std::process::id());
            match create_file(parent.as_fd(), &temporary, bytes, Mode::RUSR | Mode::WUSR) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                made => {
                    let draft = Self { parent, target, name, temporary, gate, is_there: true };
                    let file = made.map_err(|error| Error::io(target, error))?;
                    draft.gate.before(Step::Sync, target)?;
                    file.sync_all().map_err(|error| Error::io(target, error))?;
                    return Ok(draft);
                }
            }
        }
        Err(Error::io(target, Errno::EXIST))
    }

    /// Gives the file its name, in the place of another one only if that is to be replaced.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Io`], [`Error::Stopped`].
    pub fn publish(mut self, replace: bool) -> Result<(), Error> {
        self.gate.before(Step::Rename, self.target)?;
        let (dir, from) = (self.parent.as_fd(), OsStr::new(&self.temporary));
        let done =
            if replace { fs::renameat(dir, from, dir, self.name) } else { rename_new(dir, from, dir, self.name) };
        done.map_err(|errno| match errno {
            Errno::EXIST => Error::Exists { path: self.target.to_owned() },
            errno => Error::io(self.target, errno),
        })?;
        self.is_there = false;
        self.gate.before(Step::Sync, self.target)?;
        fs::fsync(&self.parent).map_err(|errno| Error::io(self.target, errno))
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if self.is_there && !self.gate.is_closed() {
            // What went wrong before is what is reported.
            let _ = fs::unlinkat(&self.parent, self.temporary.as_str(), AtFlags::empty());
        }
    }
}
