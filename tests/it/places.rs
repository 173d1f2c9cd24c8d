//! Where stores lie: work trees, branches of bare and SHA-256 repositories, clones; and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{arg, checked, docket, done, files, git, report, scratch, testdata};

const ENTITY: &str = "github:github.com/acme/web/pull/42";
const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];

fn thread() -> String {
    arg(&testdata("threads/acme-web-42")).to_owned()
}

fn work_tree_store(dir: &Path) -> String {
    done(dir, &["init", "store"]);
    done(dir, &["--store", "store", "observe", "--commit", AT[0], AT[1], &thread()]);
    let report = done(dir, &["--store", "store", "snapshot", "--commit"]);
    report["snapshot"].as_str().expect("an id").to_owned()
}

#[test]
fn a_branch_of_a_bare_repository_gives_the_same_snapshot() {
    for format in ["sha1", "sha256"] {
        let dir = scratch();
        let expected = work_tree_store(dir.path());
        git(dir.path(), &["init", "-q", "--bare", &format!("--object-format={format}"), "bare.git"]);
        let made = done(dir.path(), &["init", "bare.git", "--ref", "docket-facts"]);
        assert_eq!(made["created"], true);
        assert_eq!(done(dir.path(), &["init", "bare.git", "--ref", "docket-facts"])["created"], false);
        let seen = done(dir.path(), &["--store", "bare.git", "observe", AT[0], AT[1], &thread()]);
        assert!(seen["commit"].is_string(), "facts on a branch are committed: {seen}");
        let again = done(dir.path(), &["--store", "bare.git", "observe", AT[0], AT[1], &thread()]);
        assert_eq!((&again["observed"], &again["commit"]), (&0.into(), &Value::Null), "{again}");
        let snapshot = done(dir.path(), &["--store", "bare.git", "snapshot", "--commit"]);
        assert_eq!(snapshot["snapshot"].as_str(), Some(expected.as_str()), "{format}");
        for at in ["docket-facts", "docket-snapshots"] {
            let verified = done(dir.path(), &["verify", "bare.git", "--at", at]);
            assert_eq!((&verified["verified"], &verified["anchor"]), (&true.into(), &"commit".into()), "{format} {at}");
        }
        git(&dir.path().join("bare.git"), &["fsck", "--strict"]);
        done(dir.path(), &["--store", "bare.git", "stage", ENTITY, "--out", "bare-stage"]);
        done(dir.path(), &["--store", "store", "stage", ENTITY, "--out", "tree-stage"]);
        assert_eq!(files(&dir.path().join("bare-stage")), files(&dir.path().join("tree-stage")));
    }
}

#[test]
fn separately_made_stores_begin_with_the_same_commit() {
    let dir = scratch();
    let first = done(dir.path(), &["init", "one"]);
    git(dir.path(), &["init", "-q", "-b", "elsewhere", "two"]);
    git(&dir.path().join("two"), &["config", "commit.gpgsign", "true"]);
    let second = done(dir.path(), &["init", "two"]);
    let third = done(dir.path(), &["init", "three.git", "--ref", "facts"]);
    assert!(first["commit"].is_string());
    assert_eq!(first["commit"], second["commit"]);
    assert_eq!(first["commit"], third["commit"]);
    for store in ["one", "two"] {
        let status = git(&dir.path().join(store), &["status", "--porcelain"]);
        assert!(status.stdout.is_empty(), "{store}: {}", String::from_utf8_lossy(&status.stdout));
    }
    let again = done(dir.path(), &["init", "one"]);
    assert_eq!((&again["created"], &again["commit"]), (&false.into(), &Value::Null));
}

