//! Writing objects: one pack, what git accepts, what comes back.

use git_docket::format::steps::Unhindered;
use git_docket::format::tree::{MAX_FILE, Tree};
use git_docket::git::{Oid, Repo};
use proptest::prelude::*;

use super::{Place, StopAt, commit_files, unhindered, who};

fn packs(place: &Place, dir: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(place.path(dir).join("objects/pack"))
        .expect("a pack directory")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_written_passes_fsck_and_reads_back() {
    for format in ["sha1", "sha256"] {
        let place = Place::new();
        place.git(".", &["init", "-q", "--bare", &format!("--object-format={format}"), "bare.git"]);
        let repo = place.open("bare.git");
        let big = vec![b'x'; 3 << 20];
        let noise: Vec<u8> = (0..70_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let files: [(&str, &[u8]); 6] = [
            ("a", b"1"),
            ("b.c", b""),
            ("b/c", b"\r\n\0"),
            ("b0", &noise),
            ("deep/er/and/deeper", b"4"),
            ("big", &big),
        ];
        let commit = commit_files(&repo, "refs/heads/main", &files, unhindered()).expect("writes");
        place.fsck("bare.git");
        assert_eq!(place.git("bare.git", &["rev-parse", "main"]).trim(), commit.to_string());
        let listed = place.git("bare.git", &["ls-tree", "-r", "--name-only", "main"]);
        assert_eq!(listed.lines().collect::<Vec<_>>(), ["a", "b.c", "b/c", "b0", "big", "deep/er/and/deeper"]);
        // The same handle sees what it wrote.
        let tree = repo.tree(&repo.commit(commit).expect("reads"), "").expect("a tree");
        for (path, bytes) in files {
            assert_eq!(tree.read(path, MAX_FILE).expect("reads").as_deref(), Some(bytes), "{path}");
        }
        let names = packs(&place, "bare.git");
        assert_eq!(names.len(), 2, "one pack, one index, nothing temporary: {names:?}");
        place.git("bare.git", &["verify-pack", &format!("objects/pack/{}", names[0].replace(".idx", ".pack"))]);
        assert!(
            place
                .git("bare.git", &["log", "-1", "--format=%an %ae %at %s %G?", "main"])
                .starts_with("Ada ada@example.com 1700000000 files N")
        );
    }
}

#[test]
fn what_is_there_already_is_not_written_again() {
    let place = Place::new();
    place.sample("work", &[]);
    // Some of it packed, some loose, all of it borrowed.
    place.git("work", &["repack", "-adq"]);
    place.file("work/loose", b"loose");
    place.git("work", &["add", "loose"]);
    place.git(".", &["clone", "-q", "--shared", "--bare", "work", "borrowing"]);
    let repo = place.open("borrowing");
    let mut writer = repo.writer(unhindered());
    let known = writer.blob(b"before the directory".to_vec()).expect("adds");
    assert_eq!(known.to_string(), place.git("work", &["rev-parse", "HEAD:a.b"]).trim());
    writer.blob(b"loose".to_vec()).expect("adds");
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    let same = writer.edit_tree(Some(head.tree), &mut vec![("a.b".to_owned(), Some(known))]).expect("edits");
    assert_eq!(same, head.tree);
    let twice = writer.blobs(vec![b"new".to_vec(), b"new".to_vec()]).expect("adds");
    assert_eq!(twice[0], twice[1]);
    writer.finish().expect("finishes");
    assert_eq!(packs(&place, "borrowing").len(), 2);
    let count = place.git("borrowing", &["count-objects", "-v"]);
    assert!(count.contains("in-pack: 1\n"), "only what is new: {count}");
    let repo = place.open("borrowing");
    let mut writer = repo.writer(unhindered());
    writer.blob(b"new".to_vec()).expect("adds");
    writer.finish().expect("finishes");
    assert_eq!(packs(&place, "borrowing").len(), 2, "nothing new, no pack");
}

#[test]
fn the_same_commit_is_made_everywhere() {
    // The name of a commit with fixed dates is a constant of the format: configuration must not change it.
    let made = |setup: &dyn Fn(&Place)| {
        let place = Place::new();
        place.git(".", &["init", "-q", "--bare", "r"]);
        setup(&place);
        let commit = commit_files(&place.open("r"), "refs/heads/x", &[("f", b"x\r\n")], unhindered());
        (commit.expect("writes"), place.git("r", &["cat-file", "-p", "x"]))
    };
    let plain = made(&|_| ());
    let configured = made(&|place| {
        for (key, value) in [
            ("commit.gpgsign", "true"),
            ("core.autocrlf", "input"),
            ("i18n.commitEncoding", "ISO-8859-1"),
            ("user.name", "Somebody"),
            ("pack.compression", "0"),
            ("core.compression", "0"),
        ] {
            place.git("r", &["config", key, value]);
        }
        place.file("r/info/attributes", b"* text ident filter=lfs\n");
    });
    assert_eq!(plain, configured);
    let who = "Ada <ada@example.com> 1700000000 +0000";
    let (tree, rest) = plain.1.split_once('\n').expect("lines");
    assert_eq!(rest, format!("author {who}\ncommitter {who}\n\nfiles\n"));
    // The tree as git makes it, of a blob with its line ending.
    assert_eq!(tree, "tree b9e3d88ec4b17d757bf7492ac9aa234310ae7a88");
}

#[test]
fn edits_remove_replace_and_refuse() {
    let place = Place::new();
    place.sample("work", &[]);
    let repo = place.open("work");
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    let mut writer = repo.writer(unhindered());
    let new = writer.blob(b"new".to_vec()).expect("adds");
    let some = |path: &str| (path.to_owned(), Some(new));
    let none = |path: &str| (path.to_owned(), None);
    // A directory goes away whole, a file makes room for a directory, empty directories vanish.
    let tree = writer
        .edit_tree(
            Some(head.tree),
            &mut vec![
                some("a.b/x"),
                none("a.b"),
                none("many"),
                none("a/b"),
                none("never/there"),
                some("z"),
                none("empty/x"),
            ],
        )
        .expect("edits");
    let commit = writer.commit(tree, &[head.id], "edit", &who()).expect("commits");
    writer.finish().expect("finishes");
    place.git("work", &["update-ref", "refs/heads/edited", &commit.to_string()]);
    place.fsck("work");
    let listed = place.git("work", &["ls-tree", "-r", "-z", "--name-only", "edited"]);
    assert_eq!(
        listed.split_terminator('\0').collect::<Vec<_>>(),
        ["a.b/x", "a0", "empty", "link", "z", "\u{e4} space \"q\""]
    );
    assert!(place.git("work", &["ls-tree", "edited", "link"]).starts_with("120000"), "other modes stay");

    let mut writer = repo.writer(unhindered());
    let emptied =
        writer.edit_tree(Some(tree), &mut ["a.b", "a0", "empty", "link", "z", "\u{e4} space \"q\""].map(none).to_vec());
    assert_eq!(emptied.expect("edits").to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    for (base, bad) in [
        (Some(head.tree), vec![some("a.b/x")]),
        (Some(head.tree), vec![some("many")]),
        (None, vec![some("x"), some("x/y")]),
        (None, vec![some("x"), ("x".to_owned(), Some(head.id))]),
        (None, vec![some("")]),
        (None, vec![some("/x")]),
        (None, vec![some("x/")]),
        (None, vec![some("x//y")]),
        (None, vec![some("../x")]),
        (None, vec![some("x/.git/config")]),
        (None, vec![some(".GIT/config")]),
        (None, vec![some("git~1/x")]),
        (None, vec![some("a\0b")]),
        (None, vec![some("a\\b")]),
        (None, vec![some(&"d/".repeat(5000))]),
    ] {
        let error = writer.edit_tree(base, &mut bad.clone()).expect_err("refused");
        assert_eq!(error.code(), "path-invalid", "{bad:?}: {error}");
    }
}

#[test]
fn stopping_anywhere_harms_nothing_and_the_next_run_succeeds() {
    let place = Place::new();
    place.git(".", &["init", "-q", "--bare", "r"]);
    place.git("r", &["config", "core.logAllRefUpdates", "true"]);
    let repo = place.open("r");
    let first = commit_files(&repo, "refs/heads/facts", &[("a", b"1")], &Unhindered).expect("writes");
    let mut at = 0;
    loop {
        let stop = StopAt::new(at);
        let content = format!("run {at}");
        let old = repo.ref_value("refs/heads/facts").expect("reads");
        let result = commit_files(&place.open("r"), "refs/heads/facts", &[("b", content.as_bytes())], &stop);
        place.fsck("r");
        let now = repo.ref_value("refs/heads/facts").expect("reads");
        let Ok(done) = result else {
            assert_eq!(stop.taken(), at + 1, "nothing after the stop");
            let tip = now.expect("the branch is there");
            let in_place = Some(tip) == old;
            assert!(in_place || repo.commit(tip).expect("whole").parents == old.as_slice(), "old value or new");
            at += 1;
            continue;
        };
        assert_eq!(now, Some(done));
        break;
    }
    assert!(at > 12, "write, sync and rename were all stopped: {at}");
    let history = place.git("r", &["log", "--format=%H", "facts"]);
    assert!(history.trim().ends_with(&first.to_string()), "nothing was lost");
    assert!(!place.path("r/refs/heads/facts.lock").exists());
    let left: Vec<_> = packs(&place, "r").into_iter().filter(|n| !n.starts_with("pack-")).collect();
    assert!(left.iter().all(|n| n.starts_with("tmp_")), "git sweeps these: {left:?}");
    place.git("r", &["prune", "--expire=now"]);
    place.git("r", &["gc", "-q", "--prune=now"]);
    assert!(packs(&place, "r").iter().all(|n| n.starts_with("pack-")));
    place.fsck("r");
}

#[test]
fn a_new_repository_is_whole_or_not_there() {
    let place = Place::new();
    place.file("d/keep", b"kept");
    let mut at = 0;
    while Repo::init(&place.path("d"), "trunk", &StopAt::new(at)).is_err() {
        let there = place.path("d/.git").exists();
        assert_eq!(Repo::open(&place.path("d")).is_ok(), there, "step {at}");
        if there {
            std::fs::remove_dir_all(place.path("d/.git")).expect("removes");
        }
        at += 1;
    }
    assert!(at > 5);
    let repo = place.open("d");
    assert_eq!(repo.head_branch().expect("reads").as_deref(), Some("refs/heads/trunk"));
    assert_eq!(repo.work_dir(), Some(&*place.path("d")));
    place.fsck("d");
    let mode = |dir: &str| place.path(dir).metadata().expect("is there").permissions();
    assert_eq!(mode("d/.git"), mode("d"), "as open as other directories");
    assert_eq!(place.git("d", &["symbolic-ref", "HEAD"]).trim(), "refs/heads/trunk");
    assert_eq!(place.git("d", &["status", "--porcelain", "keep"]).trim(), "?? keep");
    let again = Repo::init(&place.path("d"), "main", unhindered()).err().expect("refused");
    assert_eq!(again.code(), "repo-exists");
    assert!(Repo::init(&place.path("e"), "a..b", unhindered()).is_err());
    assert!(!place.path("e").exists(), "nothing is made for a bad name");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// A tree after edits is the tree that is built from the resulting files at once.
    #[test]
    fn edits_commute_with_building(
        first in proptest::collection::btree_map("[ab]/[ab.0]{1,2}/[ab]", 0u8..4, 0..12),
        second in proptest::collection::btree_map("[ab]/[ab.0]{1,2}/[ab]", proptest::option::of(0u8..4), 0..12),
    ) {
        let valid = |path: &str| !path.contains("/./") && !path.contains("/../") && !path.contains("./");
        let place = Place::new();
        let repo = Repo::init(&place.path("r"), "main", unhindered()).expect("initialises");
        let mut writer = repo.writer(unhindered());
        let blobs: Vec<Oid> = (0..4).map(|n| writer.blob(vec![n]).expect("adds")).collect();
        let mut files: std::collections::BTreeMap<_, _> = first.into_iter().filter(|f| valid(&f.0)).collect();
        let list = |files: &std::collections::BTreeMap<String, u8>| {
            files.iter().map(|(p, n)| (p.clone(), blobs[usize::from(*n)])).collect::<Vec<_>>()
        };
        let base = writer.tree_from(list(&files)).expect("builds");
        writer.finish().expect("finishes");
        let mut writer = repo.writer(unhindered());
        let changes: Vec<_> = second.into_iter().filter(|c| valid(&c.0)).collect();
        let edits = changes.iter().map(|(p, n)| (p.clone(), n.map(|n| blobs[usize::from(n)])));
        let edited = writer.edit_tree(Some(base), &mut edits.rev().collect()).expect("edits");
        for (path, n) in changes {
            match n {
                Some(n) => files.insert(path, n),
                None => files.remove(&path),
            };
        }
        prop_assert_eq!(edited, writer.tree_from(list(&files)).expect("builds"));
    }
}
