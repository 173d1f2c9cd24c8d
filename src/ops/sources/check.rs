//! `sources check`: recorded references against the work tree or a revision: same, moved, changed, gone or unknown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::place::in_git_directory;
use crate::format::json;
use crate::format::source::{DIRECTORY, REFERENCES, Reference, references_in};
use crate::git::worktree::{NotAWorktree, Worktree};
use crate::git::worktree_read::{Content, Directory, Opened, read_whole};
use crate::git::worktree_rename::{NoRenames, Renames};
use crate::git::worktree_revision::{Found, NoRevision, Revision};
use crate::ops::Error;
use crate::sources::candidates::plain_path;
use crate::sources::drift::{Drift, Status, locate};
use crate::sources::{MAX_SOURCE, view};

/// The largest input in bytes.
pub const MAX_INPUT: u64 = 256 << 20;

/// The longest path that is looked up, in bytes.
const MAX_PATH: usize = 4096;

/// What to check, and against what.
#[derive(Debug, Clone)]
pub struct Options {
    /// A directory in the repository.
    pub dir: PathBuf,
    /// The revision; the work tree without.
    pub at: Option<String>,
}

/// The state of every reference, in the order of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The object that was checked against; `None` for the work tree or a revision that is not here.
    pub at: Option<String>,
    /// Each reference with what became of it.
    pub references: Vec<(Reference, Drift)>,
}

impl Report {
    /// True when every quoted line stands where it stood.
    pub fn all_same(&self) -> bool {
        self.references.iter().all(|(_, drift)| drift.status == Status::Same)
    }

    /// How many references have a status.
    pub fn count(&self, status: Status) -> usize {
        self.references.iter().filter(|(_, drift)| drift.status == status).count()
    }

    /// A line for each reference, and the sum.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (reference, drift) in &self.references {
            let (path, line) = (view::path(&reference.path), reference.line);
            text.push_str(&format!("{:<8}{path}:{line}{}\n", drift.status.name(), details(drift)));
        }
        let counts = Status::ALL.map(|status| (self.count(status), status.name()));
        let counts: Vec<_> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
        let sum = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
        text.push_str(&format!("references: {sum}\n"));
        text
    }

    /// The answer of `--json`.
    pub fn to_json(&self) -> Value {
        let counts: serde_json::Map<_, _> =
            Status::ALL.iter().map(|status| (status.name().to_owned(), self.count(*status).into())).collect();
        let row = |(reference, drift): &(Reference, Drift)| {
            let now = drift.position.as_ref().map(|(path, line)| json!({"path": path, "line": line}));
            let source = drift.source_same.map(|same| if same { "same" } else { "changed" });
            json!({
                "path": reference.path,
                "line": reference.line,
                "base": reference.base,
                "status": drift.status.name(),
                "now": now,
                "occurrences": drift.occurrences,
                "source": source,
                "reason": drift.reason,
            })
        };
        let rows: Vec<Value> = self.references.iter().map(row).collect();
        json!({"same": self.all_same(), "at": self.at, "counts": counts, "references": rows})
    }
}

fn details(drift: &Drift) -> String {
    let mut out = String::new();
    if let Some((path, line)) = drift.position.as_ref().filter(|_| drift.status == Status::Moved) {
        out.push_str(&format!(" -> {}:{line}", view::path(path)));
    }
    if drift.occurrences > 1 {
        out.push_str(&format!(" (the nearest of {})", drift.occurrences));
    }
    if let Some(reason) = drift.reason {
        out.push_str(&format!(" ({reason})"));
    }
    out
}

/// The records in a rendered block, which begins with one or with what stands in the place of one. Quoted lines are indented.
fn block(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let begins = [&b"source {"[..], b"withheld {"].iter().any(|word| bytes.starts_with(word));
    begins.then(|| lines.filter_map(|line| line.strip_prefix(b"source ")).collect())
}

/// Reads the references of an input: a reference, a context, what `sources collect` prints with and without `--json`, a list of these, or
/// one of these a line.
///
/// # Errors
/// `sources-invalid`, naming the document and what is wrong with it.
pub fn references_from(bytes: &[u8]) -> Result<Vec<Reference>, Error> {
    let invalid = |at: usize, why: String| Error::new("sources-invalid", format!("document {}: {why}", at + 1));
    let documents = match block(bytes) {
        Some(records) => records,
        None => {
            let ranges = json::documents(bytes).map_err(|fault| invalid(0, fault.to_string()))?;
            ranges.into_iter().map(|range| &bytes[range]).collect()
        }
    };
    let mut found = Vec::new();
    for (at, document) in documents.into_iter().enumerate() {
        let value = json::parse(document).map_err(|fault| invalid(at, fault.to_string()))?;
        found.extend(references_in(&value).map_err(|why| invalid(at, why.to_string()))?);
    }
    Ok(found)
}

