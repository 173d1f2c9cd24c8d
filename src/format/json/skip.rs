//! Walking over one value without building it, to any depth and without recursion.

use super::read::Reader;
use super::{Fault, FaultKind};

impl Reader<'_> {
    /// Skips one value of valid RFC 8259 grammar, however deep. Profile breaches inside are not looked for.
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
            if !self.close(&mut open)? {
                return Ok(());
            }
        }
    }

    /// After a value: closes what ends here. True when another value follows.
    fn close(&mut self, open: &mut Vec<u8>) -> Result<bool, Fault> {
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
                Some(byte) if byte == end => {
                    self.advance();
                    open.pop();
                }
                _ => return Err(self.fault(FaultKind::Invalid, "expected a comma or the end of the container")),
            }
        }
        Ok(false)
    }

    fn skip_name(&mut self) -> Result<(), Fault> {
        self.skip_string()?;
        self.skip_space();
        self.expect(b':', "expected a colon after the name")
    }

    fn skip_scalar(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => self.skip_string(),
            Some(b'-' | b'0'..=b'9') => self.number_token().map(|_| ()),
            _ => self.literal().map(|_| ()),
        }
    }
}
