//! Paths of a store, its header, and reading what is filed.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use git_docket::format::digest::Digest;
use git_docket::format::entity::Subject;
use git_docket::format::facet::Facet;
use git_docket::format::header;
use git_docket::format::observation::{NotAnObservation, Observation, Seen};
use git_docket::format::tree::{Tree, TreeEntry};
use git_docket::store::facts::{ElementFault, Facts, NotFiled};
use git_docket::store::layout::{check_header, element_path, parse_element_path};
use git_docket::store::mem::MemTree;

fn look(subject: &str, facet: Facet, second: u64) -> Observation {
    Observation {
        subject: subject.parse().expect("a subject"),
        kind: None,
        facet,
        item: None,
        observed_at: format!("2026-01-02T03:04:{second:02}Z").parse().expect("a time"),
        position: None,
        dialect: "github-rest".to_owned(),
        failed: Vec::new(),
        seen: Seen::Unavailable { status: 404, url: None },
    }
}

fn file(tree: &mut MemTree, look: &Observation) -> String {
    let bytes = look.to_bytes();
    let path = format!("observations/{}", look.path(&Digest::of(&bytes)));
    tree.insert(&path, bytes);
    path
}

#[test]
fn an_element_lies_under_its_digest() {
    let digest = Digest::of(b"x");
    let path = element_path(&digest);
    assert_eq!(path.replace('/', ""), format!("objects{}", digest.hex()));
    assert_eq!(parse_element_path(&path), Some(digest));
    let hex = digest.hex();
    let upper = path.to_uppercase().replace("OBJECTS", "objects");
    let (long, flat) = (format!("{path}0"), format!("objects/{hex}"));
    let shifted = format!("objects/{}/{}", &hex[..3], &hex[3..]);
    let deep = format!("objects/{}/{}/{}", &hex[..2], &hex[2..4], &hex[4..]);
    for other in ["", "objects", "objects/ab", "other", &upper, &long, &flat, &shifted, &deep, &path[1..]] {
        assert_eq!(parse_element_path(other), None, "{other}");
    }
    let subject: Subject = "github:github.com/Acme/web/thread/1042".parse().expect("a subject");
    assert_eq!(format!("observations/{}", subject.dir()), "observations/github/github.com/acme/web/thread/0001/1042");
}

