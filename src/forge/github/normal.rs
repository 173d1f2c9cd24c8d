//! From elements to normal forms.

use crate::format::facet::Facet;
use crate::format::json::Json;
use crate::format::time::Time;

use crate::forge::facets::{Header, InvalidMetadata, Item, Noted};

use super::dump::without_added_nulls;
use super::header::header;
use super::{changes, checks, conversation, events, members};
use crate::forge::member::{label, noted, time};

/// Reads a record that a client library wrote again.
pub(in crate::forge) fn archived_header(value: &Json<'_>) -> Result<Noted<Header>, InvalidMetadata> {
    header(&without_added_nulls(value))
}

/// Reads an item that a client library wrote again.
pub(in crate::forge) fn archived_item(facet: Facet, value: &Json<'_>) -> Result<Noted<Item>, InvalidMetadata> {
    item(facet, &without_added_nulls(value))
}

/// Reads an item of a set. Members that a payload lacks, older ones do, are unknown; what the forge
/// does not document is unknown too, and noted.
///
/// # Errors
/// [`InvalidMetadata`] names the member without which the item has no identity or no meaning.
pub fn item(facet: Facet, value: &Json<'_>) -> Result<Noted<Item>, InvalidMetadata> {
    noted(value, |part| {
        Ok(match facet {
            // A record and a text have no items.
            Facet::Header | Facet::Logs | Facet::Diff => return Err(InvalidMetadata { member: "facet" }),
            Facet::Threads => Item::Thread(conversation::thread(part)?.into()),
            Facet::Comments => Item::Comment(conversation::comment(part)?.into()),
            Facet::Reviews => Item::Review(conversation::review(part)?.into()),
            Facet::ReviewComments => Item::ReviewComment(conversation::review_comment(part)?.into()),
            Facet::Checks => Item::Check(checks::check(part)?.into()),
            Facet::Statuses => Item::Check(checks::status(part)?.into()),
            Facet::Files => Item::File(changes::file(part)?.into()),
            Facet::Commits => Item::Commit(changes::commit(part)?.into()),
            Facet::Timeline | Facet::Events => Item::Event(events::event(part)?.into()),
            Facet::Labels => Item::Label(label(part).ok_or(InvalidMetadata { member: "name" })?.into()),
            Facet::Reactions => Item::Reaction(events::reaction(part)?.into()),
            Facet::Members => Item::Member(members::member(part)?.into()),
        })
    })
}

/// When the forge last changed a record (an issue, pull request, repository or account), which orders looks at it.
pub fn updated_at(record: &Json<'_>) -> Option<Time> {
    time(record, "updated_at")
}
