//! Files by their path, and what stands in their metadata.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, StdoutLock, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{self, AtFlags, FileType, FlockOperation, OFlags, Stat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::system::{Hold, Identity, Kind, born};

/// Up to so many files are flushed one by one (about 0.25 ms each); above, the whole file system is.
pub const FLUSHED_EACH: usize = 64;

/// The path that bytes spell.
pub fn path_of(bytes: &[u8]) -> Option<Cow<'_, Path>> {
    Some(Cow::Borrowed(Path::new(OsStr::from_bytes(bytes))))
}

/// Opens a file for reading without waiting for who writes to a pipe; links are followed.
///
/// # Errors
/// Those of the system.
pub fn open_followed(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)
}

/// Opens a file for appending, and makes it where nothing is, without waiting for who reads a pipe; links are followed.
///
/// # Errors
/// Those of the system; a pipe that nobody reads is one.
pub fn append_to(path: &Path) -> io::Result<File> {
    let no_wait = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    OpenOptions::new().append(true).create(true).custom_flags(no_wait).open(path)
}

/// Takes a file for this process alone; `make` creates it. A link is refused.
///
/// # Errors
/// When it cannot be opened or locked.
pub fn hold(path: &Path, make: bool) -> io::Result<Hold> {
    let link_or_pipe = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    // A network file system locks only what is open for writing.
    let open =
        OpenOptions::new().read(true).write(true).create(make).truncate(false).custom_flags(link_or_pipe).open(path)?;
    // A checkout may have put a new file under the name: then the lock is on one that nobody else will ask for.
    hold_open(
        open,
        |file| Ok(file_number(path).is_ok_and(|now| file.metadata().is_ok_and(|held| number(&held) == now))),
    )
}

/// Locks an open file, and asks whether it still has its name.
pub(super) fn hold_open(file: File, is_at: impl FnOnce(&File) -> io::Result<bool>) -> io::Result<Hold> {
    match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(Hold::Busy),
        Err(errno) => Err(errno.into()),
        Ok(()) if is_at(&file)? => Ok(Hold::Held(file)),
        Ok(()) => Ok(Hold::Gone),
    }
}

/// Whether a name still leads to the open file or directory.
pub(super) fn is_same(parent: impl AsFd, name: &[u8], open: impl AsFd) -> Result<bool, Errno> {
    let open = fs::fstat(open)?;
    match fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok((found.st_dev, found.st_ino) == (open.st_dev, open.st_ino)),
        Err(Errno::NOENT) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Whether it is this user's.
pub(super) fn is_own(stat: &Stat) -> bool {
    stat.st_uid == geteuid().as_raw()
}

/// What was asked about.
pub(super) fn kind_of_answer(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        _ => Kind::Special,
    }
}

/// What tells the file or directory at a path, or a link there, from others.
///
/// # Errors
/// When nothing is there.
pub fn file_number(path: &Path) -> io::Result<(u64, u64)> {
    Ok(number(&path.symlink_metadata()?))
}

fn number(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// Which directory is open.
pub(super) fn identity(open: &File) -> io::Result<Identity> {
    let (device, inode) = number(&open.metadata()?);
    Ok(Identity { device, inode, born: born(open) })
}

/// The file system that a path lies on.
pub fn device(path: &Path) -> Option<u64> {
    path.metadata().ok().map(|found| found.dev())
}

/// A mode for what is made elsewhere; the umask takes from it.
pub fn permissions(mode: u32) -> Option<Permissions> {
    Some(Permissions::from_mode(mode))
}

/// Gives a directory its name, in the place of an empty one.
///
/// # Errors
/// Those of the system.
pub fn rename_dir(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

/// Flushes the names in a directory.
///
/// # Errors
/// Those of the system.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// One read behind the bytes that are there, into the room that they have.
///
/// # Errors
/// Those of the system.
pub fn read_some(file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    Ok(rustix::io::read(file, spare_capacity(bytes))?)
}

/// Writes straight to the descriptor: the standard buffer looks for line ends in what may be megabytes.
///
/// # Errors
/// Those of the system.
pub fn print(stdout: &mut StdoutLock<'_>, bytes: &[u8]) -> io::Result<()> {
    let descriptor: BorrowedFd<'_> = stdout.as_fd();
    File::from(descriptor.try_clone_to_owned()?).write_all(bytes)
}
