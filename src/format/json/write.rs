//! The canonical writer (RFC 8785).

use super::cursor::plain_prefix;
use super::{Json, Object};

/// The canonical bytes of a value, without a trailing newline.
pub fn to_vec(value: &Json<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    append(value, &mut out);
    out
}

/// Appends the canonical bytes of a value.
pub fn append(value: &Json<'_>, out: &mut Vec<u8>) {
    match value {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Number(number) => number.append(out),
        Json::String(text) => append_text(text, out),
        Json::Array(items) => append_list(items, append, out),
        Json::Object(object) => append_object(object, out),
    }
}

/// Appends an array of items that are written by `append`.
pub(in crate::format) fn append_list<T>(items: &[T], append: fn(&T, &mut Vec<u8>), out: &mut Vec<u8>) {
    out.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        append(item, out);
    }
    out.push(b']');
}

fn append_object(object: &Object<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, value)) in object.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        append_text(name, out);
        out.push(b':');
        append(value, out);
    }
    out.push(b'}');
}

/// Copies runs of plain bytes and escapes only what RFC 8785 §3.2.2.2 names.
pub fn append_text(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    out.reserve(rest.len() + 2);
    out.push(b'"');
    loop {
        let (plain, special) = rest.split_at(plain_prefix(rest));
        out.extend_from_slice(plain);
        let [byte, after @ ..] = special else { break };
        append_escape(*byte, out);
        rest = after;
    }
    out.push(b'"');
}

fn append_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(b"\\u00");
            out.extend([HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            return;
        }
    };
    out.extend([b'\\', short]);
}
