//! The choices of a stage: facets, bounds, what a finding does, which end of a long list is kept. A stage carries the whole profile in its index.

use std::collections::{BTreeMap, BTreeSet};

use super::entity::Kind;
use super::facet::{Facet, Shape};
use super::json::{self, Json, Object};

/// The schema name that every profile carries.
pub const SCHEMA: &str = "git-docket.profile";

/// What a stage shows. Bounds are in bytes of filtered UTF-8 or in items; `None` is no bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// A name for people; it selects nothing.
    pub name: String,
    /// The facets of an issue. The header is always one of them.
    pub issue: BTreeSet<Facet>,
    /// The facets of a pull request. The header is always one of them.
    pub pull: BTreeSet<Facet>,
    /// Which end of a list stays when it has more items than it may.
    pub keep: Keep,
    /// What becomes of a text in which a detector finds something.
    pub on_finding: OnFinding,
    /// The most items of a set; a set that is not named has no bound.
    pub max_items: BTreeMap<Facet, u64>,
    /// The most bytes of a body, commit message or check summary, its last line end included.
    pub max_body_bytes: Option<u64>,
    /// The most bytes of a title, login, label or other text on one line.
    pub max_metadata_bytes: Option<u64>,
    /// The most bytes of a log.
    pub max_log_bytes: Option<u64>,
    /// The most bytes of the patch of one file; a longer one is left out whole. Also of a hunk that a thread shows.
    pub max_patch_bytes: Option<u64>,
    /// The most bytes of `changes/diff.patch`; what comes after is left out file by file.
    pub max_diff_bytes: Option<u64>,
}

/// Which end of a list stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words say it")]
pub enum Keep {
    Oldest,
    Newest,
}

impl Keep {
    fn name(self) -> &'static str {
        match self {
            Self::Oldest => "oldest",
            Self::Newest => "newest",
        }
    }
}

/// What becomes of a text with an injection. Secrets are redacted in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFinding {
    /// It is not shown; its row stays.
    #[default]
    Withhold,
    /// It is shown behind a mark that names what was found.
    Annotate,
    /// Nothing is staged at all, also for a secret.
    Fail,
}

impl OnFinding {
    const ALL: [Self; 3] = [Self::Withhold, Self::Annotate, Self::Fail];

    fn name(self) -> &'static str {
        match self {
            Self::Withhold => "withhold",
            Self::Annotate => "annotate",
            Self::Fail => "fail",
        }
    }
}

/// A text that is not a profile of this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAProfile {
    /// Not JSON of our profile of JSON.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// A newer or unknown format.
    #[error("the profile has schema {schema:?} and format {format:?}; this program reads git-docket.profile format 1")]
    Format {
        /// The schema that was found.
        schema: Option<String>,
        /// The format number that was found.
        format: Option<u64>,
    },
    /// A member that is missing, unknown or not what it must be.
    #[error("the member {0:?} of the profile is missing, unknown or not what it must be")]
    Member(String),
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const MEMBERS: [&str; 12] = [
    "facets",
    "format",
    "keep",
    "maxBodyBytes",
    "maxDiffBytes",
    "maxItemsPerFacet",
    "maxLogBytes",
    "maxMetadataBytes",
    "maxPatchBytes",
    "name",
    "onFinding",
    "schema",
];
const ISSUE: [Facet; 5] = [Facet::Header, Facet::Comments, Facet::Timeline, Facet::Labels, Facet::Reactions];
const PULL_TOO: [Facet; 5] = [Facet::Reviews, Facet::ReviewComments, Facet::Checks, Facet::Files, Facet::Commits];
/// What belongs to another facet: older endpoints that tell the same, and the texts beside it. A profile may name them by themselves too.
const ALTERNATIVES: [(Facet, Facet); 5] = [
    (Facet::Statuses, Facet::Checks),
    (Facet::Events, Facet::Timeline),
    (Facet::Threads, Facet::ReviewComments),
    (Facet::Logs, Facet::Checks),
    (Facet::Diff, Facet::Files),
];

/// The facets that something of this kind has, without those that belong to another: `statuses events threads logs diff`.
pub fn facets_of(kind: Kind) -> impl Iterator<Item = Facet> {
    let more: &[Facet] = if kind == Kind::Pull { &PULL_TOO } else { &[] };
    ISSUE.iter().chain(more).copied()
}

