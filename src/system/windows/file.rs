//! Files by their path, and what tells one from another.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _, StdoutLock, Write as _};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;

use winapi_util::file::information;

use super::dir::{BACKUP_SEMANTICS, OPEN_REPARSE_POINT, SHARING_VIOLATION};
use crate::system::Hold;

/// Files are flushed one by one, however many there are.
pub const FLUSHED_EACH: usize = usize::MAX;

/// Others may read and remove it, but not write.
const HELD: u32 = 1 | 4;

/// The path that bytes spell; none for bytes that are no UTF-8, and for a name that would mean something else here.
pub fn path_of(bytes: &[u8]) -> Option<Cow<'_, Path>> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains(['\\', ':']))?;
    Some(Cow::Borrowed(Path::new(text)))
}

/// Opens a file for reading; links are followed.
///
/// # Errors
/// Those of the system.
pub fn open_followed(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens a file for appending, and makes it where nothing is; links are followed.
///
/// # Errors
/// Those of the system.
pub fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

/// Takes a file for this process alone; `make` creates it. Others can read it meanwhile: a lock of the system would keep them out.
///
/// # Errors
/// When it cannot be opened.
pub fn hold(path: &Path, make: bool) -> io::Result<Hold> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(make).truncate(false).share_mode(HELD).custom_flags(OPEN_REPARSE_POINT);
    let file = match options.open(path) {
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => return Ok(Hold::Busy),
        opened => opened?,
    };
    if !file.metadata()?.is_file() {
        return Ok(Hold::Foreign);
    }
    let is_at = file_number(path).is_ok_and(|found| number(&file).is_ok_and(|held| held == found));
    Ok(if is_at { Hold::Held(file) } else { Hold::Gone })
}

/// What tells an open file or directory from others: its volume and its number there.
pub(super) fn number(file: &File) -> io::Result<(u64, u64)> {
    let found = information(file)?;
    Ok((found.volume_serial_number(), found.file_index()))
}

/// What tells the file or directory at a path, or a link there, from others.
///
/// # Errors
/// When nothing is there.
pub fn file_number(path: &Path) -> io::Result<(u64, u64)> {
    number(&OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS | OPEN_REPARSE_POINT).open(path)?)
}

/// The file system that a path lies on.
pub fn device(path: &Path) -> Option<u64> {
    number(&OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS).open(path).ok()?)
        .ok()
        .map(|(device, _)| device)
}

/// There are no modes.
pub fn permissions(_mode: u32) -> Option<Permissions> {
    None
}

/// Gives a directory its name, in the place of an empty one.
///
/// # Errors
/// Those of the system.
pub fn rename_dir(from: &Path, to: &Path) -> io::Result<()> {
    // What is not empty stays, and the rename fails.
    let _ = fs::remove_dir(to);
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Names are in the journal of the file system; there is no way to wait for them.
///
/// # Errors
/// None.
pub fn sync_dir(_dir: &Path) -> io::Result<()> {
    Ok(())
}

/// One read behind the bytes that are there, into the room that they have.
///
/// # Errors
/// Those of the system.
pub fn read_some(mut file: &File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let filled = bytes.len();
    bytes.resize(bytes.capacity(), 0);
    let read = file.read(&mut bytes[filled..]);
    bytes.truncate(filled + read.as_ref().copied().unwrap_or(0));
    read
}

/// Writes what may be Unicode: a console takes no bytes.
///
/// # Errors
/// Those of the system.
pub fn print(stdout: &mut StdoutLock<'_>, bytes: &[u8]) -> io::Result<()> {
    stdout.write_all(bytes)?;
    stdout.flush()
}
