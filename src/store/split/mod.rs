//! How a document is taken apart into elements, and put together again (docs/format.md §3, "Elements and inputs").

mod branch;
mod content;
mod document;
mod holes;
mod plan;
mod stable;

pub use branch::{Branch, branch};
pub use content::{Content, content, digest_of_content, opaque, parts, rebuild};
pub use document::Document;
pub use plan::{BadLook, LookAt, Split, list_of_lists, split};
pub use stable::{content_digest, content_digest_of};
