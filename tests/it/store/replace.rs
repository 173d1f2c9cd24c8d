//! Whole trees that appear at once, and their removal.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use git_docket::format::steps::{Step, Steps, Unhindered};
use git_docket::store::Error;
use git_docket::store::write::{
    Existing, Held, Lease, Modes, STAGING_PREFIX, remove_tree, replace_own_tree, replace_tree, scavenge, sweep_staging,
};

use super::{Files, StopAfter, files_below, scratch};

fn files(text: &str, count: usize) -> Files {
    (0..count).map(|number| (format!("dir-{}/{number}", number % 3), format!("{text} {number}").into_bytes())).collect()
}

fn write(target: &Path, files: &Files, existing: Existing, steps: &dyn Steps) -> Result<(), Error> {
    replace_tree(&Held::new(target)?, files.iter().cloned(), Modes::Sealed, existing, steps)
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        dir.read_dir().expect("listed").map(|entry| entry.expect("listed").file_name().display().to_string()).collect();
    names.sort();
    names
}

fn clear(dir: &Path) {
    for name in names(dir) {
        remove_tree(&dir.join(name), &Unhindered).expect("removed");
    }
}

#[test]
fn a_tree_appears_whole_and_is_replaced_whole() {
    let dir = scratch();
    let target = dir.path().join("tree");
    let (old, new) = (files("old", 7), files("new", 100));
    write(&target, &old, Existing::Refuse, &Unhindered).expect("written");
    assert_eq!(files_below(&target), old.iter().cloned().collect());
    let error = write(&target, &new, Existing::Refuse, &Unhindered).expect_err("refused");
    assert!(matches!(error, Error::Exists { .. }), "{error}");
    assert_eq!(files_below(&target), old.into_iter().collect());
    write(&target, &new, Existing::Replace, &Unhindered).expect("replaced");
    assert_eq!(files_below(&target), new.into_iter().collect());
    write(&target, &Vec::new(), Existing::Replace, &Unhindered).expect("replaced");
    assert_eq!(names(&target), [""; 0]);
    assert_eq!(names(dir.path()), ["tree"]);
    write(&target.join("no/parent"), &Vec::new(), Existing::Refuse, &Unhindered).expect_err("refused");
    clear(dir.path());
}

#[test]
fn a_target_that_is_no_directory_is_left_alone() {
    let (dir, outside) = (scratch(), scratch());
    std::fs::write(outside.path().join("file"), "x").expect("written");
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("file"), "x").expect("written");
    symlink(outside.path(), at("link")).expect("linked");
    symlink("nowhere", at("broken")).expect("linked");
    for name in ["file", "link", "broken"] {
        let error = write(&at(name), &files("new", 2), Existing::Replace, &Unhindered).expect_err("refused");
        assert!(matches!(error, Error::NotADirectory { .. }), "{name}: {error}");
        let error = write(&at(name), &files("new", 2), Existing::Refuse, &Unhindered).expect_err("refused");
        assert_eq!(error.code(), "target-exists");
        assert!(remove_tree(&at(name), &Unhindered).is_err(), "{name}");
    }
    assert_eq!(names(dir.path()), ["broken", "file", "link"]);
    assert_eq!(names(outside.path()), ["file"]);
}

#[test]
fn a_bad_path_leaves_nothing() {
    let dir = scratch();
    let bad: [(&[&str], &str); 6] = [
        (&["good", "../bad"], "path-unsafe"),
        (&["good", "/bad"], "path-unsafe"),
        (&["good", "a/./b"], "path-unsafe"),
        (&["good", "good"], "store-conflict"),
        (&["good", "good/below"], "store-conflict"),
        (&["good/below", "good"], "store-conflict"),
    ];
    for (paths, code) in bad {
        let files = paths.iter().map(|path| (path.to_string(), Vec::new())).collect();
        let error = write(&dir.path().join("tree"), &files, Existing::Refuse, &Unhindered).expect_err("refused");
        assert_eq!(error.code(), code, "{paths:?}");
        assert_eq!(names(dir.path()), [""; 0], "{paths:?}");
    }
}

