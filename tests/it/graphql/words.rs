//! Events have the words of REST, so that what is asked of an event is asked whichever API told of it.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{done, report, scratch};

/// Every type of entry that GitHub lists in a timeline. REST calls it by its name, in lower case and joined by `_`…
const TYPES: &str = "AddedToMergeQueueEvent AddedToProjectEvent AddedToProjectV2Event AssignedEvent AutoMergeDisabledEvent \
AutoMergeEnabledEvent AutoRebaseEnabledEvent AutoSquashEnabledEvent AutomaticBaseChangeFailedEvent AutomaticBaseChangeSucceededEvent \
BaseRefChangedEvent BaseRefDeletedEvent BaseRefForcePushedEvent BlockedByAddedEvent BlockedByRemovedEvent BlockingAddedEvent \
BlockingRemovedEvent ClosedEvent CommentDeletedEvent ConnectedEvent ConvertToDraftEvent ConvertedFromDraftEvent \
ConvertedNoteToIssueEvent ConvertedToDiscussionEvent CrossReferencedEvent DemilestonedEvent DeployedEvent \
DeploymentEnvironmentChangedEvent DisconnectedEvent HeadRefDeletedEvent HeadRefForcePushedEvent HeadRefRestoredEvent IssueComment \
IssueTypeAddedEvent IssueTypeChangedEvent IssueTypeRemovedEvent LabeledEvent LockedEvent MarkedAsDuplicateEvent MentionedEvent \
MergedEvent MilestonedEvent MovedColumnsInProjectEvent ParentIssueAddedEvent ParentIssueRemovedEvent PinnedEvent \
ProjectV2ItemStatusChangedEvent PullRequestCommit PullRequestCommitCommentThread PullRequestReview PullRequestReviewThread \
ReadyForReviewEvent ReferencedEvent RemovedFromMergeQueueEvent RemovedFromProjectEvent RemovedFromProjectV2Event RenamedTitleEvent \
ReopenedEvent ReviewDismissedEvent ReviewRequestRemovedEvent ReviewRequestedEvent SubIssueAddedEvent SubIssueRemovedEvent \
SubscribedEvent TransferredEvent UnassignedEvent UnlabeledEvent UnlockedEvent UnmarkedAsDuplicateEvent UnpinnedEvent \
UnsubscribedEvent UserBlockedEvent";

/// … but for these.
const EXCEPTIONS: [(&str, &str); 9] = [
    ("AddedToProjectV2Event", "added_to_project_v2"),
    ("CrossReferencedEvent", "cross-referenced"),
    ("IssueComment", "commented"),
    ("PullRequestCommit", "committed"),
    ("PullRequestCommitCommentThread", "commit-commented"),
    ("PullRequestReview", "reviewed"),
    ("PullRequestReviewThread", "line-commented"),
    ("RemovedFromProjectV2Event", "removed_from_project_v2"),
    ("RenamedTitleEvent", "renamed"),
];

fn of_rest(name: &str) -> String {
    if let Some((_, word)) = EXCEPTIONS.iter().find(|(own, _)| *own == name) {
        return (*word).to_owned();
    }
    let mut word = String::new();
    for c in name.strip_suffix("Event").expect("an event").chars() {
        if c.is_ascii_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(c.to_lowercase());
    }
    word
}

/// The pull request with these entries in its timeline, last changed before them.
fn pull(nodes: &[Value]) -> Value {
    let info = json!({"hasNextPage": false, "hasPreviousPage": false});
    json!({"__typename": "PullRequest", "id": "PR_1", "number": 42, "url": "https://github.com/acme/web/pull/42", "title": "later",
        "state": "OPEN", "body": "", "author": {"__typename": "User", "login": "mona"}, "createdAt": "2026-03-01T00:00:00Z",
        "updatedAt": "2026-03-05T10:00:00Z",
        "timelineItems": {"totalCount": nodes.len(), "pageInfo": info, "nodes": nodes}})
}

fn entry(name: &str, at: usize) -> Value {
    let oid = format!("{at:040x}");
    json!({"__typename": name, "id": format!("X_{at}"), "createdAt": format!("2026-03-05T10:{:02}:{:02}Z", at / 60, at % 60),
        "actor": {"__typename": "User", "login": "mallory"}, "commit": {"oid": oid}})
}

fn staged(dir: &Path, more: &[&str]) -> impl Fn(&str) -> Value + use<> {
    let out = format!("out-{}", more.len());
    done(dir, &[&["stage", "--profile", "full", "--out", &out, "--from", "in.json"], more].concat());
    let out = dir.join(out);
    move |name| serde_json::from_slice(&std::fs::read(out.join(name)).expect("a file")).expect("JSON")
}

#[test]
fn each_type_of_event_has_its_word_of_rest() {
    let dir = scratch();
    let names: Vec<_> = TYPES.split_whitespace().collect();
    let nodes: Vec<_> = names.iter().enumerate().map(|(at, name)| entry(name, at)).collect();
    std::fs::write(dir.path().join("in.json"), pull(&nodes).to_string()).expect("written");
    let events = staged(dir.path(), &[])("timeline.json")["events"].clone();
    let words: Vec<_> = events.as_array().expect("events").iter().map(|event| event["event"].clone()).collect();
    assert_eq!(words, names.iter().map(|name| json!(of_rest(name))).collect::<Vec<_>>());
    assert_eq!(of_rest("ProjectV2ItemStatusChangedEvent"), "project_v2_item_status_changed");
}

#[test]
fn a_title_that_graphql_shows_the_giver_of_is_admitted_by_that() {
    let dir = scratch();
    let mut renamed = entry("RenamedTitleEvent", 5);
    (renamed["previousTitle"], renamed["currentTitle"]) = ("earlier".into(), "later".into());
    std::fs::write(dir.path().join("in.json"), pull(&[renamed]).to_string()).expect("written");
    assert_eq!(staged(dir.path(), &[])("entity.json")["title"], "later");
    let refused = staged(dir.path(), &["--deny-author", "mallory"]);
    assert_eq!(refused("entity.json")["title"], "[withheld:not-admitted]");
    assert_eq!(refused("timeline.json")["events"][0]["details"], json!({}));
}

#[test]
fn a_rename_is_one_event_whichever_api_tells_of_it() {
    let dir = scratch();
    let mut renamed = entry("RenamedTitleEvent", 0);
    (renamed["previousTitle"], renamed["currentTitle"]) = ("earlier".into(), "later".into());
    let rest = json!([{"id": 11, "node_id": "RTE_11", "event": "renamed", "created_at": renamed["createdAt"],
        "actor": {"id": 9, "login": "mallory"}, "rename": {"from": "earlier", "to": "later"}}]);
    std::fs::write(dir.path().join("in.json"), pull(&[renamed]).to_string()).expect("written");
    std::fs::write(dir.path().join("rest.json"), rest.to_string()).expect("written");
    done(dir.path(), &["init", "store"]);
    for (name, at) in [("timeline=rest.json", "2026-04-01T00:00:00Z"), ("in.json", "2026-04-02T00:00:00Z")] {
        let entity = ["--entity", "github:github.com/acme/web/pull/42", "--observed-at", at];
        done(dir.path(), &[&["--store", "store", "observe"], &entity[..], &[name]].concat());
    }
    let (status, shown) = report(dir.path(), &["--store", "store", "show", "acme/web#42"]);
    assert_eq!((status, &shown["coverage"]["timeline"]["items"]), (0, &json!(1)), "{shown}");
}
