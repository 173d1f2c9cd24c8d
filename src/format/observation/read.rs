//! Reading a record: only the canonical bytes of exactly its members.

use std::str::FromStr;

use super::{CHUNK, Input, NotAnObservation, Observation, Part, Parts, SCHEMA, Seen, strict};
use crate::format::digest::Digest;
use crate::format::entity::Kind;
use crate::format::json::{self, Json};

impl<'a> Observation<&'a str> {
    /// Reads a record that is spelled as nearly all are, without texts of its own: whoever checks a store reads one for every
    /// other file of it. `None` says nothing; [`Observation::from_bytes`] reads all.
    pub fn borrowed(bytes: &'a [u8]) -> Option<Self> {
        strict::read(bytes)
    }
}

impl Observation {
    /// Reads a record, accepting only the canonical bytes of exactly these members.
    ///
    /// # Errors
    /// [`NotAnObservation`] says what is wrong; a newer format is told from damage.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAnObservation> {
        if let Some(record) = strict::read(bytes) {
            return Ok(record);
        }
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
            failed: match value.get("failed") {
                Some(list) => failed_from_json(list).ok_or(NotAnObservation::Member("failed"))?,
                None => Vec::new(),
            },
            seen: Self::seen_from_json(value)?,
        })
    }

    fn seen_from_json(value: &Json<'_>) -> Result<Seen, NotAnObservation> {
        if let Some(seen) = value.get("unavailable") {
            let status = seen.get("status").and_then(Json::as_u64).and_then(|s| u16::try_from(s).ok());
            let status = status.filter(|status| (100..600).contains(status));
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
}

impl Input {
    fn from_json(value: &Json<'_>) -> Result<Self, NotAnObservation> {
        let parts = match (value.get("parts"), value.get("chunks")) {
            (Some(parts), None) => Parts::Inline(
                parts_from_json(parts).filter(|parts| parts.len() <= CHUNK).ok_or(NotAnObservation::Member("parts"))?,
            ),
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

/// Reads what [`parts_to_bytes`](super::parts_to_bytes) wrote.
pub fn parts_from_json(value: &Json<'_>) -> Option<Vec<Part>> {
    let row = |row: &Json<'_>| {
        let (at, element, opaque) = match row.as_array()? {
            [at, element] => (at, element, None),
            [at, element, opaque] => {
                (at, element, Some(opaque.as_str().filter(|code| is_opaque_code(code))?.to_owned()))
            }
            _ => return None,
        };
        Some(Part { at: at.as_str()?.to_owned(), element: element.as_str()?.parse().ok()?, opaque })
    };
    value.as_array()?.iter().map(row).collect()
}

/// Why an element is opaque: a breach of the profile, or no JSON at all.
fn is_opaque_code(code: &str) -> bool {
    use json::FaultKind::{DuplicateKey, Invalid, LoneSurrogate, NumberOutOfRange, TooDeep};
    [Invalid, DuplicateKey, LoneSurrogate, NumberOutOfRange, TooDeep].iter().any(|kind| kind.code() == code)
}

/// Reads a list of lists of parts.
pub fn digests_from_json(value: &Json<'_>) -> Option<Vec<Digest>> {
    value.as_array()?.iter().map(|d| d.as_str()?.parse().ok()).collect()
}

fn failed_from_json(value: &Json<'_>) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|pointer| pointer.as_str().map(str::to_owned)).collect()
}

fn text<'v>(value: &'v Json<'_>, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Json::as_str)
}

fn parsed<T: FromStr>(value: &Json<'_>, name: &'static str) -> Result<T, NotAnObservation> {
    text(value, name).and_then(|text| text.parse().ok()).ok_or(NotAnObservation::Member(name))
}
