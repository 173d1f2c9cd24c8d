//! Check runs and commit statuses.

use crate::forge::facets::{Check, CheckOrigin, CheckStatus, InvalidMetadata};
use crate::forge::resource::Resource;
use crate::forge::url::Target;

use super::read::Reader;

/// The conclusions of a check run that the documentation lists.
const CONCLUSIONS: [&str; 9] = [
    "action_required",
    "cancelled",
    "failure",
    "neutral",
    "skipped",
    "stale",
    "startup_failure",
    "success",
    "timed_out",
];

pub(super) fn run(part: Reader<'_>) -> Result<Check, InvalidMetadata> {
    let status = part.word("status", run_status);
    let conclusion = match status {
        Some(CheckStatus::Completed) => {
            part.word("conclusion", |word| CONCLUSIONS.contains(&word).then(|| word.to_owned()))
        }
        _ => None,
    };
    if status.is_none() || (status == Some(CheckStatus::Completed) && conclusion.is_none()) {
        part.note("status");
    }
    let output = part.below("output");
    Ok(Check {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: part.text("node_id"),
        origin: CheckOrigin::Run,
        name: part.text("name").ok_or(InvalidMetadata { member: "name" })?,
        status,
        conclusion,
        head_sha: part.text("head_sha"),
        created_at: None,
        started_at: part.time("started_at"),
        completed_at: part.time("completed_at"),
        url: part.text("html_url"),
        details_url: part.text("details_url"),
        reporter: part.below("app").and_then(|app| app.text("slug")),
        title: output.and_then(|output| output.text("title")),
        summary: output.and_then(|output| output.text("summary")),
    })
}

fn run_status(word: &str) -> Option<CheckStatus> {
    Some(match word {
        "queued" | "waiting" | "requested" | "pending" => CheckStatus::Queued,
        "in_progress" => CheckStatus::InProgress,
        "completed" => CheckStatus::Completed,
        _ => return None,
    })
}

/// A commit status has one word for progress and outcome, and no times but that of its making.
pub(super) fn status(part: Reader<'_>) -> Result<Check, InvalidMetadata> {
    let state = part.word("state", |word| match word {
        "pending" => Some((CheckStatus::Queued, None)),
        "success" | "failure" | "error" => Some((CheckStatus::Completed, Some(word.to_owned()))),
        _ => None,
    });
    if state.is_none() {
        part.note("state");
    }
    let (status, conclusion) = state.map_or((None, None), |(status, conclusion)| (Some(status), conclusion));
    let address = part.text("url");
    let commit = address.as_deref().and_then(Target::parse_api).and_then(|target| match target.resource {
        Resource::Statuses(sha) => Some(sha),
        _ => None,
    });
    Ok(Check {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: part.text("node_id"),
        origin: CheckOrigin::Status,
        name: part.text("context").ok_or(InvalidMetadata { member: "context" })?,
        status,
        conclusion,
        head_sha: commit,
        created_at: part.time("created_at"),
        started_at: None,
        completed_at: None,
        url: None,
        details_url: part.text("target_url"),
        reporter: part.below("creator").and_then(|creator| creator.text("login")),
        title: part.text("description"),
        summary: None,
    })
}
