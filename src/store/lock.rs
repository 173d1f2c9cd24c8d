//! The lock of writers. Readers never lock.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::Error;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// Held while a store is written; the system releases it when the value is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks an existing file for this writer alone, trying so many times (at least once) with a twentieth of a second between.
    ///
    /// # Errors
    /// [`Error::Locked`] when another holds it all the time, [`Error::Io`] when the file cannot be opened.
    pub fn acquire(path: &Path, attempts: u32) -> Result<Self, Error> {
        for attempt in 0..attempts.max(1) {
            if attempt > 0 {
                std::thread::sleep(PAUSE);
            }
            let file = open(path)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                // A checkout may have put a new file under the name: then the lock is on one that nobody else will ask for.
                Ok(()) if is_at(&file, path) => return Ok(Self { _file: file }),
                Ok(()) | Err(Errno::WOULDBLOCK | Errno::INTR) => {}
                Err(errno) => return Err(Error::io(path, errno)),
            }
        }
        Err(Error::Locked { path: path.to_owned() })
    }
}

fn open(path: &Path) -> Result<File, Error> {
    let link_or_pipe = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    // A network file system locks only what is open for writing.
    let open = OpenOptions::new().read(true).write(true).custom_flags(link_or_pipe).open(path);
    open.map_err(|error| Error::io(path, error))
}

/// Whether the name still leads to the open file.
fn is_at(file: &File, path: &Path) -> bool {
    let same = |(a, b): (std::fs::Metadata, std::fs::Metadata)| a.dev() == b.dev() && a.ino() == b.ino();
    file.metadata().ok().zip(path.symlink_metadata().ok()).is_some_and(same)
}
