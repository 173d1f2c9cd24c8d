//! Deriving a tree again from facts, to be compared with the one that is there: `verify --rebuild`.

use std::collections::BTreeMap;

use super::Error;
use super::place::Place;
use super::snapshot::derived_files;
use super::stage::{Options, Remade, remade, staged_files};
use super::trailer::{FACTS_TRAILER, SCOPE_TRAILER, SNAPSHOT_TRAILER, UNCOMMITTED, trailer, trailers};
use super::verify::{Report, derive_again};
use super::wanted::Wanted;
use crate::format::digest::Digest;
use crate::format::header;
use crate::format::index::{self, Index, Node};
use crate::format::json::Object;
use crate::format::profile::Profile;
use crate::format::source::REFERENCES;
use crate::format::tree::{MAX_FILE, Tree};
use crate::format::upstream;
use crate::git::Commit;

/// Derives what a tree should be, and adds to the report what differs: what the observations of a store claim and its snapshot, a snapshot of the facts that its
/// commit names (else of the store as it is), a stage of the facts that its record names, else of one entity with the profile that its index carries. A snapshot or stage that is
/// whole and another than the facts give is one finding; a damaged tree has its findings already. A snapshot is compared in its scopes, which its commit tells, or the one
/// that is `checked_out` where it lies.
///
/// # Errors
/// `rebuild-unsupported` for a tree that does not say what it was derived from, and those of the store.
pub fn rebuild(
    tree: &dyn Tree,
    commit: Option<&Commit>,
    checked_out: Option<&Commit>,
    place: &dyn Fn() -> Result<Place, Error>,
    snapshot_branch: &str,
    report: &mut Report,
) -> Result<(), Error> {
    if read(tree, header::PATH)?.is_some() {
        let again = derive_again(tree, report)?;
        report.add(again);
        // Nothing is derived from a damaged store.
        if !report.verified {
            return Ok(());
        }
        return tip(tree, &place()?, snapshot_branch, report);
    }
    let bytes = read(tree, index::NAME)?.ok_or_else(unsupported)?;
    if upstream::is_index(&bytes) {
        return rebuild_upstream(&Digest::of(&bytes), place, report);
    }
    // What cannot be read is a finding of the check before.
    let Ok(index) = Index::from_bytes(&bytes) else { return Ok(()) };
    if !holds(&bytes, &format!(r#""rules":"{}""#, index::RULES)) {
        return Err(Error::new("rules-unsupported", "the tree was derived by rules that this program does not have"));
    }
    let facts = match commit.and_then(|commit| trailer(&commit.message, FACTS_TRAILER)) {
        Some(UNCOMMITTED) => {
            return Err(Error::new("facts-unknown", "the facts of this snapshot were not committed")
                .hint("observe --commit commits them; without --at the facts of the store are compared"));
        }
        Some(revision) => place()?.facts_of(revision, snapshot_branch)?,
        None => place()?.facts()?,
    };
    let is_snapshot = index.is_of_snapshot();
    // Whatever was filed since, the record of a stage names the facts that it was made of.
    if report.verified && !is_snapshot && remade(facts.as_ref(), &Digest::of(&bytes)) == Remade::Same {
        return Ok(());
    }
    match &index.node {
        // Quotes come from a work tree, which no facts tell.
        Node::Entity { .. } if index.entries.iter().any(|entry| entry.path == REFERENCES) => return Err(unsupported()),
        // The values of credentials are known to whoever staged, and stand nowhere.
        Node::Entity { .. } if holds(&bytes, r#""code":"exact-credential""#) => return Err(redacted()),
        Node::Entity { members } if members.contains("profile") => {
            let (expected, actual) = (staged(facts.as_ref(), members)?, Digest::of(&bytes));
            if report.verified && actual != expected {
                report.stale_stage(expected, actual);
            }
        }
        Node::Directory if is_snapshot => {
            snapshot(tree, facts.as_ref(), &Digest::of(&bytes), [commit, checked_out], report)?;
        }
        _ => return Err(unsupported()),
    }
    Ok(())
}

/// The other layout has no place for a profile, so that only a record says what its stage was made of.
fn rebuild_upstream(index: &Digest, place: &dyn Fn() -> Result<Place, Error>, report: &Report) -> Result<(), Error> {
    let given = match place().and_then(|place| place.facts()) {
        Ok(facts) => remade(facts.as_ref(), index),
        Err(error) if error.code() == "store-missing" => Remade::Unrecorded,
        Err(error) => return Err(error),
    };
    // A damaged tree has its findings already.
    match given {
        _ if !report.verified => Ok(()),
        Remade::Same => Ok(()),
        Remade::Credential => Err(redacted()),
        Remade::Other => Err(unsupported().hint("stage --replay says what its record does not give again")),
        Remade::Unrecorded => Err(unrecorded()),
    }
}

/// Compares a snapshot with its facts, or with those of now where the commit that it was named by names none. What is checked out tells its
/// scopes too, if it is that snapshot.
fn snapshot(
    tree: &dyn Tree,
    facts: &dyn Tree,
    id: &Digest,
    [named, checked_out]: [Option<&Commit>; 2],
    report: &mut Report,
) -> Result<(), Error> {
    if !report.verified {
        return Ok(());
    }
    let id = id.to_string();
    let named = named.filter(|commit| trailer(&commit.message, FACTS_TRAILER).is_some());
    let is_own = |commit: &&Commit| trailer(&commit.message, SNAPSHOT_TRAILER) == Some(id.as_str());
    if let Some([expected, actual]) = stale(tree, facts, named.or(checked_out.filter(is_own)))? {
        report.stale_snapshot(index::NAME, expected, actual, named.is_none().then(|| MOVED.to_owned()));
    }
    Ok(())
}

/// What is said of a snapshot that was compared with the facts of now.
const MOVED: &str = "the snapshot is whole, and the facts of now give another one: verify --at REV --rebuild compares one that was \
    committed with the facts that it was made of";

/// Compares the tip of the snapshot branch with the facts of now.
fn tip(facts: &dyn Tree, place: &Place, branch: &str, report: &mut Report) -> Result<(), Error> {
    let repo = place.needed_repo()?;
    let Some(tip) = repo.find_branch(branch)? else { return Ok(()) };
    let commit = repo.commit(tip.id)?;
    let tree = repo.tree(&commit, "")?;
    let made_by = Some(&commit).filter(|commit| trailer(&commit.message, FACTS_TRAILER).is_some());
    let Some([expected, actual]) = stale(&tree, facts, made_by)? else { return Ok(()) };
    let moved = match trailer(&commit.message, FACTS_TRAILER).filter(|facts| *facts != UNCOMMITTED) {
        None => Some(MOVED.to_owned()),
        Some(then) => match place.facts_of(then, branch) {
            Ok(own) => stale(&tree, own.as_ref(), made_by)?.is_none().then(|| {
                format!("the snapshot is what the facts of commit {then} give, and facts were filed since: snapshot --commit makes a new one")
            }),
            Err(_) => Some(MOVED.to_owned()),
        },
    };
    report.stale_snapshot(branch, expected, actual, moved);
    Ok(())
}

/// The digests of the root index that facts give and that a snapshot has, where these differ. The commit that it was made by tells its
/// scopes.
///
/// # Errors
/// `rebuild-unsupported` for one without such a commit that only lacks entities: its scope may have left them out.
fn stale(tree: &dyn Tree, facts: &dyn Tree, made_by: Option<&Commit>) -> Result<Option<[Option<Digest>; 2]>, Error> {
    let scopes = made_by.map(|commit| trailers(&commit.message, SCOPE_TRAILER).map(str::to_owned).collect());
    let scopes: Option<Vec<_>> = scopes;
    let files = derived_files(facts, scopes.as_deref().unwrap_or_default())?;
    let expected = files.get(index::NAME).map(|bytes| Digest::of(bytes));
    let actual = read(tree, index::NAME)?.map(|bytes| Digest::of(&bytes));
    if actual == expected {
        return Ok(None);
    }
    match left_out(tree, &files)? {
        Some(count) if scopes.is_none() => Err(Error::new(
            "rebuild-unsupported",
            format!(
                "the snapshot lacks {count} entities of the facts, and does not say whether its scope left them out"
            ),
        )
        .hint("verify --at REV --rebuild: the commit of a snapshot names its scope")),
        _ => Ok(Some([expected, actual])),
    }
}

/// How many entities a snapshot lacks, where it has all others as they were derived and no more.
fn left_out(tree: &dyn Tree, files: &BTreeMap<String, Vec<u8>>) -> Result<Option<usize>, Error> {
    let listed = tree.list("").map_err(Error::from)?;
    let entities = |path: &str| path.strip_suffix("/entity.json").map(|dir| format!("{dir}/{}", index::NAME));
    let there: Vec<_> = listed.iter().filter_map(|entry| entities(&entry.path)).collect();
    for path in &there {
        if read(tree, path)?.as_ref() != files.get(path) {
            return Ok(None);
        }
    }
    let derived = files.keys().filter_map(|path| entities(path)).count();
    Ok(derived.checked_sub(there.len()).filter(|count| *count > 0))
}

/// The digest of the stage of the entity that an index names, with the profile that it carries.
fn staged(facts: &dyn Tree, members: &Object<'_>) -> Result<Digest, Error> {
    // A delivery that set off a stage need not be among the facts.
    let profile = members.get("profile").filter(|_| !members.contains("event")).ok_or_else(unsupported)?;
    let profile = Profile::from_json(profile).map_err(|error| Error::new("rules-unsupported", error.to_string()))?;
    let entity = index::entity_of(members).ok_or_else(unsupported)?;
    let wanted = [Wanted { subject: entity.subject(), kind: None }];
    let (files, _) = staged_files(facts, &Options::unwritten(&wanted, &profile))?;
    files.get(index::NAME).map(|bytes| Digest::of(bytes)).ok_or_else(unsupported)
}

/// Whether a member stands in canonical JSON. In a string its quotes would be escaped.
fn holds(index: &[u8], member: &str) -> bool {
    memchr::memmem::find(index, member.as_bytes()).is_some()
}

fn unsupported() -> Error {
    Error::new("rebuild-unsupported", "the tree does not say what it was derived from")
        .hint("--rebuild works on a store, a snapshot, and a stage of one entity")
}

fn redacted() -> Error {
    unsupported().hint("the stage was made with --redact-env")
}

fn unrecorded() -> Error {
    unsupported().hint("the upstream layout has no place for the profile of a stage: stage --record files it")
}

fn read(tree: &dyn Tree, path: &str) -> Result<Option<Vec<u8>>, Error> {
    tree.read(path, MAX_FILE).map_err(|error| Error::from(error).about(path))
}
