//! The items of sets.

use std::collections::BTreeMap;

use super::connection::Connection;
use super::read::{actor, actor_field, database_id, field, id, node_id, owned};
use super::texts::{COMMENT, comment, in_review, review, review_comment, thread};
use super::{events, header};
use crate::forge::facets::{
    Actor, Check, CheckOrigin, CheckStatus, Commit, Field, FileChange, Id, InvalidMetadata, Item, Member, Noted, Place,
    Reaction, check_occasion,
};
use crate::forge::member::{number, text, time};
use crate::forge::url::Target;
use crate::format::facet::Facet;
use crate::format::json::Json;

/// Reads what an item of a set shows of a facet: as a rule one item. A review shows the comments in it.
pub fn items(facet: Facet, value: &Json<'_>) -> Vec<Result<Noted<Item>, InvalidMetadata>> {
    let list = value.get("comments").filter(|_| facet == Facet::ReviewComments);
    match list.and_then(|list| Connection::read("", list, false)) {
        Some(list) => list.items.into_iter().map(|(_, comment)| in_review(comment, value)).collect(),
        None => vec![item(facet, value)],
    }
}

/// Reads an item of a set. What was not asked for is unknown.
///
/// # Errors
/// [`InvalidMetadata`] names the member without which the item has no identity or no meaning.
pub(super) fn item(facet: Facet, value: &Json<'_>) -> Result<Noted<Item>, InvalidMetadata> {
    let found = match facet {
        Facet::Header | Facet::Logs | Facet::Diff => return Err(InvalidMetadata { member: "facet" }),
        Facet::Comments => Item::Comment(comment(value, &COMMENT)?.into()),
        Facet::Reviews => Item::Review(review(value)?.into()),
        Facet::ReviewComments => Item::ReviewComment(review_comment(value)?.into()),
        Facet::Threads => Item::Thread(thread(value)?.into()),
        Facet::Checks => Item::Check(run(value)?.into()),
        Facet::Statuses => Item::Check(status(value)?.into()),
        Facet::Files => Item::File(file(value)?.into()),
        Facet::Commits => Item::Commit(commit(value)?.into()),
        Facet::Timeline | Facet::Events => Item::Event(events::event(value)?.into()),
        Facet::Labels => Item::Label(header::label(value).ok_or(InvalidMetadata { member: "name" })?.into()),
        Facet::Reactions => Item::Reaction(reaction(value)?.into()),
        Facet::Members => Item::Member(member(value)?.into()),
    };
    let odd = odd(value, &found);
    Ok(Noted { value: found, odd })
}

