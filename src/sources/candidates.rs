//! What an observation declares, turned into candidates and omissions. Nothing here fails: what cannot be read is a refused candidate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use crate::format::digest::Digest;
use crate::format::evidence::{Candidate, Manifest, Omission, Readness, Reason, Sighting, Span};

/// The files below a root, looked at without leaving it.
pub trait Files {
    /// The whole content of a regular file.
    fn read(&self, path: &str) -> Found;
    /// True when something stands at the path.
    fn present(&self, path: &str) -> bool;
    /// The regular files below the root that have no dot entry on their way, sorted; links are not followed.
    fn walk(&self) -> Box<dyn Iterator<Item = String> + '_>;
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A regular file.
    Bytes(Vec<u8>),
    /// A regular file that is larger than anything that is read.
    TooLarge,
    /// Nothing below the root.
    Missing,
    /// Something else.
    NotAFile,
    /// It cannot be opened or read.
    Unreadable,
}

/// What is asked of the files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Request {
    /// The commit that is checked out.
    pub base: Option<String>,
    /// The paths that may be read.
    pub read_set: BTreeSet<String>,
    /// Content.
    pub reads: Vec<Read>,
    /// Existence.
    pub exists: Vec<String>,
    /// Bounded searches.
    pub searches: Vec<Search>,
    /// Places that something refers to.
    pub references: Vec<Named>,
    /// The bounds of all reads.
    pub bounds: Bounds,
}

/// A read of a file, or of some of its lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Read {
    /// The path below the root.
    pub path: String,
    /// The lines; the whole file without.
    pub span: Option<Span>,
    /// Whether whole lines from the start will do when all is too much.
    pub allow_truncate: bool,
}

/// A search of its own, not git's: it sees untracked files too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Texts, any of which matches, whatever the case.
    pub terms: Vec<String>,
    /// The most files looked at.
    pub max_files: usize,
    /// The largest file looked at, in bytes.
    pub max_bytes: u64,
    /// The most hits.
    pub max_hits: usize,
}

/// A place that something refers to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Named {
    /// The path below the root.
    pub path: String,
    /// The lines; the whole file without.
    pub span: Option<Span>,
    /// What refers to it: `line`, `diff`, `test` …
    pub kind: String,
}

/// The bounds of all reads of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// The most files read.
    pub max_files: usize,
    /// The largest read in bytes.
    pub max_bytes_per_file: u64,
    /// All reads together in bytes.
    pub max_total_bytes: u64,
}

/// Does what a request asks. Reads come first, then existence, references and searches; of a path and span the first sighting stands.
pub fn observe(files: &dyn Files, request: &Request) -> Manifest {
    let mut observer = Observer { files, request, found: BTreeMap::new(), omitted: Vec::new(), reads: 0, bytes: 0 };
    observer.all_reads();
    for path in &request.exists {
        if let Some(path) = observer.plain(path) {
            let present = files.present(&path);
            observer.name(
                path,
                None,
                Sighting::Exists,
                present,
                "named for existence; no content was requested".to_owned(),
            );
        }
    }
    observer.all_references();
    for search in &request.searches {
        observer.search(search);
    }
    Manifest { candidates: observer.found.into_values().collect(), omitted: observer.omitted, omitted_beyond: 0 }
}

struct Observer<'a> {
    files: &'a dyn Files,
    request: &'a Request,
    found: BTreeMap<(String, Option<Span>), Candidate>,
    omitted: Vec<Omission>,
    reads: usize,
    bytes: u64,
}

