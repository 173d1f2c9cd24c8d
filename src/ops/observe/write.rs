//! Filing: elements before the observations that name them, in a work tree or straight into a branch.

use std::collections::BTreeMap;

use crate::format::digest::Digest;
use crate::format::steps::Steps;
use crate::format::time::Time;
use crate::git::{Oid, Repo};
use crate::ops::Error;
use crate::ops::commit::{commit_work_tree, on_branch};
use crate::ops::place::Place;
use crate::store::layout::element_path;
use crate::store::write::Writer;

/// Elements and records that are to be filed, by path.
pub(super) struct Filing {
    pub elements: BTreeMap<Digest, Vec<u8>>,
    pub observations: BTreeMap<String, Vec<u8>>,
}

/// What was new.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub elements: u64,
    pub bytes: u64,
    pub observations: u64,
    pub commit: Option<Oid>,
}

/// Files everything; with `commit` the facts are committed too.
pub(super) fn write(
    place: &Place,
    filing: Filing,
    commit: bool,
    now: Time,
    steps: &dyn Steps,
) -> Result<Written, Error> {
    match place {
        Place::Directory { root, .. } => {
            let temp = place.temp_dir();
            let mut writer = Writer::new(root, &temp, steps)?;
            let mut written = Written::default();
            let mut fresh = BTreeMap::new();
            for (digest, bytes) in filing.elements {
                let path = element_path(&digest);
                if writer.put(&path, bytes.clone())? {
                    written.elements += 1;
                    written.bytes += bytes.len() as u64;
                    fresh.insert(path, bytes);
                }
            }
            writer.flush()?;
            for (path, bytes) in filing.observations {
                if writer.put(&path, bytes.clone())? {
                    written.observations += 1;
                    written.bytes += bytes.len() as u64;
                    fresh.insert(path, bytes);
                }
            }
            writer.flush()?;
            if commit {
                written.commit = commit_work_tree(place, fresh, &message(written.observations), now, steps)?;
            }
            Ok(written)
        }
        Place::Branch { repo, name } => in_branch(repo, name, filing, now, steps),
    }
}

/// One pack, one commit, one move of the branch; when somebody else moved it meanwhile, the same files are added to theirs.
fn in_branch(repo: &Repo, name: &str, filing: Filing, now: Time, steps: &dyn Steps) -> Result<Written, Error> {
    let mut files: BTreeMap<String, Vec<u8>> =
        filing.elements.into_iter().map(|(digest, bytes)| (element_path(&digest), bytes)).collect();
    files.extend(filing.observations);
    let mut written = Written::default();
    let added = on_branch(repo, name, files, now, steps, |added| {
        written.observations = added.iter().filter(|(path, _)| path.starts_with("observations/")).count() as u64;
        written.elements = added.len() as u64 - written.observations;
        written.bytes = added.values().map(|bytes| bytes.len() as u64).sum();
        message(written.observations)
    })?;
    written.commit = added;
    Ok(written)
}

fn message(observations: u64) -> String {
    format!("File {observations} observations\n")
}
