//! The record of an input that was not recognised and is kept all the same.

use super::digest::Digest;
use super::json::{self, Json, Object};
use super::time::Time;

/// The folder of these records in a store.
pub const FOLDER: &str = "unrecognised";

/// The schema name that every one of them carries.
pub const SCHEMA: &str = "git-docket.unrecognised";

/// An input that was not recognised: an element with its bytes as they were given, when it was looked at, and why it is no look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The bytes of the input, whose digest is that of the input too.
    pub element: Digest,
    /// When it was observed.
    pub observed_at: Time,
    /// Why it was not recognised.
    pub reason: String,
    /// The URL that it answered, when it is known.
    pub url: Option<String>,
}

impl Kept {
    /// The canonical bytes of the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Object::new();
        out.set("element", self.element.to_string()).set("format", 1_u64);
        out.set("observedAt", self.observed_at.to_string()).set("reason", self.reason.as_str()).set("schema", SCHEMA);
        out.set_some("url", self.url.as_deref());
        json::to_vec(&Json::Object(out))
    }

    /// Reads a record; `None` for anything but the canonical bytes of exactly these members.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let value = json::parse(bytes).ok()?;
        let text = |name: &str| value.get(name).and_then(Json::as_str);
        let record = Self {
            element: text("element")?.parse().ok()?,
            observed_at: text("observedAt")?.parse().ok()?,
            reason: text("reason")?.to_owned(),
            url: text("url").map(str::to_owned),
        };
        (record.to_bytes() == bytes).then_some(record)
    }

    /// The path of the record below the top of the store, given the digest of its bytes.
    pub fn path(&self, digest: &Digest) -> String {
        format!("{FOLDER}/{}-{}.json", self.observed_at.file_stamp(), &digest.hex()[..32])
    }
}
