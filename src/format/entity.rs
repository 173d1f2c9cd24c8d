//! Who or what an observation is about: forges, repositories, issues and pull requests, actors.

use std::fmt;
use std::str::FromStr;

use super::path::{segment, shard};

/// The kind of software behind a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Forge {
    /// GitHub and GitHub Enterprise Server.
    GitHub,
}

impl Forge {
    /// The name in ids and paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::GitHub => "github",
        }
    }
}

impl FromStr for Forge {
    type Err = NotAnEntity;

    fn from_str(text: &str) -> Result<Self, NotAnEntity> {
        match text {
            "github" => Ok(Self::GitHub),
            _ => Err(NotAnEntity::new(text, "the forge is not known; known is github")),
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
    /// [`NotAnEntity`] for a host that is not a lower-case DNS name with an optional port, or a path that is not `owner/name`.
    pub fn new(forge: Forge, host: &str, path: &str) -> Result<Self, NotAnEntity> {
        let host = host.to_ascii_lowercase();
        if !is_host(&host) {
            return Err(NotAnEntity::new(&host, "the host is not a DNS name with an optional port"));
        }
        let names: Vec<_> = path.split('/').collect();
        if names.len() != 2 || !names.iter().all(|name| is_name(name)) {
            return Err(NotAnEntity::new(path, "a repository is named owner/name"));
        }
        Ok(Self { forge, host, path: path.to_owned() })
    }

    /// The forge.
    pub fn forge(&self) -> Forge {
        self.forge
    }

    /// The host, lower case, with a port when it is not the usual one.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// `owner/name` as the forge spells it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// True when both name the same repository: forges do not tell `Acme/Web` from `acme/web`.
    pub fn is_same(&self, other: &Self) -> bool {
        self.forge == other.forge && self.host == other.host && self.path.eq_ignore_ascii_case(&other.path)
    }

    /// The directory of the repository in a store or snapshot: `github/github.com/acme/web`.
    pub fn dir(&self) -> String {
        let names: Vec<_> = self.path.split('/').map(segment).collect();
        format!("{}/{}/{}", self.forge.name(), segment(&self.host), names.join("/"))
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

/// An issue or pull request whose kind is known: `github:github.com/acme/web/pull/42`.
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
        format!("{}/{}/{}/{}", self.repository.dir(), self.kind.name(), shard(self.number), self.number)
    }

    /// The subject under which its facts are filed.
    pub fn subject(&self) -> Subject {
        Subject::Thread { repository: self.repository.clone(), number: self.number }
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.repository, self.kind.name(), self.number)
    }
}

impl FromStr for Entity {
    type Err = NotAnEntity;

    /// Reads the full form only; URLs and short forms belong to the room `forge`.
    fn from_str(text: &str) -> Result<Self, NotAnEntity> {
        let refused = || NotAnEntity::new(text, "expected <forge>:<host>/<owner>/<name>/issue|pull/<number>");
        let (forge, rest) = text.split_once(':').ok_or_else(refused)?;
        let forge: Forge = forge.parse()?;
        let parts: Vec<_> = rest.split('/').collect();
        let [host, owner, name, kind, number] = parts[..] else { return Err(refused()) };
        let kind = Kind::from_name(kind).ok_or_else(refused)?;
        let repository = Repository::new(forge, host, &format!("{owner}/{name}"))?;
        Ok(Self { repository, kind, number: parse_number(number).ok_or_else(refused)? })
    }
}

/// What facts are filed under. Issues and pull requests of one repository share a number space, and a list of labels
/// cannot tell which of the two it belongs to: both are threads, and the kind is folded from facts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// An issue or pull request: `github:github.com/acme/web/thread/42`.
    Thread {
        /// Where it is.
        repository: Repository,
        /// Its number, 1 or more.
        number: u64,
    },
    /// A repository: `github:github.com/acme/web`.
    Repository(Repository),
    /// An account: `github:github.com/@octocat`.
    Actor {
        /// The forge.
        forge: Forge,
        /// The host, lower case.
        host: String,
        /// The login as the forge spells it.
        login: String,
    },
}

impl Subject {
    /// The directory of the subject's number space entry below `observations/`.
    pub fn dir(&self) -> String {
        match self {
            Self::Thread { repository, number } => {
                format!("{}/thread/{}/{number}", repository.dir(), shard(*number))
            }
            Self::Repository(repository) => format!("{}/repository", repository.dir()),
            // A plain `@` cannot come from a name: `segment` escapes it.
            Self::Actor { forge, host, login } => format!("{}/{}/@/{}", forge.name(), segment(host), segment(login)),
        }
    }

    /// The repository of the subject, which an actor does not have.
    pub fn repository(&self) -> Option<&Repository> {
        match self {
            Self::Thread { repository, .. } | Self::Repository(repository) => Some(repository),
            Self::Actor { .. } => None,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread { repository, number } => write!(f, "{repository}/thread/{number}"),
            Self::Repository(repository) => write!(f, "{repository}"),
            Self::Actor { forge, host, login } => write!(f, "{}:{host}/@{login}", forge.name()),
        }
    }
}

impl FromStr for Subject {
    type Err = NotAnEntity;

    fn from_str(text: &str) -> Result<Self, NotAnEntity> {
        let refused = || NotAnEntity::new(text, "expected a thread, repository or actor id");
        let (forge, rest) = text.split_once(':').ok_or_else(refused)?;
        let forge: Forge = forge.parse()?;
        let parts: Vec<_> = rest.split('/').collect();
        match parts[..] {
            [host, login] if login.starts_with('@') && is_host(host) && is_name(&login[1..]) => {
                Ok(Self::Actor { forge, host: host.to_owned(), login: login[1..].to_owned() })
            }
            [host, owner, name] => Ok(Self::Repository(Repository::new(forge, host, &format!("{owner}/{name}"))?)),
            [host, owner, name, "thread", number] => Ok(Self::Thread {
                repository: Repository::new(forge, host, &format!("{owner}/{name}"))?,
                number: parse_number(number).ok_or_else(refused)?,
            }),
            _ => Err(refused()),
        }
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

/// A number as the forge writes it: decimal digits, no leading zero, 1 to 2^53.
pub fn parse_number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0') && text.len() <= 15;
    if plain { text.parse().ok() } else { None }
}

/// A login, owner or repository name: printable, no separator, no space, at most 255 bytes.
fn is_name(name: &str) -> bool {
    let bad = |c: char| c.is_control() || c.is_whitespace() || matches!(c, '/' | '\\' | '?' | '#' | '@' | ':');
    !name.is_empty() && name.len() <= 255 && name != "." && name != ".." && !name.contains(bad)
}

/// A DNS name or address in lower case, with an optional port that is not the usual one.
fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let label =
        |l: &str| !l.is_empty() && l.len() <= 63 && l.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    let port_fits = port.is_none_or(|p| parse_number(p).is_some_and(|n| n <= 65_535 && n != 443));
    name.len() <= 253 && name.split('.').all(label) && port_fits
}
