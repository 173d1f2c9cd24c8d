//! Down both trees at once, only where they differ.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::change::{Change, Kind};
use super::entity;
use super::pair::member;
use super::side::{Side, read_index};
use crate::format::digest::Digest;
use crate::format::index::{self, Entry, Index, Node, Role};
use crate::format::json::Json;
use crate::format::tree::Tree;
use crate::ops::Error;

/// Deeper directories are not walked: a path has at most 180 characters, and ours have eight levels.
const MAX_DEPTH: usize = 64;

/// All changes.
pub(super) fn changes(a: &dyn Tree, b: &dyn Tree, texts: bool) -> Result<Vec<Change>, Error> {
    let walk = Walk { a, b, texts };
    let (root_a, root_b) = (root(a, "first")?, root(b, "second")?);
    if root_a.to_bytes() == root_b.to_bytes() {
        return Ok(Vec::new());
    }
    let mut found = walk.both("", root_a, root_b)?;
    for depth in 0.. {
        let level = std::mem::take(&mut found.open);
        if level.is_empty() {
            break;
        }
        if depth == MAX_DEPTH {
            return Err(Error::new("index-invalid", format!("{} lies too deep", level[0].dir)));
        }
        let parts = level.par_iter().map(|open| walk.step(open)).collect::<Result<Vec<_>, Error>>()?;
        found = parts.into_iter().fold(found, Found::plus);
    }
    let mut changes = walk.settle(&mut found)?;
    changes.append(&mut found.changes);
    if changes.is_empty() {
        changes.push(bytes_changed(index::NAME.to_owned(), None, None));
    }
    Ok(changes)
}

fn root(tree: &dyn Tree, which: &str) -> Result<Index, Error> {
    read_index(tree, "", None)?.ok_or_else(|| {
        Error::new("diff-nothing", format!("the {which} tree has no index.json"))
            .hint("compare snapshots, stages or parts of them")
    })
}

struct Walk<'t> {
    a: &'t dyn Tree,
    b: &'t dyn Tree,
    texts: bool,
}

/// A directory whose index differs, or that only one tree has.
struct Open {
    /// The directory, ended by `/`.
    dir: String,
    a: Option<Digest>,
    b: Option<Digest>,
}

/// An entity that stands only in one tree at its place.
struct Alone {
    id: String,
    dir: String,
    digest: Option<Digest>,
}

#[derive(Default)]
struct Found {
    changes: Vec<Change>,
    open: Vec<Open>,
    only_a: Vec<Alone>,
    only_b: Vec<Alone>,
}

impl Found {
    fn plus(mut self, mut other: Self) -> Self {
        self.changes.append(&mut other.changes);
        self.open.append(&mut other.open);
        self.only_a.append(&mut other.only_a);
        self.only_b.append(&mut other.only_b);
        self
    }
}

