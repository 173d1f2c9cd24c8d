//! Admission by roles that a forge was asked for: a role that is known decides, the newest look tells it, and what is not known is not "no".

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{API, comment, entry, gap, json_of, pull, stage, user, write};
use crate::contracts::assert_valid;
use crate::support::{arg, done, files, report, scratch, testdata};

const AT: [&str; 2] = ["2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z"];
const EARLIER: [&str; 2] = ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"];

/// A pull request with a comment of each account, under the id of the account and a hundred.
fn github(dir: &Path, accounts: &[(u64, &str, Option<&str>)]) {
    write(&dir.join("in"), "pull.json", &pull((&user(1, "alice"), "MEMBER"), "title", "body", AT[1]));
    let one = |(id, login, word): &(u64, &str, Option<&str>)| {
        comment(100 + id, &user(*id, login), *word, &format!("by {login}"), AT)
    };
    write(&dir.join("in"), "comments.json", &accounts.iter().map(one).collect());
}

/// A recorded answer.
fn answer(url: &str, at: &str, body: &Value) -> String {
    let headers = json!({"Date": at});
    format!("{}\n", json!({"method": "GET", "url": url, "status": 200, "headers": headers, "body": body}))
}

fn permission(account: &Value, permission: &str, role: Option<&str>) -> Value {
    let mut value = json!({"permission": permission, "user": account});
    role.into_iter().for_each(|role| value["role_name"] = role.into());
    value
}

/// Which of the accounts are heard: `None` when nothing tells.
fn heard(index: &Value, ids: &[u64]) -> Vec<Option<bool>> {
    let one = |id: &u64| match entry(index, 100 + id).get("withheld").map(|row| row["reason"].clone()) {
        None => Some(true),
        Some(reason) if reason == "admission-unknown" => None,
        Some(reason) => {
            assert_eq!(reason, "not-admitted");
            Some(false)
        }
    };
    ids.iter().map(one).collect()
}

fn role_of(root: &Path, id: u64) -> Value {
    let actors = json_of(&root.join("actors.json"));
    assert_valid("actors", &actors, "actors.json");
    let rows = actors["actors"].as_array().expect("rows").clone();
    rows.into_iter().find(|row| row["id"] == id).expect("the account").get("role").cloned().unwrap_or_default()
}

#[test]
fn a_role_that_is_known_decides_and_the_association_only_without_one() {
    let dir = scratch();
    let people = [
        (2, "reads", Some("MEMBER")),
        (3, "triages", Some("NONE")),
        (4, "member", Some("MEMBER")),
        (5, "stranger", Some("NONE")),
        (6, "writes", None),
    ];
    github(dir.path(), &people);
    let of = |id, login: &str, word: &str, role| {
        let url = format!("{API}/collaborators/{login}/permission");
        answer(&url, "Mon, 02 Mar 2026 00:00:00 GMT", &permission(&user(id, login), word, Some(role)))
    };
    let lines = [of(2, "reads", "read", "read"), of(3, "triages", "read", "triage"), of(6, "writes", "write", "write")];
    fs::write(dir.path().join("in/roles.jsonl"), lines.concat()).expect("a recording");
    let shown = |out: &str, admit: &str| heard(&stage(dir.path(), out, &["--admit", admit]), &[2, 3, 4, 5, 6]);
    assert_eq!(shown("a", "members"), [false, true, true, false, true].map(Some));
    assert_eq!(shown("b", "role:write"), [Some(false), Some(false), None, None, Some(true)]);
    assert_eq!(shown("c", "role:READ"), [Some(true), Some(true), None, None, Some(true)]);
    // An association is asked for by name: no role stands for one.
    assert_eq!(shown("d", "association:MEMBER"), [Some(true), Some(false), Some(true), Some(false), None]);
    assert_eq!(role_of(&dir.path().join("a"), 3), "triage");
    assert_eq!(role_of(&dir.path().join("a"), 4), Value::Null);
    let index = json_of(&dir.path().join("b/index.json"));
    assert_eq!(index["profile"]["admit"], "role:write");
    assert_valid("profile", &index["profile"], "the profile");
    // Refusing wins, and a list of those who are heard needs no role.
    let more = ["--admit", "role:write", "--deny-author", "writes", "--allow-author", "stranger"];
    let index = stage(dir.path(), "e", &more);
    assert_eq!(heard(&index, &[2, 3, 4, 5, 6]), [Some(false), Some(false), None, Some(true), Some(false)]);
    for word in ["role:none", "role:owner", "role:", "role:read,write"] {
        let (status, said) = report(dir.path(), &["stage", "--from", "in", "--out", "x", "--admit", word]);
        assert_eq!(status, 2, "{word}: {said}");
    }
}

