//! `canon` of a 20 MB JSON beside its peers: `serde_jcs` in this process, `jq -cS .` as a whole process.
//!
//! `cargo bench --bench canon` prints the ratios and their budgets, for a list and for one object that holds it.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]

mod payloads;

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const SIZE: usize = 20_000_000;
const PAIRS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let list = payloads::comments(20, SIZE);
    let object = [&b"{\"total_count\":1,\"items\":"[..], &list, b"}"].concat();
    for (shape, bytes) in [("list", list), ("object", object)] {
        println!("canon of one {shape} of {:.1} MB, median of {PAIRS} pairs", megabytes(bytes.len()));
        in_process(&bytes)?;
        whole_process(&bytes)?;
    }
    Ok(())
}

fn in_process(bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let peer = |bytes: &[u8]| -> Result<Vec<u8>, Box<dyn Error>> {
        let value: serde_json::Value = serde_json::from_slice(bytes)?;
        Ok(serde_jcs::to_vec(&value)?)
    };
    if git_docket::ops::canon(bytes)? != peer(bytes)? {
        return Err("serde_jcs writes other bytes".into());
    }
    let mut pairs = Vec::new();
    for _ in 0..PAIRS {
        let (ours, _) = timed(|| black_box(git_docket::ops::canon(black_box(bytes))))?;
        let (theirs, _) = timed(|| black_box(peer(black_box(bytes))))?;
        pairs.push((ours, theirs));
    }
    let (ours, theirs, ratio) = medians(&mut pairs);
    let speed = |seconds: f64| megabytes(bytes.len()) / seconds;
    println!(
        "serde_jcs: ours {:.0} MB/s, theirs {:.0} MB/s, {:.1} × (budget ≥ 4 ×)",
        speed(ours),
        speed(theirs),
        1.0 / ratio
    );
    Ok(())
}

fn whole_process(bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("payload.json");
    std::fs::write(&file, bytes)?;
    let mut pairs = Vec::new();
    for _ in 0..PAIRS {
        let (ours, _) = timed(|| run(Command::new(env!("CARGO_BIN_EXE_git-docket")).arg("canon"), &file))?;
        let Ok((theirs, _)) = timed(|| run(Command::new("jq").arg("-cS").arg("."), &file)) else {
            println!("jq: not there, not compared");
            return Ok(());
        };
        pairs.push((ours, theirs));
    }
    let (ours, theirs, ratio) = medians(&mut pairs);
    println!(
        "jq -cS .: ours {:.0} ms, theirs {:.0} ms, {ratio:.3} of its time (budget ≤ 0.10)",
        ours * 1e3,
        theirs * 1e3
    );
    Ok(())
}

fn run(command: &mut Command, file: &Path) -> Result<(), Box<dyn Error>> {
    let status = command.arg(file).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(status.to_string().into()) }
}

/// Runs once and gives the seconds that it took.
fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(f64, T), E> {
    let start = Instant::now();
    let done = work()?;
    Ok((start.elapsed().as_secs_f64(), done))
}

/// The medians of ours, theirs and of ours ÷ theirs pair by pair; the first pair only warms up.
fn medians(pairs: &mut Vec<(f64, f64)>) -> (f64, f64, f64) {
    pairs.remove(0);
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let column = |of: fn(&(f64, f64)) -> f64| median(pairs.iter().map(of).collect());
    (column(|p| p.0), column(|p| p.1), column(|p| p.0 / p.1))
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
