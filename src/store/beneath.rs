//! Opening what lies beneath a directory: no symbolic link is followed, neither at the end of a path nor on the way.

use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::{Errno, Result};

use super::Error;

/// Flags of every directory that is opened.
pub(super) const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens the directory at a path that the caller chose. Links on the way are the caller's own, the last name must not be one.
pub(super) fn open_root(path: &Path) -> std::result::Result<OwnedFd, Error> {
    // A trailing slash would have the system follow a link in spite of the flag; `components` drops it.
    let plain = path.components().as_path();
    let plain = if plain.as_os_str().is_empty() { Path::new(".") } else { plain };
    fs::openat(CWD, plain, DIRECTORY | OFlags::NOFOLLOW, Mode::empty()).map_err(|errno| {
        let found = fs::statat(CWD, plain, AtFlags::SYMLINK_NOFOLLOW).map(|stat| FileType::from_raw_mode(stat.st_mode));
        match (errno, found) {
            (Errno::NOENT, _) => Error::Nothing { path: path.to_owned() },
            (_, Ok(FileType::Symlink)) => Error::NotADirectory { path: path.to_owned(), found: "a symbolic link" },
            (Errno::NOTDIR, _) => Error::NotADirectory { path: path.to_owned(), found: "a file" },
            (errno, _) => Error::io(path, errno),
        }
    })
}

/// Opens a relative path beneath a directory; `""` is the directory itself. Segments must not be `..`.
pub(super) fn open(dir: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if path.is_empty() {
        return fs::openat(dir, ".", flags, Mode::empty());
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match fs::openat2(dir, path, flags, Mode::empty(), resolve) {
            // Old kernels do not have the call, sandboxes forbid it.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            done => return done,
        }
    }
    walk(dir, path, flags)
}

/// The same, one segment at a time.
fn walk(dir: BorrowedFd<'_>, path: &[u8], flags: OFlags) -> Result<OwnedFd> {
    let mut at = None::<OwnedFd>;
    let mut rest = path;
    while let Some(slash) = rest.iter().position(|&byte| byte == b'/') {
        let from = at.as_ref().map_or(dir, AsFd::as_fd);
        at = Some(fs::openat(from, &rest[..slash], DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?);
        rest = &rest[slash + 1..];
    }
    fs::openat(at.as_ref().map_or(dir, AsFd::as_fd), rest, flags, Mode::empty())
}

/// True for the answers that mean "no such thing stands here": nothing, a link, or a file where a directory should be.
pub(super) fn is_absence(errno: Errno) -> bool {
    // A socket and a device without a driver cannot be opened at all.
    matches!(errno, Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG | Errno::NXIO | Errno::NODEV)
}

/// True for a path whose segments stay beneath their directory.
pub(super) fn stays_beneath(path: &str) -> bool {
    !path.contains('\0') && path.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel that runs the tests has `openat2`, so only this test reaches the walk.
    #[test]
    fn the_walk_follows_no_link() {
        let root = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir_all(root.path().join("a/b")).expect("made");
        std::fs::write(root.path().join("a/b/file"), "x").expect("written");
        std::os::unix::fs::symlink("a", root.path().join("way")).expect("linked");
        std::os::unix::fs::symlink("file", root.path().join("a/b/end")).expect("linked");
        let dir = open_root(root.path()).expect("opened");
        let walk = |path: &str| walk(dir.as_fd(), path.as_bytes(), OFlags::RDONLY | OFlags::NOFOLLOW).map(|_| ());
        assert_eq!(walk("a/b/file"), Ok(()));
        assert_eq!(walk("way/b/file"), Err(Errno::NOTDIR));
        assert_eq!(walk("a/b/end"), Err(Errno::LOOP));
        assert_eq!(walk("a/c/file"), Err(Errno::NOENT));
    }
}
