//! `snapshot`: the projection of a scope as an index tree, on a branch of its own or in a directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use super::Error;
use super::place::{FACTS_TRAILER, Place, SNAPSHOT_TRAILER};
use crate::format::digest::Digest;
use crate::format::entity::Entity;
use crate::format::header;
use crate::format::steps::Steps;
use crate::format::time::Time;
use crate::format::tree::{MAX_FILE, Tree};
use crate::git::{Branch, Commit, Oid, PackWriter, Repo, RevTree};
use crate::render::{self, Mode};
use crate::store::facts::Facts;
use crate::store::write::{Existing, Modes, replace_tree};

/// How many entities are derived at once: enough for all cores, few enough for memory.
const BATCH: usize = 128;

/// What to derive, and where to put it.
pub struct Options<'o> {
    /// Prefixes of entity ids; none means all.
    pub scopes: &'o [String],
    /// Commit to this branch.
    pub commit: Option<To<'o>>,
    /// Write to this directory.
    pub out: Option<&'o Path>,
    /// The seam for tests.
    pub steps: &'o dyn Steps,
}

/// A branch of snapshots.
pub struct To<'o> {
    /// Its short name.
    pub branch: &'o str,
    /// The first paragraph of the message.
    pub message: Option<&'o str>,
    /// The time of the commit.
    pub now: Time,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The snapshot id.
    pub snapshot: String,
    /// The id at the tip of the branch before.
    pub previous: Option<String>,
    /// Entities in the snapshot.
    pub entities: usize,
    /// Entities that are new or differ from the previous snapshot.
    pub changed: usize,
    /// Entities that the previous snapshot had and this one has not.
    pub removed: usize,
    /// The commit, when one was made or adopted.
    pub commit: Option<String>,
}

/// One derived entity.
struct Derived {
    dir: String,
    files: BTreeMap<String, Vec<u8>>,
    index: Vec<u8>,
}

/// Derives the snapshot of the facts as they are now.
///
/// # Errors
/// Those of the store, of git and of the file system.
pub fn snapshot(place: &Place, options: &Options<'_>) -> Result<Report, Error> {
    let tree = place.facts()?;
    let facts = Facts::new(tree.as_ref());
    match (&options.commit, options.out) {
        (Some(to), _) => committed(place, &facts, options, to),
        (None, Some(out)) => written(&facts, options, out),
        (None, None) => {
            let (mut indexes, mut report) = (Vec::new(), empty());
            derive(&facts, options.scopes, |derived| {
                indexes.push((derived.dir, derived.index));
                Ok(())
            })?;
            report.entities = indexes.len();
            report.changed = indexes.len();
            report.snapshot = Digest::of(&directories(indexes).1).to_string();
            Ok(report)
        }
    }
}

/// The whole tree in memory, as `verify --rebuild` compares it.
///
/// # Errors
/// As [`snapshot`].
pub fn derived_files(tree: &dyn Tree, scopes: &[String]) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut files = BTreeMap::new();
    let mut indexes = Vec::new();
    derive(&Facts::new(tree), scopes, |derived| {
        files.extend(derived.files.into_iter().map(|(path, bytes)| (format!("{}/{path}", derived.dir), bytes)));
        indexes.push((derived.dir, derived.index));
        Ok(())
    })?;
    files.extend(whole(indexes));
    Ok(files)
}

fn empty() -> Report {
    Report { snapshot: String::new(), previous: None, entities: 0, changed: 0, removed: 0, commit: None }
}

/// Derives every entity of the scopes, in the order of subjects, some at a time.
fn derive(
    facts: &Facts<'_>,
    scopes: &[String],
    mut take: impl FnMut(Derived) -> Result<(), Error>,
) -> Result<(), Error> {
    let subjects = facts.subjects().map_err(|error| Error::new("io", error.to_string()))?;
    for batch in subjects.chunks(BATCH) {
        let derived =
            batch.par_iter().map(|(_, paths)| derive_one(facts, scopes, paths)).collect::<Result<Vec<_>, _>>()?;
        derived.into_iter().flatten().try_for_each(&mut take)?;
    }
    Ok(())
}

fn derive_one(facts: &Facts<'_>, scopes: &[String], paths: &[String]) -> Result<Option<Derived>, Error> {
    let filed = facts.load(paths).map_err(|error| Error::new("io", error.to_string()))?;
    let Some(state) = super::load::state(facts, filed)? else { return Ok(None) };
    let entity = state.entity();
    if !in_scope(&entity, scopes) {
        return Ok(None);
    }
    let rendered = render::entity(&state, Mode::Snapshot);
    Ok(Some(Derived { dir: entity.dir(), files: rendered.files, index: rendered.index }))
}

