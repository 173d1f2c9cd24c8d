//! Whole trees that appear at once: built beside their target, flushed, and given its name.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::remove::Removal;
use super::{Gate, Held, create_dirs, split_path, sweep};
use crate::format::path::is_safe;
use crate::format::steps::{Step, Steps};
use crate::store::Error;
use crate::store::dir::DirTree;
use crate::system::{Dir, FLUSHED_EACH, Kind};

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
    fn of_dir(self) -> u32 {
        match self {
            Self::Private => 0o700,
            Self::Sealed => 0o555,
            Self::Plain => 0o755,
        }
    }

    /// Whether a tree is flushed before it gets its name.
    fn is_flushed(self) -> bool {
        self == Self::Plain
    }

    fn of_file(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Sealed => 0o444,
            Self::Plain => 0o644,
        }
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
/// [`Error::Exists`], [`Error::NotADirectory`], [`Error::Moved`], [`Error::UnsafePath`], [`Error::Conflict`] for a path that comes twice or is both file
/// and directory, [`Error::Io`]. After an error nothing is left behind, save after [`Error::Stopped`].
pub fn replace_tree(
    target: &Held,
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
    target: &Held,
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
    held: &Held,
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
    modes: Modes,
    existing: Existing,
    foreign: &Foreign<'_>,
    steps: &dyn Steps,
) -> Result<(), Error> {
    let gate = Gate::new(steps);
    // From here on the parent is this directory, whatever its path leads to later.
    let ((parent, name), target) = (held.open()?, held.target());
    let replaced = look_at_target(&parent, name, target, existing)?;
    gate.before(Step::Write, target)?;
    let (staging, dir) = sweep::create(&parent, STAGING_PREFIX).map_err(|error| Error::io(target, error))?;
    let tree = Tree { parent, target, name, staging, dir, modes, gate };
    let done =
        tree.fill(files).and_then(|()| tree.bind(held)).and_then(|()| tree.give_name(replaced, existing, foreign));
    if done.is_err() && !tree.gate.is_closed() {
        // The first error is the one to report.
        let _ = tree.removal(&tree.staging).run();
    }
    done
}

/// True when the target is a directory that is to be replaced.
fn look_at_target(parent: &Dir, name: &[u8], target: &Path, existing: Existing) -> Result<bool, Error> {
    let kind = match parent.kind(name) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        found => found.map_err(|error| Error::io(target, error))?,
    };
    let path = target.to_owned();
    match (existing, kind) {
        (Existing::Refuse, _) => Err(Error::Exists { path }),
        (_, Kind::Directory) => Ok(true),
        (_, Kind::Symlink) => Err(Error::NotADirectory { path, found: "a symbolic link" }),
        _ => Err(Error::NotADirectory { path, found: "a file" }),
    }
}

/// A tree being built.
struct Tree<'a> {
    parent: Dir,
    target: &'a Path,
    name: &'a [u8],
    staging: String,
    dir: Dir,
    modes: Modes,
    gate: Gate<'a>,
}

