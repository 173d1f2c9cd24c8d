//! What the path of a URL below a repository names.

use crate::format::entity::{Forge, parse_number};
use crate::format::facet::Facet;

use super::gitlab;
use super::member::is_object_id;

/// What a URL names. Numbers are those of issues and pull requests, ids are database ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// `issues/N`: an issue, or a pull request as an issue.
    Issue(u64),
    /// `pulls/N`.
    Pull(u64),
    /// `pulls/N.diff` and `pulls/N.patch`.
    PullDiff(u64),
    /// `issues/N/comments`: the conversation.
    Comments(u64),
    /// `pulls/N/reviews`.
    Reviews(u64),
    /// `pulls/N/reviews/M`: the number, the review's id.
    Review(u64, u64),
    /// `pulls/N/reviews/M/comments`: some of the comments on the diff, without their lines.
    CommentsOfReview(u64, u64),
    /// `pulls/N/comments`: the comments on the diff.
    ReviewComments(u64),
    /// `pulls/N/files`.
    Files(u64),
    /// `pulls/N/commits`.
    Commits(u64),
    /// `issues/N/timeline`.
    Timeline(u64),
    /// `issues/N/events`.
    Events(u64),
    /// `issues/N/labels`.
    Labels(u64),
    /// `issues/N/reactions`.
    Reactions(u64),
    /// `commits/REF/check-runs`.
    CheckRuns(String),
    /// `actions/jobs/ID/logs`: the log of a job, whose id is that of its check run.
    JobLogs(u64),
    /// `check-suites/ID/check-runs`: some of the check runs of a commit.
    CheckRunsOfSuite(u64),
    /// `check-runs/ID`.
    CheckRun(u64),
    /// Check suites, workflow runs and jobs: one, or those of a commit, run or workflow; the commit, where it is named.
    Runs(Option<String>),
    /// `commits/REF/statuses`, and `statuses/SHA`.
    Statuses(String),
    /// `commits/REF/status`: the latest status of each context.
    CombinedStatus(String),
    /// `issues/comments/ID`.
    Comment(u64),
    /// `issues/comments/ID/reactions`.
    CommentReactions(u64),
    /// `pulls/comments/ID`.
    ReviewComment(u64),
    /// `pulls/comments/ID/reactions`.
    ReviewCommentReactions(u64),
    /// `issues/events/ID`.
    Event(u64),
    /// The repository itself.
    Repository,
    /// `labels`: those of the repository.
    RepositoryLabels,
    /// `labels/NAME`.
    RepositoryLabel,
    /// `collaborators`.
    Collaborators,
    /// `collaborators/LOGIN/permission`.
    Permission,
    /// `issues`.
    Issues,
    /// `pulls`.
    Pulls,
    /// `issues/events`: of all issues and pull requests.
    RepositoryEvents,
    /// `issues/comments`: of all issues and pull requests.
    RepositoryComments,
    /// `pulls/comments`: of all pull requests.
    RepositoryReviewComments,
    /// `/search/issues`.
    SearchIssues,
    /// `/users/LOGIN` and `/orgs/LOGIN`.
    User(String),
    /// What a URL of GitLab names.
    Gitlab(gitlab::Resource),
    /// Anything else: no part of an issue or pull request that we know.
    Other,
}

impl Resource {
    /// Reads the segments of an API path below the repository.
    pub(super) fn in_repository(segments: &[&str]) -> Self {
        match segments {
            [] => Self::Repository,
            ["issues", rest @ ..] => Self::in_issues(rest),
            ["pulls", rest @ ..] => Self::in_pulls(rest),
            ["labels"] => Self::RepositoryLabels,
            ["labels", _] => Self::RepositoryLabel,
            ["collaborators"] => Self::Collaborators,
            ["collaborators", _, "permission"] => Self::Permission,
            // A ref may hold slashes: `heads/main`.
            ["commits", of @ .., "check-runs"] if !of.is_empty() => Self::CheckRuns(of.join("/")),
            ["commits", of @ .., "statuses"] if !of.is_empty() => Self::Statuses(of.join("/")),
            ["commits", of @ .., "status"] if !of.is_empty() => Self::CombinedStatus(of.join("/")),
            ["statuses", sha] => Self::Statuses((*sha).to_owned()),
            ["check-runs", id] => id_or_other(id, Self::CheckRun),
            ["commits", of @ .., "check-suites"] if !of.is_empty() => Self::Runs(Some(of.join("/"))),
            ["check-suites", _] | ["actions", "runs" | "jobs", _] | ["actions", "runs"] => Self::Runs(None),
            ["actions", "runs", _, "jobs"] | ["actions", "runs", _, "attempts", _] => Self::Runs(None),
            ["actions", "runs", _, "attempts", _, "jobs"] | ["actions", "workflows", _, "runs"] => Self::Runs(None),
            ["actions", "jobs", id, "logs"] => id_or_other(id, Self::JobLogs),
            ["check-suites", id, "check-runs"] => id_or_other(id, Self::CheckRunsOfSuite),
            _ => Self::Other,
        }
    }

