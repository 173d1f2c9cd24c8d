//! An entity as the caller named it.

use crate::format::entity::{Kind, Subject};

/// An entity as the caller named it; the short form does not say whether it is an issue or a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What facts are filed under.
    pub subject: Subject,
    /// The kind that the caller named.
    pub kind: Option<Kind>,
}
