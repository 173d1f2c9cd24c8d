//! Reading what the caller named: files, directories, standard input.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::forge::log::Place;
use crate::format::facet::Facet;
use crate::format::path::slashed;
use crate::ops::Error;
use crate::ops::wanted::instead_of_file;

/// A file as it was found, before anything is known of what it holds.
pub(super) struct Found {
    /// The name in reports.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The facet that the caller gave it.
    pub facet: Option<Facet>,
    /// Whose log the caller says it is.
    pub item: Option<Place>,
    /// Which argument named it.
    pub argument: Option<usize>,
    /// For a file of a directory that the caller named: its folder below that, `""` for the directory itself.
    pub below: Option<String>,
    /// The name of that directory.
    pub top: Option<String>,
    /// The directory it stands in, or none for standard input.
    pub folder: Option<PathBuf>,
    /// True when the caller named it, or its name says that it is JSON: then it must be.
    pub must_be_json: bool,
}

/// What the caller named, and what was left aside.
#[derive(Default)]
pub(super) struct Gathered {
    pub files: Vec<Found>,
    pub left: Vec<Aside>,
}

/// What is no payload.
pub(super) struct Aside {
    /// The name in reports.
    pub name: String,
    pub reason: &'static str,
    /// What it holds; none where that was not read, or is no file of its own.
    pub bytes: Option<Vec<u8>>,
}

impl Aside {
    /// What is only told of.
    pub fn told(name: String, reason: &'static str) -> Self {
        Self { name, reason, bytes: None }
    }
}

/// The largest file that is read. All but a large dump is held whole until its last byte is understood.
pub(super) const MAX_INPUT: u64 = 1 << 30;

/// Reads every input in the order given; directories recursively, sorted by name, links never followed.
pub(super) fn gather(inputs: &[String], stdin: &mut dyn Read) -> Result<Gathered, Error> {
    let mut gathered = Gathered::default();
    for (argument, input) in inputs.iter().enumerate() {
        let Named { facet, item, path: name } = named(input);
        if name == "-" {
            let bytes = read_all(stdin, "-", 0)?;
            gathered.files.push(Found { item, ..Found::new("-".into(), bytes, facet) });
            continue;
        }
        let path = Path::new(name);
        let kind = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        // All cores read, also because what is let go where it was taken can be taken there again: the bytes of a
        // payload make room for its elements.
        let read: Vec<_> = if kind.is_dir() {
            let top = top(path);
            let one = |(file, is_json): &(PathBuf, bool)| {
                let below = file.parent().and_then(|folder| folder.strip_prefix(path).ok());
                Ok(Found {
                    must_be_json: *is_json,
                    argument: Some(argument),
                    below: below.map(slashed),
                    top: top.clone(),
                    item: item.clone(),
                    ..read_file(file, facet)?
                })
            };
            walk(path, &mut gathered.left)?.par_iter().map(one).collect()
        } else {
            vec![read_file(path, facet).map(|found| Found { item, ..found })]
        };
        for file in read {
            gathered.files.push(file?);
        }
    }
    Ok(gathered)
}

impl Found {
    /// What the caller named: it must be JSON, unless it is said or seen to be a text.
    fn new(name: String, bytes: Vec<u8>, facet: Option<Facet>) -> Self {
        let (argument, below, top) = (None, None, None);
        Self { name, bytes, facet, item: None, argument, below, top, folder: None, must_be_json: true }
    }
}

/// An argument taken apart.
struct Named<'a> {
    facet: Option<Facet>,
    item: Option<Place>,
    path: &'a str,
}

/// `FACET=PATH`, when the word before the sign is a facet; `logs:JOB=PATH` names the check or job too.
fn named(input: &str) -> Named<'_> {
    let plain = Named { facet: None, item: None, path: input };
    let Some((name, path)) = input.split_once('=') else { return plain };
    if let Some(job) = name.strip_prefix("logs:").filter(|job| !job.is_empty()) {
        return Named { facet: Some(Facet::Logs), item: Some(Place::named(job)), path };
    }
    name.parse().map_or(plain, |facet| Named { facet: Some(facet), item: None, path })
}

/// The name of a directory, also when it is named as `.` or `..`.
fn top(dir: &Path) -> Option<String> {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    real.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// The files below a directory, and whether their names say that they are JSON.
fn walk(dir: &Path, left: &mut Vec<Aside>) -> Result<Vec<(PathBuf, bool)>, Error> {
    let walk = walkdir::WalkDir::new(dir).sort_by_file_name().into_iter();
    let mut files = Vec::new();
    for entry in walk.filter_entry(|entry| entry.file_name() != ".git") {
        let entry = entry.map_err(|error| Error::new("input-unreadable", error.to_string()))?;
        let kind = entry.file_type();
        if kind.is_file() {
            let is_json =
                entry.path().extension().is_some_and(|e| matches!(e.to_str(), Some("json" | "jsonl" | "ndjson")));
            files.push((entry.into_path(), is_json));
        } else if !kind.is_dir() {
            left.push(Aside::told(slashed(entry.path()), "not-a-regular-file"));
        }
    }
    Ok(files)
}

fn read_file(path: &Path, facet: Option<Facet>) -> Result<Found, Error> {
    let mut file = fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    let name = slashed(path);
    let size = file.metadata().map_or(0, |data| data.len());
    let bytes = read_all(&mut file, &name, size)?;
    Ok(Found { folder: path.parent().map(Path::to_path_buf), ..Found::new(name, bytes, facet) })
}

/// Reads to the end of what has about the given size.
fn read_all(reader: &mut dyn Read, name: &str, size: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(MAX_INPUT) + 1).unwrap_or(0));
    let read = reader.take(MAX_INPUT + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(Path::new(name), &error))?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(too_large(name));
    }
    Ok(bytes)
}

/// What is refused for its size.
pub(super) fn too_large(name: &str) -> Error {
    Error::new("input-too-large", format!("{name} is larger than 1 GiB"))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let refused = Error::new("input-unreadable", format!("{} cannot be read: {error}", path.display()));
    let named = path.to_string_lossy();
    let word = named.split_once('=').map(|(word, _)| word).filter(|word| !word.contains(['/', '.']));
    match word {
        _ if error.kind() != std::io::ErrorKind::NotFound => refused,
        Some(word) => refused.hint(format!("{word} is no facet; there are {}", Facet::names())),
        None => match instead_of_file(&named) {
            Some(hint) => refused.hint(hint),
            None => refused,
        },
    }
}
