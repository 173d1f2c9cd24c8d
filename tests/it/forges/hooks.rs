//! Deliveries of GitLab's webhooks: what each shows, whose it is, and the stage that it sets off.

use std::fs;

use git_docket::forge::delivery::delivery;
use git_docket::forge::recognise::{Hints, Reason, SubjectHint, recognise};
use git_docket::format::facet::Facet;
use git_docket::format::json::{Json, parse};
use serde_json::{Value, json};

use super::exchange;
use super::notes::merge_request;
use crate::support::{done, report, scratch};

const PAGES: &str = "https://gitlab.example.org/acme/web";
const API: &str = "https://gitlab.example.org/api/v4/projects/acme%2Fweb";
const MR: &str = "gitlab:gitlab.example.org/acme/web/-/merge_requests/7";

fn user(id: u64, name: &str) -> Value {
    json!({"id": id, "name": name.to_uppercase(), "username": name, "email": "[REDACTED]"})
}

fn hook(kind: &str, user: Value, more: &Value) -> Value {
    let mut value = json!({"object_kind": kind, "event_type": kind, "user": user,
        "project": {"id": 9, "name": "web", "path_with_namespace": "acme/web", "web_url": PAGES, "default_branch": "main"},
        "repository": {"name": "web", "homepage": PAGES}});
    value.as_object_mut().expect("an object").extend(more.as_object().expect("members").clone());
    value
}

fn thread() -> Value {
    json!({"id": 900, "iid": 7, "title": "Keep the cache", "description": "As it was.", "state": "opened", "author_id": 1,
        "created_at": "2026-01-01 00:00:00 UTC", "updated_at": "2026-01-05 00:00:00 UTC", "source_branch": "topic", "target_branch": "main",
        "source_project_id": 12, "target_project_id": 9, "source": {"path_with_namespace": "ann/web"}, "work_in_progress": false,
        "draft": true, "merge_status": "unchecked", "detailed_merge_status": "draft_status", "milestone_id": null,
        "last_commit": {"id": "a".repeat(40), "message": "m"}, "url": format!("{PAGES}/-/merge_requests/7"),
        "labels": [{"id": 3, "title": "perf", "color": "#ff0000", "description": null}]})
}

fn opened() -> Value {
    let mut attributes = thread();
    attributes["action"] = "open".into();
    let more = json!({"object_attributes": attributes, "assignees": [user(2, "bob")], "reviewers": [user(3, "eve")], "labels": thread()["labels"],
        "changes": {}});
    hook("merge_request", user(1, "ann"), &more)
}

fn noted(attributes: &Value) -> Value {
    let mut own = json!({"id": 501, "note": "/review please", "noteable_type": "MergeRequest", "noteable_id": 900, "author_id": 2,
        "created_at": "2026-01-06 10:00:00 UTC", "updated_at": "2026-01-06 10:00:00 UTC", "system": false, "action": "create",
        "url": format!("{PAGES}/-/merge_requests/7#note_501")});
    own.as_object_mut().expect("an object").extend(attributes.as_object().expect("members").clone());
    hook("note", user(2, "bob"), &json!({"project_id": 9, "object_attributes": own, "merge_request": thread()}))
}

fn json_of(value: &Value) -> Json<'static> {
    parse(value.to_string().as_bytes()).expect("JSON").into_owned()
}

/// What a delivery shows, a line a look, and what is left.
fn shown(value: &Value, hints: &Hints<'_>) -> Vec<String> {
    let found = recognise(&json_of(value), hints);
    let looks = found.looks.iter().map(|look| {
        let subject = match &look.subject {
            SubjectHint::Known(subject) => subject.to_string().replace("gitlab:gitlab.example.org/", ""),
            SubjectHint::AtHead { sha, .. } => format!("at {}", &sha[..1]),
            other => format!("{other:?}"),
        };
        format!(
            "{} {} {}{}",
            look.dialect.name(),
            look.facet.name(),
            subject,
            look.item.as_ref().map_or(String::new(), |i| format!(" {i}"))
        )
    });
    looks.chain(found.left.iter().map(|left| format!("left {:?} {}", left.pointer, left.reason.code()))).collect()
}

