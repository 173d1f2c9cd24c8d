//! How a document is taken apart into elements, and put together again (docs/format.md §3, "Elements and inputs").

mod content;
mod document;
mod holes;
mod plan;
mod stable;

pub use content::{Content, content, rebuild};
pub use document::Document;
pub use plan::{BadLook, LookAt, Split, split};
pub use stable::content_digest;
