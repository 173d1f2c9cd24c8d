//! Paths, patches and the diff.

use std::process::{Command, Stdio};

use git_docket::format::patch::quoted;

use super::*;

#[test]
fn a_path_is_quoted_as_git_does_and_hides_nothing() {
    for (path, expected) in [
        ("src/a b.rs", "b/src/a b.rs"),
        ("größe", "\"b/gr\\303\\266\\303\\237e\""),
        ("a\"b\\c", "\"b/a\\\"b\\\\c\""),
        ("a\tb\nc\rd\u{1}", "\"b/a\\tb\\nc\\rd\\001\""),
        ("\u{7}\u{8}\u{b}\u{c}\u{7f}", "\"b/\\a\\b\\v\\f\\177\""),
    ] {
        assert_eq!(quoted("b/", path.as_bytes()), expected);
    }
    let hidden = "src/\u{202e}evil\u{200b}.rs";
    let looks =
        || vec![set(Facet::Files, vec![Item::File(Box::new(file(hidden, "added", Some("@@ -0,0 +1 @@\n+x"))))])];
    let path = |tree: &Rendered| {
        json_of(tree, "changes/files.json").pointer("/files/0/path").and_then(Json::as_str).map(str::to_owned)
    };
    let pull =
        |looks: Vec<LoadedLook>| looks.into_iter().map(|look| LoadedLook { kind: Some(Kind::Pull), ..look }).collect();
    assert_eq!(path(&snapshot(pull(looks()))).as_deref(), Some(hidden));
    assert_eq!(path(&stage(pull(looks()))).as_deref(), Some("\"src/\\342\\200\\256evil\\342\\200\\213.rs\""));
}

#[allow(clippy::print_stderr, reason = "a test that did not run says so")]
fn skip_without_git() {
    eprintln!("skipped: there is no git");
}

#[test]
fn git_reads_the_diff() {
    let tree = snapshot(pull_looks());
    let run =
        Command::new("git").args(["apply", "--numstat", "-z"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut git) = run else {
        skip_without_git();
        return;
    };
    let mut stdin = git.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, &tree.files["changes/diff.patch"]).expect("git reads");
    drop(stdin);
    let output = git.wait_with_output().expect("git ends");
    assert!(output.status.success());
    let listed = String::from_utf8(output.stdout).expect("UTF-8");
    let mut rows: Vec<_> = listed.split_terminator('\0').collect();
    rows.sort_unstable();
    let expected = [
        "0\t0\tdocs/new name.md",
        "0\t0\tempty",
        "0\t2\told.txt",
        "1\t1\tlib/b.rs",
        "2\t0\tsrc/größe \"x\".rs",
        "2\t1\tsrc/cache.rs",
    ];
    assert_eq!(rows, expected);
    // The picture has no patch, and a move without one may hide an edit of a binary file.
    assert_eq!(tree.gaps.count(Facet::Files, GapCode::PatchMissing), 2);
}

#[test]
fn no_patch_at_all_is_no_empty_diff() {
    let tree = snapshot(vec![set(Facet::Files, vec![Item::File(Box::new(file("a.png", "modified", None)))])]);
    assert!(!tree.files.contains_key("changes/diff.patch"));
    assert_eq!(tree.gaps.count(Facet::Files, GapCode::PatchMissing), 1);
}

/// The diff and the row of one changed file, and how often its metadata is called invalid.
fn of_patch(patch: &str, staged: bool) -> (Option<String>, Option<String>, u64) {
    let looks = vec![LoadedLook {
        kind: Some(Kind::Pull),
        ..set(Facet::Files, vec![Item::File(Box::new(file("a", "modified", Some(patch))))])
    }];
    let tree = if staged { stage(looks) } else { snapshot(looks) };
    let diff = tree.files.get("changes/diff.patch").map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let text =
        json_of(&tree, "changes/files.json").pointer("/files/0/patchText").and_then(Json::as_str).map(str::to_owned);
    (diff, text, tree.gaps.count(Facet::Files, GapCode::InvalidMetadata))
}

