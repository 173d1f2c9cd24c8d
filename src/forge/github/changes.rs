//! Changed files and commits.

use crate::format::json::Json;

use crate::forge::facets::{Commit, FileChange, InvalidMetadata};

use super::read::{actor, number, owned, text, time};

/// What the documentation lists as the status of a file.
const STATUSES: [&str; 7] = ["added", "changed", "copied", "modified", "removed", "renamed", "unchanged"];

pub(super) fn file(value: &Json<'_>) -> Result<FileChange, InvalidMetadata> {
    Ok(FileChange {
        path: owned(value, "filename").ok_or(InvalidMetadata { member: "filename" })?,
        previous_path: owned(value, "previous_filename"),
        status: owned(value, "status").filter(|word| STATUSES.contains(&word.as_str())),
        additions: number(value, "additions"),
        deletions: number(value, "deletions"),
        sha: owned(value, "sha"),
        patch: owned(value, "patch"),
    })
}

pub(super) fn commit(value: &Json<'_>) -> Result<Commit, InvalidMetadata> {
    let invalid = InvalidMetadata { member: "sha" };
    let sha = text(value, "sha").filter(|sha| is_object_id(sha)).ok_or(invalid)?;
    let parent = |parent: &Json<'_>| owned(parent, "sha").filter(|sha| is_object_id(sha));
    let parents = value.get("parents").and_then(Json::as_array).unwrap_or_default();
    let parents = parents.iter().map(parent).collect::<Option<_>>();
    let inner = value.get("commit");
    let of_person = |person, name| inner.and_then(|c| c.get(person)).and_then(|p| owned(p, name));
    let date = |person| inner.and_then(|c| c.get(person)).and_then(|p| time(p, "date"));
    Ok(Commit {
        sha: sha.to_owned(),
        parents: Some(parents.ok_or(InvalidMetadata { member: "parents" })?),
        message: inner.and_then(|c| owned(c, "message")),
        author_name: of_person("author", "name"),
        author: value.get("author").and_then(actor),
        authored_at: date("author"),
        committed_at: date("committer"),
        url: owned(value, "html_url"),
    })
}

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
