//! From elements to normal forms.

use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::facets::{
    Check, CheckOrigin, CheckStatus, Commit, Field, FileChange, InvalidMetadata, Item, Noted, Reaction, ReviewComment,
};
use crate::forge::member::{is_object_id, label, noted};
use crate::forge::member::{number, owned, text, time};

use super::conversation::{comment, review_comment};
use super::events::{of_note, of_resource};
use super::header::{account, account_field};
use super::shape::{Shape, facet_of_note, of};

/// Reads what an item of a set shows of a facet: of a discussion, each note that belongs there.
pub(in crate::forge) fn items(facet: Facet, value: &Json<'_>) -> Vec<Result<Noted<Item>, InvalidMetadata>> {
    if of(value) != Shape::Discussion {
        return vec![item(facet, value, None).map(noted)];
    }
    let notes = value.get("notes").and_then(Json::as_array).unwrap_or_default();
    let of_facet = || notes.iter().filter(|note| facet_of_note(note) == facet);
    let root = of_facet().next().and_then(|note| number(note, "id"));
    let thread = owned(value, "id");
    let in_thread = |item| match item {
        Item::ReviewComment(comment) => Item::ReviewComment(ReviewComment { thread: thread.clone(), ..comment }),
        other => other,
    };
    of_facet().map(|note| item(facet, note, root).map(in_thread).map(noted)).collect()
}

fn item(facet: Facet, value: &Json<'_>, root: Option<u64>) -> Result<Item, InvalidMetadata> {
    Ok(match facet {
        Facet::Header | Facet::Reviews | Facet::Threads | Facet::Events | Facet::Logs | Facet::Diff => {
            return Err(InvalidMetadata { member: "facet" });
        }
        Facet::Comments => Item::Comment(comment(value)?),
        Facet::ReviewComments => Item::ReviewComment(review_comment(value, root)?),
        Facet::Timeline if of(value) == Shape::Note => Item::Event(of_note(value)?),
        Facet::Timeline => Item::Event(of_resource(value)?),
        Facet::Checks => Item::Check(check(value, CheckOrigin::Run)?),
        Facet::Statuses => Item::Check(check(value, CheckOrigin::Status)?),
        Facet::Files => Item::File(file(value)?),
        Facet::Commits => Item::Commit(commit(value)?),
        Facet::Labels => Item::Label(label(value).ok_or(InvalidMetadata { member: "name" })?),
        Facet::Reactions => Item::Reaction(reaction(value)?),
    })
}

/// A job, a pipeline (a check without a name) or an external status. All have the same words.
fn check(value: &Json<'_>, origin: CheckOrigin) -> Result<Check, InvalidMetadata> {
    let is_pipeline = origin == CheckOrigin::Run && value.get("stage").is_none();
    let origin = if is_pipeline { CheckOrigin::Pipeline } else { origin };
    let name = if is_pipeline { Some("pipeline".to_owned()) } else { owned(value, "name") };
    let (status, conclusion) = outcome(text(value, "status"));
    let sha = ["/sha", "/commit/id", "/pipeline/sha"].iter().find_map(|at| value.pointer(at)?.as_str());
    Ok(Check {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        origin,
        name: name.ok_or(InvalidMetadata { member: "name" })?,
        status,
        conclusion: conclusion.map(str::to_owned),
        head_sha: sha.map(str::to_owned),
        attempt: None,
        run: None,
        created_at: time(value, "created_at"),
        started_at: time(value, "started_at"),
        completed_at: time(value, "finished_at"),
        url: owned(value, "web_url"),
        details_url: owned(value, "target_url"),
        reporter: value.get("author").and_then(account).map(|author| author.login),
        title: owned(value, "description")
            .or_else(|| owned(value, "failure_reason"))
            .or_else(|| owned(value, "source")),
        summary: None,
    })
}

fn outcome(word: Option<&str>) -> (Option<CheckStatus>, Option<&'static str>) {
    let conclusion = match word {
        Some(
            "created"
            | "waiting_for_resource"
            | "waiting_for_callback"
            | "preparing"
            | "pending"
            | "scheduled"
            | "manual",
        ) => return (Some(CheckStatus::Queued), None),
        Some("running" | "canceling") => return (Some(CheckStatus::InProgress), None),
        Some("success") => "success",
        Some("failed") => "failure",
        Some("canceled") => "cancelled",
        Some("skipped") => "skipped",
        _ => return (None, None),
    };
    (Some(CheckStatus::Completed), Some(conclusion))
}

fn file(value: &Json<'_>) -> Result<FileChange, InvalidMetadata> {
    let is = |name: &str| value.get(name).and_then(Json::as_bool) == Some(true);
    let path = owned(value, "new_path").ok_or(InvalidMetadata { member: "new_path" })?;
    let status = match (is("new_file"), is("deleted_file"), is("renamed_file")) {
        (true, false, false) => "added",
        (false, true, false) => "removed",
        (false, false, true) => "renamed",
        (false, false, false) => "modified",
        _ => return Err(InvalidMetadata { member: "new_file" }),
    };
    Ok(FileChange {
        previous_path: owned(value, "old_path").filter(|old| status == "renamed" && *old != path),
        path,
        status: Some(status.to_owned()),
        additions: None,
        deletions: None,
        sha: None,
        patch: text(value, "diff").and_then(hunks).map(str::to_owned),
    })
}

/// The hunks of a diff. Older versions write headers before them; of a binary file, and of one that is too large, there are none.
fn hunks(diff: &str) -> Option<&str> {
    let at = if diff.starts_with("@@ ") { 0 } else { diff.find("\n@@ ")? + 1 };
    let headers = diff[..at].lines().all(|line| line.starts_with("--- ") || line.starts_with("+++ "));
    headers.then_some(&diff[at..])
}

/// A commit. The list of a merge request leaves `parent_ids` empty.
fn commit(value: &Json<'_>) -> Result<Commit, InvalidMetadata> {
    let sha = text(value, "id").filter(|sha| is_object_id(sha)).ok_or(InvalidMetadata { member: "id" })?;
    let parents = value.get("parent_ids").and_then(Json::as_array).unwrap_or_default();
    let parent = |parent: &Json<'_>| parent.as_str().filter(|sha| is_object_id(sha)).map(str::to_owned);
    Ok(Commit {
        sha: sha.to_owned(),
        parents: Some(
            parents.iter().map(parent).collect::<Option<_>>().ok_or(InvalidMetadata { member: "parent_ids" })?,
        ),
        message: owned(value, "message"),
        author_name: owned(value, "author_name"),
        author: Field::Unknown,
        authored_at: time(value, "authored_date"),
        committed_at: time(value, "committed_date"),
        url: owned(value, "web_url"),
    })
}

/// An award. The two thumbs have GitHub's names; every other emoji keeps its own.
fn reaction(value: &Json<'_>) -> Result<Reaction, InvalidMetadata> {
    let content = match text(value, "name") {
        Some("thumbsup") => "+1",
        Some("thumbsdown") => "-1",
        Some(name) if !name.is_empty() => name,
        _ => return Err(InvalidMetadata { member: "name" }),
    };
    Ok(Reaction {
        id: Some(number(value, "id").ok_or(InvalidMetadata { member: "id" })?),
        content: content.to_owned(),
        actor: account_field(value, "user"),
        created_at: time(value, "created_at"),
    })
}
