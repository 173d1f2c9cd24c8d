//! What stands in a payload and cannot be read is there all the same: it is not deleted, and the others are what they are.

use super::*;

const GITLAB: &str = "gitlab:gitlab.com/acme/web/-/merge_requests/7";

/// Observes two looks one after the other, and gives what changed between their snapshots: `change facet id`.
fn changes(args: &[&str], looks: &[Value; 2]) -> Vec<String> {
    let dir = scratch();
    done(dir.path(), &["init", "store"]);
    for (payload, (at, out)) in looks.iter().zip([(FIRST, "one"), (SECOND, "two")]) {
        write(&dir.path().join("in.json"), std::slice::from_ref(payload));
        let seen = ["--store", "store", "observe", "in.json", "--observed-at", at];
        done(dir.path(), &[&seen[..], args].concat());
        done(dir.path(), &["--store", "store", "snapshot", "--out", out]);
    }
    assert_eq!(done(dir.path(), &["verify", "--rebuild", "store"])["verified"], true);
    let diff = done(dir.path(), &["diff", "one", "two"]);
    let row = |row: &Value| format!("{} {} {}", row["change"], row["facet"], row["id"]).replace('"', "");
    diff["changes"].as_array().expect("changes").iter().map(row).collect()
}

fn gone(changes: &[String]) -> Vec<&String> {
    changes.iter().filter(|change| change.contains("-deleted") || change.contains("-removed")).collect()
}

/// An item that is left out of a list, or has no normal form, is in it.
#[test]
fn what_cannot_be_read_is_not_deleted() {
    let note = |id: u64| {
        json!({"id": id, "body": "b", "author": {"id": 1, "username": "ann"}, "system": false, "noteable_id": 70,
            "created_at": "2026-03-03T00:00:00Z", "updated_at": "2026-03-03T00:00:00Z",
            "noteable_type": "MergeRequest", "noteable_iid": 7, "type": null, "resolvable": false})
    };
    let mut half = note(2);
    half.as_object_mut().expect("an object").remove("body");
    let notes = |second: Value| {
        json!({"method": "GET", "url": "https://gitlab.com/api/v4/projects/acme%2Fweb/merge_requests/7/notes", "status": 200,
            "headers": {"X-Total": "2", "X-Next-Page": ""}, "body": [note(1), second]})
    };
    let mut bodyless = comment(2, json!({}));
    bodyless.as_object_mut().expect("an object").remove("body");
    let reaction = |content: &str| json!({"id": 2, "content": content, "user": user("mira", 1), "created_at": FIRST});
    let reactions = |second: &str| answer("issues/42/reactions", json!({"Link": ""}), json!([reaction(second)]));
    let nodes = |second: Value| {
        let first = json!({"__typename": "IssueComment", "databaseId": 1, "body": "a", "createdAt": FIRST,
            "url": "https://github.com/acme/web/pull/42#issuecomment-1"});
        node(json!({"comments": {"totalCount": 2, "nodes": [first, second]}}))
    };
    let second = json!({"__typename": "IssueComment", "databaseId": 2, "body": "a", "createdAt": FIRST,
        "url": "https://github.com/acme/web/pull/42#issuecomment-2"});
    let whole = json!([comment(1, json!({})), comment(2, json!({}))]);
    let cases: Vec<(&str, &[&str], [Value; 2])> = vec![
        ("the caller's word", &["--complete"], [whole.clone(), json!([comment(1, json!({})), bodyless])]),
        ("the caller's word of null", &["--complete"], [whole, json!([comment(1, json!({})), null])]),
        ("a count of what was left", &[], [notes(note(2)), notes(half)]),
        ("a reaction of another kind", &[], [reactions("eyes"), reactions("party")]),
        ("an empty node", &[], [nodes(second.clone()), nodes(json!({}))]),
        ("a node of another kind", &[], [nodes(second.clone()), nodes(json!({"weird": 1}))]),
        ("a node that is text", &["--complete"], [nodes(second.clone()), nodes(json!("x"))]),
        ("a node that is null", &["--complete"], [nodes(second), nodes(json!(null))]),
    ];
    for (name, args, looks) in cases {
        let found = changes(args, &looks);
        assert!(gone(&found).is_empty(), "{name}: {found:?}");
    }
    let [both, one] = [json!([comment(1, json!({})), comment(2, json!({}))]), json!([comment(1, json!({}))])];
    let found = changes(&["--complete"], &[both, one]);
    assert_eq!(gone(&found), ["comment-deleted comments 2"], "what is not there is");
}

