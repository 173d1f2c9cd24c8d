//! Dumps that are too large to be held whole: what is filed of them is what would be filed of a small one.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use git_docket::format::json;
use git_docket::format::steps::{Step, Steps, Unhindered};
use git_docket::format::tree::Tree;
use git_docket::ops::Error;
use git_docket::ops::observe::{Doing, Options, Progress, Report, Untold, observe, observe_in_memory};
use git_docket::ops::place::Place;
use serde_json::{Value, json};

use crate::dumps::Heard;
use crate::support::{arg, docket, done, files, git, report, scratch};

const AT: &str = "2026-03-05T00:00:00Z";
const PAGE: &str = "https://github.com/acme/web";

fn comment(page: &str, at: usize) -> Value {
    json!({"author": {"login": "jonas"}, "body": format!("comment \"{at}\" \u{1f980} \u{2028}"), "createdAt": "2026-01-01T00:00:00Z",
        "url": format!("{page}#issuecomment-{at}")})
}

/// A thread with a body of so many bytes.
fn thread(number: usize, kind: &str, bytes: usize, comments: usize) -> Value {
    let page = format!("{PAGE}/{kind}/{number}");
    json!({"number": number, "title": format!("thread {number}"), "state": "OPEN", "author": "mira", "createdAt": "2026-01-01T00:00:00Z",
        "url": page, "updatedAt": format!("2026-01-02T00:00:{:02}Z", number % 60), "body": format!("{number} ").repeat(bytes / 3),
        "comments": (0..comments).map(|at| comment(&page, at)).collect::<Vec<_>>()})
}

fn pull(number: usize) -> Value {
    let mut pull = thread(number, "pull", 100, 2);
    let on_diff = |at: usize| {
        json!({"id": format!("C{at}"), "body": "here", "createdAt": "2026-01-01T00:00:00Z", "path": "a.rs",
        "url": format!("{PAGE}/pull/{number}#discussion_r{at}")})
    };
    pull["reviews"] = json!([{"id": "R1", "state": "COMMENTED", "body": "", "author": "jonas", "submittedAt": "2026-01-01T00:00:00Z",
        "url": format!("{PAGE}/pull/{number}#pullrequestreview-1"), "comments": [on_diff(1), on_diff(2)]}]);
    pull["reviewThreads"] =
        json!({"nodes": [{"id": "T1", "isResolved": true, "comments": {"nodes": [on_diff(3)], "totalCount": 1}}]});
    pull["headRefName"] = "topic".into();
    pull
}

/// Issues with large bodies, one of many comments, and pull requests with reviews.
fn lists() -> (Vec<Value>, Vec<Value>) {
    let mut issues: Vec<_> = (1..=44).map(|number| thread(number, "issues", 100_000, number % 3)).collect();
    issues.push(thread(45, "issues", 100, 600));
    (issues, (46..=50).map(pull).collect())
}

fn text(values: &[Value]) -> String {
    serde_json::to_string_pretty(values).expect("written")
}

/// A dump with its members in an order that is not theirs, with white space and with a member that nobody knows.
fn archive(issues: &[Value], pulls: &[Value]) -> String {
    let labels = json!([{"name": "bug", "color": "d73a4a"}, {"name": "\u{e9}", "color": "000000"}]);
    let other = json!({"z": [1, 2.5e3, null], "a\n": {"deep": [[]]}, "\u{fb33}": 1, "\u{1f600}": 2});
    format!(
        " {{ \"magic\" : \"E!v\",\n\"\\u0072epo\":\"acme/web\",\"pulls\":{}\t,\"other\":{other},\"labels\":{labels},\"issues\" : {},\"empty\":[]}} \n",
        text(pulls),
        text(issues)
    )
}

fn options<'o>(inputs: &'o [String], steps: &'o dyn Steps, progress: &'o dyn Progress) -> Options<'o> {
    let at = AT.parse().expect("a time");
    Options { observed_at: Some(at), steps, progress, ..Options::of(inputs, at) }
}

/// What is filed of a text, read piece by piece: the report and the facts.
fn filed(text: &str, piped: bool) -> Result<(Report, std::collections::BTreeMap<String, Vec<u8>>), Error> {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let input = dir.path().join("archive.json");
    fs::write(&input, text).expect("written");
    let place = Place::find(Some(&dir.path().join("store")), None, dir.path()).expect("a store");
    let inputs = [if piped { "-".to_owned() } else { arg(&input).to_owned() }];
    let mut stdin: Box<dyn Read> = if piped { Box::new(Cursor::new(text.to_owned())) } else { Box::new(io::empty()) };
    let report = observe(&place, &options(&inputs, &Unhindered, &Untold), stdin.as_mut());
    let mut files = files(&dir.path().join("store"));
    files.retain(|path, _| path.starts_with("objects/") || path.starts_with("observations/"));
    if report.is_err() {
        assert!(files.is_empty(), "{:?}", files.keys());
    }
    Ok((report?, files))
}

