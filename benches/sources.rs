//! `sources collect` beside the four `git grep` calls that it replaces, `sources check` beside one `git cat-file --batch`.
//!
//! `cargo bench --bench sources` generates a work tree of 50,000 files with a fixed seed, in a temporary directory, and prints ratios,
//! budgets and the peak memory of ours. Both sides are whole processes on warm caches.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use git_docket::format::atif::text_digest;
use git_docket::format::source::Reference;
use git_docket::ops::sources::{CheckOptions, check, references_from};
use git_docket::ops::sources::{CollectOptions as Options, How, collect};

const FILES: usize = 50_000;
const REFERENCES: usize = 10_000;
const PAIRS: usize = 7;
/// Two words that stand in a few files, one in many, one in none.
const TERMS: [&str; 4] = ["needle", "thread_pool", "kestrel", "nowhere"];

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    // The peer of git is this program itself, started again for one job.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--collect", dir] => return child_collect(Path::new(dir)),
        ["--check", dir, input, at] => return child_check(Path::new(dir), Path::new(input), at),
        _ => {}
    }
    let dir = tempfile::tempdir()?;
    let root = dir.path().join("repo");
    let bytes = generate(&root)?;
    println!("{FILES} files, {:.0} MB, median of {PAIRS} pairs after a warm-up", bytes as f64 / 1e6);
    measure("collect, 4 terms", 0.5, &mut || ours(&["--collect", &root.display().to_string()]), &mut || greps(&root))?;
    let input = dir.path().join("references.jsonl");
    let names = references(&root, &input)?;
    for (what, at) in [("check, 10,000 references, HEAD", "HEAD"), ("check, 10,000 references, work tree", "-")] {
        let arguments = ["--check", &root.display().to_string(), &input.display().to_string(), at];
        measure(what, 1.5, &mut || ours(&arguments), &mut || cat_file(&root, &names))?;
    }
    Ok(())
}

/// Prints the medians of both sides, their ratio and the most memory that ours used.
fn measure(
    what: &str,
    budget: f64,
    ours: &mut dyn FnMut() -> Outcome<(Duration, u64)>,
    theirs: &mut dyn FnMut() -> Outcome<Duration>,
) -> Outcome<()> {
    ours()?;
    theirs()?;
    let (mut pairs, mut peak) = (Vec::new(), 0);
    for _ in 0..PAIRS {
        let (mine, memory) = ours()?;
        peak = peak.max(memory);
        pairs.push((mine.as_secs_f64(), theirs()?.as_secs_f64()));
    }
    let median = |mut list: Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let (mine, git) = (median(pairs.iter().map(|p| p.0).collect()), median(pairs.iter().map(|p| p.1).collect()));
    let ratio = median(pairs.iter().map(|p| p.0 / p.1).collect());
    println!(
        "{what}: ours {:.0} ms, git {:.0} ms, ratio {ratio:.2} (budget {budget}), peak {:.0} MB",
        mine * 1e3,
        git * 1e3,
        peak as f64 / 1e3
    );
    Ok(())
}

/// A work tree in the shape of real sources: a median of about 2 KiB, a long tail, a thousand directories.
fn generate(root: &Path) -> Outcome<u64> {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut roll = |sides: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % sides
    };
    let mut total = 0;
    for at in 0..FILES {
        let dir = root.join(format!("d{:02}/m{:02}", at / 2000, at / 50 % 40));
        std::fs::create_dir_all(&dir)?;
        let size = match roll(100) {
            0 => 20_000 + roll(400_000),
            1..=20 => 4_000 + roll(12_000),
            _ => 300 + roll(4_000),
        };
        let mut text = String::new();
        while (text.len() as u64) < size {
            for _ in 0..=roll(8) {
                let word = roll(4000);
                write!(text, "{}{} ", ["re", "store", "kind", "Ne", "thr", "let"][(word % 6) as usize], word * 7919)?;
            }
            match roll(20_000) {
                0 => text.push_str("Needle"),
                1 => text.push_str("THREAD_POOL"),
                2..200 => text.push_str("kestrel"),
                _ => text.push_str("(x) {"),
            }
            text.push('\n');
        }
        total += text.len() as u64;
        std::fs::write(dir.join(format!("f{:02}.rs", at % 50)), text)?;
    }
    git(root, &["init", "-q", "-b", "main"])?;
    git(root, &["add", "-A"])?;
    git(root, &["commit", "-q", "-m", "bench"])?;
    Ok(total)
}

