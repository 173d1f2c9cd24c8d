//! The diff of a pull request: as it was given, file by file, and against what else is known of the change.

use serde_json::{Value, json};

use super::{Bench, entry, gaps, header};
use crate::support::{arg, done, files};

const DIFF: &str = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\
    diff --git a/Old b/New\nsimilarity index 100%\nrename from Old\nrename to New\n\
    diff --git a/pic b/pic\nindex 3..4 100644\nBinary files a/pic and b/pic differ\n";

fn listed(path: &str, status: &str, additions: u64, deletions: u64, patch: Option<&str>) -> Value {
    let mut file =
        json!({"filename": path, "status": status, "additions": additions, "deletions": deletions, "sha": super::HEAD});
    if let Some(patch) = patch {
        file["patch"] = patch.into();
    }
    if status == "renamed" {
        file["previous_filename"] = "Old".into();
    }
    file
}

fn agreeing() -> Vec<Value> {
    vec![
        listed("src/a.rs", "modified", 1, 1, None),
        listed("New", "renamed", 0, 0, None),
        listed("pic", "modified", 0, 0, None),
    ]
}

impl Bench {
    fn with_files(&self, diff: &str, files: &[Value], proof: &str) -> Value {
        let diff = self.file("pull.diff", diff);
        let files = self.file("files.json", Value::from(files).to_string());
        self.observe(&[proof, &format!("diff={}", arg(&diff)), &format!("files={}", arg(&files))]);
        self.stage(&[]).1
    }
}

#[test]
fn a_diff_is_kept_as_it_is_and_shown_file_by_file() {
    let bench = Bench::new();
    let path = bench.file("anything.txt", DIFF);
    // Its form says that it is a diff; it shows that this is a pull request.
    let seen = done(
        bench.root(),
        &["--store", "store", "observe", "--entity", "github:github.com/acme/web/thread/42", arg(&path)],
    );
    assert_eq!(seen["entities"], json!([super::PULL]), "{seen}");
    assert_eq!(bench.raw(seen["inputs"][0]["digest"].as_str().expect("a digest")), DIFF.as_bytes());
    let tree = files(&bench.snapshot());
    assert_eq!(tree["changes/diff.patch"], DIFF.as_bytes());
    let parts: Vec<_> = tree.keys().filter(|path| path.starts_with("changes/by-file/")).collect();
    assert_eq!(parts.len(), 3, "{parts:?}");
    assert_eq!(parts[1], "changes/by-file/pic.patch", "a name in upper case has a digest: {parts:?}");
    let all: Vec<u8> =
        ["src%2fa.rs.patch"].iter().flat_map(|name| tree[&format!("changes/by-file/{name}")].clone()).collect();
    assert!(DIFF.as_bytes().starts_with(&all));
    let (_, index) = bench.stage(&[]);
    let row = entry(&index, "changes/by-file/src%2fa.rs.txt");
    assert_eq!(
        (&row["on"], &row["additions"], &row["deletions"], &row["change"]),
        (&"src/a.rs".into(), &1.into(), &1.into(), &"modified".into())
    );
    let binary = entry(&index, "changes/by-file/pic.txt");
    assert_eq!((&binary["additions"], &binary["deletions"]), (&Value::Null, &Value::Null), "never 0");
    assert_eq!(index["coverage"]["diff"]["state"], "complete");
}

#[test]
fn diff_and_list_must_agree() {
    let same = Bench::new().with_files(DIFF, &agreeing(), "--complete");
    assert_eq!(gaps(&same, "diff"), [], "{same}");
    assert_eq!(gaps(&same, "files"), [("patch-missing".to_owned(), 1)], "the picture");
    let change = |at: usize, member: &str, value: Value| {
        let mut files = agreeing();
        files[at][member] = value;
        files
    };
    let cases: Vec<(&str, Vec<Value>, &str, u64)> = vec![
        ("other lines", change(0, "additions", 5.into()), "--complete", 1),
        ("another status", change(0, "status", "added".into()), "--complete", 1),
        ("another origin", change(1, "previous_filename", "Elsewhere".into()), "--complete", 1),
        ("a file more", [agreeing(), vec![listed("more", "added", 1, 0, None)]].concat(), "--complete", 1),
        ("a file less", agreeing()[1..].to_vec(), "--complete", 1),
        ("a part of the list", agreeing()[1..].to_vec(), "--partial", 0),
        ("a part of the list that differs", change(0, "deletions", 9.into()), "--partial", 1),
        ("nothing in common", vec![listed("else", "added", 1, 0, None)], "--complete", 4),
    ];
    for (what, files, proof, count) in cases {
        let index = Bench::new().with_files(DIFF, &files, proof);
        let expected: Vec<_> = (count > 0).then(|| ("diff-mismatch".to_owned(), count)).into_iter().collect();
        assert_eq!(gaps(&index, "diff"), expected, "{what}: {index}");
    }
}

