//! From looks to elements and observations.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use crate::forge::answer::Absence;
use crate::forge::dialect::Dialect;
use crate::forge::pages::{Group, Page, assemble, connected};
use crate::forge::recognise::{self as forge, Reason, Unrecognised};
use crate::format::digest::Digest;
use crate::format::entity::Kind;
use crate::format::facet::Shape;
use crate::format::observation::{Completeness, Input, Observation, Seen as Saw};
use crate::format::time::Time;
use crate::ops::Error;
use crate::store::facts::{ElementFault, Facts};
use crate::store::mem::Elements;
use crate::store::split::{Document, digest_of_content, opaque};

use super::apart::{Apart, OneLook, take_apart};
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

/// Where the time of a look comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dating {
    /// The recording or the caller.
    Given,
    /// The clock, for an answer that has a place in a recording, and no date there.
    Undated,
    /// The clock.
    Live,
}

impl Dating {
    /// Whether its time is the clock's.
    pub(super) fn by_the_clock(self) -> bool {
        self != Self::Given
    }
}

/// An observation that may be filed.
pub(super) struct Candidate {
    /// The record.
    pub record: Observation,
    /// The forge's time in the record that was seen; none for a set.
    pub updated_at: Option<Time>,
    /// Where its time comes from.
    pub dating: Dating,
    /// The elements outside the profile that its content lies in.
    pub opaque: Vec<Digest>,
    /// The payloads it came from.
    pub payloads: Vec<usize>,
}