fn git(root: &Path, args: &[&str]) -> Outcome<Vec<u8>> {
    let settings = ["gc.auto=0", "maintenance.auto=false", "user.name=bench", "user.email=bench@example.com"];
    let settings = settings.iter().flat_map(|setting| ["-c", setting]);
    let output = Command::new("git").arg("-C").arg(root).args(settings).args(args).env("LC_ALL", "C.UTF-8").output()?;
    if output.status.code().is_some_and(|code| code < 2) {
        Ok(output.stdout)
    } else {
        Err(format!("git {args:?}").into())
    }
}

/// Runs this program for one job; it says its peak memory in kB on its last line.
fn ours(arguments: &[&str]) -> Outcome<(Duration, u64)> {
    let start = Instant::now();
    let output = Command::new(std::env::current_exe()?).args(arguments).output()?;
    let elapsed = start.elapsed();
    let text = String::from_utf8(output.stdout)?;
    let peak = text.lines().last().and_then(|line| line.parse().ok());
    Ok((elapsed, peak.ok_or_else(|| format!("no answer: {}", String::from_utf8_lossy(&output.stderr)))?))
}

fn greps(root: &Path) -> Outcome<Duration> {
    let start = Instant::now();
    for term in TERMS {
        git(root, &["grep", "-l", "-z", "-i", "--max-count", "1", "-e", term, "--", ":!*.lock"])?;
    }
    Ok(start.elapsed())
}

fn cat_file(root: &Path, names: &str) -> Outcome<Duration> {
    let start = Instant::now();
    let mut child = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    child.stdin.take().ok_or("no stdin")?.write_all(names.as_bytes())?;
    if !child.wait()?.success() {
        return Err("git cat-file failed".into());
    }
    Ok(start.elapsed())
}

/// Writes references to every fifth file, and gives the same blobs as names for git.
fn references(root: &Path, input: &Path) -> Outcome<String> {
    let base = String::from_utf8(git(root, &["rev-parse", "HEAD"])?)?;
    let listed = String::from_utf8(git(root, &["ls-files"])?)?;
    let (mut lines, mut names) = (String::new(), String::new());
    for path in listed.lines().step_by(FILES / REFERENCES) {
        let text = std::fs::read_to_string(root.join(path))?;
        let line = text.lines().count() as u64 / 2 + 1;
        let quoted = text.lines().nth(line as usize - 1).ok_or("no such line")?;
        let reference = Reference {
            path: path.to_owned(),
            line,
            source_digest: text_digest(&text),
            excerpt_digest: text_digest(git_docket::sources::excerpt::prefix(quoted)),
            truncated: false,
            base: Some(base.trim().to_owned()),
        };
        writeln!(lines, "{}", reference.to_line())?;
        writeln!(names, "HEAD:{path}")?;
    }
    std::fs::write(input, lines)?;
    Ok(names)
}

fn child_collect(dir: &Path) -> Outcome<()> {
    let how = How { time: Duration::from_secs(60), ..How::default() };
    let report = collect(&Options { how, ..Options::for_draft(dir, TERMS.join(" ")) })?;
    if report.context.references.len() < 8 {
        return Err(format!("too little was found:\n{}", report.block).into());
    }
    print_peak()
}

fn child_check(dir: &Path, input: &Path, at: &str) -> Outcome<()> {
    let at = (at != "-").then(|| at.to_owned());
    let report = check(&CheckOptions { dir: dir.to_owned(), at }, references_from(&std::fs::read(input)?)?)?;
    if !report.all_same() || report.references.len() != REFERENCES {
        return Err("the references have drifted".into());
    }
    print_peak()
}

fn print_peak() -> Outcome<()> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    println!("{}", peak.unwrap_or("0"));
    Ok(())
}
