//! An index tree: a snapshot, a stage or a part of one.

use std::collections::{BTreeSet, HashSet};

use rayon::prelude::*;

use super::file::Listed;
use super::listing::{Listing, Unchecked, fold, is_same_form};
use super::manifest::{Node, Row};
use super::report::{Cause, Code, Finding, NoteCode, kind_name};
use super::tally::Tally;
use crate::format::digest::Digest;
use crate::format::index::NAME;
use crate::format::tree::{FileKind, MAX_FILE, Tree};
use crate::ops::Error;

/// Manifests that are held in memory at once.
const BATCH: usize = 1024;

/// How many files of nearly the same name are read for one that is missing.
const NAMESAKES: usize = 16;

/// Checks everything that the root index lists, level by level, and that nothing else is there.
pub(super) fn check(tree: &dyn Tree, digest: Option<Digest>, listing: Listing) -> Result<Tally, Error> {
    let mut check = Check {
        tree,
        listing,
        tally: Tally::default(),
        missing: Vec::new(),
        unchecked: Unchecked::default(),
        listed: HashSet::new(),
    };
    let mut level = vec![Node { dir: String::new(), digest, bytes: None }];
    check.claim_root(&level[0]);
    while !level.is_empty() {
        let mut children = Vec::new();
        for batch in level.chunks(BATCH) {
            check.batch(batch, &mut children)?;
        }
        level = children;
    }
    check.report_bare()?;
    check.report_missing();
    check.report_extra();
    check.report_exchanged();
    Ok(check.tally)
}

struct Check<'t> {
    tree: &'t dyn Tree,
    listing: Listing,
    tally: Tally,
    /// What is listed and not there.
    missing: Vec<Listed>,
    unchecked: Unchecked,
    /// The digests of everything that was listed so far.
    listed: HashSet<Digest>,
}

