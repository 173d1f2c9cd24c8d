//! `checks/…/log.txt`: each log beside the record of its check, or in a folder of its own when it is of none that is known.

use super::checks;
use super::view::View;
use crate::corpus::{GapCode, Log, LogOwner, Logged, OF_A_TIME, State, log_name};
use crate::format::digest::Digest;
use crate::format::facet::Facet;
use crate::format::index::{Entry, Role};
use crate::format::json::{Json, Object};
use crate::format::path::unique_segment;
use crate::format::profile::CheckLogs;

pub(super) fn render(state: &State, view: &mut View<'_>) {
    if !view.shows(Facet::Logs) {
        return;
    }
    let owners = Logged::of(state);
    let mut logs = chosen(state, view);
    let code = match view.profile.map(|profile| profile.check_logs) {
        Some(CheckLogs::None) => GapCode::NotRequested,
        _ => GapCode::ProfileBound,
    };
    view.gaps.add(Facet::Logs, code, (state.logs.len() - logs.len()) as u64);
    let most = view.allowed(Facet::Logs);
    view.gaps.add(Facet::Logs, GapCode::Budget, logs.len().saturating_sub(most) as u64);
    logs.truncate(most);
    let mut shown: Vec<(String, &Log)> = Vec::new();
    for log in logs {
        let record = owners.check(&log.owner).map(checks::path);
        // The log of a check that a bound leaves out is left out with it, and the check is counted.
        if record.as_ref().is_some_and(|record| view.shows(log.owner.facet()) && !view.files.contains_key(record)) {
            continue;
        }
        shown.push((path(&log.owner, record, view), log));
    }
    shown.sort_by(|a, b| a.0.cmp(&b.0));
    for (at, (path, log)) in shown.into_iter().enumerate() {
        let mut about = of_owner(&log.owner, view);
        about.set("ordinal", at + 1);
        let bytes = match state.withheld.of(Facet::Logs, &log_name(&log.owner)) {
            Some(withheld) => view.empty(withheld, &mut about),
            None => view.log(&log.text, &mut about),
        };
        view.add(path, Role::Log, "text/plain", bytes, about);
    }
}

/// The logs that the profile asks for, those first that stay longest: of checks that are not known to have gone well, then by owner.
pub(super) fn chosen<'s>(state: &'s State, view: &View<'_>) -> Vec<&'s Log> {
    let owners = Logged::of(state);
    let went_well = |log: &Log| owners.check(&log.owner).is_some_and(checks::went_well);
    let mut logs: Vec<&Log> = match view.profile.map(|profile| profile.check_logs) {
        Some(CheckLogs::None) => Vec::new(),
        Some(CheckLogs::Failed) => state.logs.iter().filter(|log| !went_well(log)).collect(),
        Some(CheckLogs::All) | None => state.logs.iter().collect(),
    };
    logs.sort_by_key(|log| went_well(log));
    logs
}

/// How many logs of a tree are not rows alone, of what is not known to have been there at the time of the stage.
pub(super) fn here(view: &View<'_>) -> usize {
    let is_row_alone = |entry: &Entry| {
        let reason = entry.about.get("withheld").and_then(|row| row.get("reason")).and_then(Json::as_str);
        OF_A_TIME.iter().any(|code| reason == Some(code.name()))
    };
    view.entries.iter().filter(|entry| entry.role == Role::Log && !is_row_alone(entry)).count()
}

fn path(owner: &LogOwner, record: Option<String>, view: &View<'_>) -> String {
    let dir = match (record.as_deref().and_then(|path| path.rsplit_once('/')), owner) {
        (Some((dir, _)), _) => dir.to_owned(),
        (None, LogOwner::Run(id)) => format!("checks/undated-{}", id.file_part()),
        (None, LogOwner::UnknownRun(id)) => format!("checks/undated-{id}"),
        (None, LogOwner::Status(id)) => format!("checks/undated-status-{}", id.file_part()),
        (None, LogOwner::Job(name)) if view.judged(name).is_empty() => {
            format!("checks/unattached-{}", unique_segment(name))
        }
        (None, LogOwner::Job(name)) => format!("checks/unattached-+{}", &Digest::of(name.as_bytes()).hex()[..32]),
    };
    format!("{dir}/log.txt")
}

/// What an index says of the owner: the id of the check, or the name of the job.
fn of_owner(owner: &LogOwner, view: &mut View<'_>) -> Object<'static> {
    let mut about = Object::new();
    match owner {
        LogOwner::Run(id) | LogOwner::Status(id) => {
            about.set("source", source(view.id(id)));
        }
        LogOwner::UnknownRun(id) => {
            about.set("source", source(*id));
        }
        LogOwner::Job(name) => {
            about.set("job", view.display(name).into_owned());
        }
    }
    about
}

fn source(id: impl Into<Json<'static>>) -> Object<'static> {
    let mut source = Object::new();
    source.set("id", id);
    source
}
