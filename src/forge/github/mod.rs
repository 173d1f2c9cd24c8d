//! GitHub's REST dialect.

mod changes;
mod checks;
mod conversation;
mod events;
mod header;
mod looks;
mod normal;
mod owner;
pub(in crate::forge) mod read;
mod shape;
mod subject;

pub(in crate::forge) use changes::is_object_id;
pub use header::header;
pub(in crate::forge) use header::{every, label};
pub(in crate::forge) use looks::{SPLIT, looks};
pub use normal::{item, updated_at};
