//! `state/threads.json`: which threads are settled, which are out of date.

use crate::format::digest::Digest;
use crate::format::json::{Json, Object};

use super::Document;
use super::members::{Fault, Members, text};
use super::text::is_structural_id;

/// The state of every thread that relations list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadStates(pub Vec<ThreadState>);

/// The state of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadState {
    /// The forge's id.
    pub id: String,
    /// What its order is named by.
    pub key: Digest,
    /// Whether it is settled, and by whom where the forge tells.
    pub resolved: Option<Option<String>>,
    /// Whether its lines are no longer in the diff.
    pub outdated: bool,
    /// Whether it is hidden, where a forge hides whole threads.
    pub minimized: Option<bool>,
}

impl Document for ThreadStates {
    fn to_json(&self) -> Json<'static> {
        let row = |state: &ThreadState| {
            let mut row = Object::new();
            row.set("id", state.id.clone()).set("thread_key", state.key.hex());
            row.set("resolved", state.resolved.is_some()).set("outdated", state.outdated);
            row.set_some("minimized", state.minimized);
            row.set_some("resolved_by_actor_id", state.resolved.clone());
            Json::Object(row)
        };
        let mut out = Object::new();
        out.set("threads", self.0.iter().map(row).collect::<Vec<_>>());
        Json::Object(out)
    }

    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let rows = members.list("threads", ThreadState::from_json)?;
        members.end()?;
        Ok(Self(rows))
    }
}

impl ThreadState {
    fn from_json(value: &Json<'_>) -> Result<Self, Fault> {
        let members = Members::of(value)?;
        let by = || members.nullable("resolved_by_actor_id", "expected an id or null", text(is_structural_id));
        let read = Self {
            id: members.form("id", "expected an id", text(is_structural_id))?,
            key: members.digest("thread_key")?,
            resolved: if members.boolean("resolved")? { Some(by()?) } else { None },
            outdated: members.boolean("outdated")?,
            minimized: if members.has("minimized") { Some(members.boolean("minimized")?) } else { None },
        };
        members.end()?;
        Ok(read)
    }
}
