//! Where things lie in a store: the paths of docs/format.md §3, and the check that a tree is a store.

use super::Error;
use crate::format::digest::Digest;
use crate::format::header::{self, NotAStore};
use crate::format::kept;
use crate::format::tree::{FileKind, Tree};

/// The directory of elements.
pub const OBJECTS: &str = "objects";

/// The directory of observations.
pub const OBSERVATIONS: &str = "observations";

/// The directory of recorded stages.
pub const STAGES: &str = "stages";

/// The directory of what was not recognised and is kept.
pub const UNRECOGNISED: &str = kept::FOLDER;

/// The directory of records of what was erased; no verb writes it yet.
pub const ERASURES: &str = "erasures";

/// Every directory of a store, all of whose files are to be committed.
pub const DIRECTORIES: [&str; 5] = [OBJECTS, OBSERVATIONS, STAGES, UNRECOGNISED, ERASURES];

/// A header is a few dozen bytes; whatever is larger is something else.
const MAX_HEADER: u64 = 1 << 16;

/// The largest observation, record of a stage or list of its facts that is read, in bytes. Long lists lie in elements, so that one has
/// a few kilobytes.
pub const MAX_RECORD: u64 = 1 << 26;

/// The largest record of what is kept unrecognised, in bytes: it holds one URL.
pub const MAX_KEPT: u64 = 1 << 16;

/// The path of an element: `objects/ab/cdef…`.
pub fn element_path(digest: &Digest) -> String {
    let hex = digest.hex();
    format!("{OBJECTS}/{}/{}", &hex[..2], &hex[2..])
}

/// The digest that a path of an element names; `None` for any other path.
pub fn parse_element_path(path: &str) -> Option<Digest> {
    let (shard, rest) = path.strip_prefix(OBJECTS)?.strip_prefix('/')?.split_once('/')?;
    if shard.len() == 2 { Digest::from_hex(format!("{shard}{rest}")) } else { None }
}

/// The path of the record of a stage, by the digest of its index.
pub fn stage_record_path(index: &Digest) -> String {
    format!("{STAGES}/{}.json", index.hex())
}

/// The directory of the lists of facts that give a stage.
pub fn stage_facts_dir(index: &Digest) -> String {
    format!("{STAGES}/{}", index.hex())
}

/// The path of a list of facts, by the digests of the index and of the list itself.
pub fn stage_facts_path(index: &Digest, own: &Digest) -> String {
    format!("{}/{}.json", stage_facts_dir(index), &own.hex()[..32])
}

/// Checks that every directory of a store is one, where it is there at all.
///
/// # Errors
/// As [`check_directory`].
pub fn check_directories(tree: &dyn Tree) -> Result<(), Error> {
    DIRECTORIES.iter().try_for_each(|dir| check_directory(tree, dir))
}

/// Checks that nothing else stands in the place of a directory, or of one on the way: what lies in it would be taken for never filed.
///
/// # Errors
/// [`Error::InTheWay`]; [`Error::Io`] when the tree cannot be read.
pub fn check_directory(tree: &dyn Tree, dir: &str) -> Result<(), Error> {
    let found = match tree.in_the_way(dir).map_err(|error| Error::io(dir, error))? {
        None => return Ok(()),
        Some(found) => found,
    };
    let kind = match found.kind {
        FileKind::File => "a file",
        FileKind::Symlink => "a symbolic link",
        FileKind::Submodule => "a submodule",
        FileKind::Special => "a special file",
    };
    Err(Error::InTheWay { path: found.path, found: kind })
}

/// Checks that a tree is a store that this program reads.
///
/// # Errors
/// [`Error::NoHeader`], [`Error::BadHeader`], [`Error::Newer`]; [`Error::Io`] when the tree cannot be read.
pub fn check_header(tree: &dyn Tree) -> Result<(), Error> {
    let bytes = match tree.read(header::PATH, MAX_HEADER) {
        Ok(bytes) => bytes.ok_or(Error::NoHeader)?,
        Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => return Err(Error::BadHeader),
        Err(error) => return Err(Error::io(header::PATH, error)),
    };
    header::check(&bytes).map_err(|reason| match reason {
        NotAStore::NotAHeader => Error::BadHeader,
        NotAStore::NewerFormat(format) => Error::Newer(format),
    })
}