fn index(dir: &std::path::Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("index.json")).expect("an index")).expect("JSON")
}

fn staged(value: &Value, more: &[&str]) -> (Value, Value, tempfile::TempDir) {
    let dir = scratch();
    fs::write(dir.path().join("event.json"), value.to_string()).expect("written");
    let said =
        done(dir.path(), &[&["stage", "--event", "event.json", "--profile", "full", "--out", "out"], more].concat());
    assert_eq!(done(dir.path(), &["verify", "out"])["verified"], true);
    (said, index(&dir.path().join("out")), dir)
}

#[test]
fn a_merge_request_is_told_by_its_delivery_alone() {
    let (said, index, dir) = staged(&opened(), &[]);
    assert_eq!(said["entities"], json!([MR]));
    let event = json!({"name": "merge_request", "action": "open", "asOf": "2026-01-05T00:00:00Z", "head": "a".repeat(40), "item": null, "path": "body.md"});
    assert_eq!(index["event"], event);
    assert_eq!(index["coverage"]["header"]["state"], "complete");
    let entity = fs::read(dir.path().join("out/entity.json")).expect("an entity");
    let entity: Value = serde_json::from_slice(&entity).expect("JSON");
    let side = |name: &str| entity[name].clone();
    assert_eq!(side("head"), json!({"branch": "topic", "repository": "ann/web", "sha": "a".repeat(40)}));
    assert_eq!(side("base"), json!({"branch": "main", "repository": "acme/web"}));
    assert_eq!(entity["author"], json!({"id": 1, "login": "ann"}));
    assert_eq!(
        json!([entity["draft"], entity["mergeableState"], entity["milestone"]]),
        json!([true, "draft_status", null])
    );
    assert_eq!(entity["labels"], json!([{"name": "perf", "color": "#ff0000", "description": null}]));
    assert_eq!(entity["requestedReviewers"], json!([{"id": 3, "login": "eve"}]));
    assert_eq!(fs::read(dir.path().join("out/body.md")).expect("a body"), b"As it was.\n");
}

/// Title and body are those of the moment, whatever the record says since; and what was made later is not there.
#[test]
fn the_delivery_wins_for_its_moment() {
    let dir = scratch();
    let later =
        merge_request(&json!({"title": "Drop the cache", "description": "Now.", "updated_at": "2026-02-01T00:00:00Z"}));
    let note = |id: u64, at: &str| {
        json!({"id": id, "body": "b", "author": user(2, "bob"), "system": false, "created_at": at, "updated_at": at,
        "noteable_type": "MergeRequest", "noteable_iid": 7})
    };
    let notes = json!([note(501, "2026-01-06T10:00:00.250Z"), note(502, "2026-01-07T00:00:00Z")]);
    let all = json!({"X-Total": "2", "X-Next-Page": ""});
    let lines = [
        exchange(&format!("{API}/merge_requests/7"), &json!({}), &later),
        exchange(&format!("{API}/merge_requests/7/notes"), &all, &notes),
    ];
    fs::write(dir.path().join("all.jsonl"), lines.join("\n")).expect("written");
    fs::write(dir.path().join("event.json"), noted(&json!({})).to_string()).expect("written");
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", "--observed-at", "2026-03-01T00:00:00Z", "all.jsonl"]);
    let stage = ["--store", "store", "stage", "--event", "event.json", "--out", "out"];
    assert_eq!(done(dir.path(), &stage)["entities"], json!([MR]));
    let index = index(&dir.path().join("out"));
    let path = "comments/20260106T100000Z-501.md";
    let event = json!({"name": "note", "action": "create", "asOf": "2026-01-06T10:00:00Z", "head": "a".repeat(40),
        "item": {"facet": "comments", "id": 501}, "path": path});
    assert_eq!(index["event"], event);
    let read = |name: &str| fs::read_to_string(dir.path().join("out").join(name)).expect("a file");
    assert_eq!(read(path), "/review please\n");
    assert_eq!(read("body.md"), "As it was.\n");
    assert!(read("entity.json").contains("Keep the cache"));
    let row = index["entries"].as_array().expect("entries").iter().find(|row| row["source"]["id"] == 502);
    assert_eq!(row.expect("its row")["withheld"]["reason"], "after-as-of");
}

