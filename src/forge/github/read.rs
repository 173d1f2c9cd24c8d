//! Reading members: what is of another type is as good as absent.

use crate::format::json::Json;
use crate::format::time::Time;

use crate::forge::facets::{Actor, Field, field};

pub(in crate::forge) fn text<'v>(value: &'v Json<'_>, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Json::as_str)
}

pub(in crate::forge) fn owned(value: &Json<'_>, name: &str) -> Option<String> {
    text(value, name).map(str::to_owned)
}

pub(in crate::forge) fn number(value: &Json<'_>, name: &str) -> Option<u64> {
    value.get(name).and_then(Json::as_u64)
}

pub(in crate::forge) fn time(value: &Json<'_>, name: &str) -> Option<Time> {
    text(value, name).and_then(|text| text.parse().ok())
}

pub(in crate::forge) fn text_field(value: &Json<'_>, name: &str) -> Field<String> {
    field(value, name, |v| v.as_str().map(str::to_owned))
}

pub(in crate::forge) fn number_field(value: &Json<'_>, name: &str) -> Field<u64> {
    field(value, name, |v| v.as_u64())
}

pub(in crate::forge) fn bool_field(value: &Json<'_>, name: &str) -> Field<bool> {
    field(value, name, |v| v.as_bool())
}

pub(in crate::forge) fn time_field(value: &Json<'_>, name: &str) -> Field<Time> {
    field(value, name, |v| v.as_str().and_then(|text| text.parse().ok()))
}

pub(in crate::forge) fn actor_field(value: &Json<'_>, name: &str) -> Field<Actor> {
    field(value, name, actor)
}

/// An account; `None` for null, which is what is left of a deleted one, and for what has no login.
pub(in crate::forge) fn actor(value: &Json<'_>) -> Option<Actor> {
    Some(Actor {
        id: number(value, "id"),
        node_id: owned(value, "node_id"),
        login: owned(value, "login").filter(|login| !login.is_empty())?,
        account: owned(value, "type"),
    })
}
