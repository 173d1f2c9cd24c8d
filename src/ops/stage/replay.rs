//! `stage --replay`: a recorded stage made again from the facts that its record names, whatever was filed since.

use std::io;

use serde::Serialize;

use super::{Event, Options, Places, Quote, Report, Staged, check, staged, write};
use crate::filter;
use crate::forge::delivery::Delivery;
use crate::format::digest::Digest;
use crate::format::entity::Entity;
use crate::format::source::Quotes;
use crate::format::stage_facts::{Delivered, StageFacts};
use crate::format::stage_record::{NotAStageRecord, StageRecord};
use crate::format::tree::{MAX_FILE, Tree};
use crate::ops::Error;
use crate::ops::event::read_event;
use crate::ops::wanted::Wanted;
use crate::store::facts::{ElementFault, Facts};
use crate::store::layout::{OBSERVATIONS, stage_facts_dir, stage_facts_path, stage_record_path};
use crate::store::mem::MemTree;
use crate::store::only::Only;
use crate::store::split::{content, rebuild};

/// How a replay went.
#[derive(Debug, Serialize)]
pub struct Replayed {
    /// The digest that was recorded.
    pub expected: String,
    /// Whether the bytes are those that it names; else exit 1.
    pub same: bool,
}

/// Makes a recorded stage again. What was asked for comes from the record; of the options those count that change no byte, and the
/// credentials. The first list of facts that gives the recorded bytes is taken.
///
/// # Errors
/// `stage-unknown`, `rules-unsupported`, `fact-missing`, `stage-invalid`, `credential-missing`, and those of [`stage`](super::stage);
/// nothing is written then. Other bytes than those recorded are no error: they are written, so that they can be compared, unless a
/// credential was redacted in the stage, which they might show.
pub fn replay(tree: &dyn Tree, index: &Digest, options: &Options<'_>) -> Result<Report, Error> {
    let mut own = None;
    let places = check(options, &mut own)?;
    let record = read_record(tree, index)?;
    let (mut other, mut trouble) = (None, None);
    for path in paths_of_facts(tree, index)? {
        match again(tree, &record, &path, options) {
            Ok(staged) if staged.index == *index => return finish(staged, index, options, places),
            Ok(staged) => other = other.or(Some(staged)),
            Err(error) if error.code() == "credential-missing" => trouble = Some(error),
            Err(error) => trouble = trouble.or(Some(error)),
        }
    }
    match (other, trouble) {
        // Other bytes might show what was redacted then.
        (_, Some(error)) if error.code() == "credential-missing" => Err(error),
        (Some(staged), _) => finish(staged, index, options, places),
        (None, Some(error)) => Err(error),
        (None, None) => {
            Err(Error::new("fact-missing", format!("{index}: no list of the facts of this stage is filed")))
        }
    }
}

/// What the record of a stage gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remade {
    /// Its bytes, from one of its lists of facts.
    Same,
    /// Nothing without the credential that was redacted in it.
    Credential,
    /// Not its bytes.
    Other,
    /// There is no record.
    Unrecorded,
}

/// What the record of a stage gives, without any credential.
pub fn remade(tree: &dyn Tree, index: &Digest) -> Remade {
    let given = read_record(tree, index).and_then(|record| {
        let options = Options::unwritten(&[], &record.profile);
        let mut given = Remade::Other;
        for path in paths_of_facts(tree, index)? {
            match again(tree, &record, &path, &options) {
                Ok(staged) if staged.index == *index => return Ok(Remade::Same),
                Err(error) if error.code() == "credential-missing" => given = Remade::Credential,
                Ok(_) | Err(_) => {}
            }
        }
        Ok(given)
    });
    given.unwrap_or_else(|error| match error.code() {
        "stage-unknown" => Remade::Unrecorded,
        _ => Remade::Other,
    })
}

