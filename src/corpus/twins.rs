//! Checks of one name that began in one second, and have no id: what else tells them apart.

use std::collections::{HashMap, HashSet};

use super::{LoadedLook, LookData};
use crate::forge::facets::{Check, Id, Item};
use crate::format::digest::Digest;

/// Gives each of several checks that a look calls alike a name of its own: by the page of the system that ran it, and where that is the
/// same too by its place among these. One that a look shows twice is one.
pub(super) fn settle(looks: &mut [LoadedLook]) {
    let mut crowded: HashSet<String> = HashSet::new();
    for look in &mut *looks {
        let mut first: HashMap<String, Check> = HashMap::new();
        for (name, check) in every(look) {
            if first.get(&name).is_some_and(|known| known != check) {
                crowded.insert(name);
            } else {
                first.insert(name, check.clone());
            }
        }
    }
    if crowded.is_empty() {
        return;
    }
    for look in looks {
        let mut known: HashMap<String, HashMap<Check, usize>> = HashMap::new();
        for (name, check) in every(look).filter(|(name, _)| crowded.contains(name)) {
            let page = |url: &String| format!("{name}@{}", &Digest::of(url.as_bytes()).hex()[..16]);
            let name = check.details_url.as_ref().map_or_else(|| name.clone(), page);
            let alike = known.entry(name.clone()).or_default();
            let next = alike.len();
            let at = *alike.entry(check.clone()).or_insert(next);
            check.id = Id::Text(if at == 0 { name } else { format!("{name}#{}", at + 1) });
        }
    }
}

/// The checks of a look that are called by name and second, with that.
fn every(look: &mut LoadedLook) -> impl Iterator<Item = (String, &mut Check)> {
    let items = if let LookData::Items { items, .. } = &mut look.data { &mut items[..] } else { &mut [] };
    items.iter_mut().flatten().filter_map(|item| {
        let Item::Check(check) = &mut item.value else { return None };
        let name = check.occasion()?;
        (check.id == Id::Text(name.clone())).then_some((name, &mut **check))
    })
}
