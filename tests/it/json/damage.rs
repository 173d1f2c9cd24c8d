//! Ten thousand seeded truncations and byte flips of real and own payloads: every law holds, nothing panics.

use std::fs;
use std::path::{Path, PathBuf};

use super::laws;
use crate::support::shared;

const CASES: usize = 10_000;
/// Larger fixtures give a window of this size: most of their damage would look alike.
const WINDOW: usize = 2_048;

#[test]
fn damaged_fixtures_keep_the_laws() {
    let mut paths = json_files(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata"));
    paths.extend(shared("data/threads").iter().flat_map(|folder| json_files(folder)));
    let fixtures: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).expect("readable")).collect();
    assert!(fixtures.len() >= 20, "only {} fixtures", fixtures.len());
    let mut random = 0x2545_f491_4f6c_dd1d;
    for case in 0..CASES {
        let fixture = &fixtures[case % fixtures.len()];
        laws::check(&damaged(fixture, &mut random));
    }
}

#[test]
fn whole_fixtures_keep_the_laws() {
    for path in shared("data/threads").iter().flat_map(|folder| json_files(folder)) {
        laws::check(&fs::read(&path).expect("readable"));
    }
}

fn damaged(fixture: &[u8], random: &mut u64) -> Vec<u8> {
    let mut bytes = fixture[..fixture.len().min(WINDOW)].to_vec();
    let kind = next(random, 4);
    if kind == 0 {
        bytes.truncate(next(random, bytes.len() + 1));
    } else if let Some(byte) = pick(&mut bytes, random) {
        // A changed bit, any byte at all, or one that means something to JSON.
        *byte = match kind {
            1 => *byte ^ (1 << next(random, 8)),
            2 => next(random, 256) as u8,
            _ => b"\"\\{}[],:0-eE.+u \n\x00\x80\xed"[next(random, 20)],
        };
    }
    bytes
}

fn pick<'b>(bytes: &'b mut [u8], random: &mut u64) -> Option<&'b mut u8> {
    let at = next(random, bytes.len().max(1));
    bytes.get_mut(at)
}

/// The next number below a bound, from a seeded xorshift sequence.
fn next(state: &mut u64, bound: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state % bound as u64) as usize
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name();
    let files = walk.into_iter().map(|entry| entry.expect("readable").into_path());
    files.filter(|path| path.extension().is_some_and(|found| found == "json")).collect()
}
