//! From filed observations to the state of an entity: what `snapshot`, `stage` and `show` share.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;
use rayon::prelude::*;

use crate::corpus::{self, LoadedLook, LookData, Moment, Roles, State, bare};
use crate::forge::dialect::Dialect;
use crate::forge::facets::{Actor, Field, InvalidMetadata};
use crate::forge::graphql::repository_around;
use crate::forge::head;
use crate::format::digest::Digest;
use crate::format::entity::{Forge, Repository, Subject};
use crate::format::facet::{Facet, Shape};
use crate::format::json::{self, Json};
use crate::format::observation::{Completeness, Observation, Seen};
use crate::format::time::Time;
use crate::ops::Error;
use crate::store::facts::{ElementFault, Facts, Filed};
use crate::store::layout::OBSERVATIONS;
use crate::store::split::{Content, content, parts};

/// The state that observations of one subject fold to; `None` when there is none of a thread.
///
/// # Errors
/// `observation-invalid` and `element-corrupt`: a damaged store is not derived from. An element that is not there is a gap.
pub(super) fn state(facts: &Facts<'_>, filed: Vec<Filed>) -> Result<Option<State>, Error> {
    state_at(facts, filed, &Moment::default(), None)
}

/// The same as of a moment, given the digest of the delivery that set it: the looks that are made of it are of that moment.
///
/// # Errors
/// As [`state`].
pub(super) fn state_at(
    facts: &Facts<'_>,
    filed: Vec<Filed>,
    moment: &Moment,
    delivery: Option<&Digest>,
) -> Result<Option<State>, Error> {
    let looks = filed.into_iter().map(|filed| look(facts, filed, delivery)).collect::<Result<Vec<_>, _>>()?;
    Ok(corpus::fold_at(looks, moment))
}

/// The roles in a repository that observations of its members tell.
///
/// # Errors
/// As [`state`].
pub(super) fn roles(facts: &Facts<'_>, filed: Vec<Filed>) -> Result<Roles, Error> {
    let looks = filed.into_iter().map(|filed| look(facts, filed, None)).collect::<Result<Vec<_>, _>>()?;
    Ok(corpus::roles(looks))
}

/// The accounts that have or had a login, as records that are filed under it tell.
///
/// # Errors
/// As [`state`].
pub(super) fn accounts(facts: &Facts<'_>, filed: Vec<Filed>, login: &str) -> Result<Vec<Actor>, Error> {
    let mut found = Vec::new();
    for filed in filed {
        let Ok(record) = filed.record else { continue };
        let Content::Record { json, .. } =
            content(facts, &record).map_err(|fault| Error::from(fault).about(&filed.path))?
        else {
            continue;
        };
        let text = |name| json.get(name).and_then(Json::as_str).map(str::to_owned);
        let id = json.get("id").and_then(Json::as_u64);
        found.push(Actor { id, node_id: text("node_id"), login: login.to_owned(), account: text("type") });
    }
    Ok(found)
}

/// The accounts that have or had one of some logins, as looks on a host show them, with the looks that do: of those that show an account
/// alike the first. A look that cannot be read shows none.
///
/// # Errors
/// When the facts cannot be listed.
pub(super) fn bearers(
    facts: &Facts<'_>,
    forge: Forge,
    host: &str,
    logins: &BTreeSet<String>,
) -> Result<Vec<(Filed, Vec<Actor>)>, Error> {
    let logins: BTreeSet<String> = logins.iter().map(|login| bare(&login.to_ascii_lowercase()).to_owned()).collect();
    let of_host = Subject::Actor { forge, host: host.to_owned(), login: String::new() }.dir();
    let of_host = of_host.split_once("/@").map_or("", |(host, _)| host);
    let is_of_host = |dir: &str| dir.strip_prefix(of_host).is_some_and(|below| below.starts_with('/'));
    let shown = |path: &String| {
        let filed = facts.load(std::slice::from_ref(path)).ok()?.pop()?;
        let record = filed.record.as_ref().ok().filter(|record| names_any(facts, record, &logins))?;
        let shown =
            look(facts, Filed { record: Ok(record.clone()), path: path.clone(), digest: filed.digest }, None).ok()?;
        let is_one = |actor: &Actor| logins.contains(bare(&actor.login.to_ascii_lowercase()));
        let actors: Vec<_> = corpus::met(&[shown]).into_iter().filter(is_one).collect();
        (!actors.is_empty()).then_some((filed, actors))
    };
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for (_, paths) in facts.subjects()?.into_iter().filter(|(dir, _)| is_of_host(dir)) {
        for (filed, mut actors) in paths.par_iter().filter_map(shown).collect::<Vec<_>>() {
            actors.retain(|actor| known.insert(actor.clone()));
            if !actors.is_empty() {
                found.push((filed, actors));
            }
        }
    }
    Ok(found)
}

