//! The spellings in which a person names an issue, a pull request, a repository or an account.

use crate::format::entity::{Entity, Forge, Kind, NotAnEntity, Repository, Subject, parse_number};

use super::url::Target;

/// What a text names; the kind when the text shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// What facts are filed under.
    pub subject: Subject,
    /// Issue or pull request. A page or API address with `/issues/` serves both, so it shows nothing.
    pub kind: Option<Kind>,
}

/// Why a text names no entity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotNamed {
    /// No spelling that we know.
    #[error(transparent)]
    Invalid(#[from] NotAnEntity),
    /// The short form, where nothing says which forge and host are meant.
    #[error("{0:?} does not say on which forge and host")]
    NoForge(String),
    /// A URL that names its repository by number only.
    #[error("{0:?} names its repository only by number")]
    RepositoryId(String),
}

impl NotNamed {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "entity-invalid",
            Self::NoForge(_) | Self::RepositoryId(_) => "entity-ambiguous",
        }
    }
}

/// Reads a full id (`github:github.com/acme/web/pull/42`, or that of a thread, repository or account), the URL of a page or of
/// the API, or, with a default forge and host, the short forms `acme/web#42` (GitLab's merge requests: `acme/web!42`) and `acme/web`.
///
/// # Errors
/// [`NotNamed`] says what is missing.
pub fn entity_from_text(text: &str, default: Option<(Forge, &str)>) -> Result<Named, NotNamed> {
    if text.contains("://") {
        return of_url(text);
    }
    if let Ok(entity) = text.parse::<Entity>() {
        return Ok(Named { subject: entity.subject(), kind: Some(entity.kind) });
    }
    if text.contains(':') {
        let subject: Subject = text.parse()?;
        return Ok(Named { kind: subject.kind(), subject });
    }
    of_short_form(text, default)
}

fn of_url(text: &str) -> Result<Named, NotNamed> {
    let refused = || NotAnEntity::new(text, "the URL is not that of an issue, pull request, repository or account");
    let target = Target::parse(text).ok_or_else(refused)?;
    if target.repository_id.is_some() {
        return Err(NotNamed::RepositoryId(NotAnEntity::new(text, "").text));
    }
    let subject = target.subject().ok_or_else(refused)?;
    Ok(Named { subject, kind: target.kind() })
}

fn of_short_form(text: &str, default: Option<(Forge, &str)>) -> Result<Named, NotNamed> {
    let expected = "expected <forge>:<host>/<owner>/<name>/issue|pull/<number>, a URL or owner/name#number";
    let refused = || NotAnEntity::new(text, expected);
    // Whether the form is right does not depend on the host.
    let (forge, host) = default.unwrap_or((Forge::GitHub, "github.com"));
    let apart = forge.numbers_kinds_apart();
    let (path, number, kind) = match (text.split_once('#'), text.split_once('!').filter(|_| apart)) {
        (Some((path, number)), _) => (path, Some(number), apart.then_some(Kind::Issue)),
        (None, Some((path, number))) => (path, Some(number), Some(Kind::Pull)),
        (None, None) => (text, None, None),
    };
    let number = number.map(|number| parse_number(number).ok_or_else(refused)).transpose()?;
    let repository = Repository::new(forge, host, path).map_err(|_| refused())?;
    if default.is_none() {
        return Err(NotNamed::NoForge(NotAnEntity::new(text, "").text));
    }
    let subject = match number {
        Some(number) => Subject::numbered(repository, kind, number).ok_or_else(refused)?,
        None => Subject::Repository(repository),
    };
    Ok(Named { subject, kind })
}
