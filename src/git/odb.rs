//! The object database for many threads: each thread has its own handle with its own cache of delta bases.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use gix::ObjectId;
use gix::objs::{Kind, TreeRefIter};
use gix::odb::pack::cache::lru::MemoryCappedHashmap;

use super::{Error, Oid, Result};

type Handle = gix::odb::Cache<gix::odb::store::Handle<Arc<gix::odb::Store>>>;

/// How much all threads together keep of delta bases: less than git's own 96 MiB for one thread would do.
const DELTA_BASES: usize = 128 << 20;

/// The objects of a repository.
pub(super) struct Odb {
    store: Arc<gix::odb::Store>,
    handles: Mutex<HashMap<ThreadId, (Handle, Vec<u8>)>>,
    incomplete: bool,
}

impl Odb {
    pub(super) fn new(store: Arc<gix::odb::Store>, incomplete: bool) -> Self {
        Self { store, handles: Mutex::default(), incomplete }
    }

    pub(super) fn hash_kind(&self) -> gix::hash::Kind {
        self.store.object_hash()
    }

    /// Lends this thread's handle and buffer. No lock is held meanwhile.
    fn with<T>(&self, work: impl FnOnce(&Handle, &mut Vec<u8>) -> T) -> T {
        let me = thread::current().id();
        let lent = self.handles.lock().unwrap_or_else(PoisonError::into_inner).remove(&me);
        let (handle, mut buffer) = lent.unwrap_or_else(|| (self.new_handle(), Vec::new()));
        let result = work(&handle, &mut buffer);
        // One huge object must not stay in memory for ever.
        buffer.shrink_to(1 << 20);
        self.handles.lock().unwrap_or_else(PoisonError::into_inner).insert(me, (handle, buffer));
        result
    }

    fn new_handle(&self) -> Handle {
        let share = (DELTA_BASES / rayon::current_num_threads()).max(16 << 20);
        self.store.to_cache_arc().with_pack_cache(move || Box::new(MemoryCappedHashmap::new(share)))
    }

    /// The directories of the objects: its own and those of alternates. None when they cannot be told.
    pub(super) fn directories(&self) -> Option<Vec<PathBuf>> {
        let mut all = self.store.alternate_db_paths().ok()?;
        all.push(self.store.path().to_owned());
        Some(all)
    }

    /// Whether an object is known; packs that somebody else added in the meantime need not be seen.
    pub(super) fn has(&self, id: &ObjectId) -> bool {
        self.with(|handle, _| handle.exists_without_refresh(id))
    }

    /// Reads an object of the expected kind.
    pub(super) fn read<T>(&self, id: &ObjectId, kind: Kind, take: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        self.with(|handle, buffer| match gix::objs::Find::try_find(handle, id, buffer) {
            Ok(Some(found)) if found.kind == kind => take(found.data),
            Ok(Some(found)) => Err(invalid(id, format!("expected a {kind}, found a {}", found.kind))),
            Ok(None) => Err(self.missing(id)),
            Err(e) => Err(invalid(id, e)),
        })
    }

    /// Reads a blob of at most so many bytes; the error is its size.
    pub(super) fn read_blob(&self, id: &ObjectId, limit: u64) -> Result<std::result::Result<Vec<u8>, u64>> {
        // Asked before unpacking, since a few kilobytes can unpack to gigabytes.
        let size = self.with(|handle, _| match gix::odb::Header::try_header(handle, id) {
            Ok(Some(header)) => Ok(header.size()),
            Ok(None) => Err(self.missing(id)),
            Err(e) => Err(invalid(id, e)),
        })?;
        if size > limit { Ok(Err(size)) } else { self.read(id, Kind::Blob, |bytes| Ok(Ok(bytes.to_vec()))) }
    }

    /// The kind of an object.
    pub(super) fn kind(&self, id: &ObjectId) -> Result<Option<Kind>> {
        self.with(|handle, _| match gix::odb::Header::try_header(handle, id) {
            Ok(header) => Ok(header.map(|h| h.kind())),
            Err(e) => Err(invalid(id, e)),
        })
    }

    /// Reads a tree entry by entry.
    pub(super) fn read_tree(&self, id: &ObjectId, mut each: impl FnMut(gix::objs::tree::EntryRef<'_>)) -> Result<()> {
        // git knows the empty tree without storing it.
        if id.is_empty_tree() {
            return Ok(());
        }
        self.read(id, Kind::Tree, |bytes| {
            for entry in TreeRefIter::from_bytes(bytes, self.hash_kind()) {
                each(entry.map_err(|e| invalid(id, e))?);
            }
            Ok(())
        })
    }

    pub(super) fn missing(&self, id: &ObjectId) -> Error {
        Error::ObjectMissing { id: Oid(*id), incomplete: self.incomplete }
    }

    pub(super) fn is_incomplete(&self) -> bool {
        self.incomplete
    }
}

/// An object that cannot be used.
pub(super) fn invalid(id: &ObjectId, reason: impl ToString) -> Error {
    Error::ObjectInvalid { id: Oid(*id), reason: reason.to_string() }
}
