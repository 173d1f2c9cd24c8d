//! `snapshot`: the projection of a scope as an index tree, on a branch of its own or in a directory.

mod derive;
mod scope;
mod tips;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use super::place::Place;
use super::trailer::{FACTS_TRAILER, SCOPE_TRAILER, SNAPSHOT_TRAILER, UNCOMMITTED};
use super::{Error, target};
use crate::format::digest::Digest;
use crate::format::header;
use crate::format::index::{Index, Node, entity_of};
use crate::format::steps::Steps;
use crate::format::time::Time;
use crate::format::tree::{MAX_FILE, Tree};
use crate::git::{self, Commit, Oid, PackWriter, RevTree, branch_name};
use crate::store::facts::Facts;
use crate::store::write::{Held, Modes};

use derive::{Derived, derive, directories, whole};
use scope::in_scope;
use tips::{Tips, check_branch};

/// What to derive, and where to put it.
pub struct Options<'o> {
    /// Prefixes of entity ids; none means all.
    pub scopes: &'o [String],
    /// The short name of the branch of snapshots: compared with, and committed to.
    pub branch: &'o str,
    /// Commit.
    pub commit: Option<To<'o>>,
    /// Write to this directory.
    pub out: Option<&'o Path>,
    /// Replace a former snapshot there.
    pub replace: bool,
    /// Write inside a git work tree too.
    pub allow_inside_worktree: bool,
    /// The seam for tests.
    pub steps: &'o dyn Steps,
}

/// How to commit.
pub struct To<'o> {
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
    /// The commit, when one was made: a branch that is only brought to where a remote has it is no commit.
    pub commit: Option<String>,
}

/// Derives the snapshot of the facts as they are now.
///
/// # Errors
/// `scope-invalid`, those of the store, of git and of the file system.
pub fn snapshot(place: &Place, options: &Options<'_>) -> Result<Report, Error> {
    scope::check(options.scopes)?;
    if let Some(to) = &options.commit {
        let (tree, commit) = place.facts_and_commit()?;
        return committed(&Source { place, facts: Facts::new(tree.as_ref()), commit }, options, to);
    }
    let tree = place.facts()?;
    let facts = Facts::new(tree.as_ref());
    match options.out {
        Some(out) => written(place, &facts, options, out),
        None => compared(place, &facts, options, |_| ()),
    }
}

/// What a snapshot is derived from.
struct Source<'s> {
    place: &'s Place,
    facts: Facts<'s>,
    /// The commit that had exactly these facts when they were opened.
    commit: Option<Commit>,
}

/// What a commit to the snapshot branch would say, without one; what lies outside of the scopes is not compared. Each derived entity is shown to `see`.
fn compared(
    place: &Place,
    facts: &Facts<'_>,
    options: &Options<'_>,
    mut see: impl FnMut(&mut Derived),
) -> Result<Report, Error> {
    let previous = match place.repo() {
        Some(repo) => {
            Tips::find(repo, branch_name(options.branch)?)?.base().map(|tip| repo.tree(tip, "")).transpose()?
        }
        None => None,
    };
    let (mut indexes, mut report) = (Vec::new(), empty());
    report.previous = snapshot_id(previous.as_ref())?;
    let mut old = old_files(previous.as_ref())?;
    derive(facts, options.scopes, |mut derived| {
        see(&mut derived);
        let there = old.remove(&derived.dir).is_some();
        if !there || !is_same(previous.as_ref(), &derived)? {
            report.changed += 1;
        }
        indexes.push((derived.dir, derived.index));
        Ok(())
    })?;
    report.entities = indexes.len();
    for dir in old.keys().filter(|dir| dir.contains('/')) {
        report.removed += usize::from(is_compared(previous.as_ref(), dir, options.scopes)?);
    }
    report.snapshot = Digest::of(&directories(indexes).1).to_string();
    Ok(report)
}

/// Whether the entity of a directory of the previous snapshot is in the scopes. One whose index cannot be read is.
fn is_compared(tree: Option<&RevTree>, dir: &str, scopes: &[String]) -> Result<bool, Error> {
    let Some(tree) = tree.filter(|_| !scopes.is_empty()) else { return Ok(true) };
    let index = read(tree, &format!("{dir}/index.json"))?.and_then(|bytes| Index::from_bytes(&bytes).ok());
    let entity = index.and_then(|index| match index.node {
        Node::Entity { members } => entity_of(&members),
        Node::Directory => None,
    });
    Ok(entity.is_none_or(|entity| in_scope(&entity, scopes)))
}

/// The id of the snapshot in a tree.
fn snapshot_id(tree: Option<&RevTree>) -> Result<Option<String>, Error> {
    let index = tree.map(|tree| read(tree, "index.json")).transpose()?.flatten();
    Ok(index.map(|index| Digest::of(&index).to_string()))
}

/// Whether a tree has an entity as it was derived: its index says it of all its files.
fn is_same(tree: Option<&RevTree>, derived: &Derived) -> Result<bool, Error> {
    let Some(tree) = tree else { return Ok(false) };
    Ok(read(tree, &format!("{}/index.json", derived.dir))?.as_ref() == Some(&derived.index))
}

/// The whole tree in memory, as `verify --rebuild` compares it.
///
/// # Errors
/// As [`snapshot`].
pub fn derived_files(tree: &dyn Tree, scopes: &[String]) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut kept = Kept::default();
    derive(&Facts::new(tree), scopes, |mut derived| {
        kept.keep(&mut derived);
        Ok(())
    })?;
    Ok(kept.whole())
}

