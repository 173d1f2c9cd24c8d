//! Comments and reviews: one file each.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::change::Kind;
use super::pair::{About, Pair, differing, member, value};
use super::same;
use super::side::is_hidden;
use crate::format::index::{Entry, Role};
use crate::format::json::Json;
use crate::ops::Error;

/// The words for the items of a role.
struct Words {
    role: Role,
    facet: &'static str,
    added: Kind,
    edited: Kind,
    deleted: Kind,
}

const ALL: [Words; 2] = [
    Words {
        role: Role::Comment,
        facet: "comments",
        added: Kind::CommentAdded,
        edited: Kind::CommentEdited,
        deleted: Kind::CommentDeleted,
    },
    Words {
        role: Role::Review,
        facet: "reviews",
        added: Kind::ReviewAdded,
        edited: Kind::ReviewEdited,
        deleted: Kind::ReviewDeleted,
    },
];

/// Compares comments and reviews.
pub(super) fn compare(pair: &mut Pair<'_>) -> Result<(), Error> {
    for words in &ALL {
        let (mut a, b) = (pair.a.items(words.role), pair.b.items(words.role));
        let names = same::renamed(&a, &b, |entry| Json::Object(entry.about.clone()));
        same::rename(&mut a, &names);
        for id in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
            words.compare(pair, id, a.get(id), b.get(id))?;
        }
    }
    Ok(())
}

impl Words {
    fn compare(&self, pair: &mut Pair<'_>, id: &str, a: Option<&Entry>, b: Option<&Entry>) -> Result<(), Error> {
        let brief = |entry: Option<&Entry>| entry.map_or(Value::Null, brief);
        let path = pair.path_of((a, b));
        let about = About { facet: self.facet, id: Some(id.to_owned()), path, before: brief(a), after: brief(b) };
        [a, b].into_iter().flatten().for_each(|entry| pair.explain(&entry.path));
        let (was, is) = match (a, b) {
            (Some(was), Some(is)) => (was, is),
            (None, _) => return pair.say_text(self.added, about, (a, b)),
            (_, None) => {
                pair.say_gone(self.deleted, about);
                return Ok(());
            }
        };
        let null = |entry: &Entry| entry.about.get("bodyNull").is_some();
        let known = [was, is].iter().all(|entry| entry.about.get("bodyUnknown").is_none() && !is_hidden(&entry.about));
        let edited = known && (was.sha256 != is.sha256 || null(was) != null(is));
        if was.about.get("state") != is.about.get("state") {
            let state = |entry: &Entry| entry.about.get("state").map_or(Value::Null, value);
            let dismissed = is.about.get("state").and_then(Json::as_str) == Some("dismissed");
            let kind = if dismissed { Kind::ReviewDismissed } else { Kind::ReviewChanged };
            let (path, id) = (about.path.clone(), about.id.clone());
            pair.say(kind, About { facet: self.facet, id, path, before: state(was), after: state(is) });
        }
        if edited {
            return pair.say_text(self.edited, about, (a, b));
        }
        // Ordinals move when another item goes. A body that becomes known, or a new time without another body, is no edit.
        let (before, after) = differing(&was.about, &is.about, &["ordinal", "state", "bodyNull"]);
        if !before.is_empty() || !after.is_empty() || was.sha256 != is.sha256 {
            pair.say(Kind::ItemChanged, About { before: before.into(), after: after.into(), ..about });
        }
        Ok(())
    }
}

/// What a line about an item shows: who, when, which bytes.
fn brief(entry: &Entry) -> Value {
    let about = Json::Object(entry.about.clone());
    let mut shown = Map::new();
    let login = about.get("author").and_then(|author| author.get("login"));
    shown.insert("author".to_owned(), login.map_or(Value::Null, value));
    for name in ["createdAt", "updatedAt", "state"] {
        if about.get(name).is_some() {
            shown.insert(name.to_owned(), member(&about, name));
        }
    }
    shown.insert("sha256".to_owned(), Value::from(entry.sha256.to_string()));
    Value::Object(shown)
}