#[test]
fn the_header_counts_too() {
    for (counts, differs) in [((3, 1, 1), false), ((4, 1, 1), true), ((3, 2, 1), true), ((3, 1, 0), true)] {
        let bench = Bench::new();
        let (diff, header) =
            (bench.file("d.diff", DIFF), bench.file("h.json", header(counts.0, counts.1, counts.2).to_string()));
        bench.observe(&[&format!("diff={}", arg(&diff)), &format!("header={}", arg(&header))]);
        assert_eq!(!gaps(&bench.stage(&[]).1, "diff").is_empty(), differs, "{counts:?}");
    }
}

#[test]
fn what_is_no_diff_is_refused() {
    let cases = [
        ("", "diff-empty"),
        ("nothing of the kind\n", "facet-mismatch"),
        ("diff --cc x\nindex 1,2..3\n@@@ -1 -1 +1 @@@\n++x\n", "diff-combined"),
        (
            r#"{"message": "Sorry, the diff exceeded the maximum number of files (300).", "status": "406"}"#,
            "forge-error-body",
        ),
    ];
    for (text, reason) in cases {
        let bench = Bench::new();
        let (diff, other) = (bench.file("d.diff", text), bench.file("h.json", header(3, 1, 1).to_string()));
        let seen = bench.observe(&[&format!("diff={}", arg(&diff)), arg(&other)]);
        assert_eq!(seen["unrecognised"][0]["reason"], reason, "{seen}");
        assert!(!bench.snapshot().join("changes").exists(), "no empty diff is made up");
    }
    let bench = Bench::new();
    let diff = bench.file("d.diff", DIFF);
    let seen = crate::support::report(
        bench.root(),
        &["--store", "store", "observe", "--entity", "github:github.com/acme/web/issue/1", arg(&diff)],
    );
    assert_eq!(seen.0, 2, "an issue has no diff: {}", seen.1);
}

#[test]
fn a_cut_diff_is_known_in_part() {
    let bench = Bench::new();
    let diff = bench.file("d.diff", &DIFF[..DIFF.find("+c").expect("a line")]);
    bench.observe(&[&format!("diff={}", arg(&diff))]);
    let (_, index) = bench.stage(&[]);
    assert_eq!(gaps(&index, "diff"), [("incomplete".to_owned(), 1)]);
    assert_eq!(entry(&index, "changes/by-file/src%2fa.rs.txt")["additions"], Value::Null);
}

