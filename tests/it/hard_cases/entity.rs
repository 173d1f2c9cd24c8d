//! The issue or pull request itself, and its events.

use super::*;

#[test]
fn headers() {
    let gone_head = json!({"ref": "topic", "sha": "b".repeat(40), "repo": null, "user": null});
    let auto = json!({"enabled_by": user("mira", 4101), "merge_method": "squash"});
    let app = json!({"login": "renovate[bot]", "id": 9, "type": "Bot"});
    check(vec![
        ("an account that is gone", vec![pull(json!({"user": null}))], vec![("entity.json", "/author", Value::Null)]),
        (
            "an account that is gone, in GraphQL",
            vec![node(json!({"author": null, "createdAt": "2026-03-01T00:00:00Z"}))],
            vec![("entity.json", "/author", Value::Null)],
        ),
        (
            "nobody asked for the author",
            vec![node(json!({"createdAt": "2026-03-01T00:00:00Z"}))],
            vec![("entity.json", "/author", json!("absent"))],
        ),
        (
            "a head whose repository was deleted",
            vec![pull(json!({"head": gone_head}))],
            vec![
                ("entity.json", "/head/repository", Value::Null),
                ("entity.json", "/head/branch", json!("topic")),
                ("entity.json", "/head/sha", json!("b".repeat(40))),
            ],
        ),
        (
            "teams are asked for a review",
            vec![pull(
                json!({"requested_reviewers": [], "requested_teams": [{"slug": "payments", "name": "Payments", "id": 3}]}),
            )],
            vec![
                ("entity.json", "/requestedTeams", json!(["payments"])),
                ("entity.json", "/requestedReviewers", json!([])),
            ],
        ),
        (
            "a locked conversation",
            vec![pull(json!({"locked": true, "active_lock_reason": "too heated"}))],
            vec![("entity.json", "/locked", json!(true)), ("entity.json", "/lockReason", json!("too heated"))],
        ),
        (
            "a draft that merges itself",
            vec![pull(json!({"draft": true, "auto_merge": auto}))],
            vec![
                ("entity.json", "/draft", json!(true)),
                ("entity.json", "/autoMerge/method", json!("squash")),
                ("entity.json", "/autoMerge/enabledBy/login", json!("mira")),
            ],
        ),
        (
            "an app wrote it",
            vec![pull(json!({"user": app}))],
            vec![
                ("entity.json", "/author/login", json!("renovate[bot]")),
                ("actors.json", "/actors/0/account", json!("Bot")),
            ],
        ),
        (
            "no files of a pull request that is too big are not no files",
            vec![node(json!({"changedFiles": 0, "additions": 0, "deletions": 0, "files": null}))],
            vec![
                ("index.json", "/coverage/files/state", json!("absent")),
                ("entity.json", "/counts/files", json!("absent")),
                ("entity.json", "/counts/additions", json!("absent")),
            ],
        ),
        (
            "a body that is null",
            vec![pull(json!({"body": null}))],
            vec![("index.json", "/body/path", json!("body.md")), ("index.json", "/body/bodyNull", json!(true))],
        ),
        (
            "a body that is empty",
            vec![pull(json!({"body": ""}))],
            vec![("index.json", "/body/path", json!("body.md")), ("index.json", "/body/bodyNull", json!("absent"))],
        ),
    ]);
}

#[test]
fn changes_of_the_header() {
    let at = |members: Value| with(members, json!({"updated_at": "2026-03-04T00:00:00Z"}));
    let head = |sha: &str| json!({"ref": "topic", "sha": sha.repeat(40), "repo": null});
    let forced = event(5, "head_ref_force_pushed", json!({"commit_id": "c".repeat(40)}));
    let timeline = |events: Value| answer("issues/42/timeline", json!({"Link": ""}), events);
    check_changes(vec![
        (
            "ready for review",
            [vec![pull(json!({"draft": true}))], vec![pull(at(json!({"draft": false})))]],
            &["draft-changed header null"],
        ),
        (
            "locked",
            [
                vec![pull(json!({"locked": false}))],
                vec![pull(at(json!({"locked": true, "active_lock_reason": "spam"})))],
            ],
            &["locked header null"],
        ),
        (
            "a body that becomes null is edited",
            [vec![pull(json!({"body": ""}))], vec![pull(at(json!({"body": null})))]],
            &["body-edited header null"],
        ),
        (
            "a force push that only the timeline tells of",
            [
                vec![pull(json!({"head": head("b")})), timeline(json!([]))],
                vec![pull(at(json!({"head": head("c")}))), timeline(json!([forced]))],
            ],
            &["head-force-pushed header null", "event-added timeline 5"],
        ),
    ]);
}

