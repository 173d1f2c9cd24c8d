//! Recognition: what each payload shows, in two passes. The second gives what names no entity the only one there is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rayon::prelude::*;

use crate::forge::answer::{Absence, Answer, answer};
use crate::forge::owners::Owners;
use crate::forge::recognise::{Extent, Hints, Look, Part, Reason, SubjectHint, Unrecognised, recognise};
use crate::forge::text::text_look;
use crate::format::entity::{Kind, Repository, Subject};
use crate::ops::Error;
use crate::store::facts::Facts;
use crate::store::split::Document;

use super::Options;
use super::apart::{Apart, take_apart};
use super::filed::Needs;
use super::payload::Payload;
use super::progress::{Count, Doing};

/// An entity that looks without one belong to.
pub(super) type Named = (Subject, Option<Kind>);

/// What a payload shows.
#[derive(Default)]
pub(super) struct Seen {
    pub looks: Vec<Look>,
    pub absent: Vec<Absence>,
    pub left: Vec<Unrecognised>,
    /// The members that an error made null.
    pub failed: Vec<String>,
    /// The payload in pieces, where nothing that others show can change the looks at it.
    pub apart: Option<Result<Apart, Error>>,
}

/// Recognises all payloads; what names no entity belongs to the one that is `named`. The bytes of those that are taken apart are let go.
pub(super) fn read(
    payloads: &mut [Payload],
    named: Option<&Named>,
    options: &Options<'_>,
    facts: &Facts<'_>,
) -> Result<Vec<Seen>, Error> {
    let event = options.event;
    let size = |payload: &Payload| payload.bytes.len() as u64;
    let count = Count::begin(options.progress, Doing::Reading, payloads.iter().map(size).sum());
    let one = |payload: &mut Payload| {
        let (seen, owners) = first(payload, named, event);
        count.add(size(payload));
        if seen.apart.is_some() {
            payload.bytes = Vec::new();
        }
        (seen, owners)
    };
    // What one payload tells of owners is merged at once: maps of one entry each would outweigh small payloads.
    let all =
        payloads.par_iter_mut().map(one).fold(Default::default, |mut all: (Vec<Seen>, Owners), (seen, owners)| {
            all.0.push(seen);
            all.1.merge(owners);
            all
        });
    let (mut seen, mut owners) = all.reduce(Default::default, |mut all, (seen, owners)| {
        all.0.extend(seen);
        all.1.merge(owners);
        all
    });
    let exchanges = payloads.iter().filter_map(|payload| payload.exchange.as_deref());
    exchanges.for_each(|exchange| owners.learn_exchange(exchange));
    owners.merge(needs(payloads, &seen, &owners).owners(facts)?);
    // A link to a further page names the repository by number; whoever read the first page knows its name.
    let renamed: Vec<_> = payloads
        .par_iter_mut()
        .map(|payload| {
            payload
                .request
                .as_mut()
                .is_some_and(|request| request.target.repository.is_none() && owners.name_repository(request))
        })
        .collect();
    let only = Only::of(payloads, &seen);
    let again = |((payload, seen), renamed): ((&Payload, &mut Seen), &bool)| {
        let entity = named.or_else(|| only.entity(payload));
        let lacks = seen.left.iter().any(|left| left.reason == Reason::EntityAmbiguous);
        if *renamed || (lacks && entity.is_some()) {
            (*seen, _) = first(payload, entity, event);
        }
        resolve(seen, &owners, entity);
    };
    payloads.par_iter().zip(seen.par_iter_mut()).zip(&renamed).for_each(again);
    empty_pages(payloads, &mut seen);
    Ok(seen)
}

/// An empty list among the lists of one file is an empty page of what they list.
fn empty_pages(payloads: &[Payload], seen: &mut [Seen]) {
    let empty: Vec<usize> = (0..seen.len()).filter(|at| is_empty_page(&payloads[*at], &seen[*at])).collect();
    let mut listed: BTreeMap<usize, Vec<Look>> = empty.iter().map(|at| (payloads[*at].source, Vec::new())).collect();
    for (payload, seen) in payloads.iter().zip(&*seen).filter(|(payload, _)| payload.one_of_many) {
        let Some(known) = listed.get_mut(&payload.source) else { continue };
        for look in seen.looks.iter().filter(|look| is_page(look)) {
            let is_same =
                |other: &Look| (&other.subject, other.facet, &other.item) == (&look.subject, look.facet, &look.item);
            if !known.iter().any(is_same) {
                let part = Part::Set { items: Vec::new() };
                known.push(Look { part, extent: Extent::Whole, total: None, paged: None, ..look.clone() });
            }
        }
    }
    for at in empty {
        let looks = listed.get(&payloads[at].source).filter(|looks| !looks.is_empty());
        if let Some(looks) = looks {
            seen[at].looks.clone_from(looks);
            seen[at].left.clear();
        }
    }
}

