//! The order of a list that several looks show a part of each: what nothing orders is put in an order that depends on nothing but what
//! the parts say.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use super::Rank;
use crate::forge::facets::{Commit, Item};
use crate::format::time::Time;

/// How many items of a list were first shown by one look, and when that was made.
pub(super) type Share = (Rank, usize);

/// Where an entry of a timeline stands: its time, then its key with numbers by value.
type Place = (Option<Time>, (String, u64, String));

/// Puts the entries of a timeline of looks that nothing orders by time and key; those of one look stay in its order.
pub(super) fn entries(members: Vec<Item>, shares: &[Share]) -> Vec<Item> {
    let mut left = members.into_iter();
    let mut out = Vec::with_capacity(left.len());
    for tied in shares.chunk_by(|a, b| a.0 == b.0) {
        let lists = tied.iter().map(|(_, count)| left.by_ref().take(*count).collect());
        out.extend(merge(lists.collect()));
    }
    out.extend(left);
    out
}

fn merge(mut lists: Vec<Vec<Item>>) -> Vec<Item> {
    if lists.len() < 2 {
        return lists.pop().unwrap_or_default();
    }
    let mut lists: Vec<_> = lists.into_iter().map(placed).collect();
    let head = |list: &VecDeque<(Place, Item)>, at: usize| list.front().map(|(place, _)| Reverse((place.clone(), at)));
    let mut heads: BinaryHeap<_> = lists.iter().enumerate().filter_map(|(at, list)| head(list, at)).collect();
    let mut out = Vec::new();
    while let Some(Reverse((_, at))) = heads.pop() {
        out.extend(lists[at].pop_front().map(|(_, item)| item));
        heads.extend(head(&lists[at], at));
    }
    out
}

/// The entries of one look by time. One without a time is behind its predecessor; where there is none, before the next.
fn placed(list: Vec<Item>) -> VecDeque<(Place, Item)> {
    let mut last = list.iter().find_map(Item::updated_at);
    let place = |item: Item| {
        last = item.updated_at().or(last);
        ((last, by_number(&item.key())), item)
    };
    let mut placed: Vec<_> = list.into_iter().map(place).collect();
    placed.sort_by_key(|((time, _), _)| *time);
    placed.into()
}

/// A key that ends with a number, with that as a number: `label:9` is before `label:10`.
fn by_number(key: &str) -> (String, u64, String) {
    let stem = key.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.to_owned(), key[stem.len()..].parse().unwrap_or(0), key.to_owned())
}

/// Puts commits that stand before one of their parents behind it, or before it where the newest comes first. The rest stays as it is.
pub(super) fn commits(members: Vec<Item>, newest_first: bool) -> Vec<Item> {
    let mut members = members;
    if newest_first {
        members.reverse();
    }
    let at: HashMap<&str, usize> =
        members.iter().enumerate().filter_map(|(at, item)| Some((commit(item)?.sha.as_str(), at))).collect();
    let parents: Vec<Vec<usize>> = members
        .iter()
        .map(|item| {
            let named = commit(item).and_then(|commit| commit.parents.as_deref()).unwrap_or_default();
            named.iter().filter_map(|sha| at.get(sha.as_str()).copied()).collect()
        })
        .collect();
    let order = parents_first(&parents);
    let mut members: Vec<_> = members.into_iter().map(Some).collect();
    let mut out: Vec<_> = order.into_iter().filter_map(|at| members[at].take()).collect();
    // A circle, which no history has.
    out.extend(members.into_iter().flatten());
    if newest_first {
        out.reverse();
    }
    out
}

/// The first that may come of those that are left, again and again.
fn parents_first(parents: &[Vec<usize>]) -> Vec<usize> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut missing = vec![0usize; parents.len()];
    for (child, parents) in parents.iter().enumerate() {
        missing[child] = parents.len();
        parents.iter().for_each(|parent| children[*parent].push(child));
    }
    let mut ready: BinaryHeap<_> = (0..parents.len()).filter(|at| missing[*at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(parents.len());
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for child in &children[at] {
            missing[*child] -= 1;
            if missing[*child] == 0 {
                ready.push(Reverse(*child));
            }
        }
    }
    order
}

/// The same commits with the looks that nothing orders the other way round: what differs then, only a digest decided.
pub(super) fn is_commit_order_open(members: &[Item], shares: &[Share], newest_first: bool) -> bool {
    if shares.len() < 2 {
        return false;
    }
    let mut left = members;
    let mut turned = Vec::with_capacity(members.len());
    for tied in shares.chunk_by(|a, b| a.0 == b.0) {
        let mut lists = Vec::with_capacity(tied.len());
        for (_, count) in tied {
            let (list, rest) = left.split_at((*count).min(left.len()));
            lists.push(list);
            left = rest;
        }
        lists.into_iter().rev().for_each(|list| turned.extend_from_slice(list));
    }
    turned.extend_from_slice(left);
    let shas = |items: &[Item]| items.iter().map(Item::key).collect::<Vec<_>>();
    shas(&commits(turned, newest_first)) != shas(&commits(members.to_vec(), newest_first))
}

fn commit(item: &Item) -> Option<&Commit> {
    if let Item::Commit(commit) = item { Some(commit) } else { None }
}
