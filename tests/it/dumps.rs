//! Dumps of whole repositories: how far it is, and that what is done on all cores is what one would do.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use git_docket::ops::observe::{Doing, Options, Progress, observe};
use git_docket::ops::place::Place;
use serde_json::{Value, json};

use crate::support::{arg, docket, done, files, scratch};

const AT: &str = "2026-03-05T00:00:00Z";

/// Writes an archive of so many issues with three comments each.
fn archive(path: &Path, issues: usize) {
    let comment = |issue: usize, at: usize| {
        json!({"author": "jonas", "body": format!("{issue} {at}"), "createdAt": format!("2026-01-01T00:00:{at:02}Z"),
            "url": format!("https://github.com/acme/web/issues/{issue}#issuecomment-{issue}{at}")})
    };
    let issue = |n: usize| {
        json!({"number": n, "title": format!("issue {n}"), "state": "OPEN", "author": "mira", "createdAt": "2026-01-01T00:00:00Z",
            "url": format!("https://github.com/acme/web/issues/{n}"), "comments": (0..3).map(|at| comment(n, at)).collect::<Vec<_>>()})
    };
    let issues: Vec<_> = (1..=issues).map(issue).collect();
    fs::write(path, json!({"repo": "acme/web", "labels": [], "issues": issues, "pulls": []}).to_string())
        .expect("written");
}

/// Keeps what it is told.
#[derive(Default)]
pub struct Heard(pub Mutex<Vec<(Doing, u64, u64)>>);

impl Progress for Heard {
    fn at(&self, doing: Doing, done: u64, of: u64) {
        self.0.lock().expect("not poisoned").push((doing, done, of));
    }
}

#[test]
fn progress_is_told_from_nothing_to_all() {
    for branch in [None, Some("facts")] {
        let dir = scratch();
        let input = dir.path().join("archive.json");
        archive(&input, 200);
        let name: Vec<_> = branch.into_iter().flat_map(|name| ["--ref", name]).collect();
        done(dir.path(), &[&name[..], &["init", "store"]].concat());
        let place = Place::find(Some(&dir.path().join("store")), branch, dir.path()).expect("a store");
        let (heard, inputs) = (Heard::default(), [arg(&input).to_owned()]);
        let now = AT.parse().expect("a time");
        let options = Options { observed_at: Some(now), progress: &heard, ..Options::of(&inputs, now) };
        let report = observe(&place, &options, &mut std::io::empty()).expect("observed");
        let told = heard.0.into_inner().expect("not poisoned");
        let size = fs::metadata(&input).expect("there").len();
        let filed = report.observed + report.elements;
        assert!(filed > 800, "{filed}");
        for (doing, of) in [(Doing::Reading, size), (Doing::Filing, filed)] {
            let of_it: Vec<_> = told.iter().filter(|(what, ..)| *what == doing).collect();
            assert!(of_it.iter().all(|(.., all)| *all == of), "{branch:?}: {doing:?} of {of}: {of_it:?}");
            assert_eq!(of_it.first().map(|(_, done, _)| *done), Some(0), "{branch:?}: {doing:?}");
            assert_eq!(of_it.iter().map(|(_, done, _)| *done).max(), Some(of), "{branch:?}: {doing:?}");
        }
    }
}

#[test]
fn no_progress_without_a_terminal() {
    let dir = scratch();
    archive(&dir.path().join("archive.json"), 5);
    done(dir.path(), &["init", "store"]);
    let output = docket(dir.path()).args(["--store", "store", "observe", "archive.json"]).output().expect("started");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_number_of_cores_changes_nothing() {
    let dir = scratch();
    archive(&dir.path().join("archive.json"), 150);
    let facts = |threads: &str| {
        done(dir.path(), &["init", threads]);
        let mut one = docket(dir.path());
        one.args(["--json", "--store", threads, "observe", "--observed-at", AT, "archive.json"]);
        let output = one.env("RAYON_NUM_THREADS", threads).output().expect("started");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let mut files = files(&dir.path().join(threads));
        files.retain(|path, _| !path.starts_with(".git/"));
        (report, files)
    };
    let (one, many) = (facts("1"), facts("4"));
    assert_eq!(one.0["observed"], 301);
    assert!(one == many, "{} and {} files", one.1.len(), many.1.len());
}

#[test]
fn an_exchange_is_one_however_its_members_are_spelled() {
    let dir = scratch();
    let line = r#"{"METHOD":"GET","url":"https://api.github.com/repos/acme/web/issues/7/comments?per_page=100","status":200,"headers":{},"body":[]}"#;
    for spelled in ["method", r"\u006dethod", r"metho\u0064", r"me\u0074hod"] {
        fs::write(dir.path().join("lines.jsonl"), line.replace("METHOD", spelled)).expect("written");
        let store = format!("store{}", spelled.len() + spelled.find('u').unwrap_or(0));
        done(dir.path(), &["init", &store]);
        let report = done(dir.path(), &["--store", &store, "observe", "lines.jsonl"]);
        assert_eq!(report["observed"], 1, "{spelled}: {report}");
    }
}
