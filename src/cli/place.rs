//! Finding the store, reading a file or standard input, naming a revision.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::args::Global;
use super::world;
use crate::format::digest::Digest;
use crate::format::time::Time;
use crate::ops::place::Place;
use crate::ops::{self, Error};

/// The store that the options and the current directory name.
pub(super) fn store(global: &Global) -> Result<Place, Error> {
    Place::find(global.store.as_deref(), global.facts_ref.as_deref(), &here()?)
}

/// The current directory.
pub(super) fn here() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| Error::new("io", format!("the current directory: {error}")))
}

/// Where things of a day are put: the directory of the runner, which every job empties, else that of the system.
pub(super) fn temp_dir() -> PathBuf {
    world::variable("RUNNER_TEMP").map_or_else(std::env::temp_dir, PathBuf::from)
}

/// The bytes of a file, `-` for standard input. They are held in memory, so no more than `limit` are read.
pub(super) fn read_input(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let too_large = || Error::new("input-too-large", format!("{} is larger than {} MiB", path.display(), limit >> 20));
    // What a file says of its size is asked only to spare the reading.
    if path.as_os_str() != "-" && path.metadata().is_ok_and(|found| found.is_file() && found.len() > limit) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let read = open_input(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// The digest of a file of any size, `-` for standard input.
pub(super) fn digest_input(path: &Path) -> Result<Digest, Error> {
    ops::digest(open_input(path)?).map_err(|error| unreadable(path, &error))
}

/// The largest document: as for payloads.
pub(super) const MAX_DOCUMENT: u64 = 1 << 30;

fn open_input(path: &Path) -> Result<Box<dyn Read>, Error> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(path).map_err(|error| unreadable(path, &error))?))
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::new("input-unreadable", format!("{} cannot be read: {error}", path.display()))
}

/// One reading of the clock.
pub(super) fn now() -> Result<Time, Error> {
    world::now().ok_or_else(|| Error::new("clock-invalid", "the system clock is before 1970"))
}

/// A time as an option gives it.
pub(super) fn parse_time(text: &str) -> Result<Time, String> {
    text.parse().map_err(|error| format!("{error}"))
}
