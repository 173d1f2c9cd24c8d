//! Deliveries and dumps through the built program: `observe`, and `stage --event`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{arg, checked, docket, done, files, report, scratch, shared, testdata};

const ACME: &str = "threads/acme-web-42";

fn delivery(name: &str) -> String {
    arg(&testdata(&format!("deliveries/{name}.json"))).to_owned()
}

fn index(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("index.json")).expect("an index")).expect("JSON")
}

/// The paths of the entries that are marked.
fn marked(index: &Value) -> Vec<&str> {
    let entries = index["entries"].as_array().expect("entries").iter();
    entries.filter(|entry| entry["trigger"] == true).filter_map(|entry| entry["path"].as_str()).collect()
}

#[test]
fn every_recorded_delivery_is_rebuilt_or_named() {
    let Some(root) = shared("data/webhooks") else { return };
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let seen = done(dir.path(), &["--store", "store", "observe", "--observed-at", "2026-01-01T00:00:00Z", arg(&root)]);
    let all = files(&root);
    let named = |row: &Value| row["input"].as_str().expect("a name").split('#').next().expect("a file").to_owned();
    let (inputs, left) = (seen["inputs"].as_array().expect("inputs"), seen["unrecognised"].as_array().expect("left"));
    for (name, bytes) in &all {
        let row = inputs.iter().find(|row| named(row).ends_with(name.as_str()));
        assert!(row.is_some() || left.iter().any(|row| named(row).ends_with(name.as_str())), "{name} is nowhere");
        let Some(row) = row else { continue };
        let value: Value = serde_json::from_slice(bytes).expect("JSON");
        let canonical = serde_jcs::to_vec(&value).expect("canonical");
        assert_eq!(row["digest"], git_docket::format::digest::Digest::of(&canonical).to_string(), "{name}");
    }
    // Puts every input together again and compares its digest.
    assert_eq!(done(dir.path(), &["verify", "store", "--rebuild"])["verified"], true);
}

#[test]
fn deliveries_of_others_do_not_join_the_only_thread_of_an_invocation() {
    let Some(root) = shared("data/webhooks") else { return };
    let dir = scratch();
    let thread = testdata(ACME);
    let stage = |out: &str, from: &[&str]| {
        done(dir.path(), &[&["stage", "--entity", "acme/web#42", "--out", out, "--from"], from].concat())["indexDigest"]
            .clone()
    };
    assert_eq!(stage("one", &[arg(&thread)]), stage("two", &[arg(&thread), arg(&root)]));
}

#[test]
fn a_deletion_is_a_tombstone_and_an_edit_is_the_new_version() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let thread = testdata(ACME);
    let observe = |inputs: &[&str]| done(dir.path(), &[&["--store", "store", "observe"], inputs].concat());
    observe(&[arg(&thread)]);
    let names = ["comment-edited", "comment-deleted", "comment-created", "review-dismissed"].map(delivery);
    let seen = observe(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(seen["unrecognised"], json!([]));
    let stage = ["--store", "store", "stage", "acme/web#42", "--out", "out"];
    done(dir.path(), &stage);
    let out = dir.path().join("out");
    let gone: Vec<_> =
        index(&out)["tombstones"].as_array().expect("tombstones").iter().map(|row| row["id"].clone()).collect();
    assert_eq!(gone, [json!(2910000001_u64)]);
    let new = files(&out).into_iter().find(|(path, _)| path.ends_with("-2910000009.md")).expect("the new comment");
    assert_eq!(new.1, b"/review again please\n");
}

