//! A stage in the layout of another project: one entity, and nothing that its closed documents have no place for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Options, Staged, refuse_findings, report, unmet};
use crate::corpus::State;
use crate::filter::Filter;
use crate::format::digest::Digest;
use crate::format::index::NAME;
use crate::format::profile::{OnFinding, tokens};
use crate::format::upstream::LAYOUT;
use crate::ops::Error;
use crate::ops::load::identify_repository;
use crate::render::upstream::{Refusal, Snapshot, snapshot};
use crate::store::facts::Facts;

/// The files of a stage in this layout.
///
/// # Errors
/// `layout-unsupported` for what the layout cannot express, `layout-unmet` when the facts lack what it requires, `unsafe-content`
/// for a title or body that may not be shown, `filter-failed`.
pub(super) fn staged(
    facts: &Facts<'_>,
    (states, mut used): (Vec<State>, BTreeMap<String, Digest>),
    options: &Options<'_>,
    filter: Filter,
) -> Result<Staged, Error> {
    let unsupported = |why: &str| Error::new("layout-unsupported", format!("{LAYOUT}: {why}"));
    if options.quote.is_some() {
        return Err(unsupported("quotes of a repository have no place in it"));
    }
    if options.profile.linked.is_some() {
        return Err(unsupported("linked entities have no place in it"));
    }
    let mut states = states.into_iter();
    let (Some(mut state), None) = (states.next(), states.next()) else {
        return Err(unsupported("a tree is of one entity").hint("name one; stage each into a directory of its own"));
    };
    used.extend(identify_repository(facts, &mut state)?);
    let entity = state.entity();
    let snapshot = snapshot(&state, options.profile, &filter.to_the_floor()).map_err(|refusal| {
        let message = format!("{entity}: {LAYOUT}: {refusal}");
        match refusal {
            Refusal::Filter(error) => Error::from(error),
            Refusal::Profile(_) => Error::new("layout-unsupported", message),
            Refusal::Unsafe { .. } => {
                Error::new("unsafe-content", message).hint("there is no tree of this layout without title and body")
            }
            Refusal::Required { member: "source.repository_id", .. } => Error::new("layout-unmet", message).hint(
                "the record of the repository tells it: observe it, or name it with --from, as `gh api repos/OWNER/NAME` prints it",
            ),
            Refusal::Required { .. } => Error::new("layout-unmet", message),
        }
    })?;
    let Snapshot { files, gaps, findings, explained, complete } = snapshot;
    let index = Digest::of(files.get(NAME).map_or(&[][..], Vec::as_slice));
    let report = report::Report {
        context_dir: PathBuf::new(),
        entities: vec![entity.to_string()],
        index_digest: index.to_string(),
        files: files.len(),
        bytes: files.values().map(|bytes| bytes.len() as u64).sum(),
        tokens: files.values().map(|bytes| tokens(bytes)).sum(),
        complete,
        linked: Vec::new(),
        gaps: gaps.iter().map(report::Gap::of_upstream).collect(),
        findings: report::counts(&findings),
        sources: Vec::new(),
        repository: super::crossed(options.repository, std::iter::once(&state))?,
        unrecognised: None,
        record: None,
        replay: None,
        unmet: unmet(&state, complete, options),
    };
    if options.profile.on_finding == OnFinding::Fail {
        refuse_findings(&report)?;
    }
    let explained = explained.into_iter().map(|found| (entity.to_string(), found)).collect();
    Ok(Staged { files, report, explained, index, asked: vec![entity], used, quotes: Vec::new() })
}
