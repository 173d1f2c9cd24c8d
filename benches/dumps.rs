//! Dumps: `observe` and `stage --from` of one large `archive.json` and of thousands of files, beside `jq -c .` of the same bytes.
//! `cargo bench --bench dumps -- [MB [THREADS [RUNS]]]`; with `-- generate DIR MB THREADS` it only writes them.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops where it cannot go on, and prints"
)]

#[path = "support/dumps.rs"]
mod dumps;
#[allow(dead_code, reason = "the bench of the main path uses the rest")]
#[path = "support/payloads.rs"]
mod payloads;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const DOCKET: &str = env!("CARGO_BIN_EXE_git-docket");

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let number = |at: usize, usual| numbers.get(at).copied().unwrap_or(usual);
    let (megabytes, threads, runs) = (number(0, 50), number(1, 5000), number(2, 3));
    if let [word, dir, ..] = &words[..]
        && word == "generate"
    {
        generate(Path::new(dir), megabytes, threads);
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let sizes = generate(root.path(), megabytes, threads);
    for (input, bytes) in ["archive.json", "threads"].into_iter().zip(sizes) {
        for run in 1..=runs {
            measure(root.path(), input, bytes, run);
        }
    }
}

/// Writes both dumps, and gives their bytes.
fn generate(dir: &Path, megabytes: u64, threads: u64) -> [u64; 2] {
    fs::create_dir_all(dir).unwrap();
    let archive = dir.join("archive.json");
    let (count, comments) = dumps::write_archive(&archive, megabytes as usize * 1_000_000, 42);
    let bytes = fs::metadata(&archive).unwrap().len();
    println!("archive.json: {bytes} bytes, {count} threads, {comments} comments");
    let all = dumps::write_threads(&dir.join("threads"), threads, 43);
    println!("threads: {all} bytes in {threads} files");
    [bytes, all]
}

/// One run of jq and of each way to take a dump in.
fn measure(root: &Path, input: &str, bytes: u64, run: u64) {
    let peer = timed(root, "sh", &["-c", &format!("find {input} -type f -print0 | xargs -0 jq -c . > /dev/null")]);
    println!("{input}, run {run}: jq -c . {:.2} s, {:.0} MB/s", peer.seconds, peer.rate(bytes));
    let ways: [(&str, &[&str], &[&str]); 3] = [
        ("stage --from", &[], &["stage", "--facets", "header", "--out", "out", "--from"]),
        ("observe --ref", &["init", "--ref", "facts", "branch"], &["--store", "branch", "--ref", "facts", "observe"]),
        ("observe into a work tree", &["init", "store"], &["--store", "store", "observe"]),
    ];
    for (name, before, way) in ways {
        for left in ["out", "branch", "store"] {
            let _ = fs::remove_dir_all(root.join(left));
        }
        if !before.is_empty() {
            timed(root, DOCKET, before);
        }
        timed(root, "sync", &[]);
        let ours = timed(root, DOCKET, &[&["--quiet", "--no-progress"], way, &[input]].concat());
        println!(
            "  {name}: {:.2} s (processor {:.2} s), {:.0} MB/s, peak {} KiB, {:.2} of jq",
            ours.seconds,
            ours.processor,
            ours.rate(bytes),
            ours.peak,
            ours.seconds / peer.seconds
        );
    }
}

/// What a process took.
struct Taken {
    seconds: f64,
    processor: f64,
    peak: u64,
}

impl Taken {
    /// Megabytes a second.
    fn rate(&self, bytes: u64) -> f64 {
        bytes as f64 / 1e6 / self.seconds
    }
}

/// Runs a program by the system's own accounting.
fn timed(dir: &Path, program: &str, args: &[&str]) -> Taken {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%e %U %S %M", program]).args(args).current_dir(dir).stdout(Stdio::null());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {told}");
    let numbers: Vec<f64> = told.lines().last().unwrap().split(' ').map(|word| word.parse().unwrap()).collect();
    Taken { seconds: numbers[0], processor: numbers[1] + numbers[2], peak: numbers[3] as u64 }
}