#[test]
fn every_word_of_a_forge_has_its_role_and_any_other_has_none() {
    let flags = |strongest: &str| {
        let all = ["pull", "triage", "push", "maintain", "admin"];
        let upto = all.iter().position(|flag| *flag == strongest);
        json!(
            all.iter()
                .enumerate()
                .map(|(at, flag)| (*flag, upto.is_some_and(|upto| at <= upto)))
                .collect::<std::collections::BTreeMap<_, _>>()
        )
    };
    let with = |flags: Value| json!({"login": "bob", "id": 2, "type": "User", "avatar_url": "https://a.example", "permissions": flags});
    let plain = user(2, "bob");
    let mut cases: Vec<(Value, Option<&str>)> = Vec::new();
    for word in ["admin", "maintain", "write", "triage", "read", "none"] {
        cases.push((permission(&plain, "read", Some(word)), Some(word)));
    }
    for (flag, role) in [
        ("admin", "admin"),
        ("maintain", "maintain"),
        ("push", "write"),
        ("triage", "triage"),
        ("pull", "read"),
        ("", "none"),
    ] {
        cases.push((permission(&with(flags(flag)), "read", Some("release captain")), Some(role)));
        cases.push((with(flags(flag)), Some(role)));
    }
    cases.push((permission(&plain, "write", Some("release captain")), Some("write")));
    cases.push((permission(&plain, "admin", None), Some("admin")));
    cases.push((permission(&plain, "superuser", Some("release captain")), None));
    // The older word has four values; a fifth is not guessed at.
    cases.push((permission(&plain, "maintain", None), None));
    cases.push((permission(&with(json!({"pull": "yes"})), "?", None), None));
    let dir = scratch();
    github(dir.path(), &[(2, "bob", None)]);
    for (at, (payload, role)) in cases.iter().enumerate() {
        write(&dir.path().join("in"), "role.json", payload);
        let index = stage(dir.path(), "out", &["--replace"]);
        assert_eq!(role_of(&dir.path().join("out"), 2), json!(role), "{at}: {payload}");
        assert_eq!(gap(&index, "members", "invalid-metadata"), u64::from(role.is_none()), "{at}: {payload}");
    }
}

fn gitlab(dir: &Path) {
    let at = "https://gitlab.com/acme/web";
    let account = |id: u64| json!({"id": id, "username": format!("u{id}"), "name": "x", "state": "active", "web_url": format!("https://gitlab.com/u{id}")});
    let issue = json!({"id": 900, "iid": 5, "project_id": 3, "title": "t", "description": "d", "state": "opened", "author": account(1),
        "created_at": AT[0], "updated_at": AT[1], "web_url": format!("{at}/-/issues/5"), "labels": []});
    write(&dir.join("in"), "issue.json", &issue);
    let note = |id: u64| {
        json!({"id": 100 + id, "body": "said", "author": account(id), "created_at": AT[0], "updated_at": AT[1],
        "system": false, "noteable_type": "Issue", "noteable_iid": 5, "noteable_id": 900})
    };
    write(&dir.join("in"), "notes.json", &(0..=9).map(note).collect());
    let member = |(id, level): (u64, u64)| {
        let mut value = account(id);
        value["access_level"] = level.into();
        value
    };
    let levels = [(0, 0), (1, 5), (2, 10), (3, 15), (4, 20), (5, 30), (6, 40), (7, 50), (9, 50)];
    let mut members: Vec<Value> = levels.map(member).into();
    members[8]["membership_state"] = "awaiting".into();
    let url = "https://gitlab.com/api/v4/projects/acme%2Fweb/members/all";
    let line = json!({"method": "GET", "url": url, "status": 200, "body": members,
        "headers": {"Date": "Mon, 02 Mar 2026 00:00:00 GMT", "X-Total": "9"}});
    fs::write(dir.join("in/members.jsonl"), format!("{line}\n")).expect("a recording");
}

