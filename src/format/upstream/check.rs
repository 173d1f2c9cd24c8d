//! `checks/<key>/metadata.json`: one check of the head.

use crate::format::json::{Json, Object};

use super::Document;
use super::members::{Fault, Members, filled, text};
use super::stamp::Stamp;
use super::text::{is_git_oid, is_structural_id};
use super::words::{CheckStatus, Conclusion};

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The forge's id.
    pub id: String,
    /// The name.
    pub name: String,
    /// When the forge made it.
    pub created_at: Stamp,
    /// The commit that it is about.
    pub head_sha: String,
    /// How far it is.
    pub progress: Progress,
}

/// How far a check is, with what each step allows to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Not begun.
    Queued,
    /// Begun.
    InProgress {
        /// When.
        started_at: Stamp,
    },
    /// Ended.
    Completed {
        /// When it began; `None` for one that never did.
        started_at: Option<Stamp>,
        /// When it ended.
        completed_at: Stamp,
        /// How.
        conclusion: Conclusion,
    },
}

impl Progress {
    /// The word.
    pub fn status(&self) -> CheckStatus {
        match self {
            Self::Queued => CheckStatus::Queued,
            Self::InProgress { .. } => CheckStatus::InProgress,
            Self::Completed { .. } => CheckStatus::Completed,
        }
    }

    /// How it ended.
    pub fn conclusion(&self) -> Option<Conclusion> {
        if let Self::Completed { conclusion, .. } = self { Some(*conclusion) } else { None }
    }
}

impl Document for Check {
    fn to_json(&self) -> Json<'static> {
        let stamp = |at: &Stamp| at.as_str().to_owned();
        let mut out = Object::new();
        out.set("id", self.id.clone()).set("name", self.name.clone());
        out.set("status", self.progress.status().name()).set("created_at", stamp(&self.created_at));
        out.set("head_sha", self.head_sha.clone());
        match &self.progress {
            Progress::Queued => {}
            Progress::InProgress { started_at } => {
                out.set("started_at", stamp(started_at));
            }
            Progress::Completed { started_at, completed_at, conclusion } => {
                out.set_some("started_at", started_at.as_ref().map(stamp)).set("completed_at", stamp(completed_at));
                out.set("conclusion", conclusion.name()).set("never_started", started_at.is_none());
            }
        }
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let read = Self {
            id: members.form("id", "expected an id", text(is_structural_id))?,
            name: members.form("name", "expected a text that is not empty", text(filled))?,
            created_at: members.stamp("created_at")?,
            head_sha: members.form("head_sha", "expected an object id", text(is_git_oid))?,
            progress: match members.word("status")? {
                CheckStatus::Queued => Progress::Queued,
                CheckStatus::InProgress => Progress::InProgress { started_at: members.stamp("started_at")? },
                CheckStatus::Completed => completed(&members)?,
            },
        };
        members.end()?;
        Ok(read)
    }
}

fn completed(members: &Members<'_>) -> Result<Progress, Fault> {
    let conclusion = members.word("conclusion")?;
    let never = members.boolean("never_started")?;
    if never && !matches!(conclusion, Conclusion::Cancelled | Conclusion::Skipped | Conclusion::Failure) {
        return Err(Fault::new("conclusion", "what never started was cancelled, skipped or failed"));
    }
    let started_at = if never { None } else { Some(members.stamp("started_at")?) };
    Ok(Progress::Completed { started_at, completed_at: members.stamp("completed_at")?, conclusion })
}