#[test]
fn a_commit_leaves_the_work_tree_clean_and_foreign_files_alone() {
    let dir = scratch();
    work_tree_store(dir.path());
    let store = dir.path().join("store");
    assert!(git(&store, &["status", "--porcelain"]).stdout.is_empty());
    fs::write(store.join("mine.txt"), "mine").expect("a file of the user");
    let comments = arg(&testdata("forge/github/comments.json")).to_owned();
    done(dir.path(), &["--store", "store", "observe", "--commit", AT[0], AT[1], &comments]);
    assert_eq!(git(&store, &["status", "--porcelain"]).stdout, b"?? mine.txt\n");
}

#[test]
fn facts_that_were_filed_without_a_commit_get_in_with_the_next() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", AT[0], AT[1], &thread()]);
    let trailers = |dir: &Path| {
        done(dir, &["--store", "store", "snapshot", "--commit"]);
        String::from_utf8(git(&dir.join("store"), &["log", "-1", "--format=%B", "docket-snapshots"]).stdout)
            .expect("UTF-8")
    };
    assert!(trailers(dir.path()).contains("Docket-Facts: uncommitted"));
    let comments = arg(&testdata("forge/github/comments.json")).to_owned();
    done(dir.path(), &["--store", "store", "observe", "--commit", AT[0], AT[1], &comments]);
    assert!(git(&dir.path().join("store"), &["status", "--porcelain"]).stdout.is_empty());
    let head = String::from_utf8(git(&dir.path().join("store"), &["rev-parse", "HEAD"]).stdout).expect("UTF-8");
    assert!(trailers(dir.path()).contains(&format!("Docket-Facts: {}", head.trim())));
}

#[test]
fn a_snapshot_that_changes_nothing_makes_no_commit() {
    let dir = scratch();
    let id = work_tree_store(dir.path());
    let again = done(dir.path(), &["--store", "store", "snapshot", "--commit"]);
    assert_eq!((&again["commit"], &again["changed"]), (&Value::Null, &0.into()), "{again}");
    let looked = done(dir.path(), &["--store", "store", "snapshot"]);
    assert_eq!((&looked["changed"], looked["previous"].as_str()), (&0.into(), Some(id.as_str())), "{looked}");
    assert_eq!((again["snapshot"].as_str(), again["previous"].as_str()), (Some(id.as_str()), Some(id.as_str())));
}

/// A bare repository with facts and two snapshots, and a clone that has its branches of the remote only.
fn fresh_clone(dir: &Path) -> PathBuf {
    done(dir, &["init", "origin.git", "--ref", "docket-facts"]);
    for name in ["pull", "comments"] {
        let payload = testdata(&format!("threads/acme-web-42/{name}.json"));
        done(dir, &["--store", "origin.git", "observe", AT[0], AT[1], arg(&payload)]);
        done(dir, &["--store", "origin.git", "snapshot", "--commit"]);
    }
    git(dir, &["clone", "-q", "origin.git", "clone"]);
    dir.join("clone")
}

#[test]
fn a_store_that_only_a_remote_has_is_one_already() {
    let dir = scratch();
    fresh_clone(dir.path());
    let clone = dir.path().join("here");
    git(dir.path(), &["init", "-q", "-b", "main", "here"]);
    git(&clone, &["remote", "add", "origin", "../origin.git"]);
    git(&clone, &["fetch", "-q", "origin"]);
    let heads = || String::from_utf8(git(&clone, &["for-each-ref"]).stdout).expect("UTF-8");
    let before = heads();
    let said = done(&clone, &["init", "--ref", "docket-facts"]);
    assert_eq!(
        (&said["created"], &said["commit"], &said["branch"]),
        (&false.into(), &Value::Null, &"docket-facts".into())
    );
    let text = docket(&clone).args(["init", "--ref", "docket-facts"]).output().expect("run").stdout;
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(text.contains("refs/remotes/origin/docket-facts"), "{text}");
    assert_eq!(heads(), before, "nothing changed");
    assert!(done(&clone, &["show", "acme/web#42"])["coverage"].is_object(), "the facts of the remote are seen");
    // The name with the remote in front is no branch of ours, and what to say instead is said.
    for args in [vec!["init"], vec!["show", "acme/web#42"], vec!["verify"]] {
        let (status, said) = report(&clone, &[&["--ref", "origin/docket-facts"], &args[..]].concat());
        let hint = said["error"]["hint"].as_str().unwrap_or_default();
        assert!(status == 2 && hint.contains("--ref docket-facts"), "{args:?}: {said}");
    }
    assert_eq!(heads(), before);
    let files = testdata("threads/acme-web-42/reviews.json");
    let filed = ["observe", "--commit", AT[0], "2027-01-01T00:00:00Z", arg(&files)];
    assert!(done(&clone, &filed)["commit"].is_string());
    let is_behind = git(&clone, &["merge-base", "--is-ancestor", "origin/docket-facts", "docket-facts"]);
    assert!(is_behind.status.success(), "the first commit starts at the remote's");
}

