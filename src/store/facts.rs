//! Reading what is filed: elements checked against their names, observations in the order of their paths.

use std::collections::BTreeMap;
use std::io;

use rayon::prelude::*;

use super::Error;
use super::layout::{MAX_KEPT, MAX_RECORD, OBSERVATIONS, UNRECOGNISED, check_directory, element_path};
use crate::format::digest::Digest;
use crate::format::kept::Kept;
use crate::format::observation::{NotAnObservation, Observation};
use crate::format::time::Time;
use crate::format::tree::{MAX_FILE, Tree};

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
    /// A link or the like stands there.
    #[error("the element {0} is there as something else than a file")]
    NotAFile(Digest),
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
            Self::Corrupt { .. } | Self::NotAFile(_) => "element-corrupt",
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
    /// The digest of its bytes; none for what was not read.
    pub digest: Option<Digest>,
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
    #[error("the record belongs to {0}")]
    Elsewhere(String),
    /// Not the bytes of a record of what is kept.
    #[error("not a record of what is kept unrecognised")]
    Kept,
    /// Larger than any record, which has so many bytes at most.
    #[error("more than {0} bytes")]
    TooLarge(u64),
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
        let path = element_path(digest);
        let io = |source| ElementFault::Io { digest: *digest, source };
        let Some(bytes) = self.tree.read(&path, MAX_FILE).map_err(io)? else {
            let instead = self.tree.in_the_way(&path).map_err(io)?;
            return Err(instead.map_or(ElementFault::Missing(*digest), |_| ElementFault::NotAFile(*digest)));
        };
        let found = Digest::of(&bytes);
        if found == *digest { Ok(bytes) } else { Err(ElementFault::Corrupt { expected: *digest, found }) }
    }

    /// All observations below a directory of `observations/` (`""` for all), in the order of their paths.
    ///
    /// # Errors
    /// When the tree cannot be read, or something else stands where the directory should be ([`super::Error::InTheWay`]).
    pub fn observations(&self, under: &str) -> io::Result<Vec<Filed>> {
        let dir = if under.is_empty() { OBSERVATIONS.to_owned() } else { format!("{OBSERVATIONS}/{under}") };
        self.load(&self.paths(&dir)?)
    }

    /// What lies below a directory. One without anything is not one that cannot be seen into.
    fn paths(&self, dir: &str) -> io::Result<Vec<String>> {
        let listed = self.tree.list(dir)?;
        if listed.is_empty() {
            check_directory(self.tree, dir).map_err(|fault| match fault {
                Error::Io { source, .. } => source,
                damage => io::Error::other(damage),
            })?;
        }
        Ok(listed.into_iter().map(|entry| entry.path).collect())
    }

    /// The observations below a directory of `observations/` whose looks were made in a second.
    ///
    /// # Errors
    /// When the tree cannot be read.
    pub fn observations_at(&self, under: &str, second: Time) -> io::Result<Vec<Filed>> {
        let stamp = format!("/{}-", second.file_stamp());
        let is_of_second = |path: &String| path.rfind('/').is_some_and(|at| path[at..].starts_with(&stamp));
        let paths = self.paths(&format!("{OBSERVATIONS}/{under}"))?;
        self.load(&paths.into_iter().filter(is_of_second).collect::<Vec<_>>())
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
        for path in self.paths(&dir)? {
            let below = path.strip_prefix(OBSERVATIONS).and_then(|path| path.strip_prefix('/'));
            // `<subject>/<facet>/<file>`
            let dir = below.and_then(|path| path.rsplitn(3, '/').nth(2)).unwrap_or("");
            found.entry(dir.to_owned()).or_default().push(path);
        }
        Ok(found.into_iter().collect())
    }

    /// The records of what was not recognised and is kept, in the order of their paths.
    ///
    /// # Errors
    /// As [`Facts::observations`].
    pub fn kept(&self) -> io::Result<Vec<(String, Result<Kept, NotFiled>)>> {
        let one = |path: String| {
            let (_, record) = self.read_record(&path, MAX_KEPT, kept)?;
            Ok((path, record))
        };
        self.paths(UNRECOGNISED)?.into_iter().map(one).collect()
    }

    fn filed(&self, path: &str) -> io::Result<Filed> {
        let (digest, record) = self.read_record(path, MAX_RECORD, record)?;
        Ok(Filed { path: path.to_owned(), digest, record })
    }

    fn read_record<T>(
        &self,
        path: &str,
        limit: u64,
        record: impl Fn(&str, &[u8], Digest) -> Result<T, NotFiled>,
    ) -> io::Result<(Option<Digest>, Result<T, NotFiled>)> {
        match self.tree.read(path, limit) {
            Ok(Some(bytes)) => {
                let digest = Digest::of(&bytes);
                Ok((Some(digest), record(path, &bytes, digest)))
            }
            Ok(None) => Ok((None, Err(NotFiled::NotAFile))),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok((None, Err(NotFiled::TooLarge(limit)))),
            Err(error) => Err(error),
        }
    }
}

/// Reads a record and checks that it lies where it belongs.
fn record(path: &str, bytes: &[u8], digest: Digest) -> Result<Observation, NotFiled> {
    let record = Observation::from_bytes(bytes)?;
    at_home(path, format!("{OBSERVATIONS}/{}", record.path(&digest))).map(|()| record)
}

/// The same for what is kept.
fn kept(path: &str, bytes: &[u8], digest: Digest) -> Result<Kept, NotFiled> {
    let record = Kept::from_bytes(bytes).ok_or(NotFiled::Kept)?;
    at_home(path, record.path(&digest)).map(|()| record)
}

fn at_home(path: &str, home: String) -> Result<(), NotFiled> {
    if path == home { Ok(()) } else { Err(NotFiled::Elsewhere(home)) }
}
