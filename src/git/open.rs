//! Opening a repository: exactly this one, or the nearest one upwards.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::discover::upwards;

use super::odb::Odb;
use super::{Error, Result};

/// How many packs can be known: gix fixes the number when it opens a repository, and each commit of ours adds one.
const MIN_SLOTS: usize = 2048;

/// An open repository. Cheap to share between threads.
pub struct Repo {
    inner: gix::ThreadSafeRepository,
    common_dir: PathBuf,
    shallow: bool,
    odb: Arc<Odb>,
}

impl Repo {
    /// Opens exactly the repository at a directory: the root of a work tree (also a linked one), a `.git` directory or
    /// a bare repository.
    ///
    /// # Errors
    /// When there is none, when it belongs to somebody else and `safe.directory` does not name it (git's rule), or when
    /// it uses a format that is not supported.
    pub fn open(dir: &Path) -> Result<Self> {
        let dir = std::path::absolute(dir).map_err(Error::io(dir))?;
        // Ownership of the directory above `.git` alone says nothing: gix looks at the git directory, the common
        // directory and the work tree, and then at `safe.directory`.
        let slots = gix::odb::store::init::Slots::AsNeededByDiskState { multiplier: 1.5, minimum: MIN_SLOTS };
        let options = gix::open::Options::default().object_store_slots(slots).filter_config_section(is_of_repository);
        // An anchor names a commit, and not what refs/replace puts in its place.
        let opened = options.config_overrides(["core.useReplaceRefs=false"]).open(&dir);
        let mut inner = opened.map_err(|e| {
            if e.is_not_found() { Error::NotARepository { path: dir.clone() } } else { Error::git(&dir, e) }
        })?;
        inner.refs.namespace = None;
        let local = inner.to_thread_local();
        if local.git_dir_trust() != gix::sec::Trust::Full {
            let path = inner.work_dir().unwrap_or(inner.git_dir()).to_owned();
            return Err(Error::Untrusted { path });
        }
        check_extensions(&local)?;
        let common_dir = local.common_dir().to_owned();
        let shallow = local.is_shallow().map_err(|e| Error::git(&dir, e))?;
        let odb = Arc::new(Odb::new(Arc::clone(&inner.objects), shallow || is_partial(&local)));
        Ok(Self { inner, common_dir, shallow, odb })
    }

    /// The repository that a directory lies in, looking upwards; `None` when there is none on this file system.
    ///
    /// # Errors
    /// As [`Repo::open`], and when the directory cannot be read.
    pub fn discover(dir: &Path) -> Result<Option<Self>> {
        match find_upwards(dir)? {
            Some(found) => {
                let (git_dir, work_dir) = found.into_repository_and_work_tree_directories();
                Self::open(work_dir.as_deref().unwrap_or(&git_dir)).map(Some)
            }
            None => Ok(None),
        }
    }

    /// The git directory; of a linked work tree its private one.
    pub fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    /// The git directory that all work trees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The root of the work tree; `None` in a bare repository.
    pub fn work_dir(&self) -> Option<&Path> {
        self.inner.work_dir()
    }

    /// Whether history is cut off.
    pub fn is_shallow(&self) -> bool {
        self.shallow
    }

    /// Whether objects are named by SHA-256 instead of SHA-1.
    pub fn is_sha256(&self) -> bool {
        self.odb.hash_kind() == gix::hash::Kind::Sha256
    }

    /// A handle of gix for this thread.
    pub(super) fn local(&self) -> gix::Repository {
        self.inner.to_thread_local()
    }

    pub(super) fn odb(&self) -> &Arc<Odb> {
        &self.odb
    }

    /// An error of gix about this repository.
    pub(super) fn failed(&self, error: gix::Error) -> Error {
        Error::git(self.git_dir(), error)
    }
}

