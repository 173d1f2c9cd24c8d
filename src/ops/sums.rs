//! `sums`: the manifest of a tree in the form that `sha256sum -c` reads.
//!
//! The digests are those that the tree itself claims (index entries, names of elements), so that the check by another
//! program can fail; only what nothing names is hashed.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Error;
use crate::format::digest::Digest;
use crate::format::header;
use crate::format::index::{self, Index, Role};
use crate::format::path::is_safe;
use crate::format::tree::{FileKind, MAX_FILE, Tree, TreeEntry};
use crate::format::upstream;
use crate::store::layout::{DIRECTORIES, check_directories, parse_element_path};

/// One line per file, sorted by path, each ended by a line feed.
///
/// # Errors
/// `sums-nothing` for what is no store, snapshot or stage, `index-invalid` for an index that cannot be read or names a path that must not be followed; `read-failed`.
pub fn sums(tree: &dyn Tree) -> Result<String, Error> {
    let sums = if read(tree, header::PATH)?.is_some_and(|bytes| header::check(&bytes).is_ok()) {
        of_store(tree)?
    } else if read(tree, index::NAME)?.is_some() {
        of_index_tree(tree)?
    } else {
        return Err(Error::new("sums-nothing", "neither docket.json nor index.json stands at the root")
            .hint("give the directory of a store, a snapshot or a stage; sha256sum itself hashes any other"));
    };
    Ok(sums.iter().map(|(path, digest)| line(path, digest)).collect())
}

/// A line as `sha256sum` writes it. A name with a backslash or a line end is escaped, which a backslash before the
/// digest says.
fn line(path: &str, digest: &Digest) -> String {
    if !path.contains(['\\', '\n', '\r']) {
        return format!("{}  {path}\n", digest.hex());
    }
    let path = path.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
    format!("\\{}  {path}\n", digest.hex())
}

type Sums = BTreeMap<String, Digest>;

fn of_index_tree(tree: &dyn Tree) -> Result<Sums, Error> {
    let mut sums = Sums::new();
    let root = read(tree, index::NAME)?.unwrap_or_default();
    if let Some(files) = upstream::files(&root) {
        let files = files.map_err(|fault| invalid(index::NAME, &fault.to_string()))?;
        sums.insert(index::NAME.to_owned(), Digest::of(&root));
        for file in files {
            if !is_safe(&file.path) || sums.insert(file.path.clone(), file.sha256).is_some() {
                return Err(invalid(index::NAME, &format!("it lists {:?} again, or the path is unsafe", file.path)));
            }
        }
        return Ok(sums);
    }
    let mut open = vec![String::new()];
    while let Some(dir) = open.pop() {
        let path = format!("{dir}{}", index::NAME);
        let bytes = read(tree, &path)?.ok_or_else(|| invalid(&path, "it is missing"))?;
        let index = Index::from_bytes(&bytes).map_err(|trouble| match trouble.newer() {
            Some(newer) => Error::newer(&path, &newer),
            None => invalid(&path, &trouble.to_string()),
        })?;
        sums.entry(path.clone()).or_insert_with(|| Digest::of(&bytes));
        for entry in index.entries {
            if !is_safe(&entry.path) {
                return Err(invalid(&path, &format!("it names the unsafe path {:?}", entry.path)));
            }
            let child = format!("{dir}{}", entry.path);
            if entry.role == Role::Index {
                let Some(dir) = child.strip_suffix(index::NAME).filter(|dir| dir.ends_with('/')) else {
                    return Err(invalid(&path, "the role index and the name index.json belong together"));
                };
                open.push(dir.to_owned());
            }
            if sums.insert(child, entry.sha256).is_some() {
                return Err(invalid(&path, &format!("it lists {:?} again", entry.path)));
            }
        }
    }
    Ok(sums)
}

fn of_store(tree: &dyn Tree) -> Result<Sums, Error> {
    check_directories(tree)?;
    let mut sums = Sums::new();
    let mut others = Vec::new();
    for (path, _) in header::files() {
        if read(tree, path)?.is_some() {
            others.push(TreeEntry { path: path.to_owned(), kind: FileKind::File, bytes: None });
        }
    }
    for folder in DIRECTORIES {
        for entry in list(tree, folder)? {
            match parse_element_path(&entry.path) {
                Some(digest) if entry.kind == FileKind::File => {
                    sums.insert(entry.path, digest);
                }
                _ => others.push(entry),
            }
        }
    }
    sums.extend(hashed(tree, others)?);
    Ok(sums)
}

/// The digests of regular files; `sha256sum` does not know other kinds.
fn hashed(tree: &dyn Tree, entries: Vec<TreeEntry>) -> Result<Sums, Error> {
    let hash = |entry: TreeEntry| {
        let bytes = tree.read(&entry.path, MAX_FILE).map_err(|error| unread(&entry.path, &error.to_string()))?;
        let bytes = bytes.ok_or_else(|| unread(&entry.path, "it is not there under this name"))?;
        Ok((entry.path, Digest::of(&bytes)))
    };
    entries.into_par_iter().filter(|entry| entry.kind == FileKind::File).map(hash).collect()
}

fn read(tree: &dyn Tree, path: &str) -> Result<Option<Vec<u8>>, Error> {
    tree.read(path, index::MAX_BYTES).map_err(|error| unread(path, &error.to_string()))
}

fn list(tree: &dyn Tree, dir: &str) -> Result<Vec<TreeEntry>, Error> {
    tree.list(dir).map_err(|error| unread(if dir.is_empty() { "the tree" } else { dir }, &error.to_string()))
}

fn unread(path: &str, why: &str) -> Error {
    Error::new("read-failed", format!("{path} could not be read: {why}"))
}

fn invalid(path: &str, why: &str) -> Error {
    Error::new("index-invalid", format!("{path} is no index of this format: {why}")).hint("git docket verify says more")
}
