//! An item of a document that is not held whole, in pieces that have the places they have in the document.

use super::document::Document;
use super::plan::{BadLook, LookAt, Taken, hollow, take};
use crate::format::digest::Digest;
use crate::format::observation::{CHUNK, Part, Parts};

/// An item in pieces.
#[derive(Debug)]
pub struct Branch {
    /// The elements, each once.
    pub elements: Vec<(Digest, Vec<u8>)>,
    /// All parts of the item, in order.
    pub parts: Vec<Part>,
    /// The parts of each look, in the order of the looks.
    pub rows: Vec<Parts>,
    /// What stands in the place of the item in the container of the document.
    pub container: Vec<u8>,
    /// Whether each look names all parts of the item.
    pub all: bool,
}

/// Takes an item apart for the looks at it, as [`split`](super::split()) does with the whole document: `at` is where the item stands
/// in that, and the looks have pointers below the item, `""` for itself.
///
/// # Errors
/// [`BadLook`], when the looks were not recognised in this item.
pub fn branch(item: &Document<'_>, at: &str, looks: &[LookAt]) -> Result<Branch, BadLook> {
    let Taken { holes, mut places, mut pieces } = take(item, looks)?;
    let rows: Vec<_> = looks.iter().map(|look| look.rows(&holes, &places)).collect();
    let all = rows.iter().all(|(_, all)| *all);
    let in_document = |part: &mut Part| part.at.insert_str(0, at);
    let rows = rows.into_iter().map(|(mut rows, _)| {
        rows.iter_mut().for_each(in_document);
        if rows.len() > CHUNK { Parts::Chunked(pieces.chunks(&rows)) } else { Parts::Inline(rows) }
    });
    let rows = rows.collect();
    places.iter_mut().for_each(in_document);
    let container = if holes.mark.is_some() { b"null".to_vec() } else { hollow(&holes, item.view()) };
    Ok(Branch { elements: pieces.elements, parts: places, rows, container, all })
}
