//! Trees that lie in memory: what `stage --from` observes into, and elements that are not filed yet.

use std::collections::BTreeMap;
use std::io;

use super::layout::{element_path, parse_element_path};
use crate::format::digest::Digest;
use crate::format::tree::{FileKind, Tree, TreeEntry};

/// Elements by digest, to be read where they would lie in a store.
#[derive(Debug, Clone, Copy)]
pub struct Elements<'e>(pub &'e BTreeMap<Digest, Vec<u8>>);

impl Tree for Elements<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        let under = format!("{dir}/");
        let entry = |(digest, bytes): (&Digest, &Vec<u8>)| {
            let path = element_path(digest);
            let bytes = Some(bytes.len() as u64);
            (dir.is_empty() || path.starts_with(&under)).then_some(TreeEntry { path, kind: FileKind::File, bytes })
        };
        Ok(self.0.iter().filter_map(entry).collect())
    }

    fn in_the_way(&self, _: &str) -> io::Result<Option<TreeEntry>> {
        Ok(None)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let found = parse_element_path(path).and_then(|digest| self.0.get(&digest));
        found.map(|bytes| within(path, bytes, limit)).transpose()
    }
}

fn within(path: &str, bytes: &[u8], limit: u64) -> io::Result<Vec<u8>> {
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{path}: more than {limit} bytes")));
    }
    Ok(bytes.to_vec())
}

/// Files by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemTree(BTreeMap<String, Vec<u8>>);

impl MemTree {
    /// Puts a file; one that stands there already is replaced.
    pub fn insert(&mut self, path: impl Into<String>, bytes: Vec<u8>) {
        self.0.insert(path.into(), bytes);
    }
}

impl FromIterator<(String, Vec<u8>)> for MemTree {
    fn from_iter<I: IntoIterator<Item = (String, Vec<u8>)>>(files: I) -> Self {
        Self(files.into_iter().collect())
    }
}

fn entry(path: &str, bytes: &[u8]) -> TreeEntry {
    TreeEntry { path: path.to_owned(), kind: FileKind::File, bytes: Some(bytes.len() as u64) }
}

impl Tree for MemTree {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let below = self.0.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
        Ok(below.map(|(path, bytes)| entry(path, bytes)).collect())
    }

    fn in_the_way(&self, path: &str) -> io::Result<Option<TreeEntry>> {
        let mut ways = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
        let found = ways.find_map(|way| self.0.get_key_value(way));
        Ok(found.map(|(path, bytes)| entry(path, bytes)))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        self.0.get(path).map(|bytes| within(path, bytes, limit)).transpose()
    }
}
