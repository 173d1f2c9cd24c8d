//! ZIP archives as a stranger may send them: read in memory, names and sizes judged before anything is inflated.
//!
//! Only what archives of logs use is read: one volume, stored or deflated entries. Whatever two readers could understand
//! differently (a name listed twice, entries that overlap, a local head that says something else) is refused as a whole.

use std::collections::BTreeSet;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use crate::format::path::is_safe;

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZipFile {
    /// The path, `/` between its segments. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// The most entries of an archive.
pub const MOST_ENTRIES: usize = 10_000;

/// The most bytes of all files of an archive together.
pub const MOST_BYTES: u64 = 512 << 20;

/// A file above [`FREE_BYTES`] may not be more than so many times the bytes that it was deflated to. Logs come to 20 to 50 times.
pub const MOST_RATIO: u64 = 200;

/// Up to here a file may be deflated as far as it goes.
pub const FREE_BYTES: u64 = 8 << 20;

/// Why an archive is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ZipFault {
    /// No archive, a truncated one, or one whose parts contradict each other.
    #[error("it is no whole archive: {0}")]
    Invalid(&'static str),
    /// A name that could leave a directory.
    #[error("the name {0:?} could lead out of a directory")]
    UnsafePath(String),
    /// A link, device or the like.
    #[error("{0:?} is no regular file")]
    NotRegular(String),
    /// An entry that is encrypted.
    #[error("{0:?} is encrypted")]
    Encrypted(String),
    /// Two entries of one name.
    #[error("{0:?} is listed twice")]
    Duplicate(String),
    /// Entries that share bytes.
    #[error("{0:?} shares its bytes with another entry")]
    Overlapping(String),
    /// More entries or bytes than an archive of logs has, or a file that was deflated too far.
    #[error("{0}")]
    TooLarge(String),
    /// A content that is not what the directory says of it.
    #[error("{0:?} does not have the size or checksum that the archive gives it")]
    Corrupt(String),
    /// A method or form that is not read.
    #[error("{0}")]
    Unsupported(String),
}

impl ZipFault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "zip-invalid",
            Self::UnsafePath(_) => "zip-path-unsafe",
            Self::NotRegular(_) => "zip-not-regular-file",
            Self::Encrypted(_) => "zip-encrypted",
            Self::Duplicate(_) => "zip-duplicate-name",
            Self::Overlapping(_) => "zip-overlapping",
            Self::TooLarge(_) => "zip-too-large",
            Self::Corrupt(_) => "zip-corrupt",
            Self::Unsupported(_) => "zip-unsupported",
        }
    }
}

/// True for bytes that begin as an archive does; an empty archive is only its end.
pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL) || bytes.starts_with(END)
}

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
const LOCAL_LENGTH: usize = 30;
const CENTRAL_LENGTH: usize = 46;

/// Reads all files of an archive, in its order.
///
/// # Errors
/// The first [`ZipFault`]; nothing of such an archive is used.
pub fn read(bytes: &[u8]) -> Result<Vec<ZipFile>, ZipFault> {
    let entries = directory(bytes)?;
    check_names(&entries)?;
    check_sizes(&entries)?;
    check_places(&entries)?;
    let files = entries.into_iter().filter(|entry| !entry.is_dir);
    files.map(|entry| Ok(ZipFile { bytes: entry.inflate(bytes)?, path: entry.path })).collect()
}

/// A row of the central directory.
struct Entry {
    path: String,
    raw_name: Vec<u8>,
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u64,
    size: u64,
    /// Where the local head begins, and where the data ends.
    start: usize,
    data: usize,
    end: usize,
    is_dir: bool,
}

/// Little-endian numbers at a place, `None` behind the end.
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2).and_then(|two| two.try_into().ok()).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map(u32::from_le_bytes)
}

/// The entries that the directory at the end lists.
fn directory(bytes: &[u8]) -> Result<Vec<Entry>, ZipFault> {
    let invalid = ZipFault::Invalid;
    let end = end_at(bytes).ok_or(invalid("its end is missing"))?;
    let field = |at| u16_at(bytes, end + at).ok_or(invalid("its end is cut"));
    let wide = |at| u32_at(bytes, end + at).ok_or(invalid("its end is cut"));
    let (count, size, start) = (field(10)?, wide(12)?, wide(16)?);
    if count == u16::MAX || size == u32::MAX || start == u32::MAX {
        return Err(ZipFault::Unsupported("it is an archive in the 64-bit form".to_owned()));
    }
    if field(4)? != 0 || field(6)? != 0 || field(8)? != count {
        return Err(ZipFault::Unsupported("it is one volume of several".to_owned()));
    }
    if usize::from(count) > MOST_ENTRIES {
        return Err(ZipFault::TooLarge(format!("it has {count} entries, more than {MOST_ENTRIES}")));
    }
    let mut at = start as usize;
    if at.checked_add(size as usize) != Some(end) {
        return Err(invalid("its directory is not where its end says"));
    }
    let mut entries = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        let (entry, next) = Entry::read(&bytes[..end], at)?;
        if entry.end > start as usize {
            return Err(invalid("an entry reaches into the directory"));
        }
        entries.push(entry);
        at = next;
    }
    if at == end { Ok(entries) } else { Err(invalid("its directory has another length than its end says")) }
}

/// Where the end record begins: the last one whose comment reaches exactly to the end of the bytes.
fn end_at(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_LENGTH)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last).rev().find(|at| {
        let comment = || u16_at(bytes, at + 20).map(usize::from);
        bytes[*at..].starts_with(END) && comment() == Some(bytes.len() - at - END_LENGTH)
    })
}

