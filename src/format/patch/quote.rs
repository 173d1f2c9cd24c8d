//! Paths in the heads of diffs: git quotes those that a line could not hold.

use std::borrow::Cow;

/// Reads a path in git's quoted form; the rest of the line behind it. `None` for what git would not write.
pub fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut out = Vec::new();
    loop {
        match rest {
            [b'"', after @ ..] => return Some((out, after)),
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] => {
                out.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = after;
            }
            [b'\\', escape, after @ ..] => {
                out.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => *escape,
                    _ => return None,
                });
                rest = after;
            }
            [b'\\', ..] | [] => return None,
            [byte, after @ ..] => {
                out.push(*byte);
                rest = after;
            }
        }
    }
}

/// The path that ends a line: quoted, or as it is up to a tab, behind which some tools write a time.
pub(super) fn path(text: &[u8]) -> Cow<'_, str> {
    match unquoted(text) {
        Some((path, _)) => Cow::Owned(String::from_utf8_lossy(&path).into_owned()),
        None => String::from_utf8_lossy(text.split(|byte| *byte == b'\t').next().unwrap_or(text)),
    }
}

/// A path without the `a/` or `b/` that git puts before it.
pub(super) fn bare<'p>(path: Cow<'p, str>, prefix: &str) -> Cow<'p, str> {
    match path {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(prefix).unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.strip_prefix(prefix).map(str::to_owned).unwrap_or(text)),
    }
}

/// Both paths of a `diff --git` line. Unquoted ones with blanks in them can be told apart only when they are the same.
pub(super) fn pair(text: &[u8]) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let both = |a, b| Some((bare(a, "a/"), bare(b, "b/")));
    if let Some((first, rest)) = unquoted(text) {
        let first = Cow::Owned(String::from_utf8_lossy(&first).into_owned());
        return both(first, path(rest.strip_prefix(b" ")?));
    }
    if let Some(at) = memchr::memmem::find(text, b" \"") {
        return both(String::from_utf8_lossy(&text[..at]), path(&text[at + 1..]));
    }
    // `a/X b/X`: the blank in the middle.
    let middle = text.len() / 2;
    if text.len() % 2 == 1 && text[middle] == b' ' {
        let (first, second) = (&text[..middle], &text[middle + 1..]);
        let name = |path: &[u8], prefix: &[u8]| path.strip_prefix(prefix).unwrap_or(path).to_vec();
        if name(first, b"a/") == name(second, b"b/") {
            return both(String::from_utf8_lossy(first), String::from_utf8_lossy(second));
        }
    }
    let mut blanks = text.iter().enumerate().filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
    match (blanks.next(), blanks.next()) {
        (Some(at), None) => both(String::from_utf8_lossy(&text[..at]), String::from_utf8_lossy(&text[at + 1..])),
        _ => None,
    }
}
