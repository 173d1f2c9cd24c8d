//! A store: constant files, elements, observations, what names what.

use std::io;
use std::sync::Mutex;

use git_docket::format::digest::Digest;
use git_docket::format::facet::Facet;
use git_docket::format::header;
use git_docket::format::observation::{Completeness, Input, Observation, Part, Parts, Seen, parts_to_bytes};
use git_docket::format::tree::{FileKind, Tree, TreeEntry};
use git_docket::ops::verify::{Anchor, Code, NoteCode, Report, verify};
use proptest::prelude::*;

use super::lines;
use crate::trees::Mem;

fn element(tree: &mut Mem, bytes: &[u8]) -> Digest {
    let digest = Digest::of(bytes);
    tree.put(&path(&digest), bytes);
    digest
}

fn path(digest: &Digest) -> String {
    let hex = digest.hex();
    format!("objects/{}/{}", &hex[..2], &hex[2..])
}

fn look(tree: &mut Mem, inputs: Vec<Input>) -> String {
    let seen = Seen::Data { completeness: Completeness::OnePage, content: Digest::of(b"content"), inputs };
    let record = Observation {
        subject: "github:github.com/acme/web/thread/42".parse().expect("a subject"),
        kind: None,
        facet: Facet::Comments,
        item: None,
        observed_at: "2026-01-02T03:04:05Z".parse().expect("a time"),
        position: None,
        dialect: "github-rest".to_owned(),
        failed: Vec::new(),
        seen,
    };
    let bytes = record.to_bytes();
    let path = format!("observations/{}", record.path(&Digest::of(&bytes)));
    tree.put(&path, bytes);
    path
}

fn input(container: Digest, parts: Parts) -> Input {
    let digest = Digest::of(b"document");
    Input { digest, container: Some(container), pointer: String::new(), parts, whole: Vec::new(), url: None }
}

fn part(at: &str, element: Digest) -> Part {
    Part { at: at.to_owned(), element, opaque: None }
}

const COMMENT: &[u8] = br#"{"body":"line\nend","id":1}"#;
const CHUNKED: &[u8] = br#"{"body":"chunked","id":2}"#;

/// A store with a container, two comments, one of them in a chunk, and a text.
fn store() -> Mem {
    let mut tree = Mem::default();
    for (path, bytes) in header::files() {
        tree.put(path, bytes);
    }
    let container = element(&mut tree, b"[null]");
    let comment = element(&mut tree, COMMENT);
    let chunked = element(&mut tree, CHUNKED);
    let text = element(&mut tree, b"a log\nof two lines\n");
    let chunk = element(&mut tree, &parts_to_bytes(&[part("/0", chunked)]));
    look(&mut tree, vec![input(container, Parts::Inline(vec![part("/0", comment)]))]);
    look(&mut tree, vec![input(container, Parts::Chunked(vec![chunk])), input(text, Parts::Inline(Vec::new()))]);
    tree
}

fn report(tree: &Mem) -> Report {
    verify(tree, &Anchor::default()).expect("a store that can be read")
}

fn found(tree: &Mem) -> Vec<String> {
    lines(&report(tree).findings)
}

#[test]
fn a_clean_store_has_no_finding() {
    let tree = store();
    let report = report(&tree);
    assert_eq!(report.findings, []);
    assert_eq!(report.files, tree.files.len() as u64);
    assert_eq!(report.notes.iter().map(|n| n.code).collect::<Vec<_>>(), [NoteCode::NotAuthenticated]);
    // What lies beside the store is another's.
    let mut shared = tree;
    shared.put("README.md", "ours").put("src/main.rs", "").others.insert("link".to_owned(), FileKind::Symlink);
    assert_eq!(found(&shared), [""; 0]);
}

#[test]
fn what_stands_in_the_place_of_a_folder_is_found() {
    for folder in ["unrecognised", "erasures", "stages"] {
        let mut link = store();
        link.others.insert(folder.to_owned(), FileKind::Symlink);
        let mut file = store();
        file.put(folder, "text");
        for tree in [link, file] {
            assert_eq!(found(&tree), [format!("not-regular-file {folder} unknown")], "{folder}");
        }
    }
}

