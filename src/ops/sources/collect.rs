//! `sources collect`: a draft → the rendered block, the card and the context record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::decide::decide;
use super::find::paths_of_terms;
use super::lines::lines;
use super::place::{Place, in_git_directory};
use crate::filter::{Filter, is_plain_line};
use crate::format::atif::text_digest;
use crate::format::evidence::{Allowance, Basis, Disclosure, Manifest, Omission, Reason, Span};
use crate::format::source::{Context, Quoted, Quotes};
use crate::ops::Error;
use crate::sources::candidates::{Bounds, Files, Found, Named, Read, Request, observe};
use crate::sources::card::card;
use crate::sources::coverage::{Coverage, Diagnostic};
use crate::sources::disclosure::Audience;
use crate::sources::excerpt::{Excerpt, Lines, Source};
use crate::sources::render::Block;
use crate::sources::terms::terms;
use crate::sources::{MAX_LINES, MAX_PATHS, MAX_SOURCE, Rules};

pub use super::decide::Door;
pub use super::find::{Engine, How};

/// How many omitted paths are listed in a context; the rest are counted.
const MAX_OMITTED: usize = 64;

/// What to quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Lines with a term of the draft, in files that a search finds; only in `within`, when that is given.
    Draft {
        /// The text of the task, whole.
        text: String,
        /// The only paths to look at: the files that a pull request touches.
        within: Option<BTreeSet<String>>,
    },
    /// Exactly these lines (from 1) of these tracked files.
    Places(Vec<(String, u64)>),
    /// Lines of the files that a pull request touches.
    Touched {
        /// Each file with the lines that it changes.
        files: Vec<(String, Vec<u64>)>,
        /// Whether these are all files.
        complete: bool,
    },
}

/// What to collect, and by which rules.
#[derive(Debug, Clone)]
pub struct Options {
    /// A directory in the repository.
    pub dir: PathBuf,
    /// What to quote.
    pub wanted: Wanted,
    /// Whose rules.
    pub rules: Rules,
    /// How to search.
    pub how: How,
    /// Who will see the result; without one nothing is bounded, and nothing claims to be.
    pub audience: Option<Audience>,
    /// Who orders the result.
    pub door: Option<Door>,
}

impl Options {
    /// The defaults for a draft.
    pub fn for_draft(dir: impl Into<PathBuf>, draft: impl Into<String>) -> Self {
        let wanted = Wanted::Draft { text: draft.into(), within: None };
        let (rules, how) = (Rules::default(), How::default());
        Self { dir: dir.into(), wanted, rules, how, audience: None, door: None }
    }
}

/// What was collected. Serialised it is the answer of `--json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The repository card.
    pub card: String,
    /// The rendered block.
    pub block: String,
    /// The record.
    pub context: Context,
    /// The bounds that were kept, when an audience was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<Disclosure>,
    /// The decision call for a trace, when a door was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Value>,
    /// The directories below `crates` that the card names.
    #[serde(skip)]
    pub members: Vec<String>,
    /// What the block quotes.
    #[serde(skip)]
    pub excerpts: Vec<Excerpt>,
}

impl Report {
    /// What a stage shows.
    pub fn into_quotes(self) -> Quotes {
        let excerpts = self.excerpts.into_iter().map(|excerpt| excerpt.quoted).collect();
        Quotes { block: self.block, context: self.context, excerpts }
    }

    /// The answer of `--json`, members in the order of the records.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings, numbers and booleans always serialise")
    }
}

/// Collects sources. Nothing is executed but the door and, when asked for, git; nothing is written.
///
/// # Errors
/// When the directory cannot be opened, or by the safe rules is a repository that may not be read. Everything else is coverage.
pub fn collect(options: &Options) -> Result<Report, Error> {
    collected(options, None)
}

/// The same for a stage: the place must be a work tree, paths that cannot be shown as they are are left out, lines are quoted as the filter
/// lets them be shown, and the card, which names what lies around, is empty.
///
/// # Errors
/// As [`collect()`], and `filter-failed`.
pub fn collect_for_stage(options: &Options, filter: &Filter) -> Result<Report, Error> {
    collected(options, Some(filter))
}

