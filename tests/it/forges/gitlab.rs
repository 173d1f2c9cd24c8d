//! GitLab: our merge request 7, the proof of pages, and words that no table lists.

use std::fs;

use git_docket::forge::recognise::{Hints, Reason, recognise};
use git_docket::forge::url::Request;
use git_docket::format::entity::{Entity, Kind};
use git_docket::format::facet::Facet;
use git_docket::format::json::parse;
use serde_json::{Value, json};

use super::{coverage, exchange, gaps, staged, staged_from};
use crate::support::{arg, done, scratch, testdata};

const API: &str = "https://gitlab.example.org/api/v4/projects/acme%2Fweb";

fn merge_request() -> (Value, impl Fn(&str) -> Value + use<>) {
    staged_from(scratch(), &testdata("threads/gitlab-mr-7"))
}

#[test]
fn a_merge_request_is_shown_with_what_gitlab_tells() {
    let (report, read) = merge_request();
    assert_eq!(report["entities"], json!(["gitlab:gitlab.example.org:8443/acme/tools/web/-/merge_requests/7"]));
    let expected = [
        "checks/incomplete=1",
        "checks/invalid-metadata=1",
        "files/patch-missing=2",
        "reviews/history-unavailable=1",
        "timeline/incomplete=1",
    ];
    assert_eq!(gaps(&report), expected);
    let entity = read("entity.json");
    let shown = |name: &str| entity[name].clone();
    assert_eq!(shown("approvedBy"), json!([{"id": 12, "login": "bob"}]));
    assert_eq!((shown("draft"), shown("locked"), shown("mergeable")), (json!(true), json!(false), Value::Null));
    assert_eq!(shown("mergeableState"), "draft_status");
    assert_eq!(shown("counts"), json!({"files": 3, "notes": 4}));
    assert_eq!(shown("labels"), json!([{"name": "perf", "color": "#ff0000", "description": null}]));
    assert_eq!(entity["head"]["repository"], Value::Null, "the fork is gone");
    assert_eq!(entity["base"], json!({"branch": "main", "repository": "acme/tools/web", "sha": "c".repeat(40)}));
    let index = read("index.json");
    let body = index["entries"].as_array().expect("entries").iter().find(|e| e["role"] == "body").expect("a body");
    assert_eq!(body["bodyNull"], true);
}

#[test]
fn discussions_are_threads_and_system_notes_are_events() {
    let (_, read) = merge_request();
    let threads = read("threads.json");
    let row = |at: usize| {
        let thread = &threads["threads"][at];
        let comments: Vec<_> = thread["comments"]
            .as_array()
            .expect("comments")
            .iter()
            .map(|c| (c["id"].as_u64(), c["replyTo"].as_u64()))
            .collect();
        (thread["side"].as_str(), thread["originalLine"].as_u64(), thread["resolved"].as_bool(), comments)
    };
    assert_eq!(row(0), (Some("right"), Some(12), Some(true), vec![(Some(502), None), (Some(503), Some(502))]));
    assert_eq!(row(1), (Some("left"), Some(4), Some(false), vec![(Some(505), None)]));
    assert_eq!(threads["threads"][1]["path"], "src/old.rs");
    assert_eq!(threads["threads"].as_array().map(Vec::len), Some(2));
    let timeline = read("timeline.json");
    let events = timeline["events"].as_array().expect("events").iter();
    let events: Vec<_> =
        events.map(|e| format!("{} {}", e["id"].as_str().expect("id"), e["event"].as_str().expect("event"))).collect();
    let expected = [
        "label:31 labeled",
        "label:32 unlabeled",
        "state:31 reopened",
        "note:504 outdated",
        "note:506 pushed",
        "note:507 system-note",
    ];
    assert_eq!(events, expected);
    let reactions = read("reactions.json");
    assert_eq!(
        reactions["reactions"][0]["item"], "review-comments/502",
        "a note's id says which kind of comment it is"
    );
}

