//! Committing facts: from a work tree, or straight to a branch.

use std::collections::BTreeSet;
use std::path::Path;

use super::place::Place;
use crate::format::header;
use crate::format::steps::Steps;
use crate::format::time::Time;
use crate::format::tree::{FileKind, MAX_FILE, Tree};
use crate::git::{self, Move, Oid, PackWriter, Repo, Staged};
use crate::ops::Error;
use crate::store::dir::DirTree;
use crate::store::layout::{DIRECTORIES, OBJECTS, OBSERVATIONS};

/// How often a branch that moved meanwhile is tried again.
const ATTEMPTS: usize = 20;

/// How many bytes of files are handed to the pack at once.
const LOT: usize = 4 << 20;

/// A commit of a work tree's facts in the making: what is written goes into the pack at once, so that it need not be read again.
pub(super) struct Committing<'p> {
    repo: &'p Repo,
    root: &'p Path,
    prefix: String,
    branch: String,
    tip: Option<git::Commit>,
    known: BTreeSet<String>,
    writer: PackWriter<'p>,
    lot: Vec<(String, Vec<u8>)>,
    size: usize,
    changes: Vec<(String, Option<Oid>)>,
    staged: Vec<Staged>,
}

impl<'p> Committing<'p> {
    /// Begins a commit to the branch that is checked out.
    pub(super) fn begin(place: &'p Place, root: &'p Path, steps: &'p dyn Steps) -> Result<Self, Error> {
        let repo = place.needed_repo()?;
        let branch = repo.head_branch()?.ok_or_else(|| {
            Error::new("head-detached", "HEAD is detached: there is no branch to commit to")
                .hint("git switch to the branch of the facts")
        })?;
        let prefix = match place.prefix()? {
            prefix if prefix.is_empty() => prefix,
            prefix => format!("{prefix}/"),
        };
        let tip = repo.ref_value(&branch)?.map(|id| repo.commit(id)).transpose()?;
        let known = committed_paths(repo, tip.as_ref(), &prefix)?;
        let writer = repo.writer(steps);
        let (lot, changes, staged) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { repo, root, prefix, branch, tip, known, writer, lot, size: 0, changes, staged })
    }

    /// Takes a file of the store.
    pub(super) fn add(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), Error> {
        if !self.known.insert(path.to_owned()) {
            return Ok(());
        }
        self.size += bytes.len();
        self.lot.push((format!("{}{path}", self.prefix), bytes));
        if self.size > LOT { self.pack() } else { Ok(()) }
    }

    fn pack(&mut self) -> Result<(), Error> {
        let (paths, contents): (Vec<_>, Vec<_>) = std::mem::take(&mut self.lot).into_iter().unzip();
        let sizes: Vec<_> = contents.iter().map(|bytes: &Vec<u8>| bytes.len() as u64).collect();
        let ids = self.writer.blobs(contents)?;
        for ((path, id), size) in paths.into_iter().zip(ids).zip(sizes) {
            self.changes.push((path.clone(), Some(id)));
            self.staged.push(Staged { path, blob: Some((id, size)) });
        }
        self.size = 0;
        Ok(())
    }

    /// Adds every other fact of the work tree that the branch does not have, commits, and moves the branch.
    pub(super) fn finish(mut self, message: &str, now: Time, steps: &dyn Steps) -> Result<Option<Oid>, Error> {
        let dir = DirTree::open(self.root)?.without_git();
        for path in filed_paths(&dir)? {
            if !self.known.contains(&path) {
                let bytes = read(&dir, &path)?;
                self.add(&path, bytes)?;
            }
        }
        self.pack()?;
        if let Some(tip) = &self.tip {
            self.staged.extend(lacking(self.repo, tip, &self.prefix, &dir, steps)?);
        }
        if self.changes.is_empty() {
            self.repo.index_update(&self.staged, steps)?;
            return Ok(None);
        }
        let who = self.repo.identity(now.unix());
        let tree = self.writer.edit_tree(self.tip.as_ref().map(|commit| commit.tree), &mut self.changes)?;
        let parents: Vec<_> = self.tip.iter().map(|commit| commit.id).collect();
        let commit = self.writer.commit(tree, &parents, message, &who)?;
        self.writer.finish()?;
        let (name, expected) = (self.branch.as_str(), parents.first().copied());
        let to = Move { name, new: commit, expected, who: &who, message: "docket: observe" };
        self.repo.update_checked_out(&to, &self.staged, steps)?;
        Ok(Some(commit))
    }
}

/// No file is so large: git is to look at the file itself.
const UNSEEN: u64 = u64::MAX;

/// Facts that a commit and the work tree have and the index lacks: a process that was killed after the branch had moved
/// leaves them so, and the next commit by git would delete them.
pub(super) fn lacking(
    repo: &Repo,
    tip: &git::Commit,
    prefix: &str,
    dir: &DirTree,
    steps: &dyn Steps,
) -> Result<Vec<Staged>, Error> {
    let known = committed_paths(repo, Some(tip), prefix)?;
    let here = filed_paths(dir)?.into_iter().filter(|path| known.contains(path));
    let mut lacking = repo.index_lacks(here.map(|path| format!("{prefix}{path}")).collect(), steps)?;
    lacking.retain(|path| repo.work_dir().is_some_and(|top| top.join(path).is_file()));
    if lacking.is_empty() {
        return Ok(Vec::new());
    }
    let tree = repo.tree(tip, "")?;
    let staged = lacking.into_iter().map(|path| {
        let blob = tree.file_id(&path)?.map(|id| (id, UNSEEN));
        Ok(blob.map(|blob| Staged { path, blob: Some(blob) }))
    });
    staged.filter_map(Result::transpose).collect()
}

