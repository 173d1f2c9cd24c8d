//! GitHub's REST dialect.

mod changes;
mod checks;
mod conversation;
mod delivery;
mod events;
mod header;
mod looks;
mod normal;
mod owner;
mod read;
mod shape;
mod subject;

pub(in crate::forge) use delivery::event as event_of_delivery;
pub use header::header;
pub(in crate::forge) use looks::looks;
pub use normal::{item, updated_at};
