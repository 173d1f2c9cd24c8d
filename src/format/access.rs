//! What an account may do in a repository: the roles of GitHub, to which those of other forges are mapped.

use std::str::FromStr;

/// A role, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the words say it")]
pub enum Access {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Access {
    /// Every role.
    pub const ALL: [Self; 6] = [Self::None, Self::Read, Self::Triage, Self::Write, Self::Maintain, Self::Admin];

    /// The weakest role of those who belong to a repository: reading, everyone may where it is public.
    pub const OF_MEMBERS: Self = Self::Triage;

    /// The name in trees, profiles and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Triage => "triage",
            Self::Write => "write",
            Self::Maintain => "maintain",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Access {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|access| access.name() == name).ok_or(())
    }
}