/// Stops the work after each number of steps: whoever looks sees the old state or the new one.
fn stop_everywhere(old: Option<usize>, count: usize) {
    let new = files("new", count);
    for steps in 0.. {
        let dir = scratch();
        let target = dir.path().join("tree");
        let old = old.map(|count| files("old", count));
        if let Some(old) = &old {
            write(&target, old, Existing::Refuse, &Unhindered).expect("written");
        }
        let done = write(&target, &new, Existing::Replace, &StopAfter::new(steps));
        let seen = target.exists().then(|| files_below(&target));
        let (is_old, is_new) =
            (seen == old.map(|old| old.into_iter().collect()), seen == Some(new.iter().cloned().collect()));
        assert!(is_old || is_new, "neither old nor new after {steps} steps");
        let leftovers = names(dir.path()).into_iter().filter(|name| name != "tree");
        let strange: Vec<_> = leftovers.filter(|name| !name.starts_with(STAGING_PREFIX)).collect();
        assert_eq!(strange, [""; 0], "after {steps} steps");
        clear(dir.path());
        match done {
            Ok(()) => return assert!(is_new && steps > count),
            Err(Error::Stopped { .. }) => assert!(is_old || steps > count),
            Err(error) => panic!("after {steps} steps: {error}"),
        }
    }
}

#[test]
fn stopped_anywhere_a_new_tree_is_whole_or_absent() {
    stop_everywhere(None, 4);
}

#[test]
fn stopped_anywhere_a_replaced_tree_is_the_old_or_the_new_one() {
    stop_everywhere(Some(3), 4);
}

#[test]
fn stopped_anywhere_a_large_tree_is_whole_or_absent() {
    stop_everywhere(None, 70);
}

/// Puts a link to a victim in the place of a directory when the n-th step is announced.
struct Swap<'a> {
    left: Mutex<usize>,
    path: &'a Path,
    victim: &'a Path,
}

impl Steps for Swap<'_> {
    fn before(&self, _: Step, _: &Path) -> io::Result<()> {
        let mut left = self.left.lock().expect("not poisoned");
        *left = left.wrapping_sub(1);
        if *left == 0 && self.path.exists() {
            std::fs::rename(self.path, self.path.with_extension("moved"))?;
            symlink(self.victim, self.path)?;
        }
        Ok(())
    }
}

#[test]
fn a_link_put_in_the_way_leads_nowhere() {
    for existing in [Existing::Refuse, Existing::Replace] {
        for swapped in ["parent", "parent/tree"] {
            for step in 1..30 {
                let (dir, victim) = (scratch(), scratch());
                std::fs::create_dir_all(victim.path().join("tree/dir-0")).expect("made");
                std::fs::write(victim.path().join("tree/dir-0/mine"), "x").expect("written");
                let parent = dir.path().join("parent");
                std::fs::create_dir(&parent).expect("made");
                let target = parent.join("tree");
                if existing == Existing::Replace {
                    write(&target, &files("old", 2), Existing::Refuse, &Unhindered).expect("written");
                }
                let path: PathBuf = dir.path().join(swapped);
                let swap = Swap { left: Mutex::new(step), path: &path, victim: victim.path() };
                // Whether it can be done then is another question.
                let _ = write(&target, &files("new", 4), existing, &swap);
                assert_eq!(names(victim.path()), ["tree"], "{swapped} at step {step}");
                assert_eq!(files_below(victim.path()), [("tree/dir-0/mine".to_owned(), b"x".to_vec())].into());
                clear_links(dir.path());
            }
        }
    }
}

/// Makes an empty directory in the place of the target just before it gets its name.
struct Faster<'a>(&'a Path);

impl Steps for Faster<'_> {
    fn before(&self, step: Step, _: &Path) -> io::Result<()> {
        if step == Step::Rename { std::fs::create_dir_all(self.0) } else { Ok(()) }
    }
}

