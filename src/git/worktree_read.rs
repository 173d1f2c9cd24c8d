//! Reading files below a directory without leaving it: no link is followed, nothing but a regular file is read.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{self, CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

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
    fd: OwnedFd,
}

/// Without NONBLOCK a pipe put in the place of a file would hold us up.
const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl Directory {
    /// Opens a directory.
    ///
    /// # Errors
    /// When it is none or cannot be opened.
    pub fn open(root: &Path) -> io::Result<Self> {
        let fd = fs::openat(CWD, root, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { root: root.to_owned(), fd })
    }

    /// The directory as it was named.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens the regular file at a relative path. Paths with `..` or an absolute one are missing: nothing outside is looked at.
    pub fn open_file(&self, path: &[u8]) -> Opened {
        match self.beneath(path, FLAGS) {
            Ok(fd) => match fs::fstat(&fd).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
                Ok(FileType::RegularFile) => Opened::File(File::from(fd)),
                Ok(_) => Opened::NotAFile,
                Err(_) => Opened::Unreadable,
            },
            Err(Errno::LOOP) => self.linked(path),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::INVAL | Errno::XDEV) => Opened::Missing,
            Err(Errno::NXIO | Errno::NODEV | Errno::ISDIR) => Opened::NotAFile,
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
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let fd = self.beneath(if path.is_empty() { b"." } else { path }, flags)?;
        let mut found = Vec::new();
        for entry in fs::Dir::read_from(&fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let mut kind = entry.file_type();
            if kind == FileType::Unknown {
                let stat = fs::statat(&fd, entry.file_name(), fs::AtFlags::SYMLINK_NOFOLLOW)?;
                kind = FileType::from_raw_mode(stat.st_mode);
            }
            found.push((name.to_owned(), kind == FileType::Directory));
        }
        Ok(found)
    }

    /// True when something stands at a relative path; a link counts, what it leads to does not.
    pub fn present(&self, path: &[u8]) -> bool {
        let cut = path.iter().rposition(|b| *b == b'/');
        let (parent, name) = cut.map_or((&b"."[..], path), |at| (&path[..at], &path[at + 1..]));
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        !matches!(name, b"" | b"." | b"..")
            && self.beneath(parent, flags).is_ok_and(|fd| fs::statat(&fd, name, fs::AtFlags::SYMLINK_NOFOLLOW).is_ok())
    }

    /// Opens below the directory with the kernel's own guard, or step by step where the kernel has none.
    fn beneath(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let guard = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match fs::openat2(&self.fd, path, flags, Mode::empty(), guard) {
            Err(Errno::NOSYS | Errno::PERM) => self.step_by_step(path, flags),
            result => result,
        }
    }

    fn step_by_step(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let names: Vec<&[u8]> = path.split(|b| *b == b'/').filter(|name| !name.is_empty() && *name != b".").collect();
        if path.starts_with(b"/") || names.contains(&&b".."[..]) {
            return Err(Errno::XDEV);
        }
        let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (last, before) = names.split_last().map_or((&b"."[..], &[][..]), |(last, before)| (*last, before));
        let mut at = fs::openat(&self.fd, c".", step, Mode::empty())?;
        for name in before {
            at = fs::openat(&at, *name, step, Mode::empty()).map_err(|error| refused(&at, name, error))?;
        }
        fs::openat(&at, last, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| refused(&at, last, error))
    }

    /// Says more about a path that a link keeps us from; only names are looked at, never content.
    fn linked(&self, path: &[u8]) -> Opened {
        use std::os::unix::ffi::OsStrExt as _;
        let parent = path.iter().rposition(|b| *b == b'/').map_or(&b"."[..], |at| &path[..at]);
        let last = self.beneath(parent, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC).is_ok();
        let target = self.root.join(std::ffi::OsStr::from_bytes(path)).canonicalize();
        let root = self.root.canonicalize();
        let outside = matches!((target, root), (Ok(target), Ok(root)) if !target.starts_with(&root));
        Opened::Linked { outside, last }
    }
}

/// With NOFOLLOW and DIRECTORY the kernel calls a link "not a directory": tell the two apart as openat2 does.
fn refused(at: &OwnedFd, name: &[u8], error: Errno) -> Errno {
    let link = fs::statat(at.as_fd(), name, fs::AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
    if link { Errno::LOOP } else { error }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel without openat2 cannot be had from the outside: both ways must answer alike.
    #[test]
    fn the_slow_way_answers_like_the_kernel() {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path();
        std::fs::create_dir_all(root.join("in/deep")).expect("directories");
        std::fs::write(root.join("in/deep/file"), "x").expect("a file");
        std::os::unix::fs::symlink("in", root.join("link")).expect("a link");
        std::os::unix::fs::symlink("/etc/passwd", root.join("in/out")).expect("a link");
        let directory = Directory::open(root).expect("the directory");
        let paths: [&[u8]; 9] = [
            b"in/deep/file",
            b"in//deep/./file",
            b"link/deep/file",
            b"in/out",
            b"../x",
            b"/etc/passwd",
            b"in/none",
            b"in/deep",
            b".",
        ];
        for path in paths {
            let guard = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let kernel = fs::openat2(&directory.fd, path, FLAGS, Mode::empty(), guard).map(|_| ());
            let slow = directory.step_by_step(path, FLAGS).map(|_| ());
            assert_eq!(kernel, slow, "{}", String::from_utf8_lossy(path));
        }
    }
}