/// A snapshot as it is derived, held in memory.
#[derive(Default)]
struct Kept {
    files: BTreeMap<String, Vec<u8>>,
    indexes: Vec<(String, Vec<u8>)>,
}

impl Kept {
    fn keep(&mut self, derived: &mut Derived) {
        let files = std::mem::take(&mut derived.files).into_iter();
        self.files.extend(files.map(|(path, bytes)| (format!("{}/{path}", derived.dir), bytes)));
        self.indexes.push((derived.dir.clone(), derived.index.clone()));
    }

    /// All files, the indexes above the entities too.
    fn whole(mut self) -> BTreeMap<String, Vec<u8>> {
        self.files.extend(whole(self.indexes));
        self.files
    }
}

fn empty() -> Report {
    Report { snapshot: String::new(), previous: None, entities: 0, changed: 0, removed: 0, commit: None }
}

/// Derives once, so that what is reported is what was written.
fn written(place: &Place, facts: &Facts<'_>, options: &Options<'_>, out: &Path) -> Result<Report, Error> {
    target::check(out, options.replace)?;
    target::check_place(out, options.allow_inside_worktree)?;
    let held = Held::new(out)?;
    let mut kept = Kept::default();
    let report = compared(place, facts, options, |derived| kept.keep(derived))?;
    target::write(&held, kept.whole(), Modes::Plain, options.replace, options.steps)?;
    Ok(report)
}

/// How often a branch that moved meanwhile is tried again.
const ATTEMPTS: usize = 20;

fn committed(from: &Source<'_>, options: &Options<'_>, to: &To<'_>) -> Result<Report, Error> {
    let place = from.place;
    let repo = place.needed_repo()?;
    let branch = branch_name(options.branch)?;
    let name = format!("refs/heads/{branch}");
    for _ in 0..ATTEMPTS {
        let tips = Tips::find(repo, branch)?;
        check_branch(place, repo, &name, &tips)?;
        match commit_to(from, options, to, &name, &tips) {
            Err(Trouble::Git(git::Error::RefMoved { .. })) => {}
            Err(Trouble::Git(error)) => return Err(error.into()),
            Err(Trouble::Other(error)) => return Err(error),
            Ok(report) => return Ok(report),
        }
    }
    Err(Error::new("ref-moved", format!("branch {branch}: others kept moving it")).hint("try again"))
}

/// Trouble of which a move of the branch by others is told apart.
enum Trouble {
    Git(git::Error),
    Other(Error),
}

impl<E: Into<Error>> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

fn commit_to(
    from: &Source<'_>,
    options: &Options<'_>,
    to: &To<'_>,
    name: &str,
    tips: &Tips,
) -> Result<Report, Trouble> {
    let repo = from.place.needed_repo()?;
    let previous = tips.base().map(|commit| repo.tree(commit, "")).transpose()?;
    let mut report = empty();
    report.previous = snapshot_id(previous.as_ref())?;
    let mut writer = repo.writer(options.steps);
    let mut changes = changes(&from.facts, options, previous.as_ref(), &mut writer, &mut report)?;
    let tree = writer.edit_tree(tips.base().map(|commit| commit.tree), &mut changes)?;
    let same = |commit: &&Commit| commit.tree == tree;
    let parents = tips.parents(repo)?;
    let target = match (tips.local.as_ref().filter(same), tips.remote.as_ref().filter(same)) {
        (Some(local), None) if parents == [local.id] => None,
        (Some(_), Some(remote)) if parents.len() == 1 => (parents == [remote.id]).then_some(remote.id),
        (_, Some(remote)) => Some(remote.id),
        _ => {
            let made = writer.commit(
                tree,
                &parents,
                &message(from, to, options.scopes, &report)?,
                &repo.identity(to.now.unix()),
            )?;
            report.commit = Some(made.to_string());
            Some(made)
        }
    };
    writer.finish()?;
    let before = tips.local.as_ref().map(|commit| commit.id);
    if let Some(target) = target.filter(|target| Some(*target) != before) {
        let who = repo.identity(to.now.unix());
        repo.update_ref(name, target, before, &who, "docket: snapshot", options.steps).map_err(Trouble::Git)?;
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
        if before.is_empty() || !is_same(previous, &derived)? {
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
    let listed = tree.list("")?;
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

fn message(from: &Source<'_>, to: &To<'_>, scopes: &[String], report: &Report) -> Result<String, Error> {
    let first = to.message.map_or_else(
        || format!("Snapshot of {} entities: {} changed, {} removed", report.entities, report.changed, report.removed),
        |message| message.trim_end().to_owned(),
    );
    // What another filed while this was derived may be in it or not.
    let facts = match &from.commit {
        Some(commit) if from.place.are_facts_of(from.facts.tree, commit)? => commit.id.to_string(),
        _ => UNCOMMITTED.to_owned(),
    };
    let scopes: String = scopes.iter().map(|scope| format!("{SCOPE_TRAILER}: {scope}\n")).collect();
    Ok(format!("{first}\n\n{SNAPSHOT_TRAILER}: {}\n{FACTS_TRAILER}: {facts}\n{scopes}", report.snapshot))
}

fn read(tree: &dyn Tree, path: &str) -> Result<Option<Vec<u8>>, Error> {
    tree.read(path, MAX_FILE).map_err(|error| Error::from(error).about(path))
}
