//! Comments and reviews: a file for each body, the rest in its row of the index.

use std::collections::BTreeMap;

use super::view::{View, set_field};
use crate::corpus::{State, stem};
use crate::forge::facets::{Actor, Comment, Field, Id, Minimized, Review};
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{Json, Object};
use crate::format::time::Time;

pub(super) fn comments(state: &State, view: &mut View<'_>) {
    if !view.shows(Facet::Comments) {
        return;
    }
    let kept = view.within_bounds(state, Facet::Comments);
    for (at, comment) in kept.into_iter().map(|at| &state.comments[at]).enumerate() {
        let mut about = of_comment(Facet::Comments, comment, view);
        about.set("ordinal", at + 1);
        let bytes = match state.withheld.of(Facet::Comments, &comment.id.to_string()) {
            Some(withheld) => view.empty(withheld, &mut about),
            None => body(&comment.body, &mut about, view),
        };
        let path = format!("comments/{}.md", stem(comment.created_at, &comment.id));
        view.add(path, Role::Comment, "text/markdown", bytes, about);
    }
}

pub(super) fn reviews(state: &State, view: &mut View<'_>) {
    if !view.shows(Facet::Reviews) {
        return;
    }
    let kept = view.within_bounds(state, Facet::Reviews);
    for (at, review) in kept.into_iter().map(|at| &state.reviews[at]).enumerate() {
        let mut about = of_review(review, view);
        about.set("ordinal", at + 1);
        let bytes = match state.withheld.of(Facet::Reviews, &review.id.to_string()) {
            Some(withheld) => view.empty(withheld, &mut about),
            None => body(&review.body, &mut about, view),
        };
        let path = format!("reviews/{}.md", stem(review.submitted_at, &review.id));
        view.add(path, Role::Review, "text/markdown", bytes, about);
    }
}

/// What an index says of a comment, in a conversation or as the root of a thread.
pub(super) fn of_comment(scope: Facet, comment: &Comment, view: &mut View<'_>) -> Object<'static> {
    let mut about = attribution(comment, view);
    about.set("source", source(scope, &comment.id, comment.node_id.as_deref(), comment.url.as_deref(), view));
    about
}

/// Who wrote a comment, and when.
pub(super) fn attribution(comment: &Comment, view: &mut View<'_>) -> Object<'static> {
    let mut about = Object::new();
    let at = comment.updated_at.or(comment.created_at);
    attribute(&mut about, &comment.author, comment.association.as_deref(), at, view);
    about.set_some("createdAt", comment.created_at.map(|time| view.time(time)));
    about.set_some("updatedAt", comment.updated_at.map(|time| view.time(time)));
    minimized(&mut about, &comment.minimized, view);
    about.set_some("internal", comment.internal);
    about.set_some("reactions", comment.reactions.as_ref().filter(|counts| !counts.is_empty()).map(reaction_counts));
    about
}

/// How many reactions there are of each content, in words of a table of ours.
pub(super) fn reaction_counts(reactions: &BTreeMap<String, u64>) -> Object<'static> {
    let mut counts = Object::new();
    for (content, count) in reactions {
        counts.set(content.clone(), *count);
    }
    counts
}

/// Whether something is hidden on the forge's page, and why.
fn minimized(about: &mut Object<'static>, minimized: &Minimized, view: &mut View<'_>) {
    about.set_some("minimized", minimized.is.known().copied());
    if minimized.is == Field::Known(true) {
        about.set_some("minimizedReason", minimized.reason.known().map(|word| view.display(word).into_owned()));
    }
}

fn of_review(review: &Review, view: &mut View<'_>) -> Object<'static> {
    let mut about = Object::new();
    about.set("source", source(Facet::Reviews, &review.id, review.node_id.as_deref(), review.url.as_deref(), view));
    attribute(&mut about, &review.author, review.association.as_deref(), review.submitted_at, view);
    about.set_some("createdAt", review.submitted_at.map(|time| view.time(time)));
    about.set_some("state", review.state.map(|state| state.name()));
    let commit = review.commit.as_deref().and_then(|sha| view.structural(Facet::Reviews, sha));
    about.set_some("commit", commit.map(Json::into_owned));
    minimized(&mut about, &review.minimized, view);
    about
}

/// Where an item comes from, as an index says it.
pub(super) fn source(
    scope: Facet,
    id: &Id,
    node_id: Option<&str>,
    url: Option<&str>,
    view: &mut View<'_>,
) -> Object<'static> {
    let mut source = Object::new();
    if let Id::Text(text) = id {
        // Counts one that may not be shown.
        let _ = view.structural(scope, text);
    }
    source.set("id", view.id(id));
    let mut set = |name, text: Option<&str>| {
        let text = text.and_then(|text| view.structural(scope, text));
        source.set_some(name, text.map(Json::into_owned));
    };
    set("nodeId", node_id);
    set("url", url);
    source
}

fn attribute(
    about: &mut Object<'static>,
    author: &Field<Actor>,
    association: Option<&str>,
    at: Option<Time>,
    view: &mut View<'_>,
) {
    set_field(about, "author", author, |actor| view.author(actor, association, at));
    about.set_some("association", association.map(|word| view.login(word)));
}

/// The bytes of a body. One that is null or unknown has none, and its row says which.
fn body(body: &Field<String>, about: &mut Object<'static>, view: &mut View<'_>) -> Vec<u8> {
    match body {
        Field::Known(text) => view.body(text, about),
        Field::Null => {
            about.set("bodyNull", true);
            Vec::new()
        }
        Field::Unknown => {
            about.set("bodyUnknown", true);
            Vec::new()
        }
    }
}
