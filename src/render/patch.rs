//! The pieces of `changes/diff.patch`: the headers of a file.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::filter;
use crate::forge::facets::FileChange;
use crate::format::patch::quoted;

/// The blob of an empty file, under both of git's hash functions.
const EMPTY: [&str; 2] =
    ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];

/// A path or branch as it may be shown on a line: as it is, or in git's quoted form when it has anything in it that filtering would
/// take out, which hides nothing and loses nothing.
pub(super) fn visible_path(path: &str) -> Cow<'_, str> {
    let plain = filter::is_plain_line(path) && !path.starts_with('"');
    if plain { Cow::Borrowed(path) } else { Cow::Owned(quoted("", path.as_bytes())) }
}

/// Whether nothing is missing although there is no patch: an added file that is empty for certain.
pub(super) fn is_empty_file(file: &FileChange) -> bool {
    file.status.as_deref() == Some("added") && file.sha.as_deref().is_some_and(|sha| EMPTY.contains(&sha))
}

/// The lines before the hunks of a file, or `None` when there is nothing that they could say by themselves, and when what happened
/// to the file is not known.
///
/// Forges do not tell modes over REST. Git's grammar needs one for a new file, so the usual one stands there.
pub(super) fn header(file: &FileChange) -> Option<String> {
    let status = file.status.as_deref()?;
    let old = file.previous_path.as_deref().unwrap_or(&file.path);
    let moved = matches!(status, "renamed" | "copied");
    if moved && file.previous_path.is_none() {
        return None;
    }
    if file.patch.is_none() && !is_empty_file(file) && !moved {
        return None;
    }
    let (a, b) = (quoted("a/", old.as_bytes()), quoted("b/", file.path.as_bytes()));
    let mut out = format!("diff --git {a} {b}\n");
    match status {
        "added" => out.push_str("new file mode 100644\n"),
        "removed" => out.push_str("deleted file mode 100644\n"),
        "renamed" | "copied" => {
            let verb = if status == "renamed" { "rename" } else { "copy" };
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{verb} from {}\n{verb} to {}",
                quoted("", old.as_bytes()),
                quoted("", file.path.as_bytes())
            );
        }
        _ => {}
    }
    if file.patch.is_some() {
        let end = |path: &str| if path.contains(' ') && !path.starts_with('"') { "\t" } else { "" };
        let (from, to) = if status == "added" { ("/dev/null", b.as_str()) } else { (a.as_str(), b.as_str()) };
        let to = if status == "removed" { "/dev/null" } else { to };
        let _ = writeln!(out, "--- {from}{}\n+++ {to}{}", end(from), end(to));
    }
    Some(out)
}
