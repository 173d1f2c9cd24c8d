//! `owner/name#number`: the store, the payloads and the event say where that is; nothing is guessed where they say several.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{arg, done, files, report, scratch, shared, testdata};

const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];
const HERE: &str = "github:github.com/acme/web/pull/42";
const ELSEWHERE: &str = "github:git.example.org/acme/web/pull/42";

/// A payload as GitHub Enterprise Server at another host would give it.
fn moved(text: &str) -> String {
    text.replace("https://api.github.com/", "https://git.example.org/api/v3/")
        .replace("https://github.com/", "https://git.example.org/")
}

/// The header of a pull request at github.com, and as one elsewhere.
fn pulls(dir: &Path) {
    let text = fs::read_to_string(testdata("threads/acme-web-42/pull.json")).expect("the payload");
    fs::write(dir.join("elsewhere.json"), moved(&text)).expect("written");
    fs::write(dir.join("here.json"), text).expect("written");
}

/// A store of some of these payloads.
fn store(dir: &Path, name: &str, payloads: &[&str]) {
    done(dir, &["init", name]);
    for payload in payloads {
        done(dir, &["--store", name, "observe", AT[0], AT[1], payload]);
    }
}

fn refused(dir: &Path, args: &[&str], code: &str) -> Value {
    let (status, answer) = report(dir, args);
    assert_eq!((status, answer["error"]["code"].as_str()), (2, Some(code)), "{args:?}: {answer}");
    answer
}

#[test]
fn what_is_read_is_the_one_that_is_filed() {
    let dir = scratch();
    pulls(dir.path());
    store(dir.path(), "here", &["here.json"]);
    store(dir.path(), "elsewhere", &["elsewhere.json"]);
    store(dir.path(), "both", &["here.json", "elsewhere.json"]);
    store(dir.path(), "none", &[]);
    for (store, id) in [("here", HERE), ("elsewhere", ELSEWHERE)] {
        let shown = done(dir.path(), &["--store", store, "show", "acme/web#42"]);
        assert_eq!(shown["id"], id);
        done(dir.path(), &["--store", store, "show", "Acme/WEB#42", "--forge", "github", "--raw", "header"]);
        let staged = done(dir.path(), &["--store", store, "stage", "acme/web#42", "--out", &format!("{store}-out")]);
        assert_eq!(staged["entities"][0], id);
        refused(dir.path(), &["--store", store, "show", "acme/web#43"], "entity-not-found");
        refused(dir.path(), &["--store", store, "show", "acme/other#42"], "entity-not-found");
    }
    for args in [&["show", "acme/web#42"][..], &["stage", "acme/web#42", "--out", "out"]] {
        let answer = refused(dir.path(), &[&["--store", "both"][..], args].concat(), "entity-ambiguous");
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.contains("github.com/acme/web") && message.contains("git.example.org/acme/web"), "{message}");
        assert!(!dir.path().join("out").exists());
    }
    let at = ["--forge", "github", "--host", "git.example.org"];
    let shown = done(dir.path(), &[&["--store", "both", "show", "acme/web#42"][..], &at].concat());
    assert_eq!(shown["id"], ELSEWHERE);
    refused(dir.path(), &["--store", "none", "show", "acme/web#42"], "entity-not-found");
    refused(dir.path(), &["--store", "none", "show", "acme/web!42"], "entity-ambiguous");
    refused(dir.path(), &["--store", "none", "show", "acme/web!42", "--forge", "gitlab"], "entity-not-found");
    refused(dir.path(), &["--store", "none", "show", "acme/web#42", "--forge", "gitea"], "entity-ambiguous");
    refused(dir.path(), &["--store", "none", "show", "acme/web#x"], "entity-invalid");
}

#[test]
fn what_is_filed_is_filed_where_payloads_or_store_say() {
    let dir = scratch();
    pulls(dir.path());
    fs::write(dir.path().join("labels.json"), "[]").expect("written");
    let observe = |store: &str, entity: &str, more: &[&str]| {
        let args = ["--store", store, "observe", AT[0], AT[1], "--entity", entity, "--complete", "labels=labels.json"];
        report(dir.path(), &[&args[..], more].concat())
    };
    store(dir.path(), "none", &[]);
    store(dir.path(), "elsewhere", &["elsewhere.json"]);
    store(dir.path(), "both", &["here.json", "elsewhere.json"]);
    for (store, entity, more, expected) in [
        ("none", "acme/web#42", &[][..], Some("github:github.com/acme/web/thread/42")),
        ("elsewhere", "acme/web#42", &[], Some("github:git.example.org/acme/web/thread/42")),
        ("elsewhere", "acme/web#7", &[], Some("github:git.example.org/acme/web/thread/7")),
        ("elsewhere", "acme/new#7", &[], Some("github:git.example.org/acme/new/thread/7")),
        ("both", "acme/web#42", &[], None),
        ("both", "acme/new#7", &[], None),
        ("both", "acme/web#42", &["elsewhere.json"], Some(ELSEWHERE)),
        ("both", "acme/web#42", &["here.json"], Some(HERE)),
        ("both", "acme/web#42", &["here.json", "elsewhere.json"], None),
        (
            "both",
            "acme/web#42",
            &["--forge", "github", "--host", "github.com"],
            Some("github:github.com/acme/web/thread/42"),
        ),
        (
            "both",
            "acme/web#42",
            &["--source", "https://git.example.org/api/v3/repos/acme/web/issues/42/labels"],
            Some("github:git.example.org/acme/web/thread/42"),
        ),
    ] {
        let before = files(&dir.path().join(store));
        let (status, answer) = observe(store, entity, more);
        match expected {
            Some(id) => assert_eq!(
                (status, &answer["entities"]),
                (0, &serde_json::json!([id])),
                "{store} {entity} {more:?}: {answer}"
            ),
            None => {
                let code = answer["error"]["code"].as_str();
                assert_eq!((status, code), (2, Some("entity-ambiguous")), "{store} {entity} {more:?}: {answer}");
                assert_eq!(files(&dir.path().join(store)), before, "nothing is written");
            }
        }
    }
}

