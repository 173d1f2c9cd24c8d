//! From facts to the trees of entities, and the indexes above them.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::format::header;
use crate::ops::Error;
use crate::render::{self, Beside, Mode};
use crate::store::facts::Facts;

use super::scope::in_scope;

/// How many entities are derived at once: enough for all cores, few enough for memory.
const BATCH: usize = 128;

/// One derived entity.
pub(super) struct Derived {
    pub dir: String,
    pub files: BTreeMap<String, Vec<u8>>,
    pub index: Vec<u8>,
}

/// Derives every entity of the scopes, in the order of subjects, some at a time.
pub(super) fn derive(
    facts: &Facts<'_>,
    scopes: &[String],
    mut take: impl FnMut(Derived) -> Result<(), Error>,
) -> Result<(), Error> {
    let subjects = facts.subjects()?;
    for batch in subjects.chunks(BATCH) {
        let derived =
            batch.par_iter().map(|(_, paths)| derive_one(facts, scopes, paths)).collect::<Result<Vec<_>, _>>()?;
        derived.into_iter().flatten().try_for_each(&mut take)?;
    }
    Ok(())
}

fn derive_one(facts: &Facts<'_>, scopes: &[String], paths: &[String]) -> Result<Option<Derived>, Error> {
    let filed = facts.load(paths)?;
    let Some(state) = crate::ops::load::state(facts, filed)? else { return Ok(None) };
    let entity = state.entity();
    if !in_scope(&entity, scopes) {
        return Ok(None);
    }
    let rendered = render::entity(&state, Mode::Snapshot)?;
    Ok(Some(Derived { dir: entity.dir(), files: rendered.files, index: rendered.index }))
}

/// The `index.json` of every directory from the shards up, and that of the root.
pub(super) fn directories(entities: Vec<(String, Vec<u8>)>) -> (BTreeMap<String, Vec<u8>>, Vec<u8>) {
    let mut levels: BTreeMap<usize, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
    for (dir, index) in entities {
        levels.entry(dir.matches('/').count() + 1).or_default().insert(dir, index);
    }
    let mut made = BTreeMap::new();
    while let Some((depth, nodes)) = levels.pop_last() {
        let mut parents: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
        for (dir, index) in nodes {
            let (parent, name) = dir.rsplit_once('/').unwrap_or(("", &dir));
            parents.entry(parent.to_owned()).or_default().push((name.to_owned(), index));
        }
        if depth == 1 {
            return (made, root_index(parents.remove("").unwrap_or_default()));
        }
        for (dir, children) in parents {
            let index = render::children_index(&children, Beside::Nothing);
            made.insert(format!("{dir}/index.json"), index.clone());
            levels.entry(depth - 1).or_default().insert(dir, index);
        }
    }
    (made, root_index(Vec::new()))
}

fn root_index(children: Vec<(String, Vec<u8>)>) -> Vec<u8> {
    render::children_index(&children, Beside::Attributes(header::ATTRIBUTES.as_bytes()))
}

/// The files of a snapshot that belong to no entity's own list, and the entities' indexes.
pub(super) fn whole(entities: Vec<(String, Vec<u8>)>) -> BTreeMap<String, Vec<u8>> {
    let own: Vec<_> = entities.iter().map(|(dir, index)| (format!("{dir}/index.json"), index.clone())).collect();
    let (mut files, root) = directories(entities);
    files.extend(own);
    files.insert("index.json".into(), root);
    files.insert(".gitattributes".into(), header::ATTRIBUTES.as_bytes().to_vec());
    files
}
