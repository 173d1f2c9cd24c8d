//! Reading the members of a closed document: each is asked for once, and what nobody asked for is a fault.

use std::cell::RefCell;
use std::str::FromStr;

use crate::format::digest::Digest;
use crate::format::json::{Json, Object};

use super::stamp::Stamp;

/// Why a value is not what its schema says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {reason}")]
pub struct Fault {
    /// The member, dotted from the top.
    pub at: String,
    /// What was expected.
    pub reason: &'static str,
}

impl Fault {
    /// A fault at a member.
    pub fn new(at: impl Into<String>, reason: &'static str) -> Self {
        Self { at: at.into(), reason }
    }

    /// The same below another member.
    pub(super) fn below(self, above: &str) -> Self {
        Self { at: format!("{above}.{}", self.at), reason: self.reason }
    }
}

/// The members of one object.
pub(super) struct Members<'j> {
    object: &'j Object<'j>,
    asked: RefCell<Vec<&'static str>>,
}

type Read<T> = Result<T, Fault>;

impl<'j> Members<'j> {
    pub fn of(value: &'j Json<'j>) -> Read<Self> {
        let object = value.as_object().ok_or_else(|| Fault::new("", "expected an object"))?;
        Ok(Self { object, asked: RefCell::default() })
    }

    /// Refuses members that were not asked for.
    pub fn end(self) -> Read<()> {
        let asked = self.asked.into_inner();
        match self.object.iter().find(|(name, _)| !asked.contains(name)) {
            Some((name, _)) => Err(Fault::new(name.chars().take(60).collect::<String>(), "this member is not known")),
            None => Ok(()),
        }
    }

    fn get(&self, name: &'static str) -> Option<&'j Json<'j>> {
        self.asked.borrow_mut().push(name);
        self.object.get(name)
    }

    /// Whether a member is there.
    pub fn has(&self, name: &'static str) -> bool {
        self.object.contains(name)
    }

    /// A required member.
    pub fn value(&self, name: &'static str) -> Read<&'j Json<'j>> {
        self.get(name).ok_or_else(|| Fault::new(name, "this member is required"))
    }

    /// A required member of a form.
    pub fn form<T>(&self, name: &'static str, what: &'static str, read: impl Fn(&str) -> Option<T>) -> Read<T> {
        self.value(name)?.as_str().and_then(read).ok_or_else(|| Fault::new(name, what))
    }

    /// A member of a form that may be missing, and is never null.
    pub fn optional<T>(
        &self,
        name: &'static str,
        what: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Read<Option<T>> {
        if self.has(name) { self.form(name, what, read).map(Some) } else { Ok(None) }
    }

    /// A required member of a form that may be null.
    pub fn nullable<T>(
        &self,
        name: &'static str,
        what: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Read<Option<T>> {
        if self.value(name)?.is_null() { Ok(None) } else { self.form(name, what, read).map(Some) }
    }

    /// A word of a closed list.
    pub fn word<T: FromStr>(&self, name: &'static str) -> Read<T> {
        self.form(name, "expected a word of the closed list", |word| word.parse().ok())
    }

    /// 64 lowercase hex digits.
    pub fn digest(&self, name: &'static str) -> Read<Digest> {
        self.form(name, HEX, hex)
    }

    /// A time.
    pub fn stamp(&self, name: &'static str) -> Read<Stamp> {
        self.form(name, "expected a time in UTC with nine digits behind the point", Stamp::read)
    }

    /// A time that may be missing.
    pub fn optional_stamp(&self, name: &'static str) -> Read<Option<Stamp>> {
        if self.has(name) { self.stamp(name).map(Some) } else { Ok(None) }
    }

    /// A whole number from `least`.
    pub fn number(&self, name: &'static str, least: u64) -> Read<u64> {
        let found = self.value(name)?.as_u64().filter(|number| *number >= least);
        found.ok_or_else(|| Fault::new(name, "expected a whole number that is large enough"))
    }

    /// A number from 1 that may be missing.
    pub fn optional_number(&self, name: &'static str) -> Read<Option<u64>> {
        if self.has(name) { self.number(name, 1).map(Some) } else { Ok(None) }
    }

    pub fn boolean(&self, name: &'static str) -> Read<bool> {
        self.value(name)?.as_bool().ok_or_else(|| Fault::new(name, "expected true or false"))
    }

    /// A required list.
    pub fn list<T>(&self, name: &'static str, read: impl Fn(&'j Json<'j>) -> Read<T>) -> Read<Vec<T>> {
        let items = self.value(name)?.as_array().ok_or_else(|| Fault::new(name, "expected a list"))?;
        let one = |(at, item)| read(item).map_err(|fault| fault.below(&format!("{name}[{at}]")));
        items.iter().enumerate().map(one).collect()
    }

    /// A required list of texts of a form.
    pub fn texts<T>(&self, name: &'static str, what: &'static str, read: impl Fn(&str) -> Option<T>) -> Read<Vec<T>> {
        self.list(name, |item| item.as_str().and_then(&read).ok_or_else(|| Fault::new("", what)))
    }
}

/// What a digest is.
pub(super) const HEX: &str = "expected 64 lowercase hex digits";

/// Reads a digest.
pub(super) fn hex(text: &str) -> Option<Digest> {
    Digest::from_hex(text)
}

/// Reads a text of a form as it is.
pub(super) fn text(fits: impl Fn(&str) -> bool) -> impl Fn(&str) -> Option<String> {
    move |text| fits(text).then(|| text.to_owned())
}

/// Any text with at least one character.
pub(super) fn filled(text: &str) -> bool {
    !text.is_empty()
}
