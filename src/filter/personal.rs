//! Numbers of cards, accounts and persons: told by their form, length and check digits, and by what stands around them.
//!
//! A number that is written without marks between its groups may be any number. It counts where its length is one that other numbers
//! rarely have and no list of numbers or name of something else stands around it, or where a word before it says what it is.

use std::borrow::Cow;
use std::ops::Range;

use super::PLACEHOLDER;
use super::digits::{iban_len, is_card, is_iban, is_social};
use super::notes::Notes;
use super::spelled::ends_with_escape;

/// The classes of what is found here.
pub(super) const CLASSES: [&str; 3] = ["iban", "payment-card", "social-security-number"];

/// The most digits and groups of a card.
const CARD: (usize, usize) = (19, 6);

/// The most bytes of a number, with what stands between its groups.
const LONGEST: usize = 80;

/// How far before a number a word is looked for that says what it is, in bytes.
const NAMED: usize = 40;

/// Words for cards, as a text or the name of a variable has them.
const CARDS: &[&str] = &[
    "card",
    "cards",
    "cardnumber",
    "cardno",
    "creditcard",
    "debitcard",
    "visa",
    "mastercard",
    "amex",
    "maestro",
    "diners",
    "jcb",
    "unionpay",
    "pan",
    "cc",
    "ccnum",
    "ccnumber",
];

/// Words for the numbers of persons.
const PERSONS: &[&str] = &["ssn", "ssns", "socialsecurity", "socialsecuritynumber", "socialsecurityno"];

/// Words directly before numbers of something else.
const OTHERS: &[&str] = &[
    "id",
    "ids",
    "uid",
    "uuid",
    "key",
    "seed",
    "hash",
    "digest",
    "time",
    "timestamp",
    "ts",
    "offset",
    "size",
    "bytes",
    "build",
    "run",
    "job",
    "trace",
    "span",
    "nonce",
    "serial",
    "sequence",
    "version",
];

/// The text with the class of each number in its place.
pub(super) fn redact<'t>(text: Cow<'t, str>, notes: &mut Notes) -> Cow<'t, str> {
    let found = find(&Read { text: &text, seams: &notes.seams });
    let mut parts = Vec::with_capacity(found.len());
    for (class, range) in found {
        notes.found(class, range.start, range.end);
        parts.push((range.start, range.end, format!("{PLACEHOLDER}{class}]")));
    }
    notes.replace(text, &parts)
}

/// Every number, in order and without overlap. Each run of digits is looked at once, within a fixed distance.
fn find(read: &Read<'_>) -> Vec<(&'static str, Range<usize>)> {
    let bytes = read.text.as_bytes();
    let (mut found, mut at, mut fresh) = (Vec::new(), 0, 0);
    while let Some(start) = next_digit(bytes, at) {
        // What was taken out may have parted two numbers, or one.
        let seam =
            read.seams.get(read.seams.partition_point(|seam| *seam <= start)).filter(|seam| **seam < start + LONGEST);
        let parted = || Read { text: read.text.get(..*seam?)?, ..*read }.number(start, fresh);
        // Not to the end of a run that is parted again and again.
        at = seam.map_or_else(
            || start + digits(bytes, start),
            |seam| start + digits(&bytes[..bytes.len().min(*seam)], start),
        );
        if let Some((class, range)) = read.number(start, fresh).or_else(parted) {
            (at, fresh) = (range.end, range.end);
            found.push((class, range));
        }
    }
    found
}

/// Where the next digit stands. Most of a text has none: many bytes are looked at together.
fn next_digit(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(block) = bytes.get(at..at + 32) {
        if block.iter().fold(false, |any, byte| any | byte.is_ascii_digit()) {
            break;
        }
        at += 32;
    }
    bytes[at..].iter().position(u8::is_ascii_digit).map(|skipped| at + skipped)
}

fn is_country(letters: &[u8]) -> bool {
    letters.iter().all(u8::is_ascii_uppercase)
}

fn digits(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A text, and where something invisible was taken out of it.
struct Read<'t> {
    text: &'t str,
    seams: &'t [usize],
}

