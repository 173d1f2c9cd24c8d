//! Comments and reviews: which are kept, and the file of each.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Refusal;
use super::accounts::By;
use super::making::Making;
use crate::corpus::State;
use crate::filter;
use crate::forge::facets::{Actor, Comment, Event, Field, Id, Review, ReviewState};
use crate::format::digest::Digest;
use crate::format::facet::Facet;
use crate::format::time::Time;
use crate::format::upstream::{
    self, FileRole, Forge, GapCode, Record, RecordKind, Scope, Selection, SourceKind, Stamp, record_file, record_path,
};

/// What became of the items of the forge.
#[derive(Default)]
pub(super) struct Kept<'s> {
    /// The records of comments that are shown, by the id of the comment in the facts.
    pub comments: BTreeMap<&'s Id, Digest>,
    /// The reviews that have a record, with their row.
    pub reviews: Vec<(&'s Review, upstream::Review)>,
    /// Id and key of those, by their id in the facts.
    pub review_keys: HashMap<&'s Id, (String, Digest)>,
    /// The canonical ids of all reviews that tell one.
    pub review_nodes: HashMap<&'s Id, String>,
}

/// An item that may become a record.
struct Candidate<'s> {
    kind: RecordKind,
    id: String,
    key: Digest,
    created_at: Stamp,
    updated_at: Option<Stamp>,
    author: &'s Field<Actor>,
    at: Option<Time>,
    body: &'s str,
    of: Of<'s>,
}

#[derive(Clone, Copy)]
enum Of<'s> {
    Comment(&'s Comment),
    Review(&'s Review),
}

pub(super) fn render<'s>(state: &'s State, making: &mut Making<'s>) -> Result<Kept<'s>, Refusal> {
    let mut kept = Kept::default();
    if making.includes(SourceKind::Comments) {
        let on_diff = state.review_comments.iter().map(|comment| (Facet::ReviewComments, &comment.comment));
        let all = state.comments.iter().map(|comment| (Facet::Comments, comment)).chain(on_diff);
        // What is withheld is counted by the state, and has no record.
        let all = all.filter(|(facet, comment)| state.withheld.of(*facet, &comment.id.to_string()).is_none());
        let mut found = Vec::new();
        for (facet, comment) in all {
            found.extend(of_comment(state, facet, comment, making)?);
        }
        emit(Scope::Comments, found, making, &mut kept)?;
    }
    if making.includes(SourceKind::Reviews) {
        let mut found = Vec::new();
        let shown = |review: &&Review| state.withheld.of(Facet::Reviews, &review.id.to_string()).is_none();
        for review in state.reviews.iter().filter(shown) {
            found.extend(of_review(state, review, making)?);
        }
        emit(Scope::Reviews, found, making, &mut kept)?;
        let dismissals = dismissals(state);
        for (review, row) in &mut kept.reviews {
            relate(dismissals.get(&review.id.to_string()).copied(), review, row, making)?;
            kept.review_keys.insert(&review.id, (row.id.clone(), row.key));
        }
        let told = state.reviews.iter().filter_map(|review| Some((&review.id, review.node_id.clone()?)));
        kept.review_nodes = told.collect();
    }
    Ok(kept)
}

fn of_comment<'s>(
    state: &State,
    facet: Facet,
    comment: &'s Comment,
    making: &mut Making<'_>,
) -> Result<Option<Candidate<'s>>, filter::Error> {
    let Some(id) = making.id(Scope::Comments, forge_id(making.forge, &comment.id, &comment.node_id), false)? else {
        return Ok(None);
    };
    let (Some(created_at), Some(body)) = (comment.created_at.and_then(Stamp::of), body(&comment.body)) else {
        making.lacking(state, Scope::Comments, facet, comment.id.to_string());
        return Ok(None);
    };
    Ok(Some(Candidate {
        kind: RecordKind::Comment,
        key: making.source.record_key(RecordKind::Comment, &id),
        id,
        created_at,
        updated_at: comment.updated_at.and_then(Stamp::of),
        author: &comment.author,
        at: comment.updated_at.or(comment.created_at),
        body,
        of: Of::Comment(comment),
    }))
}

/// A pending review is nobody's business yet, and no gap.
fn of_review<'s>(
    state: &State,
    review: &'s Review,
    making: &mut Making<'_>,
) -> Result<Option<Candidate<'s>>, filter::Error> {
    if review.state == Some(ReviewState::Pending) {
        return Ok(None);
    }
    let Some(id) = making.id(Scope::Reviews, forge_id(making.forge, &review.id, &review.node_id), false)? else {
        return Ok(None);
    };
    let submitted_at = review.submitted_at.and_then(Stamp::of);
    let (Some(created_at), Some(body), Some(_)) = (submitted_at, body(&review.body), review.state) else {
        making.lacking(state, Scope::Reviews, Facet::Reviews, review.id.to_string());
        return Ok(None);
    };
    Ok(Some(Candidate {
        kind: RecordKind::Review,
        key: making.source.record_key(RecordKind::Review, &id),
        id,
        created_at,
        updated_at: None,
        author: &review.author,
        at: review.submitted_at,
        body,
        of: Of::Review(review),
    }))
}

