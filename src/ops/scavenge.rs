//! `scavenge`: removing what dead runs left.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Error;
use crate::format::steps::Steps;
use crate::store::write::{scavenge as scavenge_leases, sweep_staging};

/// What was removed.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Where was looked.
    pub root: PathBuf,
    /// The names of what was removed there.
    pub removed: Vec<String>,
    /// Stages of runs that still live.
    pub in_use: u64,
}

/// Removes what dead runs left in a directory: stages that they used, and trees that they were writing.
///
/// # Errors
/// `input-unreadable` when no directory stands there, and those of the file system.
pub fn scavenge(root: &Path, steps: &dyn Steps) -> Result<Report, Error> {
    if !root.is_dir() {
        return Err(Error::new("input-unreadable", format!("{}: there is no directory to look in", root.display())));
    }
    let leases = scavenge_leases(root, steps)?;
    let mut removed = leases.removed;
    removed.extend(sweep_staging(root, steps)?);
    removed.sort();
    if let Some(error) = leases.failed {
        return Err(Error::from(error).hint(format!("{} others were removed", removed.len())));
    }
    Ok(Report { root: root.to_path_buf(), removed, in_use: leases.in_use })
}
