//! The tree that `verify` checks where no revision is named: a directory as it lies, else a branch of the repository around it.

use std::path::{Path, PathBuf};

use super::{Note, NoteCode, Report};
use crate::format::header;
use crate::format::index;
use crate::format::tree::Tree;
use crate::git::{Branch, is_git_dir};
use crate::ops::Error;
use crate::ops::lost::{has_facts, is_lost};
use crate::ops::place::{Place, directory_tree, is_checkout};

/// What is to be checked.
pub struct Standing {
    /// Its files.
    pub tree: Box<dyn Tree>,
    /// The branch that they are from, when they are not from a directory.
    pub branch: Option<Branch>,
}

/// Where to look.
#[derive(Debug, Clone, Copy)]
pub struct Where<'w> {
    /// The directory that the caller names, of whatever kind.
    pub path: Option<&'w Path>,
    /// The store that the caller names.
    pub store: Option<&'w Path>,
    /// The branch of facts that the caller names.
    pub branch: Option<&'w str>,
    /// The current directory.
    pub here: &'w Path,
}

/// Finds what is to be checked. A directory that is, or by its commit or its folders should be, a store or a snapshot is meant
/// itself, however damaged; a branch is checked only where nothing of the kind stands.
///
/// # Errors
/// `store-missing`, `store-sparse`, and those of git and the file system.
pub fn standing(at: &Where<'_>) -> Result<Standing, Error> {
    if let Some(dir) = directory(at) {
        let hint = "give the directory of a stage, a snapshot or a store; --at REV[:PATH] names a tree in a revision";
        let told = |error: Error| if error.hint_text().is_some() { error } else { error.hint(hint) };
        let tree = directory_tree(&dir).map_err(told)?;
        return Ok(Standing { tree, branch: None });
    }
    let place = Place::find(at.path.or(at.store), at.branch, at.here)?;
    let Place::Branch { repo, name } = &place else { return Ok(Standing { tree: place.facts()?, branch: None }) };
    let Some(branch) = repo.find_branch(name)? else { return Ok(Standing { tree: place.facts()?, branch: None }) };
    Ok(Standing { tree: place.facts_at(&repo.commit(branch.id)?)?, branch: Some(branch) })
}

impl Standing {
    /// Says in a report that a branch was checked, which nobody named.
    pub fn tell(&self, report: &mut Report) {
        let Some(branch) = &self.branch else { return };
        let text = format!("{} was checked, at commit {}: the directory holds no store itself", branch.name, branch.id);
        report.notes.push(Note { code: NoteCode::BranchChecked, count: 0, text });
    }
}

/// The directory that is meant itself.
fn directory(at: &Where<'_>) -> Option<PathBuf> {
    let itself = |dir: &Path| Some(dir.to_path_buf());
    match (at.path, at.store, at.branch) {
        (Some(path), _, None) if is_tree(path) => itself(path),
        (None, Some(store), None) if is_store(store) => itself(store),
        (None, None, None) if has_head(at.here) => itself(at.here),
        (None, None, None) => at.here.ancestors().find(|dir| is_around(dir)).and_then(itself),
        _ => None,
    }
}

/// Whether a path names a directory that is meant itself. Of one that is or has a git directory it may be a branch.
pub fn is_tree(dir: &Path) -> bool {
    let has_git = dir.join(".git").exists() || is_git_dir(dir);
    has_head(dir) || !has_git || (!is_git_dir(dir) && (has_folders(dir) || is_checkout(dir)))
}

/// A directory that is named as a store.
fn is_store(dir: &Path) -> bool {
    has_header(dir) || is_lost(dir)
}

/// A directory around the current one that is meant where none is named.
fn is_around(dir: &Path) -> bool {
    has_header(dir) || is_lost(dir) || (dir.join(".git").exists() && (has_folders(dir) || is_checkout(dir)))
}

fn has_header(dir: &Path) -> bool {
    dir.join(header::PATH).exists()
}

/// A directory with what heads a store or an index tree.
fn has_head(dir: &Path) -> bool {
    has_header(dir) || dir.join(index::NAME).exists()
}

/// A directory with what lies in a store, a snapshot or a stage.
fn has_folders(dir: &Path) -> bool {
    let is_stage = dir.join("entity.json").is_file() && dir.join("summary.md").is_file();
    is_stage || has_facts(dir) || FORGES.iter().any(|forge| has_head(&dir.join(forge)))
}

const FORGES: [&str; 4] = ["github", "gitlab", "gitea", "forgejo"];
