//! Reading many files of a revision, or of the work tree, for comparison; no checkout is needed for a revision.

use std::collections::BTreeMap;
use std::path::Path;

use gix::bstr::ByteSlice as _;
use gix::object::tree::EntryKind;
use rayon::prelude::*;

use super::worktree::{NotAWorktree, Worktree, open_repository};
use super::worktree_read::{Content, Opened, read_whole};

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A regular file that is UTF-8.
    Text(String),
    /// A regular file that is not.
    NotText,
    /// A regular file larger than asked for.
    TooLarge,
    /// Nothing.
    Missing,
    /// A directory, link, submodule or special file.
    NotAFile,
    /// It is there and cannot be read: access denied, or an object that this clone lacks.
    Unreadable,
}

/// A commit or tree, resolved.
pub struct Revision {
    repo: gix::ThreadSafeRepository,
    tree: gix::ObjectId,
    id: gix::ObjectId,
}

/// Why a revision cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NoRevision {
    /// The repository itself cannot be opened.
    #[error(transparent)]
    Repository(#[from] NotAWorktree),
    /// A full object id that this repository does not have.
    #[error("there is no commit {0} here")]
    Absent(String),
    /// A name or expression that means nothing here.
    #[error("{0}: no such revision, or none that has files")]
    Unknown(String),
}

impl Revision {
    /// Resolves a revision of the repository that holds a directory.
    ///
    /// # Errors
    /// [`NoRevision`]; an id that is merely not here is told from a name that means nothing.
    pub fn open(dir: &Path, name: &str) -> Result<Self, NoRevision> {
        let threads = open_repository(dir)?;
        let repo = threads.to_thread_local();
        let unknown = || NoRevision::Unknown(name.to_owned());
        let full = gix::ObjectId::from_hex(name.as_bytes()).ok();
        if full.is_some_and(|id| !repo.has_object(id)) {
            return Err(NoRevision::Absent(name.to_owned()));
        }
        let object = repo.rev_parse_single(name).map_err(|_| unknown())?.object();
        let object = object.map_err(|_| unknown())?;
        let id = object.id;
        let tree = object.peel_to_tree().map_err(|_| unknown())?.id;
        Ok(Self { repo: threads, tree, id })
    }

    /// The object id that the name stood for.
    pub fn id(&self) -> String {
        self.id.to_string()
    }

    /// Visits the files at sorted paths with all cores; results are in the order of the paths.
    pub fn each<T: Send>(&self, paths: &[&str], limit: u64, visit: impl Fn(usize, Found) -> T + Sync) -> Vec<T> {
        let mut blobs: Vec<Result<gix::ObjectId, Found>> = vec![Err(Found::Missing); paths.len()];
        resolve(&self.repo.to_thread_local(), self.tree, paths, 0, &mut blobs);
        let read = |repo: &mut gix::Repository, (at, blob): (usize, &Result<gix::ObjectId, Found>)| {
            visit(at, blob.clone().map_or_else(|found| found, |id| read_blob(repo, id, limit)))
        };
        blobs.par_iter().enumerate().map_init(|| self.repo.to_thread_local(), read).collect()
    }

    pub(super) fn files(&self) -> Option<Listing> {
        tree_files(&self.repo.to_thread_local(), self.tree)
    }

    pub(super) fn repo(&self) -> gix::Repository {
        self.repo.to_thread_local()
    }
}

impl Worktree {
    /// Visits the files at paths of the work tree with all cores; no link is followed and no submodule entered.
    pub fn each<T: Send>(&self, paths: &[&str], limit: u64, visit: impl Fn(usize, Found) -> T + Sync) -> Vec<T> {
        let submodules = self.submodules();
        let in_submodule =
            |path: &str| path.match_indices('/').any(|(at, _)| submodules.contains(&path.as_bytes()[..at]));
        let read = |(at, path): (usize, &&str)| {
            visit(
                at,
                match self.directory().open_file(path.as_bytes()) {
                    _ if in_submodule(path) => Found::NotAFile,
                    Opened::File(file) => match read_whole(file, limit) {
                        Content::Whole(bytes) => text(bytes),
                        Content::TooLarge => Found::TooLarge,
                        Content::Unreadable => Found::Unreadable,
                    },
                    Opened::Missing => Found::Missing,
                    Opened::Linked { .. } | Opened::NotAFile => Found::NotAFile,
                    Opened::Unreadable => Found::Unreadable,
                },
            )
        };
        paths.par_iter().enumerate().map(read).collect()
    }
}

/// The files of a tree: path → object and whether it is a link.
pub(super) type Listing = BTreeMap<Vec<u8>, (gix::ObjectId, EntryKind)>;

/// All blobs and links of a tree; `None` when a tree object is missing.
pub(super) fn tree_files(repo: &gix::Repository, tree: gix::ObjectId) -> Option<Listing> {
    let files = repo.find_tree(tree).ok()?.traverse().breadthfirst.files().ok()?;
    let files = files.into_iter().filter(|entry| entry.mode.is_blob_or_symlink());
    Some(files.map(|entry| (entry.filepath.to_vec(), (entry.oid, entry.mode.kind()))).collect())
}

/// Descends once for all paths that share a directory. `from` is where the names of this level begin.
fn resolve(
    repo: &gix::Repository,
    tree: gix::ObjectId,
    paths: &[&str],
    from: usize,
    out: &mut [Result<gix::ObjectId, Found>],
) {
    let Ok(tree) = repo.find_tree(tree) else { return out.fill(Err(Found::Unreadable)) };
    let Ok(entries) = tree.decode() else { return out.fill(Err(Found::Unreadable)) };
    let entries: BTreeMap<&[u8], _> =
        entries.entries.iter().map(|e| (e.filename.as_bytes(), (e.mode.kind(), e.oid.to_owned()))).collect();
    let mut at = 0;
    while at < paths.len() {
        let rest = &paths[at][from..];
        let (name, below) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
        let group = if below {
            paths[at..]
                .iter()
                .take_while(|path| path[from..].starts_with(name) && path[from + name.len()..].starts_with('/'))
                .count()
        } else {
            1
        };
        let out = &mut out[at..at + group];
        match (entries.get(name.as_bytes()), below) {
            (Some((EntryKind::Tree, id)), true) => {
                resolve(repo, *id, &paths[at..at + group], from + name.len() + 1, out);
            }
            (Some((EntryKind::Blob | EntryKind::BlobExecutable, id)), false) => out.fill(Ok(*id)),
            (Some(_), false) => out.fill(Err(Found::NotAFile)),
            _ => {}
        }
        at += group;
    }
}

fn read_blob(repo: &gix::Repository, id: gix::ObjectId, limit: u64) -> Found {
    match repo.try_find_header(id) {
        Ok(Some(header)) if header.size() > limit => Found::TooLarge,
        Ok(Some(_)) => repo.find_blob(id).map_or(Found::Unreadable, |mut blob| text(blob.take_data())),
        _ => Found::Unreadable,
    }
}

fn text(bytes: Vec<u8>) -> Found {
    String::from_utf8(bytes).map_or(Found::NotText, Found::Text)
}
