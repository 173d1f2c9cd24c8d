//! Where a store lies: a directory, or a branch of a repository without a work tree.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::format::digest::Digest;
use crate::format::header;
use crate::format::index::{self, Index};
use crate::format::path::slashed;
use crate::format::steps::Steps;
use crate::format::tree::Tree;
use crate::format::upstream;
pub use crate::git::branch_name;
use crate::git::{self, Commit, Repo, RevTree, is_git_dir};
use crate::ops::Error;
use crate::ops::commit::has_exactly;
use crate::ops::lost::{self, has_header, is_lost};
use crate::ops::trailer::{FACTS_TRAILER, SNAPSHOT_TRAILER, trailer};
use crate::store;
use crate::store::dir::DirTree;
use crate::store::layout::{ERASURES, OBJECTS, OBSERVATIONS, STAGES, UNRECOGNISED, check_directories, check_header};
use crate::store::lock::Lock;
use crate::store::write::sweep;
use crate::system::device;

/// The name of the facts branch when none is given.
pub const FACTS_BRANCH: &str = "docket-facts";

/// How often a locked store is tried again, twenty times a second.
const LOCK_ATTEMPTS: u32 = 200;

/// Where a store lies.
pub enum Place {
    /// A directory with `docket.json` at its top, as a rule the work tree of a repository.
    Directory {
        /// The directory.
        root: PathBuf,
        /// The repository around it.
        repo: Option<Repo>,
    },
    /// A branch, read and written without a work tree.
    Branch {
        /// The repository.
        repo: Repo,
        /// The short name of the branch.
        name: String,
    },
}

impl Place {
    /// Finds a store: the branch when one is named; else the given directory or repository; else the nearest
    /// `docket.json` upwards of `here`; else the branch `docket-facts` of the repository around it. A store that lost its header is meant
    /// itself: whatever reads its facts as they are now says so.
    ///
    /// # Errors
    /// `store-missing` when there is none.
    pub fn find(store: Option<&Path>, branch: Option<&str>, here: &Path) -> Result<Self, Error> {
        let start = store.unwrap_or(here);
        if let Some(name) = branch {
            return Self::on_branch(start, name);
        }
        if let Some(root) = store {
            return if has_header(root)? || is_lost(root) {
                Self::directory(root)
            } else {
                Self::on_branch(root, FACTS_BRANCH)
            };
        }
        let mut is_within = true;
        for dir in here.ancestors() {
            if dir.join(header::PATH).is_file() || (is_within && is_lost(dir)) {
                return Self::directory(dir);
            }
            is_within &= !is_git_dir(dir) && !dir.join(".git").exists();
        }
        Self::on_branch(here, FACTS_BRANCH)
    }

    fn directory(root: &Path) -> Result<Self, Error> {
        DirTree::open(root)?;
        Ok(Self::Directory { root: root.to_path_buf(), repo: Repo::discover(root)? })
    }

    fn on_branch(start: &Path, name: &str) -> Result<Self, Error> {
        let repo = if start.exists() { Repo::discover(start)? } else { None };
        let repo = repo.ok_or_else(|| lost::missing(start))?;
        let name = branch_name(name)?.to_owned();
        Ok(Self::Branch { repo, name })
    }

    /// The repository around the store, if there is one.
    pub fn repo(&self) -> Option<&Repo> {
        match self {
            Self::Directory { repo, .. } => repo.as_ref(),
            Self::Branch { repo, .. } => Some(repo),
        }
    }

    /// The repository around the store.
    ///
    /// # Errors
    /// `repo-not-found` where the store is only a directory.
    pub fn needed_repo(&self) -> Result<&Repo, Error> {
        self.repo().ok_or_else(|| Error::new("repo-not-found", "the store is not inside a git repository"))
    }

    /// The facts as they are now, after a look at their header.
    ///
    /// # Errors
    /// `store-missing`, `format-newer`, `store-invalid`, `store-sparse`.
    pub fn facts(&self) -> Result<Box<dyn Tree>, Error> {
        match self {
            Self::Directory { root, .. } => {
                self.check_whole()?;
                checked(Box::new(DirTree::open(root)?.without_git()), |error| lost::headless(root, error))
            }
            Self::Branch { repo, name } => self.facts_at(&tip(repo, name)?).map_err(|error| lost::not_on(name, error)),
        }
    }

