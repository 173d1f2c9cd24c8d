//! Threads on the diff: their state in `threads.json`, their text in one file each.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::bodies::{Bodies, bodies};
use super::change::Kind;
use super::pair::{About, Pair, Unless, differing, member};
use super::same::renamed;
use super::side::{is_hidden, keyed, plain_text, text};
use crate::format::digest::Digest;
use crate::format::index::{self, Entry, Role};
use crate::format::json::{Json, Object};
use crate::ops::Error;

const FACET: &str = "review-comments";

/// Members that have words of their own, or that only name a file.
const OWN: [&str; 4] = ["comments", "file", "outdated", "resolved"];

/// Members that say where a thread stands now.
const LINES: [&str; 3] = ["commit", "line", "startLine"];

/// Compares threads.
pub(super) fn compare(pair: &mut Pair<'_>) -> Result<(), Error> {
    let files = [&pair.a, &pair.b].map(|side| -> BTreeMap<String, Entry> {
        let files = side.entries.iter().filter(|entry| entry.role == Role::Thread);
        files.map(|entry| (entry.path.clone(), entry.clone())).collect()
    });
    let changed_file = {
        let digest = |side: usize, path: &str| files[side].get(path).map(|entry| entry.sha256);
        files[0].keys().chain(files[1].keys()).any(|path| digest(0, path) != digest(1, path))
    };
    if !changed_file && pair.differing(Role::Threads).is_none() {
        return Ok(());
    }
    let (a, b) = (pair.a.rows(Role::Threads, "threads", "id")?, pair.b.rows(Role::Threads, "threads", "id")?);
    let names = renamed(&all(&a), &all(&b), Clone::clone);
    let a: BTreeMap<_, _> =
        a.into_iter().map(|(id, row)| (names.get(&id).cloned().unwrap_or(id), under(row, &names))).collect();
    let list = pair.b.one(Role::Threads).or(pair.a.one(Role::Threads)).map(|entry| entry.path.clone());
    let list = list.unwrap_or_else(|| index::NAME.to_owned());
    let homes = [Homes::of(&a), Homes::of(&b)];
    let mut said = false;
    let mut former = Former::new();
    for (was, is) in matches(&a, &b, &homes) {
        let Some(id) = is.or(was) else { continue };
        let (was, is) = (was.and_then(|id| a.get(id)), is.and_then(|id| b.get(id)));
        let file = |side: usize, row: Option<&Json<'static>>| {
            row.and_then(|row| text(row, "file")).and_then(|path| files[side].get(path)).cloned()
        };
        let thread = Thread { id, list: &list, a: was, b: is, files: (file(0, was), file(1, is)), homes: &homes };
        said |= thread.compare(pair, &mut former)?;
    }
    if said {
        pair.explain(&list);
    }
    Ok(())
}