/// A scope is an entity id or a prefix of one that ends where a segment ends; forges do not tell case.
fn in_scope(entity: &Entity, scopes: &[String]) -> bool {
    let id = entity.to_string().to_ascii_lowercase();
    let covers = |scope: &String| {
        let scope = scope.trim_end_matches('/').to_ascii_lowercase();
        id.strip_prefix(&scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    scopes.is_empty() || scopes.iter().any(covers)
}

/// The `index.json` of every directory from the shards up, and that of the root.
fn directories(entities: Vec<(String, Vec<u8>)>) -> (BTreeMap<String, Vec<u8>>, Vec<u8>) {
    let mut levels: BTreeMap<usize, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
    for (dir, index) in entities {
        levels.entry(dir.matches('/').count() + 1).or_default().insert(dir, index);
    }
    let mut made = BTreeMap::new();
    while let Some((depth, nodes)) = levels.pop_last() {
        let mut parents: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
        for (dir, index) in nodes {
            let (parent, name) = dir.rsplit_once('/').unwrap_or(("", &dir));
            parents.entry(parent.to_owned()).or_default().push((name.to_owned(), index));
        }
        if depth == 1 {
            return (made, root_index(parents.remove("").unwrap_or_default()));
        }
        for (dir, children) in parents {
            let index = render::children_index(&children, None);
            made.insert(format!("{dir}/index.json"), index.clone());
            levels.entry(depth - 1).or_default().insert(dir, index);
        }
    }
    (made, root_index(Vec::new()))
}

fn root_index(children: Vec<(String, Vec<u8>)>) -> Vec<u8> {
    render::children_index(&children, Some(header::ATTRIBUTES.as_bytes()))
}

/// The files of a snapshot that belong to no entity's own list, and the entities' indexes.
fn whole(entities: Vec<(String, Vec<u8>)>) -> BTreeMap<String, Vec<u8>> {
    let own: Vec<_> = entities.iter().map(|(dir, index)| (format!("{dir}/index.json"), index.clone())).collect();
    let (mut files, root) = directories(entities);
    files.extend(own);
    files.insert("index.json".into(), root);
    files.insert(".gitattributes".into(), header::ATTRIBUTES.as_bytes().to_vec());
    files
}

fn written(facts: &Facts<'_>, options: &Options<'_>, out: &Path) -> Result<Report, Error> {
    let files = derived_files(facts.tree, options.scopes)?;
    let mut report = empty();
    report.snapshot = files.get("index.json").map(|index| Digest::of(index).to_string()).unwrap_or_default();
    report.entities = files.keys().filter(|path| path.ends_with("/entity.json")).count();
    report.changed = report.entities;
    super::target::check(out, true)?;
    replace_tree(out, files, Modes::Plain, Existing::Replace, options.steps)?;
    Ok(report)
}

/// The tips that a new snapshot commit follows.
struct Tips {
    local: Option<Commit>,
    remote: Option<Commit>,
}

impl Tips {
    fn find(repo: &Repo, branch: &str) -> Result<Self, Error> {
        let commit = |found: Option<Branch>| found.map(|branch| repo.commit(branch.id)).transpose();
        let local = commit(repo.find_branch(branch)?.filter(|found| found.local))?;
        let remote = commit(repo.find_remote_branch(branch)?)?;
        Ok(Self { local, remote })
    }

    /// The commit whose tree the new one is compared with.
    fn base(&self) -> Option<&Commit> {
        self.local.as_ref().or(self.remote.as_ref())
    }

    /// Both tips, unless one is known to contain the other.
    fn parents(&self, repo: &Repo) -> Result<Vec<Oid>, Error> {
        match (&self.local, &self.remote) {
            (Some(local), Some(remote)) if repo.is_ancestor(remote.id, local.id)? => Ok(vec![local.id]),
            (Some(local), Some(remote)) if repo.is_ancestor(local.id, remote.id)? => Ok(vec![remote.id]),
            (Some(local), Some(remote)) => Ok(vec![local.id, remote.id]),
            (one, other) => Ok(one.iter().chain(other).map(|commit| commit.id).collect()),
        }
    }
}

fn committed(place: &Place, facts: &Facts<'_>, options: &Options<'_>, to: &To<'_>) -> Result<Report, Error> {
    let repo = place.needed_repo()?;
    let name = format!("refs/heads/{}", to.branch);
    let tips = Tips::find(repo, to.branch)?;
    let previous = tips.base().map(|commit| repo.tree(commit, "")).transpose()?;
    let mut report = empty();
    report.previous = match &previous {
        Some(tree) => read(tree, "index.json")?.map(|index| Digest::of(&index).to_string()),
        None => None,
    };
    let mut writer = repo.writer(options.steps);
    let changes = changes(facts, options, previous.as_ref(), &mut writer, &mut report)?;
    let tree = writer.edit_tree(tips.base().map(|commit| commit.tree), changes)?;
    let same = |commit: &&Commit| commit.tree == tree;
    let parents = tips.parents(repo)?;
    let target = match (tips.local.as_ref().filter(same), tips.remote.as_ref().filter(same)) {
        (Some(local), None) if parents == [local.id] => None,
        (Some(_), Some(remote)) if parents.len() == 1 => (parents == [remote.id]).then_some(remote.id),
        (_, Some(remote)) => Some(remote.id),
        _ => Some(writer.commit(tree, &parents, &message(place, to, &report)?, &repo.identity(to.now.unix()))?),
    };
    writer.finish()?;
    let before = tips.local.as_ref().map(|commit| commit.id);
    if let Some(target) = target.filter(|target| Some(*target) != before) {
        repo.update_ref(&name, target, before, &repo.identity(to.now.unix()), "docket: snapshot", options.steps)?;
        report.commit = Some(target.to_string());
    }
    Ok(report)
}

/// What differs from the previous tree, as paths and blobs that are written already.
fn changes(
    facts: &Facts<'_>,
    options: &Options<'_>,
    previous: Option<&RevTree>,
    writer: &mut PackWriter<'_>,
    report: &mut Report,
) -> Result<Vec<(String, Option<Oid>)>, Error> {
    let mut old = old_files(previous)?;
    let (mut changes, mut indexes, mut others) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut waiting = Vec::new();
    derive(facts, options.scopes, |derived| {
        let index_path = format!("{}/index.json", derived.dir);
        let before = old.remove(&derived.dir).unwrap_or_default();
        let same = match previous {
            Some(tree) => !before.is_empty() && read(tree, &index_path)?.as_ref() == Some(&derived.index),
            None => false,
        };
        if !same {
            report.changed += 1;
            let new: BTreeMap<_, _> =
                derived.files.into_iter().map(|(path, b)| (format!("{}/{path}", derived.dir), b)).collect();
            changes.extend(
                before
                    .into_iter()
                    .filter(|path| !new.contains_key(path) && *path != index_path)
                    .map(|path| (path, None)),
            );
            waiting.extend(new);
            waiting.push((index_path, derived.index.clone()));
            store(&mut waiting, 2000, writer, &mut changes)?;
        }
        indexes.push((derived.dir, derived.index));
        Ok(())
    })?;
    report.entities = indexes.len();
    report.removed = old.keys().filter(|dir| dir.contains('/')).count();
    let (mut inner, root) = directories(indexes);
    report.snapshot = Digest::of(&root).to_string();
    inner.insert("index.json".into(), root);
    inner.insert(".gitattributes".into(), header::ATTRIBUTES.as_bytes().to_vec());
    for (path, bytes) in inner {
        others.insert(path.clone());
        waiting.push((path, bytes));
    }
    store(&mut waiting, 0, writer, &mut changes)?;
    changes.extend(old.into_values().flatten().filter(|path| !others.contains(path)).map(|path| (path, None)));
    Ok(changes)
}

/// The paths of the previous tree by the directory of their entity; what belongs to none stands under its own directory.
fn old_files(previous: Option<&RevTree>) -> Result<BTreeMap<String, Vec<String>>, Error> {
    let Some(tree) = previous else { return Ok(BTreeMap::new()) };
    let listed = tree.list("").map_err(|error| Error::new("io", error.to_string()))?;
    let paths: Vec<_> = listed.into_iter().map(|entry| entry.path).collect();
    let entities: BTreeSet<_> =
        paths.iter().filter_map(|path| path.strip_suffix("/entity.json")).map(str::to_owned).collect();
    let mut by_dir: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let dir = std::iter::successors(Some(path.as_str()), |at| at.rsplit_once('/').map(|(up, _)| up))
            .find(|at| entities.contains(*at));
        let dir = dir.unwrap_or("").to_owned();
        by_dir.entry(dir).or_default().push(path);
    }
    Ok(by_dir)
}

/// Writes what waits once there is enough of it.
fn store(
    waiting: &mut Vec<(String, Vec<u8>)>,
    enough: usize,
    writer: &mut PackWriter<'_>,
    changes: &mut Vec<(String, Option<Oid>)>,
) -> Result<(), Error> {
    if waiting.len() < enough {
        return Ok(());
    }
    let (paths, contents): (Vec<_>, Vec<_>) = std::mem::take(waiting).into_iter().unzip();
    let ids = writer.blobs(contents)?;
    changes.extend(paths.into_iter().zip(ids.into_iter().map(Some)));
    Ok(())
}

fn message(place: &Place, to: &To<'_>, report: &Report) -> Result<String, Error> {
    let first = to.message.map_or_else(
        || format!("Snapshot of {} entities: {} changed, {} removed", report.entities, report.changed, report.removed),
        |message| message.trim_end().to_owned(),
    );
    let facts = place.committed_facts()?.map_or_else(|| "uncommitted".to_owned(), |id| id.to_string());
    Ok(format!("{first}\n\n{SNAPSHOT_TRAILER}: {}\n{FACTS_TRAILER}: {facts}\n", report.snapshot))
}

fn read(tree: &dyn Tree, path: &str) -> Result<Option<Vec<u8>>, Error> {
    tree.read(path, MAX_FILE).map_err(|error| Error::new("io", format!("{path}: {error}")))
}
