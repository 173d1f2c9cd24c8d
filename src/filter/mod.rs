//! Text safety, pure: what a stage shows of a text that a stranger wrote.
//!
//! The order is fixed: line ends, Unicode safety and terminal escapes, secrets, injections, then the byte bound, and the detectors once more on
//! what a bound left. Each sees the whole text. `docs/format.md` has the rules and the classes, `docs/filter.md` the reasons.

mod address;
mod assign;
mod block;
mod bound;
mod check;
mod class;
mod code;
mod command;
mod decode;
mod digits;
mod escape;
mod exact;
mod excerpt;
mod failures;
mod floor;
mod fold;
mod injection;
mod lined;
mod login;
mod markup;
mod names;
mod notes;
mod pem;
mod personal;
mod phrases;
mod scan;
mod secrets;
mod spelled;
mod tokens;
mod unicode;
mod value;

pub use decode::{INVALID, decode, decode_utf8};

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::format::profile::OnFinding;
use injection::Injections;
use notes::Notes;
use secrets::Secrets;

pub use exact::{Exact, MIN_CREDENTIAL};
pub use lined::{Line, withheld_mark};
pub use tokens::forge_prefixes;

/// How what stands in the place of a secret begins: `[redacted:github-pat]`.
const PLACEHOLDER: &str = "[redacted:";

/// What was found in a text, by class: how often. An escape sequence counts once.
pub type Findings = BTreeMap<&'static str, u64>;

/// What filtering did to a text. The later a value stands here, the stronger: cut wins over changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Status {
    /// Only line ends, if anything.
    #[default]
    Unchanged,
    /// Something was taken out, replaced or marked.
    Modified,
    /// A bound cut the end off.
    Truncated,
    /// Nothing of it is shown.
    Withheld,
}

impl Status {
    /// The name in trees.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Modified => "modified",
            Self::Truncated => "truncated",
            Self::Withheld => "withheld",
        }
    }
}

/// A finding in a raw text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The class.
    pub class: &'static str,
    /// Where it begins, in bytes.
    pub offset: usize,
    /// How many bytes it has.
    pub len: usize,
}

/// A filtered text and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered<'a> {
    /// The text as it may be shown; empty when it is withheld.
    pub text: Cow<'a, str>,
    /// What was done.
    pub status: Status,
    /// What was found, in the whole text and not only in the part that the bound kept.
    pub findings: Findings,
    /// How many bytes of the otherwise finished text the bound cut off.
    pub dropped_bytes: u64,
    /// Where it was found, when the filter was told to say so.
    pub spans: Vec<Span>,
}

/// Why a text could not be filtered. It is not shown then, and neither is anything beside it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A table of patterns cannot be used.
    #[error("the tables of the filter cannot be used: {0}")]
    Table(String),
    /// A pattern cannot be used.
    #[error("the pattern of {class} cannot be used: {why}")]
    Pattern {
        /// The class of the pattern.
        class: &'static str,
        /// What its compiler says.
        why: String,
    },
    /// A credential, by its place in the list, that would take ordinary words out of every text.
    #[error("a credential of fewer than {MIN_CREDENTIAL} bytes cannot be told from ordinary words")]
    ShortCredential(usize),
}

/// The classes of Unicode safety.
const SAFETY: [&str; 9] = [
    "null-byte",
    "terminal-escape",
    "zero-width",
    "bidi-override",
    "variation-selector",
    "tag-char",
    "interlinear",
    INVALID,
    "other-control",
];

