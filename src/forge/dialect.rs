//! The dialects: which reader gives what a look saw its normal form.

use crate::format::facet::Facet;
use crate::format::json::Json;
use crate::format::time::Time;

use super::facets::{Header, InvalidMetadata, Item, Noted};
use super::github;

/// An API's way of writing its objects. A look keeps the one it was recognised in, so that its content is never guessed at
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// GitHub's REST API.
    GithubRest,
}

impl Dialect {
    const NAMES: [(Self, &'static str); 1] = [(Self::GithubRest, "github-rest")];

    /// The name in observations.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(dialect, _)| *dialect == self).map_or("", |(_, name)| name)
    }

    /// The dialect of that name; `None` for one that a newer program wrote.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(dialect, _)| *dialect)
    }

    /// The normal form of a record.
    ///
    /// # Errors
    /// [`InvalidMetadata`] names the member without which the record has no meaning.
    pub fn header(self, record: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
        match self {
            Self::GithubRest => github::header(record),
        }
    }

    /// The normal form of an item of a set.
    ///
    /// # Errors
    /// As [`Dialect::header`].
    pub fn item(self, facet: Facet, item: &Json<'_>) -> Result<Noted<Item>, InvalidMetadata> {
        match self {
            Self::GithubRest => github::item(facet, item),
        }
    }

    /// When the forge last changed a record, which orders looks at it.
    pub fn updated_at(self, record: &Json<'_>) -> Option<Time> {
        match self {
            Self::GithubRest => github::updated_at(record),
        }
    }
}
