//! URLs of forges' APIs and pages: what they name.

use crate::format::entity::{Forge, Kind, Repository, Subject, parse_number};

use super::gitlab;
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
    /// The forge that has addresses of this form; of two that share a form, the one that the host's name tells.
    pub forge: Forge,
    /// The host of the web pages, lower case: `github.com` also for `api.github.com`.
    pub host: String,
    /// True for the API, false for a page.
    pub api: bool,
    /// The repository by name.
    pub repository: Option<Repository>,
    /// The repository by the forge's number, as links to further pages name it, and as GitLab's API mostly does.
    pub repository_id: Option<u64>,
    /// What it is.
    pub resource: Resource,
}

impl Request {
    /// Reads an absolute `http` or `https` URL. Every well-formed one names something, if only [`Resource::Other`];
    /// `None` for anything else, and for a URL with credentials in it.
    pub fn parse(url: &str) -> Option<Self> {
        let (host, path, query) = parts(url)?;
        let target = Target::of_path(&host, path);
        let query = Query::of(target.forge, query);
        Some(Self { target, query })
    }
}

/// Host, path and query of an absolute URL.
fn parts(url: &str) -> Option<(String, &str, &str)> {
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
    let host = host.strip_suffix(port).map_or_else(|| host.clone(), str::to_owned);
    Some((host, path, query))
}

/// The segments of a path; `None` when one is empty.
fn segments(path: &str) -> Option<Vec<&str>> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let segments: Vec<&str> = if path.is_empty() { Vec::new() } else { path.split('/').collect() };
    if segments.contains(&"") { None } else { Some(segments) }
}

impl Target {
    /// Reads a URL and drops its query.
    pub fn parse(url: &str) -> Option<Self> {
        Request::parse(url).map(|request| request.target)
    }

    /// Reads a URL of GitHub's API; a page, and another forge's API, is none.
    pub fn parse_api(url: &str) -> Option<Self> {
        Self::parse(url).filter(|target| target.api && target.forge == Forge::GitHub)
    }

    /// Reads the URL of a page of a forge that is known from elsewhere: pages of GitHub and Gitea look alike.
    pub fn parse_page(url: &str, forge: Forge) -> Option<Self> {
        let (host, path, _) = parts(url)?;
        Some(Self::of_page(forge, &host, &segments(path)?)).filter(|_| web_host_of_api(&host).is_none())
    }

    fn of_path(host: &str, path: &str) -> Self {
        let Some(segments) = segments(path) else {
            return Self::new(Forge::GitHub, host, false, Resource::Other);
        };
        if let Some(web) = web_host_of_api(host) {
            return Self::of_github_api(web, &segments);
        }
        match &segments[..] {
            ["api", "v3", rest @ ..] => Self::of_github_api(host, rest),
            ["api", "v4", rest @ ..] => Self::of_gitlab_api(host, rest),
            ["api", "v1", rest @ ..] => Self::of_gitea_api(host, rest),
            // GraphQL and others: nothing here that we read.
            ["api", ..] => Self::new(forge_of_host(host).unwrap_or(Forge::GitHub), host, true, Resource::Other),
            segments => Self::of_page(forge_of_page(host, segments), host, segments),
        }
    }

    fn of_github_api(host: &str, segments: &[&str]) -> Self {
        let new = |resource| Self::new(Forge::GitHub, host, true, resource);
        match segments {
            ["repos", owner, name, rest @ ..] => match repository(Forge::GitHub, host, owner, name) {
                Some(found) => Self { repository: Some(found), ..new(Resource::in_repository(rest)) },
                None => new(Resource::Other),
            },
            ["repositories", id, rest @ ..] => match parse_number(id) {
                Some(id) => Self { repository_id: Some(id), ..new(Resource::in_repository(rest)) },
                None => new(Resource::Other),
            },
            ["users" | "orgs", login] if is_plain(login) => new(Resource::User((*login).to_owned())),
            ["search", "issues"] => new(Resource::SearchIssues),
            _ => new(Resource::Other),
        }
    }

    fn of_gitea_api(host: &str, segments: &[&str]) -> Self {
        let forge = gitea_at(host);
        let new = |resource| Self::new(forge, host, true, resource);
        match segments {
            ["repos", "issues", "search"] => new(Resource::SearchIssues),
            ["repos", owner, name, rest @ ..] => match repository(forge, host, owner, name) {
                Some(found) => Self { repository: Some(found), ..new(Resource::in_repository(rest)) },
                None => new(Resource::Other),
            },
            ["users" | "orgs", login] if is_plain(login) => new(Resource::User((*login).to_owned())),
            _ => new(Resource::Other),
        }
    }

