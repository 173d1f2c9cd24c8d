//! Directories that are written as a whole: what may stand at the target before.

use std::fs;
use std::path::Path;

use crate::format::index::Index;
use crate::git::inside_work_tree;
use crate::ops::Error;

/// Refuses a target that exists, unless it may be replaced and is a tree that we wrote.
///
/// # Errors
/// `target-exists`, `target-not-a-stage`.
pub(super) fn check(target: &Path, replace: bool) -> Result<(), Error> {
    let Ok(found) = fs::symlink_metadata(target) else { return Ok(()) };
    let is_ours = || fs::read(target.join("index.json")).is_ok_and(|bytes| Index::from_bytes(&bytes).is_ok());
    if !replace {
        return Err(Error::new("target-exists", format!("{}: the target exists", target.display()))
            .hint("--replace replaces a former stage; nothing else is ever overwritten"));
    }
    if !found.is_dir() || !is_ours() {
        return Err(Error::new(
            "target-not-a-stage",
            format!("{}: the target exists and is not a tree that git-docket wrote", target.display()),
        ));
    }
    Ok(())
}

/// Refuses a target inside a git work tree: what is private must not be committed by accident.
///
/// # Errors
/// `target-inside-worktree`.
pub(super) fn check_outside(target: &Path) -> Result<(), Error> {
    if inside_work_tree(target)? {
        return Err(Error::new("target-inside-worktree", format!("{}: the target lies inside a git work tree", target.display()))
            .hint("choose a directory outside, such as \"$RUNNER_TEMP/docket\" or one from mktemp -d; --allow-inside-worktree overrides this"));
    }
    Ok(())
}
