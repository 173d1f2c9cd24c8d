//! `index.json` of an entity and of a directory.

use super::entity::id;
use super::view::{View, set_field};
use super::{Rendered, event, links, summary};
use crate::corpus::{Coverage, Gap, GapCode, Gaps, Gone, State};
use crate::filter;
use crate::forge::facets::{Actor, Field, Id, Item};
use crate::format::digest::Digest;
use crate::format::facet::Facet;
use crate::format::index::{Entry, Index, Node, Role};
use crate::format::json::{Json, Object};
use crate::format::profile::{facets_of, main_facet};
use crate::format::source::Quotes;
use crate::format::time::Time;

/// Adds what only the finished tree can tell, the summary and the index.
pub(super) fn finish(state: &State, mut view: View<'_>, quotes: Option<&Quotes>) -> Result<Rendered, filter::Error> {
    not_requested(state, &mut view);
    let complete = match view.profile {
        Some(profile) => profile.facets(state.kind).iter().all(|facet| state.is_complete(*facet)),
        None => facets_of(state.kind).all(|facet| state.is_complete(facet)),
    };
    let mut members = Object::new();
    let entity = state.entity();
    members.set("forge", state.repository.forge().name()).set("host", state.repository.host().to_owned());
    members.set("repository", repository(state));
    members.set("entity", identity(state, &mut view));
    members.set("tombstones", tombstones(state, &mut view));
    members.set("coverage", coverage_members(state, &mut view));
    members.set("asOf", view.as_of.map(|time| time.to_string()));
    members.set_some("profile", view.profile.map(|profile| profile.to_json()));
    view.entries.sort_by(|a, b| a.path.cmp(&b.path));
    members.set_some("event", event::member(state, &mut view));
    links::members(state, &mut view, &mut members);
    view.say_elsewhere(Facet::Header);
    members.set("gaps", gaps_json(&view.gaps));
    let text = summary::text(state, &entity, &view, complete, quotes);
    view.add("summary.md".to_owned(), Role::Summary, "text/markdown", text.into_bytes(), Object::new());
    view.entries.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some(error) = view.failure.take() {
        return Err(error);
    }
    let index = Index { node: Node::Entity { members }, entries: std::mem::take(&mut view.entries) };
    Ok(Rendered {
        index: index.into_bytes(),
        files: view.files,
        gaps: view.gaps,
        findings: view.findings,
        complete,
        as_of: view.as_of,
        explained: view.explained,
    })
}

/// What a directory has beside its children.
#[derive(Debug, Clone, Copy)]
pub enum Beside<'b> {
    /// Nothing.
    Nothing,
    /// `.gitattributes`, in the root of a snapshot.
    Attributes(&'b [u8]),
    /// `summary.md`, in the root of a stage.
    Summary(&'b [u8]),
}

/// The index of a directory: that of each child, and what is beside them. Children are given with the bytes of their index,
/// in any order.
pub fn children_index<N: AsRef<str>, B: AsRef<[u8]>>(children: &[(N, B)], beside: Beside<'_>) -> Vec<u8> {
    let entry = |path: String, role, media_type: &str, bytes: &[u8]| Entry {
        path,
        role,
        media_type: media_type.to_owned(),
        bytes: bytes.len() as u64,
        sha256: Digest::of(bytes),
        about: Object::new(),
    };
    let child = |(name, index): &(N, B)| {
        entry(format!("{}/index.json", name.as_ref()), Role::Index, "application/json", index.as_ref())
    };
    let mut entries: Vec<_> = children.iter().map(child).collect();
    entries.extend(match beside {
        Beside::Nothing => None,
        Beside::Attributes(bytes) => Some(entry(".gitattributes".to_owned(), Role::Attributes, "text/plain", bytes)),
        Beside::Summary(bytes) => Some(entry("summary.md".to_owned(), Role::Summary, "text/markdown", bytes)),
    });
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Index { node: Node::Directory, entries }.into_bytes()
}

/// Names the facets that the profile leaves out.
fn not_requested(state: &State, view: &mut View<'_>) {
    let left_out: Vec<_> = facets_of(state.kind).filter(|facet| !view.shows(*facet)).collect();
    for facet in left_out {
        let items = state.coverage.get(&facet).and_then(|coverage| coverage.items).unwrap_or(1);
        view.gaps.add(facet, GapCode::NotRequested, items.max(1));
    }
}

fn repository(state: &State) -> Object<'static> {
    let mut out = Object::new();
    out.set_some("id", state.header.repository_id.known().copied());
    out.set("name", state.repository.path().to_owned());
    out
}

