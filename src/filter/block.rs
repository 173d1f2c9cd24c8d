//! Values of YAML that do not stand directly behind the sign: behind an anchor or a tag, and in a block of lines.

use std::ops::Range;

use super::code;
use super::value::{Value, is_mixed, spaces, stands_for_another};

/// How far before a name its line may begin, and how many lines and bytes of a block are read.
const MARGIN: usize = 256;
const BLOCK: (usize, usize) = (64, 8 << 10);

/// Words behind `&` that are those of a type in code, and no anchor.
const TYPES: [&[u8]; 4] = [b"mut", b"str", b"dyn", b"self"];

/// The value behind the `:` of a member that ends at `at`, if an anchor, a tag or the mark of a block stands there.
pub(super) fn value(text: &[u8], name: &Range<usize>, at: usize) -> Option<Range<usize>> {
    let start = at + spaces(text, at);
    let plain = undecorated(text, start)?;
    match text.get(plain)? {
        b'|' | b'>' => block(text, name.start, plain + 1),
        _ if plain > start => {
            let value = Value::read(text, b':', plain)?;
            let believable = !value.is_placeholder(text) && value.has_no_space(text) && value.is_mixed(text);
            (believable && (value.quoted || value.stands_alone(text))).then(|| value.whole(text))
        }
        _ => None,
    }
}

/// Where a value begins behind its anchor (`&name`) and the tag of a string.
fn undecorated(text: &[u8], mut at: usize) -> Option<usize> {
    for _ in 0..2 {
        let rest = text.get(at..)?;
        let word = rest.iter().take(64).skip(1).take_while(|b| b.is_ascii_alphanumeric() || b"_-!".contains(b)).count();
        let len = match rest {
            [b'&', name @ ..] if word > 0 && !TYPES.contains(&&name[..word]) => 1 + word,
            [b'!', b'!', ..] if matches!(&rest[2..=word], b"str" | b"binary") => 1 + word,
            _ => break,
        };
        let gap = spaces(text, at + len);
        if gap == 0 {
            break;
        }
        at += len + gap;
    }
    Some(at)
}

/// The lines of a block scalar, whose mark ends at `at`: those that are indented more than the name. Lines of a diff have a mark before.
fn block(text: &[u8], name: usize, mut at: usize) -> Option<Range<usize>> {
    at += text[at..].iter().take(2).take_while(|b| matches!(b, b'+' | b'-' | b'1'..=b'9')).count();
    at += spaces(text, at);
    let first = match text.get(at)? {
        b'\n' => at + 1,
        b'\r' if text.get(at + 1) == Some(&b'\n') => at + 2,
        b'#' => at + memchr::memchr(b'\n', &text[at..text.len().min(at + MARGIN)])? + 1,
        _ => return None,
    };
    // A mark of a diff may stand in a name, too.
    let name = name + text[name..].iter().take_while(|b| **b == b'-').count();
    let margin = &text[name.saturating_sub(MARGIN)..name];
    let column = match memchr::memrchr(b'\n', margin) {
        Some(end) => margin.len() - end - 1,
        None if margin.len() == name => name,
        None => return None,
    };
    let before = &text[name - column..name];
    let is_marked = before.first().is_some_and(|b| matches!(b, b'+' | b'-' | b' '));
    if !before.iter().skip(1).all(|b| matches!(b, b' ' | b'-' | b'"' | b'\'')) || !is_marked && column > 0 {
        return None;
    }
    let mut found: Option<Range<usize>> = None;
    let (mut from, mut lines) = (first, 0);
    for line in text[first..text.len().min(first + BLOCK.1)].split_inclusive(|b| *b == b'\n').take(BLOCK.0) {
        let content = line.trim_ascii_end();
        let (start, next) = (from, from + line.len());
        from = next;
        let indent = content.iter().skip(1).take_while(|b| **b == b' ').count() + usize::from(!content.is_empty());
        let has_mark = content.first().is_some_and(|b| *b == b' ' || is_marked && matches!(b, b'+' | b'-'));
        if content.len() <= usize::from(has_mark) {
            continue;
        }
        if !has_mark || indent <= column {
            break;
        }
        // Words in a row are a text about a secret.
        if content[indent..].contains(&b' ') {
            return None;
        }
        lines += 1;
        let begin = found.map_or(start + indent, |found| found.start);
        found = Some(begin..start + content.len());
    }
    // One line alone is judged as a value behind the sign is.
    let is_value = |value: &[u8]| is_mixed(value) && !stands_for_another(value) && !code::is_reference(value);
    found.filter(|range| range.len() >= 8 && (lines > 1 || is_value(&text[range.clone()])))
}
