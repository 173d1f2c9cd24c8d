//! One entity in both trees: where changes are collected, and what is left over gets a name.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::change::{Change, Kind, Texts};
use super::side::Side;
use crate::format::index::{Entry, Role};
use crate::format::json::{Json, Object};
use crate::ops::Error;

/// Both sides, and what was said about them.
pub(super) struct Pair<'t> {
    pub a: Side<'t>,
    pub b: Side<'t>,
    entity: String,
    texts: bool,
    changes: Vec<Change>,
    /// Said only when nothing said so far makes it a matter of course.
    consequences: Vec<(Change, Unless)>,
    /// Files whose difference something said explains.
    /// Facet and id of items of which something was said with another.
    covered: Vec<(String, String)>,
    explained: BTreeSet<String>,
}

/// What makes a change a matter of course.
#[derive(Clone, Copy)]
pub(super) enum Unless {
    /// Anything that was said of the entity.
    Anything,
    /// Something that was said of a facet.
    Facet(&'static str),
    /// A change of one of these kinds.
    Kinds(&'static [Kind]),
}

impl Unless {
    fn covers(self, said: &Change) -> bool {
        match self {
            Self::Anything => true,
            Self::Facet(facet) => said.facet.as_deref() == Some(facet),
            Self::Kinds(kinds) => kinds.contains(&said.change),
        }
    }
}

/// The rest of a change.
pub(super) struct About<'s> {
    pub facet: &'s str,
    pub id: Option<String>,
    pub path: String,
    pub before: Value,
    pub after: Value,
}

impl<'t> Pair<'t> {
    /// Two sides of one entity. With `texts`, changes of text carry both texts.
    pub fn new(a: Side<'t>, b: Side<'t>, texts: bool) -> Self {
        let entity = b.entity();
        Self {
            a,
            b,
            entity,
            texts,
            changes: Vec::new(),
            consequences: Vec::new(),
            covered: Vec::new(),
            explained: BTreeSet::new(),
        }
    }

    fn change(&self, kind: Kind, about: About<'_>) -> Change {
        Change {
            change: kind,
            entity: Some(self.entity.clone()),
            facet: (!about.facet.is_empty()).then(|| about.facet.to_owned()),
            id: about.id,
            path: about.path,
            before: about.before,
            after: about.after,
            text: None,
        }
    }

    /// Says a change.
    pub fn say(&mut self, kind: Kind, about: About<'_>) {
        let change = self.change(kind, about);
        self.changes.push(change);
    }

    /// Says a change of text.
    pub fn say_text(
        &mut self,
        kind: Kind,
        about: About<'_>,
        files: (Option<&Entry>, Option<&Entry>),
    ) -> Result<(), Error> {
        let mut change = self.change(kind, about);
        if self.texts {
            let text = |side: &Side<'_>, entry: Option<&Entry>| {
                let bytes = entry.map(|entry| side.read(entry)).transpose()?;
                Ok::<_, Error>(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
            };
            change.text = Some(Texts { before: text(&self.a, files.0)?, after: text(&self.b, files.1)? });
        }
        self.changes.push(change);
        Ok(())
    }

    /// Says a change at the end, unless something that was said makes it a matter of course.
    pub fn say_unless(&mut self, unless: Unless, kind: Kind, about: About<'_>) {
        let change = self.change(kind, about);
        self.consequences.push((change, unless));
    }

    /// Facet and id of every item that something was said of.
    pub fn items_said(&self) -> BTreeSet<(String, String)> {
        let said = self.changes.iter().filter_map(|said| Some((said.facet.clone()?, said.id.clone()?)));
        said.chain(self.covered.iter().cloned()).collect()
    }

    /// What was said explains why this file differs.
    pub fn explain(&mut self, path: &str) {
        self.explained.insert(path.to_owned());
    }

    /// Both files of a role when they differ, or one of them when the other is not there.
    pub fn differing(&self, role: Role) -> Option<(Option<Entry>, Option<Entry>)> {
        let (a, b) = (self.a.one(role), self.b.one(role));
        let same = a.map(|entry| entry.sha256) == b.map(|entry| entry.sha256);
        (!same).then(|| (a.cloned(), b.cloned()))
    }

    /// An item that only the first tree shows.
    pub fn say_gone(&mut self, kind: Kind, about: About<'_>) {
        self.say_whether_gone(kind, about);
    }

