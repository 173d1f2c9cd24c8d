//! Facts → state, pure: the looks at one issue or pull request folded into what is known of it.
//!
//! Nothing here depends on the order in which looks arrive, and no trace of a look (when it was made, where it is filed)
//! reaches the state. The rules are `docs/format.md`, "Order and folding".

mod build;
mod gap;
mod header;
mod set;
mod state;

use crate::forge::facets::{Header, InvalidMetadata, Item, Noted};
use crate::format::digest::Digest;
use crate::format::entity::{Kind, Subject};
use crate::format::facet::Facet;
use crate::format::observation::Completeness;
use crate::format::time::Time;

pub use gap::{Gap, GapCode, Gaps, Usability};
pub use state::{Availability, Coverage, Gone, State, stem};

/// One look in normal form.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedLook {
    /// When the look was made.
    pub observed_at: Time,
    /// The place in the recording.
    pub position: Option<u64>,
    /// The digest of the observation record: the last resort of every order.
    pub digest: Digest,
    /// What was looked at.
    pub subject: Subject,
    /// The kind, when this look shows it.
    pub kind: Option<Kind>,
    /// Which kind of data.
    pub facet: Facet,
    /// The item that the set belongs to, for a set below an item.
    pub item: Option<String>,
    /// What was seen.
    pub data: LookData,
    /// How many elements of the look are kept verbatim because they break the JSON profile.
    pub outside_profile: u64,
    /// True when an element that the record names could not be read: what was seen is not all.
    pub missing: bool,
}

/// What a look saw, in normal form.
#[derive(Debug, Clone, PartialEq)]
pub enum LookData {
    /// The record itself.
    Header(Box<Noted<Header>>),
    /// A record that has no normal form: the gap `invalid-metadata`, until a later look shows one that has.
    Unreadable(InvalidMetadata),
    /// Items of a set, in the order of the forge.
    Items {
        /// The items; one that has no normal form stands for itself in the counts.
        items: Vec<Result<Noted<Item>, InvalidMetadata>>,
        /// How much of the set it is, and by which proof.
        completeness: Completeness,
    },
    /// The forge did not give the data: the HTTP status.
    Unavailable(u16),
}

/// When a look was made, as far as anything but its digest tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    observed_at: Time,
    position: Option<u64>,
}

impl LoadedLook {
    fn rank(&self) -> Rank {
        Rank { observed_at: self.observed_at, position: self.position }
    }
}

/// Folds the looks at one issue or pull request. The same looks give the same state in any order, and a look given twice
/// counts once.
///
/// All looks are of one thread: the same forge, host and number, and a repository path that differs in ASCII case at most.
/// `None` when there is no look, or none that is about an issue or pull request.
pub fn fold(mut looks: Vec<LoadedLook>) -> Option<State> {
    looks.retain(|look| matches!(look.subject, Subject::Thread { .. }));
    looks.sort_by_key(|look| (look.rank(), look.digest));
    looks.dedup_by(|later, earlier| later.digest == earlier.digest && later.rank() == earlier.rank());
    let Some(Subject::Thread { repository, number }) = looks.last().map(|look| look.subject.clone()) else {
        return None;
    };
    Some(build::fold_sorted(repository, number, looks))
}
