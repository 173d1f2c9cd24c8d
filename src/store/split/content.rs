//! Putting together what was taken apart: the content of a look, or a whole input.

use super::holes::{Holes, below};
use super::stable::{Contents, content_digest};
use crate::format::digest::Digest;
use crate::format::facet::Shape;
use crate::format::json::{self, Json};
use crate::format::observation::{Input, Observation, Part, Parts, Seen, digests_from_json, parts_from_json};
use crate::format::tree::MAX_FILE;
use crate::store::facts::{ElementFault, Facts};

/// What a look saw. An opaque piece is read leniently; the code of its breach stands beside it.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A record.
    Record {
        /// The record.
        json: Json<'static>,
        /// The code of the breach.
        opaque: Option<String>,
    },
    /// The items of a set, in the order of the pages.
    Items(Vec<(Json<'static>, Option<String>)>),
    /// A text, its pieces in the order of the inputs.
    Text(Vec<u8>),
    /// Nothing: the forge did not give it.
    Unavailable,
}

/// The content of a look.
///
/// # Errors
/// The first [`ElementFault`]: a look whose elements are not all there has no content.
pub fn content(facts: &Facts<'_>, look: &Observation) -> Result<Content, ElementFault> {
    let Seen::Data { inputs, content, .. } = &look.seen else { return Ok(Content::Unavailable) };
    let mut loader = Loader { facts, left: MAX_FILE };
    match look.facet.shape() {
        Shape::Set => {
            let mut items = Vec::new();
            for input in inputs {
                loader.items(input, &mut items)?;
            }
            Ok(Content::Items(items))
        }
        Shape::Text => {
            let mut text = Vec::new();
            for input in inputs {
                text.extend(loader.text(input)?);
            }
            Ok(Content::Text(text))
        }
        Shape::Record => match &inputs[..] {
            [input] => loader.record(input),
            _ => Err(ElementFault::Unfit(*content)),
        },
    }
}

/// The digest of the content of a look, of a set with one input in memory at a time; `None` where the forge did not give it.
///
/// # Errors
/// As [`content`].
pub fn digest_of_content(facts: &Facts<'_>, look: &Observation) -> Result<Option<Digest>, ElementFault> {
    if let (Shape::Set, Seen::Data { inputs, .. }) = (look.facet.shape(), &look.seen) {
        let mut loader = Loader { facts, left: MAX_FILE };
        let (mut contents, mut items) = (Contents::default(), Vec::new());
        for input in inputs {
            loader.items(input, &mut items)?;
            items.drain(..).for_each(|(item, _)| contents.add(&item));
        }
        return Ok(Some(contents.finish()));
    }
    Ok(match content(facts, look)? {
        Content::Record { json, .. } => Some(content_digest(&[&json])),
        Content::Text(text) => Some(Digest::of(&text)),
        Content::Items(_) | Content::Unavailable => None,
    })
}

/// The elements outside the profile that the content of a look lies in, in the order of its inputs; none of a text, which is no JSON.
///
/// # Errors
/// The first [`ElementFault`] of a list of parts.
pub fn opaque(facts: &Facts<'_>, look: &Observation) -> Result<Vec<Digest>, ElementFault> {
    let mut loader = Loader { facts, left: MAX_FILE };
    let mut found = Vec::new();
    for input in look.inputs().iter().filter(|_| look.facet.shape() != Shape::Text) {
        let parts = loader.parts(input)?;
        found.extend(parts.into_iter().filter(|part| part.opaque.is_some()).map(|part| part.element));
    }
    found.dedup();
    Ok(found)
}

/// The parts of an input in which its content lies.
///
/// # Errors
/// The first [`ElementFault`] of a list of parts.
pub fn parts(facts: &Facts<'_>, input: &Input) -> Result<Vec<Part>, ElementFault> {
    Loader { facts, left: MAX_FILE }.parts(input)
}

/// The bytes of a whole input: canonical, or as docs/format.md says for what has no canonical form. They have its digest.
///
/// # Errors
/// The first [`ElementFault`]; [`ElementFault::Unfit`] with the digest of the input when the pieces do not make it.
pub fn rebuild(facts: &Facts<'_>, input: &Input) -> Result<Vec<u8>, ElementFault> {
    let mut loader = Loader { facts, left: MAX_FILE };
    let unfit = || ElementFault::Unfit(input.digest);
    let parts = match &input.whole[..] {
        [] => loader.parts(input)?,
        whole => loader.chunks(whole)?,
    };
    let mut holes: Holes<&Part> = Holes::default();
    for part in &parts {
        holes.at(home(input, part)).ok_or_else(unfit)?.mark = Some(part);
    }
    let mut out = Vec::new();
    match (input.container, holes.mark) {
        (Some(container), None) => {
            let bytes = loader.element(&container)?;
            let value = json::parse(&bytes).map_err(|_| ElementFault::Unfit(container))?;
            holes.append(&value, &mut out, &mut |hole, part, out| loader.append(hole, part, out))?;
        }
        (None, Some(part)) => loader.append(&holes, part, &mut out)?,
        _ => return Err(unfit()),
    }
    if Digest::of(&out) == input.digest { Ok(out) } else { Err(unfit()) }
}

/// Where the element of a row belongs. The row of an item keeps the item's own pointer, but opaque pieces are items of
/// a document that is an array, or else the whole document.
fn home<'p>(input: &Input, part: &'p Part) -> &'p str {
    match (&part.opaque, input.container) {
        (None, _) => &part.at,
        (Some(_), None) => "",
        (Some(_), Some(_)) => {
            let end = part.at.match_indices('/').nth(1).map_or(part.at.len(), |(at, _)| at);
            &part.at[..end]
        }
    }
}

