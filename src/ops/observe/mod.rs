//! `observe`: payloads → elements and observations. All input is read and understood before the first write.

mod apart;
mod archive;
mod filed;
mod gather;
mod keep;
mod log;
mod payload;
mod progress;
mod read;
mod record;
mod text;
mod whose;
mod winner;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use rayon::prelude::*;
use serde::Serialize;

use super::Error;
use super::place::Place;
use super::wanted::Asked;
use crate::forge::recognise::Reason;
use crate::format::digest::Digest;
use crate::format::entity::{Entity, Kind, Subject};
use crate::format::observation::Completeness;
use crate::format::steps::{Steps, Unhindered};
use crate::format::time::Time;
use crate::store::facts::Facts;
use crate::store::layout::element_path;
use crate::store::mem::MemTree;

use gather::Aside;
use keep::Keep;
use payload::{Payload, Payloads};
pub use progress::{Doing, Progress, Untold};
use read::Seen;
use record::{Candidate, Recorded, Terms};
use winner::{Fate, Winners};
use write::Filing;

/// What to file, and how.
pub struct Options<'o> {
    /// `[FACET=]PATH` or `-`.
    pub inputs: &'o [String],
    /// The entity that what names none belongs to.
    pub entity: Option<Asked>,
    /// `--complete` or `--partial`.
    pub completeness: Option<Completeness>,
    /// The event that the payloads are deliveries of.
    pub event: Option<&'o str>,
    /// The URL that plain payloads answered.
    pub source: Option<&'o str>,
    /// The time of what has no date of its own.
    pub observed_at: Option<Time>,
    /// File a live look that equals the winner too.
    pub record_look: bool,
    /// Commit the facts.
    pub commit: bool,
    /// Refuse when anything was not recognised.
    pub strict: bool,
    /// File what is not recognised as it was given.
    pub keep_unrecognised: bool,
    /// The clock, read once.
    pub now: Time,
    /// The seam for tests.
    pub steps: &'o dyn Steps,
    /// Told how far it is.
    pub progress: &'o dyn Progress,
}

impl<'o> Options<'o> {
    /// For inputs that say everything of themselves.
    pub fn of(inputs: &'o [String], now: Time) -> Self {
        Self {
            inputs,
            entity: None,
            completeness: None,
            event: None,
            source: None,
            observed_at: None,
            record_look: false,
            commit: false,
            strict: false,
            keep_unrecognised: false,
            now,
            steps: &Unhindered,
            progress: &Untold,
        }
    }
}

/// What was filed.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// New observation files.
    pub observed: u64,
    /// Looks that were there already, or equal the present winner.
    pub unchanged: u64,
    /// What was recognised.
    pub inputs: Vec<InputRow>,
    /// What was not.
    pub unrecognised: Vec<LeftRow>,
    /// Ids of what the looks are about.
    pub entities: Vec<String>,
    /// New elements.
    pub elements: u64,
    /// Bytes of all new files.
    pub bytes: u64,
    /// Dates that are none, credentials in URLs, breaches of the JSON profile.
    pub findings: Vec<FindingRow>,
    /// The commit, when one was made.
    pub commit: Option<String>,
    /// True when payloads show issues or pull requests, and none the one that was named: what is filed under its name names nothing.
    #[serde(skip)]
    pub shows_others_only: bool,
}

/// A row of `inputs`.
#[derive(Debug, Serialize)]
pub struct InputRow {
    /// The file, with the line or document where it has several.
    pub input: String,
    /// The digest by which `show --raw` gives it back; null for the lack of a facet, and where no observation has it.
    pub digest: Option<String>,
    /// The observations that it is part of: none where the present winner equals all that it shows, and was made of another input.
    pub observations: u64,
}