fn identity(state: &State, view: &mut View<'_>) -> Json<'static> {
    let mut out = Object::new();
    out.set("kind", state.kind.name()).set("number", state.number);
    out.set_some("id", id(state).known().copied());
    // `entity.json` has the same address, and its gap when it cannot be shown.
    out.set_some("url", state.header.url.known().filter(|url| view.fits(url)).cloned());
    Json::Object(out)
}

fn tombstones(state: &State, view: &mut View<'_>) -> Json<'static> {
    let shown: Vec<_> = state.tombstones.iter().filter(|gone| view.shows(gone.facet)).collect();
    Json::Array(shown.into_iter().map(|gone| tombstone(gone, view)).collect())
}

fn tombstone(gone: &Gone, view: &mut View<'_>) -> Json<'static> {
    let (author, created_at) = origin(&gone.item);
    let mut row = Object::new();
    row.set("facet", gone.facet.name());
    match &gone.item {
        Item::Event(event) => {
            row.set_some("id", view.structural(main_facet(gone.facet), &event.key).map(Json::into_owned))
        }
        item => match item.key().parse::<u64>() {
            Ok(id) => row.set("id", id),
            Err(_) => row.set("id", Id::of_text(&item.key()).map(|id| view.id(&id))),
        },
    };
    set_field(&mut row, "author", author, |actor| {
        let mut out = Object::new();
        out.set_some("id", actor.id).set("login", view.display(&actor.login).into_owned());
        Json::Object(out)
    });
    row.set_some("createdAt", created_at.map(|time| view.time(time)));
    Json::Object(row)
}

/// Who made an item and when.
fn origin(item: &Item) -> (&Field<Actor>, Option<Time>) {
    match item {
        Item::Comment(c) => (&c.author, c.created_at),
        Item::ReviewComment(c) => (&c.comment.author, c.comment.created_at),
        Item::Review(r) => (&r.author, r.submitted_at),
        Item::Event(e) => (&e.actor, e.created_at),
        Item::Reaction(r) => (&r.actor, r.created_at),
        Item::Thread(_) | Item::Check(_) | Item::File(_) | Item::Commit(_) | Item::Label(_) | Item::Member(_) => {
            (&Field::Unknown, None)
        }
    }
}

fn coverage_members(state: &State, view: &mut View<'_>) -> Object<'static> {
    let mut out = Object::new();
    for (facet, coverage) in &state.coverage {
        if view.shows(*facet) {
            out.set(facet.name(), coverage_json(coverage, view));
        }
    }
    out
}

fn coverage_json(coverage: &Coverage, view: &mut View<'_>) -> Json<'static> {
    let mut row = Object::new();
    row.set("state", coverage.state.name()).set("items", coverage.items);
    row.set("asOf", coverage.as_of.map(|time| view.time(time)));
    if let Some(since) = coverage.partial_since {
        row.set("partialSince", since.map(|time| view.time(time)));
    }
    Json::Object(row)
}

fn gaps_json(gaps: &Gaps) -> Json<'static> {
    let row = |gap: &Gap| {
        let mut row = Object::new();
        row.set("scope", gap.scope.name()).set("code", gap.code.name());
        row.set("usability", gap.code.usability().name()).set("count", gap.count);
        Json::Object(row)
    };
    Json::Array(gaps.iter().map(row).collect())
}
