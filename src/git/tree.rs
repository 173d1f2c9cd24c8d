//! A revision as a tree of files, read straight from the object database.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gix::ObjectId;
use gix::hashtable::HashMap;
use gix::objs::tree::EntryKind;
use rayon::prelude::*;

use super::diff::{Side, side};
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

/// The tree of a revision below a prefix. Reading never touches a work tree and never goes to the network. Directories
/// are read when somebody looks into them, and remembered.
pub struct RevTree {
    odb: Arc<Odb>,
    id: ObjectId,
    root: Arc<Dir>,
    cached: AtomicUsize,
}

impl Repo {
    /// The tree of a commit, or the part of it below a directory (`""`: all).
    ///
    /// # Errors
    /// When the prefix is no directory there, or an object is missing.
    pub fn tree(&self, commit: &Commit, prefix: &str) -> Result<RevTree> {
        let root = Arc::new(Dir::load(self.odb(), &commit.tree.0)?);
        let all = RevTree { odb: Arc::clone(self.odb()), id: commit.tree.0, root, cached: AtomicUsize::new(0) };
        match all.dir(prefix.trim_end_matches('/'))? {
            Some((id, root)) => Ok(RevTree { id, root, ..all }),
            None => Err(Error::PathInvalid {
                path: prefix.to_owned(),
                reason: format!("not a directory in commit {}", commit.id),
            }),
        }
    }
}

impl RevTree {
    /// The tree object at the root.
    pub fn id(&self) -> Oid {
        Oid(self.id)
    }

    /// The object of a regular file; `None` when nothing or something else stands there.
    ///
    /// # Errors
    /// When a directory on the way is missing or invalid.
    pub fn file_id(&self, path: &str) -> Result<Option<Oid>> {
        let Some((parent, name)) = self.parent(path)? else { return Ok(None) };
        Ok(parent.get(name.as_bytes(), false).filter(|e| e.is_file()).map(|e| Oid(e.id)))
    }

    /// What stands at a path, unless it is a directory.
    ///
    /// # Errors
    /// When a directory on the way is missing or invalid.
    pub fn side(&self, path: &str) -> Result<Option<Side>> {
        let Some((parent, name)) = self.parent(path)? else { return Ok(None) };
        Ok(parent.get(name.as_bytes(), false).map(side))
    }

