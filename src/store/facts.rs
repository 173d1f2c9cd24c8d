//! Reading what is filed: elements checked against their names, observations in the order of their paths.

use std::collections::BTreeMap;
use std::io;

use rayon::prelude::*;

use super::layout::{OBSERVATIONS, element_path};
use crate::format::digest::Digest;
use crate::format::observation::{NotAnObservation, Observation};
use crate::format::time::Time;
use crate::format::tree::{MAX_FILE, Tree};

/// The largest observation that is read, in bytes. Long lists lie in elements, so a record has a few kilobytes.
const MAX_RECORD: u64 = 1 << 26;

/// The facts of a store, wherever it lies.
#[derive(Clone, Copy)]
pub struct Facts<'t> {
    /// The tree whose top is the top of the store.
    pub tree: &'t dyn Tree,
}

/// Why an element could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ElementFault {
    /// It is not there.
    #[error("the element {0} is missing")]
    Missing(Digest),
    /// Its bytes are not those that its name says.
    #[error("the element {expected} is corrupt: its bytes have the digest {found}")]
    Corrupt {
        /// The digest in its name.
        expected: Digest,
        /// The digest of its bytes.
        found: Digest,
    },
    /// It is whole, but not what the observation that names it says.
    #[error("the element {0} is not what its observation says")]
    Unfit(Digest),
    /// The tree could not be read.
    #[error("the element {digest} cannot be read: {source}")]
    Io {
        /// The digest in its name.
        digest: Digest,
        /// Why not.
        source: io::Error,
    },
}

impl ElementFault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing(_) => "element-missing",
            Self::Corrupt { .. } => "element-corrupt",
            Self::Unfit(_) => "observation-invalid",
            Self::Io { .. } => "io",
        }
    }
}

/// A file among the observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Filed {
    /// Its path below the top of the store.
    pub path: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// The record, or why it is none.
    pub record: Result<Observation, NotFiled>,
}

/// Why a file among the observations is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFiled {
    /// Not the bytes of a record.
    #[error(transparent)]
    Record(#[from] NotAnObservation),
    /// A record that belongs to another path.
    #[error("the record belongs to {OBSERVATIONS}/{0}")]
    Elsewhere(String),
    /// Larger than any record.
    #[error("more than {MAX_RECORD} bytes")]
    TooLarge,
    /// A link, pipe or the like.
    #[error("not a regular file")]
    NotAFile,
}

impl<'t> Facts<'t> {
    /// The facts in a tree.
    pub fn new(tree: &'t dyn Tree) -> Self {
        Self { tree }
    }

    /// The bytes of an element, which have its digest.
    ///
    /// # Errors
    /// [`ElementFault`].
    pub fn element(&self, digest: &Digest) -> Result<Vec<u8>, ElementFault> {
        let read = self.tree.read(&element_path(digest), MAX_FILE);
        let bytes = read.map_err(|source| ElementFault::Io { digest: *digest, source })?;
        let bytes = bytes.ok_or(ElementFault::Missing(*digest))?;
        let found = Digest::of(&bytes);
        if found == *digest { Ok(bytes) } else { Err(ElementFault::Corrupt { expected: *digest, found }) }
    }

    /// All observations below a directory of `observations/` (`""` for all), in the order of their paths.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn observations(&self, under: &str) -> io::Result<Vec<Filed>> {
        let dir = if under.is_empty() { OBSERVATIONS.to_owned() } else { format!("{OBSERVATIONS}/{under}") };
        let paths: Vec<_> = self.tree.list(&dir)?.into_iter().map(|entry| entry.path).collect();
        self.load(&paths)
    }

    /// The observations below a directory of `observations/` whose looks were made in a second.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn observations_at(&self, under: &str, second: Time) -> io::Result<Vec<Filed>> {
        let stamp = format!("/{}-", second.file_stamp());
        let is_of_second = |path: &String| path.rfind('/').is_some_and(|at| path[at..].starts_with(&stamp));
        let paths = self.tree.list(&format!("{OBSERVATIONS}/{under}"))?.into_iter().map(|entry| entry.path);
        self.load(&paths.filter(is_of_second).collect::<Vec<_>>())
    }

    /// The observations at the paths that [`Facts::subjects`] gave, in the same order.
    ///
    /// # Errors
    /// When the tree cannot be read. A file that has vanished meanwhile is [`NotFiled::NotAFile`].
    pub fn load(&self, paths: &[String]) -> io::Result<Vec<Filed>> {
        paths.par_iter().with_min_len(16).map(|path| self.filed(path)).collect()
    }

    /// The paths of all observations, by the directory of their subject below `observations/`, both in the order of
    /// their bytes. What lies too high to belong to a subject is under `""`. One listing of the tree.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn subjects(&self) -> io::Result<Vec<(String, Vec<String>)>> {
        self.subjects_in("")
    }

    /// The same of those below a directory of `observations/`.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn subjects_in(&self, under: &str) -> io::Result<Vec<(String, Vec<String>)>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let dir = if under.is_empty() { OBSERVATIONS.to_owned() } else { format!("{OBSERVATIONS}/{under}") };
        for entry in self.tree.list(&dir)? {
            let below = entry.path.strip_prefix(OBSERVATIONS).and_then(|path| path.strip_prefix('/'));
            // `<subject>/<facet>/<file>`
            let dir = below.and_then(|path| path.rsplitn(3, '/').nth(2)).unwrap_or("");
            found.entry(dir.to_owned()).or_default().push(entry.path);
        }
        Ok(found.into_iter().collect())
    }

    fn filed(&self, path: &str) -> io::Result<Filed> {
        let (digest, record) = match self.tree.read(path, MAX_RECORD) {
            Ok(Some(bytes)) => (Digest::of(&bytes), record(path, &bytes)),
            Ok(None) => (Digest::of(b""), Err(NotFiled::NotAFile)),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => (Digest::of(b""), Err(NotFiled::TooLarge)),
            Err(error) => return Err(error),
        };
        Ok(Filed { path: path.to_owned(), digest, record })
    }
}

/// Reads a record and checks that it lies where it belongs.
fn record(path: &str, bytes: &[u8]) -> Result<Observation, NotFiled> {
    let record = Observation::from_bytes(bytes)?;
    let home = record.path(&Digest::of(bytes));
    let at = path.strip_prefix(OBSERVATIONS).and_then(|path| path.strip_prefix('/'));
    if at == Some(home.as_str()) { Ok(record) } else { Err(NotFiled::Elsewhere(home)) }
}