/// The canonical id of an item: the node id on GitHub, elsewhere the number.
pub(super) fn forge_id(forge: Forge, id: &Id, node_id: &Option<String>) -> Option<String> {
    match forge {
        Forge::GitHub => node_id.clone(),
        Forge::GitLab | Forge::Forgejo => id.number().map(|number| number.to_string()),
    }
}

/// A body that is null is empty; one that nobody told is not known.
fn body(body: &Field<String>) -> Option<&str> {
    match body {
        Field::Known(text) => Some(text),
        Field::Null => Some(""),
        Field::Unknown => None,
    }
}

/// Puts what was found in canonical order, keeps what the bound leaves, and writes it.
fn emit<'s>(
    scope: Scope,
    mut found: Vec<Candidate<'s>>,
    making: &mut Making<'s>,
    kept: &mut Kept<'s>,
) -> Result<(), Refusal> {
    found.sort_by(|a, b| (&a.created_at, a.key).cmp(&(&b.created_at, b.key)));
    // An id that stands twice names nothing: the first one stays.
    let (mut seen, all) = (BTreeSet::new(), found.len());
    found.retain(|one| seen.insert(one.key));
    making.gap(scope, GapCode::InvalidMetadata, all - found.len());
    let dropped = bound(&mut found, making);
    making.gap(scope, GapCode::ProfileBound, dropped);
    for one in found {
        write(scope, one, making, kept)?;
    }
    Ok(())
}

/// Leaves the end of a list that the collection selects; returns how many items are gone.
pub(super) fn bound<T>(found: &mut Vec<T>, making: &Making<'_>) -> usize {
    let most = usize::try_from(making.collection.bounds.records_per_source).unwrap_or(usize::MAX);
    let dropped = found.len().saturating_sub(most);
    match making.collection.record_selection {
        Selection::Oldest => found.truncate(most),
        Selection::Newest => drop(found.drain(..dropped)),
    }
    dropped
}

fn write<'s>(scope: Scope, one: Candidate<'s>, making: &mut Making<'s>, kept: &mut Kept<'s>) -> Result<(), Refusal> {
    if one.body.len() as u64 > making.collection.bounds.source_bytes {
        making.gap(scope, GapCode::SourceTooLarge, 1);
        return Ok(());
    }
    let path = record_path(one.kind, &one.created_at, &one.key);
    let shown = making.lines(&path, one.body, making.collection.bounds.record_bytes)?;
    let By { id: author_id, login } = making.by(one.author, one.at)?;
    match &shown.text {
        Some(text) => {
            let bytes = record_file(one.kind, &one.id, author_id.as_deref(), &one.created_at, text.as_bytes());
            let role = if one.kind == RecordKind::Review { FileRole::ReviewRecord } else { FileRole::CommentRecord };
            making.file(&path, role, bytes, None);
        }
        None => making.gap(scope, GapCode::UnsafeContent, 1),
    }
    match one.of {
        Of::Comment(comment) if shown.text.is_some() => drop(kept.comments.insert(&comment.id, one.key)),
        Of::Comment(_) => {}
        Of::Review(review) => kept.reviews.push((review, row(review, &one))),
    }
    making.records.push(Record {
        kind: one.kind,
        id: one.id,
        key: one.key,
        created_at: one.created_at,
        updated_at: one.updated_at,
        author: Some((author_id, login)),
        filter: shown.filter,
        has_log: false,
    });
    Ok(())
}

fn row(review: &Review, one: &Candidate<'_>) -> upstream::Review {
    upstream::Review {
        id: one.id.clone(),
        key: one.key,
        state: match review.state {
            Some(ReviewState::Approved) => upstream::Disposition::Approved,
            Some(ReviewState::ChangesRequested) => upstream::Disposition::ChangesRequested,
            Some(ReviewState::Dismissed) => upstream::Disposition::Dismissed,
            // A pending one and one with another word have no row.
            Some(ReviewState::Commented | ReviewState::Pending) | None => upstream::Disposition::Commented,
        },
        submitted_at: one.created_at.clone(),
        reviewed_sha: None,
        dismissed: None,
    }
}

/// The last event of the timeline that dismissed each review, by the id of the review.
fn dismissals(state: &State) -> HashMap<String, &Event> {
    let of =
        |event: &Event| event.details.iter().find(|(name, _)| *name == "dismissedReview").map(|(_, id)| id.clone());
    state.timeline.iter().filter_map(|event| Some((of(event)?, event))).collect()
}

/// What else is known of a review: the commit, and who dismissed it when.
fn relate<'s>(
    event: Option<&'s Event>,
    review: &Review,
    row: &mut upstream::Review,
    making: &mut Making<'s>,
) -> Result<(), Refusal> {
    row.reviewed_sha = making.oid(Scope::Reviews, review.commit.as_deref());
    if row.state != upstream::Disposition::Dismissed {
        return Ok(());
    }
    row.dismissed = Some(match event {
        Some(event) => {
            let told = event.actor != Field::Unknown;
            let by = if told { making.by(&event.actor, event.created_at)? } else { By::default() };
            (event.created_at.and_then(Stamp::of), by.id)
        }
        None => (None, None),
    });
    Ok(())
}
