//! From elements to normal forms.

use crate::format::facet::Facet;
use crate::format::json::Json;
use crate::format::time::Time;

use crate::forge::facets::{InvalidMetadata, Item};

use super::header::label;
use super::{changes, checks, conversation, events};

/// Reads an item of a set. Members that a payload lacks, older ones do, are unknown; words that the mapping table does not list
/// are never guessed at.
///
/// # Errors
/// [`InvalidMetadata`] names the member without which the item has no identity or no meaning.
pub fn item(facet: Facet, value: &Json<'_>) -> Result<Item, InvalidMetadata> {
    Ok(match facet {
        // A header is a record: it has no items.
        // A thread has no object of its own here: its comments name one another.
        Facet::Header | Facet::Threads => return Err(InvalidMetadata { member: "facet" }),
        Facet::Comments => Item::Comment(conversation::comment(value)?),
        Facet::Reviews => Item::Review(conversation::review(value)?),
        Facet::ReviewComments => Item::ReviewComment(conversation::review_comment(value)?),
        Facet::Checks => Item::Check(checks::run(value)?),
        Facet::Statuses => Item::Check(checks::status(value)?),
        Facet::Files => Item::File(changes::file(value)?),
        Facet::Commits => Item::Commit(changes::commit(value)?),
        Facet::Timeline | Facet::Events => Item::Event(events::event(value)?),
        Facet::Labels => Item::Label(label(value).ok_or(InvalidMetadata { member: "name" })?),
        Facet::Reactions => Item::Reaction(events::reaction(value)?),
    })
}

/// When the forge last changed a record (an issue, pull request, repository or account), which orders looks at it.
pub fn updated_at(record: &Json<'_>) -> Option<Time> {
    super::read::time(record, "updated_at")
}
