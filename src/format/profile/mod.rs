//! The choices of a stage: facets, bounds, the budget, what a finding does, which end of a long list is kept, whom it believes. A stage carries the whole
//! profile in its index.

mod built_in;
mod text;
mod tokens;
mod trust;

use std::collections::{BTreeMap, BTreeSet};

use super::entity::Kind;
use super::facet::Facet;
use super::json;

pub use tokens::tokens;
pub use trust::{ASSOCIATIONS, Admit, Bots, MEMBERS, Trust, commit, login};

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
    /// Whose texts are shown, and those of which moment and head.
    pub trust: Trust,
    /// Which linked issues and pull requests are staged beside an entity; `None` for none.
    pub linked: Option<Linked>,
    /// The most items of a set; a set that is not named has no bound.
    pub max_items: BTreeMap<Facet, u64>,
    /// The most bytes of a body, commit message or check summary, its last line end included.
    pub max_body_bytes: Option<u64>,
    /// The most bytes of a title, login, label or other text on one line.
    pub max_metadata_bytes: Option<u64>,
    /// Which logs of checks are shown.
    pub check_logs: CheckLogs,
    /// The most bytes of a log: what is shown of a longer one are its ends and the surroundings of failures.
    pub max_log_bytes: Option<u64>,
    /// The most bytes of the patch of one file; a longer one is left out whole. Also of a hunk that a thread shows.
    pub max_patch_bytes: Option<u64>,
    /// The most bytes of `changes/diff.patch`; what comes after is left out file by file.
    pub max_diff_bytes: Option<u64>,
    /// The most bytes of all files of the stage together, the indexes too.
    pub max_bytes: Option<u64>,
    /// The most tokens of all files of the stage together, each by the estimate of [`tokens`].
    pub max_tokens: Option<u64>,
}

/// Which linked issues and pull requests are staged beside an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linked {
    /// Where they may be.
    pub from: LinkedFrom,
    /// How many of the links of an entity are followed, the closest first.
    pub max: u64,
}

/// Where linked issues and pull requests may be. Whoever writes a text can name what its readers may not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkedFrom {
    /// In the repository of the entity.
    Repository,
    /// Anywhere that the store has facts of.
    Any,
}

impl LinkedFrom {
    const ALL: [Self; 2] = [Self::Repository, Self::Any];

    fn name(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::Any => "any",
        }
    }
}

impl Linked {
    /// The most links that are followed unless a profile says otherwise.
    pub const MOST: u64 = 20;
}

/// Which end of a list stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first items.
    Oldest,
    /// The last ones.
    Newest,
    /// The last ones; of review threads those first that are not known to be resolved, each from its first comment on.
    UnresolvedFirst,
}

impl Keep {
    const ALL: [Self; 3] = [Self::Oldest, Self::Newest, Self::UnresolvedFirst];

    fn name(self) -> &'static str {
        match self {
            Self::Oldest => "oldest",
            Self::Newest => "newest",
            Self::UnresolvedFirst => "unresolved-first",
        }
    }
}

/// Which logs of checks a stage shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CheckLogs {
    /// None.
    None,
    /// Those of checks that are not known to have succeeded, been neutral or been skipped.
    Failed,
    /// Every one.
    #[default]
    All,
}

impl CheckLogs {
    const ALL: [Self; 3] = [Self::None, Self::Failed, Self::All];

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Failed => "failed",
            Self::All => "all",
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
    #[error(
        "the profile has {} and {}; this program reads git-docket.profile format 1",
        schema.as_ref().map_or("no schema".to_owned(), |schema| format!("the schema {schema:?}")),
        format.map_or("no format".to_owned(), |format| format!("the format {format}"))
    )]
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

/// Whether only a pull request has a facet.
pub fn is_of_pull(facet: Facet) -> bool {
    PULL_TOO.contains(&main_facet(facet))
}

/// The facet that another belongs to: `statuses` and `logs` to checks, `events` to the timeline, `diff` to files, `threads` to review comments.
pub fn main_facet(facet: Facet) -> Facet {
    ALTERNATIVES.iter().find(|(alternative, _)| *alternative == facet).map_or(facet, |(_, main)| *main)
}

impl Profile {
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
}
