//! What `verify` says: every damage as a finding with a code and a cause, notes, counts.

use std::fmt;

use serde::Serialize;

use crate::format::digest::Digest;
use crate::format::index;
use crate::format::tree::FileKind;
use crate::ops::plain::plain;
use crate::ops::words::words;

/// What the caller knows from elsewhere, against which a tree is authenticated.
#[derive(Debug, Clone, Default)]
pub struct Anchor {
    /// The digest that the root `index.json` must have.
    pub index_digest: Option<Digest>,
    /// The commit that the tree was read from.
    pub commit: Option<String>,
}

words! {
    /// What the tree was authenticated by.
    Anchored {
        /// The digest of the root index, given by the caller.
        Digest = "digest",
        /// A commit of git.
        Commit = "commit",
        /// Nothing: the tree can only be consistent in itself.
        None = "none",
    }
}

words! {
    /// What is damaged. The table in docs/format.md says the same.
    Code {
        /// A file that should be there is not.
        FileMissing = "file-missing",
        /// A file that nothing lists.
        FileExtra = "file-extra",
        /// A file of the listed size with other bytes.
        FileChanged = "file-changed",
        /// A file of another size.
        SizeDiffers = "size-differs",
        /// An `index.json` that is not the one its anchor or parent names.
        IndexChanged = "index-changed",
        /// An `index.json` that is not an index of this format.
        IndexInvalid = "index-invalid",
        /// A record whose bytes are not in canonical form.
        NotCanonical = "not-canonical",
        /// A path in an index that is never followed.
        PathUnsafe = "path-unsafe",
        /// A link, directory, submodule, device or pipe in the place of a file, or something else in the place of a directory.
        NotRegularFile = "not-regular-file",
        /// An element whose bytes do not have the digest that is its name.
        ElementCorrupt = "element-corrupt",
        /// An element that an observation names is not there.
        ElementMissing = "element-missing",
        /// An element that was erased is still or again there.
        ElementErasedPresent = "element-erased-present",
        /// A record that is damaged, misplaced or not of this format.
        ObservationInvalid = "observation-invalid",
        /// A record of a stage, or a list of its facts, that is damaged, misplaced or not of this format.
        StageInvalid = "stage-invalid",
        /// An observation that a recorded stage was made of is not there.
        FactMissing = "fact-missing",
        /// A snapshot that is not what the facts give. Found by the caller, who derives it again.
        SnapshotStale = "snapshot-stale",
        /// A stage that is not what the facts give. Found by the caller, who derives it again.
        StageStale = "stage-stale",
        /// `.gitattributes` is missing or other than the format says, so that git may change bytes.
        AttributesMissing = "attributes-missing",
        /// A document of the upstream layout that is not what its closed schema says.
        LayoutDocument = "layout-document",
        /// Rows of the upstream layout out of their order, or one twice.
        LayoutOrder = "layout-order",
        /// An id that its forge cannot give, or a key that is not derived from its id.
        LayoutKey = "layout-key",
        /// A file of the upstream layout that has no place, the wrong role or media type, or is not listed.
        LayoutRole = "layout-role",
        /// A record file whose header is not that of its row.
        LayoutRecord = "layout-record",
        /// A text of the upstream layout with bytes that none may have.
        LayoutText = "layout-text",
        /// An order file that is not the projection of the documents.
        LayoutView = "layout-view",
        /// Documents of the upstream layout that contradict each other.
        LayoutRelation = "layout-relation",
        /// An account without its one row, or a row for none.
        LayoutActor = "layout-actor",
        /// A gap where there can be none, or none where there must be one.
        LayoutGap = "layout-gap",
        /// More than the collection allows.
        LayoutBound = "layout-bound",
    }
}

words! {
    /// Why it is damaged, as far as the bytes tell.
    Cause {
        /// The bytes are right once line ends are changed back.
        LineEndings = "line-endings",
        /// The bytes are right without, or with, one line end at the end.
        TrailingNewline = "trailing-newline",
        /// The bytes, or the name, are right in another Unicode normal form.
        UnicodeForm = "unicode-form",
        /// The name is there in another case.
        CaseCollision = "case-collision",
        /// The bytes end too early, and nothing else explains them.
        Truncated = "truncated",
        /// A pointer of git-lfs stands in the place of the content.
        LfsPointer = "lfs-pointer",
        /// The same JSON in another spelling.
        Reformatted = "reformatted",
        /// Nothing that the bytes tell.
        Unknown = "unknown",
    }
}

/// One damage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The path below the root; for `path-unsafe` as the index spells it.
    pub path: String,
    /// What is damaged.
    pub code: Code,
    /// What should be there: a digest, a size, a kind of file or a path.
    pub expected: Option<String>,
    /// What is there; `None` when nothing is.
    pub actual: Option<String>,
    /// Why, as far as the bytes tell.
    pub cause: Cause,
}