/// The facet that another belongs to: `statuses` and `logs` to checks, `events` to the timeline, `diff` to files, `threads` to review comments.
pub fn main_facet(facet: Facet) -> Facet {
    ALTERNATIVES.iter().find(|(alternative, _)| *alternative == facet).map_or(facet, |(_, main)| *main)
}

impl Profile {
    /// The built-in profiles: `minimal`, `default`, `full`.
    pub fn built_in(name: &str) -> Option<Self> {
        match name {
            "minimal" => Some(Self::minimal()),
            "default" => Some(Self::standard()),
            "full" => Some(Self::full()),
            _ => None,
        }
    }

    fn minimal() -> Self {
        let facets = BTreeSet::from([Facet::Header, Facet::Comments]);
        Self {
            name: "minimal".to_owned(),
            issue: facets.clone(),
            pull: facets,
            keep: Keep::Newest,
            on_finding: OnFinding::default(),
            max_items: BTreeMap::from([(Facet::Comments, 20), (Facet::Labels, 20)]),
            max_body_bytes: Some(8 * KIB),
            max_metadata_bytes: Some(256),
            max_log_bytes: Some(16 * KIB),
            max_patch_bytes: Some(8 * KIB),
            max_diff_bytes: Some(64 * KIB),
        }
    }

    fn standard() -> Self {
        let bounds = [
            (Facet::Comments, 300),
            (Facet::Reviews, 200),
            (Facet::ReviewComments, 500),
            (Facet::Checks, 200),
            (Facet::Statuses, 200),
            (Facet::Files, 300),
            (Facet::Commits, 250),
            (Facet::Timeline, 1000),
            (Facet::Events, 1000),
            (Facet::Labels, 100),
            (Facet::Reactions, 500),
        ];
        Self {
            name: "default".to_owned(),
            max_items: BTreeMap::from(bounds),
            max_body_bytes: Some(64 * KIB),
            max_metadata_bytes: Some(KIB),
            max_log_bytes: Some(256 * KIB),
            max_patch_bytes: Some(64 * KIB),
            max_diff_bytes: Some(MIB),
            ..Self::full()
        }
    }

    fn full() -> Self {
        Self {
            name: "full".to_owned(),
            issue: facets_of(Kind::Issue).collect(),
            pull: facets_of(Kind::Pull).collect(),
            keep: Keep::Newest,
            on_finding: OnFinding::default(),
            max_items: BTreeMap::new(),
            max_body_bytes: None,
            max_metadata_bytes: None,
            max_log_bytes: None,
            max_patch_bytes: None,
            max_diff_bytes: None,
        }
    }

    /// The facets for a kind.
    pub fn facets(&self, kind: Kind) -> &BTreeSet<Facet> {
        match kind {
            Kind::Issue => &self.issue,
            Kind::Pull => &self.pull,
        }
    }

    /// Whether a facet is asked for, by its own name or by that of the facet it can stand for.
    pub fn asks_for(&self, kind: Kind, facet: Facet) -> bool {
        let facets = self.facets(kind);
        facets.contains(&facet) || facets.contains(&main_facet(facet))
    }

