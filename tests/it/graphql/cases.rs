//! Shapes, completeness and the hard cases.

use super::*;

const PAGE: &str = "https://github.com/acme/web/pull/42";

fn pull(mut members: Value) -> Value {
    members["url"] = PAGE.into();
    members["number"] = 42.into();
    members
}

fn comment(at: u64) -> Value {
    value!({"id": format!("IC_{at}"), "databaseId": at, "body": "x", "author": null, "createdAt": "2026-01-01T00:00:00Z"})
}

fn extent(connection: Value) -> Option<Extent> {
    let found = seen(&pull(value!({ "comments": connection })));
    found.looks.iter().find(|look| look.facet == Facet::Comments).map(|look| look.extent)
}

#[test]
fn a_connection_is_whole_only_when_it_proves_it() {
    let info = |next: bool, previous: bool| value!({"hasNextPage": next, "hasPreviousPage": previous});
    let nodes = value!([comment(1), comment(2)]);
    assert_eq!(extent(value!({"nodes": nodes, "totalCount": 2})), Some(Extent::Proved));
    assert_eq!(extent(value!({"nodes": nodes, "pageInfo": info(false, false)})), Some(Extent::Proved));
    assert_eq!(extent(value!({"edges": [{"node": comment(1)}], "totalCount": 1})), Some(Extent::Proved));
    assert_eq!(extent(value!({"nodes": nodes, "totalCount": 3})), Some(Extent::Part));
    assert_eq!(extent(value!({"nodes": nodes, "totalCount": 2, "pageInfo": info(true, false)})), Some(Extent::Part));
    assert_eq!(extent(value!({"nodes": nodes, "pageInfo": info(false, true)})), Some(Extent::Part));
    assert_eq!(extent(value!({"nodes": [comment(1), null], "totalCount": 2})), Some(Extent::Lacking));
    assert_eq!(extent(value!({"nodes": nodes, "pageInfo": {"hasNextPage": false}})), Some(Extent::Whole));
    assert_eq!(extent(value!({"nodes": nodes})), Some(Extent::Whole));
    // A count alone and null show no items: unknown is not empty.
    assert_eq!(extent(value!({"totalCount": 0})), None);
    assert_eq!(extent(Value::Null), None);
}

#[test]
fn flat_lists_are_whole_when_gh_made_them_and_they_are_short() {
    assert_eq!(extent(value!([comment(1)])), Some(Extent::Whole), "anybody can make a list flat");
    let of_gh = |count: u64| {
        let comments: Vec<_> = (1..=count).map(comment).collect();
        let found = seen(&pull(value!({"comments": comments, "author": {"login": "mira", "is_bot": false}})));
        found.looks.iter().find(|look| look.facet == Facet::Comments).map(|look| look.extent)
    };
    assert_eq!(of_gh(0), Some(Extent::Proved));
    assert_eq!(of_gh(99), Some(Extent::Proved));
    assert_eq!(of_gh(100), Some(Extent::Whole));
}

#[test]
fn no_files_is_what_github_says_of_too_many() {
    let node = pull(value!({"changedFiles": 0, "additions": 0, "deletions": 0, "files": null}));
    assert_eq!(lines(&seen(&node)), ["header Whole github:github.com/acme/web/thread/42 0"]);
    let counts = header(node).counts;
    assert_eq!((counts.files, counts.additions), (Field::Unknown, Field::Unknown));
    let some = pull(value!({"changedFiles": 2, "files": {"nodes": [{"path": "a"}], "totalCount": 1}}));
    assert_eq!(lines(&seen(&some))[1], "files Part github:github.com/acme/web/thread/42 1");
}

#[test]
fn words_are_those_of_rest_and_others_are_unknown() {
    let merged = header(pull(value!({"state": "MERGED", "mergedAt": "2026-01-02T03:04:05Z"})));
    assert_eq!((merged.state, merged.merged), (Field::Known(State::Closed), Field::Known(true)));
    let closed = header(pull(value!({"state": "CLOSED", "activeLockReason": "TOO_HEATED", "mergeable": "UNKNOWN"})));
    assert_eq!((closed.merged, closed.mergeable), (Field::Known(false), Field::Null));
    assert_eq!(closed.lock_reason, Field::Known("too heated".to_owned()));
    let node = parse(&pull(value!({"state": "LOST"})));
    assert_eq!(Dialect::GithubGraphql.header(&node).expect_err("unlisted").member, "state");
    let node = parse(&pull(value!({"state": "OPEN", "activeLockReason": "COLD", "mergeable": "MAYBE"})));
    let found = Dialect::GithubGraphql.header(&node).expect("a header");
    assert_eq!(found.odd, ["activeLockReason", "mergeable"]);
    assert_eq!((found.value.lock_reason, found.value.mergeable), (Field::Unknown, Field::Unknown));
    for (facet, node, odd) in [
        (Facet::Reviews, value!({"databaseId": 1, "state": "LOST"}), "state"),
        (Facet::Threads, value!({"id": "PRRT_x", "diffSide": "UP", "line": null}), "diffSide"),
        (Facet::ReviewComments, value!({"databaseId": 1, "subjectType": "HUNK", "line": null}), "subjectType"),
        (Facet::Files, value!({"path": "a", "changeType": "LOST"}), "changeType"),
        (Facet::Statuses, value!({"id": "SC_x", "context": "ci", "state": "LOST"}), "state"),
        (
            Facet::Checks,
            value!({"databaseId": 1, "name": "ci", "status": "COMPLETED", "conclusion": "LOST"}),
            "conclusion",
        ),
    ] {
        let found = Dialect::GithubGraphql.items(facet, &parse(&node)).remove(0).expect("an item all the same");
        assert_eq!(found.odd, [odd], "{node}");
        if let Item::ReviewComment(comment) = found.value {
            assert_eq!(comment.place.line, Field::Unknown, "no null tells that it is outdated");
        }
    }
}

