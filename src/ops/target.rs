//! Directories that are written as a whole: where they may lie, and what may stand there before.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::format::index::{Index, MAX_BYTES, NAME, Role};
use crate::format::path::is_safe;
use crate::format::steps::Steps;
use crate::format::tree::{FileKind, Tree};
use crate::format::upstream;
use crate::git::{inside_git_dir, inside_work_tree};
use crate::ops::Error;
use crate::store;
use crate::store::dir::DirTree;
use crate::store::layout::check_header;
use crate::store::write::{Existing, Held, Lease, Modes, replace_own_tree, replace_tree};
use crate::system::file_number;

/// Refuses a target that exists, unless it may be replaced and is a tree that we wrote, to the last path.
///
/// This is the early answer; [`foreign`] is asked again of what was replaced before it is removed.
///
/// # Errors
/// `target-exists`, `target-not-a-stage`.
pub(super) fn check(target: &Path, replace: bool) -> Result<(), Error> {
    // With a slash behind it a link would be followed.
    let target = target.components().as_path();
    let io = |error| Error::new("io", format!("{}: {error}", target.display()));
    loop {
        let found = match file_number(target) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            found => found.map_err(io)?,
        };
        if !replace {
            return Err(Error::new("target-exists", format!("{}: the target exists", target.display()))
                .hint("--replace replaces a former run; nothing else is ever overwritten"));
        }
        let tree = match DirTree::open(target) {
            Ok(tree) => tree,
            Err(store::Error::Nothing { .. }) => continue,
            Err(error) => return Err(Error::new("target-not-a-stage", error.to_string())),
        };
        let Some(what) = foreign(&tree) else { return Ok(()) };
        // Another run may have replaced it while we looked, and be removing what we looked at.
        if file_number(target).is_ok_and(|now| now == found) {
            let path = target.to_owned();
            return Err(store::Error::Foreign { path, what }.into());
        }
    }
}

/// Takes a target for this process alone; what a dead run left there is removed.
///
/// # Errors
/// `stage-in-use` while another has it, and those of the file system.
pub(super) fn lease(target: &Held, steps: &dyn Steps) -> Result<Lease, Error> {
    Lease::take(target, steps).map_err(|error| match error {
        store::Error::Locked { path } => {
            Error::new("stage-in-use", format!("{}: another run uses this stage", path.display()))
        }
        other => other.into(),
    })
}

/// Whether anything stands at a path.
///
/// # Errors
/// `io` when that cannot be told.
pub(super) fn is_there(target: &Path) -> Result<bool, Error> {
    match target.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        found => found.map(|_| true).map_err(|error| Error::new("io", format!("{}: {error}", target.display()))),
    }
}

/// Refuses a directory that no index of ours heads, whatever else lies in it.
///
/// # Errors
/// `target-not-a-stage`.
pub(super) fn check_head(target: &Path) -> Result<(), Error> {
    let refused = |what: String| Error::new("target-not-a-stage", format!("{}: {what}", target.display()));
    let tree = DirTree::open(target).map_err(|error| refused(error.to_string()))?;
    let bytes = tree.read(NAME, MAX_BYTES).ok().flatten();
    let heads = |bytes: Vec<u8>| upstream::is_index(&bytes) || Index::from_bytes(&bytes).is_ok();
    bytes.is_some_and(heads).then_some(()).ok_or_else(|| refused(no_index(&tree)))
}

/// What is said of a tree that no index of ours heads.
fn no_index(tree: &dyn Tree) -> String {
    let is_missing = tree.read(NAME, MAX_BYTES).is_ok_and(|bytes| bytes.is_none());
    if is_missing { format!("there is no {NAME}") } else { format!("{NAME} is no index") }
}

/// Writes a tree that [`check`] let pass.
///
/// # Errors
/// `target-exists`, `target-not-a-stage` or `target-moved` when the target is another one by now, and those of the file system.
pub(super) fn write(
    target: &Held,
    files: BTreeMap<String, Vec<u8>>,
    modes: Modes,
    replace: bool,
    steps: &dyn Steps,
) -> Result<(), Error> {
    if replace {
        replace_own_tree(target, files, modes, &foreign, steps)?;
    } else {
        replace_tree(target, files, modes, Existing::Refuse, steps)?;
    }
    Ok(())
}

