//! Two trees that should be the same byte for byte: what `--rebuild` found and what it made.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::file::Listed;
use super::list;
use super::report::{Code, Finding, kind_name};
use super::tally::Tally;
use crate::format::digest::Digest;
use crate::format::tree::{MAX_FILE, Tree, TreeEntry};
use crate::ops::Error;

/// Every difference of a tree from what is expected, sorted by path and code; empty when they are the same.
///
/// # Errors
/// `read-failed` when a part of either tree could not be read.
pub fn compare_trees(expected: &dyn Tree, actual: &dyn Tree) -> Result<Vec<Finding>, Error> {
    let (mut wanted, mut there) = (list(expected, "")?, list(actual, "")?);
    wanted.sort_by(|a, b| a.path.cmp(&b.path));
    there.sort_by(|a, b| a.path.cmp(&b.path));
    let (mut wanted, mut there) = (wanted.iter().peekable(), there.iter().peekable());
    let mut pairs: Vec<(Option<&TreeEntry>, Option<&TreeEntry>)> = Vec::new();
    loop {
        let order = match (wanted.peek(), there.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.path.cmp(&b.path),
        };
        pairs.push(match order {
            Ordering::Less => (wanted.next(), None),
            Ordering::Greater => (None, there.next()),
            Ordering::Equal => (wanted.next(), there.next()),
        });
    }
    let one = |mut tally: Tally, pair: &(Option<&TreeEntry>, Option<&TreeEntry>)| {
        compare(expected, actual, *pair, &mut tally);
        tally
    };
    let tally = pairs.par_iter().fold(Tally::default, one).reduce(Tally::default, Tally::plus);
    tally.report(super::Anchored::None).map(|report| report.findings)
}

fn compare(expected: &dyn Tree, actual: &dyn Tree, pair: (Option<&TreeEntry>, Option<&TreeEntry>), tally: &mut Tally) {
    match pair {
        (Some(wanted), there) => match expected.read(&wanted.path, MAX_FILE) {
            Ok(bytes) => {
                let bytes = bytes.unwrap_or_default();
                let listed =
                    Listed { path: wanted.path.clone(), bytes: bytes.len() as u64, digest: Digest::of(&bytes) };
                match there {
                    Some(there) => listed.check(actual, there, tally),
                    None => tally.find(listed.missing()),
                }
            }
            Err(error) => tally.unread(&wanted.path, &error),
        },
        (None, Some(there)) => {
            tally.find(Finding::new(Code::FileExtra, &there.path).actual(kind_name(there.kind)));
        }
        (None, None) => {}
    }
}
