//! The name of a git object.

use std::fmt;
use std::str::FromStr;

use gix::ObjectId;

/// The name of a git object: SHA-1 or SHA-256 as its repository says, displayed in hex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub(super) ObjectId);

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.to_hex())
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not 40 or 64 lowercase hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an object name: expected 40 or 64 lowercase hex digits")]
pub struct NotAnOid;

impl FromStr for Oid {
    type Err = NotAnOid;

    fn from_str(text: &str) -> Result<Self, NotAnOid> {
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(NotAnOid);
        }
        ObjectId::from_hex(text.as_bytes()).map(Self).map_err(|_| NotAnOid)
    }
}