fn collected(options: &Options, filter: Option<&Filter>) -> Result<Report, Error> {
    let rules = options.rules;
    let place = Place::open(&options.dir, rules)?;
    let base = place.worktree().and_then(|worktree| worktree.base());
    let grants = options.audience.as_ref().and_then(|audience| audience.grants.as_ref());
    if filter.is_some() && place.worktree().is_none() {
        return Err(Error::new("repo-not-found", format!("{} is in no git repository", options.dir.display())));
    }
    let (card, members) =
        if filter.is_some() { Default::default() } else { card(&place.surroundings(rules, grants), rules) };
    let mut coverage = Coverage::default();
    let terms = match &options.wanted {
        Wanted::Draft { text, .. } => terms(text),
        Wanted::Places(_) | Wanted::Touched { .. } => Vec::new(),
    };
    let chosen = choose_paths(options, filter, &place, &terms, &mut coverage)?;
    let mut sources = read_all(&place, &chosen, rules, &mut coverage);
    if let Some(filter) = filter {
        sources.values_mut().flatten().try_for_each(|source| hide(source, filter))?;
    }
    let lines = lines(options, &terms, &sources, &mut coverage);
    let manifest = manifest(&chosen, &sources, lines.as_ref(), base.as_deref());
    let disclosure = options.audience.as_ref().map(|audience| audience.disclosure(&manifest));
    let task = if let Wanted::Draft { text, .. } = &options.wanted { text.as_str() } else { "" };
    let decision = options.door.as_ref().and_then(|door| decide(door, task, &manifest, disclosure.as_ref()));
    let (judgment, decision) = decision.map_or((None, None), |decision| (decision.judgment, Some(decision.call)));
    let ranking = judgment.as_ref().and_then(|judgment| judgment.order.clone()).unwrap_or_default();

    let mut block = Block::new(rules);
    for path in ranked(&chosen.paths, &ranking) {
        let Some(Ok(source)) = sources.get(path) else { continue };
        match bound_of(path, disclosure.as_ref()) {
            Some((Allowance::Content, _)) | None => block.add(source, lines.as_ref(), base.as_deref(), &mut coverage),
            Some(bound) => block.withhold(path, &wanted_lines(source, lines.as_ref()), bound, &mut coverage),
        }
    }
    let rendered = block.finish(&coverage);
    let keeps_manifest = rules == Rules::Safe || options.door.is_some();
    let context = Context {
        terms,
        references: block.excerpts.iter().map(|excerpt| excerpt.reference.clone()).collect(),
        diagnostics: coverage.phrases(),
        rendered_digest: text_digest(&rendered),
        card_digest: text_digest(&card),
        candidates: keeps_manifest.then_some(manifest),
        selection: judgment.map(|judgment| judgment.record),
    };
    Ok(Report { card, block: rendered, context, disclosure, decision, members, excerpts: block.excerpts })
}

/// The paths that are looked at, in byte order, and those that were left out.
#[derive(Default)]
struct Chosen {
    paths: BTreeSet<String>,
    /// Those of the paths that are not tracked, where no search found them.
    untracked: BTreeSet<String>,
    omitted: Vec<Omission>,
    beyond: u64,
}

impl Chosen {
    /// Takes a path that was not given before.
    fn take(&mut self, path: String, coverage: &mut Coverage) {
        if self.paths.len() < MAX_PATHS {
            self.paths.insert(path);
            return;
        }
        coverage.note(Diagnostic::PathLimit);
        if self.omitted.len() < MAX_OMITTED {
            self.omitted.push(Omission { path, reason: Reason::Overcount });
        } else {
            self.beyond += 1;
        }
    }
}

fn choose_paths(
    options: &Options,
    filter: Option<&Filter>,
    place: &Place,
    terms: &[String],
    coverage: &mut Coverage,
) -> Result<Chosen, Error> {
    let mut chosen = Chosen::default();
    let (within, found) = match &options.wanted {
        Wanted::Draft { within, .. } => {
            (within.as_ref(), paths_of_terms(place, terms, &options.how, options.rules, coverage))
        }
        Wanted::Places(places) => {
            (None, vec![Some(places.iter().map(|(path, _)| path.clone().into_bytes()).collect())])
        }
        Wanted::Touched { files, complete } => {
            if !complete {
                coverage.note(Diagnostic::SearchUnavailable);
            }
            (None, vec![Some(files.iter().map(|(path, _)| path.clone().into_bytes()).collect())])
        }
    };
    let mut seen = BTreeSet::new();
    for path in found.into_iter().flatten().flatten() {
        // A path is counted once, whichever terms found it.
        if !seen.insert(path.clone()) {
            continue;
        }
        let path = match (String::from_utf8(path), options.rules) {
            (Ok(path), Rules::Safe) if in_git_directory(&path) => Err(path),
            (Ok(path), _) if filter.map_or(Ok(false), |filter| is_hidden(&path, filter))? => Err(path),
            (Ok(path), _) => Ok(path),
            (Err(raw), Rules::OpenAgents) => Ok(String::from_utf8_lossy(raw.as_bytes()).into_owned()),
            (Err(raw), Rules::Safe) => Err(String::from_utf8_lossy(raw.as_bytes()).into_owned()),
        };
        match path {
            Ok(path) if within.is_some_and(|within| !within.contains(&path)) => {}
            Ok(path) => chosen.take(path, coverage),
            Err(_) => coverage.note(Diagnostic::UnsafePath),
        }
    }
    if !matches!(options.wanted, Wanted::Draft { .. }) {
        let tracked = place.tracked(chosen.paths.iter().map(String::as_str));
        chosen.untracked = chosen.paths.iter().filter(|path| !tracked.contains(path.as_str())).cloned().collect();
    }
    Ok(chosen)
}

