//! What a sparse checkout leaves out of a work tree although the index has it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use gix::index::entry::Flags;

use super::{Repo, Result};

impl Repo {
    /// Whether the work tree is a sparse checkout.
    pub fn is_sparse(&self) -> bool {
        self.local().config_snapshot().boolean("core.sparseCheckout") == Some(true)
    }

    /// How many files or folded directories git's index says are not to be in the work tree (skip-worktree: by a sparse checkout, or
    /// because somebody marked them) and are not there, of those that have one of some names right below a directory of it (`""`: its top), or stand below one that has.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn left_out(&self, dir: &str, names: &[&str]) -> Result<usize> {
        let path = self.git_dir().join("index");
        let Some(top) = self.work_dir().filter(|_| has_room_for_marks(&path)) else { return Ok(0) };
        let index = self.index(&path)?;
        let dir = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let is_meant = |path: &str| match path.strip_prefix(&dir) {
            Some(below) => below.split('/').next().is_some_and(|name| below.is_empty() || names.contains(&name)),
            // A directory that is folded with all that is in it.
            None => path.ends_with('/') && dir.starts_with(path),
        };
        let skipped = index.entries().iter().filter(|entry| entry.flags.contains(Flags::SKIP_WORKTREE));
        let paths = skipped.map(|entry| entry.path(&index).to_string());
        Ok(paths.filter(|path| is_meant(path) && top.join(path).symlink_metadata().is_err()).count())
    }
}

/// Whether an index is of a version that can mark entries as left out. Version 2, which git writes where no entry needs more, cannot: of
/// most stores nothing but these bytes is read.
fn has_room_for_marks(index: &Path) -> bool {
    let mut head = [0; 8];
    File::open(index).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head != *b"DIRC\0\0\0\x02"
}
