//! A tree over another: what `stage --event` adds to facts that it does not write to.

use std::io;

use crate::format::tree::{Tree, TreeEntry};

/// Two trees as one; where both have a file, that of the upper one is seen.
#[derive(Clone, Copy)]
pub struct Layers<'t> {
    /// The tree that is looked at first.
    pub upper: &'t dyn Tree,
    /// The tree below.
    pub lower: &'t dyn Tree,
}

impl Tree for Layers<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        let mut all = self.upper.list(dir)?;
        all.extend(self.lower.list(dir)?);
        all.sort_by(|a, b| a.path.cmp(&b.path));
        // The sort is stable, so the first of two is the upper one.
        all.dedup_by(|lower, upper| lower.path == upper.path);
        Ok(all)
    }

    fn in_the_way(&self, path: &str) -> io::Result<Option<TreeEntry>> {
        match self.upper.in_the_way(path)? {
            None => self.lower.in_the_way(path),
            found => Ok(found),
        }
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        match self.upper.read(path, limit)? {
            None => self.lower.read(path, limit),
            found => Ok(found),
        }
    }
}
