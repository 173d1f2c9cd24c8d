//! Who or what an observation is about: forges, repositories, issues and pull requests, actors.

use std::fmt;
use std::str::FromStr;

use super::path::{MAX_PATH, MAX_SEGMENT, append_segment, append_sharded};
pub use super::subject::Subject;

/// The kind of software behind a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Forge {
    /// GitHub and GitHub Enterprise Server.
    GitHub,
    /// GitLab.
    GitLab,
    /// Gitea, and a Forgejo whose address does not say that it is one.
    Gitea,
    /// Forgejo.
    Forgejo,
}

impl Forge {
    /// The name in ids and paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::Gitea => "gitea",
            Self::Forgejo => "forgejo",
        }
    }

    /// Whether issues and pull requests have numbers of their own each. Elsewhere they share one row of numbers.
    pub fn numbers_kinds_apart(self) -> bool {
        self == Self::GitLab
    }

    /// True for the two that have one API.
    pub fn is_gitea_like(self) -> bool {
        matches!(self, Self::Gitea | Self::Forgejo)
    }

    /// Whether another has the same API: Gitea and Forgejo share one.
    pub fn has_api_of(self, other: Self) -> bool {
        self == other || (self.is_gitea_like() && other.is_gitea_like())
    }
}

impl FromStr for Forge {
    type Err = NotAnEntity;

    fn from_str(text: &str) -> Result<Self, NotAnEntity> {
        match text {
            "github" => Ok(Self::GitHub),
            "gitlab" => Ok(Self::GitLab),
            "gitea" => Ok(Self::Gitea),
            "forgejo" => Ok(Self::Forgejo),
            _ => Err(NotAnEntity::new(text, "the forge is not known; known are github, gitlab, gitea and forgejo")),
        }
    }
}

/// A repository: forge, host and path in the forge's own spelling (`acme/web`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Repository {
    forge: Forge,
    host: String,
    path: String,
}

impl Repository {
    /// A repository, when host and path are well formed.
    ///
    /// # Errors
    /// [`NotAnEntity`] for a host that is not a lower-case DNS name with an optional port, or a path that is not `owner/name`;
    /// on GitLab two to 21 names, none of them `-`.
    pub fn new(forge: Forge, host: &str, path: &str) -> Result<Self, NotAnEntity> {
        let host = host.to_ascii_lowercase();
        if !is_host(&host) {
            return Err(NotAnEntity::new(&host, "the host is not a DNS name with an optional port"));
        }
        let names = path.split('/');
        let count = names.clone().count();
        let (fits, expected) = match forge {
            // A group may hold groups, twenty deep. GitLab keeps `-` for its own addresses.
            Forge::GitLab => {
                ((2..=21).contains(&count) && names.clone().all(|name| name != "-"), "a project is named group/…/name")
            }
            _ => (count == 2, "a repository is named owner/name"),
        };
        if !fits || !names.clone().all(is_name) {
            return Err(NotAnEntity::new(path, expected));
        }
        Ok(Self { forge, host, path: path.to_owned() })
    }

    /// As [`Repository::new`], for a host that is lower case already: an id has one spelling.
    pub(super) fn strict(forge: Forge, host: &str, path: &str) -> Result<Self, NotAnEntity> {
        let found = Self::new(forge, host, path)?;
        if found.host == host { Ok(found) } else { Err(NotAnEntity::new(host, "the host is written in lower case")) }
    }

    /// The forge.
    pub fn forge(&self) -> Forge {
        self.forge
    }

    /// The host, lower case, with a port when it is not the usual one.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// `owner/name` as the forge spells it; on GitLab with all groups.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// True when both name the same repository: forges do not tell `Acme/Web` from `acme/web`.
    pub fn is_same(&self, other: &Self) -> bool {
        self.forge == other.forge && self.host == other.host && self.path.eq_ignore_ascii_case(&other.path)
    }

    /// The same repository under another forge's name.
    #[must_use]
    pub fn on(&self, forge: Forge) -> Self {
        Self { forge, ..self.clone() }
    }

    /// The directory of the repository in a store or snapshot: `github/github.com/acme/web`. Names that are longer together
    /// than two can be are cut: the first stays, the rest becomes one segment.
    pub fn dir(&self) -> String {
        let mut dir = String::with_capacity(MAX_PATH);
        self.append_dir(&mut dir);
        dir
    }

    /// Appends [`Repository::dir`]. Written into one text, not joined from parts: each record of a store is asked where it lies.
    pub(super) fn append_dir(&self, dir: &mut String) {
        dir.push_str(self.forge.name());
        dir.push('/');
        append_segment(&self.host, dir);
        let start = dir.len();
        for name in self.path.split('/') {
            dir.push('/');
            append_segment(name, dir);
        }
        if let (true, Some((first, rest))) = (dir.len() - start > 2 * MAX_SEGMENT + 2, self.path.split_once('/')) {
            dir.truncate(start + 1);
            append_segment(first, dir);
            dir.push('/');
            append_segment(rest, dir);
        }
        if self.forge.numbers_kinds_apart() {
            dir.push_str("/-");
        }
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.forge.name(), self.host, self.path)
    }
}

/// What a number names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An issue.
    Issue,
    /// A pull request.
    Pull,
}

