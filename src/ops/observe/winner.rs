//! Which looks are filed: an import always, a look dated by the clock only when it differs from the present winner; and in which order
//! looks of one second stand.

use std::collections::{HashMap, HashSet};

use crate::format::digest::Digest;
use crate::format::facet::Facet;
use crate::format::observation::{Completeness, Observation, Seen};
use crate::format::time::Time;
use crate::ops::{Error, load};
use crate::store::facts::Facts;
use crate::store::split::opaque;

use super::record::{Candidate, Dating};

/// Where looks compete: subject, facet and item.
type Arena = (String, Facet, Option<String>);

/// The order of docs/format.md: a record by the forge's time first, a set by the time of the look.
type Rank = (Option<Time>, Time, Option<u64>, Digest);

/// What two equal looks have in common. Pieces outside the profile are equal only when their bytes are; a look whose lists are damaged
/// equals no other.
#[derive(PartialEq)]
enum Sight {
    Data { completeness: Completeness, content: Digest, failed: Vec<String>, opaque: Vec<Digest> },
    Unavailable(u16),
    Damaged,
}

/// The look that holds.
struct Winner {
    rank: Rank,
    sight: Sight,
    /// The digests of its inputs.
    inputs: Vec<Digest>,
}

/// What becomes of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is filed.
    Filed,
    /// Not filed: the present winner equals it and is made of the same inputs.
    Standing,
    /// Not filed: the present winner equals it, but its own inputs differ in what no look is about.
    Needless,
}

/// The present winners, read from the store as they are asked for.
pub(super) struct Winners<'f> {
    facts: Facts<'f>,
    known: HashMap<Arena, Option<Winner>>,
    /// The directories whose looks are in `known`, with all their items.
    read: HashSet<(String, Facet)>,
    /// For a subject and a second, one more than the highest position that is filed there.
    next: HashMap<(String, Time), Option<u64>>,
}

/// The highest position: an integer that every reader of JSON knows.
const MAX_POSITION: u64 = (1 << 53) - 1;

impl<'f> Winners<'f> {
    pub(super) fn new(facts: Facts<'f>) -> Self {
        Self { facts, known: HashMap::new(), read: HashSet::new(), next: HashMap::new() }
    }

    /// Puts a look that the clock dates behind everything that is filed of its subject in the same second. Looks of one invocation stay
    /// as they are among themselves: nobody knows which of them was first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn place(&mut self, candidate: &mut Candidate) -> Result<(), Error> {
        if !candidate.dating.by_the_clock() {
            return Ok(());
        }
        let record = &mut candidate.record;
        let moment = (record.subject.dir(), record.observed_at);
        let next = match self.next.get(&moment) {
            Some(next) => *next,
            None => {
                let filed = self.facts.observations_at(&moment.0, moment.1)?;
                // One without a position stands before the first.
                let last =
                    filed.iter().filter_map(|filed| Some(filed.record.as_ref().ok()?.position.unwrap_or(0))).max();
                *self.next.entry(moment).or_insert(last.map(|last| last.saturating_add(1)))
            }
        };
        if let Some(next) = next {
            record.position = Some(next.saturating_add(record.position.unwrap_or(0)).min(MAX_POSITION));
        }
        Ok(())
    }

    /// Says how many looks will come.
    pub(super) fn expect(&mut self, looks: usize) {
        self.known.reserve(looks);
    }

    /// Whether a look is to be filed; if so it takes part in the competition from now on.
    pub(super) fn admits(
        &mut self,
        candidate: &Candidate,
        timeless: Option<Digest>,
        always: bool,
    ) -> Result<Fate, Error> {
        // An import never needs the comparison, unless a live look of the same invocation may follow.
        let arena = arena(&candidate.record);
        let by_the_clock = candidate.dating.by_the_clock();
        if !by_the_clock && !self.known.contains_key(&arena) {
            return Ok(Fate::Filed);
        }
        if !self.known.contains_key(&arena) {
            self.present(&arena)?;
        }
        let record = &candidate.record;
        let timeless = timeless.unwrap_or_else(|| record.timeless_digest());
        let rank = (candidate.updated_at, record.observed_at, record.position, timeless);
        let sight = sight(record, Some(candidate.opaque.clone()));
        let inputs = inputs(record);
        let winner = self.known.entry(arena).or_default();
        if let Some(present) = winner.as_ref().filter(|present| by_the_clock && !always && present.sight == sight) {
            if present.inputs == inputs {
                return Ok(Fate::Standing);
            }
            // What was recorded is kept, whatever the difference.
            if candidate.dating == Dating::Live {
                return Ok(Fate::Needless);
            }
        }
        if winner.as_ref().is_none_or(|present| present.rank < rank) {
            *winner = Some(Winner { rank, sight, inputs });
        }
        Ok(Fate::Filed)
    }

    /// Learns the winners of all items of a facet: its looks lie together, and are read once.
    fn present(&mut self, (subject, facet, _): &Arena) -> Result<(), Error> {
        if !self.read.insert((subject.clone(), *facet)) {
            return Ok(());
        }
        let filed = self.facts.observations(&format!("{subject}/{}", facet.name()))?;
        let mut best: HashMap<Arena, (Rank, &Observation)> = HashMap::new();
        for filed in &filed {
            // Damage is for `verify` to tell; it never wins.
            let Ok(other) = &filed.record else { continue };
            let rank =
                (load::updated_at(&self.facts, other), other.observed_at, other.position, other.timeless_digest());
            let arena = arena(other);
            if best.get(&arena).is_none_or(|(present, _)| *present < rank) {
                best.insert(arena, (rank, other));
            }
        }
        // What this invocation filed already came after what was there.
        for (arena, (rank, record)) in best {
            let sight = sight(record, opaque(&self.facts, record).ok());
            self.known.entry(arena).or_insert(Some(Winner { rank, sight, inputs: inputs(record) }));
        }
        Ok(())
    }
}

fn arena(record: &Observation) -> Arena {
    (record.subject.dir(), record.facet, record.item.clone())
}

fn sight(record: &Observation, opaque: Option<Vec<Digest>>) -> Sight {
    match (&record.seen, opaque) {
        (Seen::Data { completeness, content, .. }, Some(opaque)) => {
            Sight::Data { completeness: *completeness, content: *content, failed: record.failed.clone(), opaque }
        }
        (Seen::Data { .. }, None) => Sight::Damaged,
        (Seen::Unavailable { status, .. }, _) => Sight::Unavailable(*status),
    }
}

fn inputs(record: &Observation) -> Vec<Digest> {
    record.inputs().iter().map(|input| input.digest).collect()
}
