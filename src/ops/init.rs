//! `init`: a store, in a directory or on a branch. Separately made stores share their root commit.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Error;
use super::lost::{has_header, not_on};
use super::place::{FACTS_BRANCH, temp_dir};
use crate::format::header;
use crate::format::steps::Steps;
use crate::git::{self, Identity, Move, Oid, Repo, Staged, branch_name, inside_git_dir};
use crate::store;
use crate::store::dir::DirTree;
use crate::store::layout::check_header;
use crate::store::write::{Writer, create_root};

/// The message of every root commit.
const ROOT_MESSAGE: &str = "Open the docket\n";

/// What to make.
pub struct Options<'o> {
    /// The directory of the store, or of the repository.
    pub dir: &'o Path,
    /// The branch, for a store without a work tree.
    pub branch: Option<&'o str>,
    /// The seam for tests.
    pub steps: &'o dyn Steps,
}

/// What was made.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Where the store is.
    pub store: PathBuf,
    /// The branch, for a store without a work tree.
    pub branch: Option<String>,
    /// The remote-tracking branch that it is, where there is no local one.
    #[serde(skip)]
    pub remote: Option<String>,
    /// False when it was there already.
    pub created: bool,
    /// The root commit, when one was made.
    pub commit: Option<String>,
}

/// Makes a store; where there is one already, nothing changes.
///
/// # Errors
/// `store-conflict` when other files are in the way, `store-invalid` for a file, `repo-not-found` for a branch where other files are and
/// no repository, `ref-invalid` for a branch that is named by its remote too, `store-missing` for one that is no store, `format-newer`, and those of git and the file system.
pub fn init(options: &Options<'_>) -> Result<Report, Error> {
    if options.dir.metadata().is_ok_and(|found| !found.is_dir()) {
        return Err(store::Error::NotADirectory { path: options.dir.to_path_buf(), found: "a file" }.into());
    }
    match options.branch {
        Some(name) => on_branch(options, branch_name(name)?),
        None => in_directory(options),
    }
}

fn on_branch(options: &Options<'_>, name: &str) -> Result<Report, Error> {
    let repo = found_or_made(options.dir, || Repo::init_bare(options.dir, name, options.steps))?;
    let (store, branch) = (repo.git_dir().to_path_buf(), Some(name.to_owned()));
    let mut report = Report { store, branch, remote: None, created: false, commit: None };
    if let Some(branch) = repo.find_branch(name)? {
        let there = repo.tree(&repo.commit(branch.id)?, "")?;
        check_header(&there).map_err(|error| not_on(name, error.into()))?;
        // A branch that only a remote has is read as it is, and the first commit to it starts there.
        report.remote = (!branch.local).then_some(branch.name);
        return Ok(report);
    }
    if let Some(short) = repo.without_remote(name)? {
        return Err(Error::new("ref-invalid", format!("branch {name}: a remote-tracking branch has that name"))
            .hint(format!("--ref {short} is the branch")));
    }
    repo.check_free(&format!("refs/heads/{name}"))?;
    let (root, _) = root_commit(&repo, options.steps)?;
    let full = format!("refs/heads/{name}");
    let moved = repo.update_ref(&full, root, None, &nobody(), "docket: init", options.steps);
    report.created = opened(moved, root)?;
    report.commit = Some(root.to_string());
    Ok(report)
}

fn in_directory(options: &Options<'_>) -> Result<Report, Error> {
    let dir = options.dir;
    if inside_git_dir(dir)? {
        let message = format!("{}: a store has no place in a git directory", dir.display());
        return Err(Error::new("inside-git-dir", message).hint("--ref BRANCH makes a store without a work tree"));
    }
    create_root(dir, options.steps)?;
    if has_header(dir)? {
        check_header(&DirTree::open(dir)?)?;
    }
    // What is in the way is told before anything is made.
    let looker = Writer::new(dir, dir, options.steps)?;
    for (path, bytes) in header::files() {
        looker.stands(path, &bytes)?;
    }
    let repo = found_or_made(dir, || Repo::init(dir, FACTS_BRANCH, options.steps))?;
    let mut report = Report { store: dir.to_path_buf(), branch: None, remote: None, created: false, commit: None };
    let temp = temp_dir(dir, Some(&repo));
    let mut writer = Writer::new(dir, &temp, options.steps)?;
    for (path, bytes) in header::files() {
        report.created |= writer.put(path, bytes)?;
    }
    writer.flush()?;
    report.commit = first_commit(&repo, dir, options.steps)?.map(|id| id.to_string());
    Ok(report)
}

/// In a repository without any commit, whose top is the store: the root commit on the branch that is checked out.
fn first_commit(repo: &Repo, dir: &Path, steps: &dyn Steps) -> Result<Option<Oid>, Error> {
    let at_top = repo.work_dir().and_then(|top| top.canonicalize().ok()) == dir.canonicalize().ok();
    let Some(branch) = repo.head_branch()?.filter(|_| at_top) else { return Ok(None) };
    if repo.ref_value(&branch)?.is_some() {
        return Ok(None);
    }
    let (root, staged) = root_commit(repo, steps)?;
    let to = Move { name: &branch, new: root, expected: None, who: &nobody(), message: "docket: init" };
    if !opened(repo.update_checked_out(&to, &staged, steps), root)? {
        return Ok(None);
    }
    Ok(Some(root))
}

/// The repository around a directory; where there is none it is made, by us or by another process that is faster.
fn found_or_made(dir: &Path, make: impl FnOnce() -> git::Result<Repo>) -> Result<Repo, Error> {
    let find = || if dir.exists() { Repo::discover(dir) } else { Ok(None) };
    if let Some(repo) = find()? {
        return Ok(repo);
    }
    match make() {
        Err(git::Error::RepositoryExists { .. }) => find()?.ok_or_else(|| {
            let message = format!("{}: it is not empty, and in no git repository", dir.display());
            Error::new("repo-not-found", message)
                .hint("git init makes one of it; a new or empty directory becomes one by itself")
        }),
        made => Ok(made?),
    }
}

/// What came of moving a branch that does not exist to the root commit: false when another process just did.
fn opened(done: git::Result<()>, root: Oid) -> Result<bool, Error> {
    match done {
        Err(git::Error::RefMoved { found: Some(found), .. }) if found == root => Ok(false),
        done => Ok(done.map(|()| true)?),
    }
}

/// Author, committer, dates and message are constant, so that every store begins with the same commit.
fn root_commit(repo: &Repo, steps: &dyn Steps) -> Result<(Oid, Vec<Staged>), Error> {
    let mut writer = repo.writer(steps);
    let (mut files, mut staged) = (Vec::new(), Vec::new());
    for (path, bytes) in header::files() {
        let size = bytes.len() as u64;
        let id = writer.blob(bytes)?;
        files.push((path.to_owned(), id));
        staged.push(Staged { path: path.to_owned(), blob: Some((id, size)) });
    }
    let tree = writer.tree_from(files)?;
    let commit = writer.commit(tree, &[], ROOT_MESSAGE, &nobody())?;
    writer.finish()?;
    Ok((commit, staged))
}

/// The author of every root commit, on the first day of 2000.
fn nobody() -> Identity {
    Identity { name: "git-docket".into(), email: "git-docket@localhost".into(), seconds: 946_684_800 }
}