#[test]
fn nothing_in_a_line_can_begin_another() {
    let bench = Bench::new();
    let hostile = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\rdiff --git a/evil b/evil\u{2028}@@ -0,0 +1 @@\u{85}+z\x1b[2J\u{202e}\r\n";
    let diff = bench.file("d.diff", hostile);
    bench.observe(&[&format!("diff={}", arg(&diff))]);
    let (out, index) = bench.stage(&["--profile", "full"]);
    let shown = std::fs::read_to_string(out.join("changes/diff.patch")).expect("the diff");
    assert_eq!(
        shown,
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b diff --git a/evil b/evil @@ -0,0 +1 @@ +z\n"
    );
    assert_eq!(entry(&index, "changes/diff.patch")["filter"]["findings"].as_array().map(Vec::len), Some(2));
    assert_eq!(entry(&index, "changes/by-file/x.txt")["filter"], json!({"status": "modified", "findings": []}));
    assert_eq!(std::fs::read_to_string(bench.snapshot().join("changes/diff.patch")).expect("the diff"), hostile);
}

#[test]
fn bounds_leave_out_whole_files() {
    let bench = Bench::new();
    let long = "+x\n".repeat(30_000);
    let text = format!("diff --git a/long b/long\n--- a/long\n+++ b/long\n@@ -0,0 +1,30000 @@\n{long}{DIFF}");
    let diff = bench.file("d.diff", text);
    bench.observe(&[&format!("diff={}", arg(&diff))]);
    let (out, index) = bench.stage(&[]);
    assert_eq!(gaps(&index, "diff"), [("profile-bound".to_owned(), 1)]);
    assert_eq!(std::fs::read_to_string(out.join("changes/diff.patch")).expect("the diff"), DIFF);
}

#[test]
fn what_stands_behind_the_files_is_counted_when_it_does_not_fit() {
    for (lines, left_out) in [(1, false), (50_000, true)] {
        let bench = Bench::new();
        let text = format!("{DIFF}\n{}", "somebody wrote this below\n".repeat(lines));
        bench.observe(&[&format!("diff={}", arg(&bench.file("d.diff", &text)))]);
        let (out, index) = bench.stage(&[]);
        let gap = [("profile-bound".to_owned(), 1)];
        assert_eq!(gaps(&index, "diff"), if left_out { &gap[..] } else { &[] });
        assert!(files(&out)["changes/diff.patch"] == if left_out { DIFF } else { &text }.as_bytes());
    }
}

#[test]
fn a_series_of_mails_shows_a_file_once() {
    let bench = Bench::new();
    let part = |from: &str, to: &str| {
        format!(
            "From {} Mon Sep 17 00:00:00 2001\nSubject: [PATCH] {to}\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{from}\n+{to}\n-- \n2.47\n\n",
            super::HEAD
        )
    };
    let mail = [part("a", "b"), part("b", "c")].concat();
    let (diff, files) = (
        bench.file("series.patch", &mail),
        bench.file("f.json", Value::from(vec![listed("x", "modified", 1, 1, None)]).to_string()),
    );
    bench.observe(&["--complete", arg(&diff), &format!("files={}", arg(&files))]);
    let (out, index) = bench.stage(&[]);
    assert_eq!(gaps(&index, "diff"), []);
    assert_eq!(std::fs::read_to_string(out.join("changes/diff.patch")).expect("the diff"), mail);
    let row = entry(&index, "changes/by-file/x.patch");
    assert_eq!((&row["additions"], &row["deletions"]), (&2.into(), &2.into()));
}

#[test]
fn asked_for_by_name_it_counts() {
    let bench = Bench::new();
    let header = bench.file("h.json", header(3, 1, 1).to_string());
    bench.observe(&[&format!("header={}", arg(&header))]);
    let (_, index) = bench.stage(&["--facets", "diff,logs"]);
    assert_eq!(index["profile"]["facets"]["pull"], json!(["header", "logs", "diff"]));
    let out = bench.root().join("out");
    let args = ["--store", "store", "stage", super::PULL, "--require", "diff", "--replace", "--out", arg(&out)];
    assert_eq!(crate::support::report(bench.root(), &args).0, 1, "no diff is known");
}

/// One mail of a series: the commit, and the hunk of one file.
fn mail(commit: &str, subject: &str, path: &str, hunk: &str) -> String {
    format!(
        "From {commit} Mon Sep 17 00:00:00 2001\nFrom: Mira <mira@example.org>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\
         Subject: [PATCH] {subject}\n\nWhy it is so.\n---\n {path} | 2 +-\n\n\
         diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n{hunk}-- \n2.40.0\n\n"
    )
}

#[test]
fn of_a_diff_and_a_series_the_whole_one_of_the_head_holds() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    let other = "2".repeat(40);
    let series = |head: &str, path: &str| mail(&other, "One", path, hunk) + &mail(head, "Two", path, hunk);
    let diff = |path: &str, hunk: &str| {
        format!("diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n{hunk}")
    };
    let whole = diff("a", hunk);
    let cases = [
        ("both are whole", whole.clone(), series(super::HEAD, "a"), false),
        ("the diff is cut short", diff("a", "@@ -1,2 +1,2 @@\n-a\n"), series(super::HEAD, "a"), true),
        ("the series is of another head", whole.clone(), series(&"3".repeat(40), "a"), false),
        (
            "the diff shows a file that the series up to the head does not",
            diff("gone", hunk),
            series(super::HEAD, "a"),
            true,
        ),
    ];
    for (what, diff, series, keeps_series) in cases {
        for order in [["pull.diff", "pull.patch"], ["pull.patch", "pull.diff"]] {
            let bench = Bench::new();
            let pull = bench.file("pull.json", header(1, 1, 1).to_string());
            bench.observe(&[arg(&pull)]);
            for name in order {
                let text = if name == "pull.diff" { &diff } else { &series };
                bench.observe(&[arg(&bench.file(name, text))]);
            }
            let shown = files(&bench.snapshot())["changes/diff.patch"].clone();
            let expected = if keeps_series { &series } else { &diff };
            assert_eq!(String::from_utf8_lossy(&shown), expected.as_str(), "{what}, {order:?}");
            if keeps_series {
                let (stage, _) = bench.stage(&[]);
                let staged = String::from_utf8_lossy(&files(&stage)["changes/diff.patch"]).into_owned();
                let told = ["Subject: [PATCH] Two\n", "Why it is so.\n", "Date: Thu, 1 Jan 2026"];
                assert!(told.iter().all(|text| staged.contains(text)), "{what}: {staged}");
            }
        }
    }
}
