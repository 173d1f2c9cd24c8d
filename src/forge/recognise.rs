//! What a payload shows, by its shape: which subjects, which facets, and what is left over.

use std::collections::HashSet;

use crate::format::entity::{Forge, Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use super::answer::Absence;
use super::dialect::Dialect;
use super::hints::addresses;
use super::pages::Paged;
use super::url::Target;
use super::{gitea, github, gitlab, graphql};

pub use super::hints::Hints;

/// What a payload shows. Looks at one subject and facet may repeat: a listing of events shows the same issue often.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recognised {
    /// The looks, in the order of the payload.
    pub looks: Vec<Look>,
    /// The facets that the payload itself says the forge did not give.
    pub absent: Vec<Absence>,
    /// What is no look; `""` stands for the whole payload.
    pub left: Vec<Unrecognised>,
    /// Pointers to members that are null because of an error: they say nothing.
    pub failed: Vec<String>,
}

impl Recognised {
    /// The repositories that what it shows belongs to.
    pub fn repositories(&self) -> impl Iterator<Item = &Repository> {
        let absent = self.absent.iter().map(|absence| &absence.subject);
        self.looks.iter().map(|look| &look.subject).chain(absent).filter_map(SubjectHint::repository)
    }
}

/// A look at one facet of one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// How its content is to be read.
    pub dialect: Dialect,
    /// Whom it is about.
    pub subject: SubjectHint,
    /// The kind of the thread, when this look shows it.
    pub kind: Option<Kind>,
    /// Which kind of data.
    pub facet: Facet,
    /// The item that the set belongs to, for a set below the thread: `review-comments/123`.
    pub item: Option<String>,
    /// Where in the payload.
    pub part: Part,
    /// The count that a wrapper gives: `total_count`.
    pub total: Option<u64>,
    /// Whether the look takes in the whole list.
    pub extent: Extent,
    /// What the payload says of the pages of its list, where no URL does.
    pub paged: Option<Paged>,
}

impl Look {
    /// True for a look at a set.
    pub fn is_set(&self) -> bool {
        matches!(self.part, Part::Set { .. })
    }

    /// Whether no listing is ever all of the facet, whatever the caller says of his list: GitLab tells of events and of
    /// checks in several.
    pub fn is_always_part(&self) -> bool {
        let of_many = self.dialect == Dialect::GitlabRest
            && (self.facet == Facet::Checks || self.facet == Facet::Timeline && self.item.is_none());
        of_many || self.extent.is_delivered()
    }

    /// Which of the pointers into the payload lie in the content, as pointers below that: of a set with the number of the item
    /// first, counted from `first`.
    pub fn below_content(&self, pointers: &[String], first: usize) -> Vec<String> {
        let below =
            |pointer: &str, at: &str| pointer.strip_prefix(at).filter(|rest| rest.starts_with('/')).map(str::to_owned);
        let one = |pointer: &String| match &self.part {
            Part::Record { pointer: at, .. } => below(pointer, at),
            Part::Set { items } => {
                let item = |(number, at): (usize, &String)| Some(format!("/{}{}", first + number, below(pointer, at)?));
                items.iter().enumerate().find_map(item)
            }
        };
        pointers.iter().filter_map(one).collect()
    }

    /// Pointers to the items of a set; none for a record.
    pub fn items(&self) -> &[String] {
        if let Part::Set { items } = &self.part { items } else { &[] }
    }
}

/// Whom a look is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectHint {
    /// Known.
    Known(Subject),
    /// The repository is known by the forge's number only. [`super::owners::Owners`] may know its name.
    ByRepositoryId {
        /// The host.
        host: String,
        /// The number of the repository.
        id: u64,
        /// The number of the issue or pull request; `None` for the repository itself.
        number: Option<u64>,
    },
    /// The thread that the item named in [`Look::item`] belongs to; another look of the recording may show it.
    OfItem {
        /// The host.
        host: String,
        /// The repository, when the URL names it.
        repository: Option<Repository>,
    },
    /// The pull request whose head is a commit, where exactly one is known: what belongs to a commit names no other.
    AtHead {
        /// The repository.
        repository: Repository,
        /// Its number, of a check on GitLab: the pull request may be of another, and tell only by number where it comes from.
        project: Option<u64>,
        /// The commit.
        sha: String,
    },
}

