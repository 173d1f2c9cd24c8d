//! Whom an object belongs to, by the addresses in it.

use crate::format::entity::{Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::hints::OF_REPOSITORY;
use crate::forge::member::is_object_id;
use crate::forge::resource::Resource;
use crate::forge::url::Target;

use super::shape::Shape;
use crate::forge::member::{number, text};

/// What an object says about its owner.
#[derive(Debug, Default)]
pub(in crate::forge) struct Owner {
    /// The subjects: none when nothing says, several for a check of a commit that is the head of several pull requests.
    pub subjects: Vec<Subject>,
    /// The repository, when the object says at least that.
    pub repository: Option<Repository>,
    /// The kind of the thread.
    pub kind: Option<Kind>,
    /// The commit that it belongs to, of a check or status.
    pub commit: Option<String>,
}

impl Owner {
    /// Takes the word of a delivery for whom its objects belong to.
    pub(super) fn is_of(&mut self, delivered: Option<&Subject>) {
        if let Some(subject) = delivered {
            self.repository = subject.repository().cloned();
            self.subjects = vec![subject.clone()];
        }
    }
}

/// Reads the owner of an object of a shape.
pub(super) fn of(shape: Shape, value: &Json<'_>) -> Owner {
    let mut owner = of_shape(shape, value);
    if matches!(shape, Shape::Item(Facet::Checks | Facet::Statuses)) {
        owner.commit = commit_of(value);
    }
    owner.repository = owner.repository.take().or_else(|| repository_of(value));
    owner
}

/// The repository that any part of an object names. It settles that the object is not of another one.
pub(super) fn repository_of(value: &Json<'_>) -> Option<Repository> {
    let address = |at: &&str| value.pointer(at).and_then(Json::as_str).and_then(Target::parse_api)?.repository;
    let embedded = || value.get("repository").and_then(|repository| of_repository(repository).repository);
    OF_REPOSITORY.iter().find_map(address).or_else(embedded)
}

fn of_shape(shape: Shape, value: &Json<'_>) -> Owner {
    match shape {
        Shape::Thread => of_thread(value),
        Shape::Repository => of_repository(value),
        Shape::Profile => of_profile(value),
        Shape::Item(Facet::Checks) => of_check(value),
        Shape::Item(Facet::Events) => of_event(value),
        Shape::Item(Facet::Threads) => value.get("pull_request").map(of_thread).unwrap_or_default(),
        Shape::Item(_) | Shape::TimelineEntry => of_item(value),
        Shape::Delivery | Shape::Error | Shape::Unsupported | Shape::Foreign | Shape::Unknown => Owner::default(),
    }
}

/// The page of an object, when its host is known to be GitHub's: other forges have pages of the same form.
fn page(value: &Json<'_>) -> Option<Target> {
    text(value, "html_url").and_then(Target::parse).filter(|target| !target.api)
}

fn of_thread(value: &Json<'_>) -> Owner {
    let own = api(value, "url").or_else(|| page(value).filter(Target::is_github_host));
    let number = number(value, "number");
    // An object whose address and number differ is of nobody.
    let named = own.as_ref().and_then(Target::subject).filter(|subject| number_of(subject) == number);
    Owner {
        repository: own.and_then(|target| target.repository),
        subjects: named.into_iter().collect(),
        kind: kind_of_thread(value),
        commit: None,
    }
}

fn number_of(subject: &Subject) -> Option<u64> {
    if let Subject::Thread { number, .. } = subject { Some(*number) } else { None }
}

/// The kind of an issue or pull request object. The page says it; so does what only one of the two has.
pub(super) fn kind_of_thread(value: &Json<'_>) -> Option<Kind> {
    let pull = ["pull_request", "head", "base"].iter().any(|name| value.get(name).is_some_and(|v| !v.is_null()));
    if pull || api(value, "url").is_some_and(|target| matches!(target.resource, Resource::Pull(_))) {
        return Some(Kind::Pull);
    }
    kind_of_page(value)
}

/// GitHub writes `/pull/` into the page of whatever belongs to a pull request, and `/issues/` otherwise.
fn kind_of_page(value: &Json<'_>) -> Option<Kind> {
    match page(value)?.resource {
        Resource::Issue(_) => Some(Kind::Issue),
        Resource::Pull(_) => Some(Kind::Pull),
        _ => None,
    }
}

fn of_item(value: &Json<'_>) -> Owner {
    let named = ["/issue_url", "/pull_request_url", "/_links/pull_request/href"]
        .iter()
        .find_map(|at| value.pointer(at).and_then(Json::as_str).and_then(Target::parse_api));
    let named = named.or_else(|| page(value).filter(Target::is_github_host));
    let thread = named.as_ref().and_then(Target::subject).filter(|subject| number_of(subject).is_some());
    Owner {
        kind: named.as_ref().and_then(Target::kind).or_else(|| kind_of_page(value)),
        repository: named.or_else(|| api(value, "url")).and_then(|target| target.repository),
        subjects: thread.into_iter().collect(),
        commit: None,
    }
}

fn of_event(value: &Json<'_>) -> Owner {
    match value.get("issue").filter(|issue| issue.as_object().is_some()) {
        Some(issue) => of_thread(issue),
        None => of_item(value),
    }
}

/// A check, suite or run names the open pull requests whose head it ran on, unless they come from a fork.
fn of_check(value: &Json<'_>) -> Owner {
    let pulls = value.get("pull_requests").and_then(Json::as_array).unwrap_or_default();
    let mut subjects: Vec<Subject> = Vec::new();
    for pull in pulls {
        let named = api(pull, "url").and_then(|target| target.subject());
        let Some(named) = named.filter(|s| number_of(s) == number(pull, "number")) else { continue };
        if !subjects.contains(&named) {
            subjects.push(named);
        }
    }
    let kind = (!subjects.is_empty()).then_some(Kind::Pull);
    Owner { subjects, kind, repository: api(value, "url").and_then(|target| target.repository), commit: None }
}

/// The commit that a check, suite, run or job names, a status in its address, and the delivery of one beside it.
pub(super) fn commit_of(value: &Json<'_>) -> Option<String> {
    let of_address = || api(value, "url").and_then(|target| target.resource.commit().map(str::to_owned));
    let named = text(value, "head_sha").or_else(|| text(value, "sha")).filter(|sha| is_object_id(sha));
    named.map(str::to_owned).or_else(of_address)
}

fn of_repository(value: &Json<'_>) -> Owner {
    let own = api(value, "url").or_else(|| page(value).filter(Target::is_github_host));
    let host = own.map(|target| target.host);
    let path = text(value, "full_name");
    let named =
        host.zip(path).and_then(|(host, path)| Repository::new(crate::format::entity::Forge::GitHub, &host, path).ok());
    Owner {
        subjects: named.clone().map(Subject::Repository).into_iter().collect(),
        repository: named,
        ..Owner::default()
    }
}

fn of_profile(value: &Json<'_>) -> Owner {
    let named = api(value, "url").filter(|target| matches!(target.resource, Resource::User(_)));
    Owner { subjects: named.and_then(|target| target.subject()).into_iter().collect(), ..Owner::default() }
}

fn api(value: &Json<'_>, name: &str) -> Option<Target> {
    text(value, name).and_then(Target::parse_api)
}
