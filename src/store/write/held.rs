//! Where something is to be written, held from before anything is read: a link that is put in the way later leads nowhere.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::lease::Leased;
use super::parent_of;
use crate::store::Error;
use crate::system::{Dir, Identity};

/// A target, and the directory that it was to lie in when it was chosen. As long as this is held, no other directory can be taken for that.
#[derive(Debug)]
pub struct Held {
    target: PathBuf,
    is: Identity,
    _parent: Dir,
    lease: Mutex<Weak<Leased>>,
}

impl Held {
    /// Holds the parent of a target. Links on the way to it are the caller's own.
    ///
    /// # Errors
    /// [`Error::UnsafePath`] for a target without a name, [`Error::Io`] where it has no parent.
    pub fn new(target: &Path) -> Result<Self, Error> {
        let (parent, _) = parent_of(target)?;
        let is = parent.identity().map_err(|error| Error::io(target, error))?;
        Ok(Self { target: target.to_owned(), is, _parent: parent, lease: Mutex::default() })
    }

    /// The target as it was given.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// What is written to the target belongs to a lease from now on, as long as that lives.
    pub(super) fn leased_by(&self, lease: &Arc<Leased>) {
        *self.lease.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(lease);
    }

    /// The lease of the target, if it has one.
    pub(super) fn lease(&self) -> Option<Arc<Leased>> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
    }

    /// The parent and the name beneath it.
    ///
    /// # Errors
    /// [`Error::Moved`] where the path leads to another directory by now, [`Error::Io`].
    pub(super) fn open(&self) -> Result<(Dir, &[u8]), Error> {
        let (parent, name) = parent_of(&self.target)?;
        let now = parent.identity().map_err(|error| Error::io(&self.target, error))?;
        if now == self.is { Ok((parent, name)) } else { Err(Error::Moved { path: self.target.clone() }) }
    }
}