#[test]
fn an_event_stages_alone_over_payloads_and_over_a_store() {
    let dir = scratch();
    let (thread, created) = (testdata(ACME), delivery("comment-created"));
    let path = "comments/20260304T170000Z-2910000009.md";
    let alone = done(dir.path(), &["stage", "--event", &created, "--out", "alone"]);
    assert_eq!(alone["entities"], json!(["github:github.com/acme/web/pull/42"]));
    let event = json!({"name": "issue_comment", "action": "created", "asOf": "2026-03-04T17:00:00Z", "head": null,
        "item": {"facet": "comments", "id": 2910000009_u64}, "path": path});
    done(dir.path(), &["stage", "--event", &created, "--from", arg(&thread), "--out", "over"]);
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", arg(&thread)]);
    done(dir.path(), &["--store", "store", "stage", "--event", &created, "--out", "stored"]);
    for name in ["alone", "over", "stored"] {
        let out = dir.path().join(name);
        let index = index(&out);
        assert_eq!(index["event"], event, "{name}");
        assert_eq!(marked(&index), [path], "{name}");
        assert_eq!(fs::read(out.join("body.md")).expect("a body"), b"The body as the delivery saw it.\n", "{name}");
        let summary = fs::read_to_string(out.join("summary.md")).expect("a summary");
        let row = format!("- set off by: issue_comment created at 2026-03-04T17:00:00Z: {path}");
        assert!(summary.contains(&row.replace('_', "\\_")) || summary.contains(&row), "{name}: {summary}");
        // A delivery of a comment tells neither head nor base.
        assert_eq!(summary.contains("- head: not known\n- base: not known\n"), name == "alone", "{name}: {summary}");
        assert_eq!(done(dir.path(), &["verify", name])["verified"], true);
    }
    assert_eq!(files(&dir.path().join("over")), files(&dir.path().join("stored")), "the way in does not matter");
    assert!(files(&dir.path().join("over")).len() > files(&dir.path().join("alone")).len());
}

#[test]
fn what_set_off_a_stage_stands_although_a_complete_list_lacks_it() {
    let dir = scratch();
    let (comments, created) =
        (format!("comments={}", arg(&testdata(ACME).join("comments.json"))), delivery("comment-created"));
    let path = "comments/20260304T170000Z-2910000009.md";
    let base = ["stage", "--from", &comments, "--complete", "--event", &created];
    let look = |out: &str, more: &[&str]| {
        done(dir.path(), &[&base[..], &["--out", out], more].concat());
        index(&dir.path().join(out))
    };
    for (out, more) in [("then", &[][..]), ("later", &["--as-of", "2026-06-01T00:00:00Z"])] {
        let index = look(out, more);
        assert_eq!((marked(&index), &index["event"]["path"]), (vec![path], &json!(path)), "{out}");
        assert_eq!(index["tombstones"], json!([]), "{out}");
        assert_eq!(index["coverage"]["comments"]["items"], 4, "{out}");
        assert!(!index["gaps"].to_string().contains("order-ambiguous"), "{out}: {index}");
        assert_eq!(fs::read(dir.path().join(out).join(path)).expect("the comment"), b"/review please\n", "{out}");
    }
    // Before the delivery there was none.
    let index = look("before", &["--as-of", "2026-03-04T16:00:00Z"]);
    let row = index["entries"].as_array().into_iter().flatten().find(|entry| entry["path"] == path).cloned();
    assert!(row.is_none_or(|row| row["withheld"]["reason"] == "after-as-of"), "{index}");
    // What a delivery says was deleted is not there, although it is what set off the stage.
    let deleted = delivery("comment-deleted");
    done(dir.path(), &["stage", "--from", &comments, "--complete", "--event", &deleted, "--out", "deleted"]);
    let index = self::index(&dir.path().join("deleted"));
    assert_eq!((index["event"]["path"].is_null(), index["tombstones"][0]["facet"].as_str()), (true, Some("comments")));
}

#[test]
fn what_set_off_a_stage_stands_although_it_was_edited_or_deleted_later() {
    let dir = scratch();
    let created = delivery("comment-created");
    let value: Value = serde_json::from_slice(&fs::read(&created).expect("read")).expect("JSON");
    let path = "comments/20260304T170000Z-2910000009.md";
    for (name, action, body) in [("edited", "edited", "later words"), ("deleted", "deleted", "/review please")] {
        let mut later = value.clone();
        later["action"] = json!(action);
        later["comment"]["body"] = json!(body);
        later["comment"]["updated_at"] = json!("2026-03-04T18:00:00Z");
        later["issue"]["updated_at"] = json!("2026-03-04T18:00:00Z");
        let (file, store) = (format!("{name}.json"), format!("{name}-store"));
        fs::write(dir.path().join(&file), later.to_string()).expect("written");
        done(dir.path(), &["init", &store]);
        for (at, input) in [("2026-03-04T17:01:00Z", &created), ("2026-03-04T18:01:00Z", &file)] {
            done(dir.path(), &["--store", &store, "observe", "--observed-at", at, input]);
        }
        for as_of in ["2026-03-04T17:00:00Z", "2026-06-01T00:00:00Z"] {
            let stage =
                ["--store", &store, "stage", "--event", &created, "--as-of", as_of, "--out", "out", "--replace"];
            done(dir.path(), &stage);
            let out = dir.path().join("out");
            assert_eq!(marked(&index(&out)), [path], "{name} {as_of}");
            assert_eq!(fs::read(out.join(path)).expect("the comment"), b"/review please\n", "{name} {as_of}");
            assert_eq!(done(dir.path(), &["verify", "out"])["verified"], true);
        }
    }
}

