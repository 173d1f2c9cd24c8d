//! Comments, reviews and threads on the diff.

use std::collections::BTreeSet;

use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::facets::{
    Comment, Field, Id, InvalidMetadata, Item, Minimized, Noted, Place, Resolution, Review, ReviewComment, ReviewState,
    Thread, text_occasion,
};
use crate::forge::member::{number, text, time};

use super::connection::Connection;
use super::items::{item, oid, reaction_counts};
use super::read::{actor_field, body, bool_field, id, node_id, number_field, owned, text_field};

pub(super) const COMMENT: [&str; 2] = ["IC", "IssueComment"];
const REVIEW: [&str; 2] = ["PRR", "PullRequestReview"];
const REVIEW_COMMENT: [&str; 2] = ["PRRC", "PullRequestReviewComment"];

pub(super) fn comment(value: &Json<'_>, kinds: &[&str]) -> Result<Comment, InvalidMetadata> {
    let (author, created_at) = (actor_field(value, "author"), time(value, "createdAt"));
    let named = || text_occasion(&author, created_at);
    Ok(Comment {
        id: id(value, kinds).or_else(named).ok_or(InvalidMetadata { member: "id" })?,
        node_id: node_id(value),
        url: owned(value, "url"),
        author,
        association: owned(value, "authorAssociation"),
        body: body(value),
        created_at,
        updated_at: time(value, "updatedAt"),
        minimized: minimized(value),
        reactions: reaction_counts(value),
        internal: None,
    })
}

fn minimized(value: &Json<'_>) -> Minimized {
    let is = bool_field(value, "isMinimized");
    // `gh` writes an empty reason for none.
    let reason = text_field(value, "minimizedReason");
    let reason = if reason.known().is_some_and(String::is_empty) { Field::Null } else { reason };
    Minimized { is, reason }
}

/// What names a review.
fn review_id(value: &Json<'_>) -> Option<Id> {
    id(value, &REVIEW).or_else(|| text_occasion(&actor_field(value, "author"), time(value, "submittedAt")))
}

pub(super) fn review(value: &Json<'_>) -> Result<Review, InvalidMetadata> {
    let (author, submitted_at) = (actor_field(value, "author"), time(value, "submittedAt"));
    let state = match text(value, "state") {
        Some("APPROVED") => Some(ReviewState::Approved),
        Some("CHANGES_REQUESTED") => Some(ReviewState::ChangesRequested),
        Some("COMMENTED") => Some(ReviewState::Commented),
        Some("DISMISSED") => Some(ReviewState::Dismissed),
        Some("PENDING") => Some(ReviewState::Pending),
        _ => None,
    };
    Ok(Review {
        id: review_id(value).ok_or(InvalidMetadata { member: "id" })?,
        node_id: node_id(value),
        url: owned(value, "url"),
        author,
        association: owned(value, "authorAssociation"),
        body: body(value),
        state,
        submitted_at,
        commit: oid(value, "commit"),
        minimized: minimized(value),
    })
}

pub(super) fn review_comment(value: &Json<'_>) -> Result<ReviewComment, InvalidMetadata> {
    let of = |name, kinds: &[&str]| value.get(name).and_then(|node| id(node, kinds));
    Ok(ReviewComment {
        comment: comment(value, &REVIEW_COMMENT)?,
        review: of("pullRequestReview", &REVIEW),
        reply_to: of("replyTo", &REVIEW_COMMENT),
        thread: None,
        resolved: None,
        resolution: Resolution::default(),
        place: Place {
            position: line(value, "position"),
            original_line: number(value, "originalLine"),
            original_start_line: number(value, "originalStartLine"),
            diff_hunk: owned(value, "diffHunk"),
            commit: oid(value, "commit"),
            original_commit: oid(value, "originalCommit"),
            ..place(value)
        },
    })
}

/// What a thread and its comments write alike.
fn place(value: &Json<'_>) -> Place {
    let side = match text(value, "diffSide") {
        Some("LEFT") => Some("left"),
        Some("RIGHT") => Some("right"),
        _ => None,
    };
    let subject = match text(value, "subjectType") {
        Some("LINE") => Some("line"),
        Some("FILE") => Some("file"),
        _ => None,
    };
    Place {
        path: owned(value, "path"),
        side: side.map(str::to_owned),
        line: line(value, "line"),
        start_line: line(value, "startLine"),
        subject: subject.map(str::to_owned),
        ..Place::default()
    }
}

/// A line or position. A comment on a whole file has none, and is not outdated for that: of a subject that cannot be read no null tells it.
fn line(value: &Json<'_>, name: &str) -> Field<u64> {
    match (number_field(value, name), text(value, "subjectType")) {
        (Field::Null, Some(word)) if !matches!(word, "LINE" | "FILE") => Field::Unknown,
        (line, _) => line,
    }
}

pub(super) fn thread(value: &Json<'_>) -> Result<Thread, InvalidMetadata> {
    let list = value.get("comments").and_then(|list| Connection::read("", list, false));
    let comments: Vec<&Json<'_>> = list.into_iter().flat_map(|list| list.items).map(|(_, comment)| comment).collect();
    let of = |comment: &&Json<'_>| id(comment, &REVIEW_COMMENT);
    let later = value.pointer("/comments/pageInfo/hasPreviousPage").and_then(Json::as_bool) == Some(true);
    let answered = comments.first().and_then(|first| first.get("replyTo")).and_then(|root| id(root, &REVIEW_COMMENT));
    let first = comments.first().and_then(of).filter(|_| !later);
    Ok(Thread {
        id: id(value, &["PRRT"]).ok_or(InvalidMetadata { member: "id" })?,
        node_id: node_id(value),
        comments: comments.iter().filter_map(of).collect::<BTreeSet<_>>(),
        root: answered.or(first),
        resolved: bool_field(value, "isResolved"),
        resolved_by: actor_field(value, "resolvedBy"),
        outdated: bool_field(value, "isOutdated"),
        place: Place {
            original_line: number(value, "originalLine"),
            original_start_line: number(value, "originalStartLine"),
            ..place(value)
        },
    })
}

/// Reads a comment of a review, whose author and review are those of the review.
pub(super) fn in_review(comment: &Json<'_>, of: &Json<'_>) -> Result<Noted<Item>, InvalidMetadata> {
    let Json::Object(mut told) = comment.clone() else { return Err(InvalidMetadata { member: "id" }) };
    for name in ["author", "authorAssociation"] {
        if let (None, Some(known)) = (told.get(name), of.get(name)) {
            told.set(name, known.clone());
        }
    }
    let mut noted = item(Facet::ReviewComments, &Json::Object(told))?;
    if let Item::ReviewComment(comment) = &mut noted.value {
        comment.review = comment.review.take().or_else(|| review_id(of));
    }
    Ok(noted)
}

/// Whether a comment in a review tells all that the review knows of it.
pub(super) fn stands_alone(comment: &Json<'_>) -> bool {
    let told = ["author", "pullRequestReview"].iter().all(|name| comment.get(name).is_some());
    told && id(comment, &REVIEW_COMMENT).is_some()
}
