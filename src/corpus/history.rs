//! What a timeline proves of the record at a time. It proves only what it must have shown: it is all of the timeline, it goes on beyond the
//! time, and told from the beginning it comes to what a later version of the record says. What a forge changes without an entry, as
//! GitHub does when a label is deleted everywhere, makes the two differ, and then nothing is proved.

use std::collections::{BTreeMap, BTreeSet};

use super::past::Past;
use super::{Gaps, LoadedLook, LookData, header};
use crate::forge::facets::{Actor, Event, Field, Header, Item, Label, State};
use crate::forge::gitlab::{LABEL_EVENTS, MILESTONE_EVENTS, STATE_EVENTS, SYSTEM_NOTES};
use crate::format::entity::Forge;
use crate::format::facet::Facet;
use crate::format::time::Time;

/// Looks at the lists in which GitLab tells a timeline, by the name of the list.
pub(super) type Lists = BTreeMap<&'static str, Vec<LoadedLook>>;

/// What a whole list of GitLab tells of a record.
const TELLS: [(&str, &[Tells]); 4] = [
    (STATE_EVENTS, &[Tells::State]),
    (LABEL_EVENTS, &[Tells::Labels]),
    (MILESTONE_EVENTS, &[Tells::Milestone]),
    (SYSTEM_NOTES, &[Tells::Title, Tells::Locked, Tells::Draft]),
];

/// The looks at single lists among all, which are in order.
pub(super) fn lists(looks: &[LoadedLook]) -> Lists {
    let mut lists = Lists::new();
    for look in looks.iter().filter(|look| look.facet == Facet::Timeline) {
        if let Some((name, _)) = TELLS.iter().find(|(name, _)| look.item.as_deref() == Some(*name)) {
            lists.entry(name).or_default().push(look.clone());
        }
    }
    lists
}

/// The record, as of the time that the state is of: what its versions tell, and what a whole timeline or list proves.
pub(super) fn header_of(
    headers: Vec<LoadedLook>,
    sets: &BTreeMap<(Facet, Option<String>), Vec<LoadedLook>>,
    lists: &Lists,
    forge: Forge,
    past: Option<&Past>,
    gaps: &mut Gaps,
) -> header::Folded {
    let Some(past) = past else { return header::fold(headers, gaps) };
    let mut folded = header::fold(past.headers(headers.clone()), gaps);
    if forge == Forge::GitLab {
        for (name, tells) in TELLS {
            let list = lists.get(name).into_iter().flatten();
            let is_told =
                name != STATE_EVENTS || !lists.get(SYSTEM_NOTES).is_some_and(|notes| notes_tell_states(notes));
            if let Some(history) = History::of(past, forge, &headers, list).filter(|_| is_told) {
                history.amend(&mut folded, tells);
            }
        }
        return folded;
    }
    let lists = [Facet::Events, Facet::Timeline].into_iter().filter_map(|facet| sets.get(&(facet, None))).flatten();
    if let Some(history) = History::of(past, forge, &headers, lists) {
        // Of drafts of Gitea the title tells, and no entry.
        let tells = if forge == Forge::GitHub { &ALL[..] } else { &ALL[1..] };
        history.amend(&mut folded, tells);
    }
    folded
}

/// Whether notes tell that something was closed, as older versions do: then the list of these events is not all of them.
fn notes_tell_states(notes: &[LoadedLook]) -> bool {
    let word = |item: &Item| matches!(item, Item::Event(event) if matches!(event.event.as_str(), "closed" | "merged" | "reopened"));
    notes.iter().any(|look| match &look.data {
        LookData::Items { items, .. } => items.iter().flatten().any(|item| word(&item.value)),
        _ => false,
    })
}

/// What entries tell of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tells {
    Draft,
    Title,
    State,
    Milestone,
    Locked,
    Labels,
    Assignees,
}

const ALL: [Tells; 7] =
    [Tells::Draft, Tells::Title, Tells::State, Tells::Milestone, Tells::Locked, Tells::Labels, Tells::Assignees];

