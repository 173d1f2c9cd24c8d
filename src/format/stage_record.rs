//! The record of a stage, `stages/<index digest>.json`: what was asked for, by which rules. Nothing in it but what the bytes of the
//! stage decide, so that whoever records the same stage writes the same file.

use super::digest::Digest;
use super::entity::Entity;
use super::index::RULES;
use super::json::{self, Json, Object};
use super::layout::Layout;
use super::profile::{NotAProfile, Profile};

/// The schema name that every record of a stage carries.
pub const SCHEMA: &str = "git-docket.stage-record";

/// What a stage was made by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageRecord {
    /// The digest of the root `index.json`, which is the name of the record too.
    pub index: Digest,
    /// The issues and pull requests that were asked for, in order and each once.
    pub entities: Vec<Entity>,
    /// The whole resolved profile.
    pub profile: Profile,
    /// How the tree is laid out.
    pub layout: Layout,
}

/// A text that is no record of a stage, or none that this program can derive from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAStageRecord {
    /// Not JSON of our profile.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// A newer or unknown format.
    #[error("the record has schema {schema:?} and format {format:?}; this program reads {SCHEMA} format 1")]
    Format {
        /// The schema that was found.
        schema: Option<String>,
        /// The format number that was found.
        format: Option<u64>,
    },
    /// A stage of rules that this program does not have. The rest of the record is for who has them.
    #[error("the stage was made by the rules {0:?}; this program has the rules {RULES:?}")]
    Rules(String),
    /// A member that is missing, unknown or not what it must be.
    #[error("the member {0:?} is missing, unknown or not what it must be")]
    Member(&'static str),
    /// A profile that is none.
    #[error(transparent)]
    Profile(#[from] NotAProfile),
    /// Readable, but not the canonical bytes of what it says.
    #[error("the record is not in canonical form")]
    NotCanonical,
}

impl StageRecord {
    /// The canonical bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Object::new();
        out.set("schema", SCHEMA).set("format", 1u32).set("rules", RULES);
        out.set("indexDigest", self.index.to_string());
        out.set("entities", self.entities.iter().map(|entity| Json::from(entity.to_string())).collect::<Vec<_>>());
        out.set("profile", self.profile.to_json());
        // Our own goes without saying.
        out.set_some("layout", Some(self.layout).filter(|layout| *layout != Layout::Docket).map(Layout::name));
        json::to_vec(&Json::Object(out))
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`NotAStageRecord`]; other rules and a newer format are told from damage.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAStageRecord> {
        let value = json::parse(bytes)?;
        let text = |name: &'static str| value.get(name).and_then(Json::as_str);
        let format = value.get("format").and_then(Json::as_u64);
        if text("schema") != Some(SCHEMA) || format != Some(1) {
            return Err(NotAStageRecord::Format { schema: text("schema").map(str::to_owned), format });
        }
        let refused = NotAStageRecord::Member;
        let rules = text("rules").filter(|rules| is_rules(rules)).ok_or(refused("rules"))?;
        if rules != RULES {
            return if json::to_vec(&value) == bytes {
                Err(NotAStageRecord::Rules(rules.to_owned()))
            } else {
                Err(NotAStageRecord::NotCanonical)
            };
        }
        let rows = value.get("entities").and_then(Json::as_array).filter(|rows| !rows.is_empty());
        let entity = |row: &Json<'_>| row.as_str().and_then(|id| id.parse().ok()).ok_or(refused("entities"));
        let record = Self {
            index: text("indexDigest").and_then(|text| text.parse().ok()).ok_or(refused("indexDigest"))?,
            entities: rows.ok_or(refused("entities"))?.iter().map(entity).collect::<Result<_, _>>()?,
            profile: Profile::from_json(value.get("profile").ok_or(refused("profile"))?)?,
            layout: match value.get("layout") {
                None => Layout::Docket,
                // Our own would be another spelling of none.
                Some(name) => {
                    let other =
                        name.as_str().and_then(|name| name.parse().ok()).filter(|other| *other != Layout::Docket);
                    other.ok_or(refused("layout"))?
                }
            },
        };
        // In another order, or twice, they would be another spelling of the same record.
        if !record.entities.is_sorted_by(|a, b| a < b) {
            return Err(refused("entities"));
        }
        if record.to_bytes() == bytes { Ok(record) } else { Err(NotAStageRecord::NotCanonical) }
    }
}

/// A version of rules: a small number.
fn is_rules(text: &str) -> bool {
    matches!(text.len(), 1..=9) && text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0')
}