/// The comments of all threads by id.
fn all(threads: &BTreeMap<String, Json<'static>>) -> BTreeMap<String, Json<'static>> {
    threads.values().flat_map(|row| comments(Some(row))).collect()
}

/// A thread of the first tree, with the ids of comments by which the second knows them.
fn under(row: Json<'static>, names: &BTreeMap<String, String>) -> Json<'static> {
    match row {
        Json::Array(rows) => Json::Array(rows.into_iter().map(|row| under(row, names)).collect()),
        Json::Object(mut row) => {
            for name in ["id", "replyTo"] {
                let Some(new) = row.get(name).and_then(|id| names.get(&plain_text(id))) else { continue };
                row.set(name, new.parse::<u64>().map_or_else(|_| Json::from(new.clone()), Json::from));
            }
            if let Some(answers) = row.remove("comments") {
                row.set("comments", under(answers, names));
            }
            Json::Object(row)
        }
        other => other,
    }
}

/// The comments of all threads of one tree by id, each with its thread.
struct Homes<'c> {
    of: BTreeMap<String, (&'c str, Json<'static>)>,
    threads: &'c BTreeMap<String, Json<'static>>,
}

impl<'c> Homes<'c> {
    fn of(threads: &'c BTreeMap<String, Json<'static>>) -> Self {
        let mut of = BTreeMap::new();
        for (thread, row) in threads {
            let named = comments(Some(row)).into_iter().filter(|(_, comment)| comment.get("id").is_some());
            of.extend(named.map(|(id, comment)| (id, (thread.as_str(), comment))));
        }
        Self { of, threads }
    }

    fn have_any(&self, thread: &Json<'_>) -> bool {
        comments(Some(thread)).keys().any(|id| self.of.contains_key(id))
    }
}

type Match<'c> = (Option<&'c str>, Option<&'c str>);

/// Which thread of one tree is which of the other: the one of the same id, else one that has a comment of it. A thread has
/// the id of its first comment, and goes on under that of an answer when the forge no longer has the first.
fn matches<'c>(
    a: &'c BTreeMap<String, Json<'static>>,
    b: &'c BTreeMap<String, Json<'static>>,
    homes: &[Homes<'c>; 2],
) -> Vec<Match<'c>> {
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, row) in b.iter().filter(|(id, _)| !a.contains_key(*id)) {
        let former = comments(Some(row))
            .keys()
            .filter_map(|id| Some(homes[0].of.get(id)?.0))
            .find(|former| !b.contains_key(*former) && !found.contains_key(former));
        found.extend(former.map(|former| (former, id.as_str())));
    }
    let later: BTreeSet<&str> = found.values().copied().collect();
    let ours = a.keys().map(|id| {
        let same = b.get_key_value(id).map(|(id, _)| id.as_str());
        (Some(id.as_str()), same.or_else(|| found.get(id.as_str()).copied()))
    });
    let new = b.keys().map(String::as_str).filter(|id| !a.contains_key(*id) && !later.contains(id));
    let mut matches: Vec<_> = ours.chain(new.map(|id| (None, Some(id)))).collect();
    matches.sort_by_key(|(was, is)| is.or(*was));
    matches
}

/// What was said of comments, and whether something waits for whatever else is said.
#[derive(Default)]
struct Said {
    now: bool,
    later: bool,
}

impl Said {
    fn any(self) -> bool {
        self.now || self.later
    }
}

/// The bodies of threads of the first tree that comments have left, each read once however many these are.
type Former = BTreeMap<String, Bodies>;

struct Thread<'c> {
    id: &'c str,
    /// The file of all threads.
    list: &'c str,
    a: Option<&'c Json<'static>>,
    b: Option<&'c Json<'static>>,
    files: (Option<Entry>, Option<Entry>),
    homes: &'c [Homes<'c>; 2],
}

