//! A document that is an object, read piece by piece from a stream: each item of the lists in it by itself, each other member whole.
//!
//! Where a piece ends is told by its brackets and quotation marks alone; what stands in it is for the reader of values to check.
//! So nothing is sure of a document before each of its pieces was read.

use std::io::{self, Read};

use memchr::memchr2;

use super::read::Reader;
use super::{Fault, FaultKind, Json};

/// How much is read at once.
const BLOCK: usize = 1 << 20;

/// What comes next in a document.
#[derive(Debug, PartialEq)]
pub enum Piece<'b> {
    /// A member that is a list; its items follow, then [`Piece::End`].
    List {
        /// The name.
        name: String,
        /// Where its bracket stands, in bytes from the start of the stream.
        at: u64,
    },
    /// A member that is no list, as it stands there.
    Member {
        /// The name.
        name: String,
        /// The value.
        value: &'b [u8],
    },
    /// An item of the list.
    Item(&'b [u8]),
    /// The end of the list.
    End,
}

/// Why a stream gave no further piece.
#[derive(Debug, thiserror::Error)]
pub enum NoPiece {
    /// It could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no document of this kind, or a piece of it has more bytes than may be held.
    #[error(transparent)]
    Json(#[from] Fault),
}

/// Reads pieces.
pub struct Pieces<R> {
    reader: R,
    /// What was read of the stream, from `base` on.
    held: Vec<u8>,
    base: u64,
    /// Where the next piece is looked for in `held`.
    next: usize,
    most: usize,
    state: State,
}

/// Where in the document the next piece stands.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    Members { first: bool },
    Items { first: bool },
    Over,
}

impl<R: Read> Pieces<R> {
    /// Of a document. A piece may have so many bytes.
    pub fn new(reader: R, most: usize) -> Self {
        Self { reader, held: Vec::new(), base: 0, next: 0, most, state: State::Start }
    }

    /// Of the list whose bracket is the first byte of the stream.
    ///
    /// # Errors
    /// [`NoPiece`].
    pub fn of_list(reader: R, most: usize) -> Result<Self, NoPiece> {
        let mut pieces = Self::new(reader, most);
        pieces.byte(b'[', "expected a list")?;
        pieces.state = State::Items { first: true };
        Ok(pieces)
    }

