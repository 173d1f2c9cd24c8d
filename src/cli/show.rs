//! `show`: an entity, a payload, an element.

use clap::Args;
use serde_json::{Value, json};

use super::args::Global;
use super::choices::facet;
use super::home::Home;
use super::output::Answer;
use super::place::store;
use crate::format::digest::Digest;
use crate::ops::wanted::Wanted;
use crate::ops::{self, Error};

/// Show an entity, a payload or an element
///
/// An entity: its summary. With --raw FACET the canonical payload of the newest look at that facet, a page a line, a text
/// byte for byte (--raw logs:JOB where there are several);
/// --raw DIGEST rebuilds any input ever filed, byte for byte, by the digest that `observe` reported.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  git docket show acme/web#42
  git docket show acme/web#42 --raw comments
  git docket show --raw sha256:…")]
pub struct ShowArgs {
    /// An id, a URL, or owner/name#number
    #[arg(required_unless_present_any = ["raw", "element"])]
    entity: Option<String>,
    /// Where short forms are
    #[command(flatten)]
    home: Home,
    /// The facts as of a revision
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// A facet of the entity, or the digest of an input
    #[arg(long, value_name = "FACET[:JOB]|DIGEST")]
    raw: Option<String>,
    /// The bytes of an element
    #[arg(long, value_name = "DIGEST", conflicts_with_all = ["raw", "entity"])]
    element: Option<Digest>,
}

pub(super) fn run(args: &ShowArgs, global: &Global) -> Result<Answer, Error> {
    let place = store(global)?;
    let facts = match &args.at {
        Some(at) => place.facts_of(at, &global.snapshot_ref)?,
        None => place.facts()?,
    };
    let facts = facts.as_ref();
    if let Some(digest) = &args.element {
        return Ok(Answer::bytes(ops::show::element(facts, digest)?));
    }
    match (&args.entity, &args.raw) {
        (None, Some(raw)) => {
            let digest = raw.parse().map_err(|error| {
                Error::new("usage", format!("--raw {raw}: {error}")).hint("with an ENTITY, --raw takes a facet")
            })?;
            Ok(Answer::bytes(ops::show::input(facts, &digest)?))
        }
        (Some(entity), Some(raw)) => {
            let (name, job) = match raw.strip_prefix("logs:") {
                Some(job) => ("logs", Some(job)),
                None => (raw.as_str(), None),
            };
            let facet = facet(name).map_err(|why| Error::new("usage", format!("--raw {raw}: {why}")))?;
            Ok(Answer::bytes(ops::show::facet(facts, &args.home.asked(entity)?.find(facts)?, facet, job)?))
        }
        (Some(entity), None) => account(facts, &args.home.asked(entity)?.find(facts)?),
        (None, None) => Err(Error::new("usage", "an ENTITY, --raw or --element is needed")),
    }
}

/// The summary for people; entity.json and what the index says about the whole for programs.
fn account(facts: &dyn crate::format::tree::Tree, wanted: &Wanted) -> Result<Answer, Error> {
    let (id, shown) = ops::show::entity(facts, wanted)?;
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let index = parse(&shown.index);
    let header = shown.files.get("entity.json").map(|bytes| parse(bytes)).unwrap_or_default();
    let value = json!({
        "id": id, "entity": header, "coverage": index["coverage"], "gaps": index["gaps"], "tombstones": index["tombstones"],
    });
    let summary = shown.files.get("summary.md").map(Vec::as_slice).unwrap_or_default();
    let text = String::from_utf8_lossy(summary).into_owned();
    Ok(Answer { text, json: Some(value), ..Answer::default() })
}
