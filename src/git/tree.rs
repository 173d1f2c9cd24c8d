//! A revision as a tree of files, read straight from the object database.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use rayon::prelude::*;

use super::dir::{Dir, Entry};
use super::odb::Odb;
use super::{Commit, Error, Oid, Repo, Result};
use crate::format::tree::{FileKind, Tree, TreeEntry};

/// The deepest directory that is walked; our own paths have fewer than a hundred segments.
pub(super) const MAX_DEPTH: usize = 256;

/// The most paths that one listing holds: a small object can claim billions of them.
pub(super) const MAX_PATHS: usize = 10_000_000;

/// The most entries whose directories are remembered between reads.
const MAX_CACHED: usize = 2_000_000;

/// The tree of a revision below a prefix. Reading never touches a work tree and never goes to the network.
pub struct RevTree {
    odb: Arc<Odb>,
    root: ObjectId,
    dirs: RwLock<HashMap<Box<str>, Option<Arc<Dir>>>>,
    cached: AtomicUsize,
}

impl Repo {
    /// The tree of a commit, or the part of it below a directory (`""`: all).
    ///
    /// # Errors
    /// When the prefix is no directory there, or an object is missing.
    pub fn tree(&self, commit: &Commit, prefix: &str) -> Result<RevTree> {
        let mut tree = RevTree {
            odb: Arc::clone(self.odb()),
            root: commit.tree.0,
            dirs: RwLock::default(),
            cached: AtomicUsize::new(0),
        };
        let prefix = prefix.trim_end_matches('/');
        if !prefix.is_empty() {
            tree.root = tree.dir_id(prefix)?.ok_or_else(|| Error::PathInvalid {
                path: prefix.to_owned(),
                reason: format!("not a directory in commit {}", commit.id),
            })?;
            tree.dirs = RwLock::default();
        }
        Ok(tree)
    }
}

impl RevTree {
    /// The tree object at the root.
    pub fn id(&self) -> Oid {
        Oid(self.root)
    }

    /// The object of a regular file; `None` when nothing or something else stands there.
    ///
    /// # Errors
    /// When a directory on the way is missing or invalid.
    pub fn file_id(&self, path: &str) -> Result<Option<Oid>> {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(dir) = self.dir(dir)? else { return Ok(None) };
        Ok(dir.get(name.as_bytes(), false).filter(|e| e.is_file()).map(|e| Oid(e.id)))
    }

    /// The tree object of a directory.
    fn dir_id(&self, path: &str) -> Result<Option<ObjectId>> {
        if path.is_empty() {
            return Ok(Some(self.root));
        }
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok(self.dir(parent)?.and_then(|d| d.get(name.as_bytes(), true).map(|e| e.id)))
    }

    /// A directory, remembered.
    fn dir(&self, path: &str) -> Result<Option<Arc<Dir>>> {
        if let Some(known) = self.dirs.read().unwrap_or_else(PoisonError::into_inner).get(path) {
            return Ok(known.clone());
        }
        // Paths come from manifests: a long one must not exhaust the stack.
        if path.bytes().filter(|b| *b == b'/').count() >= MAX_DEPTH {
            return Ok(None);
        }
        let dir = match self.dir_id(path)? {
            Some(id) => Some(Arc::new(Dir::load(&self.odb, &id)?)),
            None => None,
        };
        self.remember(path, dir.clone());
        Ok(dir)
    }

    fn remember(&self, path: &str, dir: Option<Arc<Dir>>) {
        let entries = 1 + dir.as_ref().map_or(0, |d| d.0.len());
        if self.cached.fetch_add(entries, Ordering::Relaxed) < MAX_CACHED {
            self.dirs.write().unwrap_or_else(PoisonError::into_inner).insert(path.into(), dir);
        }
    }

    /// Everything below a directory; sub-directories in parallel, put together in git's order.
    fn walk(&self, dir: &Dir, path: &str, depth: usize, count: &AtomicUsize) -> Result<Vec<TreeEntry>> {
        let too_large = |limit: String| Error::TreeTooLarge { id: Oid(self.root), limit };
        if depth > MAX_DEPTH {
            return Err(too_large(format!("{MAX_DEPTH} directories deep")));
        }
        let files = dir.0.iter().filter(|e| !e.mode.is_tree()).count();
        // Directories count too: a chain of empty ones is work as well.
        if count.fetch_add(dir.0.len(), Ordering::Relaxed) + dir.0.len() > MAX_PATHS {
            return Err(too_large(format!("{MAX_PATHS} paths")));
        }
        let trees: Vec<&Entry> = dir.0.iter().filter(|e| e.mode.is_tree()).collect();
        let below = |entry: &&Entry| {
            let path = join(path, &entry.name);
            let dir = Arc::new(Dir::load(&self.odb, &entry.id)?);
            self.remember(&path, Some(Arc::clone(&dir)));
            self.walk(&dir, &path, depth + 1, count)
        };
        let below: Result<Vec<_>> = match &trees[..] {
            [one] => below(one).map(|list| vec![list]),
            many => many.par_iter().map(below).collect(),
        };
        let mut below = below?.into_iter();
        let mut out = Vec::with_capacity(files);
        for entry in &dir.0 {
            if entry.mode.is_tree() {
                out.extend(below.next().into_iter().flatten());
            } else {
                out.push(TreeEntry { path: join(path, &entry.name), kind: kind_of(entry), bytes: None });
            }
        }
        Ok(out)
    }

    fn list_all(&self, dir: &str) -> Result<Vec<TreeEntry>> {
        let Some(found) = self.dir(dir)? else { return Ok(Vec::new()) };
        let mut list = self.walk(&found, dir, 0, &AtomicUsize::new(0))?;
        // git's order is the order of the paths, unless somebody made the trees by hand.
        if !list.is_sorted_by(|a, b| a.path <= b.path) {
            list.sort_by(|a, b| a.path.cmp(&b.path));
        }
        Ok(list)
    }
}

impl Tree for RevTree {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        Ok(self.list_all(dir.trim_end_matches('/'))?)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(id) = self.file_id(path)? else { return Ok(None) };
        // Asked before unpacking, since a few kilobytes can unpack to gigabytes.
        let size = self.odb.size(&id.0)?;
        if size > limit {
            let text = format!("{path}: {size} bytes are more than the {limit} that are read");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        Ok(Some(self.odb.read(&id.0, gix::objs::Kind::Blob, |bytes| Ok(bytes.to_vec()))?))
    }
}

fn kind_of(entry: &Entry) -> FileKind {
    match entry.mode.kind() {
        EntryKind::Link => FileKind::Symlink,
        EntryKind::Commit | EntryKind::Tree => FileKind::Submodule,
        EntryKind::Blob | EntryKind::BlobExecutable => FileKind::File,
    }
}

pub(super) fn join(dir: &str, name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    if dir.is_empty() { name.into_owned() } else { format!("{dir}/{name}") }
}
