//! Elements: each file is named by the digest of its bytes. A set of digests is all that is kept of them.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::cause::{self, Wanted};
use super::looks::{ChunkLists, Looks, element_path, is_pointer};
use super::report::{Code, Finding};
use super::store::{no_directory, not_regular, read_folder, stray};
use super::tally::{Sums, Tally};
use crate::format::digest::Digest;
use crate::format::json;
use crate::format::observation::{digests_from_json, parts_from_json};
use crate::format::tree::{FileKind, MAX_FILE, Tree, TreeEntry};
use crate::ops::Error;

/// How many prefixes a digest can have.
const PREFIXES: usize = 1 << 16;

/// The elements of a store, sorted: 33 bytes each, and one bit that says whether a record names it.
pub(super) struct Elements {
    /// The digest, and whether the file there has it.
    sorted: Vec<(Digest, bool)>,
    /// Where the digests of each prefix begin, and at the end their number: a tree has fewer files than 2^32.
    starts: Vec<u32>,
    named: Vec<AtomicU64>,
    /// First digits of the elements that nothing can be said about, since their directory is none.
    unknown: Vec<String>,
}

/// What stands in `objects`, in any order.
#[derive(Default)]
struct Found {
    elements: Vec<(Digest, bool)>,
    /// Elements in whose place there is a directory, once for each file in it.
    directories: Vec<Digest>,
    unknown: Vec<String>,
    tally: Tally,
}

impl Elements {
    /// Reads every file of `objects`.
    pub fn read(tree: &dyn Tree, tally: &mut Tally) -> Result<Self, Error> {
        let found = Sums::<Found>::new();
        read_folder(tree, "objects", MAX_FILE, &|entry, read, whole| found.add(|found| found.add(entry, read, whole)))?;
        let mut elements = Vec::new();
        let parts = found.into_all().map(|mut part| {
            elements.push(std::mem::take(&mut part.elements));
            part
        });
        let mut found = parts.fold(Found::default(), Found::plus);
        found.directories.sort_unstable();
        found.directories.dedup();
        for digest in &found.directories {
            let finding = Finding::new(Code::NotRegularFile, element_path(digest));
            found.tally.find(finding.expected("file").actual("directory"));
        }
        *tally = std::mem::take(tally).plus(found.tally);
        elements.push(found.directories.into_iter().map(|digest| (digest, false)).collect());
        let (sorted, starts) = sort(&elements);
        let named = (0..sorted.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { sorted, starts, named, unknown: found.unknown })
    }

    /// Where an element stands, if it is there.
    pub fn position(&self, digest: &Digest) -> Option<usize> {
        let prefix = usize::from(digest.prefix());
        let (start, end) = (self.starts[prefix] as usize, self.starts[prefix + 1] as usize);
        let among = &self.sorted[start..end];
        among.binary_search_by(|(there, _)| there.cmp(digest)).ok().map(|at| start + at)
    }

    /// Notes that a record names an element. False when it is known not to be there.
    pub fn name(&self, digest: &Digest) -> bool {
        match self.position(digest) {
            Some(at) => {
                let (bits, bit) = (&self.named[at / 64], 1 << (at % 64));
                // Some are named by every other record: the cores would take the place from each other all the time.
                if bits.load(Ordering::Relaxed) & bit == 0 {
                    bits.fetch_or(bit, Ordering::Relaxed);
                }
                true
            }
            None => self.unknown.iter().any(|digits| digest.begins_with(digits)),
        }
    }

    /// How many elements no record names.
    pub fn unnamed(&self) -> usize {
        let named: u32 = self.named.iter().map(|bits| bits.load(Ordering::Relaxed).count_ones()).sum();
        self.sorted.len() - named as usize
    }

