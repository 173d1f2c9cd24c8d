//! Text from a tree as a terminal may see it.

use std::borrow::Cow;

/// The text with every character escaped that moves a cursor, hides or reorders: nothing that a forge or a manifest says
/// can change what the lines around it show. Tab and line feed stay when `lines` is set.
pub fn plain(text: &str, lines: bool) -> Cow<'_, str> {
    let bad = |c: char| is_hazard(c) && !(lines && matches!(c, '\t' | '\n'));
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if bad(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Controls, separators of lines, invisible marks, bidirectional controls, tags.
fn is_hazard(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
