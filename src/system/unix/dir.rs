//! A directory that is held open, and reading beneath it: no symbolic link is followed, neither at the end of a path nor on the way.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::system::Kind;

/// Flags of every directory that is opened.
pub(super) const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Flags of every file that is read. Without NONBLOCK a pipe would hold us until someone writes to it.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Flags of a directory on the way: where the system has it, one that may be passed need not be read.
#[cfg(target_os = "linux")]
pub(super) const STEP: OFlags = DIRECTORY.union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
pub(super) const STEP: OFlags = DIRECTORY;

/// A directory, held open: renaming it or putting a link in its place does not change what is meant.
#[derive(Debug)]
pub struct Dir(pub(super) OwnedFd);

impl Dir {
    /// Opens the directory at a path that the caller chose. Links on the way are the caller's own, the last name must not be one.
    ///
    /// # Errors
    /// When it is none or cannot be opened.
    pub fn open_root(path: &Path) -> io::Result<Self> {
        // A trailing slash would have the system follow a link in spite of the flag; `components` drops it.
        let plain = path.components().as_path();
        let plain = if plain.as_os_str().is_empty() { Path::new(".") } else { plain };
        Ok(Self(fs::openat(CWD, plain, DIRECTORY, Mode::empty())?))
    }

    /// The same, also where the last name is a link.
    ///
    /// # Errors
    /// When it is none or cannot be opened.
    pub fn open_linked(path: &Path) -> io::Result<Self> {
        Ok(Self(fs::openat(CWD, path, DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty())?))
    }

    /// Opens a directory beneath; `""` is the directory itself.
    ///
    /// # Errors
    /// Among others those of [`is_absence`].
    pub fn open(&self, path: &[u8]) -> io::Result<Self> {
        let path = if path.is_empty() { b"." } else { path };
        Ok(Self(self.beneath(path, DIRECTORY)?))
    }

    /// Opens the directory that has a name in this one. Unlike others it may be renamed meanwhile, on every system.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn open_movable(&self, name: &[u8]) -> io::Result<Self> {
        Ok(Self(fs::openat(&self.0, name, DIRECTORY, Mode::empty())?))
    }

    /// Opens the directory that has a name in this one.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn enter(&self, name: &[u8]) -> io::Result<Self> {
        self.open_movable(name)
    }

    /// Opens for reading what lies beneath, be it a regular file or not.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn open_file(&self, path: &[u8]) -> io::Result<File> {
        Ok(File::from(self.beneath(path, READ)?))
    }

    /// Opens for reading what has a name in this directory.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn enter_file(&self, name: &[u8]) -> io::Result<File> {
        Ok(File::from(fs::openat(&self.0, name, READ, Mode::empty())?))
    }

    /// Shows the names in it as the system gives them, each with what it is.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn each_name(&self, mut show: impl FnMut(&[u8], Kind)) -> io::Result<()> {
        let mut one = |name: &[u8], kind| {
            if matches!(name, b"." | b"..") {
                return Ok(());
            }
            match kind {
                FileType::Unknown => match self.kind(name) {
                    Ok(kind) => show(name, kind),
                    // It has vanished since the directory was read.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                },
                known => show(name, kind_of(known)),
            }
            Ok(())
        };
        #[cfg(target_os = "linux")]
        {
            let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 16 << 10];
            let mut entries = fs::RawDir::new(&self.0, &mut buffer);
            let mut next = 0;
            // Behind the greatest position there is, nothing can come: many file systems say so of the last name, and are not
            // asked once more.
            while next != i64::MAX as u64 || !entries.is_buffer_empty() {
                let Some(entry) = entries.next() else { break };
                let entry = entry?;
                next = entry.next_entry_cookie();
                one(entry.file_name().to_bytes(), entry.file_type())?;
            }
        }
        #[cfg(not(target_os = "linux"))]
        for entry in fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            one(entry.file_name().to_bytes(), entry.file_type())?;
        }
        Ok(())
    }

    /// What stands at a path beneath.
    ///
    /// # Errors
    /// As [`Dir::open`].
    pub fn kind(&self, path: &[u8]) -> io::Result<Kind> {
        let at = |dir: BorrowedFd<'_>, name: &[u8]| {
            let stat = fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(kind_of(FileType::from_raw_mode(stat.st_mode)))
        };
        match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => at(self.beneath(&path[..slash], STEP)?.as_fd(), &path[slash + 1..]),
            None => at(self.0.as_fd(), path),
        }
    }

    /// Opens beneath the directory with the kernel's own guard, or step by step where it has none.
    fn beneath(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let guard = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match fs::openat2(&self.0, path, flags, Mode::empty(), guard) {
                // Old kernels do not have the call, sandboxes forbid it.
                Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
                done => return done,
            }
        }
        self.step_by_step(path, flags)
    }

    fn step_by_step(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let names = || path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b"."));
        if path.starts_with(b"/") || names().any(|name| name == b"..") {
            return Err(Errno::XDEV);
        }
        let mut at = None::<OwnedFd>;
        let mut names = names().peekable();
        while let Some(name) = names.next() {
            let from = at.as_ref().map_or(self.0.as_fd(), AsFd::as_fd);
            let flags = if names.peek().is_some() { STEP } else { flags };
            at = Some(fs::openat(from, name, flags, Mode::empty()).map_err(|errno| refused(from, name, errno))?);
        }
        at.map_or_else(|| fs::openat(&self.0, ".", flags, Mode::empty()), Ok)
    }
}

/// With NOFOLLOW and DIRECTORY the kernel calls a link "not a directory": tell the two apart as openat2 does.
fn refused(at: BorrowedFd<'_>, name: &[u8], errno: Errno) -> Errno {
    let link = fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
    if link { Errno::LOOP } else { errno }
}

fn kind_of(found: FileType) -> Kind {
    match found {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Special,
    }
}

/// True for the answers that mean "no such thing stands here": nothing, a link, or a file where a directory should be.
pub fn is_absence(error: &io::Error) -> bool {
    // A socket and a device without a driver cannot be opened at all.
    const ABSENT: [Errno; 6] =
        [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::NAMETOOLONG, Errno::NXIO, Errno::NODEV];
    Errno::from_io_error(error).is_some_and(|errno| ABSENT.contains(&errno))
}

/// True when a symbolic link is what stands in the way.
pub fn is_linked(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
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
        let directory = Dir::open_root(root).expect("the directory");
        let paths: [(&[u8], Result<(), Errno>); 9] = [
            (b"in/deep/file", Ok(())),
            (b"in//deep/./file", Ok(())),
            (b"link/deep/file", Err(Errno::LOOP)),
            (b"in/out", Err(Errno::LOOP)),
            (b"../x", Err(Errno::XDEV)),
            (b"/etc/passwd", Err(Errno::XDEV)),
            (b"in/none", Err(Errno::NOENT)),
            (b"in/deep", Ok(())),
            (b".", Ok(())),
        ];
        for (path, wanted) in paths {
            let shown = String::from_utf8_lossy(path);
            assert_eq!(directory.step_by_step(path, READ).map(drop), wanted, "{shown}");
            assert_eq!(directory.beneath(path, READ).map(drop), wanted, "{shown}");
        }
    }
}
