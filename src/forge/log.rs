//! Logs of jobs: whose log a file is, by its name and its place in what GitHub lets people download.
//!
//! A download has `0_build.txt` for a whole job, `build/1_Set up job.txt` for a step of it, or both. The name of a job is that
//! of its check run less what a file name cannot have, cut to 90 UTF-16 units.

use std::collections::BTreeSet;

use crate::format::entity::parse_number;

/// Where a log belongs: the item of its look.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The check run (or commit status) of that id; GitHub's id of a job is that of its check run.
    Check(u64),
    /// A job, by name.
    Job(String),
    /// The steps of a job, by its name.
    Steps(String),
}

impl Place {
    /// What a caller calls a log: the id of a check, or the name of a job.
    pub fn named(name: &str) -> Self {
        parse_number(name).map_or_else(|| Self::Job(name.to_owned()), Self::Check)
    }

    /// The item in an observation.
    pub fn item(&self) -> String {
        match self {
            Self::Check(id) => format!("checks/{id}"),
            Self::Job(name) => format!("jobs/{name}"),
            Self::Steps(name) => format!("steps/{name}"),
        }
    }

    /// Reads an item; `None` for what is no place of a log.
    pub fn from_item(item: &str) -> Option<Self> {
        match item.split_once('/')? {
            ("checks", id) => parse_number(id).map(Self::Check),
            ("jobs", name) => Some(Self::Job(name.to_owned())),
            ("steps", name) => Some(Self::Steps(name.to_owned())),
            _ => None,
        }
    }
}

/// A file in a folder of logs: `3_Run tests.txt`, or `system.txt` of the runner, which comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Numbered<'n> {
    /// Its place among the files of the folder.
    pub number: i64,
    /// Its name without number and extension.
    pub name: &'n str,
}

/// Reads the name of a file of a download; `None` for one that no download has.
pub fn numbered(file: &str) -> Option<Numbered<'_>> {
    let stem = file.strip_suffix(".txt")?;
    if stem == "system" {
        return Some(Numbered { number: i64::MAX, name: stem });
    }
    let (number, name) = stem.split_once('_')?;
    let digits = number.strip_prefix('-').unwrap_or(number);
    let plain = matches!(digits.len(), 1..=9) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|_| plain && !name.is_empty())?;
    Some(Numbered { number, name })
}

/// The place of a log that is known only by the name of its file: `123.txt`, `0_build.txt`, `build.log`.
pub fn of_file(file: &str) -> Place {
    if let Some(found) = numbered(file).filter(|found| found.number != i64::MAX) {
        return Place::Job(found.name.to_owned());
    }
    Place::named([".txt", ".log"].iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file))
}

/// True for the first step of every job that GitHub runs: a folder that has it is a job's.
pub fn is_set_up(file: &str) -> bool {
    numbered(file).is_some_and(|found| found.number > 0 && found.name == "Set up job")
}

/// True when the first line begins with the time that GitHub's runners write, a byte order mark before it or not.
pub fn is_timestamped(text: &[u8]) -> bool {
    begins_at(text).is_some()
}

/// The time at the start of a log's first line, as far as its seconds: `2026-01-02T03:04:05`.
pub fn begins_at(text: &[u8]) -> Option<&str> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let (time, rest) = text.split_at_checked(19)?;
    let form = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    let fits = time.iter().zip(b"0000-00-00T00:00:00").all(form);
    let digits = rest.strip_prefix(b".")?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let ended = digits > 0 && rest.get(digits + 1..digits + 3) == Some(b"Z ");
    std::str::from_utf8(time).ok().filter(|_| fits && ended)
}

/// A job's name as GitHub makes a file name of it: a log and its check have the same.
pub fn as_file_name(name: &str) -> String {
    const UNITS: usize = 90;
    let kept = name.chars().filter(|c| !matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|'));
    let units: Vec<u16> = kept.collect::<String>().encode_utf16().take(UNITS).collect();
    String::from_utf16_lossy(&units)
}

/// A file of a download, by its folder below the top and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaf<'l> {
    /// The folder, `""` for the top.
    pub folder: &'l str,
    /// The name.
    pub file: &'l str,
}

/// The place of each file of a download; `None` for what is no log. `top` names the folder above all: it is a job's when it has
/// the first step of one. `named` says that somebody called this a download of logs, so that folders are jobs where nothing speaks
/// against it.
pub fn places(leaves: &[Leaf<'_>], top: &str, named: bool) -> Vec<Option<Place>> {
    let folders: BTreeSet<&str> = leaves.iter().map(|leaf| leaf.folder).collect();
    let set_up: BTreeSet<&str> = leaves.iter().filter(|leaf| is_set_up(leaf.file)).map(|leaf| leaf.folder).collect();
    // A folder with `0_build.txt` beside `build/` holds whole jobs.
    let of_jobs: BTreeSet<&str> = leaves
        .iter()
        .filter(|leaf| {
            let job = numbered(leaf.file).map(|found| found.name);
            job.is_some_and(|job| folders.contains(join(leaf.folder, job).as_str()))
        })
        .map(|leaf| leaf.folder)
        .collect();
    let place = |leaf: &Leaf<'_>| {
        let hidden = |segment: &str| segment.starts_with('.') || segment == "__MACOSX";
        if leaf.folder.split('/').chain([leaf.file]).any(hidden) {
            return None;
        }
        let found = numbered(leaf.file);
        let below = named && !leaf.folder.is_empty() && !of_jobs.contains(leaf.folder);
        if found.is_some() && (set_up.contains(leaf.folder) || below) {
            let job = if leaf.folder.is_empty() { top } else { leaf.folder.rsplit('/').next().unwrap_or(top) };
            return Some(Place::Steps(job.to_owned()));
        }
        let is_log = leaf.file.ends_with(".txt") || leaf.file.ends_with(".log");
        (found.is_some() || (named && is_log)).then(|| of_file(leaf.file))
    };
    leaves.iter().map(place).collect()
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
