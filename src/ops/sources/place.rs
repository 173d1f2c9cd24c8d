//! Where sources are collected: a work tree, or a plain directory that has no search; and what the card says about it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::git::worktree::{NotAWorktree, Worktree};
use crate::git::worktree_follow as follow;
use crate::git::worktree_read::{Content, Directory, Opened, read_whole};
use crate::ops::Error;
use crate::sources::card::{DOCUMENTS, HEAD_READ, Head, Surroundings};
use crate::sources::coverage::Diagnostic;
use crate::sources::{MAX_SOURCE, Rules};

/// The place, opened.
pub(super) enum Place {
    /// A git work tree.
    Worktree(Box<Worktree>),
    /// Anything else: it has a card and no search.
    Plain(Directory),
}

impl Place {
    /// Opens the place that holds a directory. By the safe rules what git refuses is refused too, with the remedy.
    pub(super) fn open(dir: &Path, rules: Rules) -> Result<Self, Error> {
        let refusal = match Worktree::open(dir) {
            Ok(worktree) => return Ok(Self::Worktree(Box::new(worktree))),
            Err(refusal) => refusal,
        };
        if rules == Rules::Safe {
            match refusal {
                NotAWorktree::Untrusted(ref path) => {
                    let hint = format!("git config --global --add safe.directory {}", path.display());
                    return Err(Error::new("repo-untrusted", refusal.to_string()).hint(hint));
                }
                NotAWorktree::Elsewhere(_) => {
                    let hint = "run in the directory that holds .git, without core.worktree";
                    return Err(Error::new("worktree-elsewhere", refusal.to_string()).hint(hint));
                }
                _ => {}
            }
        }
        let failed = |error: std::io::Error| Error::new("input-unreadable", format!("{}: {error}", dir.display()));
        let root = dir.canonicalize().map_err(failed)?;
        Directory::open(&root).map(Self::Plain).map_err(failed)
    }

    pub(super) fn worktree(&self) -> Option<&Worktree> {
        if let Self::Worktree(worktree) = self { Some(worktree) } else { None }
    }

    pub(super) fn directory(&self) -> &Directory {
        match self {
            Self::Worktree(worktree) => worktree.directory(),
            Self::Plain(directory) => directory,
        }
    }

    pub(super) fn root(&self) -> &Path {
        self.directory().root()
    }

    /// Reads one source whole, once.
    pub(super) fn read(&self, path: &str, rules: Rules) -> Result<String, Diagnostic> {
        if rules == Rules::OpenAgents {
            return follow::read_source(self.root(), path, MAX_SOURCE).map_err(excluded);
        }
        if crate::sources::candidates::plain_path(path).as_deref() != Some(path) {
            return Err(Diagnostic::NonRelative);
        }
        if in_git_directory(path) {
            return Err(Diagnostic::UnsafePath);
        }
        match self.directory().open_file(path.as_bytes()) {
            Opened::File(file) => match read_whole(file, MAX_SOURCE) {
                Content::Whole(bytes) => String::from_utf8(bytes).map_err(|_| Diagnostic::NotText),
                Content::TooLarge => Err(Diagnostic::Oversize),
                Content::Unreadable => Err(Diagnostic::NotText),
            },
            Opened::Missing | Opened::Unreadable => Err(Diagnostic::Unavailable),
            Opened::Linked { outside: true, .. } => Err(Diagnostic::Outside),
            Opened::Linked { outside: false, .. } => Err(Diagnostic::Linked),
            Opened::NotAFile => Err(Diagnostic::NotAFile),
        }
    }

    /// Those of some paths that are tracked. What else lies in a work tree may be private.
    pub(super) fn tracked<'p>(&self, paths: impl Iterator<Item = &'p str>) -> BTreeSet<&'p str> {
        self.worktree().and_then(|worktree| worktree.listed(paths).ok()).unwrap_or_default()
    }

    /// What the card says. `grants` are the only documents that may be quoted, when there is such a list.
    pub(super) fn surroundings(&self, rules: Rules, grants: Option<&BTreeSet<String>>) -> Surroundings {
        let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut top = self.list("", rules);
        let crates = top.iter().any(|(entry, _)| entry == b"crates");
        let mut members = if crates { self.list("crates", rules) } else { Vec::new() };
        top.retain(|(entry, _)| !entry.starts_with(b"."));
        members.retain(|(entry, is_directory)| *is_directory && !entry.starts_with(b"."));
        let document = |document: &'static str| match self.head(document, rules)? {
            Head::Bytes(_) if grants.is_some_and(|grants| !grants.contains(document)) => {
                Some((document, Head::Withheld))
            }
            head => Some((document, head)),
        };
        Surroundings {
            name: self.root().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            branch: self.worktree().and_then(Worktree::branch),
            members: members.iter().map(|(entry, _)| name(entry)).collect(),
            top_level: top
                .iter()
                .map(|(entry, dir)| format!("{}{}", name(entry), if *dir { "/" } else { "" }))
                .collect(),
            documents: DOCUMENTS.into_iter().filter_map(document).collect(),
        }
    }

    /// A directory that cannot be listed has no entries: the card makes no claim of being complete.
    fn list(&self, path: &str, rules: Rules) -> Vec<(Vec<u8>, bool)> {
        let below: PathBuf = self.root().join(path);
        let directory = match rules {
            Rules::OpenAgents => Directory::open(&below).and_then(|directory| directory.list(b"")),
            Rules::Safe => self.directory().list(path.as_bytes()),
        };
        directory.unwrap_or_default()
    }

    fn head(&self, document: &str, rules: Rules) -> Option<Head> {
        if rules == Rules::OpenAgents {
            return follow::head(&self.root().join(document), HEAD_READ as u64).map(Head::Bytes);
        }
        match self.directory().head(document.as_bytes(), HEAD_READ as u64) {
            Ok(bytes) => bytes.map(Head::Bytes),
            Err(Opened::Missing | Opened::Unreadable) => None,
            Err(_) => Some(Head::NotAFile),
        }
    }
}

/// Git's own directory, however its name is spelled: an index that somebody made may list what git would never add.
pub(super) fn in_git_directory(path: &str) -> bool {
    path.split('/').any(|name| name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1"))
}

fn excluded(excluded: follow::Excluded) -> Diagnostic {
    match excluded {
        follow::Excluded::NonRelative => Diagnostic::NonRelative,
        follow::Excluded::RootUnavailable => Diagnostic::RootUnavailable,
        follow::Excluded::Unavailable => Diagnostic::Unavailable,
        follow::Excluded::Outside => Diagnostic::Outside,
        follow::Excluded::MetadataUnavailable => Diagnostic::MetadataUnavailable,
        follow::Excluded::NotAFile => Diagnostic::NotAFile,
        follow::Excluded::NotText => Diagnostic::NotText,
        follow::Excluded::Oversize => Diagnostic::Oversize,
    }
}
