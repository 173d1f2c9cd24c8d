//! `stage`: the context of one entity or several, written at once into a private directory.

mod budget;
mod entities;
mod record;
mod replay;
mod report;
mod upstream;

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use crate::corpus::{self, State};
use crate::filter;
use crate::forge::delivery::Delivery;
use crate::format::digest::Digest;
use crate::format::entity::Entity;
use crate::format::facet::Facet;
use crate::format::profile::{OnFinding, Profile, tokens};
use crate::format::source::Quotes;
use crate::format::steps::{Steps, Unhindered};
use crate::format::tree::Tree;
use crate::git::Repo;
use crate::ops::Error;
use crate::ops::cross::{self, Crossed};
use crate::ops::explain;
use crate::ops::target;
use crate::ops::wanted::Wanted;
use crate::render::{self, Beside, Child, Explained, Mode, Plan, Rendered};
use crate::store;
use crate::store::facts::Facts;
use crate::store::layers::Layers;
use crate::store::write::{Draft, Modes};

use self::entities::{Entities, entities};
pub use self::record::Record;
pub use self::replay::{Remade, Replayed, remade, replay};
pub use self::report::{Count, Gap, Left, Report, Sources};
pub use crate::corpus::Touched;
pub use crate::filter::{Filter, MIN_CREDENTIAL};
pub use crate::format::layout::Layout;
pub use crate::store::write::Held;

/// What to stage, and how.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The entities; none means all that the facts have.
    pub wanted: &'o [Wanted],
    /// The delivery that sets it off.
    pub event: Option<Event<'o>>,
    /// How the tree is laid out.
    pub layout: Layout,
    /// The resolved profile.
    pub profile: &'o Profile,
    /// The directory to write.
    pub out: &'o Path,
    /// Where it and the explanation lie, held since before the facts were read; they are held from then on if it is not given.
    pub held: Option<&'o Places>,
    /// Replace a former stage.
    pub replace: bool,
    /// Write inside a git work tree too.
    pub allow_inside_worktree: bool,
    /// Read-only modes.
    pub seal: bool,
    /// What must be complete.
    pub require: &'o [Requirement],
    /// Who quotes a repository for each entity.
    pub quote: Option<&'o Quote<'o>>,
    /// A repository with the commits of the pull requests, against which their files are checked.
    pub repository: Option<&'o Path>,
    /// Values that are redacted wherever they stand, also encoded.
    pub credentials: &'o [String],
    /// A file of the host that says where each finding was.
    pub explain: Option<&'o Path>,
    /// The store that is to know what the stage was made of.
    pub record: Option<Record<'o>>,
    /// The seam for tests.
    pub steps: &'o dyn Steps,
}

/// The places that a stage writes to: whatever their paths lead to later, nothing is written elsewhere.
#[derive(Debug)]
pub struct Places {
    /// The stage.
    pub out: Held,
    /// The explanation.
    pub explain: Option<Held>,
}

impl Places {
    /// Holds them. One that cannot be held may be one that must not be written to, which is said first.
    ///
    /// # Errors
    /// `target-inside-worktree`, `io` for one whose parent is not there, `path-unsafe`, `explain-inside-stage`.
    pub fn hold(out: &Path, explain: Option<&Path>, allow_inside_worktree: bool) -> Result<Self, Error> {
        explain.map_or(Ok(()), |file| explain::check_place(file, out))?;
        let refused = |error| target::check_place(out, allow_inside_worktree).err().unwrap_or(error);
        let held = Held::new(out).map_err(|error| refused(without_parent(error)))?;
        Ok(Self { out: held, explain: explain.map(Held::new).transpose().map_err(without_parent)? })
    }
}

/// What a stage is put into is never made: where it is missing, a name is mistyped as a rule.
fn without_parent(error: store::Error) -> Error {
    let is_missing = matches!(&error, store::Error::Io { source, .. } if source.kind() == ErrorKind::NotFound);
    let error = Error::from(error);
    if is_missing { error.hint("the directory that it is put into must be there: mkdir -p makes it") } else { error }
}