impl Candidate {
    /// The file of the record: its path in the store and its bytes.
    pub(super) fn file(&self) -> (String, Vec<u8>) {
        let mut bytes = self.record.to_bytes();
        bytes.shrink_to_fit();
        let path = format!("observations/{}", self.record.path(&Digest::of(&bytes)));
        (path, bytes)
    }
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

/// Makes observations of all that was seen.
pub(super) fn record(payloads: &mut [Payload], seen: &mut [Seen], terms: &Terms) -> Result<Recorded, Error> {
    let apart: Vec<_> = payloads.par_iter_mut().zip(&mut *seen).map(|(payload, seen)| pieces(payload, seen)).collect();
    let mut recorded = Recorded::default();
    let mut looks: Vec<Vec<Option<OneLook>>> = Vec::with_capacity(apart.len());
    let mut elements = Vec::new();
    for (at, one) in apart.into_iter().enumerate() {
        looks.push(Vec::new());
        let Some(one) = one? else { continue };
        recorded.digests.insert(at, one.digest);
        recorded.of_payload.insert(at, one.elements.iter().map(|(digest, _)| *digest).collect());
        elements.extend(one.elements);
        recorded.breaches.extend(one.breaches.into_iter().map(|(code, count)| ((at, code), count)));
        looks[at] = one.looks.into_iter().map(Some).collect();
    }
    // A tree of what is sorted is made in one go.
    elements.par_sort_by_key(|(digest, _)| *digest);
    recorded.elements = elements.into_iter().collect();
    let (places, groups) = groups(payloads, seen);
    let mut take = |(at, number): At| Some(((at, number), looks[at].get_mut(number)?.take()?));
    let of_pages = |group: Group| {
        let pages: Vec<_> = group.pages.iter().filter_map(|page| take(places[*page])).collect();
        ((group.completeness, group.lacking), pages)
    };
    let groups: Vec<_> = groups.into_iter().map(of_pages).collect();
    let (payloads, seen) = (&*payloads, &*seen);
    let candidates: Vec<_> = groups
        .into_par_iter()
        .map(|(proof, pages)| candidate(payloads, seen, terms, &recorded.elements, proof, pages))
        .collect();
    // The first error is told, whichever core came to one first.
    recorded.candidates = candidates.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
    recorded.candidates.extend(absences(payloads, seen, terms));
    Ok(recorded)
}

/// The pieces of a payload, of which some look shows something. Its bytes are let go.
fn pieces(payload: &mut Payload, seen: &mut Seen) -> Result<Option<Apart>, Error> {
    let bytes = std::mem::take(&mut payload.bytes);
    match seen.apart.take() {
        Some(apart) => apart.map(Some),
        None if seen.looks.is_empty() => Ok(None),
        None if payload.is_text => take_apart(payload, &Document::text(&bytes), &seen.looks).map(Some),
        None => take_apart(payload, &Document::json(&bytes)?, &seen.looks).map(Some),
    }
}

/// Which looks make one observation together: pages of a listing, and the documents of one file alike.
fn groups(payloads: &[Payload], seen: &[Seen]) -> (Vec<At>, Vec<Group>) {
    let mut places = Vec::new();
    let mut pages = Vec::new();
    for (at, (payload, seen)) in payloads.iter().zip(seen).enumerate() {
        for (number, look) in seen.looks.iter().enumerate() {
            places.push((at, number));
            let asked = payload.exchange.as_deref().zip(payload.request.as_deref());
            pages.push(Page { source: payload.source, asked, look });
        }
    }
    let unread = unread(payloads, seen);
    let mut joined: Vec<Group> = Vec::new();
    let mut of_file: HashMap<_, usize> = HashMap::new();
    for mut group in assemble(&pages) {
        let page = &pages[group.pages[0]];
        group.lacking |= page.asked.is_none()
            && page.look.is_set()
            && !page.look.extent.is_delivered()
            && unread.contains(&page.source);
        let joins = page.look.facet.shape() != Shape::Record && !page.look.extent.stands_alone();
        if !payloads[places[group.pages[0]].0].one_of_many || !joins {
            joined.push(group);
            continue;
        }
        let key =
            (page.source, page.look.subject.known().map(ToString::to_string), page.look.facet, page.look.item.clone());
        match of_file.get(&key) {
            Some(at) => {
                joined[*at].pages.extend(group.pages);
                joined[*at].completeness = Completeness::Unproven;
                joined[*at].lacking |= group.lacking;
            }
            None => {
                of_file.insert(key, joined.len());
                let of_group: Vec<_> = group.pages.iter().map(|at| pages[*at]).collect();
                let completeness = connected(&of_group).unwrap_or(Completeness::Unproven);
                joined.push(Group { completeness, ..group });
            }
        }
    }
    (places, joined)
}

/// The files of several documents of which one, an item as the others are, cannot be read.
fn unread(payloads: &[Payload], seen: &[Seen]) -> HashSet<usize> {
    let unread = |seen: &Seen| {
        let whole = |left: &Unrecognised| left.pointer.is_empty() && left.reason != Reason::FacetMismatch;
        seen.looks.is_empty() && seen.left.iter().any(whole)
    };
    let plain = payloads.iter().zip(seen).filter(|(payload, seen)| payload.exchange.is_none() && unread(seen));
    plain.map(|(payload, _)| payload.source).collect()
}

/// Looks that make one observation.
pub(super) struct Look<'l> {
    /// The last of them.
    pub look: &'l forge::Look,
    /// The kind that one of them shows.
    pub kind: Option<Kind>,
    /// What they prove.
    pub proof: Completeness,
    /// Whether an item that stands beside theirs cannot be read: then the caller's word proves nothing.
    pub lacking: bool,
    pub content: Digest,
    /// Members of the content that an error made null.
    pub failed: Vec<String>,
    pub inputs: Vec<Input>,
}

/// The observation that looks make; none while nobody knows whom they are about.
pub(super) fn observation(
    of: Look<'_>,
    terms: &Terms,
    observed_at: Time,
    position: Option<u64>,
) -> Option<Observation> {
    let look = of.look;
    let listed = look.is_set() && !look.is_always_part();
    let completeness = match of.lacking {
        true => Completeness::Partial,
        false => terms.completeness.filter(|_| listed).unwrap_or(of.proof),
    };
    Some(Observation {
        subject: look.subject.known()?.clone(),
        kind: of.kind,
        facet: look.facet,
        item: look.item.clone(),
        observed_at,
        position,
        dialect: look.dialect.name().into(),
        failed: of.failed,
        seen: Saw::Data { completeness, content: of.content, inputs: of.inputs },
    })
}

