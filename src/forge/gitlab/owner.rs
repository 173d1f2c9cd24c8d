//! Whom an object belongs to: its page, else the URL that it answers, else the caller's entity.

use crate::format::entity::{Forge, Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::collect::Owner;
use crate::forge::member::{is_object_id, number, text};
use crate::forge::recognise::{Hints, Reason, SubjectHint};
use crate::forge::resource::Resource;
use crate::forge::url::Target;

use super::shape::Shape;

/// The page of an object.
pub(super) fn page(value: &Json<'_>) -> Option<Target> {
    Target::parse_page(text(value, "web_url")?, Forge::GitLab)
}

/// The owner of a record. An issue or merge request whose page and number differ is of nobody.
pub(super) fn of_record(shape: Shape, value: &Json<'_>, hints: &Hints<'_>) -> Result<Owner, Reason> {
    let hints = &hints.of(value);
    let subject = match shape {
        Shape::Project => project(value).map(Subject::Repository),
        Shape::User => user(value),
        _ => {
            let iid = number(value, "iid");
            let fits = |owner: &Owner| iid.is_none() || number_of(&owner.subject) == iid;
            let of_page = page(value).and_then(|page| page.subject());
            return match of_page {
                Some(subject) => Some(known(subject)).filter(fits),
                None => outside(hints).filter(fits),
            }
            .ok_or(Reason::EntityAmbiguous);
        }
    };
    subject.map(known).ok_or(Reason::EntityAmbiguous)
}

fn known(subject: Subject) -> Owner {
    Owner { kind: subject.kind(), subject: SubjectHint::Known(subject), item: None }
}

fn number_of(subject: &SubjectHint) -> Option<u64> {
    match subject {
        SubjectHint::Known(subject) => subject.number(),
        SubjectHint::ByRepositoryId { number, .. } => *number,
        SubjectHint::OfItem { .. } | SubjectHint::AtHead { .. } => None,
    }
}

fn project(value: &Json<'_>) -> Option<Repository> {
    let host = Target::parse(text(value, "web_url")?)?.host;
    Repository::new(Forge::GitLab, &host, text(value, "path_with_namespace")?).ok()
}

fn user(value: &Json<'_>) -> Option<Subject> {
    let host = Target::parse(text(value, "web_url")?)?.host;
    format!("gitlab:{host}/@{}", text(value, "username")?).parse().ok()
}

/// What the URL or, without one, the caller names.
pub(super) fn outside(hints: &Hints<'_>) -> Option<Owner> {
    if let Some(target) = hints.url.map(|url| &url.target) {
        if let Some(owner) = of_url(target) {
            return Some(owner);
        }
        // An address of something else settles that it is not about the caller's entity; what belongs to a commit may be.
        if !target.resource.is_of_commit() {
            return None;
        }
    }
    let (subject, _) = hints.caller(None).filter(|(subject, _)| subject.forge() == Forge::GitLab)?;
    Some(known(subject.clone()))
}

fn of_url(target: &Target) -> Option<Owner> {
    let item = target.resource.item();
    if let Some(subject) = target.subject() {
        return Some(Owner { item, ..known(subject) });
    }
    let number = target.resource.number();
    let id = target.repository_id.filter(|_| number.is_some() || target.resource.is_of_repository())?;
    let subject = SubjectHint::ByRepositoryId { host: target.host.clone(), id, number };
    Some(Owner { subject, kind: target.kind(), item })
}

/// The owner of a set or of an item of one; `value` is absent for an empty list.
pub(super) fn of_set(facet: Facet, value: Option<&Json<'_>>, hints: &Hints<'_>) -> Result<Owner, Reason> {
    let target = hints.url.map(|url| &url.target);
    if let Some(target) = target {
        let shows = match &target.resource {
            // One listing of notes shows three facets.
            Resource::Gitlab(resource) if resource.facet() == Some(Facet::Comments) => {
                matches!(facet, Facet::Comments | Facet::ReviewComments | Facet::Timeline)
            }
            resource => resource.facet() == Some(facet) || resource.lists(facet),
        };
        if !shows {
            return Err(Reason::FacetUnsupported);
        }
    }
    let hints = &value.map_or(*hints, |value| hints.of(value));
    let of_head = || at_head(facet, value?, target);
    let mut owner = outside(hints).or_else(of_head).ok_or(Reason::EntityAmbiguous)?;
    if let (Facet::Members, SubjectHint::Known(subject)) = (facet, &owner.subject) {
        owner = known(subject.holder(facet));
    }
    if value.is_some_and(|value| contradicts(value, &owner)) {
        return Err(Reason::EntityAmbiguous);
    }
    // What runs in a fork has the page of the fork. Where its merge request lists it, that is nothing to wonder at.
    let is_listed = facet == Facet::Checks && target.is_some_and(|target| target.resource.number().is_some());
    if let Some(value) = value.filter(|value| !is_listed && is_of_other_project(value, &owner)) {
        owner = at_head(facet, value, target).ok_or(Reason::EntityAmbiguous)?;
    }
    let of_pull =
        matches!(facet, Facet::ReviewComments | Facet::Files | Facet::Commits | Facet::Checks | Facet::Statuses);
    let fits = match owner.kind {
        Some(kind) => !of_pull || kind == Kind::Pull,
        None => matches!(facet, Facet::Labels | Facet::Members),
    };
    if fits { Ok(owner) } else { Err(Reason::EntityAmbiguous) }
}

/// What belongs to a commit belongs to the merge request whose head that is.
fn at_head(facet: Facet, value: &Json<'_>, target: Option<&Target>) -> Option<Owner> {
    let of_page = page(value).and_then(|page| page.repository);
    let repository = of_page.or_else(|| target?.repository.clone())?;
    let sha = ["/sha", "/commit/id", "/pipeline/sha"].iter().find_map(|at| value.pointer(at)?.as_str());
    let sha = sha.filter(|sha| is_object_id(sha) && matches!(facet, Facet::Checks | Facet::Statuses))?.to_owned();
    let own = ["/project_id", "/pipeline/project_id"].iter().find_map(|at| value.pointer(at)?.as_u64());
    let project = own.or_else(|| target?.repository_id);
    Some(Owner { subject: SubjectHint::AtHead { repository, project, sha }, kind: Some(Kind::Pull), item: None })
}

/// Whether an object says that it is of something else: by the number of its issue or merge request, by what it is on (a note, a commit,
/// an epic), or by its host.
fn contradicts(value: &Json<'_>, owner: &Owner) -> bool {
    let number = number(value, "noteable_iid");
    let other_number = number.is_some() && number_of(&owner.subject).is_some_and(|own| Some(own) != number);
    let of_kind = |kind| owner.item.is_none() && owner.kind.is_none_or(|own| own == kind);
    let on = ["noteable_type", "awardable_type", "resource_type"].iter().find_map(|name| text(value, name));
    let other_kind = on.is_some_and(|on| match on {
        "Issue" | "WorkItem" => !of_kind(Kind::Issue),
        "MergeRequest" => !of_kind(Kind::Pull),
        "Note" => owner.item.is_none(),
        _ => true,
    });
    let host = page(value).map(|page| page.host);
    let other_host = host.zip(owner.subject.known().and_then(Subject::repository));
    other_number || other_kind || other_host.is_some_and(|(host, named)| host != named.host())
}

/// Whether the page of an object is in another project.
fn is_of_other_project(value: &Json<'_>, owner: &Owner) -> bool {
    let named = owner.subject.known().and_then(Subject::repository);
    let own = page(value).and_then(|page| page.repository);
    own.zip(named).is_some_and(|(own, named)| !own.is_same(named))
}