#[test]
fn members_of_gitlab_are_heard_by_their_level_and_whoever_is_none_is_not() {
    let dir = scratch();
    gitlab(dir.path());
    let staged = |out: &str, more: &[&str]| {
        done(dir.path(), &[&["stage", "--from", "in", "--out", out], more].concat());
        let index = json_of(&dir.path().join(out).join("index.json"));
        assert_valid("index", &index, out);
        index
    };
    let index = staged("a", &["--admit", "members"]);
    let (no, yes, unknown) = (Some(false), Some(true), None);
    assert_eq!(heard(&index, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), [no, no, no, unknown, yes, yes, yes, yes, no, no]);
    assert_eq!(gap(&index, "members", "invalid-metadata"), 1, "a planner has none of the five roles");
    let roles = [
        Some("none"),
        Some("none"),
        Some("read"),
        None,
        Some("triage"),
        Some("write"),
        Some("maintain"),
        Some("admin"),
        None,
    ];
    for (id, role) in roles.into_iter().enumerate() {
        assert_eq!(role_of(&dir.path().join("a"), id as u64), json!(role), "{id}");
    }
    let index = staged("b", &["--admit", "role:maintain"]);
    assert_eq!(heard(&index, &[4, 5, 6, 7, 8]), [no, no, yes, yes, no]);
    // The same members as a plain file, of which nothing tells that they are all: then an absent one is unknown.
    let text = fs::read_to_string(dir.path().join("in/members.jsonl")).expect("the recording");
    let line: Value = serde_json::from_str(&text).expect("JSON");
    fs::remove_file(dir.path().join("in/members.jsonl")).expect("removed");
    write(dir.path(), "members.json", &line["body"]);
    let index = staged("c", &["--admit", "members", "--from", "members=members.json"]);
    assert_eq!(heard(&index, &[2, 5, 8]), [no, yes, unknown]);
}

#[test]
fn gitea_tells_one_account_at_a_time() {
    let dir = scratch();
    let at = "https://gitea.com/acme/web";
    let account = |id: u64| json!({"id": id, "login": format!("u{id}"), "username": format!("u{id}"), "avatar_url": "https://a.example"});
    let issue = json!({"id": 900, "number": 5, "title": "t", "body": "d", "state": "open", "user": account(1), "original_author": "",
        "created_at": AT[0], "updated_at": AT[1], "html_url": format!("{at}/issues/5"), "url": "https://gitea.com/api/v1/repos/acme/web/issues/5",
        "labels": [], "pull_request": null});
    write(&dir.path().join("in"), "issue.json", &issue);
    let note = |id: u64, other: &str| {
        json!({"id": 100 + id, "body": "said", "user": account(id), "created_at": AT[0], "updated_at": AT[1],
        "issue_url": format!("{at}/issues/5"), "pull_request_url": "", "html_url": format!("{at}/issues/5#issuecomment-1"), "original_author": other})
    };
    // The last was written elsewhere by somebody of the login of a member.
    write(
        &dir.path().join("in"),
        "comments.json",
        &json!([note(1, ""), note(2, ""), note(3, ""), note(4, ""), note(5, ""), note(6, "u1")]),
    );
    let words = [(1, "owner"), (2, "write"), (3, "read"), (4, "none"), (5, "czar")];
    let lines = words.map(|(id, word)| {
        answer(
            &format!("https://gitea.com/api/v1/repos/acme/web/collaborators/u{id}/permission"),
            "Mon, 02 Mar 2026 00:00:00 GMT",
            &permission(&account(id), word, Some(word)),
        )
    });
    fs::write(dir.path().join("in/roles.jsonl"), lines.concat()).expect("a recording");
    done(dir.path(), &["stage", "--from", "in", "--out", "a", "--admit", "members"]);
    let index = json_of(&dir.path().join("a/index.json"));
    assert_eq!(heard(&index, &[1, 2, 3, 4, 5, 6]), [Some(true), Some(true), Some(false), Some(false), None, None]);
    assert_eq!((role_of(&dir.path().join("a"), 1), role_of(&dir.path().join("a"), 5)), (json!("admin"), Value::Null));
}