/// Whether a stage does not show a path as it is.
fn is_hidden(path: &str, filter: &Filter) -> Result<bool, Error> {
    Ok(!is_plain_line(path) || !filter.judge(path)?.is_empty())
}

/// Notes what stands in the place of lines in which the filter found something, seen in the whole text.
fn hide(source: &mut Source, filter: &Filter) -> Result<(), Error> {
    let mut found = filter.lines(&source.text)?;
    let quoted = |(number, raw): (u64, &str)| {
        let line = found.remove(&number)?;
        let withheld = line.withheld.then_some(raw.len());
        Some((number, Quoted { text: line.text, findings: line.findings, withheld }))
    };
    source.instead = (1..).zip(source.text.lines()).filter_map(quoted).collect();
    Ok(())
}

/// The paths in the order of a ranking; what it does not name follows in byte order.
fn ranked<'a>(paths: &'a BTreeSet<String>, ranking: &'a [String]) -> impl Iterator<Item = &'a str> {
    let first = ranking.iter().filter(|path| paths.contains(*path));
    first.chain(paths.iter().filter(|path| !ranking.contains(path))).map(String::as_str)
}

pub(super) type Sources = BTreeMap<String, Result<Source, Diagnostic>>;

fn read_all(place: &Place, chosen: &Chosen, rules: Rules, coverage: &mut Coverage) -> Sources {
    let mut read = |path: &String| {
        let text = match place.read(path, rules) {
            Ok(_) if chosen.untracked.contains(path) => Err(Diagnostic::Unavailable),
            text => text,
        };
        let text = text.inspect_err(|why| coverage.note(*why));
        (path.clone(), text.map(|text| Source { path: path.clone(), text, ..Source::default() }))
    };
    chosen.paths.iter().map(&mut read).collect()
}

/// The bound of a path's content: that of the read of its whole file.
fn bound_of(path: &str, disclosure: Option<&Disclosure>) -> Option<(Allowance, Basis)> {
    let disclosure = disclosure?;
    let whole = disclosure.bounds.iter().find(|bound| bound.path == path && bound.span.is_none());
    // A path without a candidate was never judged, and what was not judged is not shown.
    Some(whole.map_or((Allowance::PathOnly, Basis::OutsideGrants), |bound| (bound.allowance, bound.basis)))
}

fn wanted_lines(source: &Source, lines: &dyn Lines) -> Vec<u64> {
    let numbered = (1u64..).zip(source.text.lines());
    numbered
        .filter(|(number, line)| lines.wants(&source.path, *number, line))
        .map(|(number, _)| number)
        .take(MAX_LINES)
        .collect()
}

/// What the collection observed, from the bytes that it already read: nothing is read twice.
fn manifest(chosen: &Chosen, sources: &Sources, lines: &dyn Lines, base: Option<&str>) -> Manifest {
    let mut request = Request { base: base.map(str::to_owned), read_set: chosen.paths.clone(), ..Request::default() };
    let max_total_bytes = MAX_PATHS as u64 * MAX_SOURCE;
    request.bounds = Bounds { max_files: MAX_PATHS, max_bytes_per_file: MAX_SOURCE, max_total_bytes };
    for (path, source) in sources {
        request.reads.push(Read { path: path.clone(), span: None, allow_truncate: false });
        let first = source.as_ref().ok().and_then(|source| wanted_lines(source, lines).first().copied());
        if let Some(line) = first {
            let span = Some(Span { start: line, end: line });
            request.references.push(Named { path: path.clone(), span, kind: "line".to_owned() });
        }
    }
    let mut manifest = observe(&AlreadyRead(sources), &request);
    manifest.omitted.extend(chosen.omitted.iter().cloned());
    manifest.omitted_beyond = chosen.beyond;
    manifest
}

struct AlreadyRead<'a>(&'a Sources);

impl Files for AlreadyRead<'_> {
    fn read(&self, path: &str) -> Found {
        match self.0.get(path) {
            Some(Ok(source)) => Found::Bytes(source.text.clone().into_bytes()),
            Some(Err(Diagnostic::Oversize)) => Found::TooLarge,
            Some(Err(Diagnostic::NotText)) => Found::Unreadable,
            Some(Err(Diagnostic::NotAFile | Diagnostic::Linked | Diagnostic::Outside)) => Found::NotAFile,
            Some(Err(_)) | None => Found::Missing,
        }
    }

    fn present(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn walk(&self) -> Box<dyn Iterator<Item = String> + '_> {
        Box::new(std::iter::empty())
    }
}
