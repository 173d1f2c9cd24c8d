//! One directory of a revision, decoded.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use gix::ObjectId;
use gix::objs::tree::{EntryMode, name_order};

use super::Result;
use super::odb::Odb;

/// One entry of a directory.
#[derive(Debug)]
pub(super) struct Entry {
    /// The name as git has it; any bytes but NUL.
    pub(super) name: Box<[u8]>,
    pub(super) mode: EntryMode,
    pub(super) id: ObjectId,
    /// Of a directory: what is in it, once somebody looked.
    pub(super) below: OnceLock<Arc<Dir>>,
}

impl Entry {
    pub(super) fn new(name: &[u8], mode: EntryMode, id: ObjectId) -> Self {
        Self { name: name.into(), mode, id, below: OnceLock::new() }
    }

    /// git's order: a directory is compared as if its name ended with a slash, so that walking gives sorted paths.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        name_order(&self.name, self.mode.is_tree(), &other.name, other.mode.is_tree())
    }

    /// Whether this is a file that is read: neither a link nor a submodule.
    pub(super) fn is_file(&self) -> bool {
        self.mode.is_blob()
    }
}

/// The entries of one tree object, in the order in which they stand there.
#[derive(Debug, Default)]
pub(super) struct Dir(pub(super) Vec<Entry>);

impl Dir {
    pub(super) fn load(odb: &Odb, id: &ObjectId) -> Result<Self> {
        let mut entries = Vec::new();
        odb.read_tree(id, |e| {
            entries.push(Entry::new(e.filename, e.mode, e.oid.to_owned()));
        })?;
        Ok(Self(entries))
    }

    /// The directories in it.
    pub(super) fn trees(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().filter(|e| e.mode.is_tree())
    }

    /// Looks a name up as a file or as a directory.
    pub(super) fn get(&self, name: &[u8], tree: bool) -> Option<&Entry> {
        let at = self.0.binary_search_by(|e| name_order(&e.name, e.mode.is_tree(), name, tree)).ok()?;
        Some(&self.0[at]).filter(|e| e.mode.is_tree() == tree)
    }
}
