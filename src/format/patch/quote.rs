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

/// A path with a prefix as git writes it in heads: in double quotes and with C escapes when it has a control character, a quote,
/// a backslash or a byte beyond ASCII (as git does unless `core.quotePath` is off), else as it is.
pub fn quoted(prefix: &str, path: &[u8]) -> String {
    let plain = |b: &u8| matches!(b, 0x20..=0x7e) && !matches!(b, b'"' | b'\\');
    let mut out = String::from(prefix);
    if path.iter().all(plain) {
        out.extend(path.iter().copied().map(char::from));
        return out;
    }
    out.insert(0, '"');
    for byte in path {
        match byte {
            0x07..=0x0d => out.extend(['\\', char::from(b"abtnvfr"[usize::from(byte - 0x07)])]),
            b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
            0x20..=0x7e => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

/// The path that ends a line: quoted, or as it is up to a tab, behind which some tools write a time.
pub(super) fn path(text: &[u8]) -> Path<'_> {
    match unquoted(text) {
        Some((path, _)) => Cow::Owned(path),
        None => Cow::Borrowed(text.split(|byte| *byte == b'\t').next().unwrap_or(text)),
    }
}

/// A path as git has it: bytes, which are mostly UTF-8.
pub(super) type Path<'b> = Cow<'b, [u8]>;

/// Both paths of a `diff --git` line, and what stands before the names in each: nothing, or a first directory that the two do not
/// share (`a/` and `b/`, `i/` and `w/`, or what the user chose), as `git apply` takes it.
pub(super) struct Pair<'b> {
    pub old: Path<'b>,
    pub new: Path<'b>,
    /// How many bytes stand before each name. None where the names differ, so that only the lines of a rename tell.
    pub prefixes: Option<(usize, usize)>,
}

impl<'b> Pair<'b> {
    /// Reads what stands behind `diff --git `. Unquoted paths with blanks in them can be told apart only when the names are the same.
    pub(super) fn read(text: &'b [u8]) -> Option<Self> {
        if let Some((first, rest)) = unquoted(text) {
            return Some(Self::of(Cow::Owned(first), path(rest.strip_prefix(b" ")?)));
        }
        let split = |at: usize| Self::of(Cow::Borrowed(&text[..at]), path(&text[at + 1..]));
        if let Some(at) = memchr::memmem::find(text, b" \"") {
            return Some(split(at));
        }
        let mut blanks = memchr::memchr_iter(b' ', text);
        let alike = (text.len() <= MAX_LINE).then(|| memchr::memchr_iter(b' ', text).find(|at| is_one_name(text, *at)));
        let only = || blanks.next().filter(|_| blanks.next().is_none());
        alike.flatten().or_else(only).map(split)
    }

    fn of(old: Path<'b>, new: Path<'b>) -> Self {
        let prefixes = if old == new {
            Some((0, 0))
        } else {
            let slash = |path: &[u8]| Some(memchr::memchr(b'/', path)? + 1);
            slash(&old).zip(slash(&new)).filter(|(a, b)| old[*a..] == new[*b..])
        };
        Self { old, new, prefixes }
    }

    /// What stands before the old name and the new one. Where that is not told it is what git writes when nobody asks for another.
    pub(super) fn prefixes(&self) -> (&[u8], &[u8]) {
        let told = self.prefixes.map(|(old, new)| (&self.old[..old], &self.new[..new]));
        told.unwrap_or(USUAL)
    }
}

/// What git puts before a name.
pub(super) const USUAL: (&[u8], &[u8]) = (b"a/", b"b/");

/// The longest line in which each blank is tried as the end of the first path.
const MAX_LINE: usize = 2 << 10;

/// Whether two paths that a blank divides have one name.
fn is_one_name(text: &[u8], blank: usize) -> bool {
    let (first, second) = (&text[..blank], &text[blank + 1..]);
    let slash = |path: &[u8]| memchr::memchr(b'/', path);
    first == second || slash(first).zip(slash(second)).is_some_and(|(a, b)| first[a + 1..] == second[b + 1..])
}

/// A path without what stands before its name.
pub(super) fn bare<'p>(path: Path<'p>, prefix: &[u8]) -> Path<'p> {
    match path {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(prefix).unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.strip_prefix(prefix).map(<[u8]>::to_vec).unwrap_or(text)),
    }
}

/// A path as a text, with U+FFFD for what is no UTF-8, as a forge has it in JSON.
pub(super) fn text(path: Path<'_>) -> Cow<'_, str> {
    match path {
        Cow::Borrowed(path) => String::from_utf8_lossy(path),
        Cow::Owned(path) => Cow::Owned(String::from_utf8_lossy(&path).into_owned()),
    }
}
