//! GitLab as of a time: what whole lists of events and notes prove of the record, and what proves nothing.

use std::fs;

use git_docket::forge::dialect::Dialect;
use git_docket::forge::facets::Item;
use git_docket::format::facet::Facet;
use git_docket::format::json::parse;
use serde_json::{Value, json};

use super::exchange;
use super::notes::merge_request;
use crate::support::{done, scratch};

const API: &str = "https://gitlab.example.org/api/v4/projects/acme%2Fweb/merge_requests/7";

fn day(day: u64) -> String {
    format!("2026-01-{day:02}T00:00:00Z")
}

fn event(id: u64, at: u64, more: &Value) -> Value {
    let mut value = json!({"id": id, "user": {"id": 2, "username": "bob"}, "created_at": day(at), "resource_type": "MergeRequest",
        "resource_id": 900});
    value.as_object_mut().expect("an object").extend(more.as_object().expect("members").clone());
    value
}

fn labels() -> Value {
    json!([
        event(1, 2, &json!({"label": {"name": "bug"}, "action": "add"})),
        event(2, 4, &json!({"label": {"name": "bug"}, "action": "remove"})),
        event(3, 6, &json!({"label": {"name": "slow"}, "action": "add"})),
    ])
}

fn states() -> Value {
    json!([
        event(1, 3, &json!({"state": "closed"})),
        event(2, 5, &json!({"state": "reopened"})),
        event(3, 8, &json!({"state": "closed"}))
    ])
}

fn milestones() -> Value {
    json!([
        event(1, 3, &json!({"milestone": {"title": "v1"}, "action": "add"})),
        event(2, 7, &json!({"milestone": {"title": "v1"}, "action": "remove"}))
    ])
}

fn notes(bodies: &[(u64, &str)]) -> Value {
    let note = |(at, body): &(u64, &str)| {
        json!({"id": at, "body": body, "author": {"id": 2, "username": "bob"}, "system": true, "created_at": day(*at),
            "updated_at": day(*at), "noteable_type": "MergeRequest", "noteable_iid": 7})
    };
    bodies.iter().map(note).collect()
}

const RENAMES: [(u64, &str); 2] = [
    (3, "changed title from **{-fir-}st** to **{+la+}st**"),
    (6, "changed title from **last** to **last{+ of all+}**"),
];

/// The record of the fourth and of the tenth day, and lists with a count each.
fn lines(lists: &[(&str, Value, &str)]) -> String {
    let then = json!({"updated_at": day(1), "title": "first", "labels": [], "milestone": null, "draft": false, "closed_at": null});
    let now = json!({"updated_at": day(8), "title": "last of all", "labels": ["slow"], "milestone": null, "state": "closed", "draft": false,
        "closed_at": day(8), "discussion_locked": null});
    let mut out =
        vec![exchange(API, &json!({}), &merge_request(&then)), exchange(API, &json!({}), &merge_request(&now))];
    out.extend(lists.iter().map(|(part, list, total)| {
        exchange(&format!("{API}/{part}"), &json!({"X-Total": total, "X-Next-Page": ""}), list)
    }));
    out.join("\n")
}

fn all(renames: &[(u64, &str)]) -> String {
    let mut renames = renames.to_vec();
    renames.push((9, "mentioned in commit 0123456789abcdef"));
    let count = renames.len().to_string();
    let mut lists = lines(&[
        ("resource_label_events", labels(), "3"),
        ("resource_state_events", states(), "3"),
        ("resource_milestone_events", milestones(), "2"),
    ]);
    let all = json!({"X-Total": count, "X-Next-Page": ""});
    lists.push('\n');
    lists.push_str(&exchange(&format!("{API}/notes"), &all, &notes(&renames)));
    lists
}

/// The record as of a day: title, state, labels, milestone.
fn as_of(recording: &str, at: u64) -> Value {
    let dir = scratch();
    fs::write(dir.path().join("all.jsonl"), recording).expect("written");
    let time = day(at).replace("T00", "T12");
    done(dir.path(), &["stage", "--from", "all.jsonl", "--profile", "full", "--as-of", &time, "--out", "out"]);
    assert_eq!(done(dir.path(), &["verify", "out"])["verified"], true);
    let entity = fs::read(dir.path().join("out/entity.json")).expect("an entity");
    let entity: Value = serde_json::from_slice(&entity).expect("JSON");
    let labels: Vec<_> = entity["labels"].as_array().into_iter().flatten().map(|label| label["name"].clone()).collect();
    json!([entity["title"], entity["state"], labels, entity.get("milestone")])
}

