//! Which objects are nodes of GitHub's GraphQL API, by their members.

use crate::forge::member::text;
use crate::forge::resource::Resource;
use crate::forge::url::Target;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::json::Json;

/// Members that REST and other forges have, and GraphQL nodes never.
const FOREIGN: [&str; 9] =
    ["created_at", "html_url", "iid", "issue_url", "node_id", "pull_request_url", "updated_at", "user", "web_url"];

/// Members of an issue or pull request that only GraphQL writes so.
const OF_THREAD: [&str; 22] = [
    "activeLockReason",
    "additions",
    "authorAssociation",
    "baseRefName",
    "baseRefOid",
    "bodyText",
    "closedAt",
    "closingIssuesReferences",
    "createdAt",
    "headRefName",
    "headRefOid",
    "isDraft",
    "isPinned",
    "latestReviews",
    "mergeStateStatus",
    "reactionGroups",
    "reviewDecision",
    "reviewThreads",
    "stateReason",
    "statusCheckRollup",
    "timelineItems",
    "updatedAt",
];

/// Members that only pull requests have.
const OF_PULL: [&str; 16] = [
    "autoMergeRequest",
    "baseRefName",
    "baseRefOid",
    "changedFiles",
    "files",
    "headRefName",
    "headRefOid",
    "isDraft",
    "latestReviews",
    "mergeStateStatus",
    "mergeable",
    "mergedAt",
    "reviewDecision",
    "reviewThreads",
    "reviews",
    "statusCheckRollup",
];

/// Members that hold items of sets.
pub(super) const SETS: [&str; 10] = [
    "comments",
    "commits",
    "files",
    "latestOpinionatedReviews",
    "latestReviews",
    "reactions",
    "reviewThreads",
    "reviews",
    "statusCheckRollup",
    "timelineItems",
];

/// What else `gh issue view --json` and `gh pr view --json` print.
const OF_GH: [&str; 46] = [
    "additions",
    "assignees",
    "author",
    "autoMergeRequest",
    "baseRefName",
    "baseRefOid",
    "body",
    "changedFiles",
    "closed",
    "closedAt",
    "closedByPullRequestsReferences",
    "closingIssuesReferences",
    "createdAt",
    "deletions",
    "fullDatabaseId",
    "headRefName",
    "headRefOid",
    "headRepository",
    "headRepositoryOwner",
    "id",
    "isCrossRepository",
    "isDraft",
    "isPinned",
    "labels",
    "locked",
    "maintainerCanModify",
    "mergeCommit",
    "mergeStateStatus",
    "mergeable",
    "mergedAt",
    "mergedBy",
    "milestone",
    "number",
    "potentialMergeCommit",
    "projectCards",
    "projectItems",
    "reactionGroups",
    "reviewDecision",
    "reviewRequests",
    "state",
    "stateReason",
    "title",
    "updatedAt",
    "url",
    "activeLockReason",
    "authorAssociation",
];

/// What names a node, and says nothing of it.
const NAMES: [&str; 6] = ["__typename", "databaseId", "fullDatabaseId", "id", "number", "repository"];

/// Whether an issue or pull request node tells of itself: it has a member that neither names it nor lists its items. Of a list of items a count
/// may be told alone.
pub(super) fn tells_header(value: &Json<'_>) -> bool {
    let is_count = |set: &Json<'_>| has(set, "totalCount") && !has(set, "nodes") && !has(set, "edges");
    let tells = |(name, member): (&str, &Json<'_>)| {
        if SETS.contains(&name) { is_count(member) } else { !NAMES.contains(&name) }
    };
    value.as_object().is_some_and(|object| object.iter().any(tells))
}

fn has(value: &Json<'_>, name: &str) -> bool {
    value.get(name).is_some()
}

/// Whether nothing in an object shows that it is another API's.
pub(super) fn is_possible(value: &Json<'_>) -> bool {
    let url = text(value, "url").and_then(Target::parse);
    value.as_object().is_some() && !FOREIGN.iter().any(|name| has(value, name)) && !url.is_some_and(|target| target.api)
}

/// The page of a thread that an object names as its own.
pub(super) fn page(value: &Json<'_>) -> Option<Target> {
    let target = text(value, "url").and_then(Target::parse).filter(|target| !target.api)?;
    matches!(target.resource, Resource::Issue(_) | Resource::Pull(_)).then_some(target)
}

/// The part of a page that an object names as its own: `issuecomment-1`.
fn fragment<'v>(value: &'v Json<'_>) -> Option<&'v str> {
    text(value, "url")?.split_once('#').map(|(_, fragment)| fragment)
}

/// Whether an object is an issue or pull request by its own members.
pub(super) fn is_thread(value: &Json<'_>) -> bool {
    // What stands somewhere on a page is a part of it.
    if !is_possible(value) || fragment(value).is_some() {
        return false;
    }
    match text(value, "__typename") {
        Some("Issue" | "PullRequest") => return true,
        Some(_) => return false,
        None => {}
    }
    if page(value).is_some() {
        return true;
    }
    let numbered = value.get("number").and_then(Json::as_u64).is_some();
    (numbered && OF_THREAD.iter().any(|name| has(value, name))) || is_selection(value)
}

