//! Text of strangers inside Markdown of ours: it may look as it likes, and never become structure.

use super::view::View;
use crate::filter;

/// A text on one line with every character escaped that Markdown or HTML reads, at most `most` bytes of it.
pub(super) fn inline(view: &View<'_>, text: &str, most: usize) -> String {
    let (line, is_cut) = view.line(text, most).unwrap_or_else(|| {
        let (line, is_cut) = filter::visible_line(text, most);
        (line.into_owned(), is_cut)
    });
    let mut out = escaped(&line);
    if is_cut {
        out.push('…');
    }
    out
}

/// A line with every character escaped that Markdown or HTML reads.
pub(super) fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    for c in line.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '#' | '&' | '!' | '$') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Appends a text as a quotation, a mark before each line: nothing in it can end the quotation, whatever ends a line.
pub(super) fn append_quoted(out: &mut String, text: &str) {
    for line in lines(text) {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
}

/// Appends a text in a fence that is longer than any run of backticks in it.
pub(super) fn append_fenced(out: &mut String, info: &str, text: &str) {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    out.push_str(&fence);
    out.push_str(info);
    out.push('\n');
    for line in lines(text) {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&fence);
    out.push('\n');
}

/// The lines of a text by every line end that Markdown knows: LF, CRLF and CR alone.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
