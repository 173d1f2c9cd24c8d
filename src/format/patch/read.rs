//! Reading a whole diff, file by file.

use super::head::{Head, Start, start};
use super::hunks::{hunks, line};
use super::{NotAPatch, Patch};

/// Reads a diff. What stands before, between and behind its files (the mail of `git format-patch`, a signature) is passed over.
///
/// # Errors
/// [`NotAPatch`]: no file at all, or a combined diff.
pub fn read(text: &[u8]) -> Result<Patch<'_>, NotAPatch> {
    let mut patch = Patch::default();
    let mut at = 0;
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
        let (length, announced) = (head.length, head.announces_hunks());
        let mut file = head.into_file(at);
        let found = if file.binary { super::Hunks::default() } else { hunks(&rest[length..]) };
        file.range.end += found.length;
        file.hunks = found.count;
        at = file.range.end;
        file.whole = !found.cut && (found.count > 0 || !announced) && !goes_on(&text[at..]);
        file.lines = (!file.binary && file.whole).then_some((found.additions, found.deletions));
        patch.files.push(file);
    }
    if patch.files.is_empty() { Err(NotAPatch::Nothing) } else { Ok(patch) }
}

/// True when lines of a hunk stand behind the last one: its head promised fewer. The signature of a mail is none.
fn goes_on(rest: &[u8]) -> bool {
    match rest.first() {
        Some(b'+' | b' ' | b'@') => true,
        Some(b'-') => !rest.starts_with(b"-- ") && start(rest).is_none(),
        _ => false,
    }
}
