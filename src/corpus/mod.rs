//! Facts → state, pure: the looks at one issue or pull request folded into what is known of it.
//!
//! Nothing here depends on the order in which looks arrive, and no trace of a look (when it was made, where it is filed)
//! reaches the state. The rules are `docs/format.md`, "Order and folding".

mod accounts;
mod admit;
mod build;
mod compare;
mod deleted;
mod event;
mod gap;
mod groups;
mod head;
mod header;
mod history;
mod logged;
mod moment;
mod names;
mod occasions;
mod order;
mod past;
mod roles;
mod set;
mod state;
mod strip;
mod text;
mod threads;
mod touched;
mod twins;
mod withheld;

use crate::forge::facets::{Header, InvalidMetadata, Item, Noted};
use crate::format::digest::Digest;
use crate::format::entity::{Kind, Subject};
use crate::format::facet::Facet;
use crate::format::observation::Completeness;
use crate::format::time::Time;

pub use accounts::met;
pub use admit::{admit, bare};
pub use gap::{Gap, GapCode, Gaps, Usability};
pub use logged::Logged;
pub use roles::{Roles, roles};
pub use state::{Availability, Coverage, Gone, Linked, LinkedIs, State, stem};
pub use text::{Log, LogOwner};
pub use touched::{Touched, touched};
pub use withheld::{OF_A_TIME, Withheld, Withholdings, check_name, is_marked, log_name, mark};

/// One look in normal form.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedLook {
    /// When the look was made.
    pub observed_at: Time,
    /// The place in the recording.
    pub position: Option<u64>,
    /// The digest of the observation record without its time: the last resort of every order.
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
    /// Whether it is of a dialect whose objects hold only what was asked for.
    pub sparse: bool,
    /// How many elements of the look are kept verbatim because they break the JSON profile.
    pub outside_profile: u64,
    /// True when an element that the record names could not be read: what was seen is not all.
    pub missing: bool,
    /// The document that it is from, or the first of several.
    pub document: Option<Digest>,
    /// The head commit that it shows to belong to, by itself.
    pub head: Option<String>,
    /// Whether it is of the delivery that sets off a stage: of the very moment, whatever times it has.
    pub delivered: bool,
}

/// The moment that a state is of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moment {
    /// What was made or edited later is not shown.
    pub at: Option<Time>,
    /// What belongs to another head is not shown: files, commits, diff, checks.
    pub head: Option<String>,
}

/// What a look saw, in normal form.
#[derive(Debug, Clone, PartialEq)]
pub enum LookData {
    /// The record itself.
    Header(Box<Noted<Header>>),
    /// The last version of a record that the forge says it deleted.
    LastHeader(Box<Noted<Header>>),
    /// A record that has no normal form: the gap `invalid-metadata`, until a later look shows one that has.
    Unreadable(InvalidMetadata),
    /// Items of a set, in the order of the forge.
    Items {
        /// The items; one that has no normal form stands for itself in the counts.
        items: Vec<Result<Noted<Item>, InvalidMetadata>>,
        /// How much of the set it is, and by which proof.
        completeness: Completeness,
    },
    /// A text as it was given.
    Text(Vec<u8>),
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
pub fn fold(looks: Vec<LoadedLook>) -> Option<State> {
    fold_at(looks, &Moment::default())
}

/// The same as of a moment. What is not of it has left its row, or is counted in the gaps.
pub fn fold_at(mut looks: Vec<LoadedLook>, moment: &Moment) -> Option<State> {
    looks.retain(|look| look.subject.number().is_some());
    looks.sort_by_key(|look| (look.rank(), look.digest));
    looks.dedup_by(|later, earlier| later.digest == earlier.digest && later.rank() == earlier.rank());
    let subject = looks.last().map(|look| look.subject.clone())?;
    Some(build::fold_sorted(subject.repository()?.clone(), subject.number()?, looks, moment))
}
