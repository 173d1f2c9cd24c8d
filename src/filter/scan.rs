//! Finding the places where a rule may match: one automaton for the words of all rules, then each rule where its word stands.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use super::Error;
use super::spelled::ends_with_escape;

/// A row of a table of patterns.
pub(super) struct Rule {
    /// The class of what it finds.
    pub class: &'static str,
    /// Words of which one stands in everything that it finds, in lower case. They are looked for in any case.
    pub anchors: &'static [&'static str],
    /// The pattern; `~` in it is a gap between words: white space and the marks that Markdown puts around them.
    pub pattern: &'static str,
    /// How many bytes before its word a match may begin.
    pub before: usize,
    /// How many bytes after the beginning of its word a match may end.
    pub after: usize,
    /// What may not stand before its word.
    pub edge: Edge,
    /// A test of what the pattern found.
    pub check: fn(&Place<'_>) -> bool,
}

/// What may not stand directly before the word of a rule.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Edge {
    /// Anything may.
    Open,
    /// A letter or digit of ASCII.
    Alphanumeric,
    /// The same, `_` and `-`. For rules with a test: a word of such characters is then judged once, however often it begins anew.
    Word,
}

impl Edge {
    fn forbids(self, before: u8) -> bool {
        match self {
            Self::Open => false,
            Self::Alphanumeric => before.is_ascii_alphanumeric(),
            Self::Word => before.is_ascii_alphanumeric() || matches!(before, b'_' | b'-'),
        }
    }
}

/// How often a word is judged. A seam lets a rule begin inside of it, and each time it is read to its end.
const JUDGED: usize = 16;

/// The word that was met last, and how often it was judged.
#[derive(Default)]
pub(super) struct Word {
    end: usize,
    judged: usize,
}

impl Word {
    /// Whether a rule with this edge may judge what begins at a place: the places come in order.
    pub fn may_be_judged(&mut self, edge: Edge, text: &[u8], start: usize) -> bool {
        if edge != Edge::Word {
            return true;
        }
        if start >= self.end {
            let len = text[start..].iter().take_while(|byte| edge.forbids(**byte)).count();
            *self = Self { end: start + len, judged: 0 };
        }
        self.judged += 1;
        self.judged <= JUDGED
    }
}

/// A match of a pattern.
pub(super) struct Place<'t> {
    pub text: &'t [u8],
    pub start: usize,
    pub end: usize,
}

impl Place<'_> {
    /// The bytes that were found.
    pub fn found(&self) -> &[u8] {
        &self.text[self.start..self.end]
    }
}

/// For rules whose pattern says it all.
pub(super) fn always(_: &Place<'_>) -> bool {
    true
}

/// A table of rules, ready to be used. A pattern is compiled when its word is first met.
pub(super) struct Scanner {
    words: AhoCorasick,
    /// The rule of each word.
    owners: Vec<usize>,
    rules: Vec<(&'static Rule, OnceLock<Regex>)>,
}

impl Scanner {
    /// Prepares a table.
    ///
    /// # Errors
    /// [`Error::Table`] when the words make no automaton.
    pub fn new(rules: impl Iterator<Item = &'static Rule>) -> Result<Self, Error> {
        let rules: Vec<_> = rules.map(|rule| (rule, OnceLock::new())).collect();
        let of_rule = |(at, rule): (usize, &'static Rule)| rule.anchors.iter().map(move |word| (at, *word));
        let words: Vec<_> = rules.iter().map(|(rule, _)| *rule).enumerate().flat_map(of_rule).collect();
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .prefilter(false)
            .build(words.iter().map(|(_, word)| word))
            .map_err(|error| Error::Table(error.to_string()))?;
        Ok(Self { words: automaton, owners: words.into_iter().map(|(at, _)| at).collect(), rules })
    }

    /// Calls back for each word of a rule in the order of their ends, with the rule's number and the range of the word.
    pub fn each(
        &self,
        text: &[u8],
        mut met: impl FnMut(usize, usize, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for hit in self.words.find_overlapping_iter(text) {
            met(self.owners[hit.pattern().as_usize()], hit.start(), hit.end())?;
        }
        Ok(())
    }

    /// A rule by its number.
    pub fn rule(&self, number: usize) -> &'static Rule {
        self.rules[number].0
    }

    /// Whether what stands before a place lets a rule begin there. What was redacted before it ends at `fresh`, which is an edge, and so
    /// is each of the `seams` where something invisible was taken out.
    pub fn may_begin(&self, number: usize, text: &[u8], start: usize, fresh: usize, seams: &[usize]) -> bool {
        let is_edge = |at: usize| {
            !self.rule(number).edge.forbids(text[at])
                || ends_with_escape(&text[..start])
                || seams.binary_search(&start).is_ok()
        };
        start == fresh || start.checked_sub(1).is_none_or(is_edge)
    }

    /// Where a rule matches so that its word, which is at `start..end`, is part of the match.
    ///
    /// # Errors
    /// [`Error::Pattern`] when the pattern cannot be compiled: the rule is never passed over.
    pub fn matching<'t>(
        &self,
        number: usize,
        text: &'t [u8],
        start: usize,
        end: usize,
    ) -> Result<Option<Place<'t>>, Error> {
        let (rule, cell) = &self.rules[number];
        let regex = match cell.get() {
            Some(regex) => regex,
            None => {
                let regex = compile(rule)?;
                cell.get_or_init(|| regex)
            }
        };
        let window = &text[..text.len().min(start.saturating_add(rule.after))];
        if rule.before == 0 {
            let found = regex.find(&window[start..]).map(|m| Place { text, start, end: start + m.end() });
            return Ok(found.filter(|place| (rule.check)(place)));
        }
        let mut at = start.saturating_sub(rule.before);
        for _ in 0..ATTEMPTS {
            let Some(found) = regex.find_at(window, at).filter(|m| m.start() <= start) else { break };
            let place = Place { text, start: found.start(), end: found.end() };
            if place.end >= end && (rule.check)(&place) {
                return Ok(Some(place));
            }
            at = place.start + 1;
        }
        Ok(None)
    }
}

/// How many matches before a word are looked at to find the one that holds it.
const ATTEMPTS: usize = 4;

/// What stands between two words of a phrase.
pub(super) const GAP: &str = r#"(?:[\s*_`>'"]{1,12})"#;

/// A rule that may not begin before its word begins with it. Words of people are read in any case, tokens are not.
fn compile(rule: &Rule) -> Result<Regex, Error> {
    let pattern = rule.pattern.replace('~', GAP);
    let pattern = if rule.before == 0 { format!(r"\A(?:{pattern})") } else { pattern };
    RegexBuilder::new(&pattern)
        .unicode(false)
        .case_insensitive(rule.after < usize::MAX)
        .multi_line(true)
        .build()
        .map_err(|error| Error::Pattern { class: rule.class, why: error.to_string() })
}
