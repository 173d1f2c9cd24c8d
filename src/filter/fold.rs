//! Letters that look like those of ASCII, as a reader takes them: what a detector of phrases reads. Nothing of it is ever shown.

use std::borrow::Cow;

use super::notes::Notes;

/// The text with letters and spaces of ASCII for those that look the same, or the text itself when it has none.
pub(super) fn folded<'t>(text: &'t str, notes: &mut Notes) -> Option<Cow<'t, str>> {
    let first = text.find(|c| letter(c).is_some())?;
    let mut new = notes.rewrite(text);
    new.keep_to(first);
    for (at, c) in text[first..].char_indices() {
        let end = first + at + c.len_utf8();
        match letter(c) {
            Some(byte) => new.put(end, char::from(byte).encode_utf8(&mut [0; 4])),
            None => new.keep_to(end),
        }
    }
    Some(Cow::Owned(notes.finish(new)))
}

/// The letter of ASCII that a character is a form of (compatibility forms of Unicode), or that it is made to be taken for.
fn letter(c: char) -> Option<u8> {
    if c.is_ascii() {
        return None;
    }
    let code = u32::from(c);
    let nth = |start: u32, first: u8| Some(first + (code - start) as u8);
    let alternating = |start: u32| {
        let at = ((code - start) % 52) as u8;
        Some(if at < 26 { b'A' + at } else { b'a' + at - 26 })
    };
    match c {
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' => Some(b' '),
        '\u{ff21}'..='\u{ff3a}' => nth(0xff21, b'A'),
        '\u{ff41}'..='\u{ff5a}' => nth(0xff41, b'a'),
        '\u{24b6}'..='\u{24cf}' => nth(0x24b6, b'A'),
        '\u{24d0}'..='\u{24e9}' => nth(0x24d0, b'a'),
        '\u{1f130}'..='\u{1f149}' => nth(0x1f130, b'A'),
        '\u{1d400}'..='\u{1d6a3}' => alternating(0x1d400),
        _ => look_alike(c),
    }
}

/// Letters of Cyrillic and Greek whose form is one of Latin.
fn look_alike(c: char) -> Option<u8> {
    if !matches!(c, '\u{370}'..='\u{52f}') {
        return None;
    }
    const PAIRS: &str = "аaеeоoрpсcуyхxіiѕsјjԁdһhАAВBЕEКKМMНHОOРPСCТTХXІIЅSαaοoρpνvιi";
    let mut pairs = PAIRS.chars();
    while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
        if from == c {
            return u8::try_from(to).ok();
        }
    }
    None
}
