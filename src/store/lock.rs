//! The lock of writers. Readers never lock.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use super::Error;
use crate::system::{Hold, hold};

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
            match hold(path, false).map_err(|error| Error::io(path, error))? {
                Hold::Held(file) => return Ok(Self { _file: file }),
                Hold::Foreign => return Err(Error::io(path, std::io::ErrorKind::InvalidInput)),
                Hold::Busy | Hold::Gone => {}
            }
        }
        Err(Error::Locked { path: path.to_owned() })
    }
}
