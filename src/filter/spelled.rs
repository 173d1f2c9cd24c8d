//! Escapes as JSON, programs and addresses spell them: what stands behind one begins a word.

/// The longest escape that is looked for.
const LONGEST: usize = 24;

/// Whether an escape ends where a text ends: `\n`, `\x1b`, `\u001b`, `\033`, `%20` (also `%2520`), `=0A` of quoted-printable, or a
/// colour or erasure whose escape character was spelled out or lost (`[31m`, `[K`).
pub(super) fn ends_with_escape(text: &[u8]) -> bool {
    let end = &text[text.len().saturating_sub(LONGEST)..];
    is_hex(end)
        || is_octal(end)
        || is_color(end)
        || matches!(end, [.., b'\\', b'a' | b'b' | b'e' | b'f' | b'n' | b'r' | b't' | b'v'])
}

fn is_hex(end: &[u8]) -> bool {
    let before = |count: usize| {
        let (head, digits) = end.split_at_checked(end.len().checked_sub(count)?)?;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(head)
    };
    matches!(before(2), Some([.., b'%' | b'='] | [.., b'%', b'2', b'5'] | [.., b'\\', b'x']))
        || matches!(before(4), Some([.., b'\\', b'u']))
        || matches!(before(8), Some([.., b'\\', b'U']))
}

fn is_octal(end: &[u8]) -> bool {
    let digits = end.iter().rev().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    (1..=3).any(|count| count <= digits && end[..end.len() - count].ends_with(b"\\"))
}

fn is_color(end: &[u8]) -> bool {
    let Some((b'm' | b'K' | b'J' | b'H', parameters)) = end.split_last() else { return false };
    let count = parameters.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    parameters[..parameters.len() - count].ends_with(b"[")
}
