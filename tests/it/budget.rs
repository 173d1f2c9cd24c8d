//! Budgets of bytes and tokens: exact, nested, told; and what a stage says of its content besides.

mod attachments;
mod content;
mod logs;
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use git_docket::format::profile::{Keep, Profile, tokens};
use git_docket::format::time::Time;
use git_docket::ops::observe::{self, observe_in_memory};
use git_docket::ops::stage::{Options, Report, staged_files};
use git_docket::ops::wanted::Asked;
use git_docket::ops::{Error, verify};
use git_docket::store::mem::MemTree;
use serde_json::{Value, json};

use crate::support::{arg, docket, done, report, scratch, shared, testdata};

type Files = BTreeMap<String, Vec<u8>>;

/// The facts of files or directories, read as one invocation reads them.
pub fn facts(inputs: &[&Path], entity: Option<&str>) -> MemTree {
    let inputs: Vec<String> = inputs.iter().map(|path| arg(path).to_owned()).collect();
    let entity = entity.map(|id| Asked::new(id, None, None).expect("an id"));
    let now: Time = "2026-01-01T00:00:00Z".parse().expect("a time");
    let options = observe::Options { entity, ..observe::Options::of(&inputs, now) };
    observe_in_memory(&options, &mut std::io::empty()).expect("payloads").0
}

pub fn staged(facts: &MemTree, profile: &Profile) -> Result<(Files, Report), Error> {
    let options = Options::unwritten(&[], profile);
    staged_files(facts, &options)
}

fn full() -> Profile {
    Profile::built_in("full").expect("built in")
}

fn within(bytes: u64) -> Profile {
    Profile { max_bytes: Some(bytes), ..full() }
}

pub fn size(files: &Files) -> u64 {
    files.values().map(|bytes| bytes.len() as u64).sum()
}

pub fn json_in(files: &Files, path: &str) -> Value {
    serde_json::from_slice(files.get(path).unwrap_or_else(|| panic!("no {path}"))).expect("JSON")
}