/// Whether a look is at a list of items that others may continue.
fn is_page(look: &Look) -> bool {
    let is_listed = |item: &String| item.len() > 1 && item.rfind('/') == Some(0);
    !look.extent.stands_alone() && !look.items().is_empty() && look.items().iter().all(is_listed)
}

/// Whether a payload is an empty list of a file that has others, and nothing says what it lists.
fn is_empty_page(payload: &Payload, seen: &Seen) -> bool {
    let is_unnamed = |reason| matches!(reason, Reason::FacetUnnamed | Reason::EntityAmbiguous);
    let inner = payload.bytes.trim_ascii().strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
    payload.one_of_many
        && inner.is_some_and(|inner| inner.trim_ascii().is_empty())
        && matches!(&seen.left[..], [left] if is_unnamed(left.reason))
        && seen.looks.is_empty()
}

/// What neither the payloads nor what they say of each other names.
fn needs(payloads: &[Payload], seen: &[Seen], owners: &Owners) -> Needs {
    let mut needs = Needs::default();
    payloads.iter().filter_map(|payload| payload.request.as_ref()).for_each(|request| needs.request(request, owners));
    for seen in seen {
        let absent = seen.absent.iter().map(|absence| &absence.subject);
        seen.looks.iter().map(|look| &look.subject).chain(absent).for_each(|subject| needs.subject(subject, owners));
    }
    needs
}

/// What a payload shows by itself, and what it tells of owners.
fn first(payload: &Payload, entity: Option<&Named>, event: Option<&str>) -> (Seen, Owners) {
    let hints = Hints {
        url: payload.request.as_deref(),
        facet: payload.facet,
        event,
        entity: entity.map(|(subject, kind)| (subject, *kind)),
    };
    let document =
        if payload.is_text { Some(Document::text(&payload.bytes)) } else { Document::json(&payload.bytes).ok() };
    let view = document.as_ref().map(Document::view);
    let mut seen = Seen::default();
    if let Some(exchange) = &payload.exchange {
        match answer(exchange, &hints, view) {
            Answer::Payload => {}
            Answer::Absent(absence) => {
                seen.absent.push(absence);
                return (seen, Owners::default());
            }
            Answer::Aside(reason) => {
                seen.left.push(Unrecognised { pointer: String::new(), reason });
                return (seen, Owners::default());
            }
        }
    }
    let Some(document) = &document else {
        seen.left.push(Unrecognised { pointer: String::new(), reason: Reason::ShapeUnknown });
        return (seen, Owners::default());
    };
    // The digest of a large dump takes another core as long as this one needs for the rest.
    let (owners, _) = rayon::join(|| understand(payload, document, &hints, &mut seen), || document.digest());
    (seen, owners)
}

/// Recognises what a document shows, and takes it apart when that is settled. Returns what it tells of owners.
fn understand(payload: &Payload, document: &Document<'_>, hints: &Hints<'_>, seen: &mut Seen) -> Owners {
    let recognised = if payload.is_text {
        let of_url = payload.request.as_ref().and_then(|request| request.target.resource.item());
        text_look(&payload.bytes, of_url.or_else(|| payload.item.clone()), hints)
    } else {
        recognise(document.view(), hints)
    };
    let mut owners = Owners::default();
    owners.learn(&recognised.looks, document.view());
    seen.looks = recognised.looks;
    seen.looks.shrink_to_fit();
    seen.absent = recognised.absent;
    seen.left = recognised.left;
    seen.failed = recognised.failed;
    if is_settled(payload, seen) {
        seen.apart = Some(take_apart(payload, document, &seen.looks));
    }
    owners
}