/// What is found at a place.
type Met = Option<(&'static str, Range<usize>)>;

impl Read<'_> {
    /// The number whose first digits stand at a place.
    fn number(&self, start: usize, fresh: usize) -> Met {
        let bytes = self.text.as_bytes();
        let letters = start.checked_sub(2).filter(|letters| *letters >= fresh && is_country(&bytes[*letters..start]));
        let next = |at: usize| bytes.get(at).copied().unwrap_or_default();
        match (letters, digits(&bytes[..bytes.len().min(start + LONGEST)], start)) {
            (Some(letters), 2..) => self.account(letters, fresh),
            (_, 3 | 9) => self.person(start, fresh),
            (_, 13..=19) => self.card(start, fresh),
            // More groups follow, as long as those of cards are.
            (_, 4) if next(start + 5).is_ascii_digit() || !next(start + 4).is_ascii() => self.card(start, fresh),
            _ => None,
        }
    }

    /// `123-45-6789`; where a word says so also with spaces, or nothing, between its groups.
    fn person(&self, start: usize, fresh: usize) -> Met {
        let number = Number::read(&self.text[start..], 9, 3, |byte| byte.is_ascii_digit());
        if !is_social(&number.digits) {
            return None;
        }
        let written = number.groups == [3, 2, 4] && number.mark == Some('-');
        let named = || matches!(number.groups[..], [3, 2, 4] | [9]) && self.is_named(start, fresh, PERSONS);
        let is_named = self.begins(start, fresh, "=#") && named();
        let is_one = self.ends(start + number.len) && (written && self.begins(start, fresh, "") || is_named);
        is_one.then(|| ("social-security-number", start..start + number.len))
    }

    fn card(&self, start: usize, fresh: usize) -> Met {
        let mut number = Number::read(&self.text[start..], CARD.0, CARD.1, |byte| byte.is_ascii_digit());
        while !is_card(&number.digits) {
            number.drop_last()?;
        }
        let end = start + number.len;
        let believable = || {
            let fits = match number.groups[..] {
                [14..=16] => !self.is_other(start, fresh) && !self.is_listed(start, end, fresh),
                [_] => false,
                [4, 6, 4 | 5] => true,
                [ref first @ .., 1..=4] => first.iter().all(|len| *len == 4) && !self.is_column(start, fresh),
                _ => false,
            };
            self.begins(start, fresh, "") && fits
        };
        let is_one =
            self.ends(end) && (believable() || self.begins(start, fresh, "=#") && self.is_named(start, fresh, CARDS));
        is_one.then_some(("payment-card", start..end))
    }

    /// An account number, whose length its country gives.
    fn account(&self, start: usize, fresh: usize) -> Met {
        let bytes = self.text.as_bytes();
        let length = iban_len(&bytes[start..start + 2])?;
        let is_part = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        let number = Number::read(self.text.get(start..)?, length, length, is_part);
        let end = start + number.len;
        let fits = number.digits.len() == length && is_iban(&number.digits);
        (fits && self.begins(start, fresh, "=#") && self.ends(end)).then_some(("iban", start..end))
    }

    /// Whether what stands before a number lets it begin there: it is no part of a word, path, name or longer number. `more` may stand there
    /// too.
    fn begins(&self, start: usize, fresh: usize, more: &str) -> bool {
        let before = &self.text[..start];
        let Some(last) = before.chars().next_back() else { return true };
        let joins = is_of_word(last) || "-./=#%@\\+$&^".contains(last);
        start == fresh
            || !joins
            || more.contains(last)
            || ends_with_escape(before.as_bytes())
            || self.seams.binary_search(&start).is_ok()
    }

    /// Whether a number can end there.
    fn ends(&self, end: usize) -> bool {
        let mut after = self.text[end..].chars();
        match after.next() {
            None => true,
            Some('.') => !after.next().is_some_and(is_of_word),
            Some(next) => !is_of_word(next) && !"-/@".contains(next) || self.seams.binary_search(&end).is_ok(),
        }
    }

    /// The line before a place as far as it is looked at: nothing that was redacted, here or before, and no half of a word.
    fn before(&self, start: usize, fresh: usize) -> &[u8] {
        let from = start.saturating_sub(NAMED).max(fresh.min(start));
        let line = &self.text.as_bytes()[from..start];
        match line.iter().rposition(|byte| matches!(byte, b'\n' | b']')) {
            Some(at) => &line[at + 1..],
            None if from == fresh => line,
            None => &line[line.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()..],
        }
    }

    /// Whether a word before a number says what it is.
    fn is_named(&self, start: usize, fresh: usize, names: &[&str]) -> bool {
        let line = self.before(start, fresh).to_ascii_lowercase();
        let words: Vec<_> = line.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect();
        let is_name = |word: &[u8]| names.iter().any(|name| name.as_bytes() == word);
        words.iter().any(|word| is_name(word)) || words.windows(2).any(|two| is_name(&two.concat()))
    }

    /// Whether the word directly before a number is that of something else.
    fn is_other(&self, start: usize, fresh: usize) -> bool {
        let line = self.before(start, fresh);
        let end = line.iter().rposition(|byte| !b" \t:=\"'`#".contains(byte)).map_or(0, |at| at + 1);
        let word: Vec<u8> = line[..end].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).copied().collect();
        let lower: Vec<u8> = word.iter().rev().map(u8::to_ascii_lowercase).collect();
        let is_id = word.starts_with(b"dI") || word.starts_with(b"sdI") || word.starts_with(b"DI");
        is_id || OTHERS.iter().any(|other| other.as_bytes() == lower)
    }

    /// Whether a number stands in a list of others, as code and data have them, unless these are cards too.
    fn is_listed(&self, start: usize, end: usize, fresh: usize) -> bool {
        let bytes = self.text.as_bytes();
        let before = bytes[fresh.min(start)..start].trim_ascii_end();
        if before.strip_suffix(b",").and_then(<[u8]>::last).is_some_and(u8::is_ascii_digit) {
            return true;
        }
        let after = &bytes[end..bytes.len().min(end + 2 * NAMED)];
        let Some(after) = after.trim_ascii_start().strip_prefix(b",") else { return false };
        let after = after.trim_ascii_start();
        let count = digits(after, 0);
        count > 0 && !is_card(&after[..count]) && after.get(count).is_none_or(|next| b",;)]}.\n".contains(next))
    }

    /// Whether a number with spaces goes on with groups of four before its beginning, as columns of numbers do.
    fn is_column(&self, start: usize, fresh: usize) -> bool {
        let before = &self.text.as_bytes()[fresh.min(start)..start];
        let Some(before) = before.strip_suffix(b" ") else { return false };
        before.iter().rev().take(5).take_while(|byte| byte.is_ascii_digit()).count() == 4
    }
}

