//! The header of an issue or merge request.

use crate::format::entity::Kind;
use crate::format::json::Json;

use crate::forge::facets::{Actor, AutoMerge, Counts, Field, Header, InvalidMetadata, Noted, Side, State};
use crate::forge::member::{bool_field, field, number, number_field, owned, text, text_field, time_field};
use crate::forge::member::{every, label};

use super::owner::page;
use super::shape::{Shape, of};

/// Reads an issue or merge request, or the approvals of one.
///
/// # Errors
/// [`InvalidMetadata`] for what has no `iid`, and for a state that the mapping table does not list.
pub(in crate::forge) fn header(value: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    if of(value) == Shape::Approvals {
        return Ok(approvals(value).into());
    }
    number(value, "iid").filter(|n| *n > 0).ok_or(InvalidMetadata { member: "iid" })?;
    let page = page(value);
    let is_merge_request =
        ["source_branch", "target_branch", "merge_status"].iter().any(|name| value.get(name).is_some());
    let kind =
        page.as_ref().and_then(|page| page.kind()).or(is_merge_request.then_some(Kind::Pull)).unwrap_or(Kind::Issue);
    let id = number_field(value, "id");
    let (issue_id, pull_id) = if kind == Kind::Pull { (Field::Unknown, id) } else { (id, Field::Unknown) };
    let mut out = Header {
        kind: Some(kind),
        issue_id,
        pull_id,
        repository: page.and_then(|page| page.repository).map_or(Field::Unknown, |r| Field::Known(r.path().to_owned())),
        repository_id: number_field(value, "project_id"),
        url: text_field(value, "web_url"),
        title: text_field(value, "title"),
        body: text_field(value, "description"),
        state: state(value, kind)?,
        author: account_field(value, "author"),
        created_at: time_field(value, "created_at"),
        updated_at: time_field(value, "updated_at"),
        closed_at: time_field(value, "closed_at"),
        closed_by: account_field(value, "closed_by"),
        labels: field(value, "labels", |v| every(v, label)),
        assignees: field(value, "assignees", |v| every(v, account)),
        milestone: field(value, "milestone", |v| owned(v, "title")),
        locked: locked(value),
        confidential: bool_field(value, "confidential"),
        ..Header::default()
    };
    let notes = number_field(value, "user_notes_count");
    if kind == Kind::Pull {
        merge_request(value, &mut out);
        out.counts = Counts { notes, files: files(value), ..Counts::default() };
    } else {
        out.counts = Counts { comments: notes, ..Counts::default() };
    }
    let odd = (text(value, "merge_status").is_some() && out.mergeable == Field::Unknown).then_some("merge_status");
    Ok(Noted { value: out, odd: odd.into_iter().collect() })
}

fn state(value: &Json<'_>, kind: Kind) -> Result<Field<State>, InvalidMetadata> {
    match (value.get("state").map(Json::as_str), kind) {
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
fn locked(value: &Json<'_>) -> Field<bool> {
    match bool_field(value, "discussion_locked") {
        Field::Null => Field::Known(false),
        known => known,
    }
}

fn merge_request(value: &Json<'_>, out: &mut Header) {
    let state = text(value, "state");
    out.draft = match bool_field(value, "draft") {
        Field::Unknown => bool_field(value, "work_in_progress"),
        draft => draft,
    };
    out.merged = state.map_or(Field::Unknown, |state| Field::Known(state == "merged"));
    out.merged_at = time_field(value, "merged_at");
    let user = account_field(value, "merge_user");
    out.merged_by = match account_field(value, "merged_by") {
        // Of an open one `merge_user` is who asked for it to be merged later.
        Field::Unknown | Field::Null if state == Some("merged") && user.known().is_some() => user.clone(),
        merged_by => merged_by,
    };
    out.merge_commit = match text_field(value, "merge_commit_sha") {
        Field::Null if text(value, "squash_commit_sha").is_some() => text_field(value, "squash_commit_sha"),
        commit => commit,
    };
    let project = number(value, "project_id");
    let repository = |name: &str| match number_field(value, name) {
        Field::Known(id) if Some(id) == project => out.repository.clone(),
        Field::Null => Field::Null,
        _ => Field::Unknown,
    };
    let branch = |branch: &str, sha: Option<&str>, repository| match (text(value, branch), sha) {
        (Some(branch), Some(sha)) => {
            Field::Known(Side { branch: branch.to_owned(), sha: Some(sha.to_owned()), repository })
        }
        _ => Field::Unknown,
    };
    let refs = |name: &str| value.get("diff_refs").and_then(|refs| text(refs, name));
    out.head =
        branch("source_branch", text(value, "sha").or_else(|| refs("head_sha")), repository("source_project_id"));
    out.base = branch("target_branch", refs("start_sha"), repository("target_project_id"));
    out.mergeable = mergeable(value);
    out.mergeable_state = match text_field(value, "detailed_merge_status") {
        Field::Unknown => text_field(value, "merge_status"),
        status => status,
    };
    out.requested_reviewers = field(value, "reviewers", |v| every(v, account));
    out.auto_merge = match value.get("merge_when_pipeline_succeeds").and_then(Json::as_bool) {
        Some(true) if state != Some("merged") => Field::Known(AutoMerge { enabled_by: user, method: None }),
        Some(_) => Field::Null,
        None => Field::Unknown,
    };
}

/// Whether the head can be merged; null while GitLab has not checked it again.
fn mergeable(value: &Json<'_>) -> Field<bool> {
    match text(value, "merge_status") {
        Some("can_be_merged") => Field::Known(true),
        Some("cannot_be_merged") => Field::Known(false),
        Some("unchecked" | "checking" | "cannot_be_merged_recheck" | "cannot_be_merged_rechecking") => Field::Null,
        _ => Field::Unknown,
    }
}

/// `"12"`, or `"1000+"`, which counts no further.
fn files(value: &Json<'_>) -> Field<u64> {
    field(value, "changes_count", |count| count.as_str()?.parse().ok())
}

/// Who approves now. An approval has neither an id nor a history, so that it is no review.
fn approvals(value: &Json<'_>) -> Header {
    let approver = |row: &Json<'_>| row.get("user").and_then(account);
    Header {
        kind: Some(Kind::Pull),
        updated_at: time_field(value, "updated_at"),
        approved_by: field(value, "approved_by", |rows| every(rows, approver)),
        ..Header::default()
    }
}

/// An account. That of a deleted one stays, as the user `ghost`.
pub(super) fn account(value: &Json<'_>) -> Option<Actor> {
    Some(Actor {
        id: number(value, "id"),
        node_id: None,
        login: owned(value, "username").filter(|login| !login.is_empty())?,
        account: None,
    })
}

pub(super) fn account_field(value: &Json<'_>, name: &str) -> Field<Actor> {
    field(value, name, account)
}
