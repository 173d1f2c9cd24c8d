//! How many reactions there are of each kind, where a whole list of them tells it and nothing else does.

use std::collections::BTreeSet;

use super::State;
use super::state::Coverage;
use crate::forge::facets::{Comment, Field, Id, Reaction, ReactionCounts};
use crate::format::entity::Forge;
use crate::format::facet::Facet;

/// Counts the reactions to the entity and to its comments. `whole` names the comments all of whose reactions are known.
pub(super) fn take(state: &mut State, whole: &BTreeSet<String>) {
    let all = state.coverage.get(&Facet::Reactions).is_some_and(Coverage::is_complete);
    if all && state.header.reactions == Field::Unknown {
        state.header.reactions = Field::Known(counts(&state.reactions));
    }
    // GitLab numbers comments of both kinds in one row, and names them all alike.
    let of_one_row = state.repository.forge() == Forge::GitLab;
    let item = |facet: Facet, id: &Id| format!("{}/{id}", facet.name());
    let told = |facet: Facet, id: &Id| {
        let is_whole = whole.contains(&item(facet, id)) || (of_one_row && whole.contains(&item(Facet::Comments, id)));
        state.item_reactions.get(&item(facet, id)).filter(|_| is_whole).map(|all| counts(all))
    };
    let fill = |facet, comment: &mut Comment| {
        if comment.reactions == Field::Unknown {
            comment.reactions = told(facet, &comment.id).map_or(Field::Unknown, Field::Known);
        }
    };
    state.comments.iter_mut().for_each(|comment| fill(Facet::Comments, comment));
    state.review_comments.iter_mut().for_each(|comment| fill(Facet::ReviewComments, &mut comment.comment));
}

fn counts(reactions: &[Reaction]) -> ReactionCounts {
    reactions.iter().map(|one| (one.content.as_str(), 1)).collect()
}