#[test]
fn a_patch_cannot_show_a_file_that_is_not_in_the_list() {
    let hunk = "@@ -1,2 +1 @@ fn f\n-a\n b";
    let other = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-y\n+z";
    for patch in [
        format!("{hunk}\n{other}"),
        other.to_owned(),
        format!("--- a/x\n+++ b/x\n{hunk}"),
        format!("{hunk}\n--- a/x\n+++ b/x\n{hunk}"),
        format!("{hunk}\n\\ No newline at end of file\n\\ No newline at end of file"),
        "@@ -1,2 +1 @@\n-a".to_owned(),
        "@@ -1 +1 @@\n-a\n+b\n+c".to_owned(),
        "@@ -1 +1 @@\n-a\n+b\nrename to x".to_owned(),
        "@@ -1 +1 @@ \n-a\nGIT binary patch".to_owned(),
        "@@ -0,0 +0,0 @@".to_owned(),
        "@@ -1,99999999999999999999 +1 @@\n-a".to_owned(),
        "@@@ -1 -1 +1 @@@\n  a".to_owned(),
        "Binary files a/x and b/x differ".to_owned(),
    ] {
        for staged in [false, true] {
            assert_eq!(of_patch(&patch, staged), (None, Some(patch.clone()), 1), "{patch:?}");
        }
    }
    // A line that only looks like a header is counted as the line that it is; so is one that a mailer stripped of its blank.
    for patch in [
        "@@ -1,2 +1,2 @@\n--- a/x\n-b\n+++ b/x\n+c\n\\ No newline at end of file",
        "@@ -1 +1,0 @@ diff --git a/x b/x\n-a\n@@ -5,3 +4,3 @@\n a\n\n-b\n+c",
    ] {
        let expected = format!("diff --git a/a b/a\n--- a/a\n+++ b/a\n{patch}\n");
        for staged in [false, true] {
            assert_eq!(of_patch(patch, staged), (Some(expected.clone()), None, 0), "{patch:?}");
        }
    }
}

/// The forge counts the lines of a file: a patch that has fewer was cut between two hunks, and one that has all was not.
#[test]
fn a_patch_that_was_cut_between_hunks_is_counted() {
    for (counts, gaps) in [((2, 1), 0), ((3, 1), 1), ((2, 2), 1)] {
        let cut = FileChange {
            additions: Some(counts.0),
            deletions: Some(counts.1),
            ..file("a", "modified", Some("@@ -1 +1,2 @@\n-a\n+b\n+c"))
        };
        let looks = vec![LoadedLook { kind: Some(Kind::Pull), ..set(Facet::Files, vec![Item::File(Box::new(cut))]) }];
        let tree = snapshot(looks);
        assert_eq!(tree.gaps.count(Facet::Files, GapCode::PatchMissing), gaps, "{counts:?}");
    }
}

/// Filtering ends a line where some reader would: what is one line to git must not become two.
#[test]
fn a_line_that_filtering_would_split_keeps_a_patch_out_of_a_stage() {
    for split in ["\r", "\u{85}", "\u{2028}"] {
        let patch = format!("@@ -0,0 +1 @@\n+a{split}diff --git a/x b/x");
        assert!(of_patch(&patch, false).0.is_some(), "{split:?}");
        let text = "@@ -0,0 +1 @@\n+a\ndiff --git a/x b/x".to_owned();
        assert_eq!(of_patch(&patch, true), (None, Some(text), 1), "{split:?}");
    }
    // A line of a text file with CRLF is still one line.
    assert!(of_patch("@@ -0,0 +1 @@\n+a\r", true).0.is_some());
}

#[test]
fn what_happened_to_a_file_is_not_guessed_for_the_diff() {
    let moved = file("b", "renamed", Some("@@ -1 +1 @@\n-a\n+b"));
    let unknown = FileChange { status: None, ..file("c", "modified", Some("@@ -1 +1 @@\n-a\n+b")) };
    let looks = vec![set(Facet::Files, vec![Item::File(Box::new(moved)), Item::File(Box::new(unknown))])];
    let tree = snapshot(looks);
    assert!(!tree.files.contains_key("changes/diff.patch"));
    let rows = json_of(&tree, "changes/files.json");
    for row in ["/files/0/patchText", "/files/1/patchText"] {
        assert!(rows.pointer(row).is_some(), "{row}");
    }
}
