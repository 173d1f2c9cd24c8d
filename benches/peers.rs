//! The main path against git and sha256sum, as whole processes, in pairs: `cargo bench --bench peers -- [PULLS [PAIRS]]`.
//! With `-- generate DIR PULLS` it only writes the payloads.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops where it cannot go on, and prints"
)]

#[path = "support/payloads.rs"]
mod payloads;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use git_docket::format::tree::{MAX_FILE, Tree as _};
use git_docket::store::dir::DirTree;

const DOCKET: &str = env!("CARGO_BIN_EXE_git-docket");
const DURABLE: [&str; 8] =
    ["-c", "core.fsync=all", "-c", "core.fsyncMethod=batch", "-c", "gc.auto=0", "-c", "maintenance.auto=false"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [word, dir, pulls] = &words[..]
        && word == "generate"
    {
        payloads::write(Path::new(dir), pulls.parse().unwrap(), 42);
        return;
    }
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let (pulls, pairs) = (numbers.first().copied().unwrap_or(2000), numbers.get(1).copied().unwrap_or(5) as usize);
    let root = tempfile::tempdir().unwrap();
    let payloads = root.path().join("payloads");
    let mut sizes = payloads::write(&payloads, pulls, 42);
    sizes.sort_unstable();
    println!(
        "{pulls} pull requests, {} payloads, median {} bytes, largest {}",
        sizes.len(),
        sizes[sizes.len() / 2],
        sizes[sizes.len() - 1]
    );
    write_path(root.path(), &payloads, pairs);
    verify_path(root.path(), pairs);
    again_path(root.path(), &payloads, pairs);
}

/// observe --commit and snapshot --commit, against writing the same files, `git add -A` and `git commit`.
fn write_path(root: &Path, payloads: &Path, pairs: usize) {
    let store = root.join("store");
    let ours = |run: &str| {
        let _ = fs::remove_dir_all(&store);
        docket(root, &["init", "store"]);
        settle();
        let start = Instant::now();
        let observe = peak(root, &["--quiet", "--store", "store", "observe", "--commit", payloads.to_str().unwrap()]);
        let middle = start.elapsed().as_secs_f64();
        let snapshot = peak(root, &["--quiet", "--store", "store", "snapshot", "--commit"]);
        let all = start.elapsed().as_secs_f64();
        println!(
            "  {run}: ours {all:.2} s (observe {middle:.2} s, {observe} KiB; snapshot {:.2} s, {snapshot} KiB)",
            all - middle
        );
        all
    };
    ours("warm-up");
    let facts = read_files(&store);
    let tree = root.join("tree");
    fs::create_dir(&tree).unwrap();
    shell(&store, &format!("git archive docket-snapshots | tar -x -C {}", tree.display()));
    let derived = read_files(&tree);
    let bytes: usize = facts.iter().chain(&derived).map(|(_, bytes)| bytes.len()).sum();
    println!("  {} files of facts, {} of the snapshot, {bytes} bytes", facts.len(), derived.len());
    let theirs = |run: &str| {
        let peer = root.join("peer");
        let _ = fs::remove_dir_all(&peer);
        settle();
        let start = Instant::now();
        for (name, files) in [("facts", &facts), ("snapshot", &derived)] {
            let dir = peer.join(name);
            git(root, &["init", "-q", dir.to_str().unwrap()]);
            write_files(&dir, files);
            shell(&dir, "sync -f .");
            git(&dir, &[&DURABLE[..], &["add", "-A"]].concat());
            git(&dir, &[&DURABLE[..], &["commit", "-q", "-m", "all"]].concat());
        }
        let all = start.elapsed().as_secs_f64();
        println!("  {run}: git {all:.2} s");
        all
    };
    theirs("warm-up");
    let ratios = (1..=pairs).map(|n| ours(&format!("pair {n}")) / theirs(&format!("pair {n}"))).collect();
    median("observe + snapshot / write + git add + git commit (budget 0.40)", ratios);
}