/// Whether the elements of a look may name one of some logins, which are in lower case. Canonical bytes spell a login as it is.
fn names_any(facts: &Facts<'_>, record: &Observation, logins: &BTreeSet<String>) -> bool {
    let names = |mut bytes: Vec<u8>| {
        bytes.make_ascii_lowercase();
        logins.iter().any(|login| memmem::find(&bytes, login.as_bytes()).is_some())
    };
    record.inputs().iter().any(|input| {
        let parts = parts(facts, input).unwrap_or_default();
        let own = input.container.into_iter().chain(parts.iter().map(|part| part.element));
        parts.iter().any(|part| part.opaque.is_some())
            || own.into_iter().any(|one| facts.element(&one).is_ok_and(names))
    })
}

fn look(facts: &Facts<'_>, filed: Filed, delivery: Option<&Digest>) -> Result<LoadedLook, Error> {
    let damaged = |reason: String| {
        Error::new("observation-invalid", format!("{}: {reason}", filed.path))
            .hint("git docket verify lists all damage")
    };
    let record = filed.record.map_err(|fault| damaged(fault.to_string()))?;
    let mut look = LoadedLook {
        observed_at: record.observed_at,
        position: record.position,
        digest: record.timeless_digest(),
        subject: record.subject.clone(),
        kind: record.kind.or_else(|| record.subject.kind()),
        facet: record.facet,
        item: record.item.clone(),
        data: LookData::Unavailable(0),
        sparse: Dialect::from_name(&record.dialect).is_some_and(Dialect::is_sparse),
        outside_profile: 0,
        missing: false,
        document: record.inputs().first().map(|input| input.digest),
        head: None,
        delivered: record.inputs().iter().any(|input| Some(&input.digest) == delivery),
    };
    match seen(facts, &record, &mut look) {
        Ok(()) => Ok(look),
        Err(ElementFault::Missing { .. }) => {
            look.missing = true;
            Ok(look)
        }
        Err(fault) => Err(Error::from(fault).about(&filed.path)),
    }
}

fn seen(facts: &Facts<'_>, record: &Observation, look: &mut LoadedLook) -> Result<(), ElementFault> {
    let completeness = match &record.seen {
        Seen::Unavailable { status, .. } => {
            look.data = LookData::Unavailable(*status);
            return Ok(());
        }
        Seen::Data { completeness, .. } => *completeness,
    };
    // What a newer program recognised is there, and cannot be read here.
    let reader = Dialect::from_name(&record.dialect).ok_or(InvalidMetadata { member: "dialect" });
    look.data = match content(facts, record)? {
        // What is unavailable was seen above.
        Content::Unavailable => return Ok(()),
        Content::Text(text) => LookData::Text(text),
        Content::Record { mut json, opaque } => {
            record.failed.iter().for_each(|pointer| forget(&mut json, pointer));
            look.outside_profile = u64::from(opaque.is_some());
            let header = |dialect: Dialect| match &record.item {
                Some(part) => dialect.linked(part, &json),
                None => dialect.header(&json),
            };
            reader.and_then(header).map_or_else(LookData::Unreadable, |header| match completeness {
                Completeness::Deleted => LookData::LastHeader(Box::new(header)),
                _ => LookData::Header(Box::new(header)),
            })
        }
        Content::Items(mut items) => {
            forget_of_items(&mut items, &record.failed);
            look.outside_profile = items.iter().filter(|(_, opaque)| opaque.is_some()).count() as u64;
            if record.facet == Facet::Files {
                look.head = head::of_files(items.iter().map(|(json, _)| json));
            }
            let read = |(json, _): (Json<'_>, _)| match &reader {
                Ok(dialect) => dialect.items(record.facet, &json),
                Err(fault) => vec![Err(fault.clone())],
            };
            let items = items.into_iter().flat_map(read).collect();
            LookData::Items { items, completeness }
        }
    };
    Ok(())
}

