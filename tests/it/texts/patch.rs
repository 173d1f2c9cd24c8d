//! The reader of unified diffs, against what git writes and against what it does not.

use std::fs;
use std::path::Path;

use git_docket::format::patch::{Change, FilePatch, NotAPatch, first_changes, hunks, read};
use proptest::prelude::*;

use crate::support::{git, scratch};

/// `change old new +a -d hunks`, or `binary` and `cut`.
fn line(file: &FilePatch<'_>) -> String {
    let lines = match (file.lines, file.binary) {
        (Some((added, removed)), _) => format!("+{added} -{removed}"),
        (None, true) => "binary".to_owned(),
        (None, false) => "cut".to_owned(),
    };
    let (old, new) = (file.old.as_deref().unwrap_or("-"), file.new.as_deref().unwrap_or("-"));
    format!("{} {old} {new} {lines}", file.change.name())
}

fn lines(text: &[u8]) -> Vec<String> {
    read(text).expect("a diff").files.iter().map(line).collect()
}

#[test]
fn the_first_change_of_each_hunk_has_its_number_after_the_change() {
    for (hunks, expected) in [
        ("@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -8,2 +8 @@ fn f()\n-x\n y", &[2, 8][..]),
        // Lines of a file that look like heads, and a file that is emptied.
        ("@@ -1,2 +1,3 @@\n @@ -1 +7 @@\n+@@ -9 +9 @@\n a\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file", &[2, 1]),
        ("--- a/x\n+++ b/x\n@@ -3 +3 @@\n-a\n+b\n+not of it", &[3]),
        ("@@ odd +4 @@\n+a", &[]),
        ("", &[]),
    ] {
        assert_eq!(first_changes(hunks).collect::<Vec<_>>(), expected, "{hunks}");
    }
}

/// Two commits that differ in every way that git tells.
fn two_commits(root: &Path) {
    git(root, &["init", "-q", "-b", "main"]);
    let write = |name: &str, bytes: &[u8]| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    write("moved.txt", &b"line\n".repeat(30));
    write("edited", b"one\ntwo\nthree");
    write("gone", b"no more\n");
    write("image", b"\0\x01\x02");
    write("mode.sh", b"#!/bin/sh\n");
    write("a b/with blank", b"1\n");
    write("copy source", &b"copied\n".repeat(30));
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "one"]);
    fs::rename(root.join("moved.txt"), root.join("new name.txt")).expect("a rename");
    write("edited", b"one\n-- 2\n++ 3\nthree\n");
    fs::remove_file(root.join("gone")).expect("a removal");
    write("image", b"\0\x03");
    write("caf\u{e9}\t\"quoted\"", b"x\n");
    write("empty", b"");
    write("a b/with blank", b"2\n");
    write("copy target", &b"copied\n".repeat(30));
    write("copy source", &[b"copied\n".repeat(30), b"more\n".to_vec()].concat());
    git(root, &["update-index", "--chmod=+x", "mode.sh"]);
    git(root, &["add", "."]);
    git(root, &["update-index", "--chmod=+x", "mode.sh"]);
    git(root, &["commit", "-q", "-m", "two\n\ndiff of the second"]);
}

#[test]
fn what_git_writes_is_read_back() {
    let dir = scratch();
    let root = dir.path();
    two_commits(root);
    let expected = [
        "modified a b/with blank a b/with blank +1 -1",
        "added - caf\u{e9}\t\"quoted\" +1 -0",
        "modified copy source copy source +1 -0",
        "copied copy source copy target +0 -0",
        "modified edited edited +3 -2",
        "added - empty +0 -0",
        "removed gone - +0 -1",
        "modified image image binary",
        "modified mode.sh mode.sh +0 -0",
        "renamed moved.txt new name.txt +0 -0",
    ];
    for options in [&["--binary"][..], &[], &["-U0"], &["-c", "core.quotePath=false"]] {
        let (before, after): (Vec<&str>, Vec<&str>) = match options {
            ["-c", ..] => (options.to_vec(), vec![]),
            _ => (vec![], options.to_vec()),
        };
        let range = ["diff", "-M", "-C", "HEAD~1", "HEAD"];
        let text = git(root, &[&before[..], &range, &after].concat()).stdout;
        assert_eq!(lines(&text), expected, "{options:?}");
        let patch = read(&text).expect("a diff");
        assert!(patch.is_whole(), "{options:?}: {patch:#?}");
        // The sections are the whole text, without a gap.
        let ranges: Vec<_> = patch.files.iter().map(|file| file.range.clone()).collect();
        assert_eq!(ranges.first().map(|range| range.start), Some(0));
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{options:?}: {ranges:?}");
        assert_eq!(ranges.last().map(|range| range.end), Some(text.len()), "{options:?}");
    }
    // The same with other prefixes, or none, and from the other side.
    for options in [
        &["HEAD~1", "HEAD", "--no-prefix"][..],
        &["HEAD~1", "HEAD", "--src-prefix=old/", "--dst-prefix=other/"],
        &["-R", "HEAD", "HEAD~1"],
        &["--cached", "HEAD~1"],
    ] {
        let range = ["-c", "diff.mnemonicPrefix=true", "diff", "-M", "-C"];
        let text = git(root, &[&range[..], options].concat()).stdout;
        assert_eq!(lines(&text), expected, "{options:?}: {}", String::from_utf8_lossy(&text));
    }
    let mail = git(root, &["format-patch", "-M", "-C", "--stdout", "--binary", "HEAD~1"]).stdout;
    assert_eq!(lines(&mail), expected, "a mail has text before and behind");
    assert!(read(&mail).expect("a diff").is_whole());
    let modes = git(root, &["diff", "HEAD~1", "HEAD", "--", "mode.sh"]).stdout;
    assert_eq!(read(&modes).expect("a diff").files[0].modes, (Some("100644"), Some("100755")));
}

