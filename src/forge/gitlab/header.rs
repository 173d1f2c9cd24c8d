//! The header of an issue or merge request.

use crate::format::entity::Kind;
use crate::format::json::Json;

use crate::forge::facets::{Actor, AutoMerge, Counts, Field, Header, InvalidMetadata, Noted, Side, State};
use crate::forge::member::{Reader, label, noted};

use super::owner::page;
use super::shape::{Shape, of};

/// Reads an issue or merge request, or the approvals of one.
///
/// # Errors
/// [`InvalidMetadata`] for what has no `iid`, and for a state that the mapping table does not list.
pub(in crate::forge) fn header(value: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    noted(value, |part| if of(value) == Shape::Approvals { Ok(approvals(part)) } else { thread(part) })
}

fn thread(part: Reader<'_>) -> Result<Header, InvalidMetadata> {
    let value = part.value();
    part.number("iid").filter(|n| *n > 0).ok_or(InvalidMetadata { member: "iid" })?;
    let page = page(value);
    let is_merge_request =
        ["source_branch", "target_branch", "merge_status"].iter().any(|name| value.get(name).is_some());
    let kind =
        page.as_ref().and_then(|page| page.kind()).or(is_merge_request.then_some(Kind::Pull)).unwrap_or(Kind::Issue);
    let id = part.number_field("id");
    let (issue_id, pull_id) = if kind == Kind::Pull { (Field::Unknown, id) } else { (id, Field::Unknown) };
    let mut out = Header {
        kind: Some(kind),
        issue_id,
        pull_id,
        repository: page.and_then(|page| page.repository).map_or(Field::Unknown, |r| Field::Known(r.path().to_owned())),
        repository_id: part.number_field("project_id"),
        url: part.text_field("web_url"),
        title: part.text_field("title"),
        body: part.text_field("description"),
        state: state(part, kind)?,
        author: part.field("author", account),
        created_at: part.time_field("created_at"),
        updated_at: part.time_field("updated_at"),
        state_reason: moved(part),
        closed_at: part.time_field("closed_at"),
        closed_by: part.field("closed_by", account),
        labels: part.field("labels", |v| v.every(label)),
        assignees: part.field("assignees", |v| v.every(account)),
        milestone: part.field("milestone", |v| v.text("title")),
        locked: locked(part),
        confidential: part.bool_field("confidential"),
        ..Header::default()
    };
    let notes = part.number_field("user_notes_count");
    if kind == Kind::Pull {
        merge_request(part, &mut out);
        out.counts = Counts { notes, files: files(part), ..Counts::default() };
    } else {
        out.counts = Counts { comments: notes, ..Counts::default() };
    }
    Ok(out)
}

fn state(part: Reader<'_>, kind: Kind) -> Result<Field<State>, InvalidMetadata> {
    match (part.value().get("state").map(Json::as_str), kind) {
        (None, _) => Ok(Field::Unknown),
        (Some(Some("opened")), _) => Ok(Field::Known(State::Open)),
        (Some(Some("closed")), _) => Ok(Field::Known(State::Closed)),
        (Some(Some("merged")), Kind::Pull) => Ok(Field::Known(State::Closed)),
        // Being merged this moment.
        (Some(Some("locked")), Kind::Pull) => Ok(Field::Known(State::Open)),
        _ => Err(InvalidMetadata { member: "state" }),
    }
}

/// Null is a conversation that nobody ever locked.
fn locked(part: Reader<'_>) -> Field<bool> {
    match part.bool_field("discussion_locked") {
        Field::Null => Field::Known(false),
        known => known,
    }
}

/// An issue that was moved is closed, and another in its new project, with an id of its own, goes on with it.
fn moved(part: Reader<'_>) -> Field<String> {
    match part.number("moved_to_id") {
        Some(_) if part.str("state") == Some("closed") => Field::Known("moved".to_owned()),
        Some(_) => Field::Null,
        None => Field::Unknown,
    }
}

