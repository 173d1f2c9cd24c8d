//! Two accounts that had one login: wherever a look shows the other, a login alone has nobody's role, and whoever is refused is refused
//! by all that links their logins.

use std::fs;

use serde_json::{Value, json};

use super::{API, HEAD, MARK, OLD_HEAD, comment, having, pull, user};
use crate::support::{done, scratch};

const AT: &str = "2026-03-01T00:00:00Z";

fn answer(path: &str, body: &Value) -> Value {
    let url = if path.starts_with("https:") { path.to_owned() } else { format!("{API}/{path}") };
    json!({"method": "GET", "url": url, "status": 200, "body": body,
        "headers": {"Date": "Mon, 01 Jun 2026 12:00:00 GMT", "Content-Type": "application/json"}})
}

/// All members of the repository.
fn members(all: &[Value]) -> Value {
    let with_role = |user: &Value| {
        let mut member = user.clone();
        member["role_name"] = "admin".into();
        member["permissions"] = json!({"admin": true, "maintain": true, "push": true, "triage": true, "pull": true});
        member
    };
    answer("collaborators?per_page=100", &all.iter().map(with_role).collect())
}

/// The comment of a login, as `gh pr view --json comments` tells it.
fn of_gh(login: &str, association: &str) -> Value {
    json!({"number": 42, "url": "https://github.com/acme/web/pull/42", "comments": [{"id": "IC_kwDOAAAAAc4AAAAx",
        "author": {"login": login}, "authorAssociation": association, "body": MARK, "createdAt": AT, "includesCreatedEdit": false,
        "isMinimized": false, "minimizedReason": "", "reactionGroups": [], "viewerDidAuthor": false,
        "url": "https://github.com/acme/web/pull/42#issuecomment-150"}]})
}

/// Whether the marked text is shown anywhere.
fn shows(answers: &[Value], gh: Option<&Value>, choice: &[&str]) -> bool {
    let dir = scratch();
    let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    fs::write(dir.path().join("in.ndjson"), lines).expect("written");
    let mut args = vec!["stage", "--entity", "acme/web#42", "--out", "out", "--from", "in.ndjson"];
    if let Some(gh) = gh {
        fs::write(dir.path().join("gh.json"), gh.to_string()).expect("written");
        args.push("gh.json");
    }
    done(dir.path(), &[&args, choice].concat());
    !having(&dir.path().join("out"), MARK).is_empty()
}

fn status(creator: &Value, description: &str) -> Value {
    let one = json!({"id": 5, "node_id": "SC_5", "url": format!("{API}/statuses/{HEAD}"), "state": "success", "context": "ci",
        "description": description, "target_url": null, "creator": creator, "created_at": AT, "updated_at": AT});
    answer(&format!("commits/{HEAD}/statuses?per_page=100"), &json!([one]))
}

fn record_of(user: &Value) -> Value {
    let mut account = user.clone();
    let url = format!("https://api.github.com/users/{}", user["login"].as_str().expect("a login"));
    (account["url"], account["public_repos"]) = (url.as_str().into(), 1.into());
    (account["created_at"], account["updated_at"]) = (AT.into(), AT.into());
    answer(&url, &account)
}