/// The first path of a tree that its indexes do not list, or what is wrong with its root index; `None` for a tree of ours.
fn foreign(tree: &dyn Tree) -> Option<String> {
    let there = match tree.list("") {
        Ok(there) => there,
        Err(error) => return Some(error.to_string()),
    };
    let mut listed = BTreeSet::from([NAME.to_owned()]);
    let mut open = vec![String::new()];
    while let Some(dir) = open.pop() {
        let bytes = tree.read(&format!("{dir}{NAME}"), MAX_BYTES).ok().flatten();
        if let Some(files) = bytes.as_deref().filter(|_| dir.is_empty()).and_then(upstream::files) {
            match files {
                Ok(files) => listed.extend(files.into_iter().map(|file| file.path)),
                Err(_) => return Some(format!("{NAME} is no index")),
            }
            continue;
        }
        let Some(index) = bytes.and_then(|bytes| Index::from_bytes(&bytes).ok()) else {
            if dir.is_empty() {
                return Some(no_index(tree));
            }
            // What lies below is listed by nothing then.
            continue;
        };
        for entry in index.entries.into_iter().filter(|entry| is_safe(&entry.path)) {
            let path = format!("{dir}{}", entry.path);
            let below = path.strip_suffix(NAME).filter(|dir| entry.role == Role::Index && dir.ends_with('/'));
            let below = below.map(str::to_owned);
            if listed.insert(path) {
                open.extend(below);
            }
        }
    }
    // U+FFFD stands for a byte that no index can list.
    let is_ours = |path: &str| listed.contains(path) && !path.contains('\u{fffd}');
    let other = there.into_iter().find(|entry| entry.kind != FileKind::File || !is_ours(&entry.path))?;
    Some(format!("{:?} is not listed by its index", other.path))
}

/// Refuses a target inside a git work tree, where what is private could be committed by accident, unless that is wanted;
/// and one inside a git directory or a store in any case.
///
/// # Errors
/// `target-inside-worktree`.
pub(super) fn check_place(target: &Path, allow_inside_worktree: bool) -> Result<(), Error> {
    let inside = |what: &str| {
        Error::new("target-inside-worktree", format!("{}: the target lies inside {what}", target.display()))
    };
    let outside = "choose a directory outside, such as \"$RUNNER_TEMP/docket\" or one from mktemp -d";
    if inside_git_dir(target)? {
        return Err(inside("a git directory").hint(outside));
    }
    if inside_tree(target)? {
        return Err(inside("another stage or snapshot, whose index would not list it").hint(outside));
    }
    let in_store = inside_store(target)?;
    if !allow_inside_worktree && inside_work_tree(target)? {
        let hint = format!("{outside}; --allow-inside-worktree overrides this");
        return Err(inside("a git work tree").hint(if in_store { outside.to_owned() } else { hint }));
    }
    if in_store { Err(inside("a store").hint(outside)) } else { Ok(()) }
}

/// Whether a directory above the target is headed by an index of ours.
fn inside_tree(target: &Path) -> Result<bool, Error> {
    let Some(nearest) = nearest(target, 1)? else { return Ok(false) };
    Ok(nearest.ancestors().any(|dir| dir.join(NAME).is_file() && check_head(dir).is_ok()))
}

/// The nearest directory that is there, from the target upwards, without so many of its last names.
fn nearest(target: &Path, without: usize) -> Result<Option<PathBuf>, Error> {
    let io = |error| Error::new("io", format!("{}: {error}", target.display()));
    let target = std::path::absolute(target).map_err(io)?;
    target.ancestors().skip(without).find(|dir| dir.is_dir()).map(|dir| dir.canonicalize().map_err(io)).transpose()
}

/// Whether a directory above is a store, of whatever format.
fn inside_store(target: &Path) -> Result<bool, Error> {
    let Some(nearest) = nearest(target, 0)? else { return Ok(false) };
    let is_store = |dir: &Path| {
        let checked = DirTree::open(dir).and_then(|tree| check_header(&tree));
        matches!(checked, Ok(()) | Err(store::Error::Newer(_)))
    };
    Ok(nearest.ancestors().any(is_store))
}

/// The most links that are followed, one to the next; systems follow no more.
const MAX_LINKS: usize = 40;

/// Whether a file lies in a directory, neither of which need be there. The last name may be a link itself, which is followed or not.
///
/// # Errors
/// `io`.
pub(super) fn lies_in(file: &Path, dir: &Path, follow: bool) -> Result<bool, Error> {
    let dir = real(dir)?;
    let mut file = real(file)?;
    for _ in 0..MAX_LINKS {
        if file.starts_with(&dir) {
            return Ok(true);
        }
        let link = if follow { std::fs::read_link(&file).ok() } else { None };
        let Some(link) = link else { return Ok(false) };
        file = real(&file.parent().unwrap_or(Path::new("/")).join(link))?;
    }
    Ok(false)
}

/// The path with what exists of its parent resolved.
fn real(path: &Path) -> Result<PathBuf, Error> {
    let path = std::path::absolute(path).map_err(|error| Error::new("io", format!("{}: {error}", path.display())))?;
    let mut rest = Vec::new();
    for dir in path.ancestors() {
        // The last name may be a link itself.
        if dir != path
            && let Ok(found) = dir.canonicalize()
        {
            return Ok(rest.iter().rev().fold(found, |path, name| path.join(name)));
        }
        rest.extend(dir.file_name());
    }
    Ok(path)
}
