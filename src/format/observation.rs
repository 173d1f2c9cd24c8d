//! The record of one look: which elements, for which subject and facet, from which source, when, how complete.

use std::str::FromStr;

use super::digest::Digest;
use super::entity::{Kind, Subject};
use super::facet::{Facet, Shape};
use super::json::{self, Json, Object};
use super::time::Time;

/// The schema name that every observation carries.
pub const SCHEMA: &str = "git-docket.observation";

/// The most parts that stand in the record itself; longer lists lie in elements of at most this many parts.
pub const CHUNK: usize = 256;

/// One look at one facet of one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// What was looked at.
    pub subject: Subject,
    /// The kind of the thread, when this look shows it.
    pub kind: Option<Kind>,
    /// Which kind of data.
    pub facet: Facet,
    /// The item that the set belongs to, for a set below the entity (the reactions of one comment): `review-comments/123`.
    pub item: Option<String>,
    /// When the look was made: the recording's own Date, the time given by the caller, or the door's clock.
    pub observed_at: Time,
    /// The place in the recording, which orders looks of one second.
    pub position: Option<u64>,
    /// The dialect that the payload was recognised as: `github-rest`.
    pub dialect: String,
    /// What was seen.
    pub seen: Seen,
}

/// What a look saw.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// Data.
    Data {
        /// How much of the facet it is.
        completeness: Completeness,
        /// Digest of the canonical content without volatile members: equal looks have equal digests.
        content: Digest,
        /// Where the content lies, page by page.
        inputs: Vec<Input>,
    },
    /// The forge did not give the data.
    Unavailable {
        /// The HTTP status of the answer.
        status: u16,
        /// The URL that was asked.
        url: Option<String>,
    },
}

/// How much of a set a look shows, and by which proof. Records are always [`Completeness::Whole`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// A record, which has no pages.
    Whole,
    /// The caller says so (`--complete`).
    Asserted,
    /// A GET of the first page without a filter, with fewer items than a page holds and no link to another.
    OnePage,
    /// All pages from the first to the last are here.
    AllPages,
    /// Nothing proves that it is all; a header that counts as many items may do so later.
    Unproven,
    /// A part for certain: a filter, a missing page, a single item, or the caller says so (`--partial`).
    Partial,
}

impl Completeness {
    const NAMES: [(Self, &'static str); 6] = [
        (Self::Whole, "whole"),
        (Self::Asserted, "asserted"),
        (Self::OnePage, "one-page"),
        (Self::AllPages, "all-pages"),
        (Self::Unproven, "unproven"),
        (Self::Partial, "partial"),
    ];

    /// The name in records and reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(value, _)| *value == self).map_or("partial", |(_, name)| name)
    }

    /// True when this look by itself proves that nothing is missing.
    pub fn is_proof(self) -> bool {
        !matches!(self, Self::Unproven | Self::Partial)
    }
}

impl FromStr for Completeness {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(value, _)| *value).ok_or(())
    }
}

/// One input document and the part of it that a look concerns.
///
/// The document is rebuilt from `container` by putting each part's element in the place that its pointer names, parents
/// before children. `parts` are those at, above or below `pointer`; when the document has others too, `whole` lists all.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The digest of the whole canonical document (of its bytes as given when it has no canonical form).
    pub digest: Digest,
    /// The element with the document less its parts, each `null` there; `None` when one part is the whole document.
    pub container: Option<Digest>,
    /// RFC 6901 pointer to what this look concerns: the record, or for a set the document that holds the items.
    pub pointer: String,
    /// The split-out parts of this look, for a set exactly its items in order.
    pub parts: Parts,
    /// Elements that list every part of the document, when looks at others share it.
    pub whole: Vec<Digest>,
    /// The URL that the document answered, when it is known.
    pub url: Option<String>,
}

/// A list of parts: in the record, or in elements of [`CHUNK`] parts each.
#[derive(Debug, Clone, PartialEq)]
pub enum Parts {
    /// The parts themselves.
    Inline(Vec<Part>),
    /// Elements that hold the parts, in order.
    Chunked(Vec<Digest>),
}

