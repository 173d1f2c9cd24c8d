//! The accounts that looks show, by every login that they had in any of them.

use std::collections::{BTreeMap, BTreeSet};

use super::LoadedLook;
use super::admit::{bare, is_bot, is_migrated};
use crate::forge::facets::Actor;

/// Whom any look shows, also in versions that a newer one replaces and in items that are gone: each account as often as looks show it
/// differently, in order.
pub fn met(looks: &[LoadedLook]) -> Vec<Actor> {
    let met: BTreeSet<_> = looks.iter().flat_map(|look| &look.accounts).collect();
    met.into_iter().cloned().collect()
}

/// Whom a login stands for where no number of the account is told.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Logins {
    /// Whose a login is, without the marks of an application and in lower case.
    owners: BTreeMap<String, Named>,
    /// The opaque ids of a number.
    nodes: BTreeMap<u64, BTreeSet<String>>,
    bots: BTreeSet<u64>,
}

/// The account of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// No look tells the number of one with this login.
    Unmet,
    /// This one.
    One(u64),
    /// Another account has or had the login too, or this one another login: it is nobody's.
    Shared,
}

/// What the looks show beside one login.
#[derive(Default)]
struct Shown {
    numbers: BTreeSet<u64>,
    /// Opaque ids without a number.
    strays: BTreeSet<String>,
}

impl Logins {
    /// Of all accounts that were met.
    pub fn of<'a>(met: impl Iterator<Item = &'a Actor>) -> Self {
        let mut all = Self::default();
        let (mut shown, mut logins) = (BTreeMap::<_, Shown>::new(), BTreeMap::<_, BTreeSet<_>>::new());
        for actor in met.filter(|actor| !is_migrated(actor)) {
            let login = login(actor);
            let beside = shown.entry(login.clone()).or_default();
            match (actor.id, actor.node_id.clone()) {
                (Some(id), node) => {
                    beside.numbers.insert(id);
                    logins.entry(id).or_default().insert(login);
                    all.nodes.entry(id).or_default().extend(node);
                    all.bots.extend(is_bot(actor).then_some(id));
                }
                (None, node) => beside.strays.extend(node),
            }
        }
        let is_other = |id, nodes: &BTreeSet<String>| nodes.iter().any(|node| !all.may_be(id, node));
        let owner = |shown: &Shown| match (shown.numbers.first(), shown.numbers.len()) {
            (None, _) if shown.strays.len() > 1 => Named::Shared,
            (None, _) => Named::Unmet,
            (Some(id), 1) if logins[id].len() == 1 && !is_other(*id, &shown.strays) => Named::One(*id),
            _ => Named::Shared,
        };
        let owners = shown.into_iter().map(|(login, shown)| (login, owner(&shown))).collect();
        Self { owners, ..all }
    }

    /// The account of an actor: by its number, else by its login, when no look shows another account under it, nor this one under another.
    /// What it costs does not grow with the accounts that a login has.
    pub fn named(&self, actor: &Actor) -> Named {
        if let Some(id) = actor.id {
            return Named::One(id);
        }
        match self.owners.get(&login(actor)) {
            Some(Named::One(id)) if actor.node_id.as_ref().is_some_and(|node| !self.may_be(*id, node)) => Named::Shared,
            owner => owner.copied().unwrap_or(Named::Unmet),
        }
    }

    /// Whether an opaque id may be that of a number: it is another's when it is not one of those that the number has.
    fn may_be(&self, id: u64, node: &str) -> bool {
        self.nodes.get(&id).is_none_or(|nodes| nodes.is_empty() || nodes.contains(node))
    }

    /// Whether any look tells that an account is a bot.
    pub fn is_bot(&self, id: u64) -> bool {
        self.bots.contains(&id)
    }
}

fn login(actor: &Actor) -> String {
    bare(&actor.login.to_ascii_lowercase()).to_owned()
}
