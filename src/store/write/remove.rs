//! Removing a tree without following a link.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, AtFlags, Dir, FileType, Mode};
use rustix::io::Errno;

use super::{Error, Gate, parent_of};
use crate::format::steps::{Step, Steps};
use crate::store::beneath;

/// Removes a directory and everything in it, sealed ones too. Links in it are removed, not followed; a target that is
/// itself a link or a file is refused; one that is not there is removed already.
///
/// # Errors
/// [`Error::NotADirectory`], [`Error::Io`] naming what could not be removed, [`Error::Stopped`].
pub fn remove_tree(target: &Path, steps: &dyn Steps) -> Result<(), Error> {
    match beneath::open_root(target) {
        Err(Error::Nothing { .. }) => return Ok(()),
        opened => drop(opened?),
    }
    let (parent, name) = parent_of(target)?;
    Removal { parent: parent.as_fd(), name, shown: target, gate: &Gate::new(steps) }.run()
}

/// The removal of one directory of a parent. `shown` is its path in messages and steps.
pub(super) struct Removal<'a> {
    pub(super) parent: BorrowedFd<'a>,
    pub(super) name: &'a OsStr,
    pub(super) shown: &'a Path,
    pub(super) gate: &'a Gate<'a>,
}

impl Removal<'_> {
    /// Removes downwards everything but directories, then upwards the directories; few are open at a time.
    pub(super) fn run(&self) -> Result<(), Error> {
        let mut dirs = vec![self.name.as_bytes().to_vec()];
        let mut at = 0;
        while let Some(dir) = dirs.get(at) {
            let below = self.empty(dir)?;
            dirs.extend(below);
            at += 1;
        }
        for dir in dirs.iter().rev() {
            let slash = dir.iter().rposition(|&byte| byte == b'/');
            let (above, name) = slash.map_or((&b""[..], &dir[..]), |slash| (&dir[..slash], &dir[slash + 1..]));
            let above = beneath::open(self.parent, above, beneath::DIRECTORY).map_err(|errno| self.io(dir, errno))?;
            self.unlink(&above, name, dir, AtFlags::REMOVEDIR)?;
        }
        Ok(())
    }

    /// Removes everything but directories from one directory, and returns those.
    fn empty(&self, dir: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let handle = beneath::open(self.parent, dir, beneath::DIRECTORY).map_err(|errno| self.io(dir, errno))?;
        self.gate.before(Step::Remove, &self.shown_at(dir))?;
        // A sealed directory gives up its files only when it may be written.
        fs::fchmod(&handle, Mode::RWXU).map_err(|errno| self.io(dir, errno))?;
        let entries = Dir::read_from(&handle).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut below = Vec::new();
        for entry in entries.map_err(|errno| self.io(dir, errno))? {
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let path = [dir, b"/", name].concat();
            let kind = match entry.file_type() {
                FileType::Unknown => fs::statat(&handle, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map(|stat| FileType::from_raw_mode(stat.st_mode))
                    .map_err(|errno| self.io(&path, errno))?,
                known => known,
            };
            if kind == FileType::Directory {
                below.push(path);
            } else {
                self.unlink(&handle, name, &path, AtFlags::empty())?;
            }
        }
        Ok(below)
    }

    fn unlink(&self, dir: &OwnedFd, name: &[u8], path: &[u8], flags: AtFlags) -> Result<(), Error> {
        self.gate.before(Step::Remove, &self.shown_at(path))?;
        fs::unlinkat(dir, name, flags).map_err(|errno| self.io(path, errno))
    }

    fn io(&self, path: &[u8], errno: Errno) -> Error {
        Error::io(self.shown_at(path), errno)
    }

    /// The path that a person sees for one that begins with the name.
    fn shown_at(&self, path: &[u8]) -> std::path::PathBuf {
        match path.get(self.name.len() + 1..) {
            Some(below) => self.shown.join(OsStr::from_bytes(below)),
            None => self.shown.to_owned(),
        }
    }
}
