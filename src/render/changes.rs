//! `changes/`: the changed files, the commits and a diff put together from the patches.

use std::borrow::Cow;
use std::collections::HashSet;

use super::patch;
use super::texts::{Unshown, of_withheld};
use super::view::{View, set_field};
use crate::corpus::{GapCode, State};
use crate::forge::facets::{Commit, FileChange};
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{Json, Object};

pub(super) fn render(state: &State, view: &mut View<'_>) {
    let given = state.diff.is_some() && view.shows(Facet::Diff);
    if view.has(state, Facet::Commits) {
        commits(state, view);
    }
    if view.has(state, Facet::Files) {
        let kept = view.within_bound(Facet::Files, state.files.len());
        let odd = if given { HashSet::new() } else { diff(&state.files[kept.clone()], view) };
        files(&state.files[kept], &odd, view);
    }
    if let Some(text) = state.diff.as_deref().filter(|_| given) {
        let listed = if view.has(state, Facet::Files) { state.files.as_slice() } else { &[] };
        super::diff::render(text, listed, view);
    }
}

fn commits(state: &State, view: &mut View<'_>) {
    let kept = view.chosen(state, Facet::Commits, &state.commits, |commit| commit.sha.clone());
    let rows: Vec<_> = kept.into_iter().map(|at| commit(&state.commits[at], state, view)).collect();
    let mut out = Object::new();
    out.set("commits", rows);
    view.add_json("changes/commits.json", Role::Commits, &Json::Object(out), Object::new());
}

fn commit<'s>(commit: &'s Commit, state: &State, view: &mut View<'_>) -> Json<'s> {
    let mut row = Object::new();
    row.set_some("sha", view.structural(Facet::Commits, &commit.sha));
    let parents = commit
        .parents
        .as_ref()
        .map(|parents| parents.iter().filter_map(|sha| view.structural(Facet::Commits, sha)).collect::<Vec<_>>());
    row.set_some("parents", parents);
    row.set_some("message", commit.message.as_deref().map(|message| view.text(message)));
    row.set_some("authorName", commit.author_name.as_deref().map(|name| view.display(name)));
    // Times in a commit are what its author claims: they are shown, and order and date nothing.
    set_field(&mut row, "author", &commit.author, |actor| view.actor(actor, None));
    row.set_some("authoredAt", commit.authored_at.map(|time| time.to_string()));
    row.set_some("committedAt", commit.committed_at.map(|time| time.to_string()));
    row.set_some("url", commit.url.as_deref().and_then(|url| view.structural(Facet::Commits, url)));
    row.set_some("withheld", state.withheld.of(Facet::Commits, &commit.sha).map(of_withheld));
    Json::Object(row)
}

fn files(files: &[FileChange], odd: &HashSet<&str>, view: &mut View<'_>) {
    let rows: Vec<_> = files.iter().filter_map(|one| file(one, odd.contains(one.path.as_str()), view)).collect();
    let mut out = Object::new();
    out.set("files", rows);
    view.add_json("changes/files.json", Role::Files, &Json::Object(out), Object::new());
}

/// The row of a file; none when its name cannot be shown.
fn file<'s>(file: &'s FileChange, is_odd: bool, view: &mut View<'_>) -> Option<Json<'s>> {
    let mut row = Object::new();
    row.set("path", view.path(Facet::Files, &file.path)?);
    row.set_some("previousPath", file.previous_path.as_deref().and_then(|path| view.path(Facet::Files, path)));
    row.set_some("status", file.status.as_deref().map(|word| view.display(word)));
    row.set_some("additions", lines(file, file.additions));
    row.set_some("deletions", lines(file, file.deletions));
    row.set_some("sha", file.sha.as_deref().and_then(|sha| view.structural(Facet::Files, sha)));
    row.set("patch", file.patch.is_some());
    row.set_some("patchText", file.patch.as_deref().filter(|_| is_odd).map(|text| view.text(text)));
    Some(Json::Object(row))
}

/// A count of lines: absent when it is unknown, null when the forge says 0 but shows no diff, as it does for what it takes
/// to be binary or too large.
pub(super) fn lines(file: &FileChange, count: Option<u64>) -> Option<Option<u64>> {
    let nothing_shown = file.patch.is_none() && !patch::is_empty_file(file);
    let nothing_counted = file.additions.unwrap_or(0) == 0 && file.deletions.unwrap_or(0) == 0;
    count.map(|count| (!(nothing_shown && nothing_counted)).then_some(count))
}

/// The patches one after the other. What has none, and what a bound leaves out, is counted and never an empty diff. Returns the
/// files whose patch is not in the diff: one that is not hunks could show changes of files that are not in the list.
fn diff<'s>(files: &'s [FileChange], view: &mut View<'_>) -> HashSet<&'s str> {
    let (most_patch, most_diff) = match view.profile {
        Some(profile) => (profile.max_patch_bytes, profile.max_diff_bytes),
        None => (None, None),
    };
    let fits = |len: usize, most: Option<u64>| most.is_none_or(|most| len as u64 <= most);
    let mut out: Vec<u8> = Vec::new();
    let (mut absent, mut left_out, mut no_hunks, mut odd) = (0, 0, 0, HashSet::new());
    for file in files {
        let is_whole =
            file.patch.is_some() || patch::is_empty_file(file) || file.status.as_deref() == Some("unchanged");
        absent += u64::from(!is_whole);
        // Where there is a patch and no header, the reader has noted why.
        let Some(header) = patch::header(file) else {
            odd.extend(file.patch.is_some().then_some(file.path.as_str()));
            continue;
        };
        // A file whose name is a finding is counted where its row is missing.
        if !view.judged(&header).is_empty() {
            continue;
        }
        let hunks = match file.patch.as_deref().map_or(Ok(Cow::default()), |text| view.hunks(text)) {
            Ok(hunks) => hunks,
            Err(Unshown::Withheld) => continue,
            Err(Unshown::Odd) => {
                odd.insert(file.path.as_str());
                no_hunks += 1;
                continue;
            }
        };
        let end = if hunks.is_empty() || hunks.ends_with('\n') { "" } else { "\n" };
        let len = header.len() + hunks.len() + end.len();
        if !fits(hunks.len(), most_patch) || !fits(out.len() + len, most_diff) {
            left_out += 1;
            continue;
        }
        for part in [header.as_str(), &hunks, end] {
            out.extend_from_slice(part.as_bytes());
        }
    }
    view.gaps.add(Facet::Files, GapCode::PatchMissing, absent);
    view.gaps.add(Facet::Files, GapCode::ProfileBound, left_out);
    view.gaps.add(Facet::Files, GapCode::InvalidMetadata, no_hunks);
    // An empty file would say that nothing changed.
    if out.is_empty() {
        view.say_elsewhere(Facet::Files);
    } else {
        view.add("changes/diff.patch".to_owned(), Role::Diff, "text/x-diff", out, Object::new());
    }
    odd
}
