//! Whom a stage believes, and of which moment it is: admission of authors, as-of time, pinned head.

use std::collections::BTreeSet;

use super::{NotAProfile, text::refused};
use crate::format::access::Access;
use crate::format::json::{Json, Object};
use crate::format::time::Time;

/// What GitHub says of an author in `author_association`.
pub const ASSOCIATIONS: [&str; 8] =
    ["COLLABORATOR", "CONTRIBUTOR", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN", "MEMBER", "NONE", "OWNER"];

/// The associations of members.
pub const MEMBERS: [&str; 3] = ["COLLABORATOR", "MEMBER", "OWNER"];

/// The roles that can be asked for.
pub const ROLES: [Access; 5] = [Access::Read, Access::Triage, Access::Write, Access::Maintain, Access::Admin];

/// The most logins in a list of a profile.
const MAX_LOGINS: usize = 1000;

/// Whose texts are shown, and those of which moment and head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trust {
    /// Whose texts are shown.
    pub admit: Admit,
    /// Logins that are admitted whatever else is said of them, in lower case.
    pub allow: BTreeSet<String>,
    /// Logins that are never admitted, in lower case.
    pub deny: BTreeSet<String>,
    /// Whether bots are authors like others.
    pub bots: Bots,
    /// What was made or edited after this time is not shown.
    pub as_of: Option<Time>,
    /// The commit to which files, commits, diff and checks must belong: 40 or 64 lower-case hex digits.
    pub head: Option<String>,
}

/// Who is admitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Admit {
    /// Everyone, also an author who is not known.
    #[default]
    All,
    /// Who has a role of members, and of whom no role is known whose association is one of members, as the forge says.
    Members,
    /// Who is known to have this role or a stronger one; no association counts.
    Role(Access),
    /// Authors with one of these associations; nobody where there is none.
    Association(BTreeSet<String>),
}

/// What becomes of the texts of bots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bots {
    /// They are admitted as those of people are.
    #[default]
    Include,
    /// They are not admitted, unless the bot is on the list of those who are.
    Exclude,
}

impl Admit {
    /// Whether an association is one of those that are admitted.
    pub fn has(&self, association: &str) -> bool {
        match self {
            Self::All => true,
            Self::Role(_) => false,
            Self::Members => MEMBERS.contains(&association),
            Self::Association(words) => words.contains(association),
        }
    }

    /// The role that alone counts.
    pub fn role(&self) -> Option<Access> {
        if let Self::Role(access) = self { Some(*access) } else { None }
    }

    /// Reads `all`, `members`, `role:write` or `association:OWNER,MEMBER`, the words in any case.
    ///
    /// # Errors
    /// What is wrong, for the person who wrote it.
    pub fn read(text: &str) -> Result<Self, String> {
        match text {
            "all" => return Ok(Self::All),
            "members" => return Ok(Self::Members),
            _ => {}
        }
        if let Some(role) = text.strip_prefix("role:") {
            let least = role.to_ascii_lowercase().parse().ok().and_then(Self::least);
            let names = || ROLES.map(Access::name).join(", ");
            return least.ok_or_else(|| format!("there is no role {role:?} to ask for; there are {}", names()));
        }
        let list = text.strip_prefix("association:").ok_or("it is all, members, role:ROLE or association:LIST")?;
        let words = list.split(',').map(|word| {
            let word = word.trim().to_ascii_uppercase();
            if ASSOCIATIONS.contains(&word.as_str()) {
                Ok(word)
            } else {
                Err(format!("there is no association {word:?}; there are {}", ASSOCIATIONS.join(", ")))
            }
        });
        words.collect::<Result<_, _>>().map(Self::Association)
    }

    /// Whoever has a role may be asked for one, but not for none.
    fn least(access: Access) -> Option<Self> {
        ROLES.contains(&access).then_some(Self::Role(access))
    }

    fn to_json(&self) -> Json<'static> {
        match self {
            Self::All => Json::from("all"),
            Self::Members => Json::from("members"),
            Self::Role(access) => Json::from(format!("role:{}", access.name())),
            Self::Association(words) => Json::Array(words.iter().cloned().map(Json::from).collect()),
        }
    }
}