/// Whether an object is what `gh … --json` prints when neither number nor address was asked for.
fn is_selection(value: &Json<'_>) -> bool {
    let known = |name: &str| SETS.contains(&name) || OF_GH.contains(&name);
    let all = value.as_object().is_some_and(|object| object.iter().all(|(name, _)| known(name)));
    // Comments have these too.
    let shared = |name: &&&str| {
        matches!(**name, "authorAssociation" | "bodyText" | "createdAt" | "reactionGroups" | "updatedAt")
    };
    let camel = OF_THREAD.iter().filter(|name| !shared(name)).any(|name| has(value, name));
    let set = |name: &&str| value.get(name).is_some_and(is_set);
    all && (camel || SETS.iter().any(set))
}

/// Whether the caller's word is all that is missing for what `gh issue view --json` or `gh pr view --json` prints: an object of nothing but
/// members that these print, of the types that they have there.
pub(super) fn is_printed(value: &Json<'_>) -> bool {
    let is = |(name, member): (&str, &Json<'_>)| {
        let object = || member.as_object().is_some() || member.is_null();
        match name {
            "number" => member.as_u64().is_some(),
            "title" | "body" | "id" | "url" | "createdAt" | "updatedAt" => member.as_str().is_some(),
            "state" => matches!(member.as_str(), Some("OPEN" | "CLOSED" | "MERGED")),
            "author" | "mergedBy" | "headRepositoryOwner" => member.is_null() || is_account(member),
            "assignees" => every(member, is_account),
            "labels" => every(member, |label| has(label, "name") && text(label, "id").is_some() && !has(label, "url")),
            "milestone" => object(),
            _ if SETS.contains(&name) => is_set(member),
            _ => OF_GH.contains(&name),
        }
    };
    let all = value.as_object().is_some_and(|object| object.iter().all(is));
    all && is_possible(value) && (tells_header(value) || SETS.iter().any(|name| has(value, name)))
}

fn every(list: &Json<'_>, is: impl Fn(&Json<'_>) -> bool) -> bool {
    list.as_array().is_some_and(|items| items.iter().all(is))
}

/// Whether an object is an account as `gh` prints it.
fn is_account(value: &Json<'_>) -> bool {
    const MEMBERS: [&str; 5] = ["databaseId", "id", "is_bot", "login", "name"];
    let only = value.as_object().is_some_and(|object| object.iter().all(|(name, _)| MEMBERS.contains(&name)));
    only && text(value, "login").is_some() && value.get("id").is_none_or(|id| id.as_str().is_some())
}

/// Whether a value is a connection or list of nodes of this API.
pub(super) fn is_set(value: &Json<'_>) -> bool {
    let list = value.as_array().or_else(|| value.get("nodes").and_then(Json::as_array));
    let Some(items) = list else { return value.get("edges").and_then(Json::as_array).is_some() };
    const MARKS: [&str; 8] =
        ["createdAt", "submittedAt", "messageHeadline", "oid", "startedAt", "commit", "authorAssociation", "path"];
    let mark = |item: &Json<'_>| has(item, "__typename") || MARKS.iter().any(|name| has(item, name));
    items.iter().all(|item| item.is_null() || (is_possible(item) && mark(item)))
}

/// The edges of a connection that tell what accounts may do in the repository around it, whatever the query calls it.
pub(super) fn collaborators<'v>(value: &'v Json<'v>) -> Option<&'v [Json<'v>]> {
    let edges = value.get("edges").and_then(Json::as_array).filter(|edges| !edges.is_empty())?;
    let tells = |edge: &Json<'_>| has(edge, "permission") && edge.get("node").is_some_and(|node| has(node, "login"));
    edges.iter().any(tells).then_some(edges)
}

/// The kind of a thread.
pub(super) fn kind(value: &Json<'_>) -> Option<Kind> {
    match text(value, "__typename") {
        Some("Issue") => return Some(Kind::Issue),
        Some("PullRequest") => return Some(Kind::Pull),
        _ => {}
    }
    match page(value).map(|target| target.resource) {
        Some(Resource::Issue(_)) => return Some(Kind::Issue),
        Some(Resource::Pull(_)) => return Some(Kind::Pull),
        _ => {}
    }
    OF_PULL.iter().any(|name| has(value, name)).then_some(Kind::Pull)
}

/// The facet of a node that is an item of a set.
pub(super) fn item(value: &Json<'_>) -> Option<Facet> {
    if !is_possible(value) {
        return None;
    }
    if let Some(name) = text(value, "__typename") {
        return Some(match name {
            "IssueComment" => Facet::Comments,
            "PullRequestReview" => Facet::Reviews,
            "PullRequestReviewComment" => Facet::ReviewComments,
            "PullRequestReviewThread" => Facet::Threads,
            "CheckRun" => Facet::Checks,
            "StatusContext" => Facet::Statuses,
            "Commit" => Facet::Commits,
            "PullRequestChangedFile" => Facet::Files,
            "Label" => Facet::Labels,
            "Reaction" => Facet::Reactions,
            _ if name.ends_with("Event") => Facet::Timeline,
            _ => return None,
        });
    }
    if has(value, "isResolved") && has(value, "comments") {
        return Some(Facet::Threads);
    }
    let fragment = fragment(value).filter(|_| page(value).is_some() && has(value, "body"))?;
    let starts = |text: &str| fragment.starts_with(text);
    match () {
        () if starts("issuecomment-") => Some(Facet::Comments),
        () if starts("pullrequestreview-") => Some(Facet::Reviews),
        () if starts("discussion_r") => Some(Facet::ReviewComments),
        () => None,
    }
}
