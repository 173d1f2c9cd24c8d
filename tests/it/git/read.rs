//! Reading revisions of every kind of repository.

use std::collections::BTreeMap;

use git_docket::format::tree::{FileKind, MAX_FILE, Tree};
use git_docket::git::{Error, Repo, inside_work_tree};
use rayon::prelude::*;

use super::Place;

/// Everything that the room reads of a revision must be what git prints of it.
fn same_as_git(place: &Place, dir: &str, rev: &str) {
    let repo = place.open(dir);
    let commit = repo.resolve(rev).expect("resolves").expect("exists");
    assert_eq!(commit.id.to_string(), place.git(dir, &["rev-parse", &format!("{rev}^{{commit}}")]).trim());
    let tree = repo.tree(&commit, "").expect("a tree");
    let list = tree.list("").expect("lists");
    let mut expected = BTreeMap::new();
    for line in place.git(dir, &["ls-tree", "-r", "-z", "--full-tree", rev]).split_terminator('\0') {
        let (meta, path) = line.split_once('\t').expect("a tab");
        let meta: Vec<&str> = meta.split(' ').collect();
        expected.insert(path.to_owned(), (meta[0].to_owned(), meta[2].to_owned()));
    }
    assert_eq!(list.iter().map(|e| e.path.as_str()).collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    list.par_iter().for_each(|entry| {
        let (mode, id) = &expected[&entry.path];
        let kind = if mode == "120000" { FileKind::Symlink } else { FileKind::File };
        assert_eq!(entry.kind, kind, "{}", entry.path);
        let read = tree.read(&entry.path, MAX_FILE).expect("reads");
        if kind == FileKind::File {
            let git = super::run_git(&place.path(dir), &["cat-file", "blob", id]);
            assert_eq!(read.as_deref(), Some(&git.stdout[..]), "{}", entry.path);
            assert_eq!(tree.file_id(&entry.path).expect("finds").map(|i| i.to_string()).as_ref(), Some(id));
        } else {
            assert_eq!(read, None, "a link is not followed");
        }
    });
}

#[test]
fn loose_packed_bare_and_sha256_repositories_read_as_git_reads_them() {
    for init in [&[][..], &["--object-format=sha256"]] {
        let place = Place::new();
        place.sample("work", init);
        same_as_git(&place, "work", "HEAD");
        same_as_git(&place, "work", "HEAD~1");
        place.git("work", &["tag", "-a", "v1", "-m", "tagged"]);
        place.git("work", &["tag", "-a", "v2", "-m", "tag of a tag", "v1"]);
        same_as_git(&place, "work", "v2");
        place.git("work", &["repack", "-adq", "--depth=50", "--window=50"]);
        place.git("work", &["pack-refs", "--all"]);
        same_as_git(&place, "work", "main");
        same_as_git(&place, "work", "v1");
        place.git(".", &["clone", "-q", "--bare", "work", "bare.git"]);
        same_as_git(&place, "bare.git", "main");
        let bare = place.open("bare.git");
        assert!(bare.work_dir().is_none());
        assert_eq!(bare.is_sha256(), !init.is_empty());
    }
}

#[test]
fn linked_worktrees_alternates_and_shallow_clones_read_as_git_reads_them() {
    let place = Place::new();
    place.sample("work", &[]);
    place.git("work", &["worktree", "add", "-q", "-b", "side", "../linked"]);
    place.file("linked/only-here", b"side");
    place.git("linked", &["add", "-A"]);
    place.git("linked", &["commit", "-q", "-m", "side"]);
    same_as_git(&place, "linked", "HEAD");
    let linked = place.open("linked");
    assert_eq!(linked.head_branch().expect("reads").as_deref(), Some("refs/heads/side"));
    assert_eq!(linked.common_dir().canonicalize().ok(), place.path("work/.git").canonicalize().ok());

    place.git(".", &["clone", "-q", "--shared", "work", "shared"]);
    same_as_git(&place, "shared", "HEAD");

    let url = format!("file://{}", place.path("work").display());
    place.git(".", &["clone", "-q", "--depth=1", &url, "shallow"]);
    same_as_git(&place, "shallow", "HEAD");
    let shallow = place.open("shallow");
    assert!(shallow.is_shallow());
    let parent = oid_of(&place, "work", "HEAD~1");
    match shallow.resolve(&parent) {
        Err(e @ Error::ObjectMissing { .. }) => {
            assert_eq!(e.code(), "object-missing");
            assert!(e.to_string().contains(&parent) && e.hint().is_some(), "{e}");
        }
        other => panic!("the parent was cut off: {other:?}"),
    }
}

fn oid_of(place: &Place, dir: &str, rev: &str) -> String {
    place.git(dir, &["rev-parse", rev]).trim().to_owned()
}

#[test]
fn revisions_resolve_or_say_why_not() {
    let place = Place::new();
    place.sample("work", &[]);
    let repo = place.open("work");
    for unknown in ["nothing", "refs/heads/none", "0123456789012345678901234567890123456789", "HEAD~9", "HEAD^2"] {
        assert_eq!(repo.resolve(unknown).expect(unknown), None, "{unknown}");
    }
    for wrong in ["HEAD~1..HEAD", "HEAD:a.b", "HEAD^{tree}", "", "a b", "^HEAD", "HEAD^{nonsense}", "@{upstream}"] {
        let error = repo.resolve(wrong).expect_err(wrong);
        assert_eq!(error.code(), "revision-invalid", "{wrong}: {error}");
    }
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    assert_eq!(head.message, "two\n");
    assert_eq!(head.seconds, 1_700_000_000);
    assert_eq!(repo.resolve(&head.id.to_string()[..12]).expect("short").expect("exists"), head);
    assert_eq!(repo.resolve("HEAD~1").expect("resolves").expect("exists").id, head.parents[0]);
    place.git("work", &["checkout", "-q", "--detach"]);
    assert_eq!(place.open("work").head_branch().expect("reads"), None);

    let unborn = place.path("unborn");
    std::fs::create_dir(&unborn).expect("a directory");
    place.git("unborn", &["init", "-q", "-b", "trunk"]);
    let unborn = place.open("unborn");
    assert_eq!(unborn.resolve("HEAD").expect("resolves"), None);
    assert_eq!(unborn.head_branch().expect("reads").as_deref(), Some("refs/heads/trunk"));
}

#[test]
fn a_prefix_must_be_a_directory() {
    let place = Place::new();
    place.sample("work", &[]);
    let repo = place.open("work");
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    let many = repo.tree(&head, "many/03").expect("a directory");
    let paths: Vec<_> = many.list("").expect("lists").into_iter().map(|e| e.path).collect();
    let expected = place.git("work", &["ls-tree", "--name-only", "HEAD:many/03"]);
    assert_eq!(paths, expected.lines().collect::<Vec<_>>());
    assert_eq!(many.read("file-3.json", 100).expect("reads").as_deref(), Some(&b"{\"n\":3}"[..]));
    for wrong in ["a.b", "many/none", "link", "many/../many"] {
        assert!(repo.tree(&head, wrong).is_err(), "{wrong}");
    }
    let all = repo.tree(&head, "").expect("a tree");
    assert_eq!(all.list("many/03").expect("lists").len(), paths.len());
    assert!(all.list("none").expect("lists").is_empty());
    assert!(all.list("a.b").expect("lists").is_empty());
    for absent in ["", "/", "a", "a.b/", "/a.b", "link/x", "a.b/x", "many//03/file-3.json", &"x/".repeat(100_000)] {
        assert_eq!(all.read(absent, 100).expect("reads"), None, "{absent}");
    }
    let error = all.read("a.b", 5).expect_err("larger than the limit");
    assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
}

#[test]
fn a_missing_blob_of_a_partial_clone_is_named() {
    let place = Place::new();
    place.sample("work", &[]);
    place.git("work", &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", place.path("work").display());
    place.git(".", &["clone", "-q", "--bare", "--filter=blob:none", &url, "partial"]);
    let repo = place.open("partial");
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    let tree = repo.tree(&head, "").expect("a tree");
    assert!(!tree.list("").expect("lists").is_empty(), "trees are there");
    let id = oid_of(&place, "work", "HEAD:a.b");
    let error = tree.read("a.b", 100).expect_err("the blob is not there");
    assert!(error.to_string().contains(&id), "{error}");
    let inner = error.get_ref().and_then(|e| e.downcast_ref::<Error>()).expect("our error inside");
    assert_eq!(inner.code(), "object-missing");
    assert!(inner.hint().is_some());
}

#[test]
fn discovery_goes_up_and_opening_does_not() {
    let place = Place::new();
    place.sample("work", &[]);
    let found = Repo::discover(&place.path("work/many/03")).expect("discovers").expect("there is one");
    assert_eq!(found.work_dir().and_then(|d| d.canonicalize().ok()), place.path("work").canonicalize().ok());
    let error = Repo::open(&place.path("work/many")).err().expect("not the root");
    assert_eq!(error.code(), "repo-not-found");
    assert!(Repo::open(&place.path("none")).is_err());
    assert!(place.open("work/.git").git_dir().ends_with(".git"));

    assert!(inside_work_tree(&place.path("work/not/yet/there")).expect("answers"));
    assert!(inside_work_tree(&place.path("work/.git/objects")).expect("answers"));
    std::os::unix::fs::symlink(place.path("work/many"), place.path("into")).expect("a link");
    assert!(inside_work_tree(&place.path("into/x")).expect("answers"), "the physical place counts");
    place.git(".", &["clone", "-q", "--bare", "work", "bare.git"]);
    assert!(inside_work_tree(&place.path("bare.git/x")).expect("answers"), "a bare repository is no place either");
    assert!(!inside_work_tree(&place.path("elsewhere")).expect("answers"));
}

#[test]
fn a_remote_tracking_branch_stands_in_for_a_local_one() {
    let place = Place::new();
    place.sample("work", &[]);
    place.git("work", &["branch", "data/facts", "HEAD~1"]);
    place.git(".", &["clone", "-q", "work", "clone"]);
    let repo = place.open("clone");
    let found = repo.find_branch("data/facts").expect("finds").expect("there is one");
    assert_eq!(found.name, "refs/remotes/origin/data/facts");
    assert_eq!(found.id.to_string(), oid_of(&place, "work", "data/facts"));
    assert!(!found.local);
    assert_eq!(repo.find_branch("facts").expect("finds"), None, "the whole short name counts");
    place.git("clone", &["remote", "add", "-f", "other/one", "../work"]);
    assert!(place.open("clone").find_branch("data/facts").expect("agree").is_some());
    place.git("clone", &["update-ref", "refs/remotes/other/one/data/facts", "HEAD"]);
    let error = place.open("clone").find_branch("data/facts").expect_err("two remotes differ");
    assert_eq!(error.code(), "ref-invalid");
    place.git("clone", &["branch", "data/facts", "HEAD"]);
    let found = place.open("clone").find_branch("data/facts").expect("finds").expect("local");
    assert!(found.local);
}

#[test]
fn an_open_repository_survives_a_gc() {
    let place = Place::new();
    place.sample("work", &[]);
    let repo = place.open("work");
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    let tree = repo.tree(&head, "").expect("a tree");
    assert!(tree.read("a.b", 100).expect("reads").is_some());
    place.git("work", &["gc", "-q", "--prune=now"]);
    for entry in tree.list("").expect("lists") {
        assert_eq!(tree.read(&entry.path, 100).expect("reads").is_some(), entry.kind == FileKind::File);
    }
}
