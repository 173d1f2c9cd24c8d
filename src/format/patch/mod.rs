//! Unified diffs as git and others write them: which files, how many lines, and where in the text each stands.
//!
//! Reading is linear and never fails on what stands inside: a hunk that does not have the lines that its head promises is
//! noted, and a line that belongs to nothing is passed over. Counts drive the reading, so that no line of a file's content is
//! taken for a head.

mod head;
mod hunks;
mod numbers;
mod quote;
mod read;
mod series;
mod submodule;

use std::borrow::Cow;
use std::ops::Range;

pub use hunks::{Hunks, hunks, is_hunks};
pub use numbers::{first_changes, numbered};
pub use quote::{quoted, unquoted};
pub use read::read;
pub use series::series_head;
pub use submodule::is_submodule;

/// A unified diff.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch<'b> {
    /// The files in the order of the text; a series of commits shows one several times.
    pub files: Vec<FilePatch<'b>>,
    /// True when the text ends inside a line, behind a line that begins a head, without the blob of a file where others have theirs,
    /// or with a mail that is not the last of its series.
    pub cut: bool,
}

/// What a diff says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch<'b> {
    /// Where the section stands in the text: its head, and all hunks. Of a path that became another kind of file (a link, a submodule)
    /// both halves in which git tells that; of a submodule what is told of the files in it.
    pub range: Range<usize>,
    /// How many bytes of the section are its head.
    pub head: usize,
    /// The path before the change; `None` for a file that was not there.
    pub old: Option<Cow<'b, str>>,
    /// The path after the change; `None` for a file that is no more.
    pub new: Option<Cow<'b, str>>,
    /// The path in git's quoted form, where it is not UTF-8: `old` and `new` have U+FFFD there, and may be those of several files.
    pub quoted: Option<String>,
    /// What was done to it.
    pub change: Change,
    /// The modes before and after, where the head names them.
    pub modes: (Option<&'b str>, Option<&'b str>),
    /// Added and removed lines; `None` for binary content, and where it is cut short.
    pub lines: Option<(u64, u64)>,
    /// How many hunks there are.
    pub hunks: usize,
    /// True for content that is shown as binary, or only said to differ.
    pub binary: bool,
    /// False when a hunk lacks lines that its head promises, or the head lacks what it announces.
    pub whole: bool,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "git's own words")]
pub enum Change {
    Added,
    Removed,
    Modified,
    Renamed,
    Copied,
}

impl Change {
    /// The word in trees, which is the forge's.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
        }
    }
}

impl<'b> FilePatch<'b> {
    /// The path by which forges name the file: the new one, or the old one of a file that is no more.
    pub fn path(&self) -> &str {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or("")
    }

    /// The path, or where it is not UTF-8 git's quoted form of it, which no other file has.
    pub fn name(&self) -> &str {
        self.quoted.as_deref().unwrap_or_else(|| self.path())
    }

    /// Takes in the other half of a path that became another kind of file, which git tells as one that went and one that came. False for
    /// any other pair.
    fn joins(&mut self, other: &FilePatch<'b>) -> bool {
        let kind = |mode: Option<&str>| mode.and_then(|mode| mode.get(..2).map(str::to_owned));
        let kinds = kind(self.modes.0).zip(kind(other.modes.1));
        let is_pair =
            self.change == Change::Removed && other.change == Change::Added && self.range.end == other.range.start;
        if !is_pair || self.name() != other.name() || kinds.is_none_or(|(before, after)| before == after) {
            return false;
        }
        self.range.end = other.range.end;
        (self.change, self.modes.1) = (Change::Modified, other.modes.1);
        self.new.clone_from(&self.old);
        self.lines = self.lines.zip(other.lines).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
        self.hunks += other.hunks;
        self.binary |= other.binary;
        self.whole &= other.whole;
        true
    }
}

impl Patch<'_> {
    /// True when nothing shows that it was cut short. A cut between two files or hunks leaves no trace.
    pub fn is_whole(&self) -> bool {
        !self.cut && self.files.iter().all(|file| file.whole)
    }
}

/// Why a text is not the diff of two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAPatch {
    /// There is no head of a file in it. An empty text shows nothing either: it is what a failed command leaves.
    #[error("there is no file in it")]
    Nothing,
    /// A diff of a merge against several parents, which names no one state before the change.
    #[error("it is a combined diff, of a merge with several parents")]
    Combined,
    /// A diff that is made to be looked at: with colours, or by words. Its lines are not those of the files.
    #[error("it has colours, or shows words instead of lines")]
    Dressed,
}
