//! What differs between two trees, at the price of what differs.

use std::cmp::Ordering;

use gix::objs::tree::EntryKind;

use super::dir::{Dir, Entry};
use super::tree::{MAX_DEPTH, MAX_PATHS, join};
use super::{Error, Oid, Repo, Result, RevTree};

/// One side of a changed path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// The blob (of a link: its target as text; of a submodule: the commit).
    pub id: Oid,
    /// Whether it is a regular file.
    pub is_file: bool,
    /// The mode as diffs write it: `100644`.
    pub mode: &'static str,
}

/// A path that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path, with `/` between segments.
    pub path: String,
    /// What stood there; `None`: it was added.
    pub before: Option<Side>,
    /// What stands there now; `None`: it was removed.
    pub after: Option<Side>,
}

impl Repo {
    /// The paths that differ between two trees, sorted by their bytes. Directories that are equal are not even read.
    /// A change of the executable bit alone is one.
    ///
    /// # Errors
    /// When a tree is missing, invalid or too large.
    pub fn tree_diff(&self, before: &RevTree, after: &RevTree) -> Result<Vec<Change>> {
        let root = |tree: &RevTree| Entry::new(b"", EntryKind::Tree.into(), tree.id().0);
        let mut changes = Vec::new();
        self.compare(Some(&root(before)), Some(&root(after)), "", 0, &mut changes)?;
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// What diffs show of a side: the content of a file or link, the line that names the commit of a submodule. `None` for more bytes.
    ///
    /// # Errors
    /// When the object is missing or invalid.
    pub fn content(&self, side: &Side, limit: u64) -> Result<Option<Vec<u8>>> {
        match side.mode {
            "160000" => Ok(Some(format!("Subproject commit {}\n", side.id).into_bytes())),
            _ => Ok(self.odb().read_blob(&side.id.0, limit)?.ok()),
        }
    }

    /// Compares what stands at one path, going down where at least one side is a directory.
    fn compare(
        &self,
        before: Option<&Entry>,
        after: Option<&Entry>,
        path: &str,
        depth: usize,
        out: &mut Vec<Change>,
    ) -> Result<()> {
        let Some(either) = before.or(after) else { return Ok(()) };
        if before.zip(after).is_some_and(|(a, b)| a.id == b.id && a.mode.kind() == b.mode.kind()) {
            return Ok(());
        }
        if depth > MAX_DEPTH || out.len() as u64 > MAX_PATHS {
            let limit = format!("{MAX_DEPTH} directories deep or {MAX_PATHS} changes");
            return Err(Error::TreeTooLarge { id: Oid(either.id), limit });
        }
        let file = |e: Option<&Entry>| e.filter(|e| !e.mode.is_tree()).map(side);
        let (was, is) = (file(before), file(after));
        if was.is_some() || is.is_some() {
            out.push(Change { path: path.to_owned(), before: was, after: is });
        }
        let dir = |e: Option<&Entry>| match e.filter(|e| e.mode.is_tree()) {
            Some(e) => Dir::load(self.odb(), &e.id),
            None => Ok(Dir::default()),
        };
        let (was, is) = (dir(before)?, dir(after)?);
        let (mut was, mut is) = (was.0.iter().peekable(), is.0.iter().peekable());
        loop {
            let order = match (was.peek(), is.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.order(b),
            };
            let a = was.next_if(|_| order != Ordering::Greater);
            let b = is.next_if(|_| order != Ordering::Less);
            let name = a.or(b).map_or(&[][..], |e| &e.name);
            self.compare(a, b, &join(path, name), depth + 1, out)?;
        }
    }
}

/// What stands at an entry that is no directory.
pub(super) fn side(entry: &Entry) -> Side {
    let mode = match entry.mode.kind() {
        EntryKind::Tree => "040000",
        EntryKind::Blob => "100644",
        EntryKind::BlobExecutable => "100755",
        EntryKind::Link => "120000",
        EntryKind::Commit => "160000",
    };
    Side { id: Oid(entry.id), is_file: entry.is_file(), mode }
}
