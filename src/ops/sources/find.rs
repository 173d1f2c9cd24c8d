//! Which tracked paths hold the terms: found in process, or by git itself under supervision.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::place::Place;
use crate::git::search::{Folding, Search, search};
use crate::git::worktree_read::Opened;
use crate::ops::process::{Alarm, Ended, Job, run};
use crate::sources::coverage::{Coverage, Diagnostic};
use crate::sources::{MAX_CAPTURE, Rules};

/// Who searches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Engine {
    /// This process, over the index and the work tree.
    #[default]
    InProcess,
    /// `git grep`, by the path of the program.
    Git(PathBuf),
}

/// How a search is made.
#[derive(Debug, Clone)]
pub struct How {
    /// Who searches.
    pub engine: Engine,
    /// What counts as the same letter.
    pub folding: Folding,
    /// The time for each term. One pass in process answers for all terms and has the time of all.
    pub time: Duration,
}

impl Default for How {
    fn default() -> Self {
        Self { engine: Engine::InProcess, folding: Folding::Unicode, time: Duration::from_secs(2) }
    }
}

/// For each term the paths in git's order; `None` when its search is unavailable. Says so in the coverage.
pub(super) fn paths_of_terms(
    place: &Place,
    terms: &[String],
    how: &How,
    rules: Rules,
    coverage: &mut Coverage,
) -> Vec<Option<Vec<Vec<u8>>>> {
    if terms.is_empty() {
        return Vec::new();
    }
    let found = match &how.engine {
        Engine::InProcess => in_process(place, terms, how, rules, coverage),
        Engine::Git(program) if place.worktree().is_some() => {
            let mut found: Vec<_> = terms.iter().map(|term| by_git(program, place.root(), term, how)).collect();
            if rules == Rules::Safe {
                // Git goes through links on the way to a file. A pass of ours without terms says which there are.
                in_process(place, &[], how, rules, coverage);
                let is_linked =
                    |path: &Vec<u8>| matches!(place.directory().open_file(path), Opened::Linked { last: false, .. });
                found.iter_mut().flatten().for_each(|paths| paths.retain(|path| !is_linked(path)));
            }
            found
        }
        Engine::Git(_) => vec![None; terms.len()],
    };
    if found.iter().any(Option::is_none) {
        coverage.note(Diagnostic::SearchUnavailable);
    }
    found
}

fn in_process(
    place: &Place,
    terms: &[String],
    how: &How,
    rules: Rules,
    coverage: &mut Coverage,
) -> Vec<Option<Vec<Vec<u8>>>> {
    let unavailable = vec![None; terms.len()];
    let Some(worktree) = place.worktree() else { return unavailable };
    let time = how.time.saturating_mul(u32::try_from(terms.len().max(1)).unwrap_or(u32::MAX));
    let (_alarm, stop) = Alarm::flag(time);
    let stop: &AtomicBool = &stop;
    let follow_links = rules == Rules::OpenAgents;
    let what = Search { terms, folding: how.folding, follow_links, capture: MAX_CAPTURE, stop };
    let Ok(hits) = search(worktree, &what) else { return unavailable };
    // These may hold the terms or not: what was not read is said, never taken for a miss.
    if hits.outside > 0 {
        coverage.note(Diagnostic::Outside);
    }
    if hits.linked > 0 {
        coverage.note(Diagnostic::Linked);
    }
    hits.terms
}

/// The specified command, made proof against configuration, locale, colours, pagers, hooks, monitors and converters.
fn by_git(program: &Path, root: &Path, term: &str, how: &How) -> Option<Vec<Vec<u8>>> {
    let locale = if how.folding == Folding::Unicode { "C.UTF-8" } else { "C" };
    let mut args: Vec<OsString> = vec!["-C".into(), root.into(), "--no-pager".into(), "--no-optional-locks".into()];
    let mut trusted = OsString::from("safe.directory=");
    trusted.push(root);
    let settings = [
        "color.ui=false",
        "core.quotePath=false",
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "submodule.recurse=false",
        "grep.fallbackToNoIndex=false",
        "grep.patternType=default",
        "grep.extendedRegexp=false",
    ];
    for setting in settings.map(OsString::from).into_iter().chain([trusted]) {
        args.extend(["-c".into(), setting]);
    }
    args.extend(["grep", "-l", "-z", "-i", "--max-count", "1"].map(OsString::from));
    args.extend(
        ["--no-color", "--no-textconv", "--no-recurse-submodules", "-e", term, "--", ":!*.lock"].map(OsString::from),
    );
    let env = [
        ("LC_ALL", locale),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("PATH", "/nonexistent"),
    ];
    let env = env.map(|(name, value)| (name.into(), value.into())).to_vec();
    let job =
        Job { program: program.to_owned(), args, env, stdin: Vec::new(), capture: MAX_CAPTURE, deadline: how.time };
    match run(&job) {
        Ended::Exit { code: Some(0), stdout, .. } => {
            Some(stdout.split(|b| *b == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect())
        }
        Ended::Exit { code: Some(1), stdout, .. } if stdout.is_empty() => Some(Vec::new()),
        _ => None,
    }
}
