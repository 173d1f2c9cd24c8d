//! `--as-of`: the version of the time, else the gap, and a row for whatever came later.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{API, HEAD, OLD_HEAD, comment, entry, gap, having, json_of, pull, stage, user, write};
use crate::support::{arg, done, files, scratch, shared};

const THEN: &str = "2026-03-02T12:00:00Z";
const BEFORE: &str = "2026-03-02T00:00:00Z";
const AFTER: &str = "2026-03-03T00:00:00Z";

/// The thread at a time, and later: a comment edited, one added, title, body, labels, state and head changed.
fn payloads(dir: &Path) {
    let alice = user(1, "alice");
    let (then, now) = (dir.join("then"), dir.join("now"));
    write(&then, "pull.json", &pull((&alice, "MEMBER"), "first title", "first body", BEFORE));
    let mut later = pull((&alice, "MEMBER"), "later title", "later body", AFTER);
    later["labels"] = json!([{"id": 2, "name": "later-label", "color": "ff0000"}]);
    later["state"] = "closed".into();
    later["head"]["sha"] = OLD_HEAD.into();
    write(&now, "pull.json", &later);
    let kept = comment(101, &alice, Some("MEMBER"), "never edited", [BEFORE, BEFORE]);
    let first = comment(102, &alice, Some("MEMBER"), "first version", [BEFORE, BEFORE]);
    write(&then, "comments.json", &json!([kept, first]));
    let edited = comment(102, &alice, Some("MEMBER"), "later version", [BEFORE, AFTER]);
    let unseen = comment(103, &alice, Some("MEMBER"), "later text of 103", [BEFORE, AFTER]);
    let added = comment(104, &alice, Some("MEMBER"), "later comment", [AFTER, AFTER]);
    write(&now, "comments.json", &json!([kept, edited, unseen, added]));
    let event = |id: u64, label: &str, at: &str| {
        json!({"id": id, "node_id": format!("E_{id}"), "url": format!("{API}/issues/events/{id}"), "actor": alice,
            "event": "labeled", "created_at": at, "label": {"name": label, "color": "ff0000"}})
    };
    write(&now, "events.json", &json!([event(401, "bug", BEFORE), event(402, "later-label", AFTER)]));
    let run = |id: u64, name: &str, ended: &str| {
        json!({"id": id, "name": name, "head_sha": HEAD, "status": "completed", "conclusion": "failure",
            "started_at": BEFORE, "completed_at": ended, "app": {"slug": "ci"}, "check_suite": {"id": 1},
            "output": {"title": format!("output of {name}"), "summary": null}})
    };
    let runs = json!({"total_count": 2, "check_runs": [run(601, "early", BEFORE), run(602, "later-run", AFTER)]});
    write(&now, "checks.json", &runs);
}

fn from(dir: &Path, out: &str, inputs: &[&str], more: &[&str]) -> Value {
    let args =
        [&["stage", "--entity", "acme/web#42", "--observed-at", "2026-03-04T00:00:00Z", "--out", out], more].concat();
    done(dir, &[&args[..], &["--from"], inputs].concat());
    json_of(&dir.join(out).join("index.json"))
}

