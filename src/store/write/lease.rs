//! Leases: a stage that belongs to a run has a file beside it that says so, locked as long as the run lives.
//!
//! The lock ends with the last process that holds it, however that ends. Whoever finds the file unlocked knows that nobody uses
//! the stage any more.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, AtFlags, Dir, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::remove::Removal;
use super::sweep::is_at;
use super::{Gate, parent_of};
use crate::format::digest::Digest;
use crate::format::steps::{Step, Steps};
use crate::store::{Error, beneath};

/// The beginning of the names of lease files; behind it stand 32 hex digits of the digest of the target's name.
const PREFIX: &str = ".docket-lease-";

/// The most bytes of a lease that are read; names of files are shorter.
const MAX_BYTES: u64 = 4096;

/// The sole use of a target.
#[derive(Debug)]
pub struct Lease {
    file: File,
    parent: OwnedFd,
    target: PathBuf,
    note: Note,
}

/// What stands in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    /// The name of the stage, beside the file.
    dir: String,
    /// Which directory that is, once it is there.
    is: Option<Is>,
}

/// What tells a directory from every other: a file system gives the number of one that is gone to the next, but not its birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Is {
    device: u64,
    inode: u64,
    /// In nanoseconds since 1970, where the file system tells it.
    born: Option<u64>,
}

/// What became of the leases in a directory.
#[derive(Debug, Default)]
pub struct Scavenged {
    /// Names of the stages that were removed.
    pub removed: Vec<String>,
    /// How many are in use.
    pub in_use: u64,
    /// Why the first that could not be removed could not be.
    pub failed: Option<Error>,
}

impl Lease {
    /// Takes a target for this process alone. What a dead run left there is removed.
    ///
    /// # Errors
    /// [`Error::Locked`] while another run has it, [`Error::UnsafePath`] for a name that is not UTF-8, [`Error::Io`].
    pub fn take(target: &Path, steps: &dyn Steps) -> Result<Self, Error> {
        let (parent, name) = parent_of(target)?;
        let dir = name.to_str().ok_or_else(|| Error::UnsafePath { path: target.display().to_string() })?.to_owned();
        let gate = Gate::new(steps);
        gate.before(Step::Write, target)?;
        let file_name = file_name(&dir);
        loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = fs::openat(&parent, &file_name, flags, Mode::RUSR | Mode::WUSR);
            let file = File::from(file.map_err(|errno| Error::io(target, errno))?);
            if !is_own(&file) {
                let what = format!("{file_name} beside it is not a file of this user");
                return Err(Error::Foreign { path: target.to_owned(), what });
            }
            match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => return Err(Error::Locked { path: target.to_owned() }),
                locked => locked.map_err(|errno| Error::io(target, errno))?,
            }
            // The one who had it may have given it up meanwhile, name and all.
            if !is_at(parent.as_fd(), file_name.as_bytes(), &file).map_err(|errno| Error::io(target, errno))? {
                continue;
            }
            let old = read(&file);
            let mut lease = Self {
                file,
                parent,
                target: target.to_owned(),
                note: old.unwrap_or(Note { dir: dir.clone(), is: None }),
            };
            if lease.note.dir == dir && lease.note.is.is_some_and(|is| is.born.is_some()) {
                lease.remove_stage(steps)?;
            }
            lease.note = Note { dir, is: None };
            lease.write()?;
            return Ok(lease);
        }
    }

    /// Notes which directory stands at the target now: the one that this run made.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn bind(&mut self) -> Result<(), Error> {
        let io = |errno: Errno| Error::io(&self.target, errno);
        let dir = beneath::open(self.parent.as_fd(), self.note.dir.as_bytes(), beneath::DIRECTORY).map_err(io)?;
        self.note.is = Some(identity(dir).map_err(|error| Error::io(&self.target, error))?);
        self.write()
    }

    /// The lock, for a child to inherit: then the lease lives as long as the child does.
    pub fn lock(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Removes the stage, whatever was done to it, and gives the target up.
    ///
    /// # Errors
    /// [`Error::Foreign`] when another directory stands there, which stays; [`Error::Io`], [`Error::Stopped`].
    pub fn end(self, steps: &dyn Steps) -> Result<(), Error> {
        let removed = self.remove_stage(steps);
        if matches!(removed, Err(Error::Io { .. } | Error::Stopped { .. })) {
            // The file stays and says to whoever comes later what is to be removed.
            return removed.map(drop);
        }
        let (name, io) = (file_name(&self.note.dir), |errno: Errno| Error::io(&self.target, errno));
        Gate::new(steps).before(Step::Remove, &self.target)?;
        // Whatever has taken its name meanwhile is another's.
        if is_at(self.parent.as_fd(), name.as_bytes(), &self.file).map_err(io)? {
            fs::unlinkat(&self.parent, &name, AtFlags::empty()).map_err(io)?;
        }
        match removed? {
            true => Ok(()),
            false => {
                let what = "another directory stands there".to_owned();
                Err(Error::Foreign { path: self.target, what })
            }
        }
    }

    /// Removes the stage; false when what stands there is another.
    fn remove_stage(&self, steps: &dyn Steps) -> Result<bool, Error> {
        remove_noted(self.parent.as_fd(), &self.note, &self.target, steps)
    }

    fn write(&mut self) -> Result<(), Error> {
        let io = |error| Error::io(&self.target, error);
        let text = serde_json::to_vec(&self.note).map_err(|error| io(error.into()))?;
        self.file.set_len(0).and_then(|()| self.file.rewind()).map_err(io)?;
        self.file.write_all(&text).map_err(io)
    }
}

