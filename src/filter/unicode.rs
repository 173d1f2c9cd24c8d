//! Line ends and Unicode safety: one pass for what goes in any case, one for what depends on its neighbours.

use std::borrow::Cow;

use super::class::{
    conditional_class, flag_len, is_joining_letter, is_mongolian, is_pictograph, is_right_to_left, is_skin_tone,
    unsafe_class,
};
use super::escape::sequence_len;
use super::notes::Notes;

/// Line ends as LF, and everything unsafe taken out and counted.
pub(super) fn strip<'t>(text: &'t str, notes: &mut Notes) -> Cow<'t, str> {
    let Some(at) = text.find(is_worth_a_look) else { return Cow::Borrowed(text) };
    let certain = strip_certain(text, at, notes);
    let conditional = certain.contains(|c| conditional_class(c).is_some());
    Cow::Owned(if conditional { strip_conditional(&certain, notes) } else { certain })
}

/// Whether [`strip`] would return the text as it is.
pub(super) fn is_safe(text: &str) -> bool {
    match text.find(is_worth_a_look) {
        None => true,
        Some(_) => strip(text, &mut Notes::new(false)) == text,
    }
}

/// Printable ASCII is most of any text and needs no table.
fn is_worth_a_look(c: char) -> bool {
    !matches!(c, ' '..='~' | '\n' | '\t')
        && (is_other_line_end(c) || unsafe_class(c).is_some() || conditional_class(c).is_some())
}

/// Everything but LF that some reader takes for the end of a line: another reader must not see another structure.
pub(super) fn is_other_line_end(c: char) -> bool {
    matches!(c, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Takes out what no neighbour can justify. The first `start` bytes are known to be fine.
fn strip_certain(text: &str, start: usize, notes: &mut Notes) -> String {
    let mut new = notes.rewrite(text);
    let mut at = start;
    new.keep_to(at);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let end = at + c.len_utf8();
        if is_other_line_end(c) {
            at = end + usize::from(rest.starts_with("\r\n"));
            new.put(at, "\n");
        } else if let Some(len) = sequence_len(rest) {
            notes.found("terminal-escape", at, at + len);
            at += len;
            new.put(at, "");
        } else if let Some(len) = flag_len(&new.out, rest) {
            at += len;
            new.keep_to(at);
        } else if let Some(class) = unsafe_class(c) {
            notes.found(class, at, end);
            at = end;
            new.put(at, "");
        } else {
            let next = text[end..].find(|c| is_worth_a_look(c) && conditional_class(c).is_none());
            at = next.map_or(text.len(), |n| end + n);
            new.keep_to(at);
        }
    }
    notes.finish(new)
}

/// Takes out joiners, selectors and marks that stand where no spelling has them. A decision looks at what was kept before and
/// at what comes next, and a next character justifies only when it always stays: so a second run changes nothing.
fn strip_conditional(text: &str, notes: &mut Notes) -> String {
    let mut new = notes.rewrite(text);
    let mut end = 0;
    while let Some((at, c, class)) = next_conditional(text, end) {
        new.keep_to(at);
        end = at + c.len_utf8();
        if is_in_place(&new.out, c, text[end..].chars().next()) {
            new.keep_to(end);
        } else {
            notes.found(class, at, end);
            new.put(end, "");
        }
    }
    notes.finish(new)
}

fn next_conditional(text: &str, from: usize) -> Option<(usize, char, &'static str)> {
    let conditional = |(at, c): (usize, char)| Some((from + at, c, conditional_class(c)?));
    text[from..].char_indices().filter(|(_, c)| !c.is_ascii()).find_map(conditional)
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
