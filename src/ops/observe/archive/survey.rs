//! The first pass: whether the document is a dump, all of it valid, and where its lists of threads stand.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use rayon::prelude::*;

use crate::forge::graphql::archive::{Archive, THREADS, host_of, is_thread, kind_of_list};
use crate::format::entity::Kind;
use crate::format::json::{self, Json, NoPiece, Object, Piece, Pieces};

use super::super::progress::{Count, Doing, Progress};
use super::MOST;

/// What the first pass found.
pub(super) struct Survey {
    /// The members of the document in canonical order.
    pub members: Vec<(String, Member)>,
    /// What holds for all threads.
    pub archive: Archive,
    /// The bytes of all threads.
    pub bytes: u64,
}

/// A member of the document.
pub(super) enum Member {
    /// A list of threads, whose bracket stands at a byte.
    Threads(u64, Kind),
    /// Anything else, as it stands there.
    Other(Vec<u8>),
}

/// Why a document is not read in pieces.
pub(super) enum Stop {
    /// It cannot be read.
    Io(io::Error),
    /// It is no dump, or not one that can be: then it is for the reader of whole documents to say what it is.
    NoDump,
}

impl From<NoPiece> for Stop {
    fn from(fault: NoPiece) -> Self {
        match fault {
            NoPiece::Io(error) => Self::Io(error),
            NoPiece::Json(_) => Self::NoDump,
        }
    }
}

/// How many bytes of threads are looked at together, on all cores.
pub(super) const BATCH: usize = 2 << 20;

/// How deep in the document a thread stands, and another member.
pub(super) const DEPTH: usize = 2;
pub(super) const DEPTH_OF_MEMBER: usize = 1;

/// Reads the whole document. Each thread is validated when `validate` says so; else only where one stands, and as many of them are
/// read as it takes to know their host.
pub(super) fn survey(file: &File, progress: &dyn Progress, validate: bool) -> Result<Survey, Stop> {
    let size = file.metadata().map_err(Stop::Io)?.len();
    let count = Count::begin(progress, Doing::Reading, size);
    let mut source = Source { pieces: Pieces::new(file, MOST), members: Vec::new(), hosts: BTreeMap::new(), bytes: 0 };
    let mut batch = source.batch()?;
    while !batch.is_empty() {
        count.add(batch.iter().map(|(_, thread)| thread.len() as u64).sum());
        batch.retain(|(list, _)| validate || !matches!(source.hosts.get(list), Some(Some(_))));
        let (next, hosts) = rayon::join(|| source.batch(), || hosts(&batch));
        for ((list, _), thread) in batch.iter().zip(hosts?) {
            let Some(host) = thread else { continue };
            let known = source.hosts.entry(*list).or_default();
            *known = known.take().or(host);
        }
        batch = next?;
    }
    count.add(size.saturating_sub(source.bytes));
    source.survey()
}

/// Threads, each with the number of the member that lists it.
type Batch = Vec<(usize, Vec<u8>)>;

/// Validates the items of lists of threads, and gives the host of the page of each that is one.
fn hosts(batch: &Batch) -> Result<Vec<Option<Option<String>>>, Stop> {
    let one = |(_, bytes): &(usize, Vec<u8>)| {
        let thread = json::parse_within(bytes, DEPTH).map_err(|_| Stop::NoDump)?;
        Ok(is_thread(&thread).then(|| host_of(&thread)))
    };
    batch.par_iter().with_min_len(16).map(one).collect()
}

struct Source<'f> {
    pieces: Pieces<&'f File>,
    members: Vec<(String, Member)>,
    /// The host of the first thread with a page, by the number of the member.
    hosts: BTreeMap<usize, Option<String>>,
    bytes: u64,
}

impl Source<'_> {
    /// The next threads; none at the end of the document. Other members are kept.
    fn batch(&mut self) -> Result<Batch, Stop> {
        let (mut batch, mut size) = (Vec::new(), 0);
        while size < BATCH {
            let Some(piece) = self.pieces.read()? else { break };
            let at = self.members.len();
            match (piece, self.members.last_mut()) {
                (Piece::List { name, at }, _) => {
                    let member = match kind_of_list(&name) {
                        Some(kind) => Member::Threads(at, kind),
                        None => Member::Other(vec![b'[']),
                    };
                    self.members.push((name, member));
                }
                (Piece::Member { name, value }, _) if kind_of_list(&name).is_none() => {
                    self.members.push((name, Member::Other(value.to_vec())));
                }
                (Piece::Item(thread), Some((_, Member::Threads(..)))) => {
                    size += thread.len();
                    batch.push((at - 1, thread.to_vec()));
                }
                (Piece::Item(item), Some((_, Member::Other(list)))) if list.len() + item.len() < MOST => {
                    list.extend_from_slice(if list.len() > 1 { b"," } else { b"" });
                    list.extend_from_slice(item);
                }
                (Piece::End, Some((_, Member::Other(list)))) => list.push(b']'),
                (Piece::End, _) => {}
                _ => return Err(Stop::NoDump),
            }
        }
        self.bytes += size as u64;
        Ok(batch)
    }

    /// What all of it comes to.
    fn survey(self) -> Result<Survey, Stop> {
        let mut order = Object::new();
        let mut repo = None;
        for (name, member) in &self.members {
            if let Member::Other(bytes) = member {
                let value = json::parse_within(bytes, DEPTH_OF_MEMBER).map_err(|_| Stop::NoDump)?;
                repo = value.as_str().filter(|_| name == "repo").map(str::to_owned).or(repo);
            }
            order.set(name.clone(), Json::Null);
        }
        let by_name = |name: &str| self.members.iter().position(|(of, _)| of == name);
        let host = THREADS.iter().filter_map(|name| self.hosts.get(&by_name(name)?)?.clone()).next();
        // Without its repository or without threads it is for the other reader, and so is one that names a member twice.
        let archive = Archive::new(repo.as_deref(), host.as_deref());
        if !archive.is_named() || self.hosts.is_empty() || order.iter().count() < self.members.len() {
            return Err(Stop::NoDump);
        }
        let order: BTreeMap<String, usize> =
            order.iter().enumerate().map(|(at, (name, _))| (name.to_owned(), at)).collect();
        let mut members = self.members;
        members.sort_by_key(|(name, _)| order.get(name).copied());
        Ok(Survey { members, archive, bytes: self.bytes })
    }
}
