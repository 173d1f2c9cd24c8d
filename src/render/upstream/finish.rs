//! What only the whole tree can tell: logins, orders, and the manifest.

use std::collections::{BTreeMap, BTreeSet};

use super::entity::Head;
use super::making::{Made, Making, Shown};
use super::{Refusal, Snapshot};
use crate::filter;
use crate::format::digest::Digest;
use crate::format::index::NAME;
use crate::format::upstream::{
    self, AccountKind, Actor, Actors, Document as _, File, FileRole, Filtering, Gap, GapCode, Index, Permission,
    Record, Reviews, Runs, Scope, Subject, ThreadStates, views,
};

/// Logins as they may be shown, by the id of their account.
type Logins = BTreeMap<String, (Option<String>, Shown<'static>)>;

pub(super) fn finish(
    mut making: Making<'_>,
    head: Head,
    (reviews, states): (Reviews, ThreadStates),
    complete: bool,
) -> Result<Snapshot, Refusal> {
    let logins = actors(&mut making)?;
    let subject = metadata(&mut making, &logins, head)?;
    let mut records = std::mem::take(&mut making.records);
    records.sort_by(|a, b| (&a.created_at, a.key).cmp(&(&b.created_at, b.key)));
    let filter = name_authors(&mut records, &mut making, &logins)?;
    let collection = making.collection.to_bytes();
    let collection_profile = Digest::of(&collection);
    making.file(upstream::COLLECTION, FileRole::Collection, collection, None);
    making.file(upstream::RUNS, FileRole::AgentRuns, Runs::default().to_bytes(), Some(Filtering::default()));
    making.file(upstream::REVIEWS, FileRole::Reviews, reviews.to_bytes(), Some(Filtering::default()));
    making.file(upstream::THREADS, FileRole::ThreadState, states.to_bytes(), None);
    for (path, (role, lines)) in views(&records, &reviews, &states) {
        making.file(&path, role, lines, None);
    }
    let gap = |((scope, code), count): (&(Scope, GapCode), &u64)| Gap { scope: *scope, code: *code, count: *count };
    let mut gaps: Vec<_> = making.gaps.iter().map(gap).collect();
    gaps.sort_by_key(|gap| (gap.scope.name(), gap.code.name()));
    let index = Index {
        filter_version: upstream::FILTER_VERSION.to_owned(),
        collection_profile,
        filter,
        source: making.source,
        entity: subject,
        files: making.files.iter().map(|(path, made)| row(path, made)).collect(),
        records,
        gaps: gaps.clone(),
    };
    let mut files: BTreeMap<_, _> = making.files.into_iter().map(|(path, made)| (path, made.bytes)).collect();
    files.insert(NAME.to_owned(), index.to_bytes());
    Ok(Snapshot { files, gaps, findings: making.findings, explained: making.explained, complete })
}

fn row(path: &str, made: &Made) -> File {
    File {
        path: path.to_owned(),
        role: made.role,
        media_type: made.role.media_type().to_owned(),
        bytes: made.bytes.len() as u64,
        sha256: Digest::of(&made.bytes),
        filter: made.filter.clone(),
    }
}

/// Writes the accounts. A bot has no verified role, whatever the forge lets it do.
fn actors(making: &mut Making<'_>) -> Result<Logins, filter::Error> {
    let known: Vec<_> =
        making.accounts.iter().map(|(id, one)| (id.clone(), one.login.to_owned(), one.kind, one.role)).collect();
    let (mut logins, mut rows, mut filter) = (Logins::new(), Vec::with_capacity(known.len()), Filtering::default());
    for (id, login, kind, role) in known {
        let shown = making.display(upstream::ACTORS, &login)?;
        shown.note_in(&mut filter);
        let login = shown.text.as_deref().map(str::to_owned);
        let (role, role_verified) = match kind {
            AccountKind::Bot => (Some(Permission::Bot), false),
            AccountKind::Human => (role, role.is_some()),
        };
        rows.push(Actor { id: id.clone(), kind, login: login.clone(), role, role_verified });
        logins.insert(id, (login, Shown { text: None, filter: shown.filter }));
    }
    making.file(upstream::ACTORS, FileRole::ActorState, Actors(rows).to_bytes(), Some(filter));
    Ok(logins)
}

/// Writes the metadata of the entity, now that its author has a login.
fn metadata(making: &mut Making<'_>, logins: &Logins, head: Head) -> Result<Subject, filter::Error> {
    let Head { mut metadata, mut filter, by } = head;
    metadata.author = match (&by.id, &by.login) {
        (Some(id), _) => logins.get(id).and_then(|(login, shown)| {
            shown.note_in(&mut filter);
            login.clone()
        }),
        (None, Some(login)) => {
            let shown = making.display(upstream::ENTITY, login)?;
            shown.note_in(&mut filter);
            shown.text.map(std::borrow::Cow::into_owned)
        }
        (None, None) => None,
    };
    making.file(upstream::ENTITY, FileRole::EntityMetadata, metadata.to_bytes(), Some(filter));
    Ok(Subject { kind: metadata.kind, id: metadata.id, updated_at: Some(metadata.updated_at) })
}

/// Gives the rows of records the logins of their authors; what filtering did to each login counts once for the manifest.
fn name_authors(records: &mut [Record], making: &mut Making<'_>, logins: &Logins) -> Result<Filtering, filter::Error> {
    let (mut filter, mut seen) = (Filtering::default(), BTreeSet::new());
    let mut nameless: BTreeMap<String, Option<String>> = BTreeMap::new();
    for record in records {
        let Some((id, login)) = &mut record.author else { continue };
        if let Some((known, shown)) = id.as_ref().and_then(|id| logins.get(id)) {
            if seen.insert(id.clone()) {
                shown.note_in(&mut filter);
            }
            login.clone_from(known);
        } else if let Some(raw) = login.take() {
            *login = match nameless.get(&raw) {
                Some(known) => known.clone(),
                None => {
                    let shown = making.display(NAME, &raw)?;
                    shown.note_in(&mut filter);
                    let known = shown.text.map(std::borrow::Cow::into_owned);
                    nameless.insert(raw.clone(), known.clone());
                    known
                }
            };
        }
    }
    Ok(filter)
}
