//! Where a branch is checked out: moving it behind a work tree's back makes the next commit there undo the move.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Error, Repo, Result};

impl Repo {
    /// The work tree, main or linked, in which a branch (full name) is checked out; it need not exist yet. A bare
    /// repository has none, whatever its HEAD names. A linked work tree counts until `git worktree prune` forgets it.
    ///
    /// # Errors
    /// When the name is malformed, or HEAD or the list of work trees cannot be read.
    pub fn checked_out(&self, name: &str) -> Result<Option<PathBuf>> {
        let name = self.final_name(name)?;
        let common = self.common_dir();
        if self.has_head(common, &name)? {
            // Opened from a linked work tree, this repository does not say whether the main one has a work tree.
            let main = self.local().main_repo().map_err(|e| self.failed(e))?;
            if let Some(work_dir) = main.workdir() {
                return Ok(Some(work_dir.to_owned()));
            }
        }
        let linked = common.join("worktrees");
        let entries = match fs::read_dir(&linked) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            entries => entries.map_err(Error::io(&linked))?,
        };
        for entry in entries {
            let git_dir = entry.map_err(Error::io(&linked))?.path();
            if self.has_head(&git_dir, &name)? {
                let file = fs::read_to_string(git_dir.join("gitdir")).unwrap_or_default();
                let at = Path::new(file.trim_end()).parent().unwrap_or(&git_dir);
                return Ok(Some(at.to_owned()));
            }
        }
        Ok(None)
    }

    /// Refuses to move a branch that is checked out.
    ///
    /// # Errors
    /// [`Error::CheckedOut`], and those of [`Repo::checked_out`].
    pub fn check_free(&self, name: &str) -> Result<()> {
        match self.checked_out(name)? {
            Some(path) => Err(Error::CheckedOut { name: name.to_owned(), path }),
            None => Ok(()),
        }
    }

    fn has_head(&self, git_dir: &Path, name: &str) -> Result<bool> {
        let path = git_dir.join("HEAD");
        let text = match fs::read(&path) {
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(false),
            text => text.map_err(Error::io(&path))?,
        };
        let text = String::from_utf8_lossy(&text);
        let Some(head) = text.strip_prefix("ref:").map(str::trim) else { return Ok(false) };
        Ok(head == name || self.final_name(head).is_ok_and(|head| head == name))
    }
}

/// The short name of a branch as a person gives it: `NAME` or `refs/heads/NAME`.
///
/// # Errors
/// [`Error::RefInvalid`] for what is no name of a branch, such as `HEAD`, `@` or a ref of another kind.
pub fn branch_name(given: &str) -> Result<&str> {
    let name = given.strip_prefix("refs/heads/").unwrap_or(given);
    let valid = gix::refs::FullName::try_from(format!("refs/heads/{name}")).is_ok();
    if valid && name != "HEAD" && name != "@" && !name.starts_with('-') && !name.starts_with("refs/") {
        return Ok(name);
    }
    Err(Error::RefInvalid { name: given.to_owned(), reason: "not the name of a branch".to_owned() })
}