impl Kind {
    /// The name in ids and paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Pull => "pull",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "issue" => Some(Self::Issue),
            "pull" => Some(Self::Pull),
            _ => None,
        }
    }
}

/// An issue or pull request whose kind is known: `github:github.com/acme/web/pull/42`,
/// `gitlab:gitlab.com/acme/web/-/merge_requests/42`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity {
    /// Where it is.
    pub repository: Repository,
    /// What it is.
    pub kind: Kind,
    /// Its number, 1 or more.
    pub number: u64,
}

impl Entity {
    /// The directory of the entity in a snapshot: `github/github.com/acme/web/pull/0000/42`.
    pub fn dir(&self) -> String {
        let mut dir = String::with_capacity(MAX_PATH);
        self.append_dir(&mut dir);
        dir
    }

    /// Appends [`Entity::dir`].
    pub(super) fn append_dir(&self, out: &mut String) {
        self.append_space(out);
        out.push('/');
        append_sharded(self.number, out);
    }

    /// The directory of the numbers of its kind: `github/github.com/acme/web/pull`,
    /// `gitlab/gitlab.com/acme/web/-/merge-request`.
    pub fn space(&self) -> String {
        let mut space = String::with_capacity(MAX_PATH);
        self.append_space(&mut space);
        space
    }

    fn append_space(&self, out: &mut String) {
        self.repository.append_dir(out);
        out.push('/');
        out.push_str(match (self.repository.forge.numbers_kinds_apart(), self.kind) {
            (true, Kind::Pull) => "merge-request",
            (_, kind) => kind.name(),
        });
    }

    /// The subject under which its facts are filed.
    pub fn subject(&self) -> Subject {
        if self.repository.forge.numbers_kinds_apart() {
            return Subject::Entity(self.clone());
        }
        Subject::Thread { repository: self.repository.clone(), number: self.number }
    }

    /// Reads what stands behind the repository of a GitLab id: `issues/5`, `merge_requests/7`.
    fn gitlab(text: &str) -> Option<(Kind, u64)> {
        let (word, number) = text.split_once('/')?;
        let kind = match word {
            "issues" => Kind::Issue,
            "merge_requests" => Kind::Pull,
            _ => return None,
        };
        Some((kind, parse_number(number)?))
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match (self.repository.forge, self.kind) {
            (Forge::GitLab, Kind::Issue) => "-/issues",
            (Forge::GitLab, Kind::Pull) => "-/merge_requests",
            (_, kind) => kind.name(),
        };
        write!(f, "{}/{word}/{}", self.repository, self.number)
    }
}

impl FromStr for Entity {
    type Err = NotAnEntity;

    /// Reads the full form only; URLs and short forms belong to the room `forge`.
    fn from_str(text: &str) -> Result<Self, NotAnEntity> {
        let refused = || NotAnEntity::new(text, "expected <forge>:<host>/<owner>/<name>/issue|pull/<number>");
        let (forge, rest) = text.split_once(':').ok_or_else(refused)?;
        let forge: Forge = forge.parse()?;
        if forge == Forge::GitLab {
            let expected = "expected gitlab:<host>/<group>/…/<name>/-/issues|merge_requests/<number>";
            let refused = || NotAnEntity::new(text, expected);
            let (host, rest) = rest.split_once('/').ok_or_else(refused)?;
            let (path, of_kind) = rest.split_once("/-/").ok_or_else(refused)?;
            let (kind, number) = Self::gitlab(of_kind).ok_or_else(refused)?;
            return Ok(Self { repository: Repository::strict(forge, host, path)?, kind, number });
        }
        let parts: Vec<_> = rest.split('/').collect();
        let [host, owner, name, kind, number] = parts[..] else { return Err(refused()) };
        let kind = Kind::from_name(kind).ok_or_else(refused)?;
        let repository = Repository::new(forge, host, &format!("{owner}/{name}"))?;
        Ok(Self { repository, kind, number: parse_number(number).ok_or_else(refused)? })
    }
}

/// A text that names no entity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} names no entity: {reason}")]
pub struct NotAnEntity {
    /// The text as given, cut to a readable length.
    pub text: String,
    /// What was expected.
    pub reason: &'static str,
}

impl NotAnEntity {
    /// An error about a text, of which the first hundred characters are kept.
    pub fn new(text: &str, reason: &'static str) -> Self {
        Self { text: text.chars().take(100).collect(), reason }
    }
}

/// A number as the forge writes it: decimal digits, no leading zero, from 1 to below 2^53, where JSON's doubles end.
pub fn parse_number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0') && text.len() <= 16;
    if plain { text.parse().ok().filter(|number| *number < 1 << 53) } else { None }
}

/// A login, owner or repository name: printable, no separator, no space, at most 255 bytes.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let bad = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '/' | '\\' | '?' | '#' | '@' | ':');
    let fits = !name.is_empty() && name.len() <= 255 && name != "." && name != "..";
    fits && (name.bytes().all(plain) || !name.contains(bad))
}

/// A DNS name or address in lower case, with an optional port that is not the usual one.
pub(super) fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let label =
        |l: &str| !l.is_empty() && l.len() <= 63 && l.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    let port_fits = port.is_none_or(|p| parse_number(p).is_some_and(|n| n <= 65_535 && n != 443));
    name.len() <= 253 && name.split('.').all(label) && port_fits
}
