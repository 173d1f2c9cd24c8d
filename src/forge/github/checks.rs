//! Check runs and commit statuses.

use crate::format::json::Json;

use crate::forge::facets::{Check, CheckOrigin, CheckStatus, InvalidMetadata};
use crate::forge::resource::Resource;
use crate::forge::url::Target;

use super::read::{number, owned, text, time};

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

pub(super) fn run(value: &Json<'_>) -> Result<Check, InvalidMetadata> {
    let status = text(value, "status").and_then(run_status);
    let concluded = status == Some(CheckStatus::Completed);
    let output = |name| value.get("output").and_then(|output| owned(output, name));
    Ok(Check {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: owned(value, "node_id"),
        origin: CheckOrigin::Run,
        name: owned(value, "name").ok_or(InvalidMetadata { member: "name" })?,
        status,
        conclusion: owned(value, "conclusion").filter(|word| concluded && CONCLUSIONS.contains(&word.as_str())),
        head_sha: owned(value, "head_sha"),
        created_at: None,
        started_at: time(value, "started_at"),
        completed_at: time(value, "completed_at"),
        url: owned(value, "html_url"),
        details_url: owned(value, "details_url"),
        reporter: value.get("app").and_then(|app| owned(app, "slug")),
        title: output("title"),
        summary: output("summary"),
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
pub(super) fn status(value: &Json<'_>) -> Result<Check, InvalidMetadata> {
    let word = text(value, "state");
    let (status, conclusion) = match word {
        Some("pending") => (Some(CheckStatus::Queued), None),
        Some("success" | "failure" | "error") => (Some(CheckStatus::Completed), word.map(str::to_owned)),
        _ => (None, None),
    };
    let commit = text(value, "url").and_then(Target::parse_api).and_then(|target| match target.resource {
        Resource::Statuses(sha) => Some(sha),
        _ => None,
    });
    Ok(Check {
        id: number(value, "id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: owned(value, "node_id"),
        origin: CheckOrigin::Status,
        name: owned(value, "context").ok_or(InvalidMetadata { member: "context" })?,
        status,
        conclusion,
        head_sha: commit,
        created_at: time(value, "created_at"),
        started_at: None,
        completed_at: None,
        url: None,
        details_url: owned(value, "target_url"),
        reporter: value.get("creator").and_then(|creator| owned(creator, "login")),
        title: owned(value, "description"),
        summary: None,
    })
}