#[test]
fn a_check_that_set_off_a_stage_stands_beside_a_list_without_it() {
    let dir = scratch();
    let list = json!({"total_count": 1, "check_runs": [{"id": 1, "name": "other", "status": "completed", "conclusion": "success",
        "head_sha": "2f36b5091671a29e8f73e18a3723e66714617f9e", "started_at": "2026-03-01T00:00:00Z", "completed_at": "2026-03-01T00:01:00Z",
        "check_suite": {"id": 1}, "output": {}, "url": "https://api.github.com/repos/acme/web/check-runs/1"}]});
    fs::write(dir.path().join("runs.json"), list.to_string()).expect("written");
    let event = delivery("check-completed");
    let from = ["--from", "checks=runs.json", "--complete"];
    done(dir.path(), &[&["stage", "--event", &event], &from[..], &["--out", "out"]].concat());
    let index = index(&dir.path().join("out"));
    assert_eq!(marked(&index).len(), 1, "{index}");
    assert_eq!(index["coverage"]["checks"]["items"], 2, "{index}");
}

#[test]
fn the_event_of_the_runner_is_the_default() {
    let dir = scratch();
    let run = |path: Option<&str>| {
        let mut command = docket(dir.path());
        command.args(["--json", "stage", "--event", "--out", "out", "--replace"]);
        command.env_remove("GITHUB_EVENT_PATH");
        path.map(|path| command.env("GITHUB_EVENT_PATH", path));
        let output = command.output().expect("started");
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).expect("JSON"))
    };
    let (status, said) = run(Some(&delivery("check-completed")));
    assert_eq!((status, &said["entities"]), (Some(0), &json!(["github:github.com/acme/web/pull/42"])));
    let index = index(&dir.path().join("out"));
    assert_eq!(index["event"]["item"]["facet"], "checks");
    assert!(marked(&index)[0].starts_with("checks/"), "{index}");
    assert_eq!(index["event"]["head"].as_str().map(str::len), Some(40));
    let (status, said) = run(None);
    assert_eq!((status, said["error"]["code"].as_str()), (Some(2), Some("event-missing")));
}

#[test]
fn an_event_about_nobody_is_trouble_and_leaves_nothing() {
    let dir = scratch();
    for name in ["push", "label-created"] {
        let (status, said) = report(dir.path(), &["stage", "--event", &delivery(name), "--out", "out"]);
        assert_eq!((status, said["error"]["code"].as_str()), (2, Some("event-no-entity")), "{name}: {said}");
    }
    fs::write(dir.path().join("torn.json"), "{").expect("a file");
    let (status, said) = report(dir.path(), &["stage", "--event", "torn.json", "--out", "out"]);
    assert_eq!((status, said["error"]["code"].as_str()), (2, Some("json-invalid")));
    let other = ["stage", "--entity", "acme/web#7", "--event", &delivery("comment-created"), "--out", "out"];
    assert_eq!(report(dir.path(), &other).1["error"]["code"], "event-no-entity");
    assert!(!dir.path().join("out").exists());
}

#[test]
fn an_event_of_gitea_stages_what_it_is_about() {
    let dir = scratch();
    let said = done(dir.path(), &["stage", "--event", &delivery("gitea-issue"), "--out", "out"]);
    assert_eq!(said["entities"], json!(["gitea:code.example/acme/web/issue/1"]));
    let index = index(&dir.path().join("out"));
    let event = json!({"name": "issues", "action": "opened", "asOf": "2026-03-04T17:00:00Z", "head": null, "item": null, "path": "body.md"});
    assert_eq!((&index["event"], marked(&index)), (&event, vec!["body.md"]));
}

