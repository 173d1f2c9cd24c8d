//! Searching the tracked files of a work tree line by line, with the observable behaviour of `git grep -l -i` for plain words.
//!
//! One pass answers for all terms: reading the files is what costs, and git would do it once a term.

use std::fs::File;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::worktree::{Content, NotAWorktree, Tracked, Worktree};
use super::worktree_follow::open_tracked;
use super::worktree_read::Opened;

/// What counts as the same letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Folding {
    /// Unicode simple case folding over UTF-8 text, as PCRE2 does it in a UTF-8 locale.
    #[default]
    Unicode,
    /// ASCII letters only, over bytes, as in the C locale.
    Ascii,
}

/// One term, ready to be found.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: regex::bytes::Regex,
    longest: usize,
}

impl Pattern {
    /// Prepares a term; `None` when it is too long to be searched for.
    pub fn new(term: &str, folding: Folding) -> Option<Self> {
        let regex = regex::bytes::RegexBuilder::new(&regex::escape(term))
            .case_insensitive(true)
            .unicode(folding == Folding::Unicode)
            .build()
            .ok()?;
        // A letter may stand for one of four bytes.
        Some(Self { regex, longest: 4 * term.chars().count() })
    }

    /// Whether the term stands somewhere in a text; since a term holds no line end, a match lies within one line.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }
}

/// What to search for, and within which limits.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The terms, at most 64.
    pub terms: &'a [String],
    /// What counts as the same letter.
    pub folding: Folding,
    /// Follow links on the way to a file, as git does. Without it such a file is not read.
    pub follow_links: bool,
    /// The most bytes of path names, each with one byte more, that a term may find.
    pub capture: usize,
    /// Set from outside when the time is over.
    pub stop: &'a AtomicBool,
}

/// The answer of a pass.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// For each term the paths in the order of the index; `None` when the search is not available as a whole.
    pub terms: Vec<Option<Vec<Vec<u8>>>>,
    /// Tracked files that were not read because of a link on the way, which stays inside.
    pub linked: usize,
    /// The same with a link that leads out of the repository.
    pub outside: usize,
}

/// Files are read in pieces of this size; each piece overlaps the one before by the longest match.
const PIECE: usize = 1 << 20;

/// Searches all tracked files for all terms.
///
/// # Errors
/// When the index cannot be read.
pub fn search(worktree: &Worktree, search: &Search<'_>) -> Result<Hits, NotAWorktree> {
    let tracked = worktree.tracked()?;
    let patterns: Vec<_> = search.terms.iter().map(|term| Pattern::new(term, search.folding)).collect();
    let overlap = patterns.iter().flatten().map(|pattern| pattern.longest).max().unwrap_or(0);
    let chunk = (tracked.len() / 64).clamp(1, 256);
    let seen: Vec<Seen> = tracked
        .par_chunks(chunk)
        .map_init(
            || Reader { worktree, repo: None, search, patterns: &patterns, overlap, buffer: Vec::new() },
            |reader, files| files.iter().map(|file| reader.file(file)).collect::<Vec<_>>(),
        )
        .flatten_iter()
        .collect();
    let mut hits = Hits {
        linked: seen.iter().filter(|seen| **seen == Seen::Linked).count(),
        outside: seen.iter().filter(|seen| **seen == Seen::Outside).count(),
        terms: Vec::new(),
    };
    for (at, pattern) in patterns.iter().enumerate() {
        let found =
            tracked.iter().zip(&seen).filter(|(_, seen)| matches!(seen, Seen::Terms(mask) if mask >> at & 1 == 1));
        let available = pattern.is_some() && !search.stop.load(Ordering::Relaxed);
        hits.terms.push(if available { capture(found.map(|(file, _)| file), search.capture) } else { None });
    }
    Ok(hits)
}

/// Copies the paths as long as the bound allows; one byte more and there is no complete answer.
fn capture<'a>(found: impl Iterator<Item = &'a Tracked>, bound: usize) -> Option<Vec<Vec<u8>>> {
    let mut bytes = 0;
    let mut paths = Vec::new();
    for file in found {
        bytes += file.path.len() + 1;
        if bytes > bound {
            return None;
        }
        paths.push(file.path.clone());
    }
    Some(paths)
}

/// What was seen of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// A bit for each term that stands in it.
    Terms(u64),
    Linked,
    Outside,
}

struct Reader<'a> {
    worktree: &'a Worktree,
    repo: Option<gix::Repository>,
    search: &'a Search<'a>,
    patterns: &'a [Option<Pattern>],
    overlap: usize,
    buffer: Vec<u8>,
}

impl Reader<'_> {
    /// Like git, what cannot be read has no match.
    fn file(&mut self, tracked: &Tracked) -> Seen {
        if self.search.stop.load(Ordering::Relaxed) {
            return Seen::Terms(0);
        }
        match tracked.content {
            Content::Blob(id) => Seen::Terms(self.blob(id)),
            Content::File if self.search.follow_links => {
                let file = open_tracked(self.worktree.directory().root(), &tracked.path);
                Seen::Terms(file.map_or(0, |file| self.pieces(file)))
            }
            Content::File => match self.worktree.directory().open_file(&tracked.path) {
                Opened::File(file) => Seen::Terms(self.pieces(file)),
                Opened::Linked { last: false, outside: true } => Seen::Outside,
                Opened::Linked { last: false, outside: false } => Seen::Linked,
                _ => Seen::Terms(0),
            },
        }
    }

    fn blob(&mut self, id: gix::ObjectId) -> u64 {
        let repo = self.repo.get_or_insert_with(|| self.worktree.repo());
        let found = repo.find_blob(id).ok().map(|mut blob| blob.take_data());
        found.map_or(0, |data| self.matches(&data, 0))
    }

    /// Reads piece by piece, so that a file of any size costs the same memory. Files read short count as far as they were read.
    fn pieces(&mut self, mut file: File) -> u64 {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let all = (1u64 << self.patterns.len()) - 1;
        let mut found = 0;
        let piece = PIECE.max(4 * self.overlap);
        loop {
            let kept = buffer.len();
            let read = file.by_ref().take((piece - kept) as u64).read_to_end(&mut buffer);
            found |= self.matches(&buffer, found);
            let full = buffer.len() == piece;
            if found == all || !full || read.is_err() || self.search.stop.load(Ordering::Relaxed) {
                break;
            }
            buffer.drain(..piece - self.overlap);
        }
        self.buffer = buffer;
        found
    }

    /// The terms that stand in a text, besides those already found.
    fn matches(&self, text: &[u8], found: u64) -> u64 {
        let missing = self.patterns.iter().enumerate().filter(|(at, _)| found >> at & 1 == 0);
        missing
            .filter(|(_, pattern)| pattern.as_ref().is_some_and(|p| p.is_match(text)))
            .fold(found, |sum, (at, _)| sum | 1 << at)
    }
}
