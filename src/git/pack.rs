//! One pack file: written under a temporary name, counted and hashed, then put in place together with its index.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::hash::{Kind as HashKind, hasher};
use gix::objs::Kind;
use gix::zlib::stream::deflate::{Compress, FlushCompress};
use gix::zlib::{Compression, Status};
use gix_pack::data::Version;
use gix_pack::data::entry::Header;
use gix_pack::data::input::Entry;

use super::deflate::{self, Deflater};
use super::idx::{self, Located};
use super::lock::sync_dir;
use super::{Error, Result};
use crate::format::steps::{Step, Steps};
use crate::system::permissions;

/// How much is written at once.
const CHUNK: usize = 1 << 20;

/// From this size on it pays to sync while the checksum is computed.
const OVERLAP: u64 = 8 << 20;

/// The zlib level of large objects. Six, which git uses, takes five times as long for texts of a megabyte and saves three hundredths of
/// the pack of a dump; `git gc` makes it up.
const LEVEL: i32 = 2;

/// A pack that is being written.
pub(super) struct Pack {
    dir: PathBuf,
    path: PathBuf,
    file: File,
    hash: HashKind,
    buffer: Vec<u8>,
    written: u64,
    entries: Vec<Located>,
    /// The files so far that are nothing without those that are still to come.
    half_made: Vec<PathBuf>,
}

impl Pack {
    pub(super) fn create(common_dir: &Path, hash: HashKind, steps: &dyn Steps) -> Result<Self> {
        let dir = common_dir.join("objects").join("pack");
        steps.before(Step::Write, &dir).map_err(Error::io(&dir))?;
        fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
        let (file, path) = temporary(&dir, "tmp_pack_")?;
        let buffer = gix_pack::data::header::encode(Version::V2, 0).to_vec();
        let half_made = vec![path.clone()];
        Ok(Self { dir, path, file, hash, buffer, written: 0, entries: Vec::new(), half_made })
    }

    /// How large it is so far.
    pub(super) fn bytes(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    pub(super) fn append(&mut self, id: ObjectId, entry: Entry, steps: &dyn Steps) -> Result<()> {
        let Entry { header, compressed, decompressed_size, crc32, .. } = entry;
        self.entries.push(Located { id, offset: self.bytes(), crc32: crc32.unwrap_or_default() });
        header.write_to(decompressed_size, &mut self.buffer).map_err(Error::io(&self.path))?;
        self.buffer.extend(compressed.unwrap_or_default());
        if self.buffer.len() >= CHUNK { self.flush(steps) } else { Ok(()) }
    }

    fn flush(&mut self, steps: &dyn Steps) -> Result<()> {
        write(&mut self.file, &self.path, &self.buffer, steps)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Puts pack and index in place, durably. When that fails nothing of them is left, unless the writer was stopped.
    pub(super) fn finish(mut self, steps: &dyn Steps) -> Result<()> {
        let done = self.put_in_place(steps);
        self.discard(steps);
        done?;
        sync_dir(&self.dir, steps)
    }

    /// Removes what is half made. The error that led here is the one to tell.
    pub(super) fn discard(&mut self, steps: &dyn Steps) {
        for path in self.half_made.drain(..) {
            if steps.before(Step::Remove, &path).is_ok() {
                let _ = fs::remove_file(&path);
            }
        }
    }

    fn put_in_place(&mut self, steps: &dyn Steps) -> Result<()> {
        self.flush(steps)?;
        let mut entries = std::mem::take(&mut self.entries);
        let count = u32::try_from(entries.len()).expect("a pack of a gigabyte has fewer entries");
        idx::sort(&mut entries);
        let name = self.seal(count, steps)?;
        let bytes = idx::encode(&entries, &name, self.hash).map_err(|e| Error::git(&self.path, e))?;
        steps.before(Step::Write, &self.dir).map_err(Error::io(&self.dir))?;
        let (mut file, index) = temporary(&self.dir, "tmp_idx_")?;
        self.half_made.push(index.clone());
        write(&mut file, &index, &bytes, steps)?;
        sync(&file, &index, steps)?;
        // The index comes last: git looks at a pack only when it sees one.
        for (from, ending) in [(&self.path, "pack"), (&index, "idx")] {
            let to = self.dir.join(format!("pack-{}.{ending}", name.to_hex()));
            // One of that name has the same objects, and is somebody's.
            let is_new = !to.exists();
            steps.before(Step::Rename, &to).map_err(Error::io(&to))?;
            fs::rename(from, &to).map_err(Error::io(&to))?;
            self.half_made.retain(|path| path != from);
            self.half_made.extend(is_new.then_some(to));
        }
        self.half_made.clear();
        Ok(())
    }

    /// Writes the number of objects and the checksum, and syncs. The checksum names the pack.
    fn seal(&mut self, count: u32, steps: &dyn Steps) -> Result<ObjectId> {
        let io = |e| Error::io(&self.path)(e);
        self.file.seek(SeekFrom::Start(0)).map_err(io)?;
        write(&mut self.file, &self.path, &gix_pack::data::header::encode(Version::V2, count), steps)?;
        let name = if self.written < OVERLAP {
            checksum(&self.path, self.hash)?
        } else {
            // The disk and the processor work at the same time: this sync carries nearly everything.
            steps.before(Step::Sync, &self.path).map_err(io)?;
            let (synced, hashed) = rayon::join(|| self.file.sync_data(), || checksum(&self.path, self.hash));
            synced.map_err(io)?;
            hashed?
        };
        self.file.seek(SeekFrom::End(0)).map_err(io)?;
        write(&mut self.file, &self.path, name.as_slice(), steps)?;
        sync(&self.file, &self.path, steps)?;
        Ok(name)
    }
}

/// The checksum of a file as it lies there.
fn checksum(path: &Path, hash: HashKind) -> Result<ObjectId> {
    let mut file = File::open(path).map_err(Error::io(path))?;
    let mut hasher = hasher(hash);
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk).map_err(Error::io(path))? {
            0 => return hasher.try_finalize().map_err(|e| Error::git(path, e)),
            n => hasher.update(&chunk[..n]),
        }
    }
}

