//! `observe`: nothing is lost, nothing is invented, and the state does not depend on the way it came in.

mod live;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use git_docket::store::facts::Facts;
use git_docket::store::split::rebuild;
use serde_json::{Value, json};

use crate::support::{arg, checked, docket, done, files, git, github_threads, report, scratch, shared, testdata};

const ACME: &str = "threads/acme-web-42";
const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];

fn store(dir: &Path, name: &str) {
    done(dir, &["init", name]);
}

fn observe(dir: &Path, store: &str, inputs: &[&str]) -> Value {
    done(dir, &[&["--store", store, "observe"], &AT[..], inputs].concat())
}

fn snapshot(dir: &Path, store: &str) -> String {
    let report = done(dir, &["--store", store, "snapshot"]);
    report["snapshot"].as_str().expect("a snapshot id").to_owned()
}

/// Every recorded exchange of a file, as lines.
fn exchanges(name: &str) -> Vec<(String, Value)> {
    let Some(path) = shared(&format!("data/exchanges/{name}")) else { return Vec::new() };
    let text = fs::read_to_string(path).expect("the recording");
    text.lines().map(|line| (line.to_owned(), serde_json::from_str(line).expect("a line of JSON"))).collect()
}

#[test]
fn every_file_of_every_thread_is_rebuilt_byte_for_byte() {
    for thread in github_threads() {
        let dir = scratch();
        store(dir.path(), "store");
        let seen = observe(dir.path(), "store", &[arg(&thread)]);
        assert_eq!(seen["unrecognised"], Value::Array(vec![]), "{}", thread.display());
        let payloads: Vec<_> = files(&thread).into_iter().filter(|(name, _)| name != "_requests.json").collect();
        assert_eq!(seen["inputs"].as_array().map(Vec::len), Some(payloads.len()), "{}", thread.display());
        for row in seen["inputs"].as_array().expect("inputs") {
            let name = Path::new(row["input"].as_str().expect("a name"));
            let (_, bytes) = payloads.iter().find(|(n, _)| name.ends_with(n)).expect("an input that was given");
            assert_rebuilt(dir.path(), row["digest"].as_str().expect("a digest"), bytes);
        }
    }
}

/// The canonical form by an independent implementation.
fn canonical(payload: &[u8]) -> Vec<u8> {
    let value: Value = serde_json::from_slice(payload).expect("the payload is JSON");
    serde_jcs::to_vec(&value).expect("canonical")
}

/// `show --raw DIGEST` gives the canonical form that an independent implementation gives.
fn assert_rebuilt(dir: &Path, digest: &str, payload: &[u8]) {
    let expected = canonical(payload);
    let output = docket(dir).args(["--store", "store", "show", "--raw", digest]).output().expect("started");
    let shown = checked(output, "show --raw").stdout;
    assert!(shown == expected, "{digest}: the rebuilt payload differs");
}

#[test]
fn every_answer_about_an_issue_or_pull_request_gets_in_or_is_named() {
    for recording in ["hub4j-dev.jsonl", "octokit-fixtures.jsonl"] {
        let lines = exchanges(recording);
        if lines.is_empty() {
            continue;
        }
        let dir = scratch();
        store(dir.path(), "store");
        let path = shared(&format!("data/exchanges/{recording}")).expect("looked at before");
        let seen = observe(dir.path(), "store", &[arg(&path)]);
        let named: BTreeMap<u64, &Value> = rows(&seen["inputs"]);
        let left: BTreeMap<u64, &Value> = rows(&seen["unrecognised"]);
        for (number, (_, line)) in (1..).zip(&lines) {
            assert!(
                named.contains_key(&number) || left.contains_key(&number),
                "{recording}:{number} {} {} is nowhere",
                line["method"],
                line["url"]
            );
            let url = line["url"].as_str().unwrap_or_default();
            let about = ["/issues", "/pulls"].iter().any(|part| url.contains(part));
            if line["method"] == "GET" && line["status"] == 200 && about {
                let why = left.get(&number).map(|row| &row["reason"]);
                let known = url.contains("/pulls/comments/") && url.ends_with("/reactions");
                assert!(named.contains_key(&number) || is_empty_list(line) || known, "{number} {url}: {why:?}");
            }
        }
        // What `show --raw` does for one digest, for all of them with one reading of the records.
        let facts_dir = git_docket::ops::place::directory_tree(&dir.path().join("store")).expect("a store");
        let facts = Facts::new(facts_dir.as_ref());
        let filed = facts.observations("").expect("observations");
        let records = filed.iter().map(|filed| filed.record.as_ref().expect("an observation"));
        let inputs: BTreeMap<String, _> =
            records.flat_map(|record| record.inputs()).map(|input| (input.digest.to_string(), input)).collect();
        for row in seen["inputs"].as_array().expect("inputs") {
            let number = line_number(row);
            if let (Some(digest), Some(body)) = (row["digest"].as_str(), body(&lines[number as usize - 1].1)) {
                let rebuilt = rebuild(&facts, inputs[digest]).expect("the pieces are there");
                assert!(rebuilt == canonical(&body), "{recording}:{number}: the rebuilt payload differs");
            }
        }
        assert_eq!(done(dir.path(), &["verify", "store"])["verified"], true);
    }
}

