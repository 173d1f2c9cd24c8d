//! The manifest as a list of files: what is in it must be there, and nothing else.

use crate::format::digest::Digest;
use crate::format::index::NAME;
use crate::format::json::{self, Json};
use crate::format::path::is_safe;
use crate::format::tree::MAX_FILE;
use crate::format::upstream::{Document as _, Index, SCHEMA_VERSION};
use crate::ops::Error;
use crate::ops::verify::cause::{self, Wanted};
use crate::ops::verify::file::Listed;
use crate::ops::verify::manifest::Row;
use crate::ops::verify::report::{Cause, Code, Finding};
use crate::ops::verify::tally::Tally;

/// What a manifest of this layout lists; `None` when nothing can be relied on that it lists, and the tally says why.
///
/// # Errors
/// `format-newer`.
pub(in crate::ops::verify) fn rows(bytes: &[u8], tally: &mut Tally) -> Result<Option<Vec<Row>>, Error> {
    let Ok(value) = json::parse(bytes) else { return Ok(None) };
    if let Some(version) = value.get("schema_version").and_then(Json::as_u64).filter(|v| *v > SCHEMA_VERSION) {
        let message = format!("index.json has schema_version {version}; this program reads version {SCHEMA_VERSION}");
        return Err(Error::new("format-newer", message).hint("use a newer git-docket"));
    }
    let index = match Index::from_json(&value) {
        Ok(index) => index,
        Err(fault) => {
            tally.find(invalid(fault));
            return Ok(None);
        }
    };
    let canonical = json::to_vec(&value);
    if canonical != bytes {
        let expected = Digest::of(&canonical);
        let (cause, _) = cause::find(bytes, &Wanted { digest: &|d| *d == expected, bytes: None });
        tally.find(Finding::new(Code::NotCanonical, NAME).expected(expected).actual(Digest::of(bytes)).cause(cause));
    }
    let mut rows = Vec::with_capacity(index.files.len());
    for file in index.files {
        if file.path == NAME || file.bytes > MAX_FILE {
            tally.find(invalid(format!("it lists itself, or a file of {} bytes: {}", file.bytes, file.path)));
            return Ok(None);
        }
        if !is_safe(&file.path) {
            tally.find(Finding::new(Code::PathUnsafe, file.path));
            continue;
        }
        let listed = Listed { path: file.path, bytes: file.bytes, digest: file.sha256 };
        rows.push(Row { listed, child: None });
    }
    Ok(Some(rows))
}

fn invalid(reason: impl ToString) -> Finding {
    Finding::new(Code::IndexInvalid, NAME).actual(reason).cause(Cause::Unknown)
}
