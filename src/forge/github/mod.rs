//! GitHub's REST dialect.

mod changes;
mod checks;
mod conversation;
mod events;
mod header;
mod looks;
mod normal;
mod owner;
mod read;
mod shape;
mod subject;

pub use header::header;
pub(in crate::forge) use looks::{SPLIT, looks};
pub use normal::{item, updated_at};
