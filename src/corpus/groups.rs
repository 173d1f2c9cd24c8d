//! Check suites, workflow runs and pipelines: a listing of check runs does not show them, and does not say that they are gone.

use super::{LoadedLook, LookData};
use crate::forge::facets::{InvalidMetadata, Item, Noted};
use crate::format::observation::Completeness;

/// Takes out of the looks at checks what holds check runs together; a look at nothing else goes whole.
pub(super) fn take(looks: &mut Vec<LoadedLook>) -> Vec<LoadedLook> {
    let mut taken = Vec::new();
    looks.retain_mut(|look| {
        let LookData::Items { items, .. } = &mut look.data else { return true };
        let groups: Vec<_> = items.extract_if(.., |item| is_group(item)).collect();
        if groups.is_empty() {
            return true;
        }
        let data = LookData::Items { items: groups, completeness: Completeness::Partial };
        let stays = !items.is_empty();
        let (subject, item, head) = (look.subject.clone(), look.item.clone(), look.head.clone());
        taken.push(LoadedLook { subject, item, head, data, accounts: Default::default(), ..*look });
        stays
    });
    taken
}

fn is_group(item: &Result<Noted<Item>, InvalidMetadata>) -> bool {
    matches!(item, Ok(Noted { value: Item::Check(check), .. }) if check.origin.is_group())
}
