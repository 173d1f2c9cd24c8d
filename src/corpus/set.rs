//! Folding a set: the newest complete look, with the items of newer incomplete looks laid over it.

use std::collections::{HashMap, HashSet};

use super::order::{self, Share};
use super::past::{Later, Past};
use super::state::Availability;
use super::{LoadedLook, LookData, Rank};
use crate::forge::facets::{CheckOrigin, Item, Noted, Overlay};
use crate::format::digest::Digest;
use crate::format::entity::Forge;
use crate::format::facet::Facet;
use crate::format::observation::Completeness;
use crate::format::time::Time;

/// A look at a set.
pub(super) struct Look {
    pub rank: Rank,
    pub digest: Digest,
    pub items: Vec<Noted<Item>>,
    /// Items without a normal form.
    pub invalid: u64,
    /// Whether this look proves, alone or with a count of the header, that nothing is missing. One with an item that has no normal
    /// form proves nothing.
    pub complete: bool,
    pub outside_profile: u64,
    pub missing: bool,
    /// What the forge said instead of data.
    pub unavailable: Option<Availability>,
    /// Whether its items hold only what was asked for.
    pub sparse: bool,
    /// Whether it was made after the time that the state is of.
    pub late: bool,
    /// Whether it is of the time of the state, whatever it shows: a part of the delivery that set off the stage.
    pub delivered: bool,
}

/// What folding a set gave.
#[derive(Default)]
pub(super) struct Folded {
    /// The items: those of the complete look in its order, then the others in order of appearance.
    pub members: Vec<Item>,
    /// How many of them, from the first on, were shown first by each look.
    pub shares: Vec<Share>,
    /// Items that a look before the complete one shows, and neither it nor a later look does.
    pub gone: Vec<Item>,
    pub complete: bool,
    /// When incomplete looks after the complete one show something else: their newest forge time.
    pub partial_since: Option<Option<Time>>,
    /// Items whose presence or content only a digest decided, or their place in a list that has them twice.
    pub ambiguous: u64,
    /// The keys of those items.
    pub contested: HashSet<String>,
    /// Items without a normal form, and those of the members that are not all what the forge documents.
    pub invalid: u64,
    /// The keys of those members.
    pub odd: Vec<String>,
    pub outside_profile: u64,
    pub missing: u64,
    /// Whether any look gave data.
    pub seen: bool,
    /// What the forge said instead of data, when the newest look is such a one.
    pub unavailable: Option<Availability>,
    /// Items of which no version is of the time that the state is of.
    pub later: Later,
}

/// The version of an item that holds so far: the one with the greatest (update time, observedAt, position, digest), as with
/// single records.
struct Version {
    item: Noted<Item>,
    /// First whether the delivery that set off the stage shows it: then it stands, whatever is shown later.
    order: (bool, Option<Time>, Rank),
    /// The last look that shows the item.
    seen: usize,
    /// The same look, or another of the same order, shows it with other content.
    contested: bool,
    /// Whether all looks that it is from hold only what was asked for.
    sparse: bool,
}

/// When the forge last changed an item. Times of check runs are claims of the application that reports them.
pub(super) fn forge_time(item: &Item) -> Option<Time> {
    match item {
        // A suite changes without a time that tells it, as a run does.
        Item::Check(check)
            if matches!(check.origin, CheckOrigin::Run | CheckOrigin::Suite | CheckOrigin::WorkflowRun) =>
        {
            None
        }
        other => other.updated_at(),
    }
}

impl Look {
    /// Whether an item of it stands as it is here. Labels are those of the record.
    pub(super) fn settles(&self, item: &Item) -> bool {
        self.delivered && !matches!(item, Item::Label(_))
    }

    /// A look at a set in normal form; `count` is what the header counts.
    pub(super) fn new(look: LoadedLook, count: Option<u64>, past: Option<&Past>) -> Self {
        let (facet, proof) = (look.facet, look.completeness());
        let mut out = Self {
            rank: look.rank(),
            digest: look.digest,
            items: Vec::new(),
            invalid: 0,
            complete: false,
            outside_profile: look.outside_profile,
            missing: look.missing,
            unavailable: None,
            sparse: look.sparse,
            late: past.is_some_and(|past| past.is_later(&look)),
            delivered: look.delivered,
        };
        match look.data {
            LookData::Items { items, .. } => {
                let all = items.len();
                out.items = items.into_iter().flatten().filter(|item| belongs(&item.value, facet)).collect();
                out.invalid = (all - out.items.len()) as u64;
                // Pages that shifted between two answers show an item twice.
                let different = || out.items.iter().map(|item| item.value.key()).collect::<HashSet<_>>().len() as u64;
                let counted = proof == Completeness::Unproven && count.is_some_and(|count| count == different());
                // What has no normal form may be any item: then none is proved to be gone.
                out.complete = !look.missing && out.invalid == 0 && (proof.is_proof() || counted);
            }
            LookData::Unavailable(status) => out.unavailable = Some(Availability::of_status(status)),
            // A record or text is no set: what it holds cannot be told.
            LookData::Header(_) | LookData::LastHeader(_) | LookData::Unreadable(_) | LookData::Text(_) => {
                out.invalid = 1
            }
        }
        out
    }
}

