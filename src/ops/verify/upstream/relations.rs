//! Reviews, threads, their state and checks: what documents say of each other.

use std::collections::{BTreeMap, BTreeSet};

use super::documents::Documents;
use super::{Check, short};
use crate::format::digest::Digest;
use crate::format::upstream::{self, Forge, Record, RecordKind, Thread, check_paths};
use crate::ops::verify::report::Code;

pub(super) fn check(check: &mut Check<'_>, documents: &Documents) {
    let by_key: BTreeMap<Digest, &Record> = check.index.records.iter().map(|record| (record.key, record)).collect();
    reviews(check, documents, &by_key);
    threads(check, documents, &by_key);
    states(check, documents);
    runs(check, documents);
    checks(check, documents);
}

fn reviews(check: &mut Check<'_>, documents: &Documents, by_key: &BTreeMap<Digest, &Record>) {
    let rows = &documents.reviews.reviews;
    let order = rows.is_sorted_by(|a, b| (&a.submitted_at, &a.id) < (&b.submitted_at, &b.id));
    check.expect(order, Code::LayoutOrder, upstream::REVIEWS, "reviews are not in the order of time and id");
    let recorded: BTreeSet<_> =
        by_key.values().filter(|record| record.kind == RecordKind::Review).map(|record| record.key).collect();
    let related: BTreeSet<_> = rows.iter().map(|row| row.key).collect();
    check.expect(recorded == related, Code::LayoutRelation, upstream::REVIEWS, "reviews are not those of the records");
    for row in rows {
        let same =
            by_key.get(&row.key).is_none_or(|record| record.id == row.id && record.created_at == row.submitted_at);
        let what = format!("review {} differs from its record", short(&row.key));
        check.expect(same, Code::LayoutRelation, upstream::REVIEWS, what);
    }
    let none = check.index.source.forge != Forge::GitLab || rows.is_empty();
    check.expect(none, Code::LayoutRelation, upstream::REVIEWS, "GitLab has no formal reviews");
}

fn threads(check: &mut Check<'_>, documents: &Documents, by_key: &BTreeMap<Digest, &Record>) {
    let threads = &documents.reviews.threads;
    let order = threads.is_sorted_by(|a, b| (&a.created_at, &a.id) < (&b.created_at, &b.id));
    check.expect(order, Code::LayoutOrder, upstream::REVIEWS, "threads are not in the order of time and id");
    let ids: BTreeMap<_, _> = documents.reviews.reviews.iter().map(|row| (row.key, &row.id)).collect();
    let mut seen = BTreeSet::new();
    for thread in threads {
        let is_comment = |key: &Digest| {
            by_key.get(key).is_some_and(|record| record.kind == RecordKind::Comment && record.is_emitted())
        };
        let shown = !thread.records.is_empty() && thread.records.iter().all(is_comment);
        let name = short(&thread.key);
        let path = upstream::REVIEWS;
        check.expect(
            shown,
            Code::LayoutRelation,
            path,
            format!("thread {name} has no comment, or one that is not shown"),
        );
        let once = thread.records.iter().all(|key| seen.insert(*key));
        check.expect(
            once,
            Code::LayoutRelation,
            path,
            format!("thread {name} has a record that stands in a thread already"),
        );
        let own: BTreeSet<_> = thread.records.iter().collect();
        let both = |reply: &upstream::Reply| {
            reply.key != reply.parent && own.contains(&reply.key) && own.contains(&reply.parent)
        };
        let replies = thread.replies.iter().all(both);
        check.expect(replies, Code::LayoutRelation, path, format!("thread {name} has a reply without both ends"));
        let review = of_review(thread, &ids);
        check.expect(review, Code::LayoutRelation, path, format!("thread {name} names a review that is not there"));
    }
}

fn of_review(thread: &Thread, ids: &BTreeMap<Digest, &String>) -> bool {
    let Some(key) = thread.review_key else { return true };
    ids.get(&key).is_some_and(|known| thread.review_id.as_ref().is_none_or(|id| id == *known))
}

fn states(check: &mut Check<'_>, documents: &Documents) {
    let states = &documents.threads.0;
    let order = states.is_sorted_by(|a, b| a.key < b.key);
    check.expect(order, Code::LayoutOrder, upstream::THREADS, "threads are not in the order of their keys");
    let told: BTreeSet<_> = states.iter().map(|state| (state.key, &state.id)).collect();
    let related: BTreeSet<_> = documents.reviews.threads.iter().map(|thread| (thread.key, &thread.id)).collect();
    check.expect(told == related, Code::LayoutRelation, upstream::THREADS, "threads are not those of the relations");
    let native = check.index.source.forge == Forge::GitHub || !states.iter().any(|state| state.outdated);
    check.expect(native, Code::LayoutRelation, upstream::THREADS, "this forge does not tell what is out of date");
}

fn runs(check: &mut Check<'_>, documents: &Documents) {
    let runs = &documents.runs.0;
    let order = runs.is_sorted_by(|a, b| (&a.completed_at, &a.id) < (&b.completed_at, &b.id));
    check.expect(order, Code::LayoutOrder, upstream::RUNS, "runs are not in the order of time and id");
    let results = runs.iter().all(|run| run.results.is_sorted_by(|a, b| a < b));
    check.expect(results, Code::LayoutOrder, upstream::RUNS, "results are not in the order of their keys");
}

/// Checks are all of one head.
fn checks(check: &mut Check<'_>, documents: &Documents) {
    let mut head = None;
    for record in check.index.records.iter().filter(|record| record.kind == RecordKind::Check) {
        let Some(known) = documents.checks.get(&record.key) else { continue };
        let path = check_paths(&record.key).0;
        let same = known.id == record.id && known.created_at == record.created_at;
        check.expect(same, Code::LayoutRelation, &path, "the check differs from its record");
        let pinned = *head.get_or_insert(&known.head_sha) == &known.head_sha;
        check.expect(pinned, Code::LayoutRelation, &path, "the check is of another head than the first");
    }
}