#[test]
fn a_job_and_a_pipeline_of_one_id_are_two_checks() {
    let (_, read) = merge_request();
    let pipeline = read("checks/20260102T031000Z-pipeline-77/check.json");
    let job = read("checks/20260102T031100Z-77/check.json");
    assert_eq!((&pipeline["origin"], &pipeline["conclusion"]), (&json!("pipeline"), &json!("failure")));
    assert_eq!(
        (&job["name"], &job["conclusion"], &job["title"]),
        (&json!("unit"), &json!("failure"), &json!("script_failure"))
    );
    assert_eq!(read("checks/20260102T031100Z-78/check.json")["status"], "queued");
    let files = read("changes/files.json");
    assert_eq!(files["files"][2]["previousPath"], "src/old.rs");
    assert_eq!(files["files"][2]["status"], "renamed");
}

#[test]
fn what_is_on_something_else_is_not_the_callers() {
    let issue = "gitlab:gitlab.example.org/acme/web/-/issues/5".parse::<Entity>().expect("an id").subject();
    let hints = Hints { entity: Some((&issue, Some(Kind::Issue))), ..Hints::default() };
    let note = |on: &str| json!({"id": 1, "body": "b", "noteable_type": on, "noteable_iid": null, "system": false});
    let award = |on: &str| json!({"id": 1, "name": "heart", "awardable_type": on, "awardable_id": 7});
    let event = |on: &str| json!({"id": 1, "resource_type": on, "resource_id": 7, "state": "closed"});
    for (item, own) in [
        (note("Issue"), true),
        (note("WorkItem"), true),
        (note("MergeRequest"), false),
        (note("Commit"), false),
        (note("Epic"), false),
        (award("Issue"), true),
        (award("MergeRequest"), false),
        // Of which note, the payload does not say.
        (award("Note"), false),
        (event("Issue"), true),
        (event("MergeRequest"), false),
    ] {
        let bytes = json!([item]).to_string();
        let found = recognise(&parse(bytes.as_bytes()).expect("JSON"), &hints);
        assert_eq!(found.looks.len(), usize::from(own), "{item}");
        assert!(found.left.iter().all(|left| left.reason == Reason::EntityAmbiguous), "{item}: {:?}", found.left);
    }
}

#[test]
fn a_pipeline_may_have_a_name() {
    let url = Request::parse("https://gitlab.example.org/api/v4/projects/acme%2Fweb/merge_requests/7/pipelines");
    let url = url.expect("a URL");
    for name in [Value::Null, json!("nightly")] {
        let pipeline = json!([{"id": 77, "iid": 3, "project_id": 9, "sha": "a".repeat(40), "ref": "topic", "status": "success",
            "source": "push", "name": name, "web_url": "https://gitlab.example.org/acme/web/-/pipelines/77"}]);
        let bytes = pipeline.to_string();
        let found = recognise(&parse(bytes.as_bytes()).expect("JSON"), &Hints { url: Some(&url), ..Hints::default() });
        assert!(found.left.is_empty(), "{:?}", found.left);
        assert_eq!((found.looks.len(), found.looks[0].facet), (1, Facet::Checks));
    }
}

fn issue(state: &str) -> Value {
    json!({"id": 70, "iid": 5, "project_id": 9, "title": "t", "description": "", "state": state, "labels": ["a", "b"],
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "user_notes_count": 9,
        "author": null, "references": {"full": "acme/web#5"}, "web_url": "https://gitlab.example.org/acme/web/-/issues/5"})
}

fn notes(range: std::ops::Range<u64>) -> Value {
    let note = |id| json!({"id": id, "body": "b", "system": id % 2 == 0, "noteable_type": "Issue", "noteable_iid": 5, "author": null});
    range.map(note).collect()
}