    fn in_issues(segments: &[&str]) -> Self {
        match segments {
            [] => Self::Issues,
            ["comments"] => Self::RepositoryComments,
            ["comments", id] => id_or_other(id, Self::Comment),
            ["comments", id, "reactions"] => id_or_other(id, Self::CommentReactions),
            ["events"] => Self::RepositoryEvents,
            ["events", id] => id_or_other(id, Self::Event),
            [number] => id_or_other(number, Self::Issue),
            [number, "comments"] => id_or_other(number, Self::Comments),
            [number, "events"] => id_or_other(number, Self::Events),
            [number, "timeline"] => id_or_other(number, Self::Timeline),
            [number, "labels"] => id_or_other(number, Self::Labels),
            [number, "reactions"] => id_or_other(number, Self::Reactions),
            _ => Self::Other,
        }
    }

    fn in_pulls(segments: &[&str]) -> Self {
        match segments {
            [] => Self::Pulls,
            ["comments"] => Self::RepositoryReviewComments,
            ["comments", id] => id_or_other(id, Self::ReviewComment),
            ["comments", id, "reactions"] => id_or_other(id, Self::ReviewCommentReactions),
            [name] => Self::pull_or_diff(name),
            [number, "comments"] => id_or_other(number, Self::ReviewComments),
            [number, "reviews"] => id_or_other(number, Self::Reviews),
            [number, "files"] => id_or_other(number, Self::Files),
            [number, "commits"] => id_or_other(number, Self::Commits),
            [number, "reviews", id] => id_or_other(id, |id| id_or_other(number, |n| Self::Review(n, id))),
            [number, "reviews", id, "comments"] => {
                id_or_other(id, |id| id_or_other(number, |n| Self::CommentsOfReview(n, id)))
            }
            _ => Self::Other,
        }
    }

    fn pull_or_diff(name: &str) -> Self {
        match name.strip_suffix(".diff").or_else(|| name.strip_suffix(".patch")) {
            Some(number) => id_or_other(number, Self::PullDiff),
            None => id_or_other(name, Self::Pull),
        }
    }

    /// Reads the segments of a page's path below the repository. What follows the number is a tab of the page.
    pub(super) fn of_page(forge: Forge, segments: &[&str]) -> Self {
        let of_pull = if forge == Forge::GitHub { "pull" } else { "pulls" };
        match segments {
            [] => Self::Repository,
            ["issues", number, ..] => id_or_other(number, Self::Issue),
            [word, name] if *word == of_pull => Self::pull_or_diff(name),
            [word, number, ..] if *word == of_pull => id_or_other(number, Self::Pull),
            _ => Self::Other,
        }
    }

