//! The order files: lines of paths, which are projections of the documents and say nothing of their own.

use std::collections::{BTreeMap, HashMap};

use crate::format::digest::Digest;

use super::index::Record;
use super::key::{review_view_path, thread_path};
use super::reviews::{Reviews, Thread};
use super::threads::ThreadStates;
use super::words::{FileRole, RecordKind};
use super::{TIMELINE, UNRESOLVED};

/// Every order file of a tree with its bytes, by path.
pub fn views(records: &[Record], reviews: &Reviews, states: &ThreadStates) -> BTreeMap<String, (FileRole, Vec<u8>)> {
    let shown = records.iter().filter_map(|record| Some((record.key, record.content_path()?)));
    let shown: HashMap<Digest, String> = shown.collect();
    let lines = |keys: &mut dyn Iterator<Item = &Digest>| -> Vec<u8> {
        keys.filter_map(|key| shown.get(key)).flat_map(|path| [path.as_bytes(), b"\n"].concat()).collect()
    };
    let mut out = BTreeMap::new();
    out.insert(TIMELINE.to_owned(), (FileRole::TimelineView, lines(&mut timeline(records).into_iter())));
    let open = unresolved(reviews, states);
    let keys = &mut open.iter().flat_map(|thread| &thread.records);
    out.insert(UNRESOLVED.to_owned(), (FileRole::UnresolvedReviewView, lines(keys)));
    for thread in &reviews.threads {
        out.insert(thread_path(&thread.key), (FileRole::ThreadOrder, lines(&mut thread.records.iter())));
    }
    let mut of_review: HashMap<Digest, Vec<&Thread>> = HashMap::new();
    for thread in &reviews.threads {
        thread.review_key.into_iter().for_each(|key| of_review.entry(key).or_default().push(thread));
    }
    for review in reviews.reviews.iter().filter(|review| shown.contains_key(&review.key)) {
        let threads = of_review.get(&review.key).into_iter().flatten();
        let keys = &mut [&review.key].into_iter().chain(threads.flat_map(|thread| &thread.records));
        out.insert(review_view_path(&review.key), (FileRole::ReviewView, lines(keys)));
    }
    out
}

/// The record of the entity, then comments and reviews by time and key.
fn timeline(records: &[Record]) -> Vec<&Digest> {
    let mut all: Vec<_> = records.iter().filter(|record| record.kind != RecordKind::Check).collect();
    all.sort_by_key(|record| (record.kind != RecordKind::Entity, &record.created_at, record.key));
    all.into_iter().map(|record| &record.key).collect()
}

/// What is neither settled nor out of date, by time and key.
fn unresolved<'r>(reviews: &'r Reviews, states: &ThreadStates) -> Vec<&'r Thread> {
    let open = states.0.iter().filter(|state| state.resolved.is_none() && !state.outdated);
    let open: std::collections::HashSet<_> = open.map(|state| state.key).collect();
    let mut threads: Vec<_> = reviews.threads.iter().filter(|thread| open.contains(&thread.key)).collect();
    threads.sort_by_key(|thread| (&thread.created_at, thread.key));
    threads
}