#[test]
fn a_thread_event_marks_the_thread_and_an_event_of_the_entity_its_body() {
    let dir = scratch();
    let thread = testdata(ACME);
    for (name, start) in
        [("thread-resolved", "threads/"), ("review-dismissed", "reviews/"), ("issue-deleted", "body.md")]
    {
        done(dir.path(), &["stage", "--event", &delivery(name), "--from", arg(&thread), "--out", name]);
        let index = index(&dir.path().join(name));
        assert!(marked(&index)[0].starts_with(start), "{name}: {index}");
    }
    assert_eq!(index(&dir.path().join("issue-deleted"))["coverage"]["header"]["state"], "gone");
    let run = json!({"action": "completed", "check_suite": {"id": 1, "head_sha": "a", "pull_requests": [
        {"url": "https://api.github.com/repos/acme/web/pulls/42", "number": 42}]}});
    fs::write(dir.path().join("suite.json"), run.to_string()).expect("a file");
    done(dir.path(), &["stage", "--event", "suite.json", "--from", arg(&thread), "--out", "suite"]);
    let index = index(&dir.path().join("suite"));
    assert_eq!((marked(&index).len(), &index["event"]["path"]), (0, &Value::Null), "a suite is not in the tree");
}

#[test]
fn several_pull_requests_of_one_commit_are_all_staged_or_the_one_that_is_named() {
    let dir = scratch();
    let pull = |n: u64| json!({"url": format!("https://api.github.com/repos/acme/web/pulls/{n}"), "number": n});
    let run = json!({"action": "completed", "check_run": {"id": 5, "name": "unit", "head_sha": "a", "status": "completed",
        "output": {}, "url": "https://api.github.com/repos/acme/web/check-runs/5", "pull_requests": [pull(42), pull(43)]}});
    fs::write(dir.path().join("run.json"), run.to_string()).expect("a file");
    let all = done(dir.path(), &["stage", "--event", "run.json", "--out", "all"]);
    let ids = ["github:github.com/acme/web/pull/42", "github:github.com/acme/web/pull/43"];
    assert_eq!(all["entities"], json!(ids));
    let one = done(dir.path(), &["stage", "--event", "run.json", "--entity", "acme/web#43", "--out", "one"]);
    assert_eq!(one["entities"], json!([ids[1]]));
    assert_eq!(marked(&index(&dir.path().join("one"))), ["checks/undated-5/check.json"]);
}

#[test]
fn dumps_stage_and_are_rebuilt() {
    for folder in ["archive", "backup"] {
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        let dumps = testdata(&format!("dumps/{folder}"));
        let seen = done(dir.path(), &["--store", "store", "observe", arg(&dumps)]);
        assert_eq!(seen["unrecognised"], json!([]), "{folder}");
        assert_eq!(
            seen["entities"],
            json!(["github:github.com/acme/web/issue/7", "github:github.com/acme/web/pull/42"])
        );
        assert_eq!(done(dir.path(), &["verify", "store", "--rebuild"])["verified"], true);
        let staged = done(dir.path(), &["--store", "store", "stage", "acme/web#7", "--out", "out"]);
        assert_eq!(staged["entities"], json!(["github:github.com/acme/web/issue/7"]));
        let coverage = &index(&dir.path().join("out"))["coverage"];
        assert_eq!(coverage["comments"]["state"], "complete", "{folder}: as many as the issue counts");
        for row in seen["inputs"].as_array().expect("inputs") {
            let mut raw = docket(dir.path());
            raw.args(["--store", "store", "show", "--raw", row["digest"].as_str().expect("a digest")]);
            let shown = checked(raw.output().expect("started"), "show --raw").stdout;
            let value: Value =
                serde_json::from_slice(&fs::read(row["input"].as_str().expect("a name")).expect("a file"))
                    .expect("JSON");
            assert!(shown == serde_jcs::to_vec(&value).expect("canonical"), "{folder}: {row}");
        }
    }
}

