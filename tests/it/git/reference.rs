//! Moving references: compare and swap.

use std::thread;

use git_docket::git::Error;

use super::{Place, StopAt, commit_files, oid, unhindered, who};

#[test]
fn of_many_writers_none_is_lost() {
    let place = Place::new();
    place.git(".", &["init", "-q", "--bare", "r"]);
    thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                let repo = place.open("r");
                for n in 0..5 {
                    let name = format!("{writer}-{n}");
                    // A loser reads again and tries again: the only right answer to a moved reference.
                    loop {
                        match commit_files(&repo, "refs/heads/facts", &[(&name, name.as_bytes())], unhindered()) {
                            Ok(_) => break,
                            Err(Error::RefMoved { .. }) => {}
                            Err(other) => panic!("{other}"),
                        }
                    }
                }
            });
        }
    });
    assert_eq!(place.git("r", &["ls-tree", "--name-only", "facts"]).lines().count(), 20);
    assert_eq!(place.git("r", &["rev-list", "--count", "facts"]).trim(), "20");
    place.fsck("r");
}

#[test]
fn a_reference_moves_only_from_the_expected_value() {
    let place = Place::new();
    place.sample("work", &[]);
    let repo = place.open("work");
    let (one, two) =
        (oid(&place.git("work", &["rev-parse", "HEAD~1"])), oid(&place.git("work", &["rev-parse", "HEAD"])));
    let update = |name: &str, new, expected| repo.update_ref(name, new, expected, &who(), "docket: test", unhindered());
    update("refs/heads/new/branch", one, None).expect("creates");
    assert!(
        matches!(update("refs/heads/new/branch", two, None), Err(Error::RefMoved { found, .. }) if found == Some(one))
    );
    assert!(matches!(update("refs/heads/new/branch", one, Some(two)), Err(Error::RefMoved { .. })));
    assert!(matches!(update("refs/heads/absent", one, Some(two)), Err(Error::RefMoved { found: None, .. })));
    assert_eq!(repo.ref_value("refs/heads/new/branch").expect("reads"), Some(one));
    // Also when only packed-refs knows it.
    place.git("work", &["pack-refs", "--all", "--prune"]);
    assert!(matches!(update("refs/heads/new/branch", two, None), Err(Error::RefMoved { .. })));
    update("refs/heads/new/branch", two, Some(one)).expect("moves");
    assert_eq!(place.git("work", &["rev-parse", "new/branch"]).trim(), two.to_string());
    let log = place.git("work", &["reflog", "show", "--format=%gs %gn", "new/branch"]);
    assert_eq!(log.lines().collect::<Vec<_>>(), ["docket: test Ada", "docket: test Ada"]);
    for (object, code) in [("HEAD:a.b", "object-invalid"), ("HEAD^{tree}", "object-invalid")] {
        let object = oid(&place.git("work", &["rev-parse", object]));
        assert_eq!(update("refs/heads/y", object, None).expect_err("not a commit").code(), code);
    }
    let nowhere = oid("0123456789012345678901234567890123456789");
    assert_eq!(update("refs/heads/y", nowhere, None).expect_err("not here").code(), "object-missing");
    // The reflog of HEAD knows of moves of the checked-out branch.
    update("refs/heads/main", one, Some(two)).expect("moves");
    assert!(place.git("work", &["reflog", "-1", "HEAD"]).contains("docket: test"));
    place.fsck("work");
}

#[test]
fn names_that_cannot_stand_are_refused() {
    let place = Place::new();
    place.sample("work", &[]);
    let id = oid(&place.git("work", &["rev-parse", "HEAD"]));
    place.git("work", &["branch", "packed/away"]);
    place.git("work", &["pack-refs", "--all", "--prune"]);
    let repo = place.open("work");
    for bad in [
        "HEAD",
        "main",
        "refs/heads/../../config",
        "refs/heads/a..b",
        "refs/heads/x.lock",
        "refs/heads/",
        "refs/heads/main/below",
        "refs/heads/packed",
        "refs/heads/packed/away/too",
    ] {
        let error = repo.update_ref(bad, id, None, &who(), "m", unhindered()).expect_err(bad);
        assert_eq!(error.code(), "ref-invalid", "{bad}: {error}");
    }
    place.fsck("work");
    // Empty directories of deleted branches are no obstacle.
    place.git("work", &["branch", "old/one"]);
    place.git("work", &["update-ref", "-d", "refs/heads/old/one"]);
    std::fs::create_dir_all(place.path("work/.git/refs/heads/old/two")).expect("directories");
    repo.update_ref("refs/heads/old", id, None, &who(), "m", unhindered()).expect("creates");
}

#[test]
fn a_symbolic_branch_is_followed() {
    let place = Place::new();
    place.sample("work", &[]);
    place.git("work", &["symbolic-ref", "refs/heads/alias", "refs/heads/target"]);
    let id = oid(&place.git("work", &["rev-parse", "HEAD"]));
    let repo = place.open("work");
    repo.update_ref("refs/heads/alias", id, None, &who(), "m", unhindered()).expect("creates");
    assert_eq!(place.git("work", &["rev-parse", "target"]).trim(), id.to_string());
    place.git("work", &["symbolic-ref", "refs/heads/l1", "refs/heads/l2"]);
    place.git("work", &["symbolic-ref", "refs/heads/l2", "refs/heads/l1"]);
    assert!(repo.update_ref("refs/heads/l1", id, None, &who(), "m", unhindered()).is_err());
}

#[test]
fn a_foreign_lock_is_respected() {
    let place = Place::new();
    place.sample("work", &[]);
    let repo = place.open("work");
    place.file("work/.git/refs/heads/x.lock", b"");
    let id = oid(&place.git("work", &["rev-parse", "HEAD"]));
    // Also when a process of ours died before it had written anything.
    let stop = StopAt::new(2);
    assert!(repo.update_ref("refs/heads/x", id, None, &who(), "m", &stop).is_err());
    let intents = std::fs::read_dir(place.path("work/.git/docket")).expect("lists").flatten();
    let intent = intents.map(|e| e.path()).find(|p| p.to_string_lossy().contains("intent-")).expect("was left");
    std::fs::write(intent, b"").expect("emptied");
    let error = repo.update_ref("refs/heads/x", id, None, &who(), "m", unhindered()).expect_err("locked");
    assert_eq!(error.code(), "repo-locked");
    assert!(error.to_string().contains("x.lock") && error.hint().is_some());
    assert!(place.path("work/.git/refs/heads/x.lock").exists(), "not ours to remove");
    std::fs::remove_file(place.path("work/.git/refs/heads/x.lock")).expect("removes");
    repo.update_ref("refs/heads/x", id, None, &who(), "m", unhindered()).expect("free again");
    let left: Vec<_> = std::fs::read_dir(place.path("work/.git/docket")).expect("lists").flatten().collect();
    assert_eq!(left.len(), 1, "nothing but the file that is locked: {left:?}");
}
