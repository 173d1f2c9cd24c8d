//! The `sources/` part of a stage: the evidence block, the references and the quoted excerpts as files.

use super::excerpt::Excerpt;
use super::view;
use crate::format::json::{self, Json, Object};
use crate::format::source::Context;

/// The directory of the part.
pub const DIRECTORY: &str = "sources";

/// The file that lists the references, which `sources check` reads back.
pub const REFERENCES: &str = "sources/references.json";

/// One file of the part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The path below the entity.
    pub path: String,
    /// `evidence`, `context`, `references` or `excerpt`.
    pub role: &'static str,
    /// The media type.
    pub media_type: &'static str,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The files of a collection, sorted by path. JSON is canonical; texts are shown safely and end in a line feed, also where the excerpt does not.
pub fn stage_part(block: &str, context: &Context, excerpts: &[Excerpt]) -> Vec<Part> {
    let json = |path: &str, role, value: &str| {
        let value = json::parse(value.as_bytes()).expect("what was serialised here is JSON of our profile");
        Part { path: path.to_owned(), role, media_type: "application/json", bytes: json::to_vec(&value) }
    };
    let text = |path: String, role, text: &str| {
        let mut bytes = view::lines(text).into_owned().into_bytes();
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        Part { path, role, media_type: "text/plain", bytes }
    };
    let lines: Vec<String> = context.references.iter().map(|reference| reference.to_line()).collect();
    let listed = lines.iter().filter_map(|line| json::parse(line.as_bytes()).ok()).collect();
    let mut references = Object::new();
    references.set("references", Json::Array(listed));
    let whole = serde_json::to_string(context).expect("strings, numbers and booleans always serialise");
    let mut parts = vec![
        json("sources/context.json", "context", &whole),
        text("sources/evidence.txt".to_owned(), "evidence", block),
        Part {
            path: REFERENCES.to_owned(),
            role: "references",
            media_type: "application/json",
            bytes: json::to_vec(&Json::Object(references)),
        },
    ];
    for (at, excerpt) in excerpts.iter().enumerate() {
        parts.push(text(format!("sources/excerpts/{:04}.txt", at + 1), "excerpt", &excerpt.text));
    }
    parts.sort_by(|a, b| a.path.cmp(&b.path));
    parts
}