pub(super) fn belongs(item: &Item, facet: Facet) -> bool {
    match item {
        Item::Comment(_) => facet == Facet::Comments,
        Item::Review(_) => facet == Facet::Reviews,
        Item::ReviewComment(_) => facet == Facet::ReviewComments,
        Item::Thread(_) => facet == Facet::Threads,
        Item::Check(check) if check.origin == CheckOrigin::Status => facet == Facet::Statuses,
        Item::Check(_) => facet == Facet::Checks,
        Item::File(_) => facet == Facet::Files,
        Item::Commit(_) => facet == Facet::Commits,
        Item::Event(_) => matches!(facet, Facet::Timeline | Facet::Events),
        Item::Label(_) => facet == Facet::Labels,
        Item::Reaction(_) => facet == Facet::Reactions,
        Item::Member(_) => facet == Facet::Members,
    }
}

/// Folds the looks at one set. The result does not depend on their order.
pub(super) fn fold(mut looks: Vec<Look>, past: Option<&Past>) -> Folded {
    looks.sort_by_key(|look| (look.rank, look.digest));
    let later = past.map(|past| past.confine(&mut looks)).unwrap_or_default();
    let base = looks.iter().rposition(|look| look.complete);
    let contested = base.map(|at| Contested::new(&looks, at)).unwrap_or_default();
    let mut folded = Folded::new(&looks, base);
    let (start, base_rank) = (base.unwrap_or(0), base.map(|at| looks[at].rank));
    // Items by number, in order of appearance: a million of them have one key each, and are not moved while that of others is looked for.
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut versions: Vec<Version> = Vec::new();
    let mut order: Vec<(Rank, Vec<usize>)> = Vec::new();
    for (at, look) in looks.iter_mut().enumerate() {
        let is_newer = base_rank.is_some_and(|base| look.rank > base);
        let sparse = look.sparse;
        let mut joined = Vec::new();
        // A list may show an item twice, and only one of the two may tell a time.
        let mut newer = HashSet::new();
        for item in std::mem::take(&mut look.items) {
            let (key, time) = (item.value.key(), forge_time(&item.value));
            let settled = look.settles(&item.value);
            let sparse = sparse || item.value.is_part();
            let new = Version { item, order: (settled, time, look.rank), seen: at, contested: false, sparse };
            let known = places.get(&key).copied();
            let place = known.unwrap_or(versions.len());
            let joins = at >= start && known.is_none_or(|place| versions[place].seen < start);
            let changed = match known {
                Some(place) => versions[place].lay_over(new),
                None => {
                    versions.push(new);
                    true
                }
            };
            if is_newer && (changed || joins || contested.members.contains(&key) || newer.contains(&key)) {
                folded.partial_since = Some(folded.partial_since.flatten().max(time));
                newer.insert(key.clone());
            }
            if joins {
                joined.push(place);
            }
            if known.is_none() {
                places.insert(key, place);
            }
        }
        order.push((look.rank, joined));
    }
    drop(places);
    folded.ambiguous += contested.others;
    folded.later = later;
    folded.collect(order, versions, contested.unsettled)
}

impl Version {
    /// Lays a version over this one; what the later one does not know stays. Returns whether something else is shown now, or may be: when
    /// only a digest chose the version that held.
    fn lay_over(&mut self, new: Self) -> bool {
        let both_sparse = self.sparse && new.sparse;
        if new.order < self.order {
            self.item.value.fill(&new.item.value, self.sparse);
            (self.seen, self.sparse) = (new.seen, both_sparse);
            return false;
        }
        // What only becomes known has not changed.
        let changed = self.contested || self.item.value.conflicts(&new.item.value, [self.sparse, new.sparse]);
        let contested = new.order == self.order && changed;
        let older = std::mem::replace(self, Self { contested, ..new });
        self.item.value.fill(&older.item.value, self.sparse);
        self.sparse = both_sparse;
        changed
    }
}

/// Whether a look of the same rank as the newest says something else about whether there is data.
fn is_availability_contested(looks: &[Look]) -> bool {
    let Some(newest) = looks.last() else { return false };
    looks.iter().any(|look| look.rank == newest.rank && look.unavailable != newest.unavailable)
}

/// What would be another way had another of the looks been last, that nothing but a digest orders against the complete one.
#[derive(Default)]
struct Contested {
    /// The items that would be in or out.
    members: HashSet<String>,
    /// Those of them that no look of a later rank shows: there it is there whatever the order of these.
    unsettled: HashSet<String>,
    /// Other differences between complete looks.
    others: u64,
}

