//! `stage`: the real threads, the same bytes whatever the world, refusals, and the identity of store and payload files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{arg, checked, docket, done, files, git, github_threads, report, scratch, testdata};

const ACME: &str = "threads/acme-web-42";

fn stage_from(dir: &Path, payloads: &[&str], out: &str) -> serde_json::Value {
    let mut args = vec!["stage", "--out", out, "--from"];
    args.extend(payloads);
    done(dir, &args)
}

#[test]
fn every_recorded_thread_stages_the_same_twice_and_verifies() {
    for thread in github_threads() {
        let dir = scratch();
        let first = stage_from(dir.path(), &[arg(&thread)], "one");
        let second = stage_from(dir.path(), &[arg(&thread)], "two");
        assert_eq!(first["indexDigest"], second["indexDigest"], "{}", thread.display());
        assert_eq!(files(&dir.path().join("one")), files(&dir.path().join("two")), "{}", thread.display());
        assert_eq!(first["entities"].as_array().map(Vec::len), Some(1), "{}", thread.display());
        let digest = first["indexDigest"].as_str().expect("a digest");
        let verified = done(dir.path(), &["verify", "one", "--index-digest", digest]);
        assert_eq!(verified["verified"], true, "{verified}");
        assert_eq!(verified["anchor"], "digest");
    }
}

#[test]
fn one_flipped_byte_is_found_in_every_file_of_every_thread() {
    for thread in github_threads() {
        let dir = scratch();
        let digest = stage_from(dir.path(), &[arg(&thread)], "stage")["indexDigest"].clone();
        for (path, bytes) in files(&dir.path().join("stage")) {
            let file = dir.path().join("stage").join(&path);
            let mut damaged = bytes.clone();
            match damaged.len() / 2 {
                0 if damaged.is_empty() => damaged.push(b'x'),
                middle => damaged[middle] ^= 1,
            }
            fs::write(&file, &damaged).expect("the file can be damaged");
            let (status, found) =
                report(dir.path(), &["verify", "stage", "--index-digest", digest.as_str().expect("a digest")]);
            assert_eq!(status, 1, "{path}: {found}");
            assert_eq!(found["findings"].as_array().map(Vec::len), Some(1), "{path}: {found}");
            fs::write(&file, &bytes).expect("the file can be mended");
        }
    }
}

#[test]
fn the_world_does_not_matter() {
    let threads = github_threads();
    let payloads = testdata(ACME);
    for thread in threads.iter().chain([&payloads]) {
        let dir = scratch();
        let expected = stage_from(dir.path(), &[arg(thread)], "plain");
        let elsewhere = dir.path().join("else where");
        fs::create_dir(&elsewhere).expect("another directory");
        let output = std::process::Command::new("sh")
            .args(["-c", "umask 0077; exec \"$0\" --json stage --from \"$1\" --out other"])
            .arg(docket(dir.path()).get_program())
            .arg(thread)
            .current_dir(&elsewhere)
            .env("TZ", "Pacific/Chatham")
            .env("LC_ALL", "tr_TR.UTF-8")
            .env("LANG", "tr_TR.UTF-8")
            .output()
            .expect("a shell");
        checked(output, "stage in another world");
        assert_eq!(files(&dir.path().join("plain")), files(&elsewhere.join("other")), "{}", thread.display());
        assert!(expected["indexDigest"].is_string());
    }
}

#[test]
fn the_order_of_inputs_does_not_matter() {
    for thread in github_threads().iter().chain([&testdata(ACME)]) {
        let dir = scratch();
        let log = thread.join("_requests.json");
        let mut names: Vec<_> = files(thread).into_keys().filter(|name| name != "_requests.json").collect();
        // Single files have no recording beside them, so both orders are read without one.
        assert!(log.exists());
        let paths = |names: &[String]| names.iter().map(|n| arg(&thread.join(n)).to_owned()).collect::<Vec<_>>();
        // An empty list names no entity without its request; it is given to neither run.
        names.retain(|name| fs::read(thread.join(name)).is_ok_and(|bytes| bytes.len() > 4));
        let forward = paths(&names);
        names.reverse();
        let backward = paths(&names);
        let fixed = ["--observed-at", "2026-01-01T00:00:00Z"];
        for (paths, out) in [(&forward, "forward"), (&backward, "backward")] {
            let mut args = vec!["stage", "--out", out];
            args.extend(fixed);
            args.push("--from");
            args.extend(paths.iter().map(String::as_str));
            done(dir.path(), &args);
        }
        assert_eq!(files(&dir.path().join("forward")), files(&dir.path().join("backward")), "{}", thread.display());
    }
}

