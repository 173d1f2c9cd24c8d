//! Comments, reviews and comments on the diff.

use crate::format::json::Json;

use crate::forge::facets::{Comment, Id, InvalidMetadata, Minimized, Place, Review, ReviewComment, ReviewState};

use super::read::{actor_field, number, number_field, owned, text, text_field, time};

pub(super) fn comment(value: &Json<'_>) -> Result<Comment, InvalidMetadata> {
    Ok(Comment {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: owned(value, "node_id"),
        url: owned(value, "html_url"),
        author: actor_field(value, "user"),
        association: owned(value, "author_association"),
        body: text_field(value, "body"),
        created_at: time(value, "created_at"),
        updated_at: time(value, "updated_at"),
        minimized: Minimized::default(),
    })
}

pub(super) fn review(value: &Json<'_>) -> Result<Review, InvalidMetadata> {
    Ok(Review {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: owned(value, "node_id"),
        url: owned(value, "html_url"),
        author: actor_field(value, "user"),
        association: owned(value, "author_association"),
        body: text_field(value, "body"),
        state: text(value, "state").and_then(review_state),
        submitted_at: time(value, "submitted_at"),
        commit: owned(value, "commit_id"),
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

pub(super) fn review_comment(value: &Json<'_>) -> Result<ReviewComment, InvalidMetadata> {
    Ok(ReviewComment {
        comment: comment(value)?,
        review: number(value, "pull_request_review_id").map(Id::from),
        reply_to: number(value, "in_reply_to_id").map(Id::from),
        place: Place {
            path: owned(value, "path"),
            side: text(value, "side").and_then(side),
            line: number_field(value, "line"),
            start_line: number_field(value, "start_line"),
            original_line: number(value, "original_line"),
            original_start_line: number(value, "original_start_line"),
            position: number_field(value, "position"),
            diff_hunk: owned(value, "diff_hunk"),
            commit: owned(value, "commit_id"),
            original_commit: owned(value, "original_commit_id"),
            subject: owned(value, "subject_type").filter(|word| matches!(word.as_str(), "line" | "file")),
        },
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
