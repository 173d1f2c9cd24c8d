//! `schema`: the JSON Schemas that the program was built with.

use clap::Args;
use serde_json::json;

use super::output::Answer;
use crate::ops::Error;

/// Print a JSON Schema, or the names of all
///
/// Each is complete in itself, JSON Schema 2020-12, and refuses members that it does not know. `report` is that of what
/// a verb prints with --json; a record of another project has the name that stands in it.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The name; without one the names are listed
    name: Option<String>,
}

macro_rules! schemas {
    ($($dir:literal: $($name:literal)*;)*) => {
        &[$($(($name, include_str!(concat!("../../schema/", $dir, "/", $name, ".schema.json"))),)*)*]
    };
}

const SCHEMAS: &[(&str, &str)] = schemas!(
    "v1": "actors" "check" "commits" "entity" "explanation" "files" "index" "observation" "openagents.decision-call.v1"
    "openagents.evidence-relevance.v1" "openagents.evidence-selection.v1" "openagents.repository-context.v1"
    "openagents.repository-source.v1" "profile" "reactions" "references" "report" "stage-facts" "stage-record" "store" "threads" "timeline" "unrecognised";
    "upstream": "entity-context-snapshot.v1.actor-state" "entity-context-snapshot.v1.agent-runs"
    "entity-context-snapshot.v1.check" "entity-context-snapshot.v1.collection" "entity-context-snapshot.v1.entity"
    "entity-context-snapshot.v1.index" "entity-context-snapshot.v1.reviews" "entity-context-snapshot.v1.thread-state";
);

pub(super) fn run(args: &SchemaArgs) -> Result<Answer, Error> {
    let Some(name) = &args.name else {
        let names: Vec<_> = SCHEMAS.iter().map(|(name, _)| *name).collect();
        let text = names.iter().map(|name| format!("{name}\n")).collect::<String>();
        return Ok(Answer { text, json: Some(json!({ "schemas": names })), ..Answer::default() });
    };
    let found = SCHEMAS.iter().find(|(known, _)| known == name);
    let missing = || Error::new("schema-unknown", format!("no schema is named {name:?}")).hint("git docket schema");
    found.map(|(_, text)| Answer::bytes(*text)).ok_or_else(missing)
}
