//! Reading a record as nearly all are spelled, in one pass over its canonical bytes: whoever checks a store reads one for
//! every other file of it.

use std::fmt::{self, Display, Write as _};

use super::{CHUNK, Input, Observation, Part, Parts, Seen};
use crate::format::digest::Digest;
use crate::format::entity::{Kind, Subject};
use crate::format::json;
use crate::format::time::Time;

/// A record of data whose bytes are exactly those that it is written with. `None` says nothing: there are others, with
/// escapes or without data, and what is wrong with one is for the patient reader to say.
pub(super) fn read<'a, S: From<&'a str>>(bytes: &'a [u8]) -> Option<Observation<S>> {
    let mut rest = Rest(std::str::from_utf8(bytes).ok()?);
    let completeness = rest.after("{\"completeness\":")?.text()?.parse().ok()?;
    let content = rest.after(",\"content\":")?.digest()?;
    let dialect = rest.after(",\"dialect\":")?.text()?.into();
    let facet = rest.after(",\"facet\":")?.text()?.parse().ok()?;
    let failed =
        rest.optional(",\"failed\":", |rest| rest.list(|rest| rest.text().map(S::from)).filter(|all| !all.is_empty()))?;
    let failed = failed.unwrap_or_default();
    let inputs = rest.after(",\"format\":1,\"inputs\":")?.list(Rest::input)?;
    let item = rest.optional(",\"item\":", Rest::text)?.map(S::from);
    let kind = rest.optional(",\"kind\":", |rest| Kind::from_name(rest.text()?))?;
    let time = rest.after(",\"observedAt\":")?.text()?;
    let observed_at: Time = time.parse().ok()?;
    let position = rest.optional(",\"position\":", Rest::number)?;
    let named = rest.after(",\"schema\":\"git-docket.observation\",\"subject\":")?.text()?;
    let subject: Subject = named.parse().ok()?;
    let whole = rest.0 == "}" && !inputs.is_empty() && is_spelled(&observed_at, time) && is_spelled(&subject, named);
    let seen = Seen::Data { completeness, content, inputs };
    whole.then_some(Observation { subject, kind, facet, item, observed_at, position, dialect, failed, seen })
}

/// What is not read yet.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn skip(&mut self, text: &str) -> bool {
        let after = self.0.strip_prefix(text);
        self.0 = after.unwrap_or(self.0);
        after.is_some()
    }

    fn after(&mut self, text: &str) -> Option<&mut Self> {
        self.skip(text).then_some(self)
    }

    /// A member that need not be there.
    fn optional<T>(&mut self, name: &str, value: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.skip(name) { value(self).map(Some) } else { Some(None) }
    }

    fn text(&mut self) -> Option<&'a str> {
        let rest = self.0.strip_prefix('"')?;
        let (text, rest) = rest.split_at(json::plain_prefix(rest.as_bytes()));
        self.0 = rest.strip_prefix('"')?;
        Some(text)
    }

    fn digest(&mut self) -> Option<Digest> {
        self.text()?.parse().ok()
    }

    fn number(&mut self) -> Option<u64> {
        let end = self.0.bytes().position(|byte| !byte.is_ascii_digit())?;
        let (digits, rest) = self.0.split_at(end);
        self.0 = rest;
        // Fifteen digits are surely within what a double holds.
        let plain = digits == "0" || (!digits.starts_with('0') && digits.len() <= 15);
        if plain { digits.parse().ok() } else { None }
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        self.after("[")?;
        if !self.skip("]") {
            items.push(item(self)?);
            while self.skip(",") {
                items.push(item(self)?);
            }
            self.after("]")?;
        }
        Some(items)
    }

    fn input<S: From<&'a str>>(&mut self) -> Option<Input<S>> {
        self.after("{")?;
        let chunks = self.optional("\"chunks\":", |rest| rest.list(Self::digest).filter(|_| rest.skip(",")))?;
        let container = self.optional("\"container\":", |rest| rest.digest().filter(|_| rest.skip(",")))?;
        let digest = self.after("\"digest\":")?.digest()?;
        let parts = match chunks {
            Some(chunks) => Parts::Chunked(chunks),
            None => Parts::Inline(self.after(",\"parts\":")?.list(Self::part).filter(|parts| parts.len() <= CHUNK)?),
        };
        let pointer = self.after(",\"pointer\":")?.text()?.into();
        let url = self.optional(",\"url\":", Self::text)?.map(S::from);
        let whole = self.optional(",\"whole\":", |rest| rest.list(Self::digest).filter(|all| !all.is_empty()))?;
        self.after("}")?;
        Some(Input { digest, container, pointer, parts, whole: whole.unwrap_or_default(), url })
    }

    /// A part that is not opaque.
    fn part<S: From<&'a str>>(&mut self) -> Option<Part<S>> {
        let at = self.after("[")?.text()?.into();
        let element = self.after(",")?.digest()?;
        self.after("]").map(|_| Part { at, element, opaque: None })
    }
}

/// Whether a value is written as the text that it was read from.
fn is_spelled(value: &dyn Display, text: &str) -> bool {
    struct Same<'t>(&'t str);
    impl fmt::Write for Same<'_> {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(piece).ok_or(fmt::Error)?;
            Ok(())
        }
    }
    let mut same = Same(text);
    write!(same, "{value}").is_ok() && same.0.is_empty()
}
