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
use crate::store::facts::{ElementFault, Facts, Filed, NotFiled};
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
    let mut around = BTreeSet::new();
    let looks = filed.into_iter().map(|filed| look(facts, filed, delivery, &mut around));
    Ok(corpus::fold_at(looks.collect::<Result<_, _>>()?, moment))
}

/// The roles in a repository that observations of its members tell.
///
/// # Errors
/// As [`state`].
pub(super) fn roles(facts: &Facts<'_>, filed: Vec<Filed>) -> Result<Roles, Error> {
    let mut around = BTreeSet::new();
    let looks = filed.into_iter().map(|filed| look(facts, filed, None, &mut around));
    Ok(corpus::roles(looks.collect::<Result<_, _>>()?))
}

/// The accounts that records of accounts show, each also under the login that its record is filed under; and how many of them are not there
/// to be read.
///
/// # Errors
/// As [`state`].
pub(super) fn accounts(facts: &Facts<'_>, filed: Vec<Filed>) -> Result<(BTreeSet<Actor>, u64), Error> {
    let (mut found, mut around, mut missing) = (BTreeSet::new(), BTreeSet::new(), 0);
    for filed in filed {
        let (path, record) = readable(filed)?;
        let (Subject::Actor { login, .. }, Some(dialect)) = (&record.subject, Dialect::from_name(&record.dialect))
        else {
            continue;
        };
        let content = match content(facts, &record) {
            Ok(content) => content,
            Err(ElementFault::Missing(_)) => {
                missing += 1;
                continue;
            }
            Err(fault) => return Err(Error::from(fault).about(&path)),
        };
        if let Content::Record { json, .. } = &content {
            found.extend(dialect.account(json).map(|account| Actor { login: login.clone(), ..account }));
        }
        let shown = shown(facts, &record, dialect, &content, &mut around);
        found.extend(shown.map_err(|fault| Error::from(fault).about(&path))?);
    }
    Ok((found, missing))
}

/// Every account that a look shows: in what it is of, and in what stands around that in its documents, each of which is read once.
fn shown(
    facts: &Facts<'_>,
    record: &Observation,
    dialect: Dialect,
    content: &Content,
    around: &mut BTreeSet<Digest>,
) -> Result<BTreeSet<Actor>, ElementFault> {
    let mut found = BTreeSet::new();
    match content {
        Content::Record { json, .. } => dialect.accounts(json, &mut found),
        Content::Items(items) => items.iter().for_each(|(json, _)| dialect.accounts(json, &mut found)),
        Content::Text(_) | Content::Unavailable => {}
    }
    for container in record.inputs().iter().filter_map(|input| input.container) {
        if around.insert(container)
            && let Some(bytes) = unless_missing(facts.element(&container))?
        {
            json::parse(&bytes).iter().for_each(|json| dialect.accounts(json, &mut found));
        }
    }
    Ok(found)
}

/// The record and its path.
///
/// # Errors
/// `observation-invalid` when it is damaged.
pub(super) fn readable(filed: Filed) -> Result<(String, Observation), Error> {
    match filed.record {
        Ok(record) => Ok((filed.path, record)),
        Err(fault) => Err(damaged(&filed.path, &fault)),
    }
}

/// A record that cannot be read.
pub(super) fn damaged(path: &str, fault: &NotFiled) -> Error {
    Error::new("observation-invalid", format!("{path}: {fault}")).hint("git docket verify lists all damage")
}

