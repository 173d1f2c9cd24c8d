//! The alphabets of structural texts, which are shown as they are or not at all.

use super::words::Forge;

/// An id of anything: `^[A-Za-z0-9][A-Za-z0-9._:=-]*$`.
pub fn is_structural_id(text: &str) -> bool {
    is_word(text, b"._:=-")
}

/// An id as its forge writes it: a node id of GitHub; elsewhere a number without leading zero, or where `opaque`, a word.
pub fn is_forge_id(forge: Forge, text: &str, opaque: bool) -> bool {
    match forge {
        Forge::GitHub => is_word(text, b"_=-"),
        Forge::GitLab if opaque => is_word(text, b"._:-"),
        Forge::GitLab | Forge::Forgejo => is_number(text),
    }
}

fn is_word(text: &str, more: &[u8]) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || more.contains(b))
}

fn is_number(text: &str) -> bool {
    !text.starts_with('0') && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A lowercase DNS name with a port where it is not 443. Labels are neither empty nor begin or end with a hyphen, which the
/// published pattern does not say and a DNS name does.
pub fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    };
    let port_fits = port.is_none_or(|port| {
        is_number(port) && port.len() <= 5 && port.parse::<u32>().is_ok_and(|n| n <= 65_535 && n != 443)
    });
    name.len() <= 253 && name.split('.').all(label) && port_fits
}

/// The name of a repository for navigation: lowercase `owner/name`; on GitLab the path of the project.
pub fn is_repository(forge: Forge, text: &str) -> bool {
    let names: Vec<&str> = text.split('/').collect();
    if names.len() < 2 || names.iter().any(|name| name.is_empty()) || text.contains('%') || !is_seen(text) {
        return false;
    }
    let plain = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-');
    forge == Forge::GitLab || (names.len() == 2 && names.iter().all(|name| name.bytes().all(plain)))
}

/// The path of a file in a review: printable ASCII without some marks, no empty, `.` or `..` segment.
pub fn is_repository_path(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._/~!$&()+,;=:@#[]{} -".contains(&b);
    !text.is_empty() && text.bytes().all(plain) && text.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}

/// A git object id.
pub fn is_git_oid(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The code of a finding: `^[a-z][a-z0-9._-]*$`.
pub fn is_finding_code(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.iter().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-'))
}

/// Whether a text on one line has nothing that nobody sees.
pub fn is_seen(text: &str) -> bool {
    !text.contains(char::is_control) && !has_floor_char(text)
}

/// Whether a text has a code point that the floor of Unicode safety takes out of every emitted text.
pub fn has_floor_char(text: &str) -> bool {
    !text.is_ascii() && text.contains(is_floor_char)
}

fn is_floor_char(c: char) -> bool {
    matches!(c,
        '\u{e0000}'..='\u{e007f}' | '\u{200b}'..='\u{200d}' | '\u{feff}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{fff9}'..='\u{fffb}')
}