#[test]
fn a_note_is_a_comment_or_in_a_thread_by_its_type() {
    let of = |attributes: Value| shown(&noted(&attributes), &Hints::default());
    let project = "gitlab-hook header acme/web";
    let header = "gitlab-hook header acme/web/-/merge_requests/7";
    let item = |facet: &str| format!("gitlab-hook {facet} acme/web/-/merge_requests/7");
    for (attributes, facet) in [
        (json!({}), "comments"),
        (json!({"type": "DiscussionNote"}), "review-comments"),
        (json!({"type": "DiffNote", "position": {"new_path": "a.rs", "new_line": 3}}), "review-comments"),
        (json!({"system": true, "note": "closed"}), "timeline"),
    ] {
        assert_eq!(of(attributes), [header, &item(facet), project]);
    }
    let place = json!({"type": "DiffNote", "discussion_id": "d1", "resolved_at": "2026-01-06 11:00:00 UTC", "internal": true,
        "position": {"position_type": "text", "new_path": "a.rs", "old_path": "a.rs", "new_line": 3, "head_sha": "a".repeat(40)}});
    let (_, index, dir) = staged(&noted(&place), &[]);
    let threads: Value =
        serde_json::from_slice(&fs::read(dir.path().join("out/threads.json")).expect("threads")).expect("JSON");
    let thread = &threads["threads"][0];
    assert_eq!(
        json!([thread["path"], thread["originalLine"], thread["resolved"], thread["resolvedAt"]]),
        json!(["a.rs", 3, true, "2026-01-06T11:00:00Z"])
    );
    assert_eq!(
        json!([thread["comments"][0]["internal"], thread["comments"][0]["author"]["login"]]),
        json!([true, "bob"])
    );
    assert_eq!(index["event"]["path"], thread["file"]);
}

/// Who wrote something is told by number; an older delivery numbers nobody, and who sets it off is the author only of what is new.
#[test]
fn an_author_is_named_only_where_it_is_known() {
    let author = |value: &Value| {
        let (_, index, _) = staged(value, &[]);
        let rows = index["entries"].as_array().expect("entries").clone();
        rows.into_iter().find(|row| row["role"] == "comment").expect("a comment").get("author").cloned()
    };
    assert_eq!(author(&noted(&json!({}))), Some(json!({"id": 2, "login": "bob"})));
    let mut other = noted(&json!({"action": "update"}));
    other["user"] = user(5, "mod");
    assert_eq!(author(&other), None, "who edits is not who wrote");
    let mut old = noted(&json!({}));
    old["object_attributes"].as_object_mut().expect("an object").remove("action");
    old["user"] = json!({"name": "Bob", "username": "bob"});
    assert_eq!(author(&old), Some(json!({"id": 2, "login": "bob"})));
    old["object_attributes"]["action"] = "update".into();
    assert_eq!(author(&old), None);
}