impl Walk<'_> {
    fn step(&self, open: &Open) -> Result<Found, Error> {
        let read = |tree, digest: &Option<Digest>| match digest {
            None => Ok(None),
            Some(digest) => read_index(tree, &open.dir, Some(digest))?.map(Some).ok_or_else(|| {
                Error::new("tree-damaged", format!("{}index.json is missing", open.dir))
                    .hint("git docket verify says more")
            }),
        };
        match (read(self.a, &open.a)?, read(self.b, &open.b)?) {
            (Some(a), Some(b)) => self.both(&open.dir, a, b),
            (Some(a), None) => Ok(one(&open.dir, a, open.a, true)),
            (None, Some(b)) => Ok(one(&open.dir, b, open.b, false)),
            (None, None) => Ok(Found::default()),
        }
    }

    /// Two indexes of one place.
    fn both(&self, dir: &str, a: Index, b: Index) -> Result<Found, Error> {
        let same = |a: &Index, b: &Index| match (&a.node, &b.node) {
            (Node::Directory, Node::Directory) => true,
            (Node::Entity { members: a }, Node::Entity { members: b }) => index::entity_of(a) == index::entity_of(b),
            _ => false,
        };
        if !same(&a, &b) {
            let digest = |index: &Index| Some(Digest::of(&index.to_bytes()));
            let (digest_a, digest_b) = (digest(&a), digest(&b));
            return Ok(one(dir, a, digest_a, true).plus(one(dir, b, digest_b, false)));
        }
        if matches!(b.node, Node::Entity { .. }) {
            let (a, b) = (Side::new(self.a, dir, a), Side::new(self.b, dir, b));
            return Ok(Found { changes: entity(a, b, self.texts)?, ..Found::default() });
        }
        let mut paths: BTreeMap<&str, (Option<&Entry>, Option<&Entry>)> = BTreeMap::new();
        a.entries.iter().for_each(|entry| paths.entry(&entry.path).or_default().0 = Some(entry));
        b.entries.iter().for_each(|entry| paths.entry(&entry.path).or_default().1 = Some(entry));
        let mut found = Found::default();
        for (path, (a, b)) in paths {
            if a.map(|entry| entry.sha256) != b.map(|entry| entry.sha256) {
                found.differs(dir, path, a, b);
            }
        }
        Ok(found)
    }

    /// Entities that stand alone at their place: the same one may stand elsewhere in the other tree.
    fn settle(&self, found: &mut Found) -> Result<Vec<Change>, Error> {
        let mut rest: BTreeMap<String, Vec<Alone>> = BTreeMap::new();
        for alone in std::mem::take(&mut found.only_b) {
            rest.entry(alone.id.clone()).or_default().push(alone);
        }
        let first = std::mem::take(&mut found.only_a).into_iter();
        let mut pairs: Vec<(Option<Alone>, Option<Alone>)> =
            first.map(|a| (rest.get_mut(&a.id).and_then(Vec::pop), a)).map(|(b, a)| (Some(a), b)).collect();
        pairs.extend(rest.into_values().flatten().map(|b| (None, Some(b))));
        let one = |pair: &(Option<Alone>, Option<Alone>)| match pair {
            (Some(a), Some(b)) if a.digest == b.digest => Ok(Vec::new()),
            (Some(a), Some(b)) => entity(self.load(self.a, a)?, self.load(self.b, b)?, self.texts),
            (Some(a), None) => Ok(vec![alone(Kind::EntityRemoved, a, &self.load(self.a, a)?)?]),
            (None, Some(b)) => Ok(vec![alone(Kind::EntityAdded, b, &self.load(self.b, b)?)?]),
            (None, None) => Ok(Vec::new()),
        };
        let changes = pairs.par_iter().map(one).collect::<Result<Vec<_>, Error>>()?;
        Ok(changes.into_iter().flatten().collect())
    }

    fn load<'t>(&self, tree: &'t dyn Tree, alone: &Alone) -> Result<Side<'t>, Error> {
        let index = read_index(tree, &alone.dir, alone.digest.as_ref())?;
        let gone = || Error::new("tree-damaged", format!("{}index.json is missing", alone.dir));
        Ok(Side::new(tree, &alone.dir, index.ok_or_else(gone)?))
    }
}

impl Found {
    /// An entry of a directory that differs.
    fn differs(&mut self, dir: &str, path: &str, a: Option<&Entry>, b: Option<&Entry>) {
        // What the page above several entities says, they say themselves.
        if [a, b].into_iter().flatten().all(|entry| entry.role == Role::Summary) {
            return;
        }
        let child = |entry: Option<&Entry>| entry.filter(|entry| entry.role == Role::Index).map(|entry| entry.sha256);
        match (child(a), child(b), path.strip_suffix(index::NAME)) {
            (None, None, _) | (_, _, None) => {
                let digest = |entry: Option<&Entry>| entry.map(|entry| entry.sha256);
                self.changes.push(bytes_changed(format!("{dir}{path}"), digest(a), digest(b)));
            }
            (a, b, Some(child)) => self.open.push(Open { dir: format!("{dir}{child}"), a, b }),
        }
    }
}

/// An index that only one tree has at its place.
fn one(dir: &str, index: Index, digest: Option<Digest>, first: bool) -> Found {
    let mut found = Found::default();
    match &index.node {
        Node::Entity { members } => {
            let id = index::entity_of(members)
                .map_or_else(|| dir.trim_end_matches('/').to_owned(), |entity| entity.to_string());
            let list = if first { &mut found.only_a } else { &mut found.only_b };
            list.push(Alone { id, dir: dir.to_owned(), digest });
        }
        Node::Directory => {
            for entry in &index.entries {
                let (a, b) = if first { (Some(entry), None) } else { (None, Some(entry)) };
                found.differs(dir, &entry.path, a, b);
            }
        }
    }
    found
}

/// An entity that only one tree has, with its title and state.
fn alone(kind: Kind, alone: &Alone, side: &Side<'_>) -> Result<Change, Error> {
    let json = side.json(Role::Entity)?.unwrap_or(Json::Null);
    let mut shown = Map::new();
    for name in ["title", "state"] {
        if json.get(name).is_some() {
            shown.insert(name.to_owned(), member(&json, name));
        }
    }
    let shown = Value::Object(shown);
    let (before, after) = if kind == Kind::EntityAdded { (Value::Null, shown) } else { (shown, Value::Null) };
    let path = side.path(index::NAME);
    Ok(Change { change: kind, entity: Some(alone.id.clone()), facet: None, id: None, path, before, after, text: None })
}

/// A file whose change has no better name.
pub(super) fn bytes_changed(path: String, before: Option<Digest>, after: Option<Digest>) -> Change {
    let shown = |digest: Option<Digest>| digest.map_or(Value::Null, |digest| Value::from(digest.to_string()));
    let (before, after) = (shown(before), shown(after));
    Change { change: Kind::FileBytesChanged, entity: None, facet: None, id: None, path, before, after, text: None }
}
