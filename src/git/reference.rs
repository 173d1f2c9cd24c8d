//! Moving a reference: compare and swap, under git's lock, durable.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::Kind;
use gix::refs::FullName;

use super::lock::Turn;
use super::odb::invalid;
use super::{Error, Identity, Oid, Repo, Result};
use crate::format::steps::{Step, Steps};

/// The longest chain of symbolic references that is followed.
const MAX_LINKS: usize = 5;

/// What a reference says.
enum Value {
    Direct(ObjectId),
    Symbolic(String),
}

impl Repo {
    /// Moves a reference (full name) to a commit if it has the expected value; `None`: if it does not exist yet.
    /// A symbolic reference is followed. The commit must be durable already; when this returns, so is the
    /// reference. `who` and `message` go to the reflog where git would write one.
    ///
    /// # Errors
    /// [`Error::RefMoved`] when it has another value; nothing is changed then. Also when the name cannot stand, or names
    /// something that is not a commit here.
    pub fn update_ref(
        &self,
        name: &str,
        new: Oid,
        expected: Option<Oid>,
        who: &Identity,
        message: &str,
        steps: &dyn Steps,
    ) -> Result<()> {
        self.move_ref(&Turn::wait(self, steps)?, name, new, expected, who, message)
    }

    /// The same in a turn that is held already.
    pub(super) fn move_ref(
        &self,
        turn: &Turn<'_>,
        name: &str,
        new: Oid,
        expected: Option<Oid>,
        who: &Identity,
        message: &str,
    ) -> Result<()> {
        let steps = turn.steps();
        let name = self.final_name(name)?;
        match self.odb().kind(&new.0)? {
            None => return Err(self.odb().missing(&new.0)),
            Some(Kind::Commit) => {}
            Some(kind) => return Err(invalid(&new.0, format!("expected a commit, found a {kind}"))),
        }
        let path = self.common_dir().join(&name);
        let lock = turn.lock(path.clone())?;
        let check = || {
            let found = self.ref_value(&name)?;
            if found != expected {
                return Err(Error::RefMoved { name: name.clone(), expected, found });
            }
            Ok(())
        };
        // Asked twice: the first time spares the disk, the second time nobody can come between.
        check()?;
        if expected.is_none() {
            self.check_room(&name)?;
            remove_empty(&path, steps)?;
        }
        lock.replace(format!("{new}\n").as_bytes(), || {
            check()?;
            self.log(&name, expected, new, who, message, steps)
        })
    }

    /// The object that a reference (full name) points to; `None` when it does not exist.
    ///
    /// # Errors
    /// When the name is malformed or the reference cannot be read.
    pub fn ref_value(&self, name: &str) -> Result<Option<Oid>> {
        match self.raw_value(&self.final_name(name)?)? {
            Some(Value::Direct(id)) => Ok(Some(Oid(id))),
            _ => Ok(None),
        }
    }

    /// Follows symbolic references to the name that holds, or would hold, the object.
    pub(super) fn final_name(&self, name: &str) -> Result<String> {
        let mut name = name.to_owned();
        for _ in 0..MAX_LINKS {
            let valid = name.starts_with("refs/") && FullName::try_from(name.as_str()).is_ok();
            if !valid {
                return Err(Error::RefInvalid { name, reason: "not a full reference name".to_owned() });
            }
            match self.raw_value(&name)? {
                Some(Value::Symbolic(target)) => name = target,
                _ => return Ok(name),
            }
        }
        Err(Error::RefInvalid { name, reason: "a chain of symbolic references without end".to_owned() })
    }