fn merge_request(part: Reader<'_>, out: &mut Header) {
    let state = part.str("state");
    out.draft = match part.bool_field("draft") {
        Field::Unknown => part.bool_field("work_in_progress"),
        draft => draft,
    };
    out.merged = state.map_or(Field::Unknown, |state| Field::Known(state == "merged"));
    out.merged_at = part.time_field("merged_at");
    let user = part.field("merge_user", account);
    out.merged_by = match part.field("merged_by", account) {
        // Of an open one `merge_user` is who asked for it to be merged later.
        Field::Unknown | Field::Null if state == Some("merged") && user.known().is_some() => user.clone(),
        merged_by => merged_by,
    };
    out.merge_commit = match part.text_field("merge_commit_sha") {
        Field::Null if part.str("squash_commit_sha").is_some() => part.text_field("squash_commit_sha"),
        commit => commit,
    };
    let project = part.number("project_id");
    let repository = |name| match part.number_field(name) {
        Field::Known(id) if Some(id) == project => out.repository.clone(),
        Field::Null => Field::Null,
        _ => Field::Unknown,
    };
    let branch = |branch, sha: Option<&str>, repository| match (part.str(branch), sha) {
        (Some(branch), Some(sha)) => {
            Field::Known(Side { branch: branch.to_owned(), sha: Some(sha.to_owned()), repository })
        }
        _ => Field::Unknown,
    };
    let refs = |name| part.below("diff_refs").and_then(|refs| refs.str(name));
    out.head = branch("source_branch", part.str("sha").or_else(|| refs("head_sha")), repository("source_project_id"));
    out.base = branch("target_branch", refs("start_sha"), repository("target_project_id"));
    out.mergeable = mergeable(part);
    out.mergeable_state = match part.text_field("detailed_merge_status") {
        Field::Unknown => part.text_field("merge_status"),
        status => status,
    };
    out.requested_reviewers = part.field("reviewers", |v| v.every(account));
    out.auto_merge = match part.bool_field("merge_when_pipeline_succeeds") {
        Field::Known(true) if state != Some("merged") => Field::Known(AutoMerge { enabled_by: user, method: None }),
        Field::Known(_) => Field::Null,
        Field::Null | Field::Unknown => Field::Unknown,
    };
}

/// Whether the head can be merged; null while GitLab has not checked it again.
fn mergeable(part: Reader<'_>) -> Field<bool> {
    let read = |word: &str| match word {
        "can_be_merged" => Some(Field::Known(true)),
        "cannot_be_merged" => Some(Field::Known(false)),
        "unchecked" | "checking" | "cannot_be_merged_recheck" | "cannot_be_merged_rechecking" => Some(Field::Null),
        _ => None,
    };
    part.word("merge_status", read).unwrap_or_default()
}

/// `"12"`, or `"1000+"`, which counts no further.
fn files(part: Reader<'_>) -> Field<u64> {
    match part.text_field("changes_count") {
        Field::Known(count) => count.parse().map_or(Field::Unknown, Field::Known),
        Field::Null => Field::Null,
        Field::Unknown => Field::Unknown,
    }
}

/// Who approves now. An approval has neither an id nor a history, so that it is no review.
fn approvals(part: Reader<'_>) -> Header {
    let approver = |row: Reader<'_>| row.get("user", account);
    Header {
        kind: Some(Kind::Pull),
        updated_at: part.time_field("updated_at"),
        approved_by: part.field("approved_by", |rows| rows.every(approver)),
        ..Header::default()
    }
}

/// An account. That of a deleted one stays, as the user `ghost`.
pub(super) fn account(part: Reader<'_>) -> Option<Actor> {
    Some(Actor {
        id: part.number("id"),
        node_id: None,
        login: part.text("username").filter(|login| !login.is_empty())?,
        account: None,
    })
}
