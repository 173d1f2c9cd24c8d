//! Replacing one of git's own files under git's own lock, durably, so that a process killed in between blocks nobody.
//!
//! The new content is written and synced as an *intent* in `.git/docket/`, and then linked to `FILE.lock`, which is how
//! git locks. A lock of the system says whether the writer still lives: it goes away with the process. Whoever holds it and finds an
//! intent beside a lock of the same bytes knows that the lock is of a dead process of ours, and removes both.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::{Error, Repo, Result};
use crate::format::digest::Digest;
use crate::format::steps::{Step, Steps};
use crate::system::{self, Hold, hold};

/// How long is waited between two tries for a lock.
const PAUSE: Duration = Duration::from_millis(25);

/// Tries for a lock of git, two seconds in all: it may be one that a dead git left.
const FOREIGN: usize = 80;

/// Tries for the lock of another living process of ours, half a minute in all: it goes on as fast as its disk.
const OWN: usize = 1200;

/// The right to write to a repository, which one process of ours has at a time.
pub(super) struct Turn<'a> {
    steps: Watched<'a>,
    dir: PathBuf,
    // Released by the system when closed.
    _alive: File,
}

impl<'a> Turn<'a> {
    /// Waits for other processes of ours.
    pub(super) fn wait(repo: &Repo, steps: &'a dyn Steps) -> Result<Self> {
        let steps = Watched::new(steps);
        let dir = repo.common_dir().join("docket");
        let alive_path = dir.join("writer");
        steps.before(Step::Write, &alive_path).map_err(Error::io(&alive_path))?;
        fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
        let alive = retry(OWN, &alive_path, || match hold(&alive_path, true)? {
            Hold::Held(file) => Ok(Some(file)),
            Hold::Busy | Hold::Gone => Ok(None),
            Hold::Foreign => Err(io::ErrorKind::InvalidInput.into()),
        })?;
        Ok(Self { steps, dir, _alive: alive })
    }

    /// The steps of everything that is written in this turn.
    pub(super) fn steps(&self) -> &dyn Steps {
        &self.steps
    }

    /// The right to replace one file, after what a dead process left there was cleared.
    pub(super) fn lock(&self, target: PathBuf) -> Result<Lock<'_>> {
        let name = Digest::of(target.as_os_str().as_encoded_bytes()).hex();
        let intent = self.dir.join(format!("intent-{}", &name[..16]));
        let mut file = target.clone().into_os_string();
        file.push(".lock");
        let lock = Lock { steps: &self.steps, target, lock: PathBuf::from(file), intent };
        lock.clear_dead()?;
        Ok(lock)
    }
}

/// The right to replace one file.
pub(super) struct Lock<'t> {
    steps: &'t Watched<'t>,
    target: PathBuf,
    lock: PathBuf,
    intent: PathBuf,
}

impl Lock<'_> {
    fn clear_dead(&self) -> Result<()> {
        let Ok(intent) = fs::read(&self.intent) else { return Ok(()) };
        // An empty lock may be one that git has just taken.
        if !intent.is_empty() && fs::read(&self.lock).is_ok_and(|lock| lock == intent) {
            self.remove(&self.lock)?;
        }
        self.remove(&self.intent)
    }

    /// Puts new content in place of the file. `still` is called under git's lock: it says whether the file is still what
    /// the content was made from, and may write what must come first. Its error undoes everything.
    pub(super) fn replace(self, content: &[u8], still: impl FnOnce() -> Result<()>) -> Result<()> {
        let parent = self.target.parent().unwrap_or(Path::new("/"));
        self.before(Step::Write, &self.intent)?;
        fs::create_dir_all(parent).map_err(Error::io(parent))?;
        let written = OpenOptions::new().create_new(true).write(true).open(&self.intent);
        let mut file = written.map_err(Error::io(&self.intent))?;
        self.or_undo(&[&self.intent], || {
            file.write_all(content).map_err(Error::io(&self.intent))?;
            self.before(Step::Sync, &self.intent)?;
            file.sync_all().map_err(Error::io(&self.intent))?;
            self.before(Step::Write, &self.lock)?;
            retry(FOREIGN, &self.lock, || match link(&self.intent, &self.lock, content) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(None),
                other => other.map(Some),
            })
        })?;
        self.or_undo(&[&self.lock, &self.intent], || {
            still()?;
            self.before(Step::Rename, &self.target)?;
            fs::rename(&self.lock, &self.target).map_err(Error::io(&self.target))
        })?;
        sync_dir(parent, self.steps)?;
        self.remove(&self.intent)
    }

    /// Does something; when it fails, removes files. After a stop nothing is removed, see [`Watched`].
    fn or_undo(&self, files: &[&Path], work: impl FnOnce() -> Result<()>) -> Result<()> {
        let done = work();
        if done.is_err() {
            // The first error is the one to tell; what stays is cleared by the next writer.
            let _ = files.iter().try_for_each(|file| self.remove(file));
        }
        done
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.before(Step::Remove, path)?;
        fs::remove_file(path).map_err(Error::io(path))
    }

    fn before(&self, step: Step, path: &Path) -> Result<()> {
        self.steps.before(step, path).map_err(Error::io(path))
    }
}

/// Remembers that the world was stopped: from then on every step is refused, also those that would clean up, since a
/// killed process could not take them either.
pub(super) struct Watched<'a> {
    inner: &'a dyn Steps,
    stopped: AtomicBool,
}

impl<'a> Watched<'a> {
    pub(super) fn new(inner: &'a dyn Steps) -> Self {
        Self { inner, stopped: AtomicBool::new(false) }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

impl Steps for Watched<'_> {
    fn before(&self, step: Step, path: &Path) -> io::Result<()> {
        if self.is_stopped() {
            return Err(io::Error::other("stopped before"));
        }
        self.inner.before(step, path).inspect_err(|_| self.stopped.store(true, Ordering::SeqCst))
    }
}

/// Links a lock to its intent; a file system without hard links gets a copy.
fn link(intent: &Path, lock: &Path, content: &[u8]) -> io::Result<()> {
    match fs::hard_link(intent, lock) {
        Err(e) if matches!(e.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied) => {
            let mut file = OpenOptions::new().create_new(true).write(true).open(lock)?;
            file.write_all(content)?;
            file.sync_all()
        }
        other => other,
    }
}

/// Tries until it works or the tries are used up.
fn retry<T>(tries: usize, path: &Path, mut attempt: impl FnMut() -> io::Result<Option<T>>) -> Result<T> {
    for tried in 0..tries {
        if tried > 0 {
            thread::sleep(PAUSE);
        }
        if let Some(done) = attempt().map_err(Error::io(path))? {
            return Ok(done);
        }
    }
    Err(Error::Locked { path: path.to_owned() })
}

/// Makes names in a directory durable.
pub(super) fn sync_dir(dir: &Path, steps: &dyn Steps) -> Result<()> {
    steps.before(Step::Sync, dir).map_err(Error::io(dir))?;
    system::sync_dir(dir).map_err(Error::io(dir))
}
