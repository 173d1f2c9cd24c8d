//! Request logs: which exchanges the files of a folder are the bodies of. A name in a log is compared, never opened.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::forge::recording::{Exchange, request_log};
use crate::format::facet::Facet;
use crate::format::json;

use super::gather::{Found, Gathered};

/// The name of every request log.
pub(super) const REQUEST_LOG: &str = "_requests.json";

/// The request log of one folder.
pub(super) struct Log {
    /// Its name in reports.
    pub name: String,
    /// The facet that the caller gave the folder.
    pub facet: Option<Facet>,
    /// Which recording its files are.
    pub source: usize,
    /// By the name of a file, the exchanges that no file was found for yet, each with its index in the log.
    pub entries: BTreeMap<String, Vec<(usize, Exchange)>>,
    /// The indexes of the entries that are none.
    pub faults: Vec<usize>,
    /// The names that were found.
    taken: BTreeMap<String, Vec<Exchange>>,
}

impl Log {
    /// The exchanges that a file is the body of, also when the caller names the file twice.
    pub(super) fn take(&mut self, file: &str) -> Vec<Exchange> {
        if let Some(entries) = self.entries.remove(file) {
            self.taken.insert(file.to_owned(), entries.into_iter().map(|(_, exchange)| exchange).collect());
        }
        self.taken.get(file).cloned().unwrap_or_default()
    }
}

/// The last part of a file's name.
pub(super) fn file_name(file: &Found) -> &str {
    file.name.rsplit('/').next().unwrap_or(&file.name)
}

/// The request logs by folder.
pub(super) fn request_logs(gathered: &Gathered) -> BTreeMap<PathBuf, Log> {
    let mut logs = BTreeMap::new();
    for (at, file) in gathered.files.iter().enumerate().filter(|(_, file)| file_name(file) == REQUEST_LOG) {
        let (Some(folder), Ok((view, _))) = (&file.folder, json::parse_lenient(&file.bytes)) else { continue };
        let Some(found) = request_log(&view) else { continue };
        let (mut entries, mut faults) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
        for (index, entry) in found.into_iter().enumerate() {
            match entry {
                Ok(logged) => entries.entry(logged.file).or_default().push((index, logged.exchange)),
                Err(_) => faults.push(index),
            }
        }
        let (name, facet, taken) = (file.name.clone(), file.facet, BTreeMap::new());
        logs.insert(folder.clone(), Log { name, facet, source: at, entries, faults, taken });
    }
    logs
}