#[test]
fn the_newest_look_tells_a_role_and_two_of_one_moment_tell_none() {
    let dir = scratch();
    github(dir.path(), &[(2, "bob", None), (3, "eve", None)]);
    done(dir.path(), &["init", "store"]);
    let observe = |time: &str, payload: &Value, more: &[&str]| {
        write(dir.path(), "roles.json", payload);
        let base =
            ["--store", "store", "observe", "--observed-at", time, "--entity", "github:github.com/acme/web/pull/42"];
        done(dir.path(), &[&base[..], more, &["members=roles.json"]].concat());
    };
    done(dir.path(), &["--store", "store", "observe", "in"]);
    let staged = |out: &str| {
        done(
            dir.path(),
            &["--store", "store", "stage", "acme/web#42", "--out", out, "--admit", "members", "--replace"],
        );
        json_of(&dir.path().join(out).join("index.json"))
    };
    assert_eq!(heard(&staged("out"), &[2, 3]), [None, None], "nobody was asked");
    let both = json!([permission(&user(2, "bob"), "admin", None), permission(&user(3, "eve"), "write", None)]);
    observe("2026-03-01T00:00:00Z", &both, &[]);
    assert_eq!(heard(&staged("out"), &[2, 3]), [Some(true), Some(true)]);
    // An earlier look that is filed later changes nothing, a later one does; a role that cannot be read is not the one before.
    observe("2026-02-01T00:00:00Z", &permission(&user(2, "bob"), "none", None), &[]);
    assert_eq!(heard(&staged("out"), &[2, 3]), [Some(true), Some(true)]);
    observe("2026-03-02T00:00:00Z", &permission(&user(2, "bob"), "tsar", None), &[]);
    assert_eq!(heard(&staged("out"), &[2, 3]), [None, Some(true)]);
    observe("2026-03-03T00:00:00Z", &permission(&user(2, "bob"), "none", None), &[]);
    assert_eq!(heard(&staged("out"), &[2, 3]), [Some(false), Some(true)]);
    // A list of all takes from whoever is not in it what he had.
    let list = json!([{"login": "bob", "id": 2, "type": "User", "role_name": "write", "permissions": {"pull": true}}]);
    observe("2026-03-04T00:00:00Z", &list, &["--complete"]);
    assert_eq!(heard(&staged("out"), &[2, 3]), [Some(true), Some(false)]);
    // Two answers of one moment that differ: only a digest would choose.
    observe("2026-03-05T00:00:00Z", &permission(&user(2, "bob"), "admin", None), &[]);
    observe("2026-03-05T00:00:00Z", &permission(&user(2, "bob"), "none", None), &[]);
    let index = staged("out");
    assert_eq!(heard(&index, &[2, 3]), [None, Some(false)]);
    assert_eq!(gap(&index, "members", "order-ambiguous"), 1);
}

#[test]
fn a_role_is_of_no_time_and_a_stage_of_a_record_keeps_those_that_it_was_made_of() {
    let dir = scratch();
    github(dir.path(), &[(2, "bob", None), (3, "eve", Some("NONE"))]);
    let url = format!("{API}/collaborators/bob/permission");
    let asked = |word: &str, at: &str| answer(&url, at, &permission(&user(2, "bob"), word, None));
    fs::write(dir.path().join("in/roles.jsonl"), asked("write", "Wed, 01 Apr 2026 00:00:00 GMT")).expect("a recording");
    let choice = ["--admit", "members", "--as-of", "2026-03-10T00:00:00Z"];
    let index = stage(dir.path(), "out", &choice);
    assert_eq!(heard(&index, &[2, 3]), [Some(true), Some(false)], "whom to hear is decided now");
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", "in"]);
    let base = ["--store", "store", "stage", "acme/web#42", "--record", "--out", "filed"];
    let said = done(dir.path(), &[&base[..], &choice].concat());
    assert_eq!(files(&dir.path().join("filed")), files(&dir.path().join("out")));
    let digest = said["indexDigest"].as_str().expect("a digest");
    fs::write(dir.path().join("later.jsonl"), asked("none", "Fri, 01 May 2026 00:00:00 GMT")).expect("a recording");
    done(dir.path(), &["--store", "store", "observe", "later.jsonl"]);
    let again = done(dir.path(), &["--store", "store", "stage", "--replay", digest, "--out", "again"]);
    assert_eq!(again["replay"]["same"], true);
    assert_eq!(files(&dir.path().join("again")), files(&dir.path().join("out")));
    assert_eq!(done(dir.path(), &["--store", "store", "verify", "store"])["verified"], true);
    let later = ["--store", "store", "stage", "acme/web#42", "--out", "later"];
    done(dir.path(), &[&later[..], &choice].concat());
    assert_eq!(heard(&json_of(&dir.path().join("later/index.json")), &[2]), [Some(false)]);
    // A snapshot is of the thread alone.
    done(dir.path(), &["--store", "store", "snapshot", "--out", "snapshot"]);
    assert!(
        !files(&dir.path().join("snapshot"))
            .values()
            .any(|bytes| String::from_utf8_lossy(bytes).contains("\"role\":\"write\""))
    );
}

