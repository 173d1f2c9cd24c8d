//! Looks dated by the clock: what is kept, what needs no keeping and is told so, and their order within one second.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use git_docket::format::observation::Completeness;
use git_docket::format::time::Time;
use git_docket::ops::observe::{Options, Report, observe};
use git_docket::ops::place::{Place, directory_tree};
use git_docket::store::facts::Facts;
use git_docket::store::split::rebuild;
use serde_json::{Value, json};

use super::{ACME, canonical, store};
use crate::support::{arg, checked, docket, done, files, github_threads, scratch, testdata};

/// Every input that a store gives back, by its digest.
fn inputs(store: &Path) -> BTreeMap<String, Vec<u8>> {
    let tree = directory_tree(store).expect("a store");
    let facts = Facts::new(tree.as_ref());
    let filed = facts.observations("").expect("observations");
    let inputs = filed.iter().flat_map(|filed| filed.record.as_ref().expect("an observation").inputs().to_vec());
    inputs.map(|input| (input.digest.to_string(), rebuild(&facts, &input).expect("the pieces are there"))).collect()
}

fn raw(dir: &Path, digest: &Value) -> Vec<u8> {
    let digest = digest.as_str().expect("a digest");
    let output = docket(dir).args(["--store", "store", "show", "--raw", digest]).output().expect("started");
    checked(output, "show --raw").stdout
}

#[test]
fn every_file_of_every_thread_is_kept_also_where_nobody_says_when_it_was_seen() {
    for thread in github_threads() {
        let dir = scratch();
        store(dir.path(), "store");
        let seen = done(dir.path(), &["--store", "store", "observe", arg(&thread)]);
        let kept = inputs(&dir.path().join("store"));
        let payloads: Vec<_> = files(&thread).into_iter().filter(|(name, _)| name != "_requests.json").collect();
        let rows = seen["inputs"].as_array().expect("inputs");
        assert_eq!(rows.len(), payloads.len(), "{}", thread.display());
        for row in rows {
            let name = Path::new(row["input"].as_str().expect("a name"));
            let (_, bytes) = payloads.iter().find(|(n, _)| name.ends_with(n)).expect("an input that was given");
            let digest = row["digest"].as_str().unwrap_or_else(|| panic!("{row}: no digest"));
            assert!(row["observations"].as_u64() > Some(0), "{row}");
            assert!(kept.get(digest) == Some(&canonical(bytes)), "{row}: the rebuilt payload differs");
        }
        let again = done(dir.path(), &["--store", "store", "observe", arg(&thread)]);
        assert_eq!(again["inputs"], seen["inputs"], "{}", thread.display());
    }
}

fn issue(avatar: &str) -> Value {
    json!({
        "url": "https://api.github.com/repos/acme/web/issues/7", "html_url": "https://github.com/acme/web/issues/7", "id": 70,
        "number": 7, "title": "Crash", "body": null, "state": "open", "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-02T00:00:00Z", "user": {"login": "mona", "id": 1, "avatar_url": avatar},
    })
}

#[test]
fn an_answer_that_a_recording_does_not_date_is_kept_once() {
    let dir = scratch();
    store(dir.path(), "store");
    let line = |date: &str, avatar: &str| {
        json!({"method": "GET", "url": "https://api.github.com/repos/acme/web/issues/7", "status": 200,
            "headers": {"Date": date}, "body": issue(avatar)})
    };
    let lines = [line("Fri, 02 Jan 2026 03:04:05 GMT", "https://a/1"), line("yesterday", "https://a/2")];
    fs::write(dir.path().join("r.jsonl"), format!("{}\n{}\n", lines[0], lines[1])).expect("written");
    let seen = done(dir.path(), &["--store", "store", "observe", "r.jsonl"]);
    assert_eq!(seen["observed"], 2, "{seen}");
    for (row, avatar) in seen["inputs"].as_array().expect("inputs").iter().zip(["https://a/1", "https://a/2"]) {
        assert_eq!(raw(dir.path(), &row["digest"]), canonical(issue(avatar).to_string().as_bytes()));
    }
    let again = done(dir.path(), &["--store", "store", "observe", "r.jsonl"]);
    assert_eq!((&again["observed"], &again["unchanged"]), (&json!(0), &json!(2)), "{again}");
    assert_eq!(again["inputs"], seen["inputs"]);
}

