//! Items that a look names without database id, and another look with it.

use std::collections::{BTreeMap, HashMap};

use super::{LoadedLook, LookData, occasions, twins};
use crate::forge::facets::{Check, Id, InvalidMetadata, Item, Noted};
use crate::format::facet::Facet;

/// The sets of an entity: each facet and item below the entity with the looks at it.
pub(super) type Sets = BTreeMap<(Facet, Option<String>), Vec<LoadedLook>>;

/// What an item can be known by beside its database id.
struct By {
    mark: String,
    /// Whether it is the forge's opaque id, which only one item has.
    is_node: bool,
    /// The commit that the item names beside this: what names another one is another.
    commit: Option<String>,
}

/// What an item can be known by, the surest first.
fn names(item: &Item) -> Vec<By> {
    let (node, occasion) = match item {
        Item::Comment(c) => (&c.node_id, c.occasion()),
        Item::ReviewComment(c) => (&c.comment.node_id, c.comment.occasion()),
        Item::Review(r) => (&r.node_id, r.occasion()),
        Item::Check(c) if c.origin.is_group() => (&c.node_id, None),
        Item::Check(c) => return names_of_check(c),
        Item::Event(e) => (&e.node_id, e.occasion()),
        Item::Reaction(r) => (&r.node_id, Some(r.occasion())),
        _ => return Vec::new(),
    };
    let commit = if let Item::Event(event) = item { event.commit.clone() } else { None };
    let with_commit = occasion.as_ref().zip(commit.as_ref()).map(|(occasion, commit)| format!("{occasion} {commit}"));
    let node = node.clone().map(|mark| By { mark, is_node: true, commit: None });
    let with_commit = with_commit.map(|mark| By { mark, is_node: false, commit: None });
    let occasion = occasion.map(|mark| By { mark, is_node: false, commit });
    [node, with_commit, occasion].into_iter().flatten().collect()
}

/// What a check can be known by: beside its name and start the page of the system that ran it, of which one name has several.
fn names_of_check(check: &Check) -> Vec<By> {
    let occasion = check.occasion();
    let of_page = occasion.as_ref().zip(check.details_url.as_ref()).map(|(occasion, url)| format!("{occasion} {url}"));
    let node = check.node_id.clone().map(|mark| By { mark, is_node: true, commit: None });
    let others = [of_page, occasion].into_iter().flatten().map(|mark| By { mark, is_node: false, commit: None });
    node.into_iter().chain(others).collect()
}

/// What is the same for an item that one look shows twice: its name, else its opaque id, else what nobody can do twice, else only its
/// place in the look.
fn own_name(item: &Item, name: Option<Name>, nth: usize) -> (Option<Name>, Option<String>, usize) {
    let mark = match item {
        _ if name.is_some() => None,
        Item::Event(event) => Some(event.key.clone()),
        Item::Reaction(reaction) if reaction.actor.known().is_some() => Some(reaction.occasion()),
        other => names(other).into_iter().find(|by| by.is_node).map(|by| by.mark),
    };
    let nth = if name.is_some() || mark.is_some() { 0 } else { nth };
    (name, mark, nth)
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

/// The best names by what else items are known by, in each set. A mark that two items of one rank or of one look have is nobody's.
struct Known(HashMap<Mark, Best>);

struct Best {
    rank: u8,
    /// None where the mark is nobody's.
    name: Option<Name>,
    commit: Option<String>,
}

/// The set of an item, and what it is known by in it.
type Mark = (Facet, Option<String>, String);

impl Known {
    /// Events are entries of the timeline.
    fn set((facet, item): &(Facet, Option<String>)) -> (Facet, Option<String>) {
        (if *facet == Facet::Events { Facet::Timeline } else { *facet }, item.clone())
    }

    fn learn(&mut self, set: &(Facet, Option<String>), look: &mut LoadedLook) {
        let (facet, below) = Self::set(set);
        let mut of_look = HashMap::new();
        for (nth, item) in shown(look).enumerate() {
            let Some((rank, name)) = name_of(item) else { continue };
            let own = own_name(item, name.clone(), nth);
            for By { mark, is_node, commit } in names(item) {
                let is_only = is_node || *of_look.entry(mark.clone()).or_insert_with(|| own.clone()) == own;
                let mark = (facet, below.clone(), mark);
                if !is_only {
                    self.0.insert(mark, Best { rank: 0, name: None, commit: None });
                } else if name.is_some() {
                    let best = Best { rank, name: name.clone(), commit };
                    self.0.entry(mark).and_modify(|known| known.learn(&best)).or_insert(best);
                }
            }
        }
    }

    /// A name that is better than one of a rank.
    fn better(&self, than: u8, set: &(Facet, Option<String>), by: &By) -> Option<&Name> {
        let (facet, below) = Self::set(set);
        let best = self.0.get(&(facet, below, by.mark.clone()))?;
        let is_other = best.commit.as_ref().zip(by.commit.as_ref()).is_some_and(|(a, b)| a != b);
        best.name.as_ref().filter(|_| best.rank < than && !is_other)
    }

    /// Gives a name of another item the number of that.
    fn settle(&self, facet: Facet, id: &mut Id) {
        if let Id::Text(text) = id
            && let by = (By { mark: text.clone(), is_node: false, commit: None })
            && let Some(Name::Number(number)) = self.better(NAMELESS, &(facet, None), &by)
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

impl Best {
    fn learn(&mut self, other: &Self) {
        if other.rank < self.rank {
            *self = Self { name: other.name.clone(), commit: other.commit.clone(), ..*other };
        } else if other.rank == self.rank && other.name != self.name {
            self.name = None;
        } else if other.rank == self.rank && self.commit.is_none() {
            self.commit.clone_from(&other.commit);
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
        looks.iter_mut().for_each(|look| known.learn(set, look));
    }
    for (set, looks) in sets.iter_mut() {
        for item in items(looks) {
            // Several texts may be written in one second.
            if let Some((rank, _)) = name_of(item).filter(|(rank, _)| *rank > 0) {
                let marks: Vec<_> = names(item).into_iter().filter(|by| by.is_node || !is_text(item)).collect();
                let found = marks.iter().find_map(|by| known.better(rank, set, by));
                found.into_iter().for_each(|name| give(item, name));
            }
            known.settle_all(item);
        }
        occasions::settle(looks);
        twins::settle(looks);
    }
}

fn is_text(item: &Item) -> bool {
    matches!(item, Item::Comment(_) | Item::ReviewComment(_) | Item::Review(_))
}

fn shown(look: &mut LoadedLook) -> impl Iterator<Item = &mut Item> {
    let items: &mut [Result<Noted<Item>, InvalidMetadata>] =
        if let LookData::Items { items, .. } = &mut look.data { items } else { &mut [] };
    items.iter_mut().flatten().map(|item| &mut item.value)
}

fn items(looks: &mut [LoadedLook]) -> impl Iterator<Item = &mut Item> {
    looks.iter_mut().flat_map(shown)
}