impl Tree<'_> {
    fn fill(&self, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<(), Error> {
        let mut dirs = BTreeSet::from([String::new()]);
        // Files stay open only as long as they can all be flushed one by one.
        let (mut unsynced, mut each) = (Vec::new(), self.modes.is_flushed());
        // Neighbours mostly lie in one directory.
        let mut open: Option<(String, Dir)> = None;
        for (path, bytes) in files {
            if !is_safe(&path) {
                return Err(Error::UnsafePath { path: path.chars().take(200).collect() });
            }
            let (above, name) = split_path(&path);
            let (_, dir) = match open.take().filter(|(at, _)| at == above) {
                Some(held) => open.insert(held),
                None => open.insert((above.to_owned(), self.dir(above, &mut dirs)?)),
            };
            let file = self.write(dir, name, &path, &bytes)?;
            each = each && unsynced.len() < FLUSHED_EACH;
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
        self.dir.sync_all().map_err(|error| self.io("", error))
    }

    /// Opens a directory of the tree, making what is missing of it.
    fn dir(&self, path: &str, dirs: &mut BTreeSet<String>) -> Result<Dir, Error> {
        create_dirs(&self.dir, self.target, path, 0o700, &mut |made| {
            dirs.insert(made.to_owned());
            self.gate.before(Step::Write, &self.target.join(made))
        })
    }

    fn write(&self, dir: &Dir, name: &str, path: &str, bytes: &[u8]) -> Result<std::fs::File, Error> {
        self.gate.before(Step::Write, &self.target.join(path))?;
        let file = dir.create_file(name.as_bytes(), bytes, 0o600).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Conflict { path: self.target.join(path) },
            _ => self.io(path, error),
        })?;
        let set = dir.set_file_mode(name.as_bytes(), &file, self.modes.of_file());
        set.map_err(|error| self.io(path, error))?;
        Ok(file)
    }

    /// Gives a directory its mode and, when asked, flushes it.
    fn finish_dir(&self, path: &str, flush: bool) -> Result<(), Error> {
        let dir = self.dir.open(path.as_bytes()).map_err(|error| self.io(path, error))?;
        dir.set_mode(self.modes.of_dir()).map_err(|error| self.io(path, error))?;
        if flush {
            self.gate.before(Step::Sync, &self.target.join(path))?;
            dir.sync().map_err(|error| self.io(path, error))?;
        }
        Ok(())
    }

    /// Notes the tree in the lease of its target before it gets its name: who is killed then leaves nothing that nobody removes.
    fn bind(&self, held: &Held) -> Result<(), Error> {
        let Some(lease) = held.lease() else { return Ok(()) };
        self.gate.before(Step::Write, self.target)?;
        lease.bind(&self.parent, self.staging.as_bytes()).map_err(|error| self.io("", error))
    }

    fn give_name(&self, mut replaced: bool, existing: Existing, foreign: &Foreign<'_>) -> Result<(), Error> {
        let (parent, staging) = (&self.parent, self.staging.as_bytes());
        // Others may take or give up the name meanwhile; then it is the other way that leads on.
        loop {
            self.gate.before(Step::Rename, self.target)?;
            if !replaced {
                match parent.rename_new(staging, parent, self.name) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                        replaced = look_at_target(parent, self.name, self.target, existing)?;
                    }
                    done => return done.map_err(|error| self.io("", error)).and_then(|()| self.sync_parent()),
                }
                continue;
            }
            let old = match parent.exchange(staging, self.name) {
                Ok(()) => self.staging.clone(),
                Err(error) if error.kind() == ErrorKind::Unsupported => self.move_aside()?,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    replaced = false;
                    continue;
                }
                Err(error) => return Err(self.io("", error)),
            };
            let _held = self.check_old(&old, foreign)?;
            self.sync_parent()?;
            return self.removal(&old).run();
        }
    }

    /// Looks at the tree that was replaced before it is removed, and keeps others from sweeping it meanwhile.
    fn check_old(&self, old: &str, foreign: &Foreign<'_>) -> Result<Option<DirTree>, Error> {
        let parent = &self.parent;
        let opened = parent.open_movable(old.as_bytes()).map(|dir| {
            dir.keep();
            DirTree::of(dir)
        });
        let what = match &opened {
            Ok(tree) => foreign(tree),
            Err(error) => Some(error.to_string()),
        };
        let Some(what) = what else { return Ok(opened.ok()) };
        let back = if old == self.staging {
            parent.exchange(old.as_bytes(), self.name)
        } else {
            let aside = parent.rename_new(self.name, parent, self.staging.as_bytes());
            aside.and_then(|()| parent.rename_new(old.as_bytes(), parent, self.name))
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
        let parent = &self.parent;
        let aside = format!("{}-old", self.staging);
        parent.rename_new(self.name, parent, aside.as_bytes()).map_err(|error| self.io("", error))?;
        self.gate.before(Step::Rename, self.target)?;
        parent.rename_new(self.staging.as_bytes(), parent, self.name).map_err(|error| {
            // The old tree takes its name back; if that fails too, it waits under the other one.
            let _ = parent.rename_new(aside.as_bytes(), parent, self.name);
            self.io("", error)
        })?;
        Ok(aside)
    }

    fn sync_parent(&self) -> Result<(), Error> {
        if !self.modes.is_flushed() {
            return Ok(());
        }
        self.gate.before(Step::Sync, self.target.parent().unwrap_or(self.target))?;
        self.parent.sync().map_err(|error| self.io("", error))
    }

    fn removal<'a>(&'a self, name: &'a str) -> Removal<'a> {
        Removal { parent: &self.parent, name: name.as_bytes(), shown: self.target, gate: &self.gate }
    }

    fn io(&self, path: &str, error: io::Error) -> Error {
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
        let held = Held::new(&target).expect("held");
        replace_tree(&held, files("old"), Modes::Private, Existing::Refuse, &Unhindered).expect("written");
        let (parent, name) = held.open().expect("opened");
        let (staging, built) = sweep::create(&parent, STAGING_PREFIX).expect("made");
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
