//! From folded facets to a state: kind, labels of two sources, typed sets in order, coverage, tombstones, gaps.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::deleted::take_deleted;
use super::head::documents;
use super::moment::Then;
use super::past::Past;
use super::set::{self, Look, forge_time};
use super::state::{Availability, Coverage, Gone, State, stem};
use super::withheld::Withholdings;
use super::{GapCode, Gaps, LoadedLook, LookData, Moment, Roles, accounts, groups, header, history, names, threads};
use crate::forge::facets::{CheckOrigin, Event, Field, Header, Item, Label, Reaction};
use crate::format::entity::{Forge, Kind, Repository};
use crate::format::facet::Facet;
use crate::format::observation::Completeness;
use crate::format::profile::facets_of;
use crate::format::time::Time;

/// Folds looks that are in order of (observedAt, position, digest), each once.
pub(super) fn fold_sorted(repository: Repository, number: u64, mut looks: Vec<LoadedLook>, moment: &Moment) -> State {
    let mut gaps = Gaps::default();
    // Whom to hear is decided now, so that what is later than the moment counts, too.
    let met = accounts::met(&looks);
    let past = moment.at.map(|at| Past::new(at, repository.forge(), &mut looks));
    let past = past.as_ref();
    let documents = documents(&looks, repository.forge());
    let shown = looks.iter().filter_map(|look| look.kind);
    let shown = shown.max_by_key(|kind| *kind == Kind::Pull);
    let mut sets = names::Sets::new();
    let lists = if past.is_some() { history::lists(&looks) } else { Default::default() };
    for mut look in looks {
        if !look.confine() {
            continue;
        }
        sets.entry((look.facet, look.item.take())).or_default().push(look);
    }
    let headers = sets.remove(&(Facet::Header, None)).unwrap_or_default();
    let now = past.map(|_| header::fold(headers.clone(), &mut Gaps::default()).header);
    let header = history::header_of(headers, &sets, &lists, repository.forge(), past, &mut gaps);
    let kind = [shown, header.header.kind].into_iter().flatten().max_by_key(|kind| *kind == Kind::Pull);
    gaps.add(Facet::Header, GapCode::KindAssumed, u64::from(kind.is_none()));
    let mut state = State::new(repository, number, kind.unwrap_or(Kind::Issue), gaps);
    state.met = met;
    state.take_header(header, sets.remove(&(Facet::Labels, None)).unwrap_or_default(), past);
    let mut then = Then::new(&mut state, moment, now, documents);
    let mut diffs = sets.remove(&(Facet::Diff, None)).unwrap_or_default();
    then.confine(Facet::Diff, &mut diffs, &mut state);
    state.take_diff(diffs);
    names::unify(&mut sets);
    let (logs, sets): (Vec<_>, Vec<_>) = sets.into_iter().partition(|((facet, _), _)| *facet == Facet::Logs);
    for ((facet, item), mut looks) in sets {
        then.confine(facet, &mut looks, &mut state);
        let deleted = take_deleted(&mut looks);
        let groups = if facet == Facet::Checks { groups::take(&mut looks) } else { Vec::new() };
        let count = if item.is_none() { count_of(facet, &state.header) } else { None };
        let fold = |looks: Vec<LoadedLook>| {
            set::fold(looks.into_iter().map(|look| Look::new(look, count, past)).collect(), past)
        };
        let mut folded = fold(looks);
        if !groups.is_empty() {
            folded.beside(fold(groups));
        }
        folded.gone.extend(deleted);
        then.note(&folded.later);
        state.take_set(facet, item, folded);
    }
    state.take_logs(logs.into_iter().map(|((_, item), looks)| (item, looks)).collect());
    state.check_diff();
    state.finish();
    then.settle(&mut state);
    state
}

impl LoadedLook {
    /// Only reactions and logs are kept item by item. Any other set below an item is a part of the entity's set, and says nothing of the
    /// rest when the forge does not give it: then there is nothing to keep, and the answer is false.
    fn confine(&mut self) -> bool {
        if matches!(self.facet, Facet::Reactions | Facet::Logs) || self.item.take().is_none() {
            return true;
        }
        if let LookData::Items { completeness, .. } = &mut self.data {
            *completeness = Completeness::Partial;
        }
        !matches!(self.data, LookData::Unavailable(_))
    }
}

