//! Which items of a set a bound leaves when some of them are only rows: whoever is not shown crowds out nobody.

use super::view::{View, usize_bound};
use crate::corpus::{GapCode, State};
use crate::format::facet::Facet;
use crate::format::profile::main_facet;

impl View<'_> {
    /// The places of the items that the bound of a set leaves, in order; what it drops is a gap. Items whose text is shown come first; rows of
    /// others have the room that is left.
    pub fn chosen<T>(&mut self, state: &State, facet: Facet, all: &[T], name: impl Fn(&T) -> String) -> Vec<usize> {
        let hidden = |item: &T| !state.withheld.is_empty() && state.withheld.of(facet, &name(item)).is_some();
        let (rows, shown): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|at| hidden(&all[*at]));
        let mut kept: Vec<usize> = shown[self.kept(facet, shown.len())].to_vec();
        let bound = self.profile.and_then(|profile| profile.max_items.get(&facet)).copied();
        let room = usize_bound(bound).map_or(rows.len(), |most| most.saturating_sub(kept.len()).min(rows.len()));
        let end = self.kept(facet, rows.len());
        let first = if end.end == rows.len() { rows.len() - room } else { end.start };
        kept.extend(&rows[first..first + room]);
        kept.sort_unstable();
        self.gaps.add(main_facet(facet), GapCode::ProfileBound, (all.len() - kept.len()) as u64);
        kept
    }
}
