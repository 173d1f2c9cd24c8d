//! The checks that logs may be of, by id and by name: of a check for each of many logs, a search through all would be felt.

use std::collections::HashMap;

use super::{LogOwner, State};
use crate::forge::facets::{Check, Id};
use crate::forge::log::as_file_name;

/// The checks of a state that have logs of their own. A suite, run or pipeline is numbered by itself, and has no log.
pub struct Logged<'s> {
    runs: HashMap<&'s Id, &'s Check>,
    statuses: HashMap<&'s Id, &'s Check>,
}

impl<'s> Logged<'s> {
    /// Those of a state.
    pub fn of(state: &'s State) -> Self {
        let by_id = |checks: &'s [Check]| -> HashMap<_, _> {
            // The first of an id stands, as it does where checks are shown.
            checks.iter().rev().filter(|check| !check.origin.is_group()).map(|check| (&check.id, check)).collect()
        };
        Self { runs: by_id(&state.checks), statuses: by_id(&state.statuses) }
    }

    /// The check that a log is of, when it is known.
    pub fn check(&self, owner: &LogOwner) -> Option<&'s Check> {
        match owner {
            LogOwner::Run(id) => self.runs.get(id).copied(),
            LogOwner::Status(id) => self.statuses.get(id).copied(),
            LogOwner::UnknownRun(_) | LogOwner::Job(_) => None,
        }
    }

    /// Whose a log is that is named by the number of its check.
    pub(super) fn owner(&self, number: u64) -> LogOwner {
        let id = Id::from(number);
        if self.runs.contains_key(&id) {
            LogOwner::Run(id)
        } else if self.statuses.contains_key(&id) {
            LogOwner::Status(id)
        } else {
            LogOwner::UnknownRun(number)
        }
    }
}

/// The checks of the head by the name that their logs have; none where several have it.
pub(super) struct Named<'s> {
    runs: HashMap<String, Option<&'s Check>>,
    statuses: HashMap<String, Option<&'s Check>>,
}

impl<'s> Named<'s> {
    /// Those of a state.
    pub(super) fn of(state: &'s State) -> Self {
        let by_name = |checks: &'s [Check]| {
            let mut found = HashMap::new();
            for check in checks.iter().filter(|check| state.is_current(check) && !check.origin.is_group()) {
                found.entry(as_file_name(&check.name)).and_modify(|one| *one = None).or_insert(Some(check));
            }
            found
        };
        Self { runs: by_name(&state.checks), statuses: by_name(&state.statuses) }
    }

    /// Whose a log is that is named by its job, when it fits the check of that name.
    pub(super) fn owner(&self, name: &str, fits: impl Fn(&Check) -> bool) -> LogOwner {
        let key = as_file_name(name);
        match (self.runs.get(&key), self.statuses.get(&key)) {
            (Some(Some(run)), _) if fits(run) => LogOwner::Run(run.id.clone()),
            (None, Some(Some(status))) if fits(status) => LogOwner::Status(status.id.clone()),
            _ => LogOwner::Job(name.to_owned()),
        }
    }
}
