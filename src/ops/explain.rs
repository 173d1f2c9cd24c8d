//! Where the filters found what: a file of the host, beside a stage and never in it.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use super::{Error, target};
use crate::format::index::RULES;
use crate::format::json::{self, Json, Object};
use crate::render::Explained;

/// The schema name that it carries.
const SCHEMA: &str = "git-docket.explanation";

/// The largest former one that is read to be replaced, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The canonical bytes. No text of anybody is in it.
pub(super) fn document(index_digest: &str, explained: &[(String, Explained)]) -> Vec<u8> {
    let row = |(entity, found): &(String, Explained)| {
        let mut row = Object::new();
        row.set("entity", entity.clone()).set("path", found.path.clone()).set("text", found.text);
        row.set("class", found.span.class).set("offset", found.span.offset).set("length", found.span.len);
        Json::Object(row)
    };
    let mut out = Object::new();
    out.set("schema", SCHEMA).set("format", 1u32).set("rules", RULES);
    out.set("indexDigest", index_digest.to_owned());
    out.set("findings", explained.iter().map(row).collect::<Vec<_>>());
    json::to_vec(&Json::Object(out))
}

/// Refuses a place in the stage.
///
/// # Errors
/// `explain-inside-stage`, `io`.
pub(super) fn check_place(file: &Path, stage: &Path) -> Result<(), Error> {
    if target::lies_in(file, stage, false)? {
        let message = format!("{}: the explanation would lie in the stage, which its consumer reads", file.display());
        return Err(Error::new("explain-inside-stage", message).hint("choose a file beside the stage"));
    }
    Ok(())
}

/// Refuses what [`check_place`] does, and a place where something stands that is not a former explanation.
///
/// # Errors
/// `explain-inside-stage`, `target-exists`, `explain-not-ours`, `io`.
pub(super) fn check(file: &Path, stage: &Path, replace: bool) -> Result<(), Error> {
    check_place(file, stage)?;
    let about = |error| Error::new("io", format!("{}: {error}", file.display()));
    let found = match fs::symlink_metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found.map_err(about)?,
    };
    if !replace {
        return Err(Error::new("target-exists", format!("{}: the explanation exists", file.display()))
            .hint("--replace replaces a former one; nothing else is ever overwritten"));
    }
    let mut bytes = Vec::new();
    if found.is_file() && found.len() <= MAX_BYTES {
        fs::File::open(file).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)).map_err(about)?;
    }
    let is_ours = json::parse(&bytes).is_ok_and(|value| value.get("schema").and_then(Json::as_str) == Some(SCHEMA));
    let foreign = || Error::new("explain-not-ours", format!("{}: what stands there is no explanation", file.display()));
    if is_ours { Ok(()) } else { Err(foreign()) }
}