#[test]
fn accounts_are_those_of_rest() {
    let author = |author: Value| header(pull(value!({ "author": author }))).author;
    let login = |value: Value| author(value).known().map(|actor| (actor.login.clone(), actor.account.clone()));
    let bot = Some(("dependabot[bot]".to_owned(), Some("Bot".to_owned())));
    assert_eq!(login(value!({"__typename": "Bot", "login": "dependabot"})), bot);
    assert_eq!(login(value!({"is_bot": true, "login": "app/dependabot"})), bot);
    assert_eq!(author(Value::Null), Field::Null);
    assert_eq!(author(value!({"login": ""})), Field::Null);
    assert_eq!(header(pull(value!({"title": "x"}))).author, Field::Unknown);
    let of_id = author(value!({"login": "octocat", "id": "MDQ6VXNlcjU4MzIzMQ=="}));
    assert_eq!(of_id.known().and_then(|actor| actor.id), Some(583_231));
}

#[test]
fn body_null_empty_and_unknown_differ() {
    let body = |node: Value| header(pull(node)).body;
    assert_eq!(body(value!({"body": null})), Field::Null);
    assert_eq!(body(value!({"body": ""})), Field::Known(String::new()));
    assert_eq!(body(value!({"bodyText": "x"})), Field::Unknown);
}

#[test]
fn database_ids_stand_in_node_ids_of_both_kinds() {
    let id = |id: &str| match item(Facet::Comments, value!({"id": id, "body": "x"})) {
        Item::Comment(comment) => comment.id,
        _ => panic!("a comment"),
    };
    assert_eq!(id("IC_kwDOQN97u87PVCb0"), Id::Number(3_478_398_708));
    assert_eq!(id("MDEyOklzc3VlQ29tbWVudDE="), Id::Number(1));
    // Another type, an id that goes on, one that is cut, a length that is not that of the name.
    for other in
        ["PRRC_kwDOQN97u86UHqK7", "IC_kwDOQN97u87PVCb0AA", "IC_kwDOQN97u87PVCb", "MDExOklzc3VlQ29tbWVudDE=", "IC_x"]
    {
        assert_eq!(id(other), Id::Text(other.to_owned()));
    }
    let nameless = value!({"author": {"login": "Mira"}, "createdAt": "2026-01-02T03:04:05Z", "body": "x"});
    assert_eq!(item(Facet::Comments, nameless).key(), "mira@2026-01-02T03:04:05Z");
    assert!(Dialect::GithubGraphql.items(Facet::Comments, &parse(&value!({"body": "x"})))[0].is_err());
}

#[test]
fn reviews_and_comments_keep_what_is_special_about_them() {
    let Item::Review(pending) =
        item(Facet::Reviews, value!({"id": "PRR_x", "state": "PENDING", "body": "", "author": null}))
    else {
        panic!("a review")
    };
    assert_eq!((pending.submitted_at, pending.author), (None, Field::Null));
    let hidden = value!({"databaseId": 1, "body": "spam", "isMinimized": true, "minimizedReason": "spam"});
    let Item::Comment(hidden) = item(Facet::Comments, hidden) else { panic!("a comment") };
    assert_eq!(hidden.minimized.is, Field::Known(true));
    assert_eq!(hidden.minimized.reason, Field::Known("spam".to_owned()));
    let thread = value!({
        "id": "PRRT_x", "isResolved": true, "isOutdated": true, "line": null, "path": "a.rs", "diffSide": "LEFT",
        "resolvedBy": {"login": "mira"}, "comments": {"nodes": [{"databaseId": 7}, {"databaseId": 8}]},
    });
    let Item::Thread(thread) = item(Facet::Threads, thread) else { panic!("a thread") };
    assert_eq!(
        (thread.root, thread.resolved, thread.outdated),
        (Some(7.into()), Field::Known(true), Field::Known(true))
    );
    assert_eq!((thread.place.line, thread.place.side.as_deref()), (Field::Null, Some("left")));
}

