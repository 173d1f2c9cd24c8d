//! URLs of GitHub's API and pages: what they name.

use crate::format::entity::{Forge, Kind, Repository, Subject};

use super::query::Query;
use super::resource::Resource;

/// A URL that was asked: what it names, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What the path names.
    pub target: Target,
    /// What the query says.
    pub query: Query,
}

/// What the path of a URL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The host of the web pages, lower case: `github.com` also for `api.github.com`.
    pub host: String,
    /// True for the API, false for a page.
    pub api: bool,
    /// The repository by name.
    pub repository: Option<Repository>,
    /// The repository by the forge's number, as links to further pages name it.
    pub repository_id: Option<u64>,
    /// What it is.
    pub resource: Resource,
}

impl Request {
    /// Reads an absolute `http` or `https` URL. Every well-formed one names something, if only [`Resource::Other`];
    /// `None` for anything else, and for a URL with credentials in it.
    pub fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let port = match scheme {
            "https" => ":443",
            "http" => ":80",
            _ => return None,
        };
        if url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
            return None;
        }
        let rest = rest.split('#').next().unwrap_or(rest);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() || host.contains('@') {
            return None;
        }
        let host = host.to_ascii_lowercase();
        let host = host.strip_suffix(port).unwrap_or(&host);
        let target = Target::of_path(host, path);
        let query = Query::parse(query);
        Some(Self { target, query })
    }
}

impl Target {
    /// Reads a URL and drops its query.
    pub fn parse(url: &str) -> Option<Self> {
        Request::parse(url).map(|request| request.target)
    }

    /// Reads a URL of the API; a page is none.
    pub fn parse_api(url: &str) -> Option<Self> {
        Self::parse(url).filter(|target| target.api)
    }

    fn of_path(host: &str, path: &str) -> Self {
        let path = path.strip_suffix('/').unwrap_or(path);
        let segments: Vec<&str> = if path.is_empty() { Vec::new() } else { path.split('/').collect() };
        if segments.contains(&"") {
            return Self::new(host, false, Resource::Other);
        }
        if let Some(web) = web_host_of_api(host) {
            return Self::of_api(web, &segments);
        }
        match &segments[..] {
            ["api", "v3", rest @ ..] => Self::of_api(host, rest),
            // Another forge's API, GraphQL: nothing here that we read.
            ["api", ..] => Self::new(host, true, Resource::Other),
            segments => Self::of_page(host, segments),
        }
    }

    fn of_api(host: &str, segments: &[&str]) -> Self {
        match segments {
            ["repos", owner, name, rest @ ..] => match repository(host, owner, name) {
                Some(found) => Self { repository: Some(found), ..Self::new(host, true, Resource::in_repository(rest)) },
                None => Self::new(host, true, Resource::Other),
            },
            ["repositories", id, rest @ ..] => match crate::format::entity::parse_number(id) {
                Some(id) => Self { repository_id: Some(id), ..Self::new(host, true, Resource::in_repository(rest)) },
                None => Self::new(host, true, Resource::Other),
            },
            ["users" | "orgs", login] if is_plain(login) => Self::new(host, true, Resource::User((*login).to_owned())),
            ["search", "issues"] => Self::new(host, true, Resource::SearchIssues),
            _ => Self::new(host, true, Resource::Other),
        }
    }

    fn of_page(host: &str, segments: &[&str]) -> Self {
        match segments {
            ["orgs", login] | [login] if is_plain(login) => Self::new(host, false, Resource::User((*login).to_owned())),
            [owner, name, rest @ ..] => match repository(host, owner, name) {
                Some(found) => Self { repository: Some(found), ..Self::new(host, false, Resource::of_page(rest)) },
                None => Self::new(host, false, Resource::Other),
            },
            _ => Self::new(host, false, Resource::Other),
        }
    }

    fn new(host: &str, api: bool, resource: Resource) -> Self {
        Self { host: host.to_owned(), api, repository: None, repository_id: None, resource }
    }

    /// The thread, repository or account that the URL belongs to, when it names one by name.
    pub fn subject(&self) -> Option<Subject> {
        if let Resource::User(login) = &self.resource {
            // The id says whether the host is one.
            return format!("{}:{}/@{login}", Forge::GitHub.name(), self.host).parse().ok();
        }
        let repository = self.repository.clone()?;
        match self.resource.number() {
            Some(number) => Some(Subject::Thread { repository, number }),
            None if self.resource.is_of_repository() => Some(Subject::Repository(repository)),
            None => None,
        }
    }

    /// The kind of the thread, when the URL shows it: the API serves a pull request under `/issues/` too.
    pub fn kind(&self) -> Option<Kind> {
        self.resource.is_of_pull().then_some(Kind::Pull)
    }

    /// True when the host is known to be GitHub's own.
    pub fn is_github_host(&self) -> bool {
        self.host == "github.com" || self.host.ends_with(".ghe.com")
    }
}

/// `github.com` for `api.github.com`, and likewise for the tenants of ghe.com.
fn web_host_of_api(host: &str) -> Option<&str> {
    host.strip_prefix("api.").filter(|web| *web == "github.com" || web.ends_with(".ghe.com"))
}

fn repository(host: &str, owner: &str, name: &str) -> Option<Repository> {
    let plain = is_plain(owner) && is_plain(name);
    if plain { Repository::new(Forge::GitHub, host, &format!("{owner}/{name}")).ok() } else { None }
}

/// The characters of a GitHub login or repository name. An app's login ends in `[bot]`.
fn is_plain(name: &str) -> bool {
    let stem = name.strip_suffix("[bot]").unwrap_or(name);
    !stem.is_empty() && stem.len() <= 100 && stem.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}