fn finish(mut staged: Staged, index: &Digest, options: &Options<'_>, places: &Places) -> Result<Report, Error> {
    let same = staged.index == *index;
    staged.report.replay = Some(Replayed { expected: index.to_string(), same });
    if !same {
        let unmet = format!("the stage {index}: the bytes differ, {} was made", staged.index);
        staged.report.unmet.insert(0, unmet);
    }
    write(staged, options, places)
}

fn read_record(tree: &dyn Tree, index: &Digest) -> Result<StageRecord, Error> {
    let path = stage_record_path(index);
    let unknown = || {
        Error::new("stage-unknown", format!("{index}: no stage of this digest is recorded in the store"))
            .hint("stage --record records one; --at names the facts as of a revision")
    };
    let bytes = read(tree, &path)?.ok_or_else(unknown)?;
    let record = StageRecord::from_bytes(&bytes).map_err(|error| match error {
        NotAStageRecord::Rules(_) => Error::new("rules-unsupported", format!("{path}: {error}"))
            .hint("a program that has these rules makes the same bytes again"),
        NotAStageRecord::Format { .. } => Error::new("format-newer", format!("{path}: {error}")),
        _ => invalid(&path, &error),
    })?;
    if record.index == *index { Ok(record) } else { Err(invalid(&path, &format!("it is of {}", record.index))) }
}

fn invalid(path: &str, why: &dyn std::fmt::Display) -> Error {
    Error::new("stage-invalid", format!("{path}: {why}")).hint("git docket verify lists all damage")
}

fn paths_of_facts(tree: &dyn Tree, index: &Digest) -> Result<Vec<String>, Error> {
    let listed = tree.list(&stage_facts_dir(index)).map_err(|error| unread(&stage_facts_dir(index), error))?;
    Ok(listed.into_iter().map(|entry| entry.path).collect())
}