#[test]
fn teams_merge_queue_and_auto_merge() {
    let asked = value!({"nodes": [
        {"requestedReviewer": {"__typename": "User", "login": "tove"}},
        {"requestedReviewer": {"__typename": "Team", "slug": "payments"}}], "totalCount": 2});
    let node = header(pull(value!({"reviewRequests": asked, "isDraft": true,
        "autoMergeRequest": {"enabledBy": {"login": "mira"}, "mergeMethod": "SQUASH"}})));
    assert_eq!(node.requested_teams, Field::Known(vec!["payments".to_owned()]));
    assert_eq!(node.requested_reviewers.known().map(Vec::len), Some(1));
    assert_eq!(node.auto_merge.known().and_then(|on| on.method.as_deref()), Some("squash"));
    assert_eq!(node.draft, Field::Known(true));
    let unseen = value!({"nodes": [{"requestedReviewer": null}], "totalCount": 1});
    assert_eq!(header(pull(value!({"reviewRequests": unseen}))).requested_reviewers, Field::Unknown);
    let Item::Event(queued) = item(Facet::Timeline, value!({"__typename": "AddedToMergeQueueEvent", "id": "AMQ_x"}))
    else {
        panic!("an event")
    };
    assert_eq!((queued.event.as_str(), queued.key.as_str()), ("added_to_merge_queue", "added_to_merge_queue:AMQ_x"));
    let labeled =
        value!({"__typename": "LabeledEvent", "id": "LE_lADODwFebM5HwC0kzwAAAAF_Roqs", "label": {"name": "bug"}});
    assert_eq!(item(Facet::Timeline, labeled).key(), "6430296748");
}

#[test]
fn an_answer_that_failed_is_no_data() {
    let reason = |value: &Value| seen(value).left.first().map(|left| left.reason);
    let errors = value!([{"type": "NOT_FOUND", "path": ["repository", "issue"], "message": "no"}]);
    assert_eq!(reason(&value!({ "errors": errors })), Some(Reason::ForgeErrorBody));
    assert_eq!(reason(&value!({"data": null, "errors": errors})), Some(Reason::ForgeErrorBody));
    assert_eq!(
        reason(&value!({"data": {"repository": {"issue": null}}, "errors": errors})),
        Some(Reason::ForgeErrorBody)
    );
    assert_eq!(reason(&value!({"data": {"viewer": {"login": "mira"}}})), Some(Reason::FacetUnsupported));
    let partial = value!({"errors": errors, "data": {"repository": {
        "issue": null, "pullRequest": pull(value!({"title": "t", "reviewThreads": null}))}}});
    assert_eq!(lines(&seen(&partial)), ["header Whole github:github.com/acme/web/thread/42 0"]);
}

#[test]
fn nobodys_nodes_are_nobodys() {
    let node = value!({"number": 41, "url": PAGE, "title": "t", "comments": {"nodes": [comment(1)]}});
    assert_eq!(seen(&node).left.first().map(|left| left.reason), Some(Reason::EntityAmbiguous));
    // A repository that was renamed and an issue that was moved are where their own address says.
    let moved = value!({"data": {"repository": {"nameWithOwner": "acme/old", "issue":
        {"number": 7, "title": "t", "url": "https://github.com/acme/new/issues/7"}}}});
    assert_eq!(lines(&seen(&moved)), ["header Whole github:github.com/acme/new/thread/7 0"]);
}

#[test]
fn what_gh_prints_is_recognised_by_its_members() {
    let comments = value!([{"id": "IC_1", "author": {"login": "m"}, "body": "x", "createdAt": "2026-01-01T00:00:00Z",
        "url": format!("{PAGE}#issuecomment-1")}]);
    let subject = "github:github.com/acme/web/thread/42";
    assert_eq!(lines(&seen(&comments)), [format!("comments Whole {subject} 1")]);
    let list = value!([{"number": 42, "title": "t", "url": PAGE}, {"number": 43, "title": "u", "url": "https://github.com/acme/web/pull/43"}]);
    assert_eq!(seen(&list).looks.len(), 2);
    assert_eq!(seen(&list).looks[0].kind, Some(Kind::Pull));
    // Without number and address it is the caller's.
    let bare = value!({"comments": comments, "reviews": []});
    assert_eq!(seen(&bare).left.first().map(|left| left.reason), Some(Reason::EntityAmbiguous));
    let own = subject.parse().expect("a subject");
    let found = recognise(&parse(&bare), &Hints { entity: Some((&own, None)), ..Hints::default() });
    assert_eq!(found.looks.iter().map(|look| look.facet).collect::<Vec<_>>(), [Facet::Comments, Facet::Reviews]);
}
