//! Checks of GitHub beside check runs: suites, workflow runs and jobs; and whom what belongs to a commit belongs to.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{arg, done, files, report, scratch};

const SHA: &str = "1111111111111111111111111111111111111111";
const OTHER: &str = "2222222222222222222222222222222222222222";
const API: &str = "https://api.github.com/repos/acme/web";
const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];

fn pull(number: u64, head: &str) -> Value {
    let side = |sha: &str| json!({"ref": "main", "sha": sha, "repo": {"full_name": "acme/web", "id": 7}});
    json!({"url": format!("{API}/pulls/{number}"), "number": number, "id": 9000 + number, "title": "t", "state": "open",
        "body": null, "created_at": "2026-01-01T00:00:00Z", "head": side(head), "base": side(OTHER)})
}

fn run(id: u64, pulls: &[u64]) -> Value {
    let pulls: Vec<_> = pulls.iter().map(|n| json!({"url": format!("{API}/pulls/{n}"), "number": n})).collect();
    json!({"id": id, "name": "build", "head_sha": SHA, "status": "completed", "conclusion": "success", "node_id": "CR_x",
        "url": format!("{API}/check-runs/{id}"), "html_url": format!("https://github.com/acme/web/actions/runs/5/job/{id}"),
        "output": {"title": "Built", "summary": "fine"}, "app": {"slug": "github-actions"}, "pull_requests": pulls,
        "started_at": "2026-01-01T00:01:00Z", "completed_at": "2026-01-01T00:02:00Z", "check_suite": {"id": 77}})
}

fn job(id: u64) -> Value {
    json!({"id": id, "run_id": 5, "run_attempt": 2, "name": "build", "head_sha": SHA, "status": "completed",
        "conclusion": "success", "url": format!("{API}/actions/jobs/{id}"), "created_at": "2026-01-01T00:00:30Z",
        "html_url": format!("https://github.com/acme/web/actions/runs/5/job/{id}"), "steps": [], "node_id": "CR_x",
        "started_at": "2026-01-01T00:01:00Z", "completed_at": "2026-01-01T00:02:00Z", "workflow_name": "CI"})
}

fn workflow_run(status: &str, conclusion: Value) -> Value {
    json!({"id": 5, "name": "CI", "run_number": 3, "run_attempt": 2, "workflow_id": 4, "head_sha": SHA, "status": status,
        "conclusion": conclusion, "url": format!("{API}/actions/runs/5"), "pull_requests": [], "display_title": "Add",
        "created_at": "2026-01-01T00:00:10Z", "html_url": "https://github.com/acme/web/actions/runs/5"})
}

fn suite(id: u64, status: Value, conclusion: Value) -> Value {
    json!({"id": id, "head_sha": SHA, "status": status, "conclusion": conclusion, "url": format!("{API}/check-suites/{id}"),
        "app": {"slug": "octoapp", "name": "Octo App"}, "latest_check_runs_count": 1, "pull_requests": [],
        "created_at": "2026-01-01T00:00:05Z"})
}

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        Self(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, value: &Value) -> String {
        let path = self.path().join(name);
        fs::write(&path, value.to_string()).expect("written");
        arg(&path).to_owned()
    }

    fn observe(&self, inputs: &[&str]) -> Value {
        done(self.path(), &[&["--store", "store", "observe"], &AT[..], inputs].concat())
    }

    /// The stage of pull request 42: its check records by path, and its index.
    fn checks(&self, out: &str) -> (Vec<(String, Value)>, Value) {
        done(self.path(), &["--store", "store", "stage", "acme/web#42", "--out", out]);
        let found = files(&self.path().join(out));
        let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
        let checks = found.iter().filter(|(path, _)| path.ends_with("check.json"));
        (checks.map(|(path, bytes)| (path.clone(), parse(bytes))).collect(), parse(&found["index.json"]))
    }
}