/// A delivery that sets off a stage.
#[derive(Clone, Copy)]
pub struct Event<'o> {
    /// What it is about.
    pub delivery: &'o Delivery,
    /// The facts that it gives, which are laid over those that the stage is made from.
    pub facts: &'o dyn Tree,
    /// The digest of the input that it is: looks that are made of it are of its moment, wherever they lie.
    pub input: Digest,
    /// Whether the caller chose the entity, where it is about several.
    pub chosen: bool,
}

/// Quotes a repository for an entity as the filter lets it be shown, given the places that it changes when it is a pull request.
/// `None` is no part.
pub type Quote<'q> = dyn Fn(&Entity, Option<Touched>, &Filter) -> Result<Option<Quotes>, Error> + 'q;

/// What a caller may require of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Every facet of the profile.
    Complete,
    /// One facet.
    Facet(Facet),
}

impl<'o> Options<'o> {
    /// For a stage that is made and written nowhere.
    pub fn unwritten(wanted: &'o [Wanted], profile: &'o Profile) -> Self {
        Self {
            wanted,
            event: None,
            profile,
            out: Path::new(""),
            replace: false,
            allow_inside_worktree: true,
            seal: false,
            require: &[],
            quote: None,
            repository: None,
            credentials: &[],
            explain: None,
            record: None,
            layout: Layout::Docket,
            held: None,
            steps: &Unhindered,
        }
    }
}

/// Stages entities from facts.
///
/// # Errors
/// `layout-unsupported`, `layout-unmet`, `entity-not-found`, `target-exists`, `target-not-a-stage`, `target-inside-worktree`, `explain-inside-stage`, `explain-not-ours`,
/// `budget-too-small`, `unsafe-content`, `filter-failed`, and those of the store and the file system; nothing is left behind then, but for the facts and the
/// record of a stage that could not be written in the end.
pub fn stage(tree: &dyn Tree, options: &Options<'_>) -> Result<Report, Error> {
    let mut own = None;
    let places = check(options, &mut own)?;
    let mut staged = staged(tree, options)?;
    staged.report.record = options.record.map(|to| record::record(&to, options, &staged)).transpose()?;
    write(staged, options, places)
}

/// Refuses targets that must not be written to, before anything is read; gives those that may be.
fn check<'p>(options: &'p Options<'_>, own: &'p mut Option<Places>) -> Result<&'p Places, Error> {
    target::check(options.out, options.replace)?;
    target::check_place(options.out, options.allow_inside_worktree)?;
    options.explain.map_or(Ok(()), |file| explain::check(file, options.out, options.replace))?;
    Ok(match options.held {
        Some(held) => held,
        None => own.insert(Places::hold(options.out, options.explain, options.allow_inside_worktree)?),
    })
}

fn write(staged: Staged, options: &Options<'_>, places: &Places) -> Result<Report, Error> {
    let Staged { files, mut report, explained, .. } = staged;
    let text = explain::document(&report.index_digest, &explained);
    let draft = places.explain.as_ref().map(|file| Draft::new(file, &text, options.steps)).transpose()?;
    report.context_dir = options.out.to_path_buf();
    let modes = if options.seal { Modes::Sealed } else { Modes::Private };
    target::write(&places.out, files, modes, options.replace, options.steps)?;
    draft.map(|draft| draft.publish(options.replace)).transpose()?;
    Ok(report)
}

/// The files of a stage, and its report without a directory.
///
/// # Errors
/// `entity-not-found`, `budget-too-small`, `unsafe-content`, `filter-failed` and those of the store.
pub fn staged_files(tree: &dyn Tree, options: &Options<'_>) -> Result<(BTreeMap<String, Vec<u8>>, Report), Error> {
    staged(tree, options).map(|staged| (staged.files, staged.report))
}

/// A stage that is not written yet.
struct Staged {
    files: BTreeMap<String, Vec<u8>>,
    report: Report,
    explained: Vec<(String, Explained)>,
    /// The digest of the root index.
    index: Digest,
    /// The entities that were asked for.
    asked: Vec<Entity>,
    /// The observations that were folded, by their path below `observations/`.
    used: BTreeMap<String, Digest>,
    quotes: Vec<(Entity, Quotes)>,
}

