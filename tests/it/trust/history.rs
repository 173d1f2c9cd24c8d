//! As of a time, what a whole timeline proves of the record; where it proves nothing the gap stays.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{API, gap, json_of, pull, user};
use crate::support::{done, scratch};

fn time(hour: usize) -> String {
    format!("2026-03-02T{hour:02}:00:00Z")
}

/// What is done to a pull request, an hour after the other: the event, what it names, and what becomes of the record.
const DONE: &[(&str, &str)] = &[
    ("labeled", "bug"),
    ("assigned", "bob"),
    ("renamed", "second"),
    ("labeled", "urgent"),
    ("milestoned", "v1"),
    ("locked", "spam"),
    ("unlabeled", "bug"),
    ("convert_to_draft", ""),
    ("demilestoned", "v1"),
    ("assigned", "eve"),
    ("closed", ""),
    ("unassigned", "bob"),
    ("renamed", "third"),
    ("unlocked", ""),
    ("reopened", ""),
    ("ready_for_review", ""),
    ("merged", ""),
    ("closed", ""),
];

fn event(at: usize, before: &Value) -> Value {
    let (word, name) = DONE[at];
    let id = 400 + at;
    let mut value = json!({"id": id, "node_id": format!("E_{id}"), "url": format!("{API}/issues/events/{id}"),
        "actor": user(1, "alice"), "event": word, "created_at": time(at + 1)});
    match word {
        "labeled" | "unlabeled" => value["label"] = json!({"name": name, "color": "ff0000"}),
        "assigned" | "unassigned" => value["assignee"] = user(if name == "bob" { 2 } else { 3 }, name),
        "milestoned" | "demilestoned" => value["milestone"] = json!({"title": name}),
        "renamed" => value["rename"] = json!({"from": before["title"], "to": name}),
        "locked" => value["lock_reason"] = name.into(),
        _ => {}
    }
    value
}

fn act(record: &mut Value, at: usize) {
    let (word, name) = DONE[at];
    let mut list = |member: &str, item: Value, key: &str| {
        let all = record[member].as_array_mut().expect("a list");
        all.retain(|one| one[key] != item[key]);
        if !word.starts_with("un") {
            all.push(item);
        }
    };
    match word {
        "labeled" | "unlabeled" => list("labels", json!({"name": name, "color": "ff0000"}), "name"),
        "assigned" | "unassigned" => list("assignees", user(if name == "bob" { 2 } else { 3 }, name), "login"),
        "milestoned" => record["milestone"] = json!({"title": name}),
        "demilestoned" => record["milestone"] = Value::Null,
        "renamed" => record["title"] = name.into(),
        "locked" | "unlocked" => record["locked"] = (word == "locked").into(),
        "convert_to_draft" | "ready_for_review" => record["draft"] = (word == "convert_to_draft").into(),
        "closed" => {
            record["state"] = "closed".into();
            record["closed_at"] =
                if record["closed_at"].is_null() { time(at + 1).into() } else { record["closed_at"].clone() };
        }
        "reopened" => {
            record["state"] = "open".into();
            record["closed_at"] = Value::Null;
        }
        _ => {
            record["state"] = "closed".into();
            record["merged"] = true.into();
            (record["merged_at"], record["closed_at"]) = (time(at + 1).into(), time(at + 1).into());
        }
    }
    record["updated_at"] = time(at + 1).into();
}

/// The record after each hour, from 0 on, and the timeline.
fn told() -> (Vec<Value>, Vec<Value>) {
    let mut record = pull((&user(1, "alice"), "MEMBER"), "first", "body", &time(0));
    (record["labels"], record["milestone"], record["created_at"]) = (json!([]), Value::Null, time(0).into());
    let (mut records, mut events) = (vec![record.clone()], Vec::new());
    for at in 0..DONE.len() {
        events.push(event(at, &record));
        act(&mut record, at);
        records.push(record.clone());
    }
    (records, events)
}

fn answer(path: &str, body: &Value) -> String {
    let headers = json!({"Date": "Wed, 01 Apr 2026 00:00:00 GMT"});
    format!(
        "{}\n",
        json!({"method": "GET", "url": format!("{API}/{path}"), "status": 200, "headers": headers, "body": body})
    )
}