/// A row of `unrecognised`.
#[derive(Debug, Serialize)]
pub struct LeftRow {
    /// The input, with a pointer where it is a part of one.
    pub input: String,
    /// The reason.
    pub reason: &'static str,
    /// The digest by which `show --raw` gives it back, where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// A row of `findings`.
#[derive(Debug, Serialize)]
pub struct FindingRow {
    /// The code.
    pub code: String,
    /// The input.
    pub input: String,
    /// How often.
    pub count: u64,
}

/// Files payloads in a store.
///
/// # Errors
/// Nothing is written when an input is not JSON, nothing was recognised, or `--strict` is not met.
pub fn observe(place: &Place, options: &Options<'_>, stdin: &mut dyn Read) -> Result<Report, Error> {
    let known = place.facts()?;
    let mut stdin = match archive::observe(place, options, stdin)? {
        archive::Taken::Filed(report) => return Ok(report),
        archive::Taken::Whole(stdin) => stdin,
    };
    let mut understood = understand(options, &Facts::new(known.as_ref()), stdin.as_mut())?;
    let _lock = place.locked(options.steps)?;
    let tree = place.facts()?;
    let mut report = understood.report();
    let mut filing = understood.filing(Winners::new(Facts::new(tree.as_ref())), options.record_look, &mut report)?;
    keep::file(std::mem::take(&mut understood.kept), tree.as_ref(), &mut filing, &mut report)?;
    let looks = filing.observations.len() as u64 + report.unchanged;
    let written = write::write(place, filing, options)?;
    report.observed = written.observations;
    report.unchanged = looks - written.observations;
    report.elements = written.elements;
    report.bytes = written.bytes;
    report.commit = written.commit.map(|id| id.to_string());
    Ok(report)
}

/// What `--strict` has to say of what was not recognised.
fn strictly(options: &Options<'_>, left: &[LeftRow]) -> Option<Error> {
    let first = left.first().filter(|_| options.strict)?;
    let message = format!("{} inputs were not recognised, first {}: {}", left.len(), first.input, first.reason);
    Some(Error::new("unrecognised", message))
}

/// Files payloads in memory: the facts of a store that holds exactly them.
///
/// # Errors
/// As [`observe`].
pub fn observe_in_memory(options: &Options<'_>, stdin: &mut dyn Read) -> Result<(MemTree, Report), Error> {
    let empty = MemTree::default();
    let mut understood = understand(options, &Facts::new(&empty), stdin)?;
    let mut report = understood.report();
    let filing = understood.filing(Winners::new(Facts::new(&empty)), false, &mut report)?;
    let mut tree = MemTree::default();
    report.observed = filing.observations.len() as u64;
    for (digest, bytes) in filing.elements {
        tree.insert(element_path(&digest), bytes);
    }
    for (path, bytes) in filing.observations {
        tree.insert(path, bytes);
    }
    Ok((tree, report))
}

/// Reads all input and understands it; the input itself is let go.
fn understand(options: &Options<'_>, facts: &Facts<'_>, stdin: &mut dyn Read) -> Result<Understood, Error> {
    Understood::of(gather::gather(options.inputs, stdin)?, options, facts)
}

/// All input, understood; nothing is written yet.
struct Understood {
    names: Vec<String>,
    left: Vec<LeftRow>,
    recorded: Recorded,
    /// What is filed although it is no look.
    kept: Vec<Keep>,
    /// Findings about exchanges.
    faults: Vec<FindingRow>,
    shows_others_only: bool,
}

impl Understood {
    fn of(gathered: gather::Gathered, options: &Options<'_>, facts: &Facts<'_>) -> Result<Self, Error> {
        let Payloads { list: mut payloads, mut left } = payload::payloads(gathered, options.source)?;
        let named = whose::named(&payloads, options, facts)?;
        let mut seen = read::read(&mut payloads, named.as_ref(), options, facts)?;
        let undated = options.observed_at.unwrap_or(options.now);
        let terms = Terms { undated, live: options.observed_at.is_none(), completeness: options.completeness };
        let kept =
            if options.keep_unrecognised { keep::take(&mut left, &mut payloads, &seen, &terms) } else { Vec::new() };
        let mut left = left_rows(left, &payloads, &seen);
        let digests: BTreeMap<&str, Digest> = kept.iter().map(|kept| (kept.name.as_str(), kept.digest())).collect();
        left.iter_mut().for_each(|row| row.digest = digests.get(row.input.as_str()).map(Digest::to_string));
        if kept.is_empty() && seen.iter().all(|seen| seen.looks.is_empty() && seen.absent.is_empty()) {
            return Err(nothing_recognised(&left));
        }
        if let Some(error) = strictly(options, &left) {
            return Err(error);
        }
        let others: Vec<_> = named.iter().flat_map(|named| whose::others(&payloads, &seen, named)).collect();
        let shown = || named.iter().any(|named| whose::is_shown(&payloads, &seen, named));
        let shows_others_only = !others.is_empty() && !shown();
        let faults = payloads.iter().flat_map(faults).chain(others).collect();
        let recorded = record::record(&mut payloads, &mut seen, &terms)?;
        let names = payloads.into_iter().map(|payload| payload.name).collect();
        Ok(Self { names, left, recorded, kept, faults, shows_others_only })
    }

