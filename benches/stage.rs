//! `stage` as whole processes, in pairs: a thread of 1,000 comments against `jq .` of its payloads, one of 30 against `git --version`.
//! `cargo bench --bench stage -- [PAIRS]`; with `-- generate DIR COMMENTS` it only writes the payloads.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops where it cannot go on, and prints"
)]

#[path = "support/payloads.rs"]
#[allow(dead_code, reason = "a part of it makes pull requests")]
mod payloads;
#[path = "support/thread.rs"]
mod thread;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const DOCKET: &str = env!("CARGO_BIN_EXE_git-docket");

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [word, dir, comments] = &words[..]
        && word == "generate"
    {
        println!("{} bytes", thread::write(Path::new(dir), comments.parse().unwrap(), 42));
        return;
    }
    let pairs = words.first().map_or(9, |word| word.parse().unwrap());
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    for (name, comments, peer) in
        [("long", 1000, "jq . long/issue.json long/comments.json"), ("short", 30, "git --version")]
    {
        let bytes = thread::write(&root.join(name), comments, 42);
        println!("{comments} comments, {bytes} bytes of payloads");
        let store = format!("store-{name}");
        run(root, DOCKET, &["init", &store]);
        run(root, DOCKET, &["--quiet", "--store", &store, "observe", "--observed-at", "2026-11-30T00:00:00Z", name]);
        let from = ["--profile", "full", "--from", name, "--observed-at", "2026-11-30T00:00:00Z"];
        let filed = ["acme/web#7", "--profile", "full", "--store", &store];
        compare(&format!("stage --from / {peer}"), pairs, root, &from, peer);
        compare(&format!("stage of a store / {peer}"), pairs, root, &filed, peer);
    }
}

/// One kind of stage against another program, in turn.
fn compare(what: &str, pairs: usize, root: &Path, source: &[&str], peer: &str) {
    let words: Vec<&str> = peer.split(' ').collect();
    // A directory of its own for each: a file system may look long for a place where it removed something a moment ago.
    let out =
        || tempfile::Builder::new().prefix("out-").tempdir_in(root).unwrap().keep().join("stage").display().to_string();
    let ours = || seconds(root, DOCKET, &[&["--quiet", "stage", "--out", &out()], source].concat());
    let theirs = || seconds(root, words[0], &words[1..]);
    ours();
    theirs();
    let mut pairs: Vec<_> = (0..pairs).map(|_| (ours(), theirs())).collect();
    pairs.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let ratio = |at: usize| pairs[at].0 / pairs[at].1;
    let peak =
        run(root, "/usr/bin/time", &[&["-f", "%M", DOCKET, "--quiet", "stage", "--out", &out()], source].concat());
    let (middle, last) = (pairs.len() / 2, pairs.len() - 1);
    let (ours, theirs) = (pairs[middle].0 * 1e3, pairs[middle].1 * 1e3);
    println!(
        "  {what}: median {:.2} (min {:.2}, max {:.2}, {} pairs; {ours:.1} ms to {theirs:.1} ms; peak {peak} KiB)",
        ratio(middle),
        ratio(0),
        ratio(last),
        pairs.len()
    );
}

fn seconds(dir: &Path, program: &str, args: &[&str]) -> f64 {
    let start = Instant::now();
    run(dir, program, args);
    start.elapsed().as_secs_f64()
}

/// Runs a program; returns the last line that it says on stderr.
fn run(dir: &Path, program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(dir).stdout(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {args:?}: {said}");
    said.lines().last().unwrap_or_default().to_owned()
}
