//! The closed documents, each canonical and as its schema says.

use std::collections::BTreeMap;

use super::Check;
use crate::format::digest::Digest;
use crate::format::json;
use crate::format::upstream::{
    self, Actors, Check as CheckDocument, Collection, Document, Entity, RecordKind, Reviews, Runs, ThreadStates,
    check_paths,
};
use crate::ops::Error;
use crate::ops::verify::report::Code;

/// All documents but the manifest.
pub(super) struct Documents {
    pub collection: Collection,
    pub entity: Entity,
    pub reviews: Reviews,
    pub runs: Runs,
    pub actors: Actors,
    pub threads: ThreadStates,
    /// The checks that are shown, by their key.
    pub checks: BTreeMap<Digest, CheckDocument>,
}

/// Reads all documents; `None` when one is none.
///
/// # Errors
/// `read-failed`.
pub(super) fn read(check: &mut Check<'_>) -> Result<Option<Documents>, Error> {
    let collection = document(check, upstream::COLLECTION)?;
    let entity = document(check, upstream::ENTITY)?;
    let reviews = document(check, upstream::REVIEWS)?;
    let runs = document(check, upstream::RUNS)?;
    let actors = document(check, upstream::ACTORS)?;
    let threads = document(check, upstream::THREADS)?;
    let index = check.index;
    let mut checks = BTreeMap::new();
    let mut whole = true;
    for record in index.records.iter().filter(|record| record.kind == RecordKind::Check && record.is_emitted()) {
        match document(check, &check_paths(&record.key).0)? {
            Some(document) => drop(checks.insert(record.key, document)),
            None => whole = false,
        }
    }
    let all = (collection, entity, reviews, runs, actors, threads);
    let (Some(collection), Some(entity), Some(reviews), Some(runs), Some(actors), Some(threads)) = all else {
        return Ok(None);
    };
    Ok(whole.then_some(Documents { collection, entity, reviews, runs, actors, threads, checks }))
}

fn document<D: Document>(check: &mut Check<'_>, path: &str) -> Result<Option<D>, Error> {
    if !check.sizes.contains_key(path) {
        check.say(Code::LayoutRole, path, "the manifest does not list it");
        return Ok(None);
    }
    let bytes = check.read(path)?;
    let value = match json::parse(&bytes) {
        Ok(value) => value,
        Err(fault) => {
            check.say(Code::LayoutDocument, path, fault);
            return Ok(None);
        }
    };
    if json::to_vec(&value) != bytes {
        check.say(Code::NotCanonical, path, Digest::of(&bytes));
        return Ok(None);
    }
    match D::from_json(&value) {
        Ok(document) => Ok(Some(document)),
        Err(fault) => {
            check.say(Code::LayoutDocument, path, fault);
            Ok(None)
        }
    }
}