#[test]
fn a_state_that_no_table_lists_is_no_guess() {
    for (state, gap) in [
        ("opened", None),
        ("merged", Some("header/invalid-metadata=1")),
        ("archived", Some("header/invalid-metadata=1")),
    ] {
        let (report, _) = staged(&[exchange(&format!("{API}/issues/5"), &json!({}), &issue(state))]);
        let found = gaps(&report).into_iter().find(|gap| gap.starts_with("header/invalid"));
        assert_eq!(found.as_deref(), gap, "{state}");
    }
}

#[test]
fn pages_are_whole_only_by_proof() {
    let page = |query: &str, headers: Value, range| {
        exchange(&format!("{API}/issues/5/notes?{query}"), &headers, &notes(range))
    };
    let cases = [
        (vec![page("", json!({"X-Total": "3"}), 1..4)], "complete"),
        (vec![page("", json!({"X-Total": "4"}), 1..4)], "partial"),
        (vec![page("", json!({"X-Next-Page": "2"}), 1..4)], "partial"),
        (vec![page("", json!({"X-Next-Page": ""}), 1..21)], "complete"),
        (vec![page("", json!({"Date": "Sat, 03 Jan 2026 01:00:00 GMT"}), 1..20)], "complete"),
        (vec![page("", json!({"Date": "Sat, 03 Jan 2026 01:00:00 GMT"}), 1..21)], "partial"),
        (vec![page("activity_filter=only_comments", json!({"X-Total": "3"}), 1..4)], "partial"),
        (
            vec![
                page("sort=asc", json!({"X-Total": "25", "X-Next-Page": "2"}), 1..21),
                page(
                    "id=9&noteable_id=5&order_by=created_at&page=2&per_page=20&sort=asc",
                    json!({"X-Total": "25", "X-Next-Page": ""}),
                    21..26,
                ),
            ],
            "complete",
        ),
        (vec![page("page=2", json!({"X-Total": "25", "X-Next-Page": ""}), 21..26)], "partial"),
    ];
    for (at, (lines, expected)) in cases.into_iter().enumerate() {
        assert_eq!(coverage(&lines, "comments"), expected, "case {at}");
        assert_eq!(coverage(&lines, "timeline"), "partial", "case {at}: system notes are not all events");
    }
}

#[test]
fn an_empty_list_and_a_refusal_belong_to_what_the_url_names() {
    let all = json!({"X-Total": "0", "X-Next-Page": ""});
    let url = |part: &str| format!("{API}/merge_requests/7/{part}");
    for (part, facets) in [
        ("notes", vec!["comments", "review-comments"]),
        ("commits", vec!["commits"]),
        ("award_emoji", vec!["reactions"]),
    ] {
        for facet in facets {
            assert_eq!(coverage(&[exchange(&url(part), &all, &json!([]))], facet), "complete", "{part}");
        }
    }
    let refused = json!({"method": "GET", "url": url("commits"), "status": 403, "headers": {}, "body": {"message": "403 Forbidden"}});
    let title = json!({"id": 1, "iid": 7, "project_id": 9, "title": "t", "state": "opened", "web_url": "https://gitlab.example.org/acme/web/-/merge_requests/7"});
    let lines = [exchange(&url("").replace("/7/", "/7"), &json!({}), &title), refused.to_string()];
    assert_eq!(coverage(&lines, "commits"), "forbidden");
}

#[test]
fn no_list_that_the_caller_calls_whole_takes_an_event_away() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let entity = "gitlab:gitlab.example.org:8443/acme/tools/web/-/merge_requests/7";
    for (at, file) in ["discussions.json", "label_events.json"].iter().enumerate() {
        let input = testdata("threads/gitlab-mr-7").join(file);
        let copy = dir.path().join(file);
        fs::copy(&input, &copy).expect("a payload without its recording");
        let time = format!("2026-02-01T00:00:0{at}Z");
        done(
            dir.path(),
            &["--store", "store", "observe", "--entity", entity, "--complete", "--observed-at", &time, arg(&copy)],
        );
    }
    let shown = done(dir.path(), &["--store", "store", "show", entity]);
    assert_eq!(shown["tombstones"], json!([]));
    assert_eq!(shown["coverage"]["timeline"], json!({"asOf": "2026-01-02T09:00:00Z", "items": 5, "state": "partial"}));
    assert_eq!(shown["coverage"]["comments"]["state"], "complete");
}

