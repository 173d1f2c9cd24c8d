//! Texts: the diff, and the logs with the checks that they are of.

use std::collections::{BTreeMap, BTreeSet};

use super::logged::Named;
use super::state::{Availability, Coverage, State};
use super::{GapCode, Gaps, LoadedLook, Logged, LookData, Rank};
use crate::forge::facets::{Check, CheckOrigin, CheckStatus, Id};
use crate::forge::log::{Place, begins_at};
use crate::format::digest::Digest;
use crate::format::facet::Facet;
use crate::format::patch::{self, FilePatch};
use crate::format::time::Time;

/// The log of a check or job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Whose it is.
    pub owner: LogOwner,
    /// The bytes as they were given.
    pub text: Vec<u8>,
}

/// Whose a log is, as far as the facts tell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogOwner {
    /// A check run that is known.
    Run(Id),
    /// A commit status that is known.
    Status(Id),
    /// A check run that no look shows.
    UnknownRun(u64),
    /// A job whose name is that of no check, of several, or of one that ran at another time.
    Job(String),
}

impl LogOwner {
    /// The facet of the check.
    pub fn facet(&self) -> Facet {
        if matches!(self, Self::Status(_)) { Facet::Statuses } else { Facet::Checks }
    }
}

/// A log, and how it is ordered among those of its owner.
type Found = ((Rank, bool, Digest), Vec<u8>);

/// What the looks at one text come to.
struct Folded {
    rank: Rank,
    digest: Digest,
    text: Option<Vec<u8>>,
    unavailable: Option<u16>,
    missing: bool,
    ambiguous: bool,
}

/// The newest look at a text. Data stays when the forge does not give it any more.
fn fold(mut looks: Vec<LoadedLook>) -> Option<Folded> {
    looks.sort_by_key(|look| (look.rank(), look.digest));
    let last = looks.last()?;
    let (newest, digest, missing) = (last.rank(), last.digest, last.missing);
    let unavailable =
        if let LookData::Unavailable(status) = last.data { Some(status).filter(|_| !missing) } else { None };
    let ambiguous = looks.iter().any(|look| look.rank() == newest && look.data != last.data);
    let rank = looks.iter().rfind(|look| matches!(look.data, LookData::Text(_))).map_or(newest, LoadedLook::rank);
    let text =
        looks.into_iter().rev().find_map(|look| if let LookData::Text(text) = look.data { Some(text) } else { None });
    Some(Folded { rank, digest, text, unavailable, missing, ambiguous })
}

impl Folded {
    fn note(&self, facet: Facet, gaps: &mut Gaps) {
        gaps.add(facet, GapCode::ElementMissing, u64::from(self.missing));
        gaps.add(facet, GapCode::OrderAmbiguous, u64::from(self.ambiguous));
    }
}

impl State {
    pub(super) fn take_diff(&mut self, mut looks: Vec<LoadedLook>) {
        self.choose_diff(&mut looks);
        let Some(folded) = fold(looks) else { return };
        folded.note(Facet::Diff, &mut self.gaps);
        let whole = folded.text.as_deref().map(|text| patch::read(text).is_ok_and(|patch| patch.is_whole()));
        let state = match (folded.unavailable, whole) {
            (Some(status), _) => Availability::of_status(status),
            (None, Some(true)) => Availability::Complete,
            (None, Some(false)) => Availability::Partial,
            (None, None) => Availability::Absent,
        };
        self.cover(Facet::Diff, Coverage { state, items: None, as_of: None, partial_since: None }, 1);
        self.diff = folded.text;
    }

    /// Of a diff and a series of patches, which tell one change in two ways, keeps the looks at one: whichever is whole, then
    /// whichever nothing shows to be of another head, then the diff.
    fn choose_diff(&self, looks: &mut Vec<LoadedLook>) {
        let newest = |series: bool| {
            let of_kind = looks.iter().filter_map(|look| match &look.data {
                LookData::Text(text) if patch::series_head(text).is_some() == series => Some((look, &text[..])),
                _ => None,
            });
            of_kind.max_by_key(|(look, _)| (look.rank(), look.digest)).map(|(_, text)| text)
        };
        let (Some(diff), Some(series)) = (newest(false), newest(true)) else { return };
        let (Ok(of_diff), Ok(of_series)) = (patch::read(diff), patch::read(series)) else { return };
        let head = self.header.head.known().and_then(|head| head.sha.as_deref());
        let series_is_old = head.is_some() && patch::series_head(series) != head;
        let paths: BTreeSet<&str> = of_series.files.iter().map(FilePatch::path).collect();
        // A series up to the head shows every file that the diff does.
        let proves = head.is_some() && !series_is_old && of_series.is_whole();
        let diff_is_old = proves && of_diff.files.iter().any(|file| !paths.contains(file.path()));
        let keeps_series = (of_series.is_whole(), !series_is_old) > (of_diff.is_whole(), !diff_is_old);
        looks.retain(|look| match &look.data {
            LookData::Text(text) => patch::series_head(text).is_some() == keeps_series,
            _ => true,
        });
    }

