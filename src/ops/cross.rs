//! What a forge says that a pull request changes, against a repository that has its commits.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Error;
use crate::corpus::{Coverage, State};
use crate::forge::facets::FileChange;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::patch::{self, Change};
use crate::git::{self, Oid, Repo};

/// What the repository says of one entity.
#[derive(Debug, Serialize)]
pub struct Crossed {
    /// The id of the entity.
    pub entity: String,
    /// `same`, `differs`, or `unknown` when the repository cannot tell.
    pub state: &'static str,
    /// Why it cannot tell: `no-commits` (the facts do not name head and base), `commit-missing` (a commit of them, or what they have
    /// in common, is not in the repository), `no-files` (the facts have neither files nor a diff), `files-incomplete` (they have some of
    /// the files, and what they say of those is so).
    pub reason: Option<&'static str>,
    /// What differs, by path.
    pub differences: Vec<Difference>,
}

/// A path of which the two say something else.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The path.
    pub path: String,
    /// `file-missing`: the repository shows no change of it; `file-extra`: the forge lists no change of it although its list is
    /// complete; `status-differs`: one of them added or removed it, the other not; `blob-differs`: the content is another.
    pub code: &'static str,
}

/// What the forge says of one path: whether it was there before and is there after, and its blob.
struct Told {
    before: bool,
    after: bool,
    blob: Option<String>,
}

/// Compares the files of a pull request with the difference between its head and what head and base have in common, which is what a
/// forge compares. `None` for an issue.
///
/// # Errors
/// Those of the repository; what it does not have is no error.
pub(super) fn check(repo: &Repo, state: &State) -> Result<Option<Crossed>, Error> {
    if state.kind != Kind::Pull {
        return Ok(None);
    }
    let entity = state.entity().to_string();
    let unknown = |reason| {
        Ok(Some(Crossed { entity: entity.clone(), state: "unknown", reason: Some(reason), differences: Vec::new() }))
    };
    let sha = |side: Option<&crate::forge::facets::Side>| side.and_then(|side| side.sha.as_ref()?.parse::<Oid>().ok());
    let (Some(head), Some(base)) = (sha(state.header.head.known()), sha(state.header.base.known())) else {
        return unknown("no-commits");
    };
    let Some((told, all)) = told(state) else { return unknown("no-files") };
    let Some(common) = repo.merge_base(base, head)? else { return unknown("commit-missing") };
    let tree = |id| repo.tree(&repo.commit(id)?, "");
    let changes = match tree(common).and_then(|before| repo.tree_diff(&before, &tree(head)?)) {
        Err(git::Error::ObjectMissing { .. }) => return unknown("commit-missing"),
        changes => changes?,
    };
    let differences = differences(&told, all, &changes);
    if differences.is_empty() && !all {
        return unknown("files-incomplete");
    }
    let state = if differences.is_empty() { "same" } else { "differs" };
    Ok(Some(Crossed { entity, state, reason: None, differences }))
}

/// The paths that the forge tells of, from its list of files or else from the diff, and whether these are all.
fn told(state: &State) -> Option<(BTreeMap<String, Told>, bool)> {
    let is_complete = |facet| state.coverage.get(&facet).is_some_and(Coverage::is_complete);
    let mut told = BTreeMap::new();
    if !state.files.is_empty() || is_complete(Facet::Files) {
        state.files.iter().for_each(|file| listed(file, &mut told));
        return Some((told, is_complete(Facet::Files)));
    }
    let diff = patch::read(state.diff.as_deref()?).ok()?;
    for file in &diff.files {
        let (before, after) = (file.change != Change::Added, file.change != Change::Removed);
        if let (Change::Renamed, Some(old)) = (file.change, &file.old) {
            told.entry(old.to_string()).or_insert(Told { before: true, after: false, blob: None });
        }
        let moved = matches!(file.change, Change::Renamed | Change::Copied);
        told.insert(file.path().to_owned(), Told { before: before && !moved, after, blob: None });
    }
    Some((told, diff.is_whole()))
}

fn listed(file: &FileChange, told: &mut BTreeMap<String, Told>) {
    let blob = file.sha.clone();
    let (before, after) = match file.status.as_deref() {
        Some("added" | "copied") => (false, true),
        Some("removed") => (true, false),
        Some("renamed") => {
            if let Some(old) = &file.previous_path {
                told.entry(old.clone()).or_insert(Told { before: true, after: false, blob: None });
            }
            (false, true)
        }
        _ => (true, true),
    };
    told.insert(file.path.clone(), Told { before, after, blob });
}

fn differences(told: &BTreeMap<String, Told>, all: bool, changes: &[git::Change]) -> Vec<Difference> {
    let shown: BTreeMap<&str, &git::Change> = changes.iter().map(|change| (change.path.as_str(), change)).collect();
    let mut found = BTreeSet::new();
    let mut differ = |path: &str, code| found.insert(Difference { path: path.to_owned(), code });
    for (path, told) in told {
        let Some(change) = shown.get(path.as_str()) else {
            differ(path, "file-missing");
            continue;
        };
        // A forge may show a rename as what came and went, and the other way round.
        let content = if told.after { change.after } else { change.before };
        if (told.before, told.after) != (change.before.is_some(), change.after.is_some()) {
            differ(path, "status-differs");
        } else if told.blob.as_ref().zip(content).is_some_and(|(blob, side)| *blob != side.id.to_string()) {
            differ(path, "blob-differs");
        }
    }
    if all {
        shown.keys().filter(|path| !told.contains_key(**path)).for_each(|path| {
            differ(path, "file-extra");
        });
    }
    found.into_iter().collect()
}
