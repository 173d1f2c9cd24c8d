//! Places in a document, named by RFC 6901 pointers, where something else is written than what stands there.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::format::json::{self, Json, MAX_DEPTH};

/// A place and the marked places below it.
#[derive(Debug)]
pub(super) struct Holes<T> {
    pub(super) mark: Option<T>,
    below: BTreeMap<Token, Holes<T>>,
    /// The ordinals of the marked places from here on down, once they are numbered.
    pub(super) range: Range<usize>,
}

/// A pointer's token as written. Digits are ordered by their value: the first member is their length.
type Token = (usize, String);

fn token(text: &str) -> Token {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (if digits { text.len() } else { 0 }, text.to_owned())
}

fn token_of_name(name: &str) -> Token {
    if name.contains(['~', '/']) { token(&name.replace('~', "~0").replace('/', "~1")) } else { token(name) }
}

/// The rest of a pointer below another, `""` when both are the same.
pub(super) fn below<'p>(pointer: &'p str, above: &str) -> Option<&'p str> {
    pointer.strip_prefix(above).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl<T> Default for Holes<T> {
    fn default() -> Self {
        Self { mark: None, below: BTreeMap::new(), range: 0..0 }
    }
}

/// A marked place: its pointer, its value where there is one, and what is marked below.
pub(super) type Place<'h, 'v, 'a, T> = (String, Option<&'v Json<'a>>, &'h Holes<T>);

impl<T> Holes<T> {
    /// The place of a pointer, made when it is new; `None` for a text that is no pointer or deeper than any document.
    pub(super) fn at(&mut self, pointer: &str) -> Option<&mut Self> {
        if !(pointer.is_empty() || pointer.starts_with('/')) || pointer.matches('/').count() > MAX_DEPTH {
            return None;
        }
        Some(pointer.split('/').skip(1).fold(self, |at, text| at.below.entry(token(text)).or_default()))
    }

    /// The places from the top to that of a pointer, each with the length of its own pointer, as far as there are any.
    pub(super) fn way<'h>(&'h self, pointer: &str) -> Vec<(usize, &'h Self)> {
        let (mut way, mut length) = (vec![(0, self)], 0);
        let mut at = self;
        for text in pointer.split('/').skip(1) {
            let Some(next) = at.below.get(&token(text)) else { break };
            at = next;
            length += 1 + text.len();
            way.push((length, at));
        }
        way
    }

    /// The marked place nearest to a pointer, at it or above, and the length of its own pointer.
    pub(super) fn nearest(&self, pointer: &str) -> Option<(usize, &Self)> {
        self.way(pointer).into_iter().rev().find(|(_, hole)| hole.mark.is_some())
    }

    /// True when there are marks below this place.
    pub(super) fn has_below(&self) -> bool {
        !self.below.is_empty()
    }

    /// Numbers the marked places in the order of the document, parents first.
    pub(super) fn number(&mut self, next: &mut usize) {
        let start = *next;
        *next += usize::from(self.mark.is_some());
        self.below.values_mut().for_each(|hole| hole.number(next));
        self.range = start..*next;
    }

    /// Adds every marked place in the same order, with its pointer and value.
    pub(super) fn list<'h, 'v, 'a>(
        &'h self,
        pointer: &str,
        value: Option<&'v Json<'a>>,
        found: &mut Vec<Place<'h, 'v, 'a, T>>,
    ) {
        if self.mark.is_some() {
            found.push((pointer.to_owned(), value, self));
        }
        for (token, hole) in &self.below {
            let value = value.and_then(|value| value.pointer(&format!("/{}", token.1)));
            hole.list(&format!("{pointer}/{}", token.1), value, found);
        }
    }

    /// Appends the canonical bytes of a value; what stands in marked places below it is written by `fill`.
    pub(super) fn append<E>(
        &self,
        value: &Json<'_>,
        out: &mut Vec<u8>,
        fill: &mut impl FnMut(&Self, &T, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        match value {
            Json::Array(items) if self.has_below() => {
                out.push(b'[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    self.append_below(&token(&at.to_string()), item, out, fill)?;
                }
                out.push(b']');
            }
            Json::Object(members) if self.has_below() => {
                out.push(b'{');
                for (at, (name, member)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    json::append_text(name, out);
                    out.push(b':');
                    self.append_below(&token_of_name(name), member, out, fill)?;
                }
                out.push(b'}');
            }
            plain => json::append(plain, out),
        }
        Ok(())
    }

    fn append_below<E>(
        &self,
        token: &Token,
        value: &Json<'_>,
        out: &mut Vec<u8>,
        fill: &mut impl FnMut(&Self, &T, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.below.get(token) {
            None => json::append(value, out),
            Some(hole) => match &hole.mark {
                Some(mark) => fill(hole, mark, out)?,
                None => hole.append(value, out, fill)?,
            },
        }
        Ok(())
    }
}
