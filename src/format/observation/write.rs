//! Writing a record: its canonical bytes.

use super::{Input, Observation, Part, Parts, SCHEMA, Seen};
use crate::format::digest::Digest;
use crate::format::json;

impl Observation {
    /// The canonical bytes of the record. Members are written in their order, without values in between: a store has as
    /// many records as it has files, and reading one compares it with these bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write(Some(&self.observed_at.to_string()))
    }

    /// The digest of what the record says besides when the look was made: what orders looks that nothing else does, so that the
    /// same looks made at another time are in the same order.
    pub fn timeless_digest(&self) -> Digest {
        Digest::of(&self.write(None))
    }

    fn write(&self, observed_at: Option<&str>) -> Vec<u8> {
        let mut out = Vec::with_capacity(2048);
        let mut members = Members::begin(&mut out);
        if let Seen::Data { completeness, content, .. } = &self.seen {
            members.text("completeness", completeness.name());
            members.digest("content", content);
        }
        members.text("dialect", &self.dialect);
        members.text("facet", self.facet.name());
        if !self.failed.is_empty() {
            members.list("failed", &self.failed, |pointer, out| json::append_text(pointer, out));
        }
        members.raw("format", b"1");
        if let Seen::Data { inputs, .. } = &self.seen {
            members.list("inputs", inputs, Input::append);
        }
        if let Some(item) = &self.item {
            members.text("item", item);
        }
        if let Some(kind) = self.kind {
            members.text("kind", kind.name());
        }
        if let Some(time) = observed_at {
            members.text("observedAt", time);
        }
        if let Some(position) = self.position {
            members.raw("position", position.to_string().as_bytes());
        }
        members.text("schema", SCHEMA);
        members.text("subject", &self.subject.to_string());
        if let Seen::Unavailable { status, url } = &self.seen {
            let mut seen = Members::begin(members.name("unavailable"));
            seen.raw("status", status.to_string().as_bytes());
            if let Some(url) = url {
                seen.text("url", url);
            }
            seen.end();
        }
        members.end();
        out
    }
}

impl Input {
    fn append(&self, out: &mut Vec<u8>) {
        let mut members = Members::begin(out);
        if let Parts::Chunked(chunks) = &self.parts {
            members.list("chunks", chunks, append_digest);
        }
        if let Some(container) = &self.container {
            members.digest("container", container);
        }
        members.digest("digest", &self.digest);
        if let Parts::Inline(parts) = &self.parts {
            members.list("parts", parts, Part::append);
        }
        members.text("pointer", &self.pointer);
        if let Some(url) = &self.url {
            members.text("url", url);
        }
        if !self.whole.is_empty() {
            members.list("whole", &self.whole, append_digest);
        }
        members.end();
    }
}

impl Part {
    fn append(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        json::append_text(&self.at, out);
        out.push(b',');
        append_digest(&self.element, out);
        if let Some(opaque) = &self.opaque {
            out.push(b',');
            json::append_text(opaque, out);
        }
        out.push(b']');
    }
}

/// The canonical bytes of a list of parts, as a chunk element has them: `[[pointer, digest] | [pointer, digest, code], …]`.
pub fn parts_to_bytes(parts: &[Part]) -> Vec<u8> {
    let mut out = Vec::new();
    json::append_list(parts, Part::append, &mut out);
    out
}

/// The members of an object, written in the order of their names, which is the caller's to keep.
struct Members<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl<'o> Members<'o> {
    fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        json::append_text(name, self.out);
        self.out.push(b':');
        self.out
    }

    fn text(&mut self, name: &str, text: &str) {
        json::append_text(text, self.name(name));
    }

    fn raw(&mut self, name: &str, bytes: &[u8]) {
        self.name(name).extend_from_slice(bytes);
    }

    fn digest(&mut self, name: &str, digest: &Digest) {
        append_digest(digest, self.name(name));
    }

    fn list<T>(&mut self, name: &str, items: &[T], append: fn(&T, &mut Vec<u8>)) {
        json::append_list(items, append, self.name(name));
    }

    fn end(self) {
        self.out.push(b'}');
    }
}

fn append_digest(digest: &Digest, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"sha256:");
    out.extend_from_slice(&digest.hex_digits());
    out.push(b'"');
}
