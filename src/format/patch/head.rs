//! The head of one file in a diff: everything before its hunks.

use super::hunks::line;
use super::quote::{Pair, Path, USUAL, bare, path, quoted, text};
use super::{Change, FilePatch};

/// What a head says.
#[derive(Default)]
pub(super) struct Head<'b> {
    /// How many bytes it takes.
    pub length: usize,
    git: Option<Pair<'b>>,
    /// From `rename from` or `copy from`.
    moved: Option<(Change, Path<'b>)>,
    moved_to: Option<Path<'b>>,
    /// From `---` and `+++`; none for `/dev/null`.
    old: Option<Option<Path<'b>>>,
    new: Option<Option<Path<'b>>>,
    added: bool,
    removed: bool,
    pub binary: bool,
    modes: (Option<&'b str>, Option<&'b str>),
    /// The blobs before and after, as `index` abbreviates them.
    pub index: Option<(&'b str, &'b str)>,
    /// What it announces and does not have: it ends too early.
    lacks: Lacks,
}

/// What the lines of a head announce, until a later one brings it.
#[derive(Default)]
struct Lacks {
    /// Anything at all behind `diff --git`.
    line: bool,
    /// `new mode`, behind `old mode`.
    mode: bool,
    /// `rename from` or `copy from`, behind `similarity index`.
    from: bool,
    /// `rename to` or `copy to`, behind those.
    to: bool,
    /// Other content, which is told by hunks or as binary.
    content: bool,
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
            head.git = Pair::read(trimmed(&first[GIT.len()..]));
            head.length = first.len();
            head.lacks.line = true;
        }
        loop {
            let rest = &text[head.length..];
            let one = line(rest);
            if one.is_empty() || !head.take(trimmed(one), rest) {
                return head;
            }
            head.length += one.len();
            head.lacks.line = false;
            if head.binary {
                let (length, whole) = binary(&text[head.length..]);
                head.length += length;
                head.lacks.content &= !whole;
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
            (self.lacks.mode, self.modes.0) = (true, mode(text));
        } else if let Some(text) = after("new mode ") {
            (self.lacks.mode, self.modes.1) = (false, mode(text));
        } else if let Some(text) = after("new file mode ") {
            (self.added, self.modes.1) = (true, mode(text));
        } else if let Some(text) = after("deleted file mode ") {
            (self.removed, self.modes.0) = (true, mode(text));
        } else if let Some(text) = after("rename from ") {
            self.moves(Change::Renamed, text);
        } else if let Some(text) = after("copy from ") {
            self.moves(Change::Copied, text);
        } else if let Some(text) = after("rename to ").or(after("copy to ")) {
            (self.lacks.to, self.moved_to) = (false, Some(path(text)));
        } else if let Some(text) = after("--- ") {
            // The two stand together.
            if self.old.is_some() || !rest[super::hunks::line(rest).len()..].starts_with(b"+++ ") {
                return false;
            }
            self.old = Some(side(text, self.prefixes().0));
        } else if let Some(text) = after("+++ ") {
            if self.old.is_none() {
                return false;
            }
            self.new = Some(side(text, self.prefixes().1));
        } else if after("GIT binary patch").is_some() {
            (self.binary, self.lacks.content) = (true, true);
        } else if after("Binary files ").is_some() && line.ends_with(b" differ") {
            (self.binary, self.lacks.content) = (true, false);
        } else if let Some(text) = after("index ") {
            self.index = blobs(text);
            self.lacks.content |= self.index.is_none_or(|blobs| blobs.0 != blobs.1 && !is_of_empty(blobs));
        } else if let Some(text) = after("similarity index ") {
            self.lacks.from = true;
            self.lacks.content |= text != b"100%";
        } else if after("dissimilarity index ").is_some() {
            self.lacks.content = true;
        } else {
            return false;
        }
        true
    }

    fn prefixes(&self) -> (&[u8], &[u8]) {
        self.git.as_ref().map_or(USUAL, Pair::prefixes)
    }

    fn moves(&mut self, change: Change, from: &'b [u8]) {
        self.moved = Some((change, path(from)));
        (self.lacks.from, self.lacks.to) = (false, true);
    }

    /// Whether all is there that the head announces, with so many hunks behind it.
    pub(super) fn is_whole(&self, hunks: usize) -> bool {
        let Lacks { line, mode, from, to, content } = self.lacks;
        let content = if self.binary { content } else { (content || self.new.is_some()) && hunks == 0 };
        !(line || mode || from || to || content)
    }

    /// Whether the file is made or removed and nothing says which blob it is. Some programs write no `index` at all.
    pub(super) fn is_without_blob(&self) -> bool {
        (self.added || self.removed) && self.index.is_none() && self.new.is_none() && !self.binary
    }

    /// The file without its hunks.
    pub(super) fn into_file(self, at: usize) -> FilePatch<'b> {
        let (old_prefix, new_prefix) = self.prefixes();
        let git = self.git.as_ref();
        let git_old = git.map(|pair| bare(pair.old.clone(), old_prefix));
        let git_new = git.map(|pair| bare(pair.new.clone(), new_prefix));
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
        let (old, new) = (old.filter(|_| change != Change::Added), new.filter(|_| change != Change::Removed));
        let named = new.as_deref().or(old.as_deref()).filter(|path| std::str::from_utf8(path).is_err());
        FilePatch {
            range: at..at + self.length,
            head: self.length,
            quoted: named.map(|path| quoted("", path)),
            old: old.map(text),
            new: new.map(text),
            change,
            modes: self.modes,
            lines: None,
            hunks: 0,
            binary: self.binary,
            whole: true,
        }
    }
}

