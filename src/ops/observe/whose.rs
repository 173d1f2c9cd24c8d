//! The entity that the caller named: where it is, and which payloads name another one.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::forge::recognise::{Hints, SubjectHint, recognise};
use crate::format::entity::{Repository, Subject};
use crate::format::facet::Facet;
use crate::ops::Error;
use crate::ops::wanted::Asked;
use crate::store::facts::Facts;
use crate::store::split::Document;

use super::payload::Payload;
use super::read::{Named, Seen};
use super::{FindingRow, Options};

/// The caller's entity. Where one is that is named in short, the payloads tell, else the store.
pub(super) fn named(payloads: &[Payload], options: &Options<'_>, facts: &Facts<'_>) -> Result<Option<Named>, Error> {
    let Some(asked) = &options.entity else { return Ok(None) };
    let told = match asked {
        Asked::At(_) => BTreeSet::new(),
        Asked::Short(_) => payloads.par_iter().flat_map_iter(|payload| repositories(payload, options.event)).collect(),
    };
    let wanted = asked.to_file(&told, facts.tree)?;
    Ok(Some((wanted.subject, wanted.kind)))
}

/// The repositories that a payload or its request names.
fn repositories(payload: &Payload, event: Option<&str>) -> Vec<Repository> {
    let asked = payload.request.as_ref().and_then(|request| request.target.repository.clone());
    let document = if payload.is_text { None } else { Document::json(&payload.bytes).ok() };
    let hints = Hints { url: payload.request.as_deref(), facet: payload.facet, event, ..Hints::default() };
    let shown = document.map(|document| recognise(document.view(), &hints));
    shown.iter().flat_map(|shown| shown.repositories()).cloned().chain(asked).collect()
}

/// The payloads that show issues or pull requests, and not the caller's: they are filed under their own names.
pub(super) fn others<'p>(
    payloads: &'p [Payload],
    seen: &'p [Seen],
    (named, _): &'p Named,
) -> impl Iterator<Item = FindingRow> + 'p {
    payloads.iter().zip(seen).filter_map(move |(payload, seen)| {
        let is_named = |subject: &Subject| is_own(subject, named);
        let absent = seen.absent.iter().map(|absence| &absence.subject);
        let subjects = seen.looks.iter().map(|look| &look.subject).chain(absent).filter_map(SubjectHint::known);
        let threads: BTreeSet<_> = subjects.filter(|subject| subject.number().is_some()).collect();
        let differs = !threads.is_empty() && !threads.iter().any(|subject| is_named(subject));
        let row =
            || FindingRow { code: "entity-differs".into(), input: payload.name.clone(), count: threads.len() as u64 };
        differs.then(row)
    })
}

/// Whether a payload is of the caller's entity by what it or its request says, or is called a list of it by the caller. What belongs to
/// a commit, a file or a label names no thread, and would be of whatever entity was named.
pub(super) fn is_shown(payloads: &[Payload], seen: &[Seen], (named, _): &Named) -> bool {
    const TELLING: [Facet; 4] = [Facet::Header, Facet::Comments, Facet::Reviews, Facet::ReviewComments];
    payloads.iter().zip(seen).any(|(payload, seen)| {
        let is_asked = || payload.request.as_ref().and_then(|request| request.target.subject());
        let tells = |facet: Facet| payload.facet.is_some() || TELLING.contains(&facet);
        let mut looks = seen.looks.iter().filter(|look| look.subject.known().is_some_and(|one| is_own(one, named)));
        looks.any(|look| tells(look.facet)) || is_asked().is_some_and(|asked| is_own(&asked, named))
    })
}

/// Whether a subject is the caller's entity, or of its repository where that is one.
fn is_own(subject: &Subject, named: &Subject) -> bool {
    match named {
        Subject::Repository(own) => subject.repository().is_some_and(|repository| repository.is_same(own)),
        own => subject.dir() == own.dir(),
    }
}