    /// The same, and the commit that has exactly these facts, if one has.
    ///
    /// # Errors
    /// As [`Place::facts`].
    pub fn facts_and_commit(&self) -> Result<(Box<dyn Tree>, Option<Commit>), Error> {
        if let Self::Branch { repo, name } = self {
            let tip = tip(repo, name)?;
            return Ok((self.facts_at(&tip)?, Some(tip)));
        }
        let facts = self.facts()?;
        let head = self.repo().map(|repo| repo.resolve("HEAD")).transpose()?.flatten();
        let commit = match head {
            Some(head) if self.are_facts_of(facts.as_ref(), &head)? => Some(head),
            _ => None,
        };
        Ok((facts, commit))
    }

    /// Whether facts are exactly those of a commit. What was read of a directory between two moments at which they were was of the
    /// commit too: a fact is never overwritten.
    ///
    /// # Errors
    /// Those of git and the file system.
    pub fn are_facts_of(&self, facts: &dyn Tree, commit: &Commit) -> Result<bool, Error> {
        match self {
            Self::Directory { repo: Some(repo), .. } => has_exactly(repo, commit, &self.prefix()?, facts),
            Self::Directory { repo: None, .. } => Ok(false),
            // The tree is that of the commit.
            Self::Branch { .. } => Ok(true),
        }
    }

    /// Refuses a store of which a sparse checkout leaves something out, or entries of git's index that somebody marked so: what is not
    /// there would be taken for never seen.
    ///
    /// # Errors
    /// `store-sparse`, and those of git.
    pub(super) fn check_whole(&self) -> Result<(), Error> {
        let Self::Directory { root, repo: Some(repo) } = self else { return Ok(()) };
        let left_out = repo.left_out(&self.prefix()?, &PARTS)?;
        if left_out == 0 {
            return Ok(());
        }
        Err(lost::left_out(root, repo, left_out)?)
    }

    /// The facts in a commit, at the place in its tree where this store lies.
    ///
    /// # Errors
    /// As [`Place::facts`].
    pub fn facts_at(&self, commit: &Commit) -> Result<Box<dyn Tree>, Error> {
        checked(Box::new(self.needed_repo()?.tree(commit, &self.prefix()?)?), Error::from)
    }

    /// The facts as of a revision: one that holds facts, a commit of the snapshot branch, or the id of a snapshot on it. A snapshot
    /// commit names its facts in a trailer.
    ///
    /// # Errors
    /// `revision-unknown`, `facts-unknown` when the facts of a snapshot were not committed.
    pub fn facts_of(&self, at: &str, snapshot_branch: &str) -> Result<Box<dyn Tree>, Error> {
        let repo = self.needed_repo()?;
        let commit = match at.parse::<Digest>() {
            Ok(id) => snapshot_commit(repo, snapshot_branch, &id)?,
            Err(_) => revision(repo, at)?,
        };
        let Some(facts) = trailer(&commit.message, FACTS_TRAILER) else { return self.facts_at(&commit) };
        let unknown = || Error::new("facts-unknown", format!("{at}: the facts of this snapshot were not committed"));
        let facts = repo.resolve(facts)?.ok_or_else(unknown)?;
        self.facts_at(&facts)
    }

    /// The full name of the branch of the facts; `None` without a repository and when HEAD is detached.
    ///
    /// # Errors
    /// When HEAD cannot be read.
    pub fn facts_branch(&self) -> Result<Option<String>, Error> {
        match self {
            Self::Branch { name, .. } => Ok(Some(format!("refs/heads/{name}"))),
            Self::Directory { repo, .. } => Ok(repo.as_ref().map(Repo::head_branch).transpose()?.flatten()),
        }
    }

    /// The file that writers lock: the header, which every store has and nobody changes; a branch has git's own locks.
    pub fn lock_file(&self) -> Option<PathBuf> {
        match self {
            Self::Directory { root, .. } => Some(root.join(header::PATH)),
            Self::Branch { .. } => None,
        }
    }

    /// Takes the lock of writers, and clears away what killed ones left. A branch needs neither.
    ///
    /// # Errors
    /// `store-locked`, and those of the file system.
    pub(super) fn locked(&self, steps: &dyn Steps) -> Result<Option<Lock>, Error> {
        let Some(file) = self.lock_file() else { return Ok(None) };
        let lock = Lock::acquire(&file, LOCK_ATTEMPTS)?;
        sweep(&self.temp_dir(), steps)?;
        Ok(Some(lock))
    }