#[test]
fn a_branch_that_is_no_store_is_named_with_what_to_do() {
    let dir = scratch();
    git(dir.path(), &["init", "-q", "-b", "main"]);
    let identity = ["-c", "user.name=x", "-c", "user.email=x@x"];
    git(dir.path(), &[&identity[..], &["commit", "-q", "--allow-empty", "-m", "a"]].concat());
    for args in [vec!["init"], vec!["show", "acme/web#42"]] {
        let (status, said) = report(dir.path(), &[&["--ref", "main"], &args[..]].concat());
        let error = &said["error"];
        assert_eq!((status, error["code"].as_str()), (2, Some("store-missing")), "{said}");
        assert!(error["message"].as_str().is_some_and(|text| text.starts_with("branch main: ")), "{said}");
        assert!(error["hint"].as_str().is_some_and(|text| text.contains("--ref")), "{said}");
    }
}

#[test]
fn a_snapshot_that_only_brings_the_branch_here_is_no_commit() {
    let dir = scratch();
    let clone = fresh_clone(dir.path());
    let seen = done(&clone, &["snapshot", "--commit"]);
    assert_eq!((&seen["commit"], &seen["changed"], &seen["removed"]), (&Value::Null, &0.into(), &0.into()), "{seen}");
    let here = git(&clone, &["rev-parse", "docket-snapshots", "origin/docket-snapshots"]);
    let here = String::from_utf8_lossy(&here.stdout);
    assert_eq!(here.lines().next(), here.lines().nth(1), "the branch is where the remote has it");
}

#[test]
fn steps_back_start_at_what_only_the_remote_has() {
    let dir = scratch();
    let clone = fresh_clone(dir.path());
    assert_eq!(done(&clone, &["verify", "--at", "docket-snapshots~1", "--rebuild"])["verified"], true);
    assert_eq!(done(&clone, &["verify", "--at", "docket-snapshots^"])["verified"], true);
    let changes = done(&clone, &["diff", "docket-snapshots~1", "docket-snapshots"]);
    assert_ne!(changes["changes"].as_array().map(Vec::len), Some(0), "{changes}");
    for at in ["docket-snapshots~1", "docket-facts~1", "docket-snapshots"] {
        let out = dir.path().join(at);
        done(&clone, &["stage", ENTITY, "--at", at, "--out", arg(&out)]);
        assert_eq!(out.join("comments").exists(), at == "docket-snapshots", "{at}");
    }
    for unknown in [
        "nosuch~1",
        "nosuch",
        "docket-snapshots~999",
        "docket-snapshots^2",
        "origin/docket-facts~999",
        "docket-snapshots@{1}",
    ] {
        for verb in [
            &["diff", unknown, "docket-snapshots"][..],
            &["verify", "--at", unknown],
            &["stage", ENTITY, "--at", unknown, "--out", "x"],
        ] {
            let (status, refused) = report(&clone, verb);
            assert_eq!((status, &refused["error"]["code"]), (2, &"revision-unknown".into()), "{verb:?}: {refused}");
            assert_ne!(refused["error"]["hint"], Value::Null, "{refused}");
        }
    }
}

