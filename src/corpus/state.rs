//! What is known of one issue or pull request, and how completely.

use std::collections::{BTreeMap, BTreeSet};

use super::withheld::Withholdings;
use super::{GapCode, Gaps, Log, Roles};
use crate::forge::delivery::Delivery;
use crate::forge::facets::{
    Actor, Check, Comment, Commit, Event, FileChange, Header, Id, Item, Reaction, Review, ReviewComment, Thread,
};
use crate::forge::links::Link;
use crate::format::entity::{Entity, Kind, Repository};
use crate::format::facet::Facet;
use crate::format::time::Time;

/// What is known of one issue or pull request. Sets are in the order of the file names in trees.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Where it is, in the forge's spelling.
    pub repository: Repository,
    /// Its number.
    pub number: u64,
    /// What it is; assumed to be an issue when nothing shows it, with a gap.
    pub kind: Kind,
    /// The fields of the record; `labels` is that of the newer of record and facet, sorted by name.
    pub header: Header,
    /// Comments by time and id.
    pub comments: Vec<Comment>,
    /// Reviews by time and id, pending ones last.
    pub reviews: Vec<Review>,
    /// Comments on the diff by time and id.
    pub review_comments: Vec<ReviewComment>,
    /// What is known of threads beside their comments, by id.
    pub threads: Vec<Thread>,
    /// Check runs by time and id.
    pub checks: Vec<Check>,
    /// Commit statuses by time and id.
    pub statuses: Vec<Check>,
    /// Changed files by path.
    pub files: Vec<FileChange>,
    /// Commits in the forge's order.
    pub commits: Vec<Commit>,
    /// The timeline by time, else in the forge's order; what only the older endpoint of events shows is in it too.
    pub timeline: Vec<Event>,
    /// Logs by owner.
    pub logs: Vec<Log>,
    /// The unified diff as it was given.
    pub diff: Option<Vec<u8>>,
    /// Reactions to the entity itself by id.
    pub reactions: Vec<Reaction>,
    /// Reactions to its items by id, under `comments/123` or `review-comments/123`.
    pub item_reactions: BTreeMap<String, Vec<Reaction>>,
    /// Items that a newer complete set no longer shows, by facet and key. Files, commits, labels and checks are none: they
    /// belong to a head or a state and are not deleted when it moves on.
    pub tombstones: Vec<Gone>,
    /// What is known of each facet: those that the kind has, and every other that was looked at.
    pub coverage: BTreeMap<Facet, Coverage>,
    /// What is missing.
    pub gaps: Gaps,
    /// Items that are not all what the forge documents, by facet and key: each is counted among the gaps.
    pub odd: BTreeSet<(Facet, String)>,
    /// What is known and not shown, although its item is.
    pub withheld: Withholdings,
    /// Every account as any look shows it, also where the state no longer does.
    pub met: Vec<Actor>,
    /// What accounts may do in the repository: empty where nobody looked, and in a snapshot.
    pub roles: Roles,
    /// The delivery that set off the stage, when one did.
    pub event: Option<Delivery>,
    /// What it links, with what became of each; `None` where links are not followed.
    pub links: Option<Vec<Linked>>,
    /// Those of the stage that link it.
    pub linked_by: Vec<Entity>,
}

/// An issue or pull request that another links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// Which, and how.
    pub link: Link,
    /// What became of it.
    pub is: LinkedIs,
}

/// What became of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkedIs {
    /// It is in the same stage.
    Staged(Entity),
    /// No look at it is filed.
    NotFiled,
    /// It is in another repository, and not looked for.
    Elsewhere,
    /// It is beyond the bound, and not looked for.
    Beyond,
}

/// An item that is no longer shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Gone {
    /// The set it was in.
    pub facet: Facet,
    /// Its last known version.
    pub item: Item,
}

/// How completely a facet is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// What the newest look says.
    pub state: Availability,
    /// The number of items known; `None` for a record and for what was never seen.
    pub items: Option<u64>,
    /// The newest forge time among them.
    pub as_of: Option<Time>,
    /// When incomplete looks after the complete one show something else: their newest forge time.
    pub partial_since: Option<Option<Time>>,
}

impl Coverage {
    /// True when all of the facet is known as of one look, and nothing newer is known in part.
    pub fn is_complete(&self) -> bool {
        self.state == Availability::Complete && self.partial_since.is_none()
    }
}

/// The state of a facet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Known in full.
    Complete,
    /// Known in part.
    Partial,
    /// Never looked at.
    Absent,
    /// Refused: 401 or 403.
    Forbidden,
    /// No longer there: 404, 410 or 451.
    Gone,
    /// A log that the forge kept for a time only.
    Expired,
    /// Not given for another reason.
    Unavailable,
}

impl Availability {
    /// The name in trees and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Absent => "absent",
            Self::Forbidden => "forbidden",
            Self::Gone => "gone",
            Self::Expired => "expired",
            Self::Unavailable => "unavailable",
        }
    }

    pub(super) fn of_status(status: u16) -> Self {
        match status {
            401 | 403 => Self::Forbidden,
            404 | 410 | 451 => Self::Gone,
            _ => Self::Unavailable,
        }
    }

    /// GitHub says of a log that is too old that it is gone.
    pub(super) fn of_log_status(status: u16) -> Self {
        if status == 410 { Self::Expired } else { Self::of_status(status) }
    }

    pub(super) fn gap(self) -> Option<GapCode> {
        match self {
            Self::Complete => None,
            Self::Partial => Some(GapCode::Incomplete),
            Self::Absent => Some(GapCode::NotObserved),
            Self::Forbidden => Some(GapCode::Forbidden),
            Self::Gone => Some(GapCode::Gone),
            Self::Expired => Some(GapCode::Expired),
            Self::Unavailable => Some(GapCode::Unavailable),
        }
    }
}

impl State {
    /// The issue or pull request.
    pub fn entity(&self) -> Entity {
        Entity { repository: self.repository.clone(), kind: self.kind, number: self.number }
    }

    /// Whether a facet is known in full. Statuses, once looked at, count among checks.
    pub fn is_complete(&self, facet: Facet) -> bool {
        let complete = |facet| self.coverage.get(&facet).map(Coverage::is_complete);
        let statuses = if facet == Facet::Checks { complete(Facet::Statuses) } else { None };
        complete(facet).unwrap_or(false) && statuses.unwrap_or(true)
    }
}

/// The name of an item in trees without its extension: creation time and id, so that a listing is the conversation.
pub fn stem(created_at: Option<Time>, id: &Id) -> String {
    let id = id.file_part();
    format!("{}-{id}", created_at.map_or_else(|| "undated".to_owned(), Time::file_stamp))
}