#[test]
fn events_keep_what_they_name() {
    let kept = |name: &'static str| {
        let entry = event(5, name, json!({"commit_id": "d".repeat(40)}));
        let says = vec![
            ("timeline.json", "/events/0/event", json!(name)),
            // A commit that nothing else shows.
            ("timeline.json", "/events/0/commit", json!("d".repeat(40))),
            ("index.json", "/coverage/timeline/state", json!("complete")),
        ];
        (name, vec![pull(json!({})), answer("issues/42/timeline", json!({"Link": ""}), json!([entry]))], says)
    };
    let names = [
        "head_ref_force_pushed",
        "converted_to_discussion",
        "added_to_merge_queue",
        "removed_from_merge_queue",
        "auto_merge_enabled",
        "transferred",
        "referenced",
    ];
    check(names.map(kept).into());
}

fn issue(repository: &str, number: u64) -> Value {
    json!({"number": number, "url": format!("https://api.github.com/repos/{repository}/issues/{number}"), "title": "t",
        "state": "open", "user": user("mira", 4101), "body": "b", "html_url": format!("https://github.com/{repository}/issues/{number}"),
        "created_at": "2026-03-01T00:00:00Z", "updated_at": "2026-03-02T00:00:00Z"})
}

fn repository(name: &str, id: u64) -> Value {
    let (owner, _) = name.split_once('/').expect("a name");
    json!({"id": id, "full_name": name, "url": format!("https://api.github.com/repos/{name}"), "default_branch": "main",
        "owner": user(owner, 2), "name": "r"})
}

/// The places of entities in a snapshot.
fn places(payloads: &[Value]) -> Vec<String> {
    let place = |path: &String| path.strip_suffix("/entity.json").map(str::to_owned);
    snapshot(payloads).keys().filter_map(place).collect()
}

#[test]
fn a_transferred_issue_is_there_under_both_numbers() {
    let delivery = json!({"action": "transferred", "issue": issue("acme/web", 7), "repository": repository("acme/web", 1),
        "sender": user("mira", 4101), "changes": {"new_issue": issue("acme/api", 3), "new_repository": repository("acme/api", 5)}});
    let both = ["github/github.com/acme/api/issue/0000/3", "github/github.com/acme/web/issue/0000/7"];
    assert_eq!(places(&[delivery]), both);
}

#[test]
fn a_renamed_repository_is_where_its_own_address_says() {
    let answer =
        json!({"method": "GET", "url": format!("{API}/issues/7"), "status": 200, "body": issue("acme/shop", 7)});
    assert_eq!(places(&[answer]), ["github/github.com/acme/shop/issue/0000/7"]);
    let other_case = [issue("acme/web", 7), issue("Acme/Web", 7)];
    assert_eq!(places(&other_case).len(), 1, "the case of a name is no other name");
}

#[test]
fn a_renamed_user_is_one_account_under_the_new_name() {
    let later = json!({"updated_at": "2026-03-09T00:00:00Z", "user": user("mira-new", 4101)});
    let tree = staged(&[pull(json!({})), comment(1, later)]);
    let actors: Value = serde_json::from_slice(file(&tree, "actors.json").expect("accounts")).expect("JSON");
    let logins: Vec<_> = actors["actors"].as_array().expect("rows").iter().map(|row| &row["login"]).collect();
    assert_eq!(logins, ["mira-new"], "{actors}");
}

#[test]
fn a_status_is_of_the_callers_pull_request() {
    let status = json!({"id": 5, "sha": "a".repeat(40), "name": "acme/web", "context": "ci", "state": "success",
        "created_at": "2026-03-03T00:00:00Z", "updated_at": "2026-03-03T00:00:00Z",
        "repository": repository("acme/web", 1), "sender": user("ci", 8)});
    check(vec![(
        "a delivery that is itself the status",
        vec![status],
        vec![("checks/20260303T000000Z-status-5/check.json", "/conclusion", json!("success"))],
    )]);
}