/// Stages what a recording tells as of an hour: the header in `entity.json`, and the index.
fn staged(dir: &Path, lines: &[String], hour: usize) -> (Value, Value) {
    fs::write(dir.join("in.jsonl"), lines.concat()).expect("a recording");
    done(
        dir,
        &[
            "stage",
            "--replace",
            "--out",
            "out",
            "--as-of",
            &format!("2026-03-02T{hour:02}:30:00Z"),
            "--from",
            "in.jsonl",
        ],
    );
    assert_eq!(done(dir, &["verify", "out"])["verified"], true);
    (json_of(&dir.join("out/entity.json")), json_of(&dir.join("out/index.json")))
}

/// What a record says, as `entity.json` has it.
fn shown(record: &Value) -> Value {
    let names = |list: &str, key: &str| {
        let mut names: Vec<_> = record[list].as_array().expect("a list").iter().map(|one| one[key].clone()).collect();
        names.sort_by_key(Value::to_string);
        names
    };
    let state = if record["merged"] == true { &json!("merged") } else { &record["state"] };
    json!([
        record["title"],
        state,
        names("labels", "name"),
        names("assignees", "login"),
        record["milestone"]["title"],
        record["locked"],
        record["draft"],
        record["merged"],
        record["closed_at"],
        record["merged_at"]
    ])
}

fn seen(entity: &Value) -> Value {
    let names = |list: &str, key: &str| {
        let mut names: Vec<_> = entity[list].as_array().expect("a list").iter().map(|one| one[key].clone()).collect();
        names.sort_by_key(Value::to_string);
        names
    };
    json!([
        entity["title"],
        entity["state"],
        names("labels", "name"),
        names("assignees", "login"),
        entity["milestone"],
        entity["locked"],
        entity["draft"],
        entity["merged"],
        entity["closedAt"],
        entity["mergedAt"]
    ])
}

#[test]
fn a_whole_timeline_tells_the_record_of_every_time() {
    let dir = scratch();
    let (records, events) = told();
    let mut last = records.last().expect("a record").clone();
    last["labels"]
        .as_array_mut()
        .expect("labels")
        .iter_mut()
        .for_each(|label| label["description"] = "a later word".into());
    let lines = [answer("pulls/42", &last), answer("issues/42/timeline?per_page=100", &json!(events))];
    for (hour, record) in records.iter().enumerate().take(DONE.len()) {
        let (entity, index) = staged(dir.path(), &lines, hour);
        assert_eq!(seen(&entity), shown(record), "hour {hour}");
        assert!(!entity.to_string().contains("later word"), "what is said of a label now is not of then");
        assert!(entity.get("head").is_none(), "when commits were pushed has no time");
        assert_eq!(gap(&index, "header", "earlier-version-missing"), 1, "the body alone, hour {hour}");
        assert_eq!(gap(&index, "labels", "as-of-unknown"), 0);
    }
    // An older version of the record does not stand against it, and its body is that of then.
    let lines = [answer("pulls/42", &records[1]), lines.concat()];
    let (entity, index) = staged(dir.path(), &lines, 5);
    assert_eq!(seen(&entity), shown(&records[5]));
    assert_eq!((gap(&index, "header", "earlier-version-missing"), &entity["head"]["branch"]), (0, &json!("topic")));
}

#[test]
fn a_timeline_that_is_not_whole_or_ends_too_early_tells_nothing() {
    let dir = scratch();
    let (records, events) = told();
    let record = answer("pulls/42", records.last().expect("a record"));
    let cut = |upto: usize| json!(events[..upto]);
    let cases = [
        ("a page of several", answer("issues/42/timeline?per_page=18", &json!(events))),
        ("one entry alone", answer("issues/events/402", &events[2])),
        ("nothing later than the time", answer("issues/42/timeline?per_page=100", &cut(5))),
        ("an entry without its time", {
            let mut all = json!(events);
            all[3].as_object_mut().expect("an object").remove("created_at");
            answer("issues/42/timeline?per_page=100", &all)
        }),
    ];
    for (why, timeline) in cases {
        let (entity, index) = staged(dir.path(), &[record.clone(), timeline], 5);
        assert_eq!(entity["title"], "[withheld:earlier-version-missing]", "{why}");
        assert!(
            ["state", "labels", "assignees", "locked", "draft", "merged"]
                .iter()
                .all(|name| entity.get(*name).is_none()),
            "{why}: {entity}"
        );
        assert_eq!(gap(&index, "header", "earlier-version-missing"), 2, "{why}");
    }
}

