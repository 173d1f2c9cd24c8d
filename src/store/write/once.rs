//! Files that are written once: first all data reaches the disk, then the names appear, then the directories are flushed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{Gate, SYNC_EACH, create_dirs, create_file, rename_new, split_path, sweep, sync_all};
use crate::format::path::is_safe;
use crate::format::steps::{Step, Steps};
use crate::format::tree::MAX_FILE;
use crate::store::layout::parse_element_path;
use crate::store::{Error, beneath};

/// Files are handed to the disk in lots of so many, or of so many bytes, so that all cores write.
const LOT_FILES: usize = 512;
const LOT_BYTES: usize = 16 << 20;

/// Read and write for all, less what the umask takes: a store is a work tree like any other.
const FILE: Mode = Mode::RUSR.union(Mode::WUSR).union(Mode::RGRP).union(Mode::WGRP).union(Mode::ROTH).union(Mode::WOTH);
const DIR: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

/// Puts files below a root, none of which is ever overwritten.
///
/// Elements must be durable before the observations that name them: put the elements, [`Writer::flush`], put the observations, flush.
/// What was put and not flushed is gone when the writer is dropped. A file that is there already is taken for durable:
/// its writer flushed it, or was killed between giving it its name and flushing the directory.
pub struct Writer<'s> {
    root: OwnedFd,
    root_path: PathBuf,
    temp_dir: PathBuf,
    temp: Option<Temp>,
    gate: Gate<'s>,
    /// Path → size and temporary name of what is not in place yet.
    pending: BTreeMap<String, (usize, u64)>,
    lot: Vec<(u64, Vec<u8>)>,
    lot_bytes: usize,
    next: u64,
    failed: bool,
}

/// The directory of this writer's temporary files.
struct Temp {
    parent: OwnedFd,
    name: String,
    dir: OwnedFd,
    path: PathBuf,
}

impl<'s> Writer<'s> {
    /// A writer below `root`. Temporary files go to a directory of their own in `temp_dir`, which must be on the same
    /// file system and is made when it is needed; [`sweep`](super::sweep()) clears it of what a killed process left.
    ///
    /// # Errors
    /// As of [`DirTree::open`](crate::store::dir::DirTree::open).
    pub fn new(root: &Path, temp_dir: &Path, steps: &'s dyn Steps) -> Result<Self, Error> {
        Ok(Self {
            root: beneath::open_root(root)?,
            root_path: root.to_owned(),
            temp_dir: temp_dir.to_owned(),
            temp: None,
            gate: Gate::new(steps),
            pending: BTreeMap::new(),
            lot: Vec::new(),
            lot_bytes: 0,
            next: 0,
            failed: false,
        })
    }

    /// Takes a file. False when it is there already: with the same bytes, or, as the path of an element says what its
    /// bytes are, with the same size.
    ///
    /// # Errors
    /// [`Error::UnsafePath`], [`Error::Conflict`] when something else stands there, [`Error::Io`]. After an error the
    /// writer takes nothing more, and nothing that was pending gets its name.
    pub fn put(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<bool, Error> {
        self.guarded(|writer| writer.try_put(path, bytes.into()))
    }

    /// Makes everything that was put durable, in order: data, names, directories.
    ///
    /// # Errors
    /// [`Error::Io`] names the path; [`Error::Conflict`] when another writer was faster with other bytes.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.guarded(Self::try_flush)
    }

