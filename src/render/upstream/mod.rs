//! State → a tree of `entity-context-snapshot/v1`, pure.
//!
//! What the layout demands is docs/format.md, "The upstream layout"; what was decided where it is silent is
//! docs/decisions/0010-upstream-layout.md.

mod accounts;
mod checks;
mod collection;
mod entity;
mod finish;
mod gaps;
mod making;
mod records;
mod threads;

use std::collections::BTreeMap;

use super::Explained;
use crate::corpus::State;
use crate::filter::{self, Filter, Findings};
use crate::format::profile::Profile;
use crate::format::upstream::Gap;
use making::Making;

/// The tree of one issue or pull request.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The files by path, `index.json` among them.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What is missing, also by choice.
    pub gaps: Vec<Gap>,
    /// What filtering found in all files together, each text counted once.
    pub findings: Findings,
    /// Where, if the filter was told to say so.
    pub explained: Vec<Explained>,
    /// Whether every facet that was asked for is known in full.
    pub complete: bool,
}

/// Why there is no tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A detector failed.
    #[error(transparent)]
    Filter(#[from] filter::Error),
    /// The profile asks for what the layout cannot say.
    #[error("{0}")]
    Profile(String),
    /// Something that the layout requires is not known, or not what the layout allows.
    #[error("{member}: {reason}")]
    Required {
        /// The member, as the layout names it.
        member: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The title or body of the entity may not be shown, and there is no tree without them.
    #[error("{member}: the filters found {found}")]
    Unsafe {
        /// The member, as the layout names it.
        member: &'static str,
        /// The classes, with how often each was found.
        found: String,
    },
}

impl Refusal {
    fn unsafe_content(member: &'static str, found: &Findings) -> Self {
        let found: Vec<_> = found.iter().map(|(class, count)| format!("{class} ({count})")).collect();
        Self::Unsafe { member, found: found.join(", ") }
    }
}

/// Renders one issue or pull request. The filter is one that keeps to the floor of the layout ([`Filter::to_the_floor`]).
///
/// # Errors
/// [`Refusal`]: there is no tree then.
pub fn snapshot(state: &State, profile: &Profile, filter: &Filter) -> Result<Snapshot, Refusal> {
    let collection = collection::of(profile, state.kind)?;
    let mut making = Making::new(state, collection, filter)?;
    making.head = profile.trust.head.as_deref().or(making.head);
    let head = entity::render(state, &mut making)?;
    let shown = records::render(state, &mut making)?;
    let relations = threads::render(state, &shown, &mut making)?;
    checks::render(state, &mut making)?;
    gaps::take(state, &mut making);
    let complete = profile.facets(state.kind).iter().all(|facet| state.is_complete(*facet));
    finish::finish(making, head, relations, complete)
}