#[test]
fn what_came_later_is_not_shown_and_leaves_its_row() {
    let dir = scratch();
    payloads(dir.path());
    let all = ["then", "now/pull.json", "now/comments.json", "events=now/events.json", "now/checks.json"];
    let index = from(dir.path(), "out", &all, &["--as-of", THEN]);
    let root = dir.path().join("out");
    for text in [
        "later title",
        "later body",
        "later version",
        "later text",
        "later comment",
        "later-label",
        "output of later-run",
    ] {
        assert_eq!(having(&root, text), [""; 0], "{text}");
    }
    assert_eq!(fs::read(root.join("body.md")).expect("a body"), b"first body\n");
    let entity = json_of(&root.join("entity.json"));
    assert_eq!(
        json!([entity["title"], entity["state"], entity["labels"][0]["name"], entity["head"]["sha"]]),
        json!(["first title", "open", "bug", HEAD])
    );
    let text = |id| fs::read_to_string(root.join(entry(&index, id)["path"].as_str().expect("a path"))).expect("a file");
    assert_eq!((text(101), text(102)), ("never edited\n".to_owned(), "first version\n".to_owned()));
    assert_eq!(entry(&index, 103)["withheld"], json!({"bytes": 17, "reason": "earlier-version-missing"}));
    assert_eq!(entry(&index, 104)["withheld"], json!({"bytes": 13, "reason": "after-as-of"}));
    assert_eq!(entry(&index, 104)["author"]["login"], "alice");
    assert_eq!((gap(&index, "comments", "after-as-of"), gap(&index, "comments", "earlier-version-missing")), (1, 1));
    assert_eq!(index["asOf"], BEFORE, "the tree is of no later time than its texts");
    assert_eq!(index["profile"]["asOf"], THEN);
    let events = json_of(&root.join("timeline.json"));
    assert_eq!(events["events"][1]["withheld"], json!({"bytes": 11, "reason": "after-as-of"}));
    let check = json_of(&root.join(entry(&index, 602)["path"].as_str().expect("a path")));
    assert_eq!(check["withheld"]["reason"], "earlier-version-missing");
    assert!(check.get("conclusion").is_none() && check.get("completedAt").is_none(), "{check}");
    assert_eq!(json_of(&root.join(entry(&index, 601)["path"].as_str().expect("a path")))["conclusion"], "failure");
    let summary = fs::read_to_string(root.join("summary.md")).expect("a summary");
    assert!(summary.contains(&format!("- as of: {THEN}")), "{summary}");
}

#[test]
fn a_record_that_is_known_only_as_it_was_later_keeps_its_header() {
    let dir = scratch();
    payloads(dir.path());
    let index = from(dir.path(), "out", &["now/pull.json"], &["--as-of", THEN]);
    let root = dir.path().join("out");
    let entity = json_of(&root.join("entity.json"));
    assert_eq!(entity["title"], "[withheld:earlier-version-missing]");
    assert_eq!((&entity["author"]["login"], &entity["number"]), (&json!("alice"), &json!(42)));
    assert!(["state", "labels", "head", "updatedAt"].iter().all(|name| entity.get(*name).is_none()), "{entity}");
    let body = index["entries"].as_array().expect("entries").iter().find(|entry| entry["role"] == "body");
    assert_eq!(body.expect("a row")["withheld"], json!({"bytes": 10, "reason": "earlier-version-missing"}));
    assert_eq!(gap(&index, "header", "earlier-version-missing"), 2);
    assert_eq!(index["coverage"]["header"]["state"], "partial");
    let before = from(dir.path(), "before", &["now/pull.json"], &["--as-of", "2026-02-01T00:00:00Z"]);
    assert_eq!(gap(&before, "header", "after-as-of"), 2);
}

#[test]
fn what_was_there_and_went_later_was_there() {
    let dir = scratch();
    payloads(dir.path());
    let alice = user(1, "alice");
    let at = |id, time| comment(id, &alice, Some("MEMBER"), &format!("text {id}"), [time, time]);
    // The second look lacks 101 and shows something later; so it was made later, and proves nothing of then.
    write(&dir.path().join("in"), "first.json", &json!([at(101, BEFORE), at(102, BEFORE)]));
    write(&dir.path().join("in"), "second.json", &json!([at(102, BEFORE), at(103, AFTER)]));
    done(dir.path(), &["init", "store"]);
    for (day, name) in [("2", "first"), ("4", "second")] {
        let time = format!("2026-03-0{day}T13:00:00Z");
        let path = format!("in/{name}.json");
        let observe =
            ["--store", "store", "observe", "--complete", "--observed-at", &time, "--entity", "acme/web#42", &path];
        done(dir.path(), &observe);
    }
    let stage = |out: &str, more: &[&str]| {
        done(dir.path(), &[&["--store", "store", "stage", "acme/web#42", "--out", out], more].concat());
        json_of(&dir.path().join(out).join("index.json"))
    };
    let now = stage("today", &[]);
    assert_eq!(now["tombstones"][0]["id"], 101);
    let then = stage("back", &["--as-of", THEN]);
    assert_eq!(then["tombstones"], json!([]));
    assert!(entry(&then, 101).get("withheld").is_none() && entry(&then, 102).get("withheld").is_none());
    assert_eq!(entry(&then, 103)["withheld"]["reason"], "after-as-of");
    assert_eq!(then["coverage"]["comments"]["state"], "complete");
    assert_eq!(done(dir.path(), &["--store", "store", "verify", "back", "--rebuild"])["verified"], true);
}