/// verify of the store, against `sha256sum -c` of the same files; and the floor, which is the same reading by itself.
fn verify_path(root: &Path, pairs: usize) {
    let store = root.join("store");
    let sums = Command::new(DOCKET).args(["sums", "store"]).current_dir(root).output().unwrap();
    assert!(sums.status.success());
    fs::write(root.join("SUMS"), &sums.stdout).unwrap();
    let run = |ours: bool| {
        let start = Instant::now();
        if ours {
            docket(root, &["--quiet", "verify", "store"]);
        } else {
            shell(&store, "sha256sum --quiet -c ../SUMS");
        }
        start.elapsed().as_secs_f64()
    };
    let floor = || {
        let start = Instant::now();
        let tree = DirTree::open(&store).unwrap();
        for part in ["objects", "observations"] {
            tree.read_all(part, MAX_FILE, &|_, read| assert!(read.unwrap().is_some())).unwrap();
        }
        start.elapsed().as_secs_f64()
    };
    run(true);
    run(false);
    let (mut ratios, mut floors) = (Vec::new(), Vec::new());
    for _ in 0..pairs {
        let (ours, theirs, floor) = (run(true), run(false), floor());
        println!("  verify {ours:.2} s, sha256sum -c {theirs:.2} s, only reading {floor:.2} s");
        ratios.push(ours / theirs);
        floors.push(ours / floor);
    }
    median("verify / sha256sum -c (budget 0.35)", ratios);
    median("verify / only reading", floors);
}

/// observe again, nothing new, against reading the inputs with sha256sum.
fn again_path(root: &Path, payloads: &Path, pairs: usize) {
    let ratios = (0..pairs)
        .map(|_| {
            let start = Instant::now();
            docket(root, &["--quiet", "--store", "store", "observe", payloads.to_str().unwrap()]);
            let ours = start.elapsed().as_secs_f64();
            let start = Instant::now();
            shell(payloads, "find . -type f -print0 | xargs -0 sha256sum");
            let theirs = start.elapsed().as_secs_f64();
            println!("  observe again {ours:.2} s, sha256sum {theirs:.2} s");
            ours / theirs
        })
        .collect();
    median("observe again / sha256sum (budget 1.3)", ratios);
}

fn median(what: &str, mut ratios: Vec<f64>) {
    ratios.sort_by(f64::total_cmp);
    let (low, high) = (ratios[0], ratios[ratios.len() - 1]);
    println!("{what}: median {:.3} (min {low:.3}, max {high:.3}, {} pairs)", ratios[ratios.len() / 2], ratios.len());
}

fn docket(dir: &Path, args: &[&str]) {
    let status = Command::new(DOCKET).args(args).current_dir(dir).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "git-docket {args:?}");
}

/// Peak memory of a run in KiB, by the system's own accounting.
fn peak(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("/usr/bin/time")
        .args(["-f", "%M", DOCKET])
        .args(args)
        .current_dir(dir)
        .stdout(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "git-docket {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

fn git(dir: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(args).current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for (name, value) in [("AUTHOR", "Bench"), ("COMMITTER", "Bench")] {
        git.env(format!("GIT_{name}_NAME"), value).env(format!("GIT_{name}_EMAIL"), "bench@example.org");
    }
    assert!(git.status().unwrap().success(), "git {args:?}");
}

fn shell(dir: &Path, script: &str) {
    let status = Command::new("sh").args(["-c", script]).current_dir(dir).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{script}");
}

/// Lets what earlier runs left behind reach the disk, so that no run pays for another.
fn settle() {
    shell(Path::new("/"), "sync");
}

fn read_files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(root).into_iter().filter_entry(|e| e.file_name() != ".git");
    let files = walk.map(Result::unwrap).filter(|e| e.file_type().is_file());
    files.map(|e| (e.path().strip_prefix(root).unwrap().to_path_buf(), fs::read(e.path()).unwrap())).collect()
}

fn write_files(dir: &Path, files: &[(PathBuf, Vec<u8>)]) {
    let mut made = PathBuf::new();
    for (path, bytes) in files {
        let path = dir.join(path);
        let parent = path.parent().unwrap();
        if parent != made {
            fs::create_dir_all(parent).unwrap();
            made = parent.to_path_buf();
        }
        fs::File::create(&path).unwrap().write_all(bytes).unwrap();
    }
}
