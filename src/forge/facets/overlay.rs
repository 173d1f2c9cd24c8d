//! Two looks at one thing: what the one that holds does not know is taken from the other, and erases nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{
    Actor, AutoMerge, Check, CheckStatus, Comment, Commit, Event, Field, FileChange, Id, Item, Label, Minimized, Place,
    Reaction, Review, Side, State, Thread,
};
use crate::format::time::Time;

/// What several looks may know in part.
pub trait Overlay: Clone + PartialEq {
    /// Takes from `other` what this does not know: a member without a state of its own for null is one that no forge takes back, so
    /// that one that is not there is unknown. `sparse` says that this comes from a dialect whose objects hold only what was asked for:
    /// then a file may be told without what tells one change of it from another.
    fn fill(&mut self, other: &Self, sparse: bool);

    /// Whether both know something that differs: then it matters which of them holds.
    fn conflicts(&self, other: &Self, sparse: [bool; 2]) -> bool {
        if self == other {
            return false;
        }
        let (mut ours, mut theirs) = (self.clone(), other.clone());
        ours.fill(other, sparse[0]);
        theirs.fill(self, sparse[1]);
        ours != theirs
    }
}

macro_rules! one_value {
    ($($type:ty),*) => { $(impl Overlay for $type { fn fill(&mut self, _: &Self, _: bool) {} })* };
}
one_value!(u64, bool, String, Time, State, Vec<String>, BTreeMap<String, u64>);

impl<T: Overlay> Overlay for Field<T> {
    fn fill(&mut self, other: &Self, sparse: bool) {
        match (self, other) {
            (ours @ Self::Unknown, theirs) => ours.clone_from(theirs),
            (Self::Known(ours), Self::Known(theirs)) => ours.fill(theirs, sparse),
            _ => {}
        }
    }
}

/// A member without a state of its own for null.
fn option<T: Clone>(ours: &mut Option<T>, theirs: &Option<T>) {
    if ours.is_none() {
        ours.clone_from(theirs);
    }
}

/// A name of another item: the number that a look knows is better than the opaque id that another has in its place.
fn name(ours: &mut Option<Id>, theirs: &Option<Id>) {
    if let (Some(Id::Text(_)), Some(Id::Number(_))) = (&ours, theirs) {
        ours.clone_from(theirs);
    }
    option(ours, theirs);
}

impl Actor {
    /// Whether both are one account. Where no type is told, an app may be named without the mark of apps.
    fn is_same(&self, other: &Self) -> bool {
        if let (Some(ours), Some(theirs)) = (self.id, other.id) {
            return ours == theirs;
        }
        self.login.eq_ignore_ascii_case(&other.login) || self.is_short_for(other) || other.is_short_for(self)
    }

    fn is_short_for(&self, other: &Self) -> bool {
        let stem = other.login.strip_suffix("[bot]");
        self.account.is_none() && stem.is_some_and(|stem| stem.eq_ignore_ascii_case(&self.login))
    }
}

impl Overlay for Actor {
    fn fill(&mut self, other: &Self, _: bool) {
        if !self.is_same(other) {
            return;
        }
        if self.is_short_for(other) {
            self.login.clone_from(&other.login);
        }
        option(&mut self.id, &other.id);
        option(&mut self.node_id, &other.node_id);
        option(&mut self.account, &other.account);
    }
}

impl Overlay for Label {
    fn fill(&mut self, other: &Self, sparse: bool) {
        if self.name != other.name {
            return;
        }
        option(&mut self.id, &other.id);
        self.color.fill(&other.color, sparse);
        self.description.fill(&other.description, sparse);
    }
}

impl Overlay for Vec<Actor> {
    fn fill(&mut self, other: &Self, sparse: bool) {
        for ours in self {
            other.iter().for_each(|theirs| ours.fill(theirs, sparse));
        }
    }
}

impl Overlay for Vec<Label> {
    fn fill(&mut self, other: &Self, sparse: bool) {
        // A list may have a million, and may have one twice.
        let mut by_name: HashMap<&str, Cow<'_, Label>> = HashMap::new();
        for theirs in other {
            let known = by_name.entry(&theirs.name);
            known.and_modify(|known| known.to_mut().fill(theirs, sparse)).or_insert(Cow::Borrowed(theirs));
        }
        for ours in self {
            by_name.get(ours.name.as_str()).into_iter().for_each(|theirs| ours.fill(theirs, sparse));
        }
    }
}

impl Overlay for Side {
    fn fill(&mut self, other: &Self, sparse: bool) {
        if self.branch == other.branch {
            option(&mut self.sha, &other.sha);
            self.repository.fill(&other.repository, sparse);
        }
    }
}