#[test]
fn the_past_is_staged_as_it_was() {
    let dir = scratch();
    let then = work_tree_store(dir.path());
    done(dir.path(), &["--store", "store", "stage", ENTITY, "--out", "before"]);
    let text = fs::read_to_string(testdata("threads/acme-web-42/pull.json")).expect("the pull request");
    let later = text
        .replace("Round totals once, after tax", "Round half even")
        .replace("2026-03-04T15:22:10Z", "2026-03-06T00:00:00Z");
    fs::write(dir.path().join("later.json"), later).expect("a later look");
    done(
        dir.path(),
        &["--store", "store", "observe", "--commit", "--observed-at", "2026-03-07T00:00:00Z", "later.json"],
    );
    let now = done(dir.path(), &["--store", "store", "snapshot", "--commit"]);
    assert_eq!((&now["changed"], now["previous"].as_str()), (&1.into(), Some(then.as_str())), "{now}");
    for (at, out) in [(then.as_str(), "by-id"), ("HEAD~1", "by-facts"), ("docket-snapshots~1", "by-snapshot")] {
        done(dir.path(), &["--store", "store", "stage", ENTITY, "--at", at, "--out", out]);
        assert_eq!(files(&dir.path().join(out)), files(&dir.path().join("before")), "{at}");
    }
    let changes = done(&dir.path().join("store"), &["diff", "docket-snapshots~1", "docket-snapshots"]);
    let kinds: Vec<_> = changes["changes"].as_array().expect("changes").iter().map(|c| c["change"].clone()).collect();
    assert!(kinds.contains(&"title-edited".into()), "{kinds:?}");
    let (status, _) = report(&dir.path().join("store"), &["diff", "--exit-code", &then, "docket-snapshots"]);
    assert_eq!(status, 1);
}

#[test]
fn a_shallow_clone_of_the_snapshots_verifies() {
    let dir = scratch();
    let id = work_tree_store(dir.path());
    let url = format!("file://{}", dir.path().join("store").display());
    git(dir.path(), &["clone", "-q", "--depth=1", "--single-branch", "--branch", "docket-snapshots", &url, "view"]);
    let verified = done(dir.path(), &["verify", "view", "--index-digest", &id]);
    assert_eq!((&verified["verified"], &verified["anchor"]), (&true.into(), &"digest".into()), "{verified}");
    assert_eq!(done(dir.path(), &["verify", "view", "--at", "HEAD"])["verified"], true);
}

#[test]
fn rebuild_tells_a_snapshot_from_one_that_the_facts_do_not_give() {
    let dir = scratch();
    work_tree_store(dir.path());
    let store = dir.path().join("store");
    assert_eq!(done(&store, &["verify", "--at", "docket-snapshots", "--rebuild"])["verified"], true);
    assert_eq!(done(&store, &["verify", "--rebuild"])["verified"], true);
    done(&store, &["stage", ENTITY, "--out", arg(&dir.path().join("stage"))]);
    assert_eq!(done(dir.path(), &["--store", "store", "verify", "stage", "--rebuild"])["verified"], true);
    let comments = arg(&testdata("forge/github/comments.json")).to_owned();
    done(&store, &["observe", "--commit", AT[0], AT[1], &comments]);
    let (status, stale) = report(&store, &["verify", "--rebuild"]);
    assert_eq!((status, &stale["findings"][0]["code"]), (1, &"snapshot-stale".into()), "{stale}");
}

