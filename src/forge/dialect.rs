//! The dialects: which reader gives what a look saw its normal form.

use crate::format::entity::Forge;
use crate::format::facet::Facet;
use crate::format::json::Json;
use crate::format::time::Time;

use super::facets::{Header, InvalidMetadata, Item, Noted};
use super::{gitea, github, gitlab, graphql};

/// An API's way of writing its objects. A look keeps the one it was recognised in, so that its content is never guessed at
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// GitHub's REST API.
    GithubRest,
    /// Objects of GitHub's REST API as a client library wrote them again: it leaves members out, and adds others as null.
    GithubArchive,
    /// GitHub's GraphQL API, `gh … --json`, and dumps of its nodes.
    GithubGraphql,
    /// GitLab's REST API, version 4.
    GitlabRest,
    /// Deliveries of GitLab's webhooks, whose objects are written in another way.
    GitlabHook,
    /// The REST API of Gitea and Forgejo, version 1.
    GiteaRest,
    /// A text, which says nothing but itself.
    Text,
}

impl Dialect {
    const NAMES: [(Self, &'static str); 7] = [
        (Self::GithubRest, "github-rest"),
        (Self::GithubArchive, "github-archive"),
        (Self::GithubGraphql, "github-graphql"),
        (Self::GitlabRest, "gitlab-rest"),
        (Self::GitlabHook, "gitlab-hook"),
        (Self::GiteaRest, "gitea-rest"),
        (Self::Text, "text"),
    ];

    /// The REST dialect of a forge.
    pub fn rest_of(forge: Forge) -> Self {
        match forge {
            Forge::GitHub => Self::GithubRest,
            Forge::GitLab => Self::GitlabRest,
            Forge::Gitea | Forge::Forgejo => Self::GiteaRest,
        }
    }

    /// The name in observations.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(dialect, _)| *dialect == self).map_or("", |(_, name)| name)
    }

    /// The dialect of that name; `None` for one that a newer program wrote.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(dialect, _)| *dialect)
    }

    /// Whether an object holds only what was asked for, so that a member that is not there is unknown.
    pub fn is_sparse(self) -> bool {
        self == Self::GithubGraphql
    }

    /// Whether the URL of a request says which page of a listing its answer is.
    pub fn is_paged_by_url(self) -> bool {
        self != Self::GithubGraphql
    }

    /// The normal form of a record.
    ///
    /// # Errors
    /// [`InvalidMetadata`] names the member without which the record has no meaning.
    pub fn header(self, record: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
        match self {
            Self::GithubRest => github::header(record),
            Self::GithubArchive => github::archived_header(record),
            Self::GithubGraphql => graphql::header(record),
            Self::GitlabRest => gitlab::header(record),
            Self::GitlabHook => gitlab::hook_header(record),
            Self::GiteaRest => gitea::header(record),
            Self::Text => Err(InvalidMetadata { member: "dialect" }),
        }
    }

    /// The normal form of a list of what a record links, which is filed as a part of it of that name.
    ///
    /// # Errors
    /// [`InvalidMetadata`] for what is no such list.
    pub fn linked(self, part: &str, list: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
        match self {
            Self::GitlabRest => gitlab::linked_header(part, list),
            _ => Err(InvalidMetadata { member: "item" }),
        }
    }

    /// The normal form of what an item of a set shows of a facet: as a rule one item. A discussion of GitLab and a review show several,
    /// and a request for a review, which Gitea lists among reviews, none.
    pub fn items(self, facet: Facet, item: &Json<'_>) -> Vec<Result<Noted<Item>, InvalidMetadata>> {
        match self {
            Self::GithubRest => vec![github::item(facet, item)],
            Self::GithubArchive => vec![github::archived_item(facet, item)],
            Self::GithubGraphql => graphql::items(facet, item),
            Self::GitlabRest => gitlab::items(facet, item),
            Self::GitlabHook => gitlab::hook_items(facet, item),
            Self::GiteaRest => gitea::item(facet, item).into_iter().collect(),
            Self::Text => vec![Err(InvalidMetadata { member: "dialect" })],
        }
    }

    /// What names a repository for ever, as its own record tells it: the database id and the opaque one.
    pub fn repository_ids(self, record: &Json<'_>) -> (Option<u64>, Option<String>) {
        let text = |name| record.get(name).and_then(Json::as_str).map(str::to_owned);
        let number = record.get("id").and_then(Json::as_u64);
        match self {
            Self::GithubGraphql => (record.get("databaseId").and_then(Json::as_u64), text("id")),
            Self::GithubRest | Self::GithubArchive => (number, text("node_id")),
            Self::GitlabRest | Self::GitlabHook | Self::GiteaRest => (number, None),
            Self::Text => (None, None),
        }
    }

    /// When the forge last changed a record, which orders looks at it.
    pub fn updated_at(self, record: &Json<'_>) -> Option<Time> {
        match self {
            Self::GithubRest | Self::GithubArchive | Self::GiteaRest | Self::GitlabRest => github::updated_at(record),
            Self::Text => None,
            Self::GitlabHook => gitlab::hook_updated_at(record),
            Self::GithubGraphql => graphql::updated_at(record),
        }
    }
}
