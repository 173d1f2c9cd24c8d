//! Every account that a payload shows, wherever in it: one walk, so that no place is forgotten.

use std::collections::BTreeSet;

use super::dialect::Dialect;
use super::facets::Actor;
use super::member::{Reader, actor, noted};
use super::{gitea, gitlab, graphql};
use crate::format::json::Json;

impl Dialect {
    /// The account that an object is; `None` for anything else, and for the one that stands for all that are gone.
    pub fn account(self, value: &Json<'_>) -> Option<Actor> {
        value.as_object()?;
        let read = |read: fn(Reader<'_>) -> Option<Actor>| noted(value, |part| Ok(read(part))).ok()?.value;
        let found = match self {
            Self::GithubRest | Self::GithubArchive => read(actor),
            Self::GithubGraphql => graphql::account(value),
            Self::GitlabRest | Self::GitlabHook => read(gitlab::account),
            Self::GiteaRest => read(gitea::account),
            Self::Text => None,
        };
        found.filter(|actor| !actor.is_ghost())
    }

    /// Adds every account that a payload shows, each once.
    pub fn accounts(self, value: &Json<'_>, found: &mut BTreeSet<Actor>) {
        let mut rest = vec![value];
        while let Some(value) = rest.pop() {
            match value {
                Json::Object(object) => {
                    found.extend(self.account(value));
                    rest.extend(object.iter().map(|(_, value)| value));
                }
                Json::Array(items) => rest.extend(items),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
            }
        }
    }
}
