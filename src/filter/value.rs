//! What stands behind the name of a secret and its sign: how far it goes, and whether it is a value at all.

use std::ops::Range;

use super::code;

/// How long a value in quotes is that ends on its line.
fn closing(text: &[u8], quote: u8, escaped: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'\\' if escaped => return (text.get(at + 1) == Some(&quote)).then_some(at),
            b'\\' => at += 2,
            b'\n' => return None,
            b if *b == quote => return Some(at),
            _ => at += 1,
        }
    }
}

/// How long a value without quotes is.
fn bare_len(text: &[u8]) -> usize {
    const ENDS: [bool; 256] = table(b" \t\n\r\x0c\"'`;,&|<>(){}[]\\");
    text.iter().position(|b| ENDS[usize::from(*b)]).unwrap_or(text.len())
}

/// Whether a byte is one of these, for each byte: a value is read again for every name in it.
const fn table(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

/// How long a value without quotes is that a line has for itself: it may hold what ends one in code.
fn line_len(text: &[u8]) -> usize {
    const ENDS: [bool; 256] = table(b" \t\n\r\x0c\"'`,\\");
    let len = text.iter().position(|b| ENDS[usize::from(*b)]).unwrap_or(text.len());
    let closes = |b: &&u8| b";|<>(){}[]&".contains(*b);
    len - text[..len].iter().rev().take_while(closes).count()
}

/// Values are aligned by so many spaces at most.
const MAX_SPACES: usize = 64;

pub(super) fn spaces(text: &[u8], at: usize) -> usize {
    text[at.min(text.len())..].iter().take(MAX_SPACES).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// What stands behind the sign.
pub(super) struct Value {
    pub range: Range<usize>,
    pub quoted: bool,
    pub after_space: bool,
    /// How long it is, without quotes.
    length: fn(&[u8]) -> usize,
}

/// The most bytes of a value without quotes by which it is judged.
pub(super) const JUDGED: usize = 256;

/// The least bytes of a value without quotes that words follow.
const LONG: usize = 20;

/// Where a value begins: behind spaces and a quote, which may be escaped because all of it stands in a string.
pub(super) fn opening(text: &[u8], sign_end: usize) -> (usize, Option<u8>, bool) {
    let mut at = sign_end + spaces(text, sign_end);
    let escaped = text.get(at) == Some(&b'\\') && matches!(text.get(at + 1), Some(b'"' | b'\''));
    at += usize::from(escaped);
    let quote = text.get(at).copied().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    (at + usize::from(quote.is_some()), quote, escaped)
}

impl Value {
    pub fn read(text: &[u8], sign: u8, sign_end: usize) -> Option<Self> {
        let (start, quote, escaped) = opening(text, sign_end);
        let rest = text.get(start..)?;
        let after_space = spaces(text, sign_end) > 0;
        let length = if sign == b':' || after_space { line_len } else { bare_len };
        let len = match quote {
            Some(quote) => closing(rest, quote, escaped)?,
            None => length(&rest[..rest.len().min(JUDGED)]),
        };
        (len >= 8).then_some(Self { range: start..start + len, quoted: quote.is_some(), after_space, length })
    }

    /// The whole value, however long.
    pub fn whole(self, text: &[u8]) -> Range<usize> {
        let start = self.range.start;
        if self.quoted { self.range } else { start..start + (self.length)(&text[start..]) }
    }

    /// Whether [`stands_for_another`].
    pub fn is_placeholder(&self, text: &[u8]) -> bool {
        stands_for_another(&text[self.range.clone()])
    }

    pub fn has_no_space(&self, text: &[u8]) -> bool {
        !text[self.range.clone()].contains(&b' ')
    }

    /// Whether [`is_mixed`].
    pub fn is_mixed(&self, text: &[u8]) -> bool {
        is_mixed(&text[self.range.clone()])
    }

    /// Whether it is no code, and ends its line or item. Where words follow it must be long to be more than a word of theirs; before `=`
    /// it is the type of a constant.
    pub fn stands_alone(&self, text: &[u8]) -> bool {
        let value = &text[self.range.clone()];
        let rest = &text[self.range.end..];
        let (ends, is_type) = match rest.get(spaces(text, self.range.end)..) {
            Some([b'/', b'/', ..] | []) | None => (true, false),
            Some([next, ..]) => (b"\r\n#;,}])|".contains(next) || b"\"'`\\<>".contains(&rest[0]), *next == b'='),
        };
        let is_code = is_type || code::is_expression(value, rest, !ends) || code::is_reference(value);
        !is_code && (ends || value.len() >= LONG)
    }

    /// A call or an index begins behind an expression of code, not behind a value.
    pub fn ends_cleanly(&self, text: &[u8]) -> bool {
        !matches!(text.get(self.range.end), Some(b'(' | b'[' | b'{'))
    }
}

/// A value that stands for another one: a variable, a hint what to write, what was taken out already.
pub(super) fn stands_for_another(value: &[u8]) -> bool {
    let mixed = is_mixed(value);
    let value = value.to_ascii_lowercase();
    let Some(first) = value.first().copied() else { return true };
    let begins = |words: &[&[u8]]| words.iter().any(|word| value.starts_with(word));
    let holds = |words: &[&[u8]]| words.iter().any(|word| memchr::memmem::find(&value, word).is_some());
    let all_same = value.iter().all(|b| *b == first);
    let sign = b"$%<{[(*&@~#!".contains(&first) || begins(&[b"./", b"../", b"/"]) && !mixed;
    let word = begins(&[
        b"your",
        b"my-",
        b"my_",
        b"xxx",
        b"...",
        b"example",
        b"changeme",
        b"change-me",
        b"change_me",
        b"placeholder",
        b"dummy",
        b"fake",
        b"redacted",
        b"null",
        b"none",
        b"undefined",
        b"process.env",
        b"os.environ",
        b"os.getenv",
        b"secrets.",
        b"env.",
        b"config.",
        b"settings.",
        b"self.",
        b"this.",
        b"req.",
        b"request.",
        b"http://",
        b"https://",
        b"steps.",
        b"github.",
        b"inputs.",
        b"vars.",
        b"needs.",
        b"matrix.",
    ]);
    all_same || sign || word || holds(&[b"${", b"{{", b"$(", b"...", b"***", b"<your", b"[redacted:"])
}

/// Digits and letters together, as words rarely have them.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
}
