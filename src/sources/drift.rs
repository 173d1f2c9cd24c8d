//! Drift: where a quoted line stands in a text as it is now.

use std::collections::HashMap;

use super::excerpt::prefix;
use crate::format::atif::text_digest;
use crate::format::digest::Digest;
use crate::format::source::Reference;

/// What became of a quoted line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It stands where it stood.
    Same,
    /// It stands at another line, or in the file that git finds the old one renamed to.
    Moved,
    /// The file is there, the line is not.
    Changed,
    /// The file is not there.
    Gone,
    /// It cannot be decided here.
    Unknown,
}

impl Status {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Self; 5] = [Self::Same, Self::Moved, Self::Changed, Self::Gone, Self::Unknown];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved => "moved",
            Self::Changed => "changed",
            Self::Gone => "gone",
            Self::Unknown => "unknown",
        }
    }
}

/// The state of one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// What became of it.
    pub status: Status,
    /// Where the quoted text stands now, for `same` and `moved`.
    pub position: Option<(String, u64)>,
    /// Whether the whole file is the text that was read; `None` when that was not seen.
    pub source_same: Option<bool>,
    /// How many lines of the file begin with exactly the quoted text, when it moved: the nearest one is the position.
    pub occurrences: u64,
    /// Why, for what the status alone does not say.
    pub reason: Option<&'static str>,
}

impl Drift {
    /// A state without a position.
    pub fn without_position(status: Status, reason: Option<&'static str>) -> Self {
        Self { status, position: None, source_same: None, occurrences: 0, reason }
    }
}

/// Looks for quoted lines in a text that stands at `path` now. A reference from another path has moved when it is found at all.
pub fn locate(path: &str, text: &str, references: &[&Reference]) -> Vec<Drift> {
    let whole = text_digest(text);
    let lines: Vec<&str> = if references.len() > 1 { text.lines().collect() } else { Vec::new() };
    let line_at = |number: u64| {
        let at = usize::try_from(number - 1).ok()?;
        if lines.is_empty() { text.lines().nth(at) } else { lines.get(at).copied() }
    };
    let mut everywhere: Option<HashMap<Digest, Vec<u64>>> = None;
    let mut one = |reference: &Reference| {
        let source_same = Some(whole == reference.source_digest);
        let here = line_at(reference.line).is_some_and(|line| text_digest(prefix(line)) == reference.excerpt_digest);
        if here {
            let status = if reference.path == path { Status::Same } else { Status::Moved };
            let position = Some((path.to_owned(), reference.line));
            return Drift { status, position, source_same, occurrences: 1, reason: None };
        }
        if source_same == Some(true) {
            // The text is the one that was read, and the line is not in its place: it never was.
            return Drift { source_same, ..Drift::without_position(Status::Unknown, Some("reference-inconsistent")) };
        }
        let places = everywhere.get_or_insert_with(|| excerpts_by_digest(text)).get(&reference.excerpt_digest);
        let nearest = places.and_then(|places| places.iter().min_by_key(|line| line.abs_diff(reference.line)));
        match (nearest, places) {
            (Some(line), Some(places)) => Drift {
                status: Status::Moved,
                position: Some((path.to_owned(), *line)),
                source_same,
                occurrences: places.len() as u64,
                reason: None,
            },
            _ => Drift { source_same, ..Drift::without_position(Status::Changed, None) },
        }
    };
    references.iter().map(|reference| one(reference)).collect()
}

fn excerpts_by_digest(text: &str) -> HashMap<Digest, Vec<u64>> {
    let mut found: HashMap<Digest, Vec<u64>> = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        found.entry(text_digest(prefix(line))).or_default().push(number);
    }
    found
}
