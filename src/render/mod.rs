//! State → files, pure: the tree of one issue or pull request, and the index of a directory of trees.
//!
//! The bytes are a function of state, mode and rules, as `docs/format.md`, "Index trees" says. No time but the forge's own, no
//! path made of anything but times and numbers.

mod actors;
mod attachments;
mod brief;
mod budget;
mod changes;
mod checks;
mod diff;
mod entity;
mod event;
mod index;
mod items;
mod links;
mod lists;
mod logs;
mod markdown;
mod order;
mod outline;
mod patch;
mod patches;
mod quotes;
mod root;
mod summary;
mod texts;
mod threads;
mod trust;
pub mod upstream;
mod view;

use std::collections::BTreeMap;

use crate::corpus::{Gaps, State};
use crate::filter::{self, Filter, Findings, Span};
use crate::format::profile::Profile;
use crate::format::source::Quotes;
use crate::format::time::Time;

pub use budget::{Allowance, Plan};
pub use index::{Beside, children_index};
pub use root::{Child, children_summary};

/// For whom a tree is made.
#[derive(Clone, Copy)]
pub enum Mode<'p> {
    /// For the docket: everything, unfiltered.
    Snapshot,
    /// For a consumer: what the profile asks for, filtered and bounded.
    Stage(&'p Profile, &'p Filter),
}

/// Where a finding was: in which of the texts that a file was made of, by their order, and where in the raw text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The file that shows the text, or would.
    pub path: String,
    /// The number of the text in the file, from 1.
    pub text: usize,
    /// The place.
    pub span: Span,
}

/// The tree of one issue or pull request.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// The files by path, all but `index.json`.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The bytes of `index.json`, which lists all of them.
    pub index: Vec<u8>,
    /// What is missing, also by choice.
    pub gaps: Gaps,
    /// What filtering found in all files together.
    pub findings: Findings,
    /// Where, if the filter was told to say so.
    pub explained: Vec<Explained>,
    /// Whether every facet that was asked for (in a snapshot: that the kind has) is known in full. Bounds and filtering do
    /// not count.
    pub complete: bool,
    /// The newest forge-assigned time in the tree.
    pub as_of: Option<Time>,
}

/// Renders one issue or pull request.
///
/// # Errors
/// [`filter::Error`] when a detector fails: there is no tree then.
pub fn entity(state: &State, mode: Mode<'_>) -> Result<Rendered, filter::Error> {
    entity_with(state, mode, None, None)
}

/// The same with what a repository says about it, and within what a budget allows, for a stage.
///
/// # Errors
/// As [`entity`].
pub fn entity_with(
    state: &State,
    mode: Mode<'_>,
    quotes: Option<&Quotes>,
    allowance: Option<&Allowance>,
) -> Result<Rendered, filter::Error> {
    let mut view = view::View::new(state, mode, allowance);
    entity::render(state, &mut view);
    items::comments(state, &mut view);
    items::reviews(state, &mut view);
    threads::render(state, &mut view);
    checks::render(state, &mut view);
    logs::render(state, &mut view);
    changes::render(state, &mut view);
    lists::render(state, &mut view);
    actors::render(state, &mut view);
    if let Some(quotes) = quotes {
        quotes::render(quotes, &mut view);
    }
    index::finish(state, view, quotes)
}
