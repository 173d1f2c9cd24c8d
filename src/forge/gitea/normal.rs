//! From elements to normal forms.

use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::facets::{
    Actor, Check, CheckOrigin, CheckStatus, Comment, Counts, Field, FileChange, Header, InvalidMetadata, Item,
    Minimized, Noted, Place, Reaction, Review, ReviewComment, ReviewState, Side, State,
};
use crate::forge::github;
use crate::forge::member::{bool_field, field, number, number_field, owned, text, text_field, time, time_field};
use crate::forge::member::{every, label, noted};
use crate::forge::resource::Resource;

use super::events::event;
use super::owner::{address, kind};

/// Reads an issue or pull request object.
///
/// # Errors
/// [`InvalidMetadata`] for what has no number, and for a state that the mapping table does not list.
pub(in crate::forge) fn header(value: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    number(value, "number").filter(|n| *n > 0).ok_or(InvalidMetadata { member: "number" })?;
    let is_pull_object = value.get("head").is_some() || value.get("base").is_some();
    let id = number_field(value, "id");
    let (issue_id, pull_id) = if is_pull_object { (Field::Unknown, id) } else { (id, Field::Unknown) };
    let repository = value.pointer("/base/repo").or_else(|| value.get("repository"));
    let mut out = Header {
        kind: kind(value),
        issue_id,
        pull_id,
        repository: repository.map_or(Field::Unknown, |repository| text_field(repository, "full_name")),
        repository_id: repository.map_or(Field::Unknown, |repository| number_field(repository, "id")),
        url: text_field(value, "html_url"),
        title: text_field(value, "title"),
        body: text_field(value, "body"),
        state: state(value)?,
        author: account_field(value, "user"),
        created_at: time_field(value, "created_at"),
        updated_at: time_field(value, "updated_at"),
        closed_at: time_field(value, "closed_at"),
        labels: list(value, "labels", label),
        assignees: list(value, "assignees", account),
        milestone: field(value, "milestone", |v| owned(v, "title")),
        locked: bool_field(value, "is_locked"),
        draft: bool_field(value, "draft"),
        counts: counts(value),
        ..Header::default()
    };
    if out.kind == Some(Kind::Pull) {
        let merge = if is_pull_object { Some(value) } else { value.get("pull_request") };
        out.merged = merge.map_or(Field::Unknown, |merge| bool_field(merge, "merged"));
        out.merged_at = merge.map_or(Field::Unknown, |merge| time_field(merge, "merged_at"));
    }
    if is_pull_object {
        pull(value, &mut out);
    }
    Ok(out.into())
}

fn pull(value: &Json<'_>, out: &mut Header) {
    out.merged_by = account_field(value, "merged_by");
    out.merge_commit = text_field(value, "merge_commit_sha");
    out.head = field(value, "head", side);
    out.base = field(value, "base", side);
    out.mergeable = bool_field(value, "mergeable");
    out.requested_reviewers = list(value, "requested_reviewers", account);
    out.requested_teams = list(value, "requested_reviewers_teams", |team| owned(team, "name"));
}

fn state(value: &Json<'_>) -> Result<Field<State>, InvalidMetadata> {
    match value.get("state").map(Json::as_str) {
        None => Ok(Field::Unknown),
        Some(Some("open")) => Ok(Field::Known(State::Open)),
        Some(Some("closed")) => Ok(Field::Known(State::Closed)),
        Some(_) => Err(InvalidMetadata { member: "state" }),
    }
}

/// A list without items is `null` in these answers.
fn list<T>(value: &Json<'_>, name: &str, read: impl Fn(&Json<'_>) -> Option<T>) -> Field<Vec<T>> {
    match field(value, name, |v| every(v, read)) {
        Field::Null => Field::Known(Vec::new()),
        known => known,
    }
}

fn side(value: &Json<'_>) -> Option<Side> {
    Some(Side {
        branch: owned(value, "ref")?,
        sha: Some(owned(value, "sha")?),
        repository: field(value, "repo", |repo| owned(repo, "full_name")),
    })
}

fn counts(value: &Json<'_>) -> Counts {
    Counts {
        comments: number_field(value, "comments"),
        review_comments: number_field(value, "review_comments"),
        files: number_field(value, "changed_files"),
        additions: number_field(value, "additions"),
        deletions: number_field(value, "deletions"),
        ..Counts::default()
    }
}

/// An account; `None` for null and for the account -1, which stands for every one that was deleted.
pub(super) fn account(value: &Json<'_>) -> Option<Actor> {
    let gone = matches!(value.get("id"), Some(Json::Number(id)) if id.as_f64() == -1.0);
    crate::forge::member::actor(value).filter(|_| !gone)
}

pub(super) fn account_field(value: &Json<'_>, name: &str) -> Field<Actor> {
    match value.get(name) {
        Some(present) if present.as_object().is_some() => match account(present) {
            Some(actor) => Field::Known(actor),
            None if text(present, "login").is_some() => Field::Null,
            None => Field::Unknown,
        },
        _ => field(value, name, account),
    }
}

/// Text that is empty where there is none.
pub(super) fn filled(value: &Json<'_>, name: &str) -> Option<String> {
    owned(value, name).filter(|text| !text.is_empty())
}

