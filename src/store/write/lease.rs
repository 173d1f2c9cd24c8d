//! Leases: a stage that belongs to a run has a file beside it that says so, locked as long as the run lives.
//!
//! The lock ends with the last process that holds it, however that ends. Whoever finds the file unlocked knows that nobody uses
//! the stage any more.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::remove::Removal;
use super::sweep::names;
use super::{Gate, Held};
use crate::format::digest::Digest;
use crate::format::steps::{Step, Steps};
use crate::store::{Error, beneath};
use crate::system::{Dir, Hold, Identity, is_absence};

/// The beginning of the names of lease files; behind it stand 32 hex digits of the digest of the target's name.
const PREFIX: &str = ".docket-lease-";

/// The most bytes of a lease that are read; names of files are shorter.
const MAX_BYTES: u64 = 4096;

/// The sole use of a target.
#[derive(Debug)]
pub struct Lease {
    leased: Arc<Leased>,
    parent: Dir,
    target: PathBuf,
}

/// The file of a lease, which whoever writes the target notes its directory in.
#[derive(Debug)]
pub(super) struct Leased {
    file: File,
    note: Mutex<Note>,
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

/// Which directory it is, as a lease notes it.
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
    /// [`Error::Locked`] while another run has it, [`Error::Moved`], [`Error::UnsafePath`] for a name that is not UTF-8, [`Error::Io`].
    pub fn take(held: &Held, steps: &dyn Steps) -> Result<Self, Error> {
        let ((parent, name), target) = (held.open()?, held.target());
        let dir = String::from_utf8(name.to_vec());
        let dir = dir.map_err(|_| Error::UnsafePath { path: target.display().to_string() })?;
        let gate = Gate::new(steps);
        gate.before(Step::Write, target)?;
        let file_name = file_name(&dir);
        loop {
            let file = match parent.hold(file_name.as_bytes(), true).map_err(|error| Error::io(target, error))? {
                Hold::Held(file) => file,
                Hold::Busy => return Err(Error::Locked { path: target.to_owned() }),
                Hold::Foreign => {
                    let what = format!("{file_name} beside it is not a file of this user");
                    return Err(Error::Foreign { path: target.to_owned(), what });
                }
                // The one who had it has given it up meanwhile, name and all.
                Hold::Gone => continue,
            };
            if let Some(old) = read(&file).filter(|old| old.dir == dir && old.is_known()) {
                remove_noted(&parent, &old, target, steps)?;
            }
            let leased = Arc::new(Leased { file, note: Mutex::new(Note { dir, is: None }) });
            leased.write(None).map_err(|error| Error::io(target, error))?;
            held.leased_by(&leased);
            return Ok(Self { leased, parent, target: target.to_owned() });
        }
    }

    /// Notes which directory stands at the target now, to remove it. Whoever makes one there while this is held notes it by itself.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn bind(&mut self) -> Result<(), Error> {
        let name = self.leased.note().dir;
        self.leased.bind(&self.parent, name.as_bytes()).map_err(|error| Error::io(&self.target, error))
    }

    /// The lock, for a child to inherit: then the lease lives as long as the child does.
    pub fn lock(&self) -> &File {
        &self.leased.file
    }

    /// Removes the stage, whatever was done to it, and gives the target up.
    ///
    /// # Errors
    /// [`Error::Foreign`] when another directory stands there, which stays; what is not there is removed already. [`Error::Io`], [`Error::Stopped`].
    pub fn end(self, steps: &dyn Steps) -> Result<(), Error> {
        let removed = self.remove_stage(steps);
        if matches!(removed, Err(Error::Io { .. } | Error::Stopped { .. })) {
            // The file stays and says to whoever comes later what is to be removed.
            return removed.map(drop);
        }
        Gate::new(steps).before(Step::Remove, &self.target)?;
        let given_up = self.parent.remove_held(file_name(&self.leased.note().dir).as_bytes(), &self.leased.file);
        given_up.map_err(|error| Error::io(&self.target, error))?;
        match removed? {
            Left::Removed | Left::Nothing => Ok(()),
            Left::Another => {
                let what = "another directory stands there".to_owned();
                Err(Error::Foreign { path: self.target, what })
            }
        }
    }

    fn remove_stage(&self, steps: &dyn Steps) -> Result<Left, Error> {
        remove_noted(&self.parent, &self.leased.note(), &self.target, steps)
    }
}

impl Leased {
    /// Notes the directory that has a name now, and keeps its identity under another one.
    pub fn bind(&self, parent: &Dir, name: &[u8]) -> io::Result<()> {
        self.write(Some(parent.identity_of(name)?.into()))
    }

    fn write(&self, is: Option<Is>) -> io::Result<()> {
        let mut note = self.note.lock().unwrap_or_else(PoisonError::into_inner);
        note.is = is;
        let (text, mut file) = (serde_json::to_vec(&*note)?, &self.file);
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&text)
    }

    fn note(&self) -> Note {
        self.note.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Note {
    /// Whether the directory can be told from another that comes to its name. One whose birth nobody tells may be another's by now.
    fn is_known(&self) -> bool {
        self.is.is_some_and(|is| is.born.is_some())
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
    let io = |error| Error::io(root, error);
    let mut found = Scavenged::default();
    for name in names(&parent).map_err(io)?.into_iter().filter(|name| is_lease(name)) {
        let file = match parent.hold(name.as_bytes(), false) {
            Ok(Hold::Held(file)) => file,
            Ok(Hold::Busy) => {
                found.in_use += 1;
                continue;
            }
            // What has vanished was given up in order; a link or what another planted is not ours.
            Ok(Hold::Gone | Hold::Foreign) | Err(_) => continue,
        };
        // Another name than the note's is not ours.
        let Some(note) = read(&file).filter(|note| file_name(&note.dir) == name) else { continue };
        match if note.is_known() {
            remove_noted(&parent, &note, &root.join(&note.dir), steps)
        } else {
            Ok(Left::Another)
        } {
            Ok(Left::Removed) => found.removed.push(note.dir),
            Ok(Left::Nothing | Left::Another) => {}
            // The others are not to suffer for it; its lease stays and says what is left to do.
            Err(error) => {
                found.failed.get_or_insert(error);
                continue;
            }
        }
        Gate::new(steps).before(Step::Remove, &root.join(&name))?;
        parent.remove_held(name.as_bytes(), &file).map_err(io)?;
    }
    Ok(found)
}

/// Whether a name is one of a lease.
fn is_lease(name: &str) -> bool {
    let digits = name.strip_prefix(PREFIX);
    digits.is_some_and(|digits| digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// What became of a stage, or what stands where it was.
enum Left {
    Removed,
    Nothing,
    Another,
}

/// Removes the directory that a note means; another that stands there stays.
fn remove_noted(parent: &Dir, note: &Note, shown: &Path, steps: &dyn Steps) -> Result<Left, Error> {
    if !is_plain(&note.dir) {
        return Ok(Left::Another);
    }
    match parent.identity_of(note.dir.as_bytes()) {
        Ok(found) if note.is == Some(found.into()) => {}
        Ok(_) => return Ok(Left::Another),
        Err(error) if is_absence(&error) => return Ok(Left::Nothing),
        Err(error) => return Err(Error::io(shown, error)),
    }
    Removal { parent, name: note.dir.as_bytes(), shown, gate: &Gate::new(steps) }.run()?;
    Ok(Left::Removed)
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

impl From<Identity> for Is {
    fn from(Identity { device, inode, born }: Identity) -> Self {
        Self { device, inode, born }
    }
}
