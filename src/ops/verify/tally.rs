//! What the parallel workers bring home, added up in any order and sorted at the end.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::report::{Anchored, Finding, Note, NoteCode, Report};
use crate::ops::Error;

/// Counts and findings of a part of the work.
#[derive(Default)]
pub(super) struct Tally {
    pub files: u64,
    pub bytes: u64,
    pub findings: Vec<Finding>,
    pub notes: Vec<Note>,
    /// Files that could not be read: not damage, but no verdict either.
    pub unread: Vec<(String, String)>,
}

impl Tally {
    /// A file was read.
    pub fn read(&mut self, bytes: usize) {
        self.files += 1;
        self.bytes += bytes as u64;
    }

    /// A file could not be read.
    pub fn unread(&mut self, path: &str, error: &io::Error) {
        self.unread.push((path.to_owned(), error.to_string()));
    }

    /// Damage.
    pub fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Something to say when its count is not 0.
    pub fn note(&mut self, code: NoteCode, count: usize, text: &str) {
        if count > 0 {
            self.notes.push(Note { code, count: count as u64, text: format!("{count} {text}") });
        }
    }

    /// The sum of two parts.
    pub fn plus(mut self, mut other: Self) -> Self {
        self.files += other.files;
        self.bytes += other.bytes;
        self.findings.append(&mut other.findings);
        self.notes.append(&mut other.notes);
        self.unread.append(&mut other.unread);
        self
    }

    /// The report, if everything could be read: what was not read is neither good nor bad.
    pub fn report(mut self, anchor: Anchored) -> Result<Report, Error> {
        if let Some((path, error)) = self.unread.iter().min() {
            let others = self.unread.len() - 1;
            let more = if others > 0 { format!(" (and {others} more)") } else { String::new() };
            return Err(Error::new("read-failed", format!("{path} could not be read: {error}{more}")));
        }
        self.findings.sort_by(|a, b| (&a.path, a.code.as_str(), a).cmp(&(&b.path, b.code.as_str(), b)));
        self.notes.sort_by_key(|note| note.code);
        let verified = self.findings.is_empty();
        if anchor == Anchored::None {
            self.notes.insert(0, Note::not_authenticated(verified));
        }
        Ok(Report {
            verified,
            anchor,
            files: self.files,
            bytes: self.bytes,
            findings: self.findings,
            notes: self.notes,
        })
    }
}

/// A sum for each worker, so that none waits for another.
pub(super) struct Sums<T>(Vec<Mutex<T>>);

impl<T: Default> Sums<T> {
    /// One for each thread of the pool, and one for whoever is none of them.
    pub fn new() -> Self {
        Self((0..=rayon::current_num_threads()).map(|_| Mutex::default()).collect())
    }

    /// Adds to the sum of this worker.
    pub fn add<R>(&self, add: impl FnOnce(&mut T) -> R) -> R {
        let at = rayon::current_thread_index().map_or(0, |at| at + 1);
        add(&mut self.0[at.min(self.0.len() - 1)].lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The sums.
    pub fn into_all(self) -> impl Iterator<Item = T> {
        self.0.into_iter().map(|sum| sum.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}
