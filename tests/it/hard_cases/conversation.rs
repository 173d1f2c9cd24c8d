//! Comments and reviews.

use super::*;

#[test]
fn comments_and_reviews() {
    let pending = json!({"id": 7, "body": "", "state": "PENDING", "user": user("tove", 4103), "commit_id": "e".repeat(40),
        "pull_request_url": format!("{API}/pulls/42")});
    let hidden = json!({"databaseId": 1, "id": "IC_x", "body": "spam", "author": null, "createdAt": "2026-03-03T00:00:00Z",
        "isMinimized": true, "minimizedReason": "spam"});
    let first = |says: &[(&'static str, Value)]| {
        says.iter().map(|(pointer, value)| ("index.json", *pointer, value.clone())).collect::<Vec<_>>()
    };
    let lone = |name, comment: Value, says: &[(&'static str, Value)]| (name, vec![comment], first(says));
    check(vec![
        lone("an account that is gone", comment(1, json!({"user": null})), &[("/item/author", Value::Null)]),
        lone(
            "a body that is null",
            comment(1, json!({"body": null})),
            &[("/item/bodyNull", json!(true)), ("/item/bytes", json!(0))],
        ),
        lone(
            "a body that is empty",
            comment(1, json!({"body": ""})),
            &[("/item/bodyNull", json!("absent")), ("/item/bytes", json!(0))],
        ),
        lone(
            "an id above what 32 bits hold",
            comment(4_294_967_299, json!({})),
            &[
                ("/item/path", json!("comments/20260303T000000Z-4294967299.md")),
                ("/item/source/id", json!(4_294_967_299_u64)),
            ],
        ),
        lone(
            "the largest id that JSON's doubles hold",
            comment(9_007_199_254_740_991, json!({})),
            &[("/item/source/id", json!(9_007_199_254_740_991_u64))],
        ),
        (
            "an app",
            vec![comment(
                1,
                json!({"user": {"login": "ci[bot]", "id": 8, "type": "Bot"}, "performed_via_github_app": {"id": 1, "slug": "ci"}}),
            )],
            vec![
                ("actors.json", "/actors/0/account", json!("Bot")),
                ("index.json", "/item/author/login", json!("ci[bot]")),
            ],
        ),
        (
            "a review that was not submitted",
            vec![json!([pending])],
            vec![
                ("index.json", "/item/path", json!("reviews/undated-7.md")),
                ("index.json", "/item/state", json!("pending")),
                // A commit that nothing else shows.
                ("index.json", "/item/commit", json!("e".repeat(40))),
            ],
        ),
        (
            "a comment that was hidden",
            vec![node(json!({"comments": {"nodes": [hidden], "totalCount": 1}}))],
            vec![
                ("index.json", "/item/minimized", json!(true)),
                ("index.json", "/item/minimizedReason", json!("spam")),
                ("index.json", "/coverage/comments/state", json!("complete")),
            ],
        ),
    ]);
}

#[test]
fn texts_are_kept_to_the_byte() {
    let huge = "x\u{1f600}".repeat(100_000);
    let texts = [
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{202e}abc\u{202c}",
        "a\u{200b}b\u{200d}c\u{feff}",
        "e\u{301}\u{316}\u{35c} \u{e9}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}\u{fe0f}",
        "one\u{2028}two\u{2029}three\u{85}four",
        "cr\rcrlf\r\nlf\n",
        "nul\u{0}esc\u{1b}[31m",
        huge.as_str(),
    ];
    let comments: Vec<_> = texts.iter().zip(1..).map(|(text, id)| comment(id, json!({"body": text}))).collect();
    let tree = snapshot(&[pull(json!({"body": texts[0]})), json!(comments)]);
    let of = |end: &str| tree.iter().find(|(path, _)| path.ends_with(end)).map(|(_, bytes)| bytes.as_slice());
    for (text, id) in texts.iter().zip(1..) {
        assert!(of(&format!("Z-{id}.md")) == Some(text.as_bytes()), "comment {id}");
    }
    assert_eq!(of("/body.md"), Some(texts[0].as_bytes()));
}

#[test]
fn edited_and_deleted_comments() {
    let edited = json!({"body": "other", "updated_at": "2026-03-04T00:00:00Z"});
    let list = |comments: Value| vec![pull(json!({})), answer("issues/42/comments", json!({"Link": ""}), comments)];
    let delivery = |action: &str, comment: Value| {
        let issue =
            json!({"number": 42, "url": format!("{API}/issues/42"), "title": "t", "state": "open", "pull_request": {}});
        vec![json!({"action": action, "issue": issue, "comment": comment, "sender": user("tove", 4103),
            "repository": {"id": 1, "full_name": "acme/web", "url": API, "owner": user("acme", 2), "default_branch": "main"}})]
    };
    let both = || list(json!([comment(1, json!({})), comment(2, json!({}))]));
    check_changes(vec![
        (
            "edited",
            [both(), list(json!([comment(1, edited.clone()), comment(2, json!({}))]))],
            &["comment-edited comments 1"],
        ),
        ("deleted", [both(), list(json!([comment(2, json!({}))]))], &["comment-deleted comments 1"]),
        (
            "deleted, as its delivery says",
            [both(), delivery("deleted", comment(1, json!({})))],
            &["comment-deleted comments 1"],
        ),
        (
            "a body that becomes null is edited",
            [
                list(json!([comment(1, json!({"body": ""}))])),
                list(json!([comment(1, json!({"body": null, "updated_at": "2026-03-04T00:00:00Z"}))])),
            ],
            &["comment-edited comments 1"],
        ),
        ("not shown in a part", [both(), vec![comment(2, json!({}))]], &[]),
        (
            "an account that is gone now",
            [both(), list(json!([comment(1, json!({"user": null})), comment(2, json!({}))]))],
            &["item-changed comments 1"],
        ),
    ]);
}