    /// Takes the logs, each with the item of its looks. The checks are known by now.
    pub(super) fn take_logs(&mut self, looks: BTreeMap<Option<String>, Vec<LoadedLook>>) {
        if looks.is_empty() {
            return;
        }
        let mut found: BTreeMap<LogOwner, Found> = BTreeMap::new();
        let mut lost = Vec::new();
        let mut gaps = Gaps::default();
        let (logged, named) = (Logged::of(self), Named::of(self));
        for (item, looks) in looks {
            let (Some(folded), Some(place)) = (fold(looks), item.as_deref().and_then(Place::from_item)) else {
                gaps.add(Facet::Logs, GapCode::InvalidMetadata, 1);
                continue;
            };
            folded.note(Facet::Logs, &mut gaps);
            let owner = match &place {
                Place::Check(id) => logged.owner(*id),
                Place::Job(name) | Place::Steps(name) => {
                    named.owner(name, |check| folded.text.as_deref().is_none_or(|text| fits(text, check)))
                }
            };
            lost.extend(folded.unavailable.map(Availability::of_log_status));
            let Some(text) = folded.text else { continue };
            // Of one look at a whole job and at its steps, the whole one is better.
            let order = (folded.rank, !matches!(place, Place::Steps(_)), folded.digest);
            if found.get(&owner).is_none_or(|(known, _)| *known < order) {
                found.insert(owner, (order, text));
            }
        }
        gaps.iter().for_each(|gap| self.gaps.add(gap.scope, gap.code, gap.count));
        self.logs = found.into_iter().map(|(owner, (_, text))| Log { owner, text }).collect();
        self.cover_logs(lost);
    }

    /// How completely logs are known: all of those that the checks of the head should have.
    fn cover_logs(&mut self, lost: Vec<Availability>) {
        let owners: BTreeSet<_> = self.logs.iter().map(|log| &log.owner).collect();
        let has = |check: &Check| owners.contains(&LogOwner::Run(check.id.clone()));
        let lacking =
            self.checks.iter().filter(|check| self.is_current(check) && has_log(check) && !has(check)).count() as u64;
        let all = self.coverage.get(&Facet::Checks).is_some_and(Coverage::is_complete);
        let first = lost.first().copied().filter(|_| self.logs.is_empty());
        let (told, others): (Vec<_>, Vec<_>) = lost.into_iter().partition(|state| Some(*state) == first);
        for code in others.iter().filter_map(|state| state.gap()) {
            self.gaps.add(Facet::Logs, code, 1);
        }
        let (state, missing) = match first {
            Some(lost) => (lost, told.len() as u64),
            None if all && lacking == 0 && others.is_empty() => (Availability::Complete, 0),
            None => (Availability::Partial, lacking),
        };
        let items = (!self.logs.is_empty()).then_some(self.logs.len() as u64);
        self.cover(Facet::Logs, Coverage { state, items, as_of: None, partial_since: None }, missing);
    }

    /// Whether a check is of the head, as far as that is known.
    pub(super) fn is_current(&self, check: &Check) -> bool {
        match (self.header.head.known(), &check.head_sha) {
            (Some(head), Some(sha)) => head.sha.as_ref().is_none_or(|head| head == sha),
            _ => true,
        }
    }
}

/// Whether a check is one that GitHub Actions ran, which has a log.
fn has_log(check: &Check) -> bool {
    let is_run = check.origin == CheckOrigin::Run;
    let ran = check.status == Some(CheckStatus::Completed) && check.conclusion.as_deref() != Some("skipped");
    is_run && ran && check.reporter.known().is_some_and(|app| app.login == "github-actions")
}

/// A log begins while its check runs, give or take the difference of two clocks: else it is of another attempt or head.
fn fits(text: &[u8], check: &Check) -> bool {
    const SLACK: i64 = 300;
    let Some(begins) = begins_at(text).and_then(|time| format!("{time}Z").parse::<Time>().ok()) else { return true };
    let not_before = check.started_at.is_none_or(|start| begins.unix() >= start.unix() - SLACK);
    let not_after = check.completed_at.is_none_or(|end| begins.unix() <= end.unix() + SLACK);
    not_before && not_after
}
