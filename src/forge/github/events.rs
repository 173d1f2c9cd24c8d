//! Entries of a timeline, and reactions.

use crate::format::json::Json;

use crate::forge::facets::{Event, InvalidMetadata, Reaction};

use super::header::author;
use super::read::{actor, number, owned, text, time};

/// What an event says besides who and when: the name of the detail and the pointer to its value.
const DETAILS: [(&str, &str); 19] = [
    ("assignee", "/assignee/login"),
    ("assigner", "/assigner/login"),
    ("column", "/project_card/column_name"),
    ("dismissedReview", "/dismissed_review/review_id"),
    ("dismissedState", "/dismissed_review/state"),
    ("from", "/rename/from"),
    ("label", "/label/name"),
    ("lockReason", "/lock_reason"),
    ("milestone", "/milestone/title"),
    ("previousColumn", "/project_card/previous_column_name"),
    ("requester", "/review_requester/login"),
    ("reviewer", "/requested_reviewer/login"),
    ("source", "/source/issue/html_url"),
    ("sourceType", "/source/type"),
    ("state", "/state"),
    ("stateReason", "/state_reason"),
    ("team", "/requested_team/slug"),
    ("to", "/rename/to"),
    ("url", "/html_url"),
];

pub(super) fn event(value: &Json<'_>) -> Result<Event, InvalidMetadata> {
    let event = text(value, "event").ok_or(InvalidMetadata { member: "event" })?;
    let detail = |(name, at): &(&'static str, &str)| Some((*name, scalar(value.pointer(at)?)?));
    Ok(Event {
        key: key(value, event).ok_or(InvalidMetadata { member: "id" })?,
        event: event.to_owned(),
        // A comment or review in the timeline has its author as `user`; a commit's author is no account.
        actor: value.get("actor").and_then(actor).or_else(|| author(value)),
        created_at: time(value, "created_at").or_else(|| time(value, "submitted_at")),
        commit: owned(value, "commit_id").or_else(|| owned(value, "sha")),
        details: DETAILS.iter().filter_map(detail).collect(),
    })
}

/// What is the same for the same entry in every listing. Comments, reviews and events are numbered separately, so that an id
/// stands alone only for events; a commit has its object id, a cross-reference is known by its source and time.
fn key(value: &Json<'_>, event: &str) -> Option<String> {
    let id = number(value, "id");
    if let Some(id) = id {
        let of_other_numbering = matches!(event, "commented" | "reviewed" | "commit-commented" | "line-commented");
        return Some(if of_other_numbering { format!("{event}:{id}") } else { id.to_string() });
    }
    if let Some(sha) = text(value, "sha") {
        return Some(format!("{event}:{sha}"));
    }
    if let Some(node) = text(value, "node_id") {
        return Some(format!("{event}:{node}"));
    }
    let source = value.pointer("/source/issue/id").and_then(Json::as_u64)?;
    let at = text(value, "created_at")?;
    Some(format!("{event}:{source}:{at}"))
}

fn scalar(value: &Json<'_>) -> Option<String> {
    match value {
        Json::String(text) => Some(text.to_string()),
        number => number.as_u64().map(|n| n.to_string()),
    }
}

/// The reactions that GitHub knows.
const REACTIONS: [&str; 8] = ["+1", "-1", "confused", "eyes", "heart", "hooray", "laugh", "rocket"];

pub(super) fn reaction(value: &Json<'_>) -> Result<Reaction, InvalidMetadata> {
    let content = text(value, "content").filter(|word| REACTIONS.contains(word));
    Ok(Reaction {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        content: content.ok_or(InvalidMetadata { member: "content" })?.to_owned(),
        actor: author(value),
        created_at: time(value, "created_at"),
    })
}
