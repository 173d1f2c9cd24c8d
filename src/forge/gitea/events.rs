//! Entries of a timeline.

use crate::format::json::{self, Json};

use crate::forge::facets::{Event, InvalidMetadata};
use crate::forge::member::Reader;

use super::normal::account_field;

/// Words that mean what GitHub calls by another; what is not here keeps its word.
const WORDS: [(&str, &str); 14] = [
    ("change_target_branch", "base_ref_changed"),
    ("change_title", "renamed"),
    ("close", "closed"),
    ("code", "line-commented"),
    ("comment", "commented"),
    ("comment_ref", "cross-referenced"),
    ("commit_ref", "referenced"),
    ("delete_branch", "head_ref_deleted"),
    ("dismiss_review", "review_dismissed"),
    ("issue_ref", "cross-referenced"),
    ("merge_pull", "merged"),
    ("pull_ref", "cross-referenced"),
    ("reopen", "reopened"),
    ("review", "reviewed"),
];

/// Words that mean one of two things, and the two.
const PAIRS: [(&str, &str, &str); 5] = [
    ("assignees", "assigned", "unassigned"),
    ("label", "labeled", "unlabeled"),
    ("milestone", "milestoned", "demilestoned"),
    ("pull_push", "pushed", "head_ref_force_pushed"),
    ("review_request", "review_requested", "review_request_removed"),
];

/// What an entry says besides who and when.
const DETAILS: [(&str, &[&str]); 10] = [
    ("assignee", &["assignee", "login"]),
    ("from", &["old_title"]),
    ("from", &["old_ref"]),
    ("label", &["label", "name"]),
    ("milestone", &["milestone", "title"]),
    ("milestone", &["old_milestone", "title"]),
    ("source", &["ref_issue", "html_url"]),
    ("team", &["assignee_team", "name"]),
    ("to", &["new_title"]),
    ("to", &["new_ref"]),
];

/// Comments, reviews and events are rows of one table, so that the id alone is the key.
pub(super) fn event(part: Reader<'_>) -> Result<Event, InvalidMetadata> {
    let word = part.str("type").ok_or(InvalidMetadata { member: "type" })?;
    let push = Push::of(word, part);
    let mut details: Vec<(&'static str, String)> = Vec::new();
    for (name, at) in DETAILS {
        let detail = part.text_at(at).filter(|text| !text.is_empty());
        if let Some(detail) = detail.filter(|_| details.iter().all(|(known, _)| *known != name)) {
            let reviewer = name == "assignee" && word == "review_request";
            details.push((if reviewer { "reviewer" } else { name }, detail));
        }
    }
    if let (true, [from, to]) = (push.forced, &push.commits[..]) {
        details.extend([("from", from.clone()), ("to", to.clone())]);
    }
    if let Some(review) = part.number("review_id").filter(|id| *id > 0 && word == "dismiss_review") {
        details.push(("dismissedReview", review.to_string()));
    }
    Ok(Event {
        key: part.number("id").ok_or(InvalidMetadata { member: "id" })?.to_string(),
        node_id: None,
        event: named(word, part, &push).to_owned(),
        actor: account_field(part, "user"),
        created_at: part.time("created_at"),
        commit: part.filled("ref_commit_sha").or_else(|| push.commits.last().cloned()),
        details,
    })
}

fn named<'v>(word: &'v str, part: Reader<'_>, push: &Push) -> &'v str {
    if let Some((_, plain)) = WORDS.iter().find(|(own, _)| *own == word) {
        return plain;
    }
    let Some((_, done, undone)) = PAIRS.iter().find(|(own, ..)| *own == word) else { return word };
    let is_undone = match word {
        // The body of a label is `1` when it was put on, and empty when it was taken off.
        "label" => part.str("body") != Some("1"),
        "milestone" => part.value().get("milestone").is_none_or(Json::is_null),
        "pull_push" => push.forced,
        _ => part.is("removed_assignee"),
    };
    if is_undone { undone } else { done }
}

/// A push as the body of its entry has it, a document of its own: `{"is_force_push":true,"commit_ids":["old","new"]}`.
#[derive(Default)]
struct Push {
    forced: bool,
    commits: Vec<String>,
}

impl Push {
    fn of(word: &str, part: Reader<'_>) -> Self {
        let body = part.str("body").filter(|_| word == "pull_push");
        let Some(Ok(body)) = body.map(|body| json::parse(body.as_bytes())) else { return Self::default() };
        let ids = body.get("commit_ids").and_then(Json::as_array).unwrap_or_default();
        Self {
            forced: body.get("is_force_push").and_then(Json::as_bool) == Some(true),
            commits: ids.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        }
    }
}
