//! The manifest's own lists: their order, and which files there must be.

use std::collections::BTreeMap;

use super::Check;
use super::documents::Documents;
use crate::format::index::NAME;
use crate::format::upstream::{self, FileRole, RecordKind, check_paths, views};
use crate::ops::verify::report::Code;

/// Files by path, records by time and key, gaps by scope and code, each once.
pub(super) fn orders(check: &mut Check<'_>) {
    let index = check.index;
    let files = index.files.is_sorted_by(|a, b| a.path < b.path);
    check.expect(files, Code::LayoutOrder, NAME, "files are not in the order of their paths");
    let records = index.records.is_sorted_by(|a, b| (&a.created_at, a.key) < (&b.created_at, b.key));
    check.expect(records, Code::LayoutOrder, NAME, "records are not in the order of time and key");
    let key = |gap: &upstream::Gap| (gap.scope.name(), gap.code.name());
    let gaps = index.gaps.is_sorted_by(|a, b| key(a) < key(b));
    check.expect(gaps, Code::LayoutOrder, NAME, "gaps are not in the order of scope and code");
}

/// Every file that the documents call for, and no other, each in its role.
pub(super) fn files(check: &mut Check<'_>, documents: &Documents) {
    let mut wanted = wanted(check, documents);
    for file in &check.index.files {
        match wanted.remove(&file.path) {
            None => check.say(Code::LayoutRole, &file.path, "nothing calls for a file of this name"),
            Some(role) if role != file.role => {
                check.say(
                    Code::LayoutRole,
                    &file.path,
                    format!("the role {} instead of {}", file.role.name(), role.name()),
                );
            }
            Some(role) if role.media_type() != file.media_type => {
                check.say(Code::LayoutRole, &file.path, format!("the media type {}", file.media_type));
            }
            Some(_) => {}
        }
    }
    for path in wanted.keys() {
        check.say(Code::LayoutRole, path, "the manifest does not list it");
    }
}

fn wanted(check: &Check<'_>, documents: &Documents) -> BTreeMap<String, FileRole> {
    let mut wanted = BTreeMap::from([
        (upstream::COLLECTION.to_owned(), FileRole::Collection),
        (upstream::ENTITY.to_owned(), FileRole::EntityMetadata),
        (upstream::REVIEWS.to_owned(), FileRole::Reviews),
        (upstream::RUNS.to_owned(), FileRole::AgentRuns),
        (upstream::ACTORS.to_owned(), FileRole::ActorState),
        (upstream::THREADS.to_owned(), FileRole::ThreadState),
    ]);
    for record in &check.index.records {
        let role = match record.kind {
            RecordKind::Entity => FileRole::EntityRecord,
            RecordKind::Comment => FileRole::CommentRecord,
            RecordKind::Review => FileRole::ReviewRecord,
            RecordKind::Check => {
                let (metadata, log) = check_paths(&record.key);
                if record.is_emitted() {
                    wanted.insert(metadata, FileRole::CheckMetadata);
                }
                if record.has_log {
                    wanted.insert(log, FileRole::CheckLog);
                }
                continue;
            }
        };
        wanted.extend(record.content_path().map(|path| (path, role)));
    }
    let views = views(&check.index.records, &documents.reviews, &documents.threads);
    wanted.extend(views.into_iter().map(|(path, (role, _))| (path, role)));
    wanted
}