/// A list of all entities that is empty is about none of them.
fn is_empty_list(line: &Value) -> bool {
    body(line).is_some_and(|body| {
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        value.as_array().is_some_and(Vec::is_empty) || value["items"].as_array().is_some_and(Vec::is_empty)
    })
}

fn body(line: &Value) -> Option<Vec<u8>> {
    match (&line["body"], &line["body_text"]) {
        (_, Value::String(text)) => Some(text.clone().into_bytes()),
        (Value::Null, _) => None,
        (body, _) => serde_json::to_vec(body).ok(),
    }
}

fn line_number(row: &Value) -> u64 {
    let name = row["input"].as_str().expect("a name");
    name.rsplit_once(':').and_then(|(_, line)| line.parse().ok()).unwrap_or_else(|| panic!("no line in {name}"))
}

fn rows(list: &Value) -> BTreeMap<u64, &Value> {
    list.as_array().expect("a list").iter().map(|row| (line_number(row), row)).collect()
}

#[test]
fn recorded_versions_end_in_the_latest_state_in_any_order() {
    let lines = exchanges("hub4j-dev.jsonl");
    if lines.is_empty() {
        return;
    }
    let dir = scratch();
    // The lists of the conversation of 461, the review comments of 484 and the reactions of 474, several within one second.
    let of = |part: &str| -> Vec<String> {
        lines
            .iter()
            .filter(|(_, l)| l["url"].as_str().is_some_and(|u| u.contains(part)))
            .map(|(t, _)| t.clone())
            .collect()
    };
    let chosen = [of("/461"), of("/pulls/484"), of("/474")].concat();
    let mut ids = Vec::new();
    for turn in 0..4usize {
        let mut order = chosen.clone();
        match turn {
            1 => order.reverse(),
            2 => order.sort(),
            3 => order.rotate_left(chosen.len() / 3),
            _ => {}
        }
        let name = format!("store{turn}");
        store(dir.path(), &name);
        for (at, piece) in order.chunks(7).enumerate() {
            let file = dir.path().join(format!("{turn}-{at}.jsonl"));
            fs::write(&file, piece.join("\n")).expect("a recording");
            let (status, seen) = report(dir.path(), &["--store", &name, "observe", AT[0], AT[1], arg(&file)]);
            assert!(status == 0 || seen["error"]["code"] == "nothing-recognised", "{seen}");
        }
        ids.push(snapshot(dir.path(), &name));
    }
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "{ids:?}");
    let stage = |number: u64, out: &str| {
        // The short form, since nothing in these lines shows of 474 that it is a pull request.
        let entity = format!("hub4j-test-org/github-api#{number}");
        done(dir.path(), &["--store", "store1", "stage", &entity, "--out", out]);
        let index = fs::read(dir.path().join(out).join("index.json")).expect("an index");
        serde_json::from_slice::<Value>(&index).expect("JSON")
    };
    let review_comments = stage(484, "s484");
    let tombstones = review_comments["tombstones"].as_array().expect("tombstones");
    assert!(
        tombstones.iter().any(|t| t["id"] == 1_641_776_783_u64),
        "the deleted comment is remembered: {tombstones:?}"
    );
    let reactions = fs::read_to_string({
        stage(474, "s474");
        dir.path().join("s474/reactions.json")
    });
    assert_eq!(reactions.expect("reactions"), r#"{"reactions":[]}"#, "the state returned to empty");
    let conversation = stage(461, "s461");
    assert_eq!(conversation["coverage"]["comments"]["items"], 2, "a list since a time deletes nothing");
}