impl Contested {
    fn new(looks: &[Look], base: usize) -> Self {
        let mut out = Self::default();
        let ours = &looks[base];
        let rivals: Vec<_> =
            looks.iter().enumerate().filter(|(at, look)| *at != base && look.rank == ours.rank).collect();
        if rivals.is_empty() {
            return out;
        }
        let keys = |look: &Look| look.items.iter().map(|item| item.value.key()).collect::<HashSet<_>>();
        let our_keys = keys(ours);
        for (_, rival) in rivals {
            let their_keys = keys(rival);
            out.members.extend(their_keys.difference(&our_keys).cloned());
            if rival.complete {
                out.members.extend(our_keys.difference(&their_keys).cloned());
                let differs = (rival.invalid, rival.outside_profile) != (ours.invalid, ours.outside_profile);
                out.others = out.others.max(u64::from(differs));
            }
        }
        let later = looks.iter().filter(|look| look.rank > ours.rank).flat_map(|look| &look.items);
        let settled: HashSet<_> = later.map(|item| item.value.key()).collect();
        for look in looks {
            let stand = look.items.iter().filter(|item| look.settles(&item.value));
            stand.for_each(|item| {
                out.members.remove(&item.value.key());
            });
        }
        out.unsettled = out.members.difference(&settled).cloned().collect();
        out
    }
}

impl LoadedLook {
    fn completeness(&self) -> Completeness {
        if let LookData::Items { completeness, .. } = self.data { completeness } else { Completeness::Partial }
    }
}

impl Folded {
    /// What can be told of the looks before their items are folded. Of the looks of one rank with the complete one only that
    /// one counts, so that no digest decides a number.
    fn new(looks: &[Look], base: Option<usize>) -> Self {
        let current = || {
            looks.iter().enumerate().filter(|(at, look)| match base {
                Some(base) => *at == base || look.rank > looks[base].rank,
                None => true,
            })
        };
        let missing = current().filter(|(_, look)| look.missing).count() as u64;
        let newer_invalid = current().any(|(_, look)| look.invalid > 0);
        Self {
            complete: base.is_some(),
            // The same fault in two looks is one fault, so the largest number counts and not the sum.
            invalid: current().map(|(_, look)| look.invalid).max().unwrap_or(0),
            outside_profile: current().map(|(_, look)| look.outside_profile).max().unwrap_or(0),
            missing,
            partial_since: (base.is_some() && (missing > 0 || newer_invalid)).then_some(None),
            seen: looks.iter().any(|look| look.unavailable.is_none() && !(look.missing && look.items.is_empty())),
            unavailable: looks.last().and_then(|look| look.unavailable),
            ambiguous: u64::from(is_availability_contested(looks)),
            ..Self::default()
        }
    }

    /// Takes in what is listed beside the members, and says nothing of how completely these are known.
    pub(super) fn beside(&mut self, other: Self) {
        self.seen |= other.seen;
        self.members.extend(other.members);
        self.later.items.extend(other.later.items);
        self.ambiguous += other.ambiguous;
        self.invalid += other.invalid;
        self.odd.extend(other.odd);
        self.outside_profile = self.outside_profile.max(other.outside_profile);
    }

    /// Puts the items of a list that looks show in parts in the order that the items themselves tell.
    pub(super) fn arrange(&mut self, forge: Forge) {
        let newest_first = forge == Forge::GitLab || forge.is_gitea_like();
        match self.members.first() {
            Some(Item::Event(_)) => self.members = order::entries(std::mem::take(&mut self.members), &self.shares),
            Some(Item::Commit(_)) if self.shares.len() > 1 => {
                let open = order::is_commit_order_open(&self.members, &self.shares, newest_first);
                self.ambiguous += u64::from(open);
                self.members = order::commits(std::mem::take(&mut self.members), newest_first);
            }
            _ => {}
        }
    }

    fn collect(
        mut self,
        order: Vec<(Rank, Vec<usize>)>,
        versions: Vec<Version>,
        mut contested: HashSet<String>,
    ) -> Self {
        let mut versions: Vec<_> = versions.into_iter().map(Some).collect();
        // Each is there once, so that all of them have a version.
        self.shares =
            order.iter().filter(|(_, places)| !places.is_empty()).map(|(rank, places)| (*rank, places.len())).collect();
        self.members.reserve(versions.len());
        for place in order.into_iter().flat_map(|(_, places)| places) {
            let Some(version) = versions[place].take() else { continue };
            if version.contested {
                contested.insert(version.item.value.key());
            }
            self.take(version);
        }
        // What is left was not shown since the complete look. What set off the stage was there then.
        let mut left: Vec<_> = versions.into_iter().flatten().collect();
        left.sort_by_cached_key(|version| version.item.value.key());
        let (stand, gone): (Vec<_>, Vec<_>) = left.into_iter().partition(|version| version.order.0);
        stand.into_iter().for_each(|version| self.take(version));
        self.gone = gone.into_iter().map(|version| version.item.value).collect();
        self.ambiguous += contested.len() as u64;
        self.contested = contested;
        self
    }

    fn take(&mut self, version: Version) {
        if !version.item.odd.is_empty() {
            self.invalid += 1;
            self.odd.push(version.item.value.key());
        }
        self.members.push(version.item.value);
    }
}