    /// What stands in the reference's own file, else in `packed-refs`; read afresh each time.
    fn raw_value(&self, name: &str) -> Result<Option<Value>> {
        let bad = |reason: &str| Error::RefInvalid { name: name.to_owned(), reason: reason.to_owned() };
        let path = self.common_dir().join(name);
        match fs::read(&path) {
            Ok(bytes) => {
                let text = bytes.to_str().map_err(|_| bad("its file is damaged"))?.trim_end();
                if let Some(target) = text.strip_prefix("ref:") {
                    return Ok(Some(Value::Symbolic(target.trim().to_owned())));
                }
                let id = ObjectId::from_hex(text.as_bytes()).map_err(|_| bad("its file is damaged"))?;
                Ok(Some(Value::Direct(id)))
            }
            // Of a directory some systems say only that it may not be read.
            Err(e) if is_absent(&e) || path.is_dir() => {
                let refs = self.local().refs;
                let packed = refs.open_packed_buffer().map_err(|e| self.failed(e))?;
                let full = FullName::try_from(name).map_err(|e| bad(&e.to_string()))?;
                let found = match &packed {
                    Some(packed) => packed.try_find(full.as_ref()).map_err(|e| self.failed(e))?,
                    None => None,
                };
                Ok(found.map(|r| Value::Direct(r.target())))
            }
            Err(e) => Err(Error::io(&path)(e)),
        }
    }

    /// Refuses a new name that stands above or below an existing one, also where that is only in `packed-refs`.
    fn check_room(&self, name: &str) -> Result<()> {
        let taken = |by: &str| Error::RefInvalid { name: name.to_owned(), reason: format!("in conflict with {by}") };
        for (at, _) in name.match_indices('/').filter(|(at, _)| name[..*at].contains('/')) {
            if self.raw_value(&name[..at])?.is_some() {
                return Err(taken(&name[..at]));
            }
        }
        let repo = self.local();
        let all = repo.references().map_err(|e| self.failed(e))?;
        let below = format!("{name}/");
        let mut below = all.prefixed(below.as_str()).map_err(|e| self.failed(e))?;
        match below.next() {
            Some(Ok(other)) => Err(taken(&other.name().as_bstr().to_string())),
            _ => Ok(()),
        }
    }

    /// Adds a line to the logs that git would write: of the branch, and of HEAD where it is checked out.
    fn log(
        &self,
        name: &str,
        old: Option<Oid>,
        new: Oid,
        who: &Identity,
        message: &str,
        steps: &dyn Steps,
    ) -> Result<()> {
        let old = old.map_or_else(|| new.0.kind().null(), |old| old.0);
        let mut line = format!("{old} {new} ").into_bytes();
        let mut buffer = gix::date::parse::TimeBuf::default();
        who.signature().to_ref(&mut buffer).write_to(&mut line).map_err(Error::io(self.git_dir()))?;
        let message: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.extend(format!("\t{}\n", message.trim()).as_bytes());

        let repo = self.local();
        let setting = repo.config_snapshot().string("core.logAllRefUpdates");
        let create = match setting.as_deref().map(|s| s.to_ascii_lowercase()).as_deref() {
            Some(b"always") => true,
            Some(b"false" | b"no" | b"off" | b"0") => false,
            Some(_) => is_logged(name),
            None => self.work_dir().is_some() && is_logged(name),
        };
        append(&self.common_dir().join("logs").join(name), &line, create, steps)?;
        if self.head_branch()?.as_deref() == Some(name) {
            append(&self.git_dir().join("logs").join("HEAD"), &line, create, steps)?;
        }
        Ok(())
    }
}

/// The references whose moves git logs without being told to.
fn is_logged(name: &str) -> bool {
    ["refs/heads/", "refs/remotes/", "refs/notes/"].iter().any(|prefix| name.starts_with(prefix))
}

fn append(path: &Path, line: &[u8], create: bool, steps: &dyn Steps) -> Result<()> {
    if !create && !path.exists() {
        return Ok(());
    }
    steps.before(Step::Write, path).map_err(Error::io(path))?;
    let parent = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    fs::create_dir_all(&parent).map_err(Error::io(&parent))?;
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(Error::io(path))?;
    let before = file.metadata().map_err(Error::io(path))?.len();
    file.write_all(line).map_err(|error| {
        // Half a line would spoil the next one. The first error is the one to tell.
        let _ = file.set_len(before);
        Error::io(path)(error)
    })
}

/// Removes empty directories that deleted branches left where the file is to stand.
fn remove_empty(path: &Path, steps: &dyn Steps) -> Result<()> {
    if !path.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(Error::io(path))? {
        remove_empty(&entry.map_err(Error::io(path))?.path(), steps)?;
    }
    steps.before(Step::Remove, path).map_err(Error::io(path))?;
    fs::remove_dir(path).map_err(Error::io(path))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
}
