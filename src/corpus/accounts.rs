//! The accounts that looks show, by every login that they had in any of them.

use std::collections::{BTreeMap, BTreeSet};

use super::admit::{bare, is_bot, is_migrated};
use super::{LoadedLook, LookData};
use crate::forge::facets::{Actor, Field, Header, Item};

/// Who did anything in any look, also in versions that a newer one replaces and in items that are gone: each account as often as looks
/// show it differently, in order.
pub fn met(looks: &[LoadedLook]) -> Vec<Actor> {
    let mut met = BTreeSet::new();
    for look in looks {
        match &look.data {
            LookData::Header(header) | LookData::LastHeader(header) => met.extend(of_header(&header.value)),
            LookData::Items { items, .. } => met.extend(items.iter().flatten().flat_map(|item| of_item(&item.value))),
            LookData::Unreadable(_) | LookData::Text(_) | LookData::Unavailable(_) => {}
        }
    }
    met.into_iter().cloned().collect()
}

/// Whom a login stands for where no number of the account is told.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Logins {
    /// The numbers that have or had a login, without the marks of an application and in lower case.
    numbers: BTreeMap<String, BTreeSet<u64>>,
    /// The opaque ids that were met beside a login without a number.
    strays: BTreeMap<String, BTreeSet<String>>,
    /// Every login, and every opaque id, of a number.
    logins: BTreeMap<u64, BTreeSet<String>>,
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

impl Logins {
    /// Of all accounts that were met.
    pub fn of<'a>(met: impl Iterator<Item = &'a Actor>) -> Self {
        let mut all = Self::default();
        for actor in met.filter(|actor| !is_migrated(actor)) {
            let login = login(actor);
            match (actor.id, actor.node_id.clone()) {
                (Some(id), node) => {
                    all.numbers.entry(login.clone()).or_default().insert(id);
                    all.logins.entry(id).or_default().insert(login);
                    all.nodes.entry(id).or_default().extend(node);
                    all.bots.extend(is_bot(actor).then_some(id));
                }
                (None, Some(node)) => {
                    all.strays.entry(login).or_default().insert(node);
                }
                (None, None) => {}
            }
        }
        all
    }

    /// The account of an actor: by its number, else by its login, when no look shows another account under it, nor this one under another.
    pub fn named(&self, actor: &Actor) -> Named {
        if let Some(id) = actor.id {
            return Named::One(id);
        }
        let login = login(actor);
        let strays = self.strays.get(&login).into_iter().flatten();
        let Some(numbers) = self.numbers.get(&login) else {
            return if strays.count() > 1 { Named::Shared } else { Named::Unmet };
        };
        let id = match numbers.iter().collect::<Vec<_>>()[..] {
            [id] if self.logins.get(id).is_some_and(|logins| logins.len() == 1) => *id,
            _ => return Named::Shared,
        };
        // An opaque id that is told is another's when it is not one of those that the number has.
        let nodes = self.nodes.get(&id).filter(|nodes| !nodes.is_empty());
        let mut told = strays.chain(&actor.node_id);
        let is_other = nodes.is_some_and(|nodes| told.any(|node| !nodes.contains(node)));
        if is_other { Named::Shared } else { Named::One(id) }
    }

    /// Whether any look tells that an account is a bot.
    pub fn is_bot(&self, id: u64) -> bool {
        self.bots.contains(&id)
    }
}

fn login(actor: &Actor) -> String {
    bare(&actor.login.to_ascii_lowercase()).to_owned()
}

fn of_header(header: &Header) -> impl Iterator<Item = &Actor> {
    let enabled_by = header.auto_merge.known().and_then(|auto| auto.enabled_by.known());
    let lists = [&header.assignees, &header.requested_reviewers, &header.approved_by];
    let ones = [&header.author, &header.closed_by, &header.merged_by];
    let lists = lists.into_iter().filter_map(Field::known).flatten();
    ones.into_iter().filter_map(Field::known).chain(enabled_by).chain(lists)
}

fn of_item(item: &Item) -> impl Iterator<Item = &Actor> {
    let mut resolver = None;
    let author = match item {
        Item::Comment(comment) => comment.author.known(),
        Item::Review(review) => review.author.known(),
        Item::ReviewComment(comment) => {
            resolver = comment.resolution.by.known();
            comment.comment.author.known()
        }
        Item::Thread(thread) => thread.resolved_by.known(),
        Item::Commit(commit) => commit.author.known(),
        Item::Event(event) => event.actor.known(),
        Item::Reaction(reaction) => reaction.actor.known(),
        Item::Member(member) => Some(&member.actor),
        Item::Check(_) | Item::File(_) | Item::Label(_) => None,
    };
    author.into_iter().chain(resolver)
}
