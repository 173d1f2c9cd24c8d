//! Deliveries of webhooks: the whole delivery is the record and the item, since who did what stands beside the object.

use crate::format::entity::{Forge, Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;
use crate::format::time::Time;

use crate::forge::collect::{Collector, Owner};
use crate::forge::dialect::Dialect;
use crate::forge::member::{is_object_id, number, text};
use crate::forge::recognise::{Extent, Hints, Reason, SubjectHint};
use crate::forge::url::Target;

use super::hook::{self, note, thread_of};
use super::shape::{facet_of_note, is_delivery};

/// The event of a delivery, by GitLab's word for what it is about; `None` for one that is about no issue or merge request.
pub(in crate::forge) fn event(view: &Json<'_>) -> Option<&'static str> {
    Some(match text(view, "object_kind")? {
        "issue" | "work_item" => "issue",
        "merge_request" => "merge_request",
        "note" => "note",
        "pipeline" => "pipeline",
        "build" => "build",
        "emoji" => "emoji",
        _ => return None,
    })
}

/// What a delivery says of itself.
pub(in crate::forge) struct Told<'v> {
    pub action: Option<&'v str>,
    /// The newest time in what it tells of.
    pub at: Option<Time>,
    /// The commit that it is about, or the head of the merge request.
    pub head: Option<&'v str>,
    /// The id of the item that it tells of.
    pub id: Option<u64>,
}

/// Reads what a delivery says of itself; `None` for what is no delivery of GitLab.
pub(in crate::forge) fn told<'v>(view: &'v Json<'_>) -> Option<Told<'v>> {
    if !is_delivery(view) {
        return None;
    }
    const OBJECTS: [&str; 3] = ["/object_attributes", "/issue", "/merge_request"];
    const TIMES: [&str; 3] = ["created_at", "finished_at", "updated_at"];
    let own = OBJECTS.iter().filter_map(|at| view.pointer(at)).flat_map(|object| TIMES.map(|name| object.get(name)));
    let of_build =
        TIMES.map(|name| view.get(&format!("build_{name}"))).into_iter().chain([view.get("build_started_at")]);
    // The commit that a merge would make is the head of nothing.
    let is_merge =
        view.pointer("/object_attributes/ref").and_then(Json::as_str).is_some_and(|of| of.ends_with("/merge"));
    let of_pipeline = view.pointer("/object_attributes/sha").filter(|_| !is_merge);
    let heads = ["/object_attributes/last_commit/id", "/merge_request/last_commit/id"].map(|at| view.pointer(at));
    let heads = heads.into_iter().chain([of_pipeline, view.get("sha")]).flatten();
    Some(Told {
        action: view.pointer("/object_attributes/action").and_then(Json::as_str),
        at: own.chain(of_build).flatten().filter_map(hook::time).max(),
        head: heads.filter_map(Json::as_str).find(|sha| is_object_id(sha)),
        id: view.pointer("/object_attributes/id").or_else(|| view.get("build_id")).and_then(Json::as_u64),
    })
}

/// Whether an event is meant by a name: that of `X-Gitlab-Event`, or a word of the delivery.
fn is_named(event: &str, name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(' ', "_");
    let name = name.strip_suffix("_hook").unwrap_or(&name);
    let name = name.strip_prefix("confidential_").unwrap_or(name);
    match name {
        "system" => true,
        "work_item" => event == "issue",
        "job" => event == "build",
        "award" | "revoke" => event == "emoji",
        name => event == name,
    }
}

/// Takes what a delivery shows.
pub(super) fn take(found: &mut Collector<'_>, at: &str, view: &Json<'_>, hints: &Hints<'_>) -> Result<(), Reason> {
    let shown = event(view).ok_or(Reason::EventNoEntity)?;
    if hints.event.is_some_and(|name| !is_named(shown, name)) {
        return Err(Reason::FacetMismatch);
    }
    let project = project(view).ok_or(Reason::EntityAmbiguous)?;
    let thread = whose(view, shown, &project)?;
    let dialect = std::mem::replace(&mut found.dialect, Dialect::GitlabHook);
    found.told = Some(Extent::Delivered);
    let taken = parts(found, at, view, shown, (&project, thread), hints);
    if taken.is_ok() && view.get("project").is_some_and(|project| text(project, "path_with_namespace").is_some()) {
        let subject = SubjectHint::Known(Subject::Repository(project));
        let owner = Owner { subject, kind: None, item: None };
        found.record(owner, &format!("{at}/project"), &Json::Null, &[]);
    }
    (found.told, found.dialect) = (None, dialect);
    taken
}

fn parts(
    found: &mut Collector<'_>,
    at: &str,
    view: &Json<'_>,
    shown: &str,
    (project, thread): (&Repository, Option<Subject>),
    hints: &Hints<'_>,
) -> Result<(), Reason> {
    let owner = match &thread {
        Some(subject) => known(subject.clone()),
        None => of_commit(view, project, hints)?,
    };
    if thread.is_some() && thread_of(view).is_some() {
        found.agrees(Facet::Header)?;
        found.record(owner.clone(), at, view, &[]);
    }
    let facet = match shown {
        "note" => facet_of_note(&note(view)),
        "emoji" => Facet::Reactions,
        "pipeline" | "build" => Facet::Checks,
        _ => return Ok(()),
    };
    if facet == Facet::ReviewComments && owner.kind != Some(Kind::Pull) {
        return Err(Reason::EntityAmbiguous);
    }
    if shown == "emoji" && view.pointer("/object_attributes/action").and_then(Json::as_str) == Some("revoke") {
        found.told = Some(Extent::Deleted);
    }
    let item = of_note(view).filter(|_| shown == "emoji");
    found.item(&Owner { item, ..owner }, facet, at.to_owned());
    Ok(())
}

/// The note that an award is on. Notes of the conversation and in threads share their ids.
fn of_note(view: &Json<'_>) -> Option<String> {
    let own = view.get("object_attributes")?;
    let id = number(own, "awardable_id").filter(|_| text(own, "awardable_type") == Some("Note"))?;
    Some(format!("{}/{id}", Facet::Comments.name()))
}

fn known(subject: Subject) -> Owner {
    Owner { kind: subject.kind(), subject: SubjectHint::Known(subject), item: None }
}

/// The project of a delivery: of an older one about a job, that of the page of its repository.
fn project(view: &Json<'_>) -> Option<Repository> {
    let project = view.get("project").filter(|project| project.as_object().is_some());
    let page = project.map_or_else(|| text(view.get("repository")?, "homepage"), |project| text(project, "web_url"))?;
    let target = Target::parse_page(page, Forge::GitLab)?;
    match project.and_then(|project| text(project, "path_with_namespace")) {
        Some(path) => Repository::new(Forge::GitLab, &target.host, path).ok(),
        None => target.repository,
    }
}

/// The issue or merge request that a delivery is about: its number in the project of the delivery. Where its own address names another,
/// it is nobody's. A pipeline of a fork is of the merge request that its address names.
fn whose(view: &Json<'_>, shown: &str, project: &Repository) -> Result<Option<Subject>, Reason> {
    let of_job = matches!(shown, "pipeline" | "build");
    let Some(thread) = thread_of(view) else {
        return if of_job { Ok(None) } else { Err(Reason::FacetUnsupported) };
    };
    let is_pull = shown == "merge_request" || (shown != "issue" && view.get("issue").is_none());
    let kind = if is_pull { Kind::Pull } else { Kind::Issue };
    let iid = number(thread, "iid").filter(|iid| *iid > 0).ok_or(Reason::EntityAmbiguous)?;
    let addressed = text(thread, "url").and_then(|url| Target::parse_page(url, Forge::GitLab)?.subject());
    let addressed = addressed.filter(|subject| subject.number().is_some());
    let target = number(thread, "target_project_id");
    let is_of_fork = of_job && target.is_some() && target != view.pointer("/project/id").and_then(Json::as_u64);
    if is_of_fork {
        let fits = |subject: &Subject| subject.number() == Some(iid) && subject.kind() == Some(kind);
        return addressed.filter(fits).map(Some).ok_or(Reason::EntityAmbiguous);
    }
    let own = Subject::numbered(project.clone(), Some(kind), iid).ok_or(Reason::EntityAmbiguous)?;
    let differs = addressed.is_some_and(|addressed| addressed.dir() != own.dir());
    if differs { Err(Reason::EntityAmbiguous) } else { Ok(Some(own)) }
}

/// What belongs to a commit is the caller's, else of the merge request whose head that is.
fn of_commit(view: &Json<'_>, project: &Repository, hints: &Hints<'_>) -> Result<Owner, Reason> {
    if let Some((subject, _)) = hints.caller(Some(project)).filter(|(subject, _)| subject.kind() == Some(Kind::Pull)) {
        return Ok(known(subject.clone()));
    }
    let sha = view.pointer("/object_attributes/sha").or_else(|| view.get("sha")).and_then(Json::as_str);
    let sha = sha.filter(|sha| is_object_id(sha)).ok_or(Reason::EntityAmbiguous)?.to_owned();
    let subject = SubjectHint::AtHead { repository: project.clone(), project: None, sha };
    Ok(Owner { subject, kind: Some(Kind::Pull), item: None })
}
