//! A diff that somebody gave: `changes/diff.patch`, and each file of it by itself in `changes/by-file/`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::patch::is_empty_file;
use super::view::View;
use crate::corpus::GapCode;
use crate::filter::{self, Status};
use crate::forge::facets::FileChange;
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::Object;
use crate::format::patch::{self, FilePatch, Patch};
use crate::format::path::unique_segment;

/// The patches of one file: several in a series of commits.
struct OfFile<'b> {
    bytes: Vec<u8>,
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
    if !out.is_empty() {
        view.add("changes/diff.patch".to_owned(), Role::Diff, "text/x-diff", out, Object::new());
    }
    let kept = view.kept(Facet::Files, by_file.len());
    view.gaps.add(Facet::Diff, GapCode::ProfileBound, (by_file.len() - kept.len()) as u64);
    for (path, file) in by_file.into_iter().take(kept.len()) {
        let mut about = Object::new();
        about.set("on", view.path(&path).into_owned()).set("change", file.last.change.name());
        about.set("additions", file.lines.map(|(added, _)| added));
        about.set("deletions", file.lines.map(|(_, removed)| removed));
        // What was taken out is counted in diff.patch, once.
        view.mark(file.status);
        let name = format!("changes/by-file/{}.patch", unique_segment(&path));
        view.add(name, Role::Patch, "text/x-diff", file.bytes, about);
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
        join(&mut found, file, &text[file.range.clone()], Status::Unchanged);
    }
    found
}

/// The diff file by file, filtered line by line; a file that does not fit is left out whole and counted.
fn bounded<'b>(text: &[u8], patch: &Patch<'b>, view: &mut View<'_>) -> (Vec<u8>, BTreeMap<String, OfFile<'b>>) {
    let (most_patch, most_diff) = view.profile.map_or((None, None), |p| (p.max_patch_bytes, p.max_diff_bytes));
    let fits = |len: usize, most: Option<u64>| most.is_none_or(|most| len as u64 <= most);
    let (mut out, mut found) = (Vec::new(), BTreeMap::new());
    let (mut at, mut left_out) = (0, 0);
    for file in &patch.files {
        let before = lines(text, at..file.range.start, view);
        let head = lines(text, file.range.start..file.range.start + file.head, view);
        let hunks = lines(text, file.range.start + file.head..file.range.end, view);
        at = file.range.end;
        let status = head.1.max(hunks.1);
        let length = before.0.len() + head.0.len() + hunks.0.len();
        if !fits(hunks.0.len(), most_patch) || !fits(out.len() + length, most_diff) {
            left_out += 1;
            continue;
        }
        out.extend_from_slice(before.0.as_bytes());
        let section = [head.0, hunks.0].concat();
        out.extend_from_slice(section.as_bytes());
        join(&mut found, file, section.as_bytes(), status);
    }
    let rest = lines(text, at..text.len(), view).0;
    if fits(out.len() + rest.len(), most_diff) {
        out.extend_from_slice(rest.as_bytes());
    }
    view.gaps.add(Facet::Diff, GapCode::ProfileBound, left_out);
    (out, found)
}

/// Lines of a diff as they may be shown. What another reader could take for a line end inside one becomes a space: nothing may
/// stand at the beginning of a line that does not stand there for git.
fn lines(text: &[u8], range: Range<usize>, view: &mut View<'_>) -> (String, Status) {
    let (decoded, broken) = filter::decode_utf8(&text[range]);
    view.note_broken(broken);
    let mut out = String::with_capacity(decoded.len());
    let mut status = if broken > 0 { Status::Modified } else { Status::Unchanged };
    for line in decoded.split_inclusive('\n') {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let flat = line.replace(['\r', '\u{85}', '\u{2028}', '\u{2029}'], " ");
        let (shown, seen) = view.one_line(&flat);
        status = status.max(seen);
        out.push_str(&shown);
        out.push('\n');
    }
    (out, status)
}

fn join<'b>(found: &mut BTreeMap<String, OfFile<'b>>, file: &FilePatch<'b>, bytes: &[u8], status: Status) {
    let path = file.path().to_owned();
    match found.get_mut(&path) {
        None => {
            found.insert(path, OfFile { bytes: bytes.to_vec(), status, last: file.clone(), lines: file.lines });
        }
        Some(known) => {
            known.bytes.extend_from_slice(bytes);
            known.status = known.status.max(status);
            known.last = file.clone();
            known.lines = known.lines.zip(file.lines).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
        }
    }
}