/// What the header counts of a facet.
fn count_of(facet: Facet, header: &Header) -> Option<u64> {
    let counts = &header.counts;
    let count = match facet {
        Facet::Comments => &counts.comments,
        Facet::ReviewComments => &counts.review_comments,
        Facet::Commits => &counts.commits,
        Facet::Files => &counts.files,
        Facet::Reactions => &counts.reactions,
        _ => return None,
    };
    count.known().copied()
}

impl State {
    fn new(repository: Repository, number: u64, kind: Kind, gaps: Gaps) -> Self {
        Self {
            repository,
            number,
            kind,
            header: Header::default(),
            comments: Vec::new(),
            reviews: Vec::new(),
            review_comments: Vec::new(),
            threads: Vec::new(),
            checks: Vec::new(),
            statuses: Vec::new(),
            files: Vec::new(),
            commits: Vec::new(),
            timeline: Vec::new(),
            logs: Vec::new(),
            diff: None,
            reactions: Vec::new(),
            item_reactions: BTreeMap::new(),
            tombstones: Vec::new(),
            coverage: BTreeMap::new(),
            gaps,
            odd: BTreeSet::new(),
            withheld: Withholdings::default(),
            met: Vec::new(),
            roles: Roles::default(),
            event: None,
            links: None,
            linked_by: Vec::new(),
        }
    }

    fn take_header(&mut self, folded: header::Folded, label_looks: Vec<LoadedLook>, past: Option<&Past>) {
        self.header = folded.header;
        self.header.kind = Some(self.kind);
        self.respell();
        let unknown = self.unknown_core();
        let state = match folded.unavailable {
            Some(unavailable) => unavailable,
            None if !folded.seen => Availability::Absent,
            None if unknown > 0 => Availability::Partial,
            None => Availability::Complete,
        };
        let as_of = self.header.updated_at.known().copied();
        let missing = if state == Availability::Partial { unknown } else { 1 };
        self.cover(Facet::Header, Coverage { state, items: None, as_of, partial_since: None }, missing);
        let label_looks =
            if past.is_some() { self.dated_labels(label_looks, folded.labels.is_some()) } else { label_looks };
        let mut looks: Vec<_> = label_looks.into_iter().map(|look| Look::new(look, None, past)).collect();
        // A record with labels is a complete look at them.
        if let Some((rank, ..)) = folded.labels.as_ref().filter(|_| folded.labels_contested)
            && !looks.iter().any(|look| look.complete && look.rank > *rank)
        {
            self.gaps.add(Facet::Header, GapCode::OrderAmbiguous, 1);
        }
        looks.extend(folded.labels.map(|(rank, digest, labels)| Look {
            rank,
            digest,
            items: labels.into_iter().map(|label| Item::Label(label.into()).into()).collect(),
            invalid: 0,
            complete: true,
            outside_profile: 0,
            missing: false,
            unavailable: None,
            sparse: folded.labels_sparse,
            late: false,
            delivered: true,
        }));
        if looks.is_empty() {
            return;
        }
        let folded = set::fold(looks, past);
        // A part that shows no label does not say that there is none.
        if folded.complete || !folded.members.is_empty() {
            self.header.labels = Field::Known(Vec::new());
        }
        self.take_set(Facet::Labels, None, folded);
    }

    /// Prefers the forge's own spelling of the repository to that of an address that someone typed.
    fn respell(&mut self) {
        let Some(path) = self.header.repository.known() else { return };
        let spelled = Repository::new(self.repository.forge(), self.repository.host(), path);
        if let Some(spelled) = spelled.ok().filter(|spelled| spelled.is_same(&self.repository)) {
            self.repository = spelled;
        }
    }

    /// How many of the fields are unknown without which a record is not known: a list of pull requests has them all, but an
    /// issue endpoint that is asked for a pull request does not tell head and base.
    fn unknown_core(&self) -> u64 {
        fn unknown<T>(field: &Field<T>) -> u64 {
            u64::from(matches!(field, Field::Unknown))
        }
        let header = &self.header;
        let both =
            unknown(&header.title) + unknown(&header.body) + unknown(&header.state) + unknown(&header.created_at);
        let pull = if self.kind == Kind::Pull { unknown(&header.head) + unknown(&header.base) } else { 0 };
        both + pull
    }

