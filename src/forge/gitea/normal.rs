//! From elements to normal forms.

use crate::format::access::Access;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::facets::{
    Actor, Check, CheckOrigin, CheckStatus, Comment, Counts, Field, FileChange, Header, InvalidMetadata, Item,
    MIGRATED, Member, Minimized, Noted, Place, Reaction, Resolution, Review, ReviewComment, ReviewState, Side, State,
};
use crate::forge::github;
use crate::forge::member::{Reader, actor, label, noted, text};

use super::events::event;
use super::owner::{commit, kind};

/// Reads an issue or pull request object.
///
/// # Errors
/// [`InvalidMetadata`] for what has no number, and for a state that the mapping table does not list.
pub(in crate::forge) fn header(value: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    noted(value, thread)
}

fn thread(part: Reader<'_>) -> Result<Header, InvalidMetadata> {
    let value = part.value();
    part.number("number").filter(|n| *n > 0).ok_or(InvalidMetadata { member: "number" })?;
    let is_pull_object = value.get("head").is_some() || value.get("base").is_some();
    let id = part.number_field("id");
    let (issue_id, pull_id) = if is_pull_object { (Field::Unknown, id) } else { (id, Field::Unknown) };
    let repository = part.below("base").and_then(|base| base.below("repo")).or_else(|| part.below("repository"));
    let mut out = Header {
        kind: kind(value),
        issue_id,
        pull_id,
        repository: repository.map_or(Field::Unknown, |repository| repository.text_field("full_name")),
        repository_id: repository.map_or(Field::Unknown, |repository| repository.number_field("id")),
        url: part.text_field("html_url"),
        title: part.text_field("title"),
        body: part.text_field("body"),
        state: state(part)?,
        author: author(part),
        created_at: part.time_field("created_at"),
        updated_at: part.time_field("updated_at"),
        closed_at: part.time_field("closed_at"),
        labels: list(part, "labels", label),
        assignees: list(part, "assignees", account),
        milestone: part.field("milestone", |v| v.text("title")),
        locked: part.bool_field("is_locked"),
        draft: part.bool_field("draft"),
        counts: counts(part),
        ..Header::default()
    };
    if out.kind == Some(Kind::Pull) {
        let merge = if is_pull_object { Some(part) } else { part.below("pull_request") };
        out.merged = merge.map_or(Field::Unknown, |merge| merge.bool_field("merged"));
        out.merged_at = merge.map_or(Field::Unknown, |merge| merge.time_field("merged_at"));
        // Merging closes, and Gitea gives what it closed so no other time of that.
        if let (Field::Known(true), Field::Null, Field::Known(at)) = (&out.merged, &out.closed_at, &out.merged_at) {
            out.closed_at = Field::Known(*at);
        }
    }
    if is_pull_object {
        pull(part, &mut out);
    }
    Ok(out)
}

fn pull(part: Reader<'_>, out: &mut Header) {
    out.merged_by = account_field(part, "merged_by");
    out.merge_commit = part.text_field("merge_commit_sha");
    out.head = part.field("head", side);
    out.base = part.field("base", side);
    out.mergeable = part.bool_field("mergeable");
    out.requested_reviewers = list(part, "requested_reviewers", account);
    out.requested_teams = list(part, "requested_reviewers_teams", |team| team.text("name"));
}

fn state(part: Reader<'_>) -> Result<Field<State>, InvalidMetadata> {
    match part.value().get("state").map(Json::as_str) {
        None => Ok(Field::Unknown),
        Some(Some("open")) => Ok(Field::Known(State::Open)),
        Some(Some("closed")) => Ok(Field::Known(State::Closed)),
        Some(_) => Err(InvalidMetadata { member: "state" }),
    }
}

