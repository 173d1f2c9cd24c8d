//! Two trees of the upstream layout, file by file: their names say what a change is of.

use std::collections::BTreeMap;

use super::change::Change;
use super::walk::bytes_changed;
use crate::format::digest::Digest;
use crate::format::index::{MAX_BYTES, NAME};
use crate::format::tree::Tree;
use crate::format::upstream;
use crate::ops::Error;

/// The files of a tree of this layout by path, the manifest among them; `None` for a tree of another one.
type Files = Option<BTreeMap<String, Digest>>;

/// The changes between two trees of this layout; `None` when neither is one.
///
/// # Errors
/// `diff-layouts` when only one is, `index-invalid`, `read-failed`.
pub(super) fn changes(a: &dyn Tree, b: &dyn Tree) -> Result<Option<Vec<Change>>, Error> {
    let (a, b) = match (files(a)?, files(b)?) {
        (None, None) => return Ok(None),
        (Some(a), Some(b)) => (a, b),
        _ => {
            return Err(Error::new("diff-layouts", "the trees are laid out in two ways, and have no files in common")
                .hint("stage both with the same --layout"));
        }
    };
    let paths: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let pair = |path: &String| (a.get(path).copied(), b.get(path).copied());
    let differing = paths.into_iter().filter(|path| pair(path).0 != pair(path).1);
    let mut changes: Vec<_> = differing.map(|path| bytes_changed(path.clone(), pair(path).0, pair(path).1)).collect();
    // The manifest names every other file, so that its own change goes without saying.
    if changes.len() > 1 {
        changes.retain(|change| change.path != NAME);
    }
    Ok(Some(changes))
}

fn files(tree: &dyn Tree) -> Result<Files, Error> {
    let read = tree.read(NAME, MAX_BYTES);
    let bytes = read.map_err(|error| Error::new("read-failed", format!("{NAME} could not be read: {error}")))?;
    let Some((bytes, listed)) = bytes.and_then(|bytes| upstream::files(&bytes).map(|files| (bytes, files))) else {
        return Ok(None);
    };
    let listed = listed.map_err(|fault| {
        Error::new("index-invalid", format!("{NAME} cannot be relied on: {fault}")).hint("git docket verify says more")
    })?;
    let mut files: BTreeMap<_, _> = listed.into_iter().map(|file| (file.path, file.sha256)).collect();
    files.insert(NAME.to_owned(), Digest::of(&bytes));
    Ok(Some(files))
}
