//! From a payload of Gitea's or Forgejo's REST API to looks.

use crate::format::entity::Forge;
use crate::format::facet::{Facet, Shape as FacetShape};
use crate::format::json::Json;

use crate::forge::collect::Collector;
use crate::forge::dialect::Dialect;
use crate::forge::github::SPLIT;
use crate::forge::recognise::{Extent, Hints, Reason, Recognised};

use super::shape::{self, Shape};
use super::{delivery, owner};

/// Recognises a payload.
pub(in crate::forge) fn looks(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    match view {
        Json::Array(items) => list("", items, None, hints),
        // A list without items is `null` in several answers.
        Json::Null => list("", &[], None, hints),
        Json::Object(_) => {
            let combined = view.get("total_count").and_then(|_| view.get("statuses"));
            match combined {
                Some(statuses) => {
                    list("/statuses", statuses.as_array().unwrap_or_default(), Some(Facet::Statuses), hints)
                }
                None => single(view, hints),
            }
        }
        _ => Recognised::nothing(Reason::ShapeUnknown),
    }
}

fn single(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    let mut found = Collector::new(Dialect::rest_of(Forge::Gitea), hints);
    take(&mut found, "", view, hints);
    found.finish(|_| Extent::Part)
}

/// A list; `selection` is its facet when it leaves something out by its nature: the last status of each context.
fn list(base: &str, items: &[Json<'_>], selection: Option<Facet>, hints: &Hints<'_>) -> Recognised {
    let mut found = Collector::new(Dialect::rest_of(Forge::Gitea), hints);
    if items.is_empty() {
        // Its list of collaborators tells no roles and leaves out the owner, so that an empty one says nothing of members.
        let of_url = hints.url.and_then(|url| url.target.resource.facet()).filter(|facet| *facet != Facet::Members);
        let facet = selection.or(hints.facet).or(of_url).filter(|facet| facet.shape() == FacetShape::Set);
        let owner = facet.ok_or(Reason::of_empty(hints)).and_then(|facet| {
            found.agrees(facet)?;
            Ok((facet, owner::of_set(facet, None, hints)?))
        });
        match owner {
            Ok((facet, owner)) => drop(found.set(&owner, facet)),
            Err(reason) => return Recognised::nothing(reason),
        }
    }
    for (at, item) in items.iter().enumerate() {
        take(&mut found, &format!("{base}/{at}"), item, hints);
    }
    let whole = selection.is_none();
    found.finish(|look| if whole && look.items().len() == items.len() { Extent::Whole } else { Extent::Part })
}

fn take(found: &mut Collector<'_>, pointer: &str, value: &Json<'_>, hints: &Hints<'_>) {
    take_as(found, pointer, shape::of(value), value, hints);
}

/// Takes what an object shows that is of a shape.
pub(super) fn take_as(found: &mut Collector<'_>, pointer: &str, shape: Shape, value: &Json<'_>, hints: &Hints<'_>) {
    let is_called_delivery = hints.event.is_some() && found.told.is_none();
    let taken = match shape {
        shape if shape == Shape::Delivery || is_called_delivery => delivery::take(found, pointer, value, hints),
        shape @ (Shape::Thread | Shape::Repository | Shape::Profile) => record(found, pointer, shape, value, hints),
        Shape::Item(facet) => found.agrees(facet).and_then(|()| {
            let owner = found.delivered.clone().map_or_else(|| owner::of_set(facet, Some(value), hints), Ok)?;
            found.item(&owner, facet, pointer.to_owned());
            Ok(())
        }),
        Shape::Error => Err(Reason::ForgeErrorBody),
        Shape::Unsupported | Shape::Delivery => Err(Reason::FacetUnsupported),
        Shape::Unknown => Err(Reason::ShapeUnknown),
    };
    if let Err(reason) = taken {
        found.leave(pointer, reason);
    }
}

fn record(
    found: &mut Collector<'_>,
    pointer: &str,
    shape: Shape,
    value: &Json<'_>,
    hints: &Hints<'_>,
) -> Result<(), Reason> {
    found.agrees(Facet::Header)?;
    let delivered = found.delivered.clone().filter(|_| shape == Shape::Thread);
    let owner = delivered.map_or_else(|| owner::of_record(shape, value, hints), Ok)?;
    found.record(owner, pointer, value, if shape == Shape::Thread { &SPLIT } else { &[] });
    Ok(())
}