#[test]
fn an_undated_recording_is_kept_once_however_often_it_is_observed() {
    let line = |title: &str, updated: &str| {
        let mut body = issue("https://a/1");
        (body["title"], body["updated_at"]) = (json!(title), json!(updated));
        json!({"method": "GET", "url": "https://api.github.com/repos/acme/web/issues/7", "status": 200, "headers": {}, "body": body})
    };
    let comments = |ids: &[u64]| {
        let one = |id: &u64| {
            json!({"id": id, "body": "c", "user": {"login": "mona", "id": 1}, "created_at": "2026-01-01T00:00:00Z",
            "issue_url": "https://api.github.com/repos/acme/web/issues/7", "updated_at": "2026-01-01T00:00:00Z"})
        };
        json!({"method": "GET", "url": "https://api.github.com/repos/acme/web/issues/7/comments", "status": 200,
            "headers": {"ETag": "x"}, "body": ids.iter().map(one).collect::<Vec<_>>()})
    };
    let recording = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (new, old) = ("2026-01-03T00:00:00Z", "2026-01-02T00:00:00Z");
    // The newest version stands first and last, a set returns to what it was, and two looks are the same.
    let first = recording(&[
        line("B", new),
        line("A", old),
        comments(&[1]),
        comments(&[1, 2]),
        comments(&[1]),
        comments(&[1]),
        line("B", new),
    ]);
    let other = recording(&[line("B", new), comments(&[1, 2])]);
    let dir = scratch();
    store(dir.path(), "store");
    let observe = |text: &str, now: &str| {
        fs::write(dir.path().join("r.jsonl"), text).expect("written");
        live(dir.path(), &["r.jsonl"], now, None)
    };
    let filed = |report: &Report| (report.observed, report.unchanged);
    assert_eq!(
        filed(&observe(&first, "2026-02-01T00:00:00Z")),
        (5, 2),
        "the last look equals the winner, with the same input"
    );
    let staged = |dir: &Path| -> Value {
        done(dir, &["--store", "store", "stage", "acme/web#7", "--out", "out", "--replace"]);
        serde_json::from_slice(&fs::read(dir.join("out/index.json")).expect("an index")).expect("JSON")
    };
    let tree = staged(dir.path());
    for now in ["2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z", "2026-02-03T00:00:00Z"] {
        let again = observe(&first, now);
        assert_eq!(filed(&again), (0, 7), "{now}");
        assert_eq!(staged(dir.path()), tree, "{now}");
    }
    // Another recording says something else, and the first one then says something new.
    assert_eq!(filed(&observe(&other, "2026-02-04T00:00:00Z")), (1, 1));
    assert_eq!(staged(dir.path())["coverage"]["comments"]["items"], 2);
    assert!(observe(&first, "2026-02-05T00:00:00Z").observed > 0);
    assert_eq!(staged(dir.path())["coverage"]["comments"]["items"], 1);
    assert_eq!(filed(&observe(&first, "2026-02-06T00:00:00Z")), (0, 7));
}

#[test]
fn a_live_look_that_needs_no_keeping_is_told_so() {
    let dir = scratch();
    store(dir.path(), "store");
    let observe = |avatar: &str| {
        fs::write(dir.path().join("issue.json"), issue(avatar).to_string()).expect("written");
        done(dir.path(), &["--store", "store", "observe", "issue.json"])
    };
    let first = observe("https://a/1");
    let other = observe("https://a/2");
    assert_eq!((&other["observed"], &other["unchanged"]), (&json!(0), &json!(1)), "{other}");
    assert_eq!(other["inputs"], json!([{"input": "issue.json", "digest": null, "observations": 0}]));
    // The same bytes lie there, and are given back.
    let same = observe("https://a/1");
    assert_eq!((&same["observed"], &same["inputs"]), (&json!(0), &first["inputs"]), "{same}");
    raw(dir.path(), &same["inputs"][0]["digest"]);
}