    /// The members of the profile as they stand in an index.
    pub fn to_json(&self) -> Json<'static> {
        let names = |facets: &BTreeSet<Facet>| facets.iter().map(|f| f.name()).collect::<Vec<_>>();
        let mut facets = Object::new();
        facets.set("issue", names(&self.issue)).set("pull", names(&self.pull));
        let mut items = Object::new();
        for (facet, most) in &self.max_items {
            items.set(facet.name(), *most);
        }
        let mut out = Object::new();
        out.set("schema", SCHEMA).set("format", 1u32).set("name", self.name.clone());
        out.set("facets", facets).set("keep", self.keep.name()).set("maxItemsPerFacet", items);
        out.set("onFinding", self.on_finding.name());
        out.set("maxBodyBytes", self.max_body_bytes).set("maxMetadataBytes", self.max_metadata_bytes);
        out.set("maxLogBytes", self.max_log_bytes).set("maxPatchBytes", self.max_patch_bytes);
        out.set("maxDiffBytes", self.max_diff_bytes);
        Json::Object(out)
    }

    /// The canonical bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        json::to_vec(&self.to_json())
    }

    /// Reads a profile that a person wrote: any spelling of JSON, exactly these members.
    ///
    /// # Errors
    /// [`NotAProfile`] says what is wrong; a newer format is told from a mistake.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAProfile> {
        Self::from_json(&json::parse(bytes)?)
    }

    /// Reads the members of a profile, accepting only values that [`Profile::to_json`] writes.
    ///
    /// # Errors
    /// [`NotAProfile`] names the member that is missing, unknown or not what it must be.
    pub fn from_json(value: &Json<'_>) -> Result<Self, NotAProfile> {
        let schema = value.get("schema").and_then(Json::as_str);
        let format = value.get("format").and_then(Json::as_u64);
        if schema != Some(SCHEMA) || format != Some(1) {
            return Err(NotAProfile::Format { schema: schema.map(str::to_owned), format });
        }
        only(value, &MEMBERS)?;
        let facets = value.get("facets").ok_or_else(|| refused("facets"))?;
        only(facets, &["issue", "pull"])?;
        let name = value.get("name").and_then(Json::as_str).filter(|name| is_name(name));
        Ok(Self {
            name: name.ok_or_else(|| refused("name"))?.to_owned(),
            issue: facet_set(facets, Kind::Issue)?,
            pull: facet_set(facets, Kind::Pull)?,
            keep: match value.get("keep").and_then(Json::as_str) {
                Some("oldest") => Keep::Oldest,
                Some("newest") => Keep::Newest,
                _ => return Err(refused("keep")),
            },
            on_finding: match value.get("onFinding") {
                None => OnFinding::default(),
                Some(word) => OnFinding::ALL
                    .into_iter()
                    .find(|known| word.as_str() == Some(known.name()))
                    .ok_or_else(|| refused("onFinding"))?,
            },
            max_items: item_bounds(value)?,
            max_body_bytes: bound(value, "maxBodyBytes")?,
            max_metadata_bytes: bound(value, "maxMetadataBytes")?,
            max_log_bytes: bound(value, "maxLogBytes")?,
            max_patch_bytes: bound(value, "maxPatchBytes")?,
            max_diff_bytes: bound(value, "maxDiffBytes")?,
        })
    }
}

fn refused(member: &str) -> NotAProfile {
    NotAProfile::Member(member.chars().take(40).collect())
}

/// Refuses members that this format does not know: a bound that nobody reads is worse than none.
fn only(value: &Json<'_>, known: &[&str]) -> Result<(), NotAProfile> {
    let members = value.as_object().ok_or_else(|| refused(known[0]))?;
    match members.iter().find(|(name, _)| !known.contains(name)) {
        Some((name, _)) => Err(refused(name)),
        None => Ok(()),
    }
}

/// A name for people: a word of lower-case letters, digits and dashes.
fn is_name(name: &str) -> bool {
    matches!(name.len(), 1..=40) && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

fn facet_set(facets: &Json<'_>, kind: Kind) -> Result<BTreeSet<Facet>, NotAProfile> {
    let refused = || refused(kind.name());
    let names = facets.get(kind.name()).and_then(Json::as_array).ok_or_else(refused)?;
    let mut out = BTreeSet::new();
    for name in names {
        let facet: Facet = name.as_str().and_then(|name| name.parse().ok()).ok_or_else(refused)?;
        let applies = facets_of(kind).any(|known| known == main_facet(facet));
        if !applies || !out.insert(facet) {
            return Err(refused());
        }
    }
    if out.contains(&Facet::Header) { Ok(out) } else { Err(refused()) }
}

fn item_bounds(value: &Json<'_>) -> Result<BTreeMap<Facet, u64>, NotAProfile> {
    let bounds = value.get("maxItemsPerFacet").and_then(Json::as_object).ok_or_else(|| refused("maxItemsPerFacet"))?;
    let mut out = BTreeMap::new();
    for (name, most) in bounds.iter() {
        let facet: Facet = name.parse().map_err(|()| refused(name))?;
        if facet.shape() != Shape::Set {
            return Err(refused(name));
        }
        out.insert(facet, most.as_u64().ok_or_else(|| refused(name))?);
    }
    Ok(out)
}

fn bound(value: &Json<'_>, name: &str) -> Result<Option<u64>, NotAProfile> {
    match value.get(name) {
        Some(Json::Null) => Ok(None),
        Some(number) => number.as_u64().map(Some).ok_or_else(|| refused(name)),
        None => Err(refused(name)),
    }
}
