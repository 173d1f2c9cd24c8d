//! One thread of a dump: what it shows, its elements and its records.

use crate::forge::graphql::archive::Archive;
use crate::forge::pages::{Page, assemble};
use crate::forge::recognise::{Look, Part, Reason, Unrecognised};
use crate::format::digest::Digest;
use crate::format::entity::{Kind, Subject};
use crate::format::json;
use crate::format::observation::{Input, Parts};
use crate::store::split::{Branch, Document, LookAt, branch, content_digest, content_digest_of};

use super::super::record::{Look as Settled, Terms, observation};
use super::records::Waiting;
use super::survey::{DEPTH, Stop};

/// A thread, or another member that shows something, in pieces.
pub(super) struct Thread {
    /// Its canonical bytes.
    pub canonical: Vec<u8>,
    pub branch: Branch,
    pub records: Vec<Waiting>,
    pub subjects: Vec<(Subject, Option<Kind>)>,
    pub left: Vec<Unrecognised>,
}

/// Takes the thread at a pointer apart.
pub(super) fn thread(
    archive: &Archive,
    terms: &Terms,
    pointer: &str,
    bytes: &[u8],
    kind: Kind,
) -> Result<Thread, Stop> {
    let document = Document::within(bytes, DEPTH).map_err(|_| Stop::NoDump)?;
    let (looks, left) = archive.thread(pointer, document.view(), kind);
    of_looks(&document, bytes.len(), terms, pointer, &looks, left)
}

/// Takes apart what stands at a pointer and shows something; its canonical bytes are about as many as `room`.
pub(super) fn of_looks(
    document: &Document<'_>,
    room: usize,
    terms: &Terms,
    pointer: &str,
    looks: &[Look],
    left: Vec<Unrecognised>,
) -> Result<Thread, Stop> {
    // What another payload could settle is for the reader of all payloads together.
    let settled = looks.iter().all(|look| look.subject.known().is_some());
    if !settled || left.iter().any(|left| left.reason == Reason::EntityAmbiguous) {
        return Err(Stop::NoDump);
    }
    let looks_at: Vec<_> = looks.iter().map(|look| look_at(&look.part, pointer)).collect();
    let mut branch = branch(document, pointer, &looks_at).map_err(|_| Stop::NoDump)?;
    let mut canonical = Vec::with_capacity(room);
    json::append(document.view(), &mut canonical);
    let pages: Vec<_> = looks.iter().map(|look| Page { source: 0, asked: None, look }).collect();
    let records = assemble(&pages).into_iter().map(|group| {
        let of = |at: &usize| &looks[*at];
        let values: Vec<_> = group.pages.iter().flat_map(|at| looks_at[*at].values(document)).collect();
        let last = group.pages.last().map(of)?;
        let inputs = group
            .pages
            .iter()
            .map(|at| input(of(at), std::mem::replace(&mut branch.rows[*at], Parts::Inline(Vec::new()))));
        let updated_at = values.first().filter(|_| !last.is_set()).and_then(|value| last.dialect.updated_at(value));
        let settled = Settled {
            look: last,
            kind: group.pages.iter().find_map(|at| of(at).kind),
            proof: group.completeness,
            lacking: group.lacking,
            content: match &values[..] {
                [value] if !last.is_set() && std::ptr::eq(*value, document.view()) => {
                    content_digest_of(value, &canonical)
                }
                _ => content_digest(&values),
            },
            failed: Vec::new(),
            inputs: inputs.collect(),
        };
        let record = observation(settled, terms, terms.undated, None)?;
        Some((record.to_bytes(), updated_at))
    });
    let records = records.collect::<Option<_>>().ok_or(Stop::NoDump)?;
    let subjects = looks.iter().filter_map(|look| Some((look.subject.known()?.clone(), look.kind))).collect();
    Ok(Thread { canonical, branch, records, subjects, left })
}

/// What the record notes of a look, with any digests in the place of those of the whole document.
fn input(look: &Look, parts: Parts) -> Input {
    let unknown = Digest::of(b"");
    let pointer = if let Part::Record { pointer, .. } = &look.part { pointer.clone() } else { String::new() };
    Input { digest: unknown, container: Some(unknown), pointer, parts, whole: vec![unknown], url: None }
}

/// The place of a look below that of the thread.
fn look_at(part: &Part, above: &str) -> LookAt {
    let below = |pointer: &String| pointer.strip_prefix(above).unwrap_or(pointer).to_owned();
    match part {
        Part::Record { pointer, split } => {
            LookAt { pointer: below(pointer), items: None, parts: split.iter().map(below).collect() }
        }
        Part::Set { items } => {
            LookAt { pointer: String::new(), items: Some(items.iter().map(below).collect()), parts: Vec::new() }
        }
    }
}
