//! A work tree as git sees it: its root, base commit and branch, and the tracked files that `git grep` would read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage};

use super::worktree_read::Directory;

/// Why a directory cannot serve as a work tree.
#[derive(Debug, thiserror::Error)]
pub enum NotAWorktree {
    /// Neither the directory nor one above it holds a repository.
    #[error("{0} is in no git repository")]
    NoRepository(PathBuf),
    /// Another user owns the repository, and no `safe.directory` names it.
    #[error("the repository at {0} belongs to another user")]
    Untrusted(PathBuf),
    /// A bare repository, or a place inside `.git`.
    #[error("the repository at {0} has no work tree here")]
    Bare(PathBuf),
    /// `core.worktree` names another place than the directory with `.git`: a repository does not say where files are read.
    #[error("the configuration of {0} moves the work tree to another place")]
    Elsewhere(PathBuf),
    /// Anything else that keeps the repository from being read.
    #[error("the repository at {path} cannot be read: {message}")]
    Broken {
        /// The directory.
        path: PathBuf,
        /// What gix says.
        message: String,
    },
}

/// An opened work tree.
pub struct Worktree {
    repo: gix::ThreadSafeRepository,
    directory: Directory,
}

/// What `git grep` reads for one entry of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The file in the work tree.
    File,
    /// The blob in the object database, since the entry is marked as unchanged.
    Blob(gix::ObjectId),
}

/// One tracked regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// The path as git keeps it, which need not be UTF-8.
    pub path: Vec<u8>,
    /// Where its content lies.
    pub content: Content,
}

impl Worktree {
    /// Opens the work tree that holds a directory. Only ownership and `safe.directory` are asked of the configuration; nothing is executed.
    ///
    /// # Errors
    /// [`NotAWorktree`] says why the directory has none that may be read.
    pub fn open(dir: &Path) -> Result<Self, NotAWorktree> {
        let broken =
            |error: &dyn std::fmt::Display| NotAWorktree::Broken { path: dir.to_owned(), message: error.to_string() };
        let dir = dir.canonicalize().map_err(|error| broken(&error))?;
        let repo = open_repository(&dir)?;
        let plain = repo.to_thread_local();
        let root = plain.workdir().ok_or_else(|| NotAWorktree::Bare(dir.clone()))?;
        let root = root.canonicalize().map_err(|error| broken(&error))?;
        let git_dir = plain.git_dir().canonicalize().map_err(|error| broken(&error))?;
        if dir.starts_with(&git_dir) {
            return Err(NotAWorktree::Bare(dir));
        }
        let found = gix::discover::upwards(&dir).map_err(|error| broken(&error))?.0;
        let holder = found.into_repository_and_work_tree_directories().1.and_then(|holder| holder.canonicalize().ok());
        if holder.as_ref() != Some(&root) {
            return Err(NotAWorktree::Elsewhere(dir));
        }
        let directory = Directory::open(&root).map_err(|error| broken(&error))?;
        Ok(Self { repo, directory })
    }

    /// The root, ready for reading below it.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// A handle on the repository for the thread that asks.
    pub(super) fn repo(&self) -> gix::Repository {
        self.repo.to_thread_local()
    }

    /// The commit that is checked out; `None` on an unborn branch.
    pub fn base(&self) -> Option<String> {
        let repo = self.repo();
        repo.head_id().ok().map(|id| id.to_string())
    }

    /// The branch in git's shortest unambiguous form; `None` when detached or unborn.
    pub fn branch(&self) -> Option<String> {
        let repo = self.repo();
        repo.head_id().ok()?;
        let name = repo.head_name().ok()??;
        let full = name.as_bstr().to_str_lossy().into_owned();
        let short = full.strip_prefix("refs/heads/").or(full.strip_prefix("refs/")).unwrap_or(&full).to_owned();
        let exists =
            |other: String| other != full && repo.try_find_reference(other.as_str()).is_ok_and(|found| found.is_some());
        let ambiguous = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"]
            .iter()
            .any(|space| exists(format!("{space}{short}")));
        Some(if ambiguous { full.trim_start_matches("refs/").to_owned() } else { short })
    }

