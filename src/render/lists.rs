//! `timeline.json` and `reactions.json`.

use std::collections::HashSet;

use super::texts::of_withheld;
use super::view::{View, set_field};
use crate::corpus::State;
use crate::forge::facets::{Event, Reaction};
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{Json, Object};

pub(super) fn render(state: &State, view: &mut View<'_>) {
    if view.has(state, Facet::Timeline) {
        let kept = view.within_bounds(state, Facet::Timeline);
        let rows: Vec<_> = kept.into_iter().map(|at| event(&state.timeline[at], state, view)).collect();
        let mut out = Object::new();
        out.set("events", rows);
        view.add_json("timeline.json", Role::Timeline, &Json::Object(out), Object::new());
    }
    if view.has(state, Facet::Reactions) {
        reactions(state, view);
    }
}

fn event<'s>(event: &'s Event, state: &State, view: &mut View<'_>) -> Json<'s> {
    let mut row = Object::new();
    row.set_some("id", view.structural(Facet::Timeline, &event.key));
    row.set_some("nodeId", event.node_id.as_deref().and_then(|id| view.structural(Facet::Timeline, id)));
    row.set("event", view.display(&event.event));
    set_field(&mut row, "actor", &event.actor, |actor| view.actor(actor, event.created_at));
    row.set_some("createdAt", event.created_at.map(|time| view.time(time)));
    row.set_some("commit", event.commit.as_deref().and_then(|sha| view.structural(Facet::Timeline, sha)));
    let mut details = Object::new();
    for (name, value) in &event.details {
        details.set(*name, view.display(value));
    }
    row.set("details", details);
    row.set_some("withheld", state.withheld.of(Facet::Timeline, &event.key).map(of_withheld));
    Json::Object(row)
}

fn reactions(state: &State, view: &mut View<'_>) {
    let own = state.reactions.iter().map(|one| (None, one));
    let below = to_items(state).map(|(item, one)| (Some(item), one));
    let all: Vec<_> = own.chain(below).collect();
    let kept = view.within_bounds(state, Facet::Reactions);
    let rows: Vec<_> = kept.into_iter().map(|at| reaction(all[at].0, all[at].1, view)).collect();
    let mut out = Object::new();
    out.set("reactions", rows);
    view.add_json("reactions.json", Role::Reactions, &Json::Object(out), Object::new());
}

/// The reactions to items that the forge has not ceased to show.
pub(super) fn to_items(state: &State) -> impl Iterator<Item = (&str, &Reaction)> {
    let gone: HashSet<_> =
        state.tombstones.iter().map(|gone| format!("{}/{}", gone.facet.name(), gone.item.key())).collect();
    let here = state.item_reactions.iter().filter(move |(item, _)| !gone.contains(item.as_str()));
    here.flat_map(|(item, all)| all.iter().map(move |one| (item.as_str(), one)))
}

fn reaction<'s>(item: Option<&'s str>, reaction: &'s Reaction, view: &mut View<'_>) -> Json<'s> {
    let mut row = Object::new();
    row.set_some("id", reaction.id);
    row.set_some("nodeId", reaction.node_id.as_deref().and_then(|id| view.structural(Facet::Reactions, id)));
    row.set_some("item", item.and_then(|item| view.structural(Facet::Reactions, item)));
    row.set("content", view.display(&reaction.content));
    set_field(&mut row, "actor", &reaction.actor, |actor| view.actor(actor, reaction.created_at));
    row.set_some("createdAt", reaction.created_at.map(|time| view.time(time)));
    Json::Object(row)
}
