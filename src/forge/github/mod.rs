//! GitHub's REST dialect.

mod changes;
mod checks;
mod conversation;
mod events;
mod header;
mod looks;
mod normal;
pub(in crate::forge) mod owner;
pub(in crate::forge) mod read;
mod shape;
pub(in crate::forge) mod subject;

pub use header::header;
pub(in crate::forge) use looks::{SPLIT, looks};
pub use normal::{item, updated_at};
