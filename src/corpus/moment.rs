//! The state as of a moment: what is not of it leaves its row, or is counted.

use std::collections::HashMap;

use super::head::Pin;
use super::past::{Later, dismissals};
use super::strip::{forget_lines_off, place, strip};
use super::withheld::{check_name, log_name, mark};
use super::{Availability, Coverage, GapCode, LoadedLook, Logged, LookData, Moment, State};
use crate::forge::facets::{Check, CheckStatus, Counts, Field, Header, Id, Item, Place, ReviewState};
use crate::format::digest::Digest;
use crate::format::facet::Facet;
use crate::format::time::Time;

/// What is to be done for the moment while a state is made.
pub(super) struct Then {
    at: Option<Time>,
    pin: Option<Pin>,
    /// The record as it is now, and what it counted then.
    now: Option<Header>,
    counts: Counts,
    /// Reviews that were dismissed later.
    dismissed: HashMap<String, Option<String>>,
}

impl Then {
    /// The record of the state is that of the moment; what it counts now proves how much was seen.
    pub fn new(state: &mut State, moment: &Moment, now: Option<Header>, documents: HashMap<Digest, String>) -> Self {
        let of_time = moment.at.and_then(|_| state.header.head.known().and_then(|head| head.sha.as_ref()));
        let is_pinned = moment.head.is_some() || moment.at.is_some();
        let pin = is_pinned.then(|| Pin::new(moment.head.as_ref(), of_time, documents));
        let counts = state.header.counts.clone();
        if let Some(now) = &now {
            state.header.counts = now.counts.clone();
        }
        Self { at: moment.at, pin, now, counts, dismissed: HashMap::new() }
    }

    /// Takes out of the looks at one facet what is of another head.
    pub fn confine(&self, facet: Facet, looks: &mut Vec<LoadedLook>, state: &mut State) {
        if let Some(pin) = &self.pin {
            pin.confine(facet, looks, state.repository.forge(), &mut state.gaps);
        }
    }

    /// Takes note of what happened later.
    pub fn note(&mut self, later: &Later) {
        self.dismissed.extend(dismissals(later));
    }

    /// Finishes a state that is otherwise made.
    pub fn settle(self, state: &mut State) {
        let Some(pin) = &self.pin else { return };
        let head = state.header.head.known().and_then(|head| head.sha.clone());
        let newest = match &self.now {
            Some(now) => now.head.known().and_then(|head| head.sha.clone()),
            None => head.clone(),
        };
        if newest.is_none() || newest.as_deref() != pin.head() {
            for comment in &mut state.review_comments {
                forget_lines_off(comment, pin.head());
            }
        }
        if pin.is_named() {
            let moved = head.is_some() && head.as_deref() != pin.head();
            state.gaps.add(Facet::Header, GapCode::HeadMoved, u64::from(moved));
            state.logs_of_head();
        }
        let (Some(at), Some(now)) = (self.at, self.now) else { return };
        state.header.counts = self.counts;
        state.forget_places();
        state.header_of_then(at, now);
        state.reviews_of_then(&self.dismissed);
        state.logs_of_then();
        state.tombstones.retain(|gone| super::past::made(&gone.item).is_none_or(|made| made <= at));
    }
}

impl State {
    /// Takes an item of which no version of the time is known: without its texts.
    pub(super) fn take_later(&mut self, facet: Facet, of: Option<&str>, mut item: Item, reason: GapCode) {
        let mut bytes = strip(&mut item);
        if reason != GapCode::EarlierVersionMissing {
            bytes += place(&mut item);
        }
        if let Item::Check(check) = &mut item {
            nameless(check, reason);
        }
        let name = item.key();
        // Events are shown in the timeline, whichever endpoint tells them.
        let facet = if facet == Facet::Events { Facet::Timeline } else { facet };
        match item {
            Item::Reaction(mut reaction) => {
                reaction.content = mark(reason);
                self.gaps.add(facet, reason, 1);
                match of {
                    Some(of) => self.item_reactions.entry(of.to_owned()).or_default().push(*reaction),
                    None => self.reactions.push(*reaction),
                }
            }
            item => {
                self.withhold(facet, name, bytes, reason);
                self.push(item);
            }
        }
    }

