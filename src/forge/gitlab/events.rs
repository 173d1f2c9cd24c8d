//! Entries of a timeline: system notes and resource events.

use crate::forge::facets::{Event, InvalidMetadata};
use crate::forge::member::{Reader, is_object_id};

use super::header::account;
use super::title;

/// What a system note begins with, and what it tells. GitLab writes them in English, whatever the reader's language.
const NOTES: [(&str, &str); 29] = [
    ("added ", "pushed"),
    ("approved this merge request", "approved"),
    ("assigned to ", "assigned"),
    ("changed milestone to ", "milestoned"),
    ("changed target branch from ", "base_ref_changed"),
    ("changed the description", "description_changed"),
    ("changed title from ", "renamed"),
    ("changed this line in ", "outdated"),
    ("closed", "closed"),
    ("locked ", "locked"),
    ("made the issue confidential", "confidential"),
    ("made the issue visible to everyone", "visible"),
    ("marked as a **Work In Progress**", "convert_to_draft"),
    ("marked this merge request as **draft**", "convert_to_draft"),
    ("marked this merge request as **ready**", "ready_for_review"),
    ("mentioned in commit ", "referenced"),
    ("mentioned in ", "cross-referenced"),
    ("merged", "merged"),
    ("moved from ", "transferred"),
    ("moved to ", "transferred"),
    ("removed milestone", "demilestoned"),
    ("reopened", "reopened"),
    ("requested review from ", "review_requested"),
    ("resolved all ", "resolved"),
    ("unapproved this merge request", "unapproved"),
    ("unassigned ", "unassigned"),
    ("unlocked ", "unlocked"),
    ("unmarked as a **Work In Progress**", "ready_for_review"),
    ("removed review request for ", "review_request_removed"),
];

/// A system note. What the table does not know is a `system-note`; the text of each is kept.
pub(super) fn of_note(part: Reader<'_>) -> Result<Event, InvalidMetadata> {
    let id = part.number("id").ok_or(InvalidMetadata { member: "id" })?;
    let body = part.str("body").unwrap_or_default();
    let commits = |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && text.contains("commit");
    let known = NOTES.iter().find(|(start, _)| body.starts_with(start));
    let word = match known {
        Some(("added ", _)) if !commits(&body["added ".len()..]) => "system-note",
        Some((_, word)) => word,
        None => "system-note",
    };
    let commit = body.strip_prefix("mentioned in commit ").map(str::trim_end).filter(|sha| is_object_id(sha));
    Ok(Event {
        key: format!("note:{id}"),
        node_id: None,
        event: word.to_owned(),
        actor: part.field("author", account),
        created_at: part.time("created_at"),
        commit: commit.map(str::to_owned),
        details: details(word, body),
    })
}

/// The text, and what it says for certain in short values.
fn details(word: &str, body: &str) -> Vec<(&'static str, String)> {
    let mut details = vec![("text", body.to_owned())];
    if let Some((from, to)) = title::change(body).filter(|_| word == "renamed") {
        details.extend([("from", from), ("to", to)]);
    }
    // `mentioned in merge request acme/web!5`.
    let source = body.strip_prefix("mentioned in ").and_then(|named| named.split_ascii_whitespace().last());
    let source = source.filter(|named| word == "cross-referenced" && named.contains(['#', '!']));
    details.extend(source.map(|named| ("source", named.to_owned())));
    details.sort_by_key(|(name, _)| *name);
    details
}

/// A resource event: a state, a label or a milestone that was given or taken. Each kind has ids of its own.
pub(super) fn of_resource(part: Reader<'_>) -> Result<Event, InvalidMetadata> {
    let id = part.number("id").ok_or(InvalidMetadata { member: "id" })?;
    let detail = |name, member| Some((name, part.below(name)?.text(member)?));
    let given = match part.str("action") {
        Some("add") => Some(true),
        Some("remove") => Some(false),
        _ => None,
    };
    let has = |name: &str| part.value().get(name).is_some();
    let (family, word, details) = match given {
        Some(given) if has("label") => ("label", if given { "labeled" } else { "unlabeled" }, detail("label", "name")),
        Some(given) if has("milestone") => {
            let word = if given { "milestoned" } else { "demilestoned" };
            ("milestone", word, detail("milestone", "title"))
        }
        None if has("state") => {
            let word = part.str("state").filter(|word| matches!(*word, "closed" | "merged" | "reopened" | "opened"));
            ("state", word.ok_or(InvalidMetadata { member: "state" })?, None)
        }
        _ => return Err(InvalidMetadata { member: "action" }),
    };
    Ok(Event {
        key: format!("{family}:{id}"),
        node_id: None,
        event: word.to_owned(),
        actor: part.field("user", account),
        created_at: part.time("created_at"),
        commit: part.text("source_commit"),
        details: details.into_iter().collect(),
    })
}
