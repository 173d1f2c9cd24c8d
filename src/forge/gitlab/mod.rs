//! GitLab's REST dialect, version 4.

mod conversation;
mod delivery;
mod events;
mod header;
mod hook;
mod linked;
mod looks;
mod normal;
mod owner;
mod resource;
mod shape;
mod title;

pub(super) use delivery::{Told, event as event_of_delivery, told as told_of_delivery};
pub(super) use header::header;
pub(super) use hook::{header as hook_header, items as hook_items, updated_at as hook_updated_at};
pub(super) use linked::header as linked_header;
pub(super) use looks::looks;
pub(super) use normal::items;
pub(crate) use resource::{LABEL_EVENTS, MILESTONE_EVENTS, STATE_EVENTS, SYSTEM_NOTES};
pub use resource::{Part, Resource};
pub(super) use shape::{is_delivery, is_own};
