//! Submodules as `git diff --submodule=log` and `--submodule=diff` tell of them.

use std::borrow::Cow;

use super::hunks::line;
use super::quote::{quoted, text};
use super::{Change, FilePatch};

/// Whether a text begins with such a line.
pub fn is_submodule(text: &[u8]) -> bool {
    submodule(line(text), 0).is_some()
}

/// Reads `Submodule <path> <before>..<after>`, which git writes in the place of a file, at a place in the text; `None` for any other line.
/// It counts as the line for each side that git writes otherwise. The commits that follow are no part of it.
pub(super) fn submodule(line: &[u8], at: usize) -> Option<FilePatch<'_>> {
    let body = line.strip_suffix(b"\n")?.strip_prefix(b"Submodule ")?;
    let (body, note) = match body.strip_suffix(b":") {
        Some(body) => (body.strip_suffix(b" (rewind)").unwrap_or(body), &b""[..]),
        None => {
            let end = body.strip_suffix(b")").and_then(|_| memchr::memmem::rfind(body, b" ("))?;
            (&body[..end], &body[end + 2..body.len() - 1])
        }
    };
    let blank = memchr::memrchr(b' ', body)?;
    let (path, commits) = (&body[..blank], &body[blank + 1..]);
    let dots = memchr::memmem::find(commits, b"..")?;
    let (before, after) = (&commits[..dots], &commits[dots..]);
    let after = after.strip_prefix(b"...").or_else(|| after.strip_prefix(b".."))?;
    let is_commit = |id: &[u8]| (4..=64).contains(&id.len()) && id.iter().all(u8::is_ascii_hexdigit);
    let is_none = |id: &[u8]| id.iter().all(|digit| *digit == b'0');
    let notes: [&[u8]; 5] = [b"", b"new submodule", b"submodule deleted", b"commits not present", b"not initialized"];
    if path.is_empty() || !is_commit(before) || !is_commit(after) || !notes.contains(&note) {
        return None;
    }
    let (change, lines) = match (is_none(before), is_none(after)) {
        (true, true) => return None,
        (true, false) => (Change::Added, (1, 0)),
        (false, true) => (Change::Removed, (0, 1)),
        (false, false) => (Change::Modified, (1, 1)),
    };
    let mode = |there: bool| there.then_some("160000");
    let shown = |there: bool| there.then(|| text(Cow::Borrowed(path)));
    let (old, new) = (change != Change::Added, change != Change::Removed);
    Some(FilePatch {
        range: at..at + line.len(),
        head: line.len(),
        quoted: std::str::from_utf8(path).is_err().then(|| quoted("", path)),
        old: shown(old),
        new: shown(new),
        change,
        modes: (mode(old), mode(new)),
        lines: Some(lines),
        hunks: 0,
        binary: false,
        whole: true,
    })
}

/// Lets a submodule take in what is told of a file in it, which is no file of the repository. False for any other pair: where a
/// submodule came, what went below its path was the repository's, and the other way round.
pub(super) fn takes_in(submodule: &mut FilePatch<'_>, file: &FilePatch<'_>) -> bool {
    let is_submodule = submodule.hunks == 0 && [submodule.modes.0, submodule.modes.1].contains(&Some("160000"));
    let is_below = file.path().strip_prefix(submodule.path()).is_some_and(|rest| rest.starts_with('/'));
    let is_own = submodule.change == Change::Modified || submodule.change == file.change;
    if !(is_submodule && is_below && is_own && submodule.range.end == file.range.start) {
        return false;
    }
    submodule.range.end = file.range.end;
    submodule.whole &= file.whole;
    true
}
