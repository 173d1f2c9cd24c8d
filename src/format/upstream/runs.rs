//! `history/agent-runs.json`: receipts of runs that the forge shows and nobody can change.

use crate::format::digest::Digest;
use crate::format::json::{Json, Object};

use super::Document;
use super::members::{Fault, HEX, Members, filled, hex, text};
use super::stamp::Stamp;
use super::text::{is_git_oid, is_structural_id};
use super::words::RunStatus;

/// The receipts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Runs(pub Vec<Run>);

/// One receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The forge's id.
    pub id: String,
    /// The name of the agent.
    pub agent: String,
    /// How it ended.
    pub status: RunStatus,
    /// SHA-256 of the `index.json` that it read.
    pub input_revision: Digest,
    /// The records that it made.
    pub results: Vec<Digest>,
    /// When it ended.
    pub completed_at: Stamp,
    /// The commit that was checked out.
    pub input_head_sha: Option<String>,
    /// The commit that it made.
    pub resulting_commit_sha: Option<String>,
    /// When it began.
    pub started_at: Option<Stamp>,
}

impl Document for Runs {
    fn to_json(&self) -> Json<'static> {
        let row = |run: &Run| {
            let mut row = Object::new();
            row.set("id", run.id.clone()).set("agent", run.agent.clone()).set("status", run.status.name());
            row.set("input_revision", run.input_revision.hex());
            let results: Vec<_> = run.results.iter().map(Digest::hex).collect();
            row.set("result_record_keys", results).set("completed_at", run.completed_at.as_str().to_owned());
            row.set_some("input_head_sha", run.input_head_sha.clone());
            row.set_some("resulting_commit_sha", run.resulting_commit_sha.clone());
            row.set_some("started_at", run.started_at.as_ref().map(|at| at.as_str().to_owned()));
            Json::Object(row)
        };
        let mut out = Object::new();
        out.set("runs", self.0.iter().map(row).collect::<Vec<_>>());
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let rows = members.list("runs", Run::from_json)?;
        members.end()?;
        Ok(Self(rows))
    }
}

impl Run {
    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let oid = "expected an object id";
        let read = Self {
            id: members.form("id", "expected an id", text(is_structural_id))?,
            agent: members.form("agent", "expected a text that is not empty", text(filled))?,
            status: members.word("status")?,
            input_revision: members.digest("input_revision")?,
            results: members.texts("result_record_keys", HEX, hex)?,
            completed_at: members.stamp("completed_at")?,
            input_head_sha: members.optional("input_head_sha", oid, text(is_git_oid))?,
            resulting_commit_sha: members.optional("resulting_commit_sha", oid, text(is_git_oid))?,
            started_at: members.optional_stamp("started_at")?,
        };
        members.end()?;
        Ok(read)
    }
}