/// Whether the record that a look saw knows the labels.
pub(super) fn tells_labels(facts: &Facts<'_>, record: &Observation) -> bool {
    let (Ok(Content::Record { json, .. }), Some(dialect)) =
        (content(facts, record), Dialect::from_name(&record.dialect))
    else {
        return false;
    };
    dialect.header(&json).is_ok_and(|header| header.value.labels != Field::Unknown)
}

/// Takes out a member that an error made null, so that it is not known.
fn forget(json: &mut Json<'_>, pointer: &str) {
    let Some((above, name)) = pointer.rsplit_once('/') else { return };
    let name = name.replace("~1", "/").replace("~0", "~");
    if let Some(Json::Object(object)) = json.pointer_mut(above) {
        object.remove(&name);
    }
}

fn forget_of_items<T>(items: &mut [(Json<'_>, T)], failed: &[String]) {
    for pointer in failed {
        let Some((number, below)) = pointer.strip_prefix('/').and_then(|rest| rest.split_once('/')) else { continue };
        let item = number.parse::<usize>().ok().and_then(|at| items.get_mut(at));
        if let Some((json, _)) = item {
            forget(json, &format!("/{below}"));
        }
    }
}

/// Completes what a state knows of the ids of its repository: from the repository's own records, and from answers of GraphQL that show
/// the entity in its repository. They never change, so that any look that tells is as good as another. Gives the observations of the
/// repository that told it, by their path below `observations/`.
///
/// # Errors
/// As [`state`].
pub(super) fn identify_repository(facts: &Facts<'_>, state: &mut State) -> Result<BTreeMap<String, Digest>, Error> {
    let mut used = BTreeMap::new();
    let own = state.entity().subject();
    for subject in [Subject::Repository(state.repository.clone()), own] {
        let is_repository = matches!(subject, Subject::Repository(_));
        let filed = facts.observations(&subject.dir())?;
        for filed in filed.iter().rev() {
            if is_identified(state) {
                return Ok(used);
            }
            let Some(record) = filed.record.as_ref().ok().filter(|record| record.facet == Facet::Header) else {
                continue;
            };
            let Some(dialect) = Dialect::from_name(&record.dialect) else { continue };
            let (id, node_id) = match content(facts, record) {
                Ok(Content::Record { json, .. }) if is_repository => dialect.repository_ids(&json),
                Ok(Content::Record { .. }) => shown_around(facts, record, &state.repository),
                _ => continue,
            };
            let header = &mut state.header;
            let tells = id.is_some() && header.repository_id.known().is_none()
                || node_id.is_some() && header.repository_node_id.known().is_none();
            if let (Some(id), None) = (id, header.repository_id.known()) {
                header.repository_id = Field::Known(id);
            }
            if let (Some(node_id), None) = (node_id, header.repository_node_id.known()) {
                header.repository_node_id = Field::Known(node_id);
            }
            let path = filed.path.strip_prefix(OBSERVATIONS).and_then(|path| path.strip_prefix('/'));
            used.extend(path.filter(|_| tells && is_repository).map(|path| (path.to_owned(), filed.digest)));
        }
    }
    Ok(used)
}

/// Whether what names the repository on its forge is known.
fn is_identified(state: &State) -> bool {
    let is_node = state.repository.forge() == Forge::GitHub;
    state.header.repository_id.known().is_some() && (!is_node || state.header.repository_node_id.known().is_some())
}

/// The ids of the repository around a record in an answer of GraphQL.
fn shown_around(facts: &Facts<'_>, record: &Observation, repository: &Repository) -> (Option<u64>, Option<String>) {
    if record.dialect != Dialect::GithubGraphql.name() {
        return (None, None);
    }
    let around = record.inputs().iter().find_map(|input| {
        let container = facts.element(&input.container?).ok()?;
        let answer = json::parse(&container).ok()?;
        Some(Dialect::GithubGraphql.repository_ids(repository_around(&answer, &input.pointer, repository.path())?))
    });
    around.unwrap_or_default()
}

/// The forge's time in the record that a look saw; none for a set or a text, and for one whose content cannot be read.
pub(super) fn updated_at(facts: &Facts<'_>, record: &Observation) -> Option<Time> {
    if record.facet.shape() != Shape::Record {
        return None;
    }
    match content(facts, record) {
        Ok(Content::Record { json, .. }) => Dialect::from_name(&record.dialect)?.updated_at(&json),
        _ => None,
    }
}