/// The observation of one group of looks. Its time and place are those of the last page.
fn candidate(
    payloads: &[Payload],
    seen: &[Seen],
    terms: &Terms,
    elements: &BTreeMap<Digest, Vec<u8>>,
    (proof, lacking): (Completeness, bool),
    pages: Vec<(At, OneLook)>,
) -> Result<Option<Candidate>, Error> {
    let (Some(((at, number), _)), Some((_, first))) = (pages.last(), pages.first()) else { return Ok(None) };
    let (at, look) = (*at, &seen[*at].looks[*number]);
    let (observed_at, position, dating) = date(&payloads[at], terms);
    let kind = pages.iter().find_map(|((at, number), _)| seen[*at].looks[*number].kind);
    let (content, updated_at) = (first.content, first.updated_at);
    let of = pages.iter().map(|((at, _), _)| *at).collect();
    let mut shown = 0;
    let mut failed = Vec::new();
    for ((at, number), _) in &pages {
        let look = &seen[*at].looks[*number];
        failed.extend(look.below_content(&seen[*at].failed, shown));
        shown += look.items().len();
    }
    let inputs: Vec<_> = pages.into_iter().map(|(_, page)| page.input).collect();
    let several = inputs.len() > 1;
    let made = observation(Look { look, kind, proof, lacking, content, failed, inputs }, terms, observed_at, position);
    let Some(mut record) = made else { return Ok(None) };
    if several {
        let of_all = joined(&record, elements)?;
        if let Saw::Data { content, .. } = &mut record.seen {
            *content = of_all;
        }
    }
    let unfit = |fault: ElementFault| Error::new("input-not-understood", fault.to_string());
    let opaque = opaque(&Facts::new(&Elements(elements)), &record).map_err(unfit)?;
    Ok(Some(Candidate { record, updated_at, dating, opaque, payloads: of }))
}

/// The digest of the content of several pages together, read from their elements.
fn joined(record: &Observation, elements: &BTreeMap<Digest, Vec<u8>>) -> Result<Digest, Error> {
    match digest_of_content(&Facts::new(&Elements(elements)), record) {
        Ok(Some(digest)) => Ok(digest),
        Ok(None) => Err(Error::new("input-not-understood", "pages of nothing")),
        Err(fault) => Err(Error::new("input-not-understood", fault.to_string())),
    }
}

/// Facets that the forge did not give.
fn absences<'p>(payloads: &'p [Payload], seen: &'p [Seen], terms: &'p Terms) -> impl Iterator<Item = Candidate> + 'p {
    let one = move |at, payload: &'p Payload, absence: &'p Absence| {
        let (observed_at, position, dating) = date(payload, terms);
        let record = Observation {
            subject: absence.subject.known()?.clone(),
            kind: absence.kind,
            facet: absence.facet,
            item: absence.item.clone(),
            observed_at,
            position,
            dialect: Dialect::rest_of(absence.subject.known()?.forge()).name().into(),
            failed: Vec::new(),
            seen: Saw::Unavailable {
                status: absence.status,
                url: payload.exchange.as_ref().map(|exchange| exchange.url.clone()),
            },
        };
        Some(Candidate { record, updated_at: None, dating, opaque: Vec::new(), payloads: vec![at] })
    };
    let each = move |(at, (payload, seen)): (usize, (&'p Payload, &'p Seen))| {
        seen.absent.iter().filter_map(move |absence| one(at, payload, absence))
    };
    payloads.iter().zip(seen).enumerate().flat_map(each)
}

/// The recording's own Date, else the time of the invocation.
pub(super) fn date(payload: &Payload, terms: &Terms) -> (Time, Option<u64>, Dating) {
    let own = payload.exchange.as_ref().and_then(|exchange| exchange.date);
    let dating = match (own, payload.position) {
        (None, Some(_)) if terms.live => Dating::Undated,
        (None, None) if terms.live => Dating::Live,
        _ => Dating::Given,
    };
    (own.unwrap_or(terms.undated), payload.position, dating)
}