#[test]
fn payloads_of_a_stage_say_where_their_entity_is() {
    let dir = scratch();
    pulls(dir.path());
    let out = |name: &str| format!("{name}-out");
    for (payload, id) in [("here.json", HERE), ("elsewhere.json", ELSEWHERE)] {
        let args = ["stage", "--from", payload, "--entity", "acme/web#42", "--out", &out(payload)];
        assert_eq!(done(dir.path(), &args)["entities"], serde_json::json!([id]));
    }
    let args = ["stage", "--from", "here.json", "elsewhere.json", "--entity", "acme/web#42", "--out", "out"];
    refused(dir.path(), &args, "entity-ambiguous");
    for (thread, short) in [
        ("gitea/issue-demo-1", "alice/demo#1"),
        ("forgejo/issue-ogr-tests-244", "packit-service/ogr-tests#244"),
        ("gitlab/mr-14233409-1", "packit-service/ogr-tests!1"),
    ] {
        let Some(path) = shared(&format!("data/threads/{thread}")) else { return };
        let plain = report(dir.path(), &["stage", "--from", arg(&path), "--out", &out("plain"), "--replace"]).1;
        let id = plain["entities"][0].as_str().expect("an id");
        let name = match short.split_once(['#', '!']) {
            Some((name, _)) if id.contains(name) => short.to_owned(),
            // The recorded project may have moved; its own name is as good.
            _ => short_of(id),
        };
        let args = ["stage", "--from", arg(&path), "--entity", &name, "--out", &out("named"), "--replace"];
        let staged = done(dir.path(), &args);
        assert_eq!(staged["entities"][0], id, "{thread} {name}");
        assert_eq!(staged["indexDigest"], plain["indexDigest"], "{thread}");
    }
}

/// The short form of an id.
fn short_of(id: &str) -> String {
    let (_, rest) = id.split_once('/').expect("a host");
    let sign = if id.contains("/-/merge_requests/") { '!' } else { '#' };
    let words = ["/-/merge_requests/", "/-/issues/", "/issue/", "/pull/"];
    let (path, number) = words.iter().find_map(|word| rest.split_once(word)).expect("an id");
    format!("{path}{sign}{number}")
}

#[test]
fn an_event_says_where_its_entity_is() {
    let dir = scratch();
    let text = fs::read_to_string(testdata("deliveries/comment-created.json")).expect("the delivery");
    fs::write(dir.path().join("event.json"), moved(&text)).expect("written");
    let plain = done(dir.path(), &["stage", "--event", "event.json", "--out", "plain"]);
    let id = plain["entities"][0].as_str().expect("an id");
    assert!(id.starts_with("github:git.example.org/"), "{id}");
    let named = short_of(id);
    let staged = done(dir.path(), &["stage", "--event", "event.json", "--entity", &named, "--out", "named"]);
    assert_eq!(staged["entities"][0], id);
    let args = ["stage", "--event", "event.json", "--entity", "acme/web#999", "--out", "out"];
    refused(dir.path(), &args, "event-no-entity");
}

#[test]
fn payloads_of_another_entity_than_the_named_one_are_told() {
    let dir = scratch();
    pulls(dir.path());
    store(dir.path(), "store", &[]);
    let observe = |entity: &str| {
        done(dir.path(), &["--store", "store", "observe", AT[0], AT[1], "--entity", entity, "here.json"])["findings"]
            .clone()
    };
    let other = serde_json::json!([{"code": "entity-differs", "input": "here.json", "count": 1}]);
    assert_eq!(observe("github:github.com/acme/web/pull/5"), other);
    assert_eq!(observe("acme/web#43"), other);
    for same in [HERE, "Acme/Web#42", "acme/web"] {
        assert_eq!(observe(same), serde_json::json!([]), "{same}");
    }
}
