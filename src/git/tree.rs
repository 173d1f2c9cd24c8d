//! A revision as a tree of files, read straight from the object database.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use gix::ObjectId;
use gix::hashtable::{HashMap, HashSet};
use gix::objs::tree::EntryKind;
use rayon::prelude::*;

use super::dir::{Dir, Entry};
use super::odb::Odb;
use super::{Commit, Error, Oid, Repo, Result};
use crate::format::tree::{FileKind, Tree, TreeEntry};

/// The deepest directory that is walked; our own paths have fewer than a hundred segments.
pub(super) const MAX_DEPTH: usize = 256;

/// The most paths that one listing holds: a few small objects can claim billions of them.
pub(super) const MAX_PATHS: u64 = 10_000_000;

/// The most entries of directories that are remembered between reads: some hundred megabytes.
const MAX_CACHED: usize = 2_000_000;

/// The tree of a revision below a prefix. Reading never touches a work tree and never goes to the network.
pub struct RevTree {
    odb: Arc<Odb>,
    root: ObjectId,
    dirs: RwLock<HashMap<ObjectId, Arc<Dir>>>,
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
        tree.root = tree.dir_id(prefix.trim_end_matches('/'))?.ok_or_else(|| Error::PathInvalid {
            path: prefix.to_owned(),
            reason: format!("not a directory in commit {}", commit.id),
        })?;
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
        let (parent, name) = match path.rsplit_once('/') {
            Some((dir, name)) => (self.dir_id(dir)?.filter(|_| !dir.is_empty()), name),
            None => (Some(self.root), path),
        };
        let Some(parent) = parent else { return Ok(None) };
        Ok(self.dir(&parent)?.get(name.as_bytes(), false).filter(|e| e.is_file()).map(|e| Oid(e.id)))
    }

    /// The tree object of a directory (`""`: the root).
    fn dir_id(&self, path: &str) -> Result<Option<ObjectId>> {
        let mut id = self.root;
        for name in path.split('/').filter(|_| !path.is_empty()) {
            match self.dir(&id)?.get(name.as_bytes(), true) {
                Some(entry) => id = entry.id,
                None => return Ok(None),
            }
        }
        Ok(Some(id))
    }

    /// A directory, remembered.
    fn dir(&self, id: &ObjectId) -> Result<Arc<Dir>> {
        if let Some(known) = self.dirs.read().unwrap_or_else(PoisonError::into_inner).get(id) {
            return Ok(Arc::clone(known));
        }
        let dir = Arc::new(Dir::load(&self.odb, id)?);
        if self.cached.fetch_add(1 + dir.0.len(), Ordering::Relaxed) < MAX_CACHED {
            self.dirs.write().unwrap_or_else(PoisonError::into_inner).insert(*id, Arc::clone(&dir));
        }
        Ok(dir)
    }

    /// Loads all directories below one in parallel, each object once.
    fn load_below(&self, root: ObjectId) -> Result<()> {
        let mut seen = HashSet::default();
        let mut level = vec![root];
        while !level.is_empty() {
            let dirs: Result<Vec<_>> = level.par_iter().map(|id| self.dir(id)).collect();
            let below = dirs?.into_iter().flat_map(|d| d.trees().map(|e| e.id).collect::<Vec<_>>());
            level = below.filter(|id| seen.insert(*id)).collect();
        }
        Ok(())
    }

    /// How many paths a directory holds and how deep it goes, without writing them out.
    fn measure(&self, id: ObjectId, depth: usize, known: &mut HashMap<ObjectId, (u64, usize)>) -> Result<(u64, usize)> {
        if let Some(known) = known.get(&id) {
            return Ok(*known);
        }
        let too_large = |limit: String| Error::TreeTooLarge { id: Oid(self.root), limit };
        let dir = self.dir(&id)?;
        let (mut paths, mut height) = (0_u64, 0);
        for entry in &dir.0 {
            let (more, below) = match entry.mode.is_tree() {
                // An empty directory is work as well.
                true if depth < MAX_DEPTH => self.measure(entry.id, depth + 1, known)?,
                true => return Err(too_large(format!("{MAX_DEPTH} directories deep"))),
                false => (1, 0),
            };
            paths = paths.saturating_add(more.max(1));
            height = height.max(below + 1);
        }
        if height > MAX_DEPTH {
            return Err(too_large(format!("{MAX_DEPTH} directories deep")));
        }
        if paths > MAX_PATHS {
            return Err(too_large(format!("{MAX_PATHS} paths")));
        }
        known.insert(id, (paths, height));
        Ok((paths, height))
    }

    /// Everything below a directory, sub-directories in parallel, put together in git's order.
    fn walk(&self, dir: &Dir, path: &str) -> Result<Vec<TreeEntry>> {
        let trees: Vec<&Entry> = dir.trees().collect();
        let below = |entry: &&Entry| self.walk(&*self.dir(&entry.id)?, &join(path, &entry.name));
        let below: Result<Vec<_>> = match &trees[..] {
            [one] => below(one).map(|list| vec![list]),
            many => many.par_iter().map(below).collect(),
        };
        let mut below = below?.into_iter();
        let mut out = Vec::with_capacity(dir.0.len());
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
        let Some(id) = self.dir_id(dir)? else { return Ok(Vec::new()) };
        self.load_below(id)?;
        self.measure(id, 0, &mut HashMap::default())?;
        let mut list = self.walk(&*self.dir(&id)?, dir)?;
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
