//! Which looks are filed: an import always, a live look only when it differs from the present winner.

use std::collections::{HashMap, HashSet};

use crate::format::digest::Digest;
use crate::format::facet::Facet;
use crate::format::observation::{Completeness, Observation, Seen};
use crate::format::time::Time;
use crate::ops::{Error, load};
use crate::store::facts::Facts;

use super::record::Candidate;

/// Where looks compete: subject, facet and item.
type Arena = (String, Facet, Option<String>);

/// The order of docs/format.md: a record by the forge's time first, a set by the time of the look.
type Rank = (Option<Time>, Time, Option<u64>, Digest);

/// What two equal looks have in common.
type Sight = Result<(Completeness, Digest, Vec<String>), u16>;

/// The present winners, read from the store as they are asked for.
pub(super) struct Winners<'f> {
    facts: Facts<'f>,
    known: HashMap<Arena, Option<(Rank, Sight)>>,
    /// The directories whose looks are in `known`, with all their items.
    read: HashSet<(String, Facet)>,
}

impl<'f> Winners<'f> {
    pub(super) fn new(facts: Facts<'f>) -> Self {
        Self { facts, known: HashMap::new(), read: HashSet::new() }
    }

    /// Whether a look is to be filed; if so it takes part in the competition from now on.
    pub(super) fn admits(&mut self, candidate: &Candidate, digest: Digest, always: bool) -> Result<bool, Error> {
        // An import never needs the comparison, unless a live look of the same invocation may follow.
        let arena = arena(&candidate.record);
        if !candidate.live && !self.known.contains_key(&arena) {
            return Ok(true);
        }
        if !self.known.contains_key(&arena) {
            self.present(&arena)?;
        }
        let record = &candidate.record;
        let rank = (candidate.updated_at, record.observed_at, record.position, digest);
        let sight = sight(record);
        let winner = self.known.entry(arena).or_default();
        if candidate.live && !always && winner.as_ref().is_some_and(|(_, present)| *present == sight) {
            return Ok(false);
        }
        if winner.as_ref().is_none_or(|(present, _)| *present < rank) {
            *winner = Some((rank, sight));
        }
        Ok(true)
    }

    /// Learns the winners of all items of a facet: its looks lie together, and are read once.
    fn present(&mut self, (subject, facet, _): &Arena) -> Result<(), Error> {
        if !self.read.insert((subject.clone(), *facet)) {
            return Ok(());
        }
        let dir = format!("{subject}/{}", facet.name());
        let filed = self.facts.observations(&dir).map_err(|error| Error::new("io", error.to_string()))?;
        let mut best: HashMap<Arena, (Rank, Sight)> = HashMap::new();
        for filed in filed {
            // Damage is for `verify` to tell; it never wins.
            let Ok(other) = &filed.record else { continue };
            let rank =
                (load::updated_at(&self.facts, other), other.observed_at, other.position, other.timeless_digest());
            let arena = arena(other);
            if best.get(&arena).is_none_or(|(present, _)| *present < rank) {
                best.insert(arena, (rank, sight(other)));
            }
        }
        // What this invocation filed already came after what was there.
        for (arena, winner) in best {
            self.known.entry(arena).or_insert(Some(winner));
        }
        Ok(())
    }
}

fn arena(record: &Observation) -> Arena {
    (record.subject.dir(), record.facet, record.item.clone())
}

fn sight(record: &Observation) -> Sight {
    match &record.seen {
        Seen::Data { completeness, content, .. } => Ok((*completeness, *content, record.failed.clone())),
        Seen::Unavailable { status, .. } => Err(*status),
    }
}
