//! The head of one file in a diff: everything before its hunks.

use std::borrow::Cow;

use super::hunks::line;
use super::quote::{bare, pair, path};
use super::{Change, FilePatch};

/// What a head says.
#[derive(Default)]
pub(super) struct Head<'b> {
    /// How many bytes it takes.
    pub length: usize,
    git: Option<(Cow<'b, str>, Cow<'b, str>)>,
    /// From `rename from` or `copy from`.
    moved: Option<(Change, Cow<'b, str>)>,
    moved_to: Option<Cow<'b, str>>,
    /// From `---` and `+++`; none for `/dev/null`.
    old: Option<Option<Cow<'b, str>>>,
    new: Option<Option<Cow<'b, str>>>,
    added: bool,
    removed: bool,
    pub binary: bool,
    modes: (Option<&'b str>, Option<&'b str>),
}

/// Where a file begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// `diff --git`.
    Git,
    /// `---` and `+++` without it.
    Plain,
    /// `diff --cc` or `diff --combined`.
    Combined,
}

const GIT: &[u8] = b"diff --git ";

/// Whether a file begins at the start of a text.
pub(super) fn start(text: &[u8]) -> Option<Start> {
    if text.starts_with(GIT) {
        return Some(Start::Git);
    }
    if text.starts_with(b"diff --cc ") || text.starts_with(b"diff --combined ") {
        return Some(Start::Combined);
    }
    let first = line(text);
    let second = &text[first.len()..];
    let plain = text.starts_with(b"--- ") && second.starts_with(b"+++ ");
    (plain && second[line(second).len()..].starts_with(b"@@ -")).then_some(Start::Plain)
}

impl<'b> Head<'b> {
    /// Reads the head at the start of a text.
    pub(super) fn read(text: &'b [u8], start: Start) -> Self {
        let mut head = Self::default();
        if start == Start::Git {
            let first = line(text);
            head.git = pair(trimmed(&first[GIT.len()..]));
            head.length = first.len();
        }
        loop {
            let rest = &text[head.length..];
            let one = line(rest);
            if one.is_empty() || !head.take(trimmed(one), rest) {
                return head;
            }
            head.length += one.len();
            if head.binary {
                head.length += binary(&text[head.length..]);
                return head;
            }
            if head.new.is_some() {
                return head;
            }
        }
    }

    /// Takes one line; false when it does not belong to a head.
    fn take(&mut self, line: &'b [u8], rest: &[u8]) -> bool {
        let after = |word: &str| line.strip_prefix(word.as_bytes());
        let mode = |text: &'b [u8]| std::str::from_utf8(text).ok();
        if let Some(text) = after("old mode ") {
            self.modes.0 = mode(text);
        } else if let Some(text) = after("new mode ") {
            self.modes.1 = mode(text);
        } else if let Some(text) = after("new file mode ") {
            (self.added, self.modes.1) = (true, mode(text));
        } else if let Some(text) = after("deleted file mode ") {
            (self.removed, self.modes.0) = (true, mode(text));
        } else if let Some(text) = after("rename from ") {
            self.moved = Some((Change::Renamed, path(text)));
        } else if let Some(text) = after("copy from ") {
            self.moved = Some((Change::Copied, path(text)));
        } else if let Some(text) = after("rename to ").or(after("copy to ")) {
            self.moved_to = Some(path(text));
        } else if let Some(text) = after("--- ") {
            // The two stand together.
            if self.old.is_some() || !rest[super::hunks::line(rest).len()..].starts_with(b"+++ ") {
                return false;
            }
            self.old = Some(side(text, "a/"));
        } else if let Some(text) = after("+++ ") {
            if self.old.is_none() {
                return false;
            }
            self.new = Some(side(text, "b/"));
        } else if after("GIT binary patch").is_some()
            || (after("Binary files ").is_some() && line.ends_with(b" differ"))
        {
            self.binary = true;
        } else {
            return ["index ", "similarity index ", "dissimilarity index "].iter().any(|word| after(word).is_some());
        }
        true
    }

    /// True when the head has `---` and `+++`, which only stand before hunks.
    pub(super) fn announces_hunks(&self) -> bool {
        self.new.is_some()
    }

    /// The file without its hunks.
    pub(super) fn into_file(self, at: usize) -> FilePatch<'b> {
        let (git_old, git_new) = self.git.map_or((None, None), |(old, new)| (Some(old), Some(new)));
        let (moved, moved_from) = self.moved.map_or((None, None), |(change, from)| (Some(change), Some(from)));
        let added = self.added || self.old == Some(None);
        let removed = self.removed || self.new == Some(None);
        let change = match moved {
            Some(change) => change,
            None if added && !removed => Change::Added,
            None if removed && !added => Change::Removed,
            None => Change::Modified,
        };
        let old = moved_from.or(self.old.flatten()).or(git_old);
        let new = self.moved_to.or(self.new.flatten()).or(git_new);
        FilePatch {
            range: at..at + self.length,
            head: self.length,
            old: old.filter(|_| change != Change::Added),
            new: new.filter(|_| change != Change::Removed),
            change,
            modes: self.modes,
            lines: None,
            hunks: 0,
            binary: self.binary,
            whole: true,
        }
    }
}

fn side<'b>(text: &'b [u8], prefix: &str) -> Option<Cow<'b, str>> {
    let path = path(text);
    (path != "/dev/null").then(|| bare(path, prefix))
}

/// A line without its line end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The bytes of a binary patch: one or two blocks, each `literal` or `delta` with lines up to an empty one.
fn binary(text: &[u8]) -> usize {
    let mut length = 0;
    while [b"literal ".as_slice(), b"delta "].iter().any(|word| text[length..].starts_with(word)) {
        loop {
            let one = line(&text[length..]);
            length += one.len();
            if trimmed(one).is_empty() {
                break;
            }
        }
    }
    length
}