/// Every class, each once, sorted.
pub fn classes() -> Vec<&'static str> {
    let all = SAFETY.into_iter().chain(secrets::classes()).chain(personal::CLASSES).chain(injection::classes());
    all.chain([exact::CLASS]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether a class is of secrets or injections, and not of Unicode safety.
pub fn is_detected(class: &str) -> bool {
    !SAFETY.contains(&class)
}

/// Whether a class is of injections.
pub fn is_injection(class: &str) -> bool {
    injection::classes().any(|known| known == class)
}

/// The whole pipeline, with its tables and choices.
pub struct Filter {
    secrets: Secrets,
    injections: Injections,
    exact: Option<Exact>,
    annotates: bool,
    explains: bool,
    keeps_floor: bool,
}

impl Filter {
    /// A filter. A text with an injection is withheld, or marked and shown.
    ///
    /// # Errors
    /// [`Error::Table`]: without its detectors there is no filter.
    pub fn new(on_finding: OnFinding) -> Result<Self, Error> {
        Ok(Self {
            secrets: Secrets::new()?,
            injections: Injections::new()?,
            exact: None,
            annotates: on_finding == OnFinding::Annotate,
            explains: false,
            keeps_floor: false,
        })
    }

    /// The same that also redacts credentials by their value, however they are encoded.
    ///
    /// # Errors
    /// [`Error::ShortCredential`], [`Error::Table`].
    pub fn with_credentials(mut self, values: &[String]) -> Result<Self, Error> {
        self.exact = Exact::new(values)?;
        Ok(self)
    }

    /// The same that says where in the raw text each finding was.
    #[must_use]
    pub fn explaining(mut self) -> Self {
        self.explains = true;
        self
    }

    /// The same that keeps to the floor that readers of another layout rely on: it takes out every invisible code point, also
    /// where a spelling has it.
    #[must_use]
    pub fn to_the_floor(mut self) -> Self {
        self.keeps_floor = true;
        self
    }

    /// Filters a text of several lines: LF line ends, one at the end of a non-empty text, at most `bound` bytes with it.
    ///
    /// Linear in the length of the text. Filtering what was filtered changes nothing.
    ///
    /// # Errors
    /// [`Error`] when a detector fails.
    pub fn clean<'t>(&self, text: &'t str, bound: Option<usize>) -> Result<Filtered<'t>, Error> {
        self.run(text, &Shape { bound, cut: bound::lines, mark_end: "\n\n", trims_start: false })
    }

    /// Filters a log: as [`Filter::clean`], but a bound leaves its beginning, its end and the surroundings of failures, whole lines of them, with
    /// a line in each gap that says how much is not there.
    ///
    /// # Errors
    /// [`Error`] when a detector fails.
    pub fn log<'t>(&self, text: &'t str, bound: Option<usize>) -> Result<Filtered<'t>, Error> {
        self.run(text, &Shape { bound, cut: excerpt::log, mark_end: "\n\n", trims_start: false })
    }

    /// Filters a text that stands on one line (a title, a login, a label): as [`Filter::clean`], with a space for each line end and
    /// tab and no line end added.
    ///
    /// # Errors
    /// [`Error`] when a detector fails.
    pub fn display<'t>(&self, text: &'t str, bound: Option<usize>) -> Result<Filtered<'t>, Error> {
        self.run(text, &Shape { bound, cut: bound::one_line, mark_end: " ", trims_start: true })
    }

    /// What the detectors find in a structural text, which is never rewritten: it is shown as it is or not at all. They see it without what
    /// nobody sees.
    ///
    /// # Errors
    /// [`Error`] when a detector fails.
    pub fn judge(&self, text: &str) -> Result<Findings, Error> {
        let mut notes = Notes::new(false);
        let text = unicode::strip(text, &mut notes);
        notes.findings.clear();
        let text = self.redact(text, &mut notes)?;
        self.injections.find(&text, &mut notes)?;
        Ok(notes.findings)
    }

    fn run<'t>(&self, raw: &'t str, shape: &Shape) -> Result<Filtered<'t>, Error> {
        let mut notes = Notes::new(self.explains);
        let text = unicode::strip(raw, &mut notes);
        let text = if self.keeps_floor { floor::strip(text, &mut notes) } else { text };
        // What becomes one line is read as one.
        let before = text.len() - text.trim_start_matches([' ', '\n', '\t']).len();
        let (text, _) = (shape.cut)(text, None);
        if shape.trims_start {
            notes.cut_front(before);
        }
        let text = self.redact_all(text, &mut notes)?;
        let injected = self.injections.find(&text, &mut notes)?;
        let text = self.mark(text, &injected, shape);
        let (text, dropped) = match text {
            Some(text) => (shape.cut)(text, shape.bound),
            None => return Ok(withheld(notes)),
        };
        if dropped > 0 && !self.is_clean(&text, &injected)? {
            return Ok(withheld(notes));
        }
        let status = match (dropped, notes.findings.is_empty()) {
            (0, true) => Status::Unchanged,
            (0, false) => Status::Modified,
            _ => Status::Truncated,
        };
        Ok(Filtered { text, status, findings: notes.findings, dropped_bytes: dropped, spans: notes.spans })
    }

    fn redact<'t>(&self, text: Cow<'t, str>, notes: &mut Notes) -> Result<Cow<'t, str>, Error> {
        let text = match &self.exact {
            Some(exact) => exact.redact(text, notes),
            None => text,
        };
        self.secrets.redact(text, notes)
    }

    /// The same in what people write. An id may be any number.
    fn redact_all<'t>(&self, text: Cow<'t, str>, notes: &mut Notes) -> Result<Cow<'t, str>, Error> {
        let text = self.redact(text, notes)?;
        Ok(personal::redact(text, notes))
    }

    /// The text as it may be shown for its injections: as it is, with a mark that names them, or not at all.
    fn mark<'t>(&self, text: Cow<'t, str>, injected: &Findings, shape: &Shape) -> Option<Cow<'t, str>> {
        if injected.is_empty() {
            return Some(text);
        }
        let mark = mark_of(injected, shape.mark_end);
        if !self.annotates || shape.bound.is_some_and(|bound| bound <= mark.len()) {
            return None;
        }
        if marked(&text).is_some_and(|classes| injected.keys().all(|class| classes.contains(class))) {
            return Some(text);
        }
        Some(Cow::Owned(mark + &text))
    }

    /// Whether a cut made nothing new out of a text that was judged.
    fn is_clean(&self, text: &str, injected: &Findings) -> Result<bool, Error> {
        let mut notes = Notes::new(false);
        let same = self.redact_all(Cow::Borrowed(text), &mut notes)? == text;
        let found = self.injections.find(text, &mut notes)?;
        Ok(same && found.keys().all(|class| injected.contains_key(class)))
    }
}

