//! Changed files and commits.

use crate::forge::facets::{Commit, FileChange, InvalidMetadata};
use crate::forge::member::is_object_id;

use super::read::Reader;

/// What the documentation lists as the status of a file.
const STATUSES: [&str; 7] = ["added", "changed", "copied", "modified", "removed", "renamed", "unchanged"];

pub(super) fn file(part: Reader<'_>) -> Result<FileChange, InvalidMetadata> {
    let status = part.word("status", |word| STATUSES.contains(&word).then(|| word.to_owned()));
    if status.is_none() {
        part.note("status");
    }
    let previous_path = part.text("previous_filename");
    if previous_path.is_none() && matches!(status.as_deref(), Some("renamed" | "copied")) {
        part.note("previous_filename");
    }
    Ok(FileChange {
        path: part.text("filename").ok_or(InvalidMetadata { member: "filename" })?,
        previous_path,
        status,
        additions: part.number("additions"),
        deletions: part.number("deletions"),
        sha: part.text("sha"),
        patch: part.text("patch"),
    })
}

pub(super) fn commit(part: Reader<'_>) -> Result<Commit, InvalidMetadata> {
    let object_id = |part: Reader<'_>| part.text("sha").filter(|sha| is_object_id(sha));
    let parents = part.get("parents", |list| list.every(object_id));
    let inner = part.below("commit");
    let person = |name| inner.and_then(|commit| commit.below(name));
    Ok(Commit {
        sha: object_id(part).ok_or(InvalidMetadata { member: "sha" })?,
        parents: Some(parents.ok_or(InvalidMetadata { member: "parents" })?),
        message: inner.and_then(|commit| commit.text("message")),
        author_name: person("author").and_then(|author| author.text("name")),
        author: part.actor("author"),
        authored_at: person("author").and_then(|author| author.time("date")),
        committed_at: person("committer").and_then(|committer| committer.time("date")),
        url: part.text("html_url"),
    })
}
