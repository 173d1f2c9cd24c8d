//! `state/actors.json`: what each account is called and may do now.

use crate::format::json::{Json, Object};

use super::Document;
use super::members::{Fault, Members, filled, text};
use super::text::is_structural_id;
use super::words::{AccountKind, Permission};

/// The accounts that the tree names by id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Actors(pub Vec<Actor>);

/// One account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// What names it for ever.
    pub id: String,
    /// What it is.
    pub kind: AccountKind,
    /// Its login, where that can be shown.
    pub login: Option<String>,
    /// What it may do; of a human `None` is not verified.
    pub role: Option<Permission>,
    /// Whether the forge was asked.
    pub role_verified: bool,
}

impl Document for Actors {
    fn to_json(&self) -> Json<'static> {
        let row = |actor: &Actor| {
            let mut row = Object::new();
            row.set("id", actor.id.clone()).set("kind", actor.kind.name()).set("login", actor.login.clone());
            row.set("role", actor.role.map(|role| role.name())).set("role_verified", actor.role_verified);
            Json::Object(row)
        };
        let mut out = Object::new();
        out.set("actors", self.0.iter().map(row).collect::<Vec<_>>());
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let rows = members.list("actors", Actor::from_json)?;
        members.end()?;
        Ok(Self(rows))
    }
}

impl Actor {
    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let read = Self {
            id: members.form("id", "expected an id", text(is_structural_id))?,
            kind: members.word("kind")?,
            login: members.nullable("login", "expected a login or null", text(filled))?,
            role: members.nullable("role", "expected a role or null", |word| word.parse().ok())?,
            role_verified: members.boolean("role_verified")?,
        };
        members.end()?;
        let fits = match (read.kind, read.role) {
            (AccountKind::Bot, role) => role == Some(Permission::Bot) && !read.role_verified,
            (AccountKind::Human, Some(Permission::Bot)) => false,
            (AccountKind::Human, role) => role.is_some() == read.role_verified,
        };
        if fits { Ok(read) } else { Err(Fault::new("role", "expected the role of a bot, a verified one, or null")) }
    }
}
