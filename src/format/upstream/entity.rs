//! `entity/metadata.json`: what the forge says of the entity besides its body.

use crate::format::json::{Json, Object};

use super::Document;
use super::members::{Fault, Members, filled, text};
use super::stamp::Stamp;
use super::text::is_structural_id;
use super::words::{Kind, State};

/// What the forge says of the entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// What it is.
    pub kind: Kind,
    /// What names it for ever.
    pub id: String,
    /// What people call it by.
    pub number: u64,
    /// The title, which is not empty.
    pub title: String,
    /// Its state.
    pub state: State,
    /// The author's id.
    pub author_id: Option<String>,
    /// The author's login.
    pub author: Option<String>,
    /// When it was made.
    pub created_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
    /// Labels by the bytes of their names.
    pub labels: Vec<String>,
}

impl Document for Entity {
    fn to_json(&self) -> Json<'static> {
        let mut out = Object::new();
        out.set("kind", self.kind.name()).set("id", self.id.clone()).set("number", self.number);
        out.set("title", self.title.clone()).set("state", self.state.name());
        out.set("author_id", self.author_id.clone()).set("author", self.author.clone());
        out.set("created_at", self.created_at.as_str().to_owned());
        out.set("updated_at", self.updated_at.as_str().to_owned());
        out.set("labels", self.labels.clone());
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let read = Self {
            kind: members.word("kind")?,
            id: members.form("id", "expected an id", text(is_structural_id))?,
            number: members.number("number", 1)?,
            title: members.form("title", "expected a text that is not empty", text(filled))?,
            state: members.word("state")?,
            author_id: members.nullable("author_id", "expected an id or null", text(is_structural_id))?,
            author: members.nullable("author", "expected a login or null", text(filled))?,
            created_at: members.stamp("created_at")?,
            updated_at: members.stamp("updated_at")?,
            labels: members.texts("labels", "expected a text that is not empty", text(filled))?,
        };
        members.end()?;
        if read.kind == Kind::WorkItem && read.state == State::Merged {
            return Err(Fault::new("state", "a work item is not merged"));
        }
        Ok(read)
    }
}
