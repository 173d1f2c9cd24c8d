//! A store: constant files, elements under their digests, records under theirs, and what names what.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::elements::Elements;
use super::file::Listed;
use super::report::{Cause, Code, Finding, NoteCode, kind_name};
use super::stages;
use super::tally::Tally;
use super::{kept, looks};
use super::{list, unlisted};
use crate::format::digest::Digest;
use crate::format::header;
use crate::format::json;
use crate::format::tree::{FileKind, Tree, TreeEntry, show_one};
use crate::ops::Error;
use crate::store::layout::{ERASURES, MAX_RECORD, OBJECTS, OBSERVATIONS, element_path};

/// The largest header that is looked at; ours has some forty bytes.
pub(super) const MAX_HEADER: u64 = 4096;

/// Checks a store. Files beside its own are another's and are not looked at.
pub(super) fn check(tree: &dyn Tree) -> Result<Tally, Error> {
    let mut tally = Tally::default();
    constant_files(tree, &mut tally)?;
    let erased = records(tree, ERASURES, &mut tally)?;
    let elements = Elements::read(tree, &mut tally)?;
    let looks = looks::check(tree, &elements)?.plus(stages::check(tree, &elements)?);
    let listed = elements.check_lists(tree, &looks.chunk_lists());
    let looks = looks.plus(listed).plus(kept::check(tree, &elements, &mut tally)?);
    let erased: HashSet<Digest> = erased.into_iter().collect();
    for digest in erased.iter().filter(|digest| elements.position(digest).is_some()) {
        tally.find(Finding::new(Code::ElementErasedPresent, element_path(digest)));
    }
    let erased = missing(looks.missing, &erased, &mut tally);
    tally = tally.plus(looks.tally);
    tally.note(NoteCode::ErasedElements, erased, "elements that observations name were erased");
    let text = "elements that no observation names: an interrupted import leaves such";
    tally.note(NoteCode::UnreferencedElements, elements.unnamed(), text);
    Ok(tally)
}

/// As [`Show`](crate::format::tree::Show), and whether the file was read to its very end. False asks for that, when the bytes
/// are not those that were expected.
pub(super) type Look<'s> = dyn Fn(&TreeEntry, io::Result<Option<&[u8]>>, bool) -> bool + Sync + 's;

/// Shows and reads what stands in a folder. When that is nothing, a link or file may stand in its place, which is shown instead.
pub(super) fn read_folder(tree: &dyn Tree, name: &str, limit: u64, look: &Look<'_>) -> Result<(), Error> {
    let any = AtomicBool::new(false);
    let to_the_end = |entry: &TreeEntry, read: io::Result<Option<&[u8]>>| {
        look(entry, read, true);
    };
    let read = tree.read_all(name, limit, &|entry, read| {
        // Both cores would write to one place all the time.
        if !any.load(Ordering::Relaxed) {
            any.store(true, Ordering::Relaxed);
        }
        if !look(entry, read, false) {
            show_one(tree, entry, limit, &to_the_end);
        }
    });
    read.map_err(|error| unlisted(name, &error))?;
    if !any.into_inner() {
        let there = tree.in_the_way(name).map_err(|error| unlisted(name, &error))?;
        there.iter().for_each(|entry| to_the_end(entry, Ok(None)));
    }
    Ok(())
}

/// What stands in a folder, or the link or file in its place.
pub(super) fn list_folder(tree: &dyn Tree, name: &str) -> Result<Vec<TreeEntry>, Error> {
    let there = list(tree, name)?;
    if !there.is_empty() {
        return Ok(there);
    }
    let instead = tree.in_the_way(name).map_err(|error| unlisted(name, &error))?;
    Ok(instead.into_iter().collect())
}

/// True for a store that lost its header.
pub(super) fn is_one_without_header(tree: &dyn Tree) -> Result<bool, Error> {
    Ok(!list(tree, OBSERVATIONS)?.is_empty() && !list(tree, OBJECTS)?.is_empty())
}