    /// Looks into the elements that must be lists of parts, unless something was said of them already.
    pub fn check_lists(&self, tree: &dyn Tree, lists: &ChunkLists<'_>) -> Looks {
        let one = |mut looks: Looks, (digest, by): &(Digest, &str)| {
            if self.position(digest).is_some_and(|at| self.sorted[at].1) {
                match tree.read(&element_path(digest), MAX_FILE) {
                    Ok(bytes) => self.check_list(tree, digest, &bytes.unwrap_or_default(), by, &mut looks),
                    Err(error) => looks.tally.unread(&element_path(digest), &error),
                }
            }
            looks
        };
        lists.0.par_iter().fold(Looks::default, one).reduce(Looks::default, Looks::plus)
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
            let there = lists.iter().filter(|list| self.position(list).is_some_and(|at| self.sorted[at].1));
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

/// Elements in order, and where those of each prefix begin. Prefixes are spread evenly, so that few have to be compared.
fn sort(parts: &[Vec<(Digest, bool)>]) -> (Vec<(Digest, bool)>, Vec<u32>) {
    let mut starts = vec![0; PREFIXES + 1];
    for (digest, _) in parts.iter().flatten() {
        starts[usize::from(digest.prefix()) + 1] += 1;
    }
    for at in 0..PREFIXES {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut sorted = vec![(Digest::of(&[]), false); starts[PREFIXES] as usize];
    for element in parts.iter().flatten() {
        let at = &mut next[usize::from(element.0.prefix())];
        sorted[*at as usize] = *element;
        *at += 1;
    }
    for bounds in starts.windows(2).filter(|bounds| bounds[1] - bounds[0] > 1) {
        sorted[bounds[0] as usize..bounds[1] as usize].sort_unstable();
    }
    (sorted, starts)
}

impl Found {
    /// The sum of two parts.
    fn plus(mut self, mut other: Self) -> Self {
        self.elements.append(&mut other.elements);
        self.directories.append(&mut other.directories);
        self.unknown.append(&mut other.unknown);
        Self { tally: self.tally.plus(other.tally), ..self }
    }

    /// Adds what stands in `objects`; false to have a file read to its end, when it has not the bytes that its name says.
    fn add(&mut self, entry: &TreeEntry, read: io::Result<Option<&[u8]>>, to_the_end: bool) -> bool {
        match place(&entry.path) {
            Some((digest, "")) => match check(&digest, entry, read, to_the_end, &mut self.tally) {
                Some(is_right) => self.elements.push((digest, is_right)),
                None => return false,
            },
            Some((digest, _)) => self.directories.push(digest),
            None => match shard(&entry.path) {
                Some(digits) => {
                    no_directory(entry, &mut self.tally);
                    self.unknown.push(digits.to_owned());
                }
                None => stray(entry, &mut self.tally),
            },
        }
        true
    }
}

/// Whether an element has the bytes that its name says; `None` when that cannot be told before it is read to its end.
fn check(
    digest: &Digest,
    entry: &TreeEntry,
    read: io::Result<Option<&[u8]>>,
    to_the_end: bool,
    tally: &mut Tally,
) -> Option<bool> {
    if entry.kind != FileKind::File {
        not_regular(entry, tally);
        return Some(false);
    }
    match read {
        Ok(Some(bytes)) => {
            let actual = Digest::of(bytes);
            if actual != *digest && !to_the_end {
                return None;
            }
            tally.read(bytes.len());
            if actual == *digest {
                return Some(true);
            }
            tally.find(corrupt(&entry.path, digest, bytes, actual));
        }
        Ok(None) => tally.find(Finding::new(Code::FileMissing, &entry.path)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            let finding = Finding::new(Code::ElementCorrupt, &entry.path).expected(digest);
            tally.find(finding.actual(format!("more than {MAX_FILE} bytes")));
        }
        Err(error) => tally.unread(&entry.path, &error),
    }
    Some(false)
}

fn corrupt(path: &str, digest: &Digest, bytes: &[u8], actual: Digest) -> Finding {
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
    let (digits, below) = rest.split_at_checked(65)?;
    let digits = digits.as_bytes();
    if digits[2] != b'/' || !(below.is_empty() || below.starts_with('/')) {
        return None;
    }
    let mut hex = [0; 64];
    hex[..2].copy_from_slice(&digits[..2]);
    hex[2..].copy_from_slice(&digits[3..]);
    Some((Digest::from_hex(hex)?, below.strip_prefix('/').unwrap_or(below)))
}