/// What was not recognised is in the report whatever is printed besides, and counted in the answer for people.
#[test]
fn what_a_stage_did_not_recognise_is_told() {
    let dir = scratch();
    let thread = testdata(ACME);
    fs::write(dir.path().join("strange.json"), r#"{"strange":true}"#).expect("written");
    let base = ["stage", "--from", arg(&thread), "strange.json", "--out", "out", "--replace"];
    for quiet in [&["--quiet"][..], &[]] {
        let staged = done(dir.path(), &[quiet, &base].concat());
        assert_eq!(staged["unrecognised"], json!([{"input": "strange.json", "reason": "shape-unknown"}]));
    }
    let output = checked(docket(dir.path()).arg("-q").args(base).output().expect("started"), "stage -q");
    assert!(String::from_utf8_lossy(&output.stdout).contains("not recognised: 1 inputs"), "{output:?}");
    assert_eq!(output.stderr, b"");
    // Of a delivery, what is not about the entity; with its own name. From a store nothing was read.
    let mut event: Value =
        serde_json::from_slice(&fs::read(delivery("comment-created")).expect("a delivery")).expect("JSON");
    event["comment"] = json!({"strange": true});
    fs::write(dir.path().join("event.json"), event.to_string()).expect("written");
    let staged = done(dir.path(), &["stage", "--event", "event.json", "--out", "out", "--replace"]);
    assert_eq!(staged["unrecognised"], json!([{"input": "event.json#/comment", "reason": "shape-unknown"}]));
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", arg(&thread)]);
    let staged = done(dir.path(), &["--store", "store", "stage", "acme/web#42", "--out", "out", "--replace"]);
    assert!(staged.get("unrecognised").is_none(), "{staged}");
}

#[test]
fn options_for_payloads_need_payloads() {
    let dir = scratch();
    let event = delivery("comment-created");
    for option in [&["--source", "https://api.github.com/repos/acme/web/pulls/42"][..], &["--complete"], &["--partial"]]
    {
        for of in [&["--event", &event][..], &["acme/web#42"]] {
            let (status, said) = report(dir.path(), &[&["stage", "--out", "out"], of, option].concat());
            assert_eq!((status, &said["error"]["code"]), (2, &json!("usage")), "{option:?} {of:?}: {said}");
        }
    }
    let (status, said) =
        report(dir.path(), &["stage", "acme/web#42", "--out", "out", "--observed-at", "2026-01-01T00:00:00Z"]);
    assert_eq!((status, &said["error"]["code"]), (2, &json!("usage")), "{said}");
}

#[test]
fn a_deleted_comment_does_not_come_back_by_a_look_that_knows_its_node_alone() {
    let comment = |id: &Value, node: &str| {
        let mut comment = json!({"id": id, "node_id": node, "body": "gone", "user": {"login": "mira", "id": 4101, "avatar_url": "x"},
            "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z",
            "issue_url": "https://api.github.com/repos/acme/web/issues/42"});
        comment["url"] = json!("https://api.github.com/repos/acme/web/issues/comments/500");
        comment
    };
    let issue = json!({"number": 42, "title": "t", "state": "open", "url": "https://api.github.com/repos/acme/web/issues/42",
        "created_at": "2026-01-01T00:00:00Z", "body": null});
    let deletion = json!({"action": "deleted", "issue": issue, "comment": comment(&json!(500), "opaque_A"),
        "repository": {"full_name": "acme/web"}, "sender": {"login": "mira"}});
    // By its node id; and with none that fits, by author and second.
    for node in ["opaque_A", "other_B"] {
        let query = json!({"data": {"repository": {"nameWithOwner": "acme/web", "issue": {"number": 42, "title": "t",
            "createdAt": "2026-01-01T00:00:00Z", "comments": {"totalCount": 2, "pageInfo": {"hasNextPage": false}, "nodes": [
                {"id": node, "body": "gone", "author": {"login": "mira"}, "createdAt": "2026-01-02T03:04:05Z"},
                {"id": "kept_C", "body": "stays", "author": {"login": "ben"}, "createdAt": "2026-01-02T03:04:06Z"}]}}}}});
        let looks =
            [("deletion.json", &deletion, "2026-01-03T00:00:00Z"), ("query.json", &query, "2026-01-04T00:00:00Z")];
        for order in [[0, 1], [1, 0]] {
            let dir = scratch();
            done(dir.path(), &["init", "store"]);
            for (turn, at) in order.into_iter().enumerate() {
                let (name, value, _) = looks[at];
                fs::write(dir.path().join(name), value.to_string()).expect("a file");
                let time = looks[turn].2;
                done(dir.path(), &["--store", "store", "observe", "--observed-at", time, name]);
            }
            done(dir.path(), &["--store", "store", "stage", "acme/web#42", "--out", "out"]);
            let index = index(&dir.path().join("out"));
            let bodies: Vec<_> =
                files(&dir.path().join("out")).into_iter().filter(|(path, _)| path.starts_with("comments/")).collect();
            assert_eq!((bodies.len(), &bodies[0].1[..]), (1, &b"stays\n"[..]), "{node} {order:?}");
            assert_eq!(
                (&index["tombstones"][0]["id"], index["tombstones"][1].is_null()),
                (&json!(500), true),
                "{node} {order:?}"
            );
        }
    }
}
