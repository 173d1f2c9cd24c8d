//! Targets of whole trees: nothing is ever destroyed that we did not write, and nothing waits for ever.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{arg, checked, docket, done, files, git, report, scratch, testdata};

fn payloads() -> String {
    arg(&testdata("threads/acme-web-42")).to_owned()
}

fn stage(dir: &Path, out: &str, more: &[&str]) -> (i32, serde_json::Value) {
    report(dir, &[&["stage", "--from", &payloads(), "--out", out], more].concat())
}

fn refused(answer: &(i32, serde_json::Value), code: &str, naming: &str) {
    assert_eq!((answer.0, answer.1["error"]["code"].as_str()), (2, Some(code)), "{}", answer.1);
    let message = answer.1["error"]["message"].as_str().expect("a message");
    assert!(message.contains(naming), "{naming}: {message}");
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
}

/// A store with the facts of one thread.
fn store(dir: &Path) {
    done(dir, &["init", "store"]);
    done(dir, &["--store", "store", "observe", &payloads()]);
}

#[test]
fn only_a_tree_that_is_ours_to_the_last_path_is_replaced() {
    type Put = (&'static str, fn(&Path));
    let foreign: [Put; 7] = [
        ("notes.txt", |at| fs::write(at, "mine").expect("written")),
        ("deep/notes.txt", |at| {
            fs::create_dir(at.parent().expect("above")).and_then(|()| fs::write(at, "")).expect("made")
        }),
        (".git/config", |at| {
            fs::create_dir(at.parent().expect("above")).and_then(|()| fs::write(at, "")).expect("made")
        }),
        (".git", |at| fs::write(at, "gitdir: elsewhere").expect("written")),
        ("link", |at| symlink("body.md", at).expect("linked")),
        ("pipe", fifo),
        ("comments/mine.md", |at| fs::write(at, "mine").expect("written")),
    ];
    let dir = scratch();
    store(dir.path());
    for (path, put) in foreign {
        let out = dir.path().join("out");
        assert_eq!(stage(dir.path(), "out", &[]).0, 0);
        put(&out.join(path));
        let before = (files(&out), out.join(path).symlink_metadata().is_ok());
        refused(&stage(dir.path(), "out", &["--replace"]), "target-not-a-stage", path);
        let snapshot = report(dir.path(), &["--store", "store", "snapshot", "--out", "out", "--replace"]);
        refused(&snapshot, "target-not-a-stage", path);
        assert_eq!((files(&out), out.join(path).symlink_metadata().is_ok()), before, "{path}");
        fs::remove_dir_all(&out).expect("cleared");
    }
    assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 1, "nothing is left beside the store");
}

#[test]
fn a_target_whose_index_is_none_is_refused_at_once() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    for name in ["pipe", "link", "text", "device"] {
        fs::create_dir(at(name)).expect("made");
        let index = at(name).join("index.json");
        match name {
            "pipe" => fifo(&index),
            "link" => {
                assert_eq!(stage(dir.path(), "real", &[]).0, 0);
                symlink("../real/index.json", &index).expect("linked");
            }
            "device" => symlink("/dev/zero", &index).expect("linked"),
            _ => fs::write(&index, "{}").expect("written"),
        }
        refused(&stage(dir.path(), name, &["--replace"]), "target-not-a-stage", "index.json");
        assert!(index.symlink_metadata().is_ok());
    }
    symlink("real", at("way")).expect("linked");
    for way in ["way", "way/", "way/."] {
        refused(&stage(dir.path(), way, &["--replace"]), "target-not-a-stage", "link");
    }
    fs::write(at("file"), "mine").expect("written");
    refused(&stage(dir.path(), "file", &["--replace"]), "target-not-a-stage", "file");
    assert_eq!(fs::read(at("file")).expect("read"), b"mine");
    assert_eq!(stage(dir.path(), "real", &["--replace"]).0, 0);
}