/// Answers with an account in every place where the forge puts one.
fn everywhere() -> Vec<Value> {
    let bob = user(5, "bob");
    let mut record = pull((&bob, "OWNER"), "t", "b", AT);
    let side = |name: &str, sha: &str| {
        json!({"ref": name, "sha": sha, "label": format!("bob:{name}"), "user": bob,
        "repo": {"id": 3, "name": "web", "full_name": "acme/web", "owner": bob, "url": API, "html_url": "https://github.com/acme/web"}})
    };
    (record["head"], record["base"]) = (side("topic", HEAD), side("main", OLD_HEAD));
    for list in ["assignees", "requested_reviewers"] {
        record[list] = json!([bob]);
    }
    for one in ["merged_by", "closed_by"] {
        record[one] = bob.clone();
    }
    record["milestone"] = json!({"id": 1, "number": 1, "title": "m", "creator": bob});
    record["auto_merge"] = json!({"enabled_by": bob, "merge_method": "merge"});
    let mut said = comment(103, &bob, Some("NONE"), "c", [AT, AT]);
    said["performed_via_github_app"] = json!({"id": 9, "slug": "app", "name": "app", "owner": bob});
    let review = json!({"id": 201, "node_id": "PRR_201", "user": bob, "author_association": "NONE", "body": "r", "state": "APPROVED",
        "submitted_at": AT, "commit_id": HEAD, "html_url": "https://github.com/acme/web/pull/42#pullrequestreview-201",
        "pull_request_url": format!("{API}/pulls/42")});
    let mut place = comment(301, &bob, Some("NONE"), "p", [AT, AT]);
    place.as_object_mut().expect("an object").remove("issue_url");
    for (name, value) in [
        ("url", json!(format!("{API}/pulls/comments/301"))),
        ("pull_request_url", json!(format!("{API}/pulls/42"))),
        ("path", json!("a.rs")),
        ("diff_hunk", json!("@@ -1 +1 @@\n-a\n+b")),
        ("commit_id", json!(HEAD)),
        ("original_commit_id", json!(HEAD)),
        ("pull_request_review_id", json!(201)),
    ] {
        place[name] = value;
    }
    let commit = json!([{"sha": HEAD, "node_id": "C_1", "parents": [], "author": bob, "committer": bob,
        "html_url": format!("https://github.com/acme/web/commit/{HEAD}"), "url": format!("{API}/commits/{HEAD}"),
        "commit": {"message": "m", "author": {"name": "n", "email": "e", "date": AT}, "committer": {"name": "n", "email": "e", "date": AT}}}]);
    let event = json!([{"id": 401, "node_id": "E_401", "url": format!("{API}/issues/events/401"), "actor": bob, "event": "assigned",
        "created_at": AT, "assignee": bob, "assigner": bob, "requested_reviewer": bob, "review_requester": bob}]);
    let reaction = json!([{"id": 501, "node_id": "REA_1", "user": bob, "content": "rocket", "created_at": AT}]);
    let run = json!({"total_count": 1, "check_runs": [{"id": 10, "node_id": "CR", "name": "build", "head_sha": HEAD, "status": "completed",
        "conclusion": "success", "url": format!("{API}/check-runs/10"), "html_url": "https://github.com/acme/web/runs/10",
        "details_url": null, "started_at": AT, "completed_at": AT, "output": {"title": null, "summary": null},
        "check_suite": {"id": 7}, "app": {"id": 2, "slug": "app", "name": "app", "owner": bob}, "pull_requests": []}]});
    vec![
        answer("pulls/42", &record),
        answer("issues/42/comments?per_page=100", &json!([said])),
        answer("pulls/42/reviews?per_page=100", &json!([review])),
        answer("pulls/42/comments?per_page=100", &json!([place])),
        answer("pulls/42/commits?per_page=100", &commit),
        answer("issues/42/timeline?per_page=100", &event),
        answer("issues/42/reactions?per_page=100", &reaction),
        answer(&format!("commits/{HEAD}/check-runs?per_page=100"), &run),
        status(&bob, "d"),
        record_of(&user(1, "alice")),
        members(&[user(1, "alice"), bob]),
    ]
}

/// Calls back for each account of a payload, which may be changed.
fn each(value: &mut Value, change: &mut impl FnMut(&mut Value)) {
    if value.get("login").is_some() {
        change(value);
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, change)),
        Value::Object(members) => members.values_mut().for_each(|item| each(item, change)),
        _ => {}
    }
}

#[test]
fn a_login_has_no_role_when_any_place_shows_it_of_another_account() {
    let role: &[&str] = &["--admit", "role:write"];
    let gh = of_gh("alice", "NONE");
    let answers = everywhere();
    assert!(shows(&answers, Some(&gh), role), "nobody else has the login");
    let mut places = 0;
    answers.clone().iter_mut().for_each(|answer| each(answer, &mut |_| places += 1));
    assert!(places >= 28, "{places}");
    for place in 0..places {
        let (mut changed, mut at, mut what) = (answers.clone(), 0, Value::Null);
        for answer in &mut changed {
            let url = answer["url"].clone();
            each(answer, &mut |account| {
                if at == place {
                    // Of the list of members its own row for alice stays what it is.
                    what = json!([url, account["login"]]);
                    account["login"] = "alice".into();
                    account["id"] = 2.into();
                }
                at += 1;
            });
        }
        assert!(!shows(&changed, Some(&gh), role), "{place}: {what}");
    }
}

