//! What names an item: the forge's database id, or where a payload tells none, something that is as good.

use std::fmt;

use crate::format::digest::Digest;
use crate::format::json::Json;

/// The identity of an item within its facet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// The forge's database id.
    Number(u64),
    /// The forge's opaque id, or what else stays the same for one item: `octocat@2026-01-02T03:04:05Z`.
    Text(String),
}

impl Id {
    /// The longest text that names an item.
    const LONGEST: usize = 200;

    /// A text that is no database id; `None` for one that could be taken for one, or is no name at all.
    pub fn of_text(text: &str) -> Option<Self> {
        let plain = text.bytes().all(|b| b.is_ascii_graphic());
        let number = text.bytes().all(|b| b.is_ascii_digit());
        (plain && !number && text.len() <= Self::LONGEST).then(|| Self::Text(text.to_owned()))
    }

    /// The database id.
    pub fn number(&self) -> Option<u64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The part of a file name: file systems do not tell the letters of an opaque id apart by their case.
    pub fn file_part(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("node-{}", &Digest::of(text.as_bytes()).hex()[..16]),
        }
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<&Id> for Json<'_> {
    fn from(id: &Id) -> Self {
        match id {
            Id::Number(number) => Self::from(*number),
            Id::Text(text) => Self::from(text.clone()),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl PartialEq<u64> for Id {
    fn eq(&self, number: &u64) -> bool {
        self.number() == Some(*number)
    }
}
