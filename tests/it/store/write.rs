//! Files that are written once, and the lock.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use git_docket::format::digest::Digest;
use git_docket::format::steps::{Step, Steps, Unhindered};
use git_docket::format::tree::Tree;
use git_docket::store::Error;
use git_docket::store::dir::DirTree;
use git_docket::store::layout::{element_path, parse_element_path};
use git_docket::store::lock::Lock;
use git_docket::store::write::{Existing, Held, Modes, Writer, replace_tree};

use super::{Files, StopAfter, files_below, mode, scratch, skipped};

/// Elements, and records that name them by their content.
fn facts(count: usize) -> (Files, Files) {
    let elements = (0..count).map(|number| {
        let bytes = format!("element {number}").into_bytes();
        (element_path(&Digest::of(&bytes)), bytes)
    });
    let elements: Vec<_> = elements.collect();
    let names: String = elements.iter().map(|(path, _)| format!("{path}\n")).collect();
    let records = (0..3).map(|number| (format!("observations/x/{number}/record"), names.clone().into_bytes()));
    (elements, records.collect())
}

/// What an importer does: elements first, then what names them.
fn file(root: &Path, count: usize, steps: &dyn Steps) -> Result<usize, Error> {
    let (elements, records) = facts(count);
    let mut writer = Writer::new(root, &root.join(".git/docket/tmp"), steps)?;
    let mut new = 0;
    for lot in [elements, records] {
        for (path, bytes) in lot {
            new += usize::from(writer.put(&path, bytes)?);
        }
        writer.flush()?;
    }
    Ok(new)
}

fn visible(root: &Path) -> Vec<String> {
    let tree = DirTree::open(root).expect("opened").without_git();
    tree.list("").expect("listed").into_iter().map(|entry| entry.path).collect()
}

#[test]
fn files_are_written_once() {
    let root = scratch();
    let count = 5;
    assert_eq!(file(root.path(), count, &Unhindered).expect("filed"), count + 3);
    let before = files_below(root.path());
    assert_eq!(before.len(), count + 3, "no temporary file is left");
    assert_eq!(file(root.path(), count, &StopAfter::new(0)).expect("nothing to do, so no step"), 0);
    assert_eq!(files_below(root.path()), before);
    assert_eq!(std::fs::read_dir(root.path().join(".git/docket/tmp")).expect("there").count(), 0);
}

#[test]
fn a_name_keeps_its_bytes() {
    let root = scratch();
    let temp = root.path().join(".git/tmp");
    let put = |path: &str, text: &str| {
        let mut writer = Writer::new(root.path(), &temp, &Unhindered).expect("opened");
        writer.put(path, text).and_then(|new| writer.flush().map(|()| new))
    };
    assert!(put("dir/file", "one").expect("put"));
    assert!(!put("dir/file", "one").expect("there already"));
    for (path, text) in [("dir/file", "two"), ("dir/file", "longer"), ("dir", "a directory"), ("dir/file/below", "")] {
        assert_eq!(put(path, text).expect_err("refused").code(), "store-conflict", "{path} {text}");
    }
    for path in ["", "/abs", "../up", "a/../b", "a//b", "a/", "./a", "a\\b", "c:d", "a\0b"] {
        assert_eq!(put(path, "x").expect_err("refused").code(), "path-unsafe", "{path:?}");
    }
    let element = element_path(&Digest::of(b"content"));
    assert!(put(&element, "content").expect("put"));
    assert_eq!(put(&element, "another size").expect_err("refused").code(), "store-conflict");
    assert_eq!(files_below(root.path()).len(), 2);
}

#[test]
fn one_run_may_put_a_file_twice_and_a_failed_run_takes_nothing_more() {
    let root = scratch();
    let mut writer = Writer::new(root.path(), &root.path().join(".git/tmp"), &Unhindered).expect("opened");
    assert!(writer.put("a", "text").expect("put"));
    assert!(!writer.put("a", "text").expect("pending"));
    // More than one lot, so that the first is compared on the disk.
    for number in 0..600 {
        assert!(writer.put(&format!("dir/{number}"), "text").expect("put"));
    }
    assert!(!writer.put("a", "text").expect("pending"));
    assert!(!writer.put("dir/599", "text").expect("pending"));
    assert_eq!(writer.put("a", "next").expect_err("refused").code(), "store-conflict");
    assert_eq!(writer.put("b", "text").expect_err("refused").code(), "io");
    assert_eq!(writer.flush().expect_err("refused").code(), "io");
    drop(writer);
    assert!(files_below(root.path()).is_empty());
}

