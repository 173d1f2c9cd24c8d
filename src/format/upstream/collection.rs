//! `collection.json`: what was asked for, with which bounds.

use std::collections::BTreeSet;

use crate::format::json::{Json, Object};

use super::Document;
use super::members::{Fault, Members};
use super::words::{Kind, LogSelection, Selection, SourceKind};

/// What was asked for. Its digest is the profile that the manifest names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// What the entity is.
    pub entity_kind: Kind,
    /// What is included; the entity always is.
    pub sources: BTreeSet<SourceKind>,
    /// Which end of a long list stays.
    pub record_selection: Selection,
    /// Which logs are shown.
    pub log_selection: LogSelection,
    /// The bounds.
    pub bounds: Bounds,
}

/// The bounds, in items or bytes of what is emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Records of each source, the entity not counted.
    pub records_per_source: u64,
    /// Bytes of one text as the forge gave it.
    pub source_bytes: u64,
    /// Bytes of the body of a record, its last line end included.
    pub record_bytes: u64,
    /// Bytes of a log.
    pub log_bytes: u64,
    /// Bytes of a title, login, label or name, and of an id.
    pub string_bytes: u64,
    /// Labels.
    pub labels: u64,
}

impl Collection {
    /// What cannot be asked for; `None` when all is well.
    pub fn contradiction(&self) -> Option<Fault> {
        let has = |source| self.sources.contains(&source);
        let sources = |reason| Some(Fault::new("included_sources", reason));
        if !has(SourceKind::Entity) {
            return sources("the entity is always included");
        }
        if self.sources.iter().any(|source| !self.entity_kind.has(*source)) {
            return sources("a work item has neither reviews nor checks");
        }
        if has(SourceKind::CheckLogs) && !has(SourceKind::Checks) {
            return sources("logs are those of checks");
        }
        if has(SourceKind::CheckLogs) != (self.log_selection != LogSelection::None) {
            return Some(Fault::new("check_log_selection", "logs are selected where they are included"));
        }
        None
    }
}

impl Document for Collection {
    fn to_json(&self) -> Json<'static> {
        let Bounds { records_per_source, source_bytes, record_bytes, log_bytes, string_bytes, labels } = self.bounds;
        let mut bounds = Object::new();
        bounds.set("max_records_per_source", records_per_source).set("max_source_bytes", source_bytes);
        bounds.set("max_record_bytes", record_bytes).set("max_log_bytes", log_bytes);
        bounds.set("max_metadata_string_bytes", string_bytes).set("max_labels", labels);
        let sources: Vec<_> = self.sources.iter().map(|source| source.name()).collect();
        let mut out = Object::new();
        out.set("entity_kind", self.entity_kind.name()).set("included_sources", sources);
        out.set("record_selection", self.record_selection.name());
        out.set("check_log_selection", self.log_selection.name()).set("bounds", bounds);
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let sources = members.texts("included_sources", "expected a source", |word| word.parse::<SourceKind>().ok())?;
        // The words are declared in their order.
        if !sources.is_sorted_by(|a, b| a < b) {
            return Err(Fault::new("included_sources", "expected each source once, in their order"));
        }
        let read = Self {
            entity_kind: members.word("entity_kind")?,
            sources: sources.into_iter().collect(),
            record_selection: members.word("record_selection")?,
            log_selection: members.word("check_log_selection")?,
            bounds: Bounds::from_json(members.value("bounds")?).map_err(|fault| fault.below("bounds"))?,
        };
        members.end()?;
        read.contradiction().map_or(Ok(read), Err)
    }
}

impl Bounds {
    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let read = Self {
            records_per_source: members.number("max_records_per_source", 1)?,
            source_bytes: members.number("max_source_bytes", 1)?,
            record_bytes: members.number("max_record_bytes", 1)?,
            log_bytes: members.number("max_log_bytes", 1)?,
            string_bytes: members.number("max_metadata_string_bytes", 1)?,
            labels: members.number("max_labels", 0)?,
        };
        members.end()?;
        Ok(read)
    }
}
