//! The value between reader and writer; it borrows from the text it was read from.

use std::borrow::Cow;

use super::{Number, Object};

/// A JSON value in our profile: whatever it holds can be written canonically.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A finite double.
    Number(Number),
    /// A string of Unicode scalar values.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Json<'a>>),
    /// An object.
    Object(Object<'a>),
}

impl<'a> Json<'a> {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The value of an unsigned integer below 2^53.
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(number) = self { number.as_u64() } else { None }
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The items of an array.
    pub fn as_array(&self) -> Option<&[Json<'a>]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Object<'a>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// A member of an object; `None` for anything else.
    pub fn get(&self, name: &str) -> Option<&Json<'a>> {
        self.as_object()?.get(name)
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value that an RFC 6901 pointer names (`""` is the whole value).
    pub fn pointer(&self, pointer: &str) -> Option<&Json<'a>> {
        let mut at = self;
        for token in pointer_tokens(pointer)? {
            at = match at {
                Self::Object(object) => object.get(&token)?,
                Self::Array(items) => items.get(array_index(&token)?)?,
                _ => return None,
            };
        }
        Some(at)
    }

    /// The same as [`Json::pointer`], to be changed in place.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Json<'a>> {
        let mut at = self;
        for token in pointer_tokens(pointer)? {
            at = match at {
                Self::Object(object) => object.get_mut(&token)?,
                Self::Array(items) => items.get_mut(array_index(&token)?)?,
                _ => return None,
            };
        }
        Some(at)
    }

    /// The same value without borrowed text.
    pub fn into_owned(self) -> Json<'static> {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(value),
            Self::Number(number) => Json::Number(number),
            Self::String(text) => Json::String(Cow::Owned(text.into_owned())),
            Self::Array(items) => Json::Array(items.into_iter().map(Json::into_owned).collect()),
            Self::Object(object) => Json::Object(object.into_owned()),
        }
    }
}

/// The unescaped tokens of an RFC 6901 pointer, or `None` when it does not begin with `/`.
fn pointer_tokens(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    let valid = pointer.is_empty() || pointer.starts_with('/');
    valid.then(|| pointer.split('/').skip(1).map(unescape_token))
}

fn unescape_token(token: &str) -> Cow<'_, str> {
    if token.contains('~') { Cow::Owned(token.replace("~1", "/").replace("~0", "~")) } else { Cow::Borrowed(token) }
}

fn array_index(token: &str) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit()));
    if plain { token.parse().ok() } else { None }
}

impl From<bool> for Json<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u32> for Json<'_> {
    fn from(value: u32) -> Self {
        Self::Number(value.into())
    }
}

impl From<u64> for Json<'_> {
    /// Counts and sizes are below 2^53; a larger one is written as the nearest double.
    fn from(value: u64) -> Self {
        Number::new(value as f64).map_or(Self::Null, Self::Number)
    }
}

impl From<usize> for Json<'_> {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl<'a> From<&'a str> for Json<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(Cow::Borrowed(text))
    }
}

impl From<String> for Json<'_> {
    fn from(text: String) -> Self {
        Self::String(Cow::Owned(text))
    }
}

impl<'a> From<Cow<'a, str>> for Json<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self::String(text)
    }
}

impl<'a> From<Object<'a>> for Json<'a> {
    fn from(object: Object<'a>) -> Self {
        Self::Object(object)
    }
}

impl<'a, T: Into<Json<'a>>> From<Vec<T>> for Json<'a> {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<'a, T: Into<Json<'a>>> From<Option<T>> for Json<'a> {
    /// `None` is `null`.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
