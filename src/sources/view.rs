//! How a path or a quoted line is shown: what could move a cursor, hide text or break a line is spelled out.
//!
//! Only the shown text changes. Digests are always those of the text as read, and the JSON line of a reference names the true path.

use std::borrow::Cow;

/// A path on one line.
pub fn path(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// A quoted line; tabs stay.
pub fn line(text: &str) -> Cow<'_, str> {
    shown(text, |c| c == '\t')
}

/// Several lines; tabs and line feeds stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    shown(text, |c| matches!(c, '\t' | '\n'))
}

fn shown(text: &str, stays: fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| acts(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) && !stays(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Characters that do something instead of showing something: controls, line separators, directions, tags and the invisible.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}