/// The three files that are the same in every store.
fn constant_files(tree: &dyn Tree, tally: &mut Tally) -> Result<(), Error> {
    for (path, bytes) in header::files() {
        let listed = Listed { path: path.to_owned(), bytes: bytes.len() as u64, digest: Digest::of(&bytes) };
        let there = TreeEntry { path: path.to_owned(), kind: FileKind::File, bytes: None };
        let mut found = Tally::default();
        listed.check(tree, &there, &mut found);
        for finding in &mut found.findings {
            let other = if finding.code == Code::FileMissing { other_kind(tree, path)? } else { None };
            if let Some(kind) = other {
                *finding = Finding::new(Code::NotRegularFile, path).expected("file").actual(kind);
                continue;
            }
            // What is the same in every store is not a text that was cut.
            if finding.cause == Cause::Truncated {
                finding.cause = Cause::Unknown;
            }
            if path == ".gitattributes" {
                finding.code = Code::AttributesMissing;
            }
        }
        *tally = std::mem::take(tally).plus(found);
    }
    Ok(())
}

/// What stands in the place of a file of the root.
fn other_kind(tree: &dyn Tree, path: &str) -> Result<Option<&'static str>, Error> {
    let unread = |error| Error::new("read-failed", format!("{path} could not be read: {error}"));
    if let Some(entry) = tree.in_the_way(path).map_err(unread)? {
        return Ok(Some(kind_name(entry.kind)));
    }
    let is_directory = !list(tree, path)?.is_empty() || tree.is_bare_directory(path).map_err(unread)?;
    Ok(is_directory.then_some("directory"))
}

/// The digests that name the records of a folder; the records are canonical JSON.
fn records(tree: &dyn Tree, folder: &str, tally: &mut Tally) -> Result<Vec<Digest>, Error> {
    let mut names = Vec::new();
    for entry in list_folder(tree, folder)? {
        let name = entry.path[folder.len()..].trim_start_matches('/').strip_suffix(".json").and_then(Digest::from_hex);
        let Some(name) = name else {
            stray(&entry, tally);
            continue;
        };
        if entry.kind != FileKind::File {
            not_regular(&entry, tally);
            continue;
        }
        names.push(name);
        let bytes = read_record(tree, &entry.path, MAX_RECORD, Code::NotCanonical, tally);
        if bytes.is_some_and(|bytes| !json::parse(&bytes).is_ok_and(|value| json::to_vec(&value) == bytes)) {
            tally.find(Finding::new(Code::NotCanonical, &entry.path));
        }
    }
    Ok(names)
}

/// The bytes of a record. None for one that cannot be read, which the tally tells: one that is larger than any record has its finding.
pub(super) fn read_record(tree: &dyn Tree, path: &str, limit: u64, code: Code, tally: &mut Tally) -> Option<Vec<u8>> {
    match tree.read(path, limit) {
        Ok(Some(bytes)) => {
            tally.read(bytes.len());
            return Some(bytes);
        }
        Ok(None) => tally.find(Finding::new(Code::FileMissing, path)),
        Err(error) => unread_record(path, limit, code, &error, tally),
    }
    None
}

/// A record that could not be read.
pub(super) fn unread_record(path: &str, limit: u64, code: Code, error: &io::Error, tally: &mut Tally) {
    match error.kind() {
        io::ErrorKind::FileTooLarge => tally.find(Finding::new(code, path).actual(format!("more than {limit} bytes"))),
        _ => tally.unread(path, error),
    }
}

/// The first observation that names each missing element. Returns how many of them were erased.
fn missing(mut missing: Vec<(Digest, String)>, erased: &HashSet<Digest>, tally: &mut Tally) -> usize {
    missing.par_sort_unstable();
    missing.dedup_by(|later, first| later.0 == first.0);
    let all = missing.len();
    missing.retain(|(digest, _)| !erased.contains(digest));
    for (digest, by) in &missing {
        let finding = Finding::new(Code::ElementMissing, element_path(digest));
        tally.find(finding.expected(format!("named by {by}")));
    }
    all - missing.len()
}

/// A path in a folder of the store that has no place there.
pub(super) fn stray(entry: &TreeEntry, tally: &mut Tally) {
    if entry.kind == FileKind::File && entry.path.contains('/') {
        tally.find(Finding::new(Code::FileExtra, &entry.path).actual("file"));
    } else {
        no_directory(entry, tally);
    }
}

/// Something else in the place of a directory: whatever is no file and lies where no file has a place.
pub(super) fn no_directory(entry: &TreeEntry, tally: &mut Tally) {
    let finding = Finding::new(Code::NotRegularFile, &entry.path).expected("directory");
    tally.find(finding.actual(kind_name(entry.kind)));
}

/// Something else in the place of a file.
pub(super) fn not_regular(entry: &TreeEntry, tally: &mut Tally) {
    let finding = Finding::new(Code::NotRegularFile, &entry.path).expected("file");
    tally.find(finding.actual(kind_name(entry.kind)));
}
