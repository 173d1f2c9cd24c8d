//! What is known about a payload from outside it, and whether the payload itself agrees.

use crate::format::entity::{Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use super::member::text;
use super::url::{Request, Target};

/// What is known about a payload from outside it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints<'h> {
    /// The URL that it answered.
    pub url: Option<&'h Request>,
    /// The facet that the caller named (`FACET=PATH`).
    pub facet: Option<Facet>,
    /// The event that the caller named (`--event NAME`): the payload is the delivery of a webhook.
    pub event: Option<&'h str>,
    /// The entity that what names none belongs to: the one that the caller named, or in a second pass the only one of the
    /// directory or invocation.
    pub entity: Option<(&'h Subject, Option<Kind>)>,
}

impl<'h> Hints<'h> {
    /// The caller's entity, unless the URL names another host, or the payload (`own`), else the URL, another repository: that
    /// settles that it is not about the caller's entity.
    pub(super) fn caller(&self, own: Option<&Repository>) -> Option<(&'h Subject, Option<Kind>)> {
        let (subject, kind) = self.entity?;
        let Some(named) = subject.repository() else { return Some((subject, kind)) };
        let target = self.url.map(|url| &url.target);
        // A page need not tell its forge, an address of an API does.
        let is_elsewhere = target.is_some_and(|target| {
            target.host != named.host() || (target.api && !target.forge.has_api_of(named.forge()))
        });
        let told = own.or_else(|| target.and_then(|target| target.repository.as_ref()));
        let agrees = told.is_none_or(|told| told.on(named.forge()).is_same(named));
        (agrees && !is_elsewhere).then_some((subject, kind))
    }

    /// The same hints for an object: without the caller's entity where an address in it is of another host or API, or its
    /// `repository` has another name.
    pub(super) fn of(&self, object: &Json<'_>) -> Self {
        let named = self.entity.and_then(|(subject, _)| subject.repository());
        let entity = self.entity.filter(|_| named.is_none_or(|named| !is_elsewhere(object, named)));
        Self { entity, ..*self }
    }

    /// The subject under the name of the forge that the caller gives its host. Gitea and Forgejo have one API, and a host's
    /// name need not tell which of them it is.
    pub(super) fn settled(&self, subject: Subject) -> Subject {
        let Some(said) = self.entity.and_then(|(entity, _)| entity.repository()) else { return subject };
        let fits =
            |own: &Repository| own.host() == said.host() && own.forge().is_gitea_like() && said.forge().is_gitea_like();
        match subject {
            Subject::Thread { repository, number } if fits(&repository) => {
                Subject::Thread { repository: repository.on(said.forge()), number }
            }
            Subject::Repository(repository) if fits(&repository) => Subject::Repository(repository.on(said.forge())),
            other => other,
        }
    }
}

/// Addresses of an API that lie in the repository of the object that has them.
pub(super) const OF_REPOSITORY: [&str; 8] = [
    "/url",
    "/issue_url",
    "/pull_request_url",
    "/repository_url",
    "/contents_url",
    "/comments_url",
    "/commit/url",
    "/check_suite/url",
];

/// Where else an object says where it lies.
const PAGES: [&str; 4] = ["/html_url", "/web_url", "/repository/url", "/repository/html_url"];

/// Accounts of an object: a forge knows only its own.
const ACCOUNTS: [&str; 8] =
    ["/user", "/author", "/actor", "/creator", "/owner", "/sender", "/merged_by", "/approved_by/0/user"];

/// The addresses in an object that are of its forge, whatever else it links to.
pub(super) fn addresses<'v>(object: &'v Json<'_>) -> impl Iterator<Item = &'v str> {
    // The page of a check is for its reporter to say.
    let is_own = |at: &&&str| **at != "/html_url" || object.get("details_url").is_none();
    let own = OF_REPOSITORY.iter().chain(&PAGES).filter(is_own).filter_map(|at| object.pointer(at)?.as_str());
    let accounts = ACCOUNTS.iter().filter_map(|at| object.pointer(at));
    own.chain(accounts.flat_map(|account| ["url", "html_url", "web_url"].iter().filter_map(|name| text(account, name))))
}

fn is_elsewhere(object: &Json<'_>, named: &Repository) -> bool {
    // A page need not tell its forge, an address of an API does.
    let foreign =
        |target: Target| target.host != named.host() || (target.api && !target.forge.has_api_of(named.forge()));
    let name = object.pointer("/repository/full_name").and_then(Json::as_str);
    name.is_some_and(|name| !name.eq_ignore_ascii_case(named.path()))
        || addresses(object).filter_map(Target::parse).any(foreign)
}