impl Overlay for AutoMerge {
    fn fill(&mut self, other: &Self, sparse: bool) {
        self.enabled_by.fill(&other.enabled_by, sparse);
        option(&mut self.method, &other.method);
    }
}

impl Overlay for Minimized {
    fn fill(&mut self, other: &Self, sparse: bool) {
        if matches!(self.is, Field::Unknown) || self.is == other.is {
            self.is.fill(&other.is, sparse);
            self.reason.fill(&other.reason, sparse);
        }
    }
}

impl Overlay for Comment {
    fn fill(&mut self, other: &Self, sparse: bool) {
        option(&mut self.node_id, &other.node_id);
        option(&mut self.url, &other.url);
        self.author.fill(&other.author, sparse);
        option(&mut self.association, &other.association);
        self.body.fill(&other.body, sparse);
        option(&mut self.created_at, &other.created_at);
        option(&mut self.updated_at, &other.updated_at);
        self.minimized.fill(&other.minimized, sparse);
        option(&mut self.reactions, &other.reactions);
        option(&mut self.internal, &other.internal);
    }
}

impl Overlay for Review {
    fn fill(&mut self, other: &Self, sparse: bool) {
        option(&mut self.node_id, &other.node_id);
        option(&mut self.url, &other.url);
        self.author.fill(&other.author, sparse);
        option(&mut self.association, &other.association);
        self.body.fill(&other.body, sparse);
        option(&mut self.state, &other.state);
        option(&mut self.submitted_at, &other.submitted_at);
        option(&mut self.commit, &other.commit);
        self.minimized.fill(&other.minimized, sparse);
    }
}

impl Overlay for Place {
    fn fill(&mut self, other: &Self, sparse: bool) {
        option(&mut self.path, &other.path);
        option(&mut self.side, &other.side);
        self.line.fill(&other.line, sparse);
        self.start_line.fill(&other.start_line, sparse);
        option(&mut self.original_line, &other.original_line);
        option(&mut self.original_start_line, &other.original_start_line);
        self.position.fill(&other.position, sparse);
        option(&mut self.diff_hunk, &other.diff_hunk);
        option(&mut self.commit, &other.commit);
        option(&mut self.original_commit, &other.original_commit);
        option(&mut self.subject, &other.subject);
    }
}

impl Overlay for Thread {
    fn fill(&mut self, other: &Self, sparse: bool) {
        self.comments.extend(other.comments.iter().cloned());
        name(&mut self.root, &other.root);
        self.resolved.fill(&other.resolved, sparse);
        if self.resolved == other.resolved {
            self.resolved_by.fill(&other.resolved_by, sparse);
        }
        self.outdated.fill(&other.outdated, sparse);
        // A delivery that tells of its state tells nothing of its place.
        self.place.fill(&other.place, true);
    }
}

impl Check {
    /// Whether this may be the same run in the same state as an older look at it shows: one that began again has neither outcome nor
    /// output yet, and one that ended again has others.
    fn is_as(&self, older: &Self) -> bool {
        fn may_be<T: PartialEq>(ours: &Option<T>, theirs: &Option<T>) -> bool {
            ours.is_none() || theirs.is_none() || ours == theirs
        }
        (self.status.is_none() || self.status == older.status)
            && may_be(&self.conclusion, &older.conclusion)
            && may_be(&self.completed_at, &older.completed_at)
    }
}

impl Overlay for Check {
    fn fill(&mut self, other: &Self, _: bool) {
        let same = self.is_as(other);
        option(&mut self.status, &other.status);
        if same {
            if self.status == Some(CheckStatus::Completed) {
                option(&mut self.conclusion, &other.conclusion);
                option(&mut self.completed_at, &other.completed_at);
            }
            option(&mut self.updated_at, &other.updated_at);
            option(&mut self.started_at, &other.started_at);
            option(&mut self.title, &other.title);
            option(&mut self.summary, &other.summary);
        }
        option(&mut self.node_id, &other.node_id);
        option(&mut self.head_sha, &other.head_sha);
        option(&mut self.created_at, &other.created_at);
        option(&mut self.attempt, &other.attempt);
        option(&mut self.run, &other.run);
        option(&mut self.url, &other.url);
        option(&mut self.details_url, &other.details_url);
        option(&mut self.reporter, &other.reporter);
        // An app that is named without the mark of apps.
        if let (Some(ours), Some(theirs)) = (&mut self.reporter, &other.reporter)
            && theirs.strip_suffix("[bot]") == Some(ours.as_str())
        {
            ours.clone_from(theirs);
        }
    }
}