/// Reads the references of a stage: every `sources/references.json` below a directory, without following a link.
///
/// # Errors
/// `sources-invalid` when there is none or one is malformed.
pub fn references_of_stage(dir: &Path) -> Result<Vec<Reference>, Error> {
    let trouble = |path: &str, why: &str| Error::new("sources-invalid", format!("{}/{path}: {why}", dir.display()));
    let directory = Directory::open(dir).map_err(|error| trouble("", &error.to_string()))?;
    let mut found = None;
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let path = format!("{below}{}", REFERENCES);
        match directory.open_file(path.as_bytes()) {
            Opened::File(file) => {
                let Content::Whole(bytes) = read_whole(file, MAX_INPUT) else {
                    return Err(trouble(&path, "cannot be read"));
                };
                found.get_or_insert_with(Vec::new).extend(references_from(&bytes)?);
            }
            Opened::Missing => {}
            // What it refers to is not known, and is not to be passed over.
            _ => return Err(trouble(&path, "is no file that can be read")),
        }
        // A stage of several entities has five levels above each of them.
        if below.matches('/').count() < 8 {
            let mut inner = Vec::new();
            let listed = directory.list(below.trim_end_matches('/').as_bytes());
            for (name, is_directory) in listed.map_err(|error| trouble(&below, &error.to_string()))? {
                let path = format!("{below}{}", String::from_utf8_lossy(&name));
                let is_link = || matches!(directory.open_file(path.as_bytes()), Opened::Linked { .. });
                match (is_directory, name == DIRECTORY.as_bytes()) {
                    (true, true) => {}
                    (true, false) => inner.push(format!("{path}/")),
                    // There may be references behind it.
                    (false, is_ours) if is_ours || is_link() => return Err(trouble(&path, "is no directory")),
                    (false, _) => {}
                }
            }
            inner.sort_by(|a, b| b.cmp(a));
            open.append(&mut inner);
        }
    }
    found.ok_or_else(|| trouble(REFERENCES, "this is no stage with sources"))
}

enum Target {
    Work(Worktree),
    Revision(Revision),
}

impl Target {
    fn each<T: Send>(&self, paths: &[&str], visit: impl Fn(usize, Found) -> T + Sync) -> Vec<T> {
        match self {
            Self::Work(worktree) => worktree.each(paths, MAX_SOURCE, visit),
            Self::Revision(revision) => revision.each(paths, MAX_SOURCE, visit),
        }
    }

    fn renames(&self, base: &str, gone: &[&str]) -> Result<Renames, NoRenames> {
        match self {
            Self::Work(worktree) => worktree.renames(base, gone),
            Self::Revision(revision) => revision.renames(base),
        }
    }
}

/// Checks references in one pass: each file is read once, whatever refers to it.
///
/// # Errors
/// When the repository cannot be opened or the revision means nothing. A commit that is merely not here is no error: all is unknown.
pub fn check(options: &Options, references: Vec<Reference>) -> Result<Report, Error> {
    let target = match &options.at {
        None => Target::Work(Worktree::open(&options.dir).map_err(refused)?),
        Some(name) => match Revision::open(&options.dir, name) {
            Ok(revision) => Target::Revision(revision),
            Err(NoRevision::Absent(_)) => return Ok(all_unknown(references, "no-such-commit")),
            Err(NoRevision::Repository(error)) => return Err(refused(error)),
            Err(error @ NoRevision::Unknown(_)) => {
                return Err(Error::new("revision-unknown", error.to_string()).hint(
                    "git branch --all and git tag list what is here; what only the origin has must be fetched first",
                ));
            }
        },
    };
    let mut drifts = by_path(&target, &references);
    follow_renames(&target, &references, &mut drifts);
    let at = if let Target::Revision(revision) = &target { Some(revision.id()) } else { None };
    let unknown = || Drift::without_position(Status::Unknown, None);
    let drifts = drifts.into_iter().map(|drift| drift.unwrap_or_else(unknown));
    Ok(Report { at, references: references.into_iter().zip(drifts).collect() })
}

