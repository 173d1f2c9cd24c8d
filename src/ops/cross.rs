//! What a forge says that a pull request changes, against a repository that has its commits.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Error;
use crate::corpus::{Coverage, State};
use crate::forge::facets::FileChange;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::patch::{self, Change};
use crate::git::{self, Oid, Repo, RevTree, Side};

/// What the repository says of one entity.
#[derive(Debug, Serialize)]
pub struct Crossed {
    /// The id of the entity.
    pub entity: String,
    /// `same`, `differs`, or `unknown` when the repository cannot tell.
    pub state: &'static str,
    /// Why it cannot tell: `no-commits` (the facts do not name head and base), `commit-missing` (a commit of them, or what they have
    /// in common, is not in the repository), `no-files` (the facts have neither files nor a diff), `files-incomplete` (they have some of
    /// the files, or a part of the diff, and what they say of those is so), `content-unknown` (paths are as the facts say, and the content of
    /// some is not told, or in a way that cannot be compared: cut, binary, commit by commit, no UTF-8, or not in the repository).
    pub reason: Option<&'static str>,
    /// What differs, by path.
    pub differences: Vec<Difference>,
}

/// A path of which the two say something else.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The path.
    pub path: String,
    /// `file-missing`: the repository shows no change of it; `file-extra`: the forge lists no change of it although its list is
    /// complete; `status-differs`: one of them added or removed it, the other not; `blob-differs`: the content is another;
    /// `mode-differs`: the mode is; `patch-differs`: the patch does not make the content after of that before.
    pub code: &'static str,
}

/// The largest content in bytes that a patch is compared with.
const MAX_CONTENT: u64 = 64 << 20;

/// Compares the files of a pull request with the difference between its head and what head and base have in common, which is what a
/// forge compares. `None` for an issue.
///
/// # Errors
/// Those of the repository; what it does not have is no error.
pub(super) fn check(repo: &Repo, state: &State) -> Result<Option<Crossed>, Error> {
    if state.kind != Kind::Pull {
        return Ok(None);
    }
    let entity = state.entity().to_string();
    let unknown = |reason| {
        Ok(Some(Crossed { entity: entity.clone(), state: "unknown", reason: Some(reason), differences: Vec::new() }))
    };
    let sha = |side: Option<&crate::forge::facets::Side>| side.and_then(|side| side.sha.as_ref()?.parse::<Oid>().ok());
    let (Some(head), Some(base)) = (sha(state.header.head.known()), sha(state.header.base.known())) else {
        return unknown("no-commits");
    };
    let told = told(state);
    if told.is_empty() {
        return unknown("no-files");
    }
    let Some(common) = repo.merge_base(base, head)? else { return unknown("commit-missing") };
    let tree = |id| repo.tree(&repo.commit(id)?, "");
    let change = tree(common).and_then(|before| {
        let changes = repo.tree_diff(&before, &tree(head)?)?;
        Ok(Actual { repo, before, changes: changes.into_iter().map(|change| (change.path.clone(), change)).collect() })
    });
    let actual = match change {
        Err(git::Error::ObjectMissing { .. }) => return unknown("commit-missing"),
        actual => actual?,
    };
    let mut found = Found::default();
    told.iter().try_for_each(|told| told.compare(&actual, &mut found))?;
    let reason = if !told.iter().any(|told| told.all) || told.iter().any(|told| told.is_cut) {
        Some("files-incomplete")
    } else {
        found.is_open().then_some("content-unknown")
    };
    let (state, reason) = match reason {
        _ if !found.differences.is_empty() => ("differs", None),
        None => ("same", None),
        Some(reason) => ("unknown", Some(reason)),
    };
    Ok(Some(Crossed { entity, state, reason, differences: found.differences.into_iter().collect() }))
}

/// What the list of files says, or the diff.
struct Told<'s> {
    files: BTreeMap<String, File<'s>>,
    /// Whether these are all.
    all: bool,
    /// Whether it is shown although a part of it is missing.
    is_cut: bool,
}

/// What it says of one path.
struct File<'s> {
    /// Whether it was there, and is.
    before: bool,
    after: bool,
    /// Where its content comes from, when that is another path.
    from: Option<String>,
    /// The blob that a list names: after the change, or of what was removed.
    blob: Option<&'s str>,
    /// Both blobs, as a diff abbreviates them.
    blobs: Option<(&'s str, &'s str)>,
    modes: (Option<&'s str>, Option<&'s str>),
    /// Whether a change of the mode would be told.
    tells_modes: bool,
    text: Text<'s>,
}

