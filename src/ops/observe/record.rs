//! From looks to elements and observations.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use crate::forge::dialect::Dialect;
use crate::forge::pages::{Group, Page, assemble};
use crate::forge::recognise::{Extent, Part};
use crate::format::digest::Digest;
use crate::format::json::Json;
use crate::format::observation::{Completeness, Input, Observation, Seen as Saw};
use crate::format::time::Time;
use crate::ops::Error;
use crate::store::split::{Document, LookAt, content_digest, split};

use super::payload::Payload;
use super::read::Seen;

/// How looks are dated, and what the caller says of them.
pub(super) struct Terms {
    /// The time of what has no date of its own.
    pub undated: Time,
    /// True when that time is the clock's.
    pub live: bool,
    /// `--complete` or `--partial`.
    pub completeness: Option<Completeness>,
}

/// An observation that may be filed.
pub(super) struct Candidate {
    /// The record.
    pub record: Observation,
    /// The forge's time in the record that was seen; none for a set.
    pub updated_at: Option<Time>,
    /// True when its time is the clock's.
    pub live: bool,
    /// The payloads it came from.
    pub payloads: Vec<usize>,
}

/// What all looks come to.
#[derive(Default)]
pub(super) struct Recorded {
    pub elements: BTreeMap<Digest, Vec<u8>>,
    pub candidates: Vec<Candidate>,
    /// The digest of each payload that was taken apart.
    pub digests: BTreeMap<usize, Digest>,
    /// The elements of each payload.
    pub of_payload: BTreeMap<usize, Vec<Digest>>,
    /// Codes of breaches of the profile by payload.
    pub breaches: BTreeMap<(usize, &'static str), u64>,
}

/// One look in its place: the payload and the number of the look there.
type At = (usize, usize);

/// A payload taken apart.
struct Apart {
    digest: Digest,
    elements: Vec<(Digest, Vec<u8>)>,
    breaches: BTreeMap<&'static str, u64>,
    looks: Vec<OneLook>,
}

struct OneLook {
    input: Input,
    content: Content,
    updated_at: Option<Time>,
}

/// The content of a look: its digest, or the values while other pages are to join them.
enum Content {
    Digest(Digest),
    Values(Vec<Json<'static>>),
}

/// Makes observations of all that was seen.
pub(super) fn record(payloads: &mut [Payload], seen: &[Seen], terms: &Terms) -> Result<Recorded, Error> {
    let (places, groups) = groups(payloads, seen);
    let mut joins: HashMap<At, bool> = HashMap::new();
    for group in &groups {
        joins.extend(group.pages.iter().map(|page| (places[*page], group.pages.len() > 1)));
    }
    let apart: Vec<_> = payloads
        .par_iter_mut()
        .zip(seen)
        .enumerate()
        .map(|(at, (payload, seen))| take_apart(at, payload, seen, &joins))
        .collect::<Result<_, _>>()?;
    let mut recorded = Recorded::default();
    let mut looks: HashMap<At, OneLook> = HashMap::new();
    for (at, one) in apart.into_iter().enumerate() {
        let Some(one) = one else { continue };
        recorded.digests.insert(at, one.digest);
        recorded.of_payload.insert(at, one.elements.iter().map(|(digest, _)| *digest).collect());
        recorded.elements.extend(one.elements);
        recorded.breaches.extend(one.breaches.into_iter().map(|(code, count)| ((at, code), count)));
        looks.extend(one.looks.into_iter().enumerate().map(|(number, look)| ((at, number), look)));
    }
    for group in groups {
        let pages =
            group.pages.iter().filter_map(|page| looks.remove(&places[*page]).map(|look| (places[*page], look)));
        recorded.candidates.extend(candidate(payloads, seen, terms, group.completeness, pages.collect()));
    }
    recorded.candidates.extend(absences(payloads, seen, terms));
    Ok(recorded)
}

/// Which looks make one observation together: pages of a listing, and the documents of one file alike.
fn groups(payloads: &[Payload], seen: &[Seen]) -> (Vec<At>, Vec<Group>) {
    let mut places = Vec::new();
    let mut pages = Vec::new();
    for (at, (payload, seen)) in payloads.iter().zip(seen).enumerate() {
        for (number, look) in seen.looks.iter().enumerate() {
            places.push((at, number));
            let asked = payload.exchange.as_ref().zip(payload.request.as_ref());
            pages.push(Page { source: payload.source, asked, look });
        }
    }
    let mut joined: Vec<Group> = Vec::new();
    let mut of_file: HashMap<_, usize> = HashMap::new();
    for group in assemble(&pages) {
        let page = &pages[group.pages[0]];
        let alone = !page.look.is_set() || page.look.extent == Extent::Proved;
        if !payloads[places[group.pages[0]].0].one_of_many || alone {
            joined.push(group);
            continue;
        }
        let key =
            (page.source, page.look.subject.known().map(ToString::to_string), page.look.facet, page.look.item.clone());
        match of_file.get(&key) {
            Some(at) => joined[*at].pages.extend(group.pages),
            None => {
                of_file.insert(key, joined.len());
                joined.push(Group { pages: group.pages, completeness: Completeness::Unproven });
            }
        }
    }
    (places, joined)
}

fn take_apart(
    at: usize,
    payload: &mut Payload,
    seen: &Seen,
    joins: &HashMap<At, bool>,
) -> Result<Option<Apart>, Error> {
    let bytes = std::mem::take(&mut payload.bytes);
    if seen.looks.is_empty() {
        return Ok(None);
    }
    let document = Document::json(&bytes)?;
    let looks_at: Vec<_> = seen.looks.iter().map(|look| look_at(&look.part)).collect();
    let pieces = split(&document, &looks_at)
        .map_err(|fault| Error::new("input-not-understood", format!("{}: {fault}", payload.name)))?;
    let mut looks = Vec::new();
    for (number, ((look, look_at), mut input)) in seen.looks.iter().zip(&looks_at).zip(pieces.inputs).enumerate() {
        input.url = payload.exchange.as_ref().map(|exchange| exchange.url.clone());
        let values = look_at.values(&document);
        let updated_at =
            if look.is_set() { None } else { values.first().and_then(|value| look.dialect.updated_at(value)) };
        let content = if joins.get(&(at, number)) == Some(&true) {
            Content::Values(values.into_iter().map(|value| value.clone().into_owned()).collect())
        } else {
            Content::Digest(content_digest(&values))
        };
        looks.push(OneLook { input, content, updated_at });
    }
    let breaches = document.breaches();
    Ok(Some(Apart { digest: document.digest(), elements: pieces.elements, breaches, looks }))
}

fn look_at(part: &Part) -> LookAt {
    match part {
        Part::Record { pointer, split } => LookAt { pointer: pointer.clone(), items: None, parts: split.clone() },
        Part::Set { items } => LookAt { pointer: String::new(), items: Some(items.clone()), parts: Vec::new() },
    }
}

/// The observation of one group of looks. Its time and place are those of the last page.
fn candidate(
    payloads: &[Payload],
    seen: &[Seen],
    terms: &Terms,
    proof: Completeness,
    pages: Vec<(At, OneLook)>,
) -> Option<Candidate> {
    let (at, number) = pages.last()?.0;
    let look = &seen[at].looks[number];
    let (observed_at, position, live) = date(&payloads[at], terms);
    let completeness = if look.is_set() { terms.completeness.unwrap_or(proof) } else { Completeness::Whole };
    let kind = pages.iter().find_map(|((at, number), _)| seen[*at].looks[*number].kind);
    let updated_at = pages.first().and_then(|(_, look)| look.updated_at);
    let of: Vec<_> = pages.iter().map(|((at, _), _)| *at).collect();
    let (mut inputs, mut digest, mut values) = (Vec::new(), None, Vec::new());
    for (_, page) in pages {
        inputs.push(page.input);
        match page.content {
            Content::Digest(one) => digest = Some(one),
            Content::Values(more) => values.extend(more),
        }
    }
    let content = digest.unwrap_or_else(|| content_digest(&values.iter().collect::<Vec<_>>()));
    let record = Observation {
        subject: look.subject.known()?.clone(),
        kind,
        facet: look.facet,
        item: look.item.clone(),
        observed_at,
        position,
        dialect: look.dialect.name().into(),
        seen: Saw::Data { completeness, content, inputs },
    };
    Some(Candidate { record, updated_at, live, payloads: of })
}

/// Facets that the forge did not give.
fn absences<'p>(payloads: &'p [Payload], seen: &'p [Seen], terms: &'p Terms) -> impl Iterator<Item = Candidate> + 'p {
    let one = move |(at, (payload, seen)): (usize, (&'p Payload, &'p Seen))| {
        let absence = seen.absence.as_ref()?;
        let (observed_at, position, live) = date(payload, terms);
        let record = Observation {
            subject: absence.subject.known()?.clone(),
            kind: absence.kind,
            facet: absence.facet,
            item: absence.item.clone(),
            observed_at,
            position,
            dialect: Dialect::GithubRest.name().into(),
            seen: Saw::Unavailable {
                status: absence.status,
                url: payload.exchange.as_ref().map(|exchange| exchange.url.clone()),
            },
        };
        Some(Candidate { record, updated_at: None, live, payloads: vec![at] })
    };
    payloads.iter().zip(seen).enumerate().filter_map(one)
}

/// The recording's own Date, else the time of the invocation.
fn date(payload: &Payload, terms: &Terms) -> (Time, Option<u64>, bool) {
    match payload.exchange.as_ref().and_then(|exchange| exchange.date) {
        Some(date) => (date, payload.position, false),
        None => (terms.undated, payload.position, terms.live),
    }
}
