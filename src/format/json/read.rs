//! The strict reader, and its lenient twin that notes breaches of the profile instead of stopping.

use std::borrow::Cow;
use std::ops::Range;

use super::{Fault, FaultKind, Json, MAX_DEPTH, Number, Object};

/// A breach of the profile that the lenient reader went past.
pub type Breach = Fault;

/// Reads one document of our profile.
///
/// # Errors
/// The first fault in the text, with its byte offset.
pub fn parse(bytes: &[u8]) -> Result<Json<'_>, Fault> {
    let mut reader = Reader::new(bytes, None)?;
    reader.document()
}

/// Reads one RFC 8259 document for viewing only: of a name that stands twice the last value is taken, half a surrogate
/// pair becomes U+FFFD, a number is rounded, what is too deep is `null`. Each such change is a breach.
///
/// # Errors
/// Only [`FaultKind::Invalid`].
pub fn parse_lenient(bytes: &[u8]) -> Result<(Json<'_>, Vec<Breach>), Fault> {
    let mut reader = Reader::new(bytes, Some(Vec::new()))?;
    let value = reader.document()?;
    Ok((value, reader.breaches.unwrap_or_default()))
}

/// The byte ranges of the documents in a text: one, or several that follow each other with or without
/// white space between (a single value, NDJSON and concatenated pages alike).
///
/// # Errors
/// [`FaultKind::Invalid`] at the first place that is not RFC 8259 JSON; an empty text has no document and is invalid too.
pub fn documents(bytes: &[u8]) -> Result<Vec<Range<usize>>, Fault> {
    let mut reader = Reader::new(bytes, None)?;
    let mut found = Vec::new();
    reader.skip_space();
    while reader.peek().is_some() || found.is_empty() {
        let start = reader.at;
        reader.skip_value()?;
        found.push(start..reader.at);
        reader.skip_space();
    }
    Ok(found)
}

/// The byte ranges of the items of a document that is an array; `None` for any other document.
///
/// # Errors
/// [`FaultKind::Invalid`] where the text is not RFC 8259 JSON.
pub fn items(bytes: &[u8]) -> Result<Option<Vec<Range<usize>>>, Fault> {
    let mut reader = Reader::new(bytes, None)?;
    reader.skip_space();
    if reader.peek() != Some(b'[') {
        return Ok(None);
    }
    reader.advance();
    let mut found = Vec::new();
    reader.skip_space();
    if reader.peek() == Some(b']') {
        return Ok(Some(found));
    }
    loop {
        reader.skip_space();
        let start = reader.at;
        reader.skip_value()?;
        found.push(start..reader.at);
        reader.skip_space();
        match reader.peek() {
            Some(b',') => reader.advance(),
            Some(b']') => return Ok(Some(found)),
            _ => return Err(reader.fault(FaultKind::Invalid, "expected a comma or the end of the array")),
        }
    }
}