/// A whole timeline, and the versions of the record within it.
pub(super) struct History<'l> {
    at: Time,
    forge: Forge,
    events: Vec<&'l Event>,
    /// The time of the newest entry.
    upto: Time,
    /// Versions that are not earlier than the time and, but on GitLab, not later than the newest entry, the newest first.
    versions: Vec<(Time, &'l Header)>,
    /// What orders the labels among looks at them.
    look: &'l LoadedLook,
}

impl<'l> History<'l> {
    /// The newest list that is all of its kind and shows something later than the time. An answer of GraphQL has the kinds of
    /// entries that were asked for, which it does not tell.
    pub fn of(
        past: &Past,
        forge: Forge,
        headers: &'l [LoadedLook],
        lists: impl DoubleEndedIterator<Item = &'l LoadedLook>,
    ) -> Option<Self> {
        // What set off the stage is of the very moment.
        if headers.iter().any(|look| look.delivered) {
            return None;
        }
        let (look, mut events) = lists.rev().find_map(|look| Some((look, whole(look, past)?)))?;
        let times: Option<Vec<_>> = events.iter().filter(|event| counts(event)).map(|event| event.created_at).collect();
        times?;
        events.sort_by_key(|event| event.created_at);
        let upto = events.iter().filter_map(|event| event.created_at).max()?;
        let version = |look: &'l LoadedLook| match &look.data {
            LookData::Header(header) => {
                let time = *header.value.updated_at.known()?;
                // A list of one kind of entries often ends before the last change of the record: what is the same then says the same.
                (past.at <= time && (time <= upto || forge == Forge::GitLab)).then_some((time, &header.value))
            }
            _ => None,
        };
        let mut versions: Vec<_> = headers.iter().filter_map(version).collect();
        versions.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        Some(Self { at: past.at, forge, events, upto, versions, look })
    }

    /// Sets in the record what is proved.
    fn amend(&self, folded: &mut header::Folded, tells: &[Tells]) {
        if folded.header.created_at.known().is_none_or(|made| *made > self.at) {
            return;
        }
        for tells in tells {
            let record = &mut folded.header;
            match tells {
                Tells::Title => record.title = self.title().map_or(std::mem::take(&mut record.title), Field::Known),
                Tells::State => self.state(record),
                Tells::Milestone => self.set_milestone(record),
                Tells::Locked => self.set_locked(record),
                Tells::Draft => record.draft = self.draft().map_or(std::mem::take(&mut record.draft), Field::Known),
                Tells::Labels => self.labels(folded),
                Tells::Assignees => self.assignees(record),
            }
        }
    }

    fn set_milestone(&self, record: &mut Header) {
        if let Some(milestone) = self.agreed(|version| optional(&version.milestone), |time| self.milestone(time)) {
            record.milestone = milestone.map_or(Field::Null, Field::Known);
        }
    }

    fn set_locked(&self, record: &mut Header) {
        if let Some(locked) = self.told(|version| version.locked.known().copied(), |time| Some(self.locked(time))) {
            if record.locked != Field::Known(locked) {
                record.lock_reason = Field::Unknown;
            }
            record.locked = Field::Known(locked);
        }
    }

    /// The newest version that knows something.
    fn version<T>(&self, knows: impl Fn(&Header) -> Option<T>) -> Option<(Time, T)> {
        self.versions.iter().find_map(|(time, version)| Some((*time, knows(version)?)))
    }

    /// What the newest version says that is not later than the newest entry: no entry between the two could have changed it unseen.
    fn within<T>(&self, knows: impl Fn(&Header) -> Option<T>) -> Option<T> {
        let versions = self.versions.iter().filter(|(time, _)| *time <= self.upto);
        versions.map(|(_, version)| version).find_map(|version| knows(version))
    }

    /// What the entries come to at the time, of what has an entry whenever it changes: unless a version of the record says otherwise.
    fn told<T: PartialEq>(
        &self,
        knows: impl Fn(&Header) -> Option<T>,
        replay: impl Fn(Time) -> Option<T>,
    ) -> Option<T> {
        let differs = self.version(knows).is_some_and(|(time, value)| replay(time) != Some(value));
        if differs { None } else { replay(self.at) }
    }

    /// The same of what may change without one: only when they come to what a version of the record says.
    fn agreed<T: PartialEq>(
        &self,
        knows: impl Fn(&Header) -> Option<T>,
        replay: impl Fn(Time) -> Option<T>,
    ) -> Option<T> {
        self.version(&knows).and_then(|_| self.told(knows, replay))
    }

    fn named(&self, words: &'static [&'static str]) -> impl Iterator<Item = &&'l Event> {
        self.events.iter().filter(move |event| words.contains(&event.event.as_str()))
    }

    /// A title is what the last renaming before made it, else what the first one after found. Whoever makes a merge request of GitLab a
    /// draft gives it another title, of which no entry tells.
    fn title(&self) -> Option<String> {
        if self.forge == Forge::GitLab && self.named(&DRAFTS).next().is_some() {
            return None;
        }
        let renamed: Vec<_> = self.named(&["renamed"]).collect();
        let each: Option<Vec<_>> = renamed
            .iter()
            .map(|event| Some((event.created_at?, detail(event, "from")?, detail(event, "to")?)))
            .collect();
        let each = each.filter(|each| each.windows(2).all(|pair| pair[0].2 == pair[1].1))?;
        let knows = |version: &Header| version.title.known().cloned();
        self.told(knows, |time| match each.partition_point(|(at, ..)| *at <= time) {
            0 => match each.first() {
                Some((_, from, _)) => Some((*from).to_owned()),
                None => self.within(knows),
            },
            passed => Some(each[passed - 1].2.to_owned()),
        })
    }

    fn draft(&self) -> Option<bool> {
        let turned: Vec<_> = self.named(&DRAFTS).collect();
        let to = |event: &Event| event.event == "convert_to_draft";
        let knows = |version: &Header| version.draft.known().copied();
        self.told(knows, |time| match turned.iter().rfind(|event| event.created_at <= Some(time)) {
            Some(event) => Some(to(event)),
            None => match turned.first() {
                Some(event) => Some(!to(event)),
                None => self.within(knows),
            },
        })
    }

    fn locked(&self, time: Time) -> bool {
        let all = self.named(&["locked", "unlocked", "lock", "unlock"]);
        let last = all.filter(|event| event.created_at <= Some(time)).last();
        last.is_some_and(|event| event.event.starts_with("lock"))
    }

    /// Whether it was closed, and by which entry; whether it was merged.
    fn closing(&self, time: Time) -> (Option<&'l Event>, Option<&'l Event>) {
        let (mut closed, mut merged) = (None, None);
        for event in self.named(&["closed", "merged", "reopened"]).filter(|event| event.created_at <= Some(time)) {
            match event.event.as_str() {
                "reopened" => closed = None,
                word => {
                    closed = closed.or(Some(*event));
                    merged = merged.or((word == "merged").then_some(*event));
                }
            }
        }
        (closed, merged)
    }

    fn state(&self, record: &mut Header) {
        let is_closed = |version: &Header| Some(*version.state.known()? == State::Closed);
        let replay = |time| Some(self.closing(time).0.is_some());
        // What GitLab once told in notes is in no list of events.
        let of_gitlab = self.forge == Forge::GitLab;
        let told = if of_gitlab { self.agreed(is_closed, replay) } else { self.told(is_closed, replay) };
        let Some(is_closed) = told else { return };
        let (closed, merged) = self.closing(self.at);
        let state = Field::Known(if is_closed { State::Closed } else { State::Open });
        if record.state != state {
            record.state_reason = Field::Unknown;
        }
        record.state = state;
        // GitLab says of what was merged nowhere that it was closed.
        (record.closed_at, record.closed_by) = by(closed.filter(|event| !of_gitlab || event.event == "closed"));
        let was_merged = |version: &Header| version.merged.known().copied();
        if let Some(is_merged) = self.agreed(was_merged, |time| Some(self.closing(time).1.is_some())) {
            record.merged = Field::Known(is_merged);
            (record.merged_at, record.merged_by) = by(merged);
        }
    }

    fn milestone(&self, time: Time) -> Option<Option<String>> {
        let mut now = None;
        for event in self.named(&["milestoned", "demilestoned"]).filter(|event| event.created_at <= Some(time)) {
            let of = Some(detail(event, "milestone")?.to_owned());
            match event.event.as_str() {
                "milestoned" => now = of,
                _ if now == of => now = None,
                _ => return None,
            }
        }
        Some(now)
    }

    /// The members of a list that the entries come to; `None` when one is given twice, or taken and was not there.
    fn members(&self, words: &'static [&'static str; 2], name: &str, time: Time) -> Option<BTreeSet<String>> {
        let mut now = BTreeSet::new();
        for event in self.named(words).filter(|event| event.created_at <= Some(time)) {
            let of = detail(event, name)?;
            let is_new = if event.event == words[0] { now.insert(of.to_owned()) } else { now.remove(of) };
            if !is_new {
                return None;
            }
        }
        Some(now)
    }

    /// Labels, as the version of the time has them, else by name alone.
    fn labels(&self, folded: &mut header::Folded) {
        const LABELS: [&str; 2] = ["labeled", "unlabeled"];
        let labels = |version: &Header| Some(version.labels.known()?.iter().map(|label| label.name.clone()).collect());
        if let Some(names) = self.agreed(labels, |time| self.members(&LABELS, "label", time)) {
            // What a later version says of a label besides its name is not of the time.
            let known = folded.labels.take().map(|(.., labels)| labels).unwrap_or_default();
            let plain = |name: &String| Label {
                id: None,
                name: name.clone(),
                color: Field::Unknown,
                description: Field::Unknown,
            };
            let known: BTreeMap<_, _> = known.into_iter().rev().map(|label| (label.name.clone(), label)).collect();
            let label = |name: &String| known.get(name).cloned().unwrap_or_else(|| plain(name));
            let (rank, digest) = (self.look.rank(), self.look.digest);
            folded.labels = Some((rank, digest, names.iter().map(label).collect()));
            folded.labels_contested = false;
        }
    }

    fn assignees(&self, record: &mut Header) {
        const ASSIGNEES: [&str; 2] = ["assigned", "unassigned"];
        let logins = |version: &Header| Some(version.assignees.known()?.iter().map(|one| one.login.clone()).collect());
        if let Some(logins) = self.agreed(logins, |time| self.members(&ASSIGNEES, "assignee", time)) {
            let known = || self.versions.iter().filter_map(|(_, version)| version.assignees.known()).flatten();
            let account = |login: &String| {
                let plain = || Actor { login: login.clone(), ..Actor::default() };
                known().find(|one| one.login == *login).cloned().unwrap_or_else(plain)
            };
            record.assignees = Field::Known(logins.iter().map(account).collect());
        }
    }
}

