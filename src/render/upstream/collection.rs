//! From a profile to the collection that the layout can express.

use std::collections::BTreeSet;

use super::Refusal;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::profile::{CheckLogs, Keep, OnFinding, Profile};
use crate::format::tree::MAX_FILE;
use crate::format::upstream::{self, Bounds, Collection, LogSelection, Selection, SourceKind};

/// What a number of JSON can hold: no bound.
const UNBOUNDED: u64 = (1 << 53) - 1;

/// The facets that each source is made of. The first decides whether the source is included; all bound it.
const SOURCES: [(SourceKind, &[Facet]); 3] = [
    (SourceKind::Comments, &[Facet::Comments, Facet::ReviewComments]),
    (SourceKind::Reviews, &[Facet::Reviews]),
    (SourceKind::Checks, &[Facet::Checks, Facet::Statuses]),
];

/// The collection that a profile asks for.
///
/// # Errors
/// [`Refusal::Profile`] for what the layout cannot express: nothing of a profile is left out silently.
pub(super) fn of(profile: &Profile, kind: Kind) -> Result<Collection, Refusal> {
    if profile.on_finding == OnFinding::Annotate {
        return Err(Refusal::Profile("a text with an injection is rejected, and never shown behind a mark".to_owned()));
    }
    if profile.max_bytes.is_some() || profile.max_tokens.is_some() {
        return Err(Refusal::Profile("it has no bound of the whole".to_owned()));
    }
    let entity_kind = match kind {
        Kind::Issue => upstream::Kind::WorkItem,
        Kind::Pull => upstream::Kind::ChangeProposal,
    };
    let mut sources = BTreeSet::from([SourceKind::Entity]);
    let mut most = UNBOUNDED;
    for (source, facets) in SOURCES.iter().filter(|(source, _)| entity_kind.has(*source)) {
        let asked: Vec<_> = facets.iter().filter(|facet| profile.asks_for(kind, **facet)).collect();
        if asked.is_empty() {
            continue;
        }
        sources.insert(*source);
        // There is one bound for all of them: the tightest, so that none that was asked for is exceeded.
        most = asked.iter().filter_map(|facet| profile.max_items.get(facet).copied()).fold(most, u64::min);
    }
    let asks_for_logs = sources.contains(&SourceKind::Checks) && profile.asks_for(kind, Facet::Logs);
    let log_selection = match profile.check_logs {
        CheckLogs::Failed if asks_for_logs => LogSelection::Failed,
        CheckLogs::All if asks_for_logs => LogSelection::All,
        _ => LogSelection::None,
    };
    if log_selection != LogSelection::None {
        sources.insert(SourceKind::CheckLogs);
    }
    Ok(Collection {
        entity_kind,
        sources,
        record_selection: match profile.keep {
            Keep::Oldest => Selection::Oldest,
            Keep::Newest => Selection::Newest,
            Keep::UnresolvedFirst => {
                return Err(Refusal::Profile("it keeps the oldest or the newest, not the unresolved first".to_owned()));
            }
        },
        log_selection,
        bounds: Bounds {
            records_per_source: at_least_one("the bound of items", most)?,
            source_bytes: MAX_FILE,
            record_bytes: at_least_one("the bound of a body", bound(profile.max_body_bytes))?,
            log_bytes: at_least_one("the bound of a log", bound(profile.max_log_bytes))?,
            string_bytes: at_least_one("the bound of a line", bound(profile.max_metadata_bytes))?,
            labels: bound(profile.max_items.get(&Facet::Labels).copied()),
        },
    })
}

fn bound(bound: Option<u64>) -> u64 {
    bound.map_or(UNBOUNDED, |bound| bound.min(UNBOUNDED))
}

fn at_least_one(what: &str, bound: u64) -> Result<u64, Refusal> {
    if bound > 0 { Ok(bound) } else { Err(Refusal::Profile(format!("{what} is 0, and the least is 1"))) }
}