#[test]
fn what_breaks_the_profile_equals_only_the_same_bytes() {
    let clean = issue("https://a/1").to_string();
    let broken = clean.replacen('{', "{\"title\":\"Ruin\",", 1);
    let list = |one: &str| format!("[{one}]");
    for [first, second] in [
        [clean.clone(), broken.clone()],
        [broken.clone(), clean.clone()],
        [list(&clean), list(&broken)],
        [list(&broken), list(&clean)],
    ] {
        let dir = scratch();
        store(dir.path(), "store");
        for (text, at) in
            [(&first, "2026-01-01T00:00:00Z"), (&second, "2026-01-02T00:00:00Z"), (&second, "2026-01-03T00:00:00Z")]
        {
            fs::write(dir.path().join("issue.json"), text).expect("written");
            let report = live(dir.path(), &["issue.json"], at, None);
            let is_new = at != "2026-01-03T00:00:00Z";
            assert_eq!((report.observed, report.unchanged), (u64::from(is_new), u64::from(!is_new)), "{text}");
            assert_eq!(report.findings.is_empty(), !text.contains("Ruin"), "{text}");
            let digest = report.inputs[0].digest.as_deref().expect("a digest");
            let shown = raw(dir.path(), &digest.into());
            let expected = if text.contains("Ruin") { text.clone().into_bytes() } else { canonical(text.as_bytes()) };
            assert!(shown == expected, "{text}");
        }
    }
}

/// Observes with a clock of our own.
fn live(dir: &Path, names: &[&str], now: &str, completeness: Option<Completeness>) -> Report {
    let inputs = names.iter().map(|name| match name.split_once('=') {
        Some((facet, name)) => format!("{facet}={}", arg(&dir.join(name))),
        None => arg(&dir.join(name)).to_owned(),
    });
    let inputs: Vec<_> = inputs.collect();
    let now: Time = now.parse().expect("a time");
    let options = Options { completeness, ..Options::of(&inputs, now) };
    let place = Place::find(Some(&dir.join("store")), None, dir).expect("a store");
    observe(&place, &options, &mut std::io::empty()).expect("observed")
}

const NOW: &str = "2026-03-05T00:00:00Z";

/// The comments of the thread without one of them, or all.
fn comments(dir: &Path, without: Option<usize>) {
    let text = fs::read(testdata(ACME).join("comments.json")).expect("comments");
    let mut all: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    without.map(|at| all.remove(at));
    fs::write(dir.join("comments.json"), Value::from(all).to_string()).expect("written");
}

/// The index of a stage of all that is filed.
fn staged(dir: &Path) -> Value {
    done(dir, &["--store", "store", "stage", "acme/web#42", "--out", "out", "--replace"]);
    serde_json::from_slice(&fs::read(dir.join("out/index.json")).expect("an index")).expect("JSON")
}

#[test]
fn the_later_of_two_live_looks_in_one_second_holds() {
    for without in 0..3 {
        let dir = scratch();
        store(dir.path(), "store");
        let look = |without| {
            comments(dir.path(), without);
            assert_eq!(live(dir.path(), &["comments=comments.json"], NOW, Some(Completeness::Asserted)).observed, 1);
            staged(dir.path())
        };
        let whole = look(None)["coverage"]["comments"]["items"].as_u64().expect("a count");
        let less = look(Some(without));
        assert_eq!(less["coverage"]["comments"]["items"], whole - 1, "without {without}");
        assert_eq!(less["tombstones"].as_array().map(Vec::len), Some(1), "without {without}");
        assert!(!less["gaps"].to_string().contains("order-ambiguous"), "{less}");
        let again = look(None);
        assert_eq!(again["coverage"]["comments"]["items"], whole, "without {without}");
        assert!(!again["gaps"].to_string().contains("order-ambiguous"), "{again}");
        let mut positions: Vec<_> = files(&dir.path().join("store/observations"))
            .values()
            .map(|bytes| serde_json::from_slice::<Value>(bytes).expect("JSON")["position"].as_u64())
            .collect();
        positions.sort();
        assert_eq!(positions, [None, Some(1), Some(2)]);
        assert_eq!(done(dir.path(), &["verify", "store"])["verified"], true);
    }
}

#[test]
fn looks_of_one_second_in_stores_that_are_merged_stay_ambiguous() {
    let dir = scratch();
    for (name, without) in [("left", None), ("right", Some(0))] {
        let below = dir.path().join(name);
        fs::create_dir(&below).expect("made");
        store(&below, "store");
        comments(&below, without);
        live(&below, &["comments=comments.json"], NOW, Some(Completeness::Asserted));
    }
    store(dir.path(), "store");
    for name in ["left", "right"] {
        for (path, bytes) in files(&dir.path().join(name).join("store")) {
            let to = dir.path().join("store").join(path);
            fs::create_dir_all(to.parent().expect("a folder")).expect("made");
            fs::write(to, bytes).expect("copied");
        }
    }
    let index = staged(dir.path());
    assert!(index["gaps"].to_string().contains("order-ambiguous"), "{index}");
}

