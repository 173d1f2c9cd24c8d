//! Where things lie in a store: the paths of docs/format.md §3, and the check that a tree is a store.

use super::Error;
use crate::format::digest::Digest;
use crate::format::header::{self, NotAStore};
use crate::format::kept;
use crate::format::tree::Tree;

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
pub const DIRECTORIES: [&str; 4] = [OBJECTS, OBSERVATIONS, STAGES, UNRECOGNISED];

/// A header is a few dozen bytes; whatever is larger is something else.
const MAX_HEADER: u64 = 1 << 16;

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
