//! The rules of `entity-context-snapshot/v1` that bytes alone can show: docs/format.md, "The upstream layout", lists them.
//!
//! They are checked once everything that the manifest lists is there with its digest: of a damaged tree, one damage is one finding.

mod documents;
mod listing;
mod manifest;
mod relations;
mod rules;
mod texts;

pub(super) use manifest::rows;

use std::collections::HashMap;

use super::report::{Code, Finding, NoteCode};
use super::tally::Tally;
use crate::format::digest::Digest;
use crate::format::index::{MAX_BYTES, NAME};
use crate::format::json;
use crate::format::tree::Tree;
use crate::format::upstream::{self, Document as _, FILTER_VERSION, Index};
use crate::ops::Error;

/// Checks the rules of the layout, if the tree has it.
///
/// # Errors
/// `read-failed`.
pub(super) fn check(tree: &dyn Tree, tally: &mut Tally) -> Result<(), Error> {
    let Some(bytes) = super::read(tree, NAME, MAX_BYTES)?.filter(|bytes| upstream::is_index(bytes)) else {
        return Ok(());
    };
    if !tally.findings.is_empty() || !tally.unread.is_empty() {
        tally.note(NoteCode::NotChecked, 1, "layout was not checked by its rules: the tree is damaged");
        return Ok(());
    }
    let Some(index) = json::parse(&bytes).ok().and_then(|value| Index::from_json(&value).ok()) else { return Ok(()) };
    if index.filter_version != FILTER_VERSION {
        let text = "filter is not this program's: what it takes for safe is not known here";
        tally.note(NoteCode::FilterUnknown, 1, text);
    }
    let sizes = index.files.iter().map(|file| (file.path.as_str(), file.bytes)).collect();
    let mut check = Check { tree, index: &index, sizes, tally };
    listing::orders(&mut check);
    let Some(documents) = documents::read(&mut check)? else { return Ok(()) };
    listing::files(&mut check, &documents);
    rules::source(&mut check, &documents);
    rules::collection(&mut check, &documents);
    rules::actors(&mut check, &documents);
    rules::gaps(&mut check);
    rules::filters(&mut check);
    relations::check(&mut check, &documents);
    texts::check(&mut check, &documents)
}

/// A tree under test.
struct Check<'c> {
    tree: &'c dyn Tree,
    index: &'c Index,
    /// How large each listed file is.
    sizes: HashMap<&'c str, u64>,
    tally: &'c mut Tally,
}

impl Check<'_> {
    /// A rule is broken.
    fn say(&mut self, code: Code, path: &str, what: impl ToString) {
        self.tally.find(Finding::new(code, path).actual(what));
    }

    /// A rule is broken unless it holds.
    fn expect(&mut self, holds: bool, code: Code, path: &str, what: impl ToString) {
        if !holds {
            self.say(code, path, what);
        }
    }

    /// The bytes of a listed file, which are those that the manifest names.
    fn read(&self, path: &str) -> Result<Vec<u8>, Error> {
        let limit = self.sizes.get(path).copied().unwrap_or(0);
        Ok(super::read(self.tree, path, limit)?.unwrap_or_default())
    }
}

/// A key as people read it in a finding.
fn short(key: &Digest) -> String {
    key.hex().chars().take(12).collect()
}
