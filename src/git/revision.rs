//! From the name of a revision to its commit.

use std::collections::HashSet;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::{CommitRef, Kind, TagRefIter};

use super::odb::invalid;
use super::{Error, Oid, Repo, Result};

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub id: Oid,
    /// The tree it records.
    pub tree: Oid,
    /// Its parents, in order.
    pub parents: Vec<Oid>,
    /// When the committer says it was made, in seconds since 1970.
    pub seconds: i64,
    /// The message; bytes that are not UTF-8 are shown as U+FFFD.
    pub message: String,
}

/// A branch that was found by its short name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The full name: `refs/heads/…` or `refs/remotes/…`.
    pub name: String,
    /// Where it points.
    pub id: Oid,
    /// Whether it is a local branch, not a remote-tracking one.
    pub local: bool,
}

/// The longest chain of tags that is peeled.
const MAX_TAGS: usize = 64;

impl Repo {
    /// The full name of the checked-out branch (it may not exist yet); `None` when HEAD is detached.
    ///
    /// # Errors
    /// When HEAD cannot be read.
    pub fn head_branch(&self) -> Result<Option<String>> {
        let name = self.local().head_name().map_err(|e| self.failed(e))?;
        Ok(name.map(|n| n.as_bstr().to_string()))
    }

    /// The commit that a revision names: a branch, a tag (peeled), hex, `HEAD~1` …; `None` when there is none.
    ///
    /// # Errors
    /// When the text is no revision, when it names several commits or something else than a commit, or when a partial or
    /// shallow clone lacks the object.
    pub fn resolve(&self, rev: &str) -> Result<Option<Commit>> {
        let invalid = |reason: &str, more: &str| Error::RevisionInvalid {
            rev: rev.to_owned(),
            reason: format!("{reason}{more}"),
        };
        let repo = self.local();
        let spec = match repo.rev_parse(rev.as_bytes().as_bstr()) {
            Ok(spec) => spec,
            Err(e) if e.is_not_found() => {
                return match rev.parse::<Oid>() {
                    Ok(id) if self.odb().is_incomplete() => Err(self.odb().missing(&id.0)),
                    _ => Ok(None),
                };
            }
            // A walk that leaves what is here names no commit, as a name that is not here.
            Err(_) if self.is_walk(rev) => return Ok(None),
            // The outermost message speaks of the parser; the next one of the revision.
            Err(e) => {
                let reason = e.iter_errors().take(2).last().map_or_else(String::new, ToString::to_string);
                return Err(invalid(&reason, if self.is_shallow() { " (the clone is shallow)" } else { "" }));
            }
        };
        let id = spec.single().ok_or_else(|| invalid("not a single commit", ""))?.detach();
        match self.odb().kind(&id)? {
            None if !self.odb().is_incomplete() => Ok(None),
            None => Err(self.odb().missing(&id)),
            Some(Kind::Blob | Kind::Tree) => Err(invalid("not a commit", "")),
            Some(_) => self.peel(id, rev).map(Some),
        }
    }

    /// Whether a revision is one that is here with steps to its ancestors behind it (`~N`, `^N`).
    fn is_walk(&self, rev: &str) -> bool {
        let Some((name, steps)) = rev.find(['~', '^']).map(|at| rev.split_at(at)) else { return false };
        steps.bytes().all(|byte| matches!(byte, b'~' | b'^' | b'0'..=b'9'))
            && self.local().rev_parse_single(name.as_bytes().as_bstr()).is_ok()
    }

    /// Follows tags to a commit.
    fn peel(&self, mut id: ObjectId, rev: &str) -> Result<Commit> {
        for _ in 0..MAX_TAGS {
            match self.odb().kind(&id)? {
                None => return Err(self.odb().missing(&id)),
                Some(Kind::Commit) => return self.commit(Oid(id)),
                Some(Kind::Tag) => {
                    id = self.odb().read(&id, Kind::Tag, |bytes| {
                        TagRefIter::from_bytes(bytes, self.odb().hash_kind()).target_id().map_err(|e| invalid(&id, e))
                    })?;
                }
                Some(_) => break,
            }
        }
        Err(Error::RevisionInvalid { rev: rev.to_owned(), reason: "not a commit".to_owned() })
    }

