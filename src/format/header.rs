//! `docket.json` and the two files of git beside it: what makes a directory or branch a store.

use super::json::{self, Json, Object};

/// The schema name of `docket.json`.
pub const SCHEMA: &str = "git-docket.store";

/// The format number that this program reads and writes.
pub const FORMAT: u64 = 1;

/// The path of the header.
pub const PATH: &str = "docket.json";

/// Keeps git from changing a byte on checkout, and names the diff driver.
pub const ATTRIBUTES: &str = "* -text -filter -ident -working-tree-encoding\n*.json diff=docket\n";

/// Undoes ignore rules from outside, so that no fact is left out of a commit.
pub const IGNORE: &str = "!*\n";

/// The files of an empty store, sorted by path. No date, no lineage: separately made stores are the same.
pub fn files() -> [(&'static str, Vec<u8>); 3] {
    let mut header = Object::new();
    header.set("schema", SCHEMA).set("format", FORMAT);
    [
        (".gitattributes", ATTRIBUTES.as_bytes().to_vec()),
        (".gitignore", IGNORE.as_bytes().to_vec()),
        (PATH, json::to_vec(&Json::Object(header))),
    ]
}

/// Why a `docket.json` was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAStore {
    /// Not the header of a store.
    #[error("docket.json is not the header of a git-docket store")]
    NotAHeader,
    /// Written by a newer program.
    #[error("the store has format {0}; this program reads format 1")]
    NewerFormat(u64),
}

/// Checks a header.
///
/// # Errors
/// [`NotAStore`] when it is something else, or newer.
pub fn check(bytes: &[u8]) -> Result<(), NotAStore> {
    let value = json::parse(bytes).map_err(|_| NotAStore::NotAHeader)?;
    let format = value.get("format").and_then(Json::as_u64);
    match (value.get("schema").and_then(Json::as_str), format) {
        // One spelling only: a store's header is the same in every store.
        (Some(SCHEMA), Some(FORMAT)) if files().iter().any(|(path, own)| *path == PATH && own == bytes) => Ok(()),
        (Some(SCHEMA), Some(newer)) if newer > FORMAT => Err(NotAStore::NewerFormat(newer)),
        _ => Err(NotAStore::NotAHeader),
    }
}
