//! Observations: each record is named by its own bytes, lies where it says, and names elements.

use std::io;

use rayon::prelude::*;

use super::cause::{self, Wanted};
use super::elements::Elements;
use super::report::{Code, Finding};
use super::store::{not_regular, read_folder, stray, unread_record};
use super::tally::{Sums, Tally};
use crate::format::digest::Digest;
use crate::format::json;
use crate::format::observation::{self, NotAnObservation, Observation, Parts};
use crate::format::tree::{FileKind, Tree, TreeEntry};
use crate::ops::Error;
use crate::store::layout::{MAX_RECORD, OBSERVATIONS};

/// What records say, added up in any order.
#[derive(Default)]
pub(super) struct Looks {
    pub tally: Tally,
    /// Elements that are named and not there, with the record that names them.
    pub missing: Vec<(Digest, String)>,
    /// Elements that must be lists of parts, with the record that says so.
    lists: Vec<(Digest, String)>,
}

impl Looks {
    /// The sum of two parts.
    pub fn plus(mut self, mut other: Self) -> Self {
        self.missing.append(&mut other.missing);
        self.lists.append(&mut other.lists);
        Self { tally: self.tally.plus(other.tally), ..self }
    }

    /// A record names an element.
    pub fn name(&mut self, elements: &Elements, digest: &Digest, by: &str) {
        if !elements.name(digest) {
            self.missing.push((*digest, by.to_owned()));
        }
    }

    /// Adds what stands in `observations`; false to have a file read to its end, when it has not the bytes that its name says.
    fn add(
        &mut self,
        entry: &TreeEntry,
        read: io::Result<Option<&[u8]>>,
        to_the_end: bool,
        elements: &Elements,
    ) -> bool {
        match name_digits(&entry.path) {
            None => stray(entry, &mut self.tally),
            Some(_) if entry.kind != FileKind::File => not_regular(entry, &mut self.tally),
            Some(digits) => {
                let read = read.map(|bytes| bytes.map(|bytes| (bytes, Digest::of(bytes))));
                let is_other = matches!(&read, Ok(Some((_, digest))) if !digest.begins_with(digits));
                if is_other && !to_the_end {
                    return false;
                }
                check_one(&entry.path, digits, read, elements, self);
            }
        }
        true
    }

    /// The elements that must be lists of parts.
    pub fn chunk_lists(&self) -> ChunkLists<'_> {
        let mut lists: Vec<_> = self.lists.iter().map(|(digest, by)| (*digest, by.as_str())).collect();
        lists.par_sort_unstable();
        lists.dedup_by(|later, first| later.0 == first.0);
        ChunkLists(lists)
    }
}

/// Elements that must be lists of parts, sorted, each with the first record that says so.
pub(super) struct ChunkLists<'l>(pub Vec<(Digest, &'l str)>);

/// Reads every record of `observations`.
pub(super) fn check(tree: &dyn Tree, elements: &Elements) -> Result<Looks, Error> {
    let all = Sums::<Looks>::new();
    read_folder(tree, OBSERVATIONS, MAX_RECORD, &|entry, read, to_the_end| {
        all.add(|looks| looks.add(entry, read, to_the_end, elements))
    })?;
    Ok(all.into_all().fold(Looks::default(), Looks::plus))
}

/// The bytes of a file and their digest.
type Read<'a> = io::Result<Option<(&'a [u8], Digest)>>;

fn check_one(path: &str, digits: &str, read: Read<'_>, elements: &Elements, looks: &mut Looks) {
    match read {
        Ok(Some((bytes, digest))) => {
            looks.tally.read(bytes.len());
            if digest.begins_with(digits)
                && let Some(record) = Observation::borrowed(bytes)
            {
                return check_record(path, &digest, &record, elements, looks);
            }
            match record(path, digits, bytes, digest) {
                Ok(record) => check_record(path, &digest, &record, elements, looks),
                Err(finding) => looks.tally.find(finding),
            }
        }
        Ok(None) => looks.tally.find(Finding::new(Code::FileMissing, path)),
        Err(error) => unread_record(path, MAX_RECORD, Code::ObservationInvalid, &error, &mut looks.tally),
    }
}

