//! Text to canonical text in one pass, without values in between.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::object::compare_names;
use super::read::{Reader, first_fault};
use super::write::append_text;
use super::{Fault, FaultKind, MAX_DEPTH, append};

/// The canonical bytes of one document of our profile: what [`parse`](super::parse) and [`to_vec`](super::to_vec) give
/// together, in half the time and with little more memory than the result.
///
/// # Errors
/// Those of [`parse`](super::parse).
pub fn canonical(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let out = Vec::with_capacity(bytes.len());
    let mut rewriter = Rewriter { reader: Reader::new(bytes, None)?, out, members: Vec::new(), unsorted: Vec::new() };
    rewriter.document().map_err(|fault| first_fault(bytes, fault))?;
    Ok(rewriter.out)
}

struct Rewriter<'a> {
    reader: Reader<'a>,
    out: Vec<u8>,
    /// The members of the objects that are still open: each name, and where the member lies in `out`.
    members: Vec<(Cow<'a, str>, Range<usize>)>,
    /// The bytes of the object that is being sorted.
    unsorted: Vec<u8>,
}

impl Rewriter<'_> {
    fn document(&mut self) -> Result<(), Fault> {
        self.value()?;
        self.reader.cursor.expect_end()
    }

    fn value(&mut self) -> Result<(), Fault> {
        self.reader.cursor.skip_space();
        match self.reader.cursor.peek() {
            Some(b'"') => append_read(&self.reader.string()?, &mut self.out),
            Some(b'{') if self.reader.depth < MAX_DEPTH => self.object()?,
            Some(b'[') if self.reader.depth < MAX_DEPTH => self.array()?,
            _ => append(&self.reader.value()?, &mut self.out),
        }
        Ok(())
    }

    fn array(&mut self) -> Result<(), Fault> {
        self.reader.open();
        self.out.push(b'[');
        if self.reader.cursor.peek() != Some(b']') {
            loop {
                self.value()?;
                if !self.reader.comma() {
                    break;
                }
                self.out.push(b',');
            }
        }
        self.out.push(b']');
        self.reader.close(b']')
    }

    fn object(&mut self) -> Result<(), Fault> {
        let first = self.members.len();
        self.reader.open();
        self.out.push(b'{');
        let start = self.out.len();
        if self.reader.cursor.peek() != Some(b'}') {
            loop {
                let from = self.out.len();
                let name = self.reader.name()?;
                append_read(&name, &mut self.out);
                self.out.push(b':');
                self.value()?;
                self.members.push((name, from..self.out.len()));
                if !self.reader.comma() {
                    break;
                }
                self.out.push(b',');
            }
        }
        self.sort(first, start)?;
        self.out.push(b'}');
        self.reader.close(b'}')
    }

    /// Puts the members from `first` on, which lie at `start` and after, in order.
    fn sort(&mut self, first: usize, start: usize) -> Result<(), Fault> {
        let members = &mut self.members[first..];
        if !members.is_sorted_by(|a, b| compare_names(&a.0, &b.0) == Ordering::Less) {
            members.sort_unstable_by(|a, b| compare_names(&a.0, &b.0));
            if members.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                // The place is found by the slow reader.
                return Err(Fault {
                    kind: FaultKind::DuplicateKey,
                    offset: 0,
                    message: "an object names a member twice",
                });
            }
            self.unsorted.clear();
            self.unsorted.extend_from_slice(&self.out[start..]);
            self.out.truncate(start);
            for (_, range) in members {
                self.out.extend_from_slice(&self.unsorted[range.start - start..range.end - start]);
                self.out.push(b',');
            }
            self.out.pop();
        }
        self.members.truncate(first);
        Ok(())
    }
}

/// Appends a string as the reader gave it: what it borrowed had no escapes, so needs none.
#[expect(clippy::ptr_arg, reason = "whether it is borrowed is the point")]
fn append_read(text: &Cow<'_, str>, out: &mut Vec<u8>) {
    match text {
        Cow::Borrowed(plain) => {
            out.push(b'"');
            out.extend_from_slice(plain.as_bytes());
            out.push(b'"');
        }
        Cow::Owned(text) => append_text(text, out),
    }
}
