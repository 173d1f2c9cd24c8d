//! Why bytes are not what they should be: each guess is proved by the digest, but for `truncated`.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use super::report::Cause;
use crate::format::digest::Digest;
use crate::format::json;

/// Larger content is not searched for a cause: a guess must not cost more than the check.
const MAX_SEARCHED: usize = 16 << 20;

/// What is known of the bytes that should be there.
pub(super) struct Wanted<'a> {
    /// Whether a digest is the right one.
    pub digest: &'a dyn Fn(&Digest) -> bool,
    /// The right size in bytes, where it is known.
    pub bytes: Option<u64>,
}

/// The cause, and the right bytes where they can be made from the wrong ones.
pub(super) fn find(actual: &[u8], wanted: &Wanted<'_>) -> (Cause, Option<Vec<u8>>) {
    if is_lfs_pointer(actual) {
        return (Cause::LfsPointer, None);
    }
    if actual.len() <= MAX_SEARCHED {
        let right = |bytes: &[u8]| {
            wanted.bytes.is_none_or(|size| size == bytes.len() as u64) && (wanted.digest)(&Digest::of(bytes))
        };
        let found = other_line_ends(actual, &right)
            .map(|bytes| (Cause::LineEndings, bytes))
            .or_else(|| Some((Cause::TrailingNewline, other_end(actual, &right)?)))
            .or_else(|| Some((Cause::UnicodeForm, other_unicode_form(actual, &right)?)))
            .or_else(|| Some((Cause::Reformatted, canonical_json(actual, &right)?)));
        if let Some((cause, bytes)) = found {
            return (cause, Some(bytes));
        }
    }
    (if is_cut(actual, wanted.bytes) { Cause::Truncated } else { Cause::Unknown }, None)
}

/// A shorter text is called truncated unless it is whole JSON; where the size is unknown, only JSON that ends too early.
fn is_cut(actual: &[u8], size: Option<u64>) -> bool {
    match size {
        Some(size) => (actual.len() as u64) < size && json::parse(actual).is_err(),
        None => actual.is_empty() || ends_inside_json(actual),
    }
}

/// JSON whose only fault is that it stops, and that does not stop with its own closing bracket: that would rather be
/// a changed byte before it.
fn ends_inside_json(actual: &[u8]) -> bool {
    let closing = match actual.first() {
        Some(b'{') => b'}',
        Some(b'[') => b']',
        _ => return false,
    };
    if actual.last() == Some(&closing) {
        return false;
    }
    // A character of several bytes may be cut too.
    let whole = match std::str::from_utf8(actual) {
        Ok(_) => actual,
        Err(error) if error.error_len().is_none() => &actual[..error.valid_up_to()],
        Err(_) => return false,
    };
    json::parse(whole).is_err_and(|fault| fault.offset >= whole.len())
}

/// What git-lfs puts in the place of a file (its specification, version 1).
fn is_lfs_pointer(actual: &[u8]) -> bool {
    let head = b"version https://git-lfs.github.com/spec/v1";
    actual.len() < 1024 && actual.starts_with(head) && memchr::memmem::find(actual, b"\noid sha256:").is_some()
}

fn other_line_ends(actual: &[u8], right: &dyn Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    memchr::memchr(b'\n', actual)?;
    let lines = memchr::memchr_iter(b'\n', actual);
    let (mut lf, mut crlf) = (Vec::with_capacity(actual.len()), Vec::with_capacity(actual.len() + actual.len() / 32));
    let mut start = 0;
    for end in lines.chain([actual.len()]) {
        let line = &actual[start..end];
        let text = if end < actual.len() { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        for (out, mark) in [(&mut lf, &b"\n"[..]), (&mut crlf, b"\r\n")] {
            out.extend_from_slice(text);
            out.extend_from_slice(if end < actual.len() { mark } else { b"" });
        }
        start = end + 1;
    }
    [lf, crlf].into_iter().find(|bytes| bytes != actual && right(bytes))
}

fn other_end(actual: &[u8], right: &dyn Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let shorter = [&b"\r\n"[..], b"\n"].into_iter().filter_map(|end| actual.strip_suffix(end)).map(Cow::Borrowed);
    let longer = [&b"\n"[..], b"\r\n"].into_iter().map(|end| Cow::Owned([actual, end].concat()));
    shorter.chain(longer).find(|bytes| right(bytes)).map(Cow::into_owned)
}

fn other_unicode_form(actual: &[u8], right: &dyn Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(actual).ok().filter(|text| !text.is_ascii())?;
    let forms = [|text: &str| text.nfc().collect::<String>(), |text: &str| text.nfd().collect()];
    forms.into_iter().map(|form| form(text).into_bytes()).find(|bytes| right(bytes))
}

fn canonical_json(actual: &[u8], right: &dyn Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    json::parse(actual).ok().map(|value| json::to_vec(&value)).filter(|bytes| right(bytes))
}
