//! The strict reader, and its lenient twin that notes breaches of the profile instead of stopping.

use std::borrow::Cow;
use std::collections::HashSet;

use super::cursor::Cursor;
use super::{Fault, FaultKind, Json, MAX_DEPTH, Number, Object};

/// Reads one document of our profile.
///
/// # Errors
/// A text that is not JSON is [`FaultKind::Invalid`] whatever else is wrong with it, at the first place where the grammar
/// is broken. Else the fault is the first breach of the profile in the text.
pub fn parse(bytes: &[u8]) -> Result<Json<'_>, Fault> {
    Reader::new(bytes, None)?.document().map_err(|fault| first_fault(bytes, fault))
}

/// The strict reader stops at the first breach that it is sure of, which says nothing about what follows. Slow, but only
/// for texts that are refused.
pub(super) fn first_fault(bytes: &[u8], fault: Fault) -> Fault {
    if !fault.kind.is_breach_of_profile() {
        return fault;
    }
    match parse_lenient(bytes) {
        Err(invalid) => invalid,
        Ok((_, breaches)) => breaches.into_iter().next().unwrap_or(fault),
    }
}

/// Reads one RFC 8259 document for viewing only, and lists the breaches of the profile in the order of the text. Of a name
/// that stands twice the last value is taken, half a surrogate pair becomes U+FFFD, a number is rounded, and what is too
/// deep or has no finite double is `null`.
///
/// # Errors
/// Only [`FaultKind::Invalid`].
pub fn parse_lenient(bytes: &[u8]) -> Result<(Json<'_>, Vec<Fault>), Fault> {
    let mut reader = Reader::new(bytes, Some(Vec::new()))?;
    let value = reader.document()?;
    let mut breaches = reader.breaches.unwrap_or_default();
    // Names that stand twice are known only at the end of their object.
    breaches.sort_by_key(|breach| breach.offset);
    Ok((value, breaches))
}