#[test]
fn a_whole_stage_of_other_facts_is_stale_and_a_damaged_one_damaged() {
    let dir = scratch();
    work_tree_store(dir.path());
    let store = dir.path().join("store");
    let stage = |out: &str, more: &[&str]| {
        let out = arg(&dir.path().join(out)).to_owned();
        done(&store, &[&["stage", ENTITY, "--out", &out], more].concat())["indexDigest"].clone()
    };
    let digest = stage("plain", &[]);
    assert_eq!(stage("recorded", &["--record"]), digest);
    fs::remove_dir_all(store.join("stages")).expect("the record is taken away for now");
    let comments = arg(&testdata("forge/github/comments.json")).to_owned();
    let text = fs::read_to_string(testdata("threads/acme-web-42/pull.json")).expect("the pull request");
    let later = text
        .replace("Round totals once, after tax", "Round half even")
        .replace("2026-03-04T15:22:10Z", "2026-03-06T00:00:00Z");
    fs::write(dir.path().join("later.json"), later).expect("a later look");
    done(&store, &["observe", "--observed-at", "2026-03-07T00:00:00Z", "../later.json", &comments]);
    let now = stage("now", &[]);
    assert_ne!(now, digest);
    let (status, stale) = report(&store, &["verify", "../plain", "--rebuild"]);
    let finding = serde_json::json!([{
        "code": "stage-stale", "path": "index.json", "expected": now, "actual": digest, "cause": "unknown",
    }]);
    assert_eq!((status, &stale["findings"]), (1, &finding), "{stale}");
    let notes = stale["notes"].as_array().expect("notes");
    let hint = notes.iter().find(|note| note["code"] == "facts-moved").expect("a hint")["text"].clone();
    let hint = hint.as_str().expect("a text");
    assert!(hint.contains(digest.as_str().expect("a digest")) && hint.contains("--replay"), "{hint}");
    // Damage comes first, and alone.
    let body = fs::read(dir.path().join("plain/body.md")).expect("the body");
    fs::write(dir.path().join("plain/body.md"), "short").expect("damage");
    let (_, found) = report(&store, &["verify", "../plain", "--rebuild"]);
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["findings"][0]["path"], "body.md", "{found}");
    fs::write(dir.path().join("plain/body.md"), body).expect("mended");
    // A recorded stage is compared with what its record gives.
    stage("recorded-now", &["--record"]);
    done(&store, &["observe", "--observed-at", "2026-03-08T00:00:00Z", &thread(), "../later.json"]);
    done(
        &store,
        &["observe", "--observed-at", "2026-03-09T00:00:00Z", arg(&testdata("threads/acme-web-42/pull.json"))],
    );
    assert_eq!(done(&store, &["verify", "../recorded-now", "--rebuild"])["verified"], true);
}

#[test]
fn verify_looks_where_the_store_is_said_to_be() {
    let dir = scratch();
    let id = work_tree_store(dir.path());
    fs::create_dir(dir.path().join("elsewhere")).expect("a directory");
    let elsewhere = dir.path().join("elsewhere");
    for at in ["docket-snapshots", id.as_str()] {
        let seen = done(&elsewhere, &["--store", "../store", "verify", "--at", at, "--rebuild"]);
        assert_eq!((&seen["verified"], &seen["anchor"]), (&true.into(), &"commit".into()), "{at}: {seen}");
    }
    assert_eq!(done(&elsewhere, &["--store", "../store", "verify", "--rebuild"])["verified"], true);
    let from_variable = |dir: &Path, store: &str, args: &[&str]| {
        docket(dir).env("GIT_DOCKET_STORE", store).args(args).output().expect("started").status.code()
    };
    assert_eq!(from_variable(&elsewhere, "../store", &["verify", "--at", "docket-snapshots"]), Some(0));
    assert_eq!(from_variable(&dir.path().join("store"), "", &["verify", "--at", "docket-snapshots"]), Some(0));
    assert_eq!(from_variable(&elsewhere, "", &["verify", "--at", "docket-snapshots"]), Some(2));
    let (status, refused) = report(&dir.path().join("store"), &["--store", "", "verify"]);
    assert_eq!((status, &refused["error"]["code"]), (2, &"usage".into()), "{refused}");
    done(dir.path(), &["--store", "store", "stage", ENTITY, "--out", "stage"]);
    let stage = arg(&dir.path().join("stage")).to_owned();
    assert_eq!(done(&dir.path().join("store"), &["verify", &stage, "--rebuild"])["verified"], true);
    assert_eq!(done(&elsewhere, &["--store", "../store", "verify", &stage, "--rebuild"])["verified"], true);
}