/// Reads an item of a set; `None` for a request for a review, which is listed among reviews and is none.
pub(in crate::forge) fn item(facet: Facet, value: &Json<'_>) -> Option<Result<Noted<Item>, InvalidMetadata>> {
    if facet == Facet::Reviews && text(value, "state") == Some("REQUEST_REVIEW") {
        return None;
    }
    let found = match facet {
        Facet::Commits => return Some(github::item(facet, value)),
        Facet::Header | Facet::Checks | Facet::Threads | Facet::Logs | Facet::Diff => {
            Err(InvalidMetadata { member: "facet" })
        }
        Facet::Comments => comment(value).map(Item::Comment),
        Facet::Reviews => review(value).map(Item::Review),
        Facet::ReviewComments => review_comment(value).map(Item::ReviewComment),
        Facet::Statuses => status(value).map(Item::Check),
        Facet::Files => file(value).map(Item::File),
        Facet::Timeline | Facet::Events => event(value).map(Item::Event),
        Facet::Labels => label(value).ok_or(InvalidMetadata { member: "name" }).map(Item::Label),
        Facet::Reactions => reaction(value).map(Item::Reaction),
    };
    Some(found.map(noted))
}

fn comment(value: &Json<'_>) -> Result<Comment, InvalidMetadata> {
    Ok(Comment {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        url: filled(value, "html_url"),
        author: account_field(value, "user"),
        association: None,
        body: text_field(value, "body"),
        created_at: time(value, "created_at"),
        updated_at: time(value, "updated_at"),
        minimized: Minimized::default(),
        reactions: None,
    })
}

/// A dismissed review keeps its word and says so beside it. The time of a pending one is that of its making.
fn review(value: &Json<'_>) -> Result<Review, InvalidMetadata> {
    let dismissed = value.get("dismissed").and_then(Json::as_bool) == Some(true);
    let state = match text(value, "state") {
        Some("APPROVED" | "REQUEST_CHANGES" | "COMMENT" | "DISMISSED") if dismissed => Some(ReviewState::Dismissed),
        Some("APPROVED") => Some(ReviewState::Approved),
        Some("REQUEST_CHANGES") => Some(ReviewState::ChangesRequested),
        Some("COMMENT") => Some(ReviewState::Commented),
        Some("DISMISSED") => Some(ReviewState::Dismissed),
        Some("PENDING") => Some(ReviewState::Pending),
        _ => None,
    };
    Ok(Review {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        url: filled(value, "html_url"),
        author: account_field(value, "user"),
        association: None,
        body: text_field(value, "body"),
        state,
        submitted_at: time(value, "submitted_at").filter(|_| state != Some(ReviewState::Pending)),
        commit: filled(value, "commit_id"),
        minimized: Minimized::default(),
    })
}

/// `position` is a line of the new file, `original_position` one of the old: each 0 where the comment is on the other. They are
/// those of the commit that was commented on; where it stands now, or that it is outdated, is not told.
fn review_comment(value: &Json<'_>) -> Result<ReviewComment, InvalidMetadata> {
    let line = |name| number(value, name).filter(|line| *line > 0);
    let (side, original_line) = match (line("position"), line("original_position")) {
        (Some(right), _) => (Some("right"), Some(right)),
        (None, Some(left)) => (Some("left"), Some(left)),
        (None, None) => (None, None),
    };
    Ok(ReviewComment {
        comment: comment(value)?,
        review: number(value, "pull_request_review_id").map(Into::into),
        reply_to: None,
        thread: None,
        resolved: value.get("resolver").map(|resolver| !resolver.is_null()),
        place: Place {
            path: filled(value, "path"),
            side: side.map(str::to_owned),
            original_line,
            diff_hunk: filled(value, "diff_hunk"),
            original_commit: filled(value, "commit_id"),
            ..Place::default()
        },
    })
}

/// A commit status; its word for progress and outcome is `status`, in older answers `state`.
fn status(value: &Json<'_>) -> Result<Check, InvalidMetadata> {
    let (status, conclusion) = match text(value, "status").or_else(|| text(value, "state")) {
        Some("pending" | "waiting" | "blocked") => (Some(CheckStatus::Queued), None),
        Some("running") => (Some(CheckStatus::InProgress), None),
        Some(word @ ("success" | "failure" | "error" | "skipped")) => (Some(CheckStatus::Completed), Some(word)),
        Some("warning") => (Some(CheckStatus::Completed), Some("neutral")),
        Some("cancelled" | "canceled") => (Some(CheckStatus::Completed), Some("cancelled")),
        _ => (None, None),
    };
    let head_sha = address(value, "url").and_then(|target| match target.resource {
        Resource::Statuses(sha) => Some(sha),
        _ => None,
    });
    Ok(Check {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        origin: CheckOrigin::Status,
        name: owned(value, "context").ok_or(InvalidMetadata { member: "context" })?,
        status,
        conclusion: conclusion.map(str::to_owned),
        head_sha,
        attempt: None,
        run: None,
        created_at: time(value, "created_at"),
        started_at: None,
        completed_at: None,
        url: None,
        details_url: filled(value, "target_url"),
        reporter: value.get("creator").and_then(account).map(|creator| creator.login),
        title: filled(value, "description"),
        summary: None,
    })
}

fn file(value: &Json<'_>) -> Result<FileChange, InvalidMetadata> {
    let status = text(value, "status").and_then(|word| {
        Some(match word {
            "added" | "renamed" | "copied" | "unchanged" | "modified" => word,
            "changed" => "modified",
            "deleted" | "removed" => "removed",
            _ => return None,
        })
    });
    Ok(FileChange {
        path: owned(value, "filename").ok_or(InvalidMetadata { member: "filename" })?,
        previous_path: filled(value, "previous_filename"),
        status: status.map(str::to_owned),
        additions: number(value, "additions"),
        deletions: number(value, "deletions"),
        sha: None,
        patch: None,
    })
}

/// Reactions have no ids here. Which there are is for whoever runs the server to choose.
fn reaction(value: &Json<'_>) -> Result<Reaction, InvalidMetadata> {
    Ok(Reaction {
        id: None,
        content: filled(value, "content").ok_or(InvalidMetadata { member: "content" })?,
        actor: account_field(value, "user"),
        created_at: time(value, "created_at"),
    })
}