#[test]
fn content_is_never_taken_for_a_head() {
    let text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n diff --git a/y b/y\n---- a/z\n-+++ b/z\n++++ b/q\n+@@ -1 +1 @@\n";
    assert_eq!(lines(text), ["modified x x +2 -2"]);
    // What lies outside of what a head promises is another file, or nothing.
    let text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\nnew file mode 100644\n";
    assert_eq!(lines(text), ["modified x x +1 -1", "added - y +0 -0"]);
}

#[test]
fn what_is_cut_is_known_to_be() {
    let whole = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    assert_eq!(lines(whole), ["modified x x +1 -1"]);
    for cut in [whole.len() - 3, whole.len() - 6, whole.len() - 9] {
        assert_eq!(lines(&whole[..cut]), ["modified x x cut"], "{cut}");
    }
    let head = &whole[..whole.iter().position(|byte| *byte == b'@').expect("a hunk")];
    assert_eq!(lines(head), ["modified x x cut"]);
    let more = [whole.as_slice(), b"+d\n"].concat();
    assert_eq!(lines(&more), ["modified x x cut"], "a line more than promised");
}

/// What git could have ended with is all that passes for a whole: a file, a hunk with another behind it, a change of mode alone, the first half
/// of binary content, and what a program without `index` lines would write of the first file.
#[test]
fn a_cut_at_any_byte_is_known_but_where_a_diff_may_end() {
    let dir = scratch();
    two_commits(dir.path());
    for options in [&["--binary"][..], &[], &["-U0"], &["--full-index"]] {
        let text = git(dir.path(), &[&["diff", "-M", "-C", "HEAD~1", "HEAD"], options].concat()).stdout;
        let whole = read(&text).expect("a diff");
        let starts: Vec<_> = whole.files.iter().map(|file| file.range.start).collect();
        let mut between = 0;
        for at in 1..text.len() {
            let Ok(patch) = read(&text[..at]) else { continue };
            if !patch.is_whole() {
                continue;
            }
            let (before, after) = text.split_at(at);
            let next = String::from_utf8_lossy(after.split(|b| *b == b'\n').next().unwrap_or_default()).into_owned();
            between += usize::from(starts.contains(&at));
            let ends = starts.contains(&at) || next.starts_with("@@ ") || before.ends_with(b"new mode 100755\n");
            let binary = before.ends_with(b"\n\n") && (next.starts_with("literal ") || next.starts_with("delta "));
            assert!(ends || binary, "{options:?}: cut before {next:?}");
        }
        assert_eq!(between, starts.len() - 1, "a cut between two files leaves no trace");
    }
    let mail = git(dir.path(), &["format-patch", "--stdout", "HEAD~1"]).stdout;
    let series = [&mail[..], &mail[..]].concat();
    assert!(read(&series).expect("a diff").is_whole());
    for more in [60, 100, 200] {
        assert!(!read(&series[..mail.len() + more]).expect("a diff").is_whole(), "{more} bytes of a second mail");
    }
}

#[test]
fn a_head_without_what_it_announces_is_cut() {
    let file = "diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let behind = |rest: &str| read(format!("{file}{rest}").as_bytes()).map(|patch| patch.is_whole());
    for whole in [
        "",
        "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n",
        "diff --git a/e b/e\ndeleted file mode 100644\nindex 473a0f4c3be8..000000000000\n",
        "diff --git a/e b/f\nsimilarity index 100%\nrename from e\nrename to f\n",
        "diff --git a/e b/e\nold mode 100644\nnew mode 100755\n",
        "diff --git a/i b/i\nindex 1111111..2222222 100644\nBinary files a/i and b/i differ\n",
        "-- \n2.43.0\n\n",
    ] {
        assert_eq!(behind(whole), Ok(true), "{whole:?}");
    }
    for cut in [
        "diff --g",
        "diff --g\n",
        "diff --git a/y b/y\n",
        "diff --git a/y b/y",
        "diff --git a/y b/y\nindex 1111111..2222222 100644\n",
        "diff --git a/y b/y\nindex 11\n",
        "diff --git a/y b/y\nnew file mode 100644\n",
        "diff --git a/y b/y\nnew file mode 100644\nindex 0000000..2222222\n",
        "diff --git a/y b/y\nindex 1111111..2222222 100644\n--- a/y\n",
        "diff --git a/y b/y\nindex 1111111..2222222 100644\nBinary files a/y\n",
        "diff --git a/y b/y\nindex 1111111..2222222 100644\nGIT binary patch\n",
        "diff --git a/y b/y\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 3\nKcmZ\n",
        "diff --git a/y b/y\nold mode 100644\n",
        "diff --git a/y b/z\nsimilarity index 100%\n",
        "diff --git a/y b/z\nsimilarity index 100%\nrename from y\n",
        "diff --git a/y b/z\nsimilarity index 90%\nrename from y\nrename to z\n",
        "diff --git a/y b/z\nrename fr\n",
    ] {
        assert_eq!(behind(cut), Ok(false), "{cut:?}");
    }
    // Other programs name no blobs.
    assert!(read(b"diff --git a/x b/x\nnew file mode 100644\n").expect("a diff").is_whole());
}

