//! The items of sets in normal form.

use std::collections::{BTreeMap, BTreeSet};

use super::{Actor, Check, Field, Id, Label};
use crate::forge::member::is_object_id;
use crate::format::access::Access;
use crate::format::time::Time;

/// A comment of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// What names it.
    pub id: Id,
    /// The forge's opaque id.
    pub node_id: Option<String>,
    /// Its page.
    pub url: Option<String>,
    /// The author; null when the account is gone.
    pub author: Field<Actor>,
    /// The author's association in the forge's word.
    pub association: Option<String>,
    /// The body; null and empty are different.
    pub body: Field<String>,
    /// When it was made.
    pub created_at: Option<Time>,
    /// When it last changed.
    pub updated_at: Option<Time>,
    /// Whether it was hidden, and in the forge's word why.
    pub minimized: Minimized,
    /// How many reactions it has of each content that it has any of, where the forge tells without naming them.
    pub reactions: Option<BTreeMap<String, u64>>,
    /// Whether only members of the repository may read it, where the forge tells.
    pub internal: Option<bool>,
}

/// Who did something, and when: for want of an id that names it well enough, since few write twice within a second.
fn occasion(author: &Field<Actor>, at: Option<Time>) -> Option<String> {
    Some(format!("{}@{}", who(author)?, at?))
}

/// The same of a text whose author may not be known.
pub(in crate::forge) fn text_occasion(author: &Field<Actor>, at: Option<Time>) -> Option<Id> {
    Id::of_text(&format!("{}@{}", who(author).unwrap_or_default(), at?))
}

/// What an account is called whatever API tells of it; `None` where it is not known.
pub(crate) fn who(account: &Field<Actor>) -> Option<String> {
    match account {
        Field::Known(actor) => Some(actor.login.strip_suffix("[bot]").unwrap_or(&actor.login).to_ascii_lowercase()),
        Field::Null => Some("ghost".to_owned()),
        Field::Unknown => None,
    }
}

impl Comment {
    /// By whom and when it was made.
    pub fn occasion(&self) -> Option<String> {
        occasion(&self.author, self.created_at)
    }
}

impl Review {
    /// By whom and when it was submitted.
    pub fn occasion(&self) -> Option<String> {
        occasion(&self.author, self.submitted_at)
    }
}

/// Whether something was hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Minimized {
    /// Whether it was.
    pub is: Field<bool>,
    /// Why, in the forge's word.
    pub reason: Field<String>,
}

/// A review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// What names it.
    pub id: Id,
    /// The forge's opaque id.
    pub node_id: Option<String>,
    /// Its page.
    pub url: Option<String>,
    /// The author; null when the account is gone.
    pub author: Field<Actor>,
    /// The author's association in the forge's word.
    pub association: Option<String>,
    /// The body; null and empty are different.
    pub body: Field<String>,
    /// The state; `None` for a word that the mapping table does not list.
    pub state: Option<ReviewState>,
    /// When it was submitted; a pending review has no time.
    pub submitted_at: Option<Time>,
    /// The commit that was reviewed.
    pub commit: Option<String>,
    /// Whether it was hidden.
    pub minimized: Minimized,
}

/// The state of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the forge's own words")]
pub enum ReviewState {
    Approved,
    ChangesRequested,
    Commented,
    Dismissed,
    Pending,
}

impl ReviewState {
    /// The name in trees.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ChangesRequested => "changes-requested",
            Self::Commented => "commented",
            Self::Dismissed => "dismissed",
            Self::Pending => "pending",
        }
    }
}

/// A comment on lines of the diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewComment {
    /// What it has in common with a comment of the conversation.
    pub comment: Comment,
    /// The review it came with.
    pub review: Option<Id>,
    /// The comment it answers; `None` for the root of a thread.
    pub reply_to: Option<Id>,
    /// The forge's id of its thread, where the payload that shows the comment tells.
    pub thread: Option<String>,
    /// Whether its thread is resolved, where the comment tells.
    pub resolved: Option<bool>,
    /// Who resolved it and when, where the comment tells.
    pub resolution: Resolution,
    /// Where it stands; nowhere in a thread that is not on the diff.
    pub place: Place,
}

