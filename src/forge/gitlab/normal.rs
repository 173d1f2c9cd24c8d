//! From elements to normal forms.

use crate::format::access::Access;
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::facets::{
    Check, CheckOrigin, CheckStatus, Commit, Field, FileChange, InvalidMetadata, Item, Member, Noted, Reaction,
};
use crate::forge::member::{Reader, is_object_id, label, noted, number, text};

use super::conversation::{comment, review_comment};
use super::events::{of_note, of_resource};
use super::header::account;
use super::shape::{Shape, facet_of_note, of};

/// Reads what an item of a set shows of a facet: of a discussion, each note that belongs there.
pub(in crate::forge) fn items(facet: Facet, value: &Json<'_>) -> Vec<Result<Noted<Item>, InvalidMetadata>> {
    if of(value) != Shape::Discussion {
        return vec![noted(value, |part| item(facet, part, None))];
    }
    let notes = value.get("notes").and_then(Json::as_array).unwrap_or_default();
    let of_facet = || notes.iter().filter(|note| facet_of_note(note) == facet);
    let root = of_facet().next().and_then(|note| number(note, "id"));
    let thread = text(value, "id").map(str::to_owned);
    let in_thread = |item| match item {
        Item::ReviewComment(mut comment) => {
            comment.thread.clone_from(&thread);
            Item::ReviewComment(comment)
        }
        other => other,
    };
    of_facet().map(|note| noted(note, |part| item(facet, part, root).map(in_thread))).collect()
}

fn item(facet: Facet, part: Reader<'_>, root: Option<u64>) -> Result<Item, InvalidMetadata> {
    Ok(match facet {
        Facet::Header | Facet::Reviews | Facet::Threads | Facet::Events | Facet::Logs | Facet::Diff => {
            return Err(InvalidMetadata { member: "facet" });
        }
        Facet::Comments => Item::Comment(comment(part)?.into()),
        Facet::ReviewComments => Item::ReviewComment(review_comment(part, root)?.into()),
        Facet::Timeline if of(part.value()) == Shape::Note => Item::Event(of_note(part)?.into()),
        Facet::Timeline => Item::Event(of_resource(part)?.into()),
        Facet::Checks => Item::Check(check(part, CheckOrigin::Run)?.into()),
        Facet::Statuses => Item::Check(check(part, CheckOrigin::Status)?.into()),
        Facet::Files => Item::File(file(part)?.into()),
        Facet::Commits => Item::Commit(commit(part)?.into()),
        Facet::Labels => Item::Label(label(part).ok_or(InvalidMetadata { member: "name" })?.into()),
        Facet::Reactions => Item::Reaction(reaction(part)?.into()),
        Facet::Members => Item::Member(member(part)?.into()),
    })
}

/// A job, a pipeline (a check without a name) or an external status. All have the same words.
fn check(part: Reader<'_>, origin: CheckOrigin) -> Result<Check, InvalidMetadata> {
    let is_pipeline = origin == CheckOrigin::Run && part.value().get("stage").is_none();
    let origin = if is_pipeline { CheckOrigin::Pipeline } else { origin };
    let name = if is_pipeline { Some("pipeline".to_owned()) } else { part.text("name") };
    let outcome = part.word("status", outcome);
    if outcome.is_none() {
        part.note("status");
    }
    let of = |name| part.below(name);
    let sha = part.text("sha").or_else(|| of("commit")?.text("id")).or_else(|| of("pipeline")?.text("sha"));
    Ok(Check {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        origin,
        name: name.ok_or(InvalidMetadata { member: "name" })?,
        status: outcome.map(|(status, _)| status),
        conclusion: outcome.and_then(|(_, conclusion)| conclusion).map(str::to_owned),
        head_sha: sha,
        attempt: None,
        run: None,
        created_at: part.time("created_at"),
        updated_at: None,
        started_at: part.time("started_at"),
        completed_at: part.time("finished_at"),
        url: part.text("web_url"),
        details_url: part.text("target_url"),
        reporter: part.get("author", account).map(|author| author.login),
        title: part.text("description").or_else(|| part.text("failure_reason")).or_else(|| part.text("source")),
        summary: None,
    })
}

