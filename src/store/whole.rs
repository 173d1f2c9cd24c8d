//! Reading all of a directory in one pass: each file is opened from its directory, as soon as its name is known.

use std::cell::Cell;
use std::io;

use rayon::prelude::*;
use rustix::buffer::spare_capacity;
use rustix::fd::OwnedFd;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;

use super::beneath;
use super::dir::{DirTree, MOST_OPEN, Name, named};
use crate::format::tree::{FileKind, Show, show_one};

/// Most files of a store fit, so that a thread reads them all into the same bytes.
const BUFFER: usize = 64 << 10;

/// So few names of a directory are not worth sharing among threads.
const FEW: usize = 8;

thread_local! {
    static HELD: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl DirTree {
    /// Shows everything below an open directory.
    pub(super) fn show_below(
        &self,
        handle: &OwnedFd,
        dir: &[u8],
        depth: usize,
        limit: u64,
        show: &Show<'_>,
    ) -> io::Result<()> {
        let names = self.names(handle, dir)?;
        names.into_par_iter().with_min_len(FEW).try_for_each(|name| match name.kind {
            Some(kind) => {
                show_name(handle, name, kind, limit, show);
                Ok(())
            }
            None if depth >= MOST_OPEN => {
                self.far_below(&name.path)?.into_iter().for_each(|entry| show_one(self, entry, limit, show));
                Ok(())
            }
            None => match self.enter(handle, &name)? {
                Some(below) => self.show_below(&below, &name.path, depth + 1, limit, show),
                None => Ok(()),
            },
        })
    }
}

/// Shows one name. Its type is known from its directory, so that the open file is not asked again.
fn show_name(dir: &OwnedFd, name: Name, kind: FileKind, limit: u64, show: &Show<'_>) {
    let mut bytes = HELD.take();
    let there = match kind {
        FileKind::File => read(dir, &name, limit, &mut bytes),
        _ => Ok(false),
    };
    show(name.entry(kind), there.map(|there| there.then_some(bytes.as_slice())));
    // One huge file must not stay in memory for ever.
    bytes.shrink_to(BUFFER);
    HELD.set(bytes);
}

/// Reads a file; false when it has vanished, or something else has taken its place.
fn read(dir: &OwnedFd, name: &Name, limit: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match fs::openat(dir, name.last(), flags, Mode::empty()) {
        Ok(file) => file,
        Err(errno) if beneath::is_absence(errno) => return Ok(false),
        Err(errno) => return Err(named(&name.path, errno)),
    };
    bytes.clear();
    loop {
        if bytes.len() == bytes.capacity() {
            bytes.reserve(BUFFER);
        }
        match rustix::io::read(&file, spare_capacity(bytes)) {
            Ok(0) => return Ok(true),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(named(&name.path, errno)),
        }
        if bytes.len() as u64 > limit {
            let message = format!("{}: more than {limit} bytes", String::from_utf8_lossy(&name.path));
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
    }
}
