//! Comments and reviews that a look names without database id: by whom and in which second they were made, and what they say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{LoadedLook, LookData};
use crate::forge::facets::{Actor, Field, Id, Item, who};
use crate::format::digest::Digest;
use crate::format::time::Time;

/// What tells an item where its number is not known.
struct Made<'i> {
    id: &'i mut Id,
    /// By whom; `None` where that is not known.
    who: Option<String>,
    at: Time,
    body: Option<&'i str>,
}

/// What an item tells of its making; `None` for what is no text of somebody, or has no time.
fn made(item: &mut Item) -> Option<Made<'_>> {
    let (id, author, at, body): (&mut Id, &Field<Actor>, Option<Time>, &Field<String>) = match item {
        Item::Comment(c) => (&mut c.id, &c.author, c.created_at, &c.body),
        Item::ReviewComment(c) => (&mut c.comment.id, &c.comment.author, c.comment.created_at, &c.comment.body),
        Item::Review(r) => (&mut r.id, &r.author, r.submitted_at, &r.body),
        _ => return None,
    };
    let body = match body {
        Field::Known(body) => Some(body.as_str()),
        Field::Null => Some(""),
        Field::Unknown => None,
    };
    Some(Made { id, who: who(author), at: at?, body })
}

/// An item that some look shows.
struct Shown {
    id: Id,
    who: Option<String>,
    bodies: HashSet<Digest>,
}

/// What items are looked up by: their author, or whoever that is; and a body, or whatever they say.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Like {
    by: Option<Option<String>>,
    says: Option<Digest>,
}

/// The items of a second, those with numbers first and in the order of these, which is that of their making. A second may have any
/// number of them: each is found by what it is like, and none by a search.
#[derive(Default)]
struct Second {
    shown: Vec<Shown>,
    at: HashMap<Id, usize>,
    like: HashMap<Like, BTreeSet<usize>>,
    /// The last number that was given to one that is called so.
    last: HashMap<String, u64>,
}

/// The items of a second that those of one list are.
#[derive(Default)]
struct Taken {
    places: HashSet<usize>,
    /// What was met in a search and is not to be met again for this list.
    aside: Vec<(Like, usize)>,
}

/// Gives each item of a set without database id that of the item with one that it is, and else a name that no other item of its list has.
pub(super) fn settle(looks: &mut [LoadedLook]) {
    let nameless = |made: &Made<'_>| made.id.number().is_none();
    let seconds: HashSet<Time> = every(looks).filter(nameless).map(|made| made.at).collect();
    if seconds.is_empty() {
        return;
    }
    let numbered = |made: &Made<'_>| seconds.contains(&made.at) && !nameless(made);
    let mut known: HashMap<Time, Second> = HashMap::new();
    let in_order: BTreeSet<_> = every(looks).filter(numbered).map(|made| (made.id.clone(), made.at)).collect();
    for (id, at) in in_order {
        known.entry(at).or_default().place(&id);
    }
    for made in every(looks).filter(numbered) {
        known.entry(made.at).or_default().show(&made);
    }
    for look in looks {
        let mut of_look: BTreeMap<Time, Vec<Made<'_>>> = BTreeMap::new();
        for made in every(std::slice::from_mut(look)).filter(|made| seconds.contains(&made.at)) {
            of_look.entry(made.at).or_default().push(made);
        }
        for (at, list) in of_look {
            known.entry(at).or_default().take(list);
        }
    }
}

fn every(looks: &mut [LoadedLook]) -> impl Iterator<Item = Made<'_>> {
    let data = looks.iter_mut().map(|look| &mut look.data);
    let items = data.filter_map(|data| if let LookData::Items { items, .. } = data { Some(items) } else { None });
    items.flatten().flatten().filter_map(|item| made(&mut item.value))
}

impl Second {
    /// The place of an item that has a name of its own.
    fn place(&mut self, id: &Id) -> usize {
        if let Some(at) = self.at.get(id) {
            return *at;
        }
        let at = self.shown.len();
        self.shown.push(Shown { id: id.clone(), who: None, bodies: HashSet::new() });
        self.at.insert(id.clone(), at);
        self.file(at, None);
        at
    }

    fn show(&mut self, made: &Made<'_>) -> usize {
        let at = self.place(made.id);
        self.learn(at, made);
        at
    }

    fn learn(&mut self, at: usize, made: &Made<'_>) {
        if self.shown[at].who.is_none() && made.who.is_some() {
            let shown = &mut self.shown[at];
            let known: Vec<_> = std::iter::once(None).chain(shown.bodies.iter().copied().map(Some)).collect();
            shown.who.clone_from(&made.who);
            for says in known {
                self.like.entry(Like { by: Some(None), says }).or_default().remove(&at);
                self.file(at, says);
            }
        }
        if let Some(body) = made.says().filter(|body| !self.shown[at].bodies.contains(body)) {
            self.shown[at].bodies.insert(body);
            self.file(at, Some(body));
        }
    }

