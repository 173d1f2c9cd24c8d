//! Entries of a timeline.

use crate::format::json::Json;

use crate::forge::facets::{Event, InvalidMetadata};
use crate::forge::member::{text, time};

use super::header::lock_word;
use super::node_id::parts;
use super::read::{actor, actor_field, database_id, node_id};

/// What an event says besides who and when: the name of the detail and the pointer to its value.
const DETAILS: [(&str, &str); 11] = [
    ("assignee", "/assignee"),
    ("from", "/previousTitle"),
    ("label", "/label/name"),
    ("lockReason", "/lockReason"),
    ("milestone", "/milestoneTitle"),
    ("reviewer", "/requestedReviewer"),
    ("source", "/source/url"),
    ("state", "/state"),
    ("stateReason", "/stateReason"),
    ("to", "/currentTitle"),
    ("url", "/url"),
];

/// Which entries are numbered apart from events, with the word of REST and their types in node ids.
const OTHERS: [(&str, &str, &[&str]); 5] = [
    ("IssueComment", "commented", &["IC", "IssueComment"]),
    ("PullRequestCommit", "committed", &["PURC", "PullRequestCommit"]),
    ("PullRequestCommitCommentThread", "commit-commented", &["PullRequestCommitCommentThread"]),
    ("PullRequestReview", "reviewed", &["PRR", "PullRequestReview"]),
    ("PullRequestReviewThread", "line-commented", &["PRRT", "PullRequestReviewThread"]),
];

/// Types of event that REST calls otherwise than by their name.
const WORDS: [(&str, &str); 2] = [("CrossReferencedEvent", "cross-referenced"), ("RenamedTitleEvent", "renamed")];

/// Reads an entry of `timelineItems`; its type names it.
pub(super) fn event(value: &Json<'_>) -> Result<Event, InvalidMetadata> {
    let name = text(value, "__typename").ok_or(InvalidMetadata { member: "__typename" })?;
    let other = OTHERS.iter().find(|(other, ..)| *other == name);
    let event = other.map_or_else(|| word(name), |(_, word, _)| (*word).to_owned());
    let commit = ["/commit/oid", "/afterCommit/oid"].iter().find_map(|at| value.pointer(at)).and_then(Json::as_str);
    let key = match other {
        Some(_) if event == "committed" => commit.map(|sha| format!("{event}:{sha}")),
        Some((.., kinds)) => database_id(value, kinds).map(|id| format!("{event}:{id}")),
        None => number(value).map(|id| id.to_string()),
    };
    let key = key.or_else(|| text(value, "id").filter(|id| !id.is_empty()).map(|id| format!("{event}:{id}")));
    let details = details(value, &event);
    // A review is made when it is begun, and told when it is submitted.
    let at = if event == "reviewed" { ["submittedAt", "createdAt"] } else { ["createdAt", "submittedAt"] };
    Ok(Event {
        key: key.ok_or(InvalidMetadata { member: "id" })?,
        // What REST tells of an entry for a commit is the id of the commit.
        node_id: if event == "committed" { value.get("commit").and_then(node_id) } else { node_id(value) },
        actor: if value.get("actor").is_some() { actor_field(value, "actor") } else { actor_field(value, "author") },
        created_at: at.into_iter().find_map(|name| time(value, name)),
        commit: commit.map(str::to_owned),
        event,
        details,
    })
}

/// The database id of an event: each type of event has a type of node, but they are numbered together.
fn number(value: &Json<'_>) -> Option<u64> {
    let of_event = || {
        let parts = parts(text(value, "id")?)?;
        (parts.numbers == 4 || parts.kind.ends_with("Event")).then_some(parts.id)
    };
    database_id(value, &[]).or_else(of_event)
}

/// The word of REST for a type of event: `HeadRefForcePushedEvent` is `head_ref_force_pushed`.
fn word(name: &str) -> String {
    if let Some((_, word)) = WORDS.iter().find(|(own, _)| *own == name) {
        return (*word).to_owned();
    }
    let stem = name.strip_suffix("Event").unwrap_or(name);
    let mut out = String::with_capacity(stem.len() + 4);
    for (at, c) in stem.char_indices() {
        if at > 0 && c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn details(value: &Json<'_>, event: &str) -> Vec<(&'static str, String)> {
    let mut details: Vec<_> =
        DETAILS.iter().filter_map(|(name, at)| Some((*name, detail(value, event, at)?))).collect();
    if let Some(team) = value.pointer("/requestedReviewer/slug").and_then(Json::as_str) {
        details.push(("team", team.to_owned()));
    }
    let review = value.get("review").and_then(|review| database_id(review, &["PRR", "PullRequestReview"]));
    details.extend(review.map(|id| ("dismissedReview", id.to_string())));
    details.sort_by_key(|(name, _)| *name);
    details
}

fn detail(value: &Json<'_>, event: &str, at: &str) -> Option<String> {
    // The address of a commit in a pull request is another one here.
    let at = if (event, at) == ("committed", "/url") { "/commit/url" } else { at };
    let found = value.pointer(at)?;
    if let Some(account) = found.as_object().and_then(|_| actor(found)) {
        return Some(account.login);
    }
    let text = found.as_str()?;
    // Words are upper case here and lower case in REST; names and addresses stay as they are.
    Some(match at {
        "/lockReason" => lock_word(text).map_or_else(|| text.to_ascii_lowercase(), str::to_owned),
        "/state" | "/stateReason" => text.to_ascii_lowercase(),
        _ => text.to_owned(),
    })
}
