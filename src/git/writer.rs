//! Adding objects: hashed and compressed on all cores, written as one pack.

use std::sync::Arc;

use gix::ObjectId;
use gix::hashtable::HashSet;
use gix::objs::{Kind, compute_hash};
use rayon::prelude::*;

use super::lock::Watched;
use super::odb::Odb;
use super::pack::{self, Pack};
use super::present::Present;
use super::{Error, Oid, Repo, Result};
use crate::format::steps::Steps;

/// How many bytes or objects wait before they are compressed together.
const BATCH_BYTES: usize = 8 << 20;
const BATCH_OBJECTS: usize = 8192;

/// A pack of this size is closed and another begun, so that its index needs no 64-bit offsets.
const MAX_PACK: u64 = 1 << 30;

/// Adds objects to a repository. Nothing is visible to readers before [`PackWriter::finish`]; what the repository or an
/// alternate has already is not written again. Dropped unfinished it leaves nothing behind; a killed process leaves at most
/// `tmp_…` files, which `git gc` sweeps.
pub struct PackWriter<'a> {
    repo: &'a Repo,
    odb: Arc<Odb>,
    present: Present,
    steps: Watched<'a>,
    pack: Option<Pack>,
    seen: HashSet,
    waiting: Vec<(ObjectId, Kind, Vec<u8>)>,
    waiting_bytes: usize,
    max_pack: u64,
}

impl Repo {
    /// Begins to add objects. Each change of the disk is announced to `steps`.
    pub fn writer<'a>(&'a self, steps: &'a dyn Steps) -> PackWriter<'a> {
        PackWriter {
            repo: self,
            odb: Arc::clone(self.odb()),
            present: Present::new(Arc::clone(self.odb())),
            steps: Watched::new(steps),
            pack: None,
            seen: HashSet::default(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            max_pack: MAX_PACK,
        }
    }
}

impl PackWriter<'_> {
    /// The repository that is written to.
    pub fn repo(&self) -> &Repo {
        self.repo
    }

    /// Adds a blob.
    ///
    /// # Errors
    /// When writing fails.
    pub fn blob(&mut self, bytes: Vec<u8>) -> Result<Oid> {
        self.add(Kind::Blob, bytes)
    }

    /// Adds many blobs, hashed in parallel; their names come in the same order. Hand over some megabytes at a time.
    ///
    /// # Errors
    /// When writing fails.
    pub fn blobs(&mut self, contents: Vec<Vec<u8>>) -> Result<Vec<Oid>> {
        let (present, kind) = (&self.present, self.odb.hash_kind());
        let hashed: Result<Vec<_>> = contents
            .into_par_iter()
            .map(|bytes| {
                let id = compute_hash(kind, Kind::Blob, &bytes).map_err(|e| self.repo.failed(e))?;
                Ok((id, present.has(&id), bytes))
            })
            .collect();
        let mut ids = Vec::new();
        for (id, known, bytes) in hashed? {
            ids.push(Oid(id));
            self.enqueue(id, known, Kind::Blob, bytes)?;
        }
        Ok(ids)
    }

    /// Adds any object.
    pub(super) fn add(&mut self, kind: Kind, bytes: Vec<u8>) -> Result<Oid> {
        let id = compute_hash(self.odb.hash_kind(), kind, &bytes).map_err(|e| self.repo.failed(e))?;
        self.enqueue(id, self.present.has(&id), kind, bytes)?;
        Ok(Oid(id))
    }

    /// Adds a tree whose name is known already.
    pub(super) fn tree(&mut self, id: ObjectId, bytes: Vec<u8>) -> Result<()> {
        self.enqueue(id, self.present.has(&id), Kind::Tree, bytes)
    }

    fn enqueue(&mut self, id: ObjectId, known: bool, kind: Kind, bytes: Vec<u8>) -> Result<()> {
        if known || !self.seen.insert(id) {
            return Ok(());
        }
        self.waiting_bytes += bytes.len();
        self.waiting.push((id, kind, bytes));
        if self.waiting_bytes >= BATCH_BYTES || self.waiting.len() >= BATCH_OBJECTS {
            self.write_waiting()?;
        }
        Ok(())
    }

    fn write_waiting(&mut self) -> Result<()> {
        let batch = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let packed: Result<Vec<_>> = batch
            .into_par_iter()
            .map_init(pack::Compressor::new, |state, (id, kind, bytes)| {
                pack::compress(state, kind, &bytes).map(|entry| (id, entry)).map_err(|e| self.repo.failed(e))
            })
            .collect();
        for (id, entry) in packed? {
            if self.pack.as_ref().is_some_and(|pack| pack.bytes() > self.max_pack) {
                self.close_pack()?;
            }
            let pack = match &mut self.pack {
                Some(pack) => pack,
                none => none.insert(Pack::create(self.repo.common_dir(), self.odb.hash_kind(), &self.steps)?),
            };
            pack.append(id, entry, &self.steps)?;
        }
        Ok(())
    }

    fn close_pack(&mut self) -> Result<()> {
        self.pack.take().map_or(Ok(()), |pack| pack.finish(&self.steps))
    }

    /// Writes what is left and makes everything visible and durable: the pack is synced, then its index, then both get
    /// their names, then the directory is synced. Nothing is written when nothing is new.
    ///
    /// # Errors
    /// When writing fails; then nothing became visible.
    pub fn finish(mut self) -> Result<()> {
        self.write_waiting()?;
        self.close_pack()
    }

    /// The error for a path that cannot be written.
    pub(super) fn bad_path(path: &str, reason: impl Into<String>) -> Error {
        Error::PathInvalid { path: path.to_owned(), reason: reason.into() }
    }
}

impl Drop for PackWriter<'_> {
    fn drop(&mut self) {
        if let Some(pack) = &mut self.pack {
            pack.discard(&self.steps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::steps::Unhindered;

    #[test]
    fn a_pack_that_is_full_is_followed_by_another() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let repo = Repo::init(dir.path(), "main", &Unhindered).expect("initialises");
        let mut writer = repo.writer(&Unhindered);
        writer.max_pack = 0;
        let ids = writer.blobs(vec![b"1".to_vec(), b"2".to_vec(), b"3".to_vec()]).expect("adds");
        writer.finish().expect("finishes");
        assert_eq!(std::fs::read_dir(repo.git_dir().join("objects/pack")).expect("lists").count(), 6);
        for (id, content) in ids.iter().zip([b"1", b"2", b"3"]) {
            let read = repo.odb().read(&id.0, Kind::Blob, |bytes| Ok(bytes.to_vec())).expect("reads");
            assert_eq!(read, content);
        }
    }
}
