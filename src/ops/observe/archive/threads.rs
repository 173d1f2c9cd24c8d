//! The second pass: thread by thread, in the canonical order of the document; the records at its end.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{Seek, SeekFrom};

use rayon::prelude::*;

use crate::forge::graphql::archive::{Archive, lists_labels};
use crate::format::digest::{Digest, Hasher};
use crate::format::entity::{Kind, Subject};
use crate::format::json::{self, Piece, Pieces};
use crate::format::observation::{CHUNK, Part, parts_to_bytes};
use crate::ops::Error;
use crate::store::layout::element_path;
use crate::store::split::{Document, list_of_lists};

use super::super::LeftRow;
use super::super::progress::Count;
use super::super::record::Terms;
use super::super::write::Filer;
use super::records::{Records, Whole};
use super::survey::{BATCH, DEPTH_OF_MEMBER, Member, Stop, Survey};
use super::thread::{Thread, of_looks, thread};
use super::{MOST, NewFile};

/// Why the second pass stopped.
pub(super) enum Halt {
    /// Not read in pieces after all.
    Stop(Stop),
    /// Trouble with the store.
    Error(Error),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What the second pass gathers while it files elements.
pub(super) struct Taking<'p, 't> {
    filer: Filer<'p>,
    terms: &'t Terms,
    count: Count<'t>,
    /// The elements that were given to the filer.
    known: HashSet<Digest>,
    lot: Vec<NewFile>,
    lot_bytes: usize,
    hasher: Hasher,
    container: Vec<u8>,
    /// Parts that are not in a list yet, and the lists.
    parts: Vec<Part>,
    lists: Vec<Digest>,
    /// How many members or threads have parts, and whether a look lacks some of those of its own.
    apart: usize,
    lacking: bool,
    records: Records,
    /// The directories of all subjects: one that is shown twice is for the reader of whole documents.
    dirs: HashSet<String>,
    kinds: BTreeMap<Subject, Option<Kind>>,
    left: Vec<LeftRow>,
}

/// So many bytes of elements are given to the filer at once.
const LOT: usize = 4 << 20;

impl<'p, 't> Taking<'p, 't> {
    pub(super) fn new(filer: Filer<'p>, records: Records, terms: &'t Terms, count: Count<'t>) -> Self {
        Self {
            filer,
            terms,
            count,
            known: HashSet::new(),
            lot: Vec::new(),
            lot_bytes: 0,
            hasher: Hasher::default(),
            container: Vec::new(),
            parts: Vec::new(),
            lists: Vec::new(),
            apart: 0,
            lacking: false,
            records,
            dirs: HashSet::new(),
            kinds: BTreeMap::new(),
            left: Vec::new(),
        }
    }

    /// Takes all members; gives what is known of the whole document then.
    pub(super) fn take(&mut self, name: &str, file: &mut File, survey: &Survey) -> Result<Whole, Halt> {
        for (at, (member, of)) in survey.members.iter().enumerate() {
            let mut head = if at == 0 { vec![b'{'] } else { vec![b','] };
            json::append_text(member, &mut head);
            head.push(b':');
            self.verbatim(&head);
            match of {
                Member::Other(bytes) => self.other(name, member, bytes, &survey.archive)?,
                Member::Threads(start, kind) => {
                    self.verbatim(b"[");
                    file.seek(SeekFrom::Start(*start)).map_err(Stop::Io)?;
                    let mut source =
                        Source { pieces: Pieces::of_list(&*file, MOST).map_err(Stop::from)?, next: 0, over: false };
                    self.threads(name, member, &mut source, &survey.archive, *kind)?;
                    self.verbatim(b"]");
                }
            }
        }
        self.verbatim(b"}");
        self.whole()
    }

    /// What stands in the document and in its container alike.
    fn verbatim(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.container.extend_from_slice(bytes);
    }

    fn other(&mut self, name: &str, member: &str, bytes: &[u8], archive: &Archive) -> Result<(), Halt> {
        let document = Document::within(bytes, DEPTH_OF_MEMBER).map_err(|_| Stop::NoDump)?;
        let labels = document.view().as_array().filter(|_| lists_labels(member));
        match labels.and_then(|labels| archive.labels(labels.len())) {
            Some(look) => {
                let taken = of_looks(&document, bytes.len(), self.terms, &format!("/{member}"), &[look], Vec::new())?;
                self.one(name, taken)
            }
            None => {
                self.verbatim(&json::to_vec(document.view()));
                Ok(())
            }
        }
    }

