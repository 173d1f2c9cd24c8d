//! `verify`: is a store, snapshot or stage whole, and is it the one that was meant?
//!
//! All damage is listed at once, each as one finding. Nothing needs a network or a git checkout.

mod again;
mod cause;
mod elements;
mod file;
mod kept;
mod listing;
mod looks;
mod manifest;
mod report;
mod stages;
mod standing;
mod store;
mod tally;
mod tree;
mod upstream;

pub use again::derive_again;
pub use report::{Anchor, Anchored, Cause, Code, Finding, Note, NoteCode, Report};
pub use standing::{Standing, Where, is_tree, standing};

use std::io;

use super::Error;
use crate::format::header;
use crate::format::index;
use crate::format::tree::{Tree, TreeEntry};
use listing::Listing;

/// Checks a tree: a store when `docket.json` heads it, else an index tree when it has an `index.json`.
///
/// With the digest of an index the tree is an index tree, whatever else lies in it.
///
/// # Errors
/// `verify-nothing` when it is neither, `format-newer` when it is of a later format, `read-failed` when a part of it
/// could not be read: damage is a finding, never an error.
pub fn verify(tree: &dyn Tree, anchor: &Anchor) -> Result<Report, Error> {
    let tally = match recognise(tree, anchor)? {
        Subject::Store => store::check(tree)?,
        Subject::IndexTree => {
            let mut tally = tree::check(tree, anchor.index_digest, Listing::new(list(tree, "")?))?;
            upstream::check(tree, &mut tally)?;
            tally
        }
    };
    let anchored = match anchor {
        Anchor { index_digest: Some(_), .. } => Anchored::Digest,
        Anchor { commit: Some(_), .. } => Anchored::Commit,
        _ => Anchored::None,
    };
    tally.report(anchored)
}

enum Subject {
    Store,
    IndexTree,
}

/// What the tree is, by what stands at its root. A damaged header is still the header of a store, unless an index says
/// what the tree is.
fn recognise(tree: &dyn Tree, anchor: &Anchor) -> Result<Subject, Error> {
    let header = read(tree, header::PATH, store::MAX_HEADER)?.map(|bytes| header::check(&bytes));
    if anchor.index_digest.is_some() && (header.is_none() || stands(tree, index::NAME)?) {
        return Ok(Subject::IndexTree);
    }
    match header {
        Some(Err(header::NotAStore::NewerFormat(format))) => {
            let message = format!("docket.json has format {format}; this program reads format {}", header::FORMAT);
            Err(Error::new("format-newer", message).hint("use a newer git-docket"))
        }
        Some(_) if anchor.index_digest.is_some() => {
            Err(Error::new("verify-nothing", "a store has no index whose digest could be compared")
                .hint("give the digest with the snapshot or stage that it names"))
        }
        Some(Ok(())) => Ok(Subject::Store),
        _ if stands(tree, index::NAME)? => Ok(Subject::IndexTree),
        Some(Err(_)) => Ok(Subject::Store),
        None if store::is_one_without_header(tree)? => Ok(Subject::Store),
        None => Err(Error::new("verify-nothing", "neither docket.json nor index.json stands at the root")
            .hint("give the directory of a store, a snapshot, a stage or a part of one")),
    }
}

/// True when something stands at a path of the root, readable or not.
fn stands(tree: &dyn Tree, name: &str) -> Result<bool, Error> {
    match tree.read(name, index::MAX_BYTES) {
        Ok(Some(_)) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(true),
        Ok(None) => Ok(list(tree, "")?.iter().any(|entry| entry.path == name)),
        Err(error) => Err(Error::new("read-failed", format!("{name} could not be read: {error}"))),
    }
}

fn list(tree: &dyn Tree, dir: &str) -> Result<Vec<TreeEntry>, Error> {
    tree.list(dir).map_err(|error| unlisted(dir, &error))
}

fn unlisted(dir: &str, error: &io::Error) -> Error {
    let name = if dir.is_empty() { "the tree" } else { dir };
    Error::new("read-failed", format!("{name} could not be listed: {error}"))
}

/// A small file; one that is too large is no more than a wrong one.
fn read(tree: &dyn Tree, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    match tree.read(path, limit) {
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Some(Vec::new())),
        read => read.map_err(|error| Error::new("read-failed", format!("{path} could not be read: {error}"))),
    }
}
