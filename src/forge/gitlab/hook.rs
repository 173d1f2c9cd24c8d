//! Objects of webhooks, written as those of REST, so that one reader and one table serve both.

use crate::format::facet::Facet;
use crate::format::json::{Json, Object};
use crate::format::time::Time;

use crate::forge::facets::{Field, Header, InvalidMetadata, Item, Noted, Side};
use crate::forge::member::{number, text};

use super::delivery::event;
use super::{header as rest_header, normal};

/// Members that are times.
const TIMES: [&str; 8] = [
    "closed_at",
    "created_at",
    "finished_at",
    "last_edited_at",
    "merged_at",
    "resolved_at",
    "started_at",
    "updated_at",
];

/// The header that a delivery shows: of an issue or merge request that it is about, or that stands beside what it is about.
///
/// # Errors
/// [`InvalidMetadata`] as for the objects of REST, and for a delivery that shows neither.
pub(in crate::forge) fn header(delivery: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    let own = thread_of(delivery).ok_or(InvalidMetadata { member: "object_attributes" })?;
    let mut noted = rest_header(&thread(delivery, own))?;
    complete(own, &mut noted.value);
    Ok(noted)
}

/// What an item of a delivery shows of a facet: of a pipeline, it and its jobs.
pub(in crate::forge) fn items(facet: Facet, delivery: &Json<'_>) -> Vec<Result<Noted<Item>, InvalidMetadata>> {
    match event(delivery) {
        Some("note") => normal::items(facet, &note(delivery)),
        Some("emoji") => normal::items(facet, &award(delivery)),
        Some("build") => normal::items(facet, &job(delivery)),
        Some("pipeline") => pipeline(delivery).iter().flat_map(|check| normal::items(facet, check)).collect(),
        _ => vec![Err(InvalidMetadata { member: "object_kind" })],
    }
}

/// When what a delivery shows of an issue or merge request was last changed.
pub(in crate::forge) fn updated_at(delivery: &Json<'_>) -> Option<Time> {
    time(thread_of(delivery)?.get("updated_at")?)
}

/// A time, which deliveries write in two ways.
pub(super) fn time(value: &Json<'_>) -> Option<Time> {
    let text = value.as_str()?;
    rfc3339(text).as_deref().unwrap_or(text).parse().ok()
}

/// The issue or merge request in a delivery.
pub(super) fn thread_of<'v, 'a>(delivery: &'v Json<'a>) -> Option<&'v Json<'a>> {
    match event(delivery)? {
        "issue" | "merge_request" => delivery.get("object_attributes"),
        _ => ["issue", "merge_request"].iter().find_map(|name| delivery.get(name)),
    }
    .filter(|thread| thread.as_object().is_some())
}

/// `2026-01-02 03:04:05 UTC`, or with an offset, as RFC 3339 writes it; none for anything else.
fn rfc3339(text: &str) -> Option<String> {
    let (day, rest) = text.split_once(' ')?;
    let (time, zone) = rest.split_once(' ')?;
    match zone {
        "UTC" => Some(format!("{day}T{time}Z")),
        offset if offset.is_ascii() && offset.len() == 5 => {
            Some(format!("{day}T{time}{}:{}", &offset[..3], &offset[3..]))
        }
        _ => None,
    }
}

/// The members of an object, its times and address as REST has them.
fn like_rest<'a>(own: &Json<'a>) -> Object<'a> {
    let mut out = own.as_object().cloned().unwrap_or_default();
    for name in TIMES {
        let written = out.get(name).and_then(Json::as_str).and_then(rfc3339);
        out.set_some(name, written);
    }
    out.set_some("web_url", own.get("url").cloned());
    out
}

/// An issue or merge request. Whose it is, is told by number; the account, where the delivery names it for another reason.
fn thread<'a>(delivery: &Json<'a>, own: &Json<'a>) -> Json<'a> {
    let mut out = like_rest(own);
    let is_about = event(delivery).is_some_and(|event| matches!(event, "issue" | "merge_request"));
    let beside = |name: &str| delivery.get(name).filter(|_| is_about);
    for name in ["assignees", "reviewers"] {
        out.set_some(name, beside(name).cloned());
    }
    out.set_some("labels", own.get("labels").or_else(|| beside("labels")).map(labels));
    out.set_some("author", author(delivery, own, "open"));
    out.set_some("project_id", own.get("target_project_id").cloned());
    out.set_some("sha", own.pointer("/last_commit/id").cloned());
    if own.get("milestone_id").is_some_and(Json::is_null) {
        out.set("milestone", Json::Null);
    }
    Json::Object(out)
}

