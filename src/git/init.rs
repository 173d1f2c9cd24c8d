//! A new repository: only what git needs, whatever templates, hooks or formats are configured.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use gix::refs::FullName;

use super::lock::{Watched, sync_dir};
use super::{Error, Repo, Result};
use crate::format::steps::{Step, Steps};
use crate::system::{permissions, rename_dir};

impl Repo {
    /// Makes a repository with a work tree and opens it. The directory is created where it is missing; its files stay
    /// as they are. `.git` appears at once or not at all. Names are SHA-1, references are files.
    ///
    /// # Errors
    /// When `.git` is there already, or the branch name is not valid.
    pub fn init(dir: &Path, initial_branch: &str, steps: &dyn Steps) -> Result<Self> {
        let git_dir = dir.join(".git");
        if git_dir.symlink_metadata().is_ok() {
            return Err(Error::RepositoryExists { path: git_dir });
        }
        create(dir, &git_dir, initial_branch, false, steps)?;
        Self::open(dir)
    }

    /// Makes a bare repository and opens it. A directory that is missing before appears at once. One that is empty is filled, since
    /// somebody may be in it; it becomes a repository with the last name, `HEAD`.
    ///
    /// # Errors
    /// When the directory is not empty, or the branch name is not valid.
    pub fn init_bare(dir: &Path, initial_branch: &str, steps: &dyn Steps) -> Result<Self> {
        if is_taken(dir) {
            return Err(Error::RepositoryExists { path: dir.to_owned() });
        }
        let above = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        create(if dir.is_dir() { dir } else { above }, dir, initial_branch, true, steps)?;
        Self::open(dir)
    }
}

/// What begins the name of a git directory that is not finished.
const UNFINISHED: &str = ".git-docket-";

/// Whether a directory has anything but what is being made, or what a killed process left.
fn is_taken(dir: &Path) -> bool {
    let is_other = |name: &OsStr| !name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes());
    fs::read_dir(dir).is_ok_and(|mut there| there.any(|entry| entry.is_ok_and(|entry| is_other(&entry.file_name()))))
}

/// Makes a git directory beside its final place, or in it, and gives it its name.
fn create(parent: &Path, git_dir: &Path, initial_branch: &str, bare: bool, steps: &dyn Steps) -> Result<()> {
    let head = format!("refs/heads/{initial_branch}");
    if FullName::try_from(head.as_str()).is_err() {
        return Err(Error::RefInvalid { name: head, reason: "not a branch name".to_owned() });
    }
    steps.before(Step::Write, parent).map_err(Error::io(parent))?;
    fs::create_dir_all(parent).map_err(Error::io(parent))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // As open as the umask allows, like any directory that git makes.
    if let Some(open) = permissions(0o777) {
        builder.permissions(open);
    }
    let new = builder.tempdir_in(parent).map_err(Error::io(parent))?.keep();
    let steps = Watched::new(steps);
    let done = fill(&new, &head, bare, &steps).and_then(|()| match parent == git_dir {
        true => move_into(&new, git_dir, &steps),
        false => give_name(&new, git_dir, &steps),
    });
    if done.is_err() && !steps.is_stopped() {
        // The first error is the one to tell.
        let _ = fs::remove_dir_all(&new);
    }
    done?;
    sync_dir(parent, &steps)
}

/// Writes what a git directory needs.
fn fill(new: &Path, head: &str, bare: bool, steps: &dyn Steps) -> Result<()> {
    for below in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        fs::create_dir_all(new.join(below)).map_err(Error::io(new))?;
    }
    write(&new.join("config"), &config(new, bare), steps)?;
    write(&new.join("HEAD"), &format!("ref: {head}\n"), steps)?;
    sync_dir(new, steps)
}

/// Fills a directory that is there. What has no HEAD is no git directory yet.
fn move_into(made: &Path, git_dir: &Path, steps: &dyn Steps) -> Result<()> {
    for name in ["objects", "refs", "config", "HEAD"] {
        give_name(&made.join(name), &git_dir.join(name), steps)?;
    }
    fs::remove_dir(made).map_err(Error::io(made))
}

fn give_name(new: &Path, name: &Path, steps: &dyn Steps) -> Result<()> {
    steps.before(Step::Rename, name).map_err(Error::io(name))?;
    rename_dir(new, name).map_err(|error| match error.kind() {
        // Another process was faster.
        ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            Error::RepositoryExists { path: name.to_owned() }
        }
        _ => Error::io(name)(error),
    })
}

/// The configuration that git itself would write for this file system.
fn config(git_dir: &Path, bare: bool) -> String {
    let can = gix::fs::Capabilities::probe(git_dir);
    let mut text =
        format!("[core]\n\trepositoryformatversion = 0\n\tfilemode = {}\n\tbare = {bare}\n", can.executable_bit);
    if !bare {
        text += "\tlogallrefupdates = true\n";
    }
    let special = [("symlinks = false", !can.symlink), ("ignorecase = true", can.ignore_case)];
    for (line, _) in special.iter().filter(|(_, applies)| *applies) {
        text += &format!("\t{line}\n");
    }
    if can.precompose_unicode {
        text += "\tprecomposeunicode = true\n";
    }
    text
}

fn write(path: &Path, text: &str, steps: &dyn Steps) -> Result<()> {
    steps.before(Step::Write, path).map_err(Error::io(path))?;
    let mut file = File::create_new(path).map_err(Error::io(path))?;
    file.write_all(text.as_bytes()).map_err(Error::io(path))?;
    steps.before(Step::Sync, path).map_err(Error::io(path))?;
    file.sync_all().map_err(Error::io(path))
}
