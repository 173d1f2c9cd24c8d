//! Reading members of nodes. What is of another type is as good as absent.

use crate::forge::facets::{Actor, Field, Id};
use crate::forge::member::{number, text, time};
use crate::format::json::Json;
use crate::format::time::Time;

use super::node_id::number_of;

/// When the forge last changed a node, which orders looks at it.
pub fn updated_at(node: &Json<'_>) -> Option<Time> {
    time(node, "updatedAt")
}

/// The database id of a node: as it is told, else as it stands in its id. `kinds` are the types that the node may have.
pub(super) fn database_id(node: &Json<'_>, kinds: &[&str]) -> Option<u64> {
    let full = || text(node, "fullDatabaseId").and_then(crate::format::entity::parse_number);
    let of_node = || text(node, "id").and_then(|id| number_of(id, kinds));
    number(node, "databaseId").or_else(full).or_else(|| number(node, "fullDatabaseId")).or_else(of_node)
}

/// What names a node: its database id, else its id.
pub(super) fn id(node: &Json<'_>, kinds: &[&str]) -> Option<Id> {
    database_id(node, kinds)
        .map(Id::from)
        .or_else(|| text(node, "id").filter(|id| !id.is_empty()).and_then(Id::of_text))
}

/// The node's id as it is.
pub(super) fn node_id(node: &Json<'_>) -> Option<String> {
    owned(node, "id").filter(|id| !id.is_empty())
}

const USERS: [&str; 8] = ["U", "BOT", "O", "M", "User", "Bot", "Organization", "Mannequin"];

/// The types of account, which REST calls the same.
const ACCOUNTS: [&str; 4] = ["Bot", "Mannequin", "Organization", "User"];

/// An account, or its login alone. GraphQL names an app without the mark that REST puts behind its login, `gh` with a mark
/// of its own before it.
pub(in crate::forge) fn actor(value: &Json<'_>) -> Option<Actor> {
    let login = value.as_str().or_else(|| text(value, "login")).filter(|login| !login.is_empty())?;
    let (stem, of_gh) = login.strip_prefix("app/").map_or((login, false), |stem| (stem, true));
    let told = owned(value, "__typename").filter(|name| ACCOUNTS.contains(&name.as_str()));
    let account = told.or_else(|| match value.get("is_bot").and_then(Json::as_bool) {
        Some(true) => Some("Bot".to_owned()),
        Some(false) => Some("User".to_owned()),
        None => of_gh.then(|| "Bot".to_owned()),
    });
    let app = account.as_deref() == Some("Bot") && !stem.ends_with("[bot]");
    let login = if app { format!("{stem}[bot]") } else { stem.to_owned() };
    Some(Actor { id: database_id(value, &USERS), node_id: node_id(value), login, account })
}

/// An account; null when it is gone, for which `gh` writes an empty login.
pub(super) fn actor_field(value: &Json<'_>, name: &str) -> Field<Actor> {
    let nobody = |value: &Json<'_>| value.as_str().or_else(|| text(value, "login")) == Some("");
    if value.get(name).is_some_and(nobody) {
        return Field::Null;
    }
    match field(value, name, actor) {
        Field::Known(actor) if actor.is_ghost() => Field::Null,
        told => told,
    }
}

/// A word of an enumeration as REST writes it; `gh` writes an empty one for null.
pub(super) fn word(value: &Json<'_>, name: &str) -> Field<String> {
    let word = field(value, name, |v| v.as_str().map(str::to_ascii_lowercase));
    if word.known().is_some_and(String::is_empty) { Field::Null } else { word }
}

/// A time; `gh` writes the first moment of its calendar for null.
pub(super) fn time_field(value: &Json<'_>, name: &str) -> Field<Time> {
    if text(value, name) == Some("0001-01-01T00:00:00Z") {
        return Field::Null;
    }
    field(value, name, |v| v.as_str().and_then(|text| text.parse().ok()))
}

/// A body; `bodyText` and `bodyHTML` are made of it and do not tell it.
pub(super) fn body(value: &Json<'_>) -> Field<String> {
    field(value, "body", |v| v.as_str().map(str::to_owned))
}

/// A member that may be absent, null, or what `read` takes it for.
pub(super) fn field<T>(value: &Json<'_>, name: &str, read: impl FnOnce(&Json<'_>) -> Option<T>) -> Field<T> {
    match value.get(name) {
        None => Field::Unknown,
        Some(Json::Null) => Field::Null,
        Some(present) => read(present).map_or(Field::Unknown, Field::Known),
    }
}

pub(super) fn owned(value: &Json<'_>, name: &str) -> Option<String> {
    text(value, name).map(str::to_owned)
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