    /// The tracked regular files in the order of the index, each path once: without `*.lock`, sparse entries, links and submodules.
    ///
    /// # Errors
    /// When there is an index and it cannot be read.
    pub fn tracked(&self) -> Result<Vec<Tracked>, NotAWorktree> {
        let index = self.index()?;
        let Some(index) = index else { return Ok(Vec::new()) };
        let mut found: Vec<Tracked> = Vec::with_capacity(index.entries().len());
        let mut conflicted: Option<&BStr> = None;
        for entry in index.entries() {
            let path = entry.path(&index);
            let file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
            if !file || conflicted == Some(path) || entry.flags.contains(Flags::SKIP_WORKTREE) || is_lock(path) {
                continue;
            }
            let in_conflict = entry.stage() != Stage::Unconflicted;
            let content = if !entry.flags.contains(Flags::ASSUME_VALID) {
                Content::File
            } else if in_conflict || entry.flags.contains(Flags::INTENT_TO_ADD) {
                continue;
            } else {
                Content::Blob(entry.id)
            };
            // Of a path in conflict the first stage that is a file stands for all.
            conflicted = in_conflict.then_some(path);
            found.push(Tracked { path: path.to_vec(), content });
        }
        Ok(found)
    }

    /// The directories that the index lists as submodules; none when it cannot be read.
    pub(super) fn submodules(&self) -> BTreeSet<Vec<u8>> {
        let Ok(Some(index)) = self.index() else { return BTreeSet::new() };
        let submodules = index.entries().iter().filter(|entry| entry.mode == Mode::COMMIT);
        submodules.map(|entry| entry.path(&index).to_vec()).collect()
    }

    /// Those of some paths that the index lists, in whatever state.
    ///
    /// # Errors
    /// When there is an index and it cannot be read.
    pub fn listed<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Result<BTreeSet<&'p str>, NotAWorktree> {
        let Some(index) = self.index()? else { return Ok(BTreeSet::new()) };
        let is_listed = |path: &&str| index.entry_range(path.as_bytes().as_bstr()).is_some();
        Ok(paths.filter(is_listed).collect())
    }

    /// The index; `None` where nothing was ever added.
    pub(super) fn index(&self) -> Result<Option<gix::index::File>, NotAWorktree> {
        let repo = self.repo();
        let broken = |message: String| NotAWorktree::Broken { path: self.directory.root().to_owned(), message };
        // Opening a pipe would wait for ever.
        match repo.index_path().symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Ok(found) if !found.is_file() => return Err(broken("the index is no regular file".to_owned())),
            _ => {}
        }
        repo.open_index().map(Some).map_err(|error| broken(error.to_string()))
    }
}

/// The exclusion `:!*.lock`: the whole path ends so, or lies in a directory of exactly that name.
fn is_lock(path: &BStr) -> bool {
    path.ends_with(b".lock") || path.starts_with(b"*.lock/")
}

/// Finds and opens the repository that holds a directory, by git's rule for the owner.
pub(super) fn open_repository(dir: &Path) -> Result<gix::ThreadSafeRepository, NotAWorktree> {
    let deny = gix::sec::Permission::Deny;
    let mut permissions = gix::open::Permissions::all();
    permissions.env = gix::open::permissions::Environment::isolated();
    permissions.env.home = gix::sec::Permission::Allow;
    permissions.env.xdg_config_home = deny;
    permissions.config.env = false;
    permissions.config.includes = false;
    permissions.attributes = gix::open::permissions::Attributes::isolated();
    let options = gix::open::Options::default().permissions(permissions).bail_if_untrusted(true);
    let trust = gix::sec::trust::Mapping { full: options.clone(), reduced: options };
    gix::ThreadSafeRepository::discover_opts(dir, gix::discover::upwards::Options::default(), trust).map_err(|error| {
        match error.downcast_any_ref::<gix::discover::upwards::Error>() {
            Some(gix::discover::upwards::Error::NoTrustedGitRepository { .. }) => {
                NotAWorktree::Untrusted(dir.to_owned())
            }
            Some(_) => NotAWorktree::NoRepository(dir.to_owned()),
            None if error.is_permission_denied() => NotAWorktree::Untrusted(dir.to_owned()),
            None => NotAWorktree::Broken { path: dir.to_owned(), message: error.to_string() },
        }
    })
}
