//! `stage --record`: what a stage was made of, and the facts themselves where the store does not have them.

use std::collections::BTreeMap;

use super::{Options, Staged};
use crate::format::digest::Digest;
use crate::format::stage_facts::{Credentials, Delivered, StageFacts};
use crate::format::stage_record::StageRecord;
use crate::format::time::Time;
use crate::format::tree::{MAX_FILE, Tree};
use crate::ops::Error;
use crate::ops::filing::{Layer, file};
use crate::ops::place::Place;
use crate::store::layout::{OBJECTS, OBSERVATIONS, element_path, stage_facts_path, stage_record_path};

/// Where a stage is recorded.
#[derive(Clone, Copy)]
pub struct Record<'o> {
    /// The store.
    pub place: &'o Place,
    /// The time of a commit, where the store is a branch.
    pub now: Time,
    /// Facts that the store need not have: those of payload files or of a delivery. They are filed as `observe` files them.
    pub facts: &'o [&'o dyn Tree],
}

/// The class of a credential that was known by its value.
pub(super) const CREDENTIAL: &str = "exact-credential";

/// Files the record; gives its path.
pub(super) fn record(to: &Record<'_>, options: &Options<'_>, staged: &Staged) -> Result<String, Error> {
    let mut elements = new_files(to.facts, OBJECTS)?;
    let observations = new_files(to.facts, OBSERVATIONS)?;
    are_there(to.place, &observations, &staged.used)?;
    let mut quotes = Vec::new();
    for (entity, quoted) in &staged.quotes {
        let bytes = quoted.to_bytes();
        let digest = Digest::of(&bytes);
        elements.insert(element_path(&digest), bytes);
        quotes.push((entity.clone(), digest));
    }
    let index = staged.index;
    let found = staged.report.findings.iter().any(|finding| finding.code == CREDENTIAL);
    let named = options.credentials.len() as u64;
    let (entities, profile) = (staged.asked.clone(), options.profile.clone());
    let record = StageRecord { index, entities, profile, layout: options.layout }.to_bytes();
    let facts = StageFacts {
        index,
        record: Digest::of(&record),
        observations: staged.used.clone().into_iter().collect(),
        delivery: options.event.map(|event| Delivered { input: event.input, chosen: event.chosen }),
        quotes,
        credentials: (named > 0).then_some(Credentials { named, found }),
    };
    let facts = facts.to_bytes();
    let facts = Layer::from([(stage_facts_path(&index, &Digest::of(&facts)), facts)]);
    let path = stage_record_path(&index);
    let record = Layer::from([(path.clone(), record)]);
    let message = format!("Record the stage {index}\n");
    file(to.place, vec![elements, observations, facts, record], to.now, &message, options.steps)?;
    Ok(path)
}

/// The files of trees below a directory.
fn new_files(trees: &[&dyn Tree], dir: &str) -> Result<Layer, Error> {
    let mut files = Layer::new();
    for tree in trees {
        for entry in tree.list(dir)? {
            if let Some(bytes) = tree.read(&entry.path, MAX_FILE)? {
                files.insert(entry.path, bytes);
            }
        }
    }
    Ok(files)
}

/// Refuses a record of facts that the store does not have: they were read from another revision.
fn are_there(place: &Place, new: &Layer, used: &BTreeMap<String, Digest>) -> Result<(), Error> {
    let facts = place.facts()?;
    for path in used.keys().map(|path| format!("{OBSERVATIONS}/{path}")) {
        let there = new.contains_key(&path) || {
            let read = facts.read(&path, MAX_FILE);
            read.map_err(|error| Error::from(error).about(&path))?.is_some()
        };
        if !there {
            let message = format!("{path}: the stage is made of it, and the store does not have it now");
            return Err(Error::new("fact-missing", message).hint("--ref names the branch that has the facts"));
        }
    }
    Ok(())
}
