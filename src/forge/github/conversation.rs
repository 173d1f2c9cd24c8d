//! Comments, reviews and comments on the diff.

use std::collections::BTreeMap;

use crate::forge::facets::{
    Comment, Field, Id, InvalidMetadata, Minimized, Place, Resolution, Review, ReviewComment, ReviewState, Thread,
};
use crate::forge::graphql::thread_id;
use crate::format::json::Json;

use super::events::REACTIONS;
use crate::forge::member::{Reader, number};

pub(super) fn comment(part: Reader<'_>) -> Result<Comment, InvalidMetadata> {
    Ok(Comment {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: part.text("node_id"),
        url: part.text("html_url"),
        author: part.actor("user"),
        association: part.text("author_association"),
        body: part.text_field("body"),
        created_at: part.time("created_at"),
        updated_at: part.time("updated_at"),
        minimized: Minimized::default(),
        reactions: part.below("reactions").and_then(reaction_counts),
        internal: None,
    })
}

/// The counts beside a comment; unknown when none is told. Older servers know fewer contents.
pub(super) fn reaction_counts(part: Reader<'_>) -> Option<BTreeMap<String, u64>> {
    let told = |content: &'static str| Some((content.to_owned(), part.number(content)?));
    let counts: BTreeMap<_, _> = REACTIONS.into_iter().filter_map(told).collect();
    (!counts.is_empty()).then(|| counts.into_iter().filter(|(_, count)| *count > 0).collect())
}

pub(super) fn review(part: Reader<'_>) -> Result<Review, InvalidMetadata> {
    let state = part.word("state", review_state);
    if state.is_none() {
        part.note("state");
    }
    Ok(Review {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: part.text("node_id"),
        url: part.text("html_url"),
        author: part.actor("user"),
        association: part.text("author_association"),
        body: part.text_field("body"),
        state,
        submitted_at: part.time("submitted_at"),
        commit: part.text("commit_id"),
        minimized: Minimized::default(),
    })
}

/// REST writes the states in upper case, webhooks and timelines in lower case.
fn review_state(word: &str) -> Option<ReviewState> {
    Some(match word {
        "APPROVED" | "approved" => ReviewState::Approved,
        "CHANGES_REQUESTED" | "changes_requested" => ReviewState::ChangesRequested,
        "COMMENTED" | "commented" => ReviewState::Commented,
        "DISMISSED" | "dismissed" => ReviewState::Dismissed,
        "PENDING" | "pending" => ReviewState::Pending,
        _ => return None,
    })
}

pub(super) fn review_comment(part: Reader<'_>) -> Result<ReviewComment, InvalidMetadata> {
    let subject = part.field("subject_type", |word| {
        word.value().as_str().filter(|word| matches!(*word, "line" | "file")).map(str::to_owned)
    });
    // A comment on a whole file has no line, and is not outdated for that: of a subject that cannot be read no null tells it.
    let is_odd = part.value().get("subject_type").is_some() && subject == Field::Unknown;
    let line = |name| match part.number_field(name) {
        Field::Null if is_odd => Field::Unknown,
        line => line,
    };
    Ok(ReviewComment {
        comment: comment(part)?,
        review: part.number("pull_request_review_id").map(Id::from),
        reply_to: part.number("in_reply_to_id").map(Id::from),
        thread: None,
        resolved: None,
        resolution: Resolution::default(),
        place: Place {
            path: part.text("path"),
            side: part.word("side", side),
            line: line("line"),
            start_line: line("start_line"),
            original_line: part.number("original_line"),
            original_start_line: part.number("original_start_line"),
            position: line("position"),
            diff_hunk: part.text("diff_hunk"),
            commit: part.text("commit_id"),
            original_commit: part.text("original_commit_id"),
            subject: subject.into_known(),
        },
    })
}

/// A thread as the delivery shows it that says that it was resolved or reopened. Only its comments say where it stands.
pub(super) fn thread(part: Reader<'_>) -> Result<Thread, InvalidMetadata> {
    let resolved = match part.value().get("action").and_then(Json::as_str) {
        Some("resolved") => true,
        Some("unresolved") => false,
        _ => return Err(InvalidMetadata { member: "action" }),
    };
    let node_id = part.below("thread").and_then(|thread| thread.text("node_id"));
    let comments = part.value().pointer("/thread/comments").and_then(Json::as_array).unwrap_or_default();
    let of = |comment: &Json<'_>, name: &str| number(comment, name).map(Id::from);
    let root = |first: &Json<'_>| of(first, "in_reply_to_id").or_else(|| of(first, "id"));
    Ok(Thread {
        id: node_id.as_deref().and_then(thread_id).ok_or(InvalidMetadata { member: "thread.node_id" })?,
        node_id,
        comments: comments.iter().filter_map(|comment| of(comment, "id")).collect(),
        root: comments.first().and_then(root),
        resolved: Field::Known(resolved),
        resolved_by: if resolved { part.actor("sender") } else { Field::Null },
        outdated: Field::Unknown,
        place: Place::default(),
    })
}

fn side(word: &str) -> Option<String> {
    let side = match word {
        "LEFT" => "left",
        "RIGHT" => "right",
        _ => return None,
    };
    Some(side.to_owned())
}
