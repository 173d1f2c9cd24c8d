//! Paths, patches and the diff.

use std::process::{Command, Stdio};

use git_docket::render::quote_path;

use super::*;

#[test]
fn a_path_is_quoted_as_git_does_and_hides_nothing() {
    for (path, expected) in [
        ("src/a b.rs", "b/src/a b.rs"),
        ("größe", "\"b/gr\\303\\266\\303\\237e\""),
        ("a\"b\\c", "\"b/a\\\"b\\\\c\""),
        ("a\tb\nc\rd\u{1}", "\"b/a\\tb\\nc\\rd\\001\""),
    ] {
        assert_eq!(quote_path("b/", path), expected);
    }
    let hidden = "src/\u{202e}evil\u{200b}.rs";
    let looks = || vec![set(Facet::Files, vec![Item::File(file(hidden, "added", Some("@@ -0,0 +1 @@\n+x")))])];
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
    let tree = snapshot(vec![set(Facet::Files, vec![Item::File(file("a.png", "modified", None))])]);
    assert!(!tree.files.contains_key("changes/diff.patch"));
    assert_eq!(tree.gaps.count(Facet::Files, GapCode::PatchMissing), 1);
}
