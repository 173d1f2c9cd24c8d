//! `stage --event`: as of the delivery, at its head, unless the caller says otherwise.

use std::fs;

use serde_json::{Value, json};

use super::{HEAD, MARK, OLD_HEAD, comment, entry, gap, having, json_of, mallory, pull, user, write};
use crate::support::{done, files, scratch, shared};

const AT: &str = "2026-03-02T00:00:00Z";
const AFTER: &str = "2026-03-02T00:00:09Z";

fn delivery(comment: &Value) -> Value {
    let mut issue = pull((&user(1, "alice"), "MEMBER"), "the title then", "the body then", AT);
    let members = issue.as_object_mut().expect("an object");
    ["head", "base", "merged", "merged_at"].iter().for_each(|name| {
        members.remove(*name);
    });
    members.insert("url".to_owned(), "https://api.github.com/repos/acme/web/issues/42".into());
    members.insert("pull_request".to_owned(), json!({"url": "https://api.github.com/repos/acme/web/pulls/42"}));
    json!({"action": "created", "issue": issue, "comment": comment, "sender": user(1, "alice"),
        "repository": {"id": 5, "name": "web", "full_name": "acme/web", "owner": user(4, "acme"),
            "url": "https://api.github.com/repos/acme/web", "html_url": "https://github.com/acme/web"}})
}

#[test]
fn what_changes_behind_the_trigger_is_not_shown() {
    let dir = scratch();
    let alice = user(1, "alice");
    let trigger = comment(101, &alice, Some("MEMBER"), "/review", [AT, AT]);
    write(dir.path(), "event.json", &delivery(&trigger));
    let swapped = comment(100, &mallory(), Some("NONE"), &format!("{MARK} edited"), ["2026-03-01T00:00:00Z", AFTER]);
    let added = comment(102, &mallory(), Some("NONE"), &format!("{MARK} added"), [AFTER, AFTER]);
    let edited = comment(101, &alice, Some("MEMBER"), &format!("{MARK} trigger"), [AT, AFTER]);
    write(&dir.path().join("in"), "comments.json", &json!([swapped, edited, added]));
    write(
        &dir.path().join("in"),
        "pull.json",
        &pull((&alice, "MEMBER"), &format!("{MARK} title"), &format!("{MARK} body"), AFTER),
    );
    done(dir.path(), &["stage", "--event", "event.json", "--from", "in", "--out", "out"]);
    let root = dir.path().join("out");
    let index = json_of(&root.join("index.json"));
    assert_eq!(having(&root, MARK), [""; 0]);
    assert_eq!((&index["profile"]["asOf"], &index["event"]["asOf"]), (&json!(AT), &json!(AT)));
    assert_eq!(fs::read(root.join("body.md")).expect("a body"), b"the body then\n");
    let row = entry(&index, 101);
    assert_eq!((&row["trigger"], row.get("withheld")), (&json!(true), None));
    assert_eq!(fs::read(root.join(row["path"].as_str().expect("a path"))).expect("a file"), b"/review\n");
    assert_eq!(gap(&index, "comments", "earlier-version-missing"), 1);
    assert_eq!(gap(&index, "comments", "after-as-of"), 1);
    // The caller may say otherwise.
    done(
        dir.path(),
        &["stage", "--event", "event.json", "--from", "in", "--out", "later", "--as-of", "2026-03-03T00:00:00Z"],
    );
    assert_eq!(having(&dir.path().join("later"), &format!("{MARK} added")).len(), 1);
    let before =
        ["stage", "--event", "event.json", "--from", "in", "--out", "before", "--as-of", "2026-03-01T12:00:00Z"];
    done(dir.path(), &before);
    let root = dir.path().join("before");
    assert_eq!(
        (having(&root, "/review"), having(&root, "the body then"), having(&root, "the title then")),
        (vec![], vec![], vec![])
    );
    assert_eq!(entry(&json_of(&root.join("index.json")), 101)["withheld"]["reason"], "after-as-of");
}

#[test]
fn a_trigger_by_someone_who_is_not_admitted_stays_marked() {
    let dir = scratch();
    write(dir.path(), "event.json", &delivery(&comment(101, &mallory(), Some("NONE"), MARK, [AT, AT])));
    done(dir.path(), &["stage", "--event", "event.json", "--out", "out", "--admit", "members"]);
    let index = json_of(&dir.path().join("out/index.json"));
    let row = entry(&index, 101);
    assert_eq!((&row["trigger"], &row["withheld"]["reason"]), (&json!(true), &json!("not-admitted")));
    assert_eq!(having(&dir.path().join("out"), MARK), [""; 0]);
    assert_eq!(having(&dir.path().join("out"), "the body then"), ["body.md"], "its author is a member");
}

#[test]
fn the_head_is_that_of_the_delivery() {
    let dir = scratch();
    let event = json!({"action": "synchronize", "number": 42, "sender": user(1, "alice"),
        "pull_request": pull((&user(1, "alice"), "MEMBER"), "a title", "a body", AT),
        "repository": delivery(&json!(null))["repository"]});
    write(dir.path(), "event.json", &event);
    let run = |id: u64, head: &str| {
        json!({"id": id, "name": "ci", "head_sha": head, "status": "completed", "conclusion": "success", "started_at": AT,
            "completed_at": AT, "app": {"slug": "ci"}, "check_suite": {"id": 1}, "output": {"title": null, "summary": null}})
    };
    write(dir.path(), "checks.json", &json!({"total_count": 2, "check_runs": [run(1, HEAD), run(2, OLD_HEAD)]}));
    done(dir.path(), &["stage", "--event", "event.json", "--from", "checks.json", "--out", "out"]);
    let index = json_of(&dir.path().join("out/index.json"));
    assert_eq!(index["profile"]["head"], HEAD);
    assert_eq!(gap(&index, "checks", "head-moved"), 1);
    assert!(files(&dir.path().join("out")).keys().any(|path| path.ends_with("-1/check.json")));
}

/// Of what a delivery shows itself, nothing is of another moment or head.
#[test]
fn every_recorded_delivery_is_of_its_own_moment() {
    let Some(root) = shared("data/webhooks") else { return };
    let dir = scratch();
    let mut tried = 0;
    for (name, bytes) in files(&root).into_iter().step_by(3) {
        fs::write(dir.path().join("event.json"), bytes).expect("a delivery");
        let (status, said) =
            crate::support::report(dir.path(), &["stage", "--event", "event.json", "--out", "out", "--replace"]);
        if status != 0 {
            assert_eq!(said["error"]["code"], "event-no-entity", "{name}: {said}");
            continue;
        }
        tried += 1;
        let codes = ["after-as-of", "earlier-version-missing", "as-of-unknown"];
        let gaps =
            said["gaps"].as_array().expect("gaps").iter().filter(|gap| codes.iter().any(|code| gap["code"] == *code));
        assert_eq!(gaps.count(), 0, "{name}: {said}");
    }
    assert!(tried > 10, "{tried}");
}
