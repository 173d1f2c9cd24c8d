//! What lies beneath a directory: opening the root, and paths that stay below it.

use std::io::ErrorKind;
use std::path::Path;

use super::Error;
use crate::system::{Dir, Kind, kind_at};

/// Opens the directory at a path that the caller chose. Links on the way are the caller's own, the last name must not be one.
pub(super) fn open_root(path: &Path) -> Result<Dir, Error> {
    Dir::open_root(path).map_err(|error| {
        // With a slash behind it a link would be followed.
        let found = kind_at(path.components().as_path());
        match (error.kind(), found) {
            (ErrorKind::NotFound, _) => Error::Nothing { path: path.to_owned() },
            (_, Ok(Kind::Symlink)) => Error::NotADirectory { path: path.to_owned(), found: "a symbolic link" },
            (ErrorKind::NotADirectory, _) => Error::NotADirectory { path: path.to_owned(), found: "a file" },
            _ => Error::io(path, error),
        }
    })
}

/// True for a path whose segments stay beneath their directory.
pub(super) fn stays_beneath(path: &str) -> bool {
    !path.contains('\0') && path.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}
