//! The index after a commit that was made behind the work tree's back.

use git_docket::git::{Repo, Staged};

use super::{Place, StopAt, commit_files, unhindered};

/// Writes files into the work tree, commits them behind its back, and says what to stage.
fn commit_behind(place: &Place, dir: &str, repo: &Repo, files: &[(&str, &[u8])]) -> Vec<Staged> {
    for (path, bytes) in files {
        place.file(&format!("{dir}/{path}"), bytes);
    }
    let branch = repo.head_branch().expect("reads").expect("attached");
    commit_files(repo, &branch, files, unhindered()).expect("commits");
    let head = repo.resolve("HEAD").expect("resolves").expect("exists");
    let tree = repo.tree(&head, "").expect("a tree");
    let id = |path: &str| tree.file_id(path).expect("finds");
    files
        .iter()
        .map(|(path, bytes)| Staged { path: (*path).to_owned(), blob: id(path).map(|id| (id, bytes.len() as u64)) })
        .collect()
}

#[test]
fn status_is_clean_afterwards() {
    let kinds: [&[&str]; 6] = [
        &["update-index", "--index-version", "2"],
        &["update-index", "--index-version", "4"],
        &["update-index", "--split-index"],
        &["update-index", "--force-untracked-cache"],
        &["config", "index.skipHash", "true"],
        &["config", "core.trustctime", "false"],
    ];
    for kind in kinds {
        let place = Place::new();
        place.sample("work", &[]);
        place.git("work", kind);
        place.git("work", &["add", "--renormalize", "-A"]);
        let repo = place.open("work");
        let staged = commit_behind(
            &place,
            "work",
            &repo,
            &[("a/new", b"n"), ("a-b", b"n"), ("many/03/x", b"x"), ("zz/z/z", b"z"), ("a.b", b"edited")],
        );
        assert_ne!(place.git("work", &["status", "--porcelain"]), "");
        repo.index_update(&staged, unhindered()).expect("updates");
        assert_eq!(place.git("work", &["status", "--porcelain"]), "");
        place.git("work", &["diff-files", "--quiet"]);
        place.git("work", &["diff-index", "--cached", "--quiet", "HEAD"]);
        assert!(!place.path("work/.git/index.lock").exists());
        place.fsck("work");
        // And git goes on from there.
        place.file("work/more", b"more");
        place.git("work", &["add", "-A"]);
        place.git("work", &["commit", "-q", "-m", "by git"]);
        assert_eq!(place.git("work", &["diff", "--name-only", "HEAD~1", "HEAD"]).trim(), "more");
    }
}

#[test]
fn the_first_commit_of_a_new_repository_and_removals() {
    let place = Place::new();
    let repo = Repo::init(&place.path("new"), "main", unhindered()).expect("initialises");
    let staged = commit_behind(&place, "new", &repo, &[("docket.json", b"{}"), ("d/e", b"e")]);
    repo.index_update(&staged, unhindered()).expect("updates");
    assert_eq!(place.git("new", &["status", "--porcelain"]), "");
    let removed = Staged { path: "d/e".to_owned(), blob: None };
    repo.index_update(&[removed], unhindered()).expect("updates");
    assert_eq!(place.git("new", &["ls-files"]).trim(), "docket.json");
}

#[test]
fn other_peoples_staged_work_stays() {
    let place = Place::new();
    place.sample("work", &[]);
    place.file("work/a0", b"staged by somebody");
    place.file("work/staged-new", b"s");
    place.git("work", &["add", "a0", "staged-new"]);
    place.file("work/empty", b"not staged");
    place.git("work", &["rm", "-q", "--cached", "link"]);
    let before = place.git("work", &["status", "--porcelain"]);
    let repo = place.open("work");
    let staged = commit_behind(&place, "work", &repo, &[("facts/1", b"1")]);
    repo.index_update(&staged, unhindered()).expect("updates");
    assert_eq!(place.git("work", &["status", "--porcelain"]), before);
}

