//! Filing: elements before the observations that name them, in a work tree or straight into a branch.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::format::digest::Digest;
use crate::git::Oid;
use crate::ops::Error;
use crate::ops::commit::{Branching, Committing};
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
    let files = filing.elements.len() + filing.observations.len();
    let count = Count::begin(options.progress, Doing::Filing, files as u64);
    let mut filer = Filer::begin(place, options)?;
    let mut put = |files: &mut dyn Iterator<Item = (String, Vec<u8>)>| {
        loop {
            let lot = lot(files);
            if lot.is_empty() {
                return filer.settle();
            }
            let length = lot.len() as u64;
            filer.put(lot)?;
            count.add(length);
        }
    };
    put(&mut filing.elements.into_iter().map(|(digest, bytes)| (element_path(&digest), bytes)))?;
    put(&mut filing.observations.into_iter())?;
    filer.finish()
}

/// So many files, or so many bytes, are handed over at once: all cores look whether they are there already, hash and compress.
const LOT_FILES: usize = 4096;
const LOT_BYTES: usize = 4 << 20;

/// The next files that are handed over together.
pub(super) fn lot(files: &mut dyn Iterator<Item = (String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    let (mut lot, mut bytes) = (Vec::new(), 0);
    while lot.len() < LOT_FILES && bytes < LOT_BYTES {
        let Some(file) = files.next() else { break };
        bytes += file.1.len();
        lot.push(file);
    }
    lot
}

/// Files what it is given. Nothing of it can be seen before it is settled, and in a branch not before the end; dropped before,
/// nothing is left.
pub(super) struct Filer<'p> {
    into: Goal<'p>,
    written: Written,
    options: &'p Options<'p>,
}

/// Where to.
enum Goal<'p> {
    Tree { writer: Writer<'p>, committing: Option<Box<Committing<'p>>> },
    Branch(Box<Branching<'p>>),
}

impl<'p> Filer<'p> {
    pub(super) fn begin(place: &'p Place, options: &'p Options<'_>) -> Result<Self, Error> {
        let steps = options.steps;
        let into = match place {
            Place::Directory { root, .. } => Goal::Tree {
                writer: Writer::new(root, &place.temp_dir(), steps)?,
                committing: options.commit.then(|| Committing::begin(place, root, steps).map(Box::new)).transpose()?,
            },
            Place::Branch { repo, name } => Goal::Branch(Box::new(Branching::begin(repo, name, steps)?)),
        };
        Ok(Self { into, written: Written::default(), options })
    }

    /// Takes some files, elements or observations.
    pub(super) fn put(&mut self, files: Vec<(String, Vec<u8>)>) -> Result<(), Error> {
        let observations = files.first().is_some_and(|(path, _)| !path.starts_with("objects/"));
        let new = match &mut self.into {
            Goal::Branch(branch) => branch.add(files)?,
            Goal::Tree { writer, committing } => put(writer, committing, files)?,
        };
        let count = if observations { &mut self.written.observations } else { &mut self.written.elements };
        *count += new.len() as u64;
        self.written.bytes += new.iter().sum::<u64>();
        Ok(())
    }

    /// Makes durable what was put: elements, before the observations that name them are put.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        if let Goal::Tree { writer, .. } = &mut self.into {
            writer.flush()?;
        }
        Ok(())
    }

    /// Commits where that is wanted, and gives what was new.
    pub(super) fn finish(mut self) -> Result<Written, Error> {
        // What was filed before and not committed is in the commit, too.
        let message = match self.written.observations {
            0 => "File what was not committed\n".to_owned(),
            new => format!("File {new} observations\n"),
        };
        let (now, steps) = (self.options.now, self.options.steps);
        self.written.commit = match self.into {
            Goal::Branch(branch) => branch.finish(&message, now)?,
            Goal::Tree { committing: Some(committing), .. } => committing.finish(&message, now, steps)?,
            Goal::Tree { committing: None, .. } => None,
        };
        Ok(self.written)
    }
}

/// Puts files into a work tree; gives the bytes of each new one.
fn put(
    writer: &mut Writer<'_>,
    committing: &mut Option<Box<Committing<'_>>>,
    files: Vec<(String, Vec<u8>)>,
) -> Result<Vec<u64>, Error> {
    let there: Vec<_> = files.par_iter().map(|(path, bytes)| writer.stands(path, bytes)).collect();
    let mut new = Vec::new();
    for ((path, bytes), there) in files.into_iter().zip(there) {
        let (there, length) = (there?, bytes.len() as u64);
        let is_new = match committing {
            Some(committing) => {
                let is_new = !there && writer.put(&path, bytes.clone())?;
                committing.add(&path, bytes)?;
                is_new
            }
            None => !there && writer.put(&path, bytes)?,
        };
        new.extend(is_new.then_some(length));
    }
    Ok(new)
}
