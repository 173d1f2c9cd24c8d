//! Finding the store, reading a file or standard input, naming a revision.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::args::Global;
use super::world;
use crate::format::time::Time;
use crate::ops::Error;
use crate::ops::place::Place;

/// The store that the options and the current directory name.
pub(super) fn store(global: &Global) -> Result<Place, Error> {
    Place::find(global.store.as_deref(), global.facts_ref.as_deref(), &here()?)
}

/// The current directory.
pub(super) fn here() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| Error::new("io", format!("the current directory: {error}")))
}

/// The bytes of a file, `-` for standard input.
pub(super) fn read_input(path: &Path) -> Result<Vec<u8>, Error> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|error| Error::new("input-unreadable", format!("{} cannot be read: {error}", path.display())))
}

/// One reading of the clock.
pub(super) fn now() -> Result<Time, Error> {
    world::now().ok_or_else(|| Error::new("clock-invalid", "the system clock is before 1970"))
}

/// A time as an option gives it.
pub(super) fn parse_time(text: &str) -> Result<Time, String> {
    text.parse().map_err(|error| format!("{error}"))
}
