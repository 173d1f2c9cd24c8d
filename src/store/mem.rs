//! A tree that lies in memory: what `stage --from` observes into.

use std::collections::BTreeMap;
use std::io;

use crate::format::tree::{FileKind, Tree, TreeEntry};

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

impl Tree for MemTree {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let below = self.0.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
        let entry = |(path, bytes): (&String, &Vec<u8>)| TreeEntry {
            path: path.clone(),
            kind: FileKind::File,
            bytes: Some(bytes.len() as u64),
        };
        Ok(below.map(entry).collect())
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        match self.0.get(path) {
            Some(bytes) if bytes.len() as u64 > limit => {
                Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{path}: more than {limit} bytes")))
            }
            found => Ok(found.cloned()),
        }
    }
}