    fn file(&mut self, at: usize, says: Option<Digest>) {
        for by in [None, Some(self.shown[at].who.clone())] {
            self.like.entry(Like { by, says }).or_default().insert(at);
        }
    }

    /// Names the items that one list shows of this second: no two of them are one.
    fn take(&mut self, list: Vec<Made<'_>>) {
        let (numbered, rest): (Vec<_>, Vec<_>) = list.into_iter().partition(|made| made.id.number().is_some());
        let mut taken = Taken::default();
        taken.places.extend(numbered.iter().map(|made| self.show(made)));
        let mut left: BTreeMap<Option<String>, Vec<Made<'_>>> = BTreeMap::new();
        for made in rest {
            match self.same(&made, &mut taken) {
                Some(at) => self.give(made, at, &mut taken),
                None => left.entry(made.who.clone()).or_default().push(made),
            }
        }
        // What was edited is known by its place, where as many are left on both sides. Who is known goes first.
        for (who, own) in left.into_iter().rev() {
            let free = self.may_be_of(&who, None, own.len() + 1, &mut taken);
            let is_same = free.len() == own.len();
            for (nth, mut made) in own.into_iter().enumerate() {
                if is_same {
                    self.give(made, free[nth], &mut taken);
                } else {
                    self.name(&mut made);
                    taken.places.insert(self.show(&made));
                }
            }
        }
        for (like, at) in taken.aside {
            // Its author may be known only since then.
            if like.by.as_ref().is_none_or(|who| *who == self.shown[at].who) {
                self.like.entry(like).or_default().insert(at);
            }
        }
    }

    /// The item that has the same name of its own, or else says the same.
    fn same(&mut self, made: &Made<'_>, taken: &mut Taken) -> Option<usize> {
        let of_id = self.at.get(&*made.id).copied().filter(|at| !taken.places.contains(at));
        if let Some(at) = of_id.filter(|_| !made.is_called_by_time()) {
            return Some(at);
        }
        let says = Some(made.says()?);
        let own = self.free(Like { by: Some(made.who.clone()), says }, 1, taken).first().copied();
        own.or_else(|| self.may_be_of(&made.who, says, 1, taken).first().copied())
    }

    fn give(&mut self, made: Made<'_>, at: usize, taken: &mut Taken) {
        made.id.clone_from(&self.shown[at].id);
        self.learn(at, &made);
        taken.places.insert(at);
    }

    /// Keeps an item that is called by its time apart from all others of that.
    fn name(&mut self, made: &mut Made<'_>) {
        if !made.is_called_by_time() {
            return;
        }
        let first = made.id.to_string();
        while self.at.contains_key(&*made.id) {
            let last = self.last.entry(first.clone()).or_insert(1);
            *last += 1;
            *made.id = Id::Text(format!("{first}#{last}"));
        }
    }

    /// The first items, no more than so many, of which nothing says that another wrote them, and that are none of those taken.
    fn may_be_of(&mut self, who: &Option<String>, says: Option<Digest>, most: usize, taken: &mut Taken) -> Vec<usize> {
        if who.is_none() {
            return self.free(Like { by: None, says }, most, taken);
        }
        let mut found = self.free(Like { by: Some(who.clone()), says }, most, taken);
        found.extend(self.free(Like { by: Some(None), says }, most, taken));
        found.sort_unstable();
        found.truncate(most);
        found
    }

    /// The first items, no more than so many, that are like this and none of those taken.
    fn free(&mut self, like: Like, most: usize, taken: &mut Taken) -> Vec<usize> {
        let Some(places) = self.like.get_mut(&like) else { return Vec::new() };
        let mut found = Vec::new();
        let mut met = Vec::new();
        for at in places.iter().copied() {
            if found.len() == most {
                break;
            }
            if taken.places.contains(&at) { met.push(at) } else { found.push(at) }
        }
        for at in met {
            places.remove(&at);
            taken.aside.push((like.clone(), at));
        }
        found
    }
}

impl Made<'_> {
    fn says(&self) -> Option<Digest> {
        self.body.map(|body| Digest::of(body.as_bytes()))
    }

    /// Whether it has no name of its own: then what it is called by is its author's and its time.
    fn is_called_by_time(&self) -> bool {
        let of_time = format!("@{}", self.at);
        matches!(&*self.id, Id::Text(text) if text.split('#').next().is_some_and(|name| name.ends_with(&of_time)))
    }
}