fn outcome(word: &str) -> Option<(CheckStatus, Option<&'static str>)> {
    let conclusion = match word {
        "created"
        | "waiting_for_resource"
        | "waiting_for_callback"
        | "preparing"
        | "pending"
        | "scheduled"
        | "manual" => {
            return Some((CheckStatus::Queued, None));
        }
        "running" | "canceling" => return Some((CheckStatus::InProgress, None)),
        "success" => "success",
        "failed" => "failure",
        "canceled" => "cancelled",
        "skipped" => "skipped",
        _ => return None,
    };
    Some((CheckStatus::Completed, Some(conclusion)))
}

fn file(part: Reader<'_>) -> Result<FileChange, InvalidMetadata> {
    let path = part.text("new_path").ok_or(InvalidMetadata { member: "new_path" })?;
    let status = match (part.is("new_file"), part.is("deleted_file"), part.is("renamed_file")) {
        (true, false, false) => "added",
        (false, true, false) => "removed",
        (false, false, true) => "renamed",
        (false, false, false) => "modified",
        _ => return Err(InvalidMetadata { member: "new_file" }),
    };
    Ok(FileChange {
        previous_path: part.text("old_path").filter(|old| status == "renamed" && *old != path),
        path,
        status: Some(status.to_owned()),
        additions: None,
        deletions: None,
        sha: None,
        patch: part.str("diff").and_then(hunks).map(str::to_owned),
    })
}

/// The hunks of a diff. Older versions write headers before them; of a binary file, and of one that is too large, there are none.
fn hunks(diff: &str) -> Option<&str> {
    let at = if diff.starts_with("@@ ") { 0 } else { diff.find("\n@@ ")? + 1 };
    let headers = diff[..at].lines().all(|line| line.starts_with("--- ") || line.starts_with("+++ "));
    headers.then_some(&diff[at..])
}

/// A commit. The list of a merge request leaves `parent_ids` empty, so that an empty one tells no parents.
fn commit(part: Reader<'_>) -> Result<Commit, InvalidMetadata> {
    let sha = part.str("id").filter(|sha| is_object_id(sha)).ok_or(InvalidMetadata { member: "id" })?;
    let parent = |parent: Reader<'_>| parent.value().as_str().filter(|sha| is_object_id(sha)).map(str::to_owned);
    let parents = match part.field("parent_ids", |list| list.every(parent)) {
        Field::Known(parents) => parents,
        Field::Unknown if part.value().get("parent_ids").is_some() => {
            return Err(InvalidMetadata { member: "parent_ids" });
        }
        Field::Unknown | Field::Null => Vec::new(),
    };
    Ok(Commit {
        sha: sha.to_owned(),
        parents: Some(parents).filter(|parents| !parents.is_empty()),
        message: part.text("message"),
        author_name: part.text("author_name"),
        author: Field::Unknown,
        authored_at: part.time("authored_date"),
        committed_at: part.time("committed_date"),
        url: part.text("web_url"),
    })
}

/// A member with the level of its access.
fn member(part: Reader<'_>) -> Result<Member, InvalidMetadata> {
    let actor = account(part).ok_or(InvalidMetadata { member: "username" })?;
    let id = actor.id.ok_or(InvalidMetadata { member: "id" })?;
    let access = part.get("access_level", |level| {
        Some(match level.value().as_u64()? {
            0 | 5 => Access::None,
            10 => Access::Read,
            20 => Access::Triage,
            30 => Access::Write,
            40 => Access::Maintain,
            50 => Access::Admin,
            _ => return None,
        })
    });
    // Whoever still waits to be let in may do nothing yet.
    let waits = part.str("membership_state").is_some_and(|state| state != "active");
    if access.is_none() {
        part.note("access_level");
    }
    Ok(Member { id, actor, access: if waits { Some(Access::None) } else { access } })
}

/// An award. The two thumbs have GitHub's names; every other emoji keeps its own.
fn reaction(part: Reader<'_>) -> Result<Reaction, InvalidMetadata> {
    let content = match part.str("name") {
        Some("thumbsup") => "+1",
        Some("thumbsdown") => "-1",
        Some(name) if !name.is_empty() => name,
        _ => return Err(InvalidMetadata { member: "name" }),
    };
    Ok(Reaction {
        id: Some(part.number("id").ok_or(InvalidMetadata { member: "id" })?),
        node_id: None,
        content: content.to_owned(),
        actor: part.field("user", account),
        created_at: part.time("created_at"),
    })
}