#[test]
fn a_pipeline_and_its_jobs_are_checks_of_the_merge_request_or_of_the_commit() {
    let own = json!({"id": 31, "iid": 3, "ref": "topic", "tag": false, "sha": "a".repeat(40), "source": "merge_request_event", "status": "failed",
        "created_at": "2026-01-06 10:00:00 UTC", "finished_at": "2026-01-06 10:05:00 UTC", "url": format!("{PAGES}/-/pipelines/31")});
    let build = json!({"id": 31, "stage": "test", "name": "unit", "status": "failed", "created_at": "2026-01-06 10:00:00 UTC",
        "started_at": "2026-01-06 10:01:00 UTC", "finished_at": "2026-01-06 10:04:00 UTC", "failure_reason": "script_failure"});
    let of = json!({"id": 900, "iid": 7, "title": "Keep the cache", "source_branch": "topic", "target_branch": "main", "state": "opened",
        "source_project_id": 9, "target_project_id": 9, "merge_status": "can_be_merged", "url": format!("{PAGES}/-/merge_requests/7")});
    let value =
        hook("pipeline", user(1, "ann"), &json!({"object_attributes": own, "merge_request": of, "builds": [build]}));
    let (said, index, dir) = staged(&value, &[]);
    assert_eq!(said["entities"], json!([MR]));
    let path = "checks/20260106T100000Z-pipeline-31/check.json";
    assert_eq!(
        json!([index["event"]["path"], index["event"]["head"], index["event"]["asOf"]]),
        json!([path, "a".repeat(40), "2026-01-06T10:05:00Z"])
    );
    let check = |path: &str| -> Value {
        serde_json::from_slice(&fs::read(dir.path().join("out").join(path)).expect("a check")).expect("JSON")
    };
    assert_eq!(json!([check(path)["conclusion"], check(path)["headSha"]]), json!(["failure", "a".repeat(40)]));
    let job = check("checks/20260106T100000Z-31/check.json");
    assert_eq!(json!([job["name"], job["title"], job["headSha"]]), json!(["unit", "script_failure", "a".repeat(40)]));
    // Of a fork, whose project is another, the address tells.
    let mut fork = value.clone();
    fork["merge_request"]["target_project_id"] = 99.into();
    assert_eq!(shown(&fork, &Hints::default())[1], "gitlab-hook checks acme/web/-/merge_requests/7");
    fork["merge_request"]["url"] = Value::Null;
    assert_eq!(shown(&fork, &Hints::default()), ["left \"\" entity-ambiguous"]);
    // Without a merge request it is of the commit, unless the caller says whose.
    let mut alone = value.clone();
    alone["merge_request"] = Value::Null;
    assert_eq!(shown(&alone, &Hints::default()), ["gitlab-hook checks at a", "gitlab-hook header acme/web"]);
    assert_eq!(delivery(&json_of(&alone), None).expect_err("nobody's"), Reason::EntityAmbiguous);
    let (said, ..) = staged(&alone, &["--entity", MR]);
    assert_eq!(said["entities"], json!([MR]));
    // What a merge would make is the head of nothing.
    let mut merge = value;
    merge["object_attributes"]["ref"] = "refs/merge-requests/7/merge".into();
    assert_eq!(delivery(&json_of(&merge), None).expect("a delivery").head, None);
}

#[test]
fn a_job_is_of_the_merge_request_whose_head_it_ran_on() {
    let job = json!({"ref": "topic", "sha": "a".repeat(40), "build_id": 77, "build_name": "unit", "build_stage": "test", "build_status": "running",
        "build_created_at": "2026-01-06T10:00:00.123Z", "build_started_at": "2026-01-06 10:01:00 UTC", "build_finished_at": null,
        "build_failure_reason": "unknown_failure", "pipeline_id": 31, "project_id": 9, "commit": {"id": 31, "sha": "a".repeat(40)}});
    let value = hook("build", user(1, "ann"), &job);
    let dir = scratch();
    let file = |name: &str, value: &Value| fs::write(dir.path().join(name), value.to_string()).expect("written");
    file("job.json", &value);
    file("mr.json", &merge_request(&json!({})));
    done(dir.path(), &["init", "store"]);
    let seen = done(dir.path(), &["--store", "store", "observe", "mr.json", "job.json"]);
    assert_eq!(seen["unrecognised"], json!([]));
    let known = done(dir.path(), &["--store", "store", "show", MR]);
    assert_eq!(known["coverage"]["checks"]["items"], 1, "{known}");
    // An older one has its project's page beside its repository alone.
    let mut old = value;
    old.as_object_mut().expect("an object").remove("project");
    assert_eq!(shown(&old, &Hints::default()), ["gitlab-hook checks at a"]);
}