/// A list that names its project by number belongs to the project that an earlier run filed under it, unless two have it.
#[test]
fn what_is_filed_names_the_project_of_a_number() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let issue = |path: &str| {
        json!({"id": 900, "iid": 5, "project_id": 77, "title": "t", "state": "opened", "description": null,
            "created_at": "2026-01-01T00:00:00Z", "web_url": format!("https://gitlab.example.org/{path}/-/issues/5")})
    };
    let observe = |name: &str, text: String| {
        fs::write(dir.path().join(name), text).expect("a file");
        let found = crate::support::report(dir.path(), &["--store", "store", "observe", name]);
        (found.0, found.1["entities"].clone())
    };
    let notes = |n: u64| {
        let note = json!({"id": n, "body": "hello", "noteable_type": "Issue", "noteable_iid": 5, "system": false,
            "author": {"id": 1, "username": "ann"}, "created_at": "2026-01-01T00:00:00Z"});
        exchange("https://gitlab.example.org/api/v4/projects/77/issues/5/notes?page=1", &json!({}), &json!([note]))
            .to_string()
    };
    assert_eq!(observe("early.jsonl", notes(1)).0, 2, "nothing tells which project it is");
    observe("issue.json", issue("acme/web").to_string());
    assert_eq!(observe("notes.jsonl", notes(2)), (0, json!(["gitlab:gitlab.example.org/acme/web/-/issues/5"])));
    observe("moved.json", issue("acme/site").to_string());
    assert_eq!(observe("late.jsonl", notes(3)).0, 2, "two projects have the number");
}

/// A merge request that comes from the project 99, a fork, with what ran there.
fn from_fork(pipeline: &Value) -> (Value, Value) {
    let page = "https://gitlab.example.org/acme/web/-/merge_requests/7";
    let request = json!({"id": 1, "iid": 7, "project_id": 5, "source_project_id": 99, "target_project_id": 5, "title": "t",
        "description": "", "state": "opened", "sha": "a".repeat(40), "source_branch": "b", "target_branch": "main",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "web_url": page});
    let job = json!({"id": 8, "name": "unit", "stage": "test", "status": "failed", "ref": "b",
        "pipeline": {"id": 47, "project_id": pipeline["project_id"], "sha": pipeline["sha"]}, "commit": {"id": pipeline["sha"]},
        "web_url": "https://gitlab.example.org/forker/web/-/jobs/8"});
    (request, job)
}

#[test]
fn what_ran_in_the_fork_of_a_merge_request_is_its_own() {
    let pipeline = json!({"id": 47, "iid": 12, "project_id": 99, "status": "failed", "source": "push", "ref": "b",
        "sha": "a".repeat(40), "web_url": "https://gitlab.example.org/forker/web/-/pipelines/47"});
    let (request, job) = from_fork(&pipeline);
    let recorded = |job: &Value| {
        let url = format!("{API}/merge_requests/7");
        let jobs = "https://gitlab.example.org/api/v4/projects/99/pipelines/47/jobs";
        [
            exchange(&url, &json!({}), &request),
            exchange(&format!("{url}/pipelines"), &json!({}), &json!([pipeline])),
            exchange(jobs, &json!({}), &json!([job])),
        ]
    };
    let (report, _) = staged(&recorded(&job));
    assert_eq!(report["entities"], json!(["gitlab:gitlab.example.org/acme/web/-/merge_requests/7"]));
    assert_eq!(
        gaps(&report).iter().find(|gap| gap.starts_with("checks/")).map(String::as_str),
        Some("checks/incomplete=1")
    );
    // A job of another commit there, or of a project that it does not come from, is nobody's.
    let kept = |change: &dyn Fn(&mut Value)| {
        let mut job = job.clone();
        change(&mut job);
        let dir = scratch();
        fs::write(dir.path().join("in.jsonl"), recorded(&job).join("\n")).expect("a recording");
        done(dir.path(), &["init", "store"]);
        let said = done(dir.path(), &["--store", "store", "observe", "in.jsonl"]);
        (said["observed"].clone(), said["unrecognised"][0]["reason"].clone())
    };
    assert_eq!(kept(&|_| {}), (json!(3), Value::Null));
    let other_commit = |job: &mut Value| {
        job["commit"]["id"] = "b".repeat(40).into();
        job["pipeline"]["sha"] = "b".repeat(40).into();
    };
    assert_eq!(kept(&other_commit), (json!(2), json!("entity-ambiguous")));
    let other_project = |job: &mut Value| job["pipeline"]["project_id"] = 98.into();
    assert_eq!(kept(&other_project), (json!(2), json!("entity-ambiguous")));
}