#[test]
fn a_review_has_the_state_that_it_had() {
    let dir = scratch();
    let alice = user(1, "alice");
    let review = json!([{"id": 201, "node_id": "PRR_201", "user": alice, "author_association": "MEMBER", "body": "no",
        "state": "DISMISSED", "submitted_at": BEFORE, "commit_id": HEAD, "pull_request_url": format!("{API}/pulls/42"),
        "html_url": "https://github.com/acme/web/pull/42#pullrequestreview-201"}]);
    let event = json!([{"id": 401, "node_id": "E_401", "url": format!("{API}/issues/events/401"), "actor": alice,
        "event": "review_dismissed", "created_at": AFTER,
        "dismissed_review": {"state": "changes_requested", "review_id": 201, "dismissal_message": null}}]);
    write(dir.path(), "reviews.json", &review);
    write(dir.path(), "events.json", &event);
    let state = |out: &str, at: &str| {
        let index = from(dir.path(), out, &["reviews.json", "events=events.json"], &["--as-of", at]);
        assert_eq!(gap(&index, "reviews", "edits-unknown"), 1, "GitHub does not tell when a review was edited");
        entry(&index, 201)["state"].clone()
    };
    assert_eq!((state("then", THEN), state("now", AFTER)), (json!("changes-requested"), json!("dismissed")));
}

#[test]
fn later_facts_change_nothing_but_the_rows_of_what_came_later() {
    let dir = scratch();
    payloads(dir.path());
    let early = ["then"];
    let late = ["then", "now/comments.json", "now/pull.json"];
    from(dir.path(), "early", &early, &["--as-of", THEN]);
    from(dir.path(), "late", &late, &["--as-of", THEN]);
    let (early, late) = (files(&dir.path().join("early")), files(&dir.path().join("late")));
    for (path, bytes) in early.iter().filter(|(path, _)| !matches!(path.as_str(), "index.json" | "summary.md")) {
        assert_eq!(late.get(path), Some(bytes), "{path}");
    }
    let more: Vec<_> = late.iter().filter(|(path, _)| !early.contains_key(*path)).collect();
    assert_eq!(more.iter().map(|(_, bytes)| bytes.len()).collect::<Vec<_>>(), [0, 0], "rows: {more:?}");
}

/// The recorded threads of which there are two versions, as of the time of the first one.
#[test]
fn recorded_versions_are_told_apart() {
    let mut tried = 0;
    for name in [
        "forgejo/pull-ogr-tests-209",
        "forgejo/issue-ogr-tests-244",
        "gitlab/mr-14233409-19",
        "gitlab/issue-14233409-2",
    ] {
        let Some(root) = shared("data/threads") else { return };
        let dir = scratch();
        let all = arg(&root.join(name)).to_owned();
        let times = |out: &str| {
            let index = json_of(&dir.path().join(out).join("index.json"));
            let entries = index["entries"].as_array().expect("entries").clone();
            let mut times: Vec<String> =
                entries.iter().filter_map(|entry| Some(entry["createdAt"].as_str()?.to_owned())).collect();
            times.sort();
            times
        };
        done(dir.path(), &["stage", "--from", &all, "--out", "now"]);
        let Some(middle) = times("now").get(times("now").len() / 2).cloned() else { continue };
        done(dir.path(), &["stage", "--from", &all, "--out", "then", "--as-of", &middle]);
        let index = json_of(&dir.path().join("then/index.json"));
        for entry in index["entries"].as_array().expect("entries") {
            let made = entry["createdAt"].as_str().unwrap_or_default();
            let changed = entry["updatedAt"].as_str().unwrap_or_default();
            let later = made > middle.as_str() || changed > middle.as_str();
            if later && entry["role"] == "comment" {
                assert!(entry.get("withheld").is_some() && entry["bytes"] == 0, "{name} as of {middle}: {entry}");
                tried += 1;
            }
        }
        assert_eq!(done(dir.path(), &["verify", "then"])["verified"], true);
    }
    assert!(tried > 0, "no recorded comment is later than another");
}