/// A part of a document that is filed as an element of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Where it belongs: RFC 6901 pointer into the document.
    pub at: String,
    /// The element.
    pub element: Digest,
    /// The code of the breach of profile, when the element is opaque: kept verbatim, not canonical.
    pub opaque: Option<String>,
}

/// A record that is not an observation of this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnObservation {
    /// Not JSON of our profile.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// A newer or unknown format.
    #[error(
        "the observation has schema {schema:?} and format {format:?}; this program reads git-docket.observation format 1"
    )]
    Format {
        /// The schema that was found.
        schema: Option<String>,
        /// The format number that was found.
        format: Option<u64>,
    },
    /// A member that is missing, unknown or of another type.
    #[error("the member {0:?} is missing, unknown or not what it must be")]
    Member(&'static str),
    /// Readable, but not the canonical bytes of what it says.
    #[error("the record is not in canonical form")]
    NotCanonical,
}

impl Observation {
    /// The canonical bytes of the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        json::to_vec(&self.to_json())
    }

    /// The path of the record below `observations/`, given the digest of its bytes.
    pub fn path(&self, digest: &Digest) -> String {
        let facet = self.facet.name();
        format!("{}/{facet}/{}-{}.json", self.subject.dir(), self.observed_at.file_stamp(), &digest.hex()[..32])
    }

    /// The inputs of a look that saw data; none for one that did not.
    pub fn inputs(&self) -> &[Input] {
        if let Seen::Data { inputs, .. } = &self.seen { inputs } else { &[] }
    }

    fn to_json(&self) -> Json<'static> {
        let mut out = Object::new();
        out.set("schema", SCHEMA).set("format", 1u32);
        out.set("subject", self.subject.to_string());
        out.set_some("kind", self.kind.map(Kind::name));
        out.set("facet", self.facet.name());
        out.set_some("item", self.item.clone());
        out.set("observedAt", self.observed_at.to_string());
        out.set_some("position", self.position);
        out.set("dialect", self.dialect.clone());
        match &self.seen {
            Seen::Data { completeness, content, inputs } => {
                out.set("completeness", completeness.name());
                out.set("content", content.to_string());
                out.set("inputs", inputs.iter().map(Input::to_json).collect::<Vec<_>>());
            }
            Seen::Unavailable { status, url } => {
                let mut seen = Object::new();
                seen.set("status", u32::from(*status)).set_some("url", url.clone());
                out.set("unavailable", seen);
            }
        }
        Json::Object(out)
    }

    /// Reads a record, accepting only the canonical bytes of exactly these members.
    ///
    /// # Errors
    /// [`NotAnObservation`] says what is wrong; a newer format is told from damage.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAnObservation> {
        let value = json::parse(bytes)?;
        let schema = value.get("schema").and_then(Json::as_str);
        let format = value.get("format").and_then(Json::as_u64);
        if schema != Some(SCHEMA) || format != Some(1) {
            return Err(NotAnObservation::Format { schema: schema.map(str::to_owned), format });
        }
        let record = Self::from_json(&value)?;
        // One comparison refuses every second spelling: white space, unknown members, other forms of a value.
        if record.to_bytes() == bytes { Ok(record) } else { Err(NotAnObservation::NotCanonical) }
    }

    fn from_json(value: &Json<'_>) -> Result<Self, NotAnObservation> {
        Ok(Self {
            subject: parsed(value, "subject")?,
            kind: match text(value, "kind") {
                Some(name) => Some(Kind::from_name(name).ok_or(NotAnObservation::Member("kind"))?),
                None => None,
            },
            facet: parsed(value, "facet")?,
            item: text(value, "item").map(str::to_owned),
            observed_at: parsed(value, "observedAt")?,
            position: value.get("position").and_then(Json::as_u64),
            dialect: text(value, "dialect").ok_or(NotAnObservation::Member("dialect"))?.to_owned(),
            seen: Self::seen_from_json(value)?,
        })
    }

    fn seen_from_json(value: &Json<'_>) -> Result<Seen, NotAnObservation> {
        if let Some(seen) = value.get("unavailable") {
            let status = seen.get("status").and_then(Json::as_u64).and_then(|s| u16::try_from(s).ok());
            let url = text(seen, "url").map(str::to_owned);
            return Ok(Seen::Unavailable { status: status.ok_or(NotAnObservation::Member("unavailable"))?, url });
        }
        let inputs = value.get("inputs").and_then(Json::as_array).filter(|inputs| !inputs.is_empty());
        let inputs = inputs.ok_or(NotAnObservation::Member("inputs"))?;
        Ok(Seen::Data {
            completeness: parsed(value, "completeness")?,
            content: parsed(value, "content")?,
            inputs: inputs.iter().map(Input::from_json).collect::<Result<_, _>>()?,
        })
    }

    /// True for a set.
    pub fn is_set(&self) -> bool {
        self.facet.shape() == Shape::Set
    }
}

