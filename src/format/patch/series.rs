//! Series of patches as `git format-patch` mails them: one mail a commit.

/// The date that the first line of every such mail carries, whatever the date of the commit.
const MAGIC: &str = " Mon Sep 17 00:00:00 2001";

/// The commit of the last mail of a series, which is the head that it leads to; `None` for a text that begins as no such mail. No line
/// of a hunk begins so.
pub fn series_head(text: &[u8]) -> Option<&str> {
    let first = text.split(|byte| *byte == b'\n').next().and_then(commit)?;
    let last = text.rsplit(|byte| *byte == b'\n').find_map(commit);
    last.or(Some(first))
}

/// Whether a text without a file begins a mail and does not end it: each ends with a signature, also that of a commit without changes.
pub(super) fn has_open_mail(text: &[u8]) -> bool {
    let lines = text.split(|byte| *byte == b'\n');
    lines.fold(false, |open, line| {
        (open || commit(line).is_some()) && line.strip_suffix(b"\r").unwrap_or(line) != b"-- "
    })
}

fn commit(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?;
    let sha = line.strip_suffix('\r').unwrap_or(line).strip_prefix("From ")?.strip_suffix(MAGIC)?;
    let is_hex = sha.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (matches!(sha.len(), 40 | 64) && is_hex).then_some(sha)
}
