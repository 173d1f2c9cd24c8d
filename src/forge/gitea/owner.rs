//! Whom an object belongs to: the addresses in it, else the URL that it answers, else the caller's entity.

use crate::format::entity::{Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::collect::Owner;
use crate::forge::member::{number, text};
use crate::forge::recognise::{Hints, Reason, SubjectHint};
use crate::forge::resource::Resource;
use crate::forge::url::{Target, gitea_at};

use super::shape::Shape;

/// An address in an object, as this API writes them: of the API, or of a page.
pub(super) fn address(value: &Json<'_>, name: &str) -> Option<Target> {
    let url = text(value, name).filter(|url| !url.is_empty())?;
    let found = Target::parse(url)?;
    if found.api {
        Some(found).filter(|t| t.forge.is_gitea_like())
    } else {
        Target::parse_page(url, gitea_at(&found.host))
    }
}

/// The kind that an issue or pull request shows of itself.
pub(super) fn kind(value: &Json<'_>) -> Option<Kind> {
    let set = |name: &str| value.get(name).is_some_and(|member| !member.is_null());
    if set("head") || set("base") || set("pull_request") {
        return Some(Kind::Pull);
    }
    if value.get("pull_request").is_some() {
        return Some(Kind::Issue);
    }
    match address(value, "html_url")?.resource {
        Resource::Issue(_) => Some(Kind::Issue),
        Resource::Pull(_) => Some(Kind::Pull),
        _ => None,
    }
}

/// The issue or pull request that a delivery is about: its number in the repository of the delivery, which is on the caller's host
/// where it has no address.
pub(super) fn of_delivery(view: &Json<'_>, hints: &Hints<'_>) -> Option<Owner> {
    let thread = ["issue", "pull_request"].iter().find_map(|name| view.get(name))?;
    let told = view.get("repository")?;
    let host = repository(told).or_else(|| hints.entity?.0.repository().cloned())?;
    let repository = Repository::new(gitea_at(host.host()), host.host(), text(told, "full_name")?).ok()?;
    let subject = hints.settled(Subject::Thread { repository, number: number(thread, "number")? });
    let is_pull = view.get("is_pull").and_then(Json::as_bool);
    let of_view = is_pull.map(|is_pull| if is_pull { Kind::Pull } else { Kind::Issue });
    let kind = kind(thread).or(of_view).or(view.get("pull_request").map(|_| Kind::Pull));
    Some(Owner { subject: SubjectHint::Known(subject), kind, item: None })
}

/// The owner of a record.
pub(super) fn of_record(shape: Shape, value: &Json<'_>, hints: &Hints<'_>) -> Result<Owner, Reason> {
    let hints = &hints.of(value);
    let named = ["html_url", "url"].iter().filter_map(|name| address(value, name));
    let number = number(value, "number");
    let fits = |subject: &Subject| match shape {
        Shape::Thread => subject.number().is_some() && subject.number() == number,
        Shape::Repository => matches!(subject, Subject::Repository(_)),
        _ => matches!(subject, Subject::Actor { .. }),
    };
    let mut named = named.filter_map(|target| target.subject()).peekable();
    let kind = if shape == Shape::Thread { kind(value) } else { None };
    // What names another number than its own is of nobody; what names none, of the URL or the caller.
    let subject = if shape == Shape::Thread && named.peek().is_some() {
        named.find(fits)
    } else {
        named.find(fits).or_else(|| of_outside(hints).filter(fits))
    };
    let subject = subject.ok_or(Reason::EntityAmbiguous)?;
    Ok(Owner { subject: SubjectHint::Known(hints.settled(subject)), kind, item: None })
}

fn of_outside(hints: &Hints<'_>) -> Option<Subject> {
    let of_url = hints.url.and_then(|url| url.target.subject());
    of_url.or_else(|| hints.caller(None).map(|(subject, _)| subject.clone()))
}

/// The owner of a set or of an item of one; `value` is absent for an empty list.
pub(super) fn of_set(facet: Facet, value: Option<&Json<'_>>, hints: &Hints<'_>) -> Result<Owner, Reason> {
    let hints = &value.map_or(*hints, |value| hints.of(value));
    let of_pull = matches!(facet, Facet::Reviews | Facet::ReviewComments | Facet::Files | Facet::Commits);
    let mut kind = of_pull.then_some(Kind::Pull);
    let known = |subject, kind, item| Owner { subject: SubjectHint::Known(hints.settled(subject)), kind, item };
    if let Some(target) = value.and_then(thread_of) {
        kind = kind.or_else(|| target.kind()).or(Some(Kind::Issue));
        if let Some(subject) = target.subject() {
            return Ok(known(subject, kind, None));
        }
    }
    let target = hints.url.map(|url| &url.target);
    if let Some(target) = target {
        if target.resource.facet() != Some(facet) {
            return Err(Reason::FacetUnsupported);
        }
        kind = kind.or_else(|| target.kind());
        if let Some(subject) = target.subject() {
            return Ok(known(subject, kind, None));
        }
    }
    let item = target.and_then(|target| target.resource.item());
    // Another payload may show whose the item is, and knows better than the caller.
    if let (Some(target), Some(item)) = (target, item) {
        let subject = SubjectHint::OfItem { host: target.host.clone(), repository: target.repository.clone() };
        return Ok(Owner { subject, kind, item: Some(item) });
    }
    let own = value.and_then(repository);
    let caller = hints.caller(own.as_ref()).map(|(subject, kind)| (subject.holder(facet), kind));
    if let Some((subject, of_hint)) = caller.filter(|(subject, _)| suits(subject, facet)) {
        let of_hint = of_hint.filter(|_| subject.number().is_some());
        return Ok(known(subject, kind.or(of_hint), None));
    }
    let subject = at_head(facet, value, own, target).ok_or(Reason::EntityAmbiguous)?;
    Ok(Owner { subject, kind: Some(Kind::Pull), item: None })
}

/// What belongs to a commit belongs to the pull request whose head that is.
fn at_head(
    facet: Facet,
    value: Option<&Json<'_>>,
    own: Option<Repository>,
    target: Option<&Target>,
) -> Option<SubjectHint> {
    let repository = own.or_else(|| target?.repository.clone()).filter(|_| facet == Facet::Statuses)?;
    let sha = value.and_then(commit).or_else(|| target?.resource.commit().map(str::to_owned))?;
    Some(SubjectHint::AtHead { repository, project: None, sha })
}

/// The commit that a status names in its address.
pub(super) fn commit(status: &Json<'_>) -> Option<String> {
    address(status, "url")?.resource.commit().map(str::to_owned)
}

/// Whether the caller's entity can be the one: of this API, and one that has such a facet.
fn suits(subject: &Subject, facet: Facet) -> bool {
    let fits = match subject {
        Subject::Repository(_) => matches!(facet, Facet::Labels | Facet::Members),
        other => other.number().is_some(),
    };
    fits && subject.forge().is_gitea_like()
}

/// The issue or pull request whose part an object is.
pub(super) fn thread_of(value: &Json<'_>) -> Option<Target> {
    let named = ["pull_request_url", "issue_url"].iter().find_map(|name| address(value, name));
    named.filter(|target| target.resource.number().is_some())
}

/// The repository that an object names.
fn repository(value: &Json<'_>) -> Option<Repository> {
    ["url", "html_url", "contents_url"].iter().find_map(|name| address(value, name)?.repository)
}