impl Check<'_> {
    fn claim_root(&mut self, root: &Node) {
        match self.listing.position(NAME) {
            Some(position) => {
                self.listing.claim(position);
            }
            None => {
                let finding = Finding::new(Code::FileMissing, NAME);
                self.tally.find(Finding { expected: root.digest.map(|d| d.to_string()), ..finding });
            }
        }
    }

    /// Reads manifests with all cores, then claims in order what they list, then reads the files with all cores.
    fn batch(&mut self, nodes: &[Node], children: &mut Vec<Node>) -> Result<(), Error> {
        let (tree, listing) = (self.tree, &self.listing);
        let load = |node: &Node| {
            let mut tally = Tally::default();
            let rows = match listing.position(&node.path()) {
                Some(position) => node.load(tree, listing.at(position), &mut tally),
                None => Ok(None),
            };
            rows.map(|rows| (rows, tally))
        };
        let loaded = nodes.par_iter().map(load).collect::<Result<Vec<_>, Error>>()?;
        let mut files = Vec::new();
        for (node, (rows, tally)) in nodes.iter().zip(loaded) {
            self.tally = std::mem::take(&mut self.tally).plus(tally);
            match rows {
                Some(rows) => rows.into_iter().for_each(|row| self.claim(row, &mut files, children)),
                None => self.unchecked.add(&node.dir),
            }
        }
        let (tree, listing) = (self.tree, &self.listing);
        let hash = |mut tally: Tally, (position, file): &(usize, Listed)| {
            file.check(tree, listing.at(*position), &mut tally);
            tally
        };
        let tally = files.par_iter().fold(Tally::default, hash).reduce(Tally::default, Tally::plus);
        self.tally = std::mem::take(&mut self.tally).plus(tally);
        Ok(())
    }

    /// Accounts for a path. One that two indexes list is an error of the second: it would be walked twice, and twice
    /// again on each level below.
    fn claim(&mut self, row: Row, files: &mut Vec<(usize, Listed)>, children: &mut Vec<Node>) {
        self.listed.insert(row.listed.digest);
        let Some(position) = self.listing.position(&row.listed.path) else { return self.missing.push(row.listed) };
        if !self.listing.claim(position) {
            let finding = Finding::new(Code::IndexInvalid, &row.listed.path);
            return self.tally.find(finding.actual("a path is listed by two indexes"));
        }
        match row.child {
            Some(dir) => children.push(Node { dir, digest: Some(row.listed.digest), bytes: Some(row.listed.bytes) }),
            None => files.push((position, row.listed)),
        }
    }

    /// Directories without files that are not on the way to a listed path: no index could list them, and no sum would miss them.
    fn report_bare(&mut self) -> Result<(), Error> {
        let unread = |error| Error::new("read-failed", format!("a directory could not be read: {error}"));
        let places: BTreeSet<&str> = self.missing.iter().map(|file| file.path.as_str()).collect();
        let mut extra: HashSet<String> = HashSet::new();
        for dir in self.tree.bare_directories().map_err(unread)? {
            let below = format!("{dir}/");
            let next = places.range(below.as_str()..).next();
            let has_place = places.contains(dir.as_str()) || next.is_some_and(|path| path.starts_with(&below));
            // Below one of these, or in the place of a file, it is the same damage.
            let mut above = dir.match_indices('/').map(|(at, _)| &dir[..at]);
            let is_told = above.any(|above| extra.contains(above) || places.contains(above));
            if !has_place && !is_told && !self.unchecked.contains(&dir) {
                self.tally.find(Finding::new(Code::FileExtra, &dir).actual("directory"));
                extra.insert(dir);
            }
        }
        Ok(())
    }

    /// Tells a missing file from one whose place is taken, and from one whose name was changed.
    fn report_missing(&mut self) {
        let mut missing = std::mem::take(&mut self.missing);
        if missing.is_empty() {
            return;
        }
        missing.sort_by(|a, b| a.path.cmp(&b.path));
        missing.dedup_by(|a, b| a.path == b.path);
        let names = self.listing.by_fold();
        let mut taken = HashSet::new();
        for file in missing {
            if let Some(dir) = file.path.strip_suffix("/index.json") {
                self.unchecked.add(dir);
            }
            if let Some(at) = self.listing.ancestor(&file.path).filter(|at| !self.is_listed(*at, &taken)) {
                if taken.insert(at) {
                    self.listing.claim(at);
                    let there = self.listing.at(at);
                    let finding = Finding::new(Code::NotRegularFile, &there.path).expected("directory");
                    self.tally.find(finding.actual(kind_name(there.kind)));
                }
                continue;
            }
            let below = self.listing.below(&file.path);
            let is_directory = !below.is_empty()
                || self.tree.is_bare_directory(&file.path).unwrap_or_else(|error| {
                    self.tally.unread(&file.path, &error);
                    false
                });
            if is_directory {
                below.for_each(|at| {
                    self.listing.claim(at);
                });
                let finding = Finding::new(Code::NotRegularFile, &file.path);
                self.tally.find(finding.expected("file").actual("directory"));
                continue;
            }
            let namesakes = names.get(&fold(&file.path)).map_or(&[][..], Vec::as_slice);
            let finding = self.renamed(&file, namesakes).unwrap_or_else(|| file.missing());
            self.tally.find(finding);
        }
    }

    /// True for a path that an index lists, unlike one that was claimed for standing in the place of a directory.
    fn is_listed(&self, at: usize, taken: &HashSet<usize>) -> bool {
        self.listing.is_claimed(at) && !taken.contains(&at)
    }

    /// The file under a name that differs in case or normal form only. When it has the right content, it is the same
    /// damage, not an extra file.
    fn renamed(&mut self, file: &Listed, namesakes: &[usize]) -> Option<Finding> {
        let same = |&&at: &&usize| {
            let there = self.listing.at(at);
            let right = || self.tree.read(&there.path, file.bytes).ok().flatten().filter(|b| file.compare(b).is_none());
            !self.listing.is_claimed(at) && there.kind == FileKind::File && right().is_some()
        };
        let moved = namesakes.iter().take(NAMESAKES).find(same);
        let at = *moved.or(namesakes.first())?;
        let path = self.listing.at(at).path.clone();
        if moved.is_some() {
            self.listing.claim(at);
            if let Some(dir) = path.strip_suffix("/index.json") {
                self.unchecked.add(dir);
            }
        }
        let cause = if is_same_form(&path, &file.path) { Cause::UnicodeForm } else { Cause::CaseCollision };
        Some(file.missing().actual(path).cause(cause))
    }

    /// A short file that is whole, but another one of those listed, was not cut; nor is one that is the same in every tree
    /// called so.
    fn report_exchanged(&mut self) {
        let (tree, listed) = (self.tree, &self.listed);
        for finding in self.tally.findings.iter_mut().filter(|finding| finding.cause == Cause::Truncated) {
            if finding.path == ".gitattributes" {
                finding.cause = Cause::Unknown;
                continue;
            }
            // It could be read a moment ago. Nothing is what most cuts leave, and no proof of an exchange.
            let bytes = tree.read(&finding.path, MAX_FILE).ok().flatten().filter(|bytes| !bytes.is_empty());
            if bytes.is_some_and(|bytes| listed.contains(&Digest::of(&bytes))) {
                finding.cause = Cause::Unknown;
            }
        }
    }

    fn report_extra(&mut self) {
        let mut unchecked = 0;
        for entry in self.listing.unclaimed() {
            if self.unchecked.contains(&entry.path) {
                unchecked += 1;
            } else {
                self.tally.find(Finding::new(Code::FileExtra, &entry.path).actual(kind_name(entry.kind)));
            }
        }
        let text = "files were not checked: the index of their directory cannot be relied on";
        self.tally.note(NoteCode::NotChecked, unchecked, text);
    }
}