#[test]
fn links_in_a_store_lead_nowhere() {
    let (root, outside) = (scratch(), scratch());
    std::fs::create_dir(outside.path().join("dir")).expect("made");
    std::fs::write(outside.path().join("file"), "x").expect("written");
    let (elements, _) = facts(1);
    let (path, bytes) = elements.first().expect("one");
    let at = |name: &str| root.path().join(name);
    symlink(outside.path().join("dir"), at("objects")).expect("linked");
    symlink(outside.path().join("file"), at("name")).expect("linked");
    symlink(outside.path().join("new"), at("broken")).expect("linked");
    symlink(outside.path().join("dir"), at("tmp")).expect("linked");
    let put = |path: &str, bytes: &[u8], temp: &str| {
        let mut writer = Writer::new(root.path(), &at(temp), &Unhindered).expect("opened");
        writer.put(path, bytes).and_then(|_| writer.flush()).expect_err("refused").code()
    };
    assert_eq!(put(path, bytes, ".git/tmp"), "store-conflict");
    assert_eq!(put("name", b"x", ".git/tmp"), "store-conflict");
    assert_eq!(put("broken", b"x", ".git/tmp"), "store-conflict");
    assert_eq!(put("plain", b"x", "tmp"), "store-conflict");
    assert_eq!(files_below(outside.path()).len(), 1);
    assert!(Writer::new(&at("tmp"), &at(".git/tmp"), &Unhindered).is_err(), "a root that is a link");
}

/// Stops the same work after each number of steps. Few files are flushed one by one, many at once.
fn stop_everywhere(count: usize) {
    for steps in 0.. {
        let root = scratch();
        let done = file(root.path(), count, &StopAfter::new(steps));
        let seen = visible(root.path());
        for path in &seen {
            let bytes = std::fs::read(root.path().join(path)).expect("read");
            match parse_element_path(path) {
                Some(name) => assert_eq!(Digest::of(&bytes), name, "half an element after {steps} steps"),
                None => {
                    let names = String::from_utf8(bytes).expect("text");
                    assert_eq!(names.lines().count(), count, "half a record after {steps} steps");
                    assert!(names.lines().all(|name| seen.iter().any(|path| path == name)), "after {steps} steps");
                }
            }
        }
        if done.is_ok() {
            assert!(steps > 3 * count);
            assert_eq!(seen.len(), count + 3);
            // Everything happened; refused was the clearing up of the empty directory at most.
            return;
        }
        assert!(matches!(done, Err(Error::Stopped { .. })), "after {steps} steps: {done:?}");
        assert!(seen.len() < count + 3 || steps > 2 * count);
        file(root.path(), count, &Unhindered).expect("the next run completes it");
        assert_eq!(visible(root.path()).len(), count + 3);
    }
}

#[test]
fn stopped_anywhere_few_files_are_whole_or_absent() {
    stop_everywhere(4);
}

#[test]
fn stopped_anywhere_many_files_are_whole_or_absent() {
    stop_everywhere(70);
}

