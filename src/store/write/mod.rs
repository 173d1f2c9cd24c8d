//! Writing: files that are written once, and whole trees that appear at once.
//!
//! Every change of the disk is announced to [`Steps`] first. After a refusal nothing is touched any more, as if the
//! process had been killed; after a real error, or when the program was interrupted, what was begun is cleared away.

mod append;
mod held;
mod lease;
mod once;
mod private;
mod remove;
mod replace;
mod spool;
mod sweep;

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Error;
use crate::format::steps::{Step, Steps};
use crate::system::{Dir, is_linked};

pub use append::append;
pub use held::Held;
pub use lease::{Lease, Scavenged, scavenge};
pub use once::Writer;
pub use private::Draft;
pub use remove::remove_tree;
pub use replace::{Existing, Modes, STAGING_PREFIX, replace_own_tree, replace_tree};
pub use spool::Spool;
pub use sweep::{sweep, sweep_staging};

/// Announces steps and remembers a refusal.
struct Gate<'s> {
    steps: &'s dyn Steps,
    closed: AtomicBool,
}

impl<'s> Gate<'s> {
    fn new(steps: &'s dyn Steps) -> Self {
        Self { steps, closed: AtomicBool::new(false) }
    }

    fn before(&self, step: Step, path: &Path) -> Result<(), Error> {
        let answer = if self.is_closed() { Err(std::io::Error::other("stopped before")) } else { Ok(()) };
        answer.and_then(|()| self.steps.before(step, path)).map_err(|source| {
            // Who is interrupted still clears away what was begun; who is stopped is as good as killed.
            if source.kind() != std::io::ErrorKind::Interrupted {
                self.close();
            }
            Error::Stopped { path: path.to_owned(), source }
        })
    }

    /// From now on nothing is touched.
    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Opens a directory beneath a root, making what is missing of it. `before` is told the path of each new directory first.
fn create_dirs(
    root: &Dir,
    shown: &Path,
    path: &str,
    mode: u32,
    before: &mut dyn FnMut(&str) -> Result<(), Error>,
) -> Result<Dir, Error> {
    let refused = |error: std::io::Error| {
        // A file or a link stands where a directory should be.
        let is_other = error.kind() == ErrorKind::NotADirectory || is_linked(&error);
        if is_other { Error::Conflict { path: shown.join(path) } } else { Error::io(shown.join(path), error) }
    };
    match root.open(path.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_empty() => {}
        done => return done.map_err(refused),
    }
    let (parent, name) = split_path(path);
    let parent = create_dirs(root, shown, parent, mode, before)?;
    before(path)?;
    match parent.create_dir(name.as_bytes(), mode) {
        // Another writer may have been faster.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(refused(error)),
        _ => {}
    }
    parent.enter(name.as_bytes()).map_err(refused)
}

/// Makes a directory that the caller chose, with those above it, unless one is there.
///
/// # Errors
/// [`Error::Io`], [`Error::Stopped`].
pub fn create_root(path: &Path, steps: &dyn Steps) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    Gate::new(steps).before(Step::Write, path)?;
    std::fs::create_dir_all(path).map_err(|error| Error::io(path, error))
}

/// Opens the parent of a target. Links on the way to it are the caller's own.
fn parent_of(target: &Path) -> Result<(Dir, &[u8]), Error> {
    let name = target.file_name().ok_or_else(|| Error::UnsafePath { path: target.display().to_string() })?;
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let opened = Dir::open_linked(parent).map_err(|error| Error::io(parent, error))?;
    Ok((opened, name.as_encoded_bytes()))
}

/// The directory and the last name of a path.
fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}
