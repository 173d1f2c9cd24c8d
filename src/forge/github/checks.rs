//! Check runs, what is shown beside them, and commit statuses.

use crate::forge::facets::{Actor, Check, CheckOrigin, CheckStatus, Field, InvalidMetadata};
use crate::format::json::Json;

use super::owner::commit_of;
use super::shape::{Beside, beside_runs};
use crate::forge::member::Reader;

/// The conclusions of check runs, suites, workflow runs and jobs that the documentation lists.
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

/// A check run, or what is shown beside them.
pub(super) fn check(part: Reader<'_>) -> Result<Check, InvalidMetadata> {
    match beside_runs(part.value()) {
        None => run(part),
        Some(Beside::Job) => job(part),
        Some(Beside::Suite) => suite(part),
        Some(Beside::WorkflowRun) => workflow_run(part),
    }
}

/// What all four have alike. `nullable` is true where the documentation has a status of null.
fn common(part: Reader<'_>, origin: CheckOrigin, nullable: bool) -> Result<Check, InvalidMetadata> {
    let status = part.word("status", run_status);
    let conclusion = match status {
        Some(CheckStatus::Completed) => {
            part.word("conclusion", |word| CONCLUSIONS.contains(&word).then(|| word.to_owned()))
        }
        _ => None,
    };
    let silent = nullable && part.value().get("status").is_some_and(Json::is_null);
    if (status.is_none() && !silent) || (status == Some(CheckStatus::Completed) && conclusion.is_none()) {
        part.note("status");
    }
    let head_sha = part.text("head_sha");
    // A check is of a commit; only a payload that leaves out the member says nothing about it.
    if head_sha.is_none() && part.value().get("head_sha").is_some() {
        part.note("head_sha");
    }
    Ok(Check {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: None,
        origin,
        name: String::new(),
        status,
        conclusion,
        head_sha,
        attempt: None,
        run: None,
        created_at: None,
        updated_at: None,
        started_at: None,
        completed_at: None,
        url: part.text("html_url"),
        details_url: None,
        reporter: Field::Unknown,
        title: None,
        summary: None,
    })
}

fn run(part: Reader<'_>) -> Result<Check, InvalidMetadata> {
    let output = part.below("output");
    Ok(Check {
        node_id: part.text("node_id"),
        name: part.text("name").ok_or(InvalidMetadata { member: "name" })?,
        updated_at: None,
        started_at: part.time("started_at"),
        completed_at: part.time("completed_at"),
        details_url: part.text("details_url"),
        reporter: part.below("app").map_or(Field::Unknown, app),
        title: output.and_then(|output| output.text("title")),
        summary: output.and_then(|output| output.text("summary")),
        ..common(part, CheckOrigin::Run, false)?
    })
}

/// The application of a check run or suite.
fn app(part: Reader<'_>) -> Field<Actor> {
    part.text("slug").map(Actor::of_app).map_or(Field::Unknown, Field::Known)
}

/// The application that reports the check runs of workflows.
const ACTIONS: &str = "github-actions";

/// A job is the check run of the same id.
fn job(part: Reader<'_>) -> Result<Check, InvalidMetadata> {
    Ok(Check {
        node_id: part.text("node_id"),
        name: part.text("name").ok_or(InvalidMetadata { member: "name" })?,
        attempt: part.number("run_attempt"),
        run: Some(part.number("run_id").ok_or(InvalidMetadata { member: "run_id" })?),
        created_at: part.time("created_at"),
        updated_at: None,
        started_at: part.time("started_at"),
        completed_at: part.time("completed_at"),
        reporter: Field::Known(Actor::of_app(ACTIONS.to_owned())),
        ..common(part, CheckOrigin::Run, false)?
    })
}

/// A suite has no name of its own but that of its application.
fn suite(part: Reader<'_>) -> Result<Check, InvalidMetadata> {
    let of = part.below("app");
    Ok(Check {
        node_id: part.text("node_id"),
        name: of.and_then(|app| app.text("name")).unwrap_or_else(|| "check suite".to_owned()),
        created_at: part.time("created_at"),
        reporter: of.map_or(Field::Unknown, app),
        ..common(part, CheckOrigin::Suite, true)?
    })
}

/// A run is named after its workflow, where that has no name after its file.
fn workflow_run(part: Reader<'_>) -> Result<Check, InvalidMetadata> {
    let name = part.text("name").filter(|name| !name.is_empty()).or_else(|| part.text("path"));
    Ok(Check {
        node_id: part.text("node_id"),
        name: name.unwrap_or_else(|| "workflow run".to_owned()),
        attempt: part.number("run_attempt"),
        created_at: part.time("created_at"),
        updated_at: None,
        started_at: part.time("run_started_at"),
        reporter: Field::Known(Actor::of_app(ACTIONS.to_owned())),
        title: part.text("display_title"),
        ..common(part, CheckOrigin::WorkflowRun, true)?
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
    // Read once more for what it has in the place of a text.
    let _ = (part.text("sha"), part.text("url"));
    Ok(Check {
        id: part.number("id").ok_or(InvalidMetadata { member: "id" })?.into(),
        node_id: part.text("node_id"),
        origin: CheckOrigin::Status,
        name: part.text("context").ok_or(InvalidMetadata { member: "context" })?,
        status,
        conclusion,
        head_sha: commit_of(part.value()),
        attempt: None,
        run: None,
        created_at: part.time("created_at"),
        updated_at: None,
        started_at: None,
        completed_at: None,
        url: None,
        details_url: part.text("target_url"),
        reporter: part.actor("creator"),
        title: part.text("description"),
        summary: None,
    })
}