/// How it tells what changed in the content.
enum Text<'s> {
    /// By all hunks; none at all where nothing did.
    Hunks(&'s [u8]),
    /// In a way that cannot be compared: cut, as binary data, commit by commit.
    Opaque,
    /// Not at all.
    Untold,
}

/// What commits change.
struct Actual<'r> {
    repo: &'r Repo,
    before: RevTree,
    changes: BTreeMap<String, git::Change>,
}

/// What comparing found.
#[derive(Default)]
struct Found {
    differences: BTreeSet<Difference>,
    /// Paths whose content was compared, and those of which one of list and diff does not tell it.
    compared: BTreeSet<String>,
    untold: BTreeSet<String>,
    is_opaque: bool,
}

impl Found {
    /// Whether the content of a path is not compared.
    fn is_open(&self) -> bool {
        self.is_opaque || self.untold.iter().any(|path| !self.compared.contains(path))
    }
}

fn told(state: &State) -> Vec<Told<'_>> {
    let is_complete = |facet| state.coverage.get(&facet).is_some_and(Coverage::is_complete);
    let list = (!state.files.is_empty() || is_complete(Facet::Files)).then(|| {
        let mut files = BTreeMap::new();
        state.files.iter().for_each(|file| listed(file, &mut files));
        Told { files, all: is_complete(Facet::Files), is_cut: false }
    });
    let diff = state.diff.as_deref().and_then(|text| {
        let diff = patch::read(text).ok()?;
        let mut files = BTreeMap::new();
        diff.files.iter().for_each(|file| shown(file, text, &mut files));
        // What a series makes and removes again is no change.
        files.retain(|_, file: &mut File<'_>| file.before || file.after);
        Some(Told { files, all: diff.is_whole(), is_cut: !diff.is_whole() })
    });
    list.into_iter().chain(diff).collect()
}

/// A path that moved away.
fn moved<'s>() -> File<'s> {
    let (blob, blobs, modes, text) = (None, None, (None, None), Text::Hunks(b""));
    File { before: true, after: false, from: None, blob, blobs, modes, tells_modes: false, text }
}

fn listed<'s>(file: &'s FileChange, files: &mut BTreeMap<String, File<'s>>) {
    let (before, after) = match file.status.as_deref() {
        Some("added" | "copied" | "renamed") => (false, true),
        Some("removed") => (true, false),
        _ => (true, true),
    };
    let from = file.previous_path.clone().filter(|_| matches!(file.status.as_deref(), Some("renamed" | "copied")));
    if let (Some("renamed"), Some(old)) = (file.status.as_deref(), &from) {
        files.entry(old.clone()).or_insert_with(moved);
    }
    let text = match file.patch.as_deref().map(str::as_bytes) {
        None => Text::Untold,
        Some(text) if is_all(file, text) => Text::Hunks(text),
        Some(_) => Text::Opaque,
    };
    let (blob, blobs, modes) = (file.sha.as_deref(), None, (None, None));
    files.insert(file.path.clone(), File { before, after, from, blob, blobs, modes, tells_modes: false, text });
}

/// Whether a patch has all lines that the forge counts: one that it cut between two hunks looks whole.
fn is_all(file: &FileChange, text: &[u8]) -> bool {
    let found = patch::hunks(text);
    patch::is_hunks(text)
        && file.additions.is_none_or(|told| told <= found.additions)
        && file.deletions.is_none_or(|told| told <= found.deletions)
}

fn shown<'s>(file: &patch::FilePatch<'s>, text: &'s [u8], files: &mut BTreeMap<String, File<'s>>) {
    let section = &text[file.range.clone()];
    let moves = matches!(file.change, Change::Renamed | Change::Copied);
    let from = file.old.as_ref().filter(|_| moves).map(ToString::to_string);
    let mut is_again = false;
    if let (Change::Renamed, Some(old)) = (file.change, &from) {
        match files.get_mut(old) {
            Some(former) => (former.after, former.text, is_again) = (false, Text::Opaque, true),
            None => drop(files.insert(old.clone(), moved())),
        }
    }
    let former = files.get(file.path()).map(|former| former.before);
    let (hunks, is_git) = (&section[file.head..], section.starts_with(b"diff --git "));
    let text = match (file.binary, file.blobs) {
        _ if is_again || former.is_some() || !file.whole => Text::Opaque,
        // The commits of a submodule are compared as blobs are, and a file in it is none of the repository.
        _ if patch::is_submodule(section) => Text::Untold,
        // A path that became another kind of file is told in two halves.
        _ if patch::hunks(hunks).length < hunks.len() && !file.binary => Text::Opaque,
        (false, _) => Text::Hunks(hunks),
        // Only said to differ: the blobs tell whether it is so.
        (true, Some(_)) if memchr::memmem::find(section, b"\nGIT binary patch").is_none() => Text::Untold,
        (true, _) => Text::Opaque,
    };
    let is_one = former.is_none() && !is_again;
    let told = File {
        before: former.unwrap_or(!matches!(file.change, Change::Added) && !moves),
        after: file.change != Change::Removed,
        from: from.filter(|_| is_one),
        blob: None,
        blobs: file.blobs.filter(|_| is_one),
        modes: if is_one { file.modes } else { (None, None) },
        tells_modes: is_git && is_one,
        text,
    };
    files.insert(file.path().to_owned(), told);
}

