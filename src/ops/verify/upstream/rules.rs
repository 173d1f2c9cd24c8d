//! Keys, collection, accounts and gaps.

use std::collections::{BTreeMap, BTreeSet};

use super::documents::Documents;
use super::{Check, short};
use crate::format::digest::Digest;
use crate::format::index::NAME;
use crate::format::upstream::{
    self, Document as _, GapCode, Record, RecordKind, Scope, SourceKind, Status, is_forge_id,
};
use crate::ops::verify::report::Code;

/// What each id is derived from, and that the forge could have given it.
pub(super) fn source(check: &mut Check<'_>, documents: &Documents) {
    let (source, index) = (&check.index.source, check.index);
    for record in &index.records {
        let same = source.record_key(record.kind, &record.id) == record.key;
        check.expect(same, Code::LayoutKey, NAME, format!("record {} is not the key of its id", short(&record.key)));
    }
    for thread in &documents.reviews.threads {
        let same = source.thread_key(&thread.id) == thread.key;
        let what = format!("thread {} is not the key of its id", short(&thread.key));
        check.expect(same, Code::LayoutKey, upstream::REVIEWS, what);
    }
    let plain = |id: &str, opaque| is_forge_id(source.forge, id, opaque);
    let mut ids: Vec<(&str, &str, bool)> = vec![(NAME, &index.entity.id, false)];
    ids.extend(index.records.iter().map(|record| (NAME, record.id.as_str(), false)));
    ids.extend(documents.actors.0.iter().map(|actor| (upstream::ACTORS, actor.id.as_str(), false)));
    ids.extend(documents.reviews.threads.iter().map(|thread| (upstream::REVIEWS, thread.id.as_str(), true)));
    let reviews = documents.reviews.threads.iter().filter_map(|thread| thread.review_id.as_deref());
    ids.extend(reviews.map(|id| (upstream::REVIEWS, id, false)));
    ids.extend(documents.runs.0.iter().map(|run| (upstream::RUNS, run.id.as_str(), true)));
    for (path, id, _) in ids.into_iter().filter(|(_, id, opaque)| !plain(id, *opaque)) {
        check.say(Code::LayoutKey, path, format!("{id:?} is not an id of this forge"));
    }
    entity(check, documents);
}

/// The entity, which four places describe.
fn entity(check: &mut Check<'_>, documents: &Documents) {
    let (index, entity) = (check.index, &documents.entity);
    let mut own = index.records.iter().filter(|record| record.kind == RecordKind::Entity);
    let (Some(record), None) = (own.next(), own.next()) else {
        return check.say(Code::LayoutRelation, NAME, "there is not exactly one record of the entity");
    };
    check.expect(record.is_emitted(), Code::LayoutRelation, NAME, "the record of the entity is rejected");
    let ids = record.id == index.entity.id && entity.id == index.entity.id;
    check.expect(ids, Code::LayoutRelation, upstream::ENTITY, "the id of the entity differs");
    let kinds = entity.kind == index.entity.kind && documents.collection.entity_kind == entity.kind;
    check.expect(kinds, Code::LayoutRelation, upstream::ENTITY, "the kind of the entity differs");
    let updated = index.entity.updated_at.as_ref().is_none_or(|at| *at == entity.updated_at);
    let times = updated && record.created_at == entity.created_at;
    check.expect(times, Code::LayoutRelation, upstream::ENTITY, "a time of the entity differs");
    let author = record.author.as_ref().map(|(id, _)| id) == Some(&entity.author_id);
    check.expect(author, Code::LayoutRelation, upstream::ENTITY, "the author of the entity differs");
    let labels = entity.labels.is_sorted_by(|a, b| a < b);
    check.expect(labels, Code::LayoutOrder, upstream::ENTITY, "labels are not in their order, or one stands twice");
}