    /// Where temporary files of a store directory go: outside of what is committed, on the same file system.
    pub fn temp_dir(&self) -> PathBuf {
        match self {
            Self::Directory { root, repo } => temp_dir(root, repo.as_ref()),
            Self::Branch { repo, .. } => repo.git_dir().join(LOCAL),
        }
    }

    /// The path of the store below the top of its work tree; empty for a branch.
    ///
    /// # Errors
    /// When the file system cannot be asked.
    pub fn prefix(&self) -> Result<String, Error> {
        let Self::Directory { root, repo: Some(repo) } = self else { return Ok(String::new()) };
        let Some(top) = repo.work_dir() else { return Ok(String::new()) };
        let real = |path: &Path| path.canonicalize().map_err(|e| Error::new("io", format!("{}: {e}", path.display())));
        let (root, top) = (real(root)?, real(top)?);
        let below = root.strip_prefix(&top).unwrap_or(Path::new(""));
        below
            .to_str()
            .map(|_| slashed(below))
            .ok_or_else(|| Error::new("path-invalid", "the path of the store is not UTF-8"))
    }
}

/// A tree that is a store with nothing else in the place of its directories. What is wrong with its header is told by the caller.
fn checked(tree: Box<dyn Tree>, headless: impl Fn(store::Error) -> Error) -> Result<Box<dyn Tree>, Error> {
    check_header(tree.as_ref()).map_err(headless)?;
    check_directories(tree.as_ref())?;
    Ok(tree)
}

/// The tip of the branch that facts lie on.
fn tip(repo: &Repo, name: &str) -> Result<Commit, Error> {
    let branch = repo.find_branch(name)?;
    let branch = branch.ok_or_else(|| lost::no_branch(repo, name))?;
    Ok(repo.commit(branch.id)?)
}

/// What a store consists of.
const PARTS: [&str; 6] = [header::PATH, OBJECTS, OBSERVATIONS, STAGES, UNRECOGNISED, ERASURES];

/// Where files of this machine alone go, below the git directory.
const LOCAL: &str = "docket/tmp";

/// Where temporary files of a store directory go. Renames need the same file system, which a linked work tree's git directory may not be on.
pub(super) fn temp_dir(root: &Path, repo: Option<&Repo>) -> PathBuf {
    match repo.map(Repo::git_dir).filter(|git_dir| device(git_dir) == device(root)) {
        Some(git_dir) => git_dir.join(LOCAL),
        None => root.join(".docket-tmp"),
    }
}

/// The newest commit of the snapshot branch whose trailer names a snapshot, along first parents and merges alike.
fn snapshot_commit(repo: &Repo, branch: &str, id: &Digest) -> Result<Commit, Error> {
    let unknown = || Error::new("revision-unknown", format!("{id}: no such snapshot on branch {branch}"));
    let tip = repo.find_branch(branch_name(branch)?)?.ok_or_else(unknown)?;
    let (mut open, mut seen) = (vec![tip.id], HashSet::from([tip.id]));
    while let Some(next) = open.pop() {
        let commit = repo.commit(next)?;
        if trailer(&commit.message, SNAPSHOT_TRAILER).and_then(|text| text.parse().ok()) == Some(*id) {
            return Ok(commit);
        }
        open.extend(commit.parents.iter().rev().filter(|parent| seen.insert(**parent)));
    }
    Err(unknown())
}

/// A directory that is read as a tree. `.git` at its top is left out only of a store and of a snapshot that is checked
/// out: in a stage it is something that a stranger put there.
///
/// # Errors
/// When nothing or something else stands there; `store-sparse`.
pub fn directory_tree(path: &Path) -> Result<Box<dyn Tree>, Error> {
    let tree = DirTree::open(path)?;
    if let Some(is_snapshot) = is_snapshot(&tree) {
        return Ok(Box::new(if is_snapshot { tree.without_git() } else { tree }));
    }
    // What git refuses to be asked about is read as it lies.
    let repo = Repo::discover(path).ok().flatten();
    Place::Directory { root: path.to_path_buf(), repo }.check_whole()?;
    Ok(Box::new(if check_header(&tree).is_ok() || is_checkout(path) { tree.without_git() } else { tree }))
}

