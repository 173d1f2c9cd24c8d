//! How far it is, told while it goes on.

use std::sync::atomic::{AtomicU64, Ordering};

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Understanding the input; counted in bytes.
    Reading,
    /// Filing the elements of a dump that is read again; counted in bytes of it.
    Taking,
    /// Filing elements and observations; counted in files, also those that are there already.
    Filing,
}

/// Told how far it is, from any thread.
pub trait Progress: Sync {
    /// So much of so much is done.
    fn at(&self, doing: Doing, done: u64, of: u64);
}

/// Nobody is told.
#[derive(Debug, Clone, Copy, Default)]
pub struct Untold;

impl Progress for Untold {
    fn at(&self, _: Doing, _: u64, _: u64) {}
}

/// Counts towards a sum.
pub(super) struct Count<'p> {
    progress: &'p dyn Progress,
    doing: Doing,
    done: AtomicU64,
    of: u64,
}

impl<'p> Count<'p> {
    /// Tells that it begins.
    pub(super) fn begin(progress: &'p dyn Progress, doing: Doing, of: u64) -> Self {
        progress.at(doing, 0, of);
        Self { progress, doing, done: AtomicU64::new(0), of }
    }

    pub(super) fn add(&self, more: u64) {
        let before = self.done.fetch_add(more, Ordering::Relaxed);
        self.progress.at(self.doing, before + more, self.of);
    }
}
