//! The normal form: what every forge's payload becomes before facts are folded.
//!
//! A field that a forge can be silent about has three states: known, known to be null, unknown.
//! `docs/format.md` has the mapping tables.

mod check;
mod header;
mod id;
mod items;
mod overlay;

pub(in crate::forge) use check::check_occasion;
pub use check::{Check, CheckOrigin, CheckStatus};
pub use header::{AutoMerge, Counts, Header, Side, State};
pub use id::Id;
pub(in crate::forge) use items::text_occasion;
pub(crate) use items::who;
pub use items::{
    Comment, Commit, Event, FileChange, Item, Member, Minimized, Place, Reaction, Resolution, Review, ReviewComment,
    ReviewState, Thread,
};
pub use overlay::Overlay;

/// A field with three states.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// The payload does not say.
    #[default]
    Unknown,
    /// The forge says that there is none.
    Null,
    /// The value.
    Known(T),
}

impl<T> Field<T> {
    /// The value when it is known and not null.
    pub fn known(&self) -> Option<&T> {
        if let Self::Known(value) = self { Some(value) } else { None }
    }

    /// The value when it is known and not null.
    pub fn into_known(self) -> Option<T> {
        if let Self::Known(value) = self { Some(value) } else { None }
    }
}

/// A normal form, and what of the payload is not in it although it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted<T> {
    /// The normal form.
    pub value: T,
    /// The members that are not what the forge documents, each once: what they say is unknown.
    pub odd: Vec<&'static str>,
}

impl<T> From<T> for Noted<T> {
    /// A normal form without fault.
    fn from(value: T) -> Self {
        Self { value, odd: Vec::new() }
    }
}

/// The type of an account of the forge that something was migrated from: it has no id here, and nobody here is that account.
pub const MIGRATED: &str = "Migrated";

/// An account as a payload shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Actor {
    /// The forge's database id.
    pub id: Option<u64>,
    /// The forge's opaque id.
    pub node_id: Option<String>,
    /// The login.
    pub login: String,
    /// The type in the forge's word: `User`, `Bot`, `Organization`, `Mannequin`.
    pub account: Option<String>,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The forge's database id.
    pub id: Option<u64>,
    /// The name.
    pub name: String,
    /// The colour, hex without `#`, where the forge tells it so; null when there is none.
    pub color: Field<String>,
    /// The description; null when there is none.
    pub description: Field<String>,
}

/// Why a payload has no normal form: the gap `invalid-metadata`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the member {member} is missing or not what the forge documents")]
pub struct InvalidMetadata {
    /// The member, dotted from the top of the item.
    pub member: &'static str,
}
