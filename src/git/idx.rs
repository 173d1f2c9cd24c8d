//! The index of a pack: version 2 of git's format (gitformat-pack), for packs that need no 64-bit offsets.

use gix::ObjectId;
use gix::hash::{Kind, hasher};
use rayon::slice::ParallelSliceMut as _;

/// Where an object lies in its pack.
pub(super) struct Located {
    pub(super) id: ObjectId,
    /// From the start of the pack, less than 2^31.
    pub(super) offset: u64,
    /// Of the entry as it lies there.
    pub(super) crc32: u32,
}

/// Puts entries in the order of an index.
pub(super) fn sort(entries: &mut [Located]) {
    // Names are digests: their first bytes tell nearly all apart, and are compared at once.
    let first = |entry: &Located| entry.id.as_slice().first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
    entries.par_sort_unstable_by(|a, b| first(a).cmp(&first(b)).then_with(|| a.id.cmp(&b.id)));
}

/// The bytes of the index of sorted entries.
pub(super) fn encode(entries: &[Located], pack: &ObjectId, kind: Kind) -> Result<Vec<u8>, gix::Error> {
    let mut out = Vec::with_capacity(1100 + entries.len() * (8 + kind.len_in_bytes()));
    out.extend(b"\xfftOc\0\0\0\x02");
    // 256 numbers: how many names begin with this byte or a smaller one.
    let mut at = 0;
    for first in 0..=u8::MAX {
        at += entries[at..].partition_point(|e| e.id.as_slice()[0] <= first);
        out.extend(small(at as u64));
    }
    for entry in entries {
        out.extend(entry.id.as_slice());
    }
    for entry in entries {
        out.extend(entry.crc32.to_be_bytes());
    }
    for entry in entries {
        out.extend(small(entry.offset));
    }
    out.extend(pack.as_slice());
    let mut hasher = hasher(kind);
    hasher.update(&out);
    out.extend(hasher.try_finalize()?.as_slice());
    Ok(out)
}

fn small(number: u64) -> [u8; 4] {
    u32::try_from(number).expect("a pack is closed long before 2^31 bytes").to_be_bytes()
}