/// Labels, whose names are titles here.
fn labels<'a>(list: &Json<'a>) -> Json<'a> {
    let Json::Array(items) = list else { return list.clone() };
    let named = |label: &Json<'a>| match label {
        Json::Object(object) => {
            let mut out = object.clone();
            out.set_some("name", object.get("title").cloned());
            Json::Object(out)
        }
        other => other.clone(),
    };
    Json::Array(items.iter().map(named).collect())
}

/// The account that made something, which is named by number: who set off the delivery, if that has the number, or is not numbered and
/// made it just now; else one of those who are named beside it.
fn author<'a>(delivery: &Json<'a>, own: &Json<'a>, made: &str) -> Option<Json<'a>> {
    let id = number(own, "author_id")?;
    let user = delivery.get("user");
    let lists = ["assignees", "reviewers"].iter().filter_map(|name| delivery.get(name)?.as_array()).flatten();
    let named = user.into_iter().chain(lists).find(|account| number(account, "id") == Some(id));
    if named.is_some() {
        return named.cloned();
    }
    // Older versions number nobody.
    let action = text(own, "action").or(if event(delivery) == Some("note") { Some(made) } else { None });
    let user = user?.as_object().filter(|user| !user.contains("id") && action == Some(made))?;
    let mut user = user.clone();
    user.set("id", own.get("author_id").cloned());
    Some(Json::Object(user))
}

/// What the objects of REST do not tell: the base without its commit, and the name of a fork.
fn complete(own: &Json<'_>, header: &mut Header) {
    if let (Field::Unknown, Some(branch)) = (&header.base, text(own, "target_branch")) {
        let base = Side { branch: branch.to_owned(), sha: None, repository: header.repository.clone() };
        header.base = Field::Known(base);
    }
    if let Field::Known(head) = &mut header.head
        && head.repository == Field::Unknown
    {
        head.repository = match own.get("source") {
            Some(Json::Null) => Field::Null,
            Some(source) => {
                text(source, "path_with_namespace").map_or(Field::Unknown, |path| Field::Known(path.into()))
            }
            None => Field::Unknown,
        };
    }
}

/// A note. What can be resolved is told by its type, and that it is by a time.
pub(super) fn note<'a>(delivery: &Json<'a>) -> Json<'a> {
    let Some(own) = delivery.get("object_attributes") else { return Json::Null };
    let mut out = like_rest(own);
    out.set_some("body", own.get("note").cloned());
    out.set_some("author", author(delivery, own, "create"));
    let in_thread = matches!(text(own, "type"), Some("DiffNote" | "DiscussionNote" | "LegacyDiffNote"));
    let resolvable = in_thread && text(own, "noteable_type") == Some("MergeRequest");
    if resolvable {
        out.set("resolvable", true);
        out.set_some("resolved", own.get("resolved_at").map(|at| !at.is_null()));
    }
    Json::Object(out)
}

fn award<'a>(delivery: &Json<'a>) -> Json<'a> {
    let Some(own) = delivery.get("object_attributes") else { return Json::Null };
    let mut out = like_rest(own);
    let user =
        delivery.get("user").filter(|user| number(own, "user_id").is_none_or(|id| number(user, "id") == Some(id)));
    out.set_some("user", user.cloned());
    Json::Object(out)
}

/// A pipeline and its jobs, whose commit is that of the pipeline.
fn pipeline<'a>(delivery: &Json<'a>) -> Vec<Json<'a>> {
    let Some(own) = delivery.get("object_attributes") else { return Vec::new() };
    let builds = delivery.get("builds").and_then(Json::as_array).unwrap_or_default();
    let build = |build: &Json<'a>| {
        let mut out = like_rest(build);
        out.set_some("sha", own.get("sha").cloned());
        // What has no stage would be another pipeline.
        if !out.contains("stage") {
            out.set("stage", Json::Null);
        }
        Json::Object(out)
    };
    std::iter::once(Json::Object(like_rest(own))).chain(builds.iter().map(build)).collect()
}

/// A job, whose members begin with `build_`.
fn job<'a>(delivery: &Json<'a>) -> Json<'a> {
    let mut named = Object::new();
    for name in ["id", "name", "stage", "status", "created_at", "started_at", "finished_at"] {
        named.set_some(name, delivery.get(&format!("build_{name}")).cloned());
    }
    // Before a job has failed the reason is a word for none.
    let failed = text(delivery, "build_status") == Some("failed");
    named.set_some("failure_reason", delivery.get("build_failure_reason").filter(|_| failed).cloned());
    named.set_some("sha", delivery.get("sha").cloned());
    Json::Object(like_rest(&Json::Object(named)))
}
