//! A disk that takes no more: an error, and nothing half-made is left. A limit on the size of files stands for it, since it fails in
//! the same places and needs no rights.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{arg, checked, docket, git, scratch, testdata};

/// Runs the program where no file may be larger than so many blocks of 512 bytes.
fn limited(dir: &Path, blocks: u32, args: &[&str]) -> Output {
    let program = docket(dir);
    let mut shell = Command::new("sh");
    // A process that ignores the signal gets an error instead.
    shell
        .arg("-c")
        .arg(format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" \"$@\""))
        .arg(program.get_program())
        .args(args);
    shell.current_dir(dir).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    shell.output().expect("a shell can be started")
}

/// Every path below a directory but empty directories, which are nobody's half.
fn paths(dir: &Path) -> BTreeSet<String> {
    let all = walkdir::WalkDir::new(dir).into_iter().map(|entry| entry.expect("it can be walked"));
    let kept = all.filter(|entry| !entry.file_type().is_dir());
    kept.map(|entry| entry.path().strip_prefix(dir).expect("below").to_string_lossy().into_owned()).collect()
}

/// What a later run would have to clear away, or git would stumble over.
fn is_half_made(path: &str) -> bool {
    let odd = |part: &str| {
        ["tmp_", "put-", ".git-docket", "intent-", ".tmp"].iter().any(|prefix| part.starts_with(prefix))
            || part.ends_with(".lock")
    };
    path.split('/').any(odd)
}

#[test]
fn nothing_half_made_is_left() {
    let thread = testdata("threads/acme-web-42");
    let run = |dir: &Path, args: &[&str]| {
        checked(docket(dir).args(args).output().expect("the program can be started"), &args.join(" "));
    };
    type Job<'j> = (&'j str, &'j [&'j [&'j str]], &'j [&'j str]);
    let jobs: [Job<'_>; 5] = [
        ("init", &[], &["init", "store"]),
        ("observe", &[&["init", "store"]], &["--store", "store", "observe", "--commit", arg(&thread)]),
        (
            "observe on a branch",
            &[&["init", "store", "--ref", "facts"]],
            &["--store", "store", "--ref", "facts", "observe", arg(&thread)],
        ),
        (
            "snapshot",
            &[&["init", "store"], &["--store", "store", "observe", "--commit", arg(&thread)]],
            &["--store", "store", "snapshot", "--commit"],
        ),
        ("stage", &[], &["stage", "--from", arg(&thread), "--out", "stage"]),
    ];
    for (what, before, job) in jobs {
        let mut failed = 0;
        for blocks in [0, 2, 8, 24] {
            let dir = scratch();
            before.iter().for_each(|args| run(dir.path(), args));
            let there = paths(dir.path());
            let output = limited(dir.path(), blocks, job);
            if output.status.success() {
                continue;
            }
            failed += 1;
            assert_eq!(output.status.code(), Some(2), "{what}, {blocks} blocks: {output:?}");
            let left: Vec<_> =
                paths(dir.path()).difference(&there).filter(|path| is_half_made(path)).cloned().collect();
            assert_eq!(left, <[&str; 0]>::default(), "{what}, {blocks} blocks");
            assert!(!dir.path().join("stage").exists(), "{what}, {blocks} blocks");
            // With room again the same job runs through.
            run(dir.path(), job);
            if dir.path().join("store/.git").exists() {
                git(&dir.path().join("store"), &["fsck", "--strict"]);
            }
        }
        assert!(failed > 0, "{what} never failed");
    }
}