#[test]
fn a_whole_snapshot_of_other_facts_is_stale_and_a_damaged_one_damaged() {
    let dir = scratch();
    let id = work_tree_store(dir.path());
    let store = dir.path().join("store");
    git(&store, &["worktree", "add", "-q", "--detach", "../view", "docket-snapshots"]);
    assert_eq!(done(&store, &["verify", "../view", "--rebuild"])["verified"], true);
    let comments = arg(&testdata("forge/github/comments.json")).to_owned();
    done(&store, &["observe", AT[0], AT[1], &comments]);
    let now = done(&store, &["snapshot"]);
    let (status, stale) = report(&store, &["verify", "../view", "--rebuild"]);
    let finding = serde_json::json!([{
        "code": "snapshot-stale", "path": "index.json", "expected": now["snapshot"], "actual": id, "cause": "unknown",
    }]);
    assert_eq!((status, &stale["findings"]), (1, &finding), "{stale}");
    let damaged = files(&dir.path().join("view")).into_keys().find(|path| path.ends_with("entity.json"));
    let damaged = damaged.expect("an entity");
    fs::write(dir.path().join("view").join(&damaged), "{}").expect("damage");
    let (_, found) = report(&store, &["verify", "../view", "--rebuild"]);
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["findings"][0]["path"].as_str(), Some(damaged.as_str()), "{found}");
}

/// Files an observation again with something replaced, under the name that its bytes have then.
fn refile(store: &Path, path: &str, from: &str, to: &str) -> String {
    let text = fs::read_to_string(store.join(path)).expect("an observation");
    assert!(text.contains(from), "{text}");
    let text = text.replacen(from, to, 1);
    let digest = git_docket::format::digest::Digest::of(text.as_bytes()).hex()[..32].to_owned();
    fs::remove_file(store.join(path)).expect("removed");
    let (head, _) = path.rsplit_once('-').expect("a time and a digest");
    let path = format!("{head}-{digest}.json");
    fs::write(store.join(&path), text).expect("filed");
    path
}

#[test]
fn what_observations_claim_of_their_elements_is_derived_again() {
    for claim in ["\"content\":\"sha256:", "\"digest\":\"sha256:"] {
        let dir = scratch();
        work_tree_store(dir.path());
        let store = dir.path().join("store");
        let mut all = files(&store).into_keys().filter(|path| path.contains("/comments/"));
        let path = all.find(|path| path.starts_with("observations/")).expect("an observation");
        let text = fs::read_to_string(store.join(&path)).expect("an observation");
        let at = text.find(claim).expect("the claim") + claim.len();
        let (from, to) = (format!("{claim}{}", &text[at..at + 64]), format!("{claim}{}", "0".repeat(64)));
        let path = refile(&store, &path, &from, &to);
        assert_eq!(done(&store, &["verify"])["verified"], true, "{claim}: hashing alone does not derive");
        let (status, found) = report(&store, &["verify", "--rebuild"]);
        assert_eq!(status, 1, "{found}");
        let findings = found["findings"].as_array().expect("findings");
        assert_eq!(findings.len(), 1, "{found}");
        assert_eq!(findings[0]["code"], "observation-invalid", "{found}");
        assert_eq!(findings[0]["path"].as_str(), Some(path.as_str()), "{found}");
        let path = refile(&store, &path, "\"/0\"", "\"0\"");
        let (_, found) = report(&store, &["verify"]);
        assert_eq!(found["findings"][0]["path"].as_str(), Some(path.as_str()), "{found}");
        assert_eq!(found["findings"][0]["actual"], "0", "{found}");
    }
}