#[test]
fn a_stage_from_payloads_equals_one_from_a_store_that_holds_exactly_them() {
    for thread in github_threads().iter().chain([&testdata(ACME)]) {
        let dir = scratch();
        let staged = stage_from(dir.path(), &[arg(thread)], "from");
        done(dir.path(), &["init", "store"]);
        done(dir.path(), &["--store", "store", "observe", arg(thread)]);
        let entity = staged["entities"][0].as_str().expect("an entity").to_owned();
        let stored = done(dir.path(), &["--store", "store", "stage", &entity, "--out", "stored"]);
        assert_eq!(staged["indexDigest"], stored["indexDigest"], "{}", thread.display());
        assert_eq!(files(&dir.path().join("from")), files(&dir.path().join("stored")), "{}", thread.display());
    }
}

#[test]
fn modes_are_private_whatever_the_umask() {
    let dir = scratch();
    stage_from(dir.path(), &[arg(&testdata(ACME))], "stage");
    for entry in walkdir::WalkDir::new(dir.path().join("stage")) {
        let entry = entry.expect("the stage can be walked");
        let mode = entry.metadata().expect("its mode").permissions().mode() & 0o7777;
        let expected = if entry.file_type().is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", entry.path().display());
    }
}

#[test]
fn an_existing_target_is_refused_and_a_former_stage_is_replaced_on_demand() {
    let dir = scratch();
    let payloads = testdata(ACME);
    let args = ["stage", "--from", arg(&payloads), "--out", "stage"];
    done(dir.path(), &args);
    let (status, refused) = report(dir.path(), &args);
    assert_eq!((status, &refused["error"]["code"]), (2, &"target-exists".into()));
    done(dir.path(), &[&args[..], &["--replace"]].concat());
    fs::create_dir(dir.path().join("mine")).expect("a directory");
    fs::write(dir.path().join("mine/precious"), "x").expect("a file");
    let (status, refused) = report(dir.path(), &["stage", "--from", arg(&payloads), "--out", "mine", "--replace"]);
    assert_eq!((status, &refused["error"]["code"]), (2, &"target-not-a-stage".into()));
    assert!(dir.path().join("mine/precious").exists());
}

#[test]
fn a_work_tree_is_refused_unless_asked() {
    let dir = scratch();
    git(dir.path(), &["init", "-q"]);
    let payloads = testdata(ACME);
    let args = ["stage", "--from", arg(&payloads), "--out", "context"];
    let (status, refused) = report(dir.path(), &args);
    assert_eq!((status, &refused["error"]["code"]), (2, &"target-inside-worktree".into()));
    let hint = refused["error"]["hint"].as_str().expect("a hint");
    assert!(hint.contains("--allow-inside-worktree"), "{hint}");
    assert!(!dir.path().join("context").exists());
    done(dir.path(), &[&args[..], &["--allow-inside-worktree"]].concat());
}

#[test]
fn bounds_are_counted() {
    let dir = scratch();
    let payloads = testdata(ACME);
    let staged = done(dir.path(), &["stage", "--from", arg(&payloads), "--out", "few", "--max-comments", "1"]);
    let gaps = staged["gaps"].as_array().expect("gaps");
    let cut = gaps.iter().find(|gap| gap["scope"] == "comments" && gap["code"] == "profile-bound");
    assert_eq!(cut.map(|gap| &gap["count"]), Some(&2.into()), "{gaps:?}");
    assert_eq!(done(dir.path(), &["verify", "few"])["verified"], true);
}

#[test]
fn a_requirement_that_is_not_met_exits_one_and_still_writes() {
    let dir = scratch();
    let payloads = testdata(ACME);
    let pull = payloads.join("pull.json");
    let (status, staged) =
        report(dir.path(), &["stage", "--from", arg(&pull), "--out", "bare", "--require", "comments"]);
    assert_eq!(status, 1, "{staged}");
    assert!(dir.path().join("bare/index.json").exists());
    let (status, _) =
        report(dir.path(), &["stage", "--from", arg(&payloads), "--out", "whole", "--require", "comments,reviews"]);
    assert_eq!(status, 0);
}

