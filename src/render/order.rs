//! Which items of a set stay where a bound or a budget has no room for all of them.

use super::checks::lateness;
use super::event;
use super::lists::to_items;
use super::threads;
use super::view::View;
use crate::corpus::{OF_A_TIME, State, check_name};
use crate::forge::facets::{Check, Id};
use crate::format::facet::Facet;
use crate::format::profile::Keep;

/// The items of a set, those first that stay longest: the one that set off the stage, then those at the end that the profile keeps. Of
/// checks those come first that failed, then those that are not known to have gone well; files and labels are in the order of their names.
pub(super) fn of(state: &State, facet: Facet, view: &View<'_>) -> Vec<usize> {
    let len = len(state, facet);
    let mut order: Vec<usize> = match (facet, view.profile.map(|profile| profile.keep)) {
        (Facet::ReviewComments, Some(Keep::UnresolvedFirst)) => threads::unresolved_first(state),
        // Names have no newer end.
        (Facet::Files | Facet::Labels, _) | (_, None | Some(Keep::Oldest)) => (0..len).collect(),
        (_, Some(Keep::Newest | Keep::UnresolvedFirst)) => (0..len).rev().collect(),
    };
    match facet {
        Facet::Checks => order.sort_by_key(|at| lateness(&state.checks[*at])),
        Facet::Statuses => order.sort_by_key(|at| lateness(&state.statuses[*at])),
        _ => {}
    }
    if !state.withheld.is_empty() {
        // Whoever is not shown crowds out nobody who is: rows without text have the room that is left.
        order.sort_by_key(|at| name(state, facet, *at).is_some_and(|name| state.withheld.of(facet, &name).is_some()));
    }
    if let Some(first) = trigger(state, facet) {
        // A stable sort moves this one alone.
        order.sort_by_key(|at| *at != first);
    }
    order
}

/// Whether nothing shows an item as it was at the time of the stage: there is its row alone.
pub(super) fn is_row_alone(state: &State, facet: Facet, at: usize) -> bool {
    let withheld = name(state, facet, at).and_then(|name| state.withheld.of(facet, &name));
    withheld.is_some_and(|withheld| OF_A_TIME.contains(&withheld.reason))
}

/// The name of an item among what is withheld.
fn name(state: &State, facet: Facet, at: usize) -> Option<String> {
    Some(match facet {
        Facet::Comments => state.comments[at].id.to_string(),
        Facet::Reviews => state.reviews[at].id.to_string(),
        Facet::ReviewComments => state.review_comments[at].comment.id.to_string(),
        Facet::Checks => check_name(&state.checks[at]),
        Facet::Statuses => check_name(&state.statuses[at]),
        Facet::Commits => state.commits[at].sha.clone(),
        Facet::Timeline => state.timeline[at].key.clone(),
        _ => return None,
    })
}

/// How many items of a set are known, if only by their rows.
pub(super) fn len(state: &State, facet: Facet) -> usize {
    match facet {
        Facet::Comments => state.comments.len(),
        Facet::Reviews => state.reviews.len(),
        Facet::ReviewComments => state.review_comments.len(),
        Facet::Checks => state.checks.len(),
        Facet::Statuses => state.statuses.len(),
        Facet::Files => state.files.len(),
        Facet::Commits => state.commits.len(),
        Facet::Timeline => state.timeline.len(),
        Facet::Labels => state.header.labels.known().map_or(0, Vec::len),
        Facet::Reactions => state.reactions.len() + to_items(state).count(),
        // These are parts of others, records or texts.
        Facet::Header | Facet::Threads | Facet::Events | Facet::Members | Facet::Logs | Facet::Diff => 0,
    }
}

/// The item of a set that the delivery tells of.
fn trigger(state: &State, facet: Facet) -> Option<usize> {
    let (of, id) = state.event.as_ref()?.item?;
    let id = Id::from(id);
    let origin = event::origin(state.event.as_ref()?);
    let run = |one: &Check| one.id == id && one.origin == origin;
    match facet {
        _ if of != facet => None,
        Facet::Comments => state.comments.iter().position(|one| one.id == id),
        Facet::Reviews => state.reviews.iter().position(|one| one.id == id),
        Facet::ReviewComments => state.review_comments.iter().position(|one| one.comment.id == id),
        Facet::Checks => state.checks.iter().position(run),
        Facet::Statuses => state.statuses.iter().position(|one| one.id == id),
        _ => None,
    }
}
