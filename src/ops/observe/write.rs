//! Filing: elements before the observations that name them, in a work tree or straight into a branch.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::format::digest::Digest;
use crate::git::{Oid, Repo};
use crate::ops::Error;
use crate::ops::commit::{Committing, on_branch};
use crate::ops::place::Place;
use crate::store::layout::element_path;
use crate::store::write::Writer;

use super::Options;
use super::progress::{Count, Doing};

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

/// Files everything; the facts are committed too when the caller wants it.
pub(super) fn write(place: &Place, filing: Filing, options: &Options<'_>) -> Result<Written, Error> {
    let (now, steps) = (options.now, options.steps);
    let files = filing.elements.len() + filing.observations.len();
    let count = Count::begin(options.progress, Doing::Filing, files as u64);
    match place {
        Place::Directory { root, .. } => {
            let temp = place.temp_dir();
            let mut writer = Writer::new(root, &temp, steps)?;
            let mut committing = options.commit.then(|| Committing::begin(place, root, steps)).transpose()?;
            let mut written = Written::default();
            let elements = filing.elements.into_iter().map(|(digest, bytes)| (element_path(&digest), bytes));
            (written.elements, written.bytes) = put(&mut writer, &mut committing, elements, &count)?;
            let (observations, bytes) = put(&mut writer, &mut committing, filing.observations.into_iter(), &count)?;
            (written.observations, written.bytes) = (observations, written.bytes + bytes);
            if let Some(committing) = committing {
                written.commit = committing.finish(&message(written.observations), now, steps)?;
            }
            Ok(written)
        }
        Place::Branch { repo, name } => in_branch(repo, name, filing, options, &count),
    }
}

/// All cores look whether so many files are there already.
const LOT: usize = 1024;

/// Puts files and makes them durable; gives the number and bytes of the new ones.
fn put(
    writer: &mut Writer<'_>,
    committing: &mut Option<Committing<'_>>,
    mut files: impl Iterator<Item = (String, Vec<u8>)>,
    progress: &Count<'_>,
) -> Result<(u64, u64), Error> {
    let (mut count, mut size) = (0, 0);
    loop {
        let lot: Vec<_> = files.by_ref().take(LOT).collect();
        if lot.is_empty() {
            break;
        }
        let there: Vec<_> = lot.par_iter().map(|(path, bytes)| writer.stands(path, bytes)).collect();
        progress.add(lot.len() as u64);
        for ((path, bytes), there) in lot.into_iter().zip(there) {
            let (there, length) = (there?, bytes.len() as u64);
            let new = match committing {
                Some(committing) => {
                    let new = !there && writer.put(&path, bytes.clone())?;
                    committing.add(&path, bytes)?;
                    new
                }
                None => !there && writer.put(&path, bytes)?,
            };
            count += u64::from(new);
            size += if new { length } else { 0 };
        }
    }
    writer.flush()?;
    Ok((count, size))
}

/// One pack, one commit, one move of the branch; when somebody else moved it meanwhile, the same files are added to theirs.
fn in_branch(
    repo: &Repo,
    name: &str,
    filing: Filing,
    options: &Options<'_>,
    count: &Count<'_>,
) -> Result<Written, Error> {
    let mut files: BTreeMap<String, Vec<u8>> =
        filing.elements.into_iter().map(|(digest, bytes)| (element_path(&digest), bytes)).collect();
    files.extend(filing.observations);
    let mut written = Written::default();
    let message = |added: &BTreeMap<String, Vec<u8>>| {
        written.observations = added.iter().filter(|(path, _)| path.starts_with("observations/")).count() as u64;
        written.elements = added.len() as u64 - written.observations;
        written.bytes = added.values().map(|bytes| bytes.len() as u64).sum();
        message(written.observations)
    };
    let added = on_branch(repo, name, files, options.now, options.steps, message, |packed| count.add(packed))?;
    written.commit = added;
    Ok(written)
}

fn message(observations: u64) -> String {
    format!("File {observations} observations\n")
}
