//! Tests of `sums`: the real `sha256sum` reads what we write.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use git_docket::format::digest::Digest;
use git_docket::format::header;
use git_docket::format::index::Role;
use git_docket::ops::sums::sums;

use crate::trees::{Dir, Mem, directory, entry, flat, rooted};

/// Runs `sha256sum -c` in a directory over a manifest; `None` with a printed reason where there is none.
#[allow(clippy::print_stderr, reason = "a skipped test says why")]
fn check(dir: &Path, manifest: &str) -> Option<Output> {
    let list = dir.parent().expect("the tree lies in a directory of its own").join("SUMS");
    fs::write(&list, manifest).expect("write the manifest");
    match Command::new("sha256sum").args(["--strict", "-c"]).arg(&list).current_dir(dir).output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("skipped: sha256sum cannot be run: {error}");
            None
        }
    }
}

fn accepts(tree: &Mem, lines: usize) {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path().join("tree");
    tree.write(&dir);
    let manifest = sums(&Dir(dir.clone())).expect("sums of a clean tree");
    assert_eq!(manifest, sums(tree).expect("the same from memory"));
    assert_eq!(manifest.lines().count(), lines, "{manifest}");
    let Some(output) = check(&dir, &manifest) else { return };
    assert!(output.status.success(), "{manifest}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_file_of_an_index_tree_is_covered() {
    let one = flat(&[("body.md", Role::Body, b"text"), ("comments/a b -c.md", Role::Comment, b"")]);
    let two = flat(&[("body.md", Role::Body, "päivää".as_bytes())]);
    accepts(&one, 3);
    accepts(&rooted(&[("host/acme/web/pull/1", &one), ("host/acme/web/pull/2", &two)]), 6);
}

#[test]
fn a_changed_file_fails_the_check_of_sha256sum_too() {
    let mut tree = flat(&[("body.md", Role::Body, b"text")]);
    tree.put("body.md", "next");
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path().join("tree");
    tree.write(&dir);
    let manifest = sums(&Dir(dir.clone())).expect("sums");
    if let Some(output) = check(&dir, &manifest) {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "body.md: FAILED\nindex.json: OK\n");
    }
}

#[test]
fn odd_names_are_escaped_as_sha256sum_does() {
    let mut tree = Mem::default();
    for (path, bytes) in header::files().into_iter().filter(|(path, _)| *path == header::PATH) {
        tree.put(path, bytes);
    }
    for name in ["a\\b", "two\nlines", "-dash", " space ", "0123456789abcdef  x", "*star", "#hash", "ünï", "tab\there"]
    {
        tree.put(&format!("observations/{name}"), name);
    }
    accepts(&tree, 10);
    let manifest = sums(&tree).expect("sums");
    let digest = Digest::of(b"two\nlines").hex();
    assert!(manifest.contains(&format!("\\{digest}  observations/two\\nlines\n")), "{manifest}");
}

#[test]
fn what_is_no_tree_of_ours_has_no_manifest() {
    let mut tree = Mem::default();
    tree.put("notes.txt", "text");
    assert_eq!(sums(&tree).expect_err("refused").code(), "sums-nothing");
}

#[test]
fn a_store_is_listed_by_the_names_of_its_elements() {
    let mut tree = Mem::default();
    for (path, bytes) in header::files() {
        tree.put(path, bytes);
    }
    let hex = Digest::of(b"{}").hex();
    tree.put(&format!("objects/{}/{}", &hex[..2], &hex[2..]), "{}");
    tree.put("README", "not ours");
    accepts(&tree, 4);
    tree.put(&format!("objects/{}/{}", &hex[..2], &hex[2..]), "[]");
    assert!(sums(&tree).expect("sums").contains(&hex), "the name is the claim, whatever the bytes are");
}

#[test]
fn a_hostile_index_gets_no_manifest() {
    for path in ["../escape", "/etc/passwd", "a/../../b", "a\\b", "a\nb"] {
        let mut tree = Mem::default();
        tree.put("index.json", directory(vec![entry(path, Role::Body, b"")]));
        assert_eq!(sums(&tree).expect_err(path).code(), "index-invalid", "{path:?}");
    }
    let mut tree = Mem::default();
    tree.put("index.json", "{");
    assert_eq!(sums(&tree).expect_err("damage").code(), "index-invalid");
}