#[test]
fn suites_runs_and_jobs_are_shown_and_a_job_is_its_check_run() {
    let desk = Desk::new();
    let all = [
        desk.write("pull.json", &pull(42, SHA)),
        desk.write("runs.json", &json!({"total_count": 1, "check_runs": [run(10, &[])]})),
        desk.write("jobs.json", &json!({"total_count": 1, "jobs": [job(10)]})),
        desk.write(
            "workflow.json",
            &json!({"total_count": 1, "workflow_runs": [workflow_run("completed", json!("failure"))]}),
        ),
        desk.write(
            "suites.json",
            &json!({"total_count": 1, "check_suites": [suite(10, json!("completed"), json!("neutral"))]}),
        ),
    ];
    for input in &all {
        assert_eq!(desk.observe(&[input])["unrecognised"], json!([]), "{input}");
    }
    let (checks, index) = desk.checks("out");
    let paths: Vec<_> = checks.iter().map(|(path, _)| path.as_str()).collect();
    let expected = [
        "checks/20260101T000005Z-suite-10/check.json",
        "checks/20260101T000010Z-workflow-5/check.json",
        "checks/20260101T000030Z-10/check.json",
    ];
    assert_eq!(paths, expected);
    let told = |at: usize, names: &[&str]| names.iter().map(|name| checks[at].1[name].clone()).collect::<Vec<_>>();
    assert_eq!(
        told(0, &["origin", "name", "conclusion", "headSha", "reporter"]),
        [json!("check-suite"), json!("Octo App"), json!("neutral"), json!(SHA), json!("octoapp")]
    );
    assert_eq!(
        told(1, &["origin", "name", "status", "conclusion", "attempt", "title"]),
        [json!("workflow-run"), json!("CI"), json!("completed"), json!("failure"), json!(2), json!("Add")]
    );
    // The job, which was looked at last, takes nothing from the check run.
    assert_eq!(
        told(2, &["origin", "title", "summary", "attempt", "run", "reporter"]),
        [json!("check-run"), json!("Built"), json!("fine"), json!(2), json!(5), json!("github-actions")]
    );
    assert_eq!(index["coverage"]["checks"]["items"], 3);
}

#[test]
fn the_order_in_which_they_are_looked_at_changes_nothing() {
    let inputs = [
        ("pull.json", pull(42, SHA)),
        ("runs.json", json!({"total_count": 1, "check_runs": [run(10, &[42])]})),
        ("jobs.json", json!({"total_count": 1, "jobs": [job(10)]})),
        ("suites.json", json!({"total_count": 1, "check_suites": [suite(8, json!("queued"), Value::Null)]})),
    ];
    let seen = |order: &[usize]| {
        let desk = Desk::new();
        let paths: Vec<_> = inputs.iter().map(|(name, value)| desk.write(name, value)).collect();
        for at in order {
            let complete = ["--entity", "acme/web#42", "--forge", "github", "--complete"];
            desk.observe(&[&complete[..], &[&paths[*at]]].concat());
        }
        desk.checks("out")
    };
    let (checks, index) = seen(&[0, 1, 2, 3]);
    assert_eq!(checks.len(), 2);
    // The whole list of check runs is complete whatever is listed beside it, and a whole list of jobs is none of check runs.
    assert_eq!(index["coverage"]["checks"]["state"], "complete");
    assert_eq!(index["coverage"]["checks"].get("partialSince"), None);
    for order in [[0, 3, 2, 1], [2, 3, 0, 1], [3, 1, 0, 2]] {
        assert_eq!(seen(&order), (checks.clone(), index.clone()), "{order:?}");
    }
    let (_, index) = seen(&[0, 2, 3]);
    assert_eq!(index["coverage"]["checks"]["state"], "partial");
}

#[test]
fn every_word_of_status_and_conclusion_is_read_and_no_other() {
    let conclusions = [
        "action_required",
        "cancelled",
        "failure",
        "neutral",
        "skipped",
        "stale",
        "startup_failure",
        "success",
        "timed_out",
    ];
    let mut cases: Vec<(Value, Value, bool)> =
        conclusions.iter().map(|word| (json!("completed"), json!(word), true)).collect();
    for word in ["queued", "waiting", "requested", "pending", "in_progress"] {
        cases.push((json!(word), Value::Null, true));
    }
    cases.push((Value::Null, Value::Null, true));
    cases.push((json!("resting"), Value::Null, false));
    cases.push((json!("completed"), json!("splendid"), false));
    for (status, conclusion, fits) in cases {
        let desk = Desk::new();
        let told = format!("{status} {conclusion}");
        let inputs =
            [desk.write("pull.json", &pull(42, SHA)), desk.write("suite.json", &suite(8, status, conclusion.clone()))];
        desk.observe(&[&inputs[0], &inputs[1]]);
        let (checks, index) = desk.checks("out");
        let odd = index["gaps"].as_array().expect("gaps").iter().any(|gap| gap["code"] == "invalid-metadata");
        assert_eq!((checks.len(), odd), (1, !fits), "{told}");
        let shown = checks[0].1.get("conclusion").cloned().unwrap_or(Value::Null);
        assert_eq!(shown, if fits { conclusion } else { Value::Null }, "{told}");
    }
}