impl Bots {
    /// The name in a profile.
    pub fn name(self) -> &'static str {
        match self {
            Self::Include => "include",
            Self::Exclude => "exclude",
        }
    }
}

/// A login as it is compared: forges do not tell the letters of one apart by their case. `None` for what is none.
pub fn login(text: &str) -> Option<String> {
    let text = text.strip_prefix('@').unwrap_or(text);
    let plain = (1..=255).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    plain.then(|| text.to_ascii_lowercase())
}

/// A commit, in lower case; `None` for a name that is short or none.
pub fn commit(text: &str) -> Option<String> {
    let hex = matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then(|| text.to_ascii_lowercase())
}

impl Trust {
    /// The names of the members in a profile.
    pub(super) const NAMES: [&'static str; 6] = ["admit", "allowAuthors", "asOf", "bots", "denyAuthors", "head"];

    /// Whether nobody is refused, so that it does not matter who wrote something.
    pub fn admits_everyone(&self) -> bool {
        self.admit == Admit::All && self.deny.is_empty() && self.bots == Bots::Include
    }

    pub(super) fn set(&self, out: &mut Object<'static>) {
        let logins = |list: &BTreeSet<String>| Json::Array(list.iter().cloned().map(Json::from).collect());
        out.set("admit", self.admit.to_json()).set("bots", self.bots.name());
        out.set("allowAuthors", logins(&self.allow)).set("denyAuthors", logins(&self.deny));
        out.set("asOf", self.as_of.map(|time| time.to_string())).set("head", self.head.clone());
    }

    /// Reads the members; one that is absent is as if it were not limited.
    pub(super) fn from_json(profile: &Json<'_>) -> Result<Self, NotAProfile> {
        let absent = |name: &str| matches!(profile.get(name), None | Some(Json::Null));
        let text = |name: &str| profile.get(name).and_then(Json::as_str);
        Ok(Self {
            admit: admit(profile.get("admit"))?,
            allow: logins(profile, "allowAuthors")?,
            deny: logins(profile, "denyAuthors")?,
            bots: match profile.get("bots").map(Json::as_str) {
                None | Some(Some("include")) => Bots::Include,
                Some(Some("exclude")) => Bots::Exclude,
                Some(_) => return Err(refused("bots")),
            },
            as_of: match text("asOf") {
                None if absent("asOf") => None,
                given => Some(given.and_then(|text| text.parse().ok()).ok_or_else(|| refused("asOf"))?),
            },
            head: match text("head") {
                None if absent("head") => None,
                given => Some(
                    given.filter(|text| commit(text).as_deref() == given).ok_or_else(|| refused("head"))?.to_owned(),
                ),
            },
        })
    }
}

fn admit(value: Option<&Json<'_>>) -> Result<Admit, NotAProfile> {
    let refused = || refused("admit");
    match value {
        None => Ok(Admit::All),
        Some(Json::Array(words)) => {
            let known = |word: &Json<'_>| word.as_str().filter(|word| ASSOCIATIONS.contains(word)).map(str::to_owned);
            let read: Option<BTreeSet<_>> = words.iter().map(known).collect();
            // A word that stands twice was meant to be another.
            read.filter(|read| read.len() == words.len()).map(Admit::Association).ok_or_else(refused)
        }
        Some(word) => match word.as_str() {
            Some("all") => Ok(Admit::All),
            Some("members") => Ok(Admit::Members),
            Some(word) => {
                let role = word.strip_prefix("role:").and_then(|role| role.parse().ok());
                role.and_then(Admit::least).ok_or_else(refused)
            }
            None => Err(refused()),
        },
    }
}

fn logins(profile: &Json<'_>, name: &str) -> Result<BTreeSet<String>, NotAProfile> {
    let Some(list) = profile.get(name) else { return Ok(BTreeSet::new()) };
    let list = list.as_array().filter(|list| list.len() <= MAX_LOGINS).ok_or_else(|| refused(name))?;
    let read = list.iter().map(|one| one.as_str().and_then(login)).collect::<Option<BTreeSet<_>>>();
    read.ok_or_else(|| refused(name))
}