#[test]
fn a_snapshot_is_replaced_only_on_demand() {
    let dir = scratch();
    store(dir.path());
    let args = ["--store", "store", "snapshot", "--out", "out"];
    done(dir.path(), &args);
    let before = files(&dir.path().join("out"));
    refused(&report(dir.path(), &args), "target-exists", "out");
    done(dir.path(), &[&args[..], &["--replace"]].concat());
    assert_eq!(files(&dir.path().join("out")), before);
}

#[test]
fn no_target_lies_in_a_git_directory_or_a_store_and_in_a_work_tree_only_on_demand() {
    let dir = scratch();
    store(dir.path());
    git(dir.path(), &["init", "-q", "work"]);
    git(dir.path(), &["init", "-q", "--bare", "bare"]);
    fs::create_dir(dir.path().join("plain")).expect("made");
    fs::copy(dir.path().join("store/docket.json"), dir.path().join("plain/docket.json")).expect("copied");
    symlink("work", dir.path().join("way")).expect("linked");
    let cases = [
        ("work/out", true),
        ("way/out", true),
        ("work/.git/out", false),
        ("work/.git/refs/out", false),
        ("bare/out", false),
        ("bare/refs/out", false),
        ("store/out", false),
        ("store/objects/out", false),
        ("plain/out", false),
        (".git", false),
    ];
    for (out, on_demand) in cases {
        let snapshot =
            |more: &[&str]| report(dir.path(), &[&["--store", "store", "snapshot", "--out", out], more].concat());
        refused(&stage(dir.path(), out, &[]), "target-inside-worktree", out);
        refused(&snapshot(&[]), "target-inside-worktree", out);
        let allowed = stage(dir.path(), out, &["--allow-inside-worktree"]);
        if on_demand {
            assert_eq!(allowed.0, 0, "{out}: {}", allowed.1);
            assert_eq!(snapshot(&["--replace", "--allow-inside-worktree"]).0, 0, "{out}");
            fs::remove_dir_all(dir.path().join(out)).expect("cleared");
        } else {
            refused(&allowed, "target-inside-worktree", out);
            refused(&snapshot(&["--allow-inside-worktree"]), "target-inside-worktree", out);
        }
        assert!(!dir.path().join(out).exists(), "{out}");
    }
}

