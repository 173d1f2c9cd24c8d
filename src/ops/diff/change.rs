//! What a comparison says: changes in the words of a forge.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::ops::words::words;

words! {
    /// What changed. The table in docs/format.md says the same.
    Kind {
        /// An entity that only the second tree has.
        EntityAdded = "entity-added",
        /// An entity that only the first tree has.
        EntityRemoved = "entity-removed",
        /// Another title.
        TitleEdited = "title-edited",
        /// Another body.
        BodyEdited = "body-edited",
        /// Opened, closed or merged.
        StateChanged = "state-changed",
        /// Made a draft, or ready for review.
        DraftChanged = "draft-changed",
        /// The conversation was locked.
        Locked = "locked",
        /// The conversation was unlocked.
        Unlocked = "unlocked",
        /// A label more.
        LabelAdded = "label-added",
        /// A label less.
        LabelRemoved = "label-removed",
        /// An assignee more.
        AssigneeAdded = "assignee-added",
        /// An assignee less.
        AssigneeRemoved = "assignee-removed",
        /// Another milestone, or none.
        MilestoneChanged = "milestone-changed",
        /// A user or team is asked for a review.
        ReviewerRequested = "reviewer-requested",
        /// A user or team is no longer asked for a review.
        ReviewerUnrequested = "reviewer-unrequested",
        /// Another base.
        BaseChanged = "base-changed",
        /// Another head commit, and nothing shows that history was rewritten.
        HeadPushed = "head-pushed",
        /// Another head commit that does not contain the former.
        HeadForcePushed = "head-force-pushed",
        /// Another member of the header.
        HeaderChanged = "header-changed",
        /// A comment more.
        CommentAdded = "comment-added",
        /// Another body of a comment.
        CommentEdited = "comment-edited",
        /// A comment that the forge no longer shows.
        CommentDeleted = "comment-deleted",
        /// A review more.
        ReviewAdded = "review-added",
        /// Another body of a review.
        ReviewEdited = "review-edited",
        /// A review whose verdict was dismissed.
        ReviewDismissed = "review-dismissed",
        /// Another state of a review.
        ReviewChanged = "review-changed",
        /// A review that the forge no longer shows.
        ReviewDeleted = "review-deleted",
        /// A thread on the diff more.
        ThreadAdded = "thread-added",
        /// A thread that the forge no longer shows.
        ThreadDeleted = "thread-deleted",
        /// A thread that is resolved now and was not known to be.
        ThreadResolved = "thread-resolved",
        /// A thread that was resolved and no longer is.
        ThreadReopened = "thread-reopened",
        /// A thread that is outdated now and was not known to be.
        ThreadOutdated = "thread-outdated",
        /// Another member of a thread: its place, or a state that became known or unknown.
        ThreadChanged = "thread-changed",
        /// A comment more in a thread that both trees have.
        ReviewCommentAdded = "review-comment-added",
        /// Another body of a comment in a thread.
        ReviewCommentEdited = "review-comment-edited",
        /// A comment that its thread no longer shows.
        ReviewCommentDeleted = "review-comment-deleted",
        /// A check run or commit status more.
        CheckAdded = "check-added",
        /// Another status, conclusion or other member of a check.
        CheckChanged = "check-changed",
        /// A check that the forge no longer shows.
        CheckRemoved = "check-removed",
        /// A log of a check that both trees have.
        LogAdded = "log-added",
        /// Other bytes of a log.
        LogChanged = "log-changed",
        /// A log less.
        LogRemoved = "log-removed",
        /// A changed file more in the pull request.
        FileAdded = "file-added",
        /// Other content or counts of a changed file.
        FileChanged = "file-changed",
        /// A changed file less in the pull request.
        FileRemoved = "file-removed",
        /// A commit more in the pull request.
        CommitAdded = "commit-added",
        /// A commit less in the pull request.
        CommitRemoved = "commit-removed",
        /// An entry of the timeline more.
        EventAdded = "event-added",
        /// An entry of the timeline that the forge no longer shows.
        EventRemoved = "event-removed",
        /// A reaction more.
        ReactionAdded = "reaction-added",
        /// A reaction that the forge no longer shows.
        ReactionRemoved = "reaction-removed",
        /// What is known of an item beside its text.
        ItemChanged = "item-changed",
        /// An item that the second tree does not show, without proof that the forge removed it.
        ItemAbsent = "item-absent",
        /// How completely a facet is known.
        CoverageChanged = "coverage-changed",
        /// A named omission more.
        GapAdded = "gap-added",
        /// A named omission less.
        GapRemoved = "gap-removed",
        /// Another count of a named omission.
        GapChanged = "gap-changed",
        /// Another profile of a stage.
        ProfileChanged = "profile-changed",
        /// Other bytes, and no better name for it.
        FileBytesChanged = "file-bytes-changed",
    }
}

impl Kind {
    /// True for what exists in the second tree only.
    pub fn is_addition(self) -> bool {
        self.as_str().ends_with("-added") || self == Self::ReviewerRequested
    }

    /// True for what exists in the first tree only.
    pub fn is_removal(self) -> bool {
        let word = self.as_str();
        word.ends_with("-removed")
            || word.ends_with("-deleted")
            || matches!(self, Self::ItemAbsent | Self::ReviewerUnrequested)
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// What changed.
    pub change: Kind,
    /// The entity, `null` for a file above all entities.
    pub entity: Option<String>,
    /// The facet it belongs to; the scope of a gap.
    pub facet: Option<String>,
    /// What it is about: the forge's id of an item, a login, a label, a path, a commit, a member, the code of a gap.
    pub id: Option<String>,
    /// The file that shows it, below the root of the second tree; of the first when only that has it.
    pub path: String,
    /// What was; `null` when that is nothing, or not known.
    pub before: Value,
    /// What is; `null` when that is nothing, or not known.
    pub after: Value,
    /// The texts, when they were asked for and the change is one of text.
    #[serde(skip)]
    pub text: Option<Texts>,
}

/// The two texts of a change; bytes that are not UTF-8 are shown as U+FFFD.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    /// The text in the first tree.
    pub before: Option<String>,
    /// The text in the second tree.
    pub after: Option<String>,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// True when there is no change.
    pub equal: bool,
    /// Every change, by entity, then in the order of the documentation, then by path and id.
    pub changes: Vec<Change>,
    /// How many changes of each kind.
    pub counts: BTreeMap<&'static str, u64>,
}

impl Diff {
    pub(super) fn new(mut changes: Vec<Change>) -> Self {
        changes.sort_by(|a, b| {
            let key = |c: &Change| (entity_order(c.entity.as_deref()), c.change);
            key(a).cmp(&key(b)).then_with(|| (&a.path, &a.id, &a.facet).cmp(&(&b.path, &b.id, &b.facet)))
        });
        let mut counts = BTreeMap::new();
        for change in &changes {
            *counts.entry(change.change.as_str()).or_default() += 1;
        }
        Self { equal: changes.is_empty(), changes, counts }
    }
}

/// Entities of a repository by number, not by the digits of it.
fn entity_order(entity: Option<&str>) -> (String, u64) {
    let entity = entity.unwrap_or_default();
    match entity.rsplit_once('/').map(|(head, number)| (head, number.parse())) {
        Some((head, Ok(number))) => (head.to_owned(), number),
        _ => (entity.to_owned(), 0),
    }
}
