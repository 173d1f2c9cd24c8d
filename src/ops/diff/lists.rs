//! Lists in one JSON file: changed files, commits, timeline, reactions, actors.

use std::collections::BTreeSet;

use serde_json::Value;

use super::change::Kind;
use super::pair::{About, Pair, Unless, differing, value};
use super::same::{rename, renamed};
use crate::format::index::{Entry, Role};
use crate::format::json::Json;
use crate::ops::Error;

/// How a list is read and said.
struct List {
    role: Role,
    facet: &'static str,
    member: &'static str,
    key: &'static str,
    added: Kind,
    removed: Kind,
    changed: Kind,
}

const ALL: [List; 4] = [
    List {
        role: Role::Files,
        facet: "files",
        member: "files",
        key: "path",
        added: Kind::FileAdded,
        removed: Kind::FileRemoved,
        changed: Kind::FileChanged,
    },
    List {
        role: Role::Commits,
        facet: "commits",
        member: "commits",
        key: "sha",
        added: Kind::CommitAdded,
        removed: Kind::CommitRemoved,
        changed: Kind::ItemChanged,
    },
    List {
        role: Role::Timeline,
        facet: "timeline",
        member: "events",
        key: "id",
        added: Kind::EventAdded,
        removed: Kind::EventRemoved,
        changed: Kind::ItemChanged,
    },
    List {
        role: Role::Reactions,
        facet: "reactions",
        member: "reactions",
        key: "id",
        added: Kind::ReactionAdded,
        removed: Kind::ReactionRemoved,
        changed: Kind::ItemChanged,
    },
];

/// Compares all lists.
pub(super) fn compare(pair: &mut Pair<'_>) -> Result<(), Error> {
    for list in &ALL {
        list.compare(pair)?;
    }
    actors(pair)
}

impl List {
    fn compare(&self, pair: &mut Pair<'_>) -> Result<(), Error> {
        let Some((a, b)) = pair.differing(self.role) else { return Ok(()) };
        let files = (a.as_ref(), b.as_ref());
        let (mut was, is) =
            (pair.a.rows(self.role, self.member, self.key)?, pair.b.rows(self.role, self.member, self.key)?);
        let renamed = renamed(&was, &is, Clone::clone);
        rename(&mut was, &renamed);
        let path = pair.path_of(files);
        let mut said = false;
        for id in was.keys().chain(is.keys()).collect::<BTreeSet<_>>() {
            let (a, b) = (was.get(id), is.get(id));
            if a == b {
                continue;
            }
            said = true;
            let shown = |row: Option<&Json<'_>>| row.map_or(Value::Null, value);
            let (before, after) = (shown(a), shown(b));
            let about = About { facet: self.facet, id: Some(id.clone()), path: path.clone(), before, after };
            match (a.and_then(Json::as_object), b.and_then(Json::as_object)) {
                (None, _) => pair.say(self.added, about),
                (_, None) => pair.say_gone(self.removed, about),
                (Some(a), Some(b)) => {
                    let (before, after) = differing(a, b, &[]);
                    pair.say(self.changed, About { before: before.into(), after: after.into(), ..about });
                }
            }
        }
        let of_one = files.0.is_none() || files.1.is_none();
        if !said && of_one && was.is_empty() && is.is_empty() {
            // A list without rows is there once the facet is known: that is what is said of it.
            let digest = |entry: Option<&Entry>| entry.map_or(Value::Null, |e| Value::from(e.sha256.to_string()));
            let (before, after) = (digest(files.0), digest(files.1));
            let about = About { facet: self.facet, id: None, path, before, after };
            pair.say_unless(Unless::Facet(self.facet), Kind::FileBytesChanged, about);
            said = true;
        }
        if said {
            [files.0, files.1].into_iter().flatten().for_each(|entry| pair.explain(&entry.path));
        }
        Ok(())
    }
}

/// Accounts come and go with what they wrote; a new name or standing of a known one is worth a line.
fn actors(pair: &mut Pair<'_>) -> Result<(), Error> {
    let Some((Some(_), Some(file))) = pair.differing(Role::Actors) else { return Ok(()) };
    let (was, is) = (pair.a.rows(Role::Actors, "actors", "id")?, pair.b.rows(Role::Actors, "actors", "id")?);
    for (id, a) in &was {
        let Some(b) = is.get(id).filter(|b| *b != a) else { continue };
        let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else { continue };
        let (before, after) = differing(a, b, &[]);
        let kind = if a.get("login") == b.get("login") { None } else { Some(Kind::ItemChanged) };
        let path = pair.b.path(&file.path);
        let about = About { facet: "actors", id: Some(id.clone()), path, before: before.into(), after: after.into() };
        match kind {
            Some(kind) => pair.say(kind, about),
            // One more kind of contribution brings one more association.
            None => pair.say_unless(Unless::Anything, Kind::ItemChanged, about),
        }
        explain(pair, &file);
    }
    Ok(())
}

fn explain(pair: &mut Pair<'_>, file: &Entry) {
    pair.explain(&file.path);
}
