//! `records/….md`: four lines that never change, an empty one, and the body as it may be shown.

use crate::format::json::{self, Json};

use super::stamp::Stamp;
use super::text::is_structural_id;
use super::words::RecordKind;

/// The bytes of a record: its header and a body that is empty or ends in one line feed.
pub fn record_file(kind: RecordKind, id: &str, author_id: Option<&str>, created_at: &Stamp, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 192);
    let values = [
        ("Fullsend-Record: ", Json::from(kind.name())),
        ("Source-ID: ", Json::from(id)),
        ("Author-ID: ", author_id.map_or(Json::Null, Json::from)),
        ("Created-At: ", Json::from(created_at.as_str())),
    ];
    for (name, value) in values {
        out.extend_from_slice(name.as_bytes());
        json::append(&value, &mut out);
        out.push(b'\n');
    }
    out.push(b'\n');
    out.extend_from_slice(body);
    out
}

/// A record file taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile<'b> {
    /// What it is.
    pub kind: RecordKind,
    /// The forge's id.
    pub id: String,
    /// The author's id.
    pub author_id: Option<String>,
    /// When it was made.
    pub created_at: Stamp,
    /// What comes after the header.
    pub body: &'b [u8],
}

impl<'b> RecordFile<'b> {
    /// Reads a record file; `None` unless its header has exactly the bytes that [`record_file`] writes.
    pub fn read(bytes: &'b [u8]) -> Option<Self> {
        let end = memchr::memmem::find(bytes, b"\n\n")?;
        let head = std::str::from_utf8(&bytes[..end]).ok()?;
        let [kind, id, author, created] = head.split('\n').collect::<Vec<_>>()[..] else { return None };
        let value = |line: &str, name: &str| -> Option<Json<'static>> {
            json::parse(line.strip_prefix(name)?.as_bytes()).ok().map(Json::into_owned)
        };
        let author = value(author, "Author-ID: ")?;
        let read = Self {
            kind: value(kind, "Fullsend-Record: ")?.as_str()?.parse().ok()?,
            id: value(id, "Source-ID: ")?.as_str().filter(|id| is_structural_id(id))?.to_owned(),
            author_id: author.as_str().filter(|id| is_structural_id(id)).map(str::to_owned),
            created_at: Stamp::read(value(created, "Created-At: ")?.as_str()?)?,
            body: &bytes[end + 2..],
        };
        let same = record_file(read.kind, &read.id, read.author_id.as_deref(), &read.created_at, read.body) == bytes;
        (same && read.kind != RecordKind::Check).then_some(read)
    }
}
