//! Text safety, pure: what a stage shows of a text that a stranger wrote.
//!
//! The order is fixed: line ends, Unicode safety, then the byte bound. A detector (of secrets, of injections) belongs
//! between the last two and sees the whole text; what a bound cut is scanned once more. `docs/format.md` lists the classes.

mod bound;
mod class;
mod decode;
mod escape;
mod unicode;

pub use decode::{INVALID, decode, decode_utf8};

use std::borrow::Cow;
use std::collections::BTreeMap;

/// What was found in a text, by class of code point: how many were taken out. An escape sequence counts once.
pub type Findings = BTreeMap<&'static str, u64>;

/// What filtering did to a text. The later a value stands here, the stronger: cut wins over changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Status {
    /// Only line ends, if anything.
    #[default]
    Unchanged,
    /// Something was taken out.
    Modified,
    /// A bound cut the end off.
    Truncated,
}

impl Status {
    /// The name in trees.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Modified => "modified",
            Self::Truncated => "truncated",
        }
    }
}

/// A filtered text and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered<'a> {
    /// The text as it may be shown.
    pub text: Cow<'a, str>,
    /// What was done.
    pub status: Status,
    /// What was taken out, of the whole text and not only of the part that the bound kept.
    pub findings: Findings,
    /// How many bytes of the otherwise finished text the bound cut off.
    pub dropped_bytes: u64,
}

/// Filters a text of several lines: LF line ends, one at the end of a non-empty text, at most `bound` bytes with it.
///
/// Linear in the length of the text. Filtering what was filtered changes nothing.
pub fn clean(text: &str, bound: Option<usize>) -> Filtered<'_> {
    let (text, findings) = unicode::strip(text);
    let (text, dropped_bytes) = bound::lines(text, bound);
    finish(text, findings, dropped_bytes)
}

/// Filters a text that stands on one line (a title, a login, a label): as [`clean`], with a space for each line end and
/// tab and no line end added.
pub fn display(text: &str, bound: Option<usize>) -> Filtered<'_> {
    let (text, findings) = unicode::strip(text);
    let (text, dropped_bytes) = bound::one_line(text, bound);
    finish(text, findings, dropped_bytes)
}

/// Filters one line that keeps its blanks and tabs: a line of a diff. It has no line end in it.
pub fn line(text: &str) -> Filtered<'_> {
    let (text, findings) = unicode::strip(text);
    finish(text, findings, 0)
}

/// Whether a structural text (an id, a commit, a URL) may be shown: not empty, no white space, nothing that [`clean`] would
/// take out. Such a text is never rewritten, since it would name something else.
pub fn is_structural(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace) && unicode::is_safe(text)
}

/// Whether a text stands on one line and has nothing in it that filtering would change: what a path must be to be shown as it is.
pub fn is_plain_line(text: &str) -> bool {
    !text.contains(['\t', '\n']) && unicode::is_safe(text)
}

fn finish(text: Cow<'_, str>, findings: Findings, dropped_bytes: u64) -> Filtered<'_> {
    let status = match (dropped_bytes, findings.is_empty()) {
        (0, true) => Status::Unchanged,
        (0, false) => Status::Modified,
        _ => Status::Truncated,
    };
    Filtered { text, status, findings, dropped_bytes }
}
