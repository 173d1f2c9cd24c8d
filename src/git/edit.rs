//! Trees: a sorted merge of changes into what is there, at the price of the directories that change.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::tree::{EntryKind, EntryMode, name_order};
use gix::objs::{Kind, compute_hash};
use gix::validate::path::component;
use rayon::prelude::*;

use super::tree::MAX_DEPTH;
use super::{Oid, PackWriter, Repo, Result};

type Changes = [(String, Option<Oid>)];

/// What stands at a name: its mode and object.
type Node = (EntryMode, ObjectId);

impl PackWriter<'_> {
    /// A tree with some files changed: `Some` writes a regular file, `None` removes whatever stands there, file or
    /// directory (nothing is fine too). The order of the changes does not matter. Only directories on the way to a
    /// change are read and written; empty ones vanish. `base` must be in the repository already. The changes are put in order.
    ///
    /// # Errors
    /// When a path cannot stand in a tree, when one path is given two contents, when a file would replace a directory or
    /// a directory a file without their removal, or when a tree is missing.
    pub fn edit_tree(&mut self, base: Option<Oid>, changes: &mut Vec<(String, Option<Oid>)>) -> Result<Oid> {
        // What is removed may have any name that somebody got into the tree.
        let bad = |(path, id): &(String, Option<Oid>)| id.and_then(|_| check(path).err());
        if let Some(error) = changes.par_iter().find_map_first(bad) {
            return Err(error);
        }
        changes.par_sort_by(|a, b| by_segments(&a.0, &b.0).then(a.1.cmp(&b.1)));
        changes.dedup();
        let (root, trees) = merge(self.repo(), base.map(|b| b.0), changes, 0)?;
        for NewTree { id, bytes } in trees {
            self.tree(id, bytes)?;
        }
        match root {
            Some(id) => Ok(Oid(id)),
            None => self.add(Kind::Tree, Vec::new()),
        }
    }

    /// A whole new tree of regular files.
    ///
    /// # Errors
    /// As [`PackWriter::edit_tree`].
    pub fn tree_from(&mut self, files: Vec<(String, Oid)>) -> Result<Oid> {
        self.edit_tree(None, &mut files.into_iter().map(|(path, id)| (path, Some(id))).collect())
    }
}

/// A tree that is to be added.
struct NewTree {
    id: ObjectId,
    bytes: Vec<u8>,
}

/// From so many names on a directory is merged on all cores.
const WIDE: usize = 16;

/// Merges sorted changes into one directory: what it is then, nothing when it is empty, and the new trees in it, those below first. `at`
/// is where the names below it begin in their paths.
fn merge(
    repo: &Repo,
    base: Option<ObjectId>,
    changes: &Changes,
    at: usize,
) -> Result<(Option<ObjectId>, Vec<NewTree>)> {
    let mut entries = BTreeMap::new();
    if let Some(base) = base {
        repo.odb().read_tree(&base, |e| {
            entries.insert(e.filename.to_vec(), (e.mode, e.oid.to_owned()));
        })?;
    }
    let groups: Vec<_> = changes.chunk_by(|a, b| segment(&a.0, at) == segment(&b.0, at)).collect();
    let apply = |group: &&Changes| {
        let name = segment(&group[0].0, at);
        let end = at + name.len();
        let (here, below) = group.split_at(group.iter().take_while(|c| c.0.len() == end).count());
        apply(repo, entries.get(name.as_bytes()).copied(), here, below, end + 1)
    };
    let applied: Vec<_> = match groups.len() {
        WIDE.. => groups.par_iter().map(apply).collect(),
        _ => groups.iter().map(apply).collect(),
    };
    let mut trees = Vec::new();
    for (group, applied) in groups.into_iter().zip(applied) {
        let name = segment(&group[0].0, at).as_bytes();
        let (new, below) = applied?;
        trees.extend(below);
        match new {
            Some(new) => entries.insert(name.to_vec(), new),
            None => entries.remove(name),
        };
    }
    if entries.is_empty() {
        return Ok((None, trees));
    }
    let tree = tree_of(repo, &entries)?;
    let id = tree.id;
    trees.push(tree);
    Ok((Some(id), trees))
}