    /// Whether these bytes stand at a path already. Nothing is written.
    ///
    /// # Errors
    /// [`Error::Conflict`] when something else stands there, [`Error::Io`].
    pub fn stands(&self, path: &str, bytes: &[u8]) -> Result<bool, Error> {
        self.is_there(path, bytes)
    }

    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.failed {
            return Err(Error::io(&self.root_path, std::io::Error::other("an earlier write failed")));
        }
        let done = work(self);
        self.failed = done.is_err();
        done
    }

    fn try_put(&mut self, path: &str, bytes: Vec<u8>) -> Result<bool, Error> {
        if !is_safe(path) {
            return Err(Error::UnsafePath { path: path.chars().take(200).collect() });
        }
        if let Some(&(size, number)) = self.pending.get(path) {
            return self.check_pending(path, size, number, &bytes).map(|()| false);
        }
        if self.is_there(path, &bytes)? {
            return Ok(false);
        }
        self.pending.insert(path.to_owned(), (bytes.len(), self.next));
        self.lot_bytes += bytes.len();
        self.lot.push((self.next, bytes));
        self.next += 1;
        if self.lot.len() >= LOT_FILES || self.lot_bytes >= LOT_BYTES {
            self.write_lot()?;
        }
        Ok(true)
    }

    fn conflict(&self, path: &str) -> Error {
        Error::Conflict { path: self.root_path.join(path) }
    }

    fn io(&self, path: &str, errno: Errno) -> Error {
        Error::io(self.root_path.join(path), errno)
    }

    /// Whether the bytes stand at the path already.
    fn is_there(&self, path: &str, bytes: &[u8]) -> Result<bool, Error> {
        match same(self.root.as_fd(), path, bytes, parse_element_path(path).is_none()) {
            Ok(true) => Ok(true),
            Ok(false) | Err(Errno::LOOP | Errno::NOTDIR | Errno::NXIO) => Err(self.conflict(path)),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(self.io(path, errno)),
        }
    }

    /// Compares with a file that was put before and is not in place yet.
    fn check_pending(&self, path: &str, size: usize, number: u64, bytes: &[u8]) -> Result<(), Error> {
        let equal = size == bytes.len()
            && match (self.lot.iter().find(|(held, _)| *held == number), &self.temp) {
                (Some((_, held)), _) => held == bytes,
                (None, Some(temp)) => {
                    same(temp.dir.as_fd(), &number.to_string(), bytes, true).map_err(|errno| self.io(path, errno))?
                }
                (None, None) => false,
            };
        if equal { Ok(()) } else { Err(self.conflict(path)) }
    }

    /// Writes what is held in memory to temporary files.
    fn write_lot(&mut self) -> Result<(), Error> {
        if self.temp.is_none() {
            self.temp = Some(self.open_temp()?);
        }
        let Some(temp) = &self.temp else { return Ok(()) };
        let gate = &self.gate;
        self.lot.par_iter().with_min_len(16).try_for_each(|(number, bytes)| {
            let name = number.to_string();
            let path = temp.path.join(&name);
            gate.before(Step::Write, &path)?;
            create_file(temp.dir.as_fd(), &name, bytes, FILE).map(drop).map_err(|error| Error::io(path, error))
        })?;
        self.lot.clear();
        self.lot_bytes = 0;
        Ok(())
    }

    fn open_temp(&self) -> Result<Temp, Error> {
        let refused = |error| Error::io(&self.temp_dir, error);
        let inside = self.temp_dir.strip_prefix(&self.root_path).ok().and_then(Path::to_str);
        let parent = match inside {
            // Inside the root a link could be part of what a stranger sent.
            Some(below) => create_dirs(self.root.as_fd(), &self.root_path, below, Mode::RWXU, &mut |path| {
                self.gate.before(Step::Write, &self.root_path.join(path))
            })?,
            None => {
                self.gate.before(Step::Write, &self.temp_dir)?;
                std::fs::create_dir_all(&self.temp_dir).map_err(refused)?;
                beneath::open_root(&self.temp_dir)?
            }
        };
        self.gate.before(Step::Write, &self.temp_dir)?;
        let (name, dir) = sweep::create(parent.as_fd(), sweep::PREFIX).map_err(|errno| refused(errno.into()))?;
        let path = self.temp_dir.join(&name);
        Ok(Temp { parent, name, dir, path })
    }

    fn try_flush(&mut self) -> Result<(), Error> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.write_lot()?;
        let Some(temp) = &self.temp else { return Ok(()) };
        let each = self.pending.len() <= SYNC_EACH;
        if each {
            self.sync_files(temp)?
        } else {
            self.sync_root()?
        }
        let changed = self.give_names(temp)?;
        if each {
            self.sync_dirs(&changed)?
        } else {
            self.sync_root()?
        }
        self.pending.clear();
        Ok(())
    }

    fn sync_files(&self, temp: &Temp) -> Result<(), Error> {
        self.pending.values().par_bridge().try_for_each(|(_, number)| {
            let name = number.to_string();
            let path = temp.path.join(&name);
            self.gate.before(Step::Sync, &path)?;
            let flushed = beneath::open(temp.dir.as_fd(), name.as_bytes(), OFlags::RDONLY).and_then(fs::fdatasync);
            flushed.map_err(|errno| Error::io(path, errno))
        })
    }

    fn sync_root(&self) -> Result<(), Error> {
        self.gate.before(Step::Sync, &self.root_path)?;
        sync_all(self.root.as_fd()).map_err(|errno| Error::io(&self.root_path, errno))
    }

    fn sync_dirs(&self, dirs: &BTreeSet<String>) -> Result<(), Error> {
        dirs.par_iter().try_for_each(|dir| {
            self.gate.before(Step::Sync, &self.root_path.join(dir))?;
            let flushed = beneath::open(self.root.as_fd(), dir.as_bytes(), beneath::DIRECTORY).and_then(fs::fsync);
            flushed.map_err(|errno| self.io(dir, errno))
        })
    }

    /// Moves everything pending into place. Returns the directories that changed.
    fn give_names(&self, temp: &Temp) -> Result<BTreeSet<String>, Error> {
        let mut changed = BTreeSet::new();
        let mut open: Option<(&str, OwnedFd)> = None;
        for (path, &(_, number)) in &self.pending {
            let (dir, name) = split_path(path);
            let handle = match open.take() {
                Some((at, handle)) if at == dir => handle,
                _ => {
                    changed.insert(dir.to_owned());
                    create_dirs(self.root.as_fd(), &self.root_path, dir, DIR, &mut |made| {
                        changed.insert(split_path(made).0.to_owned());
                        self.gate.before(Step::Write, &self.root_path.join(made))
                    })?
                }
            };
            self.gate.before(Step::Rename, &self.root_path.join(path))?;
            match rename_new(temp.dir.as_fd(), number.to_string().as_ref(), handle.as_fd(), name.as_ref()) {
                Err(Errno::EXIST) => self.yield_to_faster(temp, path, number)?,
                done => done.map_err(|errno| self.io(path, errno))?,
            }
            open = Some((dir, handle));
        }
        Ok(changed)
    }

    /// Another writer has put a file there since we looked: that is well when it is the same file.
    fn yield_to_faster(&self, temp: &Temp, path: &str, number: u64) -> Result<(), Error> {
        let name = number.to_string();
        let ours = beneath::open(temp.dir.as_fd(), name.as_bytes(), OFlags::RDONLY)
            .and_then(|file| read_whole(file).map_err(|_| Errno::IO))
            .map_err(|errno| self.io(path, errno))?;
        if !same(self.root.as_fd(), path, &ours, true).map_err(|errno| self.io(path, errno))? {
            return Err(self.conflict(path));
        }
        self.gate.before(Step::Remove, &temp.path.join(&name))?;
        fs::unlinkat(&temp.dir, &name, AtFlags::empty()).map_err(|errno| self.io(path, errno))
    }
}

