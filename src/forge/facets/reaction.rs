//! Reactions in normal form: each by itself, and how many there are of each kind.

use std::collections::BTreeMap;

use super::{Actor, Field};
use crate::format::time::Time;

/// A reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// The forge's database id; Gitea gives none.
    pub id: Option<u64>,
    /// `+1 -1 laugh hooray confused heart rocket eyes`, elsewhere than on GitHub also the name of another emoji.
    pub content: String,
    /// Who; null when the account is gone.
    pub actor: Field<Actor>,
    /// When.
    pub created_at: Option<Time>,
}

impl Reaction {
    /// The id, or where there is none who reacted and how: nobody can twice alike.
    pub fn key(&self) -> String {
        let by = || self.actor.known().map_or("", |actor| actor.login.as_str());
        self.id.map_or_else(|| format!("{}:{}", self.content, by()), |id| id.to_string())
    }
}

/// How many reactions there are of each kind: only kinds that there are, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReactionCounts(Vec<(String, u64)>);

impl ReactionCounts {
    /// The kinds in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(content, count)| (content.as_str(), *count))
    }
}

impl<'c> FromIterator<(&'c str, u64)> for ReactionCounts {
    fn from_iter<T: IntoIterator<Item = (&'c str, u64)>>(counts: T) -> Self {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (content, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            let sum = sums.entry(content).or_default();
            *sum = sum.saturating_add(count);
        }
        Self(sums.into_iter().map(|(content, count)| (content.to_owned(), count)).collect())
    }
}
