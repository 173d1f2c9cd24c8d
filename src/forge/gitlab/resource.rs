//! What the path of a GitLab URL below a project names.

use crate::format::entity::{Kind, parse_number};
use crate::format::facet::Facet;

/// The lists that a timeline is told in, by the names of their sets.
pub(crate) const SYSTEM_NOTES: &str = "system-notes";
pub(crate) const STATE_EVENTS: &str = "state-events";
pub(crate) const LABEL_EVENTS: &str = "label-events";
pub(crate) const MILESTONE_EVENTS: &str = "milestone-events";

/// What a URL of GitLab names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// Of an issue or merge request: its kind, its `iid`, and the part of it.
    Of(Kind, u64, Part),
    /// The project itself.
    Project,
    /// `labels`: those of the project.
    ProjectLabels,
    /// `members/all`: those of the groups above it and of invited groups, too.
    Members,
    /// `members`: those of the project itself; and one member.
    SomeMembers,
    /// `issues`, `merge_requests`: of the project.
    List(Kind),
    /// Jobs of a pipeline or the project: any merge request may be at its commit.
    Jobs,
    /// `repository/commits/SHA/statuses`.
    Statuses,
    /// `/users/ID`.
    User,
    /// `/issues` and `/merge_requests`: of many projects.
    Search,
    /// Anything else.
    Other,
}

/// A part of an issue or merge request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after the last segments of its path")]
pub enum Part {
    Itself,
    Notes,
    Note,
    Discussions,
    Discussion,
    AwardEmoji,
    NoteAwardEmoji(u64),
    Approvals,
    Changes,
    Diffs,
    Commits,
    Pipelines,
    StateEvents,
    LabelEvents,
    MilestoneEvents,
    ClosesIssues,
    ClosedBy,
    RelatedMergeRequests,
    Other,
}

impl Resource {
    /// Reads the segments of an API path below the project.
    pub(in crate::forge) fn in_project(segments: &[&str]) -> Self {
        let kind = |word: &str| match word {
            "issues" => Some(Kind::Issue),
            "merge_requests" => Some(Kind::Pull),
            _ => None,
        };
        match segments {
            [] => Self::Project,
            ["labels"] => Self::ProjectLabels,
            ["members", "all"] => Self::Members,
            ["members"] | ["members", _] | ["members", "all", _] => Self::SomeMembers,
            ["jobs"] | ["jobs", _] | ["pipelines", _, "jobs" | "bridges"] | ["pipelines", _] | ["pipelines"] => {
                Self::Jobs
            }
            ["repository", "commits", of @ .., "statuses"] if !of.is_empty() => Self::Statuses,
            [word] => kind(word).map_or(Self::Other, Self::List),
            [word, iid, rest @ ..] => match (kind(word), parse_number(iid)) {
                (Some(kind), Some(iid)) => Self::Of(kind, iid, Part::read(rest)),
                _ => Self::Other,
            },
        }
    }

    /// Splits the segments of a page's path into those of the project and what they name. What follows the number is a tab.
    pub(in crate::forge) fn of_page<'s>(segments: &'s [&'s str]) -> (&'s [&'s str], Self) {
        let number = |word: &str, number: &str| {
            let kind = match word {
                "issues" | "work_items" => Kind::Issue,
                "merge_requests" => Kind::Pull,
                _ => return None,
            };
            Some(Self::Of(kind, parse_number(number)?, Part::Itself))
        };
        if let Some(at) = segments.iter().position(|segment| *segment == "-") {
            let rest = &segments[at + 1..];
            let named = if let [word, iid, ..] = rest { number(word, iid) } else { None };
            return (&segments[..at], named.unwrap_or(Self::Other));
        }
        // Before GitLab 12 there was no `-`.
        if let [path @ .., word, iid] = segments
            && let Some(named) = number(word, iid)
        {
            return (path, named);
        }
        if let [path @ .., "pipelines" | "builds", id] = segments
            && let (2.., Some(_)) = (path.len(), parse_number(id))
        {
            return (path, Self::Other);
        }
        (segments, Self::Project)
    }

    /// The kind, which every number of GitLab needs.
    pub fn kind(&self) -> Option<Kind> {
        if let Self::Of(kind, ..) = self { Some(*kind) } else { None }
    }

    /// The `iid`.
    pub fn number(&self) -> Option<u64> {
        if let Self::Of(_, iid, _) = self { Some(*iid) } else { None }
    }

    /// The item that a set belongs to. Notes of the conversation and on the diff share their ids.
    pub fn item(&self) -> Option<String> {
        match self {
            Self::Of(_, _, Part::NoteAwardEmoji(id)) => Some(format!("{}/{id}", Facet::Comments.name())),
            _ => self.linked().map(str::to_owned),
        }
    }

    /// The name of a list of what an issue or merge request links, as a part of its record.
    pub fn linked(&self) -> Option<&'static str> {
        match self {
            Self::Of(_, _, Part::ClosesIssues) => Some("closes-issues"),
            Self::Of(_, _, Part::ClosedBy) => Some("closed-by"),
            Self::Of(_, _, Part::RelatedMergeRequests) => Some("related-merge-requests"),
            _ => None,
        }
    }

