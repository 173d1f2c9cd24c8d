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
use crate::git::{Commit, Oid, Repo, RevTree, is_git_dir};
use crate::ops::Error;
use crate::ops::lost::{self, is_lost};
use crate::store::dir::DirTree;
use crate::store::layout::{ERASURES, OBJECTS, OBSERVATIONS, STAGES, UNRECOGNISED, check_header};
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
            return if root.join(header::PATH).exists() || is_lost(root) {
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
        let repo = repo.ok_or_else(|| missing(start))?;
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
        let tree: Box<dyn Tree> = match self {
            Self::Directory { root, .. } => {
                self.check_whole()?;
                Box::new(DirTree::open(root)?.without_git())
            }
            Self::Branch { repo, name } => {
                let branch = repo.find_branch(name)?.ok_or_else(|| no_branch(repo, name))?;
                return Ok(Box::new(branch_tree(repo, name, branch.id)?));
            }
        };
        check_header(tree.as_ref()).map_err(|error| match self {
            Self::Directory { root, .. } => lost::headless(root, error),
            Self::Branch { .. } => error.into(),
        })?;
        Ok(tree)
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
        let tree = self.needed_repo()?.tree(commit, &self.prefix()?)?;
        check_header(&tree)?;
        Ok(Box::new(tree))
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

    /// The commit that has all facts as they are now; `None` when some are not committed.
    ///
    /// # Errors
    /// Those of git and the file system.
    pub fn committed_facts(&self) -> Result<Option<Oid>, Error> {
        match self {
            Self::Branch { repo, name } => Ok(repo.find_branch(name)?.map(|branch| branch.id)),
            Self::Directory { root, repo: Some(repo) } => {
                let Some(head) = repo.resolve("HEAD")? else { return Ok(None) };
                let all =
                    super::commit::has_all_facts(repo, &head, &self.prefix()?, &DirTree::open(root)?.without_git())?;
                Ok(all.then_some(head.id))
            }
            Self::Directory { repo: None, .. } => Ok(None),
        }
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

/// The trailer of a snapshot commit that names the snapshot.
pub(super) const SNAPSHOT_TRAILER: &str = "Docket-Snapshot";

/// The trailer of a snapshot commit that names the commit of its facts.
pub(super) const FACTS_TRAILER: &str = "Docket-Facts";

/// What that trailer says when not all facts were committed.
pub(super) const UNCOMMITTED: &str = "uncommitted";

/// The value of a trailer in the last paragraph of a message.
pub(super) fn trailer<'m>(message: &'m str, name: &str) -> Option<&'m str> {
    let last = message.trim_end().rsplit("\n\n").next()?;
    last.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
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

fn missing(at: &Path) -> Error {
    Error::new("store-missing", format!("{}: there is no git-docket store", at.display()))
        .hint("git docket init makes one; --store DIR or --ref BRANCH names one elsewhere")
}

fn no_branch(repo: &Repo, name: &str) -> Error {
    let error = missing(repo.git_dir()).about(&format!("branch {name}"));
    let Ok(Some(short)) = repo.without_remote(name) else { return error };
    error.hint(format!("--ref {short} reads that of the remote where there is no local one"))
}

/// The store on a branch, at its tip.
///
/// # Errors
/// As [`Place::facts`].
pub(super) fn branch_tree(repo: &Repo, name: &str, tip: Oid) -> Result<RevTree, Error> {
    let tree = repo.tree(&repo.commit(tip)?, "")?;
    check_header(&tree).map_err(|error| {
        let error = Error::from(error).about(&format!("branch {name}"));
        let is_none = error.code() == "store-missing";
        if is_none { error.hint("--ref with another name: a store is a branch of its own") } else { error }
    })?;
    Ok(tree)
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

/// Whether an index heads a tree, and is that of a snapshot: only these list `.gitattributes` in their root index.
fn is_snapshot(tree: &dyn Tree) -> Option<bool> {
    let bytes = tree.read(index::NAME, index::MAX_BYTES).ok().flatten()?;
    if upstream::is_index(&bytes) {
        return Some(false);
    }
    let index = Index::from_bytes(&bytes).ok()?;
    Some(index.entries.iter().any(|entry| entry.path == ".gitattributes"))
}

/// Whether the commit that is checked out has a store or snapshot where a directory lies, whatever became of its files.
pub(super) fn is_checkout(dir: &Path) -> bool {
    head_tree(dir).is_some_and(|tree| is_snapshot(&tree).unwrap_or_else(|| check_header(&tree).is_ok()))
}

/// What the commit that is checked out has where a directory lies. What git cannot be asked about tells nothing.
pub(super) fn head_tree(dir: &Path) -> Option<RevTree> {
    let repo = Repo::discover(dir).ok()??;
    repo.work_dir()?;
    let head = repo.resolve("HEAD").ok()??;
    let place = Place::Directory { root: dir.to_path_buf(), repo: Some(repo) };
    place.needed_repo().ok()?.tree(&head, &place.prefix().ok()?).ok()
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
    Ok((Box::new(repo.tree(&commit, path)?), commit))
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