impl SubjectHint {
    /// The subject, when it is known.
    pub fn known(&self) -> Option<&Subject> {
        if let Self::Known(subject) = self { Some(subject) } else { None }
    }

    /// The repository, where it is known by name.
    pub fn repository(&self) -> Option<&Repository> {
        match self {
            Self::Known(subject) => subject.repository(),
            Self::OfItem { repository, .. } => repository.as_ref(),
            Self::AtHead { repository, .. } => Some(repository),
            Self::ByRepositoryId { .. } => None,
        }
    }
}

/// Where in the payload a look's content stands, as RFC 6901 pointers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A record and what is split out of the payload for it: itself when the payload holds more, then its embedded users
    /// and repositories. Also a text, which is the whole payload.
    Record {
        /// The record.
        pointer: String,
        /// The split-out parts, parents first.
        split: Vec<String>,
    },
    /// A set.
    Set {
        /// The items, in order.
        items: Vec<String>,
    },
}

/// How much of a list a look takes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All items of the payload's list; for a record, the record.
    Whole,
    /// All items of the list, and the payload itself proves that there are no others.
    Proved,
    /// All items of this facet in a list of so many, whose others show other facets.
    Share(usize),
    /// A single item, some items of a list, or a list that is a selection by its nature.
    Part,
    /// A list with items that cannot be read: nobody can say that it is whole.
    Lacking,
    /// What a delivery tells of: a part that nothing before or after it in a file makes whole.
    Delivered,
    /// What a delivery says was deleted: its last version, and that there will be no other.
    Deleted,
}

impl Extent {
    /// True for what is told by a delivery, which is a part whatever stands beside it.
    pub fn is_delivered(self) -> bool {
        matches!(self, Self::Delivered | Self::Deleted)
    }

    /// True for what is never one page of several.
    pub fn stands_alone(self) -> bool {
        self == Self::Proved || self.is_delivered()
    }
}

/// A part of a payload that is no look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecognised {
    /// Which part.
    pub pointer: String,
    /// Why.
    pub reason: Reason,
}

/// Why something was not recognised, or is no payload at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Nothing says which issue or pull request it belongs to.
    EntityAmbiguous,
    /// An empty list of a known entity, and nothing says which of its facets it lists.
    FacetUnnamed,
    /// The forge's account of an error, not data.
    ForgeErrorBody,
    /// The delivery of an event that concerns no issue or pull request.
    EventNoEntity,
    /// Known, but of no facet of an issue or pull request that is read: workflow runs, milestones, members of a team.
    FacetUnsupported,
    /// It is not what the caller's `FACET=` or `--event` says.
    FacetMismatch,
    /// Another forge's, or another API of this one.
    DialectUnsupported,
    /// No shape that is known.
    ShapeUnknown,
    /// The answer sends the reader elsewhere (3xx).
    Redirect,
    /// The answer repeats what the reader has (304).
    NotModified,
    /// A success without data (202, 204).
    NoContent,
    /// Not a GET: a write and its answer.
    Write,
    /// A diff without a file: no proof that nothing changed.
    DiffEmpty,
    /// A diff of a merge against several parents.
    DiffCombined,
    /// A diff with colours, or by words: its lines are not those of the files.
    DiffDressed,
    /// A file in a folder or archive of logs that is none.
    NotALog,
}

