//! A store of which only some observations are seen: what a recorded stage was made of, whatever was filed since.

use std::collections::BTreeSet;
use std::io;

use super::layout::OBSERVATIONS;
use crate::format::tree::{Tree, TreeEntry};

/// A tree without the observations that are not named; everything else is seen.
pub struct Only<'t> {
    tree: &'t dyn Tree,
    paths: BTreeSet<String>,
}

impl<'t> Only<'t> {
    /// The tree with these observations alone, named by their path below `observations/`.
    pub fn new<'p>(tree: &'t dyn Tree, paths: impl Iterator<Item = &'p str>) -> Self {
        Self { tree, paths: paths.map(|path| format!("{OBSERVATIONS}/{path}")).collect() }
    }

    fn is_seen(&self, path: &str) -> bool {
        let below = path.strip_prefix(OBSERVATIONS).is_some_and(|rest| rest.starts_with('/'));
        !below || self.paths.contains(path)
    }
}

impl Tree for Only<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        let mut all = self.tree.list(dir)?;
        all.retain(|entry| self.is_seen(&entry.path));
        Ok(all)
    }

    fn in_the_way(&self, path: &str) -> io::Result<Option<TreeEntry>> {
        self.tree.in_the_way(path)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        if self.is_seen(path) { self.tree.read(path, limit) } else { Ok(None) }
    }
}