#[test]
fn a_check_is_of_the_one_pull_request_that_it_names_or_whose_head_it_ran_on() {
    let desk = Desk::new();
    let pulls = [desk.write("42.json", &pull(42, SHA)), desk.write("43.json", &pull(43, OTHER))];
    desk.observe(&[&pulls[0], &pulls[1]]);
    let named = desk.write("named.json", &run(10, &[42]));
    let at_head = desk.write("head.json", &run(11, &[]));
    let status = desk.write(
        "status.json",
        &json!({"id": 12, "context": "ci", "state": "success", "url": format!("{API}/statuses/{SHA}"), "created_at": "2026-01-01T00:00:00Z"}),
    );
    for input in [&named, &at_head, &status] {
        let seen = desk.observe(&[input]);
        assert_eq!(
            (&seen["unrecognised"], &seen["entities"]),
            (&json!([]), &json!(["github:github.com/acme/web/pull/42"]))
        );
    }
    assert_eq!(desk.checks("out").0.len(), 3);
    // Of a commit that no head is, and of one that several are, nothing is proved.
    let mut elsewhere = run(13, &[]);
    elsewhere["head_sha"] = json!("3333333333333333333333333333333333333333");
    let lone = desk.write("lone.json", &elsewhere);
    let (status, error) = report(desk.path(), &["--store", "store", "observe", &lone]);
    assert_eq!((status, &error["error"]["code"]), (2, &json!("nothing-recognised")));
    let again = desk.write("44.json", &pull(44, SHA));
    desk.observe(&[&again]);
    let third = desk.write("third.json", &run(14, &[]));
    assert_eq!(report(desk.path(), &["--store", "store", "observe", &third]).0, 2);
}

#[test]
fn deliveries_of_suites_runs_and_jobs_are_staged_with_the_item_marked() {
    let desk = Desk::new();
    let of_pull = |mut object: Value| {
        object["pull_requests"] = json!([{"url": format!("{API}/pulls/42"), "number": 42}]);
        object
    };
    let suite = of_pull(suite(10, json!("completed"), json!("success")));
    let run = of_pull(workflow_run("completed", json!("success")));
    for (event, object, place) in [
        ("check_suite", suite, "checks/20260101T000005Z-suite-10/check.json"),
        ("workflow_run", run, "checks/20260101T000010Z-workflow-5/check.json"),
    ] {
        let delivery = json!({"action": "completed", event: object, "sender": {"login": "o", "id": 1},
            "repository": {"id": 7, "full_name": "acme/web", "url": API, "owner": {"login": "acme"}, "forks_url": "x"}});
        let path = desk.write("delivery.json", &delivery);
        done(desk.path(), &["stage", "--event", &path, "--out", event]);
        let index: Value =
            serde_json::from_slice(&fs::read(desk.path().join(event).join("index.json")).expect("read")).expect("JSON");
        assert_eq!((&index["event"]["path"], &index["event"]["head"]), (&json!(place), &json!(SHA)), "{event}");
    }
}

