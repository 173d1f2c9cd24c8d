//! Lists of what an issue or merge request links: what it closes, what closes it, what refers to it.

use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::collect::Collector;
use crate::forge::facets::{Field, Header, InvalidMetadata, Noted};
use crate::forge::member::noted;
use crate::forge::recognise::{Hints, Reason};
use crate::forge::resource::Resource;

use super::owner;

/// Whether a URL lists what an issue or merge request links.
pub(super) fn is_asked(hints: &Hints<'_>) -> bool {
    matches!(hints.url.map(|url| &url.target.resource), Some(Resource::Gitlab(resource)) if resource.linked().is_some())
}

/// Takes the list as a part of the record of what the URL names. Whatever is in it has a record of its own beside that. A page after the
/// first would stand in the place of the first.
pub(super) fn take(found: &mut Collector<'_>, hints: &Hints<'_>) {
    let is_first = hints.url.is_some_and(|url| url.query.page == 1);
    let taken = match owner::outside(hints) {
        Some(owner) if is_first => found.agrees(Facet::Header).map(|()| found.record(owner, "", &Json::Null, &[])),
        Some(_) => Err(Reason::FacetUnsupported),
        None => Err(Reason::EntityAmbiguous),
    };
    if let Err(reason) = taken {
        found.leave("", reason);
    }
}

/// Reads a list as the part of a record that it is.
pub(in crate::forge) fn header(part: &str, list: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    noted(list, |list| {
        let named = list.every(|item| item.text("web_url")).ok_or(InvalidMetadata { member: "web_url" })?;
        let named = Field::Known(named);
        Ok(match part {
            "closes-issues" => Header { closes: named, ..Header::default() },
            "closed-by" => Header { closers: named, ..Header::default() },
            "related-merge-requests" => Header { related: named, ..Header::default() },
            _ => return Err(InvalidMetadata { member: "item" }),
        })
    })
}