#[test]
fn damage_of_an_element_is_one_finding_with_its_cause() {
    let at = path(&Digest::of(COMMENT));
    let cases: [(&str, &[u8], &str); 9] = [
        ("flip", br#"{"body":"line\nenD","id":1}"#, "unknown"),
        ("truncated", &COMMENT[..12], "truncated"),
        ("empty", b"", "truncated"),
        ("appended", br#"{"body":"line\nend","id":1}more"#, "unknown"),
        ("newline", b"{\"body\":\"line\\nend\",\"id\":1}\n", "trailing-newline"),
        ("CRLF", b"{\"body\":\"line\\nend\",\"id\":1}\r\n", "trailing-newline"),
        ("reformatted", br#"{ "id": 1, "body": "line\nend" }"#, "reformatted"),
        ("the last brace lost", &COMMENT[..COMMENT.len() - 1], "truncated"),
        ("pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n", "lfs-pointer"),
    ];
    for (what, bytes, cause) in cases {
        let mut tree = store();
        tree.put(&at, bytes);
        let report = report(&tree);
        assert_eq!(lines(&report.findings), [format!("element-corrupt {at} {cause}")], "{what}");
        assert_eq!(report.findings[0].expected, Some(Digest::of(COMMENT).to_string()), "{what}");
    }
    let mut tree = store();
    let at = path(&Digest::of(b"a log\nof two lines\n"));
    tree.put(&at, "a log\r\nof two lines\r\n");
    assert_eq!(found(&tree), [format!("element-corrupt {at} line-endings")]);
}

#[test]
fn a_missing_element_is_named_with_the_record_that_names_it() {
    for bytes in [&b"[null]"[..], COMMENT, CHUNKED, b"a log\nof two lines\n"] {
        let mut tree = store();
        let at = path(&Digest::of(bytes));
        tree.take(&at);
        let report = report(&tree);
        assert_eq!(lines(&report.findings), [format!("element-missing {at} unknown")]);
        let by = report.findings[0].expected.clone().expect("who names it");
        assert!(by.starts_with("named by observations/github/github.com/acme/web/thread/0000/42/comments/"), "{by}");
    }
}

#[test]
fn what_stands_in_the_place_of_an_element_is_not_read() {
    let at = path(&Digest::of(COMMENT));
    for kind in [FileKind::Symlink, FileKind::Special, FileKind::Submodule] {
        let mut tree = store();
        tree.take(&at);
        tree.others.insert(at.clone(), kind);
        assert_eq!(found(&tree), [format!("not-regular-file {at} unknown")]);
    }
    let mut tree = store();
    tree.take(&at);
    tree.put(&format!("{at}/x"), "x").put(&format!("{at}/y"), "y");
    assert_eq!(found(&tree), [format!("not-regular-file {at} unknown")]);
}

#[test]
fn a_link_in_the_place_of_a_directory_is_one_finding() {
    let at = path(&Digest::of(COMMENT));
    let record = store().files.keys().find(|path| path.starts_with("observations/")).expect("a record").clone();
    let facet = record.rsplit_once('/').expect("a directory").0;
    for dir in ["objects", &at[..10], "observations", "observations/github", facet] {
        for kind in [FileKind::Symlink, FileKind::Submodule] {
            let mut tree = store();
            tree.files.retain(|path, _| !path.starts_with(&format!("{dir}/")));
            tree.others.insert(dir.to_owned(), kind);
            assert_eq!(found(&tree), [format!("not-regular-file {dir} unknown")]);
        }
    }
    let mut tree = store();
    tree.files.retain(|path, _| !path.starts_with(&at[..10]));
    tree.put(&at[..10], "a file");
    assert_eq!(found(&tree), [format!("not-regular-file {} unknown", &at[..10])]);
}

#[test]
fn names_that_are_no_digest_have_no_place() {
    let mut tree = store();
    let upper = path(&Digest::of(b"x")).to_uppercase().replace("OBJECTS", "objects");
    let strays = ["objects/ab/short", "objects/readme", "observations/x.json", "erasures/x", "stages/y.json", &upper];
    for stray in strays {
        tree.put(stray, "x");
    }
    let mut expected: Vec<_> = strays.iter().map(|path| format!("file-extra {path} unknown")).collect();
    expected.sort();
    assert_eq!(found(&tree), expected);
}

#[test]
fn what_an_interrupted_writer_leaves_is_a_note() {
    let mut tree = store();
    element(&mut tree, b"nobody names me");
    let report = report(&tree);
    assert_eq!(report.findings, []);
    let notes: Vec<_> = report.notes.iter().map(|note| (note.code, note.count)).collect();
    let expected = [(NoteCode::NotAuthenticated, 0), (NoteCode::UnreferencedElements, 1)];
    assert_eq!(notes, expected);
}

#[test]
fn a_record_must_be_whole_canonical_and_where_it_says() {
    let clean = store();
    let at = clean.files.keys().find(|path| path.starts_with("observations/")).expect("a record").clone();
    let bytes = clean.files[&at].clone();
    let mut cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("truncated", bytes[..bytes.len() / 2].to_vec(), "truncated"),
        ("newline", [&bytes[..], b"\n"].concat(), "trailing-newline"),
    ];
    cases.push(("reformatted", String::from_utf8_lossy(&bytes).replace("\":", "\": ").into_bytes(), "reformatted"));
    cases.push(("edited", String::from_utf8_lossy(&bytes).replace("one-page", "all-pages").into_bytes(), "unknown"));
    for (what, bytes, cause) in cases {
        let mut tree = clean.clone();
        tree.put(&at, bytes);
        assert_eq!(found(&tree), [format!("observation-invalid {at} {cause}")], "{what}");
    }
    // A name of its own digest does not make a record of other bytes.
    let forged = [&b"{}"[..], b"not JSON", br#"{"format":2,"schema":"git-docket.observation"}"#];
    for bytes in forged {
        let mut tree = clean.clone();
        let name = format!("observations/x/20260102T030405Z-{}.json", &Digest::of(bytes).hex()[..32]);
        tree.put(&name, bytes);
        let report = report(&tree);
        assert_eq!(lines(&report.findings), [format!("observation-invalid {name} unknown")]);
        let newer = report.findings[0].actual.as_deref().is_some_and(|actual| actual.contains("format 2"));
        assert_eq!(newer, bytes.starts_with(b"{\"f"));
    }
    let mut tree = clean;
    let moved = at.replace("/42/", "/43/");
    let bytes = tree.take(&at);
    tree.put(&moved, bytes);
    let report = report(&tree);
    assert_eq!(lines(&report.findings), [format!("observation-invalid {moved} unknown")]);
    assert_eq!(report.findings[0].expected.as_deref(), Some(at.as_str()));
}

#[test]
fn a_chunk_must_be_a_list_of_parts() {
    let mut tree = store();
    let no_list = element(&mut tree, br#"{"not":"a list"}"#);
    let container = Digest::of(b"[null]");
    let by = look(&mut tree, vec![input(container, Parts::Chunked(vec![no_list]))]);
    assert_eq!(found(&tree), [format!("observation-invalid {by} unknown")]);
}

#[test]
fn the_constant_files_are_compared_byte_for_byte() {
    type Case = (&'static str, fn(&mut Mem, &str), [&'static str; 3]);
    let cases: [Case; 3] = [
        ("delete", |tree, path| drop(tree.take(path)), ["attributes-missing", "file-missing", "file-missing"]),
        (
            "append",
            |tree, path| tree.files.get_mut(path).expect("there").push(b'x'),
            ["attributes-missing", "size-differs", "size-differs"],
        ),
        (
            "link",
            |tree, path| {
                tree.take(path);
                tree.others.insert(path.to_owned(), FileKind::Symlink);
            },
            ["not-regular-file"; 3],
        ),
    ];
    for (what, damage, codes) in cases {
        for (path, code) in [".gitattributes", ".gitignore", "docket.json"].into_iter().zip(codes) {
            let mut tree = store();
            damage(&mut tree, path);
            assert_eq!(found(&tree), [format!("{code} {path} unknown")], "{what}");
        }
    }
    let mut tree = store();
    tree.put(".gitattributes", header::ATTRIBUTES.replace('\n', "\r\n"));
    assert_eq!(found(&tree), ["attributes-missing .gitattributes line-endings"]);
}

#[test]
fn a_newer_store_is_refused_by_name() {
    let mut tree = store();
    tree.put(header::PATH, br#"{"format":2,"schema":"git-docket.store"}"#);
    assert_eq!(verify(&tree, &Anchor::default()).expect_err("newer").code(), "format-newer");
    let anchor = Anchor { index_digest: Some(Digest::of(b"")), commit: None };
    assert_eq!(verify(&store(), &anchor).expect_err("no index").code(), "verify-nothing");
}

#[test]
fn an_erased_element_may_be_missing_and_must_not_be_there() {
    let digest = Digest::of(COMMENT);
    let mut tree = store();
    tree.put(&format!("erasures/{}.json", digest.hex()), br#"{"reason":"asked for"}"#);
    assert_eq!(found(&tree), [format!("element-erased-present {} unknown", path(&digest))]);
    tree.take(&path(&digest));
    let report = report(&tree);
    assert_eq!(report.findings, []);
    assert!(report.notes.iter().any(|n| (n.code, n.count) == (NoteCode::ErasedElements, 1)), "{:?}", report.notes);
    tree.put(&format!("erasures/{}.json", digest.hex()), "{\"reason\": 1}");
    assert_eq!(found(&tree), [format!("not-canonical erasures/{}.json unknown", digest.hex())]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_changed_byte_of_a_store_is_one_finding(file in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut tree = store();
        let files: Vec<_> = tree.files.iter().map(|(path, bytes)| (path.clone(), bytes.clone())).collect();
        let (path, mut bytes) = file.get(&files).clone();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        tree.put(&path, bytes);
        // A header may happen to name a newer format, which is refused instead.
        if let Ok(report) = verify(&tree, &Anchor::default()) {
            prop_assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
            prop_assert_eq!(&report.findings[0].path, &path);
            prop_assert_ne!(report.findings[0].code, Code::FileExtra);
        } else {
            prop_assert_eq!(path, header::PATH);
        }
    }
}

#[test]
fn a_file_that_is_the_same_in_every_store_was_not_cut() {
    for name in ["docket.json", ".gitattributes", ".gitignore"] {
        let mut tree = store();
        let mut bytes = tree.take(name);
        bytes.truncate(bytes.len() / 2);
        tree.put(name, bytes);
        let found = found(&tree);
        assert!(found.len() == 1 && found[0].ends_with(" unknown"), "{found:?}");
    }
}

/// A tree that notes which folders are listed.
struct Noted<'t>(&'t Mem, Mutex<Vec<String>>);

impl Tree for Noted<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        self.1.lock().expect("no panic").push(dir.to_owned());
        self.0.list(dir)
    }

    fn in_the_way(&self, name: &str) -> io::Result<Option<TreeEntry>> {
        self.0.in_the_way(name)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        self.0.read(path, limit)
    }
}

/// Most of the time is listing: a store has nearly as many directories as files.
#[test]
fn no_large_folder_is_listed_twice() {
    let tree = store();
    let listed = Noted(&tree, Mutex::default());
    let report = verify(&listed, &Anchor::default()).expect("a store");
    assert!(report.verified, "{report:?}");
    let listed = listed.1.into_inner().expect("no panic");
    for folder in ["objects", "observations"] {
        assert_eq!(listed.iter().filter(|dir| *dir == folder).count(), 1, "{folder} in {listed:?}");
    }
    assert!(!listed.contains(&String::new()), "the whole store in {listed:?}");
}
