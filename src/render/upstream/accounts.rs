//! The accounts that the tree names by id: each once, under the login that it had last.

use std::collections::{BTreeMap, BTreeSet};

use super::making::Making;
use crate::filter;
use crate::forge::facets::{Actor, Field};
use crate::format::time::Time;
use crate::format::upstream::{AccountKind, Forge, GapCode, Permission, Scope};

/// The accounts met so far.
#[derive(Default)]
pub(super) struct Accounts<'s> {
    known: BTreeMap<String, Account<'s>>,
    /// Accounts without an id that can be shown, by login; each is counted once.
    nameless: BTreeSet<&'s str>,
    unknown: usize,
}

/// An account.
pub(super) struct Account<'s> {
    /// When the login was met, which decides between two of them.
    at: Option<Time>,
    pub login: &'s str,
    pub kind: AccountKind,
    /// Its role, where it was observed.
    pub role: Option<Permission>,
}

/// Whom something is by: what the rows of the manifest need.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct By {
    /// The id, which names the account.
    pub id: Option<String>,
    /// The login of an account without one.
    pub login: Option<String>,
}

impl<'s> Accounts<'s> {
    /// The accounts by id.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Account<'s>)> {
        self.known.iter()
    }
}

impl<'s> Making<'s> {
    /// An account that something names. One that is gone is nobody; one whose id is not told is a gap.
    pub fn by(&mut self, field: &'s Field<Actor>, at: Option<Time>) -> Result<By, filter::Error> {
        let actor = match field {
            Field::Known(actor) => actor,
            Field::Null => return Ok(By::default()),
            Field::Unknown => {
                self.accounts.unknown += 1;
                return Ok(By::default());
            }
        };
        let id = match self.forge {
            Forge::GitHub => actor.node_id.clone(),
            Forge::GitLab | Forge::Forgejo => actor.id.map(|id| id.to_string()),
        };
        let fits = |id: &String| crate::format::upstream::is_forge_id(self.forge, id, false) && self.fits(id);
        let id = match id.filter(fits) {
            Some(id) => self.named(Scope::Actors, id)?,
            None => {
                self.accounts.nameless.insert(&actor.login);
                None
            }
        };
        let Some(id) = id else { return Ok(By { id: None, login: Some(actor.login.clone()) }) };
        let kind = kind(self.forge, actor);
        let role = self.roles.of(actor).and_then(|access| access.name().parse().ok());
        let account = self.accounts.known.entry(id.clone()).or_insert(Account { at, login: &actor.login, kind, role });
        if (at, actor.login.as_str()) > (account.at, account.login) {
            (account.at, account.login) = (at, &actor.login);
        }
        // Not every payload tells what an account is; the one that does is believed.
        if kind == AccountKind::Bot {
            account.kind = kind;
        }
        account.role = account.role.or(role);
        Ok(By { id: Some(id), login: None })
    }

    /// Counts the accounts of which no id is told.
    pub fn count_nameless(&mut self) {
        let count = self.accounts.nameless.len() + self.accounts.unknown;
        self.gap(Scope::Actors, GapCode::InvalidMetadata, count);
    }
}

fn kind(forge: Forge, actor: &Actor) -> AccountKind {
    let is_app = forge == Forge::GitHub && actor.login.ends_with("[bot]");
    if is_app || actor.account.as_deref() == Some("Bot") { AccountKind::Bot } else { AccountKind::Human }
}