#[test]
fn a_target_that_appears_meanwhile_is_not_overwritten() {
    let dir = scratch();
    let target = dir.path().join("tree");
    let error = write(&target, &files("new", 4), Existing::Refuse, &Faster(&target)).expect_err("refused");
    assert!(matches!(error, Error::Exists { .. }), "{error}");
    assert_eq!((names(dir.path()), names(&target)), (vec!["tree".to_owned()], Vec::new()));
    std::fs::remove_dir(&target).expect("removed");
    let foreign = |_: &dyn git_docket::format::tree::Tree| Some("all of it".to_owned());
    let new = files("new", 4);
    let held = Held::new(&target).expect("held");
    let error = replace_own_tree(&held, new.clone(), Modes::Private, &foreign, &Faster(&target)).expect_err("refused");
    assert_eq!(error.code(), "target-not-a-stage", "{error}");
    assert_eq!((names(dir.path()), names(&target)), (vec!["tree".to_owned()], Vec::new()));
    write(&target, &new, Existing::Replace, &Faster(&target)).expect("replaced");
    assert_eq!(names(dir.path()), ["tree"]);
}

/// Removes what a test left, sealed directories and links alike.
fn clear_links(dir: &Path) {
    for name in names(dir) {
        let path = dir.join(name);
        if path.is_symlink() {
            std::fs::remove_file(path).expect("removed");
        } else {
            remove_tree(&path, &Unhindered).expect("removed");
        }
    }
}

#[test]
fn removal_follows_no_link_and_opens_what_is_sealed() {
    let (dir, outside) = (scratch(), scratch());
    std::fs::write(outside.path().join("file"), "x").expect("written");
    let target = dir.path().join("tree");
    std::fs::create_dir_all(target.join("a/b")).expect("made");
    symlink(outside.path(), target.join("a/link")).expect("linked");
    symlink(outside.path().join("file"), target.join("file-link")).expect("linked");
    remove_tree(&target, &Unhindered).expect("removed");
    assert_eq!(names(dir.path()), [""; 0]);
    assert_eq!(names(outside.path()), ["file"]);
    remove_tree(&target, &Unhindered).expect("removed already");
    write(&target, &files("sealed", 9), Existing::Refuse, &Unhindered).expect("written");
    for steps in 0.. {
        if remove_tree(&target, &StopAfter::new(steps)).is_ok() {
            break;
        }
        assert!(target.is_dir(), "the directory itself goes last");
    }
    assert_eq!(names(dir.path()), [""; 0]);
}

/// Killed at any step, a run leaves nothing that is not known to be its own: a stage that has its name is noted in its lease by then.
#[test]
fn a_run_that_is_killed_leaves_no_stage_for_ever() {
    for existing in [Existing::Refuse, Existing::Replace] {
        for steps in 0.. {
            let dir = scratch();
            let target = dir.path().join("stage");
            if existing == Existing::Replace {
                write(&target, &files("old", 2), Existing::Refuse, &Unhindered).expect("written");
            }
            let held = Held::new(&target).expect("held");
            let killed = StopAfter::new(steps);
            let lease = Lease::take(&held, &killed);
            let new = files("new", 3);
            let done = lease
                .as_ref()
                .is_ok_and(|_| replace_tree(&held, new.iter().cloned(), Modes::Private, existing, &killed).is_ok());
            let written = target.exists() && files_below(&target) == new.iter().cloned().collect();
            drop(lease);
            let removed = scavenge(dir.path(), &Unhindered).expect("looked through").removed;
            assert_eq!(removed.len(), usize::from(written), "{existing:?}, {steps} steps");
            sweep_staging(dir.path(), &Unhindered).expect("swept");
            let left = names(dir.path());
            let old = existing == Existing::Replace && !written;
            assert_eq!(left, if old { vec!["stage"] } else { Vec::new() }, "{existing:?}, {steps} steps");
            clear(dir.path());
            if done {
                break;
            }
        }
    }
}