/// Who resolved a thread, and when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    /// The account; null when it is gone.
    pub by: Field<Actor>,
    /// The time.
    pub at: Option<Time>,
}

/// Where a comment on the diff stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file.
    pub path: Option<String>,
    /// `left` (the base) or `right` (the head).
    pub side: Option<String>,
    /// The line; null when the comment is outdated.
    pub line: Field<u64>,
    /// The first line of a range.
    pub start_line: Field<u64>,
    /// The line when the comment was made.
    pub original_line: Option<u64>,
    /// The first line of a range when the comment was made.
    pub original_start_line: Option<u64>,
    /// The place in the diff; null when outdated.
    pub position: Field<u64>,
    /// The hunk that was commented on.
    pub diff_hunk: Option<String>,
    /// The commit it stands on now.
    pub commit: Option<String>,
    /// The commit it was made on.
    pub original_commit: Option<String>,
    /// `line` or `file`.
    pub subject: Option<String>,
}

/// A thread on the diff, as far as its comments do not tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// What names it: not the id of its first comment.
    pub id: Id,
    /// The forge's opaque id.
    pub node_id: Option<String>,
    /// Its comments as far as they were seen.
    pub comments: BTreeSet<Id>,
    /// The first comment of all; `None` when only later ones were seen.
    pub root: Option<Id>,
    /// Whether it is settled.
    pub resolved: Field<bool>,
    /// Who settled it.
    pub resolved_by: Field<Actor>,
    /// Whether its lines are no longer in the diff.
    pub outdated: Field<bool>,
    /// Where it stands: what its comments do not tell.
    pub place: Place,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path after the change.
    pub path: String,
    /// The path before a rename or copy.
    pub previous_path: Option<String>,
    /// `added removed modified renamed copied changed unchanged`; `None` for another word.
    pub status: Option<String>,
    /// Added lines.
    pub additions: Option<u64>,
    /// Removed lines.
    pub deletions: Option<u64>,
    /// The blob after the change.
    pub sha: Option<String>,
    /// The unified hunks without file header; `None` for binary, too large or unchanged content.
    pub patch: Option<String>,
}

/// A commit of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The object id, 40 or 64 hex digits.
    pub sha: String,
    /// The parents; `None` when the payload does not tell them.
    pub parents: Option<Vec<String>>,
    /// The message.
    pub message: Option<String>,
    /// Name of the author in the commit. Dates in a commit are claims and never order anything.
    pub author_name: Option<String>,
    /// The author's account; null when the forge knows none.
    pub author: Field<Actor>,
    /// The author date in the commit.
    pub authored_at: Option<Time>,
    /// The committer date in the commit.
    pub committed_at: Option<Time>,
    /// Its page.
    pub url: Option<String>,
}

/// An entry of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// A key that is the same for the same event in every listing: the database id, `<event>:<id>` where ids are those of
    /// comments or reviews, which are numbered separately, or `<event>:<sha>` where there is none.
    pub key: String,
    /// The forge's opaque id.
    pub node_id: Option<String>,
    /// The forge's word: `labeled closed head_ref_force_pushed …`.
    pub event: String,
    /// Who did it; null when the account is gone, unknown where the entry does not tell.
    pub actor: Field<Actor>,
    /// When.
    pub created_at: Option<Time>,
    /// The commit that the event names.
    pub commit: Option<String>,
    /// What else the event says in short values: label, assignee, rename, milestone, review state, source.
    pub details: Vec<(&'static str, String)>,
}

impl Event {
    /// How well its key names it, 0 the best: a number, or a word and a number or commit; what REST has for a cross-reference, to which
    /// it gives no id; an opaque id.
    pub fn key_rank(&self) -> u8 {
        let id = self.key.split_once(':').map_or(&*self.key, |(_, id)| id);
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match id.split_once(':') {
            None if is_number(id) || is_object_id(id) => 0,
            Some((source, _)) if is_number(source) => 1,
            _ => 2,
        }
    }

