//! `show`: an entity in words, a payload as it was sent, an element.

use std::collections::{BTreeMap, BTreeSet};

use super::Error;
use super::wanted::Wanted;
use crate::format::digest::Digest;
use crate::format::facet::{Facet, Shape};
use crate::format::kept::Kept;
use crate::format::observation::{Observation, Seen};
use crate::format::tree::Tree;
use crate::render::{self, Mode, Rendered};
use crate::store::facts::Facts;
use crate::store::layout::UNRECOGNISED;
use crate::store::split::rebuild;

/// The files of an entity as a snapshot has them.
///
/// # Errors
/// `entity-not-found` and those of the store.
pub fn entity(tree: &dyn Tree, wanted: &Wanted) -> Result<(String, Rendered), Error> {
    let facts = Facts::new(tree);
    let filed = facts.observations(&wanted.subject.dir())?;
    let is_filed = !filed.is_empty();
    let state = super::load::state(&facts, filed)?.ok_or_else(|| wanted.not_found(is_filed))?;
    Ok((state.entity().to_string(), render::entity(&state, Mode::Snapshot)?))
}

/// Rebuilds an input that was ever filed, by the digest that `observe` reported.
///
/// # Errors
/// `input-unknown`, `element-missing`, `element-corrupt`.
pub fn input(tree: &dyn Tree, digest: &Digest) -> Result<Vec<u8>, Error> {
    let facts = Facts::new(tree);
    let filed = facts.observations("")?;
    let records = filed.iter().filter_map(|filed| filed.record.as_ref().ok());
    let found = records.flat_map(Observation::inputs).find(|input| input.digest == *digest);
    let Some(found) = found else { return kept(&facts, digest) };
    rebuild(&facts, found).map_err(Error::from)
}

/// The largest record of what is kept.
const MAX_KEPT: u64 = 1 << 16;

/// An input that was not recognised and is kept: its element is its bytes.
fn kept(facts: &Facts<'_>, digest: &Digest) -> Result<Vec<u8>, Error> {
    for entry in facts.tree.list(UNRECOGNISED)? {
        let record = facts.tree.read(&entry.path, MAX_KEPT)?;
        if record.and_then(|bytes| Kept::from_bytes(&bytes)).is_some_and(|record| record.element == *digest) {
            return facts.element(digest).map_err(Error::from);
        }
    }
    Err(Error::new("input-unknown", format!("{digest}: no input of that digest is filed")))
}

/// The payloads of the newest look at a facet that saw data: a page a line, the pieces of a text as they follow each other. `job`
/// says which of several logs is meant.
///
/// # Errors
/// `facet-not-observed`, `facet-ambiguous` when several logs are filed, and those of [`input`].
pub fn facet(tree: &dyn Tree, wanted: &Wanted, facet: Facet, job: Option<&str>) -> Result<Vec<u8>, Error> {
    let facts = Facts::new(tree);
    let dir = format!("{}/{}", wanted.subject.dir(), facet.name());
    let filed = facts.observations(&dir)?;
    let is_text = facet.shape() == Shape::Text;
    let mut looks = BTreeMap::new();
    let mut items = BTreeSet::new();
    for filed in &filed {
        if let Ok(record) = &filed.record
            && matches!(record.seen, Seen::Data { .. })
            && (record.item.is_none() || is_text || facet == Facet::Timeline)
            && job.is_none_or(|job| record.item.as_deref().is_some_and(|item| is_of(item, job)))
        {
            items.extend(record.item.as_deref().filter(|_| is_text));
            let digest = record.timeless_digest();
            let rank = (super::load::updated_at(&facts, record), record.observed_at, record.position, digest);
            looks.insert(rank, record);
        }
    }
    if items.len() > 1 && job.is_none() {
        let message = format!("{}: {} logs are filed", wanted.subject, items.len());
        let jobs: BTreeSet<_> = items.iter().filter_map(|item| item.split_once('/')).map(|(_, job)| job).collect();
        let named: Vec<_> = jobs.into_iter().collect();
        return Err(
            Error::new("facet-ambiguous", message).hint(format!("--raw logs:JOB names one: {}", named.join(", ")))
        );
    }
    let mut winner = looks.pop_last().map(|(_, record)| record);
    let header = if facet == Facet::Labels { labels_of_header(&facts, wanted)? } else { None };
    if let Some(header) = &header {
        let when = |record: &Observation| (record.observed_at, record.position);
        winner = winner.filter(|set| when(set) > when(header)).or(Some(header));
    }
    let winner = winner.ok_or_else(|| {
        Error::new("facet-not-observed", format!("{}: no look at {} is filed", wanted.subject, facet.name()))
    })?;
    let pieces: Vec<_> =
        winner.inputs().iter().map(|input| rebuild(&facts, input).map_err(Error::from)).collect::<Result<_, _>>()?;
    Ok(if is_text { pieces.concat() } else { pieces.join(&b'\n') })
}

/// The look at the record that its labels are from: the last by the order of records that tells them.
fn labels_of_header(facts: &Facts<'_>, wanted: &Wanted) -> Result<Option<Observation>, Error> {
    let dir = format!("{}/{}", wanted.subject.dir(), Facet::Header.name());
    let mut newest = None;
    for filed in facts.observations(&dir)? {
        let Ok(record) = filed.record else { continue };
        let digest = record.timeless_digest();
        let rank = (super::load::updated_at(facts, &record), record.observed_at, record.position, digest);
        if newest.as_ref().is_none_or(|(known, _)| *known < rank) && super::load::tells_labels(facts, &record) {
            newest = Some((rank, record));
        }
    }
    Ok(newest.map(|(_, record)| record))
}

/// Whether an item is the log of that check or job.
fn is_of(item: &str, job: &str) -> bool {
    item.split_once('/').is_some_and(|(_, name)| name == job)
}

/// The bytes of an element.
///
/// # Errors
/// `element-missing`, `element-corrupt`.
pub fn element(tree: &dyn Tree, digest: &Digest) -> Result<Vec<u8>, Error> {
    Facts::new(tree).element(digest).map_err(Error::from)
}