#[test]
fn data_is_flushed_before_names_and_names_before_the_next_lot() {
    /// Notes the kinds of steps, equal neighbours once.
    struct Order(std::sync::Mutex<Vec<Step>>);
    impl Steps for Order {
        fn before(&self, step: Step, _: &Path) -> std::io::Result<()> {
            let mut steps = self.0.lock().expect("not poisoned");
            if steps.last() != Some(&step) {
                steps.push(step);
            }
            Ok(())
        }
    }
    for count in [3, 80] {
        let root = scratch();
        std::fs::create_dir_all(root.path().join("objects")).expect("made");
        let order = Order(Vec::new().into());
        let mut writer = Writer::new(root.path(), &root.path().join(".git/tmp"), &order).expect("opened");
        for number in 0..count {
            writer.put(&format!("objects/{number}"), "text").expect("put");
        }
        writer.flush().expect("flushed");
        writer.put("last", "text").expect("put");
        writer.flush().expect("flushed");
        drop(writer);
        let mut steps = order.0.into_inner().expect("not poisoned");
        assert_eq!(steps.pop(), Some(Step::Remove), "the directory of temporary files");
        let lot = [Step::Write, Step::Sync, Step::Rename, Step::Sync];
        assert_eq!(steps, [lot, lot].concat(), "{count} files");
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_nothing() {
    let dir = scratch();
    let disk = dir.path().join("disk");
    std::fs::create_dir(&disk).expect("made");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k", "none"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        skipped("only root can mount a small disk");
        return;
    }
    let root = disk.join("store");
    std::fs::create_dir(&root).expect("made");
    let mut writer = Writer::new(&root, &disk.join("tmp"), &Unhindered).expect("opened");
    let put = (0..100).try_for_each(|number| writer.put(&format!("dir/{number}"), vec![b'x'; 8192]).map(drop));
    let error = put.and_then(|()| writer.flush()).expect_err("the disk is full");
    drop(writer);
    let left = (files_below(&root).len(), files_below(&disk.join("tmp")).len());
    let files = (0..100).map(|number| (format!("dir/{number}"), vec![b'x'; 8192]));
    let tree = replace_tree(
        &Held::new(&disk.join("tree")).expect("held"),
        files,
        Modes::Private,
        Existing::Refuse,
        &Unhindered,
    );
    let names: Vec<_> = std::fs::read_dir(&disk).expect("listed").map(|e| e.expect("listed").file_name()).collect();
    assert!(Command::new("umount").arg(&disk).status().expect("run").success());
    for error in [error, tree.expect_err("the disk is full")] {
        assert!(
            matches!(&error, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull),
            "{error}"
        );
        assert_eq!(error.code(), "io");
        assert!(error.to_string().contains("/disk/"), "{error}");
    }
    assert_eq!(left, (0, 0));
    assert_eq!(names.len(), 2, "the store and the directory of temporary files: {names:?}");
}

/// What [`the_umask_rules_a_store_and_no_tree`] runs in a process of its own.
#[test]
fn child_with_a_umask() {
    let Ok(dir) = std::env::var("DOCKET_TEST_UMASK_DIR") else { return };
    let dir = Path::new(&dir);
    std::fs::create_dir_all(dir.join("store")).expect("made");
    file(&dir.join("store"), 2, &Unhindered).expect("filed");
    for (name, modes) in [("private", Modes::Private), ("sealed", Modes::Sealed), ("plain", Modes::Plain)] {
        let files = [("dir/file".to_owned(), b"text".to_vec())];
        replace_tree(&Held::new(&dir.join(name)).expect("held"), files, modes, Existing::Refuse, &Unhindered)
            .expect("written");
    }
}

#[test]
fn the_umask_rules_a_store_and_no_tree() {
    let test = std::env::current_exe().expect("this test");
    for (umask, dir_mode, file_mode) in [("000", 0o777, 0o666), ("022", 0o755, 0o644), ("077", 0o700, 0o600)] {
        let dir = scratch();
        let script = format!("umask {umask}; exec \"$0\" --exact store::write::child_with_a_umask");
        let child =
            Command::new("sh").args(["-c", &script]).arg(&test).env("DOCKET_TEST_UMASK_DIR", dir.path()).output();
        assert!(child.expect("run").status.success());
        let modes = |path: &str| (mode(&dir.path().join(path)), mode(&dir.path().join(path).join("dir/file")));
        assert_eq!(modes("private"), (0o700, 0o600));
        assert_eq!(modes("sealed"), (0o555, 0o444));
        assert_eq!(modes("plain"), (0o755, 0o644));
        assert_eq!(mode(&dir.path().join("sealed/dir")), 0o555);
        assert_eq!(mode(&dir.path().join("store/observations/x")), dir_mode, "{umask}");
        assert_eq!(mode(&dir.path().join("store/observations/x/0/record")), file_mode, "{umask}");
        assert_eq!(mode(&dir.path().join("store/.git/docket/tmp")), 0o700);
        let unseal = git_docket::store::write::remove_tree(&dir.path().join("sealed"), &Unhindered);
        unseal.expect("removed");
    }
}

#[test]
fn writers_of_the_same_elements_do_not_hinder_each_other() {
    let root = scratch();
    let count = 300;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| file(root.path(), count, &Unhindered).expect("filed"));
        }
    });
    assert_eq!(files_below(root.path()).len(), count + 3);
}

#[test]
fn a_faster_writer_is_yielded_to_unless_it_wrote_something_else() {
    for (theirs, refused) in [("text", false), ("other", true)] {
        let root = scratch();
        let mut writer = Writer::new(root.path(), &root.path().join(".git/tmp"), &Unhindered).expect("opened");
        assert!(writer.put("file", "text").expect("put"));
        std::fs::write(root.path().join("file"), theirs).expect("written");
        assert_eq!(writer.flush().map_err(|error| error.code()), if refused { Err("store-conflict") } else { Ok(()) });
        drop(writer);
        assert_eq!(files_below(root.path()), [("file".to_owned(), theirs.as_bytes().to_vec())].into());
    }
}

#[test]
fn one_writer_at_a_time_holds_the_lock() {
    let dir = scratch();
    let path = dir.path().join("docket.json");
    assert_eq!(Lock::acquire(&path, 1).expect_err("no file").code(), "io");
    std::fs::write(&path, "{}").expect("written");
    let held = Lock::acquire(&path, 1).expect("free");
    let error = Lock::acquire(&path, 2).expect_err("held");
    assert_eq!(error.code(), "store-locked");
    assert!(error.to_string().contains("docket.json"), "{error}");
    drop(held);
    let held = Lock::acquire(&path, 1).expect("free again");
    // Git replaces a file that it checks out; the lock is on the name.
    std::fs::remove_file(&path).expect("removed");
    std::fs::write(&path, "{}").expect("written");
    drop((Lock::acquire(&path, 1).expect("the new file is free"), held));
    symlink("docket.json", dir.path().join("link")).expect("linked");
    assert_eq!(Lock::acquire(&dir.path().join("link"), 1).expect_err("a link").code(), "io");
}
