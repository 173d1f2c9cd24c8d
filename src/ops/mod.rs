//! The verbs: `verb(…, &Options) -> Result<Report, Error>`; no verb knows another.

mod error;

pub use error::Error;