/// The collection that the manifest names, and that nothing is shown which it does not select.
pub(super) fn collection(check: &mut Check<'_>, documents: &Documents) {
    let (index, collection) = (check.index, &documents.collection);
    let same = Digest::of(&collection.to_bytes()) == index.collection_profile;
    check.expect(same, Code::LayoutRelation, NAME, "collection_profile is not the digest of collection.json");
    let of_kind = |kind| index.records.iter().filter(move |record| record.kind == kind).count() as u64;
    let sources = [
        (SourceKind::Comments, of_kind(RecordKind::Comment)),
        (SourceKind::Reviews, of_kind(RecordKind::Review)),
        (SourceKind::Checks, of_kind(RecordKind::Check)),
        (SourceKind::AgentRuns, documents.runs.0.len() as u64),
    ];
    for (source, count) in sources {
        let selected = count == 0 || collection.sources.contains(&source);
        check.expect(selected, Code::LayoutRelation, NAME, format!("{} are not selected", source.name()));
        let fits = count <= collection.bounds.records_per_source;
        check.expect(fits, Code::LayoutBound, NAME, format!("{count} {}", source.name()));
    }
    let threads = documents.reviews.threads.is_empty() || collection.sources.contains(&SourceKind::Reviews);
    check.expect(
        threads,
        Code::LayoutRelation,
        upstream::REVIEWS,
        "threads are part of reviews, which are not selected",
    );
    for record in index.records.iter().filter(|record| record.has_log) {
        let conclusion = documents.checks.get(&record.key).and_then(|known| known.progress.conclusion());
        let selected = collection.log_selection.selects(conclusion);
        check.expect(
            selected,
            Code::LayoutRelation,
            NAME,
            format!("the log of check {} is not selected", short(&record.key)),
        );
    }
    let labels = documents.entity.labels.len() as u64 <= collection.bounds.labels;
    check.expect(labels, Code::LayoutBound, upstream::ENTITY, format!("{} labels", documents.entity.labels.len()));
}

/// One row for each account that is named by id, and no other.
pub(super) fn actors(check: &mut Check<'_>, documents: &Documents) {
    let rows = &documents.actors.0;
    let order = rows.is_sorted_by(|a, b| a.id <= b.id);
    check.expect(order, Code::LayoutOrder, upstream::ACTORS, "accounts are not in the order of their ids");
    let mut named: BTreeSet<&str> = documents.entity.author_id.as_deref().into_iter().collect();
    let authors = check.index.records.iter().filter_map(|record| record.author.as_ref()?.0.as_deref());
    named.extend(authors);
    named.extend(documents.threads.0.iter().filter_map(|state| state.resolved.as_ref()?.as_deref()));
    named.extend(documents.reviews.reviews.iter().filter_map(|review| review.dismissed.as_ref()?.1.as_deref()));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(&row.id).or_default() += 1);
    for id in &named {
        check.expect(counts.contains_key(id), Code::LayoutActor, upstream::ACTORS, format!("{id} has no row"));
    }
    for (id, count) in counts {
        check.expect(count == 1, Code::LayoutActor, upstream::ACTORS, format!("{id} has {count} rows"));
        check.expect(named.contains(id), Code::LayoutActor, upstream::ACTORS, format!("nothing names {id}"));
    }
}

/// What filtering found, it did something about.
pub(super) fn filters(check: &mut Check<'_>) {
    let index = check.index;
    let files = index.files.iter().filter_map(|file| Some((file.path.as_str(), file.filter.as_ref()?)));
    let records = index.records.iter().map(|record| (record.id.as_str(), &record.filter));
    for (of, filter) in std::iter::once((NAME, &index.filter)).chain(files).chain(records) {
        let agrees = filter.status != Status::Unchanged || filter.findings.is_empty();
        check.expect(agrees, Code::LayoutRelation, NAME, format!("{of} is unchanged, and something was found in it"));
    }
}

/// Gaps of what is included, and one for what is rejected.
pub(super) fn gaps(check: &mut Check<'_>) {
    let index = check.index;
    let change = index.entity.kind == upstream::Kind::ChangeProposal;
    for gap in &index.gaps {
        let of_change = matches!(gap.scope, Scope::Reviews | Scope::Checks | Scope::CheckLogs);
        let what = format!("a work item has no {}", gap.scope.name());
        check.expect(change || !of_change, Code::LayoutGap, NAME, what);
    }
    for (kind, scope) in [
        (RecordKind::Comment, Scope::Comments),
        (RecordKind::Review, Scope::Reviews),
        (RecordKind::Check, Scope::Checks),
    ] {
        let rejected = |record: &&Record| record.kind == kind && !record.is_emitted();
        let rejected = index.records.iter().filter(rejected).count() as u64;
        // The name of a check may be empty, which is no danger.
        let says = |gap: &&upstream::Gap| {
            let empty = kind == RecordKind::Check && gap.code == GapCode::InvalidMetadata;
            gap.scope == scope && (gap.code == GapCode::UnsafeContent || empty)
        };
        let said = index.gaps.iter().filter(says).fold(0, |sum: u64, gap| sum.saturating_add(gap.count));
        let what = format!("{rejected} of {} are rejected, and the gap counts {said}", scope.name());
        check.expect(said >= rejected, Code::LayoutGap, NAME, what);
    }
}
