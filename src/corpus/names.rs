//! Items that a look names without database id, and another look with it.

use std::collections::HashMap;

use super::set::Look;
use crate::forge::facets::{Id, Item};

/// What an item can be known by beside its database id.
fn names(item: &Item) -> [Option<String>; 2] {
    match item {
        Item::Comment(c) => [c.node_id.clone(), c.occasion()],
        Item::ReviewComment(c) => [c.comment.node_id.clone(), c.comment.occasion()],
        Item::Review(r) => [r.node_id.clone(), r.occasion()],
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

/// Gives each item without database id the one under which another look shows it. A name that two items have is nobody's.
pub(super) fn unify(looks: &mut [Look]) {
    let nameless = |item: &mut Item| matches!(id_of(item), Some(Id::Text(_)));
    if !looks.iter_mut().any(|look| look.items.iter_mut().any(|item| nameless(&mut item.value))) {
        return;
    }
    let mut known: HashMap<String, Option<Id>> = HashMap::new();
    for item in looks.iter_mut().flat_map(|look| &mut look.items).map(|item| &mut item.value) {
        let names = names(item);
        let Some(id @ Id::Number(_)) = id_of(item).map(|id| id.clone()) else { continue };
        for name in names.into_iter().flatten() {
            let entry = known.entry(name).or_insert_with(|| Some(id.clone()));
            if entry.as_ref() != Some(&id) {
                *entry = None;
            }
        }
    }
    for item in looks.iter_mut().flat_map(|look| &mut look.items).map(|item| &mut item.value) {
        let names = names(item);
        let Some(id @ Id::Text(_)) = id_of(item) else { continue };
        let found = names.into_iter().flatten().find_map(|name| known.get(&name).cloned().flatten());
        if let Some(found) = found {
            *id = found;
        }
    }
}
