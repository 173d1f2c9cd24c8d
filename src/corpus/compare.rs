//! The diff against the list of files and the counts of the header: two accounts of one change, which may contradict each other.

use std::collections::{BTreeMap, BTreeSet};

use super::GapCode;
use super::state::{Coverage, State};
use crate::forge::facets::FileChange;
use crate::format::facet::Facet;
use crate::format::patch::{self, Change, FilePatch, Patch};

impl State {
    /// Counts the files of which diff and list say something else, or 1 when the counts of the header do: the gap `diff-mismatch`.
    pub(super) fn check_diff(&mut self) {
        let Some(text) = &self.diff else { return };
        let Ok(patch) = patch::read(text) else { return };
        let all = self.coverage.get(&Facet::Files).is_some_and(Coverage::is_complete);
        let differing = if self.files.is_empty() && !all {
            u64::from(self.contradicts_header(&patch))
        } else {
            differing(&patch, &self.files, all)
        };
        self.gaps.add(Facet::Diff, GapCode::DiffMismatch, differing);
    }

    fn contradicts_header(&self, patch: &Patch<'_>) -> bool {
        let paths: BTreeSet<&str> = patch.files.iter().map(FilePatch::path).collect();
        // Several patches of one file are those of a series: their lines add up to something else.
        if !patch.is_whole() || paths.len() < patch.files.len() {
            return false;
        }
        let sum = |side: fn((u64, u64)) -> u64| patch.files.iter().filter_map(|file| file.lines).map(side).sum::<u64>();
        let counts = &self.header.counts;
        let told = [
            (&counts.files, paths.len() as u64),
            (&counts.additions, sum(|(added, _)| added)),
            (&counts.deletions, sum(|(_, removed)| removed)),
        ];
        told.iter().any(|(count, shown)| count.known().is_some_and(|count| count != shown))
    }
}

/// How many files the two accounts differ in. `all` says that the list is complete: what it does not name did not change.
fn differing(patch: &Patch<'_>, files: &[FileChange], all: bool) -> u64 {
    let mut shown: BTreeMap<&str, &FilePatch<'_>> = BTreeMap::new();
    let mut series = false;
    for file in &patch.files {
        series |= shown.insert(file.path(), file).is_some();
    }
    let listed: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let differs = |file: &&FileChange| match shown.get(file.path.as_str()) {
        None => true,
        Some(_) if series => false,
        Some(patch) => contradicts(patch, file),
    };
    let of_list = files.iter().filter(differs).count();
    // A series of commits also shows what came and went again.
    let of_diff = if all && !series { shown.keys().filter(|path| !listed.contains(*path)).count() } else { 0 };
    (of_list + of_diff) as u64
}

fn contradicts(patch: &FilePatch<'_>, file: &FileChange) -> bool {
    let word = file.status.as_deref();
    let kind = match patch.change {
        Change::Added => word == Some("added") || word == Some("copied"),
        Change::Removed => word == Some("removed"),
        Change::Renamed => word == Some("renamed"),
        Change::Copied => word == Some("copied") || word == Some("added"),
        Change::Modified => matches!(word, Some("modified" | "changed" | "unchanged")),
    };
    let from = match (&file.previous_path, &patch.old) {
        (Some(listed), Some(shown)) if patch.change == Change::Renamed => listed == shown,
        _ => true,
    };
    let counted = match (patch.lines, file.additions, file.deletions) {
        // A list that counts nothing and shows no patch says nothing: the forge took the file for binary or too large.
        (_, Some(0), Some(0)) if file.patch.is_none() => true,
        (Some((added, removed)), Some(additions), Some(deletions)) => (added, removed) == (additions, deletions),
        _ => true,
    };
    !(word.is_none() || kind) || !from || !counted
}
