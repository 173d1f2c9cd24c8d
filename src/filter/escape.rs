//! Terminal escape sequences (ECMA-48): taken out whole, since half of one is garbage that hides its neighbour.

/// How many bytes an escape sequence has that begins at the start of the text, or `None` when none does.
///
/// A string sequence (OSC, DCS, SOS, PM, APC) ends at its terminator. One that has none before the end of its line, or before
/// another control character, is only its introducer: what a terminal would have swallowed stays in sight.
pub(super) fn sequence_len(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    match chars.next()? {
        '\u{1b}' => Some(1 + after_escape(&text[1..])),
        '\u{9b}' => Some(2 + control_len(&text[2..])),
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => Some(2 + string_len(&text[2..])),
        _ => None,
    }
}

fn after_escape(rest: &str) -> usize {
    match rest.as_bytes().first() {
        Some(b'[') => 1 + control_len(&rest[1..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => 1 + string_len(&rest[1..]),
        Some(0x30..=0x7e) => 1,
        Some(0x20..=0x2f) => {
            let between = run(rest, |b| matches!(b, 0x20..=0x2f));
            between + usize::from(matches!(rest.as_bytes().get(between), Some(0x30..=0x7e)))
        }
        _ => 0,
    }
}

/// Parameters, intermediates and the final byte of a control sequence, as far as they are there.
fn control_len(rest: &str) -> usize {
    let parameters = run(rest, |b| matches!(b, 0x30..=0x3f));
    let at = parameters + run(&rest[parameters..], |b| matches!(b, 0x20..=0x2f));
    at + usize::from(matches!(rest.as_bytes().get(at), Some(0x40..=0x7e)))
}

/// The text of a string sequence with its terminator, or 0 when it is not terminated.
fn string_len(rest: &str) -> usize {
    let Some(end) = rest.find(|c: char| c.is_control() && c != '\t') else { return 0 };
    match &rest.as_bytes()[end..] {
        [0x07, ..] => end + 1,
        [0x1b, b'\\', ..] | [0xc2, 0x9c, ..] => end + 2,
        _ => 0,
    }
}

fn run(text: &str, of: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|b| of(*b)).count()
}
