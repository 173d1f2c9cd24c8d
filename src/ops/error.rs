//! Trouble with one vocabulary: a stable code, a message, a hint.

use std::io;

use crate::format::json::Fault;
use crate::store::facts::ElementFault;
use crate::{filter, git, store};

/// Why a verb could not be done. Findings are not errors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: &'static str,
    message: String,
    hint: Option<String>,
}

impl Error {
    /// An error with a stable code from the table in docs/cli.md. The message is lower case, name first.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// The same with a hint for a person, printed on a line of its own.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An index that a newer program wrote, and why this one does not read it.
    pub(super) fn newer(path: &str, why: &str) -> Self {
        Self::new("format-newer", format!("{path} has {why}")).hint("use a newer git-docket")
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The hint, if there is one.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The same with what else is to be said behind the message.
    #[must_use]
    pub fn beside(mut self, words: &str) -> Self {
        self.message = format!("{}; {words}", self.message);
        self
    }

    /// The same with the name of what it is about before the message.
    #[must_use]
    pub fn about(mut self, name: &str) -> Self {
        self.message = format!("{name}: {}", self.message);
        self
    }
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        let hint = error.hint();
        Self { code: error.code(), message: error.to_string(), hint }
    }
}

/// A tree that could not be read. One of git says by itself what is wrong, such as an object that a partial clone does not have, and so
/// does a damaged store.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.downcast::<git::Error>().map_err(io::Error::downcast::<store::Error>) {
            Ok(of_git) => of_git.into(),
            Err(Ok(of_store)) => of_store.into(),
            Err(Err(error)) => Self::new("io", error.to_string()),
        }
    }
}

impl From<ElementFault> for Error {
    fn from(fault: ElementFault) -> Self {
        match fault {
            ElementFault::Io { digest, source } => Self::from(source).about(&format!("element {digest}")),
            fault => Self::new(fault.code(), fault.to_string()).hint("git docket verify lists all damage"),
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Io { path, source } => Self::from(source).about(&format!("{path:?}")),
            damage @ store::Error::InTheWay { .. } => {
                Self::new(damage.code(), damage.to_string()).hint("git docket verify lists all damage")
            }
            other => Self::new(other.code(), other.to_string()),
        }
    }
}

impl From<filter::Error> for Error {
    fn from(error: filter::Error) -> Self {
        Error::new("filter-failed", error.to_string())
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::new(fault.kind.code(), fault.to_string())
    }
}