/// Whether an index heads a tree, and is that of a snapshot.
fn is_snapshot(tree: &dyn Tree) -> Option<bool> {
    let bytes = tree.read(index::NAME, index::MAX_BYTES).ok().flatten()?;
    if upstream::is_index(&bytes) {
        return Some(false);
    }
    Some(Index::from_bytes(&bytes).ok()?.is_of_snapshot())
}

/// Whether the commit that is checked out has a store or snapshot where a directory lies, whatever became of its files.
pub(super) fn is_checkout(dir: &Path) -> bool {
    head_tree(dir).is_some_and(|tree| is_snapshot(&tree).unwrap_or_else(|| check_header(&tree).is_ok()))
}

/// What the commit that is checked out has where a directory lies. What git cannot be asked about tells nothing.
pub(super) fn head_tree(dir: &Path) -> Option<RevTree> {
    head_at(dir).map(|(_, tree)| tree)
}

/// The commit that is checked out where a directory lies, if it has the directory.
pub fn checked_out(dir: &Path) -> Option<Commit> {
    head_at(dir).map(|(commit, _)| commit)
}

fn head_at(dir: &Path) -> Option<(Commit, RevTree)> {
    let repo = Repo::discover(dir).ok()??;
    repo.work_dir()?;
    let head = repo.resolve("HEAD").ok()??;
    let place = Place::Directory { root: dir.to_path_buf(), repo: Some(repo) };
    let tree = place.needed_repo().ok()?.tree(&head, &place.prefix().ok()?).ok()?;
    Some((head, tree))
}

/// A tree in a revision: `REV` or `REV:PATH`, or the id of a snapshot; with the commit it was read from.
///
/// # Errors
/// `revision-unknown`, `repo-not-found`.
pub fn revision_tree(here: &Path, at: &str, snapshot_branch: &str) -> Result<(Box<dyn Tree>, Commit), Error> {
    let repo = if here.exists() { Repo::discover(here)? } else { None };
    let repo = repo.ok_or_else(|| {
        Error::new(
            "repo-not-found",
            format!("{at}: it is no directory, and {} is in no git repository", here.display()),
        )
        .hint("--store DIR names a repository elsewhere")
    })?;
    let (rev, path) = match at.parse::<Digest>() {
        Ok(_) => (at, ""),
        Err(_) => at.split_once(':').unwrap_or((at, "")),
    };
    let commit = match rev.parse::<Digest>() {
        Ok(id) => snapshot_commit(&repo, snapshot_branch, &id)?,
        Err(_) => revision(&repo, rev)?,
    };
    let tree = repo.tree(&commit, path).map_err(|error| match error {
        git::Error::PathInvalid { .. } => {
            Error::from(error).hint(format!("git ls-tree -d -r --name-only {rev} lists the directories that are there"))
        }
        error => error.into(),
    })?;
    Ok((Box::new(tree), commit))
}

/// The commit of a revision; a branch that only a remote has is found too, also with `~N` or `^N` behind its name.
fn revision(repo: &Repo, rev: &str) -> Result<Commit, Error> {
    if let Some(commit) = repo.resolve(rev)? {
        return Ok(commit);
    }
    let (name, suffix) = rev.split_at(rev.find(['~', '^']).unwrap_or(rev.len()));
    let is_known = repo.resolve(name)?.is_some();
    // What is no name of a branch is none of a remote's branches either.
    let branch = match branch_name(name) {
        Ok(short) if !is_known => repo.find_branch(short)?,
        _ => None,
    };
    let Some(branch) = branch else {
        return Err(match is_known {
            true => too_far(rev, name),
            false => Error::new("revision-unknown", format!("{rev}: no such revision"))
                .hint("git branch --all lists the branches; one that only the origin has must be fetched first"),
        });
    };
    match suffix {
        "" => Ok(repo.commit(branch.id)?),
        _ => repo.resolve(&format!("{}{suffix}", branch.name))?.ok_or_else(|| too_far(rev, &branch.name)),
    }
}

fn too_far(rev: &str, name: &str) -> Error {
    Error::new("revision-unknown", format!("{rev}: {name} has no such ancestor here"))
        .hint("git rev-list --count tells how many commits there are; a shallow clone has not all of them")
}
