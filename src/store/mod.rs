//! Where the bytes lie: the only room that writes files.

pub mod dir;
pub mod facts;
pub mod layers;
pub mod layout;
pub mod lock;
pub mod mem;
pub mod only;
pub mod split;
pub mod write;

mod beneath;
mod whole;

use std::io;
use std::path::{Path, PathBuf};

/// Why a store or tree could not be opened, locked or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing stands where a store or tree should be.
    #[error("{path:?}: nothing is there")]
    Nothing {
        /// The path as given.
        path: PathBuf,
    },
    /// What stands there is a symbolic link or no directory.
    #[error("{path:?} is {found}, and no directory")]
    NotADirectory {
        /// The path as given.
        path: PathBuf,
        /// What stands there.
        found: &'static str,
    },
    /// What stands in a store where one of its directories should be.
    #[error("{path:?} is {found}, where a directory of the store should be")]
    InTheWay {
        /// The path below the top of the store.
        path: String,
        /// What stands there.
        found: &'static str,
    },
    /// A tree without the header of a store.
    #[error("docket.json is missing: this is not a git-docket store")]
    NoHeader,
    /// A header that is not one.
    #[error("docket.json is not the header of a git-docket store")]
    BadHeader,
    /// A store of a newer format.
    #[error("the store has format {0}; this program reads format 1")]
    Newer(u64),
    /// A file that is written once stands there with other bytes.
    #[error("{path:?} is there with other content, and is never overwritten")]
    Conflict {
        /// The path of the file.
        path: PathBuf,
    },
    /// The target of a tree exists and is not to be replaced.
    #[error("{path:?} exists")]
    Exists {
        /// The path of the target.
        path: PathBuf,
    },
    /// The target holds what we did not write.
    #[error("{path:?}: the target is not a tree that git-docket wrote: {what}")]
    Foreign {
        /// The path of the target.
        path: PathBuf,
        /// The first that is not ours.
        what: String,
    },
    /// The path of a target leads to another directory than when it was chosen.
    #[error(
        "{path:?}: what it lies in was moved, or a link put in its place, while the input was read; nothing was written"
    )]
    Moved {
        /// The path of the target.
        path: PathBuf,
    },
    /// A path that could leave its tree.
    #[error("{path:?} is not a safe path below a root")]
    UnsafePath {
        /// The path as given.
        path: String,
    },
    /// Another process holds the lock.
    #[error("{path:?} is locked by another process")]
    Locked {
        /// The locked file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{path:?}: {source}")]
    Io {
        /// What was read or written.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The announced step was refused; nothing was touched after it.
    #[error("{path:?}: stopped before a step: {source}")]
    Stopped {
        /// What would have been changed.
        path: PathBuf,
        /// The answer to the announcement.
        source: io::Error,
    },
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Nothing { .. } | Self::NoHeader => "store-missing",
            Self::NotADirectory { .. } | Self::InTheWay { .. } | Self::BadHeader => "store-invalid",
            Self::Newer(_) => "format-newer",
            Self::Conflict { .. } => "store-conflict",
            Self::Exists { .. } => "target-exists",
            Self::Foreign { .. } => "target-not-a-stage",
            Self::Moved { .. } => "target-moved",
            Self::UnsafePath { .. } => "path-unsafe",
            Self::Locked { .. } => "store-locked",
            Self::Io { .. } | Self::Stopped { .. } => "io",
        }
    }

    fn io(path: impl AsRef<Path>, source: impl Into<io::Error>) -> Self {
        Self::Io { path: path.as_ref().to_owned(), source: source.into() }
    }
}
