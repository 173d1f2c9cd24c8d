//! Checks in normal form: check runs, commit statuses, and what holds check runs together.

use super::Id;
use crate::format::time::Time;

/// A check run or commit status.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Check {
    /// What names it.
    pub id: Id,
    /// The forge's opaque id.
    pub node_id: Option<String>,
    /// Whether it is a check run, a commit status, or what holds check runs together.
    pub origin: CheckOrigin,
    /// The name, or the context of a status.
    pub name: String,
    /// `queued`, `in_progress`, `completed`; `None` for a word that the mapping table does not list.
    pub status: Option<CheckStatus>,
    /// The conclusion in the forge's word, once completed; `None` before that or for a word that the table does not list.
    pub conclusion: Option<String>,
    /// The commit it ran on.
    pub head_sha: Option<String>,
    /// Which attempt it is of, of a workflow run and its jobs.
    pub attempt: Option<u64>,
    /// The workflow run that it is a job of.
    pub run: Option<u64>,
    /// When the forge made the record, where it tells.
    pub created_at: Option<Time>,
    /// When the forge last changed the record, where it tells that apart.
    pub updated_at: Option<Time>,
    /// When it started.
    pub started_at: Option<Time>,
    /// When it ended.
    pub completed_at: Option<Time>,
    /// Its page on the forge.
    pub url: Option<String>,
    /// The page of the system that ran it.
    pub details_url: Option<String>,
    /// The application or account that reported it.
    pub reporter: Option<String>,
    /// The title of its output, or the description of a status.
    pub title: Option<String>,
    /// The summary of its output.
    pub summary: Option<String>,
}

/// Which kind of check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckOrigin {
    /// A check run.
    Run,
    /// A commit status.
    Status,
    /// A pipeline, whose jobs are check runs.
    Pipeline,
    /// A check suite: the check runs of one application.
    Suite,
    /// A run of a workflow, whose jobs are check runs.
    WorkflowRun,
}

impl CheckOrigin {
    /// The name in trees.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "check-run",
            Self::Status => "commit-status",
            Self::Pipeline => "pipeline",
            Self::Suite => "check-suite",
            Self::WorkflowRun => "workflow-run",
        }
    }

    /// The word before the id in paths, where ids are numbered apart from those of check runs.
    pub fn prefix(self) -> Option<&'static str> {
        match self {
            Self::Run => None,
            Self::Status => Some("status"),
            Self::Pipeline => Some("pipeline"),
            Self::Suite => Some("suite"),
            Self::WorkflowRun => Some("workflow"),
        }
    }

    /// True for what holds check runs together: it is listed beside them, has no log, and is not missed among them.
    pub fn is_group(self) -> bool {
        matches!(self, Self::Pipeline | Self::Suite | Self::WorkflowRun)
    }
}

/// The progress of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the words say it")]
pub enum CheckStatus {
    Queued,
    InProgress,
    Completed,
}

impl CheckStatus {
    /// The name in trees.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in-progress",
            Self::Completed => "completed",
        }
    }
}

impl Check {
    /// Its name and when it began.
    pub fn occasion(&self) -> Option<String> {
        check_occasion(&self.name, self.started_at.or(self.created_at)?)
    }
}

/// What names a check for want of an id. A name of a check may be any text, an id may not.
pub(in crate::forge) fn check_occasion(name: &str, at: Time) -> Option<String> {
    Some(format!("{}@{at}", crate::format::path::segment(name)))
}
