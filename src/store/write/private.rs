//! One file for this user alone, written beside its place before something else and given its name after it.

use std::io::ErrorKind;
use std::path::Path;

use super::{Gate, Held};
use crate::format::steps::{Step, Steps};
use crate::store::Error;
use crate::system::Dir;

/// A finished file without its name. Dropped, it is gone.
pub struct Draft<'p> {
    parent: Dir,
    target: &'p Path,
    name: &'p [u8],
    temporary: String,
    gate: Gate<'p>,
    is_there: bool,
}

impl<'p> Draft<'p> {
    /// Writes and flushes the file, mode 0600, under a name that nobody else has.
    ///
    /// # Errors
    /// [`Error::Moved`], [`Error::Io`], [`Error::Stopped`].
    pub fn new(held: &'p Held, bytes: &[u8], steps: &'p dyn Steps) -> Result<Self, Error> {
        let gate = Gate::new(steps);
        let ((parent, name), target) = (held.open()?, held.target());
        gate.before(Step::Write, target)?;
        for number in 0u64.. {
            let temporary = format!("{}{}-{number}", super::STAGING_PREFIX, std::process::id());
            match parent.create_file(temporary.as_bytes(), bytes, 0o600) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                made => {
                    let draft = Self { parent, target, name, temporary, gate, is_there: true };
                    let file = made.map_err(|error| Error::io(target, error))?;
                    draft.gate.before(Step::Sync, target)?;
                    file.sync_all().map_err(|error| Error::io(target, error))?;
                    return Ok(draft);
                }
            }
        }
        Err(Error::io(target, ErrorKind::AlreadyExists))
    }

    /// Gives the file its name, in the place of another one only if that is to be replaced.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::Io`], [`Error::Stopped`].
    pub fn publish(mut self, replace: bool) -> Result<(), Error> {
        self.gate.before(Step::Rename, self.target)?;
        let (dir, from) = (&self.parent, self.temporary.as_bytes());
        let done = if replace { dir.rename(from, dir, self.name) } else { dir.rename_new(from, dir, self.name) };
        done.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Exists { path: self.target.to_owned() },
            _ => Error::io(self.target, error),
        })?;
        self.is_there = false;
        self.gate.before(Step::Sync, self.target)?;
        self.parent.sync().map_err(|error| Error::io(self.target, error))
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if self.is_there && !self.gate.is_closed() {
            // What went wrong before is what is reported.
            let _ = self.parent.remove_file(self.temporary.as_bytes());
        }
    }
}
