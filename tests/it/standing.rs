//! What `verify` takes for meant, and what a sparse checkout lacks: "verified" is never said of something else.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{arg, docket, done, git, report, scratch, testdata};

const AT: [&str; 2] = ["--observed-at", "2026-01-01T00:00:00Z"];

fn observe(dir: &Path, store: &str) {
    let thread = testdata("threads/acme-web-42");
    done(dir, &["--store", store, "observe", "--commit", AT[0], AT[1], arg(&thread)]);
}

/// A repository with facts and snapshots on their branches, and something else checked out.
fn repository(dir: &Path) {
    git(dir, &["init", "-q", "-b", "main", "repo"]);
    fs::write(dir.join("repo/README"), "ours").expect("written");
    git(&dir.join("repo"), &["add", "README"]);
    git(&dir.join("repo"), &["commit", "-q", "-m", "ours"]);
    done(dir, &["init", "repo", "--ref", "docket-facts"]);
    let thread = testdata("threads/acme-web-42");
    done(dir, &["--store", "repo", "observe", AT[0], AT[1], arg(&thread)]);
    done(dir, &["--store", "repo", "snapshot", "--commit"]);
}

fn codes(report: &Value) -> Vec<(&str, &str)> {
    let rows = report["findings"].as_array().expect("findings").iter();
    rows.map(|row| (row["code"].as_str().expect("a code"), row["path"].as_str().expect("a path"))).collect()
}

fn branch_was_checked(report: &Value) -> bool {
    report["notes"].as_array().expect("notes").iter().any(|note| note["code"] == "branch-checked")
}

/// The first element of a store.
fn element(store: &Path) -> String {
    let mut found: Vec<_> = crate::support::files(&store.join("objects")).into_keys().collect();
    found.sort();
    format!("objects/{}", found[0])
}

#[test]
fn a_store_that_lost_its_header_is_checked_itself() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    observe(dir.path(), "store");
    // The branch of the same repository is whole, and not what is meant.
    let branch = git(&dir.path().join("store"), &["branch", "--show-current"]).stdout;
    assert_eq!(branch, b"docket-facts\n");
    let store = dir.path().join("store");
    let damaged = element(&store);
    fs::remove_file(store.join("docket.json")).expect("removed");
    fs::write(store.join(&damaged), "junk").expect("written");
    let expected = [("file-missing", "docket.json"), ("element-corrupt", damaged.as_str())];
    for (here, args) in [
        (".", &["verify", "store"][..]),
        (".", &["--store", "store", "verify"]),
        ("store", &["verify"]),
        ("store/observations", &["verify"]),
        ("store", &["verify", "."]),
    ] {
        let (status, found) = report(&dir.path().join(here), args);
        assert_eq!(status, 1, "{here} {args:?}: {found}");
        assert_eq!(codes(&found), expected, "{here} {args:?}");
        assert_eq!((&found["anchor"], branch_was_checked(&found)), (&"none".into(), false), "{found}");
    }
    // Only git still knows what it was.
    fs::remove_dir_all(store.join("observations")).expect("removed");
    fs::remove_dir_all(store.join("objects")).expect("removed");
    let (status, refused) = report(dir.path(), &["verify", "store"]);
    assert_eq!((status, &refused["error"]["code"]), (2, &"verify-nothing".into()), "{refused}");
}

#[test]
fn a_damaged_checkout_of_snapshots_is_not_the_facts() {
    let dir = scratch();
    repository(dir.path());
    git(&dir.path().join("repo"), &["worktree", "add", "-q", "../linked", "docket-snapshots"]);
    git(dir.path(), &["clone", "-q", "-b", "docket-snapshots", "repo", "clone"]);
    git(&dir.path().join("clone"), &["fetch", "-q", "origin", "docket-facts:docket-facts"]);
    for name in ["linked", "clone"] {
        let tree = dir.path().join(name);
        assert_eq!(done(dir.path(), &["verify", name])["notes"][0]["code"], "not-authenticated", "{name}");
        fs::remove_dir_all(tree.join("github")).expect("removed");
        let (status, found) = report(dir.path(), &["verify", name]);
        assert_eq!(status, 1, "{name}: {found}");
        fs::remove_file(tree.join("index.json")).expect("removed");
        fs::write(tree.join("junk"), "x").expect("written");
        for (here, args) in [(".", &["verify", name][..]), (name, &["verify"])] {
            let (status, found) = report(&dir.path().join(here), args);
            assert_eq!((status, &found["error"]["code"]), (2, &"verify-nothing".into()), "{name} {args:?}: {found}");
        }
        // The index alone is lost: what is left says what it is.
        git(&tree, &["checkout", "-q", "--", "github"]);
        let (status, found) = report(dir.path(), &["verify", name]);
        assert_eq!((status, &found["error"]["code"]), (2, &"verify-nothing".into()), "{name}: {found}");
    }
}