/// Looks at every reference where it stood.
fn by_path(target: &Target, references: &[Reference]) -> Vec<Option<Drift>> {
    let mut drifts: Vec<Option<Drift>> = vec![None; references.len()];
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, reference) in references.iter().enumerate() {
        if is_safe(&reference.path) {
            groups.entry(&reference.path).or_default().push(at);
        } else {
            drifts[at] = Some(Drift::without_position(Status::Unknown, Some("path-unsafe")));
        }
    }
    look(target, &groups, references, &mut drifts);
    drifts
}

/// Reads the file of each group and judges its references there.
fn look(target: &Target, groups: &BTreeMap<&str, Vec<usize>>, references: &[Reference], drifts: &mut [Option<Drift>]) {
    let paths: Vec<&str> = groups.keys().copied().collect();
    let members: Vec<&Vec<usize>> = groups.values().collect();
    let judged = target.each(&paths, |at, found| {
        let group: Vec<&Reference> = members[at].iter().map(|member| &references[*member]).collect();
        match found {
            Found::Text(text) => locate(paths[at], &text, &group),
            other => vec![without_text(&other); group.len()],
        }
    });
    for (members, judged) in members.into_iter().zip(judged) {
        for (member, drift) in members.iter().zip(judged) {
            drifts[*member] = Some(drift);
        }
    }
}

fn without_text(found: &Found) -> Drift {
    let (status, reason) = match found {
        Found::NotText => (Status::Unknown, Some("not-utf8")),
        Found::TooLarge => (Status::Unknown, Some("too-large")),
        Found::NotAFile => (Status::Gone, Some("not-a-file")),
        Found::Unreadable => (Status::Unknown, Some("unreadable")),
        Found::Text(_) | Found::Missing => (Status::Gone, None),
    };
    Drift::without_position(status, reason)
}

/// For files that are gone: asks git's rename detection, once a base commit, and looks there.
fn follow_renames(target: &Target, references: &[Reference], drifts: &mut [Option<Drift>]) {
    let mut by_base: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, reference) in references.iter().enumerate() {
        let gone = drifts[at].as_ref().is_some_and(|drift| drift.status == Status::Gone);
        match &reference.base {
            Some(base) if gone => by_base.entry(base).or_default().push(at),
            _ => {}
        }
    }
    for (base, members) in by_base {
        let gone: Vec<&str> = members.iter().map(|at| references[*at].path.as_str()).collect();
        let renames = match target.renames(base, &gone) {
            Ok(renames) => renames,
            Err(why) => {
                let reason = match why {
                    NoRenames::NoSuchCommit => "no-such-commit",
                    NoRenames::Shallow => "shallow",
                    NoRenames::Unreadable => "base-unreadable",
                };
                members
                    .iter()
                    .for_each(|at| drifts[*at] = Some(Drift::without_position(Status::Unknown, Some(reason))));
                continue;
            }
        };
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for at in members {
            match renames.to.get(&references[at].path) {
                Some(to) => groups.entry(to).or_default().push(at),
                None if renames.limited => {
                    drifts[at] = Some(Drift::without_position(Status::Unknown, Some("rename-limit")));
                }
                None => {}
            }
        }
        look(target, &groups, references, drifts);
        for at in groups.into_values().flatten() {
            if let Some(drift) = drifts[at].as_mut().filter(|drift| drift.status != Status::Moved) {
                drift.reason = drift.reason.or(Some("renamed"));
            }
        }
    }
}

fn is_safe(path: &str) -> bool {
    path.len() <= MAX_PATH && plain_path(path).as_deref() == Some(path) && !in_git_directory(path)
}

fn all_unknown(references: Vec<Reference>, reason: &'static str) -> Report {
    let unknown = Drift::without_position(Status::Unknown, Some(reason));
    Report { at: None, references: references.into_iter().map(|reference| (reference, unknown.clone())).collect() }
}

fn refused(error: NotAWorktree) -> Error {
    match &error {
        NotAWorktree::NoRepository(_) => Error::new("repo-not-found", error.to_string()),
        NotAWorktree::Untrusted(_) => Error::new("repo-untrusted", error.to_string()),
        NotAWorktree::Bare(_) => Error::new("worktree-missing", error.to_string()),
        NotAWorktree::Elsewhere(_) => Error::new("worktree-elsewhere", error.to_string()),
        NotAWorktree::Broken { .. } => Error::new("repo-invalid", error.to_string()),
    }
}
