//! Reading a work tree as git and OpenAgents do, links included: only for comparison with them (`--compat openagents`).

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Component, Path};

use crate::system::{open_followed, path_of};

/// Why OpenAgents excludes a source, in the order of its checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is one phrase of the coverage diagnostics")]
pub enum Excluded {
    NonRelative,
    RootUnavailable,
    Unavailable,
    Outside,
    MetadataUnavailable,
    NotAFile,
    NotText,
    Oversize,
}

/// Opens a tracked file as `git grep` does: the last component is looked at, links on the way are followed.
pub fn open_tracked(root: &Path, path: &[u8]) -> Option<File> {
    let path = root.join(path_of(path)?);
    fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    open_followed(&path).ok()
}

/// Reads a source by OpenAgents' checks: resolved first, then compared with the resolved root, then opened.
///
/// # Errors
/// The first check that fails.
pub fn read_source(root: &Path, path: &str, limit: u64) -> Result<String, Excluded> {
    let relative = Path::new(path);
    if relative.is_absolute() || !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(Excluded::NonRelative);
    }
    let root = root.canonicalize().map_err(|_| Excluded::RootUnavailable)?;
    let resolved = root.join(relative).canonicalize().map_err(|_| Excluded::Unavailable)?;
    if !resolved.starts_with(&root) {
        return Err(Excluded::Outside);
    }
    let file = open_followed(&resolved).map_err(|_| Excluded::Unavailable)?;
    let about = file.metadata().map_err(|_| Excluded::MetadataUnavailable)?;
    if !about.is_file() {
        return Err(Excluded::NotAFile);
    }
    let mut text = String::new();
    file.take(limit + 1).read_to_string(&mut text).map_err(|_| Excluded::NotText)?;
    if text.len() as u64 > limit { Err(Excluded::Oversize) } else { Ok(text) }
}

/// The first bytes of a document, wherever a link leads.
pub fn head(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open_followed(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