    /// The name of a list of some of the entries of a timeline: GitLab has one for each kind, and notes for the rest.
    pub fn entries(&self) -> Option<&'static str> {
        match self {
            Self::Of(_, _, Part::Notes | Part::Note | Part::Discussions | Part::Discussion) => Some(SYSTEM_NOTES),
            Self::Of(_, _, Part::StateEvents) => Some(STATE_EVENTS),
            Self::Of(_, _, Part::LabelEvents) => Some(LABEL_EVENTS),
            Self::Of(_, _, Part::MilestoneEvents) => Some(MILESTONE_EVENTS),
            _ => None,
        }
    }

    /// True for what belongs to the project and to no issue or merge request.
    pub fn is_of_project(&self) -> bool {
        matches!(self, Self::Project | Self::ProjectLabels | Self::Members | Self::SomeMembers)
    }

    /// The facet that stands for an answer: the first where it shows several.
    pub fn facet(&self) -> Option<Facet> {
        Some(match self {
            Self::Of(_, _, part) => match part {
                Part::Itself | Part::Approvals | Part::Changes => Facet::Header,
                Part::ClosesIssues | Part::ClosedBy | Part::RelatedMergeRequests => Facet::Header,
                Part::Notes | Part::Note | Part::Discussions | Part::Discussion => Facet::Comments,
                Part::AwardEmoji | Part::NoteAwardEmoji(_) => Facet::Reactions,
                Part::Diffs => Facet::Files,
                Part::Commits => Facet::Commits,
                Part::Pipelines => Facet::Checks,
                Part::StateEvents | Part::LabelEvents | Part::MilestoneEvents => Facet::Timeline,
                Part::Other => return None,
            },
            Self::Project | Self::User | Self::List(_) | Self::Search => Facet::Header,
            Self::ProjectLabels => Facet::Labels,
            Self::Members | Self::SomeMembers => Facet::Members,
            Self::Jobs => Facet::Checks,
            Self::Statuses => Facet::Statuses,
            Self::Other => return None,
        })
    }

    /// The facet whose lack an answer with an error means.
    pub fn whole(&self) -> Option<Facet> {
        match self {
            Self::Of(_, _, Part::Note | Part::Discussion | Part::Approvals | Part::Changes)
            | Self::Of(_, _, Part::ClosesIssues | Part::ClosedBy | Part::RelatedMergeRequests)
            | Self::Of(_, _, Part::StateEvents | Part::LabelEvents | Part::MilestoneEvents)
            | Self::List(_)
            | Self::Search
            | Self::User
            | Self::SomeMembers
            | Self::Jobs => None,
            other => other.facet(),
        }
    }

    /// Whether an answer lists all of a facet, or of a timeline all of its own entries. Pipelines are not all checks.
    pub fn lists(&self, facet: Facet) -> bool {
        match self {
            Self::Of(kind, _, Part::Notes | Part::Discussions) => {
                matches!(facet, Facet::Comments | Facet::Timeline)
                    || (*kind == Kind::Pull && facet == Facet::ReviewComments)
            }
            Self::Of(_, _, Part::StateEvents | Part::LabelEvents | Part::MilestoneEvents) => facet == Facet::Timeline,
            Self::Of(_, _, Part::Changes) => facet == Facet::Files,
            Self::Of(_, _, Part::Pipelines) => false,
            other => other.whole() == Some(facet),
        }
    }
}

impl Part {
    fn read(segments: &[&str]) -> Self {
        match segments {
            [] => Self::Itself,
            ["notes"] => Self::Notes,
            ["notes", _] => Self::Note,
            ["notes", id, "award_emoji"] => parse_number(id).map_or(Self::Other, Self::NoteAwardEmoji),
            ["discussions"] => Self::Discussions,
            ["discussions", ..] => Self::Discussion,
            ["award_emoji"] => Self::AwardEmoji,
            ["approvals"] => Self::Approvals,
            ["changes"] => Self::Changes,
            ["diffs"] => Self::Diffs,
            ["commits"] => Self::Commits,
            ["pipelines"] => Self::Pipelines,
            ["resource_state_events"] => Self::StateEvents,
            ["resource_label_events"] => Self::LabelEvents,
            ["resource_milestone_events"] => Self::MilestoneEvents,
            ["closes_issues"] => Self::ClosesIssues,
            ["closed_by"] => Self::ClosedBy,
            ["related_merge_requests"] => Self::RelatedMergeRequests,
            _ => Self::Other,
        }
    }
}