/// A list without items is `null` in these answers.
fn list<T>(part: Reader<'_>, name: &'static str, read: impl Fn(Reader<'_>) -> Option<T>) -> Field<Vec<T>> {
    match part.field(name, |v| v.every(read)) {
        Field::Null => Field::Known(Vec::new()),
        known => known,
    }
}

fn side(part: Reader<'_>) -> Option<Side> {
    Some(Side {
        branch: part.text("ref")?,
        sha: Some(part.text("sha")?),
        repository: part.field("repo", |repo| repo.text("full_name")),
    })
}

fn counts(part: Reader<'_>) -> Counts {
    Counts {
        comments: part.number_field("comments"),
        review_comments: part.number_field("review_comments"),
        files: part.number_field("changed_files"),
        additions: part.number_field("additions"),
        deletions: part.number_field("deletions"),
        ..Counts::default()
    }
}

/// An account; `None` for null and for the account -1, which stands for every one that was deleted.
pub(super) fn account(part: Reader<'_>) -> Option<Actor> {
    if is_gone(part.value()) { None } else { actor(part) }
}

fn is_gone(account: &Json<'_>) -> bool {
    matches!(account.get("id"), Some(Json::Number(id)) if id.as_f64() == -1.0)
}

pub(super) fn account_field(part: Reader<'_>, name: &'static str) -> Field<Actor> {
    if part.value().get(name).is_some_and(is_gone) { Field::Null } else { part.field(name, account) }
}

/// Who wrote something. What was migrated names the author that it had elsewhere, and beside it whoever migrated it, or nobody.
fn author(part: Reader<'_>) -> Field<Actor> {
    match part.filled("original_author") {
        Some(login) => Field::Known(Actor { login, account: Some(MIGRATED.to_owned()), ..Actor::default() }),
        None => account_field(part, "user"),
    }
}

/// Reads an item of a set; `None` for a request for a review, which is listed among reviews and is none.
pub(in crate::forge) fn item(facet: Facet, value: &Json<'_>) -> Option<Result<Noted<Item>, InvalidMetadata>> {
    if facet == Facet::Reviews && text(value, "state") == Some("REQUEST_REVIEW") {
        return None;
    }
    if facet == Facet::Commits {
        return Some(github::item(facet, value));
    }
    Some(noted(value, |part| read(facet, part)))
}

fn read(facet: Facet, value: Reader<'_>) -> Result<Item, InvalidMetadata> {
    match facet {
        Facet::Header | Facet::Commits | Facet::Checks | Facet::Threads | Facet::Logs | Facet::Diff => {
            Err(InvalidMetadata { member: "facet" })
        }
        Facet::Comments => comment(value).map(Box::new).map(Item::Comment),
        Facet::Reviews => review(value).map(Box::new).map(Item::Review),
        Facet::ReviewComments => review_comment(value).map(Box::new).map(Item::ReviewComment),
        Facet::Statuses => status(value).map(Box::new).map(Item::Check),
        Facet::Files => file(value).map(Box::new).map(Item::File),
        Facet::Timeline | Facet::Events => event(value).map(Box::new).map(Item::Event),
        Facet::Labels => label(value).ok_or(InvalidMetadata { member: "name" }).map(Box::new).map(Item::Label),
        Facet::Reactions => reaction(value).map(Box::new).map(Item::Reaction),
        Facet::Members => member(value).map(Box::new).map(Item::Member),
    }
}

/// The answer about one account. The list of collaborators tells no roles.
fn member(part: Reader<'_>) -> Result<Member, InvalidMetadata> {
    let actor = part.get("user", account).ok_or(InvalidMetadata { member: "user" })?;
    let id = actor.id.ok_or(InvalidMetadata { member: "id" })?;
    let access = part.word("permission", |word| match word {
        "owner" | "admin" => Some(Access::Admin),
        "write" => Some(Access::Write),
        "read" => Some(Access::Read),
        "none" => Some(Access::None),
        _ => None,
    });
    Ok(Member { id, actor, access })
}

fn comment(part: Reader<'_>) -> Result<Comment, InvalidMetadata> {
    Ok(Comment {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        url: part.filled("html_url"),
        author: author(part),
        association: None,
        body: part.text_field("body"),
        created_at: part.time("created_at"),
        updated_at: part.time("updated_at"),
        minimized: Minimized::default(),
        reactions: None,
        internal: None,
    })
}

/// A dismissed review keeps its word and says so beside it. The time of a pending one is that of its making.
fn review(part: Reader<'_>) -> Result<Review, InvalidMetadata> {
    let dismissed = part.is("dismissed");
    let state = part.word("state", |word| match word {
        "APPROVED" | "REQUEST_CHANGES" | "COMMENT" | "DISMISSED" if dismissed => Some(ReviewState::Dismissed),
        "APPROVED" => Some(ReviewState::Approved),
        "REQUEST_CHANGES" => Some(ReviewState::ChangesRequested),
        "COMMENT" => Some(ReviewState::Commented),
        "DISMISSED" => Some(ReviewState::Dismissed),
        "PENDING" => Some(ReviewState::Pending),
        _ => None,
    });
    if state.is_none() {
        part.note("state");
    }
    Ok(Review {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        url: part.filled("html_url"),
        author: author(part),
        association: None,
        body: part.text_field("body"),
        state,
        submitted_at: part.time("submitted_at").filter(|_| state != Some(ReviewState::Pending)),
        commit: part.filled("commit_id"),
        minimized: Minimized::default(),
    })
}

/// `position` is a line of the new file, `original_position` one of the old: each 0 where the comment is on the other. They are
/// those of the commit that was commented on; where it stands now, or that it is outdated, is not told.
fn review_comment(part: Reader<'_>) -> Result<ReviewComment, InvalidMetadata> {
    let line = |name| part.number(name).filter(|line| *line > 0);
    let (side, original_line) = match (line("position"), line("original_position")) {
        (Some(right), _) => (Some("right"), Some(right)),
        (None, Some(left)) => (Some("left"), Some(left)),
        (None, None) => (None, None),
    };
    Ok(ReviewComment {
        comment: comment(part)?,
        review: part.number("pull_request_review_id").map(Into::into),
        reply_to: None,
        thread: None,
        resolved: part.value().get("resolver").map(|resolver| !resolver.is_null()),
        resolution: Resolution { by: account_field(part, "resolver"), at: None },
        place: Place {
            path: part.filled("path"),
            side: side.map(str::to_owned),
            original_line,
            diff_hunk: part.filled("diff_hunk"),
            original_commit: part.filled("commit_id"),
            ..Place::default()
        },
    })
}

/// A commit status; its word for progress and outcome is `status`, in older answers `state`.
fn status(part: Reader<'_>) -> Result<Check, InvalidMetadata> {
    let outcome = part.word("status", outcome).or_else(|| part.word("state", outcome));
    if outcome.is_none() {
        part.note("status");
    }
    // Noted where it is no text.
    let head_sha = part.str("url").and_then(|_| commit(part.value()));
    Ok(Check {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        origin: CheckOrigin::Status,
        name: part.text("context").ok_or(InvalidMetadata { member: "context" })?,
        status: outcome.map(|(status, _)| status),
        conclusion: outcome.and_then(|(_, conclusion)| conclusion).map(str::to_owned),
        head_sha,
        attempt: None,
        run: None,
        created_at: part.time("created_at"),
        // The time of nobody and nothing is the year 1.
        updated_at: part.time("updated_at").filter(|time| part.time("created_at").is_some_and(|made| made <= *time)),
        started_at: None,
        completed_at: None,
        url: None,
        details_url: part.filled("target_url"),
        reporter: part.get("creator", account).map(|creator| creator.login),
        title: part.filled("description"),
        summary: None,
    })
}

fn outcome(word: &str) -> Option<(CheckStatus, Option<&'static str>)> {
    let conclusion = match word {
        "pending" | "waiting" | "blocked" => return Some((CheckStatus::Queued, None)),
        "running" => return Some((CheckStatus::InProgress, None)),
        "success" => "success",
        "failure" => "failure",
        "error" => "error",
        "skipped" => "skipped",
        "warning" => "neutral",
        "cancelled" | "canceled" => "cancelled",
        _ => return None,
    };
    Some((CheckStatus::Completed, Some(conclusion)))
}

fn file(part: Reader<'_>) -> Result<FileChange, InvalidMetadata> {
    let status = part.word("status", |word| {
        Some(
            match word {
                "added" | "renamed" | "copied" | "unchanged" | "modified" => word,
                "changed" => "modified",
                "deleted" | "removed" => "removed",
                _ => return None,
            }
            .to_owned(),
        )
    });
    if status.is_none() {
        part.note("status");
    }
    Ok(FileChange {
        path: part.text("filename").ok_or(InvalidMetadata { member: "filename" })?,
        previous_path: part.filled("previous_filename"),
        status,
        additions: part.number("additions"),
        deletions: part.number("deletions"),
        sha: None,
        patch: None,
    })
}

/// Reactions have no ids here. Which there are is for whoever runs the server to choose.
fn reaction(part: Reader<'_>) -> Result<Reaction, InvalidMetadata> {
    Ok(Reaction {
        id: None,
        node_id: None,
        content: part.filled("content").ok_or(InvalidMetadata { member: "content" })?,
        actor: account_field(part, "user"),
        created_at: part.time("created_at"),
    })
}
