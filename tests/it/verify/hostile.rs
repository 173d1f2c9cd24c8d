//! Manifests that lie: what they say is a finding, and nothing outside is looked at.

use std::io;
use std::sync::Mutex;

use git_docket::format::index::{Entry, Index, Node, Role};
use git_docket::format::tree::{FileKind, Tree, TreeEntry};
use git_docket::ops::verify::{Anchor, verify};

use super::lines;
use crate::support::{report, scratch};
use crate::trees::{Mem, directory, entry, flat, rooted};

/// Notes every path that is read.
struct Watched(Mem, Mutex<Vec<String>>);

impl Tree for Watched {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        self.0.list(dir)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        self.1.lock().expect("no panic while it was held").push(path.to_owned());
        self.0.read(path, limit)
    }
}

fn listing(entries: Vec<Entry>) -> Mem {
    let mut tree = Mem::default();
    tree.put("index.json", directory(entries));
    tree
}

#[test]
fn unsafe_paths_are_findings_and_never_read() {
    let strange =
        ["../escape", "/etc/passwd", "a/../b", "./a", "a//b", "a/", "", "a\\b", "C:a", "a\u{7}b", ".", "a/.."];
    let git = [
        ".git",
        ".git/config",
        "a/.GIT/config",
        ".git./x",
        "a/.Git ",
        ".git . ./x",
        "git~1/config",
        "GIT~1",
        ".g\u{200c}it/x",
    ];
    for path in strange.into_iter().chain(git) {
        let tree = Watched(listing(vec![entry(path, Role::Body, b"x")]), Mutex::default());
        let report = verify(&tree, &Anchor::default()).expect("readable");
        assert_eq!(lines(&report.findings), [format!("path-unsafe {path} unknown")], "{path:?}");
        let read = tree.1.into_inner().expect("no panic while it was held");
        assert!(read.iter().all(|p| p == "index.json" || p == "docket.json"), "{path:?}: {read:?}");
    }
}

#[test]
fn names_that_only_begin_like_gits_are_safe() {
    let names = [".gitattributes", ".github/x", "a.git/x", "git/x", "git~2", "x.git"];
    for path in names {
        assert!(git_docket::format::path::is_safe(path), "{path}");
    }
}

#[test]
fn an_unsafe_child_is_not_entered() {
    let child = flat(&[("body.md", Role::Body, b"x")]);
    let mut tree = listing(vec![entry("../child/index.json", Role::Index, &child.files["index.json"])]);
    tree.put("child/index.json", &child.files["index.json"]);
    let found = lines(&verify(&tree, &Anchor::default()).expect("readable").findings);
    assert_eq!(found, ["path-unsafe ../child/index.json unknown", "file-extra child/index.json unknown"]);
}

#[test]
fn a_disorderly_index_is_one_finding() {
    let file = |path| entry(path, Role::Body, b"x");
    let huge = Entry { bytes: u64::from(u32::MAX) * 2, ..file("a") };
    let cases = [
        ("twice", vec![file("a"), file("a")]),
        ("unsorted", vec![file("b"), file("a")]),
        ("itself", vec![file("index.json")]),
        ("a child that is no index", vec![entry("a/index.json", Role::Body, b"x")]),
        ("an index of another name", vec![entry("a/list.json", Role::Index, b"x")]),
        ("a size beyond all files", vec![huge]),
    ];
    for (what, entries) in cases {
        let mut tree = Mem::default();
        tree.put("index.json", Index { node: Node::Directory, entries }.to_bytes());
        let found = lines(&verify(&tree, &Anchor::default()).expect(what).findings);
        assert_eq!(found, ["index-invalid index.json unknown"], "{what}");
    }
}

#[test]
fn what_is_no_index_is_one_finding() {
    let cases: [&[u8]; 11] = [
        b"",
        b"{",
        b"null",
        b"\xff\xfe",
        b"{}",
        br#"{"entries":[],"format":1,"rules":"1","schema":"git-docket.other"}"#,
        br#"{"entries":[],"format":1,"rules":"0","schema":"git-docket.index"}"#,
        br#"{"entries":[],"format":1,"rules":"three","schema":"git-docket.index"}"#,
        br#"{"entries":[],"format":1,"rules":"3","schema":"git-docket.index","zz":1}"#,
        br#"{"entries":[],"format":1,"gaps":[{"code":"made-up"}],"rules":"3","schema":"git-docket.index"}"#,
        br#"{"entries":[{"path":"a"}],"format":1,"rules":"1","schema":"git-docket.index"}"#,
    ];
    for bytes in cases {
        let mut tree = Mem::default();
        tree.put("index.json", bytes).put("body.md", "unlisted");
        let report = verify(&tree, &Anchor::default()).expect("readable");
        let what = String::from_utf8_lossy(bytes);
        assert_eq!(lines(&report.findings), ["index-invalid index.json unknown"], "{what}");
    }
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let format = br#"{"entries":[],"format":2,"rules":"1","schema":"git-docket.index"}"#.as_slice();
    let rules = br#"{"entries":[],"format":1,"rules":"99","schema":"git-docket.index"}"#.as_slice();
    for (newer, says) in [(format, "format 2"), (rules, "rules 99")] {
        let mut tree = Mem::default();
        tree.put("index.json", newer);
        let error = verify(&tree, &Anchor::default()).expect_err("newer");
        assert_eq!(error.code(), "format-newer");
        assert!(error.to_string().contains(says), "{error}");
        // Below an index of our format it is a finding, and the rest is checked.
        let mut child = Mem::default();
        child.put("index.json", newer);
        let found = lines(&verify(&rooted(&[("a", &child)]), &Anchor::default()).expect("readable").findings);
        assert_eq!(found, ["index-invalid a/index.json unknown"]);
        // So do the others that read an index say.
        let dir = scratch();
        std::fs::create_dir(dir.path().join("tree")).expect("made");
        std::fs::write(dir.path().join("tree/index.json"), newer).expect("written");
        for args in [&["verify", "tree"][..], &["sums", "tree"], &["diff", "tree", "tree"]] {
            let (status, said) = report(dir.path(), args);
            assert_eq!((status, said["error"]["code"].as_str()), (2, Some("format-newer")), "{args:?}: {said}");
        }
    }
}

