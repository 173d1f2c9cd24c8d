//! Reading all of a directory in one pass: each file is opened from its directory, as soon as its name is known.

use std::borrow::Cow;
use std::cell::Cell;
use std::io;

use rayon::prelude::*;

use super::dir::{DirTree, MOST_OPEN, Name, file_kind, join, named};
use crate::format::tree::{FileKind, Show, TreeEntry, show_one};
use crate::system::{Dir, is_absence, read_some};

/// Most files of a store fit, so that a thread reads them all into the same bytes.
const BUFFER: usize = 64 << 10;

/// So many bytes a thread keeps for the next file: new ones cost more than to hash what is read into them.
const KEPT: usize = 8 << 20;

/// So few names of a directory are not worth sharing among threads.
const FEW: usize = 8;

/// So many are shared: a thread that is done would wait for another's large files, with small ones behind them.
const MANY: usize = 2 * FEW;

thread_local! {
    /// The path and the bytes of a file, used again for the next.
    static HELD: Cell<(String, Vec<u8>)> = const { Cell::new((String::new(), Vec::new())) };
}

/// The names of a directory, one behind the other.
#[derive(Default)]
struct Names {
    text: Vec<u8>,
    /// Where each ends, and what it is: none for a directory.
    ends: Vec<(usize, Option<FileKind>)>,
}

impl Names {
    fn at(&self, at: usize) -> (&[u8], Option<FileKind>) {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, kind) = self.ends[at];
        (&self.text[start..end], kind)
    }
}

impl DirTree {
    /// Shows everything below an open directory.
    pub(super) fn show_below(
        &self,
        handle: &Dir,
        dir: &[u8],
        depth: usize,
        limit: u64,
        show: &Show<'_>,
    ) -> io::Result<()> {
        let mut names = Names::default();
        let read = handle.each_name(|name, kind| {
            if !self.is_left_out(dir, name) {
                names.text.extend_from_slice(name);
                names.ends.push((names.text.len(), file_kind(kind)));
            }
        });
        read.map_err(|error| named(dir, &error))?;
        let shown = text(dir);
        let one = |at: usize| {
            let (name, kind) = names.at(at);
            let Some(kind) = kind else {
                return self.show_directory(handle, Name { path: join(dir, name), kind }, depth, limit, show);
            };
            show_name(handle, &shown, name, kind, limit, show);
            Ok(())
        };
        match names.ends.len() {
            count @ ..=FEW => (0..count).try_for_each(one),
            count => (0..count).into_par_iter().with_min_len(FEW).with_max_len(MANY).try_for_each(one),
        }
    }

    fn show_directory(&self, above: &Dir, name: Name, depth: usize, limit: u64, show: &Show<'_>) -> io::Result<()> {
        if depth >= MOST_OPEN {
            self.far_below(&name.path)?.iter().for_each(|entry| show_one(self, entry, limit, show));
            return Ok(());
        }
        match self.enter(above, &name)? {
            Some(below) => self.show_below(&below, &name.path, depth + 1, limit, show),
            None => Ok(()),
        }
    }
}

/// A name that can be shown.
fn text(name: &[u8]) -> Cow<'_, str> {
    // Looked at as a whole first, which is faster than piece by piece.
    str::from_utf8(name).map_or_else(|_| String::from_utf8_lossy(name), Cow::Borrowed)
}

/// Shows one name. Its type is known from its directory, so that the open file is not asked again.
fn show_name(above: &Dir, dir: &str, name: &[u8], kind: FileKind, limit: u64, show: &Show<'_>) {
    let (mut path, mut bytes) = HELD.take();
    path.clear();
    if !dir.is_empty() {
        path.push_str(dir);
        path.push('/');
    }
    path.push_str(&text(name));
    let there = match kind {
        FileKind::File => read(above, name, &path, limit, &mut bytes),
        _ => Ok(false),
    };
    let entry = TreeEntry { path, kind, bytes: None };
    show(&entry, there.map(|there| there.then_some(bytes.as_slice())));
    // One huge file must not stay in memory for ever.
    bytes.shrink_to(KEPT);
    HELD.set((entry.path, bytes));
}

/// Reads a file; false when it has vanished, or something else has taken its place. A read that does not fill the room that
/// it has is taken for the last one of a regular file: a store would pay 50,000 times for asking.
fn read(above: &Dir, name: &[u8], path: &str, limit: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let file = match above.enter_file(name) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => return Ok(false),
        Err(error) => return Err(named(path.as_bytes(), &error)),
    };
    bytes.clear();
    loop {
        if bytes.len() == bytes.capacity() {
            bytes.reserve(BUFFER);
        }
        let room = bytes.capacity() - bytes.len();
        let read = match read_some(&file, bytes) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(named(path.as_bytes(), &error)),
        };
        if bytes.len() as u64 > limit {
            let message = format!("{path}: more than {limit} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        if read < room {
            return Ok(true);
        }
    }
}