    /// Reads threads, takes those before apart and files those before them, all at the same time.
    fn threads(
        &mut self,
        name: &str,
        list: &str,
        source: &mut Source<'_>,
        archive: &Archive,
        kind: Kind,
    ) -> Result<(), Halt> {
        let terms = self.terms;
        let apart = |(at, bytes): &(u64, Vec<u8>)| thread(archive, terms, &format!("/{list}/{at}"), bytes, kind);
        let mut read = source.batch()?;
        let mut taken: Vec<Thread> = Vec::new();
        let mut first = true;
        while !read.is_empty() || !taken.is_empty() {
            let bytes = read.iter().map(|(_, thread)| thread.len() as u64).sum();
            let last = std::mem::take(&mut taken);
            let ((next, understood), filed) = rayon::join(
                || {
                    rayon::join(
                        || source.batch(),
                        || read.par_iter().with_max_len(4).map(apart).collect::<Result<_, _>>(),
                    )
                },
                || self.all(name, last, &mut first),
            );
            filed?;
            (read, taken) = (next?, understood?);
            self.count.add(bytes);
        }
        Ok(())
    }

    fn all(&mut self, name: &str, threads: Vec<Thread>, first: &mut bool) -> Result<(), Halt> {
        for thread in threads {
            if !std::mem::take(first) {
                self.verbatim(b",");
            }
            self.one(name, thread)?;
        }
        Ok(())
    }

    fn one(&mut self, name: &str, thread: Thread) -> Result<(), Halt> {
        self.hasher.update(&thread.canonical);
        self.container.extend_from_slice(&thread.branch.container);
        self.apart += usize::from(!thread.branch.parts.is_empty());
        self.lacking |= !thread.branch.all;
        let mut own = HashSet::new();
        for (subject, kind) in thread.subjects {
            let dir = subject.dir();
            if own.insert(dir.clone()) && !self.dirs.insert(dir) {
                return Err(Stop::NoDump.into());
            }
            let known = self.kinds.entry(subject).or_default();
            *known = known.or(kind);
        }
        for left in thread.left {
            let input = format!("{name}#{}", left.pointer);
            self.left.push(LeftRow { input, reason: left.reason.code(), digest: None });
        }
        for record in &thread.records {
            self.records.add(record)?;
        }
        for (digest, bytes) in thread.branch.elements {
            self.element(digest, bytes)?;
        }
        for part in thread.branch.parts {
            self.parts.push(part);
            if self.parts.len() == CHUNK {
                self.list()?;
            }
        }
        Ok(())
    }

    /// Files the list of the parts that are in none yet.
    fn list(&mut self) -> Result<(), Error> {
        let bytes = parts_to_bytes(&std::mem::take(&mut self.parts));
        let digest = Digest::of(&bytes);
        self.lists.push(digest);
        self.element(digest, bytes)
    }

    fn element(&mut self, digest: Digest, bytes: Vec<u8>) -> Result<(), Error> {
        if self.known.insert(digest) {
            self.lot_bytes += bytes.len();
            self.lot.push((element_path(&digest), bytes));
        }
        if self.lot_bytes > LOT { self.give() } else { Ok(()) }
    }

    fn give(&mut self) -> Result<(), Error> {
        self.lot_bytes = 0;
        self.filer.put(std::mem::take(&mut self.lot))
    }

    fn whole(&mut self) -> Result<Whole, Halt> {
        // Where each look names all parts no list of them is filed.
        if self.apart < 2 && !self.lacking {
            return Err(Stop::NoDump.into());
        }
        if !self.parts.is_empty() {
            self.list()?;
        }
        let mut parts = std::mem::take(&mut self.lists);
        if let Some(list) = list_of_lists(&parts) {
            parts = vec![Digest::of(&list)];
            self.element(parts[0], list)?;
        }
        let container = std::mem::take(&mut self.container);
        let of_container = Digest::of(&container);
        self.element(of_container, container)?;
        self.give()?;
        Ok(Whole { digest: std::mem::take(&mut self.hasher).finish(), container: of_container, parts })
    }

    /// The filer, which has all elements, and the records.
    pub(super) fn parts(self) -> (Filer<'p>, Records, BTreeMap<Subject, Option<Kind>>, Vec<LeftRow>) {
        (self.filer, self.records, self.kinds, self.left)
    }
}

/// The threads of one list.
struct Source<'f> {
    pieces: Pieces<&'f File>,
    /// The place of the next one.
    next: u64,
    over: bool,
}

impl Source<'_> {
    fn batch(&mut self) -> Result<Vec<(u64, Vec<u8>)>, Stop> {
        let (mut batch, mut size) = (Vec::new(), 0);
        while size < BATCH && !self.over {
            let Some(Piece::Item(thread)) = self.pieces.read()? else {
                self.over = true;
                break;
            };
            size += thread.len();
            batch.push((self.next, thread.to_vec()));
            self.next += 1;
        }
        Ok(batch)
    }
}
