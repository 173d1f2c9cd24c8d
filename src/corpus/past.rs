//! The facts as of a time: which version of an item was there, and which items were.
//!
//! Only times that the forge assigned decide, and for check runs the times that they claim. When a look was made decides nothing: the same content
//! gives the same tree whoever looked at it when.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::set::Look;
use super::{GapCode, LoadedLook, LookData};
use crate::forge::facets::{Check, CheckOrigin, CheckStatus, Field, Header, Item, Noted};
use crate::format::digest::Digest;
use crate::format::entity::Forge;
use crate::format::observation::Completeness;
use crate::format::time::Time;

/// A time, and the documents that are later for certain.
pub(super) struct Past {
    pub at: Time,
    forge: Forge,
    later: HashSet<Digest>,
}

/// Whether a version of an item is the one of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Was {
    There,
    /// Made or edited later: the reason why it is not shown unless there is an earlier version.
    Not(GapCode),
}

/// What a time does to a set.
#[derive(Default)]
pub(super) struct Later {
    /// Items of which no version of the time is known, with the reason.
    pub items: BTreeMap<String, (Item, GapCode)>,
    /// How many are shown of which nothing tells when they were last edited.
    pub undated: u64,
}

impl Past {
    /// Reads off the looks which documents tell of something later. A deletion that such a document shows came later, too.
    pub fn new(at: Time, forge: Forge, looks: &mut [LoadedLook]) -> Self {
        let tells = looks.iter().filter(|look| !look.delivered && look.newest() > Some(at));
        let later = tells.filter_map(|look| look.document).collect();
        let past = Self { at, forge, later };
        for look in looks.iter_mut().filter(|look| past.is_later(look)) {
            match &mut look.data {
                LookData::Items { completeness, .. } if *completeness == Completeness::Deleted => {
                    *completeness = Completeness::Partial;
                }
                data @ LookData::LastHeader(_) => {
                    let LookData::LastHeader(header) = std::mem::replace(data, LookData::Unavailable(0)) else {
                        continue;
                    };
                    *data = LookData::Header(header);
                }
                _ => {}
            }
        }
        past
    }

    /// Whether a look was made after the time for certain: it, or its document, shows something of then.
    pub fn is_later(&self, look: &LoadedLook) -> bool {
        !look.delivered
            && (look.newest() > Some(self.at) || look.document.is_some_and(|document| self.later.contains(&document)))
    }

    /// The looks at the record, of those that are later or not dated only what never changes.
    pub fn headers(&self, mut looks: Vec<LoadedLook>) -> Vec<LoadedLook> {
        for look in looks.iter_mut().filter(|look| !look.delivered) {
            if let LookData::Header(header) | LookData::LastHeader(header) = &mut look.data
                && header.value.updated_at.known().is_none_or(|time| *time > self.at)
            {
                header.value = lasting(std::mem::take(&mut header.value));
            }
        }
        looks
    }

    /// Leaves in the looks at one set, which are in order, what was there at the time. Returns the items of which no version is left.
    ///
    /// A complete look that was made later proves nothing of what it does not show: it might have been there.
    pub fn confine(&self, looks: &mut [Look]) -> Later {
        let edited = self.edited(looks);
        let mut later = BTreeMap::new();
        let (mut delivered, mut was_known) = (HashSet::new(), HashSet::new());
        let mut known: BTreeMap<String, Noted<Item>> = BTreeMap::new();
        for look in looks {
            let past = if look.delivered { None } else { Some(self) };
            let judged = past.map(|past| past.judge_all(&look.items, &edited));
            let mut here = HashSet::new();
            for (at, item) in std::mem::take(&mut look.items).into_iter().enumerate() {
                let key = item.value.key();
                match judged.as_ref().map_or(Was::There, |judged| judged[at]) {
                    Was::There => {
                        if look.settles(&item.value) {
                            delivered.insert(key.clone());
                        }
                        here.insert(key);
                        look.items.push(if look.delivered { item } else { self.stateless(item) });
                    }
                    Was::Not(reason) => {
                        later.insert(key, (item.value, reason));
                    }
                }
            }
            if look.complete && look.late {
                look.items.extend(known.iter().filter(|(key, _)| !here.contains(*key)).map(|(_, item)| item.clone()));
            } else if look.complete {
                known.retain(|key, _| here.contains(key) || delivered.contains(key));
            }
            for item in &look.items {
                let key = item.value.key();
                // Of what a look shows as gone by then, a version was known all the same.
                was_known.insert(key.clone());
                let dated = known.get(&key).is_some_and(|known| !is_undated(&known.value));
                if !dated || !is_undated(&item.value) {
                    known.insert(key, item.clone());
                }
            }
        }
        later.retain(|key, _| !was_known.contains(key));
        let undated = known.iter().filter(|(key, item)| is_undated(&item.value) && !delivered.contains(*key)).count();
        Later { items: later, undated: undated as u64 }
    }

    /// The items of which some look shows that they were edited later: a version without a time may be that one.
    fn edited(&self, looks: &[Look]) -> HashSet<String> {
        let items = looks.iter().filter(|look| !look.delivered).flat_map(|look| &look.items);
        let edited = items.filter(|item| self.judge(&item.value) == Was::Not(GapCode::EarlierVersionMissing));
        edited.map(|item| item.value.key()).collect()
    }

    fn judge_all(&self, items: &[Noted<Item>], edited: &HashSet<String>) -> Vec<Was> {
        let mut judged: Vec<_> = items
            .iter()
            .map(|item| match self.judge(&item.value) {
                Was::There if !edited.is_empty() && is_undated(&item.value) && edited.contains(&item.value.key()) => {
                    Was::Not(GapCode::EarlierVersionMissing)
                }
                was => was,
            })
            .collect();
        self.place_events(items, &mut judged);
        judged
    }

