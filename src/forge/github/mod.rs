//! GitHub's REST dialect.

mod changes;
mod checks;
mod conversation;
mod delivery;
mod dump;
mod events;
mod header;
mod looks;
mod members;
mod normal;
pub(in crate::forge) mod owner;
mod shape;
pub(in crate::forge) mod subject;

pub(in crate::forge) use delivery::event as event_of_delivery;
pub use header::header;
pub(in crate::forge) use looks::{SPLIT, looks};
pub(in crate::forge) use normal::{archived_header, archived_item};
pub use normal::{item, updated_at};