#[test]
fn an_award_is_a_reaction_that_can_be_taken_back() {
    let award = |action: &str, on: &str, id: u64| {
        let own = json!({"id": 61, "name": "thumbsup", "user_id": 2, "awardable_type": on, "awardable_id": id, "action": action,
            "created_at": "2026-01-06 10:00:00 UTC", "updated_at": "2026-01-06 10:00:00 UTC"});
        hook("emoji", user(2, "bob"), &json!({"object_attributes": own, "merge_request": thread()}))
    };
    let on_note = shown(&award("award", "Note", 501), &Hints::default());
    assert_eq!(on_note[1], "gitlab-hook reactions acme/web/-/merge_requests/7 comments/501");
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    for (at, action) in [(1, "award"), (2, "revoke")] {
        fs::write(dir.path().join("event.json"), award(action, "MergeRequest", 900).to_string()).expect("written");
        let time = format!("2026-02-01T00:00:0{at}Z");
        done(
            dir.path(),
            &["--store", "store", "observe", "--event", "Emoji Hook", "--observed-at", &time, "event.json"],
        );
        let shown = done(dir.path(), &["--store", "store", "show", MR]);
        assert_eq!(shown["tombstones"].as_array().map(Vec::len), Some(at - 1), "{action}: {shown}");
    }
}

#[test]
fn an_issue_and_other_work_items_are_issues() {
    for (kind, kind_of, page) in [("issue", "Issue", "issues"), ("work_item", "Task", "work_items")] {
        let own = json!({"id": 301, "iid": 23, "title": "t", "description": null, "state": "closed", "author_id": 1, "project_id": 9, "type": kind_of,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-05T00:00:00Z", "closed_at": "2026-01-05 00:00:00 UTC", "confidential": true,
            "discussion_locked": null, "action": "close", "url": format!("{PAGES}/-/{page}/23")});
        let (said, index, dir) = staged(&hook(kind, user(1, "ann"), &json!({"object_attributes": own})), &[]);
        assert_eq!(said["entities"], json!(["gitlab:gitlab.example.org/acme/web/-/issues/23"]));
        assert_eq!(json!([index["event"]["name"], index["event"]["path"]]), json!(["issue", "body.md"]));
        let entity: Value =
            serde_json::from_slice(&fs::read(dir.path().join("out/entity.json")).expect("an entity")).expect("JSON");
        assert_eq!(
            json!([entity["state"], entity["closedAt"], entity["confidential"], entity["locked"]]),
            json!(["closed", "2026-01-05T00:00:00Z", true, false])
        );
    }
}

#[test]
fn what_is_not_read_has_a_reason() {
    let alone = |kind: &str, more: Value| shown(&hook(kind, user(1, "ann"), &more), &Hints::default());
    for kind in [
        "push",
        "tag_push",
        "release",
        "deployment",
        "wiki_page",
        "feature_flag",
        "milestone",
        "access_token",
        "vulnerability",
    ] {
        assert_eq!(alone(kind, json!({"object_attributes": {"id": 1}})), ["left \"\" event-no-entity"], "{kind}");
    }
    for on in ["commit", "snippet"] {
        let more = json!({"object_attributes": {"id": 1, "note": "b", "noteable_type": "Commit"}, on: {"id": "x"}});
        assert_eq!(alone("note", more), ["left \"\" facet-unsupported"], "{on}");
    }
    // Addresses and numbers that name another.
    for url in [
        "https://gitlab.example.org/acme/other/-/merge_requests/7",
        "https://gitlab.example.org/acme/web/-/merge_requests/8",
        "https://elsewhere.example.org/acme/web/-/merge_requests/7",
        "https://gitlab.example.org/acme/web/-/issues/7",
    ] {
        let mut value = opened();
        value["object_attributes"]["url"] = url.into();
        assert_eq!(shown(&value, &Hints::default()), ["left \"\" entity-ambiguous"], "{url}");
    }
    let mut value = opened();
    value["object_attributes"]["iid"] = 0.into();
    assert_eq!(shown(&value, &Hints::default()), ["left \"\" entity-ambiguous"]);
    // A word that no table lists is a gap and no guess.
    let mut value = opened();
    value["object_attributes"]["state"] = "archived".into();
    let dir = scratch();
    fs::write(dir.path().join("event.json"), value.to_string()).expect("written");
    let (status, said) = report(dir.path(), &["stage", "--event", "event.json", "--out", "out"]);
    let gap = said["gaps"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|gap| gap["scope"] == "header" && gap["code"] == "invalid-metadata");
    assert!(status == 0 && gap, "{said}");
}

