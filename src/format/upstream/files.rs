//! The files that bytes of either layout list, for verbs that care for nothing else.

use crate::format::json;

use super::Document as _;
use super::index::{File, Index, is_index};
use super::members::Fault;

/// The files that a manifest lists; `None` for bytes that are no manifest of this layout.
///
/// # Errors
/// [`Fault`] for a manifest of this layout that is not what its schema says.
pub fn files(bytes: &[u8]) -> Option<Result<Vec<File>, Fault>> {
    if !is_index(bytes) {
        return None;
    }
    let value = json::parse(bytes).ok()?;
    Some(Index::from_json(&value).map(|index| index.files))
}
