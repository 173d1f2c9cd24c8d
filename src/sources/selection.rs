//! The answer of a door: verdict, record, order, and when an earlier answer may stand again.

use serde::Deserialize;
use serde_json::Number;

use super::options::{NONE, names};
use crate::format::digest::Digest;
use crate::format::evidence::{Manifest, Pick, Probabilities, Selection, Verdict};
use crate::format::json;
use crate::format::questions::QuestionSet;

/// What a door said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The option named by the gate question.
    pub choice: Option<String>,
    /// Numbers by option, as supplied.
    pub probabilities: Probabilities,
    /// The model that answered.
    pub model: String,
    /// The probability that anything offered matters.
    pub any_relevant: Option<Number>,
    /// The probability that what is offered covers the task.
    pub coverage: Option<Number>,
}

/// Why an answer changes nothing: a message for the trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

/// A judgment: the record, and the paths in the order in which they are rendered (`None` = as they are).
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// The record for the context, without bounds of disclosure.
    pub record: Selection,
    /// The ranking of the distinct paths.
    pub order: Option<Vec<String>>,
}

/// The identities of a question set, without which an answer means nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The id of the set.
    pub question_set: String,
    /// The digest of its wording.
    pub set_digest: Digest,
    /// The digest of its policy.
    pub policy_digest: Option<Digest>,
}

impl From<&QuestionSet> for Asked {
    fn from(set: &QuestionSet) -> Self {
        Self { question_set: set.id.clone(), set_digest: set.digest(), policy_digest: set.policy_digest() }
    }
}

impl Answer {
    /// Reads what a door printed: `{"choice","probabilities"?,"model","any_relevant"?,"coverage"?}`, or `{"refusal": text}`.
    ///
    /// # Errors
    /// [`Fault`] for a refusal and for everything that is no such object.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        let strict = json::parse(bytes).map_err(|fault| Fault(format!("the door answered no JSON: {fault}")))?;
        if let Some(reason) = strict.get("refusal") {
            return Err(Fault(format!("the door refused: {}", reason.as_str().unwrap_or("without a reason"))));
        }
        #[derive(Deserialize)]
        struct Raw {
            choice: Option<serde_json::Value>,
            #[serde(default)]
            probabilities: Probabilities,
            model: Option<String>,
            any_relevant: Option<Number>,
            coverage: Option<Number>,
        }
        let raw: Raw =
            serde_json::from_slice(bytes).map_err(|error| Fault(format!("the door's answer is malformed: {error}")))?;
        let model = raw.model.filter(|model| !model.is_empty()).ok_or(Fault("the door named no model".to_owned()))?;
        let choice = raw.choice.and_then(|choice| choice.as_str().map(str::to_owned));
        let Raw { probabilities, any_relevant, coverage, .. } = raw;
        Ok(Self { choice, probabilities, model, any_relevant, coverage })
    }
}

/// Applies an answer to the evidence. `shown` is what the door saw of it, which decides the names of the options.
///
/// # Errors
/// [`Fault`] when the gate went unanswered or named something that was not offered.
pub fn judge(asked: &Asked, full: &Manifest, shown: &Manifest, answer: &Answer) -> Result<Judgment, Fault> {
    let names = names(&shown.candidates);
    let choice = answer.choice.as_deref().ok_or(Fault("the gate question went unanswered".to_owned()))?;
    let picked = names.iter().position(|name| name == choice);
    let (verdict, selected) = match picked {
        _ if choice == NONE => (Verdict::Abstained, None),
        Some(at) => {
            let candidate = &full.candidates[at];
            let (path, span) = (candidate.path.clone(), candidate.span);
            (Verdict::Chosen, Some(Pick { option: choice.to_owned(), path, span }))
        }
        None => return Err(Fault(format!("the gate named {choice:?}, which the request never offered"))),
    };
    let record = Selection {
        question_set: asked.question_set.clone(),
        set_digest: asked.set_digest,
        policy_digest: asked.policy_digest,
        evidence_digest: full.digest(),
        model: answer.model.clone(),
        verdict,
        selected,
        probabilities: answer.probabilities.clone(),
        any_relevant: answer.any_relevant.clone(),
        coverage: answer.coverage.clone(),
        unranked: names.iter().filter(|name| answer.probabilities.get(name).is_none()).cloned().collect(),
        omitted: full.omitted.iter().map(|omission| omission.path.clone()).collect(),
        disclosure: None,
    };
    let order = order(&record, full, &names);
    Ok(Judgment { record, order })
}

/// The distinct paths by the probability of their first option, highest first; equal ones stay in their order.
fn order(record: &Selection, full: &Manifest, names: &[String]) -> Option<Vec<String>> {
    if record.verdict == Verdict::Abstained {
        return None;
    }
    let mut scored: Vec<(&str, f64)> = Vec::new();
    for (candidate, name) in full.candidates.iter().zip(names) {
        if !scored.iter().any(|(path, _)| *path == candidate.path) {
            scored.push((&candidate.path, record.probabilities.get(name).unwrap_or(0.0)));
        }
    }
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(scored.into_iter().map(|(path, _)| path.to_owned()).collect())
}

/// A judgment that was kept, to be used again while nothing changed that it is attributable to.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// The digest of the task that was judged: a new message of the user drops a held judgment.
    pub task_digest: Digest,
    /// The door that was asked.
    pub door: String,
    /// The record.
    pub record: Selection,
}

/// What is read of a former answer of `sources collect --json`.
#[derive(Deserialize)]
struct Former {
    context: FormerContext,
    decision: Option<FormerDecision>,
}

#[derive(Deserialize)]
struct FormerContext {
    selection: Option<Selection>,
}

#[derive(Deserialize)]
struct FormerDecision {
    door: String,
    task_digest: String,
}

impl Held {
    /// The judgment in a former answer of `sources collect --json`; `None` when that answer had none.
    ///
    /// # Errors
    /// What is wrong with the answer.
    pub fn from_bytes(bytes: &[u8]) -> Result<Option<Self>, String> {
        json::parse(bytes).map_err(|fault| fault.to_string())?;
        let former: Former = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let (Some(record), Some(decision)) = (former.context.selection, former.decision) else { return Ok(None) };
        let task_digest = Digest::from_hex(&decision.task_digest).ok_or("task_digest is no digest")?;
        Ok(Some(Self { task_digest, door: decision.door, record }))
    }

    /// The judgment again, when task, door, evidence, question set, policy and model are what they were.
    /// `model` is the model that would be asked for now, when the caller names one.
    pub fn again(
        &self,
        (task_digest, door, model): (Digest, &str, Option<&str>),
        asked: &Asked,
        full: &Manifest,
        shown: &Manifest,
    ) -> Option<Judgment> {
        let record = &self.record;
        let same = self.task_digest == task_digest
            && self.door == door
            && model.is_none_or(|model| model == record.model)
            && record.question_set == asked.question_set
            && record.set_digest == asked.set_digest
            && record.policy_digest == asked.policy_digest
            && record.evidence_digest == full.digest();
        let order = order(record, full, &names(&shown.candidates));
        same.then(|| Judgment { record: Selection { disclosure: None, ..record.clone() }, order })
    }
}
