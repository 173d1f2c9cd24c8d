//! One small trait for reading a tree of files, wherever it lies: a directory or a git revision.

use std::collections::BTreeSet;
use std::io;

use rayon::prelude::*;

/// What stands at a path, looked at without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file (in a revision: a blob that is not a link).
    File,
    /// A symbolic link.
    Symlink,
    /// A directory that cannot be walked as part of the tree: a submodule.
    Submodule,
    /// A device, pipe or socket.
    Special,
}

/// One path of a tree. Directories are not listed, only what stands in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The path below the root, with `/` between segments. A name that is not UTF-8 is shown with U+FFFD.
    pub path: String,
    /// What stands there.
    pub kind: FileKind,
    /// The size in bytes where it is known without reading; `None` in a revision.
    pub bytes: Option<u64>,
}

/// What is shown of an entry when a tree is read whole: what stands there, and its bytes as [`Tree::read`] gives them.
pub type Show<'s> = dyn Fn(&TreeEntry, io::Result<Option<&[u8]>>) + Sync + 's;

/// A tree of files that can be read; `Sync`, since verification reads with all cores.
pub trait Tree: Sync {
    /// All entries below a directory (`""` is the root), sorted by the bytes of their path. A directory that does not exist has none.
    ///
    /// # Errors
    /// When the tree cannot be read; a missing object of a partial clone is named.
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>>;

    /// The bytes of a regular file; `None` when nothing or something else stands there. Links are never followed,
    /// also not as a directory on the way.
    ///
    /// # Errors
    /// When the tree cannot be read, or the file is larger than `limit` bytes ([`io::ErrorKind::FileTooLarge`]).
    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>>;

    /// Shows every entry of [`Tree::list`] once, with its bytes as [`Tree::read`] gives them, on all cores and in no order: for who reads
    /// all of it anyway. A file may be shown cut, where a file system answers a read with less than there is: who misses some of its bytes
    /// asks for it by itself ([`show_one`]), and only what it lacks then is missing.
    ///
    /// # Errors
    /// When the tree cannot be listed, perhaps after some of it was shown; what a read comes to is shown, an error too.
    fn read_all(&self, dir: &str, limit: u64, show: &Show<'_>) -> io::Result<()> {
        self.list(dir)?.into_par_iter().for_each(|entry| show_one(self, &entry, limit, show));
        Ok(())
    }

    /// What is no directory and stands at a path, or in the place of a directory on the way to it; `None` when nothing does. A
    /// listing of what lies below is empty then, as where nothing was ever put. Whoever can ask for one path need not list all.
    ///
    /// # Errors
    /// When it cannot be asked for.
    fn in_the_way(&self, path: &str) -> io::Result<Option<TreeEntry>> {
        let is_on_the_way = |entry: &TreeEntry| is_at_or_below(path, &entry.path);
        Ok(self.list("")?.into_iter().find(is_on_the_way))
    }

    /// The names of the directories right below one (`""` is the root): all that have files below them, and perhaps others.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn directories(&self, dir: &str) -> io::Result<BTreeSet<String>> {
        let below = if dir.is_empty() { 0 } else { dir.len() + 1 };
        let listed = self.list(dir)?;
        let names = listed.iter().filter_map(|entry| entry.path.get(below..)?.split_once('/'));
        Ok(names.map(|(name, _)| name.to_owned()).collect())
    }

    /// Whether a directory without files stands at a path, which no listing shows. Revisions have none.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn is_bare_directory(&self, path: &str) -> io::Result<bool> {
        let _ = path;
        Ok(false)
    }

    /// The directories below the root without any file below them, those above before those in them. Revisions have none.
    ///
    /// # Errors
    /// When the tree cannot be read.
    fn bare_directories(&self) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// Whether a path is another or lies below it.
fn is_at_or_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Reads one entry by itself, and shows it.
pub fn show_one(tree: &(impl Tree + ?Sized), entry: &TreeEntry, limit: u64, show: &Show<'_>) {
    match entry.kind {
        FileKind::File => match tree.read(&entry.path, limit) {
            Ok(bytes) => show(entry, Ok(bytes.as_deref())),
            Err(error) => show(entry, Err(error)),
        },
        _ => show(entry, Ok(None)),
    }
}

/// The largest file that is read whole: nothing that git-docket writes comes near.
pub const MAX_FILE: u64 = 1 << 30;
