//! From a payload of GitLab's REST API to looks.

use crate::format::facet::{Facet, Shape as FacetShape};
use crate::format::json::Json;

use crate::forge::collect::{Collector, Owner};
use crate::forge::dialect::Dialect;
use crate::forge::member::text;
use crate::forge::recognise::{Extent, Hints, Look, Reason, Recognised};
use crate::forge::resource::Resource;

use super::shape::{self, Shape, facet_of_note};
use super::{delivery, linked, owner};

/// What is split out of an issue or merge request, where the value is an object (format 1).
const SPLIT: [&str; 6] = ["/assignee", "/author", "/closed_by", "/head_pipeline", "/merge_user", "/merged_by"];

/// The facets of notes.
const OF_NOTES: [Facet; 3] = [Facet::Comments, Facet::ReviewComments, Facet::Timeline];

/// Recognises a payload.
pub(in crate::forge) fn looks(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    match view {
        Json::Array(items) => list(items, hints),
        Json::Object(_) => single(view, hints),
        _ => Recognised::nothing(Reason::ShapeUnknown),
    }
}

fn single(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    let mut found = Collector::new(Dialect::GitlabRest, hints);
    take(&mut found, "", view, hints);
    let overflow = view.get("overflow").and_then(Json::as_bool) != Some(false);
    // The files of `changes` are a list in an object; everything else of a single object is one item.
    found.finish(|look| match look.facet {
        Facet::Files if !overflow && view.get("changes").is_some() => Extent::Whole,
        _ => Extent::Part,
    })
}

