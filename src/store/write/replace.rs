//! Whole trees that appear at once: built beside their target, flushed, and given its name.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{self, AtFlags, FileType, FlockOperation, Mode, RenameFlags};
use rustix::io::Errno;

use super::remove::Removal;
use super::{Gate, SYNC_EACH, create_dirs, create_file, parent_of, rename_new, split_path, sweep, sync_all};
use crate::format::path::is_safe;
use crate::format::steps::{Step, Steps};
use crate::store::dir::DirTree;
use crate::store::{Error, beneath};

/// The beginning of the names of directories in which a tree is built, or an old one waits for its removal.
pub const STAGING_PREFIX: &str = ".docket-new-";

/// The modes of a tree; the umask has no say. What is private or sealed is not flushed: it serves who runs now, can be made again, and
/// is checked by its digest before it is used later. A killed process leaves it whole or not at all; only a loss of power may leave files
/// of it empty or cut, which `verify` finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modes {
    /// For this user alone: 0700 and 0600.
    Private,
    /// Read-only: 0555 and 0444.
    Sealed,
    /// As a checkout: 0755 and 0644.
    Plain,
}

impl Modes {
    fn of_dir(self) -> Mode {
        Mode::from_raw_mode(match self {
            Self::Private => 0o700,
            Self::Sealed => 0o555,
            Self::Plain => 0o755,
        })
    }

    /// Whether a tree is flushed before it gets its name.
    fn is_flushed(self) -> bool {
        self == Self::Plain
    }

    fn of_file(self) -> Mode {
        Mode::from_raw_mode(match self {
            Self::Private => 0o600,
            Self::Sealed => 0o444,
            Self::Plain => 0o644,
        })
    }
}

/// What to do with a target that exists. Whether it may be replaced is for the caller to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and fail.
    Refuse,
    /// Put the new tree in its place and remove it, if it is a directory.
    Replace,
}

/// Writes a tree whose parent directory exists. Whoever looks sees the old state or the whole new tree, never a part; without
/// the exchange of names by the system there is a moment with neither.
///
/// # Errors
/// [`Error::Exists`], [`Error::NotADirectory`], [`Error::UnsafePath`], [`Error::Conflict`] for a path that comes twice or is both file
/// and directory, [`Error::Io`]. After an error nothing is left behind, save after [`Error::Stopped`].
pub fn replace_tree(
    target: &Path,
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
    modes: Modes,
    existing: Existing,
    steps: &dyn Steps,
) -> Result<(), Error> {
    build(target, files, modes, existing, &|_| None, steps)
}

/// The same, where a target that exists is replaced only if nothing in it is foreign. It is asked about what was really
/// replaced, when nobody else can get at it under the target's name any more; what is not ours gets its name back.
///
/// # Errors
/// As [`replace_tree`], and [`Error::Foreign`].
pub fn replace_own_tree(
    target: &Path,
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
    modes: Modes,
    foreign: &Foreign<'_>,
    steps: &dyn Steps,
) -> Result<(), Error> {
    build(target, files, modes, Existing::Replace, foreign, steps)
}

/// Says what in a tree is not ours.
type Foreign<'f> = dyn Fn(&dyn crate::format::tree::Tree) -> Option<String> + 'f;

fn build(
    target: &Path,
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
    modes: Modes,
    existing: Existing,
    foreign: &Foreign<'_>,
    steps: &dyn Steps,
) -> Result<(), Error> {
    let gate = Gate::new(steps);
    // From here on the parent is this directory, whatever its path leads to later.
    let (parent, name) = parent_of(target)?;
    let replaced = look_at_target(&parent, name, target, existing)?;
    gate.before(Step::Write, target)?;
    let (staging, dir) = sweep::create(parent.as_fd(), STAGING_PREFIX).map_err(|errno| Error::io(target, errno))?;
    let tree = Tree { parent, target, name, staging, dir, modes, gate };
    let done = tree.fill(files).and_then(|()| tree.give_name(replaced, existing, foreign));
    if done.is_err() && !tree.gate.is_closed() {
        // The first error is the one to report.
        let _ = tree.removal(tree.staging.as_ref()).run();
    }
    done
}

/// True when the target is a directory that is to be replaced.
fn look_at_target(parent: &OwnedFd, name: &OsStr, target: &Path, existing: Existing) -> Result<bool, Error> {
    let kind = match fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(false),
        Err(errno) => return Err(Error::io(target, errno)),
        Ok(stat) => FileType::from_raw_mode(stat.st_mode),
    };
    let path = target.to_owned();
    match (existing, kind) {
        (Existing::Refuse, _) => Err(Error::Exists { path }),
        (_, FileType::Directory) => Ok(true),
        (_, FileType::Symlink) => Err(Error::NotADirectory { path, found: "a symbolic link" }),
        _ => Err(Error::NotADirectory { path, found: "a file" }),
    }
}

