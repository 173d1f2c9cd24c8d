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

/// Whether a text without a file begins a mail and does not end it. Each ends with a signature, also that of a commit without changes,
/// unless nobody signs: then such a commit is all head and message, and a diff is announced by a line of its own.
pub(super) fn has_open_mail(text: &[u8]) -> bool {
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let lines: Vec<&[u8]> = lines.collect();
    let Some(last) = lines.iter().rposition(|line| is_mail(line)) else { return false };
    let mail = &lines[last..];
    if lines.contains(&&b"-- "[..]) {
        return !mail.contains(&&b"-- "[..]);
    }
    let has_message = mail.iter().position(|line| line.is_empty()).is_some_and(|at| at + 1 < mail.len());
    !has_message || mail.contains(&&b"---"[..])
}

/// Whether the last mail of a series says that others follow: `[PATCH 2/3]`.
pub(super) fn lacks_mails(text: &[u8]) -> bool {
    if series_head(text).is_none() {
        return false;
    }
    let head: Vec<_> = text.rsplit(|byte| *byte == b'\n').take_while(|line| commit(line).is_none()).collect();
    let subject = head.into_iter().rev().take_while(|line| !line.trim_ascii().is_empty());
    let subject = subject.filter_map(|line| line.strip_prefix(b"Subject: [")).next();
    let number = || {
        let prefix = std::str::from_utf8(subject?).ok()?.split(']').next()?;
        let (number, of) = prefix.rsplit(' ').next()?.split_once('/')?;
        Some((number.parse::<u64>().ok()?, of.parse::<u64>().ok()?))
    };
    number().is_some_and(|(number, of)| number < of)
}

/// Whether a line begins a mail.
pub(super) fn is_mail(line: &[u8]) -> bool {
    commit(line.strip_suffix(b"\n").unwrap_or(line)).is_some()
}

fn commit(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?;
    let sha = line.strip_suffix('\r').unwrap_or(line).strip_prefix("From ")?.strip_suffix(MAGIC)?;
    let is_hex = sha.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (matches!(sha.len(), 40 | 64) && is_hex).then_some(sha)
}