#[test]
fn an_answer_about_one_account_is_no_list_whatever_the_caller_says() {
    let dir = scratch();
    github(dir.path(), &[(2, "bob", None), (3, "eve", Some("MEMBER"))]);
    let answers = [
        permission(&user(2, "bob"), "write", None).to_string(),
        json!({"message": "Not Found", "status": "404"}).to_string(),
    ];
    fs::write(dir.path().join("answers.json"), answers.join("\n")).expect("answers");
    write(dir.path(), "list.json", &json!([permission(&user(2, "bob"), "write", None)]));
    for members in ["members=answers.json", "members=list.json"] {
        let more = ["--complete", "--admit", "members", "--from", members];
        assert_eq!(heard(&stage(dir.path(), members, &more), &[2, 3]), [Some(true), Some(true)], "{members}");
    }
}

#[test]
fn a_login_stands_for_an_account_whose_id_is_not_told() {
    let dir = scratch();
    let comment = |id: u64, login: &str, word: &str| {
        json!({"id": format!("IC_{id}"), "author": {"login": login}, "authorAssociation": word, "body": "said",
        "createdAt": AT[0], "includesCreatedEdit": false, "url": format!("https://github.com/acme/web/pull/42#issuecomment-{id}")})
    };
    let pull = json!({"number": 42, "title": "t", "body": "b", "state": "OPEN", "author": {"login": "ann", "is_bot": false}, "headRefName": "topic",
        "createdAt": AT[0], "updatedAt": AT[1], "url": "https://github.com/acme/web/pull/42",
        "comments": [comment(102, "Bob", "NONE"), comment(103, "eve", "MEMBER"), comment(104, "twice", "MEMBER")]});
    write(&dir.path().join("in"), "pull.json", &pull);
    let list = json!([
        permission(&user(2, "bob"), "write", None),
        permission(&user(3, "eve"), "read", None),
        permission(&user(4, "twice"), "write", None),
        permission(&user(5, "twice"), "none", None)
    ]);
    write(dir.path(), "roles.json", &list);
    let index = stage(dir.path(), "out", &["--admit", "members", "--from", "members=roles.json"]);
    let rows = index["entries"].as_array().expect("entries").iter().filter(|row| row["role"] == "comment");
    let mut heard: Vec<_> = rows.map(|row| (row["author"]["login"].as_str(), row.get("withheld").is_none())).collect();
    heard.sort_unstable();
    // A login that two accounts have is nobody's, so that the association counts.
    assert_eq!(heard, [(Some("Bob"), true), (Some("eve"), false), (Some("twice"), true)]);
}

/// Stages a pull request of an author of whom the login `bob` alone is told, beside comments that tell ids, with a comment of that login or
/// without; the entries of a role.
fn of_bob(dir: &Path, beside: &Value, role: &str, more: &[&str]) -> Vec<Value> {
    let said = json!({"id": "IC_1", "author": {"login": "bob"}, "authorAssociation": "NONE", "body": "steal", "createdAt": AT[0],
        "includesCreatedEdit": false, "url": "https://github.com/acme/web/pull/42#issuecomment-100"});
    let mut pull = json!({"number": 42, "title": "t", "body": "b", "state": "OPEN", "author": {"login": "bob"}, "headRefName": "topic",
        "createdAt": AT[0], "updatedAt": AT[1], "url": "https://github.com/acme/web/pull/42"});
    if role == "comment" {
        pull["comments"] = json!([said]);
    }
    write(&dir.join("in"), "pull.json", &pull);
    write(&dir.join("in"), "beside.json", beside);
    let index = stage(dir, "out", &[&["--replace", "--partial"], more].concat());
    let rows = index["entries"].as_array().expect("entries").iter().filter(|row| row["role"] == role);
    rows.filter(|row| role != "comment" || row["source"]["id"] == "IC_1").cloned().collect()
}

