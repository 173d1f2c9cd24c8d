//! Source references and the context that lists them: `openagents.repository-source.v1`, `openagents.repository-context.v1`.
//!
//! Both keep the spelling and the member order of the format they come from, not ours.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::digest::Digest;
use super::evidence::{Manifest, Selection};
use super::json::Json;

/// The schema name of a reference.
pub const SCHEMA: &str = "openagents.repository-source.v1";

/// One quoted line: where it stood, and the digests of the whole text read and of the excerpt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "schema", rename = "openagents.repository-source.v1")]
pub struct Reference {
    /// The path below the root of the repository, with `/` between segments.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// [`super::atif::text_digest`] of the complete text that was read.
    #[serde(serialize_with = "bare_hex")]
    pub source_digest: Digest,
    /// [`super::atif::text_digest`] of the excerpt, without a line end.
    #[serde(serialize_with = "bare_hex")]
    pub excerpt_digest: Digest,
    /// True when the excerpt is shorter than its line.
    pub truncated: bool,
    /// The commit that was checked out, when there was one. It says nothing about uncommitted changes.
    pub base: Option<String>,
}

/// What a collection saw and rendered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "schema", rename = "openagents.repository-context.v1")]
pub struct Context {
    /// The search terms in the spelling of the draft.
    pub terms: Vec<String>,
    /// Exactly the references that the block shows, in its order.
    pub references: Vec<Reference>,
    /// The coverage diagnostics in byte order.
    pub diagnostics: Vec<String>,
    /// Digest of the rendered block, the line of diagnostics included.
    #[serde(serialize_with = "bare_hex")]
    pub rendered_digest: Digest,
    /// Digest of the repository card.
    #[serde(serialize_with = "bare_hex")]
    pub card_digest: Digest,
    /// Every candidate and omission of the observation; absent where only references were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Manifest>,
    /// The judgment that ordered the block; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
}

/// The directory of a stage that holds quotes.
pub const DIRECTORY: &str = "sources";

/// The file of a stage that lists its references.
pub const REFERENCES: &str = "sources/references.json";

/// What a collection quotes, for a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Quotes {
    /// The rendered block.
    pub block: String,
    /// The record.
    pub context: Context,
    /// What is quoted for each reference of the record.
    pub excerpts: Vec<Quoted>,
}

/// A quoted line as a stage may show it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quoted {
    /// The text.
    pub text: String,
    /// What was found in the line and is not shown, by class.
    pub findings: BTreeMap<&'static str, u64>,
    /// The size of the line in bytes, when nothing of it is shown.
    pub withheld: Option<usize>,
}

/// A text that is not what it must be to hold source references.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotASource {
    /// Neither a reference nor anything that lists references.
    #[error("neither a source reference nor a record that lists some")]
    Unrecognised,
    /// A member that is missing or of another type.
    #[error("a source reference lacks the member {0:?}, or it is not what it must be")]
    Member(&'static str),
}

impl Reference {
    /// The compact JSON object, members in the order of the format.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("strings, numbers and booleans always serialise")
    }

    /// Reads a reference. Members that the schema does not name are passed over: the schema's own version says what the rest means.
    ///
    /// # Errors
    /// [`NotASource`] names the first member that is wrong.
    pub fn from_json(value: &Json<'_>) -> Result<Self, NotASource> {
        let text = |name: &'static str| value.get(name).and_then(Json::as_str).ok_or(NotASource::Member(name));
        let digest = |name: &'static str| Digest::from_hex(text(name)?).ok_or(NotASource::Member(name));
        if text("schema")? != SCHEMA {
            return Err(NotASource::Member("schema"));
        }
        let base = match value.get("base") {
            Some(Json::Null) => None,
            Some(Json::String(base)) => Some(base.to_string()),
            _ => return Err(NotASource::Member("base")),
        };
        let path = text("path").ok().filter(|path| !path.is_empty()).ok_or(NotASource::Member("path"))?;
        Ok(Self {
            path: path.to_owned(),
            line: value.get("line").and_then(Json::as_u64).filter(|n| *n > 0).ok_or(NotASource::Member("line"))?,
            source_digest: digest("source_digest")?,
            excerpt_digest: digest("excerpt_digest")?,
            truncated: value.get("truncated").and_then(Json::as_bool).ok_or(NotASource::Member("truncated"))?,
            base,
        })
    }
}

/// The references in a value: one reference, a list of such values, a context, or an object with a context in its
/// `context` or `repository_context` member (what `sources collect --json` prints, a step of a trace), or a list under `references`.
///
/// # Errors
/// [`NotASource`] when the value is none of these, or one reference in it is malformed: nothing is passed over in silence.
pub fn references_in(value: &Json<'_>) -> Result<Vec<Reference>, NotASource> {
    if let Some(items) = value.as_array() {
        return items.iter().map(references_in).collect::<Result<Vec<_>, _>>().map(|lists| lists.concat());
    }
    if value.get("schema").and_then(Json::as_str) == Some(SCHEMA) {
        return Reference::from_json(value).map(|reference| vec![reference]);
    }
    if let Some(items) = value.get("references").and_then(Json::as_array) {
        return items.iter().map(Reference::from_json).collect();
    }
    ["context", "repository_context", "extensions", "extra"]
        .iter()
        .find_map(|name| value.get(name))
        .filter(|inner| inner.as_object().is_some())
        .ok_or(NotASource::Unrecognised)
        .and_then(references_in)
}

/// Foreign records write digests as bare hex.
pub(super) fn bare_hex<S: Serializer>(digest: &Digest, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&digest.hex())
}
