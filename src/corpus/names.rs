//! Items that a look names without database id, and another look with it.

use std::collections::HashMap;

use super::{LoadedLook, LookData};
use crate::forge::facets::{Id, InvalidMetadata, Item, Noted};

/// What an item can be known by beside its database id.
fn names(item: &Item) -> [Option<String>; 2] {
    match item {
        Item::Comment(c) => [c.node_id.clone(), c.occasion()],
        Item::ReviewComment(c) => [c.comment.node_id.clone(), c.comment.occasion()],
        Item::Review(r) => [r.node_id.clone(), r.occasion()],
        Item::Check(c) if c.origin.is_group() => [c.node_id.clone(), None],
        Item::Check(c) => [c.node_id.clone(), c.occasion()],
        _ => [None, None],
    }
}

fn id_of(item: &mut Item) -> Option<&mut Id> {
    Some(match item {
        Item::Comment(c) => &mut c.id,
        Item::ReviewComment(c) => &mut c.comment.id,
        Item::Review(r) => &mut r.id,
        Item::Check(c) => &mut c.id,
        _ => return None,
    })
}

/// Gives each item without database id the one under which another look at the set shows it. A name that two items have is
/// nobody's. A look that says that an item was deleted names it as any other does.
pub(super) fn unify(looks: &mut [LoadedLook]) {
    let nameless = |item: &mut Item| matches!(id_of(item), Some(Id::Text(_)));
    if !items(looks).any(nameless) {
        return;
    }
    let mut known: HashMap<String, Option<Id>> = HashMap::new();
    for item in items(looks) {
        let names = names(item);
        let Some(id @ Id::Number(_)) = id_of(item).map(|id| id.clone()) else { continue };
        for name in names.into_iter().flatten() {
            let entry = known.entry(name).or_insert_with(|| Some(id.clone()));
            if entry.as_ref() != Some(&id) {
                *entry = None;
            }
        }
    }
    for item in items(looks) {
        let names = names(item);
        let Some(id @ Id::Text(_)) = id_of(item) else { continue };
        let found = names.into_iter().flatten().find_map(|name| known.get(&name).cloned().flatten());
        if let Some(found) = found {
            *id = found;
        }
    }
}

type Items = Vec<Result<Noted<Item>, InvalidMetadata>>;

fn of_set(look: &mut LoadedLook) -> Option<&mut Items> {
    if let LookData::Items { items, .. } = &mut look.data { Some(items) } else { None }
}

fn items(looks: &mut [LoadedLook]) -> impl Iterator<Item = &mut Item> {
    looks.iter_mut().filter_map(of_set).flatten().flatten().map(|item| &mut item.value)
}
