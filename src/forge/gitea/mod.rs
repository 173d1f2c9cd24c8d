//! The REST dialect of Gitea and Forgejo. Its objects descend from GitHub's, and what is read alike is read by one code.

mod events;
mod looks;
mod normal;
mod owner;
mod shape;

pub(super) use looks::looks;
pub(super) use normal::{header, item};
pub(super) use shape::is_own;