#[test]
fn other_tools_and_odd_paths() {
    assert_eq!(
        lines(b"--- old.c\t2026-01-02\n+++ new.c\t2026-01-03\n@@ -1 +1 @@\n-a\n+b\n"),
        ["modified old.c new.c +1 -1"]
    );
    assert_eq!(lines(b"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+b\n"), ["added - n +1 -0"]);
    assert_eq!(lines(b"diff --git a/a b/a b/a b/a\nold mode 1\nnew mode 2\n"), ["modified a b/a a b/a +0 -0"]);
    assert_eq!(
        lines(b"diff --git \"a/\\303\\251\" \"b/\\303\\251\"\r\nold mode 1\r\nnew mode 2\r\n"),
        ["modified \u{e9} \u{e9} +0 -0"]
    );
    // Without a prefix, below directories that look like one.
    assert_eq!(lines(b"diff --git a/x a/x\n--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n"), ["modified a/x a/x +1 -1"]);
    assert_eq!(lines(b"diff --git a/x y b/x y\nold mode 1\nnew mode 2\n"), ["modified x y x y +0 -0"]);
    assert_eq!(lines(b"diff --git i/x y work/x y\nold mode 1\nnew mode 2\n"), ["modified x y x y +0 -0"]);
    // The same blob on both sides has no hunks, and mail may have lost its line ends on the way.
    assert!(read(b"diff --git a/x b/x\nindex 1111111..1111111 100644\n").expect("a diff").is_whole());
    assert!(!read(b"diff --git a/x b/x\nindex 1111111..2222222 100644\n").expect("a diff").is_whole());
    let empty = format!("From {} Mon Sep 17 00:00:00 2001\r\nSubject: x\r\n\r\n-- \r\n2.1\r\n\r\n", "a".repeat(40));
    let first = "diff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n-- \r\n2.1\r\n";
    assert!(read(format!("{first}{empty}").as_bytes()).expect("a diff").is_whole());
    assert_eq!(read(b""), Err(NotAPatch::Nothing));
    assert_eq!(read(b"no diff\n"), Err(NotAPatch::Nothing));
    assert_eq!(read(b"diff --cc x\nindex 1,2..3\n@@@ -1 -1 +1 @@@\n"), Err(NotAPatch::Combined));
    assert_eq!(read(b"diff --git a/x b/x\n").expect("a diff").files[0].change, Change::Modified);
}

#[test]
fn reading_is_linear() {
    let counted = |text: &[u8]| read(text).map(|patch| patch.files.len());
    for line in ["diff --git a/x b/x\n", "--- a\n+++ b\n", "@@ -1 +1 @@\n", "\n", "GIT binary patch\nliteral 1\n"] {
        let _ = counted(line.repeat(200_000).as_bytes());
    }
    let blanks = format!("diff --git a{}b\n", "/ ".repeat(1 << 20));
    assert_eq!(counted(blanks.as_bytes()), Ok(1));
    let one_line = [b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-".to_vec(), vec![b'x'; 4 << 20]].concat();
    assert_eq!(counted(&one_line), Ok(1));
}

proptest! {
    #[test]
    fn any_text_is_read_within_its_bounds(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("diff --git a/x b/y\n"), Just("--- a/x\n"), Just("+++ b/x\n"), Just("@@ -1,2 +1 @@\n"), Just(" a\n"),
                Just("-a\n"), Just("+a\n"), Just("\\ No newline at end of file\n"), Just("rename from \"q\n"), Just("\r"),
                Just("GIT binary patch\n"), Just("literal 3\n"), Just("\n"), Just("\u{fe}x"),
            ],
            0..40,
        ),
    ) {
        let text = pieces.concat();
        let found = hunks(text.as_bytes());
        prop_assert!(found.length <= text.len());
        if let Ok(patch) = read(text.as_bytes()) {
            let mut at = 0;
            for file in &patch.files {
                prop_assert!(file.range.start >= at && file.range.end <= text.len());
                prop_assert!(file.range.start + file.head <= file.range.end);
                at = file.range.end;
            }
        }
    }
}
