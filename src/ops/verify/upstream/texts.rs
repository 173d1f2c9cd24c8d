//! Texts: record files, logs, order files, and everything that stands on one line.

use super::Check;
use super::documents::Documents;
use crate::format::index::NAME;
use crate::format::upstream::{self, Record, RecordFile, RecordKind, check_paths, has_floor_char, is_seen, views};
use crate::ops::Error;
use crate::ops::verify::report::Code;

/// # Errors
/// `read-failed`.
pub(super) fn check(check: &mut Check<'_>, documents: &Documents) -> Result<(), Error> {
    let bounds = documents.collection.bounds;
    for record in &check.index.records {
        if let Some(path) = record.content_path() {
            let bytes = check.read(&path)?;
            file(check, record, &path, &bytes, bounds.record_bytes);
        }
        if record.has_log {
            let path = check_paths(&record.key).1;
            let bytes = check.read(&path)?;
            body(check, &path, &bytes, bounds.log_bytes);
        }
    }
    for (path, (_, lines)) in views(&check.index.records, &documents.reviews, &documents.threads) {
        if check.sizes.contains_key(path.as_str()) && check.read(&path)? != lines {
            check.say(Code::LayoutView, &path, "the lines are not those that the documents give");
        }
    }
    lines(check, documents);
    Ok(())
}

/// A record file: its header says what the manifest says.
fn file(check: &mut Check<'_>, record: &Record, path: &str, bytes: &[u8], bound: u64) {
    let Some(read) = RecordFile::read(bytes) else {
        return check.say(Code::LayoutRecord, path, "the header is not written as it must be");
    };
    let author = record.author.as_ref().and_then(|(id, _)| id.as_ref());
    let same = read.kind == record.kind
        && read.id == record.id
        && read.author_id.as_ref() == author
        && read.created_at == record.created_at;
    check.expect(same, Code::LayoutRecord, path, "the header differs from the manifest");
    body(check, path, read.body, bound);
}

/// A text of several lines: UTF-8, LF line ends, one at its end, nothing of the floor, within its bound.
fn body(check: &mut Check<'_>, path: &str, bytes: &[u8], bound: u64) {
    let Ok(text) = std::str::from_utf8(bytes) else { return check.say(Code::LayoutText, path, "it is not UTF-8") };
    let ended = text.is_empty() || (text.ends_with('\n') && !text.ends_with("\n\n") && text != "\n");
    check.expect(ended, Code::LayoutText, path, "it does not end in exactly one line feed");
    check.expect(!text.contains('\r'), Code::LayoutText, path, "it has a carriage return");
    check.expect(!has_floor_char(text), Code::LayoutText, path, "it has a code point that nobody sees");
    check.expect(bytes.len() as u64 <= bound, Code::LayoutBound, path, format!("{} bytes of text", bytes.len()));
}

/// Titles, labels, logins and names; ids are bounded alike.
fn lines(check: &mut Check<'_>, documents: &Documents) {
    let mut all: Vec<(String, &str)> = Vec::new();
    let entity = &documents.entity;
    let of_entity = [Some(&entity.title), entity.author.as_ref()].into_iter().flatten().chain(&entity.labels);
    all.extend(of_entity.map(|text| (upstream::ENTITY.to_owned(), text.as_str())));
    for actor in &documents.actors.0 {
        let texts = [Some(&actor.id), actor.login.as_ref()].into_iter().flatten();
        all.extend(texts.map(|text| (upstream::ACTORS.to_owned(), text.as_str())));
    }
    let source = &check.index.source;
    let structural = [&source.host, &source.repository_id, &source.repository, &check.index.entity.id];
    all.extend(structural.into_iter().map(|text| (NAME.to_owned(), text.as_str())));
    for record in check.index.records.iter().filter(|record| record.kind != RecordKind::Entity) {
        let login = record.author.as_ref().and_then(|(_, login)| login.as_ref());
        all.extend([Some(&record.id), login].into_iter().flatten().map(|text| (NAME.to_owned(), text.as_str())));
    }
    for (key, known) in &documents.checks {
        all.push((check_paths(key).0, &known.name));
    }
    for thread in &documents.reviews.threads {
        let texts = [Some(&thread.id), thread.path.as_ref()].into_iter().flatten();
        all.extend(texts.map(|text| (upstream::REVIEWS.to_owned(), text.as_str())));
    }
    all.extend(documents.runs.0.iter().map(|run| (upstream::RUNS.to_owned(), run.agent.as_str())));
    let bound = documents.collection.bounds.string_bytes;
    for (path, text) in all {
        check.expect(text.len() as u64 <= bound, Code::LayoutBound, &path, format!("{} bytes on one line", text.len()));
        check.expect(is_seen(text), Code::LayoutText, &path, "a line has a code point that nobody sees");
    }
}