#[test]
fn a_time_after_everything_hides_no_text() {
    let dir = scratch();
    payloads(dir.path());
    fs::rename(dir.path().join("now"), dir.path().join("in")).expect("moved");
    let index = stage(dir.path(), "out", &["--as-of", "2030-01-01T00:00:00Z"]);
    assert!(
        index["entries"].as_array().expect("entries").iter().all(|entry| entry.get("withheld").is_none()),
        "{index}"
    );
    assert_eq!(fs::read(dir.path().join("out/body.md")).expect("a body"), b"later body\n");
}

#[test]
fn the_way_in_does_not_matter_and_the_stage_is_derived_again() {
    let dir = scratch();
    payloads(dir.path());
    let inputs = ["then", "now/pull.json", "now/comments.json", "events=now/events.json", "now/checks.json"];
    let choices = ["--as-of", THEN, "--head", HEAD, "--admit", "members", "--bots", "exclude", "--deny-author", "eve"];
    from(dir.path(), "payloads", &inputs, &choices);
    done(dir.path(), &["init", "store"]);
    let observe = ["--store", "store", "observe", "--entity", "acme/web#42", "--observed-at", "2026-03-04T00:00:00Z"];
    done(dir.path(), &[&observe[..], &inputs].concat());
    done(dir.path(), &[&["--store", "store", "stage", "acme/web#42", "--out", "stored"], &choices[..]].concat());
    assert_eq!(files(&dir.path().join("payloads")), files(&dir.path().join("stored")));
    assert_eq!(done(dir.path(), &["--store", "store", "verify", "stored", "--rebuild"])["verified"], true);
    done(dir.path(), &["--store", "store", "stage", "acme/web#42", "--out", "open"]);
    let said = done(dir.path(), &["diff", "stored", "open"]);
    assert!(
        said["changes"].as_array().expect("changes").iter().any(|row| row["change"] == "profile-changed"),
        "{said}"
    );
}

#[test]
fn a_check_that_was_made_later_says_nothing_at_all() {
    let dir = scratch();
    payloads(dir.path());
    let run = |id: u64, name: &str, at: &str| {
        json!({"id": id, "name": name, "head_sha": HEAD, "status": "completed", "conclusion": "failure", "started_at": at,
            "completed_at": at, "details_url": format!("https://ci.example/{name}"), "html_url": format!("https://ci.example/{name}"),
            "app": {"slug": "ci"}, "check_suite": {"id": 1}, "output": {"title": name, "summary": name}})
    };
    let runs = json!({"total_count": 2, "check_runs": [run(601, "early", BEFORE), run(602, "said-later", AFTER)]});
    write(&dir.path().join("in"), "runs.json", &runs);
    let status = |id: u64, name: &str, at: &str| {
        json!({"id": id, "node_id": "S", "url": format!("{API}/statuses/{HEAD}"), "state": "failure", "context": name,
            "description": name, "target_url": format!("https://ci.example/{name}"), "creator": user(1, "alice"),
            "created_at": at, "updated_at": at})
    };
    write(
        &dir.path().join("in"),
        "statuses.json",
        &json!([status(701, "soon", BEFORE), status(702, "said-later", AFTER)]),
    );
    let inputs = ["then", "in/runs.json", "statuses=in/statuses.json"];
    let index = from(dir.path(), "out", &inputs, &["--as-of", THEN]);
    assert_eq!(having(&dir.path().join("out"), "said-later"), [""; 0], "{index}");
    assert!(!having(&dir.path().join("out"), "soon").is_empty());
    assert_eq!((gap(&index, "checks", "after-as-of"), gap(&index, "statuses", "after-as-of")), (1, 1));
    assert_eq!(done(dir.path(), &["verify", "out"])["verified"], true);
}