    /// The next piece; none after the end of the document.
    ///
    /// # Errors
    /// [`NoPiece`], after which there is no further piece.
    pub fn next(&mut self) -> Result<Option<Piece<'_>>, NoPiece> {
        let state = std::mem::replace(&mut self.state, State::Over);
        match state {
            State::Over => Ok(None),
            State::Start => {
                self.byte(b'{', "expected an object")?;
                self.member(true)
            }
            State::Members { first } => self.member(first),
            State::Items { first } => self.item(first),
        }
    }

    fn member(&mut self, first: bool) -> Result<Option<Piece<'_>>, NoPiece> {
        match self.separator(first, b'}')? {
            true => {
                if self.peek()?.is_some() {
                    return Err(self.invalid("something follows the document").into());
                }
                return Ok(None);
            }
            false => self.state = State::Members { first: false },
        }
        if self.peek()? != Some(b'"') {
            return Err(self.invalid("expected a string").into());
        }
        let name = self.value()?;
        let name = match Reader::new(&self.held[name], None)?.value()? {
            Json::String(name) => name.into_owned(),
            _ => return Err(self.invalid("expected a string").into()),
        };
        self.byte(b':', "expected a colon after the name")?;
        if self.peek()? == Some(b'[') {
            let at = self.base + self.next as u64;
            self.next += 1;
            self.state = State::Items { first: true };
            return Ok(Some(Piece::List { name, at }));
        }
        let value = self.value()?;
        Ok(Some(Piece::Member { name, value: &self.held[value] }))
    }

    fn item(&mut self, first: bool) -> Result<Option<Piece<'_>>, NoPiece> {
        if self.separator(first, b']')? {
            self.state = State::Members { first: false };
            return Ok(Some(Piece::End));
        }
        self.state = State::Items { first: false };
        let item = self.value()?;
        Ok(Some(Piece::Item(&self.held[item])))
    }

    /// Takes the comma before a piece, or the bracket after the last one: true for that.
    fn separator(&mut self, first: bool, end: u8) -> Result<bool, NoPiece> {
        match self.peek()? {
            Some(byte) if byte == end => self.next += 1,
            Some(b',') if !first => {
                self.next += 1;
                return Ok(false);
            }
            Some(_) if first => return Ok(false),
            _ => return Err(self.invalid("expected a comma or the end").into()),
        }
        Ok(true)
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Result<Option<u8>, NoPiece> {
        loop {
            match self.held.get(self.next).copied() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.next += 1,
                None if self.fill()? => {}
                found => return Ok(found),
            }
        }
    }

    fn byte(&mut self, byte: u8, message: &'static str) -> Result<(), NoPiece> {
        if self.peek()? != Some(byte) {
            return Err(self.invalid(message).into());
        }
        self.next += 1;
        Ok(())
    }

    /// The next value, whatever it is.
    fn value(&mut self) -> Result<std::ops::Range<usize>, NoPiece> {
        self.peek()?;
        let mut walk = Walk::default();
        while !walk.on(&self.held[self.next..]) {
            if self.held.len() - self.next > self.most {
                return Err(self.invalid("a piece of the document is too long").into());
            }
            if !self.fill()? {
                return Err(self.invalid("the text ends inside a value").into());
            }
        }
        if walk.at == 0 {
            return Err(self.invalid("expected a value").into());
        }
        let value = self.next..self.next + walk.at;
        self.next = value.end;
        Ok(value)
    }

    /// Reads on; false at the end of the stream. What was taken before is let go.
    fn fill(&mut self) -> Result<bool, NoPiece> {
        self.held.drain(..self.next);
        self.base += self.next as u64;
        self.next = 0;
        let room = BLOCK.max(self.held.len());
        Ok(self.reader.by_ref().take(room as u64).read_to_end(&mut self.held)? > 0)
    }

    fn invalid(&self, message: &'static str) -> Fault {
        let offset = usize::try_from(self.base).unwrap_or(usize::MAX).saturating_add(self.next);
        Fault { kind: FaultKind::Invalid, offset, message }
    }
}

/// How far a value was walked over.
#[derive(Default)]
struct Walk {
    at: usize,
    depth: usize,
    in_string: bool,
}

impl Walk {
    /// Goes on in the bytes of the value so far, from its start; true when its end was found.
    fn on(&mut self, bytes: &[u8]) -> bool {
        while self.at < bytes.len() {
            if self.in_string {
                let Some(found) = memchr2(b'"', b'\\', &bytes[self.at..]) else {
                    self.at = bytes.len();
                    return false;
                };
                let escape = bytes[self.at + found] == b'\\';
                if escape && self.at + found + 1 == bytes.len() {
                    self.at += found;
                    return false;
                }
                self.at += found + if escape { 2 } else { 1 };
                self.in_string = escape;
                if !escape && self.depth == 0 {
                    return true;
                }
                continue;
            }
            match bytes[self.at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if self.depth == 0 => return true,
                b'}' | b']' => self.depth -= 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            let closed = matches!(bytes[self.at], b'}' | b']') && self.depth == 0;
            self.at += 1;
            if closed {
                return true;
            }
        }
        false
    }
}

/// Reads one document of our profile that stands `depth` brackets deep in another.
///
/// # Errors
/// The first fault, with its place in these bytes. Unlike [`parse`](super::parse) it does not look further, whether the text is JSON at all.
pub fn parse_within(bytes: &[u8], depth: usize) -> Result<Json<'_>, Fault> {
    let mut reader = Reader::new(bytes, None)?;
    reader.depth = depth;
    let value = reader.value()?;
    reader.cursor.expect_end()?;
    Ok(value)
}
