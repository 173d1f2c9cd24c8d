//! `stage --sources`: what a repository says, for each entity that is staged.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::format::entity::Entity;
use crate::format::source::Quotes;
use crate::ops::Error;
use crate::ops::sources::{CollectOptions, How, Wanted, collect_for_stage};
use crate::ops::stage::{Filter, Touched};

#[derive(Debug, Args)]
pub(super) struct QuoteArgs {
    /// Quote this repository's work tree: without a draft the lines that a pull request changes, of tracked files only
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,
    /// Quote lines that hold this text's words, as `sources collect --draft` does
    #[arg(long, value_name = "TEXT", requires = "sources", allow_hyphen_values = true)]
    sources_draft: Option<String>,
    /// The same with the text in a file, `-` for stdin
    #[arg(long, value_name = "FILE", requires = "sources", conflicts_with = "sources_draft")]
    sources_draft_file: Option<PathBuf>,
    /// The seconds that each search may take
    #[arg(long, value_name = "N", requires = "sources", conflicts_with = "replay", default_value_t = 2)]
    sources_seconds: u64,
}

/// Who quotes.
pub(super) struct Quoter {
    dir: PathBuf,
    draft: Option<String>,
    time: Duration,
    /// What was quoted for the draft, which is the same for every entity.
    collected: OnceCell<Quotes>,
}

impl QuoteArgs {
    /// The one who quotes, when that is wanted.
    pub fn quoter(&self) -> Result<Option<Quoter>, Error> {
        let Some(dir) = self.sources.clone() else { return Ok(None) };
        let draft = match (&self.sources_draft, &self.sources_draft_file) {
            (Some(text), _) => Some(text.clone()),
            (None, Some(file)) => Some(super::sources::draft(file)?),
            (None, None) => None,
        };
        Ok(Some(Quoter { dir, draft, time: Duration::from_secs(self.sources_seconds), collected: OnceCell::new() }))
    }
}

impl Quoter {
    /// The quotes for an entity.
    pub fn quote(&self, entity: &Entity, touched: Option<Touched>, filter: &Filter) -> Result<Option<Quotes>, Error> {
        match (&self.draft, touched) {
            (Some(draft), _) => {
                if self.collected.get().is_none() {
                    _ = self.collected.set(self.collect(Wanted::Draft { text: draft.clone(), within: None }, filter)?);
                }
                Ok(self.collected.get().cloned())
            }
            (None, Some(Touched { files, complete })) => {
                self.collect(Wanted::Touched { files, complete }, filter).map(Some)
            }
            (None, None) => {
                let message = format!("{entity} is no pull request and touches no files");
                Err(Error::new("sources-draft-missing", message).hint("say what to quote: --sources-draft TEXT"))
            }
        }
    }

    fn collect(&self, wanted: Wanted, filter: &Filter) -> Result<Quotes, Error> {
        let how = How { time: self.time, ..How::default() };
        let options = CollectOptions { wanted, how, ..CollectOptions::for_draft(&self.dir, "") };
        collect_for_stage(&options, filter).map(|report| report.into_quotes())
    }
}