/// A cut at a bound: what is left, and how many bytes are not.
type Cut = for<'t> fn(Cow<'t, str>, Option<usize>) -> (Cow<'t, str>, u64);

/// What kind of text it is.
struct Shape {
    bound: Option<usize>,
    cut: Cut,
    /// What stands between a mark and the text.
    mark_end: &'static str,
    /// Whether its white space at the front is no part of it.
    trims_start: bool,
}

/// The mark before a text with injections.
fn mark_of(injected: &Findings, end: &str) -> String {
    format!("[flagged:{}]{end}", injected.keys().copied().collect::<Vec<_>>().join(","))
}

/// The classes in the mark at the beginning of a text.
fn marked(text: &str) -> Option<Vec<&str>> {
    Some(text.strip_prefix("[flagged:")?.split_once(']')?.0.split(',').collect())
}

fn withheld(notes: Notes) -> Filtered<'static> {
    Filtered {
        text: Cow::Borrowed(""),
        status: Status::Withheld,
        findings: notes.findings,
        dropped_bytes: 0,
        spans: notes.spans,
    }
}

/// A text on one line for a page of ours, by the first two steps alone: for what is not filtered, and for what was.
pub fn visible_line(text: &str, bound: usize) -> (Cow<'_, str>, bool) {
    let text = unicode::strip(text, &mut Notes::new(false));
    let (text, dropped) = bound::one_line(text, Some(bound));
    (text, dropped > 0)
}

/// Whether a structural text (an id, a commit, a URL) may be shown: not empty, no white space, nothing that [`Filter::clean`] would
/// take out. Such a text is never rewritten, since it would name something else.
pub fn is_structural(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace) && unicode::is_safe(text)
}

/// Whether a text stands on one line and has nothing in it that filtering would change: what a path must be to be shown as it is.
pub fn is_plain_line(text: &str) -> bool {
    !text.contains(['\t', '\n']) && unicode::is_safe(text)
}