#[test]
fn indexes_that_list_each_others_files_are_walked_once() {
    // Every level lists all levels below it: a walk that trusted it would take 2^60 steps.
    let (depth, mut tree) = (60, flat(&[("body.md", Role::Body, b"x")]));
    let mut inner = vec![("l/index.json".to_owned(), tree.files["index.json"].clone())];
    for _ in 0..depth {
        let entries = inner.iter().map(|(path, bytes)| entry(path, Role::Index, bytes)).collect();
        let index = directory(entries);
        let mut next = Mem::default();
        for (path, bytes) in &tree.files {
            next.put(&format!("l/{path}"), bytes);
        }
        next.put("index.json", &index);
        inner = inner.into_iter().map(|(path, bytes)| (format!("l/{path}"), bytes)).collect();
        inner.insert(0, ("l/index.json".to_owned(), index));
        tree = next;
    }
    let report = verify(&tree, &Anchor::default()).expect("readable");
    assert!(report.findings.iter().all(|f| f.code.as_str() == "index-invalid"), "{:?}", report.findings[0]);
    assert!(!report.verified);
    assert!(report.files < 10 * depth, "{} files were read", report.files);
}

#[test]
fn a_huge_file_is_found_by_its_size_and_not_read() {
    struct Huge(Mem);
    impl Tree for Huge {
        fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
            let mut all = self.0.list(dir)?;
            all.iter_mut().filter(|e| e.path == "body.md").for_each(|e| e.bytes = Some(1 << 40));
            Ok(all)
        }
        fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
            assert_ne!(path, "body.md", "the size told enough");
            self.0.read(path, limit)
        }
    }
    let tree = Huge(flat(&[("body.md", Role::Body, b"x")]));
    let report = verify(&tree, &Anchor::default()).expect("readable");
    assert_eq!(lines(&report.findings), ["size-differs body.md unknown"]);
    assert_eq!(report.findings[0].actual.as_deref(), Some("1099511627776 bytes"));
    // Where no size is known, as in a revision, the reader stops at a limit.
    let mut tree = flat(&[("body.md", Role::Body, b"x")]);
    tree.put("body.md", vec![0; 1 << 20]);
    let found = lines(&verify(&Sizeless(tree), &Anchor::default()).expect("readable").findings);
    assert_eq!(found, ["size-differs body.md unknown"]);
}

struct Sizeless(Mem);

impl Tree for Sizeless {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        Ok(self.0.list(dir)?.into_iter().map(|entry| TreeEntry { bytes: None, ..entry }).collect())
    }
    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        self.0.read(path, limit)
    }
}

#[test]
fn what_cannot_be_read_is_trouble_and_no_verdict() {
    struct Broken(Mem);
    impl Tree for Broken {
        fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
            self.0.list(dir)
        }
        fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
            if path.ends_with("body.md") {
                Err(io::ErrorKind::PermissionDenied.into())
            } else {
                self.0.read(path, limit)
            }
        }
    }
    let error = verify(&Broken(super::sample()), &Anchor::default()).expect_err("unreadable");
    assert_eq!(error.code(), "read-failed");
    let message = error.to_string();
    assert!(message.contains("top/github/pull/1/body.md") && message.contains("1 more"), "{message}");
}

#[test]
fn an_index_that_is_a_link_is_not_read() {
    let mut tree = Mem::default();
    tree.others.insert("index.json".to_owned(), FileKind::Symlink);
    let found = lines(&verify(&tree, &Anchor::default()).expect("readable").findings);
    assert_eq!(found, ["not-regular-file index.json unknown"]);
}

#[test]
fn a_finding_on_a_terminal_moves_no_cursor() {
    let tree = listing(vec![entry("a\u{1b}[2J\u{202e}/../b", Role::Body, b"x")]);
    let report = verify(&tree, &Anchor::default()).expect("readable");
    assert_eq!(report.findings[0].to_string(), "path-unsafe a\\u{1b}[2J\\u{202e}/../b");
    // The record for machines has the path as it was listed.
    assert_eq!(report.findings[0].path, "a\u{1b}[2J\u{202e}/../b");
}