#[test]
fn a_login_that_went_to_another_account_has_nobody_s_role() {
    let dir = scratch();
    write(dir.path(), "roles.json", &json!([permission(&user(2, "bob"), "admin", None)]));
    let by = |id: u64, account: &Value| comment(id, account, Some("NONE"), "by somebody", EARLIER);
    let with_node = |id: u64, node: &str| {
        let mut account = user(id, "bob");
        account["node_id"] = node.into();
        account
    };
    let cases = [
        (json!([by(201, &user(3, "eve"))]), true),
        (json!([by(201, &user(2, "Bob")), by(202, &with_node(2, "U_2"))]), true),
        // The account that had it has another now; another has it; both.
        (json!([by(201, &user(2, "bob2"))]), false),
        (json!([by(201, &user(5, "BOB"))]), false),
        (json!([by(201, &user(2, "bob2")), by(202, &user(5, "bob"))]), false),
    ];
    for (beside, is_heard) in cases {
        let more = ["--from", "members=roles.json", "--admit"];
        let rows = of_bob(dir.path(), &beside, "comment", &[&more[..], &["role:admin"]].concat());
        let reasons: Vec<_> = rows.iter().map(|row| row["withheld"]["reason"].as_str()).collect();
        assert_eq!(reasons, [(!is_heard).then_some("admission-unknown")], "{beside}");
        let actors = json_of(&dir.path().join("out/actors.json"));
        let mut rows = actors["actors"].as_array().expect("rows").iter();
        let nobody = rows.find(|row| row["login"] == "bob" && row.get("id").is_none()).expect("the login");
        assert_eq!(nobody.get("role"), is_heard.then(|| json!("admin")).as_ref(), "{beside}");
        let rows = of_bob(dir.path(), &beside, "comment", &[&more[..], &["members"]].concat());
        assert_eq!(rows[0].get("withheld").is_none(), is_heard, "{beside}");
    }
}

#[test]
fn an_association_of_a_login_is_that_of_one_account() {
    let dir = scratch();
    let by = |id: u64, account: &Value| comment(id, account, Some("MEMBER"), "by somebody", EARLIER);
    for (other, is_heard) in [(user(2, "bob"), true), (user(2, "bob2"), false)] {
        let beside = json!([by(201, &user(2, "bob")), by(202, &other)]);
        // The author of the pull request has none there, and that of the account counts.
        let rows = of_bob(dir.path(), &beside, "body", &["--admit", "association:MEMBER"]);
        let reasons: Vec<_> = rows.iter().map(|row| row["withheld"]["reason"].as_str()).collect();
        assert_eq!(reasons, [(!is_heard).then_some("admission-unknown")], "{other}");
    }
}

#[test]
fn a_bot_has_no_role() {
    let dir = scratch();
    github(dir.path(), &[(2, "acme-ci[bot]", None), (3, "bob", None)]);
    let list = [permission(&user(2, "acme-ci[bot]"), "admin", None), permission(&user(3, "bob"), "read", None)];
    write(dir.path(), "roles.json", &json!(list));
    stage(dir.path(), "out", &["--from", "members=roles.json"]);
    let out = dir.path().join("out");
    assert_eq!([role_of(&out, 2), role_of(&out, 3)], [Value::Null, json!("read")]);
}