impl Entry {
    fn read(bytes: &[u8], at: usize) -> Result<(Self, usize), ZipFault> {
        let cut = || ZipFault::Invalid("its directory is cut");
        if !bytes.get(at..).is_some_and(|rest| rest.starts_with(CENTRAL)) {
            return Err(cut());
        }
        let field = |off| u16_at(bytes, at + off).ok_or_else(cut);
        let wide = |off| u32_at(bytes, at + off).ok_or_else(cut);
        let (name_length, extra, comment) = (field(28)?, field(30)?, field(32)?);
        let name_at = at + CENTRAL_LENGTH;
        let name_end = name_at + usize::from(name_length);
        let raw_name = bytes.get(name_at..name_end).ok_or_else(cut)?.to_vec();
        let mut path = String::from_utf8_lossy(&raw_name).into_owned();
        let is_dir = path.ends_with('/');
        if is_dir {
            path.pop();
        }
        let (packed, size, start) = (wide(20)?, wide(24)?, wide(42)?);
        if [packed, size, start].contains(&u32::MAX) {
            return Err(ZipFault::Unsupported(format!("{path:?} is in the 64-bit form")));
        }
        // The mode of Unix stands in the upper half, when a system of that kind made the archive.
        let mode = if field(4)? >> 8 == 3 { wide(38)? >> 16 } else { 0 };
        if !matches!(mode & 0o170_000, 0 | 0o100_000 | 0o040_000) {
            return Err(ZipFault::NotRegular(path));
        }
        let flags = field(8)?;
        let (start, method) = (start as usize, field(10)?);
        let data = local(bytes, start, &raw_name, method, &path)?;
        let end = data.checked_add(packed as usize).filter(|end| *end <= bytes.len()).ok_or_else(cut)?;
        let (packed, size) = (u64::from(packed), u64::from(size));
        let entry = Self { path, raw_name, flags, method, checksum: wide(16)?, packed, size, start, data, end, is_dir };
        Ok((entry, name_end + usize::from(extra) + usize::from(comment)))
    }

    /// The content, which has the size and checksum that the directory says.
    fn inflate(&self, bytes: &[u8]) -> Result<Vec<u8>, ZipFault> {
        let corrupt = || ZipFault::Corrupt(self.path.clone());
        let packed = &bytes[self.data..self.end];
        let size = usize::try_from(self.size).map_err(|_| corrupt())?;
        let content = match self.method {
            0 => packed.to_vec(),
            _ => inflate(packed, size).ok_or_else(corrupt)?,
        };
        if content.len() == size && crc32fast::hash(&content) == self.checksum { Ok(content) } else { Err(corrupt()) }
    }
}

/// What a stream that takes all of some bytes inflates to, in a size that is known.
fn inflate(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut content = vec![0; size];
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, read, written) = decompress(&mut Box::<DecompressorOxide>::default(), packed, &mut content, 0, flags);
    (status == TINFLStatus::Done && read == packed.len() && written == size).then_some(content)
}

/// Where the data of an entry begins, behind a local head that says the same as the directory.
fn local(bytes: &[u8], at: usize, name: &[u8], method: u16, path: &str) -> Result<usize, ZipFault> {
    let differs = || ZipFault::Invalid("an entry is not what the directory says");
    if !bytes.get(at..).is_some_and(|rest| rest.starts_with(LOCAL)) {
        return Err(differs());
    }
    let field = |off| u16_at(bytes, at + off).ok_or_else(differs);
    if field(6)? & 1 != 0 {
        return Err(ZipFault::Encrypted(path.to_owned()));
    }
    let name_at = at + LOCAL_LENGTH;
    let data = name_at + usize::from(field(26)?) + usize::from(field(28)?);
    let same = bytes.get(name_at..name_at + usize::from(field(26)?)) == Some(name) && field(8)? == method;
    if same { Ok(data) } else { Err(differs()) }
}

fn check_names(entries: &[Entry]) -> Result<(), ZipFault> {
    let mut seen = BTreeSet::new();
    for entry in entries {
        if !is_safe(&entry.path) {
            return Err(ZipFault::UnsafePath(entry.path.clone()));
        }
        if entry.flags & 1 != 0 || entry.flags & 0x2040 != 0 {
            return Err(ZipFault::Encrypted(entry.path.clone()));
        }
        if !matches!(entry.method, 0 | 8) {
            return Err(ZipFault::Unsupported(format!("{:?} has the method {}", entry.path, entry.method)));
        }
        // Names that differ only in bytes that are not UTF-8 would be one path here.
        if !seen.insert(&entry.path) {
            return Err(ZipFault::Duplicate(String::from_utf8_lossy(&entry.raw_name).into_owned()));
        }
    }
    Ok(())
}

fn check_sizes(entries: &[Entry]) -> Result<(), ZipFault> {
    let total = entries.iter().try_fold(0u64, |sum, entry| sum.checked_add(entry.size));
    if total.is_none_or(|total| total > MOST_BYTES) {
        return Err(ZipFault::TooLarge(format!("its files come to more than {} MiB", MOST_BYTES >> 20)));
    }
    let bomb = |entry: &&Entry| entry.size > FREE_BYTES && entry.size / MOST_RATIO > entry.packed;
    match entries.iter().find(bomb) {
        Some(entry) => Err(ZipFault::TooLarge(format!(
            "{:?} is more than {MOST_RATIO} times as large as its {} packed bytes",
            entry.path, entry.packed
        ))),
        None => Ok(()),
    }
}

fn check_places(entries: &[Entry]) -> Result<(), ZipFault> {
    let mut places: Vec<_> = entries.iter().map(|entry| (entry.start, entry.end, &entry.path)).collect();
    places.sort_unstable();
    match places.windows(2).find(|pair| pair[0].1 > pair[1].0) {
        Some(pair) => Err(ZipFault::Overlapping(pair[1].2.clone())),
        None => Ok(()),
    }
}
