//! Bringing a work tree's index up to date after a commit that was made behind its back.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use gix::bstr::ByteSlice;
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::{File, decode, write};

use super::lock::Turn;
use super::{Error, Identity, Oid, Repo, Result, edit};
use crate::format::steps::Steps;
use crate::system::file_number;

/// A path whose state in the index is to become that of the commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// The path from the root of the work tree.
    pub path: String,
    /// The blob and its size in bytes; `None`: the path was removed.
    pub blob: Option<(Oid, u64)>,
}

/// A move of a reference, see [`Repo::update_ref`].
#[derive(Debug, Clone, Copy)]
pub struct Move<'m> {
    /// Its full name.
    pub name: &'m str,
    /// The commit that it is to name.
    pub new: Oid,
    /// The value that it must have; `None`: it must not exist.
    pub expected: Option<Oid>,
    /// Who moves it.
    pub who: &'m Identity,
    /// The line for the reflog.
    pub message: &'m str,
}

/// How often the index is read again because somebody else replaced it meanwhile.
const ATTEMPTS: usize = 5;

impl Repo {
    /// Records paths in the index as they are in the commit that HEAD now names, so that `git status` is clean and need
    /// not read the files again. All other entries stay as they are. The caller vouches that a file of the given
    /// size in the work tree has the committed content; a file of another size is recorded without its dates, so that git looks
    /// at it itself. In a bare repository there is nothing to do.
    ///
    /// # Errors
    /// [`Error::Locked`] when `index.lock` stays there for two seconds; nothing is changed then. Also when the index is in the
    /// sparse format and a path lies in a directory that is folded there.
    pub fn index_update(&self, staged: &[Staged], steps: &dyn Steps) -> Result<()> {
        self.index_replace(&Turn::wait(self, steps)?, staged, &mut || Ok(()))
    }

    /// Moves the branch that is checked out as [`Repo::update_ref`] does, and the index with it as
    /// [`Repo::index_update`] does: the new index is ready and git's lock of it held before the branch moves.
    ///
    /// # Errors
    /// Those of both; then neither has moved, unless the disk failed between the two.
    pub fn update_checked_out(&self, to: &Move<'_>, staged: &[Staged], steps: &dyn Steps) -> Result<()> {
        let turn = Turn::wait(self, steps)?;
        let mut move_ref = || self.move_ref(&turn, to.name, to.new, to.expected, to.who, to.message);
        self.index_replace(&turn, staged, &mut move_ref)
    }

    /// Those of some paths that the index has in no stage. A lock of the index that a dead process of ours left is removed.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn index_lacks(&self, mut paths: Vec<String>, steps: &dyn Steps) -> Result<Vec<String>> {
        if self.work_dir().is_none() {
            return Ok(Vec::new());
        }
        let path = self.git_dir().join("index");
        Turn::wait(self, steps)?.lock(path.clone())?;
        let index = self.index(&path)?;
        paths.retain(|path| index.entry_index_by_path(path.as_bytes().as_bstr()).is_err());
        Ok(paths)
    }

    /// Replaces the index; `first` is called when the new one is ready and git's lock is held.
    fn index_replace(&self, turn: &Turn<'_>, staged: &[Staged], first: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let Some(work_dir) = self.work_dir().filter(|_| !staged.is_empty()) else { return first() };
        for added in staged.iter().filter(|s| s.blob.is_some()) {
            edit::check(&added.path)?;
        }
        let path = self.git_dir().join("index");
        for _ in 0..ATTEMPTS {
            let lock = turn.lock(path.clone())?;
            let read_from = state_of(&path);
            let bytes = self.updated(&path, work_dir, staged)?;
            let mut replaced = false;
            let result = lock.replace(&bytes, || {
                replaced = state_of(&path) != read_from;
                if replaced { Err(Error::Locked { path: path.clone() }) } else { first() }
            });
            if !replaced {
                return result;
            }
        }
        Err(Error::Locked { path })
    }

    pub(super) fn index(&self, path: &Path) -> Result<File> {
        File::at_or_default(path, self.odb().hash_kind(), false, decode::Options::default())
            .map_err(|e| Error::git(path, e))
    }

    /// The bytes of the index with the paths recorded.
    fn updated(&self, path: &Path, work_dir: &Path, staged: &[Staged]) -> Result<Vec<u8>> {
        let failed = |e| Error::git(path, e);
        let mut index = self.index(path)?;
        let wanted: HashMap<&[u8], &Staged> = staged.iter().map(|s| (s.path.as_bytes(), s)).collect();
        check_room(&index, staged)?;
        // Entries of a conflict are replaced as well, as `git add` does.
        index.remove_entries(|_, path, entry| {
            wanted.get(&**path).is_some_and(|s| s.blob.is_none() || entry.stage() != Stage::Unconflicted)
        });
        let sorted = index.entries().len();
        for staged in wanted.values() {
            let Some((id, bytes)) = staged.blob else { continue };
            let stat = stat(&work_dir.join(&staged.path), bytes);
            let name = staged.path.as_bytes().as_bstr();
            match index.entry_index_by_path_and_stage_bounded(name, Stage::Unconflicted, sorted) {
                Some(at) => {
                    let entry = &mut index.entries_mut()[at];
                    (entry.stat, entry.id, entry.mode) = (stat, id.0, Mode::FILE);
                    entry.flags.remove(Flags::INTENT_TO_ADD);
                }
                None => index.dangerously_push_entry(stat, id.0, Flags::empty(), Mode::FILE, name),
            }
        }
        index.sort_entries();
        // The cached trees are no longer true; git makes them again.
        index.remove_tree();
        let mut bytes = Vec::new();
        index.write_to(&mut bytes, write::Options::default()).map_err(failed)?;
        Ok(bytes)
    }
}

/// Refuses an index that has a file, or a folded directory, where a directory of the new paths must stand.
fn check_room(index: &File, staged: &[Staged]) -> Result<()> {
    let mut seen = HashSet::new();
    for staged in staged.iter().filter(|s| s.blob.is_some()) {
        for (at, _) in staged.path.match_indices('/') {
            let (dir, folded) = (&staged.path[..at], &staged.path[..=at]);
            if !seen.insert(dir) {
                continue;
            }
            let has = |path: &str| index.entry_index_by_path(path.as_bytes().as_bstr()).is_ok();
            if has(folded) {
                return Err(Error::SparseIndex { dir: dir.to_owned() });
            }
            if has(dir) {
                let reason = format!("{dir} is a file in the index");
                return Err(Error::PathInvalid { path: staged.path.clone(), reason });
            }
        }
    }
    Ok(())
}

/// What git compares to see whether a file changed; all zero, and so never equal, when the file is not as expected.
fn stat(path: &Path, bytes: u64) -> Stat {
    let Ok(meta) = fs::symlink_metadata(path) else { return Stat::default() };
    if !meta.is_file() || meta.len() != bytes {
        return Stat::default();
    }
    gix::index::fs::Metadata::from_path_no_follow(path)
        .ok()
        .and_then(|meta| Stat::from_fs(&meta).ok())
        .unwrap_or_default()
}

/// What tells one index file from the next.
fn state_of(path: &Path) -> Option<(u64, Option<SystemTime>, (u64, u64))> {
    let meta = fs::symlink_metadata(path).ok()?;
    Some((meta.len(), meta.modified().ok(), file_number(path).ok()?))
}