impl Thread<'_> {
    /// True when something was said.
    fn compare(&self, pair: &mut Pair<'_>, former: &mut Former) -> Result<bool, Error> {
        let files = (self.files.0.as_ref(), self.files.1.as_ref());
        [files.0, files.1].into_iter().flatten().for_each(|entry| pair.explain(&entry.path));
        let (was, is) = match (self.a, self.b) {
            (Some(was), Some(is)) => (was, is),
            // No thread came or went where a comment of it is in both trees.
            (None, Some(is)) if self.homes[0].have_any(is) => return self.comments(pair, former).map(Said::any),
            (Some(was), None) if self.homes[1].have_any(was) => return self.comments(pair, former).map(Said::any),
            (None, Some(is)) => {
                pair.say_text(Kind::ThreadAdded, self.about(pair, Value::Null, place(is)), files)?;
                return Ok(true);
            }
            (Some(was), None) => {
                let about = self.about(pair, place(was), Value::Null);
                pair.say_gone(Kind::ThreadDeleted, about);
                return Ok(true);
            }
            (None, None) => return Ok(false),
        };
        let states = self.states(pair, was, is);
        let comments = self.comments(pair, former)?;
        let other = self.others(pair, was, is, comments.now);
        let text_differs = files.0.map(|entry| entry.sha256) != files.1.map(|entry| entry.sha256);
        if text_differs && !comments.now && !other && !states {
            let digest = |entry: Option<&Entry>| entry.map_or(Value::Null, |e| Value::from(e.sha256.to_string()));
            let about = self.about(pair, digest(files.0), digest(files.1));
            pair.say_text(Kind::ThreadChanged, about, files)?;
        }
        Ok(states || comments.any() || other || text_differs)
    }

    fn about(&self, pair: &Pair<'_>, before: Value, after: Value) -> About<'static> {
        let path = match &self.files {
            (_, Some(entry)) => pair.b.path(&entry.path),
            (Some(entry), None) => pair.a.path(&entry.path),
            (None, None) => pair.b.path(self.list),
        };
        About { facet: FACET, id: Some(self.id.to_owned()), path, before, after }
    }

    /// Resolved and outdated have three states. What becomes true happened or became known, which `before` tells apart;
    /// what is no longer known did not happen.
    fn states(&self, pair: &mut Pair<'_>, was: &Json<'_>, is: &Json<'_>) -> bool {
        let mut said = false;
        for (name, done) in [("resolved", Kind::ThreadResolved), ("outdated", Kind::ThreadOutdated)] {
            if was.get(name) == is.get(name) {
                continue;
            }
            let (before, after) = (member(was, name), member(is, name));
            let kind = match (before.as_bool(), after.as_bool()) {
                (_, Some(true)) => done,
                (Some(true), Some(false)) if name == "resolved" => Kind::ThreadReopened,
                _ => Kind::ThreadChanged,
            };
            let (before, after) = match kind {
                Kind::ThreadChanged => (named(name, before), named(name, after)),
                _ => (before, after),
            };
            let about = self.about(pair, before, after);
            pair.say(kind, about);
            said = true;
        }
        said
    }

    fn comments(&self, pair: &mut Pair<'_>, left: &mut Former) -> Result<Said, Error> {
        let (was, is) = (comments(self.a), comments(self.b));
        let mut bodies = [bodies(&pair.a, self.a)?, bodies(&pair.b, self.b)?];
        let mut said = Said::default();
        for id in was.keys().chain(is.keys()).collect::<BTreeSet<_>>() {
            let (a, b) = (was.get(id), is.get(id));
            let moved = match (a, b) {
                (None, Some(_)) => self.homes[0].of.get(id),
                // Said where it is now.
                (Some(_), None) if self.homes[1].of.contains_key(id) => continue,
                _ => None,
            };
            if let Some((former, _)) = moved {
                if !left.contains_key(*former) {
                    left.insert((*former).to_owned(), self::bodies(&pair.a, self.homes[0].threads.get(*former))?);
                }
                bodies[0].extend(left[*former].get_key_value(id).map(|(id, body)| (id.clone(), *body)));
            }
            let body = bodies.each_ref().map(|bodies| bodies.get(id));
            let sides = [a.or(moved.map(|(_, row)| row)), b];
            self.comment(pair, id, sides, body, moved.map(|(former, _)| *former), &mut said)?;
        }
        Ok(said)
    }

    /// One comment: an edit is another body, whatever the times say.
    fn comment(
        &self,
        pair: &mut Pair<'_>,
        id: &str,
        sides: [Option<&Json<'_>>; 2],
        bodies: [Option<&Option<Digest>>; 2],
        former: Option<&str>,
        said: &mut Said,
    ) -> Result<(), Error> {
        let [mut before, mut after] = sides.map(|row| row.map_or(Value::Null, comment));
        // The text of a thread is one file: the first of its changes shows it.
        let texts = if said.now { (None, None) } else { (self.files.0.as_ref(), self.files.1.as_ref()) };
        let path = self.about(pair, Value::Null, Value::Null).path;
        let about = |before, after| About { facet: FACET, id: Some(id.to_owned()), path, before, after };
        let (was, is) = match sides.map(|row| row.and_then(Json::as_object)) {
            [Some(was), Some(is)] => (was, is),
            [None, _] => {
                said.now = true;
                return pair.say_text(Kind::ReviewCommentAdded, about(before, after), texts);
            }
            [_, None] => {
                said.now = true;
                pair.say_gone(Kind::ReviewCommentDeleted, about(before, after));
                return Ok(());
            }
        };
        let shown = !is_hidden(was) && !is_hidden(is);
        if let (true, [Some(Some(a)), Some(Some(b))]) = (shown && bodies[0] != bodies[1], bodies) {
            before["sha256"] = Value::from(a.to_string());
            after["sha256"] = Value::from(b.to_string());
            said.now = true;
            return pair.say_text(Kind::ReviewCommentEdited, about(before, after), texts);
        }
        let [mut before, mut after] = self.differences(was, is, former);
        for (at, side) in [&mut before, &mut after].into_iter().enumerate() {
            if shown && bodies[0] != bodies[1] && bodies[at] == Some(&None) {
                side.insert("bodyUnknown".to_owned(), Value::from(true));
            }
        }
        if before.is_empty() && after.is_empty() {
            return Ok(());
        }
        let follows = before.keys().chain(after.keys()).all(|name| name == "updatedAt");
        let about = about(before.into(), after.into());
        if follows {
            // A new time without another body comes with whatever happened to the thread.
            said.later = true;
            pair.say_unless(Unless::Facet(FACET), Kind::ItemChanged, about);
        } else {
            said.now = true;
            pair.say(Kind::ItemChanged, about);
        }
        Ok(())
    }

    /// What differs of a comment beside its body.
    fn differences(&self, was: &Object<'_>, is: &Object<'_>, former: Option<&str>) -> [Map<String, Value>; 2] {
        let (mut before, mut after) = differing(was, is, &[]);
        // What answered a comment that is gone answers nothing now.
        for (shown, homes) in [(&mut before, &self.homes[1]), (&mut after, &self.homes[0])] {
            let parent = shown.get("replyTo").map(ToString::to_string);
            if parent.is_some_and(|parent| !homes.of.contains_key(&parent)) {
                shown.remove("replyTo");
            }
        }
        if let Some(former) = former {
            before.insert("thread".to_owned(), Value::from(former));
            after.insert("thread".to_owned(), Value::from(self.id));
        }
        [before, after]
    }

    fn others(&self, pair: &mut Pair<'_>, was: &Json<'_>, is: &Json<'_>, comments: bool) -> bool {
        let (Some(was), Some(is)) = (was.as_object(), is.as_object()) else { return false };
        let (mut before, mut after) = differing(was, is, &OWN);
        if comments {
            // Another first comment gives a thread another id.
            [&mut before, &mut after].into_iter().for_each(|shown| drop(shown.remove("id")));
        }
        if is.get("outdated") != was.get("outdated") {
            // A thread that is outdated has lost its lines: that is what the word says.
            [&mut before, &mut after]
                .into_iter()
                .for_each(|shown| shown.retain(|name, _| !LINES.contains(&name.as_str())));
        }
        if is.get("resolved") != was.get("resolved") {
            // By whom, and the id of the thread, are told together with it.
            [&mut before, &mut after].into_iter().for_each(|shown| {
                shown.retain(|name, _| !["nodeId", "resolvedAt", "resolvedBy"].contains(&name.as_str()))
            });
        }
        let differs = !before.is_empty() || !after.is_empty();
        if differs {
            let about = self.about(pair, before.into(), after.into());
            pair.say(Kind::ThreadChanged, about);
        }
        differs
    }
}

/// The comments of a thread by id.
fn comments(thread: Option<&Json<'_>>) -> BTreeMap<String, Json<'static>> {
    match thread.and_then(|thread| thread.get("comments")).cloned().map(Json::into_owned) {
        Some(Json::Array(rows)) => keyed(rows, "id"),
        _ => BTreeMap::new(),
    }
}

fn named(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

/// Where a thread stands and by whom it was opened.
fn place(thread: &Json<'_>) -> Value {
    let mut shown = Map::new();
    for name in ["path", "line", "side", "resolved", "outdated"] {
        if thread.get(name).is_some() {
            shown.insert(name.to_owned(), member(thread, name));
        }
    }
    let comments = thread.get("comments").and_then(Json::as_array).unwrap_or_default();
    shown.insert("comments".to_owned(), Value::from(comments.len()));
    if let Some(first) = comments.first() {
        shown.insert("author".to_owned(), first.get("author").map_or(Value::Null, |author| member(author, "login")));
    }
    Value::Object(shown)
}

/// Who wrote a comment, and when.
fn comment(row: &Json<'_>) -> Value {
    let mut shown = Map::new();
    shown.insert("author".to_owned(), row.get("author").map_or(Value::Null, |author| member(author, "login")));
    for name in ["createdAt", "updatedAt"] {
        shown.insert(name.to_owned(), member(row, name));
    }
    Value::Object(shown)
}