fn staged(tree: &dyn Tree, options: &Options<'_>) -> Result<Staged, Error> {
    let filter = filter(options)?;
    let layers = options.event.map(|event| Layers { upper: event.facts, lower: tree });
    let facts = layers.as_ref().map_or(tree, |layers| layers as &dyn Tree);
    let Entities { states, asked, used, .. } = entities(&Facts::new(facts), options)?;
    if options.layout == Layout::EntityContextSnapshot {
        return upstream::staged(&Facts::new(facts), (states, used), options, filter);
    }
    let is_asked = |entity: &Entity| asked.binary_search(entity).is_ok();
    let mut quoted = Vec::with_capacity(states.len());
    for state in &states {
        let entity = state.entity();
        let quote = options.quote.filter(|_| is_asked(&entity));
        let quotes = quote.map_or(Ok(None), |quote| quote(&entity, corpus::touched(state), &filter))?;
        quoted.push((entity, quotes));
    }
    let mode = Mode::Stage(options.profile, &filter);
    let plan = || Plan::new(&states, options.profile, &filter);
    let mut rendered = budget::within(options.profile, &asked, &plan, &|allowances| {
        let each = states.iter().zip(&quoted).enumerate();
        let one = |(at, (state, (entity, quotes))): (usize, (&State, &(Entity, Option<Quotes>)))| {
            let allowance = allowances.and_then(|all| all.get(at));
            Ok((entity.clone(), render::entity_with(state, mode, quotes.as_ref(), allowance)?))
        };
        each.map(one).collect()
    })?;
    let quotes: Vec<_> = quoted.into_iter().filter_map(|(entity, quotes)| Some((entity, quotes?))).collect();
    let mut report = report::of(&rendered, &is_asked);
    report.repository = crossed(options.repository, states.iter().filter(|state| is_asked(&state.entity())))?;
    report.sources = quotes.iter().map(|(entity, quotes)| Sources::of(entity, quotes)).collect();
    if options.profile.on_finding == OnFinding::Fail {
        refuse_findings(&report)?;
    }
    let all = states.iter().zip(&rendered).filter(|(_, (entity, _))| is_asked(entity));
    report.unmet = all.flat_map(|(state, (_, one))| unmet(state, one.complete, options)).collect();
    let mut explained = Vec::new();
    for (entity, one) in &mut rendered {
        explained.extend(std::mem::take(&mut one.explained).into_iter().map(|found| (entity.to_string(), found)));
    }
    let files = if rendered.len() == 1 { single(rendered) } else { several(rendered, &asked) };
    let index = Digest::of(files.get("index.json").map_or(&[][..], Vec::as_slice));
    report.index_digest = index.to_string();
    report.files = files.len();
    report.bytes = files.values().map(|bytes| bytes.len() as u64).sum();
    report.tokens = files.values().map(|bytes| tokens(bytes)).sum();
    Ok(Staged { files, report, explained, index, asked, used, quotes })
}

fn filter(options: &Options<'_>) -> Result<Filter, Error> {
    let filter = Filter::new(options.profile.on_finding)?.with_credentials(options.credentials)?;
    Ok(if options.explain.is_some() { filter.explaining() } else { filter })
}

/// Stops a stage for which every secret and injection is too much.
fn refuse_findings(report: &Report) -> Result<(), Error> {
    let found = report.findings.iter().filter(|finding| filter::is_detected(&finding.code));
    let found: Vec<_> = found.map(|finding| format!("{} ({})", finding.code, finding.count)).collect();
    if found.is_empty() {
        return Ok(());
    }
    let message =
        format!("{}: the filters found {}; nothing was written", report.entities.join(", "), found.join(", "));
    Err(Error::new("unsafe-content", message)
        .hint("--on-finding withhold stages the rest, --explain FILE says where it was"))
}

/// Checks the files of pull requests against a repository, when one is named.
fn crossed<'s>(repository: Option<&Path>, states: impl Iterator<Item = &'s State>) -> Result<Vec<Crossed>, Error> {
    let Some(dir) = repository else { return Ok(Vec::new()) };
    let repo = Repo::discover(dir)?
        .ok_or_else(|| Error::new("repo-not-found", format!("{}: there is no git repository", dir.display())))?;
    let checked = states.map(|state| cross::check(&repo, state)).collect::<Result<Vec<_>, _>>()?;
    Ok(checked.into_iter().flatten().collect())
}

