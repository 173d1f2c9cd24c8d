//! An entity as the caller named it.

use super::Error;
use crate::forge::named::entity_from_text;
use crate::format::entity::{Entity, Forge, Kind, NotAnEntity, Subject};

/// An entity as the caller named it; the short form does not say whether it is an issue or a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What facts are filed under.
    pub subject: Subject,
    /// The kind that the caller named.
    pub kind: Option<Kind>,
}

impl Wanted {
    /// Reads an id, the URL of a page or of the API, or `owner/name#number` at the forge and host that the caller names, else GitHub.
    ///
    /// # Errors
    /// `entity-invalid`, `entity-ambiguous`, the second also for a forge that is at no host by itself.
    pub fn at(text: &str, forge: Option<&str>, host: Option<&str>) -> Result<Self, Error> {
        let forge = forge.map_or(Ok(Forge::GitHub), str::parse);
        let forge: Forge = forge.map_err(|error: NotAnEntity| Error::new("entity-invalid", error.to_string()))?;
        let host = host.or(match forge {
            Forge::GitHub => Some("github.com"),
            Forge::GitLab => Some("gitlab.com"),
            Forge::Gitea | Forge::Forgejo => None,
        });
        let named = entity_from_text(text, host.map(|host| (forge, host)));
        let named = named.map_err(|error| Error::new(error.code(), error.to_string()))?;
        Ok(Self { subject: named.subject, kind: named.kind })
    }

    /// Nothing is filed under it.
    pub(super) fn not_found(&self) -> Error {
        let named = match (&self.subject, self.kind) {
            (Subject::Thread { repository, number }, Some(kind)) => {
                Entity { repository: repository.clone(), kind, number: *number }.to_string()
            }
            (subject, _) => subject.to_string(),
        };
        Error::new("entity-not-found", format!("{named}: no look at it is filed")).hint(
            "git docket observe files what the forge says of it; --forge and --host say where owner/name#number is",
        )
    }
}