/// What a stage shows: its files, and the rows of its lists.
fn shown(files: &Files) -> BTreeSet<String> {
    let mut shown: BTreeSet<String> = files.keys().cloned().collect();
    for (path, bytes) in files {
        let list = |member: &str, name: &str| -> Vec<String> {
            let value: Value = serde_json::from_slice(bytes).expect("JSON");
            let rows = value[member].as_array().cloned().unwrap_or_default();
            rows.iter().map(|row| format!("{path}: {}", row[name])).collect()
        };
        let rows = match path.rsplit('/').next().unwrap_or_default() {
            "timeline.json" => list("events", "id"),
            "commits.json" => list("commits", "sha"),
            "files.json" => list("files", "path"),
            "reactions.json" => list("reactions", "id"),
            "diff.patch" => String::from_utf8_lossy(bytes)
                .lines()
                .filter(|line| line.starts_with("diff --git"))
                .map(|line| format!("{path}: {line}"))
                .collect(),
            name if path.contains("threads/") && name.ends_with(".md") => String::from_utf8_lossy(bytes)
                .lines()
                .filter(|line| line.starts_with("## Comment"))
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        shown.extend(rows);
    }
    shown
}

fn budget_gap(report: &Report) -> u64 {
    report.gaps.iter().filter(|gap| gap.code == "budget").map(|gap| gap.count).sum()
}

/// The least bytes of a stage of these facts, as the refusal says it.
fn least(facts: &MemTree) -> u64 {
    let error = staged(facts, &within(0)).expect_err("nothing fits into nothing");
    assert_eq!(error.code(), "budget-too-small");
    let message = error.to_string();
    let number = message.split_whitespace().find_map(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("{message}"))
}

/// Checks the laws of budgets for so many budgets between nothing and all.
fn check(facts: &MemTree, steps: u64) {
    let (whole, _) = staged(facts, &full()).expect("a stage");
    let least = least(facts);
    let most = size(&whole) + 64;
    assert!(least < most, "{least} {most}");
    let mut before = BTreeSet::new();
    let mut last_gap = u64::MAX;
    let budgets = (0..=steps).map(|step| least + (most - least) * step / steps);
    for budget in [least.saturating_sub(2)].into_iter().chain(budgets) {
        let (files, told) = match staged(facts, &within(budget)) {
            Ok(staged) => staged,
            Err(error) => {
                // The number of the budget itself has digits.
                assert!(budget < least + 3, "{budget}: {error}");
                assert_eq!(error.code(), "budget-too-small");
                continue;
            }
        };
        assert!(size(&files) <= budget, "{budget}: {}", size(&files));
        assert_eq!((told.bytes, told.files), (size(&files), files.len()));
        let now = shown(&files);
        assert!(before.is_subset(&now), "{budget}: {:?}", before.difference(&now).collect::<Vec<_>>());
        assert!(budget_gap(&told) <= last_gap, "{budget}");
        (before, last_gap) = (now, budget_gap(&told));
        let tree: MemTree = files.into_iter().collect();
        let checked = verify::verify(&tree, &verify::Anchor { index_digest: None, commit: None }).expect("checked");
        assert!(checked.verified, "{budget}: {:?}", checked.findings);
    }
    assert_eq!(last_gap, 0, "all fits in the end");
    assert_eq!(before, shown(&whole));
}

/// A pull request with something of everything, and texts of very different sizes.
pub fn busy(dir: &Path) -> MemTree {
    let user = |id: u64| json!({"id": id, "login": format!("user-{id}"), "node_id": format!("U_{id}")});
    let url = "https://api.github.com/repos/acme/web";
    let at = |n: u64| format!("2026-01-02T03:{:02}:{:02}Z", n / 60, n % 60);
    let pull = json!({"id": 1, "number": 42, "url": format!("{url}/pulls/42"), "title": "t", "state": "open", "user": user(1),
        "body": "b".repeat(3000), "created_at": at(0), "updated_at": at(1), "draft": false, "labels": [],
        "head": {"ref": "topic", "sha": "a".repeat(40), "repo": null}, "base": {"ref": "main", "sha": "b".repeat(40), "repo": null}});
    let comment = |id: u64| {
        json!({"id": id, "body": "word ".repeat(1 + (id * id * 37 % 400) as usize), "user": user(id % 7),
        "issue_url": format!("{url}/issues/42"), "created_at": at(id), "updated_at": at(id)})
    };
    let line = |id: u64| {
        json!({"id": 1000 + id, "body": "line ".repeat(1 + (id % 9) as usize), "user": user(id % 5), "path": format!("src/{}.rs", id % 4),
        "diff_hunk": "@@ -1 +1 @@\n-a\n+b", "pull_request_review_id": 5, "pull_request_url": format!("{url}/pulls/42"),
        "created_at": at(id), "updated_at": at(id), "in_reply_to_id": if id.is_multiple_of(3) { Value::Null } else { json!(1000 + id - id % 3) }})
    };
    let file = |id: u64| {
        let lines = 1 + id * id % 200;
        json!({"filename": format!("src/{id}.rs"), "status": "added", "additions": lines, "deletions": 0, "changes": lines,
        "sha": "c".repeat(40), "patch": format!("@@ -0,0 +1,{lines} @@\n{}", vec!["+x"; lines as usize].join("\n"))})
    };
    let check = |id: u64| {
        json!({"id": 70 + id, "name": format!("job {id}"), "head_sha": "a".repeat(40), "status": "completed",
        "conclusion": if id == 2 { "failure" } else { "success" }, "output": {"title": "t", "summary": "s".repeat(200)}, "check_suite": {"id": 1},
        "started_at": at(id), "completed_at": at(id + 1)})
    };
    let event = |id: u64| json!({"id": 500 + id, "event": "renamed", "actor": user(3), "created_at": at(id), "commit_id": null});
    let list = |make: &dyn Fn(u64) -> Value, count| Value::Array((1..=count).map(make).collect());
    let all = [
        ("pull.json", pull),
        ("issue.comments.json", list(&comment, 30)),
        ("pull.comments.json", list(&line, 12)),
        ("files.json", list(&file, 14)),
        ("check-runs.json", json!({"total_count": 4, "check_runs": list(&check, 4)})),
        ("timeline.json", list(&event, 20)),
    ];
    for (name, value) in all {
        std::fs::write(dir.join(name), value.to_string()).expect("a payload");
    }
    for (id, size) in [(71, 5000), (72, 20_000)] {
        std::fs::write(dir.join(format!("{id}.log")), "step done\n".repeat(size / 10)).expect("a log");
    }
    let inputs: Vec<_> =
        ["pull.json", "issue.comments.json", "pull.comments.json", "files.json", "check-runs.json", "timeline.json"]
            .map(|name| dir.join(name))
            .to_vec();
    let logs = [71, 72].map(|id| std::path::PathBuf::from(format!("logs={}", dir.join(format!("{id}.log")).display())));
    let all: Vec<&Path> = inputs.iter().chain(&logs).map(std::path::PathBuf::as_path).collect();
    facts(&all, Some("github:github.com/acme/web/pull/42"))
}

#[test]
fn a_budget_holds_to_the_byte_and_a_larger_one_shows_more() {
    let dir = scratch();
    check(&busy(dir.path()), 40);
    check(&facts(&[&testdata("threads/acme-web-42")], None), 20);
}

#[test]
fn entities_share_a_budget() {
    let inputs = ["acme-web-42", "gitlab-mr-7", "forgejo-pull-3"].map(|name| testdata("threads").join(name));
    let facts = facts(&inputs.each_ref().map(|path| path.as_path()), None);
    check(&facts, 15);
    let (whole, _) = staged(&facts, &full()).expect("a stage");
    let half = (least(&facts) + size(&whole)) / 2;
    let (files, _) = staged(&facts, &within(half)).expect("a stage");
    for entity in ["pull/42/", "merge_requests/7/", "pull/3/"] {
        let comments = files.keys().filter(|path| path.contains(entity) && path.contains("/comments/")).count();
        assert!(comments > 0 || entity.contains("merge"), "{entity}: {:?}", files.keys());
    }
}

#[test]
fn recorded_threads_keep_the_laws_of_budgets() {
    for forge in ["github", "gitlab", "gitea", "forgejo"] {
        let Some(root) = shared(&format!("data/threads/{forge}")) else { return };
        for thread in std::fs::read_dir(root).expect("threads") {
            check(&facts(&[&thread.expect("an entry").path()], None), 3);
        }
    }
}

#[test]
fn a_budget_of_tokens_holds_too() {
    for (text, count) in [
        ("", 0),
        ("a word", 2),
        ("internationalisation", 3),
        ("1234567", 3),
        ("  \n\n\tx", 3),
        ("{\"a\":[]}", 5),
        ("\u{4e2d}\u{6587}", 2),
    ] {
        assert_eq!(tokens(text.as_bytes()), count, "{text:?}");
    }
    let dir = scratch();
    let facts = busy(dir.path());
    let (whole, told) = staged(&facts, &full()).expect("a stage");
    let sum = |files: &Files| files.values().map(|bytes| tokens(bytes)).sum::<u64>();
    assert_eq!(told.tokens, sum(&whole));
    let mut before = BTreeSet::new();
    for most in [5_000, 9_000, 14_000] {
        let profile = Profile { max_tokens: Some(most), ..full() };
        let (files, told) = staged(&facts, &profile).expect("a stage");
        assert!(told.tokens <= most && sum(&files) == told.tokens, "{most}: {}", told.tokens);
        let now = shown(&files);
        assert!(before.is_subset(&now));
        before = now;
        assert!(budget_gap(&told) > 0 && told.tokens > most * 8 / 10, "{most}: {}", told.tokens);
    }
    let few = Profile { max_tokens: Some(10), ..full() };
    assert_eq!(staged(&facts, &few).expect_err("too few").code(), "budget-too-small");
}

#[test]
fn a_budget_keeps_the_failed_check_and_the_end_that_the_profile_keeps() {
    let dir = scratch();
    let facts = busy(dir.path());
    for (keep, kept, dropped) in [(Keep::Newest, "-30.md", "-1.md"), (Keep::Oldest, "-1.md", "-30.md")] {
        let profile = Profile { keep, ..within(40_000) };
        let (files, told) = staged(&facts, &profile).expect("a stage");
        let has = |dir: &str, end: &str| files.keys().any(|path| path.starts_with(dir) && path.ends_with(end));
        assert!(has("comments/", kept) && !has("comments/", dropped), "{keep:?}: {:?}", files.keys());
        assert!(has("checks/", "72/check.json"), "{:?}", files.keys());
        let index = json_in(&files, "index.json");
        let gap =
            index["gaps"].as_array().expect("gaps").iter().find(|g| g["scope"] == "comments" && g["code"] == "budget");
        let here = files.keys().filter(|path| path.starts_with("comments/")).count();
        assert_eq!(gap.expect("a gap")["count"], 30 - here);
        assert!(told.complete || !told.gaps.is_empty());
        let summary = String::from_utf8_lossy(&files["summary.md"]).into_owned();
        assert!(
            summary.contains(&format!("| comments | unproven | 30 | {here} |"))
                || summary.contains(&format!("| 30 | {here} |")),
            "{summary}"
        );
        assert!(summary.contains("left out whole, without room in the budget"), "{summary}");
    }
}

#[test]
fn what_is_staged_with_a_budget_is_rebuilt_and_refused_by_code() {
    let dir = scratch();
    let thread = testdata("threads/acme-web-42");
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", arg(&thread)]);
    let args = ["--max-bytes", "20000", "--keep", "unresolved-first", "--check-logs", "failed"];
    let entity = "github:github.com/acme/web/pull/42";
    let from_store = done(dir.path(), &[&["--store", "store", "stage", entity, "--out", "a"], &args[..]].concat());
    let from_files = done(dir.path(), &[&["stage", "--out", "b"], &args[..], &["--from", arg(&thread)]].concat());
    assert_eq!(from_store["indexDigest"], from_files["indexDigest"]);
    let files = crate::support::files(&dir.path().join("a"));
    assert_eq!(files, crate::support::files(&dir.path().join("b")));
    assert!(size(&files) <= 20_000 && from_store["bytes"] == size(&files), "{from_store}");
    let verified = done(dir.path(), &["--store", "store", "verify", "a", "--rebuild"]);
    assert_eq!(verified["verified"], true, "{verified}");
    let profile = json_in(&files, "index.json")["profile"].clone();
    assert_eq!(
        [&profile["maxBytes"], &profile["maxTokens"], &profile["keep"], &profile["checkLogs"]],
        [&json!(20_000), &Value::Null, &json!("unresolved-first"), &json!("failed")]
    );
    // The whole profile is what a file may say.
    std::fs::write(dir.path().join("p.json"), profile.to_string()).expect("a profile");
    let by_file = done(dir.path(), &["stage", "--out", "c", "--profile", "p.json", "--from", arg(&thread)]);
    assert_eq!(by_file["indexDigest"], from_store["indexDigest"]);
    let (status, refused) = report(dir.path(), &["stage", "--out", "d", "--max-bytes", "100", "--from", arg(&thread)]);
    assert_eq!((status, refused["error"]["code"].as_str()), (2, Some("budget-too-small")), "{refused}");
    assert!(!dir.path().join("d").exists());
    // What the layout of others has no word for is refused and not passed over.
    for more in [["--max-bytes", "100000"], ["--keep", "unresolved-first"]] {
        let args =
            ["stage", "--layout", "entity-context-snapshot/v1", "--out", "e", more[0], more[1], "--from", arg(&thread)];
        let (status, refused) = report(dir.path(), &args);
        assert_eq!((status, refused["error"]["code"].as_str()), (2, Some("layout-unsupported")), "{refused}");
    }
    let usage = docket(dir.path()).args(["stage", "--max-bytes", "-1", "--from", arg(&thread)]).output().expect("runs");
    assert_eq!(usage.status.code(), Some(2));
}