/// Comments on the diff, a commit and events of which all came later: nothing of them but that they are, and when.
#[test]
fn what_came_later_leaves_its_row_also_where_there_is_nothing_else() {
    let dir = scratch();
    let alice = user(1, "alice");
    let input = dir.path().join("in");
    write(&input, "pull.json", &pull((&alice, "MEMBER"), "a title", "a body", BEFORE));
    let comment = json!([{"id": 9, "url": format!("{API}/pulls/comments/9"), "pull_request_review_id": 3, "user": alice,
        "diff_hunk": "@@ -1,1 +1,2 @@\n a\n+LATER-CODE", "path": "LATER-FILE.txt", "commit_id": OLD_HEAD,
        "original_commit_id": OLD_HEAD, "body": "LATER-BODY", "created_at": AFTER, "updated_at": AFTER,
        "html_url": "https://github.com/acme/web/pull/42#discussion_r9", "pull_request_url": format!("{API}/pulls/42"),
        "author_association": "MEMBER", "line": 2, "original_line": 2, "side": "RIGHT"}]);
    write(&input, "review-comments.json", &comment);
    let event = json!([{"id": 401, "node_id": "E_401", "url": format!("{API}/issues/events/401"), "actor": alice,
        "event": "labeled", "created_at": AFTER, "label": {"name": "LATER-LABEL", "color": "ff0000"}}]);
    write(&input, "events.json", &event);
    let reaction = json!([{"id": 77, "node_id": "R_77", "user": alice, "content": "rocket", "created_at": AFTER}]);
    write(dir.path(), "reactions.json", &reaction);
    let index = stage(dir.path(), "out", &["--from", "reactions=reactions.json", "--as-of", THEN]);
    let root = dir.path().join("out");
    assert_eq!(having(&root, "LATER"), [""; 0]);
    let threads = json_of(&root.join("threads.json"));
    let bytes = "LATER-BODY".len() + "@@ -1,1 +1,2 @@\n a\n+LATER-CODE".len();
    assert_eq!(
        threads["threads"][0]["comments"][0]["withheld"],
        json!({"bytes": bytes, "reason": "after-as-of"}),
        "{threads}"
    );
    assert_eq!(threads["threads"][0]["path"], json!(null));
    assert_eq!(json_of(&root.join("timeline.json"))["events"][0]["withheld"]["reason"], "after-as-of");
    assert_eq!(json_of(&root.join("reactions.json"))["reactions"][0]["content"], "[withheld:after-as-of]");
    let gaps = ["review-comments", "timeline", "reactions"].map(|scope| gap(&index, scope, "after-as-of"));
    assert_eq!(gaps, [1, 1, 1]);
}

#[test]
fn whether_a_text_was_hidden_then_is_not_known() {
    let dir = scratch();
    let comment = json!({"databaseId": 101, "id": "IC_101", "body": "a text", "isMinimized": true, "minimizedReason": "spam",
        "createdAt": BEFORE, "updatedAt": BEFORE, "authorAssociation": "MEMBER", "author": {"login": "alice", "__typename": "User"},
        "url": "https://github.com/acme/web/issues/42#issuecomment-101"});
    let answer = json!({"data": {"repository": {"nameWithOwner": "acme/web", "issue": {"number": 42, "title": "a title",
        "body": "a body", "state": "OPEN", "url": "https://github.com/acme/web/issues/42", "createdAt": BEFORE, "updatedAt": BEFORE,
        "comments": {"totalCount": 1, "pageInfo": {"hasNextPage": false, "hasPreviousPage": false}, "nodes": [comment]}}}}});
    write(dir.path(), "answer.json", &answer);
    for (out, more) in [("now", &[][..]), ("then", &["--as-of", THEN])] {
        done(dir.path(), &[&["stage", "--from", "answer.json", "--out", out], more].concat());
        let index = json_of(&dir.path().join(out).join("index.json"));
        let known = if out == "now" { json!([true, "spam"]) } else { json!([null, null]) };
        let row = entry(&index, 101);
        assert_eq!(json!([row["minimized"], row["minimizedReason"]]), known, "{out}");
    }
}
