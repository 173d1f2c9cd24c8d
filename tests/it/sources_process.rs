//! The supervisor: deadline, bounds, process group, environment.

use std::io::Read as _;
use std::time::Duration;

use git_docket::ops::process::{Ended, Job, run};

fn shell(script: &str) -> Job {
    Job {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
        stdin: Vec::new(),
        capture: 1000,
        deadline: Duration::from_secs(60),
    }
}

fn stdout(ended: Ended) -> (Option<i32>, String) {
    match ended {
        Ended::Exit { code, stdout, .. } => (code, String::from_utf8_lossy(&stdout).into_owned()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn gives_input_output_and_status() {
    let job = Job { stdin: b"hello\n".to_vec(), ..shell("cat; echo story >&2; exit 3") };
    let Ended::Exit { code, stdout, stderr } = run(&job) else { panic!("it ends by itself") };
    assert_eq!((code, &stdout[..], &stderr[..]), (Some(3), &b"hello\n"[..], &b"story\n"[..]));
    assert_eq!(stdout_of_signal(), None);
}

fn stdout_of_signal() -> Option<i32> {
    stdout(run(&shell("kill -9 $$"))).0
}

#[test]
fn a_process_that_reads_nothing_still_ends() {
    let job = Job { stdin: vec![b'x'; 1 << 20], ..shell("exit 0") };
    assert_eq!(stdout(run(&job)).0, Some(0));
}

#[test]
fn nothing_is_inherited_from_the_environment() {
    let job = Job { env: vec![("ONLY".into(), "this".into())], ..shell("/usr/bin/env | /usr/bin/sort") };
    let names: Vec<String> =
        stdout(run(&job)).1.lines().map(|line| line.split('=').next().unwrap_or("").to_owned()).collect();
    assert!(names.iter().all(|name| ["ONLY", "PWD", "SHLVL", "_", "OLDPWD"].contains(&name.as_str())), "{names:?}");
}

#[test]
fn output_beyond_the_bound_is_no_output() {
    assert_eq!(stdout(run(&shell("head -c 1000 /dev/zero"))).1.len(), 1000);
    assert_eq!(run(&shell("head -c 1001 /dev/zero")), Ended::TooMuch);
    assert_eq!(run(&shell("while :; do echo endless; done")), Ended::TooMuch);
}

/// A child that blocks on a pipe that nobody writes to, and a grandchild in the same group that would keep it open.
#[test]
fn the_deadline_ends_the_whole_group() {
    let dir = tempfile::tempdir().expect("a directory");
    let (blocked, alive) = (dir.path().join("blocked"), dir.path().join("alive"));
    for pipe in [&blocked, &alive] {
        rustix_mkfifo(pipe);
    }
    let script = format!("(exec 3>'{}'; cat '{}') & cat '{1}'", alive.display(), blocked.display());
    let reader = std::thread::spawn({
        let alive = alive.clone();
        move || {
            // Opening meets the grandchild's opening; the end of the pipe is the grandchild's end.
            let mut rest = Vec::new();
            std::fs::File::open(alive).and_then(|mut pipe| pipe.read_to_end(&mut rest)).expect("the pipe")
        }
    });
    assert_eq!(run(&Job { deadline: Duration::from_millis(300), ..shell(&script) }), Ended::Deadline);
    assert_eq!(reader.join().expect("the reader"), 0, "the grandchild is gone");
}

fn rustix_mkfifo(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
    assert!(made.success());
}

#[test]
fn what_a_process_leaves_behind_does_not_hold_us_up() {
    let dir = tempfile::tempdir().expect("a directory");
    let pipe = dir.path().join("pipe");
    rustix_mkfifo(&pipe);
    // The background process keeps stdout open and would block for ever.
    let ended = run(&shell(&format!("cat '{}' & echo done", pipe.display())));
    assert_eq!(stdout(ended), (Some(0), "done\n".to_owned()));
}

#[test]
fn a_program_that_is_not_there_is_said() {
    let job = Job { program: "/nonexistent/program".into(), ..shell("") };
    assert!(matches!(run(&job), Ended::NotStarted(_)));
}
