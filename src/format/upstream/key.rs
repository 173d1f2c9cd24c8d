//! Keys and the paths that are made of them. No text of a forge reaches a path.

use crate::format::digest::Digest;

use super::index::Source;
use super::stamp::{ENTITY_ORDER_KEY, Stamp};
use super::words::RecordKind;

impl Source {
    /// The key of a record: SHA-256 of the source, the repository, the kind and the id, joined by NUL.
    pub fn record_key(&self, kind: RecordKind, id: &str) -> Digest {
        self.key(kind.name(), id)
    }

    /// The key of a thread on the diff.
    pub fn thread_key(&self, id: &str) -> Digest {
        self.key("thread", id)
    }

    fn key(&self, kind: &str, id: &str) -> Digest {
        let text = format!("{}://{}\0{}\0{kind}\0{id}", self.forge.name(), self.host, self.repository_id);
        Digest::of(text.as_bytes())
    }
}

/// The file of the record of the entity, a comment or a review.
pub fn record_path(kind: RecordKind, created_at: &Stamp, key: &Digest) -> String {
    let order = if kind == RecordKind::Entity { ENTITY_ORDER_KEY.to_owned() } else { created_at.order_key() };
    format!("records/{order}-{}.md", key.hex())
}

/// The order of a thread.
pub fn thread_path(key: &Digest) -> String {
    format!("threads/{}.order", key.hex())
}

/// The order of a review with what came with it.
pub fn review_view_path(key: &Digest) -> String {
    format!("views/reviews/{}.order", key.hex())
}

/// The record and the log of a check.
pub fn check_paths(key: &Digest) -> (String, String) {
    (format!("checks/{}/metadata.json", key.hex()), format!("checks/{}/log.txt", key.hex()))
}