impl Finding {
    pub(super) fn new(code: Code, path: impl Into<String>) -> Self {
        Self { path: path.into(), code, expected: None, actual: None, cause: Cause::Unknown }
    }

    pub(super) fn expected(mut self, expected: impl ToString) -> Self {
        self.expected = Some(expected.to_string());
        self
    }

    pub(super) fn actual(mut self, actual: impl ToString) -> Self {
        self.actual = Some(actual.to_string());
        self
    }

    pub(super) fn cause(mut self, cause: Cause) -> Self {
        self.cause = cause;
        self
    }
}

impl fmt::Display for Finding {
    /// One line for people; what a hostile manifest says is escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code.as_str(), plain(&self.path, false))?;
        if let Some(expected) = &self.expected {
            write!(f, ": expected {}", plain(expected, false))?;
        }
        if let Some(actual) = &self.actual {
            write!(f, "{} found {}", if self.expected.is_some() { "," } else { ":" }, plain(actual, false))?;
        }
        if self.cause != Cause::Unknown {
            write!(f, " ({})", self.cause.as_str())?;
        }
        Ok(())
    }
}

words! {
    /// What is worth saying and is no damage.
    NoteCode {
        /// No digest and no commit was given.
        NotAuthenticated = "not-authenticated",
        /// Files below a directory whose index cannot be relied on.
        NotChecked = "not-checked",
        /// A tree of the upstream layout that another filter made.
        FilterUnknown = "filter-unknown",
        /// Elements that no observation names: what a crash leaves, or what a damaged observation named.
        UnreferencedElements = "unreferenced-elements",
        /// Elements that observations name and that were erased.
        ErasedElements = "erased-elements",
        /// A stage or snapshot that is whole, and that the facts of now do not give.
        FactsMoved = "facts-moved",
        /// A branch was checked that nobody named.
        BranchChecked = "branch-checked",
    }
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What about.
    pub code: NoteCode,
    /// How many; 0 where there is nothing to count.
    pub count: u64,
    /// The sentence for people.
    pub text: String,
}

impl Note {
    /// What cannot be authenticated, said of a tree that is consistent in itself or not.
    pub(super) fn not_authenticated(consistent: bool) -> Self {
        let how = if consistent { "consistent, not authenticated" } else { "not authenticated" };
        let text = format!("{how}: neither the digest of the index nor a commit was given");
        Self { code: NoteCode::NotAuthenticated, count: 0, text }
    }

    /// Takes back that the tree is consistent.
    fn retract(&mut self) {
        if self.code == NoteCode::NotAuthenticated {
            *self = Self::not_authenticated(false);
        }
    }
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// True when there is no finding.
    pub verified: bool,
    /// What the tree was authenticated by.
    pub anchor: Anchored,
    /// Files that were read.
    pub files: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// All damage, sorted by path and code.
    pub findings: Vec<Finding>,
    /// What else is worth saying.
    pub notes: Vec<Note>,
}

impl Report {
    /// Adds findings that the caller made by deriving the tree again.
    pub fn add(&mut self, findings: Vec<Finding>) {
        self.findings.extend(findings);
        self.findings.sort_by(|a, b| (&a.path, a.code.as_str()).cmp(&(&b.path, b.code.as_str())));
        self.findings.dedup();
        self.verified = self.findings.is_empty();
        if !self.verified {
            self.notes.iter_mut().for_each(Note::retract);
        }
    }

    /// Says that the facts give another snapshot than the whole one that is there, on a branch or under its root index, and why that may be.
    pub fn stale_snapshot(
        &mut self,
        path: &str,
        expected: Option<Digest>,
        actual: Option<Digest>,
        moved: Option<String>,
    ) {
        let digest = |digest: Option<Digest>| digest.map(|digest| digest.to_string());
        let (expected, actual) = (digest(expected), digest(actual));
        self.add(vec![Finding { expected, actual, ..Finding::new(Code::SnapshotStale, path) }]);
        self.notes.extend(moved.map(|text| Note { code: NoteCode::FactsMoved, count: 0, text }));
    }

    /// Says that the facts give another stage than the whole one that is there, and how that one can be made again.
    pub fn stale_stage(&mut self, expected: Digest, actual: Digest) {
        self.add(vec![Finding::new(Code::StageStale, index::NAME).expected(expected).actual(actual)]);
        let text = format!(
            "the stage is whole, and the facts of now give another one: stage --replay {actual} makes it again where it was recorded, \
             stage --at REV from the facts of then"
        );
        self.notes.push(Note { code: NoteCode::FactsMoved, count: 0, text });
    }
}

/// The word for what stands at a path.
pub(super) fn kind_name(kind: FileKind) -> &'static str {
    match kind {
        FileKind::File => "file",
        FileKind::Symlink => "symlink",
        FileKind::Submodule => "submodule",
        FileKind::Special => "special file",
    }
}
