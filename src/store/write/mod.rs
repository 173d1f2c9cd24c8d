//! Writing: files that are written once, and whole trees that appear at once.
//!
//! Every change of the disk is announced to [`Steps`] first. After a refusal nothing is touched any more, as if the
//! process had been killed; after a real error, or when the program was interrupted, what was begun is cleared away.

mod append;
mod lease;
mod once;
mod private;
mod remove;
mod replace;
mod spool;
mod sweep;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::{Error, beneath};
use crate::format::steps::{Step, Steps};

pub use append::append;
pub use lease::{Lease, Scavenged, scavenge};
pub use once::Writer;
pub use private::Draft;
pub use remove::remove_tree;
pub use replace::{Existing, Modes, STAGING_PREFIX, replace_own_tree, replace_tree};
pub use spool::Spool;
pub use sweep::{sweep, sweep_staging};

/// Up to so many files are flushed one by one (about 0.25 ms each); above, the whole file system is.
const SYNC_EACH: usize = 64;

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

/// Creates a file that must not be there, with its content.
fn create_file(dir: BorrowedFd<'_>, name: &str, bytes: &[u8], mode: Mode) -> std::io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(fs::openat(dir, name, flags, mode)?);
    file.write_all(bytes)?;
    Ok(file)
}

/// Opens a directory beneath a root, making what is missing of it. `before` is told the path of each new directory first.
fn create_dirs(
    root: BorrowedFd<'_>,
    shown: &Path,
    path: &str,
    mode: Mode,
    before: &mut dyn FnMut(&str) -> Result<(), Error>,
) -> Result<OwnedFd, Error> {
    let refused = |errno| match errno {
        // A file or a link stands where a directory should be.
        Errno::NOTDIR | Errno::LOOP => Error::Conflict { path: shown.join(path) },
        errno => Error::io(shown.join(path), errno),
    };
    match beneath::open(root, path.as_bytes(), beneath::DIRECTORY) {
        Err(Errno::NOENT) if !path.is_empty() => {}
        done => return done.map_err(refused),
    }
    let (parent, name) = split_path(path);
    let parent = create_dirs(root, shown, parent, mode, before)?;
    before(path)?;
    match fs::mkdirat(&parent, name, mode) {
        // Another writer may have been faster.
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(refused(errno)),
    }
    beneath::open(parent.as_fd(), name.as_bytes(), beneath::DIRECTORY).map_err(refused)
}

/// Opens the parent of a target. Links on the way to it are the caller's own.
fn parent_of(target: &Path) -> Result<(OwnedFd, &OsStr), Error> {
    let name = target.file_name().ok_or_else(|| Error::UnsafePath { path: target.display().to_string() })?;
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let opened = fs::openat(fs::CWD, parent, beneath::DIRECTORY, Mode::empty());
    Ok((opened.map_err(|errno| Error::io(parent, errno))?, name))
}

/// The directory and the last name of a path.
fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Makes a directory with a name that nobody else has, open to this user alone.
fn create_unique(parent: BorrowedFd<'_>, prefix: &str) -> rustix::io::Result<(String, OwnedFd)> {
    for number in 0u64.. {
        let name = format!("{prefix}{}-{number}", std::process::id());
        match fs::mkdirat(parent, &name, Mode::RWXU) {
            Err(Errno::EXIST) => continue,
            made => made?,
        }
        return Ok((name.clone(), beneath::open(parent, name.as_bytes(), beneath::DIRECTORY)?));
    }
    Err(Errno::EXIST)
}

/// Gives a file or directory its final name unless something has that name ([`Errno::EXIST`]).
fn rename_new(from: BorrowedFd<'_>, old: &OsStr, to: BorrowedFd<'_>, new: &OsStr) -> rustix::io::Result<()> {
    match fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        // Some file systems do not have the flag. Looking first leaves a moment for others, who are kept out by the lock.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            match fs::statat(to, new, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => fs::renameat(from, old, to, new),
                Ok(_) => Err(Errno::EXIST),
                Err(errno) => Err(errno),
            }
        }
        done => done,
    }
}

/// Flushes everything of the file system that a directory lies in.
fn sync_all(dir: BorrowedFd<'_>) -> rustix::io::Result<()> {
    #[cfg(target_os = "linux")]
    return fs::syncfs(dir);
    #[cfg(not(target_os = "linux"))]
    {
        fs::sync();
        fs::fsync(dir)
    }
}
