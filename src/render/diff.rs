//! A diff that somebody gave: `changes/diff.patch`, and each file of it by itself in `changes/by-file/`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::patch::is_empty_file;
use super::patches::smallest_first;
use super::view::{View, usize_bound};
use crate::corpus::GapCode;
use crate::filter::{self, Status};
use crate::forge::facets::FileChange;
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{Json, Object};
use crate::format::patch::{self, Change, FilePatch, Patch, numbered};
use crate::format::path::unique_segment;

/// The patches of one file: several in a series of commits.
struct OfFile<'b> {
    bytes: Vec<u8>,
    /// How many bytes of the first stand before its hunks.
    head: usize,
    status: Status,
    last: FilePatch<'b>,
    /// Lines in all patches, as long as all are known.
    lines: Option<(u64, u64)>,
}

pub(super) fn render(text: &[u8], files: &[FileChange], view: &mut View<'_>) {
    let patch = patch::read(text).unwrap_or_default();
    missing(&patch, files, view);
    let (out, by_file) = match view.profile {
        None => (text.to_vec(), whole(text, &patch)),
        Some(_) => bounded(text, &patch, view),
    };
    // An empty file would say that nothing changed.
    if out.is_empty() {
        view.say_elsewhere(Facet::Diff);
    } else {
        view.add("changes/diff.patch".to_owned(), Role::Diff, "text/x-diff", out, Object::new());
    }
    let repeated = repeated(&patch);
    let kept = kept(&patch, view);
    for (path, file) in by_file.into_iter().filter(|(path, _)| kept.contains(path.as_str())) {
        let mut about = Object::new();
        let on = match &file.last.quoted {
            Some(quoted) => view.may_name(Facet::Diff, quoted).then(|| Json::from(quoted.as_str())),
            None => view.path(Facet::Diff, &path),
        };
        about.set_some("on", on.map(Json::into_owned)).set("change", file.last.change.name());
        about.set("additions", file.lines.map(|(added, _)| added));
        about.set("deletions", file.lines.map(|(_, removed)| removed));
        // What was taken out is counted in diff.patch, once.
        view.mark(file.status);
        let is_numbered = view.profile.is_some() && !repeated.contains(path.as_str());
        let (bytes, end, media_type) = file.form(is_numbered);
        let name = format!("changes/by-file/{}.{end}", unique_segment(&path));
        view.add(name, Role::Patch, media_type, bytes, about);
    }
}

/// The size of each section.
pub(super) fn sizes(text: &[u8]) -> Vec<usize> {
    patch::read(text).unwrap_or_default().files.iter().map(|file| file.range.len()).collect()
}

/// The files in which no number of a line is one of the whole change: those that a series of commits changes several times, and
/// submodules, whose lines are those of the files in them.
fn repeated<'p>(patch: &'p Patch<'_>) -> HashSet<&'p str> {
    let mut once = HashSet::new();
    let is_submodule = |file: &FilePatch<'_>| file.hunks == 0 && file.head < file.range.len();
    patch.files.iter().filter(|file| !once.insert(file.name()) || is_submodule(file)).map(FilePatch::name).collect()
}

/// The files that the bound leaves in `by-file/`, by their names.
fn kept<'p>(patch: &'p Patch<'_>, view: &mut View<'_>) -> BTreeSet<&'p str> {
    let paths: BTreeSet<&str> = patch.files.iter().map(FilePatch::name).collect();
    let most = view.profile.and_then(|profile| profile.max_items.get(&Facet::Files)).copied();
    let most = usize_bound(most).unwrap_or(usize::MAX);
    view.gaps.add(Facet::Diff, GapCode::ProfileBound, paths.len().saturating_sub(most) as u64);
    paths.into_iter().take(most).collect()
}

impl OfFile<'_> {
    /// The bytes of the file, how its name ends, and its type.
    fn form(self, is_numbered: bool) -> (Vec<u8>, &'static str, &'static str) {
        match String::from_utf8(self.bytes) {
            Ok(text) if is_numbered => (numbered(&text, self.head).into_bytes(), "txt", "text/plain"),
            Ok(text) => (text.into_bytes(), "patch", "text/x-diff"),
            Err(raw) => (raw.into_bytes(), "patch", "text/x-diff"),
        }
    }
}

/// Files whose lines neither the list nor the diff shows.
fn missing(patch: &Patch<'_>, files: &[FileChange], view: &mut View<'_>) {
    let shown: BTreeMap<&str, bool> = patch.files.iter().map(|file| (file.path(), file.lines.is_some())).collect();
    let has = |file: &FileChange| {
        file.patch.is_some()
            || is_empty_file(file)
            || file.status.as_deref() == Some("unchanged")
            || shown.get(file.path.as_str()) == Some(&true)
    };
    view.gaps.add(Facet::Files, GapCode::PatchMissing, files.iter().filter(|file| !has(file)).count() as u64);
}

fn whole<'b>(text: &[u8], patch: &Patch<'b>) -> BTreeMap<String, OfFile<'b>> {
    let mut found = BTreeMap::new();
    for file in &patch.files {
        join(&mut found, file, &text[file.range.clone()], file.head, Status::Unchanged);
    }
    found
}

