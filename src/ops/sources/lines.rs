//! Which lines of a source are quoted.

use std::collections::{BTreeMap, BTreeSet};

use super::collect::{Options, Sources, Wanted};
use crate::git::search::{Folding, Pattern};
use crate::sources::coverage::{Coverage, Diagnostic};
use crate::sources::excerpt::{Lines, LowerCase};
use crate::sources::{MAX_LINES, Rules};

/// The rule by which lines are quoted: the one of the search, so that a file that was found also shows why.
pub(super) fn lines(options: &Options, terms: &[String], sources: &Sources, coverage: &mut Coverage) -> Box<dyn Lines> {
    match (&options.wanted, options.rules) {
        (Wanted::Places(places), _) => {
            let places = places.iter().map(|(path, line)| (path.as_str(), *line));
            Box::new(Exactly::among(places, sources, coverage))
        }
        (Wanted::Touched { files, .. }, _) => {
            let places = files.iter().flat_map(|(path, lines)| lines.iter().map(|line| (path.as_str(), *line)));
            Box::new(Exactly::among(places, sources, coverage))
        }
        (_, Rules::OpenAgents) => Box::new(LowerCase::new(terms)),
        (_, Rules::Safe) => Box::new(AsSearched::new(terms, options.how.folding)),
    }
}

/// Places of sources. The first of every source comes before the second of any, so that none takes all the room.
struct Exactly(BTreeSet<(String, u64)>);

impl Exactly {
    fn among<'a>(places: impl Iterator<Item = (&'a str, u64)>, sources: &Sources, coverage: &mut Coverage) -> Self {
        let mut wanted: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        places.for_each(|(path, line)| _ = wanted.entry(path).or_default().insert(line));
        let mut turns = Vec::new();
        for (path, lines) in wanted {
            let Some(Ok(source)) = sources.get(path) else { continue };
            let there = source.text.lines().count() as u64;
            if lines.last().is_some_and(|last| *last > there) {
                coverage.note(Diagnostic::NoExcerpt);
            }
            turns.extend(
                lines.into_iter().filter(|line| *line <= there).enumerate().map(|(turn, line)| (turn, path, line)),
            );
        }
        turns.sort_unstable();
        if turns.len() > MAX_LINES {
            coverage.note(Diagnostic::ExcerptBudget);
        }
        Self(turns.into_iter().take(MAX_LINES).map(|(_, path, line)| (path.to_owned(), line)).collect())
    }
}

impl Lines for Exactly {
    fn wants(&self, path: &str, number: u64, _: &str) -> bool {
        self.0.contains(&(path.to_owned(), number))
    }
}

struct AsSearched(Vec<Pattern>);

impl AsSearched {
    fn new(terms: &[String], folding: Folding) -> Self {
        Self(terms.iter().filter_map(|term| Pattern::new(term, folding)).collect())
    }
}

impl Lines for AsSearched {
    fn wants(&self, _: &str, _: u64, line: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(line.as_bytes()))
    }
}
