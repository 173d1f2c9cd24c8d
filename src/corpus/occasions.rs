//! Comments and reviews that a look names without database id: by whom and in which second they were made, and what they say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{LoadedLook, LookData};
use crate::forge::facets::{Actor, Field, Id, Item, who};
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
    bodies: HashSet<String>,
}

impl Shown {
    /// Whether nothing says that another wrote it.
    fn may_be_of(&self, who: &Option<String>) -> bool {
        self.who.is_none() || who.is_none() || self.who == *who
    }

    fn learn(&mut self, made: &Made<'_>) {
        self.who = self.who.take().or_else(|| made.who.clone());
        self.bodies.extend(made.body.map(str::to_owned));
    }
}

/// The items of a second, those with numbers first and in the order of these, which is that of their making.
#[derive(Default)]
struct Second(Vec<Shown>);

/// Gives each item of a set without database id that of the item with one that it is, and else a name that no other item of its list has.
pub(super) fn settle(looks: &mut [LoadedLook]) {
    let nameless = |made: &Made<'_>| made.id.number().is_none();
    let seconds: HashSet<Time> = every(looks).filter(nameless).map(|made| made.at).collect();
    if seconds.is_empty() {
        return;
    }
    let mut known: HashMap<Time, Second> = HashMap::new();
    for made in every(looks).filter(|made| seconds.contains(&made.at) && !nameless(made)) {
        known.entry(made.at).or_default().show(&made);
    }
    known.values_mut().for_each(|second| second.0.sort_by(|a, b| a.id.cmp(&b.id)));
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
    fn show(&mut self, made: &Made<'_>) -> usize {
        let at = self.0.iter().position(|shown| shown.id == *made.id).unwrap_or_else(|| {
            self.0.push(Shown { id: made.id.clone(), who: None, bodies: HashSet::new() });
            self.0.len() - 1
        });
        self.0[at].learn(made);
        at
    }

    /// Names the items that one list shows of this second: no two of them are one.
    fn take(&mut self, list: Vec<Made<'_>>) {
        let (numbered, rest): (Vec<_>, Vec<_>) = list.into_iter().partition(|made| made.id.number().is_some());
        let mut taken: HashSet<usize> = numbered.iter().map(|made| self.show(made)).collect();
        let mut left = Vec::new();
        for made in rest {
            match self.same(&made, &taken) {
                Some(at) => self.give(made, at, &mut taken),
                None => left.push(made),
            }
        }
        // What was edited is known by its place, where as many are left on both sides. Who is known goes first.
        let people: BTreeSet<_> = left.iter().map(|made| made.who.clone()).collect();
        for who in people.into_iter().rev() {
            let (own, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|made| made.who == who);
            left = others;
            let free: Vec<_> = self.free(&taken).filter(|at| self.0[*at].may_be_of(&who)).collect();
            let is_same = free.len() == own.len();
            for (nth, mut made) in own.into_iter().enumerate() {
                if is_same {
                    self.give(made, free[nth], &mut taken);
                } else {
                    self.name(&mut made);
                    taken.insert(self.show(&made));
                }
            }
        }
    }

    /// The item that has the same name of its own, or else says the same.
    fn same(&self, made: &Made<'_>, taken: &HashSet<usize>) -> Option<usize> {
        let find = |is: &dyn Fn(&Shown) -> bool| self.free(taken).find(|at| is(&self.0[*at]));
        let says = |shown: &Shown| made.body.is_some_and(|body| shown.bodies.contains(body));
        find(&|shown| shown.id == *made.id && !made.is_called_by_time())
            .or_else(|| find(&|shown| shown.who == made.who && says(shown)))
            .or_else(|| find(&|shown| shown.may_be_of(&made.who) && says(shown)))
    }

    fn give(&mut self, made: Made<'_>, at: usize, taken: &mut HashSet<usize>) {
        made.id.clone_from(&self.0[at].id);
        self.0[at].learn(&made);
        taken.insert(at);
    }

    /// Keeps an item that is called by its time apart from all others of that.
    fn name(&self, made: &mut Made<'_>) {
        let first = made.id.to_string();
        let mut nth = 1;
        while made.is_called_by_time() && self.0.iter().any(|shown| shown.id == *made.id) {
            nth += 1;
            *made.id = Id::Text(format!("{first}#{nth}"));
        }
    }

    /// The items that are none of those taken.
    fn free(&self, taken: &HashSet<usize>) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(|at| !taken.contains(at))
    }
}

impl Made<'_> {
    /// Whether it has no name of its own: then what it is called by is its author's and its time.
    fn is_called_by_time(&self) -> bool {
        let of_time = format!("@{}", self.at);
        matches!(&*self.id, Id::Text(text) if text.split('#').next().is_some_and(|name| name.ends_with(&of_time)))
    }
}
