//! Line ends and Unicode safety: one pass for what goes in any case, one for what depends on its neighbours.

use std::borrow::Cow;

use super::Findings;
use super::class::{
    conditional_class, is_joining_letter, is_mongolian, is_pictograph, is_right_to_left, is_skin_tone, unsafe_class,
};
use super::escape::sequence_len;

/// Line ends as LF, and everything unsafe taken out and counted.
pub(super) fn strip(text: &str) -> (Cow<'_, str>, Findings) {
    let mut findings = Findings::new();
    let Some(at) = text.find(is_worth_a_look) else { return (Cow::Borrowed(text), findings) };
    let certain = strip_certain(text, at, &mut findings);
    let conditional = certain.contains(|c| conditional_class(c).is_some());
    let text = if conditional { strip_conditional(&certain, &mut findings) } else { certain };
    (Cow::Owned(text), findings)
}

/// Whether [`strip`] would return the text as it is.
pub(super) fn is_safe(text: &str) -> bool {
    match text.find(is_worth_a_look) {
        None => true,
        Some(_) => strip(text).0 == text,
    }
}

/// Printable ASCII is most of any text and needs no table.
fn is_worth_a_look(c: char) -> bool {
    !matches!(c, ' '..='~' | '\n' | '\t')
        && (is_line_end(c) || unsafe_class(c).is_some() || conditional_class(c).is_some())
}

/// Everything that some reader takes for the end of a line: another reader must not see another structure.
fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Takes out what no neighbour can justify. The first `start` bytes are known to be fine.
fn strip_certain(text: &str, start: usize, findings: &mut Findings) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    out.push_str(&text[..start]);
    let mut rest = &text[start..];
    while let Some(c) = rest.chars().next() {
        let mut len = c.len_utf8();
        if is_line_end(c) {
            len += usize::from(rest.starts_with("\r\n"));
            out.push('\n');
        } else if let Some(sequence) = sequence_len(rest) {
            len = sequence;
            *findings.entry("terminal-escape").or_default() += 1;
        } else if let Some(class) = unsafe_class(c) {
            *findings.entry(class).or_default() += 1;
        } else {
            len = rest[len..]
                .find(|c| is_worth_a_look(c) && conditional_class(c).is_none())
                .map_or(rest.len(), |n| len + n);
            out.push_str(&rest[..len]);
        }
        rest = &rest[len..];
    }
    out
}

/// Takes out joiners, selectors and marks that stand where no spelling has them. A decision looks at what was kept before and
/// at what comes next, and a next character justifies only when it always stays: so a second run changes nothing.
fn strip_conditional(text: &str, findings: &mut Findings) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    let mut rest = text;
    while let Some((at, c, class)) = next_conditional(rest) {
        out.push_str(&rest[..at]);
        rest = &rest[at + c.len_utf8()..];
        if is_in_place(&out, c, rest.chars().next()) {
            out.push(c);
        } else {
            *findings.entry(class).or_default() += 1;
        }
    }
    out.push_str(rest);
    out
}

fn next_conditional(text: &str) -> Option<(usize, char, &'static str)> {
    text.char_indices().find_map(|(at, c)| if c.is_ascii() { None } else { Some((at, c, conditional_class(c)?)) })
}

/// Whether a spelling has the code point between these two.
fn is_in_place(before: &str, c: char, next: Option<char>) -> bool {
    let mut back = before.chars().rev();
    let (last, second) = (back.next(), back.next());
    let last_is = |is: fn(char) -> bool| last.is_some_and(is);
    let next_is = |is: fn(char) -> bool| next.is_some_and(is);
    match c {
        '\u{200d}' if last_is(is_joining_letter) => true,
        '\u{200d}' => {
            let modified = last_is(|c| is_skin_tone(c) || c == '\u{fe0f}') && second.is_some_and(is_pictograph);
            next_is(is_pictograph) && (last_is(is_pictograph) || modified)
        }
        '\u{200c}' => last_is(is_joining_letter),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => last_is(is_right_to_left) || next_is(is_right_to_left),
        '\u{fe0e}' | '\u{fe0f}' => last_is(is_pictograph) || (last_is(is_keycap) && next == Some('\u{20e3}')),
        _ => last_is(is_mongolian),
    }
}

fn is_keycap(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*')
}