/// The members with a word that the mapping table does not list, or without one where every query asks for it.
fn odd(value: &Json<'_>, item: &Item) -> Vec<&'static str> {
    let told = |name| text(value, name).is_some();
    let of_place = |place: &Place| {
        [("diffSide", place.side.is_none()), ("subjectType", place.subject.is_none())]
            .map(|(name, none)| (name, none && told(name)))
    };
    let odd = match item {
        Item::Review(review) => vec![("state", review.state.is_none())],
        Item::Check(check) => vec![match check.status {
            Some(CheckStatus::Completed) => ("conclusion", check.conclusion.is_none()),
            other => ("state", other.is_none()),
        }],
        Item::ReviewComment(comment) => of_place(&comment.place).to_vec(),
        Item::Thread(thread) => of_place(&thread.place).to_vec(),
        Item::Member(member) => vec![("permission", member.access.is_none())],
        Item::File(file) => vec![("changeType", file.status.is_none() && told("changeType"))],
        _ => Vec::new(),
    };
    odd.into_iter().filter(|(_, is_odd)| *is_odd).map(|(name, _)| name).collect()
}

/// The object id of a commit that a node names. `gh` writes an empty one for null.
pub(super) fn oid(value: &Json<'_>, name: &str) -> Option<String> {
    value.get(name).and_then(|commit| owned(commit, "oid")).filter(|oid| !oid.is_empty())
}

/// The conclusions of a check run that the documentation lists.
const CONCLUSIONS: [&str; 9] = [
    "ACTION_REQUIRED",
    "CANCELLED",
    "FAILURE",
    "NEUTRAL",
    "SKIPPED",
    "STALE",
    "STARTUP_FAILURE",
    "SUCCESS",
    "TIMED_OUT",
];

fn run(value: &Json<'_>) -> Result<Check, InvalidMetadata> {
    let name = owned(value, "name").ok_or(InvalidMetadata { member: "name" })?;
    let status = match text(value, "status") {
        Some("QUEUED" | "WAITING" | "REQUESTED" | "PENDING") => Some(CheckStatus::Queued),
        Some("IN_PROGRESS") => Some(CheckStatus::InProgress),
        Some("COMPLETED") => Some(CheckStatus::Completed),
        _ => None,
    };
    let concluded = status == Some(CheckStatus::Completed);
    let conclusion = text(value, "conclusion").filter(|word| concluded && CONCLUSIONS.contains(word));
    let started_at = moment(value, "startedAt");
    let named = || started_at.and_then(|at| check_occasion(&name, at)).and_then(|text| Id::of_text(&text));
    Ok(Check {
        id: id(value, &["CR", "CheckRun"])
            .or_else(|| job(value))
            .or_else(named)
            .ok_or(InvalidMetadata { member: "id" })?,
        node_id: node_id(value),
        origin: CheckOrigin::Run,
        status,
        conclusion: conclusion.map(str::to_ascii_lowercase),
        head_sha: value.get("checkSuite").and_then(|suite| oid(suite, "commit")),
        attempt: None,
        run: None,
        created_at: None,
        updated_at: None,
        started_at,
        completed_at: moment(value, "completedAt"),
        url: owned(value, "permalink").or_else(|| owned(value, "url")),
        details_url: owned(value, "detailsUrl").filter(|url| !url.is_empty()),
        reporter: value.pointer("/checkSuite/app/slug").and_then(Json::as_str).map(str::to_owned),
        title: owned(value, "title"),
        summary: owned(value, "summary"),
        name,
    })
}

/// A time; `gh` writes the first moment of its calendar for null.
fn moment(value: &Json<'_>, name: &str) -> Option<crate::format::time::Time> {
    super::read::time_field(value, name).known().copied()
}

/// The run of a job of GitHub Actions has the number of the job, which is in its page.
fn job(value: &Json<'_>) -> Option<Id> {
    let target =
        text(value, "detailsUrl").and_then(Target::parse).filter(|target| !target.api && target.is_github_host())?;
    target.repository?;
    let path = text(value, "detailsUrl")?.split(['?', '#']).next()?;
    let (run, job) = path.split_once("/actions/runs/")?.1.split_once("/job/")?;
    crate::format::entity::parse_number(run)?;
    crate::format::entity::parse_number(job).map(Id::from)
}

fn status(value: &Json<'_>) -> Result<Check, InvalidMetadata> {
    let name = owned(value, "context").ok_or(InvalidMetadata { member: "context" })?;
    let (status, conclusion) = match text(value, "state") {
        Some("PENDING" | "EXPECTED") => (Some(CheckStatus::Queued), None),
        Some("SUCCESS") => (Some(CheckStatus::Completed), Some("success")),
        Some("FAILURE") => (Some(CheckStatus::Completed), Some("failure")),
        Some("ERROR") => (Some(CheckStatus::Completed), Some("error")),
        _ => (None, None),
    };
    // `gh` calls it the start.
    let created_at = moment(value, "createdAt").or_else(|| moment(value, "startedAt"));
    let named = || created_at.and_then(|at| check_occasion(&name, at)).and_then(|text| Id::of_text(&text));
    Ok(Check {
        id: id(value, &["SC", "StatusContext", "Status"]).or_else(named).ok_or(InvalidMetadata { member: "id" })?,
        node_id: node_id(value),
        origin: CheckOrigin::Status,
        status,
        conclusion: conclusion.map(str::to_owned),
        head_sha: oid(value, "commit"),
        attempt: None,
        run: None,
        created_at,
        updated_at: None,
        started_at: None,
        completed_at: None,
        url: None,
        details_url: owned(value, "targetUrl").filter(|url| !url.is_empty()),
        reporter: value.get("creator").and_then(actor).map(|creator| creator.login),
        title: owned(value, "description").filter(|text| !text.is_empty()),
        summary: None,
        name,
    })
}

fn file(value: &Json<'_>) -> Result<FileChange, InvalidMetadata> {
    let status = match text(value, "changeType") {
        Some("ADDED") => Some("added"),
        Some("CHANGED") => Some("changed"),
        Some("COPIED") => Some("copied"),
        Some("DELETED") => Some("removed"),
        Some("MODIFIED") => Some("modified"),
        Some("RENAMED") => Some("renamed"),
        _ => None,
    };
    Ok(FileChange {
        path: owned(value, "path").ok_or(InvalidMetadata { member: "path" })?,
        previous_path: None,
        status: status.map(str::to_owned),
        additions: number(value, "additions"),
        deletions: number(value, "deletions"),
        sha: None,
        patch: None,
    })
}

fn commit(value: &Json<'_>) -> Result<Commit, InvalidMetadata> {
    let is_oid =
        |oid: &str| matches!(oid.len(), 40 | 64) && oid.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let oid = owned(value, "oid").filter(|oid| is_oid(oid)).ok_or(InvalidMetadata { member: "oid" })?;
    let parents = value.get("parents").and_then(|list| Connection::read("", list, true)).filter(Connection::is_whole);
    let parents =
        parents.map(|list| list.items.into_iter().map(|(_, parent)| owned(parent, "oid").filter(|oid| is_oid(oid))));
    let parents = match parents.map(Iterator::collect::<Option<Vec<_>>>) {
        Some(None) => return Err(InvalidMetadata { member: "parents" }),
        Some(found) => found,
        None => None,
    };
    // `gh` lists all authors of a commit, the one in its header first.
    let author =
        value.get("author").or_else(|| value.pointer("/authors/nodes/0")).or_else(|| value.pointer("/authors/0"));
    Ok(Commit {
        url: owned(value, "url"),
        message: message(value),
        author_name: author.and_then(|author| owned(author, "name")),
        author: author.map_or(Field::Unknown, account),
        authored_at: time(value, "authoredDate"),
        committed_at: time(value, "committedDate"),
        sha: oid,
        parents,
    })
}

/// The account of whoever made a commit: `user`, or in what `gh` prints the login, empty where there is none.
fn account(person: &Json<'_>) -> Field<Actor> {
    match text(person, "login") {
        Some("") => Field::Null,
        Some(_) => actor(person).map_or(Field::Unknown, Field::Known),
        None => field(person, "user", actor),
    }
}

/// What an account may do, which the edge tells that leads to it.
fn member(edge: &Json<'_>) -> Result<Member, InvalidMetadata> {
    let actor = edge.get("node").and_then(actor).ok_or(InvalidMetadata { member: "login" })?;
    let id = actor.id.ok_or(InvalidMetadata { member: "id" })?;
    let access = text(edge, "permission").and_then(|word| word.to_ascii_lowercase().parse().ok());
    Ok(Member { id, actor, access })
}

/// The message, else its two halves as they stand in it. GitHub cuts a long headline and marks the place on both sides of it.
fn message(value: &Json<'_>) -> Option<String> {
    if let Some(message) = owned(value, "message") {
        return Some(message);
    }
    let (headline, body) = (text(value, "messageHeadline")?, text(value, "messageBody")?);
    match (headline.strip_suffix('…'), body.strip_prefix('…')) {
        (Some(start), Some(rest)) => Some(format!("{start}{rest}")),
        _ if body.is_empty() => Some(headline.to_owned()),
        _ => Some(format!("{headline}\n\n{body}")),
    }
}

/// The content of a reaction, in the word of REST.
fn content(value: &Json<'_>) -> Option<&'static str> {
    Some(match text(value, "content")? {
        "THUMBS_UP" => "+1",
        "THUMBS_DOWN" => "-1",
        "CONFUSED" => "confused",
        "EYES" => "eyes",
        "HEART" => "heart",
        "HOORAY" => "hooray",
        "LAUGH" => "laugh",
        "ROCKET" => "rocket",
        _ => return None,
    })
}

/// The counts of the groups of reactions, those that are none left out; unknown when one cannot be read.
pub(super) fn reaction_counts(value: &Json<'_>) -> Option<BTreeMap<String, u64>> {
    let groups = value.get("reactionGroups").and_then(Json::as_array)?;
    let count = |group: &Json<'_>| {
        let whom = ["users", "reactors"].iter().find_map(|name| group.get(name))?;
        Some((content(group)?.to_owned(), number(whom, "totalCount")?))
    };
    let counts = groups.iter().map(count).collect::<Option<BTreeMap<_, _>>>()?;
    Some(counts.into_iter().filter(|(_, count)| *count > 0).collect())
}

fn reaction(value: &Json<'_>) -> Result<Reaction, InvalidMetadata> {
    let content = content(value).ok_or(InvalidMetadata { member: "content" })?;
    Ok(Reaction {
        id: database_id(value, &["REA", "Reaction"]),
        node_id: node_id(value),
        content: content.to_owned(),
        actor: actor_field(value, "user"),
        created_at: time(value, "createdAt"),
    })
}
