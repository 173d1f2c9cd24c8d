//! What an entity links, and what links it, where a stage follows links.

use super::view::View;
use crate::corpus::{GapCode, Linked, LinkedIs, State};
use crate::forge::links::How;
use crate::format::facet::Facet;
use crate::format::json::{Json, Object};

/// The most links that an index lists. All are counted.
const MOST: usize = 1000;

/// Sets `links` and `linkedBy`, and counts what is not in the stage.
pub(super) fn members(state: &State, view: &mut View<'_>, members: &mut Object<'static>) {
    if !state.linked_by.is_empty() {
        members
            .set("linkedBy", state.linked_by.iter().map(|entity| Json::from(entity.to_string())).collect::<Vec<_>>());
    }
    let Some(links) = &state.links else { return };
    let count = |is: &dyn Fn(&LinkedIs) -> bool| links.iter().filter(|linked| is(&linked.is)).count() as u64;
    view.gaps.add(Facet::Header, GapCode::LinkedNotFiled, count(&|is| *is == LinkedIs::NotFiled));
    let left = count(&|is| matches!(is, LinkedIs::Elsewhere | LinkedIs::Beyond));
    view.gaps.add(Facet::Header, GapCode::LinkedNotStaged, left);
    members.set("links", links.iter().take(MOST).filter_map(|linked| row(linked, view)).collect::<Vec<_>>());
}

fn row(linked: &Linked, view: &mut View<'_>) -> Option<Json<'static>> {
    let (id, is) = match &linked.is {
        LinkedIs::Staged(entity) => (entity.to_string(), "staged"),
        LinkedIs::NotFiled => (linked.link.subject.to_string(), "not-filed"),
        LinkedIs::Elsewhere => (linked.link.subject.to_string(), "elsewhere"),
        LinkedIs::Beyond => (linked.link.subject.to_string(), "beyond-bound"),
    };
    let id = view.structural(Facet::Header, &id)?.into_owned();
    let mut row = Object::new();
    row.set("entity", id).set("how", linked.link.how.iter().map(|how| How::name(*how)).collect::<Vec<_>>());
    row.set("is", is);
    Some(Json::Object(row))
}

/// What the summary says of links.
pub(super) fn line(state: &State) -> Option<String> {
    let links = state.links.as_ref().filter(|links| !links.is_empty())?;
    let staged = links.iter().filter(|linked| matches!(linked.is, LinkedIs::Staged(_))).count();
    Some(format!("{}, of which {staged} are staged beside this, see links in index.json", links.len()))
}