#[test]
fn a_branch_is_checked_where_no_store_stands_and_that_is_said() {
    let dir = scratch();
    repository(dir.path());
    git(dir.path(), &["clone", "-q", "--bare", "repo", "bare.git"]);
    fs::create_dir_all(dir.path().join("repo/github/objects")).expect("made");
    for (here, args) in [
        (".", &["verify", "repo"][..]),
        (".", &["verify", "bare.git"]),
        (".", &["--store", "bare.git", "verify"]),
        ("repo", &["verify"]),
        ("repo/github", &["verify"]),
        (".", &["verify", "repo/.git"]),
    ] {
        let found = done(&dir.path().join(here), args);
        assert_eq!((&found["verified"], &found["anchor"]), (&true.into(), &"commit".into()), "{args:?}: {found}");
        assert!(branch_was_checked(&found), "{args:?}: {found}");
    }
    // Whoever names it knows it.
    let found = done(dir.path(), &["verify", "repo", "--ref", "docket-facts"]);
    assert_eq!((branch_was_checked(&found), &found["anchor"]), (false, &"commit".into()), "{found}");
    assert_eq!(done(dir.path(), &["verify", "repo", "--rebuild"])["verified"], true);
}

/// Folders that only bear such names are no store, and a stage without its index is what is meant.
#[test]
fn what_is_a_damaged_tree_is_told_by_what_lies_in_it() {
    let dir = scratch();
    repository(dir.path());
    let repo = dir.path().join("repo");
    for folder in ["objects/3d", "github/v1.2"] {
        fs::create_dir_all(repo.join(folder)).expect("made");
        fs::write(repo.join(folder).join("model.obj"), "ours").expect("written");
    }
    assert!(branch_was_checked(&done(dir.path(), &["verify", "repo"])));
    let thread = testdata("threads/acme-web-42");
    done(dir.path(), &["stage", "--from", arg(&thread), "--out", "stage"]);
    for (path, bytes) in crate::support::files(&dir.path().join("stage")) {
        let to = repo.join(&path);
        fs::create_dir_all(to.parent().expect("a parent")).expect("made");
        fs::write(to, bytes).expect("written");
    }
    fs::remove_file(repo.join("index.json")).expect("removed");
    let (status, said) = report(dir.path(), &["verify", "repo"]);
    assert_eq!((status, &said["error"]["code"]), (2, &"verify-nothing".into()), "{said}");
}

#[test]
fn git_in_a_stage_stays_extra_whatever_its_commit_holds() {
    let dir = scratch();
    let thread = testdata("threads/acme-web-42");
    done(dir.path(), &["stage", "--from", arg(&thread), "--out", "stage"]);
    done(dir.path(), &["init", "store"]);
    fs::rename(dir.path().join("store/.git"), dir.path().join("stage/.git")).expect("moved");
    let (status, found) = report(dir.path(), &["verify", "stage"]);
    assert_eq!(status, 1, "{found}");
    assert!(codes(&found).iter().all(|(code, path)| *code == "file-extra" && path.starts_with(".git/")), "{found}");
}