#[test]
fn parallel_runs_onto_one_target_all_succeed() {
    let dir = scratch();
    for round in 0..4 {
        let out = format!("out{}", round / 2);
        let run = |_| {
            let args = ["stage", "--from", &payloads(), "--out", &out, "--replace"];
            docket(dir.path()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started")
        };
        let running: Vec<_> = (0..6).map(run).collect();
        for child in running {
            checked(child.wait_with_output().expect("ended"), "stage --replace");
        }
        assert_eq!(done(dir.path(), &["verify", &out])["verified"], true);
    }
    let names: Vec<_> = fs::read_dir(dir.path()).expect("listed").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn git_in_a_stage_is_extra_and_in_a_work_tree_it_is_not() {
    let dir = scratch();
    store(dir.path());
    done(dir.path(), &["--store", "store", "snapshot", "--out", "snapshot"]);
    assert_eq!(stage(dir.path(), "stage", &[]).0, 0);
    for tree in ["stage", "snapshot"] {
        fs::create_dir_all(dir.path().join(tree).join(".git/hooks")).expect("made");
        fs::write(dir.path().join(tree).join(".git/hooks/run"), "evil").expect("written");
    }
    // A header beside the index makes no store of a stage.
    for header in [false, true] {
        if header {
            fs::copy(dir.path().join("store/docket.json"), dir.path().join("stage/docket.json")).expect("copied");
        }
        let index =
            git_docket::format::digest::Digest::of(&fs::read(dir.path().join("stage/index.json")).expect("read"));
        let (status, found) = report(dir.path(), &["verify", "stage", "--index-digest", &index.to_string()]);
        let extra: Vec<_> =
            found["findings"].as_array().expect("findings").iter().map(|f| (&f["code"], &f["path"])).collect();
        assert_eq!((status, extra[0]), (1, (&"file-extra".into(), &".git/hooks/run".into())), "{found}");
    }
    for tree in ["snapshot", "store"] {
        assert_eq!(done(dir.path(), &["verify", tree])["verified"], true, "{tree}");
    }
    fs::create_dir_all(dir.path().join("neither/.git")).expect("made");
    fs::write(dir.path().join("neither/.git/config"), "").expect("written");
    refused(&report(dir.path(), &["sums", "neither"]), "sums-nothing", "index.json");
}

#[test]
fn what_is_held_in_memory_is_bounded_and_digests_stream() {
    let dir = scratch();
    let huge = fs::File::create(dir.path().join("huge")).expect("made");
    huge.set_len((1 << 30) + 1).expect("a hole");
    refused(&report(dir.path(), &["canon", "huge"]), "input-too-large", "huge");
    refused(&report(dir.path(), &["digest", "--json-string", "huge"]), "input-too-large", "huge");
    refused(&stage(dir.path(), "out", &["--profile", "huge"]), "input-too-large", "huge");
    // A device tells no size: only the bound ends the reading.
    refused(&stage(dir.path(), "out", &["--profile", "/dev/zero"]), "input-too-large", "/dev/zero");
    assert!(!dir.path().join("out").exists());
    huge.set_len((4 << 20) + 1).expect("shorter");
    let digest = git_docket::format::digest::Digest::of(&vec![0; (4 << 20) + 1]).to_string();
    assert_eq!(done(dir.path(), &["digest", "huge"])["digests"][0]["digest"].as_str(), Some(digest.as_str()));
}

#[test]
fn a_pipe_or_device_in_the_place_of_an_index_holds_nobody() {
    let dir = scratch();
    assert_eq!(stage(dir.path(), "good", &[]).0, 0);
    for name in ["pipe", "device"] {
        let root = dir.path().join(name);
        fs::create_dir(&root).expect("made");
        if name == "pipe" {
            fifo(&root.join("index.json"));
        } else {
            symlink("/dev/zero", root.join("index.json")).expect("linked");
        }
        let (status, found) = report(dir.path(), &["verify", name]);
        assert_eq!((status, found["findings"][0]["code"].as_str()), (1, Some("not-regular-file")), "{found}");
        for args in [["diff", name, "good"], ["diff", "good", name]] {
            refused(&report(dir.path(), &args), "diff-nothing", "index.json");
        }
        refused(&report(dir.path(), &["sums", name]), "sums-nothing", "index.json");
    }
}

#[test]
fn what_killed_runs_left_is_swept_and_nothing_else() {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    let temp = dir.path().join("store/.git/docket/tmp");
    let at = |name: &str| temp.join(name);
    fs::create_dir_all(at("put-1-0/deep")).expect("made");
    fs::write(at("put-1-0/0"), "half").expect("written");
    fs::create_dir_all(at("put-2-0")).expect("made");
    fs::create_dir_all(at("mine")).expect("made");
    fs::write(at("put-file"), "not ours").expect("written");
    symlink("../../..", at("put-link")).expect("linked");
    // A writer that lives holds its directory.
    let alive = fs::File::open(at("put-2-0")).expect("opened");
    rustix::fs::flock(&alive, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    done(dir.path(), &["--store", "store", "observe", &payloads()]);
    let left = || {
        let mut names: Vec<_> =
            fs::read_dir(&temp).expect("listed").map(|e| e.expect("an entry").file_name().into_string()).collect();
        names.sort();
        names.into_iter().map(|name| name.expect("UTF-8")).collect::<Vec<_>>()
    };
    assert_eq!(left(), ["mine", "put-2-0", "put-file", "put-link"]);
    drop(alive);
    done(dir.path(), &["--store", "store", "observe", "--record-look", &payloads()]);
    assert_eq!(left(), ["mine", "put-file", "put-link"]);
    assert!(dir.path().join("store/docket.json").exists());
}
