//! The accounts that looks show, by every login that they had in any of them.

use std::collections::BTreeSet;

use super::{LoadedLook, LookData};
use crate::forge::facets::{Actor, Field, Header, Item};

/// Who did anything in any look, also in versions that a newer one replaces and in items that are gone: each account as often as looks
/// show it differently, in order.
pub(super) fn met(looks: &[LoadedLook]) -> Vec<Actor> {
    let mut met = BTreeSet::new();
    for look in looks {
        match &look.data {
            LookData::Header(header) | LookData::LastHeader(header) => met.extend(of_header(&header.value)),
            LookData::Items { items, .. } => met.extend(items.iter().flatten().filter_map(|item| of_item(&item.value))),
            LookData::Unreadable(_) | LookData::Text(_) | LookData::Unavailable(_) => {}
        }
    }
    met.into_iter().cloned().collect()
}

fn of_header(header: &Header) -> impl Iterator<Item = &Actor> {
    let enabled_by = header.auto_merge.known().and_then(|auto| auto.enabled_by.known());
    let lists = [&header.assignees, &header.requested_reviewers, &header.approved_by];
    let ones = [&header.author, &header.closed_by, &header.merged_by];
    let lists = lists.into_iter().filter_map(Field::known).flatten();
    ones.into_iter().filter_map(Field::known).chain(enabled_by).chain(lists)
}

fn of_item(item: &Item) -> Option<&Actor> {
    match item {
        Item::Comment(comment) => comment.author.known(),
        Item::Review(review) => review.author.known(),
        Item::ReviewComment(comment) => comment.comment.author.known(),
        Item::Thread(thread) => thread.resolved_by.known(),
        Item::Commit(commit) => commit.author.known(),
        Item::Event(event) => event.actor.known(),
        Item::Reaction(reaction) => reaction.actor.known(),
        Item::Member(member) => Some(&member.actor),
        Item::Check(_) | Item::File(_) | Item::Label(_) => None,
    }
}