fn side<'b>(text: &'b [u8], prefix: &[u8]) -> Option<Path<'b>> {
    let path = path(text);
    (*path != *b"/dev/null").then(|| bare(path, prefix))
}

/// `1234567..89abcde 100644`, or the two without the mode that they share.
fn blobs(text: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(text).ok()?;
    let (old, new) = text.split(' ').next()?.split_once("..")?;
    let is_blob = |id: &str| (4..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_blob(old) && is_blob(new)).then_some((old, new))
}

/// The blob of an empty file under both object formats of git.
const EMPTY: [&str; 2] =
    ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];

/// Whether an empty file was made or removed: nothing is shown of its content then.
fn is_of_empty((old, new): (&str, &str)) -> bool {
    let is_none = |id: &str| id.bytes().all(|byte| byte == b'0');
    let is_empty = |id: &str| EMPTY.iter().any(|empty| empty.starts_with(id));
    (is_none(old) && is_empty(new)) || (is_empty(old) && is_none(new))
}

/// The words with which lines of a head begin.
const WORDS: [&str; 16] = [
    "+++ ",
    "--- ",
    "Binary files ",
    "GIT binary patch",
    "copy from ",
    "copy to ",
    "deleted file mode ",
    "diff --git ",
    "dissimilarity index ",
    "index ",
    "new file mode ",
    "new mode ",
    "old mode ",
    "rename from ",
    "rename to ",
    "similarity index ",
];

/// Whether a text that no file takes is the beginning of a line of a head, and that line is the last one.
pub(super) fn is_cut(rest: &[u8]) -> bool {
    let last = trimmed(line(rest));
    let is_last = line(rest).len() == rest.len();
    let begins = |word: &&str| word.as_bytes().starts_with(last) || last.starts_with(word.as_bytes());
    is_last && !last.is_empty() && WORDS.iter().any(begins)
}

/// A line without its line end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The bytes of a binary patch, one or two blocks, each `literal` or `delta` with lines up to an empty one; and whether there is one,
/// and the last ends so.
fn binary(text: &[u8]) -> (usize, bool) {
    let (mut length, mut whole) = (0, false);
    while [b"literal ".as_slice(), b"delta "].iter().any(|word| text[length..].starts_with(word)) {
        loop {
            let one = line(&text[length..]);
            length += one.len();
            if trimmed(one).is_empty() {
                whole = !one.is_empty();
                break;
            }
        }
    }
    (length, whole)
}
