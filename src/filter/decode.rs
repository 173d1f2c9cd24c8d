//! From bytes to text: what a log is written in.

use std::borrow::Cow;

/// The class of what is no text in the encoding of the rest.
pub const INVALID: &str = "invalid-encoding";

/// The text of bytes: UTF-16 where a byte order mark says so, else UTF-8; the mark is no part of it. Returns also how many pieces
/// were no text and stand as U+FFFD.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, u64) {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_utf8(rest),
        _ => decode_utf8(bytes),
    }
}

/// The text of bytes that are UTF-8, and how many pieces are not.
pub fn decode_utf8(bytes: &[u8]) -> (Cow<'_, str>, u64) {
    let text = String::from_utf8_lossy(bytes);
    let broken = match &text {
        Cow::Borrowed(_) => 0,
        Cow::Owned(_) => bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() as u64,
    };
    (text, broken)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (Cow<'static, str>, u64) {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut broken = u64::from(!rest.is_empty());
    let mut text = String::with_capacity(bytes.len());
    for read in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        broken += u64::from(read.is_err());
        text.push(read.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (Cow::Owned(text), broken)
}