#[test]
fn recorded_threads_are_what_their_observations_claim() {
    let Some(threads) = crate::support::shared("data/threads/github") else { return };
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", "--commit", AT[0], AT[1], arg(&threads)]);
    let found = done(dir.path(), &["verify", "store", "--rebuild"]);
    assert_eq!(found["verified"], true, "{found}");
}

#[test]
fn what_is_not_a_store_is_refused_by_name() {
    let dir = scratch();
    let cases: [(&str, &[u8], &str); 3] = [
        ("newer", br#"{"format":2,"schema":"git-docket.store"}"#, "format-newer"),
        ("other", br#"{"name":"something else"}"#, "store-invalid"),
        ("broken", b"{", "store-invalid"),
    ];
    for (name, header, code) in cases {
        fs::create_dir(dir.path().join(name)).expect("a directory");
        fs::write(dir.path().join(name).join("docket.json"), header).expect("a header");
        let (status, refused) = report(dir.path(), &["--store", name, "observe", &thread()]);
        assert_eq!((status, &refused["error"]["code"]), (2, &code.into()), "{name}: {refused}");
    }
    let (status, refused) = report(dir.path(), &["--store", "nowhere", "snapshot"]);
    assert_eq!(status, 2, "{refused}");
    work_tree_store(dir.path());
    std::os::unix::fs::symlink("store", dir.path().join("link")).expect("a link");
    let (status, refused) = report(dir.path(), &["--store", "link", "snapshot"]);
    assert_eq!((status, &refused["error"]["code"]), (2, &"store-invalid".into()), "{refused}");
}

#[test]
fn writers_of_one_branch_lose_nothing() {
    let dir = scratch();
    done(dir.path(), &["init", "bare.git", "--ref", "docket-facts"]);
    let running: Vec<_> = (0..6)
        .map(|number| {
            let text = fs::read_to_string(testdata("threads/acme-web-42/comments.json")).expect("comments");
            let name = format!("comments-{number}.json");
            fs::write(
                dir.path().join(&name),
                text.replace("issues/42", &format!("issues/{}", 100 + number))
                    .replace("/pull/42", &format!("/pull/{}", 100 + number)),
            )
            .expect("a file");
            docket(dir.path())
                .args(["--quiet", "--store", "bare.git", "observe", &name])
                .stdout(std::process::Stdio::null())
                .spawn()
                .expect("started")
        })
        .collect();
    for mut one in running {
        assert!(one.wait().expect("ended").success());
    }
    let snapshot = done(dir.path(), &["--store", "bare.git", "snapshot"]);
    assert_eq!(snapshot["entities"], 6, "{snapshot}");
    assert_eq!(done(dir.path(), &["verify", "bare.git", "--at", "docket-facts"])["verified"], true);
}

#[test]
fn stores_made_at_the_same_time_are_one() {
    for more in [&[][..], &["--ref", "docket-facts"]] {
        let dir = scratch();
        for round in 0..4 {
            let name = format!("ci{round}");
            let run = |_| {
                let mut command = docket(dir.path());
                command.args(["--json", "init", &name]).args(more);
                command
                    .stdout(std::process::Stdio::piped())
                    .stderr(std::process::Stdio::piped())
                    .spawn()
                    .expect("started")
            };
            let running: Vec<_> = (0..6).map(run).collect();
            for child in running {
                checked(child.wait_with_output().expect("ended"), "init");
            }
            let root = dir.path().join(&name);
            if more.is_empty() {
                assert_eq!(done(dir.path(), &["verify", &name])["verified"], true);
                assert_eq!(git(&root, &["status", "--porcelain"]).stdout, b"");
                assert_eq!(fs::read_dir(&root).expect("listed").count(), 4);
            }
            assert_eq!(done(dir.path(), &[&["init", &name], more].concat())["created"], false);
            git(&root, &["fsck", "--strict"]);
        }
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 4, "nothing is left beside the stores");
    }
}

#[test]
fn an_init_that_is_refused_leaves_nothing() {
    for name in [".gitignore", ".gitattributes", "docket.json"] {
        let dir = scratch();
        fs::write(dir.path().join(name), "theirs\n").expect("written");
        let (status, refused) = report(dir.path(), &["init"]);
        assert_eq!(status, 2, "{name}: {refused}");
        assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1, "{name}");
    }
    let dir = scratch();
    git(dir.path(), &["init", "-q", "work"]);
    git(dir.path(), &["init", "-q", "--bare", "bare"]);
    for inside in ["work/.git", "work/.git/new", "bare", "bare/refs", "bare/new"] {
        let there = dir.path().join(inside).exists();
        let (status, refused) = report(dir.path(), &["init", inside]);
        assert_eq!((status, &refused["error"]["code"]), (2, &"inside-git-dir".into()), "{inside}");
        assert_eq!(dir.path().join(inside).exists(), there);
        assert!(!dir.path().join(inside).join("docket.json").exists());
    }
}