#[test]
fn what_is_shown_of_labels_and_of_a_repository_is_what_is_filed() {
    let desk = Desk::new();
    let label = |name: &str| json!({"id": 1, "name": name, "color": "ff0000"});
    let labels = desk.write("labels.json", &json!([label("old")]));
    let mut record = pull(42, SHA);
    record["labels"] = json!([label("new")]);
    let record = desk.write("pull.json", &record);
    let observe = |time: &str, input: &str| {
        done(desk.path(), &["--store", "store", "observe", "--entity", "acme/web#42", "--observed-at", time, input])
    };
    let raw = || {
        let output = crate::support::docket(desk.path())
            .args(["--store", "store", "show", "acme/web#42", "--raw", "labels"])
            .output()
            .expect("started");
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    observe("2026-01-01T00:00:00Z", &labels);
    assert!(raw().is_array());
    observe("2026-01-02T00:00:00Z", &record);
    assert_eq!(raw()["labels"][0]["name"], "new", "the record came later, and tells its labels");
    let again = desk.write("again.json", &json!([label("newest")]));
    observe("2026-01-03T00:00:00Z", &again);
    assert_eq!(raw()[0]["name"], "newest");
    let repository = desk.write(
        "repository.json",
        &json!({"id": 7, "full_name": "acme/web", "url": API, "owner": {"login": "acme"}, "default_branch": "main"}),
    );
    desk.observe(&[&repository]);
    let (status, error) = report(desk.path(), &["--store", "store", "show", "github:github.com/acme/web"]);
    assert_eq!((status, &error["error"]["code"]), (2, &json!("entity-not-found")));
    assert!(error["error"]["message"].as_str().expect("a message").contains("looks at it are filed"), "{error}");
}

/// What only a pull request has shows one: nothing that was given stands in no file.
#[test]
fn checks_statuses_and_logs_show_a_pull_request() {
    let status = json!({"id": 4, "context": "ci", "state": "success", "created_at": "2026-01-01T00:00:00Z",
        "url": format!("{API}/statuses/{SHA}")});
    for (facet, text, file) in [
        ("checks", json!({"total_count": 1, "check_runs": [run(10, &[])]}).to_string(), "checks/undated-10/check.json"),
        ("statuses", json!([status]).to_string(), "checks/20260101T000000Z-status-4/check.json"),
        ("logs:build", "2026-01-01T00:00:00Z line\n".to_owned(), "checks/unattached-build/log.txt"),
    ] {
        let desk = Desk::new();
        fs::write(desk.path().join("given"), text).expect("written");
        let given = format!("{facet}={}", arg(&desk.path().join("given")));
        let staged = done(desk.path(), &["stage", "--from", &given, "--entity", "acme/web#42", "--out", "out"]);
        assert_eq!(staged["entities"], json!(["github:github.com/acme/web/pull/42"]), "{facet}");
        assert!(desk.path().join("out").join(file).exists(), "{facet}: {staged}");
        done(desk.path(), &["--store", "store", "observe", "--entity", "acme/web#42", "--forge", "github", &given]);
        done(desk.path(), &["--store", "store", "snapshot", "--out", "snapshot"]);
        assert!(files(&desk.path().join("snapshot")).keys().any(|path| path.ends_with(file)), "{facet}");
    }
}

#[test]
fn the_summary_counts_what_stands_of_the_head() {
    let desk = Desk::new();
    let status = |id: u64, context: &str, state: &str, minute: u64| {
        json!({"id": id, "context": context, "state": state,
        "created_at": format!("2026-01-01T00:0{minute}:00Z"), "url": format!("{API}/statuses/{SHA}")})
    };
    let mut old = run(11, &[]);
    (old["head_sha"], old["conclusion"], old["name"]) = (json!(OTHER), json!("failure"), json!("former"));
    desk.observe(&[&desk.write("pull.json", &pull(42, SHA))]);
    let given = [
        format!(
            "statuses={}",
            desk.write(
                "s.json",
                &json!([status(1, "ci", "pending", 1), status(2, "ci", "success", 2), status(3, "slow", "pending", 1)])
            )
        ),
        format!("checks={}", desk.write("c.json", &json!({"total_count": 2, "check_runs": [run(10, &[]), old]}))),
        format!("logs:nobody={}", desk.write("log.txt", &json!("a line"))),
    ];
    for given in &given {
        desk.observe(&["--entity", "acme/web#42", "--forge", "github", given]);
    }
    desk.checks("out");
    let page = fs::read_to_string(desk.path().join("out/summary.md")).expect("the summary");
    let line = "- 1 checks are not known to have gone well: slow; 1 checks of other commits than the head are not known to have gone well; 1 logs";
    assert!(page.contains(line), "{page}");
    assert!(
        page.contains("| name | result | commit | file |") && page.contains("| former | failure | 222222222222"),
        "{page}"
    );
    assert!(page.contains("| ci | queued, replaced by a later one | 111111111111"), "{page}");
    assert!(page.contains("| checks/unattached-nobody/log.txt | nobody, of no check that is known |"), "{page}");
}
