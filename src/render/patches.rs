//! A diff put together from the patches of files: `changes/diff.patch`, and in a stage each file by itself in `changes/by-file/`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use super::patch;
use super::texts::Unshown;
use super::view::{FileNotes, View, usize_bound};
use crate::corpus::GapCode;
use crate::forge::facets::FileChange;
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{Json, Object};
use crate::format::patch::{hunks, numbered};
use crate::format::path::unique_segment;

/// How many bytes the patch of a file has.
pub(super) fn size(file: &FileChange) -> usize {
    file.patch.as_deref().map_or(0, str::len)
}

/// What is known of the patches that are not in the diff.
#[derive(Default)]
struct Missing<'s> {
    absent: u64,
    beyond_bound: u64,
    beyond_budget: u64,
    no_hunks: u64,
    odd: HashSet<&'s str>,
}

/// The patches one after the other. What has none, and what a bound leaves out, is counted and never an empty diff. Returns the
/// files whose patch is not in the diff: one that is not hunks could show changes of files that are not in the list.
pub(super) fn render<'s>(files: &[&'s FileChange], view: &mut View<'_>) -> HashSet<&'s str> {
    let mut missing = Missing::default();
    let sizes = files.iter().map(|file| size(file));
    let (parts, _) = smallest_first(sizes, view, |at, is_allowed, room, view| {
        let part = section(files[at], is_allowed, &mut missing, view)?;
        let length = part.0.len();
        missing.beyond_bound += u64::from(length > room);
        (length <= room).then_some((part, length))
    });
    let out: String = parts.iter().map(|(_, (section, _))| section.as_str()).collect();
    view.gaps.add(Facet::Files, GapCode::PatchMissing, missing.absent);
    view.gaps.add(Facet::Files, GapCode::ProfileBound, missing.beyond_bound);
    view.gaps.add(Facet::Files, GapCode::Budget, missing.beyond_budget);
    view.gaps.add(Facet::Files, GapCode::InvalidMetadata, missing.no_hunks);
    // An empty file would say that nothing changed.
    if out.is_empty() {
        view.say_elsewhere(Facet::Files);
        return missing.odd;
    }
    view.add("changes/diff.patch".to_owned(), Role::Diff, "text/x-diff", out.into_bytes(), Object::new());
    if view.profile.is_some() {
        parts.iter().for_each(|(at, (section, head))| one_file(files[*at], section, *head, view));
    }
    missing.odd
}

/// The parts of a diff that fit into its bounds, each with its number and in their order, and how much room is left. They are made the
/// smallest first, so that one large file does not take the room of all others. `part` gets the number of a part, whether a budget has it,
/// and the room that is left; it returns what takes how much of that.
pub(super) fn smallest_first<T>(
    sizes: impl Iterator<Item = usize>,
    view: &mut View<'_>,
    mut part: impl FnMut(usize, bool, usize, &mut View<'_>) -> Option<(T, usize)>,
) -> (Vec<(usize, T)>, usize) {
    let allowed = view.allowed(Facet::Diff);
    let mut room = usize_bound(view.profile.and_then(|profile| profile.max_diff_bytes)).unwrap_or(usize::MAX);
    let mut order: Vec<_> = sizes.enumerate().collect();
    order.sort_by_key(|(_, size)| *size);
    let mut parts: BTreeMap<usize, (FileNotes, Option<T>)> = BTreeMap::new();
    for (rank, (at, _)) in order.into_iter().enumerate() {
        let others = std::mem::take(&mut view.file);
        let (part, taken) = part(at, rank < allowed, room, view).unzip();
        room -= taken.unwrap_or(0);
        parts.insert(at, (std::mem::replace(&mut view.file, others), part));
    }
    let mut found = Vec::new();
    for (at, (notes, part)) in parts {
        view.file.append(notes);
        found.extend(part.map(|part| (at, part)));
    }
    (found, room)
}

/// The part of the diff that a file has, and how many bytes of it stand before its hunks; none when it is not shown.
fn section<'s>(
    file: &'s FileChange,
    is_allowed: bool,
    missing: &mut Missing<'s>,
    view: &mut View<'_>,
) -> Option<(String, usize)> {
    let is_whole = match &file.patch {
        Some(text) => is_all(file, text),
        None => patch::is_empty_file(file) || file.status.as_deref() == Some("unchanged"),
    };
    missing.absent += u64::from(!is_whole);
    // Where there is a patch and no header, the reader has noted why.
    let Some(header) = patch::header(file) else {
        missing.odd.extend(file.patch.is_some().then_some(file.path.as_str()));
        return None;
    };
    // A file whose name is a finding is counted where its row is missing.
    if !view.judged(&header).is_empty() {
        return None;
    }
    if !is_allowed {
        missing.beyond_budget += 1;
        return None;
    }
    let hunks = match file.patch.as_deref().map_or(Ok(Cow::default()), |text| view.hunks(text)) {
        Ok(hunks) => hunks,
        Err(Unshown::Withheld) => return None,
        Err(Unshown::Odd) => {
            missing.odd.insert(file.path.as_str());
            missing.no_hunks += 1;
            return None;
        }
    };
    let most = view.profile.and_then(|profile| profile.max_patch_bytes);
    if most.is_some_and(|most| hunks.len() as u64 > most) {
        missing.beyond_bound += 1;
        return None;
    }
    let head = header.len();
    let end = if hunks.is_empty() || hunks.ends_with('\n') { "" } else { "\n" };
    Some((header + &hunks + end, head))
}

/// Whether a patch has all the lines that the forge counts: one that was cut between two hunks looks whole.
fn is_all(file: &FileChange, text: &str) -> bool {
    let found = hunks(text.as_bytes());
    file.additions.is_none_or(|told| told <= found.additions)
        && file.deletions.is_none_or(|told| told <= found.deletions)
}

/// The file by itself, with the numbers of its lines.
fn one_file(file: &FileChange, section: &str, head: usize, view: &mut View<'_>) {
    let lines = hunks(&section.as_bytes()[head..]);
    let mut about = Object::new();
    about.set_some("on", view.path(Facet::Files, &file.path).map(Json::into_owned));
    about.set_some("change", change(file).map(str::to_owned));
    let shown = |count: u64| (lines.count > 0 || patch::is_empty_file(file)).then_some(count);
    about.set("additions", shown(lines.additions)).set("deletions", shown(lines.deletions));
    let name = format!("changes/by-file/{}.txt", unique_segment(&file.path));
    let text = numbered(section, head);
    view.add(name, Role::Patch, "text/plain", text.into_bytes(), about);
}

/// The word for what was done to a file, in those of a diff.
fn change(file: &FileChange) -> Option<&str> {
    match file.status.as_deref()? {
        "changed" => Some("modified"),
        word @ ("added" | "copied" | "modified" | "removed" | "renamed") => Some(word),
        _ => None,
    }
}
