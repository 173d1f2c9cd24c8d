//! A profile as JSON: what stands in an index, and what a person writes.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CheckLogs, Keep, Linked, LinkedFrom, NotAProfile, OnFinding, Profile, SCHEMA, Trust, facets_of, main_facet,
};
use crate::format::entity::Kind;
use crate::format::facet::{Facet, Shape};
use crate::format::json::{self, Json, Object};

const MEMBERS: [&str; 16] = [
    "checkLogs",
    "facets",
    "format",
    "keep",
    "linked",
    "maxBodyBytes",
    "maxBytes",
    "maxDiffBytes",
    "maxItemsPerFacet",
    "maxLogBytes",
    "maxMetadataBytes",
    "maxPatchBytes",
    "maxTokens",
    "name",
    "onFinding",
    "schema",
];

impl Profile {
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
        out.set("onFinding", self.on_finding.name()).set("checkLogs", self.check_logs.name());
        self.trust.set(&mut out);
        out.set_some("linked", self.linked.map(linked_json));
        out.set("maxBodyBytes", self.max_body_bytes).set("maxMetadataBytes", self.max_metadata_bytes);
        out.set("maxLogBytes", self.max_log_bytes).set("maxPatchBytes", self.max_patch_bytes);
        out.set("maxDiffBytes", self.max_diff_bytes);
        out.set("maxBytes", self.max_bytes).set("maxTokens", self.max_tokens);
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
        only(value, &[&MEMBERS[..], &Trust::NAMES].concat())?;
        let facets = value.get("facets").ok_or_else(|| refused("facets"))?;
        only(facets, &["issue", "pull"])?;
        let name = value.get("name").and_then(Json::as_str).filter(|name| is_name(name));
        Ok(Self {
            name: name.ok_or_else(|| refused("name"))?.to_owned(),
            issue: facet_set(facets, Kind::Issue)?,
            pull: facet_set(facets, Kind::Pull)?,
            keep: word(value, "keep", Keep::ALL, Keep::name)?.ok_or_else(|| refused("keep"))?,
            on_finding: word(value, "onFinding", OnFinding::ALL, OnFinding::name)?.unwrap_or_default(),
            check_logs: word(value, "checkLogs", CheckLogs::ALL, CheckLogs::name)?.unwrap_or_default(),
            trust: Trust::from_json(value)?,
            linked: value.get("linked").map(linked).transpose()?,
            max_items: item_bounds(value)?,
            max_body_bytes: bound(value, "maxBodyBytes")?,
            max_metadata_bytes: bound(value, "maxMetadataBytes")?,
            max_log_bytes: bound(value, "maxLogBytes")?,
            max_patch_bytes: bound(value, "maxPatchBytes")?,
            max_diff_bytes: bound(value, "maxDiffBytes")?,
            max_bytes: budget(value, "maxBytes")?,
            max_tokens: budget(value, "maxTokens")?,
        })
    }
}

pub(super) fn refused(member: &str) -> NotAProfile {
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

fn linked_json(linked: Linked) -> Object<'static> {
    let mut out = Object::new();
    out.set("from", linked.from.name()).set("max", linked.max);
    out
}

fn linked(value: &Json<'_>) -> Result<Linked, NotAProfile> {
    only(value, &["from", "max"])?;
    let from = value.get("from").and_then(Json::as_str);
    let from = LinkedFrom::ALL.into_iter().find(|known| from == Some(known.name()));
    let max = value.get("max").and_then(Json::as_u64);
    let refused = || refused("linked");
    Ok(Linked { from: from.ok_or_else(refused)?, max: max.ok_or_else(refused)? })
}

fn item_bounds(value: &Json<'_>) -> Result<BTreeMap<Facet, u64>, NotAProfile> {
    let bounds = value.get("maxItemsPerFacet").and_then(Json::as_object).ok_or_else(|| refused("maxItemsPerFacet"))?;
    let mut out = BTreeMap::new();
    for (name, most) in bounds.iter() {
        let facet: Facet = name.parse().map_err(|()| refused(name))?;
        if facet.shape() != Shape::Set || facet == Facet::Members {
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

/// A budget, which a profile may leave out.
fn budget(value: &Json<'_>, name: &str) -> Result<Option<u64>, NotAProfile> {
    if value.get(name).is_none() { Ok(None) } else { bound(value, name) }
}

/// One of a few words; `None` for a member that is not there.
fn word<T: Copy>(
    value: &Json<'_>,
    member: &str,
    known: [T; 3],
    name: fn(T) -> &'static str,
) -> Result<Option<T>, NotAProfile> {
    let Some(word) = value.get(member) else { return Ok(None) };
    let found = known.into_iter().find(|known| word.as_str() == Some(name(*known)));
    found.map(Some).ok_or_else(|| refused(member))
}
