//! `entity.json` and `body.md`: title, state, labels and the other members of the entity itself.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::Kind;
use super::head;
use super::pair::{About, Pair, Unless, member, value};
use super::side::{is_hidden, is_hidden_mark, plain_text, text};
use crate::format::index::{Entry, Role};
use crate::format::json::{Json, Object};
use crate::ops::Error;

/// Compares the header.
pub(super) fn compare(pair: &mut Pair<'_>) -> Result<(), Error> {
    body(pair)?;
    let Some((Some(file), Some(_))) = pair.differing(Role::Entity) else { return Ok(()) };
    let (Some(Json::Object(a)), Some(Json::Object(b))) = (pair.a.json(Role::Entity)?, pair.b.json(Role::Entity)?)
    else {
        return Ok(());
    };
    let path = pair.b.path(&file.path);
    pair.explain(&file.path);
    let names: BTreeSet<&str> = a.iter().chain(b.iter()).map(|(name, _)| name).collect();
    for name in names.into_iter().filter(|name| a.get(name) != b.get(name)) {
        let field = Field { path: &path, name, before: a.get(name), after: b.get(name) };
        match name {
            "state" if only_known_now(&a, &b) => pair.say(Kind::HeaderChanged, field.whole(Some(name))),
            "title" if is_hidden_mark(field.before) || is_hidden_mark(field.after) => {
                pair.say(Kind::HeaderChanged, field.whole(Some(name)));
            }
            "counts" => counts(pair, &field),
            "head" => head::compare(pair, &field)?,
            _ => field.compare(pair),
        }
    }
    Ok(())
}

/// True when closed in one tree and merged in the other may be the same: a closed pull request of which it is not known
/// whether it was merged.
fn only_known_now(a: &Object<'_>, b: &Object<'_>) -> bool {
    let state = |header: &Object<'_>, word| header.get("state").and_then(Json::as_str) == Some(word);
    let open_end = |header: &Object<'_>| {
        state(header, "closed") && header.get("merged").is_none() && header.get("mergedAt").is_none()
    };
    (open_end(a) && state(b, "merged")) || (state(a, "merged") && open_end(b))
}

fn body(pair: &mut Pair<'_>) -> Result<(), Error> {
    let (a, b) = (pair.a.one(Role::Body).cloned(), pair.b.one(Role::Body).cloned());
    let null = |entry: &Entry| entry.about.get("bodyNull").and_then(Json::as_bool) == Some(true);
    let state = |entry: &Entry| match null(entry) {
        true => Value::Null,
        false => Value::from(entry.sha256.to_string()),
    };
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        // A body that was not seen before was not edited.
        (a, b) => {
            if let Some(path) = b.as_ref().or(a.as_ref()).map(|entry| entry.path.clone()) {
                let [before, after] = [a, b].map(|side| side.as_ref().map_or(Value::Null, state));
                let (id, path_below) = (Some("body".to_owned()), pair.b.path(&path));
                pair.explain(&path);
                changed(pair, None, About { facet: "header", id, path: path_below, before, after });
            }
            return Ok(());
        }
    };
    if is_hidden(&a.about) || is_hidden(&b.about) {
        if a.about.get("withheld") != b.about.get("withheld") {
            let shown = |entry: &Entry| entry.about.get("withheld").map_or(Value::Null, value);
            let (id, path) = (Some("body".to_owned()), pair.b.path(&b.path));
            pair.explain(&b.path);
            pair.say(Kind::HeaderChanged, About { facet: "header", id, path, before: shown(&a), after: shown(&b) });
        }
        return Ok(());
    }
    if a.sha256 == b.sha256 && null(&a) == null(&b) {
        return Ok(());
    }
    let about = About { facet: "header", id: None, path: pair.b.path(&b.path), before: state(&a), after: state(&b) };
    pair.explain(&b.path);
    pair.say_text(Kind::BodyEdited, about, (Some(&a), Some(&b)))
}

/// Says that a member is another. One that becomes known as nothing, or nothing that becomes unknown, shows null twice: it is said where
/// nothing else is.
pub(super) fn changed(pair: &mut Pair<'_>, unless: Option<Unless>, about: About<'_>) {
    let unless = if about.before.is_null() && about.after.is_null() { Some(Unless::Anything) } else { unless };
    match unless {
        Some(unless) => pair.say_unless(unless, Kind::HeaderChanged, about),
        None => pair.say(Kind::HeaderChanged, about),
    }
}

/// One member of a header that differs; `None` is unknown.
pub(super) struct Field<'f> {
    path: &'f str,
    name: &'f str,
    pub before: Option<&'f Json<'static>>,
    pub after: Option<&'f Json<'static>>,
}