/// A plain list of notes does not tell of discussions, and takes nothing from what does.
#[test]
fn notes_leave_answers_in_their_discussion() {
    let note = |id: u64| {
        json!({"id": id, "body": "b", "author": {"id": 1, "username": "ann"}, "system": false, "noteable_id": 70,
            "created_at": "2026-03-03T00:00:00Z", "updated_at": "2026-03-03T00:00:00Z", "noteable_type": "MergeRequest",
            "noteable_iid": 7, "type": "DiffNote", "resolvable": true, "resolved": false,
            "position": {"new_path": "a", "old_path": "a", "new_line": 3, "old_line": null, "position_type": "text"}})
    };
    let discussion = json!([{"id": "d2", "individual_note": false, "notes": [note(2), note(3)]}]);
    let found = changes(&["--entity", GITLAB], &[discussion.clone(), json!([note(2), note(3)])]);
    assert_eq!(found, Vec::<String>::new());
    let learned = changes(&["--entity", GITLAB], &[json!([note(2), note(3)]), discussion]);
    assert!(!learned.is_empty(), "what becomes known is said");
}

/// An odd item of a dump is named, and the threads beside it are filed; in a small document as in one that is read in pieces.
#[test]
fn an_odd_item_leaves_a_dump_what_it_is() {
    for size in [10, 5 << 20] {
        let thread = |number: u64| {
            json!({"number": number, "title": "t", "state": "OPEN", "createdAt": FIRST, "updatedAt": FIRST,
                "url": format!("https://github.com/acme/web/issues/{number}"), "author": "ann", "body": "x".repeat(size)})
        };
        let issues = json!([null, thread(1), {"weird": 1}, {"number": 3, "title": "x"}, thread(2)]);
        let dir = scratch();
        done(dir.path(), &["init", "store"]);
        write(&dir.path().join("archive.json"), &[json!({"repo": "acme/web", "issues": issues})]);
        let told = done(dir.path(), &["--store", "store", "observe", "archive.json", "--observed-at", FIRST]);
        assert_eq!(told["observed"], 2, "{told}");
        let left: Vec<_> = told["unrecognised"].as_array().expect("rows").iter().map(|row| &row["input"]).collect();
        assert_eq!(left, ["archive.json#/issues/0", "archive.json#/issues/2", "archive.json#/issues/3"]);
        assert_eq!(done(dir.path(), &["verify", "--rebuild", "store"])["verified"], true);
    }
}

/// What becomes known by its number was there before.
#[test]
fn what_becomes_known_by_its_number_is_no_other() {
    let own = |members: Value| with(json!({"body": "c", "createdAt": "2026-03-03T00:00:00Z"}), members);
    let thread = |comments: Value| {
        json!({"repo": "acme/web", "pulls": [{"number": 42, "title": "t", "state": "OPEN", "createdAt": FIRST, "updatedAt": FIRST,
            "url": "https://github.com/acme/web/pull/42", "author": "ann", "body": "b", "comments": comments}]})
    };
    let rest = |ids: &[u64]| json!(ids.iter().map(|id| comment(*id, json!({}))).collect::<Vec<_>>());
    let said = |before: Value, after: Value| {
        let found = changes(&["--complete"], &[thread(before), after]);
        let of_items = found.into_iter().filter(|change| change.contains(" comments ") && !change.contains("coverage"));
        of_items.filter(|change| !change.starts_with("gap-")).collect::<Vec<_>>()
    };
    let by_tove = own(json!({"author": "tove"}));
    assert_eq!(said(json!([by_tove]), rest(&[1])), ["item-changed comments 1"]);
    // Who cannot be told from another is not taken for either.
    let several = said(json!([by_tove]), rest(&[1, 2]));
    assert!(several.iter().any(|change| change.starts_with("comment-added")), "{several:?}");

    let state = json!({"context": "ci", "state": "SUCCESS", "startedAt": "2026-03-03T00:00:00Z", "__typename": "StatusContext"});
    let printed = json!({"number": 42, "url": "https://github.com/acme/web/pull/42", "headRefOid": "a".repeat(40),
        "statusCheckRollup": [state]});
    let status = json!([{"id": 5, "context": "ci", "state": "success", "created_at": "2026-03-03T00:00:00Z",
        "updated_at": "2026-03-03T00:00:00Z", "url": format!("{API}/statuses/{}", "a".repeat(40))}]);
    let entity = ["--entity", "github:github.com/acme/web/pull/42"];
    let found = changes(&entity, &[printed, status]);
    let checks: Vec<_> = found.iter().filter(|change| change.starts_with("check-")).collect();
    assert_eq!(checks, ["check-changed statuses 5"], "{found:?}");
}
