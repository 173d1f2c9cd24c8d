//! The entity: its metadata and its record. Without either there is no tree.

use super::Refusal;
use super::accounts::By;
use super::making::{Making, Shown};
use crate::corpus::State;
use crate::forge::facets::{Field, State as OpenState};
use crate::format::facet::Facet;
use crate::format::time::Time;
use crate::format::upstream::{
    self, Entity, FileRole, Filtering, GapCode, Kind, Record, RecordKind, Scope, Stamp, is_forge_id, record_file,
};

/// What is required of an entity.
struct Required<'s> {
    id: String,
    title: &'s str,
    body: &'s str,
    state: upstream::State,
    created_at: Stamp,
    updated_at: Stamp,
}

/// The metadata, to which the login of the author is still to come.
pub(super) struct Head {
    pub metadata: Entity,
    pub filter: Filtering,
    pub by: By,
}

pub(super) fn render<'s>(state: &'s State, making: &mut Making<'s>) -> Result<Head, Refusal> {
    let required = required(state, making)?;
    let (id, created_at) = (required.id.clone(), required.created_at.clone());
    let key = making.source.record_key(RecordKind::Entity, &id);
    let updated = state.header.updated_at.known().copied();
    let by = making.by(&state.header.author, updated)?;
    if making.named(Scope::Entity, id.clone())?.is_none() {
        return Err(Refusal::Required { member: "entity.id", reason: "the filters found something in it" });
    }
    let mut filter = Filtering::default();
    let title = making.display(upstream::ENTITY, required.title)?;
    title.note_in(&mut filter);
    if title.is_rejected() {
        return Err(Refusal::unsafe_content("the title", &making.filter.display(required.title, None)?.findings));
    }
    let Some(title) = title.text else {
        return Err(Refusal::Required { member: "title", reason: "nothing is left of it" });
    };
    let labels = labels(state, making, &mut filter)?;
    let metadata = Entity {
        kind: making.collection.entity_kind,
        id: id.clone(),
        number: state.number,
        title: title.into_owned(),
        state: required.state,
        author_id: by.id.clone(),
        author: None,
        created_at: created_at.clone(),
        updated_at: required.updated_at,
        labels,
    };
    let path = upstream::record_path(RecordKind::Entity, &created_at, &key);
    let shown = body(making, &path, required.body)?;
    let bytes = shown.text.unwrap_or_default().into_owned().into_bytes();
    let bytes = record_file(RecordKind::Entity, &id, by.id.as_deref(), &created_at, &bytes);
    making.file(&path, FileRole::EntityRecord, bytes, None);
    let record = Record {
        kind: RecordKind::Entity,
        id,
        key,
        created_at,
        updated_at: None,
        author: Some((by.id.clone(), by.login.clone())),
        filter: shown.filter,
        has_log: false,
    };
    making.records.push(record);
    Ok(Head { metadata, filter, by })
}

fn body<'s>(making: &mut Making<'_>, path: &str, text: &'s str) -> Result<Shown<'s>, Refusal> {
    if text.len() as u64 > making.collection.bounds.source_bytes {
        return Err(Refusal::Required { member: "the body", reason: "it is larger than any text that is read" });
    }
    let shown = making.lines(path, text, making.collection.bounds.record_bytes)?;
    if shown.is_rejected() {
        return Err(Refusal::unsafe_content("the body", &making.filter.clean(text, None)?.findings));
    }
    Ok(shown)
}

fn required<'s>(state: &'s State, making: &Making<'_>) -> Result<Required<'s>, Refusal> {
    let header = &state.header;
    use crate::corpus::GapCode as Lacks;
    let lacks = |code| state.gaps.iter().any(|gap| gap.scope == Facet::Header && gap.code == code);
    let reason = if [Lacks::AfterAsOf, Lacks::EarlierVersionMissing, Lacks::AsOfUnknown].into_iter().any(lacks) {
        "no payload tells it as of that time"
    } else {
        "no payload tells it"
    };
    let missing = |member| Refusal::Required { member, reason };
    let id = match making.forge {
        upstream::Forge::GitHub => header.node_id.known().cloned(),
        _ => crate::render::entity::id(state).known().map(u64::to_string),
    };
    let id = id.ok_or_else(|| missing("entity.id"))?;
    if !is_forge_id(making.forge, &id, false) || !making.fits(&id) {
        return Err(Refusal::Required { member: "entity.id", reason: "it is not an id of this forge" });
    }
    let time = |member, field: &Field<Time>| {
        let time = *field.known().ok_or_else(|| missing(member))?;
        Stamp::of(time).ok_or(Refusal::Required { member, reason: "it is before the year 0" })
    };
    Ok(Required {
        id,
        title: header.title.known().ok_or_else(|| missing("title"))?,
        body: match &header.body {
            Field::Known(text) => text,
            Field::Null => "",
            Field::Unknown => return Err(missing("the body")),
        },
        state: open_or_not(state, making).ok_or_else(|| missing("state"))?,
        created_at: time("created_at", &header.created_at)?,
        updated_at: time("updated_at", &header.updated_at)?,
    })
}

fn open_or_not(state: &State, making: &Making<'_>) -> Option<upstream::State> {
    let header = &state.header;
    let merged = header.merged == Field::Known(true) || header.merged_at.known().is_some();
    if merged && making.collection.entity_kind == Kind::ChangeProposal {
        return Some(upstream::State::Merged);
    }
    header.state.known().map(|state| match state {
        OpenState::Open => upstream::State::Open,
        OpenState::Closed => upstream::State::Closed,
    })
}

/// Labels by the bytes of what is shown of them, each once.
fn labels(state: &State, making: &mut Making<'_>, filter: &mut Filtering) -> Result<Vec<String>, Refusal> {
    let Field::Known(all) = &state.header.labels else {
        // The list is required, and nobody told it.
        making.gap(Scope::Entity, GapCode::HistoryUnavailable, 1);
        return Ok(Vec::new());
    };
    let mut shown = Vec::with_capacity(all.len());
    for label in all {
        let label = making.display(upstream::ENTITY, &label.name)?;
        label.note_in(filter);
        shown.extend(label.text.map(std::borrow::Cow::into_owned));
    }
    shown.sort();
    shown.dedup();
    let most = usize::try_from(making.collection.bounds.labels).unwrap_or(usize::MAX);
    if shown.len() > most {
        making.gap(Scope::Entity, GapCode::ProfileBound, shown.len() - most);
        filter.status = filter.status.max(upstream::Status::Truncated);
        shown.truncate(most);
    }
    Ok(shown)
}

/// The facets that belong to each scope; what belongs to none has no place in the layout.
pub(super) fn scope(facet: Facet) -> Option<Scope> {
    Some(match facet {
        Facet::Header | Facet::Labels => Scope::Entity,
        Facet::Comments | Facet::ReviewComments => Scope::Comments,
        Facet::Reviews | Facet::Threads => Scope::Reviews,
        Facet::Checks | Facet::Statuses => Scope::Checks,
        Facet::Logs => Scope::CheckLogs,
        Facet::Members => Scope::Actors,
        Facet::Files | Facet::Commits | Facet::Timeline | Facet::Events | Facet::Reactions | Facet::Diff => {
            return None;
        }
    })
}