    /// Files a coverage and the gap that it means; `missing` is how much is missing, where that is known.
    pub(super) fn cover(&mut self, facet: Facet, coverage: Coverage, missing: u64) {
        let code = coverage.state.gap().or(coverage.partial_since.map(|_| GapCode::Incomplete));
        if let Some(code) = code {
            self.gaps.add(facet, code, missing.max(1));
        }
        self.coverage.insert(facet, coverage);
    }

    fn take_set(&mut self, facet: Facet, item: Option<String>, mut folded: set::Folded) {
        folded.arrange(self.repository.forge());
        self.gaps.add(facet, GapCode::OrderAmbiguous, folded.ambiguous);
        self.gaps.add(facet, GapCode::OutsideProfile, folded.outside_profile);
        self.gaps.add(facet, GapCode::ElementMissing, folded.missing);
        self.gaps.add(facet, GapCode::InvalidMetadata, folded.invalid);
        self.odd.extend(folded.odd.iter().map(|key| (facet, key.clone())));
        let coverage = Coverage {
            state: match folded.unavailable {
                Some(unavailable) => unavailable,
                None if folded.complete || is_counted_empty(&folded, count_of(facet, &self.header)) => {
                    Availability::Complete
                }
                None => Availability::Partial,
            },
            items: folded.seen.then_some(folded.members.len() as u64),
            as_of: folded.members.iter().filter_map(forge_time).max(),
            partial_since: folded.partial_since,
        };
        if leaves_tombstones(facet) {
            self.tombstones.extend(folded.gone.into_iter().map(|item| Gone { facet, item }));
        }
        self.gaps.add(facet, GapCode::EditsUnknown, folded.later.undated);
        for (later, reason) in folded.later.items.into_values() {
            self.take_later(facet, item.as_deref(), later, reason);
        }
        match item {
            Some(item) => {
                let code = coverage.state.gap().or(coverage.partial_since.map(|_| GapCode::Incomplete));
                code.into_iter().for_each(|code| self.gaps.add(facet, code, 1));
                let reactions = self.item_reactions.entry(item).or_default();
                reactions.extend(folded.members.into_iter().filter_map(reaction));
            }
            None => {
                let missing = count_of(facet, &self.header).unwrap_or(0).saturating_sub(folded.members.len() as u64);
                self.cover(facet, coverage, missing);
                folded.members.into_iter().for_each(|item| self.push(item));
            }
        }
    }

    pub(super) fn push(&mut self, item: Item) {
        match item {
            Item::Comment(item) => self.comments.push(*item),
            Item::Review(item) => self.reviews.push(*item),
            Item::ReviewComment(item) => self.review_comments.push(*item),
            Item::Thread(item) => self.threads.push(*item),
            Item::Check(item) if item.origin == CheckOrigin::Status => self.statuses.push(*item),
            Item::Check(item) => self.checks.push(*item),
            Item::File(item) => self.files.push(*item),
            Item::Commit(item) => self.commits.push(*item),
            Item::Event(item) => self.timeline.push(*item),
            Item::Label(item) => self.push_label(*item),
            Item::Reaction(item) => self.reactions.push(*item),
            // Members are those of the repository, not of a thread.
            Item::Member(_) => {}
        }
    }

    fn push_label(&mut self, label: Label) {
        if let Field::Known(labels) = &mut self.header.labels {
            labels.push(label);
        }
    }

    /// Sorts what is there and names what is not.
    fn finish(&mut self) {
        threads::take(&mut self.review_comments, &self.threads);
        self.place_reactions();
        self.sort();
        if let Some(events) = self.coverage.get(&Facet::Events).copied() {
            self.merge_events(events);
        }
        for facet in facets_of(self.kind) {
            if self.coverage.contains_key(&facet) {
                continue;
            }
            let forge = self.repository.forge();
            // GitLab's approvals are a state without ids and times, and no reviews.
            if facet == Facet::Reviews && forge == Forge::GitLab {
                self.gaps.add(facet, GapCode::HistoryUnavailable, 1);
                let none = Coverage { state: Availability::Absent, items: None, as_of: None, partial_since: None };
                self.coverage.insert(facet, none);
                continue;
            }
            let mut count = count_of(facet, &self.header);
            // Gitea has commit statuses and no check runs: whoever looked at the one knows the other.
            if facet == Facet::Checks && forge.is_gitea_like() && self.coverage.contains_key(&Facet::Statuses) {
                count = Some(0);
            }
            let (state, items) = match count {
                Some(0) => (Availability::Complete, Some(0)),
                _ => (Availability::Absent, None),
            };
            self.cover(facet, Coverage { state, items, as_of: None, partial_since: None }, count.unwrap_or(0));
        }
    }

