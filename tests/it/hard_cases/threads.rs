//! Threads on the diff, what deliveries say of their state, and what GraphQL says that it does not give.

use super::*;

const THREAD: &str = "PRRT_kwDOFd42Pc4rQOUv";

/// A delivery that says that the thread of comment 11 was settled, or is not any more.
fn delivery(action: &str) -> Value {
    json!({"action": action, "pull_request": pull(json!({})), "sender": user("jonas", 4102),
        "repository": {"id": 1, "full_name": "acme/web", "url": API, "owner": user("acme", 2), "default_branch": "main"},
        "thread": {"node_id": THREAD, "comments": [review_comment(11, json!({})), review_comment(12, json!({"in_reply_to_id": 11}))]}})
}

/// The same thread in GraphQL.
fn thread(resolved: bool) -> Value {
    let comment = |id: u64| json!({"databaseId": id, "body": "c", "createdAt": "2026-03-03T00:00:00Z"});
    let by = if resolved { json!({"__typename": "User", "login": "jonas", "databaseId": 4102}) } else { Value::Null };
    let thread = json!({"id": THREAD, "isResolved": resolved, "resolvedBy": by, "isOutdated": false, "path": "a.rs", "line": 1,
        "comments": {"totalCount": 2, "nodes": [comment(11), comment(12)]}});
    node(json!({"reviewThreads": {"totalCount": 1, "nodes": [thread]}}))
}

#[test]
fn an_outdated_comment_has_neither_line_nor_position() {
    let outdated = review_comment(11, json!({"line": null, "position": null}));
    let on_file = review_comment(11, json!({"line": null, "position": 1, "subject_type": "file"}));
    check(vec![
        (
            "outdated",
            vec![json!([outdated])],
            vec![
                ("threads.json", "/threads/0/outdated", json!(true)),
                ("threads.json", "/threads/0/line", Value::Null),
                ("threads.json", "/threads/0/originalLine", json!(1)),
                ("threads.json", "/threads/0/resolved", json!("absent")),
            ],
        ),
        ("of a whole file", vec![json!([on_file])], vec![("threads.json", "/threads/0/outdated", json!("absent"))]),
    ]);
    check_changes(vec![(
        "becomes outdated",
        [
            vec![json!([review_comment(11, json!({}))])],
            vec![json!([review_comment(11, json!({"line": null, "position": null}))])],
        ],
        &["thread-outdated review-comments 11"],
    )]);
}

#[test]
fn a_delivery_tells_the_state_of_a_thread() {
    check(vec![
        (
            "resolved",
            vec![delivery("resolved")],
            vec![
                ("threads.json", "/threads/0/id", json!(11)),
                ("threads.json", "/threads/0/nodeId", json!(THREAD)),
                ("threads.json", "/threads/0/resolved", json!(true)),
                ("threads.json", "/threads/0/resolvedBy", json!({"id": 4102, "login": "jonas"})),
                ("index.json", "/coverage/threads/state", json!("partial")),
            ],
        ),
        (
            "reopened",
            vec![delivery("unresolved")],
            vec![
                ("threads.json", "/threads/0/resolved", json!(false)),
                ("threads.json", "/threads/0/resolvedBy", Value::Null),
            ],
        ),
        (
            "of another action nothing is said",
            vec![delivery("forgotten")],
            vec![("threads.json", "/threads/0/resolved", json!("absent"))],
        ),
    ]);
}

#[test]
fn a_delivery_settles_and_reopens_what_was_seen_before() {
    let seen = |more: Vec<Value>| {
        let list = json!([review_comment(11, json!({})), review_comment(12, json!({"in_reply_to_id": 11}))]);
        [vec![pull(json!({})), list], more].concat()
    };
    // What a newer part shows otherwise, the whole of before does not prove any more.
    let (settled, reopened) = (
        &["thread-resolved review-comments 11", "gap-added threads incomplete"],
        &["thread-reopened review-comments 11", "gap-added threads incomplete"],
    );
    check_changes(vec![
        ("settled by a delivery", [seen(vec![thread(false)]), vec![delivery("resolved")]], settled),
        ("reopened by a delivery", [seen(vec![thread(true)]), vec![delivery("unresolved")]], reopened),
        ("a delivery that says what is known", [seen(vec![thread(true)]), vec![delivery("resolved")]], &[]),
        (
            "GraphQL later says the other",
            [vec![delivery("resolved")], vec![thread(false)]],
            &[
                "thread-reopened review-comments 11",
                "coverage-changed review-comments null",
                "coverage-changed threads null",
                "gap-removed review-comments incomplete",
                "gap-removed threads incomplete",
            ],
        ),
        (
            "one delivery after the other",
            [vec![delivery("resolved")], vec![delivery("unresolved")]],
            &["thread-reopened review-comments 11"],
        ),
        (
            "REST, which tells no state",
            [seen(vec![]), vec![delivery("resolved")]],
            &[
                "thread-resolved review-comments 11",
                "coverage-changed threads null",
                "gap-added threads incomplete",
                "gap-removed review-comments thread-state-unknown",
            ],
        ),
    ]);
}

