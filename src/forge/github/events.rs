//! Entries of a timeline, and reactions.

use crate::forge::facets::{Actor, Event, Field, InvalidMetadata, Reaction};

use crate::forge::member::{Reader, text};

/// What an event says besides who and when: the name of the detail and the way to its value.
const DETAILS: [(&str, &[&str]); 19] = [
    ("assignee", &["assignee", "login"]),
    ("assigner", &["assigner", "login"]),
    ("column", &["project_card", "column_name"]),
    ("dismissedReview", &["dismissed_review", "review_id"]),
    ("dismissedState", &["dismissed_review", "state"]),
    ("from", &["rename", "from"]),
    ("label", &["label", "name"]),
    ("lockReason", &["lock_reason"]),
    ("milestone", &["milestone", "title"]),
    ("previousColumn", &["project_card", "previous_column_name"]),
    ("requester", &["review_requester", "login"]),
    ("reviewer", &["requested_reviewer", "login"]),
    ("source", &["source", "issue", "html_url"]),
    ("sourceType", &["source", "type"]),
    ("state", &["state"]),
    ("stateReason", &["state_reason"]),
    ("team", &["requested_team", "slug"]),
    ("to", &["rename", "to"]),
    ("url", &["html_url"]),
];

pub(super) fn event(part: Reader<'_>) -> Result<Event, InvalidMetadata> {
    let value = part.value();
    let event = text(value, "event").ok_or(InvalidMetadata { member: "event" })?;
    Ok(Event {
        key: key(part, event).ok_or(InvalidMetadata { member: "id" })?,
        node_id: part.text("node_id"),
        event: event.to_owned(),
        actor: actor(part),
        created_at: part.time("created_at").or_else(|| part.time("submitted_at")),
        commit: part.text("commit_id").or_else(|| part.text("sha")),
        details: DETAILS.iter().filter_map(|(name, at)| Some((*name, detail(part, at)?))).collect(),
    })
}

/// A comment or review in the timeline has its author as `user`; a commit's author is no account.
fn actor(part: Reader<'_>) -> Field<Actor> {
    match part.actor("actor") {
        Field::Known(actor) => Field::Known(actor),
        none => match part.actor("user") {
            Field::Unknown => none,
            user => user,
        },
    }
}

/// A short value some members down.
fn detail(part: Reader<'_>, path: &[&'static str]) -> Option<String> {
    match path {
        [] => None,
        [id @ "review_id"] => part.number(id).map(|id| id.to_string()),
        [name] => part.text(name),
        [name, rest @ ..] => detail(part.below(name)?, rest),
    }
}

/// What is the same for the same entry in every listing. Comments, reviews and events are numbered separately, so that an id
/// stands alone only for events; a commit has its object id, a cross-reference is known by its source and time.
fn key(part: Reader<'_>, event: &str) -> Option<String> {
    if let Some(id) = part.number("id") {
        let of_other_numbering = matches!(event, "commented" | "reviewed" | "commit-commented" | "line-commented");
        return Some(if of_other_numbering { format!("{event}:{id}") } else { id.to_string() });
    }
    if let Some(sha) = part.text("sha") {
        return Some(format!("{event}:{sha}"));
    }
    if let Some(node) = part.text("node_id") {
        return Some(format!("{event}:{node}"));
    }
    let source = part.below("source")?.below("issue")?.number("id")?;
    let at = part.text("created_at")?;
    Some(format!("{event}:{source}:{at}"))
}

/// The reactions that GitHub knows.
pub(super) const REACTIONS: [&str; 8] = ["+1", "-1", "confused", "eyes", "heart", "hooray", "laugh", "rocket"];

pub(super) fn reaction(part: Reader<'_>) -> Result<Reaction, InvalidMetadata> {
    let content = part.word("content", |word| REACTIONS.contains(&word).then(|| word.to_owned()));
    Ok(Reaction {
        id: Some(part.number("id").ok_or(InvalidMetadata { member: "id" })?),
        node_id: part.text("node_id"),
        content: content.ok_or(InvalidMetadata { member: "content" })?,
        actor: part.actor("user"),
        created_at: part.time("created_at"),
    })
}
