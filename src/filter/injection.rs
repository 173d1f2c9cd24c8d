//! Injections: texts that speak to a program, and texts that are hidden from people and do.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::fold::folded;
use super::notes::Notes;
use super::phrases::{ADDRESSED, PHRASES};
use super::scan::{Edge, GAP, Rule, Scanner, always};
use super::{Error, Findings};

/// The class of a message to a program in an HTML comment, and in an element that is not shown.
const COMMENT: &str = "hidden-html-comment";
const ELEMENT: &str = "hidden-div";

/// The longest comment and the longest content of an element that is looked at as one, in bytes.
const MAX_COMMENT: usize = 16 << 10;
const MAX_ELEMENT: usize = 2 << 10;

/// Words that stand in something hidden.
static HIDDEN: &[Rule] = &[
    Rule { class: COMMENT, anchors: &["<!--"], ..PLACE },
    Rule {
        class: ELEMENT,
        anchors: &[
            "display:none",
            "display: none",
            "visibility:hidden",
            "visibility: hidden",
            "font-size:0",
            "font-size: 0",
            "opacity:0",
            "opacity: 0",
            "color:white",
            "color: white",
            "color:#fff",
            "color: #fff",
            " hidden>",
        ],
        ..PLACE
    },
];

const PLACE: Rule = Rule { class: "", anchors: &[], pattern: "", before: 0, after: 0, edge: Edge::Open, check: always };

/// Every class, some more than once.
pub(super) fn classes() -> impl Iterator<Item = &'static str> {
    PHRASES.iter().chain(HIDDEN).map(|rule| rule.class)
}

/// What finds injections.
pub(super) struct Injections {
    scanner: Scanner,
    addressed: OnceLock<Regex>,
}

impl Injections {
    /// Prepares the tables.
    ///
    /// # Errors
    /// [`Error::Table`].
    pub fn new() -> Result<Self, Error> {
        Ok(Self { scanner: Scanner::new(PHRASES.iter().chain(HIDDEN))?, addressed: OnceLock::new() })
    }

    /// Finds every injection, notes it, and returns the counts of these alone.
    ///
    /// # Errors
    /// [`Error::Pattern`].
    pub fn find(&self, text: &str, notes: &mut Notes) -> Result<Findings, Error> {
        let folded = folded(text, notes);
        let read = folded.as_deref().unwrap_or(text);
        let found = self.places(read.as_bytes());
        let mut counts = Findings::new();
        for (class, range) in found? {
            notes.found(class, range.start, range.end);
            *counts.entry(class).or_default() += 1;
        }
        if folded.is_some() {
            notes.forget_last();
        }
        Ok(counts)
    }

    fn places(&self, text: &[u8]) -> Result<Vec<(&'static str, Range<usize>)>, Error> {
        let mut found: Vec<(&'static str, Range<usize>)> = Vec::new();
        let mut comment_end = 0;
        self.scanner.each(text, |number, start, end| {
            let class = self.scanner.rule(number).class;
            let range = match class {
                COMMENT if start < comment_end => None,
                COMMENT => {
                    let content = comment(text, end);
                    comment_end = content.end;
                    self.is_addressed(&text[content.clone()])?.then_some(start..content.end)
                }
                ELEMENT => match element(text, start) {
                    Some((open, content)) => self.is_addressed(&text[content.clone()])?.then_some(open..content.end),
                    None => None,
                },
                _ => self.scanner.matching(number, text, start, end)?.map(|place| place.start..place.end),
            };
            // Two words of one phrase, or two patterns for one text, are one finding.
            if let Some(range) = range
                && !found.iter().rev().take(4).any(|(known, other)| *known == class && range.start < other.end)
            {
                found.push((class, range));
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Whether a text that nobody sees speaks to a program.
    fn is_addressed(&self, text: &[u8]) -> Result<bool, Error> {
        if let Some(regex) = self.addressed.get() {
            return Ok(regex.is_match(text));
        }
        let regex = RegexBuilder::new(&ADDRESSED.replace('~', GAP))
            .unicode(false)
            .case_insensitive(true)
            .build()
            .map_err(|error| Error::Pattern { class: COMMENT, why: error.to_string() })?;
        Ok(self.addressed.get_or_init(|| regex).is_match(text))
    }
}

/// The content of a comment that is open at a place. Without an end it goes on, as it does for a browser.
fn comment(text: &[u8], start: usize) -> Range<usize> {
    let window = &text[start..text.len().min(start + MAX_COMMENT)];
    let len = memchr::memmem::find(window, b"-->").unwrap_or(window.len());
    start..start + len
}

/// Where an element begins that has a style in its tag, and its content up to the next tag that closes something.
fn element(text: &[u8], style: usize) -> Option<(usize, Range<usize>)> {
    let before = &text[style.saturating_sub(200)..style];
    let open = style - before.len()
        + before.iter().rposition(|b| matches!(b, b'<' | b'>')).filter(|at| before[*at] == b'<')?;
    let tag = &text[style..text.len().min(style + 200)];
    let content = style + tag.iter().position(|b| matches!(b, b'<' | b'>')).filter(|at| tag[*at] == b'>')? + 1;
    let window = &text[content..text.len().min(content + MAX_ELEMENT)];
    let len = memchr::memmem::find(window, b"</").unwrap_or(window.len());
    Some((open, content..content + len))
}