#[test]
fn the_url_of_a_list_says_that_rows_which_tell_little_are_pipelines() {
    let sha = "a".repeat(40);
    let bare = json!([{"id": 77, "sha": sha, "ref": "main", "status": "success"}]);
    let old = json!([{"id": 47, "iid": 12, "project_id": 1, "status": "pending", "ref": "b", "sha": sha,
        "web_url": "https://gitlab.example.org/acme/web/pipelines/47"}]);
    let subject = "gitlab:gitlab.example.org/acme/web/-/merge_requests/7".parse::<Entity>().expect("one").subject();
    let entity = Some((&subject, Some(Kind::Pull)));
    let seen = |rows: &Value, hints: Hints<'_>| {
        let text = rows.to_string();
        let found = recognise(&parse(text.as_bytes()).expect("JSON"), &hints);
        let facets: Vec<_> = found.looks.iter().map(|look| look.facet).collect();
        (facets, found.left.first().map(|left| left.reason))
    };
    let url = Request::parse(&format!("{API}/merge_requests/7/pipelines")).expect("a URL");
    let other = Request::parse(&format!("{API}/merge_requests/7/notes")).expect("a URL");
    let checks = (vec![Facet::Checks], None);
    for rows in [&bare, &old] {
        assert_eq!(seen(rows, Hints { url: Some(&url), ..Hints::default() }), checks);
        assert_eq!(seen(rows, Hints { facet: Some(Facet::Checks), entity, ..Hints::default() }), checks);
        let elsewhere = seen(rows, Hints { url: Some(&other), ..Hints::default() }).0;
        assert!(!elsewhere.contains(&Facet::Checks), "no list of pipelines");
    }
    assert_eq!(seen(&old, Hints { entity, ..Hints::default() }), checks, "its page is that of a pipeline");
    assert_eq!(seen(&bare, Hints { entity, ..Hints::default() }), (vec![], Some(Reason::ShapeUnknown)));
}

#[test]
fn an_event_of_an_iteration_has_one_answer_with_and_without_its_url() {
    let rows = json!([{"id": 142, "user": {"id": 1, "username": "root"}, "created_at": "2026-01-01T00:00:00Z",
        "resource_type": "Issue", "resource_id": 253, "iteration": {"id": 50, "title": "I"}, "action": "add"}])
    .to_string();
    let rows = parse(rows.as_bytes()).expect("JSON");
    let subject = "gitlab:gitlab.example.org/acme/web/-/issues/7".parse::<Entity>().expect("one").subject();
    let url = Request::parse(&format!("{API}/issues/7/resource_iteration_events")).expect("a URL");
    for url in [None, Some(&url)] {
        let found = recognise(&rows, &Hints { url, entity: Some((&subject, Some(Kind::Issue))), ..Hints::default() });
        let reasons: Vec<_> = found.left.iter().map(|left| left.reason).collect();
        assert_eq!((found.looks.len(), reasons), (0, vec![Reason::FacetUnsupported]));
    }
}
