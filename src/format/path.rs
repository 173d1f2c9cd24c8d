//! Path segments made from names that a forge or a stranger chose.
//!
//! A name never becomes a path as it is: the result is lower-case ASCII, no name that Windows reserves, no leading or
//! trailing dot, at most [`MAX_SEGMENT`] characters. The true spelling lives inside the JSON.

use std::fmt::Write as _;
use std::path::{MAIN_SEPARATOR, Path};

use super::digest::Digest;

/// The longest segment in characters.
pub const MAX_SEGMENT: usize = 40;

/// The longest path below the root of a store or tree, in characters.
pub const MAX_PATH: usize = 180;

/// Turns any name into one safe path segment. Names that differ only in ASCII case give the same segment,
/// as forges mean it for owners and repositories.
pub fn segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    append_segment(name, &mut out);
    out
}

/// Appends the [`segment`] of a name.
pub fn append_segment(name: &str, out: &mut String) {
    let start = out.len();
    append_escaped(name, out);
    if out.len() - start > MAX_SEGMENT {
        let short = shorten(&out[start..], &name.to_ascii_lowercase());
        out.replace_range(start.., &short);
    }
}

/// The name, in lower case, that gives a segment; `None` for one that was cut, whose name stands nowhere in it.
pub fn unsegment(segment: &str) -> Option<String> {
    let mut parts = segment.split('%');
    let mut name = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        name.push(u8::from_str_radix(code, 16).ok()?);
        name.extend(rest.as_bytes());
    }
    String::from_utf8(name).ok().filter(|name| self::segment(name) == segment)
}

/// Appends a name, lowered, with everything escaped that could not stand in a path.
fn append_escaped(name: &str, out: &mut String) {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
    // Nearly all are spelled as they stay.
    if name.bytes().all(is_plain) && !name.starts_with('.') && !name.ends_with('.') && !is_reserved(name) {
        out.push_str(if name.is_empty() { "%" } else { name });
        return;
    }
    for (at, byte) in name.bytes().map(|byte| byte.to_ascii_lowercase()).enumerate() {
        let dot_at_edge = byte == b'.' && (at == 0 || at + 1 == name.len());
        let plain = matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.') && !dot_at_edge;
        if plain && !(at == 0 && is_reserved(name)) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02x}"));
        }
    }
}

/// Turns any name into one safe path segment that no other name has: as [`segment`] where that loses nothing, else completed
/// with `+` (which [`segment`] never writes) and the first 32 hex digits of the SHA-256 of the name.
pub fn unique_segment(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    append_escaped(name, &mut escaped);
    if escaped.len() <= MAX_SEGMENT && !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return escaped;
    }
    format!("{}+{}", head(&escaped), &Digest::of(name.as_bytes()).hex()[..32])
}

/// Names that Windows reserves, with or without an extension.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let plain = ["con", "prn", "aux", "nul", "conin$", "conout$"].iter().any(|word| stem.eq_ignore_ascii_case(word));
    plain
        || matches!(stem.as_bytes(), [word @ .., b'0'..=b'9']
            if word.eq_ignore_ascii_case(b"com") || word.eq_ignore_ascii_case(b"lpt"))
}

/// Cuts a long segment and completes it with the digest of the whole name.
fn shorten(escaped: &str, lower: &str) -> String {
    format!("{}-{}", head(escaped), &Digest::of(lower.as_bytes()).hex()[..16])
}

/// The beginning of an escaped name that is too long, never cut inside an escape.
fn head(escaped: &str) -> &str {
    let head = &escaped[..escaped.len().min(MAX_SEGMENT - 17)];
    let broken = head.rfind('%').filter(|at| at + 3 > head.len());
    &head[..broken.unwrap_or(head.len())]
}

/// A path with `/` between its names on every system. What is not UTF-8 is shown in another spelling.
pub fn slashed(path: &Path) -> String {
    let shown = path.to_string_lossy();
    // Where the separator is another, `/` is one too.
    if MAIN_SEPARATOR == '/' { shown.into_owned() } else { shown.replace(MAIN_SEPARATOR, "/") }
}

/// Appends where a number lies: its shard, the thousand it belongs to in four digits or more, and the number itself.
pub(super) fn append_sharded(number: u64, out: &mut String) {
    // Writing to a text cannot fail.
    let _ = write!(out, "{:04}/{number}", number / 1000);
}

/// Whether a path found in a manifest or tree may be looked at: relative, `/` between non-empty segments, no `.` or
/// `..`, no backslash, colon or control character, and no segment that some file system takes for `.git`.
pub fn is_safe(path: &str) -> bool {
    let bad = |c: char| c.is_control() || matches!(c, '\\' | ':');
    let good = |segment: &str| !matches!(segment, "" | "." | "..") && !is_git(segment);
    !path.is_empty() && !path.contains(bad) && path.split('/').all(good)
}

/// Whether a name leads to a git directory anywhere: case does not count on some file systems, trailing dots and spaces
/// and the short form `git~1` on those of Windows, and characters that nobody sees on those of macOS.
pub fn is_git(segment: &str) -> bool {
    let unseen = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = segment.chars().filter(|c| !unseen(c)).collect();
    let name = seen.trim_end_matches(['.', ' ']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}
