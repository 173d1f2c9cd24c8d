//! One item under REST and under GraphQL: whatever its node id looks like, it neither comes nor goes when the dialect changes.

use super::*;

/// What changed, without what only became known.
fn came_or_went(looks: &[Vec<Value>; 2]) -> Vec<String> {
    let words = ["-added", "-removed", "-deleted", "-absent"];
    changed(looks)
        .into_iter()
        .filter(|said| words.iter().any(|word| said.contains(word)) && !said.contains("gap-"))
        .collect()
}

/// A listing of REST, and the connection of GraphQL of the same items.
fn both(path: &str, rest: Value, connection: &str, nodes: Value) -> [Vec<Value>; 2] {
    let count = nodes.as_array().map_or(0, Vec::len);
    let connection = json!({connection: {"totalCount": count, "pageInfo": {"hasNextPage": false, "hasPreviousPage": false}, "nodes": nodes}});
    [vec![pull(json!({})), answer(path, json!({"Link": ""}), rest)], vec![pull(json!({})), node(connection)]]
}

/// In both orders.
fn is_one(name: &str, looks: [Vec<Value>; 2]) {
    let [rest, graphql] = looks;
    assert_eq!(came_or_went(&[rest.clone(), graphql.clone()]), [""; 0], "{name}: GraphQL after REST");
    assert_eq!(came_or_went(&[graphql.clone(), rest.clone()]), [""; 0], "{name}: REST after GraphQL");
    // A third look in the first dialect changes nothing any more.
    let all = [rest.clone(), graphql.clone()].concat();
    assert_eq!(changed(&[all.clone(), rest]), [""; 0], "{name}: REST again");
    assert_eq!(changed(&[all, graphql]), [""; 0], "{name}: GraphQL again");
}

/// A new node id, the old one, and two of which no number can be read.
const LABELED: [&str; 4] =
    ["LE_lADOABCDEs5DFSC5zgAAAr4", "MDEyOkxhYmVsZWRFdmVudDcwMg==", "LE_702", "some opaque words"];

#[test]
fn entries_of_the_timeline() {
    let actor = json!({"login": "mira"});
    for id in LABELED {
        let rest = event(702, "labeled", json!({"node_id": id, "label": {"name": "bug", "color": "f00"}}));
        let own = json!({"__typename": "LabeledEvent", "id": id, "createdAt": "2026-03-03T00:00:00Z", "actor": actor, "label": {"name": "bug"}});
        is_one(id, both("issues/42/timeline", json!([rest]), "timelineItems", json!([own])));
        // The older listing of events is merged into the timeline.
        let rest = event(702, "labeled", json!({"node_id": id, "label": {"name": "bug", "color": "f00"}}));
        let [events, graphql] = both("issues/42/events", json!([rest]), "timelineItems", json!([own]));
        assert_eq!(came_or_went(&[events, graphql]), [""; 0], "{id}: events");
    }
    let [before, after] = ["b".repeat(40), "c".repeat(40)];
    let rest = event(9, "head_ref_force_pushed", json!({"node_id": "HRFPE_x"}));
    let own = json!({"__typename": "HeadRefForcePushedEvent", "id": "HRFPE_x", "createdAt": "2026-03-03T00:00:00Z", "actor": actor,
        "beforeCommit": {"oid": before}, "afterCommit": {"oid": after}});
    is_one(
        "a force-push, whose commits REST does not tell",
        both("issues/42/timeline", json!([rest]), "timelineItems", json!([own])),
    );
    let source = "https://github.com/acme/web/issues/7";
    // To which REST gives no id.
    let rest = json!({"event": "cross-referenced", "actor": user("mira", 4101), "created_at": "2026-03-03T00:00:00Z",
        "source": {"type": "issue", "issue": {"id": 5, "number": 7, "html_url": source}}});
    for id in ["CRE_x", "CRE_lADOABCDEs5DFSC5zgAAAr4"] {
        let own = json!({"__typename": "CrossReferencedEvent", "id": id, "createdAt": "2026-03-03T00:00:00Z", "actor": actor,
            "source": {"__typename": "Issue", "url": source}});
        is_one(id, both("issues/42/timeline", json!([rest]), "timelineItems", json!([own])));
    }
    let sha = "d".repeat(40);
    let rest = json!({"event": "committed", "sha": sha, "node_id": "C_x", "html_url": format!("https://github.com/acme/web/commit/{sha}"), "parents": []});
    let own = json!({"__typename": "PullRequestCommit", "id": "PURC_x", "url": format!("https://github.com/acme/web/pull/42/commits/{sha}"),
        "commit": {"id": "C_x", "oid": sha, "url": format!("https://github.com/acme/web/commit/{sha}")}});
    is_one("a commit", both("issues/42/timeline", json!([rest]), "timelineItems", json!([own])));
    let rest = event(3, "locked", json!({"node_id": "LOE_x", "lock_reason": "too heated"}));
    let own = json!({"__typename": "LockedEvent", "id": "LOE_x", "createdAt": "2026-03-03T00:00:00Z", "actor": actor, "lockReason": "TOO_HEATED"});
    is_one("a lock", both("issues/42/timeline", json!([rest]), "timelineItems", json!([own])));
    let rest = json!({"event": "reviewed", "id": 4, "node_id": "PRR_x", "user": user("mira", 4101), "state": "approved",
        "submitted_at": "2026-03-03T00:00:00Z", "commit_id": sha});
    let own = json!({"__typename": "PullRequestReview", "id": "PRR_x", "author": actor, "state": "APPROVED", "commit": {"oid": sha},
        "createdAt": "2026-03-02T00:00:00Z", "submittedAt": "2026-03-03T00:00:00Z"});
    is_one(
        "a review that was begun the day before",
        both("issues/42/timeline", json!([rest]), "timelineItems", json!([own])),
    );
}