impl Observer<'_> {
    fn all_reads(&mut self) {
        let reads: BTreeSet<_> = self.request.reads.iter().collect();
        for read in reads {
            if let Some(path) = self.plain(&read.path) {
                self.read(path, read);
            }
        }
    }

    fn read(&mut self, path: String, read: &Read) {
        if read.span.is_some_and(is_bad) {
            return self.omit(path, Reason::Denied);
        }
        if !self.request.read_set.contains(&path) {
            let present = self.files.present(&path);
            let why = "outside the declared read set; named, never read".to_owned();
            self.name(path.clone(), read.span, Sighting::Read, present, why);
            return self.omit(path, Reason::Denied);
        }
        let (present, why) = match self.files.read(&path) {
            Found::Bytes(bytes) => return self.admit(path, read, &bytes),
            Found::TooLarge if self.reads == self.request.bounds.max_files => {
                return self.omit(path, Reason::Overcount);
            }
            Found::TooLarge => return self.omit(path, Reason::Oversize),
            Found::Missing => (false, "no such path under the root"),
            Found::NotAFile => (true, "not a regular file"),
            Found::Unreadable => (true, "unreadable"),
        };
        self.name(path, read.span, Sighting::Read, present, why.to_owned());
    }

    /// Admits what the bounds allow of a file's bytes.
    fn admit(&mut self, path: String, read: &Read, bytes: &[u8]) {
        let bounds = self.request.bounds;
        if self.reads == bounds.max_files {
            return self.omit(path, Reason::Overcount);
        }
        let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
        let count = lines.len() as u64;
        if read.span.is_some_and(|span| span.start > count) {
            let why = "the declared span starts beyond the file's end".to_owned();
            return self.name(path, read.span, Sighting::Read, true, why);
        }
        let span = read.span.map(|span| Span { start: span.start, end: span.end.min(count) });
        let wanted = span.map_or(&lines[..], |span| &lines[span.start as usize - 1..span.end as usize]);
        let size: u64 = wanted.iter().map(|line| line.len() as u64).sum();
        let left = bounds.max_total_bytes.saturating_sub(self.bytes);
        let over = |size: u64| if size > bounds.max_bytes_per_file { Reason::Oversize } else { Reason::Overtotal };
        if size <= left.min(bounds.max_bytes_per_file) {
            return self.admitted(path, span, wanted, Readness::Full);
        }
        if !read.allow_truncate {
            return self.omit(path, over(size));
        }
        let mut sum = 0;
        let fitting = wanted.iter().take_while(|line| {
            sum += line.len() as u64;
            sum <= left.min(bounds.max_bytes_per_file)
        });
        let fitting = fitting.count();
        if fitting == 0 {
            let first = wanted.first().map_or(0, |line| line.len() as u64);
            return self.omit(path, over(first));
        }
        let start = span.map_or(1, |span| span.start);
        let span = Span { start, end: start + fitting as u64 - 1 };
        self.admitted(path, Some(span), &wanted[..fitting], Readness::Truncated);
    }

    fn admitted(&mut self, path: String, span: Option<Span>, lines: &[&[u8]], readness: Readness) {
        let bytes = lines.concat();
        self.reads += 1;
        self.bytes += bytes.len() as u64;
        self.add(Candidate {
            path,
            span,
            base: self.request.base.clone(),
            digest: Some(Digest::of(&bytes)),
            bytes: bytes.len() as u64,
            readness,
            observation: Sighting::Read,
            present: true,
            withheld: None,
        });
    }

    fn all_references(&mut self) {
        let references: BTreeSet<_> = self.request.references.iter().collect();
        for named in references {
            let Some(path) = self.plain(&named.path) else { continue };
            if named.span.is_some_and(is_bad) {
                self.omit(path, Reason::Denied);
                continue;
            }
            let present = self.files.present(&path);
            let why = format!("a {} reference names the path; no content was requested", named.kind);
            self.name(path, named.span, Sighting::Reference, present, why);
        }
    }

    fn search(&mut self, search: &Search) {
        if search.terms.is_empty() || search.max_hits == 0 {
            return;
        }
        let terms: Vec<String> = search.terms.iter().map(|term| term.to_lowercase()).collect();
        let mut hits = 0;
        for (seen, path) in self.files.walk().enumerate() {
            if seen == search.max_files {
                self.omit(path, Reason::Overcount);
                break;
            }
            let bytes = match self.files.read(&path) {
                Found::Bytes(bytes) if bytes.len() as u64 <= search.max_bytes => bytes,
                Found::Bytes(_) | Found::TooLarge => {
                    self.omit(path, Reason::Oversize);
                    continue;
                }
                _ => continue,
            };
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            let hit = text.lines().position(|line| terms.iter().any(|term| line.contains(term)));
            let Some(at) = hit else { continue };
            if hits == search.max_hits {
                self.omit(path, Reason::Overcount);
                continue;
            }
            hits += 1;
            let line = at as u64 + 1;
            let why = "a bounded search names the path; no content was requested".to_owned();
            self.name(path, Some(Span { start: line, end: line }), Sighting::Search, true, why);
        }
    }

    /// A candidate of which nothing was read.
    fn name(&mut self, path: String, span: Option<Span>, observation: Sighting, present: bool, withheld: String) {
        let base = self.request.base.clone();
        let (readness, withheld) = (Readness::Refused, Some(withheld));
        self.add(Candidate { path, span, base, digest: None, bytes: 0, readness, observation, present, withheld });
    }

    fn add(&mut self, candidate: Candidate) {
        self.found.entry((candidate.path.clone(), candidate.span)).or_insert(candidate);
    }

    fn omit(&mut self, path: String, reason: Reason) {
        self.omitted.push(Omission { path, reason });
    }

    /// The path in its plain form; anything that does not stay below the root by its form alone is denied.
    fn plain(&mut self, path: &str) -> Option<String> {
        let plain = plain_path(path);
        if plain.is_none() {
            self.omit(path.to_owned(), Reason::Denied);
        }
        plain
    }
}

fn is_bad(span: Span) -> bool {
    span.start == 0 || span.start > span.end
}

/// The names of a relative path joined by `/`; `None` for what is empty, absolute, begins with `./` or holds `..`.
pub fn plain_path(path: &str) -> Option<String> {
    let names: Option<Vec<&str>> = Path::new(path)
        .components()
        .map(|component| if let Component::Normal(name) = component { name.to_str() } else { None })
        .collect();
    names.filter(|names| !names.is_empty()).map(|names| names.join("/"))
}
