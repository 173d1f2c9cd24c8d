//! Taking a document apart: which of its pieces become elements, and what each look notes of them.

use std::collections::HashSet;

use rayon::prelude::*;

use super::document::{Document, Form, Opaque};
use super::holes::{Holes, Place};
use crate::format::digest::Digest;
use crate::format::json::{self, Json};
use crate::format::observation::{CHUNK, Input, Part, Parts, parts_to_bytes};

/// What a look concerns in a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LookAt {
    /// Pointer to the record, or for a set to what holds its items.
    pub pointer: String,
    /// For a set, the pointers of its items in order.
    pub items: Option<Vec<String>>,
    /// For a record, the pointers at which it is taken apart, from the top of the document; only objects are.
    pub parts: Vec<String>,
}

/// A document in pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The elements, each once.
    pub elements: Vec<(Digest, Vec<u8>)>,
    /// Where the content of each look lies, in the order of the looks; the URL is not known here.
    pub inputs: Vec<Input>,
}

/// A look that does not fit its document: a fault of what recognised it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLook {
    /// A pointer to nothing.
    #[error("nothing stands at {0:?} of the document")]
    Nothing(String),
    /// A whole document that is an item, and an array with items outside the profile.
    #[error("the item at {0:?} holds other pieces")]
    Nested(String),
}

/// So many lists of parts are named one by one.
const MOST_LISTS: usize = 4;

/// Fewer pieces are not worth a second core.
const FEW: usize = 64;

/// Why a place of the document is a piece of its own.
#[derive(Debug)]
pub(super) enum Mark<'b> {
    Opaque(Opaque<'b>),
    Item,
    Record,
}

impl LookAt {
    /// What the look sees: the record, or the items.
    pub fn values<'v, 'b>(&self, document: &'v Document<'b>) -> Vec<&'v Json<'b>> {
        let pointers = self.items.as_deref().unwrap_or(std::slice::from_ref(&self.pointer));
        pointers.iter().filter_map(|pointer| document.view().pointer(pointer)).collect()
    }

    /// The parts that a look notes, and whether they are all that the document has.
    pub(super) fn rows(&self, holes: &Holes<Mark<'_>>, places: &[Part]) -> (Vec<Part>, bool) {
        let Some(items) = &self.items else {
            let way = holes.way(&self.pointer);
            let above = way.iter().filter(|(length, hole)| *length < self.pointer.len() && hole.mark.is_some());
            let mut ordinals: Vec<_> = above.map(|(_, hole)| hole.range.start).collect();
            if let Some((_, hole)) = way.last().filter(|(length, _)| *length == self.pointer.len()) {
                ordinals.extend(hole.range.clone());
            }
            let all = ordinals.len() == places.len();
            return (ordinals.into_iter().filter_map(|at| places.get(at).cloned()).collect(), all);
        };
        let mut covered = HashSet::new();
        let mut rows = Vec::with_capacity(items.len());
        for item in items {
            let Some((length, hole)) = holes.nearest(item) else { continue };
            let Some(place) = places.get(hole.range.start) else { continue };
            // An item inside an opaque piece keeps its own pointer: that is how it is found there.
            rows.push(Part { at: item.clone(), ..place.clone() });
            covered.insert(hole.range.start);
            // The items of other sets that lie in this one follow it.
            if length == item.len() {
                rows.extend(places[hole.range.clone()].iter().skip(1).cloned());
                covered.extend(hole.range.clone());
            }
        }
        (rows, covered.len() == places.len())
    }

    fn check(&self, document: &Document<'_>) -> Result<(), BadLook> {
        let pointers = self.items.as_deref().unwrap_or(std::slice::from_ref(&self.pointer));
        match pointers.iter().find(|pointer| document.view().pointer(pointer).is_none()) {
            Some(pointer) => Err(BadLook::Nothing(pointer.clone())),
            None => Ok(()),
        }
    }
}

/// Takes a document apart for the looks at it.
///
/// Each item of a set is an element, also one that lies in an item of another set; so is each record but one that is the whole
/// document, and each of its `parts` that is an object. What else lies in an item is not taken apart again, and a piece outside
/// the profile not at all.
///
/// # Errors
/// [`BadLook`], when the looks were not recognised in this document.
pub fn split(document: &Document<'_>, looks: &[LookAt]) -> Result<Split, BadLook> {
    let Taken { holes, places, mut pieces } = take(document, looks)?;
    let container = match holes.mark {
        Some(_) => None,
        None => Some(pieces.add(hollow(&holes, document.view()))),
    };
    let rows: Vec<_> = looks.iter().map(|look| look.rows(&holes, &places)).collect();
    let whole = if rows.iter().all(|(_, all)| *all) { Vec::new() } else { pieces.all(&places) };
    let inputs = looks.iter().zip(rows).map(|(look, (parts, all))| Input {
        digest: document.digest(),
        container,
        pointer: look.pointer.clone(),
        parts: if parts.len() > CHUNK { Parts::Chunked(pieces.chunks(&parts)) } else { Parts::Inline(parts) },
        whole: if all { Vec::new() } else { whole.clone() },
        url: None,
    });
    let inputs = inputs.collect();
    Ok(Split { elements: pieces.elements, inputs })
}

/// The marked places of a document, as parts and as elements.
pub(super) struct Taken<'b> {
    pub holes: Holes<Mark<'b>>,
    pub places: Vec<Part>,
    pub pieces: Pieces,
}

