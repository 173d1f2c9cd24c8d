//! Checks of the head, and their logs.

use std::collections::{BTreeMap, BTreeSet};

use super::Refusal;
use super::making::Making;
use super::records::{bound, forge_id};
use crate::corpus::{Log, LogOwner, State, check_name, log_name};
use crate::filter;
use crate::forge::facets::{Check as Known, CheckOrigin, CheckStatus};
use crate::format::digest::Digest;
use crate::format::facet::Facet;
use crate::format::upstream::{
    Check, Conclusion, Document as _, FileRole, Filtering, Forge, GapCode, Progress, Record, RecordKind, Scope,
    SourceKind, Stamp, Status, check_paths, is_git_oid,
};

pub(super) fn render(state: &State, making: &mut Making<'_>) -> Result<(), Refusal> {
    if !making.includes(SourceKind::Checks) {
        return Ok(());
    }
    let mut found = Vec::new();
    for known in candidates(state, making) {
        let id = making.id(Scope::Checks, forge_id(making.forge, &known.id, &known.node_id), false)?;
        let Some(id) = id else { continue };
        match read(known, id, making) {
            Some(check) => found.push((making.source.record_key(RecordKind::Check, &check.id), check, known)),
            None => {
                let facet = if known.origin == CheckOrigin::Status { Facet::Statuses } else { Facet::Checks };
                making.lacking(state, Scope::Checks, facet, check_name(known));
            }
        }
    }
    found.sort_by(|(a_key, a, _), (b_key, b, _)| (&a.created_at, a_key).cmp(&(&b.created_at, b_key)));
    let (mut seen, all) = (BTreeSet::new(), found.len());
    found.retain(|(key, ..)| seen.insert(*key));
    making.gap(Scope::Checks, GapCode::InvalidMetadata, all - found.len());
    let dropped = bound(&mut found, making);
    making.gap(Scope::Checks, GapCode::ProfileBound, dropped);
    let logs = Logs(state.logs.iter().map(|log| (&log.owner, log)).collect(), state);
    for (key, check, known) in found {
        write(&logs, key, check, known, making)?;
    }
    unattached(state, making);
    Ok(())
}

/// What may be a check. GitHub's commit statuses have no place in the layout, and neither has what only groups checks.
fn candidates<'s>(state: &'s State, making: &mut Making<'_>) -> Vec<&'s Known> {
    let runs = || state.checks.iter().filter(|check| check.origin == CheckOrigin::Run);
    if runs().next().is_none() {
        making.gap(Scope::Checks, GapCode::Unsupported, state.checks.len());
    }
    match making.forge {
        Forge::GitHub => {
            making.gap(Scope::Checks, GapCode::Unsupported, state.statuses.len());
            runs().collect()
        }
        Forge::GitLab => {
            // A job is listed among the statuses of its commit too, under the same number.
            let jobs: BTreeSet<_> = runs().map(|check| &check.id).collect();
            let others = state.statuses.iter().filter(|status| !jobs.contains(&status.id));
            runs().chain(others).collect()
        }
        Forge::Forgejo => state.statuses.iter().collect(),
    }
}

/// A check of the head whose times are those that its progress demands.
fn read(known: &Known, id: String, making: &Making<'_>) -> Option<Check> {
    let head_sha = known.head_sha.clone().filter(|sha| making.head == Some(sha) && is_git_oid(sha))?;
    // GitHub's check runs have no time of their making; the time of their start is the earliest that it gives.
    let created = known.created_at.or(if making.forge == Forge::GitHub { known.started_at } else { None });
    let created_at = created.and_then(Stamp::of)?;
    let progress = progress(known, &created_at)?;
    Some(Check { id, name: known.name.clone(), created_at, head_sha, progress })
}

fn progress(known: &Known, created_at: &Stamp) -> Option<Progress> {
    let started_at = known.started_at.and_then(Stamp::of);
    match known.status? {
        CheckStatus::Queued => return Some(Progress::Queued),
        CheckStatus::InProgress => return Some(Progress::InProgress { started_at: started_at? }),
        CheckStatus::Completed => {}
    }
    let (conclusion, never) = match known.conclusion.as_deref()? {
        "startup_failure" => (Conclusion::Failure, true),
        "error" => (Conclusion::Failure, false),
        word @ ("cancelled" | "skipped") => (word.parse().ok()?, started_at.is_none()),
        word => (word.parse().ok()?, false),
    };
    let completed_at = known.completed_at.and_then(Stamp::of);
    if never {
        let completed_at = completed_at.unwrap_or_else(|| created_at.clone());
        return Some(Progress::Completed { started_at: None, completed_at, conclusion });
    }
    Some(Progress::Completed { started_at: Some(started_at?), completed_at: completed_at?, conclusion })
}

