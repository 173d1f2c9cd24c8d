//! One pull request, seen through REST, GraphQL and `gh`.

use super::*;

const REST: &str = "threads/acme-web-42";

fn observe(dir: &Path, store: &str, time: &str, path: &Path) -> Value {
    done(dir, &["--store", store, "observe", "--complete", "--observed-at", time, arg(path)])
}

/// The snapshot of a store that holds these at these times.
fn snapshot(dir: &Path, store: &str, looks: &[(&str, &Path)]) -> String {
    done(dir, &["init", store]);
    for (time, path) in looks {
        observe(dir, store, time, path);
    }
    let out = format!("{store}.tree");
    let report = done(dir, &["--store", store, "snapshot", "--out", &out]);
    report["snapshot"].as_str().expect("an id").to_owned()
}

/// The answer of GraphQL without what REST does not tell.
fn less(dir: &Path) -> std::path::PathBuf {
    let text = std::fs::read(testdata("graphql/acme-web-42.json")).expect("test data");
    let mut answer: Value = serde_json::from_slice(&text).expect("JSON");
    let node = &mut answer["data"]["repository"]["pullRequest"];
    node.as_object_mut().expect("a node").remove("reviewThreads");
    for comment in node["comments"]["nodes"].as_array_mut().expect("comments") {
        comment.as_object_mut().expect("a comment").retain(|name, _| !name.contains("inimized"));
    }
    let path = dir.join("less.json");
    std::fs::write(&path, answer.to_string()).expect("written");
    path
}

/// REST payloads without the log of their requests, whose dates would order them.
fn rest(dir: &Path) -> std::path::PathBuf {
    let to = dir.join("rest");
    std::fs::create_dir(&to).expect("a directory");
    for (name, bytes) in crate::support::files(&testdata(REST)) {
        if name != "_requests.json" && name != "reactions.json" {
            std::fs::write(to.join(name), bytes).expect("written");
        }
    }
    to
}

const EARLY: &str = "2026-03-05T00:00:00Z";
const LATE: &str = "2026-03-06T00:00:00Z";

#[test]
fn what_knows_no_more_changes_nothing_in_either_order() {
    let dir = scratch();
    let (rest, less) = (rest(dir.path()), less(dir.path()));
    let alone = snapshot(dir.path(), "alone", &[(EARLY, &rest)]);
    let after = snapshot(dir.path(), "after", &[(EARLY, &rest), (LATE, &less)]);
    let before = snapshot(dir.path(), "before", &[(EARLY, &less), (LATE, &rest)]);
    let at_once = snapshot(dir.path(), "at-once", &[(EARLY, &less), (EARLY, &rest)]);
    let changes = |store: &str| done(dir.path(), &["diff", "alone.tree", &format!("{store}.tree")])["changes"].clone();
    assert_eq!(after, alone, "{}", changes("after"));
    assert_eq!(before, alone, "{}", changes("before"));
    assert_eq!(at_once, alone, "{}", changes("at-once"));
    let verified = done(dir.path(), &["verify", "--rebuild", "at-once"]);
    assert_eq!(verified["verified"], true, "{verified}");
}