impl Told<'_> {
    fn compare(&self, actual: &Actual<'_>, found: &mut Found) -> Result<(), Error> {
        let mut differ = |path: &str, code| found.differences.insert(Difference { path: path.to_owned(), code });
        for (path, file) in &self.files {
            // A forge may show a rename as what came and went, and the other way round.
            let Some(change) = actual.changes.get(path) else {
                differ(path, "file-missing");
                continue;
            };
            if (file.before, file.after) != (change.before.is_some(), change.after.is_some()) {
                differ(path, "status-differs");
                continue;
            }
            match file.content(actual, change)? {
                Content::Differs(code) => drop(differ(path, code)),
                Content::Same => drop(found.compared.insert(path.clone())),
                Content::Untold => drop(found.untold.insert(path.clone())),
                Content::Opaque => found.is_opaque = true,
            }
        }
        if self.all {
            actual.changes.keys().filter(|path| !self.files.contains_key(*path)).for_each(|path| {
                differ(path, "file-extra");
            });
        }
        Ok(())
    }
}

/// What comes of comparing the content of a path.
enum Content {
    Same,
    Differs(&'static str),
    Untold,
    Opaque,
}

impl File<'_> {
    fn content(&self, actual: &Actual<'_>, change: &git::Change) -> Result<Content, Error> {
        // Nothing is said of what moved away.
        if !self.after && self.blobs.is_none() && self.blob.is_none() && matches!(self.text, Text::Hunks(b"")) {
            return Ok(Content::Same);
        }
        let before = match &self.from {
            Some(path) => actual.before.side(path)?,
            None => change.before,
        };
        let after = change.after;
        let is_blob = |blob: &str, side: Option<Side>| match side {
            _ if blob.bytes().all(|byte| byte == b'0') => side.is_none(),
            None => false,
            Some(side) => side.id.to_string().starts_with(blob),
        };
        let one = if self.after { after } else { before };
        if self.blob.is_some_and(|blob| !is_blob(blob, one))
            || self.blobs.is_some_and(|(old, new)| !is_blob(old, before) || !is_blob(new, after))
        {
            return Ok(Content::Differs("blob-differs"));
        }
        let is_mode =
            |told: Option<&str>, side: Option<Side>| told.is_none_or(|told| side.is_some_and(|side| side.mode == told));
        let both = before.zip(after).filter(|_| self.tells_modes && self.modes == (None, None));
        if !is_mode(self.modes.0, before)
            || !is_mode(self.modes.1, after)
            || both.is_some_and(|(a, b)| a.mode != b.mode)
        {
            return Ok(Content::Differs("mode-differs"));
        }
        match self.text {
            Text::Hunks(hunks) => patched(actual.repo, before, after, hunks),
            Text::Opaque => Ok(Content::Opaque),
            Text::Untold if self.blob.is_some() || self.blobs.is_some() => Ok(Content::Same),
            Text::Untold => Ok(Content::Untold),
        }
    }
}

/// Whether hunks make one content of another. A content that is no text may be shown in another encoding.
fn patched(repo: &Repo, before: Option<Side>, after: Option<Side>, hunks: &[u8]) -> Result<Content, Error> {
    let content = |side: Option<Side>| match side.map(|side| repo.content(&side, MAX_CONTENT)) {
        None => Ok(Some(Vec::new())),
        Some(Err(git::Error::ObjectMissing { .. })) => Ok(None),
        Some(content) => content,
    };
    let (Some(before), Some(after)) = (content(before)?, content(after)?) else { return Ok(Content::Opaque) };
    Ok(match patch::applied(&before, hunks) {
        Some(made) if made == after => Content::Same,
        _ if std::str::from_utf8(&before).is_err() || std::str::from_utf8(&after).is_err() => Content::Opaque,
        _ => Content::Differs("patch-differs"),
    })
}