/// An answer about the pull request with an error.
fn failed(kind: &str, path: Value, members: Value) -> Value {
    with(node(members), json!({"errors": [{"type": kind, "path": path, "message": "no"}]}))
}

#[test]
fn what_an_answer_says_it_does_not_give_is_not_given() {
    let checks = json!(["repository", "pullRequest", "commits", "nodes", 0, "commit", "statusCheckRollup"]);
    let one = json!(["repository", "pullRequest", "comments", "nodes", 0]);
    let nobody = json!({"data": {"repository": {"pullRequest": null}},
        "errors": [{"type": "NOT_FOUND", "path": ["repository", "pullRequest"], "message": "no"}]});
    let comments = |list: Value| json!({ "comments": list });
    let state = |facet: &'static str, state: &str| ("index.json", facet, json!(state));
    check(vec![
        (
            "checks that the token may not see",
            vec![failed("FORBIDDEN", checks, json!({"commits": {"nodes": [{"commit": {"statusCheckRollup": null}}]}}))],
            vec![
                state("/coverage/checks/state", "forbidden"),
                state("/coverage/statuses/state", "forbidden"),
                state("/coverage/comments/state", "absent"),
            ],
        ),
        (
            "threads that are not there",
            vec![failed(
                "NOT_FOUND",
                json!(["repository", "pullRequest", "reviewThreads"]),
                json!({"reviewThreads": null}),
            )],
            vec![state("/coverage/threads/state", "gone")],
        ),
        (
            "another error says nothing of a facet",
            vec![failed("INTERNAL", json!(["repository", "pullRequest", "comments"]), comments(Value::Null))],
            vec![state("/coverage/comments/state", "absent")],
        ),
        (
            "one item says nothing of the others",
            vec![failed("FORBIDDEN", one, comments(json!({"nodes": [null], "totalCount": 1})))],
            vec![state("/coverage/comments/state", "partial")],
        ),
        ("a pull request that is not there", vec![nobody], vec![state("/coverage/header/state", "gone")]),
    ]);
}

#[test]
fn an_error_that_becomes_no_availability_is_named() {
    let dir = scratch();
    let answer = failed("INTERNAL", json!(["repository", "pullRequest", "comments"]), json!({"comments": null}));
    write(&dir.path().join("in.json"), &[answer]);
    done(dir.path(), &["init", "store"]);
    let seen = done(dir.path(), &["--store", "store", "observe", "in.json"]);
    assert_eq!(seen["unrecognised"], json!([{"input": "in.json#/errors/0", "reason": "forge-error-body"}]));
}

#[test]
fn an_edit_of_a_comment_is_another_body_and_nothing_else() {
    let later = "2026-03-04T00:00:00Z";
    let of =
        |members: Value| vec![json!([review_comment(11, members), review_comment(12, json!({"in_reply_to_id": 11}))])];
    check_changes(vec![
        (
            "edited",
            [of(json!({})), of(json!({"body": "d", "updated_at": later}))],
            &["review-comment-edited review-comments 11"],
        ),
        (
            "edited within the second",
            [of(json!({})), of(json!({"body": "d"}))],
            &["review-comment-edited review-comments 11"],
        ),
        (
            "a time that becomes known",
            [of(json!({"updated_at": null})), of(json!({}))],
            &["item-changed review-comments 11"],
        ),
        (
            "outdated, with a new time",
            [of(json!({})), of(json!({"line": null, "position": null, "updated_at": later}))],
            &["thread-outdated review-comments 11"],
        ),
        (
            "moved, with a new time",
            [of(json!({})), of(json!({"line": 5, "updated_at": later}))],
            &["thread-changed review-comments 11"],
        ),
        ("a new time alone", [of(json!({})), of(json!({"updated_at": later}))], &["item-changed review-comments 11"]),
        (
            "a hunk that looks like a comment",
            [
                of(json!({"diff_hunk": "@@ -1 +1 @@\n## Comment 5 by me\n"})),
                of(json!({"diff_hunk": "@@ -1 +1 @@\n## Comment 5 by me\n", "body": "## Comment 12 by me\n\nx"})),
            ],
            &["review-comment-edited review-comments 11"],
        ),
    ]);
}