/// Two that nothing tells apart stay two: none of them is taken for the other.
#[test]
fn what_nothing_tells_apart_is_not_joined() {
    let label = |id: u64| event(id, "labeled", json!({"label": {"name": "bug", "color": "f00"}}));
    let own = json!({"__typename": "LabeledEvent", "id": "LE_x", "createdAt": "2026-03-03T00:00:00Z", "actor": {"login": "mira"}, "label": {"name": "bug"}});
    let looks = both("issues/42/timeline", json!([label(1), label(2)]), "timelineItems", json!([own]));
    assert_eq!(
        came_or_went(&looks),
        ["event-added timeline labeled:LE_x", "event-removed timeline 1", "event-removed timeline 2"]
    );
}

#[test]
fn reactions_and_comments_on_the_diff() {
    let rest = json!({"id": 801, "node_id": "REA_x", "content": "heart", "user": user("mira", 4101), "created_at": "2026-03-03T00:00:00Z"});
    let own = |id: &str| json!([{"id": id, "content": "HEART", "user": {"login": "mira"}, "createdAt": "2026-03-03T00:00:00Z"}]);
    is_one("a reaction", both("issues/42/reactions", json!([rest]), "reactions", own("REA_x")));
    // Nobody reacts twice alike, whatever the ids are.
    let [first, second] = both("issues/42/reactions", json!([rest]), "reactions", own("REA_other"));
    assert_eq!(came_or_went(&[first, second]), [""; 0]);
    let of = |id: u64, members: Value| {
        with(review_comment(id, json!({"node_id": format!("PRRC_{id}"), "commit_id": "a".repeat(40)})), members)
    };
    // Two trees tell a comment by whom and when it was made, where only one knows its number.
    let later = |made: &str, changed: &str| json!({made: "2026-03-04T00:00:00Z", changed: "2026-03-04T00:00:00Z"});
    let rest = json!([
        of(31, json!({"id": 31})),
        of(32, with(json!({"in_reply_to_id": 31}), later("created_at", "updated_at")))
    ]);
    let own = |id: u64, members: Value| {
        with(
            json!({"id": format!("PRRC_{id}"), "author": {"login": "tove"}, "body": "c", "createdAt": "2026-03-03T00:00:00Z",
            "updatedAt": "2026-03-03T00:00:00Z", "pullRequestReview": {"id": "PRR_7"}, "path": "a.rs"}),
            members,
        )
    };
    let comments = json!([
        own(31, json!({"replyTo": null})),
        own(32, with(json!({"replyTo": {"id": "PRRC_31"}}), later("createdAt", "updatedAt")))
    ]);
    let whole =
        json!({"totalCount": 2, "pageInfo": {"hasNextPage": false, "hasPreviousPage": false}, "nodes": comments});
    let thread = json!([{"id": "PRRT_y", "isResolved": false, "isOutdated": false, "path": "a.rs", "line": 1, "comments": whole}]);
    is_one("a thread", both("pulls/42/comments", rest, "reviewThreads", thread));
}

