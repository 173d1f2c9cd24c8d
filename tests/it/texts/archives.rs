//! Archives of logs: the layouts of a download, and every hostile form.

use serde_json::Value;

use super::zip::{Entry, entry, zip};
use super::{Bench, checks, gaps};
use crate::support::{arg, files};

/// Files an archive and gives the code of its refusal.
fn refusal(bytes: &[u8]) -> String {
    let bench = Bench::new();
    let path = bench.file("run.zip", bytes);
    bench.refused(&[&format!("logs={}", arg(&path))])
}

#[test]
fn hostile_archives_are_refused_with_their_code() {
    let plain = || entry("build/1_a.txt", "text\n");
    let with = |change: fn(&mut Entry)| {
        let mut one = plain();
        change(&mut one);
        zip(&[entry("build/2_b.txt", "other\n"), one])
    };
    let zeros = vec![0; 9 << 20];
    let whole = zip(&[plain()]);
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a parent", zip(&[entry("../1_a.txt", "x")]), "zip-path-unsafe"),
        ("a parent inside", zip(&[entry("a/../../1_a.txt", "x")]), "zip-path-unsafe"),
        ("an absolute name", zip(&[entry("/etc/1_a.txt", "x")]), "zip-path-unsafe"),
        ("a drive", zip(&[entry("C:/1_a.txt", "x")]), "zip-path-unsafe"),
        ("a backslash", zip(&[entry("..\\1_a.txt", "x")]), "zip-path-unsafe"),
        ("a NUL", zip(&[entry("1_a.txt\0.png", "x")]), "zip-path-unsafe"),
        ("no name", zip(&[entry("", "x")]), "zip-path-unsafe"),
        ("git's directory", zip(&[entry(".git/1_a.txt", "x")]), "zip-path-unsafe"),
        ("a link", with(|one| one.mode = 0o120_777), "zip-not-regular-file"),
        ("a pipe", with(|one| one.mode = 0o010_644), "zip-not-regular-file"),
        ("a password", with(|one| one.flags = 1), "zip-encrypted"),
        ("a name twice", zip(&[plain(), plain()]), "zip-duplicate-name"),
        ("shared bytes", with(|one| (one.at, one.name) = (Some(0), b"build/2_b.txt".to_vec())), "zip-duplicate-name"),
        ("two names", with(|one| one.local_name = Some(b"build/9_z.txt".to_vec())), "zip-invalid"),
        ("a wrong checksum", with(|one| one.checksum = Some(7)), "zip-corrupt"),
        ("a wrong size", with(|one| one.size = Some(3)), "zip-corrupt"),
        ("a larger size", with(|one| one.size = Some(9)), "zip-corrupt"),
        ("bytes behind the stream", with(|one| one.behind = b"hidden"), "zip-corrupt"),
        ("a byte behind the stream", with(|one| one.behind = b"\0"), "zip-corrupt"),
        ("another method", with(|one| one.method = 12), "zip-unsupported"),
        ("a bomb", zip(&[entry("1_a.txt", zeros)]), "zip-too-large"),
        ("a bomb by its word", with(|one| one.size = Some(600 << 20)), "zip-too-large"),
        ("no end", whole[..whole.len() - 30].to_vec(), "zip-invalid"),
        ("a cut directory", [&whole[..whole.len() - 40], &whole[whole.len() - 22..]].concat(), "zip-invalid"),
        ("bytes before", [b"PK\x03\x04junk".as_slice(), &whole].concat(), "zip-invalid"),
    ];
    for (what, bytes, code) in cases {
        assert_eq!(refusal(&bytes), code, "{what}");
    }
}

#[test]
fn entries_that_overlap_or_are_too_many_are_refused() {
    // A quine of entries: the second lies inside the content of the first.
    let inner = zip(&[entry("1_b.txt", "inner\n")]);
    let local_end = inner.len() - 22 - (46 + 7);
    let mut outer = entry("1_a.txt", inner[..local_end].to_vec());
    outer.method = 0;
    let mut second = entry("1_b.txt", "inner\n");
    second.at = Some(30 + 7);
    assert_eq!(refusal(&zip(&[outer, second])), "zip-overlapping");
    let many: Vec<_> = (0..10_001).map(|at| entry(&format!("{at}_a.txt"), "")).collect();
    assert_eq!(refusal(&zip(&many)), "zip-too-large");
}