/// Takes the marked places out of a document.
pub(super) fn take<'b>(document: &Document<'b>, looks: &[LookAt]) -> Result<Taken<'b>, BadLook> {
    let mut holes = plan(document, looks)?;
    let is_broken = matches!(document.form, Form::Broken(_));
    holes.number(&mut 0);
    let mut marked = Vec::new();
    holes.list("", Some(document.view()), &mut marked);
    // A dump of a whole repository is one document, so the cores share its pieces.
    let made =
        marked.par_iter().with_min_len(FEW).map_init(Vec::new, |scratch, place| piece(place, is_broken, scratch));
    let made: Result<Vec<_>, _> = made.collect();
    let mut pieces = Pieces::default();
    let mut places: Vec<Part> = Vec::with_capacity(marked.len());
    for ((at, ..), (element, bytes, opaque)) in marked.into_iter().zip(made?) {
        pieces.keep(element, bytes);
        places.push(Part { at, element, opaque });
    }
    Ok(Taken { holes, places, pieces })
}

/// The element that names lists of parts, when they are too many to be named one by one: each look at a dump of thousands of threads
/// names all its parts.
pub fn list_of_lists(lists: &[Digest]) -> Option<Vec<u8>> {
    let many = lists.len() > MOST_LISTS;
    many.then(|| json::to_vec(&Json::from(lists.iter().map(Digest::to_string).collect::<Vec<_>>())))
}

/// The element of a marked place. `is_broken` says that items of the document, an array, are outside the profile.
fn piece(
    (pointer, value, hole): &Place<'_, '_, '_, Mark<'_>>,
    is_broken: bool,
    scratch: &mut Vec<u8>,
) -> Result<(Digest, Vec<u8>, Option<String>), BadLook> {
    let (bytes, opaque) = match &hole.mark {
        Some(Mark::Opaque(opaque)) => (opaque.bytes.to_vec(), Some(opaque.code.to_owned())),
        Some(Mark::Item) if pointer.is_empty() && hole.has_below() && is_broken => {
            return Err(BadLook::Nested(String::new()));
        }
        _ => {
            // All elements of an invocation are held at once, and a writer leaves up to as much room as it has written.
            scratch.clear();
            append_hollow(hole, value.unwrap_or(&Json::Null), scratch);
            (scratch.as_slice().to_vec(), None)
        }
    };
    Ok((Digest::of(&bytes), bytes, opaque))
}

/// Marks the pieces: what is outside the profile, then items, then records where neither has them.
fn plan<'b>(document: &Document<'b>, looks: &[LookAt]) -> Result<Holes<Mark<'b>>, BadLook> {
    let mut holes = Holes::default();
    match &document.form {
        Form::Canonical => {}
        Form::Whole(opaque) => holes.mark = Some(Mark::Opaque(*opaque)),
        Form::Broken(items) => {
            for (at, opaque) in items {
                mark(&mut holes, &format!("/{at}"), Mark::Opaque(*opaque))?;
            }
        }
    }
    for look in looks {
        look.check(document)?;
        for item in look.items.iter().flatten() {
            let opaque = holes.nearest(item).is_some_and(|(_, hole)| matches!(hole.mark, Some(Mark::Opaque(_))));
            if !opaque {
                mark(&mut holes, item, Mark::Item)?;
            }
        }
    }
    for look in looks.iter().filter(|look| look.items.is_none()) {
        let record = Some(&look.pointer).filter(|pointer| !pointer.is_empty());
        let is_object = |pointer: &&String| document.view().pointer(pointer).is_some_and(|v| v.as_object().is_some());
        for pointer in record.into_iter().chain(look.parts.iter().filter(is_object)) {
            let taken = holes.way(pointer).iter().any(|(length, hole)| match hole.mark {
                Some(Mark::Opaque(_) | Mark::Item) => true,
                Some(Mark::Record) => *length == pointer.len(),
                None => false,
            });
            if !taken {
                mark(&mut holes, pointer, Mark::Record)?;
            }
        }
    }
    Ok(holes)
}

fn mark<'b>(holes: &mut Holes<Mark<'b>>, pointer: &str, mark: Mark<'b>) -> Result<(), BadLook> {
    holes.at(pointer).ok_or_else(|| BadLook::Nothing(pointer.to_owned()))?.mark = Some(mark);
    Ok(())
}

/// The canonical bytes of a value with `null` where a piece was taken out.
pub(super) fn hollow(hole: &Holes<Mark<'_>>, value: &Json<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    append_hollow(hole, value, &mut out);
    out
}

fn append_hollow(hole: &Holes<Mark<'_>>, value: &Json<'_>, out: &mut Vec<u8>) {
    let Ok(()) = hole.append(value, out, &mut |_, _, out| {
        out.extend_from_slice(b"null");
        Ok::<_, std::convert::Infallible>(())
    });
}

/// Elements as they come.
#[derive(Default)]
pub(super) struct Pieces {
    pub elements: Vec<(Digest, Vec<u8>)>,
    known: HashSet<Digest>,
}

impl Pieces {
    fn add(&mut self, mut bytes: Vec<u8>) -> Digest {
        bytes.shrink_to_fit();
        let digest = Digest::of(&bytes);
        self.keep(digest, bytes);
        digest
    }

    fn keep(&mut self, digest: Digest, bytes: Vec<u8>) {
        if self.known.insert(digest) {
            self.elements.push((digest, bytes));
        }
    }

    /// The lists of all parts.
    fn all(&mut self, parts: &[Part]) -> Vec<Digest> {
        let chunks = self.chunks(parts);
        match list_of_lists(&chunks) {
            Some(list) => vec![self.add(list)],
            None => chunks,
        }
    }

    pub fn chunks(&mut self, parts: &[Part]) -> Vec<Digest> {
        parts.chunks(CHUNK).map(|chunk| self.add(parts_to_bytes(chunk))).collect()
    }
}
