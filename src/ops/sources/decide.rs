//! Asking the decision door which candidates a task wants, and keeping what it said for the trace.

use serde_json::{Value, json};

use crate::format::atif;
use crate::format::evidence::{Disclosure, Manifest};
use crate::format::questions::QuestionSet;
use crate::ops::process::{Ended, Job, run};
use crate::sources::disclosure::redact;
use crate::sources::options;
use crate::sources::selection::{Answer, Asked, Fault, Held, Judgment, judge};

/// The most bytes that a door may answer with.
pub const MAX_ANSWER: usize = 1 << 20;

/// An external command that answers questions: JSON on stdin, JSON on stdout.
#[derive(Debug, Clone)]
pub struct Door {
    /// What the trace calls it.
    pub name: String,
    /// How it is run; stdin and the bound of its answer are filled in here.
    pub job: Job,
    /// What is asked.
    pub questions: QuestionSet,
    /// The model that is asked for, when the caller names one.
    pub model: Option<String>,
    /// An earlier judgment that may stand again.
    pub held: Option<Held>,
}

/// The outcome at the site.
pub(super) struct Decision {
    /// The judgment; `None` leaves the deterministic order.
    pub judgment: Option<Judgment>,
    /// The decision call for the trace.
    pub call: Value,
}

/// Asks, unless fewer than two paths stand to choice or a held judgment answers again.
pub(super) fn decide(door: &Door, task: &str, full: &Manifest, disclosure: Option<&Disclosure>) -> Option<Decision> {
    if full.distinct_paths() < 2 {
        return None;
    }
    let shown = disclosure.map_or_else(|| full.clone(), |disclosure| redact(full, disclosure));
    let asked = Asked::from(&door.questions);
    let task_digest = atif::text_digest(task);
    let request = options::request(task, &door.questions, door.model.as_deref(), &shown);
    let identity = (task_digest, door.name.as_str(), door.model.as_deref());
    let held = door.held.as_ref().and_then(|held| held.again(identity, &asked, full, &shown));
    let reused = held.is_some();
    let (outcome, answers) = match held {
        Some(judgment) => (Ok(judgment), Value::Null),
        None => ask(door, &request, &asked, full, &shown),
    };
    let mut call = json!({
        "name": options::SITE,
        "schema": "openagents.decision-call.v1",
        "door": door.name,
        "model": outcome.as_ref().ok().map(|judgment| &judgment.record.model).or(door.model.as_ref()),
        "state_digest": atif::digest(&request["state"]).hex(),
        "questions_digest": atif::digest(&json!({"questions": request["questions"], "options": request["options"]})).hex(),
        "question_ids": door.questions.question_ids(),
        "answers": answers,
        "question_set": asked.question_set,
        "set_digest": asked.set_digest.hex(),
        "gate": door.questions.gate,
        "task_digest": task_digest.hex(),
        "reused": reused,
    });
    if let Some(policy) = &door.questions.policy {
        call["policy_version"] = policy.get("v").cloned().unwrap_or_default();
        call["policy_digest"] = asked.policy_digest.map(|digest| digest.hex()).into();
        call["evidence"] = policy.get("evidence").cloned().unwrap_or_default();
    }
    match &outcome {
        Ok(judgment) => call["route"] = judgment.record.verdict.name().into(),
        Err(fault) => call["error"] = fault.to_string().into(),
    }
    let judgment = outcome.ok().map(|mut judgment| {
        judgment.record.disclosure = disclosure.cloned();
        judgment
    });
    Some(Decision { judgment, call })
}

/// Runs the door once. Its words are kept for the trace when they are JSON.
fn ask(
    door: &Door,
    request: &Value,
    asked: &Asked,
    full: &Manifest,
    shown: &Manifest,
) -> (Result<Judgment, Fault>, Value) {
    let mut stdin = request.to_string().into_bytes();
    stdin.push(b'\n');
    let job = Job { stdin, capture: MAX_ANSWER, ..door.job.clone() };
    let fault = |message: String| (Err(Fault(message)), Value::Null);
    let stdout = match run(&job) {
        Ended::Exit { code: Some(0), stdout, .. } => stdout,
        Ended::Exit { code: Some(code), .. } => return fault(format!("the door ended with status {code}")),
        Ended::Exit { code: None, .. } => return fault("the door was ended by a signal".to_owned()),
        Ended::TooMuch => return fault("the door answered more than may be read".to_owned()),
        Ended::Deadline => return fault("the door did not answer in time".to_owned()),
        Ended::NotStarted(why) => return fault(format!("the door could not be started: {why}")),
    };
    let outcome = Answer::from_bytes(&stdout).and_then(|answer| judge(asked, full, shown, &answer));
    (outcome, serde_json::from_slice(&stdout).unwrap_or_default())
}
