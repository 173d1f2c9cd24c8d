//! Secrets: where they stand in a text, and what stands there instead.

use std::borrow::Cow;
use std::ops::Range;

use super::notes::Notes;
use super::pem;
use super::scan::{Edge, Rule, Scanner, Word, always};
use super::tokens::TOKENS;
use super::{Error, PLACEHOLDER};
use super::{assign, login, spelled};

/// Rules that are more than a pattern. They have words and classes only.
static STRUCTURES: &[Rule] = &[
    Rule { class: KEY, anchors: &[pem::ANCHOR], ..STRUCTURE },
    Rule { class: NAMED, anchors: assign::ANCHORS, ..STRUCTURE },
    Rule { class: login::CLASS, anchors: login::ANCHORS, ..STRUCTURE },
];

const STRUCTURE: Rule =
    Rule { class: "", anchors: &[], pattern: "", before: 0, after: 0, edge: Edge::Open, check: always };

/// The class of the rule for names.
const NAMED: &str = "env-assignment";

/// The class of private keys.
const KEY: &str = "private-key";

/// Every class, some more than once.
pub(super) fn classes() -> impl Iterator<Item = &'static str> {
    TOKENS.iter().chain(STRUCTURES).map(|rule| rule.class).chain(assign::CLASSES)
}

/// What redacts secrets.
pub(super) struct Secrets(Scanner);

/// A secret in a text.
struct Found {
    class: &'static str,
    range: Range<usize>,
    /// Told by its own shape, and not by a name before it.
    by_shape: bool,
}

impl Secrets {
    /// Prepares the tables.
    ///
    /// # Errors
    /// [`Error::Table`].
    pub fn new() -> Result<Self, Error> {
        Scanner::new(TOKENS.iter().chain(STRUCTURES)).map(Self)
    }

    /// The text with the class of each secret in its place.
    ///
    /// # Errors
    /// [`Error::Pattern`].
    pub fn redact<'t>(&self, text: Cow<'t, str>, notes: &mut Notes) -> Result<Cow<'t, str>, Error> {
        let found = self.find(&text, &notes.seams)?;
        for one in &found {
            notes.found(one.class, one.range.start, one.range.end);
        }
        let parts: Vec<_> = found
            .into_iter()
            .map(|one| (one.range.start, one.range.end, format!("{PLACEHOLDER}{}]", one.class)))
            .collect();
        Ok(notes.replace(text, &parts))
    }

    /// Every secret, in order and without overlap, also one that is spelled with escapes. What touches counts as one: the whole of it goes.
    fn find(&self, text: &str, seams: &[usize]) -> Result<Vec<Found>, Error> {
        let mut found = self.places(text, seams)?;
        let mut notes = Notes::new(true);
        notes.seams = seams.to_vec();
        if let Some(plain) = spelled::plain(text, &mut notes) {
            let hidden = self.places(&plain, &notes.seams)?.into_iter();
            found.extend(hidden.map(|one| Found { range: whole_chars(text, notes.source(one.range)), ..one }));
            found = merged(found);
        }
        Ok(found)
    }

    /// Every secret as a text is written.
    fn places(&self, text: &str, seams: &[usize]) -> Result<Vec<Found>, Error> {
        let bytes = text.as_bytes();
        // Those that were met in order, and those that stand behind others that are still to come.
        let (mut found, mut ahead): (Vec<Found>, Vec<Found>) = (Vec::new(), Vec::new());
        let mut keys = Vec::new();
        let (mut shape_end, mut word) = (0, Word::default());
        self.0.each(bytes, |number, start, end| {
            let rule = self.0.rule(number);
            let fresh = found.last().map_or(0, |last| last.range.end);
            if rule.class == KEY {
                keys.push(start);
                return Ok(());
            }
            let by_shape = !matches!(rule.class, NAMED | login::CLASS);
            let met = if !by_shape && start < fresh {
                // The word of a name inside of a secret names nothing.
                None
            } else if rule.class == NAMED {
                let met = assign::secret(bytes, start..end, fresh);
                if let Some(met) = met.as_ref().filter(|met| met.apart) {
                    ahead.push(named(text, met.class, met.range.clone()));
                }
                met.filter(|met| !met.apart).map(|met| (met.class, met.range))
            } else if rule.class == login::CLASS {
                ahead.extend(login::command(bytes, start..end).map(|range| named(text, login::CLASS, range)));
                None
            } else if start < shape_end
                || !self.0.may_begin(number, bytes, start, fresh, seams)
                || !word.may_be_judged(rule.edge, bytes, start)
            {
                None
            } else {
                let place = self.0.matching(number, bytes, start, end)?;
                place.map(|place| (rule.class, place.start..place.end))
            };
            if let Some(met) = met {
                if by_shape {
                    shape_end = met.1.end;
                }
                add(&mut found, Found { by_shape, ..named(text, met.0, met.1) });
            }
            Ok(())
        })?;
        if !ahead.is_empty() {
            found.extend(ahead);
            found = merged(found);
        }
        Ok(with_keys(text, found, pem::private_keys(bytes, &keys)))
    }
}

/// A secret that a name before it tells.
fn named(text: &str, class: &'static str, range: Range<usize>) -> Found {
    Found { class, range: whole_chars(text, range), by_shape: false }
}

/// The secrets with the private keys, of which one may go over many lines and others of it may stand between them. What begins in a
/// key is a part of it.
fn with_keys(text: &str, found: Vec<Found>, keys: Vec<Range<usize>>) -> Vec<Found> {
    if keys.is_empty() {
        return found;
    }
    let in_key = |at: usize| {
        let before = keys.partition_point(|key| key.start <= at);
        before > 0 && at < keys[before - 1].end
    };
    let mut all: Vec<_> = found.into_iter().filter(|one| !in_key(one.range.start)).collect();
    all.extend(keys.iter().map(|key| Found { class: KEY, range: whole_chars(text, key.clone()), by_shape: true }));
    merged(all)
}

/// Secrets in any order, in order and without overlap.
fn merged(mut all: Vec<Found>) -> Vec<Found> {
    all.sort_by_key(|one| one.range.start);
    let mut merged = Vec::with_capacity(all.len());
    all.into_iter().for_each(|one| add(&mut merged, one));
    merged
}

/// Adds a secret behind the others. One that lies in the last makes it larger if need be, and names it if its shape tells more.
fn add(found: &mut Vec<Found>, new: Found) {
    match found.last_mut() {
        Some(last) if new.range.start < last.range.end => {
            // A name that has a secret in it has its value behind that.
            last.range = last.range.start.min(new.range.start)..last.range.end.max(new.range.end);
            if new.by_shape && !last.by_shape {
                (last.class, last.by_shape) = (new.class, true);
            }
        }
        _ => found.push(new),
    }
}

/// The range with the whole of the characters at its ends.
fn whole_chars(text: &str, range: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (range.start, range.end);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