/// Letters and digits of any script that puts spaces between its words, and what joins them in names.
fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric() && c < '\u{2e80}'
}

/// A number as it is written.
struct Number {
    digits: Vec<u8>,
    /// How many digits each group has.
    groups: Vec<usize>,
    /// What stands between two groups.
    mark: Option<char>,
    /// The bytes of all of it.
    len: usize,
}

impl Number {
    /// Reads at most so many digits in so many groups. A space or hyphen stands between two groups, the same between all.
    fn read(text: &str, most: usize, most_groups: usize, is_part: impl Fn(&u8) -> bool) -> Self {
        let mut number = Self { digits: Vec::with_capacity(most), groups: Vec::new(), mark: None, len: 0 };
        let mut at = 0;
        while number.groups.len() < most_groups {
            let count = text.as_bytes()[at..].iter().take(most + 1).take_while(|byte| is_part(byte)).count();
            if count == 0 || number.digits.len() + count > most {
                break;
            }
            number.digits.extend_from_slice(&text.as_bytes()[at..at + count]);
            number.groups.push(count);
            number.len = at + count;
            let Some(mark) = text[number.len..].chars().next().filter(|c| is_mark(*c)) else { break };
            if *number.mark.get_or_insert(mark) != mark {
                break;
            }
            at = number.len + mark.len_utf8();
        }
        number
    }

    /// The number without its last group, when another is left.
    fn drop_last(&mut self) -> Option<()> {
        let last = self.groups.pop()?;
        self.digits.truncate(self.digits.len() - last);
        self.len = self.len.checked_sub(last + self.mark?.len_utf8())?;
        (!self.groups.is_empty()).then_some(())
    }
}

/// Spaces and hyphens, as people and word processors put them between groups of digits.
fn is_mark(c: char) -> bool {
    matches!(c, ' ' | '-' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' | '\u{2010}' | '\u{2011}' | '\u{2013}')
}