    /// An event without a time is between its neighbours: what stands before one that was there was there.
    fn place_events(&self, items: &[Noted<Item>], judged: &mut [Was]) {
        let timed = |item: &Noted<Item>| match &item.value {
            Item::Event(event) => Some(event.created_at),
            _ => None,
        };
        let last_before = items.iter().rposition(|item| timed(item).flatten().is_some_and(|time| time <= self.at));
        let mut after = false;
        for (at, item) in items.iter().enumerate() {
            match timed(item) {
                Some(Some(time)) => after = time > self.at,
                Some(None) if last_before.is_some_and(|last| at < last) => judged[at] = Was::There,
                Some(None) if after => judged[at] = Was::Not(GapCode::AfterAsOf),
                _ => {}
            }
        }
    }

    fn judge(&self, item: &Item) -> Was {
        match item {
            Item::Comment(c) => self.version(c.created_at, c.updated_at),
            Item::ReviewComment(c) => self.version(c.comment.created_at, c.comment.updated_at),
            Item::Review(r) => self.version(r.submitted_at, None),
            Item::Event(e) => self.version(e.created_at, None),
            Item::Reaction(r) => self.version(r.created_at, None),
            Item::Check(check) => self.check(check),
            // Threads keep nothing that changes; files and commits are judged by their head, labels by their record.
            Item::Thread(_) | Item::File(_) | Item::Commit(_) | Item::Label(_) | Item::Member(_) => Was::There,
        }
    }

    fn version(&self, created: Option<Time>, updated: Option<Time>) -> Was {
        if created.is_some_and(|time| time > self.at) {
            Was::Not(GapCode::AfterAsOf)
        } else if updated.is_some_and(|time| time > self.at) {
            Was::Not(GapCode::EarlierVersionMissing)
        } else if created.is_none() && updated.is_none() {
            Was::Not(GapCode::AsOfUnknown)
        } else {
            Was::There
        }
    }

    fn check(&self, check: &Check) -> Was {
        let began = check.created_at.into_iter().chain(check.started_at).min();
        match self.version(began, check.completed_at.max(check.updated_at)) {
            // An outcome that nobody dates may be of any time.
            // A status of GitHub never changes: another is made.
            Was::There if check.origin == CheckOrigin::Status && self.forge == Forge::GitHub => Was::There,
            Was::There
                if check.status == Some(CheckStatus::Completed)
                    && check.completed_at.max(check.updated_at).is_none() =>
            {
                Was::Not(GapCode::AsOfUnknown)
            }
            was => was,
        }
    }

    /// The item without what changes and has no time: whether a thread is settled, a text hidden, how many reactions there are. A thread
    /// that is settled since a time before was settled then.
    fn stateless(&self, mut item: Noted<Item>) -> Noted<Item> {
        match &mut item.value {
            Item::Comment(comment) => (comment.reactions, comment.minimized) = Default::default(),
            Item::ReviewComment(comment) => {
                (comment.comment.reactions, comment.comment.minimized) = Default::default();
                if comment.resolution.at.is_none_or(|at| at > self.at) {
                    (comment.resolved, comment.resolution) = Default::default();
                }
            }
            Item::Review(review) => review.minimized = Default::default(),
            Item::Thread(thread) => (thread.resolved, thread.resolved_by, thread.outdated) = Default::default(),
            _ => {}
        }
        item
    }
}

/// The fields that stay what they are.
fn lasting(header: Header) -> Header {
    let Header { kind, issue_id, pull_id, node_id, repository, repository_id, repository_node_id, url, .. } = header;
    let Header { author, association, created_at, .. } = header;
    let ids = Header {
        kind,
        issue_id,
        pull_id,
        node_id,
        repository,
        repository_id,
        repository_node_id,
        url,
        ..Header::default()
    };
    Header { author, association, created_at, ..ids }
}

/// Whether an item has a text, and nothing tells when it was last edited.
fn is_undated(item: &Item) -> bool {
    match item {
        Item::Comment(c) => c.updated_at.is_none() && c.body != Field::Unknown,
        Item::ReviewComment(c) => c.comment.updated_at.is_none() && c.comment.body != Field::Unknown,
        Item::Review(r) => matches!(&r.body, Field::Known(text) if !text.is_empty()),
        _ => false,
    }
}

impl LoadedLook {
    /// The newest time of the forge in what was seen.
    fn newest(&self) -> Option<Time> {
        match &self.data {
            LookData::Header(header) | LookData::LastHeader(header) => header.value.updated_at.known().copied(),
            LookData::Items { items, .. } => items.iter().flatten().filter_map(|item| newest(&item.value)).max(),
            LookData::Unreadable(_) | LookData::Text(_) | LookData::Unavailable(_) => None,
        }
    }
}

fn newest(item: &Item) -> Option<Time> {
    item.updated_at().max(made(item))
}

/// When something was written, where that is another time than that of its last change.
pub(super) fn made(item: &Item) -> Option<Time> {
    match item {
        Item::Comment(c) => c.created_at,
        Item::ReviewComment(c) => c.comment.created_at,
        Item::Review(_) | Item::Event(_) | Item::Reaction(_) => item.updated_at(),
        _ => None,
    }
}

/// The reviews that were dismissed later, as the timeline tells, with the state that each had until then.
pub(super) fn dismissals(later: &Later) -> HashMap<String, Option<String>> {
    let event = |(item, _): &(Item, GapCode)| match item {
        Item::Event(event) if event.event == "review_dismissed" => {
            let detail = |name| event.details.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
            Some((detail("dismissedReview")?, detail("dismissedState")))
        }
        _ => None,
    };
    later.items.values().filter_map(event).collect()
}