/// Whether a regular file has the size of some bytes and, when asked, the same bytes.
fn same(root: BorrowedFd<'_>, path: &str, bytes: &[u8], compare: bool) -> rustix::io::Result<bool> {
    let file = beneath::open(root, path.as_bytes(), OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    let stat = fs::fstat(&file)?;
    let fits = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
        && usize::try_from(stat.st_size).is_ok_and(|size| size == bytes.len());
    Ok(fits && (!compare || read_whole(file).is_ok_and(|held| held == bytes)))
}

fn read_whole(file: OwnedFd) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut held = Vec::new();
    std::fs::File::from(file).take(MAX_FILE).read_to_end(&mut held)?;
    Ok(held)
}

impl Drop for Writer<'_> {
    /// Clears the temporary files away, unless a step was refused.
    fn drop(&mut self) {
        let Some(temp) = &self.temp else { return };
        for number in self.pending.values().map(|(_, number)| number.to_string()) {
            if self.gate.before(Step::Remove, &temp.path.join(&number)).is_err() {
                return;
            }
            // What is left behind here is swept by the next writer's caller; there is nobody to tell.
            let _ = fs::unlinkat(&temp.dir, &number, AtFlags::empty());
        }
        if self.gate.before(Step::Remove, &temp.path).is_ok() {
            let _ = fs::unlinkat(&temp.parent, &temp.name, AtFlags::REMOVEDIR);
        }
    }
}