#[test]
fn the_other_layout_has_the_roles_that_were_verified() {
    let dir = scratch();
    let thread = arg(&testdata("threads/acme-web-42")).to_owned();
    let person = |id: u64, login: &str| json!({"login": login, "id": id, "node_id": format!("U_kgDOAA{id}"), "type": "User", "avatar_url": "https://a.example"});
    let answers = json!([
        permission(&person(4101, "mira"), "read", Some("triage")),
        permission(&person(4102, "jonas"), "read", None),
        permission(
            &json!({"login": "acme-ci[bot]", "id": 4190, "type": "Bot", "avatar_url": "https://a.example"}),
            "write",
            None
        )
    ]);
    write(dir.path(), "roles.json", &answers);
    let stage = |out: &str, more: &[&str]| {
        let args = [
            "stage",
            "--layout",
            "entity-context-snapshot/v1",
            "--entity",
            "acme/web#42",
            "--out",
            out,
            "--from",
            &thread,
        ];
        let said = done(dir.path(), &[&args, more].concat());
        assert_eq!(done(dir.path(), &["verify", out])["verified"], true);
        let count = |scope: &str, code: &str| {
            let rows = said["gaps"]
                .as_array()
                .expect("gaps")
                .iter()
                .filter(|row| row["scope"] == scope && row["code"] == code);
            rows.map(|row| row["count"].as_u64().expect("a count")).sum::<u64>()
        };
        let actors = json_of(&dir.path().join(out).join("state/actors.json"));
        let row = |login: &str| {
            let rows = actors["actors"].as_array().expect("rows");
            let found = rows.iter().find(|row| row["login"] == login).expect("the account");
            json!([found["role"], found["role_verified"]])
        };
        (
            count("actors", "unsupported"),
            count("comments", "authorization_failed"),
            ["mira", "jonas", "acme-ci[bot]"].map(row),
        )
    };
    let (unasked, _, rows) = stage("plain", &[]);
    assert_eq!(rows, [json!([null, false]), json!([null, false]), json!(["bot", false])]);
    let (rest, refused, rows) = stage("asked", &["members=roles.json"]);
    assert_eq!((rest, refused), (unasked - 2, 0));
    assert_eq!(rows, [json!(["triage", true]), json!(["read", true]), json!(["bot", false])]);
    let args = [
        "stage",
        "--layout",
        "entity-context-snapshot/v1",
        "--entity",
        "acme/web#42",
        "--admit",
        "role:triage",
        "--out",
        "some",
        "--from",
        &thread,
    ];
    let said = done(dir.path(), &[&args[..], &["members=roles.json"]].concat());
    let kept = fs::read_dir(dir.path().join("some/records")).expect("records").count();
    let all = fs::read_dir(dir.path().join("asked/records")).expect("records").count();
    assert!(kept > 1 && kept < all, "{kept} of {all}: {said}");
    assert!(
        said["gaps"]
            .as_array()
            .expect("gaps")
            .iter()
            .any(|row| row["scope"] == "comments" && row["code"] == "authorization_failed")
    );
}

/// GraphQL tells roles at the edges of a connection. Which accounts a query selected its answer does not say: nobody is left out by one.
#[test]
fn collaborators_of_an_answer_of_graphql_have_their_roles_and_are_never_all() {
    let dir = scratch();
    github(dir.path(), &[(2, "bob", None), (3, "eve", Some("NONE")), (4, "dan", None), (5, "odd", None)]);
    let edge = |id: u64, login: &str, permission: &str| json!({"permission": permission, "node": {"login": login, "databaseId": id}});
    let edges = json!([edge(2, "bob", "WRITE"), edge(4, "dan", "READ"), edge(5, "odd", "SUPERUSER")]);
    let page = json!({"hasNextPage": false, "hasPreviousPage": false});
    let of = |name: &str, edges: &Value| {
        let mut repository = json!({"nameWithOwner": "acme/web", "url": "https://github.com/acme/web"});
        repository[name] = json!({"totalCount": 3, "pageInfo": page, "edges": edges});
        json!({"data": {"repository": repository}})
    };
    for name in ["collaborators", "writers"] {
        write(&dir.path().join("in"), "roles.json", &of(name, &edges));
        let index = stage(dir.path(), "out", &["--replace", "--admit", "role:write"]);
        assert_eq!(heard(&index, &[2, 3, 4, 5]), [Some(true), None, Some(false), None], "{name}");
        let root = dir.path().join("out");
        assert_eq!(
            (role_of(&root, 2), role_of(&root, 4), role_of(&root, 5)),
            (json!("write"), json!("read"), Value::Null)
        );
        assert_eq!(gap(&index, "members", "invalid-metadata"), 1, "{name}");
    }
    // Without a repository around them they are of the caller's.
    let loose = json!({"data": {"node": {"collaborators": {"edges": edges}}}});
    write(&dir.path().join("in"), "roles.json", &loose);
    stage(dir.path(), "out", &["--replace"]);
    assert_eq!(role_of(&dir.path().join("out"), 2), json!("write"));
}