#[test]
fn what_graphql_adds_is_only_added() {
    let dir = scratch();
    let rest = rest(dir.path());
    let more = testdata("graphql/acme-web-42.json");
    snapshot(dir.path(), "alone", &[(EARLY, &rest)]);
    let after = snapshot(dir.path(), "after", &[(EARLY, &rest), (LATE, &more)]);
    let before = snapshot(dir.path(), "before", &[(EARLY, &more), (LATE, &rest)]);
    assert_eq!(after, before);
    let diff = done(dir.path(), &["diff", "alone.tree", "after.tree"]);
    let said: Vec<_> = diff["changes"].as_array().expect("changes").iter().map(|c| c["change"].as_str()).collect();
    let allowed = ["thread-resolved", "thread-changed", "coverage-changed", "gap-removed", "item-changed"].map(Some);
    assert!(said.iter().all(|change| allowed.contains(change)), "{diff}");
    assert!(said.contains(&Some("thread-resolved")), "{diff}");
    assert!(said.contains(&Some("gap-removed")), "{diff}");
    let threads = crate::support::files(&dir.path().join("after.tree"));
    let (_, bytes) = threads.iter().find(|(path, _)| path.ends_with("/threads.json")).expect("threads");
    let text = String::from_utf8_lossy(bytes);
    assert!(text.contains(r#""resolved":true,"resolvedBy":{"id":4101,"login":"mira"}"#), "{text}");
}

#[test]
fn a_thread_is_resolved_and_reopened() {
    let dir = scratch();
    let text = std::fs::read_to_string(testdata("graphql/acme-web-42.json")).expect("test data");
    let open = dir.path().join("open.json");
    std::fs::write(&open, text.replace("\"isResolved\": true", "\"isResolved\": false")).expect("written");
    let shut = testdata("graphql/acme-web-42.json");
    snapshot(dir.path(), "open", &[(EARLY, &open)]);
    snapshot(dir.path(), "shut", &[(EARLY, &open), (LATE, &shut)]);
    snapshot(dir.path(), "again", &[(EARLY, &shut), (LATE, &open)]);
    let count =
        |a: &str, b: &str, change: &str| done(dir.path(), &["diff", a, b])["counts"][change].as_u64().unwrap_or(0);
    assert_eq!(count("open.tree", "shut.tree", "thread-resolved"), 1);
    assert_eq!(count("shut.tree", "again.tree", "thread-reopened"), 1);
}

#[test]
fn gh_tells_of_the_same_items() {
    let dir = scratch();
    let rest = rest(dir.path());
    let gh = testdata("graphql/acme-web-42.gh.json");
    snapshot(dir.path(), "alone", &[(EARLY, &rest)]);
    for (store, looks) in
        [("after", [(EARLY, rest.as_path()), (LATE, gh.as_path())]), ("before", [(EARLY, &gh), (LATE, &rest)])]
    {
        snapshot(dir.path(), store, &looks);
        let diff = done(dir.path(), &["diff", "alone.tree", &format!("{store}.tree")]);
        let allowed = ["coverage-changed", "check-added", "item-changed"].map(Value::from);
        let changes = diff["changes"].as_array().expect("changes");
        assert!(changes.iter().all(|change| allowed.contains(&change["change"])), "{store}: {diff}");
    }
}

#[test]
fn every_input_is_given_back_whole() {
    let dir = scratch();
    let archive = value!({
        "repo": "acme/web",
        "labels": [{"name": "bug", "color": "d73a4a", "description": null}],
        "issues": (1..=60).map(|n| value!({"number": n, "title": format!("issue {n}"), "state": "OPEN", "author": "mira",
            "createdAt": "2026-01-01T00:00:00Z", "url": format!("https://github.com/acme/web/issues/{n}"), "labels": ["bug"],
            "comments": (0..30).map(|c| value!({"author": "jonas", "body": format!("{n} {c}"),
                "createdAt": format!("2026-01-01T00:00:{c:02}Z")})).collect::<Vec<_>>()})).collect::<Vec<_>>(),
        "pulls": [],
    });
    let path = dir.path().join("archive.json");
    std::fs::write(&path, archive.to_string()).expect("written");
    done(dir.path(), &["init", "store"]);
    let report = done(dir.path(), &["--store", "store", "observe", "--observed-at", EARLY, "archive.json"]);
    assert_eq!((report["observed"].as_u64(), report["entities"].as_array().map(Vec::len)), (Some(121), Some(61)));
    let digest = report["inputs"][0]["digest"].as_str().expect("a digest");
    let raw = docket(dir.path()).args(["--store", "store", "show", "--raw", digest]).output().expect("started");
    assert_eq!(raw.stdout, json::to_vec(&parse(&archive)));
    assert_eq!(done(dir.path(), &["verify", "--rebuild", "store"])["verified"], true);
    let snapshot = done(dir.path(), &["--store", "store", "snapshot", "--out", "tree"]);
    assert_eq!(snapshot["entities"], 60);
    let tree = crate::support::files(&dir.path().join("tree"));
    assert_eq!(tree.keys().filter(|path| path.contains("/comments/") && path.contains("-node-")).count(), 1800);
}

#[test]
fn what_an_error_made_null_is_not_known_and_not_gone() {
    let nodes = |author: Value| {
        value!([{"id": "IC_1", "databaseId": 1, "body": "a", "author": {"login": "ann"}, "createdAt": "2026-01-01T00:00:00Z"},
            {"id": "IC_2", "databaseId": 2, "body": "b", "author": author, "createdAt": "2026-01-01T00:00:01Z"}])
    };
    let answer = |errors: Value, author: Value| {
        value!({"errors": errors, "data": {"repository": {"nameWithOwner": "acme/web", "issue": {"number": 42, "title": "t", "state": "OPEN",
            "createdAt": "2026-01-01T00:00:00Z", "author": null, "body": "x", "milestone": null,
            "comments": {"nodes": nodes(author), "totalCount": 2, "pageInfo": {"hasNextPage": false, "hasPreviousPage": false}}}}}})
    };
    let at = |path: Value| value!({"message": "boom", "type": "SERVICE_UNAVAILABLE", "path": path});
    let issue = |rest: &[Value]| {
        let path = [&[value!("repository"), value!("issue")], rest].concat();
        at(Value::Array(path))
    };
    let failed = value!([
        issue(&[value!("author")]),
        // The login cannot be null, so that the null stands above it.
        issue(&[value!("comments"), value!("nodes"), value!(1), value!("author"), value!("login")]),
    ]);
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let observe = |name: &str, value: &Value, second: &str| {
        std::fs::write(dir.path().join(name), value.to_string()).expect("written");
        done(dir.path(), &["--store", "store", "observe", "--observed-at", second, name])
    };
    let told = |out: &str| {
        done(dir.path(), &["--store", "store", "stage", "acme/web#42", "--out", out]);
        let read = |name: &str| -> Value {
            serde_json::from_slice(&std::fs::read(dir.path().join(out).join(name)).expect("read")).expect("JSON")
        };
        let index = read("index.json");
        let mut rows = index["entries"].as_array().expect("entries").iter().filter(|row| row["role"] == "comment");
        (read("entity.json").get("author").cloned(), rows.next_back().expect("two").get("author").cloned())
    };
    observe("failed.json", &answer(failed, Value::Null), "2026-01-01T00:00:00Z");
    assert_eq!(told("unknown"), (None, None), "not known");
    done(dir.path(), &["--store", "store", "verify", "store"]);
    done(dir.path(), &["--store", "store", "verify", "--rebuild", "store"]);
    observe("gone.json", &answer(value!([]), Value::Null), "2026-01-02T00:00:00Z");
    assert_eq!(
        told("gone"),
        (Some(Value::Null), Some(Value::Null)),
        "without an error null is an account that is gone"
    );
    let failed = value!([issue(&[value!("author")])]);
    observe("again.json", &answer(failed, value!({"login": "ben"})), "2026-01-03T00:00:00Z");
    assert_eq!(
        told("again"),
        (Some(Value::Null), Some(value!({"login": "ben"}))),
        "what is not known takes nothing away"
    );
}

#[test]
fn events_of_one_second_are_told_apart_by_their_commits() {
    let dir = scratch();
    let at = "2026-01-01T01:00:00Z";
    let sha = |digit: &str| digit.repeat(40);
    let node = |id: &str, digit: &str| {
        value!({"__typename": "ReferencedEvent", "id": id, "createdAt": at, "actor": {"login": "bob"},
            "commit": {"oid": sha(digit)}})
    };
    let nodes = [node("opaqueA", "a"), node("opaqueB", "b")];
    let answer = value!({"data": {"repository": {"nameWithOwner": "acme/web", "issue": {"__typename": "Issue", "number": 1,
        "title": "t", "url": "https://github.com/acme/web/issues/1", "state": "OPEN", "body": "hello", "author": {"login": "eve"},
        "createdAt": at, "updatedAt": at, "timelineItems": {"totalCount": 2, "nodes": nodes,
            "pageInfo": {"hasNextPage": false, "hasPreviousPage": false}}}}}});
    let rest = |id: u64, digit: &str| {
        value!({"id": id, "node_id": format!("LE_x{id}"), "event": "referenced", "created_at": at, "actor": {"login": "bob", "id": 8},
            "url": format!("https://api.github.com/repos/acme/web/issues/events/{id}"), "commit_id": sha(digit), "commit_url": null})
    };
    let write = |name: &str, value: Value| std::fs::write(dir.path().join(name), value.to_string()).expect("written");
    write("answer.json", answer);
    write("one.json", value!([rest(1, "a")]));
    write("both.json", value!([rest(1, "b"), rest(2, "a")]));
    let stage = |out: &str, from: &[&str]| {
        let args = ["stage", "--entity", "acme/web#1", "--profile", "full", "--out", out, "--from"];
        done(dir.path(), &[&args[..], from].concat());
        let path =
            crate::support::files(&dir.path().join(out)).into_iter().find(|(path, _)| path.ends_with("timeline.json"));
        let timeline: Value = serde_json::from_slice(&path.expect("a timeline").1).expect("JSON");
        let events = timeline["events"].as_array().expect("events").clone();
        events.iter().map(|event| (event["id"].clone(), event["commit"].clone())).collect::<Vec<_>>()
    };
    let found = stage("folded", &["answer.json", "timeline=one.json"]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.contains(&("1".into(), sha("a").into())), "{found:?}");
    assert!(found.contains(&("referenced:opaqueB".into(), sha("b").into())), "{found:?}");
    // So are those of two trees.
    stage("answered", &["answer.json"]);
    stage("numbered", &["timeline=both.json", "--complete"]);
    let changes = done(dir.path(), &["diff", "answered", "numbered"])["changes"].clone();
    let words: Vec<_> = changes.as_array().expect("changes").iter().filter_map(|one| one["change"].as_str()).collect();
    assert!(!words.iter().any(|word| ["event-added", "event-removed"].contains(word)), "{changes}");
}
