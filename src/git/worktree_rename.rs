//! Git's rename detection between a base commit and a work tree or revision.

use std::collections::BTreeMap;
use std::convert::Infallible;

use gix::bstr::{BStr, ByteSlice as _};
use gix::diff::rewrites::Tracker;
use gix::diff::rewrites::tracker::{Change, ChangeKind};
use gix::diff::tree::visit::Relation;
use gix::object::tree::{EntryKind, EntryMode};

use super::worktree::Worktree;
use super::worktree_revision::{Listing, Revision, tree_files};

/// Where files of a base commit went.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Renames {
    /// Old path → new path.
    pub to: BTreeMap<String, String>,
    /// True when git's limit kept pairs from being compared: a path without an entry may have been renamed all the same.
    pub limited: bool,
}

/// Why renames since a base cannot be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRenames {
    /// The repository does not have the commit.
    NoSuchCommit,
    /// The same, in a shallow clone.
    Shallow,
    /// An object that is needed is missing or damaged.
    Unreadable,
}

impl Worktree {
    /// The renames from a commit to the index and what is in the work tree of it; `gone` are paths that the work tree lacks.
    ///
    /// # Errors
    /// [`NoRenames`].
    pub fn renames(&self, base: &str, gone: &[&str]) -> Result<Renames, NoRenames> {
        let index = self.index().map_err(|_| NoRenames::Unreadable)?;
        let mut now = Listing::new();
        for entry in index.iter().flat_map(|index| index.entries().iter().map(move |entry| (entry, entry.path(index))))
        {
            if let Some(mode) = entry.0.mode.to_tree_entry_mode().filter(EntryMode::is_blob_or_symlink) {
                now.insert(entry.1.to_vec(), (entry.0.id, mode.kind()));
            }
        }
        for path in gone {
            now.remove(path.as_bytes());
        }
        renames(&self.repo(), base, &now)
    }
}

impl Revision {
    /// The renames from a commit to this revision.
    ///
    /// # Errors
    /// [`NoRenames`].
    pub fn renames(&self, base: &str) -> Result<Renames, NoRenames> {
        renames(&self.repo(), base, &self.files().ok_or(NoRenames::Unreadable)?)
    }
}

fn renames(repo: &gix::Repository, base: &str, now: &Listing) -> Result<Renames, NoRenames> {
    let absent = || if repo.is_shallow().unwrap_or(false) { NoRenames::Shallow } else { NoRenames::NoSuchCommit };
    let id = gix::ObjectId::from_hex(base.as_bytes()).map_err(|_| NoRenames::NoSuchCommit)?;
    let commit = repo.try_find_object(id).ok().flatten().ok_or_else(absent)?;
    let tree = commit.peel_to_tree().map_err(|_| NoRenames::Unreadable)?.id;
    let before = tree_files(repo, tree).ok_or(NoRenames::Unreadable)?;
    let mut tracker = Tracker::new(gix::diff::Rewrites::default());
    let mut push = |kind, path: &[u8], (id, mode): (gix::ObjectId, EntryKind)| {
        let _ = tracker.try_push_change(Side { kind, id, mode: mode.into() }, BStr::new(path));
    };
    for (path, entry) in before.iter().filter(|(path, _)| !now.contains_key(*path)) {
        push(ChangeKind::Deletion, path, *entry);
    }
    for (path, entry) in now.iter().filter(|(path, _)| !before.contains_key(*path)) {
        push(ChangeKind::Addition, path, *entry);
    }
    let mut cache = repo.diff_resource_cache_for_tree_diff().map_err(|_| NoRenames::Unreadable)?;
    let mut found = Renames::default();
    let outcome = tracker.emit(
        |to, from| {
            if let Some((from, to)) =
                from.and_then(|from| Some((from.location.to_str().ok()?, to.location.to_str().ok()?)))
            {
                found.to.insert(from.to_owned(), to.to_owned());
            }
            std::ops::ControlFlow::Continue(())
        },
        &mut cache,
        &repo.objects,
        |_| Ok::<_, Infallible>(()),
    );
    let outcome = outcome.map_err(|_| NoRenames::Unreadable)?;
    found.limited = outcome.num_similarity_checks_skipped_for_rename_tracking_due_to_limit > 0;
    Ok(found)
}

/// One file that only one of the two sides has.
#[derive(Debug, Clone)]
struct Side {
    kind: ChangeKind,
    id: gix::ObjectId,
    mode: EntryMode,
}

impl Change for Side {
    fn id(&self) -> &gix::oid {
        &self.id
    }

    fn relation(&self) -> Option<Relation> {
        None
    }

    fn kind(&self) -> ChangeKind {
        self.kind
    }

    fn entry_mode(&self) -> EntryMode {
        self.mode
    }

    fn id_and_entry_mode(&self) -> (&gix::oid, EntryMode) {
        (&self.id, self.mode)
    }
}
