//! No input makes the program panic, loop or write half of something: truncated, flipped and spliced fixtures, ten thousand of them.

mod law;

use std::fs;

use self::law::Reached;
use crate::support::{github_threads, shared, testdata};

const CASES: usize = 10_000;

/// A small generator with a fixed seed: the same cases on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }
}

/// Every payload of our own thread and of the recorded ones, and the smaller lines of the recordings.
fn fixtures() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for dir in github_threads().into_iter().chain([testdata("threads/acme-web-42"), testdata("forge/github")]) {
        let mut names: Vec<_> = fs::read_dir(dir).expect("a folder").map(|e| e.expect("an entry").path()).collect();
        names.sort();
        found.extend(names.into_iter().map(|name| fs::read(name).expect("a file")));
    }
    if let Some(path) = shared("data/exchanges/hub4j-dev.jsonl") {
        let text = fs::read(path).expect("the recording");
        found.extend(text.split(|b| *b == b'\n').filter(|line| line.len() < 12_000).step_by(9).map(<[u8]>::to_vec));
    }
    found
}

/// Cuts, flips, doubles or splices.
fn spoil(random: &mut Random, fixtures: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = fixtures[random.below(fixtures.len())].clone();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            2 if !bytes.is_empty() => bytes[at] = b"\"{}[],:0-e\\u\xff\x00 n"[random.below(16)],
            3 => {
                let end = (at + random.below(200)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                let other = &fixtures[random.below(fixtures.len())];
                let from = random.below(other.len());
                bytes.splice(at.., other[from..].iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn ten_thousand_spoilt_payloads() {
    let fixtures = fixtures();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let reached: Vec<_> = (0..CASES).map(|_| law::check(&spoil(&mut random, &fixtures))).collect();
    let least = |wanted| reached.iter().filter(|reached| **reached >= wanted).count();
    let (seen, staged) = (least(Reached::Observed), least(Reached::Staged));
    assert!(seen > 500 && staged > 300, "too few cases were recognised to mean anything: {seen}, {staged}");
}
