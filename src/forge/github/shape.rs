//! Which of GitHub's objects a JSON object is, by its members.

use crate::format::entity::Forge;
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::resource::Resource;
use crate::forge::url::Target;

use crate::forge::member::{number, text};

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// An issue or pull request, as an issue or as a pull request.
    Thread,
    /// A repository.
    Repository,
    /// An account with its profile.
    Profile,
    /// An item of a set.
    Item(Facet),
    /// An entry of a timeline that issue events do not have.
    TimelineEntry,
    /// The forge's account of an error.
    Error,
    /// The delivery of a webhook.
    Delivery,
    /// Known, but of no facet that is read.
    Unsupported,
    /// Another forge's object, or another API's.
    Foreign,
    /// Anything else.
    Unknown,
}

/// The words of timeline entries that issue events do not have.
const TIMELINE_ONLY: [&str; 6] =
    ["commented", "reviewed", "committed", "cross-referenced", "line-commented", "commit-commented"];

/// Classifies an object. The order matters: what has more members of its own comes first.
pub(super) fn of(value: &Json<'_>) -> Shape {
    if value.as_object().is_none() {
        return Shape::Unknown;
    }
    if is_delivery(value) {
        return Shape::Delivery;
    }
    let found = of_members(value);
    // A member `url` of GitHub's REST objects is always an address of its API. An error says where to read on.
    if matches!(found, Shape::Error | Shape::Unknown) || has_own_addresses(value) { found } else { Shape::Foreign }
}

fn of_members(value: &Json<'_>) -> Shape {
    if beside_runs(value).is_some() {
        let told = number(value, "id").is_some() && value.get("head_sha").is_some() && value.get("status").is_some();
        return if told { Shape::Item(Facet::Checks) } else { Shape::Unsupported };
    }
    if let Some(event) = text(value, "event") {
        return of_event(value, event);
    }
    if number(value, "number").is_some() && text(value, "title").is_some() {
        return of_numbered(value);
    }
    if is_comment_like(value) {
        return of_comment(value);
    }
    of_small(value)
}

/// True for the delivery of a webhook: an event with what it is about, no object of REST. No REST object has a `sender`.
pub(super) fn is_delivery(value: &Json<'_>) -> bool {
    ["repository", "sender"].iter().all(|name| value.get(name).is_some_and(|member| member.as_object().is_some()))
}

/// True when the addresses in an object are not those of GitHub's REST API.
pub(super) fn is_foreign(value: &Json<'_>) -> bool {
    !has_own_addresses(value)
}

fn has_own_addresses(value: &Json<'_>) -> bool {
    ["url", "issue_url", "pull_request_url", "repository_url"].iter().all(|name| match value.get(name) {
        None | Some(Json::Null) => true,
        Some(url) => url.as_str().and_then(Target::parse).is_some_and(|target| match target.api {
            true => target.forge == Forge::GitHub && is_rest(&target),
            // In answers of 2012 the issue of a pull request is a page.
            false => *name == "issue_url" && target.is_github_host() && target.resource.number().is_some(),
        }),
    })
}

/// Another forge's `/api/v1/…` names no repository here; GitHub has other addresses without one (`/user`, `/teams/1`).
fn is_rest(target: &Target) -> bool {
    target.is_github_host() || target.repository.is_some() || target.resource != Resource::Other
}

/// What is shown among the checks and is listed beside the check runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// A check suite: the check runs of one application.
    Suite,
    /// A run of a workflow, which is the check suite of GitHub Actions.
    WorkflowRun,
    /// A job of a workflow run: the check run of its id, told by another API.
    Job,
}

impl Beside {
    /// The item that names the listing in observations: it says nothing of check runs, however whole it is.
    pub(super) fn listing(self) -> &'static str {
        match self {
            Self::Suite => "check-suites",
            Self::WorkflowRun => "workflow-runs",
            Self::Job => "jobs",
        }
    }
}

/// Which of the three an object is, by members that only one of them has.
pub(super) fn beside_runs(value: &Json<'_>) -> Option<Beside> {
    let has = |name: &str| value.get(name).is_some();
    if has("run_id") && has("head_sha") {
        return Some(Beside::Job);
    }
    if has("run_number") || has("workflow_id") {
        return Some(Beside::WorkflowRun);
    }
    (has("latest_check_runs_count") || has("check_runs_url")).then_some(Beside::Suite)
}

fn of_event(value: &Json<'_>, event: &str) -> Shape {
    let entry = ["actor", "user", "created_at", "sha", "comments", "id", "node_id"];
    if !entry.iter().any(|name| value.get(name).is_some()) {
        return Shape::Unknown;
    }
    if TIMELINE_ONLY.contains(&event) || value.get("id").is_none() {
        return Shape::TimelineEntry;
    }
    Shape::Item(Facet::Events)
}