#[test]
fn any_byte_of_an_archive_may_be_wrong() {
    let whole = zip(&[entry("build/1_a.txt", "one\n"), entry("0_build.txt", "all\n")]);
    for at in 0..whole.len() {
        for value in [0, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            // Either understood or refused: never a panic, never half of it.
            if let Ok(files) = git_docket::forge::zip::read(&bytes) {
                assert!(files.len() <= 2, "{at}");
            }
        }
        assert!(git_docket::forge::zip::read(&whole[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn steps_follow_each_other_and_a_whole_job_is_better() {
    let bench = Bench::new();
    let archive = zip(&[
        entry("lint/", ""),
        entry("lint/10_last.txt", "ten\n"),
        entry("lint/2_then.txt", "two\r\n"),
        entry("lint/system.txt", "runner"),
        entry("0_build.txt", "whole\n"),
        entry("build/1_part.txt", "part\n"),
        entry("build/inner.zip", "PK\x03\x04"),
        entry("__MACOSX/lint/._2_then.txt", "junk"),
    ]);
    let path = bench.file("run.zip", archive);
    let seen = bench.observe(&[arg(&path)]);
    assert_eq!(seen["observed"], 3, "{seen}");
    let left: Vec<_> = seen["unrecognised"].as_array().expect("rows").iter().map(|row| row["reason"].clone()).collect();
    assert_eq!(left, ["not-a-log", "not-a-log"], "{seen}");
    for row in seen["inputs"].as_array().expect("inputs") {
        let (name, digest) = (row["input"].as_str().expect("a name"), row["digest"].as_str().expect("a digest"));
        if name.ends_with("2_then.txt") {
            assert_eq!(bench.raw(digest), b"two\r\n");
        }
    }
    let tree = files(&bench.snapshot());
    assert_eq!(tree["checks/unattached-lint/log.txt"], b"two\r\nten\nrunner");
    assert_eq!(tree["checks/unattached-build/log.txt"], b"whole\n");
}

#[test]
fn a_directory_is_read_like_an_archive() {
    let bench = Bench::new();
    bench.file("log/build/1_Set up job.txt", "up\n");
    bench.file("log/build/2_Run.txt", "run\n");
    bench.file("log/0_test.txt", "test\n");
    bench.file("log/deploy.log", "deploy\n");
    bench.file("log/77.txt", "by id\n");
    bench.observe(&[&format!("logs={}", arg(&bench.root().join("log")))]);
    let tree = files(&bench.snapshot());
    let logs: Vec<_> = tree.iter().filter(|(path, _)| path.ends_with("log.txt")).collect();
    let shown: Vec<_> = logs.iter().map(|(path, bytes)| (path.as_str(), String::from_utf8_lossy(bytes))).collect();
    assert_eq!(
        shown.iter().map(|(path, text)| (*path, text.as_ref())).collect::<Vec<_>>(),
        [
            ("checks/unattached-build/log.txt", "up\nrun\n"),
            ("checks/unattached-deploy/log.txt", "deploy\n"),
            ("checks/unattached-test/log.txt", "test\n"),
            ("checks/undated-77/log.txt", "by id\n"),
        ]
    );
}

#[test]
fn an_unasked_directory_shows_its_logs_by_their_times() {
    let bench = Bench::new();
    bench.file(
        "thread/checks.json",
        checks(&[(5, "build", "2026-01-02T03:00:00Z", "2026-01-02T03:09:00Z")]).to_string(),
    );
    bench.file("thread/header.json", super::header(1, 1, 0).to_string());
    bench.file("thread/logs/0_build.txt", "2026-01-02T03:01:00.0000000Z began\n");
    bench.file("thread/notes.txt", "2026-01-02T03:01:00.0000000Z no log by its name\n");
    bench.file("thread/2_letters.txt", "no log by its content\n");
    let seen = bench.observe(&["--complete", arg(&bench.root().join("thread"))]);
    let left: Vec<_> = seen["unrecognised"].as_array().expect("rows").iter().map(|row| row["reason"].clone()).collect();
    assert_eq!(left, ["not-json", "not-json"], "{seen}");
    let (out, index) = bench.stage(&[]);
    assert!(out.join("checks/undated-5/log.txt").is_file());
    assert_eq!(gaps(&index, "logs"), []);
    assert_eq!(index["coverage"]["logs"]["state"], Value::from("complete"), "{index}");
}

#[test]
fn archives_that_prove_nothing_are_left_aside() {
    let bench = Bench::new();
    let empty = bench.file("empty.zip", zip(&[]));
    assert_eq!(bench.refused(&[&format!("logs={}", arg(&empty))]), "nothing-recognised");
    let other = bench.file("other.zip", zip(&[entry("word/document.xml", "<x/>")]));
    assert_eq!(bench.refused(&[arg(&other)]), "nothing-recognised");
}
