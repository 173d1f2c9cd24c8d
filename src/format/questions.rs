//! The question set `openagents.evidence-relevance.v1` as data: its wording comes from a file that the user names.

use serde_json::Value;

use super::atif;
use super::digest::Digest;
use super::json::{self, Json};

/// The question set that the site asks when a file does not name itself.
pub const EVIDENCE_RELEVANCE: &str = "openagents.evidence-relevance.v1";

/// The set that git-docket ships, in its own words and under its own id.
pub const OURS: &str = include_str!("questions.json");

/// A question set as read; the wording is opaque to us.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionSet {
    /// The name of the set.
    pub id: String,
    /// The id of the question whose answer decides.
    pub gate: String,
    /// The questions as they stand in the file.
    pub questions: Value,
    /// The policy that the set is bound to, when the file has one that is not empty.
    pub policy: Option<Value>,
}

/// A text that is not a question set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAQuestionSet {
    /// Not JSON of our profile.
    #[error(transparent)]
    Json(#[from] json::Fault),
    /// A member that is missing or not what it must be.
    #[error("the question set lacks the member {0:?}, or it is not what it must be")]
    Member(&'static str),
}

impl QuestionSet {
    /// Reads a set: `questions`, and optionally `id`, `gate` and `policy`.
    ///
    /// # Errors
    /// [`NotAQuestionSet`]; a member that stands twice is refused, since the digest must mean one wording.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAQuestionSet> {
        let strict = json::parse(bytes)?;
        let name = |member: &'static str, default: &str| match strict.get(member) {
            None => Ok(default.to_owned()),
            Some(Json::String(text)) if !text.is_empty() => Ok(text.to_string()),
            Some(_) => Err(NotAQuestionSet::Member(member)),
        };
        let (id, gate) = (name("id", EVIDENCE_RELEVANCE)?, name("gate", "most_relevant")?);
        let mut value: Value = serde_json::from_slice(bytes).map_err(|_| NotAQuestionSet::Member("questions"))?;
        let questions = value.get_mut("questions").map(Value::take);
        let questions = questions.filter(holds_something).ok_or(NotAQuestionSet::Member("questions"))?;
        let policy = value.get_mut("policy").map(Value::take).filter(holds_something);
        Ok(Self { id, gate, questions, policy })
    }

    /// The digest of the wording: of `{"questions": …}` only, not of id, gate or policy.
    pub fn digest(&self) -> Digest {
        atif::digest(&serde_json::json!({ "questions": self.questions }))
    }

    /// The digest of the bound policy; `None` without one.
    pub fn policy_digest(&self) -> Option<Digest> {
        self.policy.as_ref().map(atif::digest)
    }

    /// The ids of the questions, in the order of the file where it is a list.
    pub fn question_ids(&self) -> Vec<String> {
        match &self.questions {
            Value::Object(members) => members.keys().cloned().collect(),
            Value::Array(items) => items.iter().filter_map(|q| Some(q.get("id")?.as_str()?.to_owned())).collect(),
            _ => Vec::new(),
        }
    }

    /// What the set says about the option `none`, where it says it in `criteria` of the gate.
    pub fn none_criterion(&self) -> Option<&str> {
        let gate = match &self.questions {
            Value::Array(items) => items.iter().find(|q| q.get("id").and_then(Value::as_str) == Some(&self.gate))?,
            questions => questions.get(&self.gate)?,
        };
        gate.get("criteria")?.get("none")?.as_str()
    }
}

fn holds_something(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}
