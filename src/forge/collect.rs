//! Looks as a dialect finds them: one record each, and one set for each owner and facet.

use std::collections::HashMap;

use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::json::Json;

use super::dialect::Dialect;
use super::recognise::{Extent, Hints, Look, Part, Reason, Recognised, SubjectHint, Unrecognised};

/// Whom a look belongs to.
#[derive(Debug, Clone)]
pub(super) struct Owner {
    pub subject: SubjectHint,
    pub kind: Option<Kind>,
    /// The item below it that the set is of.
    pub item: Option<String>,
}

/// Looks as they are found.
pub(super) struct Collector<'h> {
    /// How what is found now is to be read.
    pub dialect: Dialect,
    hints: &'h Hints<'h>,
    /// The count that the payload gives of its list.
    pub total: Option<u64>,
    /// What a delivery says of what is found now; none outside of deliveries.
    pub told: Option<Extent>,
    /// The issue or pull request that a delivery says it is about, whatever the addresses in it name.
    pub delivered: Option<Owner>,
    looks: Vec<Look>,
    sets: HashMap<(Facet, String), usize>,
    left: Vec<Unrecognised>,
}

impl<'h> Collector<'h> {
    pub fn new(dialect: Dialect, hints: &'h Hints<'h>) -> Self {
        let (looks, sets, left) = (Vec::new(), HashMap::new(), Vec::new());
        Self { dialect, hints, total: None, told: None, delivered: None, looks, sets, left }
    }

    /// Notes what is no look, and why.
    pub fn leave(&mut self, pointer: &str, reason: Reason) {
        self.left.push(Unrecognised { pointer: pointer.to_owned(), reason });
    }

    /// The caller's `FACET=` must agree.
    pub fn agrees(&self, facet: Facet) -> Result<(), Reason> {
        match self.hints.facet {
            Some(named) if named != facet => Err(Reason::FacetMismatch),
            _ => Ok(()),
        }
    }

    /// A record at a pointer; `split` are the pointers below it that are taken out of it where an object stands there.
    pub fn record(&mut self, owner: Owner, pointer: &str, value: &Json<'_>, split: &[&str]) {
        let own = Some(pointer.to_owned()).filter(|pointer| !pointer.is_empty());
        let objects = split.iter().filter(|at| value.pointer(at).is_some_and(|part| part.as_object().is_some()));
        let split = own.into_iter().chain(objects.map(|at| format!("{pointer}{at}"))).collect();
        let part = Part::Record { pointer: pointer.to_owned(), split };
        let deleted = self.told == Some(Extent::Deleted);
        self.push(owner, Facet::Header, part, if deleted { Extent::Deleted } else { Extent::Whole });
    }

    /// The set of an owner and facet, begun when it is not there.
    pub fn set(&mut self, owner: &Owner, facet: Facet) -> &mut Look {
        let key = (facet, format!("{:?} {:?} {:?}", owner.item, owner.subject, self.told).to_ascii_lowercase());
        let at = *self.sets.entry(key).or_insert(self.looks.len());
        if at == self.looks.len() {
            self.push(owner.clone(), facet, Part::Set { items: Vec::new() }, self.told.unwrap_or(Extent::Part));
        }
        let look = &mut self.looks[at];
        look.kind = look.kind.or(owner.kind);
        look
    }

    /// An item of a set.
    pub fn item(&mut self, owner: &Owner, facet: Facet, pointer: String) {
        if let Part::Set { items } = &mut self.set(owner, facet).part {
            items.push(pointer);
        }
    }

    fn push(&mut self, owner: Owner, facet: Facet, part: Part, extent: Extent) {
        let Owner { subject, kind, item } = owner;
        let total = self.total.filter(|_| matches!(part, Part::Set { .. }));
        self.looks.push(Look { dialect: self.dialect, subject, kind, facet, item, part, total, extent, paged: None });
    }

    /// Everything found. `extent` says of each facet how much of it the payload's list shows.
    pub fn finish(mut self, extent: impl Fn(&Look) -> Extent) -> Recognised {
        for look in self.looks.iter_mut().filter(|look| look.is_set() && !look.extent.is_delivered()) {
            look.extent = extent(look);
        }
        // One row for the whole says more than a row an item.
        if let (true, Some(first)) = (self.looks.is_empty(), self.left.first())
            && self.left.iter().all(|left| left.reason == first.reason)
        {
            return Recognised::nothing(first.reason);
        }
        Recognised { looks: self.looks, left: self.left, ..Recognised::default() }
    }
}