/// The logs by owner, and whose they are.
struct Logs<'s>(BTreeMap<&'s LogOwner, &'s Log>, &'s State);

impl<'s> Logs<'s> {
    /// The log of a check, when there is one that may be shown.
    fn of(&self, known: &Known) -> Option<&'s Log> {
        let owner = match known.origin {
            CheckOrigin::Status => LogOwner::Status(known.id.clone()),
            _ => LogOwner::Run(known.id.clone()),
        };
        self.0.get(&owner).copied().filter(|_| self.1.withheld.of(Facet::Logs, &log_name(&owner)).is_none())
    }
}

fn write(
    logs: &Logs<'_>,
    key: Digest,
    mut check: Check,
    known: &Known,
    making: &mut Making<'_>,
) -> Result<(), Refusal> {
    let (metadata, log) = check_paths(&key);
    let name = making.display(&metadata, &known.name)?;
    let mut record = Record {
        kind: RecordKind::Check,
        id: check.id.clone(),
        key,
        created_at: check.created_at.clone(),
        updated_at: None,
        author: None,
        filter: name.filter.clone(),
        has_log: false,
    };
    let Some(text) = name.text.as_deref() else {
        let code = if name.is_rejected() { GapCode::UnsafeContent } else { GapCode::InvalidMetadata };
        making.gap(Scope::Checks, code, 1);
        record.filter.status = Status::Rejected;
        making.records.push(record);
        return Ok(());
    };
    check.name = text.to_owned();
    making.file(&metadata, FileRole::CheckMetadata, check.to_bytes(), Some(name.filter.clone()));
    if making.includes(SourceKind::CheckLogs) && making.collection.log_selection.selects(check.progress.conclusion()) {
        record.has_log = write_log(logs, known, &check, &log, making)?;
    }
    making.records.push(record);
    Ok(())
}

/// Writes the log of a check; false when there is none to be shown.
fn write_log(
    logs: &Logs<'_>,
    known: &Known,
    check: &Check,
    path: &str,
    making: &mut Making<'_>,
) -> Result<bool, filter::Error> {
    let Some(log) = logs.of(known) else {
        let lacks = has_log(known, check, making.forge);
        making.gap(Scope::CheckLogs, GapCode::FetchFailed, usize::from(lacks));
        return Ok(false);
    };
    if log.text.len() as u64 > making.collection.bounds.source_bytes {
        making.gap(Scope::CheckLogs, GapCode::SourceTooLarge, 1);
        return Ok(false);
    }
    let (text, broken) = filter::decode(&log.text);
    let shown = making.lines(path, &text, making.collection.bounds.log_bytes)?;
    let Some(text) = shown.text else {
        making.gap(Scope::CheckLogs, GapCode::UnsafeContent, 1);
        return Ok(false);
    };
    let mut filter: Filtering = shown.filter;
    if broken > 0 {
        filter.status = filter.status.max(Status::Modified);
        *filter.findings.entry(filter::INVALID.to_owned()).or_default() += broken;
        *making.findings.entry(filter::INVALID).or_default() += broken;
    }
    making.file(path, FileRole::CheckLog, text.into_owned().into_bytes(), Some(filter));
    Ok(true)
}

/// Whether the forge keeps a log of such a check: of what it ran itself, once it has ended.
fn has_log(known: &Known, check: &Check, forge: Forge) -> bool {
    let ran = matches!(check.progress, Progress::Completed { started_at: Some(_), .. });
    let own = match forge {
        Forge::GitHub => known.reporter.known().is_some_and(|app| app.login == "github-actions"),
        Forge::GitLab => known.origin == CheckOrigin::Run,
        Forge::Forgejo => false,
    };
    ran && own && check.progress.conclusion() != Some(Conclusion::Skipped)
}

/// Counts logs of which nobody knows which check they are of.
fn unattached(state: &State, making: &mut Making<'_>) {
    if making.includes(SourceKind::CheckLogs) {
        let lost = |owner: &LogOwner| matches!(owner, LogOwner::UnknownRun(_) | LogOwner::Job(_));
        let count = state.logs.iter().filter(|log| lost(&log.owner)).count();
        making.gap(Scope::CheckLogs, GapCode::InvalidMetadata, count);
    }
}