#[test]
fn whole_lists_tell_the_record_of_then() {
    let recording = all(&RENAMES);
    for (at, expected) in [
        (2, json!(["first", "open", ["bug"], null])),
        (3, json!(["last", "closed", ["bug"], "v1"])),
        (4, json!(["last", "closed", [], "v1"])),
        (5, json!(["last", "open", [], "v1"])),
    ] {
        assert_eq!(as_of(&recording, at), expected, "{at}");
    }
}

/// Without the lists, and with lists of which a part is missing, the older version of the record is shown.
#[test]
fn what_is_not_whole_proves_nothing() {
    let older = json!(["first", "open", [], null]);
    assert_eq!(as_of(&lines(&[]), 5), older);
    let torn = [
        ("resource_label_events", labels(), "4"),
        ("resource_state_events", states(), "4"),
        ("resource_milestone_events", milestones(), "3"),
        ("notes", notes(&RENAMES), "3"),
    ];
    assert_eq!(as_of(&lines(&torn), 5), older);
}

/// A merge request that is made a draft gets another title, of which no note tells; and notes of older versions tell states that no event does.
#[test]
fn notes_can_forbid_what_lists_would_tell() {
    let mut drafted = RENAMES.to_vec();
    drafted.insert(1, (4, "marked this merge request as **draft**"));
    assert_eq!(as_of(&all(&drafted), 5)[0], "first", "no title is concluded");
    let mut old = RENAMES.to_vec();
    old.push((7, "closed"));
    assert_eq!(as_of(&all(&old), 5), json!(["last", "open", [], "v1"]));
    assert_eq!(as_of(&all(&old), 3)[1], "open", "no state is concluded");
}

/// A version that is newer than a list may have a title that the list does not know of.
#[test]
fn no_title_is_taken_from_what_is_newer_than_its_list() {
    let only = [("notes", notes(&[(6, "mentioned in commit 0123456789abcdef")]), "1")];
    assert_eq!(as_of(&lines(&only), 5)[0], "first");
    let renamed = [("notes", notes(&[(6, "changed title from **fifth** to **last of all**")]), "1")];
    assert_eq!(as_of(&lines(&renamed), 5)[0], "fifth");
}

/// A version that says something else than the entries come to forbids them.
#[test]
fn a_version_that_differs_forbids_its_list() {
    let lists = [(
        "resource_label_events",
        json!([labels()[0], event(9, 9, &json!({"label": {"name": "x"}, "action": "add"}))]),
        "2",
    )];
    assert_eq!(as_of(&lines(&lists), 5)[2], json!([]));
}

#[test]
fn titles_are_told_only_where_the_note_is_exact() {
    for (body, expected) in [
        ("changed title from **Old** to **New**", Some(("Old", "New"))),
        ("changed title from **{-chang-}e** to **{+test titl+}e**", Some(("change", "test title"))),
        ("changed title from **a {-b-} c {-d-}** to **a {+x+} c {+y+}**", Some(("a b c d", "a x c y"))),
        ("changed title from **one** to **one{+ more+}**", Some(("one", "one more"))),
        ("changed title from **a** to **b** to **c**", None),
        ("changed title from **keep {-x-}** to **drop {+y+}**", None),
        ("changed title from **{-{-x-}-}** to **{+y+}**", None),
        ("changed title from **{-x** to **{+y+}**", None),
        ("changed title from **a** to b", None),
        ("changed title from a to b", None),
    ] {
        let note = notes(&[(3, body)])[0].to_string();
        let items = Dialect::GitlabRest.items(Facet::Timeline, &parse(note.as_bytes()).expect("JSON"));
        let Some(Ok(Item::Event(event))) = items.into_iter().next().map(|item| item.map(|item| item.value)) else {
            panic!("no event: {body}");
        };
        let detail = |name| event.details.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        assert_eq!(event.event, "renamed");
        assert_eq!(detail("from").zip(detail("to")), expected, "{body}");
        assert_eq!(detail("text"), Some(body));
    }
}
