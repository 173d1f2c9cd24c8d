//! Items that a look names without database id, and another look with it.

use std::collections::{BTreeMap, HashMap};

use super::{LoadedLook, LookData};
use crate::forge::facets::{Id, InvalidMetadata, Item, Noted};
use crate::format::facet::Facet;

/// The sets of an entity: each facet and item below the entity with the looks at it.
pub(super) type Sets = BTreeMap<(Facet, Option<String>), Vec<LoadedLook>>;

/// What an item can be known by beside its database id.
fn names(item: &Item) -> [Option<String>; 2] {
    match item {
        Item::Comment(c) => [c.node_id.clone(), c.occasion()],
        Item::ReviewComment(c) => [c.comment.node_id.clone(), c.comment.occasion()],
        Item::Review(r) => [r.node_id.clone(), r.occasion()],
        Item::Check(c) if c.origin.is_group() => [c.node_id.clone(), None],
        Item::Check(c) => [c.node_id.clone(), c.occasion()],
        Item::Event(e) => [e.node_id.clone(), e.occasion()],
        Item::Reaction(r) => [r.node_id.clone(), Some(r.occasion())],
        _ => [None, None],
    }
}

/// What the forge names an item by wherever it shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Number(u64),
    /// Of an event.
    Key(String),
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

/// How well an item is named, 0 the best, and its name if that is one; `None` for what needs none.
fn name_of(item: &mut Item) -> Option<(u8, Option<Name>)> {
    let number = |id: Option<u64>| (if id.is_some() { 0 } else { NAMELESS }, id.map(Name::Number));
    match item {
        Item::Event(event) => {
            let rank = event.key_rank();
            Some((rank, (rank < NAMELESS).then(|| Name::Key(event.key.clone()))))
        }
        Item::Reaction(reaction) => Some(number(reaction.id)),
        other => id_of(other).map(|id| number(id.number())),
    }
}

/// The rank of what has something else in the place of a name.
const NAMELESS: u8 = 2;

fn give(item: &mut Item, name: &Name) {
    match (item, name) {
        (Item::Event(event), Name::Key(key)) => event.key.clone_from(key),
        (Item::Reaction(reaction), Name::Number(id)) => reaction.id = Some(*id),
        (other, Name::Number(id)) => id_of(other).into_iter().for_each(|own| *own = Id::Number(*id)),
        _ => {}
    }
}

/// The best names by what else items are known by, in each set, with their rank. A mark that two items of one rank have is nobody's.
struct Known(HashMap<Mark, (u8, Option<Name>)>);

/// The set of an item, and what it is known by in it.
type Mark = (Facet, Option<String>, String);

impl Known {
    /// Events are entries of the timeline.
    fn set((facet, item): &(Facet, Option<String>)) -> (Facet, Option<String>) {
        (if *facet == Facet::Events { Facet::Timeline } else { *facet }, item.clone())
    }

    fn learn(&mut self, set: &(Facet, Option<String>), item: &mut Item) {
        let Some((rank, Some(name))) = name_of(item) else { return };
        let (facet, below) = Self::set(set);
        for mark in names(item).into_iter().flatten() {
            let entry = self.0.entry((facet, below.clone(), mark)).or_insert_with(|| (rank, Some(name.clone())));
            if rank < entry.0 {
                *entry = (rank, Some(name.clone()));
            } else if rank == entry.0 && entry.1.as_ref() != Some(&name) {
                entry.1 = None;
            }
        }
    }

    /// A name that is better than one of a rank.
    fn better(&self, than: u8, set: &(Facet, Option<String>), mark: String) -> Option<&Name> {
        let (facet, below) = Self::set(set);
        let (rank, name) = self.0.get(&(facet, below, mark))?;
        name.as_ref().filter(|_| *rank < than)
    }

    /// Gives a name of another item the number of that.
    fn settle(&self, facet: Facet, id: &mut Id) {
        if let Id::Text(text) = id
            && let Some(Name::Number(number)) = self.better(NAMELESS, &(facet, None), text.clone())
        {
            *id = Id::Number(*number);
        }
    }

    fn settle_all(&self, item: &mut Item) {
        match item {
            Item::ReviewComment(comment) => {
                comment.review.iter_mut().for_each(|id| self.settle(Facet::Reviews, id));
                comment.reply_to.iter_mut().for_each(|id| self.settle(Facet::ReviewComments, id));
            }
            Item::Thread(thread) => {
                thread.root.iter_mut().for_each(|id| self.settle(Facet::ReviewComments, id));
                let settled = |mut id: Id| {
                    self.settle(Facet::ReviewComments, &mut id);
                    id
                };
                thread.comments = std::mem::take(&mut thread.comments).into_iter().map(settled).collect();
            }
            _ => {}
        }
    }
}

/// Gives each item without database id the one under which another look shows it, and so to what names it. A look that says that an
/// item was deleted names it as any other does.
pub(super) fn unify(sets: &mut Sets) {
    let nameless = |item: &mut Item| match item {
        Item::Thread(thread) => thread.comments.iter().any(|id| id.number().is_none()),
        other => name_of(other).is_some_and(|(rank, _)| rank > 0),
    };
    // Only what holds no more than was asked for may lack a number that another look has.
    let is_sparse = sets.values().flatten().any(|look| look.sparse);
    if !is_sparse || !sets.values_mut().flat_map(|looks| items(looks)).any(nameless) {
        return;
    }
    let mut known = Known(HashMap::new());
    for (set, looks) in sets.iter_mut() {
        items(looks).for_each(|item| known.learn(set, item));
    }
    for (set, looks) in sets.iter_mut() {
        for item in items(looks) {
            if let Some((rank, _)) = name_of(item).filter(|(rank, _)| *rank > 0) {
                let found = names(item).into_iter().flatten().find_map(|mark| known.better(rank, set, mark));
                found.into_iter().for_each(|name| give(item, name));
            }
            known.settle_all(item);
        }
    }
}

fn of_look(look: &mut LoadedLook) -> &mut [Result<Noted<Item>, InvalidMetadata>] {
    if let LookData::Items { items, .. } = &mut look.data { items } else { &mut [] }
}

fn items(looks: &mut [LoadedLook]) -> impl Iterator<Item = &mut Item> {
    looks.iter_mut().flat_map(of_look).flatten().map(|item| &mut item.value)
}
