//! What accounts may do in the repository, as far as it was observed. A role has no time of the forge: the newest look tells what it is,
//! and nothing tells what it was.

use std::collections::{BTreeMap, BTreeSet};

use super::accounts::{self, Logins, Named};
use super::admit::{is_bot, is_migrated};
use super::set::{self, Look};
use super::{GapCode, LoadedLook, State};
use crate::forge::facets::{Actor, Field, Item};
use crate::format::access::Access;
use crate::format::facet::Facet;

/// The roles of a repository.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Roles {
    by_id: BTreeMap<u64, Role>,
    /// Whom a login stands for, by all looks at the thread and at the members.
    pub(super) logins: Logins,
    /// Those that a newer list of all members leaves out.
    gone: BTreeSet<u64>,
    /// Whether whoever is not named here is no member.
    is_all: bool,
    /// Every member as any look shows it.
    pub(super) met: Vec<Actor>,
    /// What is missing whoever it is about: members that cannot be told apart, elements that are not there.
    faults: Vec<(GapCode, u64)>,
}

/// A role, or why it is not known.
type Role = Result<Access, GapCode>;

/// Folds the looks at the members of one repository.
pub fn roles(mut looks: Vec<LoadedLook>) -> Roles {
    looks.retain(|look| look.facet == Facet::Members);
    looks.sort_by_key(|look| (look.rank(), look.digest));
    looks.dedup_by(|later, earlier| later.digest == earlier.digest && later.rank() == earlier.rank());
    let met = accounts::met(&looks);
    let folded = set::fold(looks.into_iter().map(|look| Look::new(look, None, None)).collect(), None);
    let mut roles = Roles { is_all: folded.complete && folded.partial_since.is_none(), met, ..Roles::default() };
    let nameless = folded.invalid - folded.odd.len() as u64;
    roles.faults = vec![
        (GapCode::InvalidMetadata, nameless),
        (GapCode::OutsideProfile, folded.outside_profile),
        (GapCode::ElementMissing, folded.missing),
    ];
    let known = folded.members.into_iter().map(|item| (item, false));
    for (item, is_gone) in known.chain(folded.gone.into_iter().map(|item| (item, true))) {
        let contested = folded.contested.contains(&item.key());
        let Item::Member(member) = item else { continue };
        if is_gone && !contested {
            roles.gone.insert(member.id);
            continue;
        }
        // What only a digest chose is nobody's role.
        let role = if contested { Err(GapCode::OrderAmbiguous) } else { member.access.ok_or(GapCode::InvalidMetadata) };
        roles.by_id.insert(member.id, role);
    }
    roles
}

impl Roles {
    /// The role of an account, when it is known. A login stands for an account whose id is not told, if it is that of no other. A bot
    /// has none.
    pub fn of(&self, actor: &Actor) -> Option<Access> {
        self.role(actor)?.ok()
    }

    /// Every member as any look shows it.
    pub fn met(&self) -> &[Actor] {
        &self.met
    }

    /// Whether an account has no role at all, since all members are known and it is none. `None` where a login alone does not tell: it may
    /// be that of a member, or of whom they leave out.
    pub(super) fn leaves_out(&self, actor: &Actor) -> Option<bool> {
        let is_known = self.is_all || !self.gone.is_empty();
        match self.logins.named(actor) {
            Named::One(id) => Some(self.gone.contains(&id) || self.is_all && !self.by_id.contains_key(&id)),
            Named::Shared => (!is_known && self.by_id.is_empty()).then_some(false),
            Named::Unmet => (!self.is_all).then_some(false),
        }
    }

    fn role(&self, actor: &Actor) -> Option<Role> {
        match self.logins.named(actor) {
            Named::One(id) if !is_migrated(actor) && !is_bot(actor) && !self.logins.is_bot(id) => {
                self.by_id.get(&id).copied()
            }
            _ => None,
        }
    }
}

impl State {
    /// Takes the roles of the repository; those of authors that cannot be read are gaps.
    pub fn take_roles(&mut self, mut roles: Roles) {
        roles.logins = Logins::of(self.met.iter().chain(&roles.met));
        let comments = self.comments.iter().chain(self.review_comments.iter().map(|comment| &comment.comment));
        let authors = comments.map(|comment| &comment.author).chain(self.reviews.iter().map(|review| &review.author));
        let all: BTreeSet<_> = authors
            .chain([&self.header.author])
            .filter_map(Field::known)
            .filter_map(|actor| Some((actor.id, actor.login.to_ascii_lowercase(), roles.role(actor)?.err()?)))
            .collect();
        for (_, _, code) in all {
            self.gaps.add(Facet::Members, code, 1);
        }
        for (code, count) in &roles.faults {
            self.gaps.add(Facet::Members, *code, *count);
        }
        self.roles = roles;
    }
}