/// Whether the looks stay what they are, whatever other payloads show.
fn is_settled(payload: &Payload, seen: &Seen) -> bool {
    !seen.looks.is_empty()
        && seen.looks.iter().all(|look| look.subject.known().is_some())
        && seen.left.iter().all(|left| left.reason != Reason::EntityAmbiguous)
        && payload.request.as_ref().is_none_or(|request| request.target.repository.is_some())
}

/// Gives looks their subject; what stays without one is left over.
fn resolve(seen: &mut Seen, owners: &Owners, entity: Option<&Named>) {
    let Seen { looks, left, .. } = seen;
    looks.retain_mut(|look| {
        let is_known = owners.resolve(look) || adopt(look, entity);
        if !is_known {
            let pointer = look.items().first().cloned().unwrap_or_default();
            left.push(Unrecognised { pointer, reason: Reason::EntityAmbiguous });
        }
        is_known
    });
    for absence in std::mem::take(&mut seen.absent) {
        match owners.resolve_absence(absence) {
            Some(absence) => seen.absent.push(absence),
            None => seen.left.push(Unrecognised { pointer: String::new(), reason: Reason::EntityAmbiguous }),
        }
    }
    // One row for the whole says more than a row a look.
    if let (true, Some(first)) = (seen.looks.is_empty() && seen.absent.is_empty(), seen.left.first())
        && seen.left.iter().all(|left| left.reason == first.reason)
    {
        seen.left = vec![Unrecognised { pointer: String::new(), reason: first.reason }];
    }
}

/// A set below an item whose thread nothing shows, or of a commit, belongs to the only entity there is.
fn adopt(look: &mut Look, entity: Option<&Named>) -> bool {
    let Some((subject, kind)) = entity else { return false };
    // Gitea and Forgejo have one API, and a host's name need not tell which of them it is.
    let is_own = |named: &Repository| {
        let agrees = |own: &Repository| named.forge().has_api_of(own.forge()) && named.on(own.forge()).is_same(own);
        subject.repository().is_some_and(agrees)
    };
    let fits = match &look.subject {
        SubjectHint::OfItem { host, repository } => {
            let is_on_host = subject.repository().is_some_and(|own| own.host() == host);
            subject.number().is_some() && is_on_host && repository.as_ref().is_none_or(is_own)
        }
        SubjectHint::AtHead { repository, .. } => is_own(repository),
        SubjectHint::Known(_) | SubjectHint::ByRepositoryId { .. } => false,
    };
    if !fits {
        return false;
    }
    look.subject = SubjectHint::Known(subject.clone());
    look.kind = look.kind.or(*kind);
    true
}

/// The only thread of each directory, and of the whole invocation.
struct Only {
    folders: BTreeMap<PathBuf, Option<Named>>,
    all: Option<Named>,
}

impl Only {
    fn of(payloads: &[Payload], seen: &[Seen]) -> Self {
        let mut folders: BTreeMap<PathBuf, BTreeSet<Named>> = BTreeMap::new();
        let mut all: BTreeSet<Named> = BTreeSet::new();
        for (payload, seen) in payloads.iter().zip(seen) {
            for look in &seen.looks {
                let Some(subject) = look.subject.known().filter(|subject| subject.number().is_some()) else { continue };
                all.insert((subject.clone(), look.kind));
                if let Some(folder) = &payload.folder {
                    folders.entry(folder.clone()).or_default().insert((subject.clone(), look.kind));
                }
            }
        }
        Self { folders: folders.into_iter().map(|(folder, found)| (folder, single(found))).collect(), all: single(all) }
    }

    fn entity(&self, payload: &Payload) -> Option<&Named> {
        // Logs stand in folders of their own below that of their entity.
        let above = if payload.is_text { usize::MAX } else { 1 };
        let mut ways = payload.folder.iter().flat_map(|folder| folder.ancestors()).take(above);
        let folder = ways.find_map(|folder| self.folders.get(folder)).and_then(Option::as_ref);
        folder.or(self.all.as_ref().filter(|_| !payload.is_found))
    }
}

/// The one thread of a set, with its kind when any look shows it.
fn single(found: BTreeSet<Named>) -> Option<Named> {
    let mut found = found.into_iter();
    let (subject, mut kind) = found.next()?;
    for (other, its) in found {
        // One spelling of a repository is as good as another.
        if other.dir() != subject.dir() {
            return None;
        }
        kind = kind.or(its);
    }
    Some((subject, kind))
}