    /// The looks at labels that are of the time: a list of labels has none. Where the record does not tell them, they are not known.
    pub(super) fn dated_labels(&mut self, looks: Vec<LoadedLook>, told: bool) -> Vec<LoadedLook> {
        let (dated, undated): (Vec<_>, Vec<_>) = looks.into_iter().partition(|look| look.delivered);
        let count = |look: &LoadedLook| if let LookData::Items { items, .. } = &look.data { items.len() } else { 0 };
        let most = undated.iter().map(count).max();
        if let (Some(most), false, true) = (most, told, dated.is_empty()) {
            self.gaps.add(Facet::Labels, GapCode::AsOfUnknown, most.max(1) as u64);
            let part = Coverage { state: Availability::Partial, items: None, as_of: None, partial_since: None };
            self.cover(Facet::Labels, part, 1);
        }
        dated
    }

    /// Takes out again what threads told of the places of comments that were made later.
    fn forget_places(&mut self) {
        for comment in &mut self.review_comments {
            let withheld = self.withheld.of(Facet::ReviewComments, &comment.comment.id.to_string());
            let reason = withheld.map(|withheld| withheld.reason);
            if matches!(reason, Some(GapCode::AfterAsOf | GapCode::AsOfUnknown)) {
                comment.place = Place::default();
            }
        }
    }

    /// Title and body that are known only as they were later.
    fn header_of_then(&mut self, at: Time, now: Header) {
        let made = self.header.created_at.known().or(now.created_at.known());
        let reason =
            if made.is_some_and(|made| *made > at) { GapCode::AfterAsOf } else { GapCode::EarlierVersionMissing };
        if let (Field::Unknown, Field::Known(title)) = (&self.header.title, now.title) {
            self.header.title = Field::Known(mark(reason));
            self.withhold(Facet::Header, "title".to_owned(), title.len(), reason);
        }
        if let (Field::Unknown, Field::Known(body)) = (&self.header.body, now.body) {
            self.withhold(Facet::Header, "body".to_owned(), body.len(), reason);
        }
    }

    /// A review that was dismissed later had another state, which the timeline tells.
    fn reviews_of_then(&mut self, dismissed: &HashMap<String, Option<String>>) {
        for review in self.reviews.iter_mut().filter(|review| review.state == Some(ReviewState::Dismissed)) {
            let Some(word) = dismissed.get(&review.id.to_string()) else { continue };
            review.state = match word.as_deref() {
                Some("approved") => Some(ReviewState::Approved),
                Some("changes_requested") => Some(ReviewState::ChangesRequested),
                Some("commented") => Some(ReviewState::Commented),
                _ => None,
            };
        }
    }

    /// Takes out logs of checks that are not shown to be of the head.
    fn logs_of_head(&mut self) {
        let all = std::mem::take(&mut self.logs);
        let before = all.len();
        let checks = Logged::of(self);
        let of_head = all.into_iter().filter(|log| checks.check(&log.owner).is_some()).collect();
        self.logs = of_head;
        self.gaps.add(Facet::Logs, GapCode::HeadMoved, (before - self.logs.len()) as u64);
    }

    /// A log is there once its check has ended.
    fn logs_of_then(&mut self) {
        let checks = Logged::of(self);
        let mut found = Vec::new();
        for (at, log) in self.logs.iter().enumerate() {
            let reason = match checks.check(&log.owner) {
                None => Some(GapCode::AsOfUnknown),
                Some(check) => match self.withheld.of(log.owner.facet(), &check_name(check)) {
                    Some(withheld) => Some(withheld.reason),
                    None if check.status == Some(CheckStatus::Completed) => None,
                    None => Some(GapCode::EarlierVersionMissing),
                },
            };
            found.extend(reason.map(|reason| (at, reason)));
        }
        for (at, reason) in found {
            let bytes = std::mem::take(&mut self.logs[at].text).len();
            self.withhold(Facet::Logs, log_name(&self.logs[at].owner), bytes, reason);
        }
    }
}

/// Takes out what else a check says that was made later: its name is whatever the file of a workflow says, its addresses are the
/// reporter's, and what names it for want of an id has the name in it. One that only ended later had its name before.
fn nameless(check: &mut Check, reason: GapCode) {
    check.details_url = None;
    if reason == GapCode::EarlierVersionMissing {
        return;
    }
    if check.occasion().is_some_and(|occasion| check.id.to_string().starts_with(&occasion)) {
        check.id = Id::Text(check.id.file_part());
    }
    (check.name, check.url) = (mark(reason), None);
}
