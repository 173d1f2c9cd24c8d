//! A dump of a whole repository in one large document: read twice, and never held whole.
//!
//! The first pass finds its threads, and validates all of it where what is written can be seen at once. The second takes one thread after the other apart and files its
//! elements; the records wait in a file without a name, since each names the digest and all parts of the whole document. What is not
//! quite such a dump is read like any other document.

mod records;
mod survey;
mod thread;
mod threads;

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use rayon::prelude::*;

use crate::ops::Error;
use crate::ops::place::Place;
use crate::store::facts::Facts;
use crate::store::write::Spool;

use super::gather::{MAX_INPUT, too_large};
use super::progress::{Count, Doing};
use super::record::{Candidate, Dating, Terms};
use super::winner::{Fate, Winners};
use super::write::{Filer, Written};
use super::{InputRow, Options, Report, ids, strictly};
use records::{Records, Whole};
use survey::{Stop, Survey, survey};
use threads::{Halt, Taking};

/// A smaller document is read like any other.
const LARGE: u64 = 4 << 20;

/// The most bytes of a thread, or of anything else in the document that is no list of threads.
const MOST: usize = 1 << 28;

/// What to do with the input.
pub(super) enum Taken<'s> {
    /// It was such a dump, and is filed.
    Filed(Report),
    /// It is to be read whole, standard input from here.
    Whole(Box<dyn Read + 's>),
}

/// Files the only input when it is a large dump.
pub(super) fn observe<'s>(place: &Place, options: &Options<'_>, stdin: &'s mut dyn Read) -> Result<Taken<'s>, Error> {
    let [name] = options.inputs else { return Ok(Taken::Whole(Box::new(stdin))) };
    // Whatever the caller says of it is for the reader of whole documents to weigh.
    let plain = options.entity.is_none() && options.source.is_none() && !name.contains('=');
    if name == "-" && plain {
        return piped(place, options, stdin);
    }
    let path = Path::new(name);
    if !plain || !path.metadata().is_ok_and(|data| data.is_file() && (LARGE..=MAX_INPUT).contains(&data.len())) {
        return Ok(Taken::Whole(Box::new(stdin)));
    }
    let unreadable = |error: std::io::Error| Error::new("input-unreadable", format!("{name} cannot be read: {error}"));
    let mut file = File::open(path).map_err(unreadable)?;
    match file_archive(place, options, name, &mut file)? {
        Some(report) => Ok(Taken::Filed(report)),
        None => Ok(Taken::Whole(Box::new(stdin))),
    }
}

/// Standard input is kept in a file without a name when it is large, since it can be read only once.
fn piped<'s>(place: &Place, options: &Options<'_>, stdin: &'s mut dyn Read) -> Result<Taken<'s>, Error> {
    let unreadable = |error: std::io::Error| Error::new("input-unreadable", format!("- cannot be read: {error}"));
    let mut start = Vec::new();
    (&mut *stdin).take(LARGE).read_to_end(&mut start).map_err(unreadable)?;
    let is_object = start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    if (start.len() as u64) < LARGE || !is_object {
        return Ok(Taken::Whole(Box::new(Cursor::new(start).chain(stdin))));
    }
    let mut spool = Spool::new(&place.temp_dir(), options.steps)?;
    spool.add(&start)?;
    drop(start);
    spool.add_all(&mut stdin.take(MAX_INPUT + 1 - LARGE))?;
    let mut file = spool.into_file()?;
    if file.metadata().map_err(unreadable)?.len() > MAX_INPUT {
        return Err(too_large("-"));
    }
    if let Some(report) = file_archive(place, options, "-", &mut file)? {
        return Ok(Taken::Filed(report));
    }
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    Ok(Taken::Whole(Box::new(file)))
}

/// Both passes; none when the document is not such a dump.
fn file_archive(place: &Place, options: &Options<'_>, name: &str, file: &mut File) -> Result<Option<Report>, Error> {
    let unreadable = |error: std::io::Error| Error::new("input-unreadable", format!("{name} cannot be read: {error}"));
    let filed = file.seek(SeekFrom::Start(0)).map_err(|error| Halt::Stop(Stop::Io(error))).and_then(|_| {
        // A work tree shows what is filed at once. Of a pack nothing is seen before its end, and the second pass validates too.
        let survey = survey(file, options.progress, matches!(place, Place::Directory { .. }))?;
        second(place, options, name, file, &survey)
    });
    match filed {
        Ok(report) => Ok(Some(report)),
        Err(Halt::Stop(Stop::NoDump)) => Ok(None),
        Err(Halt::Stop(Stop::Io(error))) => Err(unreadable(error)),
        Err(Halt::Error(error)) => Err(error),
    }
}

