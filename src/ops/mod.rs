//! The verbs: `verb(…, &Options) -> Result<Report, Error>`; no verb knows another.

mod error;
mod plain;
mod words;

pub mod diff;
pub mod sums;
pub mod verify;

pub use error::Error;
