//! What a door is asked: exact option names, one criterion each, and the state. Never content.

use serde_json::{Map, Value, json};

use crate::format::evidence::{Candidate, Manifest, Readness, Span};
use crate::format::questions::QuestionSet;

/// The site where the ranking is asked.
pub const SITE: &str = "repository/select";
/// The option that stands for "none of these".
pub const NONE: &str = "none";
const NONE_CRITERION: &str = "No offered place is clearly about the task.";

/// One exact name a candidate, in their order: the path, with its span where the path alone would be ambiguous.
pub fn names(candidates: &[Candidate]) -> Vec<String> {
    let mut taken = std::collections::BTreeSet::from([NONE.to_owned()]);
    let mut names = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let shared = candidates.iter().filter(|other| other.path == candidate.path).count() > 1;
        let mut name = candidate.path.clone();
        if shared || candidate.path == NONE {
            name = format!("{} ({})", candidate.path, place(candidate.span));
        }
        let mut again = 2;
        while !taken.insert(name.clone()) {
            name = format!("{name} ({again})");
            again += 1;
        }
        names.push(name);
    }
    names
}

/// What an option stands for, in words.
pub fn criterion(candidate: &Candidate) -> String {
    let place = place(candidate.span);
    match candidate.readness {
        Readness::Refused => {
            let why = candidate.withheld.as_deref().unwrap_or_default();
            format!("{place} — a name only; no content was admitted: {why}")
        }
        readness => format!("{place} — {} read, {} bytes", readness.name(), candidate.bytes),
    }
}

fn place(span: Option<Span>) -> String {
    span.map_or("the whole file".to_owned(), |span| format!("lines {}-{}", span.start, span.end))
}

/// The state that goes with the question: what is absent is left out, not null.
pub fn state(task: &str, set: (&str, &str), manifest: &Manifest, names: &[String]) -> Value {
    let candidates: Vec<Value> =
        manifest.candidates.iter().zip(names).map(|(c, name)| candidate_state(c, name)).collect();
    let omitted: Vec<Value> = manifest
        .omitted
        .iter()
        .map(|o| json!({"path": o.path, "status": format!("omitted — {}", o.reason.words())}))
        .collect();
    json!({
        "task": task,
        "question_set": {"id": set.0, "digest": set.1},
        "candidates": candidates,
        "omitted": omitted,
    })
}

fn candidate_state(candidate: &Candidate, option: &str) -> Value {
    let mut out = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(name.to_owned(), value);
        }
    };
    set("option", Some(option.into()));
    set("path", Some(candidate.path.as_str().into()));
    set("span", candidate.span.map(|span| json!({"start": span.start, "end": span.end})));
    set("readness", Some(candidate.readness.name().into()));
    set("bytes", Some(candidate.bytes.into()));
    set("base", candidate.base.as_deref().map(Value::from));
    set("digest", candidate.digest.map(|digest| digest.hex().into()));
    set("observation", serde_json::to_value(candidate.observation).ok());
    set("present", Some(candidate.present.into()));
    set("withheld", candidate.withheld.as_deref().map(Value::from));
    Value::Object(out)
}

/// The whole request for a door, as one JSON object. The options are a list, since their order counts.
pub fn request(task: &str, set: &QuestionSet, model: Option<&str>, manifest: &Manifest) -> Value {
    let names = names(&manifest.candidates);
    let digest = set.digest().hex();
    let none = json!({"name": NONE, "criterion": set.none_criterion().unwrap_or(NONE_CRITERION)});
    let offered =
        manifest.candidates.iter().zip(&names).map(|(c, name)| json!({"name": name, "criterion": criterion(c)}));
    json!({
        "site": SITE,
        "questionSet": {"id": set.id, "digest": digest},
        "gate": set.gate,
        "questions": set.questions,
        "options": std::iter::once(none).chain(offered).collect::<Vec<_>>(),
        "model": model,
        "state": state(task, (&set.id, &digest), manifest, &names),
    })
}
