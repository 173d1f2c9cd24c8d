//! The only room that knows gix: reading revisions, writing packs and commits, moving refs.
//!
//! Nothing here starts a process, runs a hook or filter, or follows configuration that changes bytes: objects are read
//! and written as they are. gix never syncs, so everything that must survive a power cut is written and synced here.

use std::io;
use std::path::{Path, PathBuf};

mod checkout;
mod codes;
mod commit;
mod deflate;
mod diff;
mod dir;
mod edit;
mod idx;
mod index;
mod init;
mod lock;
mod object;
mod odb;
mod open;
mod pack;
mod present;
mod reference;
mod revision;
mod sparse;
mod tree;
mod writer;

pub mod search;
pub mod worktree;
pub mod worktree_follow;
pub mod worktree_read;
pub mod worktree_rename;
pub mod worktree_revision;

pub use checkout::branch_name;
pub use commit::Identity;
pub use diff::{Change, Side};
pub use index::{Move, Staged};
pub use object::{NotAnOid, Oid};
pub use open::{Repo, inside_git_dir, inside_work_tree, is_git_dir};
pub use revision::{Branch, Commit};
pub use tree::RevTree;
pub use writer::PackWriter;

/// The result of everything in this room.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something could not be done with a repository.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No repository where one was said to be.
    #[error("{}: not a git repository", path.display())]
    NotARepository {
        /// Where it should be.
        path: PathBuf,
    },
    /// A repository is there already.
    #[error("{}: a git repository is there already", path.display())]
    RepositoryExists {
        /// Its git directory.
        path: PathBuf,
    },
    /// The repository belongs to somebody else; git refuses it too.
    #[error("{}: the repository is owned by somebody else", path.display())]
    Untrusted {
        /// What `safe.directory` has to name.
        path: PathBuf,
    },
    /// References are kept in the reftable format, which cannot be read here.
    #[error("{}: the repository keeps its references as reftable, which is not supported", path.display())]
    Reftable {
        /// The git directory.
        path: PathBuf,
    },
    /// The repository uses a feature whose meaning is not known here.
    #[error("{}: not supported: {what}", path.display())]
    Unsupported {
        /// The file or directory in question.
        path: PathBuf,
        /// The feature.
        what: String,
    },
    /// The index is in the sparse format, and a directory that is written to is folded there.
    #[error("the index is sparse, and {dir} is folded in it, where files are to be recorded")]
    SparseIndex {
        /// The directory.
        dir: String,
    },
    /// An object that is referred to is not in the repository.
    #[error("object {id} is missing{}", if *incomplete { " (the clone is partial or shallow)" } else { "" })]
    ObjectMissing {
        /// Which.
        id: Oid,
        /// Whether the clone is partial or shallow, so that this is no damage.
        incomplete: bool,
    },
    /// An object cannot be decoded, or is not of the kind that its place requires.
    #[error("object {id} is invalid: {reason}")]
    ObjectInvalid {
        /// Which.
        id: Oid,
        /// What is wrong.
        reason: String,
    },
    /// A tree is deeper or has more paths than is read at once.
    #[error("tree {id} is too large: more than {limit}")]
    TreeTooLarge {
        /// The tree.
        id: Oid,
        /// The limit that it exceeds.
        limit: String,
    },
    /// A text that is no revision, or not a single commit.
    #[error("revision {rev}: {reason}")]
    RevisionInvalid {
        /// The text.
        rev: String,
        /// Why not.
        reason: String,
    },
    /// A reference name that is malformed, in conflict with another, or that names several things.
    #[error("ref {name}: {reason}")]
    RefInvalid {
        /// The name.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A branch that is to be moved without a work tree is checked out in one.
    #[error("{name} is checked out in {}", path.display())]
    CheckedOut {
        /// Its full name.
        name: String,
        /// The work tree.
        path: PathBuf,
    },
    /// A reference does not have the expected value: somebody else was faster.
    #[error("ref {name} moved: expected {}, found {}", shown(*expected), shown(*found))]
    RefMoved {
        /// Its full name.
        name: String,
        /// The value it should have had; `None`: it should not have existed.
        expected: Option<Oid>,
        /// The value it has.
        found: Option<Oid>,
    },
    /// Another process holds a lock file, or left it behind: which of the two cannot be known, so it is never removed.
    #[error("{}: locked by another process", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// A path that cannot stand in a tree, or that is in conflict with another.
    #[error("path {path}: {reason}")]
    PathInvalid {
        /// The path.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The file system failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// How.
        source: io::Error,
    },
    /// git's own files could not be read.
    #[error("{}: {reason}", path.display())]
    Git {
        /// The repository.
        path: PathBuf,
        /// What gix says.
        reason: String,
    },
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotARepository { .. } => "repo-not-found",
            Self::RepositoryExists { .. } => "repo-exists",
            Self::Untrusted { .. } => "repo-untrusted",
            Self::Reftable { .. } => "repo-reftable",
            Self::Unsupported { .. } | Self::SparseIndex { .. } => "repo-unsupported",
            Self::ObjectMissing { .. } => "object-missing",
            Self::ObjectInvalid { .. } => "object-invalid",
            Self::TreeTooLarge { .. } => "tree-too-large",
            Self::RevisionInvalid { .. } => "revision-invalid",
            Self::RefInvalid { .. } => "ref-invalid",
            Self::CheckedOut { .. } => "branch-checked-out",
            Self::RefMoved { .. } => "ref-moved",
            Self::Locked { .. } => "repo-locked",
            Self::PathInvalid { .. } => "path-invalid",
            Self::Io { .. } => "io",
            Self::Git { .. } => "repo-invalid",
        }
    }

    /// What a person can do about it, where that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Untrusted { path } => {
                Some(format!("if you trust it: git config --global --add safe.directory '{}'", path.display()))
            }
            Self::Reftable { .. } => Some("git refs migrate --ref-format=files converts it".to_owned()),
            Self::SparseIndex { .. } => {
                Some("git sparse-checkout reapply --no-sparse-index unfolds the index".to_owned())
            }
            Self::ObjectMissing { incomplete: true, .. } => {
                Some("git fetch --unshallow, or git fetch --refetch --no-filter, completes the clone".to_owned())
            }
            Self::CheckedOut { path, .. } => {
                Some(format!("facts are filed in that work tree: --store '{}' without --ref", path.display()))
            }
            Self::Locked { .. } => Some("another git process is running; try again when it has ended".to_owned()),
            _ => None,
        }
    }

    /// An error of the file system at a path.
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// An error of gix about the repository at a path.
    fn git(path: &Path, error: gix::Error) -> Self {
        let mut reason = String::new();
        for cause in error.iter_errors().map(ToString::to_string) {
            if !reason.contains(&cause) {
                reason += if reason.is_empty() { "" } else { ": " };
                reason += &cause;
            }
        }
        Self::Git { path: path.to_owned(), reason }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::ObjectMissing { .. } => io::ErrorKind::NotFound,
            Error::Io { source, .. } => source.kind(),
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}

fn shown(id: Option<Oid>) -> String {
    id.map_or_else(|| "nothing".to_owned(), |id| id.to_string())
}