    fn report(&mut self) -> Report {
        let breaches = self.recorded.breaches.iter().map(|((at, code), count)| FindingRow {
            code: (*code).to_owned(),
            input: self.names[*at].clone(),
            count: *count,
        });
        let findings = breaches.chain(self.faults.drain(..)).collect();
        let entities = entities(&self.recorded);
        let (unrecognised, shows_others_only) = (std::mem::take(&mut self.left), self.shows_others_only);
        Report { unrecognised, entities, findings, shows_others_only, ..Report::default() }
    }

    /// What is to be filed: looks that are admitted, and the elements that they name.
    fn filing(&mut self, mut winners: Winners<'_>, record_look: bool, report: &mut Report) -> Result<Filing, Error> {
        let mut filing = Filing { elements: BTreeMap::new(), observations: BTreeMap::new() };
        let mut candidates = std::mem::take(&mut self.recorded.candidates);
        candidates.iter_mut().try_for_each(|candidate| winners.place(candidate))?;
        // Recordings are read in any order; a live look is compared with what was before it.
        candidates.sort_by_key(|candidate| (candidate.record.observed_at, candidate.record.position));
        let mut admitted: BTreeSet<usize> = BTreeSet::new();
        let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
        winners.expect(candidates.len());
        let files: Vec<_> = candidates.par_iter().map(Candidate::file).collect();
        let repeated = if record_look { Vec::new() } else { winners.repeated(&candidates)? };
        for (at, (path, bytes)) in files.into_iter().enumerate() {
            let fate = match repeated.get(at) == Some(&true) || filing.observations.contains_key(&path) {
                true => Fate::Standing,
                false => winners.admits(&candidates, at, record_look)?,
            };
            let candidate = &candidates[at];
            for payload in candidate.payloads.iter().collect::<BTreeSet<_>>() {
                *counts.entry(*payload).or_default() += u64::from(fate != Fate::Needless);
            }
            if fate == Fate::Filed {
                admitted.extend(&candidate.payloads);
                filing.observations.insert(path, bytes);
            } else {
                report.unchanged += 1;
            }
        }
        let digest = |at| self.recorded.digests.get(&at).map(Digest::to_string);
        let row = |(at, observations): (usize, u64)| InputRow {
            input: self.names[at].clone(),
            digest: digest(at).filter(|_| observations > 0),
            observations,
        };
        report.inputs = counts.into_iter().map(row).collect();
        let mut kept: Vec<Digest> =
            admitted.iter().filter_map(|at| self.recorded.of_payload.get(at)).flatten().copied().collect();
        kept.par_sort_unstable();
        filing.elements = std::mem::take(&mut self.recorded.elements);
        filing.elements.retain(|digest, _| kept.binary_search(digest).is_ok());
        Ok(filing)
    }
}

fn faults(payload: &Payload) -> Vec<FindingRow> {
    let input = || payload.name.clone();
    let mut found = Vec::new();
    if payload.exchange.as_ref().is_some_and(|exchange| exchange.date_fault) {
        found.push(FindingRow { code: "date-malformed".into(), input: input(), count: 1 });
    }
    if payload.credential {
        found.push(FindingRow { code: "credential-removed".into(), input: input(), count: 1 });
    }
    found
}

fn left_rows(left: Vec<Aside>, payloads: &[Payload], seen: &[Seen]) -> Vec<LeftRow> {
    let mut rows: Vec<_> =
        left.into_iter().map(|Aside { name: input, reason, .. }| LeftRow { input, reason, digest: None }).collect();
    for (payload, seen) in payloads.iter().zip(seen) {
        for part in &seen.left {
            let input = if part.pointer.is_empty() {
                payload.name.clone()
            } else {
                format!("{}#{}", payload.name, part.pointer)
            };
            rows.push(LeftRow { input, reason: part.reason.code(), digest: None });
        }
    }
    rows
}

fn nothing_recognised(left: &[LeftRow]) -> Error {
    const SHOWN: usize = 20;
    let error_body = Reason::ForgeErrorBody.code();
    let mut told: Vec<_> = left.iter().take(SHOWN).map(|row| format!("{}: {}", row.input, row.reason)).collect();
    if left.len() > SHOWN {
        told.push(format!("{} more", left.len() - SHOWN));
    }
    let told = told.join("; ");
    if !left.is_empty() && left.iter().all(|row| row.reason == error_body) {
        return Error::new(error_body, format!("a forge's account of an error is not data: {told}"));
    }
    let error = Error::new("nothing-recognised", format!("nothing was recognised in {} inputs: {told}", left.len()));
    way_out(left).into_iter().fold(error, Error::hint)
}

/// What helps where nothing was recognised, if that is the same for all inputs, or a name might.
fn way_out(left: &[LeftRow]) -> Option<&'static str> {
    let has = |reason: Reason| left.iter().any(|row| row.reason == reason.code());
    let only = |reason: Reason| has(reason) && left.iter().all(|row| row.reason == reason.code());
    let unnamed = [Reason::EntityAmbiguous, Reason::FacetUnnamed, Reason::FacetUnsupported, Reason::ShapeUnknown];
    if only(Reason::FacetUnnamed) {
        Some(
            "an empty list does not say what it lists: name the facet with FACET=PATH (comments=PATH) or the request with --source URL",
        )
    } else if only(Reason::FacetMismatch) {
        Some("it is not what FACET=, --source, --event or its recorded URL says: leave that out, or say what it is")
    } else if only(Reason::DiffEmpty) {
        Some("a command that failed leaves an empty diff, too: bring it again")
    } else if unnamed.into_iter().any(has) {
        Some("name the entity with --entity, the facet with FACET=PATH or the request with --source URL")
    } else if has(Reason::EventNoEntity) || has(Reason::DialectUnsupported) {
        Some("nothing in it is kept as a fact; --keep-unrecognised files it byte for byte")
    } else {
        None
    }
}

/// The ids of all subjects; a thread by its kind where any look shows it.
fn entities(recorded: &Recorded) -> Vec<String> {
    let mut kinds: BTreeMap<&Subject, Option<Kind>> = BTreeMap::new();
    for candidate in &recorded.candidates {
        let kind = kinds.entry(&candidate.record.subject).or_default();
        *kind = kind.or(candidate.record.kind);
    }
    ids(kinds.into_iter())
}

/// The ids of subjects of which each is named once.
fn ids<'s>(kinds: impl Iterator<Item = (&'s Subject, Option<Kind>)>) -> Vec<String> {
    let id = |(subject, kind): (&Subject, Option<Kind>)| match (subject, kind) {
        (Subject::Thread { repository, number }, Some(kind)) => {
            Entity { repository: repository.clone(), kind, number: *number }.to_string()
        }
        _ => subject.to_string(),
    };
    let ids: BTreeSet<_> = kinds.map(id).collect();
    ids.into_iter().collect()
}