#[test]
fn an_empty_page_is_one_of_the_list_that_it_ends() {
    let one = |id: u64| {
        json!({"id": id, "body": "c", "user": {"login": "mona", "id": 1}, "created_at": "2026-01-01T00:00:00Z",
            "issue_url": "https://api.github.com/repos/acme/web/issues/42", "updated_at": "2026-01-01T00:00:00Z"})
    };
    let all = json!([one(1), one(2), one(3)]).to_string();
    for text in [
        json!([[one(1), one(2)], [one(3)], []]).to_string(),
        format!("{}{}[]", json!([one(1), one(2)]), json!([one(3)])),
        format!("[]\n{}\n{}\n[ ]\n", json!([one(1), one(2)]), json!([one(3)])),
        all,
    ] {
        for (entity, complete) in [(true, true), (false, false), (true, false)] {
            let dir = scratch();
            store(dir.path(), "store");
            fs::write(dir.path().join("in.json"), &text).expect("written");
            let mut args = vec!["--store", "store", "observe", "in.json"];
            args.extend(["--entity", "github:github.com/acme/web/pull/42"].iter().filter(|_| entity));
            args.extend(complete.then_some("--complete"));
            let seen = done(dir.path(), &args);
            assert_eq!((&seen["observed"], &seen["unrecognised"]), (&json!(1), &json!([])), "{text}: {seen}");
            let coverage = &staged(dir.path())["coverage"]["comments"];
            assert_eq!(coverage["items"], 3, "{text}: {coverage}");
            assert_eq!(coverage["state"], if complete { "complete" } else { "partial" }, "{text}: {coverage}");
        }
    }
    // Nothing says what an empty list alone lists, nor one beside documents that are no lists.
    for text in ["[]".to_owned(), format!("{}\n[]", one(1))] {
        let dir = scratch();
        store(dir.path(), "store");
        fs::write(dir.path().join("in.json"), &text).expect("written");
        let args =
            ["--store", "store", "observe", "--strict", "--entity", "github:github.com/acme/web/pull/42", "in.json"];
        assert_eq!(crate::support::report(dir.path(), &args).0, 2, "{text}");
    }
}

#[test]
fn pages_that_a_tool_put_in_one_list_are_pages() {
    let dir = scratch();
    store(dir.path(), "store");
    let run = |id: u64| {
        json!({"id": id, "name": format!("job {id}"), "head_sha": "0123456789012345678901234567890123456789", "status": "completed",
            "conclusion": "success", "output": {"title": null}, "started_at": "2026-01-01T00:00:00Z"})
    };
    let page = |ids: &[u64]| json!({"total_count": 3, "check_runs": ids.iter().map(|id| run(*id)).collect::<Vec<_>>()});
    let text = format!("[{},\n{}]", page(&[1, 2]), page(&[3]));
    // The order in which the API writes the members.
    let text =
        text.replace(r#"{"check_runs""#, r#"{"total_count":3,"check_runs""#).replace(r#"],"total_count":3}"#, "]}");
    fs::write(dir.path().join("runs.json"), text).expect("written");
    fs::write(dir.path().join("none.json"), "[[]]").expect("written");
    let entity = ["--entity", "github:github.com/acme/web/pull/42"];
    let observe = |inputs: &[&str]| done(dir.path(), &[&["--store", "store", "observe"], &entity[..], inputs].concat());
    let seen = observe(&["--complete", "runs.json"]);
    assert_eq!((&seen["observed"], &seen["unrecognised"]), (&json!(1), &json!([])), "{seen}");
    assert_eq!(seen["inputs"].as_array().map(Vec::len), Some(2), "{seen}");
    let none = observe(&["--complete", "comments=none.json"]);
    assert_eq!((&none["observed"], &none["unrecognised"]), (&json!(1), &json!([])), "{none}");
    let index = staged(dir.path());
    assert_eq!(index["coverage"]["checks"]["items"], 3, "{index}");
    assert_eq!(index["coverage"]["comments"]["items"], 0, "{index}");
}
