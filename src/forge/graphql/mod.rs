//! GitHub's GraphQL dialect: nodes, connections, what `gh` prints of them, and dumps.

mod connection;
mod events;
mod header;
mod items;
mod looks;
mod node_id;
mod read;
mod sets;
mod shape;

pub use header::header;
pub use items::item;
pub(in crate::forge) use looks::looks;
pub use read::updated_at;