    /// GitLab numbers comments of both kinds in one row, and the address of a reaction does not tell which kind it is to.
    fn place_reactions(&mut self) {
        if self.repository.forge() != Forge::GitLab {
            return;
        }
        for id in self.review_comments.iter().map(|comment| &comment.comment.id) {
            if let Some(reactions) = self.item_reactions.remove(&format!("{}/{id}", Facet::Comments.name())) {
                self.item_reactions.insert(format!("{}/{id}", Facet::ReviewComments.name()), reactions);
            }
        }
    }

    /// Events are a part of the timeline, whatever a look at the timeline gave.
    fn merge_events(&mut self, events: Coverage) {
        match self.coverage.get_mut(&Facet::Timeline) {
            Some(timeline) if events.items.is_some() => {
                timeline.items = Some(self.timeline.len() as u64);
                timeline.as_of = timeline.as_of.max(events.as_of);
            }
            Some(_) => {}
            None if events.items.is_some() => {
                let part = Coverage { state: Availability::Partial, partial_since: None, ..events };
                self.cover(Facet::Timeline, part, 1);
            }
            None => {}
        }
    }

    /// Puts every set in the order of the file names in trees, which is that of their bytes.
    fn sort(&mut self) {
        self.comments.sort_by_cached_key(|c| stem(c.created_at, &c.id));
        self.reviews.sort_by_cached_key(|r| stem(r.submitted_at, &r.id));
        self.review_comments.sort_by_cached_key(|c| stem(c.comment.created_at, &c.comment.id));
        self.checks.sort_by_cached_key(|c| stem(c.created_at, &c.id));
        self.statuses.sort_by_cached_key(|c| stem(c.created_at, &c.id));
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        for reactions in self.item_reactions.values_mut().chain([&mut self.reactions]) {
            reactions.sort_by_cached_key(|reaction| (reaction.id, reaction.key()));
        }
        self.threads.sort_by(|a, b| a.id.cmp(&b.id));
        if let Field::Known(labels) = &mut self.header.labels {
            labels.sort_by(|a, b| a.name.cmp(&b.name));
        }
        sort_timeline(&mut self.timeline);
        self.tombstones.sort_by_cached_key(|gone| (gone.facet, gone.item.key()));
    }
}

/// What belongs to a head, a state or other items is not deleted when it moves on.
fn leaves_tombstones(facet: Facet) -> bool {
    let passing = [Facet::Files, Facet::Commits, Facet::Labels, Facet::Checks, Facet::Statuses, Facet::Threads];
    !passing.contains(&facet)
}

/// A header that counts nothing proves that an incomplete look which shows nothing misses nothing.
fn is_counted_empty(folded: &set::Folded, count: Option<u64>) -> bool {
    count == Some(0) && folded.members.is_empty() && folded.seen && folded.missing == 0 && folded.invalid == 0
}

fn reaction(item: Item) -> Option<Reaction> {
    if let Item::Reaction(reaction) = item { Some(*reaction) } else { None }
}

/// By time; what has none stays behind its predecessor. The first of two entries with one key stays: the timeline comes
/// before the older endpoint of events, and tells more.
fn sort_timeline(timeline: &mut Vec<Event>) {
    let mut seen = HashSet::new();
    timeline.retain(|event| seen.insert(event.key.clone()));
    let mut last: Option<Time> = None;
    let mut timed: Vec<_> = std::mem::take(timeline)
        .into_iter()
        .map(|event| {
            last = event.created_at.or(last);
            (last, event)
        })
        .collect();
    timed.sort_by_key(|(time, _)| *time);
    timeline.extend(timed.into_iter().map(|(_, event)| event));
}