#[test]
fn an_event_goes_by_the_name_of_its_header_or_its_word() {
    for (value, names, other) in [
        (opened(), ["Merge Request Hook", "merge_request"], "Note Hook"),
        (noted(&json!({})), ["Confidential Note Hook", "note"], "issue"),
    ] {
        for name in names {
            let found = recognise(&json_of(&value), &Hints { event: Some(name), ..Hints::default() });
            assert!(found.looks.iter().any(|look| look.facet == Facet::Header), "{name}");
        }
        let hints = Hints { event: Some(other), ..Hints::default() };
        assert_eq!(shown(&value, &hints), ["left \"\" facet-mismatch"], "{other}");
    }
}

/// Every value below, by its pointer.
fn places(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, below)| places(below, format!("{at}/{name}"), out)),
        Value::Array(items) => items.iter().enumerate().for_each(|(n, below)| places(below, format!("{at}/{n}"), out)),
        _ => {}
    }
    out.push(at);
}

/// Whatever stands in the place of a value, nothing panics, and what is shown is of the thread that the rest names.
#[test]
fn no_odd_value_makes_a_delivery_another_threads() {
    let on_diff = json!({"type": "DiffNote", "resolved_at": "2026-01-06 11:00:00 UTC", "position": {"new_path": "a.rs", "new_line": 3}});
    let pipeline = json!({"object_attributes": {"id": 31, "ref": "topic", "sha": "a".repeat(40), "source": "push", "status": "failed",
        "created_at": "2026-01-06 10:00:00 UTC"}, "merge_request": thread(), "builds": [{"id": 1, "stage": "s", "name": "n", "status": "manual"}]});
    let odd = [Value::Null, json!(7), json!("é 1 +00é0"), json!([[]]), json!({"url": {}}), json!(true)];
    for sample in [opened(), noted(&on_diff), hook("pipeline", user(1, "ann"), &pipeline)] {
        let mut all = Vec::new();
        places(&sample, String::new(), &mut all);
        for (place, odd) in all.iter().flat_map(|place| odd.iter().map(move |odd| (place, odd))) {
            let mut value = sample.clone();
            *value.pointer_mut(place).expect("a place") = odd.clone();
            let view = json_of(&value);
            let found = recognise(&view, &Hints::default());
            for look in found.looks {
                assert!(
                    look.subject.known().and_then(|subject| subject.number()).is_none_or(|number| number == 7),
                    "{place} {odd}"
                );
                let _ = look.dialect.header(&view);
                for item in look.items() {
                    let _ = look.dialect.items(look.facet, view.pointer(item).expect("an item"));
                }
            }
            let _ = delivery(&view, None);
        }
    }
}

/// The same deliveries in a store and from files give the same bytes, and every input can be put together again.
#[test]
fn deliveries_are_rebuilt_and_stage_alike_from_a_store() {
    let dir = scratch();
    let mut on_diff = noted(&json!({"id": 502, "type": "DiffNote", "position": {"new_path": "a.rs", "new_line": 3}}));
    on_diff["user"] = user(2, "bob");
    let list = json!([opened(), noted(&json!({})), on_diff, {"object_kind": "push", "project_id": 9}]);
    fs::write(dir.path().join("hooks.json"), list.to_string()).expect("written");
    done(dir.path(), &["init", "store"]);
    let seen =
        done(dir.path(), &["--store", "store", "observe", "--observed-at", "2026-02-01T00:00:00Z", "hooks.json"]);
    assert_eq!(seen["unrecognised"], json!([{"input": "hooks.json#/3", "reason": "event-no-entity"}]));
    assert_eq!(done(dir.path(), &["verify", "store", "--rebuild"])["verified"], true);
    let stored = done(dir.path(), &["--store", "store", "stage", "acme/web!7", "--out", "one"]);
    let given = done(dir.path(), &["stage", "--from", "hooks.json", "--entity", "acme/web!7", "--out", "two"]);
    assert_eq!(stored["indexDigest"], given["indexDigest"]);
}