#[test]
fn what_the_record_contradicts_is_not_told_and_the_rest_is() {
    let dir = scratch();
    let (records, events) = told();
    let last = records.last().expect("a record");
    // A label was deleted everywhere, which no entry tells.
    let mut record = last.clone();
    record["labels"] = json!([]);
    let timeline = answer("issues/42/timeline?per_page=100", &json!(events));
    let (entity, _) = staged(dir.path(), &[answer("pulls/42", &record), timeline.clone()], 5);
    assert!(entity.get("labels").is_none(), "{entity}");
    assert_eq!((&entity["title"], &entity["milestone"]), (&json!("second"), &json!("v1")));
    // A renaming that the list does not have.
    let mut other = events.clone();
    other[12]["rename"]["from"] = "another".into();
    let (entity, _) =
        staged(dir.path(), &[answer("pulls/42", last), answer("issues/42/timeline?per_page=100", &json!(other))], 5);
    assert_eq!(entity["title"], "[withheld:earlier-version-missing]");
    assert_eq!(entity["labels"].as_array().map(Vec::len), Some(2));
    // The record went on after the last entry: what may change without one is not known, what always has one is.
    let mut record = last.clone();
    record["updated_at"] = "2026-03-05T00:00:00Z".into();
    let (entity, _) = staged(dir.path(), &[answer("pulls/42", &record), timeline], 5);
    assert!(["labels", "assignees", "milestone"].iter().all(|name| entity.get(*name).is_none()), "{entity}");
    assert_eq!(
        (&entity["title"], &entity["state"], &entity["locked"]),
        (&json!("second"), &json!("open"), &json!(false))
    );
}

#[test]
fn a_status_of_gitea_is_of_the_time_of_its_last_change() {
    let dir = scratch();
    let (at, api) = ("https://gitea.com/acme/web", "https://gitea.com/api/v1/repos/acme/web");
    let account = json!({"id": 1, "login": "ann", "username": "ann", "avatar_url": "https://a.example"});
    let pull = json!({"id": 900, "number": 5, "title": "t", "body": "d", "state": "open", "user": account, "original_author": "",
        "created_at": time(0), "updated_at": time(0), "html_url": format!("{at}/pulls/5"), "url": format!("{at}/pulls/5"), "labels": [],
        "head": {"ref": "topic", "sha": super::HEAD}, "base": {"ref": "main", "sha": super::OLD_HEAD}});
    let status = |id: u64, times: [String; 2]| {
        json!({"id": id, "status": "success", "context": format!("ci/{id}"), "description": "d", "creator": account,
        "url": format!("{api}/statuses/{}", super::HEAD), "target_url": "", "created_at": times[0], "updated_at": times[1]})
    };
    let never = "0001-01-01T00:00:00Z".to_owned();
    let statuses = json!([
        status(1, [time(1), time(1)]),
        status(2, [time(1), time(9)]),
        status(3, [time(9), time(9)]),
        status(4, [time(1), never])
    ]);
    for (name, value) in [("pull.json", &pull), ("statuses.json", &statuses)] {
        fs::write(dir.path().join(name), value.to_string()).expect("a payload");
    }
    done(dir.path(), &["stage", "--out", "out", "--as-of", &time(5), "--from", "pull.json", "statuses.json"]);
    let index = json_of(&dir.path().join("out/index.json"));
    let reason = |id: u64| {
        let rows = index["entries"].as_array().expect("entries");
        let row = rows.iter().find(|row| row["role"] == "check" && row["source"]["id"] == id).expect("a row");
        let check = json_of(&dir.path().join("out").join(row["path"].as_str().expect("a path")));
        (check.get("conclusion").cloned(), check.get("withheld").map(|withheld| withheld["reason"].clone()))
    };
    assert_eq!(reason(1), (Some(json!("success")), None));
    assert_eq!(reason(2), (None, Some(json!("earlier-version-missing"))));
    assert_eq!(reason(3), (None, Some(json!("after-as-of"))));
    assert_eq!(reason(4), (None, Some(json!("as-of-unknown"))));
}
