//! The verbs: `verb(…, &Options) -> Result<Report, Error>`; no verb knows another.

mod canon;
mod digest;
mod error;
mod plain;
mod words;

pub mod diff;
pub mod sums;
pub mod verify;

pub use canon::canon;
pub use digest::{digest, json_string_digest};
pub use error::Error;
