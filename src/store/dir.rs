//! A tree that lies in a directory.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{Error, beneath};
use crate::format::tree::{FileKind, Show, Tree, TreeEntry};
use crate::system::{Dir, Kind, is_absence};

/// A directory, held open: renaming it or putting a link in its place does not change what is read.
///
/// Whoever knows that it is a work tree leaves out git's own part with [`DirTree::without_git`]. Sizes are not listed: asking for them costs more than the rest of the listing.
#[derive(Debug)]
pub struct DirTree {
    root: Dir,
    /// Whether `.git` at the top is left out.
    without_git: bool,
    /// Tells this tree from others in [`PARENT`].
    number: u64,
}

/// The directory that this thread last read a file from.
#[derive(Default)]
struct Parent {
    tree: u64,
    dir: String,
    handle: Option<Dir>,
}

thread_local! {
    static PARENT: RefCell<Parent> = RefCell::default();
}

impl DirTree {
    /// Opens a directory.
    ///
    /// # Errors
    /// [`Error::Nothing`], [`Error::NotADirectory`] (also for a symbolic link to one), [`Error::Io`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        beneath::open_root(path).map(Self::of)
    }

    /// A directory that is open.
    pub(super) fn of(root: Dir) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { root, without_git: false, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// The same without `.git` at the top: for a store, or a snapshot that is checked out, whose work tree this is.
    #[must_use]
    pub fn without_git(self) -> Self {
        Self { without_git: true, ..self }
    }

    /// Whether a path names something that may be part of the tree.
    fn is_inside(&self, path: &str) -> bool {
        beneath::stays_beneath(path) && !(self.without_git && path.split('/').next() == Some(GIT))
    }

    /// Opens a directory of the tree, `""` for the root; `None` when none stands there.
    fn open_dir(&self, path: &str) -> io::Result<Option<Dir>> {
        if !path.is_empty() && !self.is_inside(path) {
            return Ok(None);
        }
        match self.root.open(path.as_bytes()) {
            Ok(handle) => Ok(Some(handle)),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(named(path.as_bytes(), &error)),
        }
    }

    /// Opens a file. Neighbours are mostly read one after the other: from the second on, the directory is held open.
    fn open_file(&self, path: &str) -> io::Result<File> {
        let Some((dir, name)) = path.rsplit_once('/') else {
            return self.root.open_file(path.as_bytes());
        };
        PARENT.with_borrow_mut(|parent| {
            if parent.tree != self.number || parent.dir != dir {
                parent.tree = self.number;
                dir.clone_into(&mut parent.dir);
                parent.handle = None;
                return self.root.open_file(path.as_bytes());
            }
            let handle = match parent.handle.take() {
                Some(handle) => handle,
                None => self.root.open(dir.as_bytes())?,
            };
            let opened = handle.enter_file(name.as_bytes());
            parent.handle = Some(handle);
            opened
        })
    }

    /// Everything below an open directory, in the order of paths. Directories are opened from the one above, so that a
    /// long path is not walked for each; far down they are opened from the root, so that few are open at once.
    fn below(&self, handle: &Dir, dir: &[u8], depth: usize) -> io::Result<Vec<TreeEntry>> {
        let names = self.names(handle, dir)?;
        let directories = names.iter().filter(|name| name.kind.is_none()).count();
        let one = |name: &Name| match name.kind {
            Some(kind) => {
                let path = String::from_utf8_lossy(&name.path).into_owned();
                Ok(vec![TreeEntry { path, kind, bytes: None }])
            }
            None => self.directory(handle, name, depth),
        };
        if directories == 0 {
            return Ok(names.into_iter().filter_map(|name| name.kind.map(|kind| name.entry(kind))).collect());
        }
        // A directory that holds one other is a step on the way; splitting the work there only costs.
        let parts: Vec<Vec<TreeEntry>> = match directories {
            1 => names.iter().map(one).collect::<io::Result<_>>()?,
            _ => names.par_iter().map(one).collect::<io::Result<_>>()?,
        };
        Ok(parts.into_iter().flatten().collect())
    }

    fn directory(&self, above: &Dir, name: &Name, depth: usize) -> io::Result<Vec<TreeEntry>> {
        if depth >= MOST_OPEN {
            return self.far_below(&name.path);
        }
        self.enter(above, name)?.map_or(Ok(Vec::new()), |handle| self.below(&handle, &name.path, depth + 1))
    }

    /// The names in an open directory that are part of the tree.
    fn names(&self, handle: &Dir, dir: &[u8]) -> io::Result<Vec<Name>> {
        let mut names = read_names(handle, dir).map_err(|error| named(dir, &error))?;
        names.retain(|name| !self.is_left_out(dir, &name.path));
        Ok(names)
    }

    /// True for git's own part of a work tree.
    pub(super) fn is_left_out(&self, dir: &[u8], name: &[u8]) -> bool {
        self.without_git && dir.is_empty() && name == GIT.as_bytes()
    }

    /// Opens a directory from the one above; `None` when it vanished since that was read.
    pub(super) fn enter(&self, above: &Dir, name: &Name) -> io::Result<Option<Dir>> {
        match above.enter(name.last()) {
            Ok(handle) => Ok(Some(handle)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(named(&name.path, &error)),
        }
    }

    /// Everything below a directory far down, level by level: neither open directories nor the stack grow with the depth.
    pub(super) fn far_below(&self, dir: &[u8]) -> io::Result<Vec<TreeEntry>> {
        let (mut entries, mut level) = (Vec::new(), vec![dir.to_vec()]);
        while let Some(dir) = level.pop() {
            let handle = match self.root.open(&dir) {
                Ok(handle) => handle,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(named(&dir, &error)),
            };
            for name in read_names(&handle, &dir).map_err(|error| named(&dir, &error))? {
                let path = String::from_utf8_lossy(&name.path).into_owned();
                match name.kind {
                    Some(kind) => entries.push(TreeEntry { path, kind, bytes: None }),
                    None => level.push(name.path),
                }
            }
        }
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }
}

/// Where git keeps what is its own.
const GIT: &str = ".git";

/// From this depth on directories are opened from the root. Our own trees have fewer than twenty levels.
pub(super) const MOST_OPEN: usize = 32;

/// A name in a directory, by its true bytes.
pub(super) struct Name {
    /// The path below the root.
    pub path: Vec<u8>,
    /// What it is; none for a directory.
    pub kind: Option<FileKind>,
}

impl Name {
    /// The name itself.
    pub fn last(&self) -> &[u8] {
        self.path.rsplit(|byte| *byte == b'/').next().unwrap_or(&self.path)
    }

    /// The entry of what is no directory.
    pub fn entry(self, kind: FileKind) -> TreeEntry {
        let path = String::from_utf8(self.path).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
        TreeEntry { path, kind, bytes: None }
    }
}

/// What a name is in a tree; none for a directory.
pub(super) fn file_kind(kind: Kind) -> Option<FileKind> {
    match kind {
        Kind::Directory => None,
        Kind::File => Some(FileKind::File),
        Kind::Symlink => Some(FileKind::Symlink),
        Kind::Special => Some(FileKind::Special),
    }
}

/// The names in a directory, in the order of the paths that they begin.
fn read_names(handle: &Dir, dir: &[u8]) -> io::Result<Vec<Name>> {
    let mut names = Vec::new();
    handle.each_name(|name, kind| names.push(Name { path: join(dir, name), kind: file_kind(kind) }))?;
    // What is below a directory comes where its name with a slash would.
    let key = |name: &Name| {
        (name.path[dir.len()..].iter().copied().chain(name.kind.is_none().then_some(b'/'))).collect::<Vec<u8>>()
    };
    match names.len() {
        0 | 1 => {}
        _ if names.iter().all(|name| name.kind.is_some()) => names.sort_unstable_by(|a, b| a.path.cmp(&b.path)),
        _ => names.sort_by_cached_key(key),
    }
    Ok(names)
}

/// The path of a name in a directory.
pub(super) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    if dir.is_empty() { name.to_vec() } else { [dir, b"/", name].concat() }
}

