//! Which of Gitea's objects a JSON object is, by its members.

use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::member::{number, text};
use crate::forge::url::Target;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Thread,
    Repository,
    Profile,
    Item(Facet),
    Error,
    /// Known, but of no facet that is read: branches, milestones, teams.
    Unsupported,
    /// The delivery of a webhook.
    Delivery,
    Unknown,
}

/// Accounts have both names nowhere else.
const ACCOUNTS: [&str; 7] = ["user", "creator", "author", "committer", "owner", "merged_by", "sender"];

/// Whether a member shows that an object is of this API: an address below `/api/v1/`, an account with `login` and
/// `username`, or what no other forge has.
pub(in crate::forge) fn is_own(value: &Json<'_>) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let is_account = |value: &Json<'_>| text(value, "login").is_some() && text(value, "username").is_some();
    let address =
        |name: &&str| text(value, name).and_then(Target::parse).is_some_and(|t| t.api && t.forge.is_gitea_like());
    (has("is_locked") && has("number"))
        || (has("original_author") && has("created_at"))
        || (has("ref_action") && has("type"))
        || (has("official") && has("stale"))
        || is_account(value)
        || ACCOUNTS.iter().any(|name| value.get(name).is_some_and(is_account))
        || ["url", "commit_url", "contents_url"].iter().any(address)
        // Of a delivery.
        || (has("repository") && ["issue", "pull_request"].iter().any(|name| value.get(name).is_some_and(is_own)))
        || value.pointer("/statuses/0").is_some_and(is_own)
}

/// Classifies an object. What has more members of its own comes first.
pub(super) fn of(value: &Json<'_>) -> Shape {
    let has = |name: &str| value.get(name).is_some();
    let has_text = |name: &str| text(value, name).is_some();
    if value.as_object().is_none() {
        return Shape::Unknown;
    }
    if ["repository", "sender"].iter().all(|name| value.get(name).is_some_and(|v| v.as_object().is_some())) {
        return Shape::Delivery;
    }
    if number(value, "number").is_some() && has_text("title") && has("state") {
        return Shape::Thread;
    }
    if has_text("type") && has("id") && (has("ref_action") || has("old_ref")) {
        return Shape::Item(Facet::Timeline);
    }
    if has("diff_hunk") || (has("pull_request_review_id") && has("body")) {
        return Shape::Item(Facet::ReviewComments);
    }
    if has_text("state") && has("id") && (has("official") || has("submitted_at")) {
        return Shape::Item(Facet::Reviews);
    }
    if is_comment(value) && (has("issue_url") || has("pull_request_url")) {
        return Shape::Item(Facet::Comments);
    }
    of_small(value)
}

/// Whether an object has what every comment has.
pub(super) fn is_comment(value: &Json<'_>) -> bool {
    ["id", "body", "user"].iter().all(|name| value.get(name).is_some())
}

fn of_small(value: &Json<'_>) -> Shape {
    let has = |name: &str| value.get(name).is_some();
    let has_text = |name: &str| text(value, name).is_some();
    if has_text("sha") && value.get("commit").and_then(Json::as_object).is_some() && has("parents") {
        return Shape::Item(Facet::Commits);
    }
    if has_text("filename") && has_text("status") {
        return Shape::Item(Facet::Files);
    }
    if has_text("context") && has("id") && (has_text("status") || has_text("state")) {
        return Shape::Item(Facet::Statuses);
    }
    if has_text("content") && has("user") && !has("body") {
        return Shape::Item(Facet::Reactions);
    }
    if has_text("full_name") && has("owner") && has("id") && (has("default_branch") || has("clone_url")) {
        return Shape::Repository;
    }
    if has_text("permission") && value.get("user").is_some_and(|user| text(user, "login").is_some()) {
        return Shape::Item(Facet::Members);
    }
    if has_text("login") && has("username") {
        return Shape::Profile;
    }
    if has_text("name") && has_text("color") && has("id") {
        return Shape::Item(Facet::Labels);
    }
    let only_error = value
        .as_object()
        .is_some_and(|object| object.iter().all(|(name, _)| matches!(name, "message" | "url" | "errors")));
    if only_error && has_text("message") {
        return Shape::Error;
    }
    if is_own(value) || (has_text("name") && has("protected")) || (has("title") && has("open_issues")) {
        return Shape::Unsupported;
    }
    Shape::Unknown
}
