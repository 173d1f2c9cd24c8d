//! Trees for tests: in memory and on disk, and index trees built by hand.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use git_docket::format::digest::Digest;
use git_docket::format::index::{Entry, Index, Node, Role};
use git_docket::format::json::Object;
use git_docket::format::tree::{FileKind, Tree, TreeEntry};

/// A tree in memory.
#[derive(Debug, Clone, Default)]
pub struct Mem {
    pub files: BTreeMap<String, Vec<u8>>,
    /// What is not a regular file.
    pub others: BTreeMap<String, FileKind>,
}

impl Mem {
    pub fn put(&mut self, path: &str, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.files.insert(path.to_owned(), bytes.as_ref().to_vec());
        self
    }

    pub fn take(&mut self, path: &str) -> Vec<u8> {
        self.files.remove(path).unwrap_or_else(|| panic!("{path} is not there"))
    }

    /// The digest of the root index.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.files["index.json"])
    }

    /// Writes everything below a directory.
    pub fn write(&self, root: &Path) {
        for (path, bytes) in &self.files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a path below the root")).expect("create a directory");
            fs::write(path, bytes).expect("write a file");
        }
    }
}

impl Tree for Mem {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let files = self.files.iter().map(|(path, bytes)| (path, FileKind::File, Some(bytes.len() as u64)));
        let others = self.others.iter().map(|(path, kind)| (path, *kind, None));
        let mut all: Vec<_> = files
            .chain(others)
            .filter(|(path, ..)| path.starts_with(&prefix))
            .map(|(path, kind, bytes)| TreeEntry { path: path.clone(), kind, bytes })
            .collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(all)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        match self.files.get(path) {
            Some(bytes) if bytes.len() as u64 > limit => Err(io::ErrorKind::FileTooLarge.into()),
            found => Ok(found.cloned()),
        }
    }
}

/// A tree in a directory.
pub struct Dir(pub PathBuf);

impl Tree for Dir {
    fn is_bare_directory(&self, path: &str) -> io::Result<bool> {
        Ok(fs::symlink_metadata(self.0.join(path)).is_ok_and(|meta| meta.is_dir()))
    }

    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        let mut all = Vec::new();
        for entry in walkdir::WalkDir::new(self.0.join(dir)).min_depth(1) {
            let entry = match entry {
                Err(error) if error.io_error().is_some_and(|e| e.kind() == io::ErrorKind::NotFound) => continue,
                entry => entry?,
            };
            let of = entry.file_type();
            let kind = match () {
                () if of.is_dir() => continue,
                () if of.is_file() => FileKind::File,
                () if of.is_symlink() => FileKind::Symlink,
                () => FileKind::Special,
            };
            let path = entry.path().strip_prefix(&self.0).expect("below the root").to_string_lossy().into_owned();
            let bytes = (kind == FileKind::File).then(|| entry.metadata().map(|m| m.len())).transpose()?;
            all.push(TreeEntry { path, kind, bytes });
        }
        all.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(all)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let path = self.0.join(path);
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() && meta.len() > limit => Err(io::ErrorKind::FileTooLarge.into()),
            Ok(meta) if meta.is_file() => fs::read(path).map(Some),
            _ => Ok(None),
        }
    }
}

/// An entry for some bytes.
pub fn entry(path: &str, role: Role, bytes: &[u8]) -> Entry {
    let media_type = match path.rsplit('.').next() {
        Some("json") => "application/json",
        Some("md") => "text/markdown",
        _ => "text/plain",
    };
    Entry {
        path: path.to_owned(),
        role,
        media_type: media_type.to_owned(),
        bytes: bytes.len() as u64,
        sha256: Digest::of(bytes),
        about: Object::new(),
    }
}

/// The index of a directory that lists the given entries.
pub fn directory(mut entries: Vec<Entry>) -> Vec<u8> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Index { node: Node::Directory, entries }.to_bytes()
}

/// A flat index tree of one node.
pub fn flat(files: &[(&str, Role, &[u8])]) -> Mem {
    let mut tree = Mem::default();
    for (path, _, bytes) in files {
        tree.put(path, bytes);
    }
    tree.put("index.json", directory(files.iter().map(|(path, role, bytes)| entry(path, *role, bytes)).collect()));
    tree
}

/// Trees below directories, under one root index that lists the index of each.
pub fn rooted(children: &[(&str, &Mem)]) -> Mem {
    let mut tree = Mem::default();
    let mut entries = Vec::new();
    for (dir, child) in children {
        for (path, bytes) in &child.files {
            tree.put(&format!("{dir}/{path}"), bytes);
        }
        entries.push(entry(&format!("{dir}/index.json"), Role::Index, &child.files["index.json"]));
    }
    tree.put("index.json", directory(entries));
    tree
}