/// An error that names the path.
pub(super) fn named(path: &[u8], error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", String::from_utf8_lossy(path)))
}

impl Tree for DirTree {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        let Some(handle) = self.open_dir(dir)? else { return Ok(Vec::new()) };
        let mut entries = self.below(&handle, dir.as_bytes(), 0)?;
        // Names that are not UTF-8 are shown in another spelling, which may belong elsewhere.
        if !entries.is_sorted_by(|a, b| a.path <= b.path) {
            entries.sort_by(|a, b| a.path.cmp(&b.path));
        }
        Ok(entries)
    }

    fn read_all(&self, dir: &str, limit: u64, show: &Show<'_>) -> io::Result<()> {
        self.open_dir(dir)?.map_or(Ok(()), |handle| self.show_below(&handle, dir.as_bytes(), 0, limit, show))
    }

    fn in_the_way(&self, path: &str) -> io::Result<Option<TreeEntry>> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for path in ends.map(|end| &path[..end]).take_while(|path| self.is_inside(path)) {
            match self.root.kind(path.as_bytes()).map(file_kind) {
                Ok(None) => {}
                Ok(Some(kind)) => return Ok(Some(TreeEntry { path: path.to_owned(), kind, bytes: None })),
                Err(error) if is_absence(&error) => return Ok(None),
                Err(error) => return Err(named(path.as_bytes(), &error)),
            }
        }
        Ok(None)
    }

    fn directories(&self, dir: &str) -> io::Result<BTreeSet<String>> {
        let Some(handle) = self.open_dir(dir)? else { return Ok(BTreeSet::new()) };
        let names = self.names(&handle, dir.as_bytes())?;
        let directories = names.iter().filter(|name| name.kind.is_none());
        Ok(directories.map(|name| String::from_utf8_lossy(name.last()).into_owned()).collect())
    }

    fn is_bare_directory(&self, path: &str) -> io::Result<bool> {
        Ok(!path.is_empty() && self.open_dir(path)?.is_some())
    }

    fn bare_directories(&self) -> io::Result<Vec<String>> {
        // Level by level, each directory with its place in the list of that above.
        let mut all: Vec<(Vec<u8>, usize, bool)> = vec![(Vec::new(), 0, false)];
        let mut at = 0;
        while at < all.len() {
            let dir = all[at].0.clone();
            let names = self.root.open(&dir).and_then(|handle| read_names(&handle, &dir));
            let names = names.map_err(|error| named(&dir, &error))?;
            for name in names {
                if self.is_left_out(&dir, &name.path) {
                    continue;
                }
                match name.kind {
                    None => all.push((name.path, at, false)),
                    Some(_) => all[at].2 = true,
                }
            }
            at += 1;
        }
        for at in (1..all.len()).rev() {
            let (above, has_files) = (all[at].1, all[at].2);
            all[above].2 |= has_files;
        }
        let bare = all.into_iter().skip(1).filter(|(_, _, has_files)| !has_files);
        Ok(bare.map(|(path, ..)| String::from_utf8_lossy(&path).into_owned()).collect())
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        if !self.is_inside(path) {
            return Ok(None);
        }
        let file = match self.open_file(path) {
            Ok(file) => file,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(named(path.as_bytes(), &error)),
        };
        let found = file.metadata().map_err(|error| named(path.as_bytes(), &error))?;
        if !found.is_file() {
            return Ok(None);
        }
        let size = found.len();
        let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("{path}: more than {limit} bytes"));
        if size > limit {
            return Err(too_large());
        }
        // A file that says it is empty may not be (some file systems are made up as they are read), so only there the end is looked for.
        let most = if size == 0 { limit.saturating_add(1) } else { size };
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.take(most).read_to_end(&mut bytes).map_err(|error| named(path.as_bytes(), &error))?;
        if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(Some(bytes)) }
    }
}
