//! What facts are filed under: issues and pull requests, repositories, accounts.

use std::fmt;
use std::str::FromStr;

use super::entity::{Entity, Forge, Kind, NotAnEntity, Repository, is_host, is_name, parse_number};
use super::facet::Facet;
use super::path::{MAX_PATH, append_segment, append_sharded};

/// What facts are filed under. Where issues and pull requests of one repository share a number space, a list of labels
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
    /// An issue or merge request of a forge that numbers the two apart: `gitlab:gitlab.com/acme/web/-/issues/5`.
    Entity(Entity),
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
    /// The issue or pull request of a number; `None` where the number alone does not name one and the kind is not known.
    pub fn numbered(repository: Repository, kind: Option<Kind>, number: u64) -> Option<Self> {
        if !repository.forge().numbers_kinds_apart() {
            return Some(Self::Thread { repository, number });
        }
        kind.map(|kind| Self::Entity(Entity { repository, kind, number }))
    }

    /// The forge.
    pub fn forge(&self) -> Forge {
        match self {
            Self::Actor { forge, .. } => *forge,
            Self::Thread { repository, .. }
            | Self::Entity(Entity { repository, .. })
            | Self::Repository(repository) => repository.forge(),
        }
    }

    /// The number of an issue or pull request.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Thread { number, .. } | Self::Entity(Entity { number, .. }) => Some(*number),
            Self::Repository(_) | Self::Actor { .. } => None,
        }
    }

    /// The kind, where the subject itself tells.
    pub fn kind(&self) -> Option<Kind> {
        if let Self::Entity(entity) = self { Some(entity.kind) } else { None }
    }

    /// The directory of the subject's number space entry below `observations/`.
    pub fn dir(&self) -> String {
        let mut dir = String::with_capacity(MAX_PATH);
        self.append_dir(&mut dir);
        dir
    }

    /// Appends [`Subject::dir`].
    pub(super) fn append_dir(&self, out: &mut String) {
        match self {
            Self::Entity(entity) => entity.append_dir(out),
            Self::Thread { repository, number } => {
                repository.append_dir(out);
                out.push_str("/thread/");
                append_sharded(*number, out);
            }
            Self::Repository(repository) => {
                repository.append_dir(out);
                out.push_str("/repository");
            }
            Self::Actor { forge, host, login } => {
                out.push_str(forge.name());
                out.push('/');
                append_segment(host, out);
                // A plain `@` cannot come from a name: a segment escapes it.
                out.push_str("/@/");
                append_segment(login, out);
            }
        }
    }

    /// Whose a facet is, when this is named: members are those of the repository, whichever of its threads was meant.
    pub fn holder(&self, facet: Facet) -> Self {
        match self.repository().filter(|_| facet == Facet::Members) {
            Some(repository) => Self::Repository(repository.clone()),
            None => self.clone(),
        }
    }

    /// The repository of the subject, which an actor does not have.
    pub fn repository(&self) -> Option<&Repository> {
        match self {
            Self::Thread { repository, .. }
            | Self::Entity(Entity { repository, .. })
            | Self::Repository(repository) => Some(repository),
            Self::Actor { .. } => None,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread { repository, number } => write!(f, "{repository}/thread/{number}"),
            Self::Entity(entity) => write!(f, "{entity}"),
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
        if forge == Forge::GitLab && !rest.contains("/@") {
            let of_entity = || text.parse().map(Self::Entity);
            let of_repository = |(host, path)| Repository::strict(forge, host, path).map(Self::Repository);
            return if rest.contains("/-/") {
                of_entity()
            } else {
                rest.split_once('/').ok_or_else(refused).and_then(of_repository)
            };
        }
        let mut names = rest.split('/');
        let parts: [_; 6] = std::array::from_fn(|_| names.next());
        // Owner and name stand beside each other.
        let repository = |host: &str, owner: &str, name: &str| {
            let path = &rest[host.len() + 1..][..owner.len() + 1 + name.len()];
            Repository::new(forge, host, path)
        };
        match parts {
            [Some(host), Some(login), None, ..] if login.starts_with('@') && is_host(host) && is_name(&login[1..]) => {
                Ok(Self::Actor { forge, host: host.to_owned(), login: login[1..].to_owned() })
            }
            [Some(host), Some(owner), Some(name), None, ..] => Ok(Self::Repository(repository(host, owner, name)?)),
            [Some(host), Some(owner), Some(name), Some("thread"), Some(number), None]
                if !forge.numbers_kinds_apart() =>
            {
                Ok(Self::Thread {
                    repository: repository(host, owner, name)?,
                    number: parse_number(number).ok_or_else(refused)?,
                })
            }
            _ => Err(refused()),
        }
    }
}
