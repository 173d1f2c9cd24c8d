//! What a delivery set off: whom it is about, its moment, its head, and the item that it tells of.

use std::collections::{BTreeMap, BTreeSet};

use crate::format::entity::{Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;
use crate::format::time::Time;

use super::facets::Header;
use super::member::is_object_id;
use super::recognise::{Hints, Look, Part, Reason, SubjectHint, recognise};
use super::{gitea, github, gitlab};

/// A delivery that is about at least one issue or pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The event: `issue_comment`.
    pub event: &'static str,
    /// What happened: `created`, a word of the forge.
    pub action: Option<String>,
    /// Whom it is about; several for a check of a commit that is the head of several pull requests.
    pub subjects: Vec<(Subject, Option<Kind>)>,
    /// The issue or pull request as the delivery shows it.
    pub header: Option<Header>,
    /// The item that it tells of: its facet and id. None where that is the issue or pull request itself.
    pub item: Option<(Facet, u64)>,
    /// Its moment: the newest time of the forge in what it tells of.
    pub at: Option<Time>,
    /// The commit that it is about, or the head of the pull request.
    pub head: Option<String>,
}

/// Reads a delivery. `entity` chooses where it is about several.
///
/// # Errors
/// Why it is about no issue or pull request.
pub fn delivery(view: &Json<'_>, entity: Option<(&Subject, Option<Kind>)>) -> Result<Delivery, Reason> {
    let event = event_of(view).ok_or(Reason::EventNoEntity)?;
    let found = recognise(view, &Hints { event: Some(event), entity, ..Hints::default() });
    let own: Vec<&Look> = found.looks.iter().filter(|look| is_own(look)).collect();
    let mut subjects: BTreeMap<String, (Subject, Option<Kind>)> = BTreeMap::new();
    for look in &own {
        let Some(subject) = look.subject.known() else { continue };
        let dir = subject.dir();
        if entity.is_none_or(|(chosen, _)| chosen.dir() == dir) {
            let (_, kind) = subjects.entry(dir).or_insert_with(|| (subject.clone(), None));
            *kind = kind.or(look.kind);
        }
    }
    if subjects.is_empty() {
        // What happens to a commit may be about the pull request whose head it is.
        let at_head = found.looks.iter().any(|look| matches!(look.subject, SubjectHint::AtHead { .. }));
        let reason = if at_head { Reason::EntityAmbiguous } else { Reason::EventNoEntity };
        return Err(found.left.first().map_or(reason, |left| left.reason));
    }
    let told = gitlab::told_of_delivery(view);
    let told = told.unwrap_or_else(|| gitlab::Told {
        action: view.get("action").and_then(Json::as_str),
        at: MOMENTS.iter().filter_map(|at| time(view.pointer(at)?)).max(),
        head: HEADS.iter().find_map(|at| view.pointer(at)?.as_str()).filter(|sha| is_object_id(sha)),
        id: None,
    });
    Ok(Delivery {
        event,
        action: told.action.filter(|word| is_word(word)).map(str::to_owned),
        header: own.iter().find_map(|look| header(view, look)),
        item: own.iter().find_map(|look| item(view, look, told.id)),
        at: told.at,
        head: told.head.map(str::to_owned),
        subjects: subjects.into_values().collect(),
    })
}

/// The repositories that a delivery tells of.
pub fn repositories(view: &Json<'_>) -> BTreeSet<Repository> {
    recognise(view, &Hints { event: event_of(view), ..Hints::default() }).repositories().cloned().collect()
}

/// The event that the shape of a delivery tells.
fn event_of(view: &Json<'_>) -> Option<&'static str> {
    if gitlab::is_delivery(view) {
        return gitlab::event_of_delivery(view);
    }
    if gitea::is_own(view) { gitea::event_of_delivery(view) } else { github::event_of_delivery(view) }
}

/// True for what is about the entity of the event: not the other end of a transfer, nor the repository.
fn is_own(look: &Look) -> bool {
    let pointer = match &look.part {
        Part::Record { pointer, .. } => pointer.as_str(),
        Part::Set { items } => items.first().map_or("", String::as_str),
    };
    !pointer.starts_with("/changes/") && look.subject.known().is_some_and(|subject| subject.number().is_some())
}

/// The times of the forge in what an event is about. Times of check runs are claims of whoever reports them.
const MOMENTS: [&str; 14] = [
    "/check_run/check_suite/updated_at",
    "/check_suite/updated_at",
    "/comment/created_at",
    "/comment/updated_at",
    "/issue/created_at",
    "/issue/updated_at",
    "/pull_request/created_at",
    "/pull_request/updated_at",
    "/review/submitted_at",
    "/updated_at",
    "/workflow_job/created_at",
    "/workflow_run/created_at",
    "/workflow_run/run_started_at",
    "/workflow_run/updated_at",
];

/// Where a delivery names the commit that it is about.
const HEADS: [&str; 6] = [
    "/check_run/head_sha",
    "/check_suite/head_sha",
    "/workflow_job/head_sha",
    "/workflow_run/head_sha",
    "/pull_request/head/sha",
    "/sha",
];

fn time(value: &Json<'_>) -> Option<Time> {
    value.as_str().and_then(|text| text.parse().ok())
}

fn header(view: &Json<'_>, look: &Look) -> Option<Header> {
    match &look.part {
        // What a check says of a pull request has no title.
        Part::Record { pointer, .. } if matches!(pointer.as_str(), "" | "/issue" | "/pull_request") => {
            look.dialect.header(view.pointer(pointer)?).ok().map(|noted| noted.value)
        }
        _ => None,
    }
}

fn item(view: &Json<'_>, look: &Look, told: Option<u64>) -> Option<(Facet, u64)> {
    let item = look.items().first()?;
    Some((look.facet, told.or_else(|| view.pointer(item)?.get("id")?.as_u64())?))
}

/// A word of the forge, which is shown as it is.
fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}