    /// What happened, by whom and when; a cross-reference is known by its source. Not every listing tells the commit, which is no part of it.
    pub fn occasion(&self) -> Option<String> {
        let detail = |name| self.details.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        let who = match detail("source") {
            Some(source) => format!("{source}@{}", self.created_at?),
            None => occasion(&self.actor, self.created_at)?,
        };
        let whom: Vec<_> =
            ["assignee", "label", "milestone", "reviewer", "team"].into_iter().filter_map(detail).collect();
        Some(format!("{} {who} {}", self.event, whom.join(" ")))
    }
}

/// A reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// The forge's database id; Gitea gives none.
    pub id: Option<u64>,
    /// The forge's opaque id.
    pub node_id: Option<String>,
    /// `+1 -1 laugh hooray confused heart rocket eyes`, elsewhere than on GitHub also the name of another emoji.
    pub content: String,
    /// Who; null when the account is gone.
    pub actor: Field<Actor>,
    /// When.
    pub created_at: Option<Time>,
}

impl Reaction {
    /// The id, or where there is none who reacted and how: nobody can twice alike.
    pub fn key(&self) -> String {
        self.id.map_or_else(|| self.occasion(), |id| id.to_string())
    }

    /// Who reacted and how.
    pub fn occasion(&self) -> String {
        format!("{}:{}", self.content, self.actor.known().map_or("", |actor| actor.login.as_str()))
    }
}

/// An account with what it may do in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The forge's database id.
    pub id: u64,
    /// The account.
    pub actor: Actor,
    /// Its role; `None` for one that the mapping table does not list.
    pub access: Option<Access>,
}

/// An item of a set in normal form. Each is in a box of its own, so that a list of labels takes the memory of labels, and not of as many
/// comments on the diff.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "each wraps the type of its name")]
pub enum Item {
    Comment(Box<Comment>),
    Review(Box<Review>),
    ReviewComment(Box<ReviewComment>),
    Thread(Box<Thread>),
    Check(Box<Check>),
    File(Box<FileChange>),
    Commit(Box<Commit>),
    Event(Box<Event>),
    Label(Box<Label>),
    Reaction(Box<Reaction>),
    Member(Box<Member>),
}

impl Item {
    /// The identity of the item within its facet: the same item in two looks has the same key.
    pub fn key(&self) -> String {
        match self {
            Self::Comment(c) => c.id.to_string(),
            Self::Review(r) => r.id.to_string(),
            Self::ReviewComment(c) => c.comment.id.to_string(),
            Self::Thread(t) => t.id.to_string(),
            Self::Check(c) if c.origin.is_group() => format!("{}:{}", c.origin.name(), c.id),
            Self::Check(c) => c.id.to_string(),
            Self::File(f) => f.path.clone(),
            Self::Commit(c) => c.sha.clone(),
            Self::Event(e) => e.key.clone(),
            Self::Label(l) => l.name.clone(),
            Self::Reaction(r) => r.key(),
            Self::Member(m) => m.id.to_string(),
        }
    }

    /// Whether it tells a part of what it is about: a job has neither the output nor the application of its check run.
    pub fn is_part(&self) -> bool {
        matches!(self, Self::Check(check) if check.run.is_some())
    }

    /// When the forge last changed it, where the forge tells. Dates of commits are not the forge's.
    pub fn updated_at(&self) -> Option<Time> {
        match self {
            Self::Comment(c) => c.updated_at,
            Self::ReviewComment(c) => c.comment.updated_at,
            Self::Review(r) => r.submitted_at,
            Self::Check(c) => c.completed_at.or(c.started_at).or(c.created_at),
            Self::Event(e) => e.created_at,
            Self::Reaction(r) => r.created_at,
            Self::Thread(_) | Self::File(_) | Self::Commit(_) | Self::Label(_) | Self::Member(_) => None,
        }
    }
}