#[test]
fn a_status_is_by_the_account_that_made_it() {
    let (alice, mallory) = (user(1, "alice"), user(9, "mallory"));
    let record = |author: &Value| answer("pulls/42", &pull((author, "MEMBER"), "t", "b", AT));
    let said = |who: &Value, word: &str| {
        answer("issues/42/comments?per_page=100", &json!([comment(101, who, Some(word), "hi", [AT, AT])]))
    };
    let plain = vec![record(&alice), members(std::slice::from_ref(&alice))];
    let cases = [
        ("the member", [plain.clone(), vec![status(&alice, MARK)]].concat(), &["--admit", "role:write"][..], true),
        (
            "another of the same login",
            [plain.clone(), vec![status(&user(2, "alice"), MARK)]].concat(),
            &["--admit", "role:write"],
            false,
        ),
        (
            "refused under another login",
            vec![record(&alice), said(&mallory, "NONE"), status(&user(9, "mallory-two"), MARK)],
            &["--deny-author", "mallory"],
            false,
        ),
        (
            "somebody else is refused",
            vec![record(&alice), said(&mallory, "NONE"), status(&user(8, "mallory-two"), MARK)],
            &["--deny-author", "mallory"],
            true,
        ),
        (
            "the association of another account",
            vec![record(&alice), said(&alice, "MEMBER"), status(&user(2, "alice"), MARK)],
            &["--admit", "association:MEMBER"],
            false,
        ),
        (
            "a bot by its type alone",
            vec![record(&alice), status(&json!({"login": "ci", "id": 7, "type": "Bot"}), MARK)],
            &["--bots", "exclude"],
            false,
        ),
        ("a person", vec![record(&alice), status(&user(7, "ci"), MARK)], &["--bots", "exclude"], true),
    ];
    for (what, answers, choice, expected) in cases {
        assert_eq!(shows(&answers, None, choice), expected, "{what}");
    }
}

#[test]
fn whom_a_whole_list_of_members_leaves_out_is_not_heard_by_a_login_either() {
    let (alice, mallory) = (user(1, "alice"), user(9, "mallory"));
    let record = answer("pulls/42", &pull((&alice, "MEMBER"), "t", "b", AT));
    let whole = [record.clone(), members(std::slice::from_ref(&alice))];
    let heard = |answers: &[Value], login: &str| shows(answers, Some(&of_gh(login, "MEMBER")), &["--admit", "members"]);
    assert!(heard(&whole, "alice"));
    assert!(!heard(&whole, "mallory"), "by a login that no member has");
    assert!(
        heard(std::slice::from_ref(&record), "mallory"),
        "nothing tells the members, so that the association counts"
    );
    let said = |who: &Value| {
        answer("issues/42/comments?per_page=100", &json!([comment(101, who, Some("NONE"), "hi", [AT, AT])]))
    };
    let met = [&whole[..], &[said(&mallory)]].concat();
    assert!(!heard(&met, "mallory"), "by the login of one that the list leaves out");
    let shared = [&whole[..], &[said(&user(2, "alice"))]].concat();
    assert!(!heard(&shared, "alice"), "by the login of a member and of one that is none");
}

#[test]
fn a_record_of_an_account_links_its_logins() {
    let record = answer("pulls/42", &pull((&user(5, "bob"), "OWNER"), "t", "b", AT));
    let said = |who: &Value, text: &str| {
        answer("issues/42/comments?per_page=100", &json!([comment(103, who, Some("NONE"), text, [AT, AT])]))
    };
    let gh = of_gh("mallory-two", "NONE");
    let deny: &[&str] = &["--deny-author", "mallory"];
    let old = said(&user(9, "mallory"), "z");
    assert!(shows(&[record.clone(), old.clone()], Some(&gh), deny), "nothing links the two");
    let link = record_of(&user(9, "Mallory-Two"));
    assert!(!shows(&[record.clone(), old.clone(), link], Some(&gh), deny), "the record of the new login");
    let other = record_of(&user(8, "mallory-two"));
    assert!(shows(&[record, old, other], Some(&gh), deny), "that of somebody else");
}
