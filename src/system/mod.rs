//! What differs between operating systems: directories that are held open, sole use of a file, modes, flushing, processes, signals.
//!
//! Both sides offer the same names. Where a system cannot keep a promise of the other, its side says so, and docs/systems.md too.
//! Names and paths are bytes: those of the system on Unix, UTF-8 elsewhere; `/` stands between segments on every system.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as here;
#[cfg(windows)]
use windows as here;

pub use here::{
    Dir, FLUSHED_EACH, Group, append_to, device, file_number, hold, is_absence, is_linked, on_interrupt, open_followed,
    path_of, permissions, print, read_some, rename_dir, sync_dir,
};

/// What stands at a name, looked at without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, or what else leads elsewhere.
    Symlink,
    /// A device, pipe or socket.
    Special,
}

impl From<std::fs::FileType> for Kind {
    fn from(found: std::fs::FileType) -> Self {
        match found {
            found if found.is_symlink() => Self::Symlink,
            found if found.is_dir() => Self::Directory,
            found if found.is_file() => Self::File,
            _ => Self::Special,
        }
    }
}

/// What stands at a path.
///
/// # Errors
/// When nothing does, or it cannot be looked at.
pub fn kind_at(path: &Path) -> io::Result<Kind> {
    Ok(path.symlink_metadata()?.file_type().into())
}

/// What tells a directory from every other: a file system gives the number of one that is gone to the next, but not its birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The file system.
    pub device: u64,
    /// The number on it.
    pub inode: u64,
    /// In nanoseconds since 1970, where the file system tells it.
    pub born: Option<u64>,
}

/// When a file was made, in nanoseconds since 1970.
fn born(file: &File) -> Option<u64> {
    let time = file.metadata().ok()?.created().ok()?;
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

/// What came of asking for the sole use of a file.
#[derive(Debug)]
pub enum Hold {
    /// It is ours until this is closed, at the latest when the process ends, however it ends.
    Held(File),
    /// Another has it.
    Busy,
    /// It is no plain file of this user.
    Foreign,
    /// Another file has its name by now.
    Gone,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited(i32),
    /// By a signal.
    Killed(i32),
}
