//! Removing a tree without following a link, whatever was done to it: sealed, barred to its owner, deeper than a path can name.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Error, Gate, parent_of};
use crate::format::steps::{Step, Steps};
use crate::store::beneath;
use crate::system::{Dir, Kind, path_of};

/// From so many bytes on a path is shortened, by bringing what it leads to up to the top. Systems take 4096, some of them 1024.
const LONG: usize = 768;

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
    Removal { parent: &parent, name, shown: target, gate: &Gate::new(steps) }.run()
}

/// The removal of one directory of a parent. `shown` is its path in messages and steps.
pub(super) struct Removal<'a> {
    pub(super) parent: &'a Dir,
    pub(super) name: &'a [u8],
    pub(super) shown: &'a Path,
    pub(super) gate: &'a Gate<'a>,
}

impl Removal<'_> {
    /// Removes downwards everything but directories, then upwards the directories; few are open at a time.
    pub(super) fn run(&self) -> Result<(), Error> {
        let mut dirs = vec![self.name.to_vec()];
        let mut at = 0;
        while let Some(dir) = dirs.get(at) {
            let below = self.empty(dir, dirs.len())?;
            dirs.extend(below);
            at += 1;
        }
        for dir in dirs.iter().rev() {
            let (above, name) = split(dir);
            let above = self.parent.open(above).map_err(|error| self.io(dir, error))?;
            self.announce(Step::Remove, dir)?;
            above.remove_dir(name).map_err(|error| self.io(dir, error))?;
        }
        Ok(())
    }

    /// Removes everything but directories from one directory, and returns those. So many are known already.
    fn empty(&self, dir: &[u8], known: usize) -> Result<Vec<Vec<u8>>, Error> {
        let io = |error| self.io(dir, error);
        let handle = self.open(dir)?;
        self.announce(Step::Remove, dir)?;
        // A sealed directory gives up its files only when it may be written.
        handle.set_mode(0o700).map_err(io)?;
        let mut names = Vec::new();
        handle.each_name(|name, kind| names.push((name.to_vec(), kind))).map_err(io)?;
        let mut below = Vec::new();
        for (name, kind) in names {
            let path = [dir, b"/", &name].concat();
            if kind != Kind::Directory {
                self.announce(Step::Remove, &path)?;
                handle.remove_file(&name).map_err(|error| self.io(&path, error))?;
            } else if path.len() > self.name.len() + LONG {
                below.push(self.bring_up(&handle, &name, &path, known + below.len())?);
            } else {
                below.push(path);
            }
        }
        Ok(below)
    }

    /// Opens a directory of the tree. Its owner may have lost the right to look into it.
    fn open(&self, dir: &[u8]) -> Result<Dir, Error> {
        let opened = match self.parent.open(dir) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                let (above, name) = split(dir);
                let reclaimed = self.parent.open(above).and_then(|above| above.reclaim(name));
                // Why it could not be opened is what is told.
                reclaimed.map_err(|_| error).and_then(|()| self.parent.open(dir))
            }
            opened => opened,
        };
        opened.map_err(|error| self.io(dir, error))
    }

    /// Moves a directory to the top of the tree, and returns its path there. No number below `number` needs to be tried.
    fn bring_up(&self, above: &Dir, name: &[u8], path: &[u8], number: usize) -> Result<Vec<u8>, Error> {
        let io = |error| self.io(path, error);
        let top = self.open(self.name)?;
        // A directory without the right to write cannot be moved elsewhere.
        let _ = above.reclaim(name);
        for number in number.. {
            let new = format!("deep-{number}");
            self.announce(Step::Rename, path)?;
            match above.rename_new(name, &top, new.as_bytes()) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                done => return done.map(|()| [self.name, b"/", new.as_bytes()].concat()).map_err(io),
            }
        }
        Err(io(ErrorKind::AlreadyExists.into()))
    }

    fn announce(&self, step: Step, path: &[u8]) -> Result<(), Error> {
        self.gate.before(step, &self.shown_at(path))
    }

    fn io(&self, path: &[u8], error: io::Error) -> Error {
        Error::io(self.shown_at(path), error)
    }

    /// The path that a person sees for one that begins with the name.
    fn shown_at(&self, path: &[u8]) -> PathBuf {
        let below = path.get(self.name.len() + 1..).and_then(path_of);
        below.map_or_else(|| self.shown.to_owned(), |below| self.shown.join(below))
    }
}

/// The directory and the last name of a path.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    let slash = path.iter().rposition(|&byte| byte == b'/');
    slash.map_or((&b""[..], path), |slash| (&path[..slash], &path[slash + 1..]))
}
