//! The tips that a snapshot follows, and whether they may be followed.

use super::read;
use crate::format::header;
use crate::format::index::Index;
use crate::git::{Branch, Commit, Oid, Repo};
use crate::ops::Error;
use crate::ops::place::Place;

/// The tips that a new snapshot commit follows.
pub(super) struct Tips {
    pub(super) local: Option<Commit>,
    pub(super) remote: Option<Commit>,
}

impl Tips {
    pub(super) fn find(repo: &Repo, branch: &str) -> Result<Self, Error> {
        let commit = |found: Option<Branch>| found.map(|branch| repo.commit(branch.id)).transpose();
        let local = commit(repo.find_branch(branch)?.filter(|found| found.local))?;
        let remote = commit(repo.find_remote_branch(branch)?)?;
        Ok(Self { local, remote })
    }

    /// The commit whose tree the new one is compared with.
    pub(super) fn base(&self) -> Option<&Commit> {
        self.local.as_ref().or(self.remote.as_ref())
    }

    /// Both tips, unless one is known to contain the other.
    pub(super) fn parents(&self, repo: &Repo) -> Result<Vec<Oid>, Error> {
        match (&self.local, &self.remote) {
            (Some(local), Some(remote)) if repo.is_ancestor(remote.id, local.id)? => Ok(vec![local.id]),
            (Some(local), Some(remote)) if repo.is_ancestor(local.id, remote.id)? => Ok(vec![remote.id]),
            (Some(local), Some(remote)) => Ok(vec![local.id, remote.id]),
            (one, other) => Ok(one.iter().chain(other).map(|commit| commit.id).collect()),
        }
    }
}

/// Refuses a branch that is not one of snapshots: only what we derived may be replaced by what we derive.
pub(super) fn check_branch(place: &Place, repo: &Repo, name: &str, tips: &Tips) -> Result<(), Error> {
    let refused = |why: &str| {
        Error::new("not-a-snapshot-branch", format!("{name}: {why}")).hint("name another branch with --snapshot-ref")
    };
    if place.facts_branch()?.as_deref() == Some(name) {
        return Err(refused("the facts are on this branch"));
    }
    for tip in tips.local.iter().chain(&tips.remote) {
        let tree = repo.tree(tip, "")?;
        let index = read(&tree, "index.json")?.and_then(|bytes| Index::from_bytes(&bytes).ok());
        if !index.is_some_and(|index| index.is_of_snapshot()) || tree.file_id(header::PATH)?.is_some() {
            return Err(refused("its tip is not a snapshot"));
        }
    }
    Ok(repo.check_free(name)?)
}
