//! How many reactions of each kind a comment or the entity has, by whichever forge and API.

use std::fs;

use serde_json::{Value, json};

use crate::support::{done, scratch};

const API: &str = "https://api.github.com/repos/acme/web/issues";

fn comment(id: u64, reactions: &Value) -> Value {
    let mut comment = json!({"id": id, "body": "x", "user": {"login": "ann", "id": 1}, "issue_url": format!("{API}/42"),
        "url": format!("{API}/comments/{id}"), "created_at": "2026-01-01T00:00:00Z", "node_id": format!("IC_{id}")});
    if !reactions.is_null() {
        comment["reactions"] = reactions.clone();
    }
    comment
}

/// The reactions of entity.json, and of the rows of comments, of a stage of the inputs.
fn staged(inputs: &[(&str, Value)], entity: &str) -> (Value, Vec<Value>) {
    let dir = scratch();
    let mut args = vec!["stage", "--observed-at", "2026-01-01T00:00:00Z", "--entity", entity, "--out", "out", "--from"];
    for (name, value) in inputs {
        fs::write(dir.path().join(name), value.to_string()).expect("written");
        args.push(name);
    }
    done(dir.path(), &args);
    let read = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(dir.path().join("out").join(name)).expect("read")).expect("JSON")
    };
    let index = read("index.json");
    let rows = index["entries"].as_array().expect("entries").iter().filter(|row| row["role"] == "comment");
    (read("entity.json")["reactions"].clone(), rows.map(|row| row["reactions"].clone()).collect())
}

fn one(content: &str, count: u64) -> Value {
    json!({"content": content, "count": count})
}

#[test]
fn rest_and_graphql_count_alike_and_what_is_not_told_is_not_known() {
    let summary = json!({"url": "x", "total_count": 3, "+1": 2, "-1": 0, "laugh": 0, "hooray": 0, "confused": 0, "heart": 1,
        "rocket": 0, "eyes": 0});
    let issue = json!({"number": 42, "title": "t", "state": "open", "url": format!("{API}/42"), "body": null,
        "created_at": "2026-01-01T00:00:00Z", "reactions": summary});
    let none = json!({"total_count": 0, "+1": 0});
    let rest = [
        ("issue.json", issue),
        (
            "comments.json",
            json!([
                comment(1, &summary),
                comment(2, &none),
                comment(3, &json!({"total_count": 1})),
                comment(4, &Value::Null)
            ]),
        ),
    ];
    let expected = json!([one("+1", 2), one("heart", 1)]);
    let shown = (expected.clone(), vec![expected.clone(), json!([]), Value::Null, Value::Null]);
    assert_eq!(staged(&rest, "acme/web#42"), shown);
    let groups = json!([{"content": "THUMBS_UP", "users": {"totalCount": 2}}, {"content": "HEART", "reactors": {"totalCount": 1}},
        {"content": "EYES", "users": {"totalCount": 0}}]);
    let node = |id: u64, groups: Value| {
        json!({"id": format!("IC_{id}"), "databaseId": id, "body": "x", "author": {"login": "ann"},
            "createdAt": "2026-01-01T00:00:00Z", "reactionGroups": groups})
    };
    let query = json!({"data": {"repository": {"nameWithOwner": "acme/web", "issue": {"number": 42, "title": "t", "state": "OPEN",
        "body": null, "createdAt": "2026-01-01T00:00:00Z", "reactionGroups": groups,
        "comments": {"nodes": [node(1, groups.clone()), node(2, json!([])), node(3, json!([{"content": "PARTY", "users": {"totalCount": 1}}])),
            node(4, Value::Null)]}}}}});
    assert_eq!(staged(&[("query.json", query)], "acme/web#42"), shown);
}

#[test]
fn a_whole_list_counts_where_nothing_else_does() {
    let api = "https://gitea.example.org/api/v1/repos/acme/web/issues";
    let page = "https://gitea.example.org/acme/web/issues/3";
    let user = json!({"login": "ann", "username": "ann", "id": 1});
    let reaction = |content: &str, login: &str| json!({"content": content, "user": {"login": login, "username": login, "id": 2}, "created_at": "2026-01-01T00:00:00Z"});
    let answer = |url: String, body: Value| json!({"method": "GET", "url": url, "status": 200, "headers": {"Date": "Thu, 01 Jan 2026 00:00:00 GMT"}, "body": body});
    let issue = json!({"number": 3, "title": "t", "state": "open", "html_url": page, "user": user, "pull_request": null,
        "created_at": "2026-01-01T00:00:00Z", "body": "", "is_locked": false});
    let comment = json!({"id": 7, "body": "x", "user": user, "issue_url": page, "html_url": format!("{page}#issuecomment-7"),
        "pull_request_url": "", "created_at": "2026-01-01T00:00:00Z"});
    let lines = [
        answer(format!("{api}/3"), issue),
        answer(format!("{api}/3/comments"), json!([comment])),
        answer(
            format!("{api}/comments/7/reactions"),
            json!([reaction("+1", "bob"), reaction("party", "bob"), reaction("+1", "cat")]),
        ),
    ];
    let dir = scratch();
    let text: Vec<_> = lines.iter().map(Value::to_string).collect();
    fs::write(dir.path().join("recording.jsonl"), text.join("\n")).expect("written");
    done(dir.path(), &["stage", "--out", "out", "--from", "recording.jsonl"]);
    let index: Value =
        serde_json::from_slice(&fs::read(dir.path().join("out/index.json")).expect("read")).expect("JSON");
    let row = index["entries"].as_array().expect("entries").iter().find(|row| row["role"] == "comment").expect("one");
    assert_eq!(row["reactions"], json!([one("+1", 2), one("party", 1)]));
}
