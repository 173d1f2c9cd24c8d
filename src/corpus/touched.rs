//! Where a pull request changes its files: what `stage --sources` quotes without a draft.

use std::collections::BTreeSet;

use super::{Coverage, State};
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::patch::{self, Change, Patch};

/// The most places of one file: one more than a block can quote, so that what is left out is known to be.
const MOST: usize = 11;

/// The places that a pull request changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// The files that are there after the change, by path, each with the first changed line of its hunks.
    pub files: Vec<(String, Vec<u64>)>,
    /// Whether these are all files.
    pub complete: bool,
}

/// The places of a pull request, from the list of its files, else from its diff; `None` for an issue.
///
/// A file whose hunks the forge did not show counts from its first line. Removed files have no line after the change.
pub fn touched(state: &State) -> Option<Touched> {
    if state.kind != Kind::Pull {
        return None;
    }
    let complete = state.coverage.get(&Facet::Files).is_some_and(Coverage::is_complete);
    if let (true, false, Some(diff)) = (state.files.is_empty(), complete, &state.diff) {
        return patch::read(diff).ok().map(|patch| of_diff(&patch, diff));
    }
    let there = state.files.iter().filter(|file| file.status.as_deref() != Some("removed"));
    let files = there.map(|file| (file.path.clone(), lines(file.patch.as_deref().unwrap_or_default()))).collect();
    Some(Touched { files, complete })
}

/// The places that a diff shows; of a series of patches each file once, by its first.
fn of_diff(patch: &Patch<'_>, text: &[u8]) -> Touched {
    let mut files: Vec<(String, Vec<u64>)> = Vec::new();
    let mut known = BTreeSet::new();
    for file in patch.files.iter().filter(|file| file.change != Change::Removed) {
        if known.insert(file.path()) {
            let hunks = &text[file.range.start + file.head..file.range.end];
            files.push((file.path().to_owned(), lines(&String::from_utf8_lossy(hunks))));
        }
    }
    Touched { files, complete: patch.is_whole() }
}

fn lines(hunks: &str) -> Vec<u64> {
    let found: Vec<_> = patch::first_changes(hunks).take(MOST).collect();
    if found.is_empty() { vec![1] } else { found }
}
