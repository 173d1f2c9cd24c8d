//! Commits and who makes them.

use gix::actor::Signature;
use gix::bstr::BString;
use gix::date::Time;
use gix::objs::{Kind, WriteTo};

use super::{Error, Oid, PackWriter, Repo, Result};

/// Who makes a commit, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// A name; what git does not allow in one is left out.
    pub name: String,
    /// A mail address; likewise.
    pub email: String,
    /// Seconds since 1970. The zone is always UTC.
    pub seconds: i64,
}

/// The identity of commits for which none is configured.
const FALLBACK: (&str, &str) = ("git-docket", "git-docket@localhost");

impl Repo {
    /// The name and mail address that git would take for a committer here, else `git-docket`. The time is the caller's.
    pub fn identity(&self, seconds: i64) -> Identity {
        let repo = self.local();
        let config = repo.config_snapshot();
        let configured = repo.committer().and_then(std::result::Result::ok).map(|c| (c.name, c.email));
        let user = |key: &str, fallback: &str| config.string(key).map_or(fallback.to_owned(), |v| v.to_string());
        let (name, email) = match configured {
            Some((name, email)) => (name.to_string(), email.to_string()),
            None => (user("user.name", FALLBACK.0), user("user.email", FALLBACK.1)),
        };
        Identity { name, email, seconds }
    }
}

impl Identity {
    /// As git writes it in commits and logs.
    pub(super) fn signature(&self) -> Signature {
        Signature {
            name: BString::from(clean(&self.name, FALLBACK.0)),
            email: BString::from(clean(&self.email, FALLBACK.1)),
            time: Time::new(self.seconds, 0),
        }
    }
}

/// Leaves out what would break the line that the text stands in.
fn clean(text: &str, fallback: &str) -> String {
    let kept: String = text.chars().filter(|c| !matches!(c, '<' | '>') && !c.is_control()).collect();
    // git trims the same characters.
    let kept = kept.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ':' | ';' | '"' | '\\' | '\''));
    if kept.is_empty() { fallback.to_owned() } else { kept.to_owned() }
}

impl PackWriter<'_> {
    /// Adds a commit. It is never signed, whatever is configured; author and committer are the same.
    ///
    /// # Errors
    /// When the message holds a NUL, or when writing fails.
    pub fn commit(&mut self, tree: Oid, parents: &[Oid], message: &str, who: &Identity) -> Result<Oid> {
        if message.contains('\0') {
            return Err(Error::Unsupported {
                path: self.repo().git_dir().to_owned(),
                what: "a commit message with a NUL character".to_owned(),
            });
        }
        let mut message = message.trim_end().to_owned();
        message.push('\n');
        let commit = gix::objs::Commit {
            tree: tree.0,
            parents: parents.iter().map(|p| p.0).collect(),
            author: who.signature(),
            committer: who.signature(),
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        let mut bytes = Vec::new();
        commit.write_to(&mut bytes).map_err(Error::io(self.repo().git_dir()))?;
        self.add(Kind::Commit, bytes)
    }
}