#[test]
fn only_a_header_of_this_format_makes_a_store() {
    let code = |header: Option<&[u8]>| {
        let tree: MemTree = header.into_iter().map(|bytes| (header::PATH.to_owned(), bytes.to_vec())).collect();
        check_header(&tree).map_err(|error| error.code())
    };
    let [.., (_, good)] = header::files();
    assert_eq!(code(Some(&good)), Ok(()));
    assert_eq!(code(None), Err("store-missing"));
    assert_eq!(code(Some(br#"{"format":2,"schema":"git-docket.store"}"#)), Err("format-newer"));
    let large = vec![b' '; 1 << 20];
    let others: [&[u8]; 5] = [b"", b"{}", br#"{"format":0,"schema":"git-docket.store"}"#, b"\xff", &large];
    for other in others {
        assert_eq!(code(Some(other)), Err("store-invalid"));
    }
}

#[test]
fn an_element_is_checked_against_its_name() {
    let (good, bad, none) = (Digest::of(b"good"), Digest::of(b"bad"), Digest::of(b"none"));
    let files = [(element_path(&good), b"good".to_vec()), (element_path(&bad), b"worse".to_vec())];
    let tree: MemTree = files.into_iter().collect();
    let facts = Facts { tree: &tree };
    assert_eq!(facts.element(&good).expect("whole"), b"good");
    let corrupt = facts.element(&bad).expect_err("corrupt");
    assert!(
        matches!(corrupt, ElementFault::Corrupt { expected, found } if expected == bad && found == Digest::of(b"worse"))
    );
    assert_eq!(corrupt.code(), "element-corrupt");
    assert_eq!(facts.element(&none).expect_err("missing").code(), "element-missing");
}

#[test]
fn observations_come_with_what_is_wrong_with_them() {
    let mut tree = MemTree::default();
    let (a, b) = ("github:github.com/acme/web/thread/1", "github:github.com/acme/web/thread/10");
    let mut expected: Vec<_> =
        [look(a, Facet::Labels, 2), look(a, Facet::Labels, 1), look(a, Facet::Header, 3), look(b, Facet::Header, 0)]
            .iter()
            .map(|look| (file(&mut tree, look), look.clone()))
            .collect();
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    let facts = Facts { tree: &tree };
    let all = facts.observations("").expect("read");
    let read: Vec<_> = all.iter().map(|f| (f.path.clone(), f.record.clone().expect("a record"))).collect();
    assert_eq!(read, expected);
    assert!(all.iter().all(|filed| {
        tree.read(&filed.path, 9999).expect("read").is_some_and(|b| Some(Digest::of(&b)) == filed.digest)
    }));
    let subject: Subject = a.parse().expect("a subject");
    let of_a = facts.observations(&subject.dir()).expect("read");
    assert_eq!(of_a.len(), 3, "thread 10 is not below thread 1");
    assert_eq!(of_a, all.into_iter().filter(|f| f.path.contains("/thread/0000/1/")).collect::<Vec<_>>());

    let record = look(a, Facet::Labels, 9);
    let bytes = record.to_bytes();
    let home = record.path(&Digest::of(&bytes));
    let mut damaged = MemTree::default();
    damaged.insert("observations/moved/labels/x.json", bytes.clone());
    damaged.insert("observations/spaced", [&bytes[..], b"\n"].concat());
    damaged.insert("observations/text", b"no".to_vec());
    let faults: Vec<_> = Facts { tree: &damaged }.observations("").expect("read");
    let faults: Vec<_> = faults.into_iter().map(|filed| filed.record.expect_err("damaged")).collect();
    assert_eq!(faults[0], NotFiled::Elsewhere(format!("observations/{home}")));
    assert_eq!(faults[1], NotFiled::Record(NotAnObservation::NotCanonical));
    assert!(matches!(faults[2], NotFiled::Record(NotAnObservation::Json(_))));
}

/// A tree that counts how often it is listed.
struct Counting<'t>(&'t MemTree, AtomicUsize);

impl Tree for Counting<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<TreeEntry>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.list(dir)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        self.0.read(path, limit)
    }
}

#[test]
fn one_walk_finds_every_subject() {
    let mut tree = MemTree::default();
    let subjects =
        ["acme/web/thread/1", "acme/web/thread/10", "acme/web/thread/2", "acme/web", "acme/web-2/thread/1", "@octocat"];
    for subject in subjects {
        for second in 0..3 {
            file(&mut tree, &look(&format!("github:github.com/{subject}"), Facet::Header, second));
            file(&mut tree, &look(&format!("github:github.com/{subject}"), Facet::Labels, second));
        }
    }
    tree.insert("observations/stray", Vec::new());
    tree.insert("observations/a/stray", Vec::new());
    let counting = Counting(&tree, AtomicUsize::new(0));
    let facts = Facts { tree: &counting };
    let found = facts.subjects().expect("read");
    let mut dirs: Vec<String> = subjects
        .iter()
        .map(|s| format!("github:github.com/{s}").parse::<Subject>().expect("a subject").dir())
        .collect();
    dirs.push(String::new());
    dirs.sort();
    assert_eq!(found.iter().map(|(dir, _)| dir).collect::<Vec<_>>(), dirs.iter().collect::<Vec<_>>());
    assert!(found.iter().all(|(dir, paths)| dir.is_empty() || (paths.len() == 6 && paths.is_sorted())));
    for (dir, paths) in &found {
        let loaded = facts.load(paths).expect("read");
        assert_eq!(loaded.iter().map(|filed| &filed.path).collect::<Vec<_>>(), paths.iter().collect::<Vec<_>>());
        assert!(
            loaded.iter().all(|filed| filed.record.as_ref().map(|r| r.subject.dir()).ok()
                == Some(dir.clone()).filter(|d| !d.is_empty()))
        );
    }
    assert_eq!(counting.1.load(Ordering::SeqCst), 1);
}
