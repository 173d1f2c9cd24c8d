//! The built-in profiles.

use std::collections::{BTreeMap, BTreeSet};

use super::{CheckLogs, Keep, OnFinding, Profile, Trust, facets_of};
use crate::format::entity::Kind;
use crate::format::facet::Facet;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

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
            trust: Trust::default(),
            linked: None,
            max_items: BTreeMap::from([(Facet::Comments, 20), (Facet::Labels, 20)]),
            max_body_bytes: Some(8 * KIB),
            max_metadata_bytes: Some(256),
            check_logs: CheckLogs::Failed,
            max_log_bytes: Some(16 * KIB),
            max_patch_bytes: Some(8 * KIB),
            max_diff_bytes: Some(64 * KIB),
            max_bytes: None,
            max_tokens: None,
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
            trust: Trust::default(),
            linked: None,
            max_items: BTreeMap::new(),
            max_body_bytes: None,
            max_metadata_bytes: None,
            check_logs: CheckLogs::All,
            max_log_bytes: None,
            max_patch_bytes: None,
            max_diff_bytes: None,
            max_bytes: None,
            max_tokens: None,
        }
    }
}