#[test]
fn merged_stores_equal_one_that_saw_everything() {
    let threads = github_threads();
    if threads.is_empty() {
        return;
    }
    let dir = scratch();
    for name in ["left", "right", "all"] {
        store(dir.path(), name);
    }
    for (at, thread) in threads.iter().enumerate() {
        observe(dir.path(), "all", &[arg(thread)]);
        if at < 7 {
            done(dir.path(), &[&["--store", "left", "observe", "--commit"], &AT[..], &[arg(thread)]].concat());
        }
        if at > 3 {
            done(dir.path(), &[&["--store", "right", "observe", "--commit"], &AT[..], &[arg(thread)]].concat());
        }
    }
    let left = dir.path().join("left");
    git(&left, &["fetch", "-q", "../right", "docket-facts"]);
    git(&left, &["merge", "-q", "--no-edit", "FETCH_HEAD"]);
    assert_eq!(snapshot(dir.path(), "left"), snapshot(dir.path(), "all"));
    assert_eq!(done(dir.path(), &["verify", "left"])["verified"], true);
}

#[test]
fn observing_twice_changes_nothing() {
    let dir = scratch();
    store(dir.path(), "store");
    let thread = testdata(ACME);
    let first = observe(dir.path(), "store", &[arg(&thread)]);
    assert!(first["observed"].as_u64() > Some(0), "{first}");
    let before = files(&dir.path().join("store"));
    let second = observe(dir.path(), "store", &[arg(&thread)]);
    assert_eq!((&second["observed"], &second["unchanged"]), (&0.into(), &first["observed"]), "{second}");
    assert_eq!(files(&dir.path().join("store")), before);
}

#[test]
fn a_live_look_that_equals_the_winner_is_not_filed_and_a_return_to_an_older_state_is() {
    let dir = scratch();
    store(dir.path(), "store");
    let pull = testdata(ACME).join("pull.json");
    let text = fs::read_to_string(&pull).expect("the pull request");
    fs::write(dir.path().join("a.json"), &text).expect("a");
    fs::write(dir.path().join("b.json"), text.replace("Round totals once, after tax", "Round later")).expect("b");
    let live = |file: &str| {
        let seen = done(dir.path(), &["--store", "store", "observe", file]);
        seen["observed"].as_u64().expect("a count")
    };
    assert_eq!(live("a.json"), 1);
    assert_eq!(live("a.json"), 0);
    let recorded =
        done(dir.path(), &["--store", "store", "observe", "--observed-at", "2001-01-01T00:00:00Z", "b.json"]);
    assert_eq!(recorded["observed"], 1, "a dated import is always filed");
    assert_eq!(live("a.json"), 0, "an older import does not change the present winner");
}

#[test]
fn what_is_no_payload_is_refused_and_nothing_is_written() {
    let dir = scratch();
    store(dir.path(), "store");
    let before = files(&dir.path().join("store"));
    let pull = fs::read(testdata(ACME).join("pull.json")).expect("the pull request");
    let cases: [(&str, &[u8], &str); 5] = [
        ("page.json", b"<!DOCTYPE html><html><body>502</body></html>", "json-invalid"),
        ("cut.json", &pull[..pull.len() / 2], "json-invalid"),
        (
            "error.json",
            br#"{"message":"Not Found","documentation_url":"https://docs.example/rest"}"#,
            "forge-error-body",
        ),
        ("other.json", br#"{"hello":"world"}"#, "nothing-recognised"),
        ("empty.json", b"", "json-invalid"),
    ];
    for (name, bytes, code) in cases {
        fs::write(dir.path().join(name), bytes).expect("a file");
        let (status, refused) = report(dir.path(), &["--store", "store", "observe", name]);
        assert_eq!((status, &refused["error"]["code"]), (2, &code.into()), "{name}: {refused}");
        assert_eq!(files(&dir.path().join("store")), before, "{name}");
    }
}

#[test]
fn arrays_lines_and_concatenated_documents_are_alike() {
    let dir = scratch();
    let comments: Vec<Value> =
        serde_json::from_slice(&fs::read(testdata(ACME).join("comments.json")).expect("comments")).expect("JSON");
    let one = |value: &Value| serde_json::to_string(value).expect("JSON");
    let lines: Vec<_> = comments.iter().map(one).collect();
    let forms = [
        format!("[{}]", lines.join(",")),
        lines.join("\n"),
        lines.concat(),
        format!("[{}][{}]", lines[0], lines[1..].join(",")),
        format!(" [ [{}],\n[{}] ]\n", lines[0], lines[1..].join(",")),
    ];
    let mut ids = Vec::new();
    for (at, form) in forms.iter().enumerate() {
        let (name, file) = (format!("store{at}"), format!("{at}.json"));
        store(dir.path(), &name);
        fs::write(dir.path().join(&file), form).expect("a file");
        let seen = observe(dir.path(), &name, &["--complete", &file]);
        assert_eq!(seen["unrecognised"], Value::Array(vec![]), "{form}");
        ids.push(snapshot(dir.path(), &name));
    }
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "{ids:?}");
}

