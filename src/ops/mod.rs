//! The verbs: `verb(…, &Options) -> Result<Report, Error>`; no verb knows another.

mod canon;
mod digest;
mod error;
mod plain;
mod sources_decide;
mod sources_place;
mod sources_search;
mod words;

pub mod diff;
pub mod process;
pub mod sources_check;
pub mod sources_collect;
pub mod sums;
pub mod verify;

pub use canon::canon;
pub use digest::{digest, json_string_digest};
pub use error::Error;
