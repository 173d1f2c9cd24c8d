//! Private keys in PEM framing (RFC 7468, and what OpenSSH and PGP make of it).

use std::ops::Range;

/// How every one begins, in lower case.
pub(super) const ANCHOR: &str = "-----begin ";

/// The longest key that is looked for, in bytes.
const MAX: usize = 64 << 10;

/// A whole key, with its frame; without an end, as many lines as look like one. A frame without a content is no key: it is how people
/// and programs speak of them.
pub(super) fn private_key(text: &[u8], start: usize) -> Option<Range<usize>> {
    let window = &text[start..text.len().min(start + MAX)];
    let head = &window[ANCHOR.len()..window.len().min(80)];
    let label = head.windows(5).position(|w| w == b"-----").map(|at| &head[..at])?;
    let is_private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    if !is_private || !label.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b' ') {
        return None;
    }
    let body = ANCHOR.len() + label.len() + 5;
    let next = window[body..].windows(5).position(|w| w == b"-----").map(|at| body + at);
    if let Some(at) = next
        && window[at..].starts_with(b"-----END ")
        && window[at + 9..].starts_with(label)
        && window[body..at].iter().any(u8::is_ascii_alphanumeric)
    {
        let end = at + 9 + label.len();
        let end = end + window[end..].iter().take(5).take_while(|b| **b == b'-').count();
        return Some(start..start + end);
    }
    let end = body + encoded_len(&window[body..]);
    (end > body).then(|| start..start + end)
}

/// The bytes at the beginning of a text that are lines of base64, with what quotes or indents them. The first has sixteen digits or
/// more, and a shorter one is the last.
fn encoded_len(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let from = end + frame_len(&text[end..]);
        let is_digit = |b: &&u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
        let len = text[from..].iter().take_while(is_digit).count();
        if len < 16 {
            return if end > 0 && len > 0 { from + len } else { end };
        }
        end = from + len;
    }
}

/// White space, also as an escape in a string, and the marks of a quotation, a comment or a diff.
fn frame_len(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += match &text[at..] {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            [b'-', b'-', ..] => return at,
            [b, ..] if b.is_ascii_whitespace() || b"\"',>|#-".contains(b) => 1,
            _ => return at,
        };
    }
}
