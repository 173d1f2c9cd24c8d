//! A refused login is one that the account has or had, wherever a look shows it: in a version that a newer one replaced, in an item that
//! is gone, as an assignee, whoever merged, a reviewer or a member, and by either of its ids.

use std::fs;

use serde_json::{Value, json};

use super::{API, MARK, comment, having, pull, user};
use crate::support::{done, scratch};

const AT: &str = "2026-03-01T00:00:00Z";

/// A recorded answer of the forge, by the hour when it was given.
fn answer(hour: usize, path: &str, body: &Value) -> Value {
    json!({"method": "GET", "url": format!("{API}/{path}"), "status": 200, "body": body,
        "headers": {"Date": format!("Mon, 01 Jun 2026 {hour:02}:00:00 GMT"), "Content-Type": "application/json"}})
}

/// The files in which the text of a comment stands that was written under one login, when another answer shows the account under another.
fn shown(denied: &str, answers: &[Value]) -> Vec<String> {
    let dir = scratch();
    let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    fs::write(dir.path().join("in.ndjson"), lines).expect("written");
    let args = ["stage", "--from", "in.ndjson", "--entity", "acme/web#42", "--out", "out", "--deny-author", denied];
    done(dir.path(), &args);
    having(&dir.path().join("out"), MARK)
}

fn record(change: impl FnOnce(&mut Value)) -> Value {
    let mut record = pull((&user(1, "alice"), "OWNER"), "t", "b", AT);
    change(&mut record);
    answer(12, "pulls/42", &record)
}

fn comments(hour: usize, all: &[(u64, &Value)]) -> Value {
    let all: Vec<_> = all.iter().map(|(id, who)| comment(*id, who, Some("MEMBER"), MARK, [AT, AT])).collect();
    answer(hour, "issues/42/comments?per_page=100", &all.into())
}

#[test]
fn a_login_of_any_look_refuses_the_account() {
    let (old, new) = (user(9, "mallory"), user(9, "mallory-new"));
    let plain = || record(|_| {});
    let of_old = || comments(10, &[(101, &old)]);
    let cases = [
        ("an older version", "mallory", vec![plain(), of_old(), comments(11, &[(101, &new)])]),
        ("a newer version", "mallory-new", vec![plain(), of_old(), comments(11, &[(101, &new)])]),
        ("an item that is gone", "mallory-new", vec![plain(), comments(9, &[(101, &old), (102, &new)]), of_old()]),
        ("an assignee", "mallory-new", vec![record(|record| record["assignees"] = json!([new])), of_old()]),
        ("a reviewer", "mallory-new", vec![record(|record| record["requested_reviewers"] = json!([new])), of_old()]),
        (
            "whoever merged it",
            "mallory-new",
            vec![
                record(|record| {
                    (record["merged_by"], record["merged"], record["state"]) =
                        (new.clone(), true.into(), "closed".into());
                    (record["merged_at"], record["closed_at"]) = (AT.into(), AT.into());
                }),
                of_old(),
            ],
        ),
        (
            "a member",
            "mallory-new",
            vec![plain(), answer(10, "collaborators?per_page=100", &json!([with_role(&new)])), of_old()],
        ),
    ];
    let mut account = new.clone();
    account["public_repos"] = 1.into();
    account["url"] = "https://api.github.com/users/mallory-new".into();
    account["created_at"] = AT.into();
    account["updated_at"] = AT.into();
    let mut record_of_it = answer(12, "", &account);
    record_of_it["url"] = "https://api.github.com/users/mallory-new".into();
    let mut elsewhere = comment(301, &new, Some("NONE"), "elsewhere", [AT, AT]);
    elsewhere["issue_url"] = format!("{API}/issues/43").into();
    elsewhere["html_url"] = "https://github.com/acme/web/issues/43#issuecomment-301".into();
    let elsewhere = answer(10, "issues/43/comments?per_page=100", &json!([elsewhere]));
    let cases = cases.into_iter().chain([
        ("its own record", "mallory-new", vec![plain(), record_of_it, of_old()]),
        ("another thread", "Mallory-New", vec![plain(), elsewhere, of_old()]),
    ]);
    for (what, denied, answers) in cases {
        assert_eq!(shown(denied, &answers), [""; 0], "{what}");
        assert!(!shown("somebody-else", &answers).is_empty(), "{what}: nobody else is refused");
    }
}

fn with_role(user: &Value) -> Value {
    let mut member = user.clone();
    member["role_name"] = "write".into();
    member["permissions"] = json!({"admin": false, "maintain": false, "push": true, "triage": true, "pull": true});
    member
}

#[test]
fn an_account_is_known_by_either_id() {
    let with = |id: Option<u64>, login: &str| {
        let mut user = user(0, login);
        (user["id"], user["node_id"]) = (id.map_or(Value::Null, Value::from), "U_9".into());
        user
    };
    // By its number the account is the one with the opaque id, which wrote under the other login.
    let (refused, both, writer) = (user(9, "mallory"), with(Some(9), "mallory-two"), with(None, "mallory-three"));
    let answers = [
        record(|record| record["assignees"] = json!([refused])),
        comments(10, &[(101, &both)]),
        comments(11, &[(101, &both), (102, &writer)]),
    ];
    assert_eq!(shown("mallory", &answers), [""; 0]);
    assert!(!shown("somebody-else", &answers).is_empty());
}
