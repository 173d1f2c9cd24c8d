//! Items that the forge says it deleted. An id is given once, so that no look, earlier or later, brings one back, but that what set off a
//! stage was there then.

use std::collections::{BTreeMap, HashSet};

use super::set::{belongs, forge_time};
use super::{LoadedLook, LookData};
use crate::forge::facets::{Item, Noted};
use crate::format::observation::Completeness;

/// Takes out of the looks at one set, which are in order of (observedAt, position, digest), every item that one of them says
/// was deleted, unless it is what the delivery shows that set off the stage. Returns the last version of each.
pub(super) fn take_deleted(looks: &mut [LoadedLook]) -> Vec<Item> {
    let mut deleted: HashSet<String> = looks.iter().flat_map(deleted_items).map(Item::key).collect();
    for look in looks.iter().filter(|look| look.delivered) {
        if let LookData::Items { items, completeness } = &look.data
            && *completeness != Completeness::Deleted
        {
            items.iter().flatten().for_each(|item| {
                deleted.remove(&item.value.key());
            });
        }
    }
    if deleted.is_empty() {
        return Vec::new();
    }
    let mut last = BTreeMap::new();
    for look in looks {
        let (rank, facet) = (look.rank(), look.facet);
        let LookData::Items { items, .. } = &mut look.data else { continue };
        for item in std::mem::take(items) {
            match item {
                Ok(Noted { value, .. }) if belongs(&value, facet) && deleted.contains(&value.key()) => {
                    let order = (forge_time(&value), rank);
                    let known = last.get(&value.key()).is_some_and(|(known, _)| *known > order);
                    if !known {
                        last.insert(value.key(), (order, value));
                    }
                }
                other => items.push(other),
            }
        }
    }
    last.into_values().map(|(_, item)| item).collect()
}

fn deleted_items(look: &LoadedLook) -> impl Iterator<Item = &Item> {
    let items = match &look.data {
        LookData::Items { items, completeness: Completeness::Deleted } => &items[..],
        _ => &[],
    };
    items.iter().flatten().map(|item| &item.value)
}