fn single(rendered: Vec<(Entity, Rendered)>) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for (_, one) in rendered {
        files = one.files;
        files.insert("index.json".into(), one.index);
    }
    files
}

fn several(rendered: Vec<(Entity, Rendered)>, asked: &[Entity]) -> BTreeMap<String, Vec<u8>> {
    let [index, summary] = root(&rendered, asked);
    let mut files = BTreeMap::from([("index.json".to_owned(), index), ("summary.md".to_owned(), summary)]);
    let dirs = child_dirs(&rendered);
    for ((_, one), dir) in rendered.into_iter().zip(dirs) {
        files.extend(one.files.into_iter().map(|(path, bytes)| (format!("{dir}/{path}"), bytes)));
        files.insert(format!("{dir}/index.json"), one.index);
    }
    files
}

/// The index and the summary of a stage of several.
fn root(rendered: &[(Entity, Rendered)], asked: &[Entity]) -> [Vec<u8>; 2] {
    let dirs = child_dirs(rendered);
    let child = |((entity, one), dir): (&(Entity, Rendered), &String)| Child {
        entity: entity.clone(),
        dir: dir.clone(),
        complete: one.complete,
        asked: asked.contains(entity),
    };
    let summary = render::children_summary(&rendered.iter().zip(&dirs).map(child).collect::<Vec<_>>()).into_bytes();
    let indexes = rendered.iter().map(|(_, one)| &one.index);
    let children: Vec<_> = dirs.iter().zip(indexes).collect();
    [render::children_index(&children, Beside::Summary(&summary)), summary]
}

/// The directory of each entity in a stage of several.
fn child_dirs(rendered: &[(Entity, Rendered)]) -> Vec<String> {
    let dirs: Vec<_> = rendered.iter().map(|(entity, _)| child_dir(entity)).collect();
    // Two forges at one host may have the same names.
    if dirs.iter().collect::<BTreeSet<_>>().len() == dirs.len() {
        return dirs;
    }
    let forges = rendered.iter().map(|(entity, _)| entity.repository.forge().name());
    forges.zip(dirs).map(|(forge, dir)| format!("{forge}/{dir}")).collect()
}

/// What a stage of these comes to in all: the sum over its files of what is said of each.
fn measure(rendered: &[(Entity, Rendered)], asked: &[Entity], of: fn(&[u8]) -> u64) -> u64 {
    let each = |one: &Rendered| of(&one.index) + one.files.values().map(|bytes| of(bytes)).sum::<u64>();
    let root = if rendered.len() == 1 { 0 } else { root(rendered, asked).iter().map(|file| of(file)).sum() };
    root + rendered.iter().map(|(_, one)| each(one)).sum::<u64>()
}

/// The directory of an entity in a stage of several: its snapshot directory without forge and shard.
fn child_dir(entity: &Entity) -> String {
    let repository = entity.repository.dir();
    let below_forge = repository.split_once('/').map_or(repository.as_str(), |(_, rest)| rest);
    format!("{below_forge}/{}/{}", entity.kind.name(), entity.number)
}

fn unmet(state: &State, complete: bool, options: &Options<'_>) -> Vec<String> {
    // The record shows labels, whatever the profile asks for.
    let is_left_out = |facet| facet != Facet::Labels && !options.profile.asks_for(state.kind, facet);
    let miss = |requirement: &Requirement| match requirement {
        Requirement::Complete if !complete => Some(format!("{}: not complete", state.entity())),
        Requirement::Facet(facet) if is_left_out(*facet) => {
            Some(format!("{}: {}: the profile does not ask for it", state.entity(), facet.name()))
        }
        Requirement::Facet(facet) if !state.is_complete(*facet) => {
            Some(format!("{}: {}: not complete", state.entity(), facet.name()))
        }
        _ => None,
    };
    options.require.iter().filter_map(miss).collect()
}
