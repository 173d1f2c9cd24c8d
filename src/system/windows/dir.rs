//! A directory that is held open, and reading beneath it: no link is followed, neither at the end of a path nor on the way.

use std::fs::{File, OpenOptions, read_dir};
use std::io;
use std::os::windows::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::file::number;
use crate::system::{Kind, kind_at};

/// Who else may do what with an open file.
const SHARE_READ: u32 = 1;
const SHARE_WRITE: u32 = 2;
const SHARE_DELETE: u32 = 4;

/// Everything but renaming and removing.
const PINNED: u32 = SHARE_READ | SHARE_WRITE;

/// Everything.
const SHARED: u32 = PINNED | SHARE_DELETE;

/// A directory can be opened.
pub(super) const BACKUP_SEMANTICS: u32 = 0x0200_0000;

/// A link is opened itself.
pub(super) const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// Of a file that something is behind: a link, but also what a system keeps elsewhere.
const REPARSE_POINT: u32 = 0x400;

/// The answers of the system that have no name in the standard library.
const INVALID_NAME: i32 = 123;
const LINKED: i32 = 1921;
const NOT_A_DIRECTORY: i32 = 267;
pub(super) const SHARING_VIOLATION: i32 = 32;

/// A directory, held open: as long as it is, nobody can rename it or put another in its place.
#[derive(Debug)]
pub struct Dir {
    /// Without a link, in the long form that is taken as it stands.
    path: PathBuf,
    open: File,
}

impl Dir {
    /// Opens the directory at a path that the caller chose. Links on the way are the caller's own, the last name must not be one.
    ///
    /// # Errors
    /// When it is none or cannot be opened.
    pub fn open_root(path: &Path) -> io::Result<Self> {
        let plain = path.components().as_path();
        let plain = if plain.as_os_str().is_empty() { Path::new(".") } else { plain };
        let named = directory(plain, PINNED)?;
        let root = Self::open_linked(plain)?;
        // The name may have been given to a link between the two.
        if number(&named)? != number(&root.open)? {
            return Err(io::Error::from_raw_os_error(LINKED));
        }
        Ok(root)
    }

    /// The same, also where the last name is a link.
    ///
    /// # Errors
    /// When it is none or cannot be opened.
    pub fn open_linked(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        Ok(Self { open: directory(&path, PINNED)?, path })
    }

    /// Opens a directory beneath; `""` is the directory itself.
    ///
    /// # Errors
    /// Among others those of [`is_absence`].
    pub fn open(&self, path: &[u8]) -> io::Result<Self> {
        let mut at = Self { path: self.path.clone(), open: directory(&self.path, PINNED)? };
        for name in path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b".")) {
            // The one above is held until the one below is.
            at = at.enter(name)?;
        }
        Ok(at)
    }

    /// Opens the directory that has a name in this one. Unlike others it may be renamed meanwhile.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn open_movable(&self, name: &[u8]) -> io::Result<Self> {
        let path = self.join(name)?;
        Ok(Self { open: directory(&path, SHARED)?, path })
    }

    /// Opens the directory that has a name in this one.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn enter(&self, name: &[u8]) -> io::Result<Self> {
        let path = self.join(name)?;
        Ok(Self { open: directory(&path, PINNED)?, path })
    }

    /// Opens for reading what lies beneath, be it a regular file or not.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn open_file(&self, path: &[u8]) -> io::Result<File> {
        match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => self.open(&path[..slash])?.enter_file(&path[slash + 1..]),
            None => self.enter_file(path),
        }
    }

    /// Opens for reading what has a name in this directory.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn enter_file(&self, name: &[u8]) -> io::Result<File> {
        let path = self.join(name)?;
        let itself = OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT).open(&path)?;
        let found = itself.metadata()?;
        if found.is_symlink() {
            return Err(io::Error::from_raw_os_error(LINKED));
        }
        // Only opened in the usual way it has the bytes that a system keeps elsewhere.
        let is_elsewhere = found.file_attributes() & REPARSE_POINT != 0;
        if is_elsewhere { OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS).open(&path) } else { Ok(itself) }
    }

    /// Shows the names in it as the system gives them, each with what it is. One that is no Unicode is shown in another spelling.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn each_name(&self, mut show: impl FnMut(&[u8], Kind)) -> io::Result<()> {
        for entry in read_dir(&self.path)? {
            let entry = entry?;
            show(entry.file_name().to_string_lossy().as_bytes(), entry.file_type()?.into());
        }
        Ok(())
    }

    /// What stands at a path beneath.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn kind(&self, path: &[u8]) -> io::Result<Kind> {
        match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => self.open(&path[..slash])?.kind(&path[slash + 1..]),
            None => kind_at(&self.join(path)?),
        }
    }

    /// The path of a name in this directory.
    pub(super) fn join(&self, name: &[u8]) -> io::Result<PathBuf> {
        let name = std::str::from_utf8(name).ok().filter(|name| is_plain(name));
        name.map(|name| self.path.join(name)).ok_or_else(|| io::Error::from_raw_os_error(INVALID_NAME))
    }

    /// What it is held by.
    pub(super) fn handle(&self) -> &File {
        &self.open
    }
}

/// Whether a name means itself: no way elsewhere, no stream of a file, no pattern, no ending that a system drops.
fn is_plain(name: &str) -> bool {
    let bad = |c: char| c.is_ascii_control() || "\\/:*?\"<>|".contains(c);
    !matches!(name, "" | "." | "..") && !name.contains(bad) && !name.ends_with(['.', ' '])
}

/// Opens a directory that is no link.
fn directory(path: &Path, share: u32) -> io::Result<File> {
    let flags = BACKUP_SEMANTICS | OPEN_REPARSE_POINT;
    let open = OpenOptions::new().read(true).share_mode(share).custom_flags(flags).open(path)?;
    match Kind::from(open.metadata()?.file_type()) {
        Kind::Directory => Ok(open),
        Kind::Symlink => Err(io::Error::from_raw_os_error(LINKED)),
        _ => Err(io::Error::from_raw_os_error(NOT_A_DIRECTORY)),
    }
}

/// Whether a directory is open nowhere.
pub(super) fn is_unused(path: &Path) -> io::Result<bool> {
    match directory(path, 0) {
        Ok(_) => Ok(true),
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(false),
        Err(error) => Err(error),
    }
}

/// True for the answers that mean "no such thing stands here": nothing, a link, a file where a directory should be, or a name that
/// nothing can have.
pub fn is_absence(error: &io::Error) -> bool {
    let absent = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename);
    absent || matches!(error.raw_os_error(), Some(LINKED | NOT_A_DIRECTORY | INVALID_NAME))
}

/// True when a link is what stands in the way.
pub fn is_linked(error: &io::Error) -> bool {
    error.raw_os_error() == Some(LINKED)
}
