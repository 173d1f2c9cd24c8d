//! The digest that source references use: SHA-256 over a compact JSON text with sorted keys, never over a file as it lies on disk.
//!
//! It is not RFC 8785: keys are ordered by code points, and numbers stand as serde_json prints them. For a string both agree.

use serde_json::Value;

use super::digest::Digest;
use super::json::{self, Json};

/// The digest of a text: SHA-256 over the text as a JSON string, quotes and escapes included.
pub fn text_digest(text: &str) -> Digest {
    let mut quoted = Vec::with_capacity(text.len() + text.len() / 16 + 2);
    json::append(&Json::from(text), &mut quoted);
    Digest::of(&quoted)
}

/// The digest of any value: SHA-256 over [`canonical`].
pub fn digest(value: &Value) -> Digest {
    Digest::of(canonical(value).as_bytes())
}

/// The compact text with the members of every object sorted by the bytes of their names.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    append(value, &mut out);
    out
}

/// Sorts explicitly: whether `serde_json` keeps its maps sorted depends on a feature that any crate may switch on.
fn append(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                append(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (at, (name, member)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                append(&Value::from(name.as_str()), out);
                out.push(':');
                append(member, out);
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}
