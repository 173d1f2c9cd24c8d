//! Checks and their logs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::change::Kind;
use super::pair::{About, Pair, differing, member, value};
use super::same;
use super::side::{Side, item_id, plain_text, text};
use crate::format::index::{Entry, Role};
use crate::format::json::Json;
use crate::ops::Error;

/// How many files beside a check are looked at: it has two.
const BESIDE: usize = 16;

/// What stands before an id that is numbered apart from those of check runs.
const PREFIXES: [&str; 4] = ["pipeline-", "status-", "suite-", "workflow-"];

/// Compares checks, and the logs of those that both trees have.
pub(super) fn compare(pair: &mut Pair<'_>) -> Result<(), Error> {
    let (mut a, b) = (checks(&pair.a), checks(&pair.b));
    let row = |side: &Side<'_>, file: &Entry| side.json_of(file).ok().flatten().unwrap_or(Json::Null);
    let alone = |own: &BTreeMap<String, Entry>, other: &BTreeMap<String, Entry>, side: &Side<'_>| {
        let alone = own.iter().filter(|(id, _)| !other.contains_key(*id));
        alone.map(|(id, file)| (id.clone(), row(side, file))).collect::<BTreeMap<_, _>>()
    };
    let names = same::renamed(&alone(&a, &b, &pair.a), &alone(&b, &a, &pair.b), Json::clone);
    same::rename(&mut a, &names);
    for id in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
        let plain = PREFIXES.iter().find_map(|word| id.strip_prefix(word)).unwrap_or(id);
        check(pair, plain, (a.get(id), b.get(id)))?;
    }
    unattached(pair)
}

/// Logs beside which neither tree has a check.
fn unattached(pair: &mut Pair<'_>) -> Result<(), Error> {
    let dir = |entry: &Entry| entry.path.rsplit_once('/').map(|(dir, _)| dir.to_owned());
    let both = || pair.a.entries.iter().chain(&pair.b.entries);
    let attached: BTreeSet<_> = both().filter(|entry| entry.role == Role::Check).filter_map(dir).collect();
    let lone = |side: &Side<'_>| -> BTreeMap<String, Entry> {
        let logs = side.entries.iter().filter(|entry| entry.role == Role::Log);
        let lone = logs.filter(|entry| dir(entry).is_some_and(|dir| !attached.contains(&dir)));
        lone.map(|entry| (entry.path.clone(), entry.clone())).collect()
    };
    let (a, b) = (lone(&pair.a), lone(&pair.b));
    for path in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
        let logs = (a.get(path), b.get(path));
        let kind = match logs {
            (None, _) => Kind::LogAdded,
            (_, None) => Kind::LogRemoved,
            (Some(was), Some(is)) if was.sha256 != is.sha256 => Kind::LogChanged,
            _ => continue,
        };
        let id = logs.1.or(logs.0).map(|entry| entry.about.get("job").map_or_else(|| item_id(entry), plain_text));
        say_log(pair, kind, id, logs)?;
    }
    Ok(())
}

/// The checks by the end of the name of their directory, `<id>` or `status-<id>`: those of other kinds have ids of their own,
/// which may be equal.
fn checks(side: &Side<'_>) -> BTreeMap<String, Entry> {
    let checks = side.entries.iter().filter(|entry| entry.role == Role::Check);
    let key = |entry: &Entry| {
        let name = entry.path.rsplit('/').nth(1).and_then(|dir| dir.split_once('-'));
        name.map_or_else(|| entry.path.clone(), |(_, id)| id.to_owned())
    };
    checks.map(|entry| (key(entry), entry.clone())).collect()
}

fn check(pair: &mut Pair<'_>, id: &str, files: (Option<&Entry>, Option<&Entry>)) -> Result<(), Error> {
    let logs = (log(&pair.a.entries, files.0), log(&pair.b.entries, files.1));
    let digest = |entry: Option<&Entry>| entry.map(|entry| entry.sha256);
    let shown = |side: &Side<'_>, file: Option<&Entry>| {
        let json = file.map(|file| side.json_of(file)).transpose()?.flatten();
        Ok::<_, Error>(json.unwrap_or(Json::Null))
    };
    if digest(files.0) != digest(files.1) {
        let (was, is) = (shown(&pair.a, files.0)?, shown(&pair.b, files.1)?);
        let facet = match text(&is, "origin").or(text(&was, "origin")) {
            Some("commit-status") => "statuses",
            _ => "checks",
        };
        let path = pair.path_of(files);
        let brief = |row: &Json<'_>| if row.is_null() { Value::Null } else { brief(row) };
        let about = About { facet, id: Some(id.to_owned()), path, before: brief(&was), after: brief(&is) };
        [files.0, files.1].into_iter().flatten().for_each(|entry| pair.explain(&entry.path));
        match (files, was.as_object(), is.as_object()) {
            ((None, _), ..) => pair.say(Kind::CheckAdded, about),
            ((_, None), ..) => pair.say_gone(Kind::CheckRemoved, about),
            (_, Some(was), Some(is)) => {
                let (mut before, mut after) = differing(was, is, &[]);
                for (row, to) in [(was, &mut before), (is, &mut after)] {
                    if let Some(name) = row.get("name") {
                        to.insert("name".to_owned(), value(name));
                    }
                }
                pair.say(Kind::CheckChanged, About { before: before.into(), after: after.into(), ..about });
            }
            _ => pair.say(Kind::CheckChanged, about),
        }
    }
    if digest(logs.0.as_ref()) == digest(logs.1.as_ref()) {
        return Ok(());
    }
    let kind = match (files, &logs) {
        ((Some(_), Some(_)), (None, _)) => Kind::LogAdded,
        ((Some(_), Some(_)), (_, None)) => Kind::LogRemoved,
        ((Some(_), Some(_)), _) => Kind::LogChanged,
        // The log of a check that came or went came or went with it.
        _ => {
            [&logs.0, &logs.1].into_iter().flatten().for_each(|entry| pair.explain(&entry.path));
            return Ok(());
        }
    };
    say_log(pair, kind, Some(id.to_owned()), (logs.0.as_ref(), logs.1.as_ref()))
}

fn say_log(
    pair: &mut Pair<'_>,
    kind: Kind,
    id: Option<String>,
    logs: (Option<&Entry>, Option<&Entry>),
) -> Result<(), Error> {
    [logs.0, logs.1].into_iter().flatten().for_each(|entry| pair.explain(&entry.path));
    let shown = |entry: Option<&Entry>| entry.map_or(Value::Null, |entry| Value::from(entry.sha256.to_string()));
    let (before, after) = (shown(logs.0), shown(logs.1));
    let about = About { facet: "logs", id, path: pair.path_of(logs), before, after };
    pair.say_text(kind, about, logs)
}

/// The log beside the record of a check.
fn log(entries: &[Entry], check: Option<&Entry>) -> Option<Entry> {
    let dir = format!("{}/", check?.path.rsplit_once('/')?.0);
    let start = entries.partition_point(|entry| entry.path < dir);
    // Entries are sorted: the two files of a check stand together.
    let beside = entries[start..].iter().take_while(|entry| entry.path.starts_with(&dir)).take(BESIDE);
    beside.into_iter().find(|entry| entry.role == Role::Log).cloned()
}

fn brief(row: &Json<'_>) -> Value {
    let mut shown = Map::new();
    for name in ["name", "status", "conclusion", "headSha"] {
        shown.insert(name.to_owned(), member(row, name));
    }
    Value::Object(shown)
}
