//! The header of an issue or pull request.

use crate::format::entity::Kind;
use crate::format::json::Json;

use crate::forge::facets::{Actor, AutoMerge, Counts, Field, Header, InvalidMetadata, Label, Side, State, field};
use crate::forge::url::Target;

use super::owner::kind_of_thread;
use super::read::{actor, actor_field, bool_field, number, number_field, owned, text, text_field, time_field};

/// Reads an issue or pull request object, whichever endpoint gave it. What a member of another type says is unknown.
///
/// # Errors
/// [`InvalidMetadata`] for what has no number, and for a state that the mapping table does not list.
pub fn header(value: &Json<'_>) -> Result<Header, InvalidMetadata> {
    number(value, "number").filter(|n| *n > 0).ok_or(InvalidMetadata { member: "number" })?;
    // An issue object knows of a pull request only what stands in `pull_request`.
    let is_pull_object = value.get("head").is_some() || value.get("base").is_some();
    let id = number_field(value, "id");
    let (issue_id, pull_id) = if is_pull_object { (Field::Unknown, id) } else { (id, Field::Unknown) };
    let mut out = Header {
        kind: kind_of_thread(value),
        issue_id,
        pull_id,
        node_id: text_field(value, "node_id"),
        repository: repository(value),
        repository_id: repository_id(value),
        url: text_field(value, "html_url"),
        title: text_field(value, "title"),
        body: text_field(value, "body"),
        state: state(value)?,
        state_reason: text_field(value, "state_reason"),
        author: actor_field(value, "user"),
        association: text_field(value, "author_association"),
        created_at: time_field(value, "created_at"),
        updated_at: time_field(value, "updated_at"),
        closed_at: time_field(value, "closed_at"),
        closed_by: actor_field(value, "closed_by"),
        labels: field(value, "labels", |v| every(v, label)),
        assignees: field(value, "assignees", |v| every(v, actor)),
        milestone: field(value, "milestone", |v| owned(v, "title")),
        locked: bool_field(value, "locked"),
        lock_reason: text_field(value, "active_lock_reason"),
        draft: bool_field(value, "draft"),
        counts: counts(value),
        ..Header::default()
    };
    if out.kind == Some(Kind::Pull) {
        pull(value, is_pull_object, &mut out);
    }
    Ok(out)
}

/// What only pull requests have.
fn pull(value: &Json<'_>, is_pull_object: bool, out: &mut Header) {
    let merge = if is_pull_object { Some(value) } else { value.get("pull_request") };
    if let Some(merge) = merge {
        out.merged_at = time_field(merge, "merged_at");
    }
    out.merged = match bool_field(value, "merged") {
        // A time of merging says that it was merged; the lack of one does not say that it was not.
        Field::Unknown if out.merged_at.known().is_some() => Field::Known(true),
        merged => merged,
    };
    if !is_pull_object {
        return;
    }
    out.merged_by = actor_field(value, "merged_by");
    out.merge_commit = text_field(value, "merge_commit_sha");
    out.head = field(value, "head", side);
    out.base = field(value, "base", side);
    out.mergeable = bool_field(value, "mergeable");
    out.mergeable_state = text_field(value, "mergeable_state");
    out.requested_reviewers = field(value, "requested_reviewers", |v| every(v, actor));
    out.requested_teams = field(value, "requested_teams", |v| every(v, |team| owned(team, "slug")));
    out.auto_merge = field(value, "auto_merge", auto_merge);
}

/// GitHub's two words for a state. A webhook and REST write them alike.
fn state(value: &Json<'_>) -> Result<Field<State>, InvalidMetadata> {
    match value.get("state") {
        None => Ok(Field::Unknown),
        Some(state) => match state.as_str() {
            Some("open") => Ok(Field::Known(State::Open)),
            Some("closed") => Ok(Field::Known(State::Closed)),
            _ => Err(InvalidMetadata { member: "state" }),
        },
    }
}

/// All items of a list; a list with an item that cannot be read is unknown as a whole, never shorter.
fn every<T>(value: &Json<'_>, read: impl Fn(&Json<'_>) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

/// A label object. The documentation allows a bare name too.
pub(super) fn label(value: &Json<'_>) -> Option<Label> {
    if let Some(name) = value.as_str() {
        return Some(Label { id: None, name: name.to_owned(), color: None, description: Field::Unknown });
    }
    Some(Label {
        id: number(value, "id"),
        name: owned(value, "name")?,
        color: owned(value, "color"),
        description: text_field(value, "description"),
    })
}

fn side(value: &Json<'_>) -> Option<Side> {
    Some(Side {
        branch: owned(value, "ref")?,
        sha: Some(owned(value, "sha")?),
        repository: field(value, "repo", |repo| owned(repo, "full_name")),
    })
}

fn auto_merge(value: &Json<'_>) -> Option<AutoMerge> {
    value.as_object()?;
    Some(AutoMerge { enabled_by: value.get("enabled_by").and_then(actor), method: owned(value, "merge_method") })
}

/// `owner/name`: of the base of a pull request, else as the addresses spell it.
fn repository(value: &Json<'_>) -> Field<String> {
    let known = full_name(value).or_else(|| {
        let of_address = |name| text(value, name).and_then(Target::parse_api).and_then(|target| target.repository);
        let found = of_address("repository_url").or_else(|| of_address("url"));
        found.map(|repository| repository.path().to_owned())
    });
    known.map_or(Field::Unknown, Field::Known)
}

fn full_name(value: &Json<'_>) -> Option<String> {
    embedded_repository(value).and_then(|repository| owned(repository, "full_name"))
}

fn repository_id(value: &Json<'_>) -> Field<u64> {
    embedded_repository(value).map_or(Field::Unknown, |repository| number_field(repository, "id"))
}

fn embedded_repository<'v>(value: &'v Json<'v>) -> Option<&'v Json<'v>> {
    let of_base = value.get("base").and_then(|base| base.get("repo"));
    of_base.or_else(|| value.get("repository")).filter(|repository| repository.as_object().is_some())
}

fn counts(value: &Json<'_>) -> Counts {
    Counts {
        comments: number_field(value, "comments"),
        review_comments: number_field(value, "review_comments"),
        commits: number_field(value, "commits"),
        files: number_field(value, "changed_files"),
        additions: number_field(value, "additions"),
        deletions: number_field(value, "deletions"),
        reactions: value.get("reactions").map_or(Field::Unknown, |counts| number_field(counts, "total_count")),
    }
}

/// The account that wrote an item: `user`, where a deleted account is null.
pub(super) fn author(value: &Json<'_>) -> Option<Actor> {
    value.get("user").and_then(actor)
}