/// Removes the stages in a directory whose runs are dead.
///
/// # Errors
/// [`Error::NotADirectory`], [`Error::Io`] naming what could not be removed, [`Error::Stopped`].
pub fn scavenge(root: &Path, steps: &dyn Steps) -> Result<Scavenged, Error> {
    let parent = match beneath::open_root(root) {
        Err(Error::Nothing { .. }) => return Ok(Scavenged::default()),
        opened => opened?,
    };
    let io = |errno: Errno| Error::io(root, errno);
    let names = Dir::read_from(&parent).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(io)?;
    let mut found = Scavenged::default();
    for name in names.iter().filter_map(|entry| entry.file_name().to_str().ok()) {
        let flags = OFlags::RDWR | OFlags::NONBLOCK;
        let Some(file) = open_lease(parent.as_fd(), name, flags) else { continue };
        if fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            found.in_use += 1;
            continue;
        }
        // Another name than the note's is not ours; what has vanished was given up in order.
        let Some(note) = read(&file).filter(|note| file_name(&note.dir) == name) else { continue };
        if !is_at(parent.as_fd(), name.as_bytes(), &file).map_err(io)? {
            continue;
        }
        // One whose birth nobody tells may be another's by now.
        let known = note.is.is_some_and(|is| is.born.is_some());
        match if known { remove_noted(parent.as_fd(), &note, &root.join(&note.dir), steps) } else { Ok(false) } {
            Ok(true) => found.removed.push(note.dir),
            Ok(false) => {}
            // The others are not to suffer for it; its lease stays and says what is left to do.
            Err(error) => {
                found.failed.get_or_insert(error);
                continue;
            }
        }
        Gate::new(steps).before(Step::Remove, &root.join(name))?;
        fs::unlinkat(&parent, name, AtFlags::empty()).map_err(io)?;
    }
    Ok(found)
}

/// Opens a lease file of this user.
fn open_lease(parent: BorrowedFd<'_>, name: &str, flags: OFlags) -> Option<File> {
    let digits = name.strip_prefix(PREFIX)?;
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let file = File::from(beneath::open(parent, name.as_bytes(), flags).ok()?);
    is_own(&file).then_some(file)
}

/// Whether a file is a plain one of this user: what another planted says nothing of ours.
fn is_own(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.uid() == geteuid().as_raw())
}

/// Removes the directory that a note means; false when there is none, or another.
fn remove_noted(parent: BorrowedFd<'_>, note: &Note, shown: &Path, steps: &dyn Steps) -> Result<bool, Error> {
    let Some(is) = note.is.filter(|_| is_plain(&note.dir)) else { return Ok(false) };
    let Ok(dir) = beneath::open(parent, note.dir.as_bytes(), beneath::DIRECTORY) else { return Ok(false) };
    if identity(dir).map_err(|error| Error::io(shown, error))? != is {
        return Ok(false);
    }
    Removal { parent, name: note.dir.as_ref(), shown, gate: &Gate::new(steps) }.run()?;
    Ok(true)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

fn file_name(dir: &str) -> String {
    format!("{PREFIX}{}", &Digest::of(dir.as_bytes()).hex()[..32])
}

fn read(file: &File) -> Option<Note> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Which directory is open.
fn identity(open: impl Into<OwnedFd>) -> std::io::Result<Is> {
    let found = File::from(open.into()).metadata()?;
    let born = found.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let born = born.and_then(|since| u64::try_from(since.as_nanos()).ok());
    Ok(Is { device: found.dev(), inode: found.ino(), born })
}
