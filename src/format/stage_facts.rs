//! The facts of a recorded stage, `stages/<index digest>/<digest32>.json`: one set of facts that gives it. The same stage may come of
//! other facts elsewhere, which then lie beside it under another name.

use super::digest::Digest;
use super::entity::Entity;
use super::json::{self, Json, Object};

/// The schema name that every list of facts carries.
pub const SCHEMA: &str = "git-docket.stage-facts";

/// What a stage was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageFacts {
    /// The digest of the root `index.json` of the stage.
    pub index: Digest,
    /// The digest of the record of the stage, whose name does not tell what is in it.
    pub record: Digest,
    /// The observations that were folded, by their path below `observations/`, each with the digest of the record.
    pub observations: Vec<(String, Digest)>,
    /// The delivery that set it off.
    pub delivery: Option<Delivered>,
    /// Elements with what was quoted for an entity.
    pub quotes: Vec<(Entity, Digest)>,
    /// What was said of credentials by name; their values stand nowhere.
    pub credentials: Option<Credentials>,
}

/// A delivery among the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivered {
    /// The digest of the input that it is; an observation of the list is made of it.
    pub input: Digest,
    /// Whether the caller chose the entity, where the delivery is about several.
    pub chosen: bool,
}

/// Credentials that were to be redacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credentials {
    /// How many.
    pub named: u64,
    /// Whether any was found: then the stage is not made again without them.
    pub found: bool,
}

/// A text that is no list of facts of this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStageFacts {
    /// Not JSON of our profile.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// A newer or unknown format.
    #[error("the list has schema {schema:?} and format {format:?}; this program reads {SCHEMA} format 1")]
    Format {
        /// The schema that was found.
        schema: Option<String>,
        /// The format number that was found.
        format: Option<u64>,
    },
    /// A member that is missing, unknown or not what it must be.
    #[error("the member {0:?} is missing, unknown or not what it must be")]
    Member(&'static str),
    /// Readable, but not the canonical bytes of what it says.
    #[error("the list is not in canonical form")]
    NotCanonical,
}

impl StageFacts {
    /// The canonical bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let pair =
            |name: &str, digest: &Digest| Json::from(vec![Json::from(name.to_owned()), digest.to_string().into()]);
        let mut out = Object::new();
        out.set("schema", SCHEMA).set("format", 1u32).set("indexDigest", self.index.to_string());
        out.set("recordDigest", self.record.to_string());
        out.set("observations", self.observations.iter().map(|(path, digest)| pair(path, digest)).collect::<Vec<_>>());
        out.set_some("delivery", self.delivery.map(Delivered::to_json));
        if !self.quotes.is_empty() {
            let quotes = self.quotes.iter().map(|(entity, digest)| pair(&entity.to_string(), digest));
            out.set("quotes", quotes.collect::<Vec<_>>());
        }
        out.set_some("credentials", self.credentials.map(Credentials::to_json));
        json::to_vec(&Json::Object(out))
    }

    /// Reads a list.
    ///
    /// # Errors
    /// [`NotStageFacts`] says what is wrong; a newer format is told from damage.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotStageFacts> {
        let value = json::parse(bytes)?;
        let schema = value.get("schema").and_then(Json::as_str);
        let format = value.get("format").and_then(Json::as_u64);
        if schema != Some(SCHEMA) || format != Some(1) {
            return Err(NotStageFacts::Format { schema: schema.map(str::to_owned), format });
        }
        let index = digest(value.get("indexDigest")).ok_or(NotStageFacts::Member("indexDigest"))?;
        let facts = Self {
            index,
            record: digest(value.get("recordDigest")).ok_or(NotStageFacts::Member("recordDigest"))?,
            observations: observations(&value).ok_or(NotStageFacts::Member("observations"))?,
            delivery: optional(&value, "delivery", Delivered::from_json)?,
            quotes: optional(&value, "quotes", quotes)?.unwrap_or_default(),
            credentials: optional(&value, "credentials", Credentials::from_json)?,
        };
        if facts.to_bytes() == bytes { Ok(facts) } else { Err(NotStageFacts::NotCanonical) }
    }
}

fn optional<T>(
    value: &Json<'_>,
    name: &'static str,
    read: impl FnOnce(&Json<'_>) -> Option<T>,
) -> Result<Option<T>, NotStageFacts> {
    value.get(name).map(|member| read(member).ok_or(NotStageFacts::Member(name))).transpose()
}

fn digest(value: Option<&Json<'_>>) -> Option<Digest> {
    value?.as_str()?.parse().ok()
}

fn pairs<'j>(value: &'j Json<'_>) -> Option<Vec<(&'j str, Digest)>> {
    let pair = |row: &'j Json<'_>| match row.as_array()? {
        [name, named] => Some((name.as_str()?, digest(Some(named))?)),
        _ => None,
    };
    value.as_array()?.iter().map(pair).collect()
}

/// Sorted by path, each path at most once, and each with the digits of its own digest.
fn observations(value: &Json<'_>) -> Option<Vec<(String, Digest)>> {
    let rows = pairs(value.get("observations")?)?;
    let sorted = rows.windows(2).all(|two| two[0].0 < two[1].0);
    let own = |(path, digest): &(&str, Digest)| path.ends_with(&format!("-{}.json", &digest.hex()[..32]));
    (!rows.is_empty() && sorted && rows.iter().all(own))
        .then(|| rows.into_iter().map(|(path, digest)| (path.to_owned(), digest)).collect())
}

fn quotes(value: &Json<'_>) -> Option<Vec<(Entity, Digest)>> {
    let rows = pairs(value)?.into_iter().map(|(id, digest)| Some((id.parse().ok()?, digest)));
    rows.collect::<Option<Vec<_>>>().filter(|rows| !rows.is_empty())
}

impl Delivered {
    fn to_json(self) -> Json<'static> {
        let mut out = Object::new();
        out.set("input", self.input.to_string()).set("chosen", self.chosen);
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Option<Self> {
        Some(Self { input: digest(value.get("input"))?, chosen: value.get("chosen")?.as_bool()? })
    }
}

impl Credentials {
    fn to_json(self) -> Json<'static> {
        let mut out = Object::new();
        out.set("named", self.named).set("found", self.found);
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Option<Self> {
        let named = value.get("named")?.as_u64().filter(|named| *named > 0)?;
        Some(Self { named, found: value.get("found")?.as_bool()? })
    }
}