/// The state that one thread needs for compressing.
pub(super) struct Compressor {
    small: Deflater,
    /// Expensive to make and to reset, and not needed by most objects.
    large: Option<Compress>,
}

/// Larger objects are given to zlib: what its tables cost is little beside what they save there.
const SMALL: usize = 8 << 10;

impl Compressor {
    pub(super) fn new() -> Self {
        Self { small: Deflater::new(), large: None }
    }

    fn zlib(&mut self, bytes: &[u8]) -> std::result::Result<Vec<u8>, gix::Error> {
        if bytes.len() <= SMALL {
            return Ok(self.small.compress(bytes));
        }
        let state = self.large.get_or_insert_with(|| Compress::new(Compression::new(LEVEL).unwrap_or_default()));
        state.reset();
        // Incompressible input grows by a few bytes in sixteen thousand.
        let mut out = vec![0; bytes.len() + bytes.len() / 1000 + 64];
        let (mut taken, mut given) = (0, 0);
        loop {
            let status = state.compress(&bytes[taken..], &mut out[given..], FlushCompress::Finish)?;
            (taken, given) = (state.total_in() as usize, state.total_out() as usize);
            match status {
                Status::StreamEnd => break,
                Status::Ok | Status::BufError => out.resize(out.len() * 2, 0),
            }
        }
        out.truncate(given);
        out.shrink_to_fit();
        Ok(out)
    }
}

/// Compresses an object into a pack entry.
pub(super) fn compress(state: &mut Compressor, kind: Kind, bytes: &[u8]) -> std::result::Result<Entry, gix::Error> {
    // A tree is names and digests: there is nothing to be saved in one, and much between two, which is for `git gc`.
    let out = if kind == Kind::Tree { deflate::stored(bytes) } else { state.zlib(bytes)? };
    let header = match kind {
        Kind::Blob => Header::Blob,
        Kind::Tree => Header::Tree,
        Kind::Commit => Header::Commit,
        Kind::Tag => Header::Tag,
    };
    let mut entry = Entry {
        header,
        header_size: header.size(bytes.len() as u64) as u16,
        pack_offset: 0,
        compressed_size: out.len() as u64,
        compressed: Some(out),
        crc32: None,
        decompressed_size: bytes.len() as u64,
        trailer: None,
    };
    entry.crc32 = Some(entry.compute_crc32());
    Ok(entry)
}

/// A new file that nobody else writes to; git sweeps names that begin with `tmp_`.
fn temporary(dir: &Path, prefix: &str) -> Result<(File, PathBuf)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    if let Some(read_only) = permissions(0o444) {
        builder.permissions(read_only);
    }
    let file = builder.tempfile_in(dir).map_err(Error::io(dir))?;
    file.keep().map_err(|e| Error::io(dir)(e.error))
}

fn write(file: &mut File, path: &Path, bytes: &[u8], steps: &dyn Steps) -> Result<()> {
    steps.before(Step::Write, path).map_err(Error::io(path))?;
    file.write_all(bytes).map_err(Error::io(path))
}

fn sync(file: &File, path: &Path, steps: &dyn Steps) -> Result<()> {
    steps.before(Step::Sync, path).map_err(Error::io(path))?;
    file.sync_all().map_err(Error::io(path))
}
