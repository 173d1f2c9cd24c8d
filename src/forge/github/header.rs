//! The header of an issue or pull request.

use crate::format::entity::Kind;
use crate::format::json::Json;

use crate::forge::facets::{AutoMerge, Counts, Field, Header, InvalidMetadata, Noted, Side, State};
use crate::forge::url::Target;

use super::conversation::reaction_counts;
use super::owner::kind_of_thread;
use crate::forge::member::{Reader, actor, label, noted, number};

/// Reads an issue or pull request object, whichever endpoint gave it.
///
/// # Errors
/// [`InvalidMetadata`] for what has no number, and for a state that the mapping table does not list.
pub fn header(value: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    noted(value, read)
}

fn read(part: Reader<'_>) -> Result<Header, InvalidMetadata> {
    let value = part.value();
    number(value, "number").filter(|n| *n > 0).ok_or(InvalidMetadata { member: "number" })?;
    // An issue object knows of a pull request only what stands in `pull_request`.
    let is_pull_object = value.get("head").is_some() || value.get("base").is_some();
    let id = part.number_field("id");
    let (issue_id, pull_id) = if is_pull_object { (Field::Unknown, id) } else { (id, Field::Unknown) };
    let mut out = Header {
        kind: kind_of_thread(value),
        issue_id,
        pull_id,
        node_id: part.text_field("node_id"),
        repository: repository(part),
        repository_id: embedded_repository(part).map_or(Field::Unknown, |repository| repository.number_field("id")),
        repository_node_id: embedded_repository(part)
            .map_or(Field::Unknown, |repository| repository.text_field("node_id")),
        url: part.text_field("html_url"),
        title: part.text_field("title"),
        body: part.text_field("body"),
        state: state(value)?,
        state_reason: part.text_field("state_reason"),
        author: part.actor("user"),
        association: part.text_field("author_association"),
        created_at: part.time_field("created_at"),
        updated_at: part.time_field("updated_at"),
        closed_at: part.time_field("closed_at"),
        closed_by: part.actor("closed_by"),
        labels: part.field("labels", |list| list.every(label)),
        assignees: part.field("assignees", |list| list.every(actor)),
        milestone: part.field("milestone", |one| one.text("title")),
        locked: part.bool_field("locked"),
        lock_reason: part.text_field("active_lock_reason"),
        draft: part.bool_field("draft"),
        counts: counts(part),
        ..Header::default()
    };
    if out.kind == Some(Kind::Pull) {
        pull(part, is_pull_object, &mut out);
    }
    Ok(out)
}

/// What only pull requests have.
fn pull(part: Reader<'_>, is_pull_object: bool, out: &mut Header) {
    let merge = if is_pull_object { Some(part) } else { part.below("pull_request") };
    if let Some(merge) = merge {
        out.merged_at = merge.time_field("merged_at");
    }
    out.merged = match part.bool_field("merged") {
        // A time of merging says that it was merged; the lack of one does not say that it was not.
        Field::Unknown if out.merged_at.known().is_some() => Field::Known(true),
        merged => merged,
    };
    if !is_pull_object {
        return;
    }
    out.merged_by = part.actor("merged_by");
    out.merge_commit = part.text_field("merge_commit_sha");
    out.head = part.field("head", side);
    out.base = part.field("base", side);
    out.mergeable = part.bool_field("mergeable");
    out.mergeable_state = part.text_field("mergeable_state");
    out.requested_reviewers = part.field("requested_reviewers", |list| list.every(actor));
    out.requested_teams = part.field("requested_teams", |list| list.every(|team| team.text("slug")));
    out.auto_merge = part.field("auto_merge", auto_merge);
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

fn side(part: Reader<'_>) -> Option<Side> {
    Some(Side {
        branch: part.text("ref")?,
        sha: Some(part.text("sha")?),
        repository: part.field("repo", |repo| repo.text("full_name")),
    })
}

fn auto_merge(part: Reader<'_>) -> Option<AutoMerge> {
    part.value().as_object()?;
    Some(AutoMerge { enabled_by: part.actor("enabled_by"), method: part.text("merge_method") })
}

/// `owner/name`: of the base of a pull request, else as the addresses spell it.
fn repository(part: Reader<'_>) -> Field<String> {
    let known = embedded_repository(part).and_then(|repository| repository.text("full_name")).or_else(|| {
        let of_address =
            |name| part.text(name).as_deref().and_then(Target::parse_api).and_then(|target| target.repository);
        let found = of_address("repository_url").or_else(|| of_address("url"));
        found.map(|repository| repository.path().to_owned())
    });
    known.map_or(Field::Unknown, Field::Known)
}

fn embedded_repository(part: Reader<'_>) -> Option<Reader<'_>> {
    let of_base = part.below("base").and_then(|base| base.below("repo"));
    of_base.or_else(|| part.below("repository"))
}

fn counts(part: Reader<'_>) -> Counts {
    let by_content = part.below("reactions").and_then(reaction_counts);
    Counts {
        comments: part.number_field("comments"),
        review_comments: part.number_field("review_comments"),
        commits: part.number_field("commits"),
        files: part.number_field("changed_files"),
        additions: part.number_field("additions"),
        deletions: part.number_field("deletions"),
        notes: Field::Unknown,
        reactions: part.below("reactions").map_or(Field::Unknown, |counts| counts.number_field("total_count")),
        reactions_by_content: by_content.map_or(Field::Unknown, Field::Known),
    }
}