/// Files the dump that the first pass found.
fn second(place: &Place, options: &Options<'_>, name: &str, file: &mut File, survey: &Survey) -> Result<Report, Halt> {
    let _lock = place.locked(options.steps)?;
    let undated = options.observed_at.unwrap_or(options.now);
    let terms = Terms { undated, live: options.observed_at.is_none(), completeness: options.completeness };
    let spool = Spool::new(&place.temp_dir(), options.steps).map_err(Error::from)?;
    let count = Count::begin(options.progress, Doing::Taking, survey.bytes);
    let mut taking = Taking::new(Filer::begin(place, options)?, Records::new(spool), &terms, count);
    let whole = taking.take(name, file, survey)?;
    let (filer, mut records, kinds, left) = taking.parts();
    if records.count == 0 {
        return Err(Stop::NoDump.into());
    }
    if let Some(error) = strictly(options, &left) {
        return Err(error.into());
    }
    let (written, part_of) = file_records(place, options, filer, &mut records, &whole)?;
    Ok(Report {
        observed: written.observations,
        unchanged: records.count - written.observations,
        inputs: vec![InputRow {
            input: name.to_owned(),
            digest: (part_of > 0).then(|| whole.digest.to_string()),
            observations: part_of,
        }],
        unrecognised: left,
        entities: ids(kinds.iter().map(|(subject, kind)| (subject, *kind))),
        elements: written.elements,
        bytes: written.bytes,
        commit: written.commit.map(|id| id.to_string()),
        ..Report::default()
    })
}

/// Files the records that are admitted. Where none is, nothing is filed at all. Gives besides how many looks the document is part of.
fn file_records(
    place: &Place,
    options: &Options<'_>,
    mut filer: Filer<'_>,
    records: &mut Records,
    whole: &Whole,
) -> Result<(Written, u64), Error> {
    let tree = place.facts()?;
    let dating = if options.observed_at.is_none() { Dating::Live } else { Dating::Given };
    // Each lot by itself: looks of one subject may be in two, but none that compete.
    let admitted = |lot| admitted(lot, Winners::new(Facts::new(tree.as_ref())), options.record_look);
    let (mut any, mut part_of, mut last) = (false, 0, Vec::new());
    let mut put = |filer: &mut Filer<'_>, files: Vec<NewFile>| {
        // The elements come first.
        if !any && !files.is_empty() {
            any = true;
            filer.settle()?;
        }
        filer.put(files)
    };
    records.each(whole, dating, |lot| {
        // One lot is filed while the next is weighed.
        let files = std::mem::take(&mut last);
        let (put, next) = rayon::join(|| put(&mut filer, files), || admitted(lot));
        let standing;
        (last, standing) = next?;
        part_of += standing + last.len() as u64;
        put
    })?;
    put(&mut filer, last)?;
    if !any {
        // What lies there uncommitted is committed all the same.
        drop(filer);
        return Ok((Filer::begin(place, options)?.finish()?, part_of));
    }
    filer.settle()?;
    Ok((filer.finish()?, part_of))
}

/// The path and the bytes of a file.
type NewFile = (String, Vec<u8>);

/// The files of the candidates that are admitted, and how many stand in the store as they are.
fn admitted(
    mut lot: Vec<Candidate>,
    mut winners: Winners<'_>,
    record_look: bool,
) -> Result<(Vec<NewFile>, u64), Error> {
    lot.iter_mut().try_for_each(|candidate| winners.place(candidate))?;
    let files: Vec<_> = lot.par_iter().map(Candidate::file).collect();
    let repeated = if record_look { Vec::new() } else { winners.repeated(&lot)? };
    let (mut admitted, mut standing) = (Vec::with_capacity(files.len()), 0);
    for (at, file) in files.into_iter().enumerate() {
        let is_repeated = repeated.get(at) == Some(&true);
        match if is_repeated { Fate::Standing } else { winners.admits(&lot, at, record_look)? } {
            Fate::Filed => admitted.push(file),
            Fate::Standing => standing += 1,
            Fate::Needless => {}
        }
    }
    Ok((admitted, standing))
}