/// Loads elements, up to a limit in bytes for one answer: rows may name an element any number of times.
struct Loader<'f> {
    facts: &'f Facts<'f>,
    left: u64,
}

impl Loader<'_> {
    fn element(&mut self, digest: &Digest) -> Result<Vec<u8>, ElementFault> {
        let bytes = self.facts.element(digest)?;
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or(ElementFault::Unfit(*digest))?;
        Ok(bytes)
    }

    fn parts(&mut self, input: &Input) -> Result<Vec<Part>, ElementFault> {
        match &input.parts {
            Parts::Inline(parts) => Ok(parts.clone()),
            Parts::Chunked(chunks) => self.chunks(chunks),
        }
    }

    fn chunks(&mut self, chunks: &[Digest]) -> Result<Vec<Part>, ElementFault> {
        let mut parts = Vec::new();
        for chunk in chunks {
            let bytes = self.element(chunk)?;
            let list = json::parse(&bytes).map_err(|_| ElementFault::Unfit(*chunk))?;
            match parts_from_json(&list) {
                Some(rows) => parts.extend(rows),
                None => parts.extend(self.listed(&list).ok_or(ElementFault::Unfit(*chunk))??),
            }
        }
        Ok(parts)
    }

    /// The parts in lists that a list names; `None` when it is none.
    fn listed(&mut self, list: &Json<'_>) -> Option<Result<Vec<Part>, ElementFault>> {
        let lists = digests_from_json(list)?;
        let mut parts = Vec::new();
        for chunk in lists {
            let rows = self.element(&chunk).map(|bytes| json::parse(&bytes).ok().as_ref().and_then(parts_from_json));
            match rows {
                Ok(Some(rows)) => parts.extend(rows),
                Ok(None) => return Some(Err(ElementFault::Unfit(chunk))),
                Err(fault) => return Some(Err(fault)),
            }
        }
        Some(Ok(parts))
    }

    /// The value of an element, leniently when it is opaque.
    fn value(&mut self, part: &Part) -> Result<Json<'static>, ElementFault> {
        let bytes = self.element(&part.element)?;
        let value = match part.opaque {
            None => json::parse(&bytes),
            Some(_) => json::parse_lenient(&bytes).map(|(value, _)| value),
        };
        value.map(Json::into_owned).map_err(|_| ElementFault::Unfit(part.element))
    }

    fn items(&mut self, input: &Input, items: &mut Vec<(Json<'static>, Option<String>)>) -> Result<(), ElementFault> {
        // Items in one opaque piece follow each other, and it is read once.
        let mut held: Option<(Digest, Json<'static>)> = None;
        // Where the last item stands, while it is an element of its own.
        let mut last: Option<String> = None;
        for part in self.parts(input)? {
            let within = last.as_deref().and_then(|last| below(&part.at, last)).filter(|rest| !rest.is_empty());
            if let (Some(rest), Some((item, _))) = (within, items.last_mut()) {
                *item.pointer_mut(rest).ok_or(ElementFault::Unfit(part.element))? = self.value(&part)?;
                continue;
            }
            let Some(rest) = below(&part.at, home(input, &part)) else { return Err(ElementFault::Unfit(part.element)) };
            if rest.is_empty() {
                items.push((self.value(&part)?, part.opaque.clone()));
                last = Some(part.at);
                continue;
            }
            let (digest, value) = match held.take().filter(|(digest, _)| *digest == part.element) {
                Some(held) => held,
                None => (part.element, self.value(&part)?),
            };
            let item = value.pointer(rest).ok_or(ElementFault::Unfit(part.element))?.clone();
            items.push((item, part.opaque));
            held = Some((digest, value));
        }
        Ok(())
    }

    /// A text is one opaque part.
    fn text(&mut self, input: &Input) -> Result<Vec<u8>, ElementFault> {
        match (&self.parts(input)?[..], input.container) {
            ([part], None) if part.opaque.as_deref() == Some(json::FaultKind::Invalid.code()) => {
                self.element(&part.element)
            }
            _ => Err(ElementFault::Unfit(input.digest)),
        }
    }

    fn record(&mut self, input: &Input) -> Result<Content, ElementFault> {
        let pointer = input.pointer.as_str();
        let parts = self.parts(input)?;
        let above = parts.iter().filter(|part| below(pointer, &part.at).is_some()).max_by_key(|part| part.at.len());
        let (value, at, digest) = match (above, input.container) {
            (Some(part), _) => (self.value(part)?, part.at.as_str(), part.element),
            (None, Some(container)) => {
                let part = Part { at: String::new(), element: container, opaque: None };
                (self.value(&part)?, "", container)
            }
            (None, None) => return Err(ElementFault::Unfit(input.digest)),
        };
        let mut opaque = above.and_then(|part| part.opaque.clone());
        let rest = below(pointer, at).unwrap_or("");
        let mut json = match rest {
            "" => value,
            rest => value.pointer(rest).ok_or(ElementFault::Unfit(digest))?.clone(),
        };
        for part in &parts {
            let Some(rest) = below(&part.at, pointer).filter(|rest| !rest.is_empty()) else { continue };
            let value = self.value(part)?;
            *json.pointer_mut(rest).ok_or(ElementFault::Unfit(part.element))? = value;
            opaque = opaque.or_else(|| part.opaque.clone());
        }
        Ok(Content::Record { json, opaque })
    }

    /// Appends the bytes of a piece with its own pieces put back.
    fn append(&mut self, hole: &Holes<&Part>, part: &Part, out: &mut Vec<u8>) -> Result<(), ElementFault> {
        let bytes = self.element(&part.element)?;
        if part.opaque.is_some() || !hole.has_below() {
            out.extend_from_slice(&bytes);
            return Ok(());
        }
        let value = json::parse(&bytes).map_err(|_| ElementFault::Unfit(part.element))?;
        hole.append(&value, out, &mut |hole, part, out| self.append(hole, part, out))
    }
}