/// A tree being built.
struct Tree<'a> {
    parent: OwnedFd,
    target: &'a Path,
    name: &'a OsStr,
    staging: String,
    dir: OwnedFd,
    modes: Modes,
    gate: Gate<'a>,
}

impl Tree<'_> {
    fn fill(&self, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<(), Error> {
        let mut dirs = BTreeSet::from([String::new()]);
        // Files stay open only as long as they can all be flushed one by one.
        let (mut unsynced, mut each) = (Vec::new(), self.modes.is_flushed());
        // Neighbours mostly lie in one directory.
        let mut open: Option<(String, OwnedFd)> = None;
        for (path, bytes) in files {
            if !is_safe(&path) {
                return Err(Error::UnsafePath { path: path.chars().take(200).collect() });
            }
            let above = split_path(&path).0;
            let (_, dir) = match open.take().filter(|(at, _)| at == above) {
                Some(held) => open.insert(held),
                None => open.insert((above.to_owned(), self.dir_of(&path, &mut dirs)?)),
            };
            let file = self.write(dir, &path, &bytes)?;
            each = each && unsynced.len() < SYNC_EACH;
            if each {
                unsynced.push((path, file));
            } else {
                unsynced.clear();
            }
        }
        for (path, file) in &unsynced {
            self.gate.before(Step::Sync, &self.target.join(path))?;
            file.sync_data().map_err(|error| self.io(path, error))?;
        }
        // Deepest first: a sealed directory takes no more entries.
        for path in dirs.iter().rev() {
            self.finish_dir(path, each)?;
        }
        if each || !self.modes.is_flushed() {
            return Ok(());
        }
        self.gate.before(Step::Sync, self.target)?;
        sync_all(self.dir.as_fd()).map_err(|errno| self.io("", errno.into()))
    }

    /// Opens the directory of a file, making what is missing of it.
    fn dir_of(&self, path: &str, dirs: &mut BTreeSet<String>) -> Result<OwnedFd, Error> {
        create_dirs(self.dir.as_fd(), self.target, split_path(path).0, Mode::RWXU, &mut |made| {
            dirs.insert(made.to_owned());
            self.gate.before(Step::Write, &self.target.join(made))
        })
    }

    fn write(&self, dir: &OwnedFd, path: &str, bytes: &[u8]) -> Result<std::fs::File, Error> {
        let name = split_path(path).1;
        self.gate.before(Step::Write, &self.target.join(path))?;
        let file =
            create_file(dir.as_fd(), name, bytes, Mode::RUSR | Mode::WUSR).map_err(|error| match error.kind() {
                std::io::ErrorKind::AlreadyExists => Error::Conflict { path: self.target.join(path) },
                _ => self.io(path, error),
            })?;
        fs::fchmod(&file, self.modes.of_file()).map_err(|errno| self.io(path, errno.into()))?;
        Ok(file)
    }

    /// Gives a directory its mode and, when asked, flushes it.
    fn finish_dir(&self, path: &str, flush: bool) -> Result<(), Error> {
        let dir = beneath::open(self.dir.as_fd(), path.as_bytes(), beneath::DIRECTORY);
        let dir = dir.map_err(|errno| self.io(path, errno.into()))?;
        fs::fchmod(&dir, self.modes.of_dir()).map_err(|errno| self.io(path, errno.into()))?;
        if flush {
            self.gate.before(Step::Sync, &self.target.join(path))?;
            fs::fsync(&dir).map_err(|errno| self.io(path, errno.into()))?;
        }
        Ok(())
    }

    fn give_name(&self, mut replaced: bool, existing: Existing, foreign: &Foreign<'_>) -> Result<(), Error> {
        let (parent, staging) = (self.parent.as_fd(), self.staging.as_str());
        // Others may take or give up the name meanwhile; then it is the other way that leads on.
        loop {
            self.gate.before(Step::Rename, self.target)?;
            if !replaced {
                match rename_new(parent, staging.as_ref(), parent, self.name) {
                    Err(Errno::EXIST) => replaced = look_at_target(&self.parent, self.name, self.target, existing)?,
                    done => return done.map_err(|errno| self.io("", errno.into())).and_then(|()| self.sync_parent()),
                }
                continue;
            }
            let old = match fs::renameat_with(parent, staging, parent, self.name, RenameFlags::EXCHANGE) {
                Ok(()) => self.staging.clone(),
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => self.move_aside()?,
                Err(Errno::NOENT) => {
                    replaced = false;
                    continue;
                }
                Err(errno) => return Err(self.io("", errno.into())),
            };
            let _held = self.check_old(&old, foreign)?;
            self.sync_parent()?;
            return self.removal(old.as_ref()).run();
        }
    }

    /// Looks at the tree that was replaced before it is removed, and keeps others from sweeping it meanwhile.
    fn check_old(&self, old: &str, foreign: &Foreign<'_>) -> Result<Option<OwnedFd>, Error> {
        let mut held = None;
        let what = match beneath::open(self.parent.as_fd(), old.as_bytes(), beneath::DIRECTORY) {
            Ok(dir) => {
                held = dir.try_clone().ok();
                let _ = fs::flock(&dir, FlockOperation::NonBlockingLockExclusive);
                foreign(&DirTree::of(dir))
            }
            Err(errno) => Some(std::io::Error::from(errno).to_string()),
        };
        let Some(what) = what else { return Ok(held) };
        let parent = self.parent.as_fd();
        let back = if old == self.staging {
            fs::renameat_with(parent, old, parent, self.name, RenameFlags::EXCHANGE)
        } else {
            rename_new(parent, self.name, parent, self.staging.as_ref())
                .and_then(|()| rename_new(parent, old.as_ref(), parent, self.name))
        };
        if back.is_err() {
            // What is not ours lies under a name of ours now: nothing may be cleared away.
            self.gate.close();
        }
        let what = if back.is_ok() { what } else { format!("{what}; it lies beside it now as {old}") };
        Err(Error::Foreign { path: self.target.to_owned(), what })
    }

    /// Renames the old tree to a name of ours, then the new one into its place. Returns the old tree's name.
    fn move_aside(&self) -> Result<String, Error> {
        let parent = self.parent.as_fd();
        let aside = format!("{}-old", self.staging);
        rename_new(parent, self.name, parent, aside.as_ref()).map_err(|errno| self.io("", errno.into()))?;
        self.gate.before(Step::Rename, self.target)?;
        rename_new(parent, self.staging.as_ref(), parent, self.name).map_err(|errno| {
            // The old tree takes its name back; if that fails too, it waits under the other one.
            let _ = rename_new(parent, aside.as_ref(), parent, self.name);
            self.io("", errno.into())
        })?;
        Ok(aside)
    }

    fn sync_parent(&self) -> Result<(), Error> {
        if !self.modes.is_flushed() {
            return Ok(());
        }
        self.gate.before(Step::Sync, self.target.parent().unwrap_or(self.target))?;
        fs::fsync(&self.parent).map_err(|errno| self.io("", errno.into()))
    }

    fn removal<'a>(&'a self, name: &'a OsStr) -> Removal<'a> {
        Removal { parent: self.parent.as_fd(), name, shown: self.target, gate: &self.gate }
    }

    fn io(&self, path: &str, error: std::io::Error) -> Error {
        let path: PathBuf = if path.is_empty() { self.target.to_owned() } else { self.target.join(path) };
        Error::io(path, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::steps::Unhindered;

    /// The file systems at hand exchange names, so only this test reaches the other way.
    #[test]
    fn without_an_exchange_the_old_tree_is_moved_aside() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let target = dir.path().join("tree");
        let files = |text: &str| [("file".to_owned(), text.as_bytes().to_vec())];
        replace_tree(&target, files("old"), Modes::Private, Existing::Refuse, &Unhindered).expect("written");
        let (parent, name) = parent_of(&target).expect("opened");
        let (staging, built) = sweep::create(parent.as_fd(), STAGING_PREFIX).expect("made");
        let gate = Gate::new(&Unhindered);
        let tree = Tree { parent, target: &target, name, staging, dir: built, modes: Modes::Private, gate };
        tree.fill(files("new")).expect("filled");
        let aside = tree.move_aside().expect("moved");
        assert_eq!(std::fs::read(target.join("file")).expect("read"), b"new");
        assert_eq!(std::fs::read(dir.path().join(&aside).join("file")).expect("read"), b"old");
        // Nothing is built any more: the tree in place gets its name back.
        tree.move_aside().expect_err("nothing to put there");
        assert_eq!(std::fs::read(target.join("file")).expect("read"), b"new");
    }
}