/// A snapshot of a part is compared in its scope, and one that does not tell it is not called stale for what it lacks.
#[test]
fn rebuild_derives_the_scope_that_the_commit_names() {
    let dir = scratch();
    work_tree_store(dir.path());
    let store = dir.path().join("store");
    let other = r#"{"number":1,"title":"t","state":"open","user":null,"created_at":"2026-01-01T00:00:00Z","body":null,
        "url":"https://api.github.com/repos/other/tool/issues/1","html_url":"https://github.com/other/tool/issues/1"}"#;
    fs::write(dir.path().join("other.json"), other).expect("written");
    done(&store, &["observe", "--commit", AT[0], AT[1], "../other.json"]);
    let part = ["snapshot", "--scope", "github:github.com/other", "--snapshot-ref", "part"];
    done(&store, &[&part[..], &["--commit"]].concat());
    assert_eq!(done(&store, &["verify", "--at", "part", "--rebuild"])["verified"], true);
    assert_eq!(done(&store, &["verify", "--rebuild", "--snapshot-ref", "part"])["verified"], true);
    git(&store, &["worktree", "add", "-q", "--detach", "../view", "part"]);
    assert_eq!(done(&store, &["verify", "../view", "--rebuild"])["verified"], true);
    done(&store, &[&part[..], &["--out", "../plain"]].concat());
    let (status, value) = report(&store, &["verify", "../plain", "--rebuild"]);
    assert_eq!((status, value["error"]["code"].as_str()), (2, Some("rebuild-unsupported")), "{value}");
    // What the facts give otherwise is stale whatever the scope is; against its own facts the commit is as it was.
    fs::write(dir.path().join("other.json"), other.replace("\"t\"", "\"u\"")).expect("written");
    done(&store, &["observe", "--commit", "--observed-at", "2026-05-01T00:00:00Z", "../other.json"]);
    assert_eq!(done(&store, &["verify", "--at", "part", "--rebuild"])["verified"], true);
    for (of, why) in [
        (&["../plain"][..], "compares one that was committed"),
        (&["--snapshot-ref", "part"], "facts were filed since"),
    ] {
        let (status, value) = report(&store, &[&["verify", "--rebuild"], of].concat());
        assert_eq!((status, value["findings"][0]["code"].as_str()), (1, Some("snapshot-stale")), "{value}");
        let notes = value["notes"].as_array().expect("notes");
        let moved = notes.iter().find(|note| note["code"] == "facts-moved").expect("that facts moved");
        assert!(moved["text"].as_str().expect("a text").contains(why), "{value}");
    }
}
