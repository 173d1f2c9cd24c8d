//! The grammar of RFC 8259, token by token, without building anything.

use super::{Fault, FaultKind};

/// A place in a text.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start.
    ///
    /// # Errors
    /// [`FaultKind::Invalid`] when the bytes are not UTF-8.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        let text = std::str::from_utf8(bytes).map_err(|error| Fault {
            kind: FaultKind::Invalid,
            offset: error.valid_up_to(),
            message: "not UTF-8",
        })?;
        Ok(Self { text, at: 0 })
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// The bytes from here to the end.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    pub(super) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.advance();
        }
    }

    pub(super) fn expect(&mut self, byte: u8, message: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(self.invalid(message));
        }
        self.advance();
        Ok(())
    }

    /// Takes the bracket that closes a container.
    pub(super) fn close(&mut self, end: u8) -> Result<(), Fault> {
        self.expect(
            end,
            match end {
                b']' => "expected a comma or the end of the array",
                _ => "expected a comma or the end of the object",
            },
        )
    }

    /// After the last value of a text.
    pub(super) fn expect_end(&mut self) -> Result<(), Fault> {
        self.skip_space();
        if self.peek().is_some() { Err(self.invalid("something follows the document")) } else { Ok(()) }
    }

    /// The fault of a text that is not JSON at this place.
    pub(super) fn invalid(&self, message: &'static str) -> Fault {
        Fault { kind: FaultKind::Invalid, offset: self.at, message }
    }

    /// Takes a number. Returns its token.
    pub(super) fn number(&mut self) -> Result<&'a str, Fault> {
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
            return Err(self.invalid("expected a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.advance();
        }
        Ok(())
    }

    /// Takes `true`, `false` or `null`. Returns the boolean, or `None` for `null`.
    pub(super) fn literal(&mut self) -> Result<Option<bool>, Fault> {
        let (value, length) = match self.rest() {
            [b't', b'r', b'u', b'e', ..] => (Some(true), 4),
            [b'f', b'a', b'l', b's', b'e', ..] => (Some(false), 5),
            [b'n', b'u', b'l', b'l', ..] => (None, 4),
            [] => return Err(self.invalid("the text ends where a value is expected")),
            _ => return Err(self.invalid("expected a value")),
        };
        self.at += length;
        Ok(value)
    }

    /// Moves over the bytes of a string that stand for themselves. Returns them and the byte that ends them:
    /// a quotation mark or a reverse solidus.
    pub(super) fn plain_run(&mut self) -> Result<(&'a str, u8), Fault> {
        let start = self.at;
        self.at += plain_prefix(self.rest());
        match self.peek() {
            Some(end @ (b'"' | b'\\')) => Ok((&self.text[start..self.at], end)),
            Some(_) => Err(self.invalid("a control character stands in a string")),
            None => Err(self.invalid("the text ends inside a string")),
        }
    }

    /// Takes one escape. Returns the UTF-16 code unit that it stands for.
    pub(super) fn escape(&mut self) -> Result<u32, Fault> {
        self.advance();
        let unit = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => u32::from(byte),
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => 0x0a,
            Some(b'r') => 0x0d,
            Some(b't') => 0x09,
            Some(b'u') => return self.hex_escape(),
            _ => return Err(self.invalid("not an escape of JSON")),
        };
        self.advance();
        Ok(unit)
    }

    fn hex_escape(&mut self) -> Result<u32, Fault> {
        self.advance();
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            unit = unit * 16 + digit.ok_or_else(|| self.invalid("expected four hex digits"))?;
            self.advance();
        }
        Ok(unit)
    }
}

/// How many bytes at the start of a text stand for themselves in a JSON string: all but the controls, `"` and `\`.
pub(in crate::format) fn plain_prefix(text: &[u8]) -> usize {
    let (words, tail) = text.as_chunks::<8>();
    for (count, word) in words.iter().enumerate() {
        if let Some(at) = special_in(*word) {
            return count * 8 + at;
        }
    }
    // The tail is looked at as part of the last eight bytes, of which the others are plain.
    if let Some(last) = text.last_chunk::<8>() {
        return special_in(*last).map_or(text.len(), |at| text.len() - 8 + at);
    }
    tail.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\').unwrap_or(tail.len())
}

/// The place of the first byte that does not stand for itself, all eight looked at in one step.
///
/// In each mask the lowest marked byte is truly one of those looked for: a borrow can only mark bytes above it.
fn special_in(bytes: [u8; 8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let word = u64::from_le_bytes(bytes);
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word;
    let controls = below(word, 0x20);
    let quotes = below(word ^ (ONES * u64::from(b'"')), 1);
    let solidi = below(word ^ (ONES * u64::from(b'\\')), 1);
    let found = (controls | quotes | solidi) & (ONES * 0x80);
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}
