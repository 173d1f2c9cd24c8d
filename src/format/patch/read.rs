//! Reading a whole diff, file by file.

use super::head::{Head, Start, is_cut, start};
use super::hunks::{hunks, line};
use super::series::has_open_mail;
use super::{NotAPatch, Patch};

/// Reads a diff. What stands before, between and behind its files (the mail of `git format-patch`, a signature) is passed over.
///
/// # Errors
/// [`NotAPatch`]: no file at all, or a combined diff.
pub fn read(text: &[u8]) -> Result<Patch<'_>, NotAPatch> {
    let mut patch = Patch::default();
    let (mut at, mut has_blobs, mut lacks_blob) = (0, false, false);
    while at < text.len() {
        let rest = &text[at..];
        let start = match start(rest) {
            None => {
                at += line(rest).len();
                continue;
            }
            Some(Start::Combined) => return Err(NotAPatch::Combined),
            Some(start) => start,
        };
        let head = Head::read(rest, start);
        let found = if head.binary { super::Hunks::default() } else { hunks(&rest[head.length..]) };
        let told = head.is_whole(found.count);
        has_blobs |= head.index.is_some();
        lacks_blob |= head.is_without_blob();
        let mut file = head.into_file(at);
        file.range.end += found.length;
        file.hunks = found.count;
        at = file.range.end;
        file.whole = !found.cut && told && !goes_on(&text[at..]);
        file.lines = (!file.binary && file.whole).then_some((found.additions, found.deletions));
        patch.files.push(file);
    }
    // What ends inside a line ends too early, as far as anybody can tell. Who names one blob names all.
    let behind = &text[patch.files.last().map_or(0, |file| file.range.end)..];
    patch.cut =
        !text.ends_with(b"\n") || is_cut(last_line(behind)) || has_open_mail(behind) || (has_blobs && lacks_blob);
    if patch.files.is_empty() { Err(NotAPatch::Nothing) } else { Ok(patch) }
}

/// The last line of a text, with its end.
fn last_line(text: &[u8]) -> &[u8] {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    &text[memchr::memrchr(b'\n', body).map_or(0, |at| at + 1)..]
}

/// True when lines of a hunk stand behind the last one: its head promised fewer. The signature of a mail is none.
fn goes_on(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'+' | b' ' | b'@') => true,
        Some(b'-') => !rest.starts_with(b"-- ") && start(rest).is_none(),
        _ => false,
    }
}