#[test]
fn a_required_facet_that_the_profile_leaves_out_is_not_met() {
    let dir = scratch();
    let payloads = testdata(ACME);
    let stage = |out: &str, facets: &str| {
        let args = ["stage", "--from", arg(&payloads), "--out", out, "--profile", "minimal", "--require", facets];
        let output = docket(dir.path()).args(args).output().expect("started");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (status, said) = stage("out", "files,comments,labels");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("files: the profile does not ask for it"), "{said}");
    assert!(!said.contains("comments") && !said.contains("labels"), "{said}");
    assert!(dir.path().join("out/index.json").exists());
    assert_eq!(stage("met", "comments,labels").0, Some(0));
}

/// The row of a facet on the page.
fn row<'p>(page: &'p str, facet: &str) -> Vec<&'p str> {
    let line = page.lines().find(|line| line.starts_with(&format!("| {facet} | "))).expect("a row");
    line.split('|').map(str::trim).collect()
}

#[test]
fn a_page_as_of_a_time_sends_nobody_to_what_came_later() {
    let dir = scratch();
    let payloads = testdata(ACME);
    let page = |out: &str, more: &[&str]| {
        done(dir.path(), &[&["stage", "--from", arg(&payloads), "--out", out], more].concat());
        fs::read_to_string(dir.path().join(out).join("summary.md")).expect("the page")
    };
    let then = page("then", &["--as-of", "2026-03-03T08:00:00Z"]);
    for (facet, count) in
        [("comments", "2"), ("reviews", "1"), ("review-comments", "2"), ("checks", "0"), ("reactions", "0")]
    {
        assert_eq!(row(&then, facet)[3..5], [count, count], "{facet}: {then}");
    }
    assert!(!then.contains("not known to have gone well") && !then.contains("| browser"), "{then}");
    assert!(then.contains("- 1 reviews ask for changes") && then.contains("- Withheld texts: body.md\n"), "{then}");
    // The item that came later has its row in the index all the same.
    let paths: Vec<_> = files(&dir.path().join("then")).into_keys().collect();
    let later = paths.iter().find(|path| path.ends_with("-2910000003.md")).expect("a row without text");
    assert!(!then.contains(later.as_str()), "{then}");
    // Later the one who asked for changes approved.
    let now = page("now", &[]);
    assert_eq!(row(&now, "reactions")[3..5], ["1", "1"], "{now}");
    assert!(now.contains("2 checks are not known to have gone well") && !now.contains("ask for changes"), "{now}");
}

#[test]
fn what_came_later_counts_once_and_not_as_here_whoever_is_admitted() {
    let dir = scratch();
    let payloads = testdata(ACME);
    fs::write(dir.path().join("log.txt"), "a line\n").expect("a log");
    let stage = |out: &str, more: &[&str]| {
        let args = ["stage", "--profile", "full", "--out", out, "--from", arg(&payloads), "logs:999=log.txt"];
        done(dir.path(), &[&args[..], more].concat());
        let read = |name| fs::read(dir.path().join(out).join(name)).expect("a file");
        let index: serde_json::Value = serde_json::from_slice(&read("index.json")).expect("JSON");
        let gaps = index["gaps"].as_array().expect("gaps").clone();
        let of = |scope: &str| -> Vec<(String, u64)> {
            let rows = gaps.iter().filter(|gap| gap["scope"] == scope);
            rows.map(|gap| (gap["code"].as_str().expect("a code").to_owned(), gap["count"].as_u64().expect("a count")))
                .collect()
        };
        let reactions = String::from_utf8(read("reactions.json")).expect("UTF-8");
        (String::from_utf8(read("summary.md")).expect("UTF-8"), of("reactions"), reactions)
    };
    let (now, ..) = stage("now", &[]);
    assert_eq!(row(&now, "logs")[3..5], ["1", "1"], "{now}");
    assert!(now.contains("; 1 logs, as checks/"), "{now}");
    let time = ["--as-of", "2026-03-04T15:22:10Z"];
    for (out, admission) in [("all", &[][..]), ("members", &["--admit", "members", "--allow-author", "mira"])] {
        let (page, gaps, reactions) = stage(out, &[&time[..], admission].concat());
        assert_eq!(row(&page, "reactions")[3..5], ["0", "0"], "{out}: {page}");
        assert_eq!(gaps, [("after-as-of".to_owned(), 1)], "{out}");
        assert!(reactions.contains("[withheld:after-as-of]"), "{out}: {reactions}");
        // Nothing tells when the log of a check that nobody knows was there: its row has no text.
        assert_eq!(row(&page, "logs")[3..5], ["1", "0"], "{out}: {page}");
        assert!(!page.contains(" logs, as checks/"), "{out}: {page}");
    }
}