impl Field<'_> {
    /// The rest of a change of this member.
    pub fn about(&self, id: Option<&str>, before: Value, after: Value) -> About<'static> {
        About { facet: "header", id: id.map(str::to_owned), path: self.path.to_owned(), before, after }
    }

    /// The rest of a change that shows both values.
    pub fn whole(&self, id: Option<&str>) -> About<'static> {
        let shown = |json: Option<&Json<'_>>| json.map_or(Value::Null, value);
        self.about(id, shown(self.before), shown(self.after))
    }

    fn compare(&self, pair: &mut Pair<'_>) {
        // What becomes known did not happen: only two known values make an event.
        let known = self.before.is_some() && self.after.is_some();
        match self.name {
            "title" if known => pair.say(Kind::TitleEdited, self.whole(None)),
            "state" if known => pair.say(Kind::StateChanged, self.whole(None)),
            "draft" if known => pair.say(Kind::DraftChanged, self.whole(None)),
            "milestone" if known => pair.say(Kind::MilestoneChanged, self.whole(None)),
            "base" if known => pair.say(Kind::BaseChanged, self.whole(None)),
            "locked" if known && self.after.and_then(Json::as_bool) == Some(true) => {
                pair.say(Kind::Locked, self.whole(None));
            }
            "locked" if known => pair.say(Kind::Unlocked, self.whole(None)),
            "labels" if known => self.members(pair, "name", [Kind::LabelAdded, Kind::LabelRemoved]),
            "assignees" if known => self.members(pair, "login", [Kind::AssigneeAdded, Kind::AssigneeRemoved]),
            "requestedReviewers" | "requestedTeams" if known => {
                self.members(pair, "login", [Kind::ReviewerRequested, Kind::ReviewerUnrequested]);
            }
            "stateReason" | "merged" | "mergedAt" | "mergedBy" | "closedAt" | "closedBy" => {
                self.follow(pair, Unless::Kinds(&[Kind::StateChanged]));
            }
            "mergeCommit" | "mergeable" | "mergeableState" => {
                self.follow(pair, Unless::Kinds(&[Kind::StateChanged, Kind::HeadPushed, Kind::HeadForcePushed]));
            }
            "lockReason" => self.follow(pair, Unless::Kinds(&[Kind::Locked, Kind::Unlocked])),
            "updatedAt" => self.follow(pair, Unless::Anything),
            _ => self.other(pair),
        }
    }

    /// Another value.
    fn other(&self, pair: &mut Pair<'_>) {
        changed(pair, None, self.whole(Some(self.name)));
    }

    /// A value that the forge changes along with others.
    fn follow(&self, pair: &mut Pair<'_>, unless: Unless) {
        changed(pair, Some(unless), self.whole(Some(self.name)));
    }

    /// A list of labels or accounts, each by its name.
    fn members(&self, pair: &mut Pair<'_>, key: &str, [added, removed]: [Kind; 2]) {
        let rows = |list: Option<&Json<'static>>| -> BTreeMap<String, Json<'static>> {
            let rows = list.and_then(Json::as_array).unwrap_or_default().iter();
            rows.map(|row| (text(row, key).map_or_else(|| plain_text(row), str::to_owned), row.clone())).collect()
        };
        let (before, after) = (rows(self.before), rows(self.after));
        let mut said = false;
        let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names {
            let (kind, was, is) = match (before.get(name), after.get(name)) {
                (None, Some(row)) => (added, Value::Null, value(row)),
                (Some(row), None) => (removed, value(row), Value::Null),
                (Some(was), Some(is)) if was != is => (Kind::ItemChanged, value(was), value(is)),
                _ => continue,
            };
            said = true;
            let about = self.about(Some(name), was, is);
            pair.say(kind, About { facet: if key == "name" { "labels" } else { "header" }, ..about });
        }
        // Another order, or something that is no list.
        if !said {
            pair.say(Kind::HeaderChanged, self.whole(Some(self.name)));
        }
    }
}

/// The forge's own counts follow the facets that they count.
fn counts(pair: &mut Pair<'_>, field: &Field<'_>) {
    const COUNTED: [(&str, &str); 9] = [
        ("comments", "comments"),
        ("reviewComments", "review-comments"),
        ("notes", "comments"),
        ("commits", "commits"),
        ("files", "files"),
        ("additions", "files"),
        ("deletions", "files"),
        ("reactions", "reactions"),
        ("reactionsByContent", "reactions"),
    ];
    let (Some(before), Some(after)) = (field.before, field.after) else {
        return changed(pair, None, field.whole(Some("counts")));
    };
    for (name, facet) in COUNTED {
        let (was, is) = (member(before, name), member(after, name));
        if before.get(name) != after.get(name) {
            let about = field.about(Some(&format!("counts.{name}")), was, is);
            changed(pair, Some(Unless::Facet(facet)), about);
        }
    }
}