    /// The directory that a path lies in, and the last name of the path.
    fn parent<'p>(&self, path: &'p str) -> Result<Option<(Arc<Dir>, &'p str)>> {
        let mut dir = Arc::clone(&self.root);
        let mut names = path.split('/');
        let last = names.next_back().unwrap_or_default();
        // Paths come from manifests too; a longer one than is listed is nowhere.
        for (depth, name) in names.enumerate() {
            let Some(entry) = dir.get(name.as_bytes(), true).filter(|_| depth < MAX_DEPTH) else { return Ok(None) };
            dir = self.below(entry)?;
        }
        Ok(Some((dir, last)))
    }

    /// A directory by its path (`""`: the root).
    fn dir(&self, path: &str) -> Result<Option<(ObjectId, Arc<Dir>)>> {
        if path.is_empty() {
            return Ok(Some((self.id, Arc::clone(&self.root))));
        }
        let Some((parent, name)) = self.parent(path)? else { return Ok(None) };
        let entry = parent.get(name.as_bytes(), true);
        entry.map(|entry| Ok((entry.id, self.below(entry)?))).transpose()
    }

    /// What is in a directory.
    fn below(&self, entry: &Entry) -> Result<Arc<Dir>> {
        if let Some(known) = entry.below.get() {
            return Ok(Arc::clone(known));
        }
        let dir = Arc::new(Dir::load(&self.odb, &entry.id)?);
        self.remember(entry, &dir);
        Ok(dir)
    }

    fn remember(&self, entry: &Entry, dir: &Arc<Dir>) {
        if self.cached.fetch_add(1 + dir.0.len(), Ordering::Relaxed) < MAX_CACHED {
            // Another thread may have been faster with the same.
            let _ = entry.below.set(Arc::clone(dir));
        }
    }

    /// Loads all directories below one in parallel, each object once, and refuses what is too large to be written out:
    /// a tree that names another one twice doubles it, and so on. Only then are they linked to each other.
    fn load_below(&self, top: &Arc<Dir>) -> Result<()> {
        let mut dirs: HashMap<ObjectId, Arc<Dir>> = HashMap::default();
        let mut level = vec![Arc::clone(top)];
        while !level.is_empty() {
            let mut ids: Vec<_> = level.iter().flat_map(|d| d.trees().map(|e| e.id)).collect();
            ids.sort_unstable();
            ids.dedup();
            ids.retain(|id| !dirs.contains_key(id));
            let loaded: Result<Vec<_>> = ids.par_iter().map(|id| Dir::load(&self.odb, id).map(Arc::new)).collect();
            level = loaded?;
            dirs.extend(ids.into_iter().zip(level.iter().cloned()));
        }
        self.measure(top, 0, &dirs, &mut HashMap::default())?;
        for dir in dirs.values().chain([top]) {
            for entry in dir.trees().filter(|e| e.below.get().is_none()) {
                self.remember(entry, &dirs[&entry.id]);
            }
        }
        Ok(())
    }

    /// How many paths a directory holds and how deep it goes, without writing them out.
    fn measure(
        &self,
        dir: &Dir,
        depth: usize,
        dirs: &HashMap<ObjectId, Arc<Dir>>,
        known: &mut HashMap<ObjectId, (u64, usize)>,
    ) -> Result<(u64, usize)> {
        let too_large = |limit: String| Err(Error::TreeTooLarge { id: Oid(self.id), limit });
        let (mut paths, mut height) = (dir.0.len() as u64, 0);
        for entry in dir.trees() {
            let (more, below) = match known.get(&entry.id) {
                Some(known) => *known,
                None if depth < MAX_DEPTH => {
                    let measured = self.measure(&dirs[&entry.id], depth + 1, dirs, known)?;
                    known.insert(entry.id, measured);
                    measured
                }
                None => return too_large(format!("{MAX_DEPTH} directories deep")),
            };
            paths = paths.saturating_add(more);
            height = height.max(below + 1);
        }
        if height > MAX_DEPTH {
            return too_large(format!("{MAX_DEPTH} directories deep"));
        }
        if paths > MAX_PATHS { too_large(format!("{MAX_PATHS} paths")) } else { Ok((paths, height)) }
    }

    /// Everything below a directory, sub-directories in parallel, put together in git's order.
    fn walk(&self, dir: &Dir, path: &str) -> Result<Vec<TreeEntry>> {
        let trees: Vec<&Entry> = dir.trees().collect();
        let below = |entry: &&Entry| self.walk(&*self.below(entry)?, &join(path, &entry.name));
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

    fn list_all(&self, path: &str) -> Result<Vec<TreeEntry>> {
        let Some((_, dir)) = self.dir(path)? else { return Ok(Vec::new()) };
        self.load_below(&dir)?;
        let mut list = self.walk(&dir, path)?;
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

    fn in_the_way(&self, path: &str) -> io::Result<Option<TreeEntry>> {
        let mut dir = Arc::clone(&self.root);
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for (end, name) in ends.zip(path.split('/')).take(MAX_DEPTH) {
            if let Some(entry) = dir.get(name.as_bytes(), false) {
                return Ok(Some(TreeEntry { path: path[..end].to_owned(), kind: kind_of(entry), bytes: None }));
            }
            let Some(entry) = dir.get(name.as_bytes(), true) else { return Ok(None) };
            let below = self.below(entry)?;
            dir = below;
        }
        Ok(None)
    }

    fn directories(&self, dir: &str) -> io::Result<BTreeSet<String>> {
        let found = self.dir(dir.trim_end_matches('/'))?;
        let names = found.iter().flat_map(|(_, dir)| dir.trees());
        Ok(names.map(|entry| String::from_utf8_lossy(&entry.name).into_owned()).collect())
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(id) = self.file_id(path)? else { return Ok(None) };
        match self.odb.read_blob(&id.0, limit)? {
            Ok(bytes) => Ok(Some(bytes)),
            Err(size) => {
                let text = format!("{path}: {size} bytes are more than the {limit} that are read");
                Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
            }
        }
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
