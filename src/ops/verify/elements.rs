//! Elements: each file is named by the digest of its bytes. A set of digests is all that is kept of them.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::cause::{self, Wanted};
use super::looks::{ChunkLists, Looks, element_path, is_pointer};
use super::report::{Code, Finding};
use super::store::{no_directory, not_regular, stray};
use super::tally::Tally;
use crate::format::digest::Digest;
use crate::format::json;
use crate::format::observation::{digests_from_json, parts_from_json};
use crate::format::tree::{FileKind, MAX_FILE, Tree, TreeEntry};

/// How many prefixes a digest can have.
const PREFIXES: usize = 1 << 16;

/// The elements of a store, sorted: 33 bytes each, and one bit that says whether a record names it.
pub(super) struct Elements {
    /// The digest, and whether a regular file stands there.
    sorted: Vec<(Digest, bool)>,
    /// Where the digests of each prefix begin, and at the end their number.
    starts: Vec<usize>,
    named: Vec<AtomicU64>,
    /// First digits of the elements that nothing can be said about, since their directory is none.
    unknown: Vec<String>,
}

impl Elements {
    /// From the listing of `objects`.
    pub fn new(entries: Vec<TreeEntry>, tally: &mut Tally) -> Self {
        let mut sorted = Vec::with_capacity(entries.len());
        let mut unknown = Vec::new();
        for entry in &entries {
            match place(&entry.path) {
                Some((digest, "")) => {
                    if entry.kind != FileKind::File {
                        not_regular(entry, tally);
                    }
                    sorted.push((digest, entry.kind == FileKind::File));
                }
                Some((digest, _)) => {
                    if sorted.last() != Some(&(digest, false)) {
                        let finding = Finding::new(Code::NotRegularFile, element_path(&digest));
                        tally.find(finding.expected("file").actual("directory"));
                        sorted.push((digest, false));
                    }
                }
                None => match shard(&entry.path) {
                    Some(digits) => {
                        no_directory(entry, tally);
                        unknown.push(digits.to_owned());
                    }
                    None => stray(entry, tally),
                },
            }
        }
        sorted.sort_unstable();
        let mut starts = Vec::with_capacity(PREFIXES + 1);
        for (at, (digest, _)) in sorted.iter().enumerate() {
            starts.resize(starts.len().max(usize::from(digest.prefix()) + 1), at);
        }
        starts.resize(PREFIXES + 1, sorted.len());
        let named = (0..sorted.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { sorted, starts, named, unknown }
    }

    /// Where an element stands, if it is there.
    pub fn position(&self, digest: &Digest) -> Option<usize> {
        let prefix = usize::from(digest.prefix());
        let (start, end) = (self.starts[prefix], self.starts[prefix + 1]);
        let among = &self.sorted[start..end];
        among.binary_search_by(|(there, _)| there.cmp(digest)).ok().map(|at| start + at)
    }

    /// Notes that a record names an element. False when it is known not to be there.
    pub fn name(&self, digest: &Digest) -> bool {
        match self.position(digest) {
            Some(at) => {
                self.named[at / 64].fetch_or(1 << (at % 64), Ordering::Relaxed);
                true
            }
            None => self.unknown.iter().any(|digits| digest.hex().starts_with(digits)),
        }
    }

    /// How many elements no record names.
    pub fn unnamed(&self) -> usize {
        let named: u32 = self.named.iter().map(|bits| bits.load(Ordering::Relaxed).count_ones()).sum();
        self.sorted.len() - named as usize
    }

    /// Reads every element. Only those that are lists of parts are looked into.
    pub fn check(&self, tree: &dyn Tree, lists: &ChunkLists<'_>) -> Looks {
        let one = |mut looks: Looks, (digest, regular): &(Digest, bool)| {
            if *regular {
                self.check_one(tree, digest, lists, &mut looks);
            }
            looks
        };
        self.sorted.par_iter().fold(Looks::default, one).reduce(Looks::default, Looks::plus)
    }

    fn check_one(&self, tree: &dyn Tree, digest: &Digest, lists: &ChunkLists<'_>, looks: &mut Looks) {
        let path = element_path(digest);
        match tree.read(&path, MAX_FILE) {
            Ok(Some(bytes)) => {
                looks.tally.read(bytes.len());
                let actual = Digest::of(&bytes);
                if actual != *digest {
                    return looks.tally.find(corrupt(path, digest, &bytes, actual));
                }
                if let Some(by) = lists.named_by(digest) {
                    self.check_list(tree, digest, &bytes, by, looks);
                }
            }
            Ok(None) => looks.tally.find(Finding::new(Code::FileMissing, path)),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let finding = Finding::new(Code::ElementCorrupt, path).expected(digest);
                looks.tally.find(finding.actual(format!("more than {MAX_FILE} bytes")));
            }
            Err(error) => looks.tally.unread(&path, &error),
        }
    }

    /// A list names parts, or lists of them: whatever is wrong with one of those is found where it is read by itself.
    fn check_list(&self, tree: &dyn Tree, digest: &Digest, bytes: &[u8], by: &str, looks: &mut Looks) {
        let list = json::parse(bytes).ok();
        let mut parts = list.as_ref().and_then(parts_from_json);
        if let (None, Some(lists)) = (&parts, list.as_ref().and_then(digests_from_json)) {
            lists.iter().for_each(|list| looks.name(self, list, by));
            let read = |list: &Digest| {
                let bytes = tree.read(&element_path(list), MAX_FILE).ok().flatten()?;
                json::parse(&bytes).ok().as_ref().and_then(parts_from_json)
            };
            let there = lists.iter().filter(|list| self.position(list).is_some());
            parts = there.map(read).collect::<Option<Vec<_>>>().map(|lists| lists.concat());
        }
        match parts.filter(|parts| parts.iter().all(|part| is_pointer(&part.at))) {
            Some(parts) => parts.iter().for_each(|part| looks.name(self, &part.element, by)),
            None => {
                let finding = Finding::new(Code::ObservationInvalid, by).expected("a list of parts");
                looks.tally.find(finding.actual(format!("the element {digest}, which is none")));
            }
        }
    }
}

fn corrupt(path: String, digest: &Digest, bytes: &[u8], actual: Digest) -> Finding {
    let (cause, _) = cause::find(bytes, &Wanted { digest: &|d| d == digest, bytes: None });
    Finding::new(Code::ElementCorrupt, path).expected(digest).actual(actual).cause(cause)
}

/// The digits of a directory of elements, none for the directory of all.
fn shard(path: &str) -> Option<&str> {
    let digits = path.strip_prefix("objects")?;
    let digits = digits.strip_prefix('/').unwrap_or(digits);
    let hex = digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (hex && matches!(digits.len(), 0 | 2)).then_some(digits)
}

/// The digest that a path spells, and what follows it: `("…", "")` for an element, else a path below one.
fn place(path: &str) -> Option<(Digest, &str)> {
    let rest = path.strip_prefix("objects/")?;
    let (head, rest) = rest.split_once('/')?;
    let (tail, below) = rest.split_once('/').map_or((rest, ""), |(tail, below)| (tail, below));
    if head.len() != 2 || tail.len() != 62 {
        return None;
    }
    let mut hex = String::with_capacity(64);
    hex.push_str(head);
    hex.push_str(tail);
    Some((Digest::from_hex(&hex)?, below))
}