#[test]
fn an_empty_list_belongs_where_its_request_or_the_caller_says() {
    let dir = scratch();
    store(dir.path(), "store");
    fs::write(dir.path().join("none.json"), "[]").expect("a file");
    let (status, refused) = report(dir.path(), &["--store", "store", "observe", "none.json"]);
    assert_eq!(status, 2, "{refused}");
    let entity = ["--entity", "github:github.com/acme/web/issue/7"];
    let seen = observe(dir.path(), "store", &[&entity[..], &["--complete", "comments=none.json"]].concat());
    assert_eq!(seen["observed"], 1, "{seen}");
    let url = ["--source", "https://api.github.com/repos/acme/web/issues/8/comments"];
    let seen = observe(dir.path(), "store", &[&url[..], &["none.json"]].concat());
    assert_eq!(seen["observed"], 1, "{seen}");
}

#[test]
fn what_breaks_the_profile_is_kept_verbatim_and_flagged() {
    let dir = scratch();
    store(dir.path(), "store");
    let text = fs::read_to_string(testdata(ACME).join("comments.json")).expect("comments");
    // An id beyond 2^53 in an extra member, and half of a surrogate pair.
    let broken = text.replacen("\"performed_via_github_app\": null", "\"extra\": 9007199254740993", 1);
    let broken = broken.replacen("Does this change", "\\ud83d Does this change", 1);
    assert_ne!(text, broken);
    fs::write(dir.path().join("comments.json"), &broken).expect("a file");
    let seen = observe(dir.path(), "store", &["comments.json"]);
    let codes: Vec<_> = seen["findings"].as_array().expect("findings").iter().map(|f| f["code"].clone()).collect();
    assert!(codes.contains(&"json-number-out-of-range".into()), "{seen}");
    assert!(codes.contains(&"json-lone-surrogate".into()), "{seen}");
    let digest = seen["inputs"][0]["digest"].as_str().expect("a digest").to_owned();
    let shown = checked(
        docket(dir.path()).args(["--store", "store", "show", "--raw", &digest]).output().expect("started"),
        "show --raw",
    );
    let shown = String::from_utf8(shown.stdout).expect("UTF-8");
    assert!(shown.contains("9007199254740993") && shown.contains("\\ud83d Does"), "{shown}");
    assert_eq!(done(dir.path(), &["verify", "store"])["verified"], true);
    let staged = done(dir.path(), &["--store", "store", "stage", "github:github.com/acme/web/pull/42", "--out", "s"]);
    let gaps = staged["gaps"].as_array().expect("gaps");
    assert!(gaps.iter().any(|g| g["code"] == "outside-profile" && g["count"] == 2), "{gaps:?}");
}

#[test]
fn a_repository_that_is_named_by_number_is_found_whatever_else_was_filed() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let issue = |number: u64, repository: Value| {
        let mut issue = json!({"number": number, "title": "t", "state": "open", "body": null, "created_at": "2026-01-01T00:00:00Z",
            "url": format!("https://api.github.com/repos/acme/web/issues/{number}")});
        if !repository.is_null() {
            issue["repository"] = repository;
        }
        fs::write(dir.path().join("issue.json"), issue.to_string()).expect("written");
        done(dir.path(), &["--store", "store", "observe", "issue.json"]);
    };
    issue(90, json!({"id": 777, "full_name": "acme/web"}));
    (1..=3).for_each(|number| issue(number, Value::Null));
    let comment = json!({"id": 99, "body": "hi", "user": null, "created_at": "2026-01-02T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z"});
    let exchange = json!({"method": "GET", "url": "https://api.github.com/repositories/777/issues/1/comments?page=2",
        "status": 200, "body": [comment]});
    fs::write(dir.path().join("ex.ndjson"), format!("{exchange}\n")).expect("written");
    let seen = done(dir.path(), &["--store", "store", "observe", "ex.ndjson"]);
    assert_eq!((&seen["observed"], &seen["unrecognised"]), (&json!(1), &json!([])), "{seen}");
}
