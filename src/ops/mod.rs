//! The verbs: `verb(…, &Options) -> Result<Report, Error>`; no verb knows another.

mod canon;
mod commit;
mod cross;
mod digest;
mod error;
pub mod event;
mod explain;
mod filing;
mod load;
mod lost;
mod plain;
mod target;
mod words;

pub mod clean;
pub mod diff;
pub mod init;
pub mod observe;
pub mod place;
pub mod process;
pub mod rebuild;
pub mod runner;
pub mod scavenge;
pub mod show;
pub mod snapshot;
pub mod sources;
pub mod stage;
pub mod sums;
pub mod verify;
pub mod wanted;
pub mod wrap;

pub use canon::canon;
pub use digest::{digest, json_string_digest};
pub use error::Error;
pub use plain::plain;