/// Builds values. Lenient when it has a list for breaches.
pub(super) struct Reader<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) depth: usize,
    breaches: Option<Vec<Fault>>,
    /// The items and members of the containers that are still open; a container takes its own from the end, all at once.
    items: Vec<Json<'a>>,
    members: Vec<(Cow<'a, str>, Json<'a>)>,
    /// Where the name of each of the members stands.
    places: Vec<usize>,
    /// The string that is being unescaped.
    unescaped: String,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], breaches: Option<Vec<Fault>>) -> Result<Self, Fault> {
        Ok(Self::at(Cursor::new(bytes)?, breaches))
    }

    fn at(cursor: Cursor<'a>, breaches: Option<Vec<Fault>>) -> Self {
        Self {
            cursor,
            depth: 0,
            breaches,
            items: Vec::new(),
            members: Vec::new(),
            places: Vec::new(),
            unescaped: String::new(),
        }
    }

    fn document(&mut self) -> Result<Json<'a>, Fault> {
        let value = self.value()?;
        self.cursor.expect_end()?;
        Ok(value)
    }

    pub(super) fn value(&mut self) -> Result<Json<'a>, Fault> {
        self.cursor.skip_space();
        match self.cursor.peek() {
            Some(b'"') => self.string().map(Json::String),
            Some(b'{' | b'[') if self.depth == MAX_DEPTH => self.too_deep(),
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Ok(self.cursor.literal()?.map_or(Json::Null, Json::Bool)),
        }
    }

    fn array(&mut self) -> Result<Json<'a>, Fault> {
        let first = self.items.len();
        self.open();
        if self.cursor.peek() != Some(b']') {
            loop {
                let item = self.value()?;
                self.items.push(item);
                if !self.comma() {
                    break;
                }
            }
        }
        self.close(b']')?;
        Ok(Json::Array(self.items.split_off(first)))
    }

    fn object(&mut self) -> Result<Json<'a>, Fault> {
        let first = self.members.len();
        self.open();
        if self.cursor.peek() != Some(b'}') {
            loop {
                self.cursor.skip_space();
                let at = self.cursor.at;
                let name = self.name()?;
                let value = self.value()?;
                self.members.push((name, value));
                self.places.push(at);
                if !self.comma() {
                    break;
                }
            }
        }
        self.close(b'}')?;
        let (object, repeated) = Object::from_members(self.members.split_off(first));
        if repeated {
            let places = self.places.split_off(first);
            self.repeated_names(&places)?;
        }
        self.places.truncate(first);
        Ok(Json::Object(object))
    }

    pub(super) fn open(&mut self) {
        self.depth += 1;
        self.cursor.advance();
        self.cursor.skip_space();
    }

    pub(super) fn close(&mut self, end: u8) -> Result<(), Fault> {
        self.depth -= 1;
        self.cursor.close(end)
    }

    /// Takes the comma between two values, if there is one.
    pub(super) fn comma(&mut self) -> bool {
        self.cursor.skip_space();
        let more = self.cursor.peek() == Some(b',');
        if more {
            self.cursor.advance();
        }
        more
    }

    /// Takes the name of a member and the colon.
    pub(super) fn name(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.cursor.skip_space();
        let name = self.string()?;
        self.cursor.skip_space();
        self.cursor.expect(b':', "expected a colon after the name")?;
        Ok(name)
    }

    /// A breach at each of these names that stood before in their object.
    fn repeated_names(&mut self, places: &[usize]) -> Result<(), Fault> {
        let mut seen = HashSet::new();
        for &at in places {
            let mut again = Reader::at(Cursor { text: self.cursor.text, at }, Some(Vec::new()));
            if !seen.insert(again.string()?) {
                self.breach(FaultKind::DuplicateKey, at, "an object names a member twice")?;
            }
        }
        Ok(())
    }

    fn too_deep(&mut self) -> Result<Json<'a>, Fault> {
        self.breach(FaultKind::TooDeep, self.cursor.at, "nested deeper than 128 levels")?;
        self.cursor.skip_value()?;
        Ok(Json::Null)
    }

    fn number(&mut self) -> Result<Json<'a>, Fault> {
        let start = self.cursor.at;
        let token = self.cursor.number()?;
        match Number::from_token(token) {
            Ok(number) => Ok(Json::Number(number)),
            Err((message, rounded)) => {
                self.breach(FaultKind::NumberOutOfRange, start, message)?;
                Ok(rounded.map_or(Json::Null, Json::Number))
            }
        }
    }

    /// Reads a string; text without escapes is borrowed.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.cursor.expect(b'"', "expected a string")?;
        let (run, mut end) = self.cursor.plain_run()?;
        if end == b'"' {
            self.cursor.advance();
            return Ok(Cow::Borrowed(run));
        }
        self.unescaped.clear();
        self.unescaped.push_str(run);
        while end == b'\\' {
            let character = self.escaped()?;
            self.unescaped.push(character);
            let run;
            (run, end) = self.cursor.plain_run()?;
            self.unescaped.push_str(run);
        }
        self.cursor.advance();
        Ok(Cow::Owned(self.unescaped.as_str().to_owned()))
    }

    /// Takes an escape, or two that are the halves of a surrogate pair.
    fn escaped(&mut self) -> Result<char, Fault> {
        let start = self.cursor.at;
        let first = self.cursor.escape()?;
        if let Some(plain) = char::from_u32(first) {
            return Ok(plain);
        }
        if self.cursor.rest().starts_with(b"\\u") {
            let second_at = self.cursor.at;
            let second = self.cursor.escape()?;
            let pair = [first as u16, second as u16];
            if let Some(Ok(joined)) = char::decode_utf16(pair).next() {
                return Ok(joined);
            }
            self.cursor.at = second_at;
        }
        self.breach(FaultKind::LoneSurrogate, start, "half of a surrogate pair")?;
        Ok(char::REPLACEMENT_CHARACTER)
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