    /// The number of the issue or pull request.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Issue(n)
            | Self::Pull(n)
            | Self::PullDiff(n)
            | Self::Comments(n)
            | Self::Reviews(n)
            | Self::Review(n, _)
            | Self::CommentsOfReview(n, _)
            | Self::ReviewComments(n)
            | Self::Files(n)
            | Self::Commits(n)
            | Self::Timeline(n)
            | Self::Events(n)
            | Self::Labels(n)
            | Self::Reactions(n) => Some(*n),
            Self::Gitlab(resource) => resource.number(),
            _ => None,
        }
    }

    /// The facet that an answer shows, in whole or in part.
    pub fn facet(&self) -> Option<Facet> {
        Some(match self {
            Self::Comment(_) | Self::RepositoryComments => Facet::Comments,
            Self::Review(..) => Facet::Reviews,
            Self::ReviewComment(_) | Self::CommentsOfReview(..) | Self::RepositoryReviewComments => {
                Facet::ReviewComments
            }
            Self::CheckRun(_) | Self::CheckRunsOfSuite(_) | Self::Runs(_) => Facet::Checks,
            Self::CombinedStatus(_) => Facet::Statuses,
            Self::Event(_) | Self::RepositoryEvents => Facet::Events,
            Self::RepositoryLabel => Facet::Labels,
            Self::Permission => Facet::Members,
            Self::Issues | Self::Pulls | Self::SearchIssues => Facet::Header,
            Self::Gitlab(resource) => return resource.facet(),
            _ => return self.whole(),
        })
    }

    /// The facet that an answer shows in whole when no query and no page leaves anything out.
    pub fn whole(&self) -> Option<Facet> {
        Some(match self {
            Self::Issue(_) | Self::Pull(_) | Self::Repository | Self::User(_) => Facet::Header,
            Self::Comments(_) => Facet::Comments,
            Self::Reviews(_) => Facet::Reviews,
            Self::ReviewComments(_) => Facet::ReviewComments,
            Self::Files(_) => Facet::Files,
            Self::Commits(_) => Facet::Commits,
            Self::Timeline(_) => Facet::Timeline,
            Self::Events(_) => Facet::Events,
            Self::Labels(_) | Self::RepositoryLabels => Facet::Labels,
            Self::Reactions(_) | Self::CommentReactions(_) | Self::ReviewCommentReactions(_) => Facet::Reactions,
            Self::Collaborators => Facet::Members,
            Self::CheckRuns(_) => Facet::Checks,
            Self::Statuses(_) => Facet::Statuses,
            Self::JobLogs(_) => Facet::Logs,
            Self::PullDiff(_) => Facet::Diff,
            Self::Gitlab(resource) => return resource.whole(),
            _ => return None,
        })
    }

    /// Whether an answer lists all of a facet when no query and no page leaves anything out. One listing of GitLab may list
    /// several.
    pub fn lists(&self, facet: Facet) -> bool {
        match self {
            Self::Gitlab(resource) => resource.lists(facet),
            resource => resource.whole() == Some(facet),
        }
    }

    /// True for a listing that Gitea gives in one answer, however long it is.
    pub fn is_unpaged_at_gitea(&self) -> bool {
        matches!(self, Self::Labels(_) | Self::CommentReactions(_))
    }

    /// The item below a thread that the answer belongs to: `review-comments/123`.
    pub fn item(&self) -> Option<String> {
        match self {
            Self::JobLogs(id) => Some(format!("{}/{id}", Facet::Checks.name())),
            Self::CommentReactions(id) => Some(format!("{}/{id}", Facet::Comments.name())),
            Self::ReviewCommentReactions(id) => Some(format!("{}/{id}", Facet::ReviewComments.name())),
            Self::Gitlab(resource) => resource.item(),
            _ => None,
        }
    }

    /// True for what belongs to the repository and to no thread.
    pub fn is_of_repository(&self) -> bool {
        match self {
            Self::Gitlab(resource) => resource.is_of_project(),
            Self::Collaborators | Self::Permission => true,
            resource => matches!(resource, Self::Repository | Self::RepositoryLabels | Self::RepositoryLabel),
        }
    }

    /// True for a part of a commit: any pull request may be at its head.
    pub fn is_of_commit(&self) -> bool {
        matches!(
            self,
            Self::Gitlab(gitlab::Resource::Jobs | gitlab::Resource::Statuses)
                | Self::CheckRuns(_)
                | Self::CheckRunsOfSuite(_)
                | Self::CheckRun(_)
                | Self::Runs(_)
                | Self::JobLogs(_)
                | Self::Statuses(_)
                | Self::CombinedStatus(_)
        )
    }

    /// The commit whose checks an answer shows, where its address names one by its object id.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::CheckRuns(of) | Self::Runs(Some(of)) | Self::Statuses(of) | Self::CombinedStatus(of) => {
                Some(of.as_str()).filter(|of| is_object_id(of))
            }
            _ => None,
        }
    }

    /// True for what only a pull request has.
    pub fn is_of_pull(&self) -> bool {
        matches!(
            self,
            Self::Pull(_)
                | Self::Reviews(_)
                | Self::Review(..)
                | Self::CommentsOfReview(..)
                | Self::ReviewComments(_)
                | Self::ReviewComment(_)
                | Self::ReviewCommentReactions(_)
                | Self::Files(_)
                | Self::PullDiff(_)
                | Self::Commits(_)
                | Self::Pulls
                | Self::RepositoryReviewComments
        )
    }
}

fn id_or_other(text: &str, make: impl FnOnce(u64) -> Resource) -> Resource {
    parse_number(text).map_or(Resource::Other, make)
}