#[test]
fn a_file_that_changed_meanwhile_is_not_called_clean() {
    let place = Place::new();
    place.sample("work", &[]);
    let repo = place.open("work");
    let staged = commit_behind(&place, "work", &repo, &[("f", b"committed"), ("g", b"gone")]);
    place.file("work/f", b"and changed");
    std::fs::remove_file(place.path("work/g")).expect("removes");
    repo.index_update(&staged, unhindered()).expect("updates");
    assert_eq!(place.git("work", &["status", "--porcelain"]).lines().collect::<Vec<_>>(), [" M f", " D g"]);
}

#[test]
fn a_conflict_at_the_path_is_resolved_and_a_file_in_the_way_is_refused() {
    let place = Place::new();
    place.sample("work", &[]);
    place.git("work", &["checkout", "-q", "-b", "side", "HEAD~1"]);
    place.file("work/a/b", b"side");
    place.git("work", &["commit", "-q", "-a", "-m", "side"]);
    place.git("work", &["checkout", "-q", "main"]);
    assert!(!super::run_git(&place.path("work"), &["merge", "-q", "side"]).status.success(), "a conflict");
    let repo = place.open("work");
    let staged = commit_behind(&place, "work", &repo, &[("a/b", b"settled")]);
    repo.index_update(&staged, unhindered()).expect("updates");
    assert_eq!(place.git("work", &["ls-files", "-u"]), "");
    let id = staged[0].blob;
    let error =
        repo.index_update(&[Staged { path: "a.b/x".to_owned(), blob: id }], unhindered()).expect_err("in the way");
    assert_eq!(error.code(), "path-invalid");
}

#[test]
fn a_linked_work_tree_has_its_own_index() {
    let place = Place::new();
    place.sample("work", &[]);
    place.git("work", &["worktree", "add", "-q", "-b", "side", "../linked"]);
    let repo = place.open("linked");
    let staged = commit_behind(&place, "linked", &repo, &[("facts/1", b"1")]);
    repo.index_update(&staged, unhindered()).expect("updates");
    assert_eq!(place.git("linked", &["status", "--porcelain"]), "");
    assert_eq!(place.git("work", &["status", "--porcelain"]), "");
}

#[test]
fn a_foreign_index_lock_is_respected_and_a_dead_one_of_ours_is_not_in_the_way() {
    let place = Place::new();
    place.sample("work", &[]);
    let repo = place.open("work");
    let staged = commit_behind(&place, "work", &repo, &[("facts/1", b"1")]);
    place.file("work/.git/index.lock", b"");
    let error = repo.index_update(&staged, unhindered()).expect_err("locked");
    assert_eq!(error.code(), "repo-locked");
    assert!(place.path("work/.git/index.lock").exists());
    std::fs::remove_file(place.path("work/.git/index.lock")).expect("removes");

    let mut at = 0;
    let mut left_locked = false;
    while place.open("work").index_update(&staged, &StopAt::new(at)).is_err() {
        left_locked |= place.path("work/.git/index.lock").exists();
        let before = place.git("work", &["ls-files", "-s"]);
        assert!(before.contains("a.b"), "the index is whole at step {at}");
        at += 1;
    }
    assert!(left_locked && at > 4, "a stop between lock and rename was among them");
    assert!(!place.path("work/.git/index.lock").exists());
    assert_eq!(place.git("work", &["status", "--porcelain"]), "");
}

#[test]
fn a_folded_directory_of_a_sparse_index_is_refused() {
    let place = Place::new();
    place.sample("work", &[]);
    place.git("work", &["sparse-checkout", "set", "--cone", "--sparse-index", "many"]);
    let repo = place.open("work");
    let staged = commit_behind(&place, "work", &repo, &[("many/03/x", b"x")]);
    repo.index_update(&staged, unhindered()).expect("updates");
    assert_eq!(place.git("work", &["status", "--porcelain"]), "");
    let folded = Staged { path: "a/new".to_owned(), blob: staged[0].blob };
    let error = repo.index_update(&[folded], unhindered()).expect_err("folded");
    assert_eq!(error.code(), "repo-unsupported");
    assert!(error.to_string().contains("the index is sparse, and a is folded"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("--no-sparse-index")), "a way out");
    place.git("work", &["diff-index", "--cached", "--quiet", "HEAD"]);
}
