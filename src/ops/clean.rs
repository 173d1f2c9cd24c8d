//! `clean`: removing a stage.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Error, target};
use crate::format::steps::Steps;
use crate::store::write::Held;

/// What was removed.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The directory.
    pub dir: PathBuf,
    /// False when nothing was there.
    pub removed: bool,
}

/// Removes a stage or a snapshot that was written to a directory. One that is not there is removed already.
///
/// # Errors
/// `target-not-a-stage` for what git-docket did not write; with `altered` only when no index of ours heads it. `stage-in-use`.
pub fn clean(dir: &Path, altered: bool, steps: &dyn Steps) -> Result<Report, Error> {
    let dir = dir.components().as_path();
    let removed = target::is_there(dir)?;
    if removed {
        let mut lease = target::lease(&Held::new(dir)?, steps)?;
        // A dead run's own stage is gone by now.
        if !target::is_there(dir)? {
            lease.end(steps)?;
            return Ok(Report { dir: dir.to_path_buf(), removed });
        }
        let checked = if altered {
            target::check_head(dir)
        } else {
            target::check(dir, true).map_err(|error| match target::check_head(dir) {
                Ok(()) => error.hint("--altered removes a stage with what was added to it"),
                Err(_) => error,
            })
        };
        let bound = checked.and_then(|()| lease.bind().map_err(Error::from));
        // Unbound, it only gives the name up.
        let ended = lease.end(steps);
        bound?;
        ended?;
    }
    Ok(Report { dir: dir.to_path_buf(), removed })
}
