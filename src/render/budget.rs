//! What goes first when a stage has a budget of bytes: one order of all items, of which a tree shows the beginning.

use std::collections::BTreeMap;

use super::view::View;
use super::{Mode, changes, logs};
use crate::corpus::State;
use crate::filter::Filter;
use crate::forge::facets::Field;
use crate::format::facet::Facet;
use crate::format::profile::Profile;

/// The classes of items in the order in which equals follow each other, each with its share. `header` stands for the body, `diff` for the
/// patches of files. While a class has items, it gets bytes in proportion to its share.
const SHARES: [(Facet, u64); 12] = [
    (Facet::Header, 8),
    (Facet::ReviewComments, 6),
    (Facet::Comments, 6),
    (Facet::Diff, 6),
    (Facet::Reviews, 4),
    (Facet::Files, 4),
    (Facet::Checks, 4),
    (Facet::Logs, 3),
    (Facet::Statuses, 2),
    (Facet::Commits, 2),
    (Facet::Timeline, 1),
    (Facet::Reactions, 1),
];

/// A number that every share divides.
const WHOLE: u64 = 24;

/// What an item is taken to need beside its text: its row in the index, or what it has in a list.
const ROW: u64 = 512;

/// How many items of each class a tree may show: the first ones of the order in which they are kept. Labels have no budget.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Allowance(BTreeMap<Facet, usize>);

impl Allowance {
    /// The number for a class.
    pub(super) fn of(&self, class: Facet) -> usize {
        if class == Facet::Labels { usize::MAX } else { self.0.get(&class).copied().unwrap_or(0) }
    }
}

/// All items of several entities in the order in which a budget takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The number of the entity, and the class.
    items: Vec<(usize, Facet)>,
    entities: usize,
}

impl Plan {
    /// Orders the items of entities by what the class of each has taken of its share once the item is shown, so that neither a long
    /// conversation nor a large diff takes the room of everything else, and the entities share alike.
    pub fn new(states: &[State], profile: &Profile, filter: &Filter) -> Self {
        let mut items = Vec::new();
        for (entity, state) in states.iter().enumerate() {
            let view = View::new(state, Mode::Stage(profile, filter), None);
            for (class, (facet, share)) in SHARES.into_iter().enumerate() {
                let mut taken = 0u64;
                for text in texts(state, facet, &view) {
                    taken = taken.saturating_add(text.saturating_add(ROW).saturating_mul(WHOLE / share));
                    items.push((taken, entity, class));
                }
            }
        }
        // What is equal in all three is in its own order.
        items.sort();
        let items = items.into_iter().map(|(_, entity, class)| (entity, SHARES[class].0)).collect();
        Self { items, entities: states.len() }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What each entity may show of the first items.
    pub fn first(&self, count: usize) -> Vec<Allowance> {
        let mut allowances = vec![Allowance::default(); self.entities];
        for (entity, facet) in self.items.iter().take(count) {
            *allowances[*entity].0.entry(*facet).or_default() += 1;
        }
        allowances
    }
}

/// The bytes of the text of each item of a class, as the forge has it and at most as its bound allows, in the order in which they are kept.
fn texts(state: &State, class: Facet, view: &View<'_>) -> Vec<u64> {
    if !view.shows(class) {
        return Vec::new();
    }
    let Some(profile) = view.profile else { return Vec::new() };
    let body = |field: &Field<String>| size(field.known().map(String::as_str), profile.max_body_bytes);
    let text = |text: &Option<String>| size(text.as_deref(), profile.max_body_bytes);
    let hunk = |text: &Option<String>| size(text.as_deref(), profile.max_patch_bytes);
    let of: Box<dyn Fn(usize) -> u64> = match class {
        Facet::Header if state.header.body == Field::Unknown => return Vec::new(),
        Facet::Header => return vec![body(&state.header.body)],
        Facet::Diff => return changes::patch_sizes(state, view),
        Facet::Logs => {
            let logs = logs::chosen(state, view);
            return logs.iter().map(|log| at_most(log.text.len(), profile.max_log_bytes)).collect();
        }
        Facet::Comments => Box::new(|at| body(&state.comments[at].body)),
        Facet::Reviews => Box::new(|at| body(&state.reviews[at].body)),
        Facet::ReviewComments => Box::new(|at| {
            let comment = &state.review_comments[at];
            let hunk = if comment.reply_to.is_none() { hunk(&comment.place.diff_hunk) } else { 0 };
            body(&comment.comment.body) + hunk
        }),
        Facet::Checks => Box::new(|at| text(&state.checks[at].summary)),
        Facet::Statuses => Box::new(|at| text(&state.statuses[at].summary)),
        Facet::Commits => Box::new(|at| text(&state.commits[at].message)),
        Facet::Files | Facet::Timeline | Facet::Reactions => Box::new(|_| 0),
        Facet::Labels | Facet::Threads | Facet::Events | Facet::Members => return Vec::new(),
    };
    view.kept(state, class).in_order.into_iter().map(of).collect()
}

fn size(text: Option<&str>, bound: Option<u64>) -> u64 {
    at_most(text.map_or(0, str::len), bound)
}

pub(super) fn at_most(len: usize, bound: Option<u64>) -> u64 {
    (len as u64).min(bound.unwrap_or(u64::MAX))
}