/// Whether a commit has all the facts of a directory: the paths say what the bytes are.
pub(super) fn has_all_facts(repo: &Repo, tip: &git::Commit, prefix: &str, dir: &DirTree) -> Result<bool, Error> {
    let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
    let known = committed_paths(repo, Some(tip), &prefix)?;
    Ok(facts_paths(dir)?.iter().all(|path| known.contains(path)))
}

/// The header's files and all facts of a store directory.
fn facts_paths(dir: &DirTree) -> Result<Vec<String>, Error> {
    paths_of(dir, &[OBJECTS, OBSERVATIONS])
}

/// What a store directory has to commit: all facts, the records of stages, and what is kept unrecognised.
fn filed_paths(dir: &DirTree) -> Result<Vec<String>, Error> {
    paths_of(dir, &DIRECTORIES)
}

fn paths_of(dir: &DirTree, parts: &[&str]) -> Result<Vec<String>, Error> {
    let mut paths: Vec<_> = header::files().map(|(path, _)| path.to_owned()).to_vec();
    for part in parts {
        let listed = dir.list(part)?;
        paths.extend(listed.into_iter().filter(|entry| entry.kind == FileKind::File).map(|entry| entry.path));
    }
    Ok(paths)
}

fn committed_paths(repo: &Repo, tip: Option<&git::Commit>, prefix: &str) -> Result<BTreeSet<String>, Error> {
    let Some(tip) = tip else { return Ok(BTreeSet::new()) };
    let Ok(tree) = repo.tree(tip, prefix) else { return Ok(BTreeSet::new()) };
    let listed = tree.list("")?;
    Ok(listed.into_iter().map(|entry| entry.path).collect())
}

fn read(tree: &dyn Tree, path: &str) -> Result<Vec<u8>, Error> {
    let bytes = tree.read(path, MAX_FILE).map_err(|error| Error::from(error).about(path))?;
    bytes.ok_or_else(|| Error::new("io", format!("{path}: vanished while it was read")))
}

/// A commit to a branch without a work tree in the making: one pack, then a commit that is tried again on whatever the branch became
/// meanwhile.
pub(super) struct Branching<'p> {
    repo: &'p Repo,
    name: String,
    tip: Oid,
    expected: Option<Oid>,
    /// What the branch has, and what was added.
    known: BTreeSet<String>,
    writer: PackWriter<'p>,
    steps: &'p dyn Steps,
    changes: Vec<(String, Option<Oid>)>,
}

impl<'p> Branching<'p> {
    /// Begins a commit to a branch.
    pub(super) fn begin(repo: &'p Repo, name: &str, steps: &'p dyn Steps) -> Result<Self, Error> {
        repo.check_free(&format!("refs/heads/{name}"))?;
        let branch = repo
            .find_branch(name)?
            .ok_or_else(|| Error::new("store-missing", format!("branch {name}: there is no store")))?;
        let known = committed_paths(repo, Some(&repo.commit(branch.id)?), "")?;
        let (tip, expected) = (branch.id, branch.local.then_some(branch.id));
        let (name, writer) = (name.to_owned(), repo.writer(steps));
        Ok(Self { repo, name, tip, expected, known, writer, steps, changes: Vec::new() })
    }

    /// Adds some megabytes of files, less those that the branch has. Gives the bytes of each that is new.
    pub(super) fn add(&mut self, files: Vec<(String, Vec<u8>)>) -> Result<Vec<u64>, Error> {
        let new = files.into_iter().filter(|(path, _)| !self.known.contains(path));
        let (paths, contents): (Vec<_>, Vec<_>) = new.unzip();
        let sizes = contents.iter().map(|bytes: &Vec<u8>| bytes.len() as u64).collect();
        let ids = self.writer.blobs(contents)?;
        self.changes.extend(paths.into_iter().zip(ids.into_iter().map(Some)));
        Ok(sizes)
    }

    /// Commits and moves the branch; none when nothing is new.
    pub(super) fn finish(mut self, message: &str, now: Time) -> Result<Option<Oid>, Error> {
        if self.changes.is_empty() {
            return Ok(None);
        }
        let full = format!("refs/heads/{}", self.name);
        let who = self.repo.identity(now.unix());
        for _ in 0..ATTEMPTS {
            let base = self.repo.commit(self.tip)?.tree;
            let tree = self.writer.edit_tree(Some(base), &mut self.changes)?;
            let commit = self.writer.commit(tree, &[self.tip], message, &who)?;
            self.writer.finish()?;
            match self.repo.update_ref(&full, commit, self.expected, &who, "docket: observe", self.steps) {
                Ok(()) => return Ok(Some(commit)),
                Err(git::Error::RefMoved { found: Some(found), .. }) => {
                    (self.tip, self.expected) = (found, Some(found));
                }
                Err(error) => return Err(error.into()),
            }
            self.writer = self.repo.writer(self.steps);
        }
        Err(Error::new("ref-moved", format!("branch {}: others kept moving it", self.name)).hint("try again"))
    }
}
