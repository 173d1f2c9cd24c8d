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

/// Characters that do something instead of showing something: controls, line separators, directions, tags and the invisible. What
/// joins letters and chooses between the forms of one (U+200C, U+200D, U+FE0E, U+FE0F, the Mongolian selectors) stays.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        )
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}')
        || matches!(c, '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        || matches!(c, '\u{fdd0}'..='\u{fdef}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(c) & 0xfffe == 0xfffe
}
