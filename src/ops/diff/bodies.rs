//! The bodies of the comments of a thread, which are the parts of one file.

use std::collections::BTreeMap;

use super::side::{Side, plain_text, text};
use crate::format::digest::Digest;
use crate::format::json::Json;
use crate::ops::Error;

/// What stands in the place of a body that is not known.
const UNKNOWN: &str = "The body is not known.";

/// What begins the part of a comment. A body has a mark before each of its lines, so that none begins another part.
const HEADING: &str = "## Comment ";

/// What the file of a thread has in the place of the body of each comment, by its id; nothing for one that is not known.
pub(super) type Bodies = BTreeMap<String, Option<Digest>>;

/// Reads the bodies of a thread. A file that does not fit its row tells none.
pub(super) fn bodies(side: &Side<'_>, thread: Option<&Json<'_>>) -> Result<Bodies, Error> {
    let file = thread.and_then(|row| text(row, "file"));
    let Some(entry) = file.and_then(|path| side.entries.iter().find(|entry| entry.path == path)) else {
        return Ok(Bodies::new());
    };
    let bytes = side.read(entry)?;
    let found = parts(&String::from_utf8_lossy(&bytes));
    let rows = thread.and_then(|row| row.get("comments")).and_then(Json::as_array).unwrap_or_default();
    if rows.len() != found.len() {
        return Ok(Bodies::new());
    }
    let mut bodies = Bodies::new();
    for (row, body) in rows.iter().zip(found) {
        if let Some(id) = row.get("id") {
            bodies.entry(plain_text(id)).or_insert(body);
        }
    }
    Ok(bodies)
}

fn parts(text: &str) -> Vec<Option<Digest>> {
    let mut fence: Option<&str> = None;
    let mut parts: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        match fence {
            Some(mark) if bare == mark => fence = None,
            Some(_) => {}
            // The hunk stands before all comments.
            None if parts.is_empty() && bare.starts_with("```") => {
                fence = Some(&bare[..bare.len() - bare.trim_start_matches('`').len()]);
            }
            None if bare.starts_with(HEADING) => parts.push(String::new()),
            None => parts.last_mut().into_iter().for_each(|part| part.push_str(line)),
        }
    }
    let body = |part: &String| part.trim_matches('\n') != UNKNOWN;
    parts.iter().map(|part| body(part).then(|| Digest::of(part.trim_matches('\n').as_bytes()))).collect()
}