/// A cursor over the text. Lenient when it has a list for breaches.
pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) at: usize,
    depth: usize,
    breaches: Option<Vec<Breach>>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], breaches: Option<Vec<Breach>>) -> Result<Self, Fault> {
        let text = std::str::from_utf8(bytes).map_err(|error| Fault {
            kind: FaultKind::Invalid,
            offset: error.valid_up_to(),
            message: "not UTF-8",
        })?;
        Ok(Self { text, at: 0, depth: 0, breaches })
    }

    fn document(&mut self) -> Result<Json<'a>, Fault> {
        let value = self.value()?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.fault(FaultKind::Invalid, "something follows the document")),
        }
    }

    fn value(&mut self) -> Result<Json<'a>, Fault> {
        self.skip_space();
        match self.peek() {
            Some(b'{' | b'[') if self.depth == MAX_DEPTH => self.too_deep(),
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Json::Number),
            _ => self.literal(),
        }
    }

    fn array(&mut self) -> Result<Json<'a>, Fault> {
        self.open();
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() != Some(b']') {
            loop {
                items.push(self.value()?);
                self.skip_space();
                if self.peek() != Some(b',') {
                    break;
                }
                self.advance();
            }
        }
        self.expect(b']', "expected a comma or the end of the array")?;
        self.depth -= 1;
        Ok(Json::Array(items))
    }

    fn object(&mut self) -> Result<Json<'a>, Fault> {
        let start = self.at;
        self.open();
        let mut members = Vec::new();
        self.skip_space();
        if self.peek() != Some(b'}') {
            loop {
                self.skip_space();
                let name = self.string()?;
                self.skip_space();
                self.expect(b':', "expected a colon after the name")?;
                members.push((name, self.value()?));
                self.skip_space();
                if self.peek() != Some(b',') {
                    break;
                }
                self.advance();
            }
        }
        self.expect(b'}', "expected a comma or the end of the object")?;
        self.depth -= 1;
        let (object, twice) = Object::from_members(members);
        if twice.is_some() {
            self.breach(FaultKind::DuplicateKey, start, "an object names a member twice")?;
        }
        Ok(Json::Object(object))
    }

    fn open(&mut self) {
        self.depth += 1;
        self.advance();
    }

    fn too_deep(&mut self) -> Result<Json<'a>, Fault> {
        self.breach(FaultKind::TooDeep, self.at, "nested deeper than 128 levels")?;
        self.skip_value()?;
        Ok(Json::Null)
    }

    fn number(&mut self) -> Result<Number, Fault> {
        let start = self.at;
        let token = self.number_token()?;
        Number::from_token(token, start).or_else(|fault| {
            self.breach(fault.kind, start, fault.message)?;
            Ok(token.parse().ok().and_then(Number::new).unwrap_or(Number::from(0)))
        })
    }

    /// Takes a token of the RFC 8259 number grammar.
    pub(super) fn number_token(&mut self) -> Result<&'a str, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.advance();
        }
        match self.peek() {
            Some(b'0') => self.advance(),
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.advance();
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.advance();
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.advance();
            }
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.fault(FaultKind::Invalid, "expected a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.advance();
        }
        Ok(())
    }

    /// Takes `true`, `false` or `null`.
    pub(super) fn literal(&mut self) -> Result<Json<'a>, Fault> {
        let rest = &self.text.as_bytes()[self.at..];
        let (value, length) = match rest {
            [b't', b'r', b'u', b'e', ..] => (Json::Bool(true), 4),
            [b'f', b'a', b'l', b's', b'e', ..] => (Json::Bool(false), 5),
            [b'n', b'u', b'l', b'l', ..] => (Json::Null, 4),
            [] => return Err(self.fault(FaultKind::Invalid, "the text ends where a value is expected")),
            _ => return Err(self.fault(FaultKind::Invalid, "expected a value")),
        };
        self.at += length;
        Ok(value)
    }

    /// Reads a string; text without escapes is borrowed.
    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.expect(b'"', "expected a string")?;
        let start = self.at;
        self.plain_run();
        if self.peek() == Some(b'"') {
            let text = &self.text[start..self.at];
            self.advance();
            return Ok(Cow::Borrowed(text));
        }
        let mut text = String::from(&self.text[start..self.at]);
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.advance();
                    return Ok(Cow::Owned(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.fault(FaultKind::Invalid, "a control character stands in a string")),
                None => return Err(self.fault(FaultKind::Invalid, "the text ends inside a string")),
            }
            let run = self.at;
            self.plain_run();
            text.push_str(&self.text[run..self.at]);
        }
    }

    /// Steps over a string, checking its grammar only.
    pub(super) fn skip_string(&mut self) -> Result<(), Fault> {
        self.expect(b'"', "expected a string")?;
        loop {
            self.plain_run();
            match self.peek() {
                Some(b'"') => {
                    self.advance();
                    return Ok(());
                }
                Some(b'\\') => {
                    self.escape_unit()?;
                }
                Some(_) => return Err(self.fault(FaultKind::Invalid, "a control character stands in a string")),
                None => return Err(self.fault(FaultKind::Invalid, "the text ends inside a string")),
            }
        }
    }

    /// Moves over bytes that stand for themselves.
    fn plain_run(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let run = rest.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\');
        self.at += run.unwrap_or(rest.len());
    }

    /// Reads an escape, joining the two halves of a surrogate pair.
    fn escape(&mut self) -> Result<char, Fault> {
        let start = self.at;
        let first = self.escape_unit()?;
        if let Some(plain) = char::from_u32(first) {
            return Ok(plain);
        }
        let pair = (first < 0xdc00 && self.text.as_bytes()[self.at..].starts_with(b"\\u")).then_some(self.at);
        if let Some(second_at) = pair {
            let second = self.escape_unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = second_at;
        }
        self.breach(FaultKind::LoneSurrogate, start, "half of a surrogate pair")?;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    /// Reads one escape as a UTF-16 code unit.
    fn escape_unit(&mut self) -> Result<u32, Fault> {
        self.advance();
        let unit = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => u32::from(byte),
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => 0x0a,
            Some(b'r') => 0x0d,
            Some(b't') => 0x09,
            Some(b'u') => return self.hex_unit(),
            _ => return Err(self.fault(FaultKind::Invalid, "not an escape of JSON")),
        };
        self.advance();
        Ok(unit)
    }

    fn hex_unit(&mut self) -> Result<u32, Fault> {
        let digits = self.text.as_bytes().get(self.at + 1..self.at + 5).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else {
            return Err(self.fault(FaultKind::Invalid, "expected four hex digits"));
        };
        let unit = digits.iter().fold(0, |sum, &d| sum * 16 + char::from(d).to_digit(16).unwrap_or(0));
        self.at += 5;
        Ok(unit)
    }

    pub(super) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    pub(super) fn expect(&mut self, byte: u8, message: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(self.fault(FaultKind::Invalid, message));
        }
        self.advance();
        Ok(())
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn fault(&self, kind: FaultKind, message: &'static str) -> Fault {
        Fault { kind, offset: self.at, message }
    }

    /// Notes a breach of the profile, or stops at it when the reader is strict.
    fn breach(&mut self, kind: FaultKind, offset: usize, message: &'static str) -> Result<(), Fault> {
        let fault = Fault { kind, offset, message };
        match &mut self.breaches {
            Some(list) => {
                list.push(fault);
                Ok(())
            }
            None => Err(fault),
        }
    }
}
