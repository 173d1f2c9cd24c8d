//! What is known and not shown: the texts are no longer in the state, only who, when, how long and why.

use std::collections::BTreeMap;

use super::state::State;
use super::{GapCode, LogOwner};
use crate::forge::facets::Check;
use crate::format::facet::Facet;

/// Why a text is not shown, and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Withheld {
    /// The size in bytes of the texts, as the forge has them.
    pub bytes: usize,
    /// The reason, which is the code of the gap that counts it.
    pub reason: GapCode,
}

/// What is withheld, by facet and name: the key of an item, `body` or `title` of the header, [`check_name`],
/// [`log_name`]. In the place of a text on one line, like that of a reaction, stands a mark that names the reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Withholdings(BTreeMap<(Facet, String), Withheld>);

impl Withholdings {
    /// What is withheld of an item.
    pub fn of(&self, facet: Facet, name: &str) -> Option<Withheld> {
        // Hardly ever is anything withheld, and then no name needs to be made.
        if self.0.is_empty() { None } else { self.0.get(&(facet, name.to_owned())).copied() }
    }

    /// True when everything that is known is shown.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl State {
    /// Notes and counts a text that was taken out. The first reason stands.
    pub(super) fn withhold(&mut self, facet: Facet, name: String, bytes: usize, reason: GapCode) {
        if self.withheld.of(facet, &name).is_none() {
            self.withheld.0.insert((facet, name), Withheld { bytes, reason });
            self.gaps.add(facet, reason, 1);
        }
    }
}

/// The name of a check among what is withheld, below the facet of its kind.
pub fn check_name(check: &Check) -> String {
    if check.origin.is_group() { format!("{}:{}", check.origin.name(), check.id) } else { check.id.to_string() }
}

/// The name of a log among what is withheld.
pub fn log_name(owner: &LogOwner) -> String {
    match owner {
        LogOwner::Run(id) => format!("run:{id}"),
        LogOwner::Status(id) => format!("status:{id}"),
        LogOwner::UnknownRun(id) => format!("unknown:{id}"),
        LogOwner::Job(name) => format!("job:{name}"),
    }
}

/// Why an item has a row without being of the time of the stage.
pub const OF_A_TIME: [GapCode; 3] = [GapCode::AfterAsOf, GapCode::EarlierVersionMissing, GapCode::AsOfUnknown];

/// Whether a mark stands in the place of a text that is not of the time of the stage.
pub fn is_marked(text: &str) -> bool {
    OF_A_TIME.iter().any(|reason| text == mark(*reason))
}

/// The words for a text on one line that is not shown.
pub fn mark(reason: GapCode) -> String {
    format!("[withheld:{}]", reason.name())
}
