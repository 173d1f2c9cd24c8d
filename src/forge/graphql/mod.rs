//! GitHub's GraphQL dialect: nodes, connections, what `gh` prints of them, and dumps.

pub mod archive;

mod around;
mod connection;
mod errors;
mod events;
mod header;
mod items;
mod looks;
mod node_id;
mod read;
mod sets;
mod shape;
mod texts;

pub use around::repository_around;
pub use header::header;
pub use items::items;
pub(in crate::forge) use looks::looks;
pub(in crate::forge) use node_id::thread_id;
pub(super) use read::actor as account;
pub use read::updated_at;
