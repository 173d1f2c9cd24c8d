//! The verbs: `verb(…, &Options) -> Result<Report, Error>`; no verb knows another.

mod error;
pub mod process;
pub mod sources_check;
pub mod sources_collect;
mod sources_decide;
mod sources_place;
mod sources_search;

pub use error::Error;