fn list(items: &[Json<'_>], hints: &Hints<'_>) -> Recognised {
    let mut found = Collector::new(Dialect::GitlabRest, hints);
    let of_links = linked::is_asked(hints);
    if of_links {
        linked::take(&mut found, hints);
    }
    for (at, item) in items.iter().enumerate() {
        match owner::page(item) {
            // What is linked is another than what the URL names.
            None if of_links => found.leave(&format!("/{at}"), Reason::EntityAmbiguous),
            _ => take(&mut found, &format!("/{at}"), item, hints),
        }
    }
    let listed = listed_facets(items, hints);
    for facet in &listed {
        // What the list shows none of, it shows to be empty.
        let owner = found.agrees(*facet).and_then(|()| owner::of_set(*facet, None, hints));
        match owner.map(|owner| of_entries(owner, *facet, None, hints)) {
            // Which list of a timeline it is, the entries told.
            Ok(owner) if *facet == Facet::Timeline && owner.item.is_none() && !items.is_empty() => {}
            Ok(owner) => drop(found.set(&owner, *facet)),
            Err(reason) if items.is_empty() => found.leave("", reason),
            Err(_) => {}
        }
    }
    if items.is_empty() && listed.is_empty() && !of_links {
        return Recognised::nothing(Reason::of_empty(hints));
    }
    let notes = listed.contains(&Facet::Comments);
    found.finish(|look| extent(look, items, notes))
}

/// The facets that a list would show if it had items of them, as far as its URL or the caller tells.
fn listed_facets(items: &[Json<'_>], hints: &Hints<'_>) -> Vec<Facet> {
    if let Some(facet) = hints.facet.filter(|facet| facet.shape() == FacetShape::Set) {
        return vec![facet];
    }
    match hints.url.map(|url| &url.target.resource) {
        Some(Resource::Gitlab(resource)) => {
            let of_notes = OF_NOTES.into_iter().filter(|facet| resource.lists(*facet));
            let first = resource.facet().filter(|facet| items.is_empty() && facet.shape() == FacetShape::Set);
            let mut facets: Vec<_> = of_notes.collect();
            facets.extend(first.filter(|facet| !facets.contains(facet)));
            facets
        }
        _ => Vec::new(),
    }
}

/// Pipelines are never all checks. Of a timeline a list shows all of its own kind of entries, which has a set of its own.
fn extent(look: &Look, items: &[Json<'_>], notes: bool) -> Extent {
    match look.facet {
        Facet::Checks => Extent::Part,
        Facet::Comments | Facet::ReviewComments | Facet::Timeline if notes => Extent::Share(items.len()),
        _ if look.items().len() == items.len() => Extent::Whole,
        _ => Extent::Part,
    }
}

/// Whether the URL or the caller says that a list is one of checks.
fn lists_checks(hints: &Hints<'_>) -> bool {
    let of_url = hints.url.and_then(|url| url.target.resource.facet());
    hints.facet == Some(Facet::Checks) || of_url == Some(Facet::Checks)
}

fn take(found: &mut Collector<'_>, pointer: &str, value: &Json<'_>, hints: &Hints<'_>) {
    let shape = match shape::of(value) {
        Shape::Unknown | Shape::Unsupported if lists_checks(hints) && shape::is_bare_pipeline(value) => {
            Shape::Item(Facet::Checks)
        }
        shape => shape,
    };
    let taken = match shape {
        shape if hints.event.is_some() && shape != Shape::Delivery => Err(Reason::FacetMismatch),
        shape @ (Shape::Thread | Shape::Approvals | Shape::Project | Shape::User) => {
            record(found, pointer, shape, value, hints)
        }
        Shape::Note => item(found, pointer, facet_of_note(value), value, hints),
        Shape::Discussion => discussion(found, pointer, value, hints),
        Shape::Item(facet) => item(found, pointer, facet, value, hints),
        Shape::Error => Err(Reason::ForgeErrorBody),
        Shape::Unsupported => Err(Reason::FacetUnsupported),
        Shape::Delivery => delivery::take(found, pointer, value, hints),
        Shape::Unknown => Err(Reason::ShapeUnknown),
    };
    if let Err(reason) = taken {
        found.leave(pointer, reason);
    }
}

fn item(
    found: &mut Collector<'_>,
    pointer: &str,
    facet: Facet,
    value: &Json<'_>,
    hints: &Hints<'_>,
) -> Result<(), Reason> {
    found.agrees(facet)?;
    let owner = of_entries(owner::of_set(facet, Some(value), hints)?, facet, Some(value), hints);
    found.item(&owner, facet, pointer.to_owned());
    Ok(())
}

/// Entries of a timeline are in the set of their kind: that of the object, of an empty list that which its URL names.
fn of_entries(owner: Owner, facet: Facet, value: Option<&Json<'_>>, hints: &Hints<'_>) -> Owner {
    if facet != Facet::Timeline {
        return owner;
    }
    let asked = || match hints.url.map(|url| &url.target.resource) {
        Some(Resource::Gitlab(resource)) => resource.entries(),
        _ => None,
    };
    let item = value.map_or_else(asked, shape::entries_of).map(str::to_owned);
    Owner { item, ..owner }
}

/// A discussion is one item of every facet that a note of it belongs to.
fn discussion(found: &mut Collector<'_>, pointer: &str, value: &Json<'_>, hints: &Hints<'_>) -> Result<(), Reason> {
    let notes = value.get("notes").and_then(Json::as_array).unwrap_or_default();
    let first = notes.first().ok_or(Reason::ShapeUnknown)?;
    for facet in OF_NOTES {
        if notes.iter().any(|note| facet_of_note(note) == facet) {
            found.agrees(facet)?;
            let owner = owner::of_set(facet, Some(first), hints)?;
            found.item(&of_entries(owner, facet, Some(value), hints), facet, pointer.to_owned());
        }
    }
    Ok(())
}

fn record(
    found: &mut Collector<'_>,
    pointer: &str,
    shape: Shape,
    value: &Json<'_>,
    hints: &Hints<'_>,
) -> Result<(), Reason> {
    let changes = value.get("changes").and_then(Json::as_array).filter(|_| shape == Shape::Thread);
    if changes.is_none() || hints.facet != Some(Facet::Files) {
        found.agrees(Facet::Header)?;
    }
    let owner = owner::of_record(shape, value, hints)?;
    found.record(owner.clone(), pointer, value, if shape == Shape::Thread { &SPLIT } else { &[] });
    if let Some(changes) = changes {
        // `"1000+"` counts no further.
        found.total = text(value, "changes_count").and_then(|count| count.parse().ok());
        found.set(&owner, Facet::Files);
        for at in 0..changes.len() {
            found.item(&owner, Facet::Files, format!("{pointer}/changes/{at}"));
        }
    }
    Ok(())
}