/// The diff file by file, filtered; a file that does not fit is left out whole and counted, as is one that may not be shown.
fn bounded<'b>(text: &[u8], patch: &Patch<'b>, view: &mut View<'_>) -> (Vec<u8>, BTreeMap<String, OfFile<'b>>) {
    let most = view.profile.and_then(|profile| profile.max_patch_bytes);
    let (mut beyond_bound, mut beyond_budget) = (0, 0);
    let sizes = patch.files.iter().map(|file| file.range.len());
    let (parts, room) = smallest_first(sizes, view, |at, is_allowed, room, view| {
        if !is_allowed {
            beyond_budget += 1;
            return None;
        }
        let file = &patch.files[at];
        let start = at.checked_sub(1).map_or(0, |before| patch.files[before].range.end);
        let before = between(&text[start..file.range.start], view);
        let section = section(&text[file.range.clone()], file, view)?;
        let length = before.len() + section.text.len();
        let hunks = (section.text.len() - section.head) as u64;
        let fits = length <= room && most.is_none_or(|most| hunks <= most);
        beyond_bound += u64::from(!fits);
        fits.then_some(((before, section), length))
    });
    let (mut out, mut found) = (Vec::new(), BTreeMap::new());
    for (at, (before, section)) in parts {
        out.extend_from_slice(before.as_bytes());
        out.extend_from_slice(section.text.as_bytes());
        join(&mut found, &patch.files[at], section.text.as_bytes(), section.head, section.status);
    }
    let end = patch.files.last().map_or(0, |file| file.range.end);
    let rest = between(&text[end..], view);
    if rest.len() <= room {
        out.extend_from_slice(rest.as_bytes());
    } else {
        beyond_bound += 1;
    }
    view.gaps.add(Facet::Diff, GapCode::ProfileBound, beyond_bound);
    view.gaps.add(Facet::Diff, GapCode::Budget, beyond_budget);
    (out, found)
}

/// What is shown of one file.
struct Section {
    text: String,
    /// How many bytes of it stand before the hunks.
    head: usize,
    status: Status,
}

/// One file as it may be shown. What was taken out may neither make another file of it nor other lines.
fn section(raw: &[u8], file: &FilePatch<'_>, view: &mut View<'_>) -> Option<Section> {
    let head = filter::decode_utf8(&raw[..file.head]).0;
    // Another name would be another file.
    let names = [&head, file.path(), file.old.as_deref().unwrap_or_default()];
    if !names.into_iter().all(|name| view.may_name(Facet::Diff, name)) {
        return None;
    }
    let (shown, status) = lines(raw, view);
    view.withheld_of(Facet::Diff);
    let text = shown?;
    let count = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let raw_lines = count(&filter::decode_utf8(raw).0) + usize::from(!raw.ends_with(b"\n"));
    // A mark of the filter may stand before it.
    let before_hunks = count(&head) + count(&text) - raw_lines;
    let head = text.split_inclusive('\n').take(before_hunks).map(str::len).sum();
    let same =
        |read: &Patch<'_>| matches!(&read.files[..], [one] if one.lines == file.lines && one.path() == file.path());
    if !patch::read(text.as_bytes()).is_ok_and(|read| same(&read)) {
        view.gaps.add(Facet::Diff, GapCode::InvalidMetadata, 1);
        return None;
    }
    Some(Section { text, head, status })
}

/// What stands between files as it may be shown, like the message of a commit: nothing that git would take for a file.
fn between(raw: &[u8], view: &mut View<'_>) -> String {
    let known = view.file.findings.clone();
    let (shown, _) = lines(raw, view);
    view.withheld_of(Facet::Diff);
    match shown {
        Some(text) if patch::read(text.as_bytes()).is_ok_and(|read| !read.files.is_empty()) => {
            view.gaps.add(Facet::Diff, GapCode::InvalidMetadata, 1);
            String::new()
        }
        Some(text) => text,
        None => view.withheld_since(&known) + "\n",
    }
}

/// Lines of a diff as they may be shown, each with its end; `None` when they are withheld.
fn lines(raw: &[u8], view: &mut View<'_>) -> (Option<String>, Status) {
    let (decoded, broken) = filter::decode_utf8(raw);
    view.note_broken(broken);
    let (shown, status) = view.diff(&decoded);
    let status = if broken > 0 { status.max(Status::Modified) } else { status };
    let shown = shown.map(|text| {
        let mut text = text.into_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    });
    (shown, status)
}

fn join<'b>(found: &mut BTreeMap<String, OfFile<'b>>, file: &FilePatch<'b>, bytes: &[u8], head: usize, status: Status) {
    let path = file.name().to_owned();
    match found.get_mut(&path) {
        None => {
            let (last, lines, bytes) = (file.clone(), file.lines, bytes.to_vec());
            found.insert(path, OfFile { bytes, head, status, last, lines });
        }
        Some(known) => {
            known.bytes.extend_from_slice(bytes);
            known.status = known.status.max(status);
            known.last = FilePatch { change: net(known.last.change, file.change), ..file.clone() };
            known.lines = known.lines.zip(file.lines).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
        }
    }
}

/// What two changes of a file come to, one after the other.
fn net(first: Change, then: Change) -> Change {
    match (first, then) {
        (Change::Added | Change::Renamed | Change::Copied, Change::Modified) => first,
        (Change::Removed, Change::Added) => Change::Modified,
        _ => then,
    }
}