/// The same by the reader of whole documents, which keeps everything in memory.
fn whole(text: &str) -> Result<(Report, std::collections::BTreeMap<String, Vec<u8>>), Error> {
    let inputs = ["-".to_owned()];
    let (tree, report) = observe_in_memory(&options(&inputs, &Unhindered, &Untold), &mut text.as_bytes())?;
    let listed = tree.list("").expect("listed").into_iter();
    let read = |path: String| (path.clone(), tree.read(&path, u64::MAX).expect("read").expect("there"));
    Ok((report, listed.map(|entry| read(entry.path)).collect()))
}

fn same(text: &str) -> Report {
    let (expected, facts) = whole(text).expect("understood");
    for piped in [false, true] {
        let (report, found) = filed(text, piped).expect("filed");
        let different: Vec<_> = facts.iter().filter(|(path, bytes)| found.get(*path) != Some(bytes)).collect();
        assert!(different.is_empty(), "{} of {} differ", different.len(), facts.len());
        assert_eq!(found.len(), facts.len());
        assert_eq!(report.observed, expected.observed);
        assert_eq!(report.entities, expected.entities);
        assert_eq!(report.inputs.len(), 1);
        assert_eq!(report.inputs[0].digest, expected.inputs[0].digest);
        assert_eq!(report.inputs[0].observations, expected.inputs[0].observations);
        let left = |report: &Report| {
            let row = |row: &git_docket::ops::observe::LeftRow| {
                (row.input.split_once('#').map(|(_, at)| at.to_owned()), row.reason)
            };
            report.unrecognised.iter().map(row).collect::<Vec<_>>()
        };
        assert_eq!(left(&report), left(&expected));
    }
    expected
}

#[test]
fn a_large_dump_is_filed_as_a_small_one() {
    let (issues, pulls) = lists();
    let text = archive(&issues, &pulls);
    assert!(text.len() > 4 << 20, "{}", text.len());
    let report = same(&text);
    assert_eq!(report.entities.len(), 51);
}

#[test]
fn what_is_not_quite_a_dump_is_filed_as_ever() {
    let (mut issues, pulls) = lists();
    // The same thread twice; one that no repository is known of; an item that is no thread; a breach of the profile.
    issues.push(thread(7, "issues", 50, 1));
    same(&archive(&issues, &pulls));
    let named = archive(&issues[..45], &pulls);
    same(&named.replace("\"\\u0072epo\":\"acme/web\"", "\"repo\":null"));
    same(&named.replace("\"magic\" : \"E!v\"", "\"id\" : 12345678901234567890"));
}

#[test]
fn a_dump_that_is_broken_at_its_end_leaves_nothing() {
    let (issues, pulls) = lists();
    let text = archive(&issues, &pulls);
    for broken in [
        text.trim_end().trim_end_matches('}').to_owned(),
        format!("{text}]"),
        text.replace("\"empty\":[]", "\"empty\":[,]"),
    ] {
        for piped in [false, true] {
            let code = filed(&broken, piped).map(|(report, _)| report.observed).map_err(|error| error.code());
            assert_eq!(code, Err("json-invalid"));
        }
    }
}

#[test]
fn a_large_dump_comes_back_byte_for_byte_and_is_not_filed_twice() {
    let dir = scratch();
    let (issues, pulls) = lists();
    let text = archive(&issues, &pulls);
    fs::write(dir.path().join("archive.json"), &text).expect("written");
    done(dir.path(), &["--ref", "facts", "init", "store"]);
    let store = ["--store", "store", "--ref", "facts"];
    let first = done(dir.path(), &[&store[..], &["observe", "archive.json"]].concat());
    assert!(first["commit"].is_string(), "{first}");
    let digest = first["inputs"][0]["digest"].as_str().expect("a digest");
    let output = docket(dir.path()).args(store).args(["show", "--raw", digest]).output().expect("started");
    assert_eq!(output.stdout, json::canonical(text.as_bytes()).expect("valid"));
    // A look by the clock at what is there already files nothing, not even an element.
    let again = done(dir.path(), &[&store[..], &["observe", "archive.json"]].concat());
    assert_eq!((&again["observed"], &again["elements"], &again["commit"]), (&json!(0), &json!(0), &Value::Null));
    assert_eq!(again["unchanged"], first["observed"]);
    done(dir.path(), &[&store[..], &["verify"]].concat());
    let other = scratch();
    fs::write(other.path().join("archive.json"), text.replacen("comment \\\"0\\\"", "another", 1)).expect("written");
    let path = other.path().join("archive.json");
    let changed = done(dir.path(), &[&store[..], &["observe", arg(&path)]].concat());
    assert_eq!(changed["observed"], 2, "the header and its comments: {changed}");
    git(&dir.path().join("store"), &["fsck", "--strict"]);
}

