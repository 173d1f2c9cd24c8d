//! Objects: members in RFC 8785 order, each name once.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Json;

/// The members of an object, sorted by the UTF-16 code units of their names, no name twice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Object<'a> {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sorts members as read. Returns the object, and whether a name stood twice: its last value is kept.
    pub(super) fn from_members(mut members: Vec<(Cow<'a, str>, Json<'a>)>) -> (Self, bool) {
        if members.is_sorted_by(|a, b| compare_names(&a.0, &b.0) == Ordering::Less) {
            return (Self(members), false);
        }
        members.sort_by(|a, b| compare_names(&a.0, &b.0));
        let read = members.len();
        // The sort is stable, so the later of two equal names comes second: keep it in the place of the first.
        members.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                std::mem::swap(&mut later.1, &mut earlier.1);
            }
            same
        });
        let repeated = members.len() < read;
        (Self(members), repeated)
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&Json<'a>> {
        self.position(name).ok().map(|at| &self.0[at].1)
    }

    /// The value of a member, to be changed in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json<'a>> {
        self.position(name).ok().map(|at| &mut self.0[at].1)
    }

    /// Sets a member, replacing an earlier value of that name.
    pub fn set(&mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Json<'a>>) -> &mut Self {
        let name = name.into();
        match self.position(&name) {
            Ok(at) => self.0[at].1 = value.into(),
            Err(at) => self.0.insert(at, (name, value.into())),
        }
        self
    }

    /// Sets a member when there is a value.
    pub fn set_some(&mut self, name: impl Into<Cow<'a, str>>, value: Option<impl Into<Json<'a>>>) -> &mut Self {
        if let Some(value) = value {
            self.set(name, value);
        }
        self
    }

    /// Removes a member and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Json<'a>> {
        self.position(name).ok().map(|at| self.0.remove(at).1)
    }

    /// True when the object has a member of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_ok()
    }

    /// The members in canonical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json<'a>)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// The members in canonical order, values to be changed in place.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Json<'a>)> {
        self.0.iter_mut().map(|(name, value)| (&**name, value))
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same object without borrowed text.
    pub fn into_owned(self) -> Object<'static> {
        Object(self.0.into_iter().map(|(n, v)| (Cow::Owned(n.into_owned()), v.into_owned())).collect())
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(n, _)| compare_names(n, name))
    }
}

/// Orders names by UTF-16 code units (RFC 8785 §3.2.3).
///
/// That is the order of the UTF-8 bytes, except that the surrogates of a character beyond the BMP (lead bytes F0 to F4)
/// come before U+E000 to U+FFFF (lead bytes EE and EF).
pub(super) fn compare_names(a: &str, b: &str) -> Ordering {
    let rank = |byte: u8| if matches!(byte, 0xee | 0xef) { byte + 0x10 } else { byte };
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((&x, &y)) => rank(x).cmp(&rank(y)),
        None => a.len().cmp(&b.len()),
    }
}
