//! The record of an issue or pull request in normal form.

use std::collections::BTreeMap;

use super::{Actor, Field, Label};
use crate::format::entity::Kind;
use crate::format::time::Time;

/// The head or base of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The branch.
    pub branch: String,
    /// The commit; `None` when the payload names the branch alone.
    pub sha: Option<String>,
    /// `owner/name` of the repository; null when it was deleted.
    pub repository: Field<String>,
}

/// The issue, pull request itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The kind, when the payload shows it.
    pub kind: Option<Kind>,
    /// The forge's database id of the issue (GitHub gives a pull request another one as a pull).
    pub issue_id: Field<u64>,
    /// The forge's database id of the pull request.
    pub pull_id: Field<u64>,
    /// The forge's opaque id.
    pub node_id: Field<String>,
    /// `owner/name` in the forge's spelling.
    pub repository: Field<String>,
    /// The forge's database id of the repository.
    pub repository_id: Field<u64>,
    /// The forge's opaque id of the repository.
    pub repository_node_id: Field<String>,
    /// The page of the entity.
    pub url: Field<String>,
    /// The title.
    pub title: Field<String>,
    /// The body; null and empty are different.
    pub body: Field<String>,
    /// What it closes, as the forge links it: addresses, or `owner/name#12`, and `#12` in its own repository.
    pub closes: Field<Vec<String>>,
    /// What closes it, likewise.
    pub closers: Field<Vec<String>>,
    /// What refers to it, likewise.
    pub related: Field<Vec<String>>,
    /// `open` or `closed`.
    pub state: Field<State>,
    /// Why it was closed, in the forge's word.
    pub state_reason: Field<String>,
    /// The author; null when the account is gone.
    pub author: Field<Actor>,
    /// The author's association in the forge's word.
    pub association: Field<String>,
    /// When it was made.
    pub created_at: Field<Time>,
    /// When it last changed, by the forge's clock.
    pub updated_at: Field<Time>,
    /// When it was closed.
    pub closed_at: Field<Time>,
    /// Who closed it.
    pub closed_by: Field<Actor>,
    /// Labels in the forge's order.
    pub labels: Field<Vec<Label>>,
    /// Assignees in the forge's order.
    pub assignees: Field<Vec<Actor>>,
    /// The title of the milestone.
    pub milestone: Field<String>,
    /// Whether the conversation is locked.
    pub locked: Field<bool>,
    /// Why it was locked.
    pub lock_reason: Field<String>,
    /// Whether only members may see it.
    pub confidential: Field<bool>,
    /// Whether it is a draft.
    pub draft: Field<bool>,
    /// Whether it was merged. An issue endpoint does not know.
    pub merged: Field<bool>,
    /// When it was merged.
    pub merged_at: Field<Time>,
    /// Who merged it.
    pub merged_by: Field<Actor>,
    /// The merge commit, or the test merge of an open pull request.
    pub merge_commit: Field<String>,
    /// The head.
    pub head: Field<Side>,
    /// The base.
    pub base: Field<Side>,
    /// Whether the head can be merged; null while the forge computes it.
    pub mergeable: Field<bool>,
    /// The forge's word for it.
    pub mergeable_state: Field<String>,
    /// Users whose review is asked for.
    pub requested_reviewers: Field<Vec<Actor>>,
    /// Slugs of teams whose review is asked for.
    pub requested_teams: Field<Vec<String>>,
    /// Who approves now, where approvals are no reviews.
    pub approved_by: Field<Vec<Actor>>,
    /// Auto-merge: who switched it on, null when it is off.
    pub auto_merge: Field<AutoMerge>,
    /// How many items of other facets the forge counts.
    pub counts: Counts,
}

/// Auto-merge as switched on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutoMerge {
    /// Who switched it on; null when the account is gone.
    pub enabled_by: Field<Actor>,
    /// `merge`, `squash` or `rebase`.
    pub method: Option<String>,
}

/// Open or closed; merged is a field of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Open.
    Open,
    /// Closed, merged or not.
    Closed,
}

/// The forge's own counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Comments of the conversation.
    pub comments: Field<u64>,
    /// Comments on the diff.
    pub review_comments: Field<u64>,
    /// Comments of both kinds, where the forge counts them together.
    pub notes: Field<u64>,
    /// Commits.
    pub commits: Field<u64>,
    /// Changed files.
    pub files: Field<u64>,
    /// Added lines.
    pub additions: Field<u64>,
    /// Removed lines.
    pub deletions: Field<u64>,
    /// Reactions.
    pub reactions: Field<u64>,
    /// The same by content, those of which there are any.
    pub reactions_by_content: Field<BTreeMap<String, u64>>,
}
