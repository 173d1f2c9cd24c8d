//! What `stage` says of what it wrote.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::Replayed;
use crate::filter::Findings;
use crate::format::entity::Entity;
use crate::format::source::{Context, Quotes};
use crate::format::upstream;
use crate::ops::cross::Crossed;
use crate::render::Rendered;

/// What was written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The directory.
    pub context_dir: PathBuf,
    /// The ids of the entities.
    pub entities: Vec<String>,
    /// Those of them that are there only because others link them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub linked: Vec<String>,
    /// The digest of the root `index.json`.
    pub index_digest: String,
    /// Files, the indexes included.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The tokens that they are taken for.
    pub tokens: u64,
    /// Whether the source set of every requested facet is complete.
    pub complete: bool,
    /// What is left out.
    pub gaps: Vec<Gap>,
    /// What the filters found.
    pub findings: Vec<Count>,
    /// What was quoted from a repository, for each entity that has quotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Sources>,
    /// What the repository says of each pull request; nothing of it stands in the stage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repository: Vec<Crossed>,
    /// What was not recognised, where payloads or a delivery were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrecognised: Option<Vec<Left>>,
    /// The path of the record in the store, when one was filed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// How a replay went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replayed>,
    /// Requirements that are not met; exit 1.
    #[serde(skip)]
    pub unmet: Vec<String>,
}

/// A row of `unrecognised`.
#[derive(Debug, Clone, Serialize)]
pub struct Left {
    /// The input, with a pointer where it is a part of one.
    pub input: String,
    /// The reason.
    pub reason: &'static str,
}

/// A row of `gaps`.
#[derive(Debug, Serialize)]
pub struct Gap {
    /// The id of the entity, where the stage has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// The facet.
    pub scope: &'static str,
    /// The code.
    pub code: &'static str,
    /// `partial` or `unusable`.
    pub usability: &'static str,
    /// How many items.
    pub count: u64,
}

impl Gap {
    /// Whose it is, before its words in a line for people; nothing where the stage has one entity.
    pub fn of(&self) -> String {
        self.entity.as_ref().map_or_else(String::new, |entity| format!("{entity}: "))
    }

    pub(super) fn of_upstream(gap: &upstream::Gap) -> Self {
        Self {
            entity: None,
            scope: gap.scope.name(),
            code: gap.code.name(),
            usability: gap.code.usability().name(),
            count: gap.count,
        }
    }
}

/// What the filters found, as rows.
pub(super) fn counts(findings: &Findings) -> Vec<Count> {
    findings.iter().map(|(code, count)| Count { code: (*code).to_owned(), count: *count }).collect()
}

/// A row of `findings`.
#[derive(Debug, Serialize)]
pub struct Count {
    /// The code.
    pub code: String,
    /// How often.
    pub count: u64,
}

/// A row of `sources`.
#[derive(Debug, Serialize)]
pub struct Sources {
    /// The id of the entity.
    pub entity: String,
    /// How many lines are quoted.
    pub references: usize,
    /// The coverage, in words.
    pub diagnostics: Vec<String>,
}

impl Sources {
    pub(super) fn of(entity: &Entity, quotes: &Quotes) -> Self {
        let Context { references, diagnostics, .. } = &quotes.context;
        Self { entity: entity.to_string(), references: references.len(), diagnostics: diagnostics.clone() }
    }
}

/// The report of what was rendered, without a directory and its digest. What is there only because it is linked need not be complete.
pub(super) fn of(rendered: &[(Entity, Rendered)], is_asked: &dyn Fn(&Entity) -> bool) -> Report {
    let mut gaps = Vec::new();
    let mut findings: BTreeMap<String, u64> = BTreeMap::new();
    for (entity, one) in rendered {
        gaps.extend(one.gaps.iter().map(|gap| Gap {
            entity: (rendered.len() > 1).then(|| entity.to_string()),
            scope: gap.scope.name(),
            code: gap.code.name(),
            usability: gap.code.usability().name(),
            count: gap.count,
        }));
        for (code, count) in &one.findings {
            *findings.entry((*code).to_owned()).or_default() += count;
        }
    }
    Report {
        context_dir: PathBuf::new(),
        entities: rendered.iter().map(|(entity, _)| entity.to_string()).collect(),
        linked: rendered.iter().filter(|(entity, _)| !is_asked(entity)).map(|(entity, _)| entity.to_string()).collect(),
        index_digest: String::new(),
        files: 0,
        bytes: 0,
        tokens: 0,
        complete: rendered.iter().all(|(entity, one)| one.complete || !is_asked(entity)),
        gaps,
        findings: findings.into_iter().map(|(code, count)| Count { code, count }).collect(),
        sources: Vec::new(),
        repository: Vec::new(),
        unrecognised: None,
        record: None,
        replay: None,
        unmet: Vec::new(),
    }
}
