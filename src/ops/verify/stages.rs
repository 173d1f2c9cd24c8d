//! Recorded stages: each list of facts is named by its own bytes, and says which record and observations there must be.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::cause::{self, Wanted};
use super::elements::Elements;
use super::list;
use super::looks::Looks;
use super::report::{Code, Finding};
use super::store::{list_folder, not_regular, read_record, stray};
use crate::format::digest::Digest;
use crate::format::stage_facts::StageFacts;
use crate::format::stage_record::{NotAStageRecord, StageRecord};
use crate::format::tree::{FileKind, Tree, TreeEntry};
use crate::ops::Error;
use crate::store::layout::{MAX_RECORD, OBSERVATIONS, STAGES, stage_record_path};

/// What a name below `stages/` is of.
enum Name {
    /// The record of the stage with this index.
    Record(Digest),
    /// A list of facts for it, and the digits of its own digest.
    Facts(Digest, String),
}

fn name(path: &str) -> Option<Name> {
    let below = path.strip_prefix(STAGES)?.strip_prefix('/')?.strip_suffix(".json")?;
    match below.split_once('/') {
        None => Digest::from_hex(below).map(Name::Record),
        Some((index, digits)) => {
            let is_hex = digits.len() == 32 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            Digest::from_hex(index).filter(|_| is_hex).map(|index| Name::Facts(index, digits.to_owned()))
        }
    }
}

/// Checks what stands in `stages/`.
pub(super) fn check(tree: &dyn Tree, elements: &Elements) -> Result<Looks, Error> {
    let mut looks = Looks::default();
    let mut records = BTreeMap::new();
    let mut lists: BTreeMap<Digest, Vec<StageFacts>> = BTreeMap::new();
    for entry in list_folder(tree, STAGES)? {
        match name(&entry.path) {
            None => stray(&entry, &mut looks.tally),
            Some(_) if entry.kind != FileKind::File => not_regular(&entry, &mut looks.tally),
            Some(Name::Record(index)) => {
                records.extend(read(tree, &entry, &mut looks).map(|bytes| (index, bytes)));
            }
            Some(Name::Facts(index, digits)) => {
                let facts = read(tree, &entry, &mut looks).map(|bytes| facts(&entry.path, &index, &digits, &bytes));
                // One that is damaged is a list all the same: the record is not said to have none.
                let listed = lists.entry(index).or_default();
                match facts {
                    Some(Ok(facts)) => {
                        facts.quotes.iter().for_each(|(_, quoted)| looks.name(elements, quoted, &entry.path));
                        listed.push(facts);
                    }
                    Some(Err(finding)) => looks.tally.find(finding),
                    None => {}
                }
            }
        }
    }
    for (index, bytes) in &records {
        looks.tally.findings.extend(bad_record(index, bytes, lists.get(index).map(Vec::as_slice)));
    }
    // A store has thousands of directories: without a list nothing is looked for in them once more.
    if !lists.is_empty() {
        missing(tree, lists.values().flatten(), &mut looks)?;
    }
    Ok(looks)
}

fn read(tree: &dyn Tree, entry: &TreeEntry, looks: &mut Looks) -> Option<Vec<u8>> {
    read_record(tree, &entry.path, MAX_RECORD, Code::StageInvalid, &mut looks.tally)
}

/// A list of facts, when its bytes are those that its name says and it lies where it says.
fn facts(path: &str, index: &Digest, digits: &str, bytes: &[u8]) -> Result<StageFacts, Finding> {
    let invalid = || Finding::new(Code::StageInvalid, path);
    let is_named = |digest: &Digest| digest.hex_digits().starts_with(digits.as_bytes());
    let digest = Digest::of(bytes);
    if !is_named(&digest) {
        let (cause, _) = cause::find(bytes, &Wanted { digest: &is_named, bytes: None });
        return Err(invalid().expected(format!("sha256:{digits}…")).actual(digest).cause(cause));
    }
    let facts = StageFacts::from_bytes(bytes).map_err(|trouble| invalid().actual(trouble))?;
    if facts.index == *index { Ok(facts) } else { Err(invalid().expected(index).actual(facts.index)) }
}

/// What is wrong with a record, given the lists of facts for it.
fn bad_record(index: &Digest, bytes: &[u8], lists: Option<&[StageFacts]>) -> Option<Finding> {
    let invalid = || Finding::new(Code::StageInvalid, stage_record_path(index));
    let Some(lists) = lists else { return Some(invalid().actual("a record without a list of facts")) };
    let named: BTreeSet<Digest> = lists.iter().map(|facts| facts.record).collect();
    let digest = Digest::of(bytes);
    if let Some(expected) = named.iter().find(|named| **named != digest) {
        let (cause, _) = cause::find(bytes, &Wanted { digest: &|digest| named.contains(digest), bytes: None });
        return Some(invalid().expected(expected).actual(digest).cause(cause));
    }
    match StageRecord::from_bytes(bytes) {
        Ok(record) if record.index != *index => Some(invalid().expected(index).actual(record.index)),
        // Those of another version are for who has its rules.
        Ok(_) | Err(NotAStageRecord::Rules(_)) => None,
        Err(trouble) => Some(invalid().actual(trouble)),
    }
}

/// Finds the observations that lists name and that are not there.
fn missing<'f>(tree: &dyn Tree, lists: impl Iterator<Item = &'f StageFacts>, looks: &mut Looks) -> Result<(), Error> {
    let there: HashSet<String> = list(tree, OBSERVATIONS)?.into_iter().map(|entry| entry.path).collect();
    let mut lacking: BTreeMap<String, &Digest> = BTreeMap::new();
    for facts in lists {
        for (path, _) in &facts.observations {
            let path = format!("{OBSERVATIONS}/{path}");
            if !there.contains(&path) {
                lacking.entry(path).or_insert(&facts.index);
            }
        }
    }
    for (path, index) in lacking {
        let by = format!("named by the stage {index}");
        looks.tally.find(Finding::new(Code::FactMissing, path).expected(by));
    }
    Ok(())
}
