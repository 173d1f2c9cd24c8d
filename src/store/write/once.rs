//! Files that are written once: first all data reaches the disk, then the names appear, then the directories are flushed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{Gate, create_dirs, split_path, sweep};
use crate::format::path::{is_safe, slashed};
use crate::format::steps::{Step, Steps};
use crate::format::tree::MAX_FILE;
use crate::store::layout::parse_element_path;
use crate::store::{Error, beneath};
use crate::system::{Dir, FLUSHED_EACH, is_absence};

/// Files are handed to the disk in lots of so many, or of so many bytes, so that all cores write.
const LOT_FILES: usize = 512;
const LOT_BYTES: usize = 16 << 20;

/// Read and write for all, less what the umask takes: a store is a work tree like any other.
const FILE: u32 = 0o666;
const DIR: u32 = 0o777;

/// Puts files below a root, none of which is ever overwritten.
///
/// Elements must be durable before the observations that name them: put the elements, [`Writer::flush`], put the observations, flush.
/// What was put and not flushed is gone when the writer is dropped. A file that is there already is taken for durable:
/// its writer flushed it, or was killed between giving it its name and flushing the directory.
pub struct Writer<'s> {
    root: Dir,
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
    parent: Dir,
    name: String,
    dir: Dir,
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

    fn io(&self, path: &str, error: io::Error) -> Error {
        Error::io(self.root_path.join(path), error)
    }

    /// Whether the bytes stand at the path already.
    fn is_there(&self, path: &str, bytes: &[u8]) -> Result<bool, Error> {
        match same(&self.root, path, bytes, parse_element_path(path).is_none()) {
            Ok(true) => Ok(true),
            Ok(false) => Err(self.conflict(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            // A link, a pipe or a file stands where none may.
            Err(error) if is_absence(&error) && error.kind() != ErrorKind::InvalidFilename => Err(self.conflict(path)),
            Err(error) => Err(self.io(path, error)),
        }
    }

    /// Compares with a file that was put before and is not in place yet.
    fn check_pending(&self, path: &str, size: usize, number: u64, bytes: &[u8]) -> Result<(), Error> {
        let equal = size == bytes.len()
            && match (self.lot.iter().find(|(held, _)| *held == number), &self.temp) {
                (Some((_, held)), _) => held == bytes,
                (None, Some(temp)) => {
                    let name = number.to_string();
                    same(&temp.dir, &name, bytes, true).map_err(|error| Error::io(temp.path.join(&name), error))?
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
            temp.dir.create_file(name.as_bytes(), bytes, FILE).map(drop).map_err(|error| Error::io(path, error))
        })?;
        self.lot.clear();
        self.lot_bytes = 0;
        Ok(())
    }

    fn open_temp(&self) -> Result<Temp, Error> {
        let refused = |error| Error::io(&self.temp_dir, error);
        let inside = self.temp_dir.strip_prefix(&self.root_path).ok().map(slashed);
        let parent = match inside {
            // Inside the root a link could be part of what a stranger sent.
            Some(below) => create_dirs(&self.root, &self.root_path, &below, 0o700, &mut |path| {
                self.gate.before(Step::Write, &self.root_path.join(path))
            })?,
            None => {
                self.gate.before(Step::Write, &self.temp_dir)?;
                std::fs::create_dir_all(&self.temp_dir).map_err(refused)?;
                beneath::open_root(&self.temp_dir)?
            }
        };
        self.gate.before(Step::Write, &self.temp_dir)?;
        let (name, dir) = sweep::create(&parent, sweep::PREFIX).map_err(refused)?;
        let path = self.temp_dir.join(&name);
        Ok(Temp { parent, name, dir, path })
    }

    fn try_flush(&mut self) -> Result<(), Error> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.write_lot()?;
        let Some(temp) = &self.temp else { return Ok(()) };
        let each = self.pending.len() <= FLUSHED_EACH;
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
            temp.dir.sync_file(name.as_bytes()).map_err(|error| Error::io(path, error))
        })
    }

    fn sync_root(&self) -> Result<(), Error> {
        self.gate.before(Step::Sync, &self.root_path)?;
        self.root.sync_all().map_err(|error| Error::io(&self.root_path, error))
    }

    fn sync_dirs(&self, dirs: &BTreeSet<String>) -> Result<(), Error> {
        dirs.par_iter().try_for_each(|dir| {
            self.gate.before(Step::Sync, &self.root_path.join(dir))?;
            let flushed = self.root.open(dir.as_bytes()).and_then(|open| open.sync());
            flushed.map_err(|error| self.io(dir, error))
        })
    }

    /// Moves everything pending into place. Returns the directories that changed.
    fn give_names(&self, temp: &Temp) -> Result<BTreeSet<String>, Error> {
        let mut changed = BTreeSet::new();
        let mut open: Option<(&str, Dir)> = None;
        for (path, &(_, number)) in &self.pending {
            let (dir, name) = split_path(path);
            let handle = match open.take() {
                Some((at, handle)) if at == dir => handle,
                _ => {
                    changed.insert(dir.to_owned());
                    create_dirs(&self.root, &self.root_path, dir, DIR, &mut |made| {
                        changed.insert(split_path(made).0.to_owned());
                        self.gate.before(Step::Write, &self.root_path.join(made))
                    })?
                }
            };
            self.gate.before(Step::Rename, &self.root_path.join(path))?;
            match temp.dir.rename_new(number.to_string().as_bytes(), &handle, name.as_bytes()) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => self.yield_to_faster(temp, path, number)?,
                done => done.map_err(|error| self.io(path, error))?,
            }
            open = Some((dir, handle));
        }
        Ok(changed)
    }

    /// Another writer has put a file there since we looked: that is well when it is the same file.
    fn yield_to_faster(&self, temp: &Temp, path: &str, number: u64) -> Result<(), Error> {
        let name = number.to_string();
        let own = |error| Error::io(temp.path.join(&name), error);
        let ours = temp.dir.enter_file(name.as_bytes()).and_then(read_whole).map_err(own)?;
        if !same(&self.root, path, &ours, true).map_err(|error| self.io(path, error))? {
            return Err(self.conflict(path));
        }
        self.gate.before(Step::Remove, &temp.path.join(&name))?;
        temp.dir.remove_file(name.as_bytes()).map_err(own)
    }
}

/// Whether a regular file has the size of some bytes and, when asked, the same bytes.
fn same(root: &Dir, path: &str, bytes: &[u8], compare: bool) -> io::Result<bool> {
    let file = root.open_file(path.as_bytes())?;
    let found = file.metadata()?;
    let fits = found.is_file() && found.len() == bytes.len() as u64;
    Ok(fits && (!compare || read_whole(file)? == bytes))
}

fn read_whole(file: File) -> io::Result<Vec<u8>> {
    let mut held = Vec::new();
    file.take(MAX_FILE).read_to_end(&mut held)?;
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
            let _ = temp.dir.remove_file(number.as_bytes());
        }
        if self.gate.before(Step::Remove, &temp.path).is_ok() {
            let _ = temp.parent.remove_dir(temp.name.as_bytes());
        }
    }
}
