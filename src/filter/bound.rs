//! The byte bound: the longest prefix that fits, cut between code points.

use std::borrow::Cow;

use super::PLACEHOLDER;
use super::class::{conditional_class, is_tag};

/// A text of lines: exactly one LF at the end unless it is empty, and at most `bound` bytes with it.
/// Returns also how many bytes were cut off.
pub(super) fn lines(text: Cow<'_, str>, bound: Option<usize>) -> (Cow<'_, str>, u64) {
    let body = text.trim_end_matches('\n');
    if body.is_empty() {
        return (Cow::Borrowed(""), 0);
    }
    let room = bound.map_or(usize::MAX, |bound| bound.saturating_sub(1));
    let kept = prefix(body, room).trim_end_matches('\n');
    let dropped = (body.len() - kept.len()) as u64;
    if kept.is_empty() {
        return (Cow::Borrowed(""), dropped);
    }
    let end = kept.len();
    match text {
        Cow::Borrowed(text) if text[end..].starts_with('\n') => (Cow::Borrowed(&text[..=end]), dropped),
        Cow::Borrowed(text) => {
            let mut out = String::with_capacity(end + 1);
            out.push_str(&text[..end]);
            out.push('\n');
            (Cow::Owned(out), dropped)
        }
        Cow::Owned(mut text) => {
            text.truncate(end);
            text.push('\n');
            (Cow::Owned(text), dropped)
        }
    }
}

/// A text on one line of at most `bound` bytes: spaces for line ends and tabs, none at its ends.
pub(super) fn one_line(text: Cow<'_, str>, bound: Option<usize>) -> (Cow<'_, str>, u64) {
    let text = if text.contains(['\n', '\t']) { Cow::Owned(text.replace(['\n', '\t'], " ")) } else { text };
    let (start, whole) = (text.len() - text.trim_start_matches(' ').len(), text.trim_matches(' '));
    let kept = prefix(whole, bound.unwrap_or(usize::MAX)).trim_end_matches(' ');
    let (end, dropped) = (start + kept.len(), (whole.len() - kept.len()) as u64);
    if start == 0 && end == text.len() {
        return (text, dropped);
    }
    match text {
        Cow::Borrowed(text) => (Cow::Borrowed(&text[start..end]), dropped),
        Cow::Owned(text) => (Cow::Owned(text[start..end].to_owned()), dropped),
    }
}

/// The longest prefix of at most `room` bytes. A joiner or selector that the cut robbed of its neighbour goes too, and so do the tags
/// of a flag and a placeholder that are not whole any more.
fn prefix(text: &str, room: usize) -> &str {
    if text.len() <= room {
        return text;
    }
    let end = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let text = text[..end].trim_end_matches(|c| is_tag(c) || conditional_class(c).is_some());
    match text.rfind('[').map(|at| (at, &text[at..])) {
        Some((at, end)) if !end.contains(']') && (end.starts_with(PLACEHOLDER) || PLACEHOLDER.starts_with(end)) => {
            &text[..at]
        }
        _ => text,
    }
}