impl Reason {
    /// Every reason.
    pub const ALL: &'static [Self] = &[
        Self::EntityAmbiguous,
        Self::FacetUnnamed,
        Self::ForgeErrorBody,
        Self::EventNoEntity,
        Self::FacetUnsupported,
        Self::FacetMismatch,
        Self::DialectUnsupported,
        Self::ShapeUnknown,
        Self::Redirect,
        Self::NotModified,
        Self::NoContent,
        Self::Write,
        Self::DiffEmpty,
        Self::DiffCombined,
        Self::DiffDressed,
        Self::NotALog,
    ];

    /// What an empty list lacks that nothing calls a facet: the entity, or where that is known only the facet.
    pub(crate) fn of_empty(hints: &Hints<'_>) -> Self {
        if hints.entity.is_some() { Self::FacetUnnamed } else { Self::EntityAmbiguous }
    }

    /// The stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::EntityAmbiguous => "entity-ambiguous",
            Self::FacetUnnamed => "facet-unnamed",
            Self::ForgeErrorBody => "forge-error-body",
            Self::EventNoEntity => "event-no-entity",
            Self::FacetUnsupported => "facet-unsupported",
            Self::FacetMismatch => "facet-mismatch",
            Self::DialectUnsupported => "dialect-unsupported",
            Self::ShapeUnknown => "shape-unknown",
            Self::Redirect => "redirect",
            Self::NotModified => "not-modified",
            Self::NoContent => "no-content",
            Self::Write => "write",
            Self::DiffEmpty => "diff-empty",
            Self::DiffCombined => "diff-combined",
            Self::DiffDressed => "diff-dressed",
            Self::NotALog => "not-a-log",
        }
    }
}

/// Recognises a payload: in the dialect of its URL, else in the one that its members show, else in that of the caller's entity.
pub fn recognise(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    let mut found = found(view, hints);
    mark_lacking(&mut found.looks, &found.left);
    mark_answers(&mut found.looks, view);
    found
}

fn found(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    if let Some(found) = graphql::looks(view, hints) {
        return found;
    }
    let asked = hints.url.filter(|url| url.target.api).map(|url| url.target.forge);
    let named = || hints.entity.map(|(subject, _)| subject.forge());
    match asked.or_else(|| shown(view)).or_else(named).unwrap_or(Forge::GitHub) {
        Forge::GitHub => github::looks(view, hints),
        Forge::GitLab => gitlab::looks(view, hints),
        Forge::Gitea | Forge::Forgejo => gitea::looks(view, hints),
    }
}

/// A list of which an item could not be read may have shown anything there: it proves of no set that it is whole. What is known to
/// be of another facet than the caller asks for is no such item.
pub(super) fn mark_lacking(looks: &mut [Look], left: &[Unrecognised]) {
    fn list(pointer: &str) -> Option<&str> {
        Some(pointer.rsplit_once('/')?.0)
    }
    let unread = left.iter().filter(|left| left.reason != Reason::FacetMismatch);
    let lists: HashSet<_> = unread.filter_map(|left| list(&left.pointer)).collect();
    for look in looks.iter_mut().filter(|look| look.is_set() && !look.extent.is_delivered()) {
        let mut own = look.items().iter().filter_map(|item| list(item)).peekable();
        let lacks = if own.peek().is_some() { own.any(|own| lists.contains(own)) } else { lists.contains("") };
        if lacks {
            look.extent = Extent::Lacking;
        }
    }
}

/// An answer about one account is no list of members, however many of them stand together and whatever the caller says.
fn mark_answers(looks: &mut [Look], view: &Json<'_>) {
    let is_answer = |at: &String| at.is_empty() || view.pointer(at).is_some_and(|item| item.get("user").is_some());
    for look in looks.iter_mut().filter(|look| look.facet == Facet::Members) {
        if look.items().iter().any(is_answer) {
            look.extent = Extent::Lacking;
        }
    }
}

/// The forge whose objects a payload has, when a member of its first object tells. Two of them have the same API.
fn shown(view: &Json<'_>) -> Option<Forge> {
    let first = match view {
        Json::Array(items) => items.iter().find(|item| item.as_object().is_some())?,
        object => object,
    };
    if gitlab::is_own(first) {
        return Some(Forge::GitLab);
    }
    if gitea::is_own(first) {
        return Some(Forge::Gitea);
    }
    let is_githubs = |target: Target| target.api && target.forge == Forge::GitHub && target.is_github_host();
    addresses(first).filter_map(Target::parse).any(is_githubs).then_some(Forge::GitHub)
}

impl Recognised {
    /// The whole payload is left over for one reason.
    pub(super) fn nothing(reason: Reason) -> Self {
        Self { left: vec![Unrecognised { pointer: String::new(), reason }], ..Self::default() }
    }
}