#[test]
fn what_is_not_recognised_stops_a_strict_run_before_anything_is_filed() {
    let dir = scratch();
    let (issues, mut pulls) = lists();
    // Its address says another number.
    pulls[2]["number"] = 12.into();
    fs::write(dir.path().join("archive.json"), archive(&issues, &pulls)).expect("written");
    done(dir.path(), &["init", "store"]);
    let before = files(&dir.path().join("store"));
    let (status, told) = report(dir.path(), &["--store", "store", "observe", "--strict", "archive.json"]);
    assert_eq!((status, &told["error"]["code"]), (2, &json!("unrecognised")));
    assert!(files(&dir.path().join("store")) == before);
}

/// Lets so many steps happen, and none after them.
struct Killed(AtomicUsize);

impl Steps for Killed {
    fn before(&self, _: Step, _: &Path) -> io::Result<()> {
        let took = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        took.map(drop).map_err(|_| io::Error::other("killed"))
    }
}

#[test]
fn killed_in_between_it_leaves_a_store_that_is_whole() {
    let (issues, pulls) = lists();
    let text = archive(&issues, &pulls);
    let dir = scratch();
    let input = dir.path().join("archive.json");
    fs::write(&input, &text).expect("written");
    let inputs = [arg(&input).to_owned()];
    done(dir.path(), &["init", "store"]);
    let place = Place::find(Some(&dir.path().join("store")), None, dir.path()).expect("a store");
    for steps in [0, 1, 2, 100, 200, 700, 1000] {
        let killed = Killed(AtomicUsize::new(steps));
        observe(&place, &options(&inputs, &killed, &Untold), &mut io::empty()).expect_err("killed");
        done(dir.path(), &["--store", "store", "verify"]);
    }
    let all = observe(&place, &options(&inputs, &Unhindered, &Untold), &mut io::empty()).expect("filed");
    assert_eq!(all.observed + all.unchanged, whole(&text).expect("understood").0.observed);
    done(dir.path(), &["--store", "store", "verify"]);
}

#[test]
fn progress_of_a_large_dump_is_told_in_both_passes() {
    let (issues, pulls) = lists();
    let dir = scratch();
    let input = dir.path().join("archive.json");
    fs::write(&input, archive(&issues, &pulls)).expect("written");
    done(dir.path(), &["init", "store"]);
    let place = Place::find(Some(&dir.path().join("store")), None, dir.path()).expect("a store");
    let (heard, inputs) = (Heard::default(), [arg(&input).to_owned()]);
    observe(&place, &options(&inputs, &Unhindered, &heard), &mut io::empty()).expect("filed");
    let told = heard.0.into_inner().expect("not poisoned");
    for doing in [Doing::Reading, Doing::Taking] {
        let of_it: Vec<_> = told.iter().filter(|(what, ..)| *what == doing).collect();
        // Its beginning, its end, and each lot of two megabytes.
        assert!(of_it.len() > 3, "{doing:?}: {of_it:?}");
        assert_eq!(of_it.first().map(|(_, done, _)| *done), Some(0), "{doing:?}");
        assert_eq!(of_it.iter().map(|(_, done, _)| *done).max(), of_it.first().map(|(.., of)| *of), "{doing:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_planted_link_for_temporary_files_is_not_followed() {
    let dir = scratch();
    let (store, elsewhere) = (dir.path().join("store"), dir.path().join("elsewhere"));
    fs::create_dir(&store).expect("made");
    for (path, bytes) in git_docket::format::header::files() {
        fs::write(store.join(path), bytes).expect("written");
    }
    std::os::unix::fs::symlink(&elsewhere, store.join(".docket-tmp")).expect("a link");
    fs::write(dir.path().join("big"), format!("{{\"a\":\"{}\"}}", "x".repeat(5 << 20))).expect("written");
    for there in [false, true] {
        if there {
            fs::create_dir(&elsewhere).expect("made");
        }
        let input = fs::File::open(dir.path().join("big")).expect("the input");
        let output = docket(dir.path()).args(["--json", "--store", "store", "observe", "-"]).stdin(input).output();
        let output = output.expect("started");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("symbolic link"), "{said}");
    }
    assert_eq!(fs::read_dir(&elsewhere).expect("a directory").count(), 0);
}
