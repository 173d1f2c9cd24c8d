//! Reading files below a directory without leaving it: no link is followed, nothing but a regular file is read.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::system::{Dir, Kind, is_absence, is_linked, path_of};

/// What was found at a path below the directory.
#[derive(Debug)]
pub enum Opened {
    /// A regular file, opened for reading.
    File(File),
    /// Nothing.
    Missing,
    /// A symbolic link stands at the path or on the way.
    Linked {
        /// True when following it would lead out of the directory.
        outside: bool,
        /// True when only the last component is a link.
        last: bool,
    },
    /// A directory, pipe, socket or device.
    NotAFile,
    /// It cannot be opened.
    Unreadable,
}

/// The content of a regular file.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// All bytes.
    Whole(Vec<u8>),
    /// More bytes than asked for.
    TooLarge,
    /// It cannot be read.
    Unreadable,
}

/// An opened directory that paths are resolved below.
#[derive(Debug)]
pub struct Directory {
    root: PathBuf,
    open: Dir,
}

impl Directory {
    /// Opens a directory.
    ///
    /// # Errors
    /// When it is none or cannot be opened.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.to_owned(), open: Dir::open_linked(root)? })
    }

    /// The directory as it was named.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens the regular file at a relative path. Paths with `..` or an absolute one are missing: nothing outside is looked at.
    pub fn open_file(&self, path: &[u8]) -> Opened {
        const MISSING: [ErrorKind; 5] = [
            ErrorKind::NotFound,
            ErrorKind::NotADirectory,
            ErrorKind::InvalidFilename,
            ErrorKind::InvalidInput,
            ErrorKind::CrossesDevices,
        ];
        match self.open.open_file(path) {
            Ok(file) => match file.metadata() {
                Ok(found) if found.is_file() => Opened::File(file),
                Ok(_) => Opened::NotAFile,
                Err(_) => Opened::Unreadable,
            },
            Err(error) if is_linked(&error) => self.linked(path),
            Err(error) if MISSING.contains(&error.kind()) => Opened::Missing,
            // What else is no such thing cannot be opened: a socket, a device without a driver.
            Err(error) if is_absence(&error) => Opened::NotAFile,
            Err(_) => Opened::Unreadable,
        }
    }

    /// Reads the first bytes of a regular file, at most `limit`.
    pub fn head(&self, path: &[u8], limit: u64) -> Result<Option<Vec<u8>>, Opened> {
        match self.open_file(path) {
            Opened::File(file) => {
                let mut bytes = Vec::new();
                Ok(file.take(limit).read_to_end(&mut bytes).is_ok().then_some(bytes))
            }
            other => Err(other),
        }
    }

    /// The names in a directory below (`""` is the directory itself), each with whether it is a directory. Unsorted; links are no directories.
    ///
    /// # Errors
    /// When the directory cannot be opened without following a link, or not be read.
    pub fn list(&self, path: &[u8]) -> io::Result<Vec<(Vec<u8>, bool)>> {
        let mut found = Vec::new();
        self.open.open(path)?.each_name(|name, kind| found.push((name.to_owned(), kind == Kind::Directory)))?;
        Ok(found)
    }

    /// True when something stands at a relative path; a link counts, what it leads to does not.
    pub fn present(&self, path: &[u8]) -> bool {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        !matches!(name, b"" | b"." | b"..") && self.open.kind(path).is_ok()
    }

    /// Says more about a path that a link keeps us from; only names are looked at, never content.
    fn linked(&self, path: &[u8]) -> Opened {
        let parent = path.iter().rposition(|b| *b == b'/').map_or(&b"."[..], |at| &path[..at]);
        let last = self.open.kind(parent).is_ok_and(|kind| kind == Kind::Directory);
        let target = path_of(path).map(|path| self.root.join(path).canonicalize());
        let root = self.root.canonicalize();
        let outside = matches!((target, root), (Some(Ok(target)), Ok(root)) if !target.starts_with(&root));
        Opened::Linked { outside, last }
    }
}

/// Reads an opened file whole, at most `limit` bytes.
pub fn read_whole(file: File, limit: u64) -> Content {
    let mut bytes = Vec::new();
    match file.take(limit + 1).read_to_end(&mut bytes) {
        Ok(read) if read as u64 > limit => Content::TooLarge,
        Ok(_) => Content::Whole(bytes),
        Err(_) => Content::Unreadable,
    }
}
