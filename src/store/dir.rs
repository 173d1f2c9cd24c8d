//! A tree that lies in a directory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rayon::prelude::*;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{self, AtFlags, Dir, FileType, OFlags};
use rustix::io::Errno;

use super::{Error, beneath};
use crate::format::tree::{FileKind, Tree, TreeEntry};

/// A directory, held open: renaming it or putting a link in its place does not change what is read.
///
/// `.git` at the top is not part of the tree. Sizes are not listed: asking for them costs more than the rest of the listing.
#[derive(Debug)]
pub struct DirTree {
    root: OwnedFd,
}

impl DirTree {
    /// Opens a directory.
    ///
    /// # Errors
    /// [`Error::Nothing`], [`Error::NotADirectory`] (also for a symbolic link to one), [`Error::Io`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { root: beneath::open_root(path)? })
    }

    /// What stands in one directory: its entries, and its directories by their true bytes.
    fn read_dir(&self, dir: &[u8]) -> Result<(Vec<TreeEntry>, Vec<Vec<u8>>), Errno> {
        let handle = beneath::open(self.root.as_fd(), dir, beneath::DIRECTORY)?;
        let (mut entries, mut dirs) = (Vec::new(), Vec::new());
        let mut names = Dir::read_from(&handle)?;
        while let Some(name) = names.read() {
            let name = name?;
            let bytes = name.file_name().to_bytes();
            if matches!(bytes, b"." | b"..") || (dir.is_empty() && bytes == b".git") {
                continue;
            }
            let path = if dir.is_empty() { bytes.to_vec() } else { [dir, b"/", bytes].concat() };
            let kind = match name.file_type() {
                FileType::Unknown => match kind_of(&handle, bytes)? {
                    Some(kind) => kind,
                    None => continue,
                },
                known => known,
            };
            let kind = match kind {
                FileType::Directory => {
                    dirs.push(path);
                    continue;
                }
                FileType::RegularFile => FileKind::File,
                FileType::Symlink => FileKind::Symlink,
                _ => FileKind::Special,
            };
            entries.push(TreeEntry { path: String::from_utf8_lossy(&path).into_owned(), kind, bytes: None });
        }
        Ok((entries, dirs))
    }
}

/// The type of a name; `None` when it has vanished since the directory was read.
fn kind_of(dir: &OwnedFd, name: &[u8]) -> Result<Option<FileType>, Errno> {
    match fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// An error that names the path.
fn named(path: &[u8], errno: Errno) -> io::Error {
    let error = io::Error::from(errno);
    io::Error::new(error.kind(), format!("{}: {error}", String::from_utf8_lossy(path)))
}

/// Whether a path names something that may be part of the tree.
fn is_inside(path: &str) -> bool {
    beneath::stays_beneath(path) && path.split('/').next() != Some(".git")
}

impl Tree for DirTree {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        if !dir.is_empty() && !is_inside(dir) {
            return Ok(Vec::new());
        }
        let (mut entries, mut level) = match self.read_dir(dir.as_bytes()) {
            Ok(found) => found,
            Err(errno) if beneath::is_absence(errno) => return Ok(Vec::new()),
            Err(errno) => return Err(named(dir.as_bytes(), errno)),
        };
        // Level by level, so that the number of open directories does not grow with the depth.
        while !level.is_empty() {
            let read: Vec<_> = level
                .par_iter()
                .map(|dir| match self.read_dir(dir) {
                    Err(Errno::NOENT) => Ok((Vec::new(), Vec::new())),
                    found => found.map_err(|errno| named(dir, errno)),
                })
                .collect::<io::Result<_>>()?;
            level.clear();
            for (found, dirs) in read {
                entries.extend(found);
                level.extend(dirs);
            }
        }
        entries.par_sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        if !is_inside(path) {
            return Ok(None);
        }
        // Without NONBLOCK a pipe would hold us until someone writes to it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let handle = match beneath::open(self.root.as_fd(), path.as_bytes(), flags) {
            Ok(handle) => handle,
            Err(errno) if beneath::is_absence(errno) => return Ok(None),
            Err(errno) => return Err(named(path.as_bytes(), errno)),
        };
        let stat = fs::fstat(&handle).map_err(|errno| named(path.as_bytes(), errno))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Ok(None);
        }
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("{path}: more than {limit} bytes"));
        if size > limit {
            return Err(too_large());
        }
        // A file that says it is empty may not be (some file systems are made up as they are read), so only there the end is looked for.
        let most = if size == 0 { limit.saturating_add(1) } else { size };
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        File::from(handle).take(most).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(Some(bytes)) }
    }
}