/// The record, when its bytes are those that its name says.
fn record(path: &str, digits: &str, bytes: &[u8], digest: Digest) -> Result<Observation, Finding> {
    let invalid = || Finding::new(Code::ObservationInvalid, path);
    if !digest.begins_with(digits) {
        let (cause, _) = cause::find(bytes, &Wanted { digest: &|digest| digest.begins_with(digits), bytes: None });
        return Err(invalid().expected(format!("sha256:{digits}…")).actual(digest).cause(cause));
    }
    Observation::from_bytes(bytes).map_err(|trouble| match &trouble {
        NotAnObservation::Format { schema: Some(schema), format: Some(format) }
            if schema == observation::SCHEMA && *format > 1 =>
        {
            invalid().expected("format 1").actual(format!("format {format}, which this program does not read"))
        }
        _ => invalid().actual(trouble),
    })
}

/// Whether a record lies where it says, names elements that are there, and places in them.
fn check_record<S: AsRef<str>>(
    path: &str,
    digest: &Digest,
    record: &Observation<S>,
    elements: &Elements,
    looks: &mut Looks,
) {
    let place = record.path(digest);
    let place = format!("{OBSERVATIONS}/{place}");
    if path != place {
        let finding = Finding::new(Code::ObservationInvalid, path);
        looks.tally.find(finding.expected(place).actual(path));
        return;
    }
    name_elements(record, path, elements, looks);
    looks.tally.findings.extend(bad_pointer(record, path));
}

fn name_elements<S>(record: &Observation<S>, path: &str, elements: &Elements, looks: &mut Looks) {
    for input in record.inputs() {
        if let Some(container) = &input.container {
            looks.name(elements, container, path);
        }
        let chunks = match &input.parts {
            Parts::Inline(parts) => {
                parts.iter().for_each(|part| looks.name(elements, &part.element, path));
                &[]
            }
            Parts::Chunked(chunks) => chunks.as_slice(),
        };
        for list in input.whole.iter().chain(chunks) {
            looks.name(elements, list, path);
            looks.lists.push((*list, path.to_owned()));
        }
    }
}

/// The first pointer in a record that is none.
fn bad_pointer<S: AsRef<str>>(record: &Observation<S>, path: &str) -> Option<Finding> {
    let pointers = record.inputs().iter().flat_map(|input| {
        let parts = if let Parts::Inline(parts) = &input.parts { parts.as_slice() } else { &[] };
        parts.iter().map(|part| part.at.as_ref()).chain([input.pointer.as_ref()])
    });
    let failed = record.failed.iter().map(S::as_ref);
    let bad = pointers.into_iter().chain(failed).find(|pointer| !is_pointer(pointer))?;
    Some(Finding::new(Code::ObservationInvalid, path).expected("a JSON pointer").actual(bad))
}

/// RFC 6901: empty, or tokens that each begin with a slash, and a tilde only before 0 or 1.
pub(super) fn is_pointer(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_escape = |at: usize| matches!(bytes.get(at + 1), Some(b'0' | b'1'));
    let escapes = bytes.iter().enumerate().all(|(at, byte)| *byte != b'~' || is_escape(at));
    let depth = bytes.iter().filter(|byte| **byte == b'/').count();
    matches!(bytes.first(), None | Some(b'/')) && escapes && depth <= json::MAX_DEPTH
}

/// The digits of the digest in the name of a record: `<time>-<32 digits>.json`.
pub(super) fn name_digits(path: &str) -> Option<&str> {
    let name = path.strip_suffix(".json")?;
    let (before, digits) = name.split_at_checked(name.len().checked_sub(32)?)?;
    let hex = digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (hex && before.ends_with('-')).then_some(digits)
}