#[test]
fn a_sparse_checkout_is_refused_by_name_and_nothing_is_committed() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    observe(dir.path(), "store");
    done(dir.path(), &["--store", "store", "snapshot", "--commit"]);
    let url = format!("file://{}", arg(&dir.path().join("store")));
    git(dir.path(), &["clone", "-q", "--sparse", &url, "sparse"]);
    let sparse = dir.path().join("sparse");
    git(&sparse, &["fetch", "-q", "origin", "docket-snapshots:docket-snapshots"]);
    assert!(sparse.join("docket.json").is_file() && !sparse.join("objects").exists(), "git made a sparse clone");
    let before = git(&sparse, &["rev-parse", "docket-snapshots"]).stdout;
    let branch = String::from_utf8(git(&sparse, &["branch", "--show-current"]).stdout).expect("UTF-8");
    let thread = testdata("threads/acme-web-42");
    for args in [
        &["--store", "sparse", "snapshot", "--commit"][..],
        &["--store", "sparse", "snapshot"],
        &["--store", "sparse", "stage", "acme/web#42", "--out", "out"],
        &["--store", "sparse", "show", "acme/web#42"],
        &["--store", "sparse", "observe", arg(&thread)],
        &["--store", "sparse", "verify"],
        &["verify", "sparse"],
        &["verify", "sparse", "--rebuild"],
        &["sums", "sparse"],
    ] {
        let (status, refused) = report(dir.path(), args);
        assert_eq!((status, refused["error"]["code"].as_str()), (2, Some("store-sparse")), "{args:?}: {refused}");
        let hint = refused["error"]["hint"].as_str().expect("a way out");
        assert!(hint.contains("git sparse-checkout disable") && hint.contains(branch.trim()), "{hint}");
    }
    assert_eq!(git(&sparse, &["rev-parse", "docket-snapshots"]).stdout, before);
    let said = docket(&sparse).args(["verify"]).output().expect("started");
    assert_eq!(said.status.code(), Some(2));
    // Both ways out.
    let read = done(dir.path(), &["--store", "sparse", "--ref", branch.trim(), "snapshot"]);
    assert_eq!((&read["entities"], &read["removed"], &read["changed"]), (&1.into(), &0.into(), &0.into()), "{read}");
    assert_eq!(done(dir.path(), &["verify", "sparse", "--at", "HEAD"])["verified"], true);
    git(&sparse, &["sparse-checkout", "set", "objects"]);
    let (status, refused) = report(dir.path(), &["verify", "sparse"]);
    assert_eq!((status, &refused["error"]["code"]), (2, &"store-sparse".into()), "{refused}");
    git(&sparse, &["sparse-checkout", "set", "objects", "observations"]);
    assert_eq!(done(dir.path(), &["verify", "sparse"])["verified"], true);
    assert_eq!(done(dir.path(), &["--store", "sparse", "snapshot"])["removed"], 0);
    git(&sparse, &["sparse-checkout", "set", "--sparse-index", "objects"]);
    assert_eq!(report(dir.path(), &["verify", "sparse"]).0, 2, "folded directories are left out too");
    git(&sparse, &["sparse-checkout", "disable"]);
    assert_eq!(done(dir.path(), &["verify", "sparse"])["verified"], true);
}

/// What a clone lacks is named, and how to get it: it is no trouble of the disk.
#[test]
fn a_clone_without_blobs_is_refused_by_name() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    observe(dir.path(), "store");
    git(&dir.path().join("store"), &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", arg(&dir.path().join("store")));
    git(dir.path(), &["clone", "-q", "--bare", "--filter=blob:none", &url, "partial"]);
    let branch =
        String::from_utf8(git(&dir.path().join("partial"), &["branch", "--show-current"]).stdout).expect("UTF-8");
    let thread = testdata("threads/acme-web-42");
    for args in [
        &["stage", "acme/web#42", "--out", "out"][..],
        &["show", "acme/web#42"],
        &["snapshot"],
        &["observe", arg(&thread)],
    ] {
        let args = [&["--store", "partial", "--ref", branch.trim()], args].concat();
        let (status, refused) = report(dir.path(), &args);
        assert_eq!((status, refused["error"]["code"].as_str()), (2, Some("object-missing")), "{args:?}: {refused}");
        let hint = refused["error"]["hint"].as_str().expect("a way out");
        assert!(hint.contains("git fetch --refetch --no-filter"), "{hint}");
    }
}