#[test]
fn a_missing_diff_is_never_nothing() {
    let dir = scratch();
    stage_from(dir.path(), &[arg(&testdata(ACME))], "stage");
    let files = fs::read(dir.path().join("stage/changes/files.json")).expect("files.json");
    let files: serde_json::Value = serde_json::from_slice(&files).expect("JSON");
    let image = &files["files"][0];
    assert_eq!(image["path"], "docs/receipt.png");
    assert!(image["additions"].is_null() && image["deletions"].is_null(), "{image}");
    assert_eq!(files["files"][1]["additions"], 4);
}

#[test]
fn a_text_that_was_cut_is_a_gap_and_said_on_the_page() {
    let dir = scratch();
    let mut pull: serde_json::Value =
        serde_json::from_slice(&fs::read(testdata("threads/acme-web-42/pull.json")).expect("read")).expect("JSON");
    pull["body"] = "word ".repeat(20_000).into();
    fs::write(dir.path().join("pull.json"), pull.to_string()).expect("written");
    let (status, value) = report(dir.path(), &["stage", "--from", "pull.json", "--out", "out", "--facets", "header"]);
    assert_eq!(status, 0, "{value}");
    let gaps = value["gaps"].as_array().expect("gaps");
    let bound = gaps.iter().find(|gap| gap["code"] == "profile-bound").expect("a gap");
    assert_eq!((&bound["scope"], &bound["count"]), (&"header".into(), &1.into()));
    let page = fs::read_to_string(dir.path().join("out/summary.md")).expect("the page");
    assert!(page.contains("- body: body.md, 65536 bytes, cut\n"), "{page}");
}

#[test]
fn forges_of_one_host_do_not_share_a_directory() {
    let dir = scratch();
    let issue = |api: &str| {
        serde_json::json!({"number": 1, "id": 1, "title": "t", "state": "open", "body": null, "user": null,
            "url": format!("{api}/repos/acme/web/issues/1"), "html_url": "https://git.example/acme/web/issues/1",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"})
    };
    done(dir.path(), &["init", "store"]);
    for (name, api) in [("a.json", "https://git.example/api/v3"), ("b.json", "https://git.example/api/v1")] {
        fs::write(dir.path().join(name), issue(api).to_string()).expect("written");
        done(dir.path(), &["--store", "store", "observe", name]);
    }
    let ids = ["github:git.example/acme/web/issue/1", "gitea:git.example/acme/web/issue/1"];
    let staged = done(dir.path(), &["--store", "store", "stage", ids[0], ids[1], "--out", "out"]);
    assert_eq!(staged["entities"].as_array().map(Vec::len), Some(2), "{staged}");
    assert_eq!(report(dir.path(), &["verify", "out"]).0, 0);
    assert!(dir.path().join("out/gitea/git.example/acme/web/issue/1/entity.json").exists());
}

#[test]
fn diff_names_an_entity_as_every_verb_does() {
    let dir = scratch();
    let thread = testdata("threads/gitlab-mr-7");
    let staged = done(dir.path(), &["stage", "--from", arg(&thread), "--out", "a"]);
    let mut merge: serde_json::Value =
        serde_json::from_slice(&fs::read(thread.join("merge_request.json")).expect("read")).expect("JSON");
    merge["title"] = "another".into();
    fs::write(dir.path().join("merge_request.json"), merge.to_string()).expect("written");
    done(dir.path(), &["stage", "--from", "merge_request.json", "--out", "b"]);
    let changes = done(dir.path(), &["diff", "a", "b"]);
    assert!(changes["changes"].as_array().is_some_and(|rows| !rows.is_empty()));
    for change in changes["changes"].as_array().expect("changes") {
        assert_eq!(change["entity"], staged["entities"][0]);
    }
}