/// Entries that make something a draft, and no draft any more.
const DRAFTS: [&str; 2] = ["convert_to_draft", "ready_for_review"];

/// The entries of a list that is all of its kind.
fn whole<'l>(look: &'l LoadedLook, past: &Past) -> Option<Vec<&'l Event>> {
    let LookData::Items { items, completeness } = &look.data else { return None };
    let is_all = completeness.is_proof() && !look.missing && !look.sparse && past.is_later(look);
    let event = |item: &'l Result<_, _>| match item {
        Ok(crate::forge::facets::Noted { value: Item::Event(event), .. }) => Some(&**event),
        _ => None,
    };
    items.iter().map(event).collect::<Option<Vec<_>>>().filter(|_| is_all)
}

/// Whether an entry tells of the record: then its time must be known.
fn counts(event: &Event) -> bool {
    const WORDS: [&str; 16] = [
        "assigned",
        "closed",
        "convert_to_draft",
        "demilestoned",
        "labeled",
        "lock",
        "locked",
        "merged",
        "milestoned",
        "ready_for_review",
        "renamed",
        "reopened",
        "unassigned",
        "unlabeled",
        "unlock",
        "unlocked",
    ];
    WORDS.contains(&event.event.as_str())
}

fn detail<'e>(event: &'e Event, name: &str) -> Option<&'e str> {
    event.details.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
}

fn optional(field: &Field<String>) -> Option<Option<String>> {
    match field {
        Field::Unknown => None,
        Field::Null => Some(None),
        Field::Known(value) => Some(Some(value.clone())),
    }
}

/// When something was done and by whom, where it was.
fn by(event: Option<&Event>) -> (Field<Time>, Field<Actor>) {
    match event {
        None => (Field::Null, Field::Null),
        Some(event) => (event.created_at.map_or(Field::Unknown, Field::Known), event.actor.clone()),
    }
}
