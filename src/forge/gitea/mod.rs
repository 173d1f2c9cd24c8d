//! The REST dialect of Gitea and Forgejo. Its objects descend from GitHub's, and what is read alike is read by one code.

mod delivery;
mod events;
mod looks;
mod normal;
mod owner;
mod shape;

pub(super) use delivery::event as event_of_delivery;
pub(super) use looks::looks;
pub(super) use normal::{account, header, item};
pub(super) use shape::is_own;
