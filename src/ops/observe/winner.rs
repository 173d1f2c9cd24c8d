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
type Rank = (Option<Time>, Time, Option<u64>);

/// Whose digest decides between two of one rank. Few are, so that it is made only then.
enum Tie {
    /// A look of this invocation.
    Candidate(usize),
    /// One that is filed.
    Filed(Digest),
}

impl Tie {
    fn digest(&self, candidates: &[Candidate]) -> Digest {
        match self {
            Self::Candidate(at) => candidates[*at].record.timeless_digest(),
            Self::Filed(digest) => *digest,
        }
    }
}

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
    tie: Tie,
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
    /// The newest looks of each arena, in their order, as many as this invocation may repeat.
    newest: HashMap<Arena, Vec<Observation>>,
    most: usize,
    /// For a subject and a second, one more than the highest position that is filed there.
    next: HashMap<(String, Time), Option<u64>>,
}

/// The highest position: an integer that every reader of JSON knows.
const MAX_POSITION: u64 = (1 << 53) - 1;

impl<'f> Winners<'f> {
    pub(super) fn new(facts: Facts<'f>) -> Self {
        let (known, read, newest, next) = (HashMap::new(), HashSet::new(), HashMap::new(), HashMap::new());
        Self { facts, known, read, newest, most: 0, next }
    }

    /// Which looks are those of the last time once more: where the clock dates all looks at something, and these are the newest that are
    /// filed of it, one by one in the same order, nothing new was seen.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn repeated(&mut self, candidates: &[Candidate]) -> Result<Vec<bool>, Error> {
        let mut arenas: HashMap<Arena, Vec<usize>> = HashMap::new();
        for (at, candidate) in candidates.iter().enumerate().filter(|(_, one)| one.dating.by_the_clock()) {
            arenas.entry(arena(&candidate.record)).or_default().push(at);
        }
        self.most = arenas.values().map(Vec::len).max().unwrap_or(0);
        let mut repeated = vec![false; candidates.len()];
        for (arena, mut places) in arenas {
            self.present(&arena)?;
            places.sort_by_cached_key(|at| place(&candidates[*at].record));
            let own: Vec<_> = places.iter().map(|at| &candidates[*at]).collect();
            if self.are_known(&arena, &own) {
                places.into_iter().for_each(|at| repeated[at] = true);
            }
        }
        Ok(repeated)
    }

    /// Whether looks are the newest of their arena. One that equals the winner need not be there: it was not filed for that.
    fn are_known(&self, arena: &Arena, own: &[&Candidate]) -> bool {
        let winner = self.known.get(arena).and_then(Option::as_ref);
        let mut newest = self.newest.get(arena).into_iter().flatten().rev().peekable();
        own.iter().rev().all(|own| {
            let (sight, inputs) = (seen(own), inputs(&own.record));
            let is_own = |filed: &Observation| {
                self::inputs(filed) == inputs && self::sight(filed, opaque(&self.facts, filed).ok()) == sight
            };
            newest.next_if(|filed| is_own(filed)).is_some()
                || winner.is_some_and(|winner| winner.inputs == inputs && winner.sight == sight)
        })
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
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn admits(&mut self, candidates: &[Candidate], at: usize, always: bool) -> Result<Fate, Error> {
        let candidate = &candidates[at];
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
        let (rank, tie) = ((candidate.updated_at, record.observed_at, record.position), Tie::Candidate(at));
        let sight = seen(candidate);
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
        let is_behind = |present: &Winner| {
            let by_digest = || present.tie.digest(candidates).cmp(&tie.digest(candidates));
            present.rank.cmp(&rank).then_with(by_digest).is_lt()
        };
        if winner.as_ref().is_none_or(is_behind) {
            *winner = Some(Winner { rank, tie, sight, inputs });
        }
        Ok(Fate::Filed)
    }

    /// Learns the winners of all items of a facet: its looks lie together, and are read once.
    fn present(&mut self, (subject, facet, _): &Arena) -> Result<(), Error> {
        if !self.read.insert((subject.clone(), *facet)) {
            return Ok(());
        }
        let filed = self.facts.observations(&format!("{subject}/{}", facet.name()))?;
        let mut best: HashMap<Arena, ((Rank, Digest), &Observation)> = HashMap::new();
        let mut newest: HashMap<Arena, Vec<&Observation>> = HashMap::new();
        for filed in &filed {
            // Damage is for `verify` to tell; it never wins.
            let Ok(other) = &filed.record else { continue };
            let rank = (load::updated_at(&self.facts, other), other.observed_at, other.position);
            let rank = (rank, other.timeless_digest());
            let arena = arena(other);
            newest.entry(arena.clone()).or_default().push(other);
            if best.get(&arena).is_none_or(|(present, _)| *present < rank) {
                best.insert(arena, (rank, other));
            }
        }
        for (arena, mut looks) in newest {
            looks.sort_by_cached_key(|look| place(look));
            let last = looks.split_off(looks.len().saturating_sub(self.most));
            self.newest.insert(arena, last.into_iter().cloned().collect());
        }
        // What this invocation filed already came after what was there.
        for (arena, ((rank, timeless), record)) in best {
            let sight = sight(record, opaque(&self.facts, record).ok());
            let winner = Winner { rank, tie: Tie::Filed(timeless), sight, inputs: inputs(record) };
            self.known.entry(arena).or_insert(Some(winner));
        }
        Ok(())
    }
}

fn arena(record: &Observation) -> Arena {
    (record.subject.dir(), record.facet, record.item.clone())
}

fn seen(candidate: &Candidate) -> Sight {
    sight(&candidate.record, Some(candidate.opaque.clone()))
}

/// When a look was made and where it stands in its recording; what was seen at once is in the order of its bytes.
fn place(record: &Observation) -> (Time, Option<u64>, Vec<Digest>) {
    (record.observed_at, record.position, inputs(record))
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
