//! Reading members: what is of another type is as good as absent.

use crate::format::json::Json;
use crate::format::time::Time;

use super::facets::{Actor, Field, Item, Label, Noted};

pub(super) fn text<'v>(value: &'v Json<'_>, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Json::as_str)
}

pub(super) fn owned(value: &Json<'_>, name: &str) -> Option<String> {
    text(value, name).map(str::to_owned)
}

pub(super) fn number(value: &Json<'_>, name: &str) -> Option<u64> {
    value.get(name).and_then(Json::as_u64)
}

pub(super) fn time(value: &Json<'_>, name: &str) -> Option<Time> {
    text(value, name).and_then(|text| text.parse().ok())
}

pub(super) fn text_field(value: &Json<'_>, name: &str) -> Field<String> {
    field(value, name, |v| v.as_str().map(str::to_owned))
}

pub(super) fn number_field(value: &Json<'_>, name: &str) -> Field<u64> {
    field(value, name, |v| v.as_u64())
}

pub(super) fn bool_field(value: &Json<'_>, name: &str) -> Field<bool> {
    field(value, name, |v| v.as_bool())
}

pub(super) fn time_field(value: &Json<'_>, name: &str) -> Field<Time> {
    field(value, name, |v| v.as_str().and_then(|text| text.parse().ok()))
}

/// A member that may be absent, null or of a type.
pub(super) fn field<T>(value: &Json<'_>, name: &str, read: impl FnOnce(&Json<'_>) -> Option<T>) -> Field<T> {
    match value.get(name) {
        None => Field::Unknown,
        Some(Json::Null) => Field::Null,
        Some(present) => read(present).map_or(Field::Unknown, Field::Known),
    }
}

/// An account; `None` for null, which is what is left of a deleted one, and for what has no login.
pub(super) fn actor(value: &Json<'_>) -> Option<Actor> {
    Some(Actor {
        id: number(value, "id"),
        node_id: owned(value, "node_id"),
        login: owned(value, "login").filter(|login| !login.is_empty())?,
        account: owned(value, "type"),
    })
}

/// All items of a list; a list with an item that cannot be read is unknown as a whole, never shorter.
pub(super) fn every<T>(value: &Json<'_>, read: impl Fn(&Json<'_>) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

/// A label object, or a bare name.
pub(super) fn label(value: &Json<'_>) -> Option<Label> {
    if let Some(name) = value.as_str() {
        return Some(Label { id: None, name: name.to_owned(), color: None, description: Field::Unknown });
    }
    Some(Label {
        id: number(value, "id"),
        name: owned(value, "name")?,
        color: owned(value, "color"),
        description: field(value, "description", |text| text.as_str().map(str::to_owned)),
    })
}

/// An object id of git.
pub(super) fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// An item with the members whose words no mapping table lists.
pub(super) fn noted(item: Item) -> Noted<Item> {
    let odd = match &item {
        Item::Review(review) if review.state.is_none() => Some("state"),
        Item::Check(check) if check.status.is_none() => Some("status"),
        Item::File(file) if file.status.is_none() => Some("status"),
        _ => None,
    };
    Noted { value: item, odd: odd.into_iter().collect() }
}
