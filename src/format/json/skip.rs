//! Walking over values without building them, to any depth and without recursion.

use std::ops::Range;

use super::Fault;
use super::cursor::Cursor;

/// The byte ranges of the documents in a text: one, or several that follow each other (a single value, NDJSON and
/// concatenated pages alike). Between two of them white space may be missing where a bracket or a quotation mark shows
/// the border: `{}{}` and `1[]` are two documents, `truefalse` and `01` are none.
///
/// # Errors
/// [`FaultKind::Invalid`](super::FaultKind::Invalid) at the first place that is not RFC 8259 JSON; an empty text has no
/// document and is invalid too.
pub fn documents(bytes: &[u8]) -> Result<Vec<Range<usize>>, Fault> {
    let mut cursor = Cursor::new(bytes)?;
    let mut found = Vec::new();
    cursor.skip_space();
    while cursor.peek().is_some() || found.is_empty() {
        let start = cursor.at;
        cursor.skip_value()?;
        found.push(start..cursor.at);
        let open_ended = !matches!(bytes[cursor.at - 1], b'}' | b']' | b'"');
        if open_ended && !matches!(cursor.peek(), None | Some(b' ' | b'\t' | b'\n' | b'\r' | b'{' | b'[' | b'"')) {
            return Err(cursor.invalid("expected white space after the document"));
        }
        cursor.skip_space();
    }
    Ok(found)
}

/// The byte ranges of the items of a document that is an array; `None` for any other document.
///
/// # Errors
/// [`FaultKind::Invalid`](super::FaultKind::Invalid) where the text is not one RFC 8259 document.
pub fn items(bytes: &[u8]) -> Result<Option<Vec<Range<usize>>>, Fault> {
    let mut cursor = Cursor::new(bytes)?;
    cursor.skip_space();
    if cursor.peek() != Some(b'[') {
        cursor.skip_value()?;
        cursor.expect_end()?;
        return Ok(None);
    }
    let mut found = Vec::new();
    cursor.skip_each(b']', |cursor| {
        let start = cursor.at;
        cursor.skip_value()?;
        found.push(start..cursor.at);
        Ok(())
    })?;
    cursor.expect_end()?;
    Ok(Some(found))
}

/// The byte range of a member's value in a document that is an object (the last of several of that name); `None` when it
/// has none, or only under a spelling with escapes.
///
/// # Errors
/// [`FaultKind::Invalid`](super::FaultKind::Invalid) where the text is not one RFC 8259 document.
pub fn member(bytes: &[u8], name: &str) -> Result<Option<Range<usize>>, Fault> {
    let mut cursor = Cursor::new(bytes)?;
    let mut found = None;
    cursor.skip_space();
    if cursor.peek() != Some(b'{') {
        return Ok(None);
    }
    cursor.skip_each(b'}', |cursor| {
        let named = cursor.skip_name()?;
        cursor.skip_space();
        let value = cursor.at;
        cursor.skip_value()?;
        if bytes[named] == *name.as_bytes() {
            found = Some(value..cursor.at);
        }
        Ok(())
    })?;
    cursor.expect_end()?;
    Ok(found)
}

impl Cursor<'_> {
    /// Skips the array or object that begins here, whose items or members `one` skips.
    fn skip_each(&mut self, end: u8, mut one: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.advance();
        self.skip_space();
        if self.peek() != Some(end) {
            loop {
                one(self)?;
                self.skip_space();
                if self.peek() != Some(b',') {
                    break;
                }
                self.advance();
                self.skip_space();
            }
        }
        self.close(end)
    }

    /// Skips one value of valid RFC 8259 grammar, however deep. Breaches of the profile are not looked for.
    pub(super) fn skip_value(&mut self) -> Result<(), Fault> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'[') => {
                    self.advance();
                    self.skip_space();
                    if self.peek() != Some(b']') {
                        open.push(b']');
                        continue;
                    }
                    self.advance();
                }
                Some(b'{') => {
                    self.advance();
                    self.skip_space();
                    if self.peek() != Some(b'}') {
                        open.push(b'}');
                        self.skip_name()?;
                        continue;
                    }
                    self.advance();
                }
                _ => self.skip_scalar()?,
            }
            if !self.close_all(&mut open)? {
                return Ok(());
            }
        }
    }

    /// After a value: closes what ends here. True when another value follows.
    fn close_all(&mut self, open: &mut Vec<u8>) -> Result<bool, Fault> {
        while let Some(&end) = open.last() {
            self.skip_space();
            match self.peek() {
                Some(b',') => {
                    self.advance();
                    if end == b'}' {
                        self.skip_space();
                        self.skip_name()?;
                    }
                    return Ok(true);
                }
                _ => {
                    self.close(end)?;
                    open.pop();
                }
            }
        }
        Ok(false)
    }

    /// Skips a name and its colon. Returns where the name stands, between its quotes.
    fn skip_name(&mut self) -> Result<Range<usize>, Fault> {
        let start = self.at + 1;
        self.skip_string()?;
        let name = start..self.at - 1;
        self.skip_space();
        self.expect(b':', "expected a colon after the name")?;
        Ok(name)
    }

    fn skip_scalar(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => self.skip_string(),
            Some(b'-' | b'0'..=b'9') => self.number().map(|_| ()),
            _ => self.literal().map(|_| ()),
        }
    }

    fn skip_string(&mut self) -> Result<(), Fault> {
        self.expect(b'"', "expected a string")?;
        while self.plain_run()?.1 == b'\\' {
            self.escape()?;
        }
        self.advance();
        Ok(())
    }
}
