//! `changes/`: the changed files and the commits.

use std::collections::HashSet;

use super::budget::at_most;
use super::texts::of_withheld;
use super::view::{View, set_field};
use super::{patch, patches};
use crate::corpus::State;
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
        let kept: Vec<&FileChange> =
            view.within_bounds(state, Facet::Files).into_iter().map(|at| &state.files[at]).collect();
        let odd = if given { HashSet::new() } else { patches::render(&kept, view) };
        files(&kept, &odd, view);
    }
    if let Some(text) = state.diff.as_deref().filter(|_| given) {
        let listed = if view.has(state, Facet::Files) { state.files.as_slice() } else { &[] };
        super::diff::render(text, listed, view);
    }
}

/// The size of each patch that bounds leave, the smallest first: one large file does not hide all others.
pub(super) fn patch_sizes(state: &State, view: &View<'_>) -> Vec<u64> {
    let most = view.profile.and_then(|profile| profile.max_patch_bytes);
    let sizes = match &state.diff {
        Some(text) => super::diff::sizes(text),
        None if view.has(state, Facet::Files) => {
            let files = view.kept(state, Facet::Files).in_order;
            files.into_iter().map(|at| patches::size(&state.files[at])).collect()
        }
        None => Vec::new(),
    };
    let mut sizes: Vec<_> = sizes.into_iter().map(|size| at_most(size, most)).collect();
    sizes.sort_unstable();
    sizes
}

fn commits(state: &State, view: &mut View<'_>) {
    let kept = view.within_bounds(state, Facet::Commits);
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

fn files(files: &[&FileChange], odd: &HashSet<&str>, view: &mut View<'_>) {
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

/// A count of lines: null when the forge says 0 or nothing and shows no diff, as it does for what it takes to be binary or too
/// large; else absent when it is unknown.
pub(super) fn lines(file: &FileChange, count: Option<u64>) -> Option<Option<u64>> {
    let nothing_shown = file.patch.is_none() && !patch::is_empty_file(file);
    let nothing_counted = file.additions.unwrap_or(0) == 0 && file.deletions.unwrap_or(0) == 0;
    if nothing_shown && nothing_counted { Some(None) } else { count.map(Some) }
}