impl FileChange {
    /// Whether an older look shows the same change, as far as this one tells: of the same blob, or without one of the same counts of
    /// lines. What a sparse look does not tell at all speaks against nothing; elsewhere a change without counts may be any.
    fn is_as(&self, older: &Self, sparse: bool) -> bool {
        let may_be = |ours: Option<u64>, theirs: Option<u64>| ours.is_none() || ours == theirs;
        let counts = may_be(self.additions, older.additions) && may_be(self.deletions, older.deletions);
        let told = self.additions.is_some() || self.deletions.is_some();
        let blob = if self.sha.is_some() { self.sha == older.sha } else { sparse || told };
        counts && blob && (self.status.is_none() || self.status == older.status)
    }
}

impl Overlay for FileChange {
    fn fill(&mut self, other: &Self, sparse: bool) {
        if self.is_as(other, sparse) {
            option(&mut self.previous_path, &other.previous_path);
            option(&mut self.status, &other.status);
            option(&mut self.additions, &other.additions);
            option(&mut self.deletions, &other.deletions);
            option(&mut self.patch, &other.patch);
            option(&mut self.sha, &other.sha);
        }
    }
}

impl Overlay for Commit {
    fn fill(&mut self, other: &Self, sparse: bool) {
        option(&mut self.parents, &other.parents);
        option(&mut self.message, &other.message);
        option(&mut self.author_name, &other.author_name);
        self.author.fill(&other.author, sparse);
        option(&mut self.authored_at, &other.authored_at);
        option(&mut self.committed_at, &other.committed_at);
        option(&mut self.url, &other.url);
    }
}

/// What happened does not change: a look that is silent of a part of it, as REST is of the commits of a force-push, takes back nothing.
impl Overlay for Event {
    fn fill(&mut self, other: &Self, sparse: bool) {
        option(&mut self.node_id, &other.node_id);
        self.actor.fill(&other.actor, sparse);
        option(&mut self.created_at, &other.created_at);
        option(&mut self.commit, &other.commit);
        let known: Vec<_> = self.details.iter().map(|(name, _)| *name).collect();
        self.details.extend(other.details.iter().filter(|(name, _)| !known.contains(name)).cloned());
        self.details.sort_by_key(|(name, _)| *name);
    }
}

impl Overlay for Reaction {
    fn fill(&mut self, other: &Self, sparse: bool) {
        option(&mut self.node_id, &other.node_id);
        self.actor.fill(&other.actor, sparse);
        option(&mut self.created_at, &other.created_at);
    }
}

impl Overlay for Item {
    fn fill(&mut self, other: &Self, sparse: bool) {
        match (self, other) {
            (Self::Comment(ours), Self::Comment(theirs)) => ours.fill(theirs, sparse),
            (Self::Review(ours), Self::Review(theirs)) => ours.fill(theirs, sparse),
            (Self::ReviewComment(ours), Self::ReviewComment(theirs)) => {
                ours.comment.fill(&theirs.comment, sparse);
                name(&mut ours.review, &theirs.review);
                // What does not tell the discussion that a note stands in does not tell what it answers either.
                if sparse || ours.thread.is_none() || ours.reply_to.is_some() {
                    name(&mut ours.reply_to, &theirs.reply_to);
                }
                option(&mut ours.thread, &theirs.thread);
                option(&mut ours.resolved, &theirs.resolved);
                if ours.resolved == theirs.resolved {
                    ours.resolution.by.fill(&theirs.resolution.by, sparse);
                    option(&mut ours.resolution.at, &theirs.resolution.at);
                }
                ours.place.fill(&theirs.place, sparse);
            }
            (Self::Thread(ours), Self::Thread(theirs)) => ours.fill(theirs, sparse),
            (Self::Check(ours), Self::Check(theirs)) => ours.fill(theirs, sparse),
            (Self::File(ours), Self::File(theirs)) => ours.fill(theirs, sparse),
            (Self::Commit(ours), Self::Commit(theirs)) => ours.fill(theirs, sparse),
            (Self::Event(ours), Self::Event(theirs)) => ours.fill(theirs, sparse),
            (Self::Label(ours), Self::Label(theirs)) => ours.fill(theirs, sparse),
            (Self::Reaction(ours), Self::Reaction(theirs)) => ours.fill(theirs, sparse),
            // A role that cannot be read is not the one before.
            (Self::Member(ours), Self::Member(theirs)) => ours.actor.fill(&theirs.actor, sparse),
            _ => {}
        }
    }
}
