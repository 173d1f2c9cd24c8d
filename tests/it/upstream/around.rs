//! What the layout takes from around a thread: the id of the repository, the head that checks must have, the time that it is of.

use std::fs;
use std::path::Path;

use git_docket::forge::graphql::repository_around;
use git_docket::format::json;
use serde_json::{Value, json};

use super::{LAYOUT, Tree};
use crate::support::{done, files, report, scratch, testdata};

/// An issue as GraphQL gives it.
fn issue() -> Value {
    json!({
        "id": "I_7", "databaseId": 70, "number": 7, "url": "https://github.com/acme/web/issues/7", "title": "Crash", "body": "It does.",
        "state": "OPEN", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-02T00:00:00Z",
        "author": {"__typename": "User", "login": "mona", "id": "U_1", "databaseId": 1},
        "labels": {"nodes": [], "totalCount": 0}, "comments": {"nodes": [], "totalCount": 0},
    })
}

fn stage(dir: &Path, document: &Value, more: &[&str]) -> (i32, Value) {
    fs::write(dir.join("answer.json"), document.to_string()).expect("written");
    report(dir, &[&["stage", "--layout", LAYOUT, "--out", "tree", "--replace", "--from", "answer.json"], more].concat())
}

#[test]
fn the_repository_of_an_answer_tells_its_id() {
    let dir = scratch();
    for answer in [
        json!({"data": {"repository": {"id": "R_1", "issue": issue()}}}),
        json!({"data": {"repository": {"id": "R_1", "issues": {"nodes": [issue()]}}}}),
        json!({"data": {"repository": {"id": "R_1", "issues": {"edges": [{"node": issue()}]}}}}),
        json!({"data": {"web": {"id": "R_1", "nameWithOwner": "Acme/Web", "first": issue()}}}),
    ] {
        let (status, value) = stage(dir.path(), &answer, &[]);
        assert_eq!(status, 0, "{answer}: {value}");
        let tree = Tree(files(&dir.path().join("tree")));
        assert_eq!(tree.json("index.json")["source"]["repository_id"], "R_1", "{answer}");
        assert_eq!(tree.found().0, Vec::<&str>::new());
    }
    let unnamed = json!({"data": {"web": {"id": "R_1", "first": issue()}}});
    let (status, value) = stage(dir.path(), &unnamed, &[]);
    assert_eq!((status, value["error"]["code"].as_str()), (2, Some("layout-unmet")), "{value}");
}

#[test]
fn a_repository_around_is_that_of_the_thread_or_none() {
    let answer = json!({"data": {
        "repository": {"id": "R_1", "pullRequest": {"id": "PR_9", "closingIssuesReferences": {"nodes": [{"id": "I_7"}]}}},
        "of": {"id": "R_2", "nameWithOwner": "acme/web", "pull": {"closingIssuesReferences": {"nodes": [{"id": "I_7"}]}}},
        "user": {"repository": {"__typename": "Gist", "id": "G_1", "issue": {"id": "I_7"}}},
    }});
    let read = json::parse(answer.to_string().as_bytes()).expect("in the profile").into_owned();
    let id = |pointer: &str, path: &str| {
        let found = repository_around(&read, pointer, path).and_then(|node| node.get("id")?.as_str());
        found.map(str::to_owned)
    };
    assert_eq!(id("/data/repository/pullRequest", "acme/web").as_deref(), Some("R_1"));
    assert_eq!(id("/data/repository/pullRequest/closingIssuesReferences/nodes/0", "acme/web"), None);
    assert_eq!(id("/data/of/pull/closingIssuesReferences/nodes/0", "Acme/web").as_deref(), Some("R_2"));
    assert_eq!(id("/data/of/pull/closingIssuesReferences/nodes/0", "acme/other"), None);
    assert_eq!(id("/data/user/repository/issue", "acme/web"), None);
    assert_eq!((id("", "acme/web"), id("/nowhere/at/all", "acme/web")), (None, None));
}

/// The thread of the project with a check of another commit, by the payload's own head.
fn thread(dir: &Path) -> String {
    for (name, bytes) in files(&testdata("threads/acme-web-42")) {
        fs::write(dir.join(name), bytes).expect("written");
    }
    let read =
        |name: &str| -> Value { serde_json::from_slice(&fs::read(dir.join(name)).expect("read")).expect("JSON") };
    let mut runs = read("check-runs.json");
    let mut old = runs["check_runs"][0].clone();
    (old["id"], old["node_id"], old["head_sha"]) = (json!(999), json!("CR_old"), json!(OLD));
    runs["check_runs"].as_array_mut().expect("runs").push(old);
    fs::write(dir.join("check-runs.json"), runs.to_string()).expect("written");
    read("pull.json")["head"]["sha"].as_str().expect("a sha").to_owned()
}

const OLD: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn checks_are_those_of_the_head_that_was_asked_for() {
    let dir = scratch();
    let head = thread(dir.path());
    let staged = |more: &[&str]| {
        let out = scratch();
        let out = out.path().join("tree");
        let fixed = ["stage", "--layout", LAYOUT, "--from", ".", "--out", out.to_str().expect("UTF-8")];
        done(dir.path(), &[&fixed[..], more].concat());
        Tree(files(&out))
    };
    let shas = |tree: &Tree| -> Vec<String> {
        let checks = tree.0.keys().filter(|path| path.starts_with("checks/") && path.ends_with("/metadata.json"));
        checks.map(|path| tree.json(path)["head_sha"].as_str().expect("a sha").to_owned()).collect()
    };
    for (more, expected) in [
        (&[][..], vec![head.clone(); 3]),
        (&["--head", &head], vec![head.clone(); 3]),
        (&["--head", OLD], vec![OLD.to_owned()]),
    ] {
        let tree = staged(more);
        assert_eq!(shas(&tree), expected, "{more:?}");
        assert_eq!(tree.found().0, Vec::<&str>::new(), "{more:?}");
        let gaps = tree.json("index.json")["gaps"].clone();
        let left = gaps
            .as_array()
            .expect("gaps")
            .iter()
            .any(|gap| gap["scope"] == "checks" && gap["code"] == "invalid_metadata");
        assert!(left, "{more:?}: those of another head are counted: {gaps}");
    }
}

#[test]
fn an_entity_that_is_not_known_as_of_a_time_is_said_to_be() {
    let dir = scratch();
    thread(dir.path());
    let args = ["stage", "--layout", LAYOUT, "--from", ".", "--out", "../none", "--as-of", "2026-03-02T10:00:00Z"];
    let (status, value) = report(dir.path(), &args);
    assert_eq!((status, value["error"]["code"].as_str()), (2, Some("layout-unmet")), "{value}");
    let message = value["error"]["message"].as_str().expect("a message");
    assert!(message.contains("as of that time"), "{message}");
}