    /// Reads a commit by its name.
    ///
    /// # Errors
    /// When it is missing (in a shallow clone every commit below the cut is), or not a commit.
    pub fn commit(&self, id: Oid) -> Result<Commit> {
        self.odb().read(&id.0, Kind::Commit, |bytes| {
            let commit = CommitRef::from_bytes(bytes, self.odb().hash_kind()).map_err(|e| invalid(&id.0, e))?;
            Ok(Commit {
                id,
                tree: Oid(commit.tree()),
                parents: commit.parents().map(Oid).collect(),
                seconds: commit.committer().map_err(|e| invalid(&id.0, e))?.seconds(),
                message: commit.message.to_str_lossy().into_owned(),
            })
        })
    }

    /// Finds a branch by its short name: the local one, else the remote-tracking one if all remotes that have it agree.
    ///
    /// # Errors
    /// When remotes disagree, or references cannot be read.
    pub fn find_branch(&self, short: &str) -> Result<Option<Branch>> {
        let local = format!("refs/heads/{short}");
        match self.ref_value(&local)? {
            Some(id) => Ok(Some(Branch { name: local, id, local: true })),
            None => self.find_remote_branch(short),
        }
    }

    /// Finds the remote-tracking branch of a short name, if all remotes that have it agree.
    ///
    /// # Errors
    /// When remotes disagree, or references cannot be read.
    pub fn find_remote_branch(&self, short: &str) -> Result<Option<Branch>> {
        let repo = self.local();
        let mut found: Option<Branch> = None;
        for remote in repo.remote_names() {
            let name = format!("refs/remotes/{remote}/{short}");
            let Some(id) = self.ref_value(&name)? else { continue };
            match &found {
                Some(other) if other.id != id => {
                    let reason = format!("{} and {name} differ", other.name);
                    return Err(Error::RefInvalid { name: short.to_owned(), reason });
                }
                Some(_) => {}
                None => found = Some(Branch { name, id, local: false }),
            }
        }
        Ok(found)
    }

    /// The short name of a remote-tracking branch that is named with its remote: `docket-facts` of `origin/docket-facts`.
    ///
    /// # Errors
    /// When references cannot be read.
    pub fn without_remote<'n>(&self, name: &'n str) -> Result<Option<&'n str>> {
        if self.ref_value(&format!("refs/remotes/{name}"))?.is_none() {
            return Ok(None);
        }
        let remotes = self.local().remote_names();
        Ok(remotes.iter().find_map(|remote| name.strip_prefix(&format!("{remote}/"))))
    }

    /// Whether one commit is the other or among what it came from, as far as the clone reaches.
    ///
    /// # Errors
    /// When a commit is damaged.
    pub fn is_ancestor(&self, ancestor: Oid, of: Oid) -> Result<bool> {
        let (mut open, mut seen) = (vec![of], HashSet::from([of]));
        while let Some(id) = open.pop() {
            if id == ancestor {
                return Ok(true);
            }
            let commit = match self.commit(id) {
                Err(Error::ObjectMissing { incomplete: true, .. }) => continue,
                commit => commit?,
            };
            open.extend(commit.parents.into_iter().filter(|parent| seen.insert(*parent)));
        }
        Ok(false)
    }

    /// The best common ancestor of two commits, as far as the clone reaches; `None` when there is none, or one of them is not here.
    ///
    /// # Errors
    /// When a commit is damaged.
    pub fn merge_base(&self, one: Oid, other: Oid) -> Result<Option<Oid>> {
        for id in [one, other] {
            match self.commit(id) {
                Err(Error::ObjectMissing { .. }) => return Ok(None),
                found => drop(found?),
            }
        }
        Ok(self.local().merge_base(one.0, other.0).ok().flatten().map(|id| Oid(id.detach())))
    }
}
