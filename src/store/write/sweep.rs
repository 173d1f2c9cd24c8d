//! Sweeping what killed runs left: the directories whose writer is gone.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::Gate;
use super::remove::Removal;
use super::replace::STAGING_PREFIX;
use crate::format::steps::Steps;
use crate::store::{Error, beneath};
use crate::system::Dir;

/// The beginning of the names of directories in which a [`Writer`](super::Writer) keeps its temporary files.
pub(super) const PREFIX: &str = "put-";

/// Makes a directory for what is not finished, with a name that nobody else has, open to this user alone. It is occupied as long as
/// it is open, so that nobody takes it for a leftover.
pub(super) fn create(parent: &Dir, prefix: &str) -> io::Result<(String, Dir)> {
    for number in 0u64.. {
        let name = format!("{prefix}{}-{number}", std::process::id());
        match parent.create_dir(name.as_bytes(), 0o700) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        // None: it was swept between its making and its opening.
        if let Some(dir) = parent.occupy(name.as_bytes())? {
            return Ok((name, dir));
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Removes what killed writers left in a directory of temporary files. Nothing else there is touched.
///
/// # Errors
/// [`Error::NotADirectory`], [`Error::Io`] naming what could not be removed, [`Error::Stopped`].
pub fn sweep(temp_dir: &Path, steps: &dyn Steps) -> Result<(), Error> {
    sweep_named(temp_dir, PREFIX, steps).map(drop)
}

/// Removes what killed writers of whole trees left beside their targets, and returns the names.
///
/// # Errors
/// As [`sweep`].
pub fn sweep_staging(dir: &Path, steps: &dyn Steps) -> Result<Vec<String>, Error> {
    sweep_named(dir, STAGING_PREFIX, steps)
}

fn sweep_named(dir: &Path, prefix: &str, steps: &dyn Steps) -> Result<Vec<String>, Error> {
    let parent = match beneath::open_root(dir) {
        Err(Error::Nothing { .. }) => return Ok(Vec::new()),
        opened => opened?,
    };
    let io = |error| Error::io(dir, error);
    let gate = Gate::new(steps);
    let mut swept = Vec::new();
    for name in names(&parent).map_err(io)?.into_iter().filter(|name| is_made(name, prefix)) {
        if let Some(_occupied) = parent.occupy_dead(name.as_bytes()).map_err(io)? {
            Removal { parent: &parent, name: name.as_bytes(), shown: &dir.join(&name), gate: &gate }.run()?;
            swept.push(name);
        }
    }
    Ok(swept)
}

/// Whether a name is one that [`create`] gives, or that an old tree waits under for its removal.
fn is_made(name: &str, prefix: &str) -> bool {
    let made = name.strip_prefix(prefix).map(|made| made.strip_suffix("-old").unwrap_or(made));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    made.and_then(|made| made.split_once('-')).is_some_and(|(id, number)| is_number(id) && is_number(number))
}

/// The names in a directory; one that is not UTF-8 is none of ours.
pub(super) fn names(dir: &Dir) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    dir.each_name(|name, _| names.extend(String::from_utf8(name.to_vec())))?;
    Ok(names)
}
