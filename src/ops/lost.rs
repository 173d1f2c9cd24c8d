//! Stores that lost their header or files that git says they have. A branch is not read in their place, and nothing is taken for never seen.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Error;
use super::place::head_tree;
use crate::format::entity::Forge;
use crate::format::header;
use crate::git::{Repo, is_git_dir};
use crate::store;
use crate::store::layout::{OBJECTS, OBSERVATIONS, check_header};

/// Whether a directory that has no header has what lies in a store, or the commit that is checked out has a store there.
pub(super) fn is_lost(dir: &Path) -> bool {
    let was_one = || head_tree(dir).is_some_and(|tree| check_header(&tree).is_ok());
    !is_git_dir(dir) && (has_facts(dir) || was_one())
}

/// What to say of a directory that was taken for a store and has no header that can be read.
pub(super) fn headless(root: &Path, error: store::Error) -> Error {
    let is_lost = matches!(error, store::Error::NoHeader);
    let error = Error::from(error);
    if !is_lost {
        return error;
    }
    let hint = "git restore docket.json or git docket init brings it back; --ref BRANCH reads a branch instead";
    error.about(&root.display().to_string()).hint(hint)
}

/// What to say of a store of which so many paths are left out of the work tree.
///
/// # Errors
/// When HEAD cannot be read.
pub(super) fn left_out(root: &Path, repo: &Repo, paths: usize) -> Result<Error, Error> {
    let root = root.display();
    if !repo.is_sparse() {
        let message =
            format!("{root}: {paths} paths of the store are marked skip-worktree in git's index, and not there");
        let hint =
            "git ls-files -v lists them behind S; git update-index --no-skip-worktree and git restore bring them back";
        return Ok(Error::new("store-sparse", message).hint(hint));
    }
    let message = format!("{root}: a sparse checkout leaves out {paths} paths of the store");
    let branch = repo.head_branch()?;
    let branch = branch.as_deref().and_then(|name| name.strip_prefix("refs/heads/")).unwrap_or("BRANCH");
    Ok(Error::new("store-sparse", message).hint(format!(
        "git sparse-checkout disable brings them here; where the store is the whole branch, --ref {branch} reads what is committed"
    )))
}

/// A directory with elements or observations.
pub(super) fn has_facts(dir: &Path) -> bool {
    let is_hex = |name: &str, len: usize| name.len() == len && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let objects = dir.join(OBJECTS);
    let is_shard = |name: &str| is_hex(name, 2) && names(&objects.join(name)).any(|(_, name)| is_hex(&name, 62));
    let is_forge = |name: &str| name.parse::<Forge>().is_ok();
    holds(&objects, is_shard) || holds(&dir.join(OBSERVATIONS), is_forge)
}

/// Whether a directory holds one of such a name.
fn holds(dir: &Path, is_meant: impl Fn(&str) -> bool) -> bool {
    names(dir).any(|(path, name)| path.is_dir() && is_meant(&name))
}

/// What a directory holds: paths and names.
fn names(dir: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let entries = dir.read_dir().into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.path(), entry.file_name().into_string().ok()?)))
}

/// Whether something stands in a directory where the header of a store would.
///
/// # Errors
/// `io` when that cannot be told.
pub(super) fn has_header(dir: &Path) -> Result<bool, Error> {
    let header = dir.join(header::PATH);
    match header.try_exists() {
        Err(error) if error.kind() == ErrorKind::NotADirectory => Ok(false),
        found => found.map_err(|error| Error::new("io", format!("{}: {error}", header.display()))),
    }
}
/// A branch that is not there. What begins with the name of a remote is found without it.
pub(super) fn no_branch(repo: &Repo, name: &str) -> Error {
    let error = missing(repo.git_dir()).about(&format!("branch {name}"));
    let Ok(Some(short)) = repo.without_remote(name) else { return error };
    error.hint(format!("--ref {short} finds the branch of a remote, too"))
}

/// What is wrong with the store on a branch, by the name of that.
pub(super) fn not_on(name: &str, error: Error) -> Error {
    let error = error.about(&format!("branch {name}"));
    let is_none = error.code() == "store-missing";
    if is_none { error.hint("--ref with another name: a store is a branch of its own") } else { error }
}

/// There is no store where one was said to be.
pub(super) fn missing(at: &Path) -> Error {
    Error::new("store-missing", format!("{}: there is no git-docket store", at.display()))
        .hint("git docket init makes one; --store DIR or --ref BRANCH names one elsewhere")
}
