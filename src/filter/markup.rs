//! Secrets as markup and lists of variables have them: the content of an element, and a value that stands apart from its name.

use std::ops::Range;

use super::value::{Value, is_mixed, spaces, stands_for_another};

/// The most bytes of the attributes of an element, of what stands between a name and its value, and of the content of an element.
const GAP: usize = 128;
const CONTENT: usize = 1024;

/// Whether what stands around a name is such that [`value`] may find something: a bracket, a quote, or a sign before it.
pub(super) fn may_be(text: &[u8], name: &Range<usize>, after: u8) -> bool {
    let before = text[..name.start].iter().rev().take(4).find(|b| **b != b' ').copied().unwrap_or_default();
    b"<:=>\"'".contains(&before) && (after.is_ascii_whitespace() || b"<>\"',".contains(&after))
}

/// The value of a name that no sign follows.
pub(super) fn value(text: &[u8], name: &Range<usize>, is_strong: bool) -> Option<Range<usize>> {
    let before = &text[name.start.saturating_sub(GAP)..name.start];
    let rest = &text[name.end..];
    let content = if is_tag(before) {
        let attributes = rest.iter().take(GAP).position(|b| matches!(b, b'<' | b'>'))?;
        let closes = rest[attributes] == b'<' || rest[..attributes].ends_with(b"/");
        let is_whole_name = attributes == 0 || rest[0].is_ascii_whitespace();
        (!closes && is_whole_name).then_some(name.end + attributes + 1)
    } else if before.ends_with(b"<key>") {
        rest.strip_prefix(b"</key>").and_then(|rest| {
            let string = rest.trim_ascii_start().strip_prefix(b"<string>")?;
            Some(text.len() - string.len())
        })
    } else {
        return paired(text, before, name.end, is_strong);
    };
    element(text, content?, is_strong)
}

/// Whether what stands before a name opens an element of that name; it may have a prefix.
fn is_tag(before: &[u8]) -> bool {
    let prefix = before.strip_suffix(b":").map_or(before, |rest| {
        let prefix = rest.iter().rev().take(16).take_while(|b| b.is_ascii_alphanumeric()).count();
        &rest[..rest.len() - prefix]
    });
    prefix.ends_with(b"<")
}

/// The content of an element up to the next tag, which closes one. A word that begins with a capital is a label in some language.
fn element(text: &[u8], start: usize, is_strong: bool) -> Option<Range<usize>> {
    let rest = &text[start..text.len().min(start + CONTENT)];
    let (shift, raw) = match rest.trim_ascii_start().strip_prefix(b"<![CDATA[") {
        Some(data) => (rest.len() - data.len(), &data[..memchr::memmem::find(data, b"]]>")?]),
        None => (0, &rest[..memchr::memchr(b'<', rest).filter(|at| rest[at + 1..].starts_with(b"/"))?]),
    };
    let value = raw.trim_ascii();
    let begin = start + shift + (raw.len() - raw.trim_ascii_start().len());
    let is_label = value.iter().skip(1).all(|b| b.is_ascii_lowercase() || !b.is_ascii());
    let is_one = value.len() >= 8 && !value.iter().any(u8::is_ascii_whitespace) && !stands_for_another(value);
    let believable = is_one && (is_mixed(value) || is_strong && !is_label);
    believable.then(|| begin..begin + value.len())
}

/// The value of a variable whose name is itself a value: `<add key="NAME" value="…"/>`, `{"name":"NAME","value":"…"}`, and the same in YAML.
fn paired(text: &[u8], before: &[u8], end: usize, is_strong: bool) -> Option<Range<usize>> {
    let quote = before.last().copied().filter(|b| matches!(b, b'"' | b'\''));
    let sign = before[..before.len() - usize::from(quote.is_some())].trim_ascii_end();
    let key = sign.strip_suffix(b"=").or_else(|| sign.strip_suffix(b":"))?.trim_ascii_end();
    let key = key.strip_suffix(b"\"").or_else(|| key.strip_suffix(b"'")).unwrap_or(key);
    if !ends_with_word(key, b"name") && !ends_with_word(key, b"key") {
        return None;
    }
    let mut at = end;
    if let Some(quote) = quote {
        at += usize::from(text.get(at) == Some(&quote));
        if text.get(at) == Some(&b'>') {
            return element(text, at + 1, is_strong);
        }
    }
    let gap = |b: &&u8| b.is_ascii_whitespace() || b",+-\"'".contains(b);
    let between = text[at..].iter().take(GAP).take_while(gap).count();
    let word = text.get(at + between..at + between + 5)?;
    if between == 0 || !word.eq_ignore_ascii_case(b"value") {
        return None;
    }
    at += between + 5;
    at += text[at..].iter().take(1).take_while(|b| matches!(b, b'"' | b'\'')).count();
    at += spaces(text, at);
    let sign = *text.get(at).filter(|b| matches!(b, b':' | b'='))?;
    let value = Value::read(text, sign, at + 1)?;
    let believable = !value.is_placeholder(text) && value.has_no_space(text);
    let shown = value.is_mixed(text) && (value.quoted || value.stands_alone(text)) || value.quoted && is_strong;
    (believable && shown).then(|| value.whole(text))
}

fn ends_with_word(text: &[u8], word: &[u8]) -> bool {
    let Some(at) = text.len().checked_sub(word.len()) else { return false };
    let is_begun = at == 0 || !text[at - 1].is_ascii_alphanumeric();
    is_begun && text[at..].eq_ignore_ascii_case(word)
}
