//! Memory that follows the input, and stores in odd states: nothing is multiplied, and nothing that is hidden is taken for never seen.

use std::fs;
use std::path::Path;

use git_docket::forge::facets::{Item, Noted};
use git_docket::forge::owners::Owners;
use git_docket::forge::recognise::{Hints, recognise};
use git_docket::forge::url::Request;
use git_docket::format::json::parse;
use serde_json::{Value, json};

use crate::support::{arg, done, files, git, report, scratch, testdata};

const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];
const API: &str = "https://api.github.com/repos/acme/web";

/// A list of a million labels has a million of these.
#[test]
fn an_item_is_as_small_as_what_it_holds() {
    assert!(size_of::<Item>() <= 16, "{}", size_of::<Item>());
    assert!(size_of::<Noted<Item>>() <= 40, "{}", size_of::<Noted<Item>>());
}

#[test]
fn labels_that_a_list_has_twice_or_many_times_are_one_each() {
    let dir = scratch();
    let label = |at: usize| json!({"name": format!("l{}", at % 90), "id": at % 90, "color": "ededed"});
    let mut issue = json!({"url": format!("{API}/issues/42"), "html_url": "https://github.com/acme/web/issues/42",
        "number": 42, "id": 1, "title": "t", "state": "open", "user": {"login": "a", "id": 1}, "body": "b",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"});
    issue["labels"] = (0..400).map(label).collect();
    fs::write(dir.path().join("one.json"), issue.to_string()).expect("written");
    // The same names, and another look that knows what the first does not.
    issue["labels"] = (0..90).map(|at| json!({"name": format!("l{at}"), "description": "d"})).collect();
    issue["updated_at"] = "2026-01-02T00:00:00Z".into();
    fs::write(dir.path().join("two.json"), issue.to_string()).expect("written");
    done(dir.path(), &["stage", "--from", "one.json", "two.json", "--out", "out", "--entity", "acme/web#42"]);
    let entity = fs::read(dir.path().join("out/entity.json")).expect("written");
    let entity: Value = serde_json::from_slice(&entity).expect("JSON");
    let labels = entity["labels"].as_array().expect("labels");
    assert_eq!(labels.len(), 90);
    assert!(labels.iter().all(|label| label["color"] == "ededed" && label["description"] == "d"), "{}", labels[0]);
}

/// A folder of a recording whose log names one file so many times.
fn recording(dir: &Path, body: &str, times: usize) {
    fs::create_dir_all(dir).expect("made");
    fs::write(dir.join("comments.json"), body).expect("written");
    let entry = |at: usize| {
        json!({"file": "comments.json", "url": format!("{API}/issues/42/comments?per_page=100"), "status": 200,
            "headers": {"Date": format!("Mon, 01 Jun 2026 10:{:02}:{:02} GMT", at / 60 % 60, at % 60)}})
    };
    let log: Value = (0..times).map(entry).collect();
    fs::write(dir.join("_requests.json"), log.to_string()).expect("written");
}

#[test]
fn a_file_that_a_request_log_names_too_often_is_refused_before_it_is_read_again() {
    let dir = scratch();
    let comment = json!([{"id": 1, "url": format!("{API}/issues/comments/1"), "user": {"login": "a", "id": 1},
        "issue_url": format!("{API}/issues/42"), "body": "x".repeat(1 << 20), "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z"}]);
    recording(&dir.path().join("few"), &comment.to_string(), 3);
    recording(&dir.path().join("many"), &comment.to_string(), 66);
    done(dir.path(), &["init", "store"]);
    let taken = done(dir.path(), &["--store", "store", "observe", "few"]);
    assert_eq!(taken["observed"], 3, "{taken}");
    let before = files(&dir.path().join("store"));
    let (status, refused) = report(dir.path(), &["--store", "store", "observe", "many"]);
    assert_eq!((status, &refused["error"]["code"]), (2, &"input-too-large".into()), "{refused}");
    let message = refused["error"]["message"].as_str().expect("a message");
    assert!(message.contains("many/comments.json") && message.contains("66 entries"), "{message}");
    assert_eq!(files(&dir.path().join("store")), before);
}

#[test]
fn a_comment_that_two_threads_claim_is_nobodys_in_any_order() {
    let list = |number: u64| {
        json!([{"id": 7, "url": format!("{API}/issues/comments/7"), "issue_url": format!("{API}/issues/{number}"),
            "user": {"login": "a", "id": 1}, "body": "b", "created_at": "2026-01-01T00:00:00Z"}])
        .to_string()
    };
    let url = Request::parse(&format!("{API}/issues/comments/7/reactions")).expect("a URL");
    let reactions = r#"[{"id":1,"content":"+1","user":{"login":"a","id":1},"created_at":"2026-01-01T00:00:00Z"}]"#;
    let reactions = parse(reactions.as_bytes()).expect("JSON");
    let owner = |threads: &[u64]| {
        let mut owners = Owners::default();
        for number in threads {
            let (text, mut own) = (list(*number), Owners::default());
            let view = parse(text.as_bytes()).expect("JSON");
            own.learn(&recognise(&view, &Hints::default()).looks, &view);
            owners.merge(own);
        }
        let mut look = recognise(&reactions, &Hints { url: Some(&url), ..Hints::default() }).looks.remove(0);
        owners.resolve(&mut look).then(|| look.subject.known().map(ToString::to_string)).flatten()
    };
    assert_eq!(owner(&[42, 42]).as_deref(), Some("github:github.com/acme/web/thread/42"));
    for threads in [&[42, 43][..], &[43, 42], &[43, 42, 42], &[42, 43, 43], &[42, 42, 43]] {
        assert_eq!(owner(threads), None, "{threads:?}");
    }
}

fn observed(dir: &Path, store: &str) {
    let thread = testdata("threads/acme-web-42");
    done(dir, &["--store", store, "observe", "--commit", AT[0], AT[1], arg(&thread)]);
}

#[test]
fn a_store_without_its_header_is_not_replaced_by_a_branch() {
    let dir = scratch();
    // One at the top of its work tree, whose branch is that of facts, and one in a folder of a repository that has such a branch too.
    done(dir.path(), &["init", "top"]);
    observed(dir.path(), "top");
    git(dir.path(), &["init", "-q", "-b", "main", "repo"]);
    done(dir.path(), &["init", "repo", "--ref", "docket-facts"]);
    observed_on(dir.path(), "repo");
    done(dir.path(), &["init", "repo/below"]);
    observed(dir.path(), "repo/below");
    for (store, here) in [
        ("top", "top"),
        ("repo/below", "repo/below"),
        ("top", "top/observations"),
        ("repo/below", "repo/below/objects"),
    ] {
        let header = dir.path().join(store).join("docket.json");
        let bytes = fs::read(&header).expect("a header");
        fs::remove_file(&header).expect("removed");
        let thread = testdata("threads/acme-web-42");
        let out = dir.path().join("out");
        let verbs = [
            &["show", "acme/web#42"][..],
            &["snapshot"],
            &["stage", "acme/web#42", "--out", arg(&out)],
            &["observe", arg(&thread)],
        ];
        for verb in verbs {
            let path = dir.path().join(store);
            let named = [&["--store", arg(&path)][..], verb].concat();
            for args in [verb, &named] {
                let (status, refused) = report(&dir.path().join(here), args);
                assert_eq!(
                    (status, &refused["error"]["code"]),
                    (2, &"store-missing".into()),
                    "{here} {args:?}: {refused}"
                );
                let message = refused["error"]["message"].as_str().expect("a message");
                assert!(message.contains("docket.json is missing"), "{message}");
                let hint = refused["error"]["hint"].as_str().expect("a way out");
                assert!(hint.contains("git restore docket.json") && hint.contains("--ref"), "{hint}");
            }
        }
        assert!(!out.exists());
        let (status, found) = report(&dir.path().join(here), &["verify"]);
        assert_eq!((status, &found["findings"][0]["path"]), (1, &"docket.json".into()), "{here}: {found}");
        // Whoever names a revision or the branch has what is there.
        done(&dir.path().join(here), &["show", "acme/web#42", "--at", "HEAD"]);
        done(&dir.path().join(here), &["--ref", "docket-facts", "show", "acme/web#42"]);
        fs::write(&header, bytes).expect("written");
        done(&dir.path().join(here), &["show", "acme/web#42"]);
    }
    // A bare repository has no work tree that could lack anything.
    git(dir.path(), &["clone", "-q", "--bare", "top", "bare.git"]);
    done(&dir.path().join("bare.git"), &["show", "acme/web#42"]);
    done(dir.path(), &["--store", "bare.git", "show", "acme/web#42"]);
}

fn observed_on(dir: &Path, repo: &str) {
    let thread = testdata("threads/acme-web-42");
    done(dir, &["--store", repo, "observe", AT[0], AT[1], arg(&thread)]);
}

#[test]
fn what_is_marked_as_left_out_of_the_work_tree_is_not_taken_for_never_seen() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    observed(dir.path(), "store");
    let store = dir.path().join("store");
    let lost = files(&store.join("observations")).into_keys().next().expect("an observation");
    let lost = format!("observations/{lost}");
    for version in ["3", "4"] {
        git(&store, &["update-index", "--index-version", version]);
        git(&store, &["update-index", "--skip-worktree", &lost]);
        // As long as the file is there, nothing is missing.
        assert_eq!(done(dir.path(), &["verify", "store"])["verified"], true);
        fs::remove_file(store.join(&lost)).expect("removed");
        assert_eq!(git(&store, &["status", "--porcelain"]).stdout, b"", "git hides it");
        for args in [&["verify", "store"][..], &["--store", "store", "snapshot"], &["--store", "store", "verify"]] {
            let (status, refused) = report(dir.path(), args);
            assert_eq!((status, &refused["error"]["code"]), (2, &"store-sparse".into()), "{args:?}: {refused}");
            let hint = refused["error"]["hint"].as_str().expect("a way out");
            assert!(hint.contains("--no-skip-worktree"), "{hint}");
        }
        git(&store, &["update-index", "--no-skip-worktree", &lost]);
        git(&store, &["restore", &lost]);
        git(&store, &["update-index", "--assume-unchanged", &lost]);
        assert_eq!(done(dir.path(), &["verify", "store"])["verified"], true);
        git(&store, &["update-index", "--no-assume-unchanged", &lost]);
    }
    // What is marked beside the store is nobody's business here.
    fs::write(store.join("ours"), "x").expect("written");
    git(&store, &["add", "-f", "ours"]);
    git(&store, &["update-index", "--skip-worktree", "ours"]);
    fs::remove_file(store.join("ours")).expect("removed");
    assert_eq!(done(dir.path(), &["--store", "store", "snapshot"])["entities"], 1);
}