/// What stands at a name after the changes at it and below it, and the new trees there.
fn apply(
    repo: &Repo,
    old: Option<Node>,
    here: &Changes,
    below: &Changes,
    at: usize,
) -> Result<(Option<Node>, Vec<NewTree>)> {
    // `None` sorts first: a removal makes room for what follows.
    let removed = here.first().is_some_and(|c| c.1.is_none());
    let old = old.filter(|_| !removed);
    let mut files = here.iter().filter_map(|(path, id)| id.map(|id| (path, id)));
    let file = files.next();
    if let Some((path, _)) = files.next() {
        return Err(PackWriter::bad_path(path, "two contents for one file"));
    }
    let (mut new, mut trees) = (old, Vec::new());
    if let [first, ..] = below {
        let base = old.filter(|(mode, _)| mode.is_tree()).map(|(_, id)| id);
        let adds = below.iter().any(|c| c.1.is_some());
        if adds && (file.is_some() || old.is_some() && base.is_none()) {
            return Err(PackWriter::bad_path(&first.0, "a file stands where a directory is needed"));
        }
        if base.is_some() || adds {
            let id;
            (id, trees) = merge(repo, base, below, at)?;
            new = id.map(|id| (EntryKind::Tree.into(), id));
        }
    }
    match file {
        Some((path, _)) if new.is_some_and(|(mode, _)| mode.is_tree()) => {
            Err(PackWriter::bad_path(path, "a directory stands where a file is to be written"))
        }
        Some((_, id)) => Ok((Some((EntryKind::Blob.into(), id.0)), trees)),
        None => Ok((new, trees)),
    }
}

/// The tree with these entries.
fn tree_of(repo: &Repo, entries: &BTreeMap<Vec<u8>, Node>) -> Result<NewTree> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by(|(a, (am, _)), (b, (bm, _))| name_order(a, am.is_tree(), b, bm.is_tree()));
    let mut bytes = Vec::new();
    for (name, (mode, id)) in sorted {
        bytes.extend_from_slice(mode.as_bytes(&mut [0; 6]));
        bytes.push(b' ');
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend_from_slice(id.as_slice());
    }
    let id = compute_hash(repo.odb().hash_kind(), Kind::Tree, &bytes).map_err(|e| repo.failed(e))?;
    Ok(NewTree { id, bytes })
}

/// The order in which what lies below a name follows it directly.
fn by_segments(a: &str, b: &str) -> Ordering {
    fn key(path: &str) -> impl Iterator<Item = u8> {
        path.bytes().map(|b| if b == b'/' { 0 } else { b })
    }
    key(a).cmp(key(b))
}

/// The segment of a path that begins at a byte.
fn segment(path: &str, at: usize) -> &str {
    let rest = &path[at..];
    &rest[..memchr::memchr(b'/', rest.as_bytes()).unwrap_or(rest.len())]
}

/// True for most names of a store, which no system takes for another: letters and digits with `-`, `_` and `.` between them, and five or more
/// of them before the first dot, since what Windows reserves has four at most.
fn is_plain(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let bytes = name.as_bytes();
    let ends_well = [bytes.first(), bytes.last()].iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric));
    ends_well && bytes.iter().take_while(|byte| **byte != b'.').count() >= 5 && bytes.iter().all(|byte| is_inner(*byte))
}

/// Refuses what git refuses to check out on some system: `.git` in all its disguises, `..`, reserved names.
pub(super) fn check(path: &str) -> Result<()> {
    if path.bytes().filter(|b| *b == b'/').count() >= MAX_DEPTH {
        return Err(PackWriter::bad_path(path, format!("more than {MAX_DEPTH} segments")));
    }
    for name in path.split('/') {
        if name.contains('\0') {
            return Err(PackWriter::bad_path(path, "a NUL in a name"));
        }
        if is_plain(name) {
            continue;
        }
        gix::validate::path::component(name.as_bytes().as_bstr(), None, component::Options::default())
            .map_err(|e| PackWriter::bad_path(path, e.to_string()))?;
    }
    Ok(())
}
