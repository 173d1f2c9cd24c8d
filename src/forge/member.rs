//! Reading members of REST objects: what is of another type than the forge documents is unknown, and noted.

use std::cell::RefCell;

use super::facets::{Actor, Field, InvalidMetadata, Label, Noted};
use crate::format::json::Json;
use crate::format::time::Time;

pub(super) fn text<'v>(value: &'v Json<'_>, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Json::as_str)
}

pub(super) fn number(value: &Json<'_>, name: &str) -> Option<u64> {
    value.get(name).and_then(Json::as_u64)
}

pub(super) fn time(value: &Json<'_>, name: &str) -> Option<Time> {
    text(value, name).and_then(|text| text.parse().ok())
}

/// A payload, or a part of one, that keeps account of what cannot be read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'r> {
    value: &'r Json<'r>,
    /// The member of the payload that this part lies in.
    top: Option<&'static str>,
    odd: &'r RefCell<Vec<&'static str>>,
}

/// Reads a payload.
pub(super) fn noted<T>(
    value: &Json<'_>,
    read: impl FnOnce(Reader<'_>) -> Result<T, InvalidMetadata>,
) -> Result<Noted<T>, InvalidMetadata> {
    let odd = RefCell::default();
    let value = read(Reader { value, top: None, odd: &odd })?;
    Ok(Noted { value, odd: odd.into_inner() })
}

impl<'r> Reader<'r> {
    pub(super) fn value(self) -> &'r Json<'r> {
        self.value
    }

    /// Notes a member that says what the forge does not document.
    pub(super) fn note(self, name: &'static str) {
        let (mut odd, name) = (self.odd.borrow_mut(), self.top.unwrap_or(name));
        if !odd.contains(&name) {
            odd.push(name);
        }
    }

    /// A member that may be absent, null, or what `read` takes it for.
    pub(super) fn field<T>(self, name: &'static str, read: impl FnOnce(Self) -> Option<T>) -> Field<T> {
        match self.value.get(name) {
            None => Field::Unknown,
            Some(Json::Null) => Field::Null,
            Some(value) => {
                let found = read(Self { value, top: self.top.or(Some(name)), ..self });
                found.map_or_else(
                    || {
                        self.note(name);
                        Field::Unknown
                    },
                    Field::Known,
                )
            }
        }
    }

    /// The same where null says no more than absence.
    pub(super) fn get<T>(self, name: &'static str, read: impl FnOnce(Self) -> Option<T>) -> Option<T> {
        self.field(name, read).into_known()
    }

    /// An object.
    pub(super) fn below(self, name: &'static str) -> Option<Self> {
        self.get(name, |part| part.value.as_object().map(|_| part))
    }

    /// A word of a list; any other is noted.
    pub(super) fn word<T>(self, name: &'static str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.get(name, |part| part.value.as_str().and_then(read))
    }

    /// All items of the list that this is, or nothing when one of them cannot be read: never a shorter list.
    pub(super) fn every<T>(self, read: impl Fn(Self) -> Option<T>) -> Option<Vec<T>> {
        self.value.as_array()?.iter().map(|value| read(Self { value, ..self })).collect()
    }

    pub(super) fn text(self, name: &'static str) -> Option<String> {
        self.text_field(name).into_known()
    }

    /// The same without a copy.
    pub(super) fn str(self, name: &'static str) -> Option<&'r str> {
        self.get(name, |part| part.value.as_str())
    }

    /// A text that is empty where there is none.
    pub(super) fn filled(self, name: &'static str) -> Option<String> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// Whether a member is true.
    pub(super) fn is(self, name: &'static str) -> bool {
        self.bool_field(name) == Field::Known(true)
    }

    /// The text some members down.
    pub(super) fn text_at(self, path: &[&'static str]) -> Option<String> {
        match path {
            [] => None,
            [name] => self.text(name),
            [name, rest @ ..] => self.below(name)?.text_at(rest),
        }
    }

    pub(super) fn number(self, name: &'static str) -> Option<u64> {
        self.number_field(name).into_known()
    }

    pub(super) fn time(self, name: &'static str) -> Option<Time> {
        self.time_field(name).into_known()
    }

    pub(super) fn text_field(self, name: &'static str) -> Field<String> {
        self.field(name, |part| part.value.as_str().map(str::to_owned))
    }

    pub(super) fn number_field(self, name: &'static str) -> Field<u64> {
        self.field(name, |part| part.value.as_u64())
    }

    pub(super) fn bool_field(self, name: &'static str) -> Field<bool> {
        self.field(name, |part| part.value.as_bool())
    }

    pub(super) fn time_field(self, name: &'static str) -> Field<Time> {
        self.field(name, |part| part.value.as_str().and_then(|text| text.parse().ok()))
    }

    /// An account; null is what is left of a deleted one, and so is the account that GitHub shows in the place of all of them.
    pub(super) fn actor(self, name: &'static str) -> Field<Actor> {
        match self.field(name, actor) {
            Field::Known(actor) if actor.is_ghost() => Field::Null,
            told => told,
        }
    }
}

/// An account; `None` for what has no login.
pub(super) fn actor(part: Reader<'_>) -> Option<Actor> {
    Some(Actor {
        id: part.number("id"),
        node_id: part.text("node_id"),
        login: part.text("login").filter(|login| !login.is_empty())?,
        account: part.text("type"),
    })
}

impl Actor {
    /// Whether it is the account that GitHub gives what deleted accounts have left; nobody else can have the login.
    pub(super) fn is_ghost(&self) -> bool {
        self.login.eq_ignore_ascii_case("ghost")
    }
}

/// A label object. Forges document a bare name too.
pub(super) fn label(part: Reader<'_>) -> Option<Label> {
    if let Some(name) = part.value().as_str() {
        return Some(Label { id: None, name: name.to_owned(), color: Field::Unknown, description: Field::Unknown });
    }
    Some(Label {
        id: part.number("id"),
        name: part.text("name")?,
        color: part.text_field("color"),
        description: part.text_field("description"),
    })
}

/// An object id of git.
pub(super) fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