    fn of_gitlab_api(host: &str, segments: &[&str]) -> Self {
        let new = |resource| Self::new(Forge::GitLab, host, true, resource);
        let ["projects", project, rest @ ..] = segments else {
            return match segments {
                ["users", _] => new(Resource::Gitlab(gitlab::Resource::User)),
                ["issues" | "merge_requests"] => new(Resource::Gitlab(gitlab::Resource::Search)),
                _ => new(Resource::Other),
            };
        };
        let resource = Resource::Gitlab(gitlab::Resource::in_project(rest));
        if let Some(id) = parse_number(project) {
            return Self { repository_id: Some(id), ..new(resource) };
        }
        // A project by its path is one segment, its slashes encoded.
        match Repository::new(Forge::GitLab, host, &project.replace("%2F", "/").replace("%2f", "/")) {
            Ok(found) => Self { repository: Some(found), ..new(resource) },
            Err(_) => new(Resource::Other),
        }
    }

    fn of_page(forge: Forge, host: &str, segments: &[&str]) -> Self {
        let new = |resource| Self::new(forge, host, false, resource);
        if forge == Forge::GitLab {
            let (path, resource) = gitlab::Resource::of_page(segments);
            return match Repository::new(forge, host, &path.join("/")) {
                Ok(found) => Self { repository: Some(found), ..new(Resource::Gitlab(resource)) },
                Err(_) => new(Resource::Other),
            };
        }
        match segments {
            ["orgs", login] | [login] if is_plain(login) => new(Resource::User((*login).to_owned())),
            [owner, name, rest @ ..] => match repository(forge, host, owner, name) {
                Some(found) => Self { repository: Some(found), ..new(Resource::of_page(forge, rest)) },
                None => new(Resource::Other),
            },
            _ => new(Resource::Other),
        }
    }

    fn new(forge: Forge, host: &str, api: bool, resource: Resource) -> Self {
        Self { forge, host: host.to_owned(), api, repository: None, repository_id: None, resource }
    }

    /// The thread, repository or account that the URL belongs to, when it names one by name.
    pub fn subject(&self) -> Option<Subject> {
        if let Resource::User(login) = &self.resource {
            // The id says whether the host is one.
            return format!("{}:{}/@{login}", self.forge.name(), self.host).parse().ok();
        }
        let repository = self.repository.clone()?;
        match self.resource.number() {
            Some(number) => Subject::numbered(repository, self.kind(), number),
            None if self.resource.is_of_repository() => Some(Subject::Repository(repository)),
            None => None,
        }
    }

    /// The kind of the thread, when the URL shows it: GitHub's API serves a pull request under `/issues/` too.
    pub fn kind(&self) -> Option<Kind> {
        match &self.resource {
            Resource::Gitlab(resource) => resource.kind(),
            resource => resource.is_of_pull().then_some(Kind::Pull),
        }
    }

    /// True when the host is known to be GitHub's own.
    pub fn is_github_host(&self) -> bool {
        forge_of_host(&self.host) == Some(Forge::GitHub)
    }
}

/// The forge that a host's name tells.
fn forge_of_host(host: &str) -> Option<Forge> {
    let name = host.split(':').next().unwrap_or(host);
    let has = |label: &str| name.split('.').any(|own| own == label);
    match name {
        "github.com" => Some(Forge::GitHub),
        "codeberg.org" => Some(Forge::Forgejo),
        _ if name.ends_with(".ghe.com") => Some(Forge::GitHub),
        _ if has("gitlab") => Some(Forge::GitLab),
        _ if has("forgejo") => Some(Forge::Forgejo),
        _ if has("gitea") => Some(Forge::Gitea),
        _ => None,
    }
}

/// Which of the two forges with one API a host is. Payloads do not always tell, and one entity must not have two names: so
/// only the host's name counts, and [`super::recognise::Hints`] what the caller says.
pub(super) fn gitea_at(host: &str) -> Forge {
    forge_of_host(host).filter(|forge| forge.is_gitea_like()).unwrap_or(Forge::Gitea)
}

/// The forge of a page: by the host, else by words that only one forge has in its addresses, else GitHub.
fn forge_of_page(host: &str, segments: &[&str]) -> Forge {
    forge_of_host(host).unwrap_or(match segments {
        [_, _, .., "merge_requests", number] if parse_number(number).is_some() => Forge::GitLab,
        [_, _, "pulls", number, ..] if parse_number(number).is_some() => gitea_at(host),
        _ if segments.contains(&"-") => Forge::GitLab,
        _ => Forge::GitHub,
    })
}

/// `github.com` for `api.github.com`, and likewise for the tenants of ghe.com.
fn web_host_of_api(host: &str) -> Option<&str> {
    host.strip_prefix("api.").filter(|web| *web == "github.com" || web.ends_with(".ghe.com"))
}

fn repository(forge: Forge, host: &str, owner: &str, name: &str) -> Option<Repository> {
    let plain = is_plain(owner) && is_plain(name);
    if plain { Repository::new(forge, host, &format!("{owner}/{name}")).ok() } else { None }
}

/// The characters of a login or repository name on GitHub and Gitea. An app's login ends in `[bot]`.
fn is_plain(name: &str) -> bool {
    let stem = name.strip_suffix("[bot]").unwrap_or(name);
    !stem.is_empty() && stem.len() <= 100 && stem.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}
