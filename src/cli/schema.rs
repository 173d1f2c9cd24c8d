//! `schema`: the JSON Schemas that the program was built with.

use clap::Args;

use super::output::Answer;
use crate::ops::Error;

/// Print a JSON Schema, or the names of all
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The name; without one the names are listed
    name: Option<String>,
}

const SCHEMAS: [(&str, &str); 7] = [
    ("entity", include_str!("../../schema/v1/entity.schema.json")),
    ("index", include_str!("../../schema/v1/index.schema.json")),
    ("observation", include_str!("../../schema/v1/observation.schema.json")),
    ("profile", include_str!("../../schema/v1/profile.schema.json")),
    ("report", include_str!("../../schema/v1/report.schema.json")),
    ("store", include_str!("../../schema/v1/store.schema.json")),
    ("tree", include_str!("../../schema/v1/tree.schema.json")),
];

pub(super) fn run(args: &SchemaArgs) -> Result<Answer, Error> {
    let Some(name) = &args.name else {
        return Ok(Answer::text(SCHEMAS.map(|(name, _)| format!("{name}\n")).concat()));
    };
    let found = SCHEMAS.iter().find(|(known, _)| known == name);
    let missing = || Error::new("schema-unknown", format!("no schema is named {name}")).hint("git docket schema");
    found.map(|(_, text)| Answer::text(*text)).ok_or_else(missing)
}
