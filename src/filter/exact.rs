//! Credentials that the caller knows by their value: found as they are and as they are usually encoded.

use std::borrow::Cow;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::notes::Notes;
use super::{Error, PLACEHOLDER, unicode};

/// The class of one.
pub(super) const CLASS: &str = "exact-credential";

/// The fewest bytes of a credential: a shorter one would take ordinary words out of every text.
pub const MIN_CREDENTIAL: usize = 6;

/// The fewest digits of an encoded credential that are looked for.
const MIN_ENCODED: usize = 7;

/// What finds credentials by value.
pub struct Exact {
    values: AhoCorasick,
    /// Whether a value is in base64, whose neighbours hold parts of it.
    encoded: Vec<bool>,
}

impl Exact {
    /// Prepares the forms of values; `None` for none.
    ///
    /// # Errors
    /// [`Error::ShortCredential`] with the place of the value in the list; [`Error::Table`].
    pub fn new(values: &[String]) -> Result<Option<Self>, Error> {
        if values.is_empty() {
            return Ok(None);
        }
        let mut forms: Vec<(Vec<u8>, bool)> = Vec::new();
        for (at, value) in values.iter().enumerate() {
            // As the text is when it is looked at.
            let value = unicode::strip(value, &mut Notes::new(false));
            let value = value.trim_end_matches('\n');
            if value.len() < MIN_CREDENTIAL {
                return Err(Error::ShortCredential(at));
            }
            forms.extend(spellings(value).into_iter().map(|form| (form, false)));
            let encoded = (0..3).flat_map(|shift| base64(value.as_bytes(), shift));
            forms.extend(encoded.filter(|form| form.len() >= MIN_ENCODED).map(|form| (form, true)));
        }
        let values = AhoCorasick::new(forms.iter().map(|(form, _)| form));
        let values = values.map_err(|error| Error::Table(error.to_string()))?;
        Ok(Some(Self { values, encoded: forms.into_iter().map(|(_, encoded)| encoded).collect() }))
    }

    /// Whether a text has one of them.
    pub fn is_in(&self, text: &str) -> bool {
        self.values.is_match(text)
    }

    /// The text without them. Of two that overlap, the whole goes as one.
    pub(super) fn redact<'t>(&self, text: Cow<'t, str>, notes: &mut Notes) -> Cow<'t, str> {
        let bytes = text.as_bytes();
        let mut found: Vec<Range<usize>> = Vec::new();
        // In the order of their ends.
        for hit in self.values.find_overlapping_iter(bytes) {
            let (mut start, mut end) = (hit.start(), hit.end());
            if self.encoded[hit.pattern().as_usize()] {
                let digit = |b: &&u8| b.is_ascii_alphanumeric() || b"+/-_=".contains(b);
                start -= bytes[..start].iter().rev().take(4).take_while(digit).count();
                end += bytes[end..].iter().take(4).take_while(digit).count();
            }
            while let Some(last) = found.pop_if(|last| start < last.end) {
                (start, end) = (start.min(last.start), end.max(last.end));
            }
            found.push(start..end);
        }
        found.iter().for_each(|range| notes.found(CLASS, range.start, range.end));
        let placeholder = || format!("{PLACEHOLDER}{CLASS}]");
        let parts: Vec<_> = found.into_iter().map(|range| (range.start, range.end, placeholder())).collect();
        notes.replace(text, &parts)
    }
}

/// The value as it is, in hexadecimal, percent-encoded, and as a string of JSON.
fn spellings(value: &str) -> Vec<Vec<u8>> {
    let hex = |upper: bool| {
        value.bytes().map(|b| if upper { format!("{b:02X}") } else { format!("{b:02x}") }).collect::<String>()
    };
    let percent = |upper: bool, plus: bool| {
        let one = |b: u8| match b {
            b if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => char::from(b).to_string(),
            b' ' if plus => "+".to_owned(),
            b if upper => format!("%{b:02X}"),
            b => format!("%{b:02x}"),
        };
        value.bytes().map(one).collect::<String>()
    };
    let json = crate::format::json::to_vec(&crate::format::json::Json::from(value));
    let json = String::from_utf8_lossy(&json[1..json.len() - 1]).into_owned();
    let mut forms = vec![value.to_owned(), hex(false), hex(true), json, value.replace('\n', "\\n")];
    forms.extend([percent(true, false), percent(false, false), percent(true, true)]);
    forms.sort();
    forms.dedup();
    forms.into_iter().map(String::into_bytes).collect()
}

/// The digits of base64, in both alphabets, that a value is sure to have when so many bytes of a group stand before it: those that share
/// bits with a neighbour are left out.
fn base64(value: &[u8], shift: usize) -> [Vec<u8>; 2] {
    let alphabet = |extra: &[u8; 2]| {
        let digits: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(*extra).collect();
        let bits: Vec<u8> = std::iter::repeat_n(0, shift)
            .chain(value.iter().copied())
            .flat_map(|b| (0..8).rev().map(move |n| b >> n & 1))
            .collect();
        let known = (shift * 8).div_ceil(6);
        bits.chunks_exact(6).skip(known).map(|six| digits[six.iter().fold(0, |n, b| n << 1 | b) as usize]).collect()
    };
    [alphabet(b"+/"), alphabet(b"-_")]
}
