//! The paths of a tree, sorted, and which of them something accounts for.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization as _;

use crate::format::tree::TreeEntry;

/// All paths of a tree.
pub(super) struct Listing {
    entries: Vec<TreeEntry>,
    claimed: Vec<bool>,
}

impl Listing {
    /// From what a tree lists.
    pub fn new(mut entries: Vec<TreeEntry>) -> Self {
        // The contract says sorted; a listing that is not would make every search wrong.
        if !entries.is_sorted_by(|a, b| a.path <= b.path) {
            entries.sort_by(|a, b| a.path.cmp(&b.path));
        }
        let claimed = vec![false; entries.len()];
        Self { entries, claimed }
    }

    /// Where a path stands.
    pub fn position(&self, path: &str) -> Option<usize> {
        self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()
    }

    /// What stands at a position.
    pub fn at(&self, position: usize) -> &TreeEntry {
        &self.entries[position]
    }

    /// Accounts for a path; false when something did already.
    pub fn claim(&mut self, position: usize) -> bool {
        !std::mem::replace(&mut self.claimed[position], true)
    }

    /// True when something accounts for the path.
    pub fn is_claimed(&self, position: usize) -> bool {
        self.claimed[position]
    }

    /// The positions of what lies below a directory.
    pub fn below(&self, dir: &str) -> std::ops::Range<usize> {
        let prefix = format!("{dir}/");
        let start = self.entries.partition_point(|entry| entry.path < prefix);
        let length = self.entries[start..].partition_point(|entry| entry.path.starts_with(&prefix));
        start..start + length
    }

    /// The shortest ancestor of a path that stands in the listing, and so is no directory.
    pub fn ancestor(&self, path: &str) -> Option<usize> {
        path.match_indices('/').find_map(|(at, _)| self.position(&path[..at]))
    }

    /// The paths that nothing accounts for.
    pub fn unclaimed(&self) -> impl Iterator<Item = &TreeEntry> {
        self.entries.iter().zip(&self.claimed).filter(|(_, claimed)| !**claimed).map(|(entry, _)| entry)
    }

    /// Positions by folded path, for names that a file system changed.
    pub fn by_fold(&self) -> HashMap<String, Vec<usize>> {
        let mut found: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, entry) in self.entries.iter().enumerate() {
            found.entry(fold(&entry.path)).or_default().push(position);
        }
        found
    }
}

/// The path without differences of case and normal form.
pub(super) fn fold(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// True when two paths differ in nothing but their normal form.
pub(super) fn is_same_form(a: &str, b: &str) -> bool {
    a.nfc().eq(b.nfc())
}

/// Directories whose files nothing can be said about.
#[derive(Default)]
pub(super) struct Unchecked(HashSet<String>);

impl Unchecked {
    /// Adds a directory, `""` for the root.
    pub fn add(&mut self, dir: &str) {
        self.0.insert(dir.to_owned());
    }

    /// True for a path in one of them.
    pub fn contains(&self, path: &str) -> bool {
        self.0.contains("") || path.match_indices('/').any(|(at, _)| self.0.contains(&path[..at]))
    }
}