impl Input {
    fn to_json(&self) -> Json<'static> {
        let mut out = Object::new();
        out.set("digest", self.digest.to_string());
        out.set_some("container", self.container.map(|d| d.to_string()));
        out.set("pointer", self.pointer.clone());
        match &self.parts {
            Parts::Inline(parts) => out.set("parts", parts_to_json(parts)),
            Parts::Chunked(chunks) => out.set("chunks", digests_to_json(chunks)),
        };
        if !self.whole.is_empty() {
            out.set("whole", digests_to_json(&self.whole));
        }
        out.set_some("url", self.url.clone());
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, NotAnObservation> {
        let parts = match (value.get("parts"), value.get("chunks")) {
            (Some(parts), None) => Parts::Inline(parts_from_json(parts).ok_or(NotAnObservation::Member("parts"))?),
            (None, Some(chunks)) => {
                Parts::Chunked(digests_from_json(chunks).ok_or(NotAnObservation::Member("chunks"))?)
            }
            _ => return Err(NotAnObservation::Member("parts")),
        };
        Ok(Self {
            digest: parsed(value, "digest")?,
            container: value.get("container").map(|_| parsed(value, "container")).transpose()?,
            pointer: text(value, "pointer").ok_or(NotAnObservation::Member("pointer"))?.to_owned(),
            parts,
            whole: match value.get("whole") {
                Some(whole) => digests_from_json(whole).ok_or(NotAnObservation::Member("whole"))?,
                None => Vec::new(),
            },
            url: text(value, "url").map(str::to_owned),
        })
    }
}

/// The form of a list of parts in a record or chunk element: `[[pointer, digest] | [pointer, digest, code], …]`.
pub fn parts_to_json(parts: &[Part]) -> Json<'static> {
    let row = |part: &Part| {
        let mut row = vec![Json::from(part.at.clone()), Json::from(part.element.to_string())];
        row.extend(part.opaque.clone().map(Json::from));
        Json::Array(row)
    };
    Json::Array(parts.iter().map(row).collect())
}

/// Reads what [`parts_to_json`] wrote.
pub fn parts_from_json(value: &Json<'_>) -> Option<Vec<Part>> {
    let row = |row: &Json<'_>| {
        let (at, element, opaque) = match row.as_array()? {
            [at, element] => (at, element, None),
            [at, element, opaque] => (at, element, Some(opaque.as_str()?.to_owned())),
            _ => return None,
        };
        Some(Part { at: at.as_str()?.to_owned(), element: element.as_str()?.parse().ok()?, opaque })
    };
    value.as_array()?.iter().map(row).collect()
}

fn digests_to_json(digests: &[Digest]) -> Json<'static> {
    Json::Array(digests.iter().map(|d| Json::from(d.to_string())).collect())
}

fn digests_from_json(value: &Json<'_>) -> Option<Vec<Digest>> {
    value.as_array()?.iter().map(|d| d.as_str()?.parse().ok()).collect()
}

fn text<'v>(value: &'v Json<'_>, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Json::as_str)
}

fn parsed<T: FromStr>(value: &Json<'_>, name: &'static str) -> Result<T, NotAnObservation> {
    text(value, name).and_then(|text| text.parse().ok()).ok_or(NotAnObservation::Member(name))
}
