//! Which of GitLab's objects a JSON object is, by its members.

use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::member::{number, text};

use super::resource::{LABEL_EVENTS, MILESTONE_EVENTS, STATE_EVENTS, SYSTEM_NOTES};

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// An issue or merge request.
    Thread,
    /// Approvals of a merge request: its header in part.
    Approvals,
    Project,
    User,
    /// A comment, a comment on the diff, or a system note.
    Note,
    /// Notes that answer each other.
    Discussion,
    Item(Facet),
    Error,
    /// The delivery of a webhook, whose objects are not written as those of REST are.
    Delivery,
    /// Known, but of no facet that is read: milestones, epics, snippets.
    Unsupported,
    Unknown,
}

/// Whether a member shows that an object is GitLab's.
pub(in crate::forge) fn is_own(value: &Json<'_>) -> bool {
    let error =
        value.as_object().is_some_and(|object| object.iter().all(|(name, _)| name == "message" || name == "error"));
    !error && !matches!(of(value), Shape::Unknown | Shape::Unsupported)
}

/// True for the delivery of a webhook, which says in one member what it is about.
pub(in crate::forge) fn is_delivery(value: &Json<'_>) -> bool {
    text(value, "object_kind").is_some() && (value.get("project").is_some() || value.get("project_id").is_some())
}

/// Classifies an object. Each shape has members that no other forge's object has.
pub(super) fn of(value: &Json<'_>) -> Shape {
    let has = |name: &str| value.get(name).is_some();
    let has_text = |name: &str| text(value, name).is_some();
    if value.as_object().is_none() {
        return Shape::Unknown;
    }
    if is_delivery(value) {
        return Shape::Delivery;
    }
    if number(value, "iid").is_some() && number(value, "project_id").is_some() && has_text("title") {
        let of_thread = has_text("state") && (has("web_url") || has("references")) && !has("expired");
        return match (has("approved_by"), of_thread) {
            (true, _) => Shape::Approvals,
            (false, true) => Shape::Thread,
            (false, false) => Shape::Unsupported,
        };
    }
    if has("approved_by") && has("approvals_required") {
        return Shape::Approvals;
    }
    if has("individual_note") && has("notes") {
        return Shape::Discussion;
    }
    if has_text("noteable_type") && has("id") && has("body") {
        return Shape::Note;
    }
    if has_text("awardable_type") && has_text("name") {
        return Shape::Item(Facet::Reactions);
    }
    if has_text("resource_type") && has("resource_id") && has("id") {
        // Events of iterations and weights are of the same form.
        let told = has("label") || has("milestone") || has("state");
        return if told { Shape::Item(Facet::Timeline) } else { Shape::Unsupported };
    }
    of_small(value)
}

fn of_small(value: &Json<'_>) -> Shape {
    let has = |name: &str| value.get(name).is_some();
    let has_text = |name: &str| text(value, name).is_some();
    if has_text("new_path") && has_text("old_path") {
        return Shape::Item(Facet::Files);
    }
    if has_text("id") && has_text("short_id") && has("author_name") {
        return Shape::Item(Facet::Commits);
    }
    if has_text("status") && has("ref") && has("id") {
        let job = has_text("stage") && has("pipeline");
        // Newer ones have a name too, often null; a status has no source.
        let pipeline = has_text("sha") && (has("source") || is_at_pipeline(value));
        if job || pipeline {
            return Shape::Item(Facet::Checks);
        }
        if has_text("sha") && has_text("name") && has("author") {
            return Shape::Item(Facet::Statuses);
        }
    }
    if has_text("path_with_namespace") && has("id") {
        return Shape::Project;
    }
    if has_text("name") && has_text("color") && has("text_color") {
        return Shape::Item(Facet::Labels);
    }
    if has_text("username") && has("id") && has("access_level") {
        return Shape::Item(Facet::Members);
    }
    if has_text("username") && has("id") && has_text("web_url") {
        return Shape::User;
    }
    if has("iid") || (has("author") && has("web_url")) {
        return Shape::Unsupported;
    }
    let error = |name: &str| matches!(name, "message" | "error" | "error_description" | "scope");
    let only_error = value.as_object().is_some_and(|object| object.iter().all(|(name, _)| error(name)));
    if only_error && (has("message") || has("error")) { Shape::Error } else { Shape::Unknown }
}

fn is_at_pipeline(value: &Json<'_>) -> bool {
    text(value, "web_url").is_some_and(|url| url.contains("/pipelines/"))
}

/// Whether an object is a pipeline where pipelines are listed: some lists tell no more of one than this.
pub(super) fn is_bare_pipeline(value: &Json<'_>) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let told = ["status", "sha"].iter().all(|name| text(value, name).is_some()) && number(value, "id").is_some();
    told && has("ref") && !["author", "stage"].iter().any(|name| has(name)) && text(value, "name").is_none()
}

/// The list that an entry of a timeline stands in.
pub(super) fn entries_of(value: &Json<'_>) -> Option<&'static str> {
    if matches!(of(value), Shape::Note | Shape::Discussion) {
        return Some(SYSTEM_NOTES);
    }
    let lists = [("label", LABEL_EVENTS), ("milestone", MILESTONE_EVENTS), ("state", STATE_EVENTS)];
    lists.iter().find(|(member, _)| value.get(member).is_some()).map(|(_, list)| *list)
}

/// Where a note belongs: GitLab lists all three kinds together. What can be resolved is in a thread, on the diff or not.
pub(super) fn facet_of_note(note: &Json<'_>) -> Facet {
    if note.get("system").and_then(Json::as_bool) == Some(true) {
        return Facet::Timeline;
    }
    let on_diff = note.get("position").is_some_and(|position| position.as_object().is_some())
        || matches!(text(note, "type"), Some("DiffNote" | "LegacyDiffNote"));
    let resolvable = note.get("resolvable").and_then(Json::as_bool) == Some(true);
    let of_pull = text(note, "noteable_type") == Some("MergeRequest");
    if on_diff || resolvable && of_pull { Facet::ReviewComments } else { Facet::Comments }
}