/// What an element tells; none when it is not there, which is a gap and no damage.
fn unless_missing<T>(read: Result<T, ElementFault>) -> Result<Option<T>, ElementFault> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(ElementFault::Missing(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The accounts that have or had one of some logins, as looks on a host show them, with the looks that do: of those that show an account
/// alike the first.
///
/// # Errors
/// As [`state`]: a damaged look may be the one that tells that somebody is refused.
pub(super) fn bearers(
    facts: &Facts<'_>,
    forge: Forge,
    host: &str,
    logins: &BTreeSet<String>,
) -> Result<Vec<(Filed, Vec<Actor>)>, Error> {
    let logins: BTreeSet<String> = logins.iter().map(|login| bare(&login.to_ascii_lowercase()).to_owned()).collect();
    let of_host = Subject::Actor { forge, host: host.to_owned(), login: String::new() }.dir();
    let of_host = of_host.split_once("/@").map_or("", |(host, _)| host);
    let shown = |filed: Filed| {
        let record = filed.record.as_ref().map_err(|fault| damaged(&filed.path, fault))?;
        if !names_any(facts, record, &logins).map_err(|fault| Error::from(fault).about(&filed.path))? {
            return Ok((filed, Vec::new()));
        }
        let again = Filed { record: Ok(record.clone()), path: filed.path.clone(), digest: filed.digest };
        let shown = look(facts, again, None, &mut BTreeSet::new())?;
        let is_one = |actor: &Actor| logins.contains(bare(&actor.login.to_ascii_lowercase()));
        let actors: Vec<_> = corpus::met(&[shown]).into_iter().filter(is_one).collect();
        Ok((filed, actors))
    };
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for (_, paths) in facts.subjects_in(of_host)? {
        for one in facts.load(&paths)?.into_par_iter().map(shown).collect::<Vec<Result<_, Error>>>() {
            let (filed, mut actors) = one?;
            actors.retain(|actor| known.insert(actor.clone()));
            if !actors.is_empty() {
                found.push((filed, actors));
            }
        }
    }
    Ok(found)
}

/// Whether the elements of a look that are there may name one of some logins, which are in lower case. Canonical bytes spell a login as it is.
///
/// # Errors
/// When one is damaged.
fn names_any(facts: &Facts<'_>, record: &Observation, logins: &BTreeSet<String>) -> Result<bool, ElementFault> {
    let names = |mut bytes: Vec<u8>| {
        bytes.make_ascii_lowercase();
        logins.iter().any(|login| memmem::find(&bytes, login.as_bytes()).is_some())
    };
    for input in record.inputs() {
        let parts = unless_missing(parts(facts, input))?.unwrap_or_default();
        if parts.iter().any(|part| part.opaque.is_some()) {
            return Ok(true);
        }
        for one in input.container.into_iter().chain(parts.iter().map(|part| part.element)) {
            if unless_missing(facts.element(&one))?.is_some_and(names) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Reads a look; `around` are the documents whose accounts were taken already.
fn look(
    facts: &Facts<'_>,
    filed: Filed,
    delivery: Option<&Digest>,
    around: &mut BTreeSet<Digest>,
) -> Result<LoadedLook, Error> {
    let (path, record) = readable(filed)?;
    let mut look = LoadedLook {
        observed_at: record.observed_at,
        position: record.position,
        digest: record.timeless_digest(),
        subject: record.subject.clone(),
        kind: record.kind.or_else(|| record.subject.kind()),
        facet: record.facet,
        item: record.item.clone(),
        data: LookData::Unavailable(0),
        accounts: BTreeSet::new(),
        sparse: Dialect::from_name(&record.dialect).is_some_and(Dialect::is_sparse),
        outside_profile: 0,
        missing: false,
        document: record.inputs().first().map(|input| input.digest),
        head: None,
        delivered: record.inputs().iter().any(|input| Some(&input.digest) == delivery),
    };
    match seen(facts, &record, &mut look, around) {
        Ok(()) => Ok(look),
        Err(ElementFault::Missing { .. }) => {
            look.missing = true;
            Ok(look)
        }
        Err(fault) => Err(Error::from(fault).about(&path)),
    }
}

fn seen(
    facts: &Facts<'_>,
    record: &Observation,
    look: &mut LoadedLook,
    around: &mut BTreeSet<Digest>,
) -> Result<(), ElementFault> {
    let completeness = match &record.seen {
        Seen::Unavailable { status, .. } => {
            look.data = LookData::Unavailable(*status);
            return Ok(());
        }
        Seen::Data { completeness, .. } => *completeness,
    };
    // What a newer program recognised is there, and cannot be read here.
    let reader = Dialect::from_name(&record.dialect).ok_or(InvalidMetadata { member: "dialect" });
    let content = content(facts, record)?;
    if let Ok(dialect) = reader {
        look.accounts = shown(facts, record, dialect, &content, around)?;
    }
    look.data = match content {
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
///
/// # Errors
/// Those of damaged elements; of one that is not there it is not known.
pub(super) fn tells_labels(facts: &Facts<'_>, record: &Observation) -> Result<bool, ElementFault> {
    let content = unless_missing(content(facts, record))?;
    let (Some(Content::Record { json, .. }), Some(dialect)) = (content, Dialect::from_name(&record.dialect)) else {
        return Ok(false);
    };
    Ok(dialect.header(&json).is_ok_and(|header| header.value.labels != Field::Unknown))
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
            let record = filed.record.as_ref().map_err(|fault| damaged(&filed.path, fault))?;
            let dialect = Dialect::from_name(&record.dialect).filter(|_| record.facet == Facet::Header);
            let Some(dialect) = dialect else { continue };
            let about = |fault| Error::from(fault).about(&filed.path);
            let (id, node_id) = match unless_missing(content(facts, record)).map_err(about)? {
                Some(Content::Record { json, .. }) if is_repository => dialect.repository_ids(&json),
                Some(Content::Record { .. }) => shown_around(facts, record, &state.repository).map_err(about)?,
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
            let name = path.map(str::to_owned).zip(filed.digest);
            used.extend(name.filter(|_| tells && is_repository));
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
fn shown_around(facts: &Facts<'_>, record: &Observation, repository: &Repository) -> Result<Ids, ElementFault> {
    if record.dialect != Dialect::GithubGraphql.name() {
        return Ok((None, None));
    }
    let containers = record.inputs().iter().filter_map(|input| Some((&input.pointer, input.container?)));
    for (pointer, digest) in containers {
        let Some(container) = unless_missing(facts.element(&digest))? else { continue };
        let answer = json::parse(&container).map_err(|_| ElementFault::Unfit(digest))?;
        if let Some(around) = repository_around(&answer, pointer, repository.path()) {
            return Ok(Dialect::GithubGraphql.repository_ids(around));
        }
    }
    Ok((None, None))
}

/// The number and the node id of a repository.
type Ids = (Option<u64>, Option<String>);

/// The forge's time in the record that a look saw; none for a set or a text, and for one whose content is not there.
///
/// # Errors
/// Those of damaged elements.
pub(super) fn updated_at(facts: &Facts<'_>, record: &Observation) -> Result<Option<Time>, ElementFault> {
    if record.facet.shape() != Shape::Record {
        return Ok(None);
    }
    Ok(match unless_missing(content(facts, record))? {
        Some(Content::Record { json, .. }) => {
            Dialect::from_name(&record.dialect).and_then(|dialect| dialect.updated_at(&json))
        }
        _ => None,
    })
}