/// Whether a path that may not exist yet would lie in some git work tree or git directory: the nearest existing
/// directory above decides.
///
/// # Errors
/// When that directory cannot be read.
pub fn inside_work_tree(path: &Path) -> Result<bool> {
    // A bare repository and one whose work tree lies elsewhere are found upwards only from within.
    Ok(inside_git_dir(path)? || nearest(path)?.map(|dir| find_upwards(&dir)).transpose()?.flatten().is_some())
}

/// Whether a path that may not exist yet is or would lie in a git directory: a `.git`, or a bare repository.
///
/// # Errors
/// When the nearest existing directory above cannot be read.
pub fn inside_git_dir(path: &Path) -> Result<bool> {
    let named = |path: &Path| path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
    let absolute = std::path::absolute(path).map_err(Error::io(path))?;
    Ok(named(&absolute) || nearest(path)?.is_some_and(|dir| named(&dir) || dir.ancestors().any(is_git_dir)))
}

/// The nearest existing directory. Its physical place counts: a link may lead into a work tree from outside.
fn nearest(path: &Path) -> Result<Option<PathBuf>> {
    let path = std::path::absolute(path).map_err(Error::io(path))?;
    let nearest = path.ancestors().find(|dir| dir.is_dir());
    nearest.map(|dir| dir.canonicalize().map_err(Error::io(dir))).transpose()
}

/// Whether a directory is a git directory, by what git itself knows one: `HEAD`, objects and references, or where those of a
/// linked work tree are.
pub fn is_git_dir(dir: &Path) -> bool {
    let has = |name: &str| dir.join(name).is_dir();
    dir.join("HEAD").symlink_metadata().is_ok() && (has("objects") && has("refs") || dir.join("commondir").is_file())
}

/// Configuration that counts. What variables such as `GIT_WORK_TREE` say is about the repository of whoever started us: in
/// a hook it is another one.
fn is_of_repository(meta: &gix::config::file::Metadata) -> bool {
    meta.source != gix::config::Source::EnvOverride && gix::config::section::is_trusted(meta)
}

fn find_upwards(dir: &Path) -> Result<Option<gix::discover::repository::Path>> {
    let dir = std::path::absolute(dir).map_err(Error::io(dir))?;
    match gix::discover::upwards(&dir) {
        Ok((found, _)) => Ok(Some(found)),
        Err(e) if e.downcast_any_ref::<upwards::Error>().is_some() => Ok(None),
        Err(e) => Err(Error::git(&dir, e)),
    }
}

/// Refuses what git would refuse too: an extension of the repository format whose meaning is not known.
fn check_extensions(repo: &gix::Repository) -> Result<()> {
    let config = repo.config_snapshot();
    let path = repo.common_dir();
    if config.string("extensions.refStorage").is_some_and(|kind| kind.eq_ignore_ascii_case(b"reftable")) {
        return Err(Error::Reftable { path: path.to_owned() });
    }
    if config.integer("core.repositoryFormatVersion").unwrap_or(0) < 1 {
        return Ok(());
    }
    const KNOWN: [&str; 8] = [
        "noop",
        "noop-v1",
        "objectformat",
        "partialclone",
        "preciousobjects",
        "refstorage",
        "relativeworktrees",
        "worktreeconfig",
    ];
    for section in config.plumbing().sections_by_name("extensions").into_iter().flatten() {
        let unknown = section.value_names().map(|name| name.to_string().to_ascii_lowercase());
        if let Some(name) = unknown.into_iter().find(|name| !KNOWN.contains(&name.as_str())) {
            return Err(Error::Unsupported { path: path.to_owned(), what: format!("extensions.{name}") });
        }
    }
    Ok(())
}

/// Whether a remote promises objects that are not here (a partial clone).
fn is_partial(repo: &gix::Repository) -> bool {
    let config = repo.config_snapshot();
    let mut remotes = config.plumbing().sections_by_name("remote").into_iter().flatten();
    config.string("extensions.partialClone").is_some() || remotes.any(|remote| remote.contains_value_name("promisor"))
}
