//! Escapes as JSON, programs, addresses and HTML spell them: what stands behind one begins a word, and one inside of a word is a letter.

use super::class::{conditional_class, unsafe_class};
use super::notes::Notes;

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

/// How often an escape may itself be escaped (`\\\\u005f`, `%25255f`, `&amp;amp;#95;`).
const NESTED: usize = 4;

/// The names that HTML has for signs of tokens, and for what nobody sees.
const NAMED: [(&str, char); 6] = [
    ("lowbar;", '_'),
    ("UnderBar;", '_'),
    ("hyphen;", '-'),
    ("dash;", '-'),
    ("period;", '.'),
    ("ZeroWidthSpace;", '\u{200b}'),
];

/// The text with the letters, digits and signs of tokens that it spells with escapes, and without the escapes of what nobody sees;
/// `None` when it has none. No encoder spells them so without need: whoever does wants to be read by a program and not by a person.
pub(super) fn plain(text: &str, notes: &mut Notes) -> Option<String> {
    let mut found = memchr::memchr3_iter(b'\\', b'%', b'&', text.as_bytes())
        .filter_map(|at| escape(&text.as_bytes()[at..]).map(|(len, c)| (at, at + len, c)))
        .peekable();
    found.peek()?;
    let mut new = notes.rewrite(text);
    let mut end = 0;
    for (start, next, c) in found {
        // A sign inside of an escape.
        if start < end {
            continue;
        }
        end = next;
        new.keep_to(start);
        let mut spelled = [0; 4];
        new.put(end, if c.is_ascii() { c.encode_utf8(&mut spelled) } else { "" });
    }
    Some(notes.finish(new))
}

/// The character that an escape at the beginning of a text spells, and how long it is, when that is a sign of tokens or invisible.
fn escape(text: &[u8]) -> Option<(usize, char)> {
    let (len, c) = match text[0] {
        b'&' => entity(text)?,
        _ => match unit(text)? {
            (len, Unit::Char(c)) => (len, c),
            (len, Unit::Byte(byte)) => character(text, len, byte)?,
        },
    };
    let is_sign = c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_unseen = !c.is_ascii() && (unsafe_class(c).is_some() || conditional_class(c).is_some());
    (is_sign || is_unseen).then_some((len, c))
}

/// What one escape spells: a character, or a byte of one.
enum Unit {
    Char(char),
    Byte(u8),
}

/// `\u005f`, `\u{5f}`, `\U0000005f`, `\x5f`, `\137` or `%5f`.
fn unit(text: &[u8]) -> Option<(usize, Unit)> {
    let number = |digits: &[u8], base: u32| u32::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok();
    let hex = |at: usize, count: usize| {
        let digits = text.get(at..at + count).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        number(digits, 16)
    };
    if text[0] == b'%' {
        let nested = text[1..].chunks_exact(2).take(NESTED).take_while(|two| *two == b"25").count();
        let at = 1 + 2 * nested;
        // The last one may be the sign itself.
        return hex(at, 2).and_then(|byte| u8::try_from(byte).ok()).map(|byte| (at + 2, Unit::Byte(byte)));
    }
    let at = text.iter().take(NESTED).take_while(|b| **b == b'\\').count();
    let char_at = |code: Option<u32>, len: usize| Some((len, Unit::Char(char::from_u32(code?)?)));
    match text.get(at..)? {
        [b'u', b'{', rest @ ..] => {
            let count = rest.iter().take(6).take_while(|b| b.is_ascii_hexdigit()).count();
            (rest.get(count) == Some(&b'}')).then(|| char_at(number(&rest[..count], 16), at + count + 3))?
        }
        [b'u', ..] => char_at(hex(at + 1, 4), at + 5),
        [b'U', ..] => char_at(hex(at + 1, 8), at + 9),
        [b'x', ..] => Some((at + 3, Unit::Byte(u8::try_from(hex(at + 1, 2)?).ok()?))),
        [b'0'..=b'3', b'0'..=b'7', b'0'..=b'7', ..] => {
            Some((at + 3, Unit::Byte(u8::try_from(number(&text[at..at + 3], 8)?).ok()?)))
        }
        _ => None,
    }
}

/// The character whose first byte was read, with the escapes of its others.
fn character(text: &[u8], mut len: usize, first: u8) -> Option<(usize, char)> {
    let mut bytes = vec![first];
    let count = match first {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    while bytes.len() < count {
        let (more, Unit::Byte(byte)) = unit(text.get(len..).filter(|rest| matches!(rest, [b'\\' | b'%', ..]))?)? else {
            return None;
        };
        bytes.push(byte);
        len += more;
    }
    Some((len, std::str::from_utf8(&bytes).ok()?.chars().next()?))
}

/// `&#95;`, `&#x5f;` or a name.
fn entity(text: &[u8]) -> Option<(usize, char)> {
    let nested = text[1..].chunks_exact(4).take(NESTED).take_while(|four| *four == b"amp;").count();
    let at = 1 + 4 * nested;
    let rest = text.get(at..)?;
    if let Some((name, c)) = NAMED.iter().find(|(name, _)| rest.starts_with(name.as_bytes())) {
        return Some((at + name.len(), *c));
    }
    let (start, base) = match rest {
        [b'#', b'x' | b'X', ..] => (2, 16),
        [b'#', ..] => (1, 10),
        _ => return None,
    };
    let count = rest[start..].iter().take(8).take_while(|b| b.is_ascii_hexdigit()).count();
    let digits = std::str::from_utf8(&rest[start..start + count]).ok()?;
    let c = char::from_u32(u32::from_str_radix(digits, base).ok()?)?;
    (rest.get(start + count) == Some(&b';')).then_some((at + start + count + 1, c))
}