    /// The same; true where the second tree proves that it is gone.
    pub fn say_whether_gone(&mut self, kind: Kind, about: About<'_>) -> bool {
        let proved = self.b.proves_absence(about.facet, about.id.as_deref().unwrap_or_default());
        self.say(if proved { kind } else { Kind::ItemAbsent }, about);
        proved
    }

    /// What was said of an item says it of its parts, too.
    pub fn cover(&mut self, facet: &str, ids: impl IntoIterator<Item = String>) {
        self.covered.extend(ids.into_iter().map(|id| (facet.to_owned(), id)));
    }

    /// The path of a file in the second tree, or in the first where only that has it.
    pub fn path_of(&self, files: (Option<&Entry>, Option<&Entry>)) -> String {
        match files {
            (_, Some(entry)) => self.b.path(&entry.path),
            (Some(entry), None) => self.a.path(&entry.path),
            (None, None) => self.b.path(crate::format::index::NAME),
        }
    }

    /// All changes. What differs and was not explained is said as bytes, so that only equal trees give no change.
    pub fn finish(mut self) -> Vec<Change> {
        for (entry, other) in self.unexplained() {
            let files = (entry.as_ref(), other.as_ref());
            let digest = |entry: Option<&Entry>| entry.map_or(Value::Null, |e| Value::from(e.sha256.to_string()));
            let about = About {
                facet: "",
                id: None,
                path: self.path_of(files),
                before: digest(files.0),
                after: digest(files.1),
            };
            let role = files.1.or(files.0).map(|entry| entry.role);
            match role {
                // These are made of what the other files say.
                Some(Role::Summary | Role::Actors | Role::Diff | Role::Patch) => {
                    self.say_unless(Unless::Anything, Kind::FileBytesChanged, about);
                }
                _ => self.say(Kind::FileBytesChanged, about),
            }
        }
        // Those that something particular covers come before those that anything does.
        let (last, first): (Vec<_>, Vec<_>) = std::mem::take(&mut self.consequences)
            .into_iter()
            .partition(|(_, unless)| matches!(unless, Unless::Anything));
        for consequences in [first, last] {
            let said = self.changes.len();
            for (change, unless) in consequences {
                if !self.changes[..said].iter().any(|said| unless.covers(said)) {
                    self.changes.push(change);
                }
            }
        }
        if self.changes.is_empty() {
            let path = self.b.path(crate::format::index::NAME);
            let about = About { facet: "", id: None, path, before: Value::Null, after: Value::Null };
            self.say(Kind::FileBytesChanged, about);
        }
        self.changes
    }

    fn unexplained(&self) -> Vec<(Option<Entry>, Option<Entry>)> {
        let paths: BTreeSet<&str> =
            self.a.entries.iter().chain(&self.b.entries).map(|entry| entry.path.as_str()).collect();
        let find = |side: &Side<'_>, path: &str| {
            side.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok().map(|at| side.entries[at].clone())
        };
        let both = |path: &str| (find(&self.a, path), find(&self.b, path));
        let differ = |(a, b): &(Option<Entry>, Option<Entry>)| {
            a.as_ref().map(|entry| entry.sha256) != b.as_ref().map(|entry| entry.sha256)
        };
        paths.into_iter().filter(|path| !self.explained.contains(*path)).map(both).filter(differ).collect()
    }
}

/// A value for a report.
pub(super) fn value(json: &Json<'_>) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_u64() {
            Some(integer) => Value::from(integer),
            None => Value::from(number.as_f64()),
        },
        Json::String(text) => Value::from(text.as_ref()),
        Json::Array(items) => items.iter().map(value).collect(),
        Json::Object(object) => object.iter().map(|(name, member)| (name.to_owned(), value(member))).collect(),
    }
}

/// The value of a member; `null` when it is not there.
pub(super) fn member(json: &Json<'_>, name: &str) -> Value {
    json.get(name).map_or(Value::Null, value)
}

/// The members of two objects that differ, less some. Empty on both sides when none does.
pub(super) fn differing(a: &Object<'_>, b: &Object<'_>, less: &[&str]) -> (Map<String, Value>, Map<String, Value>) {
    let names: BTreeSet<&str> = a.iter().chain(b.iter()).map(|(name, _)| name).collect();
    let (mut before, mut after) = (Map::new(), Map::new());
    for name in names.into_iter().filter(|name| !less.contains(name) && a.get(name) != b.get(name)) {
        for (from, to) in [(a, &mut before), (b, &mut after)] {
            if let Some(found) = from.get(name) {
                to.insert(name.to_owned(), value(found));
            }
        }
    }
    (before, after)
}