/// The stage that one list of facts gives.
fn again(tree: &dyn Tree, record: &StageRecord, path: &str, options: &Options<'_>) -> Result<Staged, Error> {
    let facts = read_facts(tree, path, record)?;
    are_whole(tree, &facts)?;
    let found = facts.credentials.filter(|credentials| credentials.found);
    if found.is_some_and(|found| (options.credentials.len() as u64) < found.named) {
        return Err(credential_missing(record));
    }
    let only = Only::new(tree, facts.observations.iter().map(|(path, _)| path.as_str()));
    let wanted: Vec<_> =
        record.entities.iter().map(|entity| Wanted { subject: entity.subject(), kind: Some(entity.kind) }).collect();
    let delivery = facts.delivery.map(|delivered| delivery(&only, &facts, &delivered, &wanted)).transpose()?;
    let quotes =
        facts.quotes.iter().map(|(entity, digest)| quoted(tree, entity, digest)).collect::<Result<Vec<_>, _>>()?;
    let quote =
        |entity: &Entity, _, _: &_| Ok(quotes.iter().find(|(of, _)| of == entity).map(|(_, found)| found.clone()));
    let none = MemTree::default();
    let event = facts.delivery.zip(delivery.as_ref()).map(|(delivered, delivery)| Event {
        delivery,
        facts: &none,
        input: delivered.input,
        chosen: delivered.chosen,
    });
    let quote = (!quotes.is_empty()).then_some(&quote as &Quote<'_>);
    let (profile, layout) = (&record.profile, record.layout);
    let options = Options { wanted: &wanted, event, profile, layout, quote, record: None, ..*options };
    let staged = staged(&only, &options)?;
    if staged.index != record.index {
        elements_are_there(&only, &facts)?;
        // Its value is another now, after a rotation say: the one of then would stand in the clear.
        if found.is_some() {
            return Err(credential_missing(record));
        }
    }
    Ok(staged)
}

/// A replay might show what was redacted.
fn credential_missing(record: &StageRecord) -> Error {
    let message = format!("{}: a credential was redacted that was named by its variable", record.index);
    Error::new("credential-missing", message)
        .hint("--redact-env NAME gives the value that it had then, which stands nowhere in the store")
}

/// A list of facts that is what its name says, and is of this record.
fn read_facts(tree: &dyn Tree, path: &str, record: &StageRecord) -> Result<StageFacts, Error> {
    let bytes = read(tree, path)?.unwrap_or_default();
    let facts = StageFacts::from_bytes(&bytes).map_err(|error| invalid(path, &error))?;
    if stage_facts_path(&facts.index, &Digest::of(&bytes)) != path {
        return Err(invalid(path, &"it is not what its name says"));
    }
    let is_of_it = facts.index == record.index && facts.record == Digest::of(&record.to_bytes());
    if is_of_it { Ok(facts) } else { Err(invalid(path, &"it is of another record")) }
}

/// Refuses a list of which an observation is not there, or is another.
fn are_whole(tree: &dyn Tree, facts: &StageFacts) -> Result<(), Error> {
    let mut missing = 0u64;
    let mut first = None;
    for (path, digest) in &facts.observations {
        let path = format!("{OBSERVATIONS}/{path}");
        if read(tree, &path)?.is_none_or(|bytes| Digest::of(&bytes) != *digest) {
            missing += 1;
            first = first.or(Some(path));
        }
    }
    let Some(first) = first else { return Ok(()) };
    let all = facts.observations.len();
    let message =
        format!("{first}: the stage was made of it; {missing} of its {all} observations are not in the store");
    Err(Error::new("fact-missing", message).hint("fetch the branch of facts that has them, and name it with --ref"))
}

/// Names the first element that is not there any more.
fn elements_are_there(tree: &dyn Tree, listed: &StageFacts) -> Result<(), Error> {
    let facts = Facts::new(tree);
    let paths: Vec<_> = listed.observations.iter().map(|(path, _)| format!("{OBSERVATIONS}/{path}")).collect();
    for filed in facts.load(&paths).map_err(|error| unread(OBSERVATIONS, error))? {
        if let Ok(record) = &filed.record
            && let Err(ElementFault::Missing(element)) = content(&facts, record)
        {
            let message = format!("the element {element}, which {} names, is not in the store any more", filed.path);
            return Err(Error::new("fact-missing", message));
        }
    }
    Ok(())
}

/// The delivery, put together again from the observations that are made of it.
fn delivery(tree: &dyn Tree, listed: &StageFacts, delivered: &Delivered, wanted: &[Wanted]) -> Result<Delivery, Error> {
    let facts = Facts::new(tree);
    let paths: Vec<_> = listed.observations.iter().map(|(path, _)| format!("{OBSERVATIONS}/{path}")).collect();
    let filed = facts.load(&paths).map_err(|error| unread(OBSERVATIONS, error))?;
    let records = filed.iter().filter_map(|filed| filed.record.as_ref().ok());
    let input = records.flat_map(|record| record.inputs()).find(|input| input.digest == delivered.input);
    let gone = |why: String| Error::new("fact-missing", format!("the delivery {}: {why}", delivered.input));
    let input = input.ok_or_else(|| gone("no observation is made of it".to_owned()))?;
    let bytes = rebuild(&facts, input).map_err(|fault| gone(fault.to_string()))?;
    let chosen = wanted.first().filter(|_| delivered.chosen).map(|one| (&one.subject, one.kind));
    read_event(&bytes, &delivered.input.to_string(), chosen)
}

fn quoted(tree: &dyn Tree, entity: &Entity, digest: &Digest) -> Result<(Entity, Quotes), Error> {
    let bytes = Facts::new(tree).element(digest).map_err(|fault| match fault {
        ElementFault::Missing(_) => Error::new("fact-missing", format!("what was quoted for {entity}: {fault}")),
        fault => fault.into(),
    })?;
    let quotes = Quotes::from_bytes(&bytes, &filter::classes());
    quotes.map(|quotes| (entity.clone(), quotes)).ok_or_else(|| invalid(&digest.to_string(), &"it holds no quotes"))
}

fn read(tree: &dyn Tree, path: &str) -> Result<Option<Vec<u8>>, Error> {
    tree.read(path, MAX_FILE).map_err(|error| unread(path, error))
}

fn unread(path: &str, error: io::Error) -> Error {
    Error::from(error).about(path)
}
