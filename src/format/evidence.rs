//! Evidence around the references: candidates, omissions, the judgment over them and the bounds of disclosure.
//!
//! Names, member order and null members are those of `openagents.evidence-selection.v1` and its relatives.

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::atif;
use super::digest::Digest;

/// Lines of a file, from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The first line.
    pub start: u64,
    /// The last line.
    pub end: u64,
}

/// How much of a candidate was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Readness {
    /// All that was asked for.
    Full,
    /// Whole lines from the start, as far as the bounds allow.
    Truncated,
    /// Nothing.
    Refused,
}

impl Readness {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Truncated => "truncated",
            Self::Refused => "refused",
        }
    }
}

/// Why a path is a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sighting {
    /// Its content was asked for.
    Read,
    /// Its existence was asked for.
    Exists,
    /// A search named it.
    Search,
    /// A reference named it.
    Reference,
}

/// One place that the observation names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// The path below the root.
    pub path: String,
    /// The lines, or the whole file.
    pub span: Option<Span>,
    /// The commit that was checked out.
    pub base: Option<String>,
    /// Plain SHA-256 of the bytes read.
    #[serde(serialize_with = "optional_hex", deserialize_with = "optional_from_hex")]
    pub digest: Option<Digest>,
    /// The number of bytes read.
    pub bytes: u64,
    /// How much was read.
    pub readness: Readness,
    /// Why it is named.
    pub observation: Sighting,
    /// True when something is there.
    pub present: bool,
    /// Why nothing was read.
    pub withheld: Option<String>,
}

/// Why a place is no candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Larger than one file may be.
    Oversize,
    /// One more than may be named.
    Overcount,
    /// More than all files together may be.
    Overtotal,
    /// Not a path below the root, or outside what may be read.
    Denied,
}

impl Reason {
    /// The reason in words, as a door reads it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Oversize => "oversize",
            Self::Overcount => "over-count",
            Self::Overtotal => "over-total",
            Self::Denied => "denied",
        }
    }
}

/// A place that was considered and left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Omission {
    /// The path as it was given.
    pub path: String,
    /// Why.
    pub reason: Reason,
}

/// All that an observation declares.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// By path, then span; the whole file first.
    pub candidates: Vec<Candidate>,
    /// In the order considered.
    pub omitted: Vec<Omission>,
    /// How many further omissions are counted and not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_beyond: u64,
}

impl Manifest {
    /// The identity of the evidence: the digest over candidates and listed omissions, nulls and order kept.
    pub fn digest(&self) -> Digest {
        atif::digest(&serde_json::json!({"candidates": self.candidates, "omitted": self.omitted}))
    }

    /// The number of distinct paths among the candidates.
    pub fn distinct_paths(&self) -> usize {
        self.candidates.iter().map(|c| &c.path).collect::<std::collections::BTreeSet<_>>().len()
    }
}

/// What a door decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// One of the offered options.
    Chosen,
    /// None of them, said so.
    Abstained,
}

impl Verdict {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Abstained => "abstained",
        }
    }
}

/// The option that was chosen, and the place that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// The name as offered.
    pub option: String,
    /// The path.
    pub path: String,
    /// The lines, or the whole file.
    pub span: Option<Span>,
}

/// Numbers by option name, in the order in which the door gave them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Probabilities(pub Vec<(String, serde_json::Number)>);

impl Probabilities {
    /// The number of an option as a double.
    pub fn get(&self, option: &str) -> Option<f64> {
        self.0.iter().find(|(name, _)| name == option).and_then(|(_, number)| number.as_f64())
    }
}

/// The record of a judgment: `openagents.evidence-selection.v1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "schema", rename = "openagents.evidence-selection.v1")]
pub struct Selection {
    /// The id of the question set.
    pub question_set: String,
    /// The digest of its wording.
    #[serde(serialize_with = "super::source::bare_hex", deserialize_with = "from_hex")]
    pub set_digest: Digest,
    /// The digest of the policy bound to it.
    #[serde(serialize_with = "optional_hex", deserialize_with = "optional_from_hex")]
    pub policy_digest: Option<Digest>,
    /// [`Manifest::digest`] of what was judged.
    #[serde(serialize_with = "super::source::bare_hex", deserialize_with = "from_hex")]
    pub evidence_digest: Digest,
    /// The model that the door reported.
    pub model: String,
    /// What was decided.
    pub verdict: Verdict,
    /// The pick, when one was chosen.
    pub selected: Option<Pick>,
    /// As supplied.
    pub probabilities: Probabilities,
    /// The probability that any candidate matters.
    pub any_relevant: Option<serde_json::Number>,
    /// The probability that the candidates cover the task.
    pub coverage: Option<serde_json::Number>,
    /// Offered options without a probability.
    pub unranked: Vec<String>,
    /// The paths of the listed omissions.
    pub omitted: Vec<String>,
    /// The bounds of what may be shown; null where no profile was resolved.
    pub disclosure: Option<Disclosure>,
}

/// Who may see how much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disclosure {
    /// The name of the profile.
    pub profile: String,
    /// True when what it sees does not leave this machine or its private network.
    pub local: bool,
    /// One bound a candidate, in their order.
    pub bounds: Vec<Bound>,
}

/// The bound of one candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The path.
    pub path: String,
    /// The lines, or the whole file.
    pub span: Option<Span>,
    /// The most that may be shown.
    pub allowance: Allowance,
    /// The rule that decided.
    pub basis: Basis,
}

/// How much may be shown; each level includes the ones before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allowance {
    /// The path and nothing else.
    PathOnly,
    /// The path and line numbers.
    PathSpan,
    /// What was read.
    Content,
}

impl Allowance {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::PathOnly => "path-only",
            Self::PathSpan => "path-span",
            Self::Content => "content",
        }
    }
}

/// Why a bound is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The host granted no read of the path.
    OutsideGrants,
    /// Nothing was read.
    Refused,
    /// Only a part was read, and the profile is not local.
    Truncated,
    /// The read was granted and made.
    Admitted,
}

impl Basis {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::OutsideGrants => "outside-grants",
            Self::Refused => "refused",
            Self::Truncated => "truncated",
            Self::Admitted => "admitted",
        }
    }
}

impl Serialize for Probabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, number) in &self.0 {
            map.serialize_entry(name, number)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Probabilities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> de::Visitor<'de> for InOrder {
            type Value = Probabilities;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of numbers")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Probabilities, A::Error> {
                let mut found = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    found.push(entry);
                }
                Ok(Probabilities(found))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

fn optional_hex<S: Serializer>(digest: &Option<Digest>, serializer: S) -> Result<S::Ok, S::Error> {
    digest.map(|d| d.hex()).serialize(serializer)
}

fn optional_from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Digest>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|hex| Digest::from_hex(&hex).ok_or_else(|| de::Error::custom("not 64 lowercase hex digits"))).transpose()
}

fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
    Digest::from_hex(&String::deserialize(deserializer)?)
        .ok_or_else(|| de::Error::custom("not 64 lowercase hex digits"))
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
