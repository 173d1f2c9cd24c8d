//! The floor of Unicode safety that readers of another layout rely on: it knows no spelling that needs an invisible code point.

use std::borrow::Cow;

use super::class::{conditional_class, unsafe_class};
use super::notes::Notes;

/// Takes out what [`super::unicode::strip`] left because a spelling has it there.
pub(super) fn strip<'t>(text: Cow<'t, str>, notes: &mut Notes) -> Cow<'t, str> {
    let left = |(at, c): (usize, char)| Some((at, at + c.len_utf8(), class(c)?));
    let found: Vec<_> = text.char_indices().filter(|(_, c)| !c.is_ascii()).filter_map(left).collect();
    for (start, end, class) in &found {
        notes.found(class, *start, *end);
    }
    let parts: Vec<_> = found.into_iter().map(|(start, end, _)| (start, end, String::new())).collect();
    notes.replace(text, &parts)
}

fn class(c: char) -> Option<&'static str> {
    // Marks of numbers and verses, which are seen, and still format characters (Cf).
    let is_format = matches!(
        c,
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{110bd}' | '\u{110cd}'
    );
    unsafe_class(c).or(conditional_class(c)).or(is_format.then_some("other-control"))
}
