//! The damage table, as data: what is done to a clean tree, and the one finding it gives.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use git_docket::format::tree::FileKind;
use git_docket::ops::verify::{Anchor, Anchored, NoteCode, verify};

use super::{ONE, lines, report, sample};
use crate::trees::{Dir, Mem};

type Damage = fn(&mut Mem);

fn edit(tree: &mut Mem, path: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let path = format!("{ONE}/{path}");
    let mut bytes = tree.take(&path);
    change(&mut bytes);
    tree.put(&path, bytes);
}

fn add(tree: &mut Mem, path: &str) {
    tree.put(&format!("{ONE}/{path}"), "");
}

fn rename(tree: &mut Mem, from: &str, to: &str) {
    let bytes = tree.take(&format!("{ONE}/{from}"));
    tree.put(&format!("{ONE}/{to}"), bytes);
}

fn replace(tree: &mut Mem, path: &str, from: &str, to: &str) {
    edit(tree, path, |bytes| *bytes = String::from_utf8_lossy(bytes).replace(from, to).into_bytes());
}

/// What is done, and `code path cause` below the first entity.
const TABLE: &[(&str, Damage, &[&str])] = &[
    ("delete", |t| drop(t.take(&format!("{ONE}/body.md"))), &["file-missing body.md unknown"]),
    ("delete an index", |t| drop(t.take(&format!("{ONE}/index.json"))), &["file-missing index.json unknown"]),
    ("truncate", |t| edit(t, "body.md", |b| b.truncate(9)), &["size-differs body.md truncated"]),
    ("truncate to nothing", |t| edit(t, "body.md", Vec::clear), &["size-differs body.md truncated"]),
    ("truncate JSON", |t| edit(t, "entity.json", |b| b.truncate(9)), &["size-differs entity.json truncated"]),
    (
        "shorter, but whole JSON",
        |t| replace(t, "entity.json", ",\"title\":\"A\"", ""),
        &["size-differs entity.json unknown"],
    ),
    ("flip", |t| edit(t, "body.md", |b| b[3] ^= 1), &["file-changed body.md unknown"]),
    ("append", |t| edit(t, "body.md", |b| b.extend(b"more")), &["size-differs body.md unknown"]),
    ("fill an empty file", |t| edit(t, "summary.md", |b| b.push(b'x')), &["size-differs summary.md unknown"]),
    ("LF to CRLF", |t| replace(t, "body.md", "\n", "\r\n"), &["size-differs body.md line-endings"]),
    (
        "CRLF to LF",
        |t| replace(t, "changes/diff.patch", "\r\n", "\n"),
        &["size-differs changes/diff.patch line-endings"],
    ),
    (
        "CRLF in some lines only",
        |t| replace(t, "body.md", "line\nS", "line\r\nS"),
        &["size-differs body.md line-endings"],
    ),
    (
        "a trailing newline more",
        |t| edit(t, "comments/20260102T030405Z-1.md", |b| b.push(b'\n')),
        &["size-differs comments/20260102T030405Z-1.md trailing-newline"],
    ),
    (
        "a trailing newline less",
        |t| edit(t, "body.md", |b| b.truncate(b.len() - 1)),
        &["size-differs body.md trailing-newline"],
    ),
    (
        "a trailing newline after JSON",
        |t| edit(t, "entity.json", |b| b.push(b'\n')),
        &["size-differs entity.json trailing-newline"],
    ),
    ("reformatted JSON", |t| replace(t, "entity.json", ",", ",\n  "), &["size-differs entity.json reformatted"]),
    (
        "JSON in another order",
        |t| edit(t, "entity.json", |b| *b = br#"{"title":"A","number":1}"#.to_vec()),
        &["file-changed entity.json reformatted"],
    ),
    (
        "composed to decomposed",
        |t| replace(t, "comments/20260102T030405Z-2.md", "Käse, naïve", "Ka\u{308}se, nai\u{308}ve"),
        &["size-differs comments/20260102T030405Z-2.md unicode-form"],
    ),
    (
        "a pointer of git-lfs",
        |t| {
            edit(t, "body.md", |b| {
                *b =
                    format!("version https://git-lfs.github.com/spec/v1\noid sha256:{:064}\nsize 23\n", 0).into_bytes();
            });
        },
        &["size-differs body.md lfs-pointer"],
    ),
    (
        "two files swapped",
        |t| {
            let (a, b) = (t.take(&format!("{ONE}/body.md")), t.take("top/github/pull/2/body.md"));
            t.put(&format!("{ONE}/body.md"), b).put("top/github/pull/2/body.md", a);
        },
        &["size-differs body.md unknown", "size-differs ../2/body.md unknown"],
    ),
    ("an extra file", |t| add(t, "extra"), &["file-extra extra unknown"]),
    ("case changed", |t| rename(t, "body.md", "Body.md"), &["file-missing body.md case-collision"]),
    (
        "case changed, and damaged",
        |t| {
            edit(t, "body.md", |b| b[0] ^= 1);
            rename(t, "body.md", "Body.md");
        },
        &["file-extra Body.md unknown", "file-missing body.md case-collision"],
    ),
    (
        "a symlink",
        |t| {
            t.take(&format!("{ONE}/body.md"));
            t.others.insert(format!("{ONE}/body.md"), FileKind::Symlink);
        },
        &["not-regular-file body.md unknown"],
    ),
    (
        "a directory in the place of a file",
        |t| {
            t.take(&format!("{ONE}/body.md"));
            t.put(&format!("{ONE}/body.md/x"), "x").put(&format!("{ONE}/body.md/y"), "y");
        },
        &["not-regular-file body.md unknown"],
    ),
    (
        "a symlink in the place of a directory",
        |t| {
            t.take(&format!("{ONE}/comments/20260102T030405Z-1.md"));
            t.take(&format!("{ONE}/comments/20260102T030405Z-2.md"));
            t.others.insert(format!("{ONE}/comments"), FileKind::Symlink);
        },
        &["not-regular-file comments unknown"],
    ),
    (
        "a submodule in the place of a directory",
        |t| {
            t.take(&format!("{ONE}/changes/diff.patch"));
            t.others.insert(format!("{ONE}/changes"), FileKind::Submodule);
        },
        &["not-regular-file changes unknown"],
    ),
    (
        "an index edited",
        |t| replace(t, "index.json", "\"bytes\":23", "\"bytes\":24"),
        &["index-changed index.json unknown"],
    ),
    (
        "an index with a trailing newline",
        |t| edit(t, "index.json", |b| b.push(b'\n')),
        &["index-changed index.json trailing-newline"],
    ),
    (
        "an index reformatted, and a file changed",
        |t| {
            replace(t, "index.json", ",", ", ");
            edit(t, "body.md", |b| b[0] ^= 1);
        },
        &["file-changed body.md unknown", "index-changed index.json reformatted"],
    ),
];

#[test]
fn each_damage_is_found_exactly_once_with_its_cause() {
    let clean = sample();
    let anchor = Anchor { index_digest: Some(clean.digest()), commit: None };
    for (what, damage, expected) in TABLE {
        let mut tree = clean.clone();
        damage(&mut tree);
        let report = verify(&tree, &anchor).expect(what);
        let mut expected: Vec<_> = expected
            .iter()
            .map(|line| {
                let (code, rest) = line.split_once(' ').expect("a code");
                let path = format!("{ONE}/{rest}").replace("1/../2", "2");
                format!("{code} {path}")
            })
            .collect();
        expected.sort_by(|a, b| a.split_once(' ').map(|l| l.1).cmp(&b.split_once(' ').map(|l| l.1)));
        assert_eq!(lines(&report.findings), expected, "{what}");
        assert!(!report.verified, "{what}");
        assert_eq!(report.anchor, Anchored::Digest, "{what}");
    }
}

#[test]
fn a_clean_tree_has_no_finding_and_says_what_it_is_anchored_by() {
    let tree = sample();
    let report = report(&tree);
    assert_eq!(report.findings, []);
    assert_eq!(report.notes, []);
    assert!(report.verified);
    assert_eq!(report.files, tree.files.len() as u64);
    assert_eq!(report.bytes, tree.files.values().map(|b| b.len() as u64).sum::<u64>());

    let commit = Anchor { index_digest: None, commit: Some("abc".to_owned()) };
    assert_eq!(verify(&tree, &commit).expect("clean").anchor, Anchored::Commit);
    let alone = verify(&tree, &Anchor::default()).expect("clean");
    assert_eq!((alone.anchor, alone.verified), (Anchored::None, true));
    assert!(alone.notes[0].text.contains("consistent, not authenticated"), "{:?}", alone.notes);
}

#[test]
fn an_edited_root_index_is_one_finding_and_nothing_is_believed_of_it() {
    let clean = sample();
    let anchor = Anchor { index_digest: Some(clean.digest()), commit: None };
    let mut tree = clean.clone();
    let bytes = String::from_utf8(tree.take("index.json")).expect("JSON").replace("\"bytes\":", "\"bytes\":1");
    tree.put("index.json", bytes);
    let report = verify(&tree, &anchor).expect("readable");
    assert_eq!(lines(&report.findings), ["index-changed index.json unknown"]);
    assert_eq!(report.findings[0].expected, Some(clean.digest().to_string()));
    assert_eq!(report.findings[0].actual, Some(tree.digest().to_string()));
    let note = &report.notes[0];
    assert_eq!((note.code, note.count), (NoteCode::NotChecked, clean.files.len() as u64 - 1));
    // Without the digest the tree only contradicts itself.
    let report = verify(&tree, &Anchor::default()).expect("readable");
    assert_eq!(lines(&report.findings), ["size-differs top/index.json unknown"]);
}

#[test]
fn a_root_index_in_another_spelling_still_tells_what_should_be_there() {
    let clean = sample();
    let anchor = Anchor { index_digest: Some(clean.digest()), commit: None };
    let mut tree = clean.clone();
    let mut bytes = tree.take("index.json");
    bytes.push(b'\n');
    tree.put("index.json", bytes);
    tree.take("top/github/pull/2/body.md");
    let found = lines(&verify(&tree, &anchor).expect("readable").findings);
    assert_eq!(found, ["index-changed index.json trailing-newline", "file-missing top/github/pull/2/body.md unknown"]);
    let found = lines(&verify(&tree, &Anchor::default()).expect("readable").findings);
    assert_eq!(found, ["not-canonical index.json trailing-newline", "file-missing top/github/pull/2/body.md unknown"]);
}

#[test]
fn a_missing_root_index_is_a_finding_when_its_digest_is_known() {
    let clean = sample();
    let anchor = Anchor { index_digest: Some(clean.digest()), commit: None };
    let mut tree = clean;
    tree.take("index.json");
    assert_eq!(lines(&verify(&tree, &anchor).expect("readable").findings), ["file-missing index.json unknown"]);
    assert_eq!(verify(&tree, &Anchor::default()).expect_err("nothing").code(), "verify-nothing");
    assert_eq!(verify(&Mem::default(), &Anchor::default()).expect_err("nothing").code(), "verify-nothing");
}

#[test]
fn names_that_a_file_system_decomposed_are_told_from_lost_files() {
    let mut tree = crate::trees::flat(&[("notes/ä.md", git_docket::format::index::Role::Log, b"text")]);
    let anchor = Anchor { index_digest: Some(tree.digest()), commit: None };
    let bytes = tree.take("notes/ä.md");
    tree.put("notes/a\u{308}.md", bytes);
    let report = verify(&tree, &anchor).expect("readable");
    assert_eq!(lines(&report.findings), ["file-missing notes/ä.md unicode-form"]);
    assert_eq!(report.findings[0].actual.as_deref(), Some("notes/a\u{308}.md"));
}

/// What a file system that does not tell `A` from `a` leaves of two files.
#[test]
fn names_that_collide_without_case_are_told_from_lost_files() {
    use git_docket::format::index::Role;
    let mut tree = crate::trees::flat(&[("A.md", Role::Log, b"one"), ("a.md", Role::Log, b"two")]);
    let anchor = Anchor { index_digest: Some(tree.digest()), commit: None };
    tree.take("A.md");
    let report = verify(&tree, &anchor).expect("readable");
    assert_eq!(lines(&report.findings), ["file-missing A.md case-collision"]);
}

/// The kinds that only a real directory has.
#[test]
fn links_pipes_and_directories_on_disk_are_not_followed() {
    let clean = sample();
    let anchor = Anchor { index_digest: Some(clean.digest()), commit: None };
    type Case = (&'static str, fn(&Path), &'static [&'static str]);
    let cases: [Case; 5] = [
        (
            "a link to the very content",
            |dir| {
                fs::rename(dir.join("body.md"), dir.join("../../../../away")).expect("move it outside");
                symlink(fs::canonicalize(dir.join("../../../../away")).expect("a path"), dir.join("body.md"))
                    .expect("link");
            },
            &["file-extra away unknown", "not-regular-file top/github/pull/1/body.md unknown"],
        ),
        (
            "a linked directory",
            |dir| {
                fs::rename(dir.join("comments"), dir.join("../../../../../comments")).expect("move it outside");
                symlink("../../../../../comments", dir.join("comments")).expect("link");
            },
            &["not-regular-file top/github/pull/1/comments unknown"],
        ),
        (
            "a pipe",
            |dir| {
                fs::remove_file(dir.join("body.md")).expect("remove");
                rustix::fs::mkfifoat(rustix::fs::CWD, dir.join("body.md"), rustix::fs::Mode::RWXU).expect("a pipe");
            },
            &["not-regular-file top/github/pull/1/body.md unknown"],
        ),
        (
            "an empty directory",
            |dir| {
                fs::remove_file(dir.join("body.md")).expect("remove");
                fs::create_dir_all(dir.join("body.md/deep")).expect("a directory");
            },
            &["not-regular-file top/github/pull/1/body.md unknown"],
        ),
        (
            "a directory",
            |dir| {
                fs::remove_file(dir.join("body.md")).expect("remove");
                fs::create_dir_all(dir.join("body.md/deep")).expect("a directory");
                fs::write(dir.join("body.md/deep/file"), "x").expect("a file");
            },
            &["not-regular-file top/github/pull/1/body.md unknown"],
        ),
    ];
    for (what, damage, expected) in cases {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let root = scratch.path().join("tree");
        clean.write(&root);
        assert!(verify(&Dir(root.clone()), &anchor).expect("clean").verified, "{what}");
        damage(&root.join(ONE));
        assert_eq!(lines(&verify(&Dir(root), &anchor).expect(what).findings), expected, "{what}");
    }
}

/// What neither a checksum list nor git would miss.
#[test]
fn directories_without_files_are_extra_unless_a_listed_path_needs_them() {
    let clean = sample();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let root = scratch.path().join("tree");
    clean.write(&root);
    let found = || {
        let tree = git_docket::ops::place::directory_tree(&root).expect("a directory");
        lines(
            &verify(tree.as_ref(), &Anchor { index_digest: Some(clean.digest()), commit: None })
                .expect("read")
                .findings,
        )
    };
    assert_eq!(found(), <[&str; 0]>::default());
    for dir in ["empty", "top/one/two/three", &format!("{ONE}/comments/deep")] {
        fs::create_dir_all(root.join(dir)).expect("a directory");
    }
    let extra = [
        "file-extra empty unknown",
        "file-extra top/github/pull/1/comments/deep unknown",
        "file-extra top/one unknown",
    ];
    assert_eq!(found(), extra);
    for dir in ["empty", "top/one"] {
        fs::remove_dir_all(root.join(dir)).expect("removed");
    }
    // The place of a lost file is no other damage; in the place of a file a directory is one.
    let comments = root.join(ONE).join("comments");
    fs::remove_dir_all(&comments).expect("removed");
    let lost = found();
    assert!(lost.iter().all(|line| line.starts_with("file-missing")) && !lost.is_empty(), "{lost:?}");
    fs::create_dir(&comments).expect("a directory");
    assert_eq!(found(), lost);
    fs::create_dir(comments.join("deep")).expect("a directory");
    assert_eq!(found().len(), lost.len() + 1);
}
