//! GitLab's REST dialect, version 4.

mod conversation;
mod events;
mod header;
mod looks;
mod normal;
mod owner;
mod resource;
mod shape;

pub(super) use header::account;
pub(super) use header::header;
pub(super) use looks::looks;
pub(super) use normal::items;
pub use resource::{Part, Resource};
pub(super) use shape::is_own;