/// What the forge's null says of a label, a milestone, an author, and how many reactions there are of each content.
#[test]
fn null_is_told_from_what_is_not_told() {
    let label = |description: Value| with(json!({"id": 1, "name": "bug", "color": "f00"}), description);
    let of = |labels: Value| vec![pull(json!({"labels": labels, "milestone": null, "user": null}))];
    let graphql = |labels: Value| {
        let count = labels.as_array().map_or(0, Vec::len);
        vec![node(json!({"labels": {"totalCount": count, "nodes": labels}, "milestone": null, "author": null}))]
    };
    let mut cases = Vec::new();
    for (said, shown) in [
        (json!({"description": null}), json!(null)),
        (json!({}), json!("absent")),
        (json!({"description": ""}), json!("")),
    ] {
        for payloads in [of(json!([label(said.clone())])), graphql(json!([label(said)]))] {
            cases.push((
                "a label",
                payloads,
                vec![
                    ("entity.json", "/labels/0/description", shown.clone()),
                    ("entity.json", "/labels/0/color", json!("f00")),
                    ("entity.json", "/milestone", json!(null)),
                    ("entity.json", "/author", json!(null)),
                ],
            ));
        }
    }
    let bare = vec![pull(json!({"labels": ["bug"]}))];
    cases.push((
        "a bare name",
        bare,
        vec![("entity.json", "/labels/0", json!({"name": "bug"})), ("entity.json", "/milestone", json!("absent"))],
    ));
    let counted = json!({"total_count": 3, "+1": 2, "-1": 0, "heart": 1, "url": format!("{API}/issues/42/reactions")});
    let groups = json!([{"content": "THUMBS_UP", "users": {"totalCount": 2}}, {"content": "HEART", "users": {"totalCount": 1}}, {"content": "EYES", "users": {"totalCount": 0}}]);
    for payload in [pull(json!({"reactions": counted})), node(json!({"reactionGroups": groups}))] {
        cases.push((
            "reactions",
            vec![payload],
            vec![
                ("entity.json", "/counts/reactions", json!(3)),
                ("entity.json", "/counts/reactionsByContent", json!({"+1": 2, "heart": 1})),
            ],
        ));
    }
    let none = pull(json!({"reactions": {"total_count": 0, "+1": 0, "heart": 0}}));
    cases.push(("no reactions", vec![none], vec![("entity.json", "/counts/reactionsByContent", json!({}))]));
    let untold = pull(json!({"reactions": {"total_count": 3}}));
    cases.push(("a sum alone", vec![untold], vec![("entity.json", "/counts/reactionsByContent", json!("absent"))]));
    check(cases);
}

/// A review that lacks its state, or has one that the forge does not document, is there all the same.
#[test]
fn a_review_without_a_state_is_one() {
    let own = json!({"id": 7, "user": user("tove", 4103), "body": "r", "submitted_at": "2026-03-03T00:00:00Z",
        "pull_request_url": format!("{API}/pulls/42"), "html_url": "https://github.com/acme/web/pull/42#pullrequestreview-7"});
    let mut cases = Vec::new();
    for members in [json!({}), json!({"state": null}), json!({"state": "MAYBE"})] {
        let says = vec![
            ("index.json", "/item/source/id", json!(7)),
            ("index.json", "/item/state", json!("absent")),
            ("index.json", "/coverage/reviews/items", json!(1)),
        ];
        cases.push(("of REST", vec![pull(json!({})), with(own.clone(), members)], says));
    }
    let nodes = json!([{"databaseId": 7, "state": "MAYBE", "author": {"login": "tove"}, "body": "r", "submittedAt": "2026-03-03T00:00:00Z"}]);
    let says = vec![("index.json", "/item/source/id", json!(7)), ("index.json", "/item/state", json!("absent"))];
    cases.push(("of GraphQL", vec![node(json!({"reviews": {"totalCount": 1, "nodes": nodes}}))], says));
    check(cases);
}