/// Issues, pull requests, milestones and discussions have a number and a title.
fn of_numbered(value: &Json<'_>) -> Shape {
    let milestone = value.get("closed_issues").is_some();
    let discussion = value.get("category").is_some() || value.get("answer_html_url").is_some();
    if milestone || discussion {
        return Shape::Unsupported;
    }
    // A team's discussion has no state.
    let told = ["created_at", "updated_at", "url", "user"].iter().any(|name| value.get(name).is_some());
    if value.get("state").is_some() && told { Shape::Thread } else { Shape::Unknown }
}

fn is_comment_like(value: &Json<'_>) -> bool {
    let has = |name: &str| value.get(name).is_some();
    // A number that is too big to be read is one all the same.
    let numbered = matches!(value.get("id"), Some(Json::Number(_)));
    numbered && has("body") && (has("user") || is_on_diff(value))
}

/// Whether a comment is on the diff. Those of 2012 say it by their address alone.
fn is_on_diff(value: &Json<'_>) -> bool {
    let own = || text(value, "url").and_then(Target::parse).map(|target| target.resource);
    value.get("diff_hunk").is_some()
        || value.get("pull_request_review_id").is_some()
        || matches!(own(), Some(Resource::ReviewComment(_)))
}

fn of_comment(value: &Json<'_>) -> Shape {
    let own = text(value, "url").and_then(Target::parse).map(|target| target.resource);
    if is_on_diff(value) {
        return Shape::Item(Facet::ReviewComments);
    }
    let has = |name: &str| value.get(name).is_some();
    // A review that lacks its state is one all the same: nothing else is submitted, and nothing else here has the address of a pull request.
    if has("submitted_at") || has("pull_request_url") || (text(value, "state").is_some() && has("commit_id")) {
        return Shape::Item(Facet::Reviews);
    }
    if text(value, "state").is_some() {
        return Shape::Unknown;
    }
    // Comments on commits, gists and discussions look alike but for their addresses.
    let elsewhere = ["commit_id", "discussion_url", "parent_id"].iter().any(|name| value.get(name).is_some());
    match own {
        _ if elsewhere => Shape::Unsupported,
        None | Some(Resource::Comment(_)) => Shape::Item(Facet::Comments),
        Some(_) => Shape::Unsupported,
    }
}

fn of_small(value: &Json<'_>) -> Shape {
    let has = |name: &str| value.get(name).is_some();
    let has_text = |name: &str| text(value, name).is_some();
    if has_text("sha") && value.get("commit").and_then(Json::as_object).is_some() && has("parents") {
        return if has("score") { Shape::Unsupported } else { Shape::Item(Facet::Commits) };
    }
    if has_text("filename") && has_text("status") {
        return Shape::Item(Facet::Files);
    }
    if has("head_sha") && has_text("name") && has_text("status") && (has("output") || has("check_suite")) {
        return Shape::Item(Facet::Checks);
    }
    if has_text("context") && has_text("state") && has("id") {
        return Shape::Item(Facet::Statuses);
    }
    if has_text("content") && has("user") && has("id") && !has("body") && !has("name") {
        return Shape::Item(Facet::Reactions);
    }
    if has_text("full_name") && has("owner") && has("id") && (has("default_branch") || has("forks_url")) {
        return if has("url") || has("html_url") { Shape::Repository } else { Shape::Unknown };
    }
    if is_member(value) {
        return Shape::Item(Facet::Members);
    }
    if has_text("login") && has("id") {
        let profile = has_text("created_at") && has("public_repos") && has_text("url");
        return if profile { Shape::Profile } else { Shape::Unsupported };
    }
    // A label of 2012 has an address and no id.
    let is_at_label =
        || text(value, "url").and_then(Target::parse_api).is_some_and(|t| t.resource == Resource::RepositoryLabel);
    if has_text("name") && has_text("color") && (has("id") || is_at_label()) {
        return Shape::Item(Facet::Labels);
    }
    of_rest(value)
}

/// What an account may do: an answer about one, or an account in a list.
fn is_member(value: &Json<'_>) -> bool {
    let is_account = |value: &Json<'_>| text(value, "login").is_some() && value.get("id").is_some();
    let one = text(value, "permission").is_some() && value.get("user").is_some_and(is_account);
    one || (is_account(value) && value.get("permissions").is_some_and(|flags| flags.get("pull").is_some()))
}

/// What an account of an error is made of. With any other member it is something else that has a message.
const ERROR: [&str; 5] = ["block", "documentation_url", "errors", "message", "status"];

fn of_rest(value: &Json<'_>) -> Shape {
    let only_error = value.as_object().is_some_and(|object| object.iter().all(|(name, _)| ERROR.contains(&name)));
    if only_error && text(value, "message").is_some() { Shape::Error } else { Shape::Unknown }
}
