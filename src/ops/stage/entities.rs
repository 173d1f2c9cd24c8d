//! What a stage is about: the entities that were asked for, and those that they link.

use std::collections::{BTreeMap, BTreeSet};

use super::{Event, Layout, Options};
use crate::corpus::{self, Linked, LinkedIs, Moment, Roles, State};
use crate::forge::facets::Actor;
use crate::forge::links::{Link, links};
use crate::format::digest::Digest;
use crate::format::entity::{Entity, Forge, Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::profile::{self, LinkedFrom, Profile, Trust};
use crate::ops::Error;
use crate::ops::load;
use crate::ops::wanted::Wanted;
use crate::store::facts::{Facts, Filed};
use crate::store::layout::OBSERVATIONS;

/// The states that a stage shows, and the looks that they were folded from.
#[derive(Default)]
pub(super) struct Entities {
    /// By id.
    pub states: Vec<State>,
    /// Those that were asked for.
    pub asked: Vec<Entity>,
    /// Observations by their path below `observations/`.
    pub used: BTreeMap<String, Digest>,
    trust: Trust,
    /// Of each repository, by the directory of the looks.
    roles: BTreeMap<String, Roles>,
    /// Of each host, the accounts of the logins that are refused.
    refused: BTreeMap<(Forge, String), Vec<Actor>>,
    /// The input that is the delivery, if it was there at the time that the stage is of.
    delivery: Option<Digest>,
}

/// Loads what is asked for, as the delivery saw it that sets off the stage, and what it links.
pub(super) fn entities(facts: &Facts<'_>, options: &Options<'_>) -> Result<Entities, Error> {
    let trust = &options.profile.trust;
    let delivery = options.event.filter(|event| event.is_before(options.profile)).map(|event| event.input);
    let mut all = Entities { trust: trust.clone(), delivery, ..Entities::default() };
    // The other layout admits comments and reviews; its entity is there whoever wrote it.
    let spares_entity = options.layout == Layout::EntityContextSnapshot;
    let mut states = all.asked_for(facts, options.wanted)?;
    for state in &mut states {
        if let Some(event) = options.event {
            state.set_off_by(event.delivery, event.is_before(options.profile));
        }
        // Before the links are drawn: what is not shown links nothing.
        corpus::admit(state, trust, spares_entity);
    }
    all.asked = states.iter().map(State::entity).collect();
    if let Some(linked) = options.profile.linked {
        let mut others = all.linked(facts, &mut states, linked)?;
        others.iter_mut().for_each(|state| corpus::admit(state, trust, spares_entity));
        states.extend(others);
    }
    states.sort_by_cached_key(State::entity);
    all.asked.sort();
    Ok(Entities { states, ..all })
}

impl Entities {
    /// The state that the looks below a directory fold to.
    fn load(&mut self, facts: &Facts<'_>, filed: Vec<Filed>) -> Result<Option<State>, Error> {
        let names = names(&filed);
        let moment = Moment { at: self.trust.as_of, head: self.trust.head.clone() };
        let mut state = load::state_at(facts, filed, &moment, self.delivery.as_ref())?;
        if let Some(state) = &mut state {
            self.used.extend(names);
            state.take_roles(self.roles(facts, &state.repository)?);
            state.met.extend(self.refused(facts, &state.repository)?);
        }
        Ok(state)
    }

    /// The accounts of the logins that are refused, where an account was looked at by itself, or any look on its host shows it.
    fn refused(&mut self, facts: &Facts<'_>, repository: &Repository) -> Result<Vec<Actor>, Error> {
        let (forge, host) = (repository.forge(), repository.host().to_owned());
        if self.trust.deny.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(known) = self.refused.get(&(forge, host.clone())) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        for login in &self.trust.deny {
            let filed =
                facts.observations(&Subject::Actor { forge, host: host.clone(), login: login.clone() }.dir())?;
            self.used.extend(names(&filed));
            found.extend(load::accounts(facts, filed, login)?);
        }
        for (filed, actors) in load::bearers(facts, forge, &host, &self.trust.deny)? {
            self.used.extend(names(&[filed]));
            found.extend(actors);
        }
        self.refused.insert((forge, host), found.clone());
        Ok(found)
    }

    /// What accounts may do in a repository, as far as it was observed.
    fn roles(&mut self, facts: &Facts<'_>, repository: &Repository) -> Result<Roles, Error> {
        let dir = format!("{}/{}", Subject::Repository(repository.clone()).dir(), Facet::Members.name());
        if let Some(known) = self.roles.get(&dir) {
            return Ok(known.clone());
        }
        let filed = facts.observations(&dir)?;
        self.used.extend(names(&filed));
        let roles = load::roles(facts, filed)?;
        self.roles.insert(dir, roles.clone());
        Ok(roles)
    }

    fn asked_for(&mut self, facts: &Facts<'_>, wanted: &[Wanted]) -> Result<Vec<State>, Error> {
        let mut found: BTreeMap<String, State> = BTreeMap::new();
        if wanted.is_empty() {
            for (_, paths) in facts.subjects()? {
                if let Some(state) = self.load(facts, facts.load(&paths)?)? {
                    found.insert(state.entity().to_string(), state);
                }
            }
            if found.is_empty() {
                return Err(Error::new("entity-not-found", "the facts are about no issue or pull request")
                    .hint("give the payload of the issue or pull request itself too, or name it with --entity"));
            }
        }
        for one in wanted {
            let filed = facts.observations(&one.subject.dir())?;
            let is_filed = !filed.is_empty();
            let state = self.load(facts, filed)?.ok_or_else(|| one.not_found(is_filed))?;
            let entity = state.entity();
            if one.kind.is_some_and(|kind| kind != entity.kind) {
                let kind = if entity.kind == Kind::Issue { "an issue" } else { "a pull request" };
                let message = format!("{} is {kind}", entity.number);
                return Err(Error::new("entity-not-found", message).hint(format!("its id is {entity}")));
            }
            found.insert(entity.to_string(), state);
        }
        Ok(found.into_values().collect())
    }

    /// Notes in each state what became of its links, and gives the states that are staged for them alone.
    fn linked(&mut self, facts: &Facts<'_>, asked: &mut [State], how: profile::Linked) -> Result<Vec<State>, Error> {
        let known = |state: &State| (state.entity().subject().dir(), state.entity());
        let mut there: BTreeMap<String, Option<Entity>> =
            asked.iter().map(known).map(|(dir, entity)| (dir, Some(entity))).collect();
        let mut others = Vec::new();
        let mut linked_by: BTreeMap<Entity, BTreeSet<Entity>> = BTreeMap::new();
        for state in asked.iter_mut() {
            let own = state.entity();
            let mut rows = Vec::new();
            let mut followed = 0;
            for link in links(&own.subject(), own.kind, &state.header, &state.timeline) {
                let is = if !may_follow(&link, &own, how.from) {
                    LinkedIs::Elsewhere
                } else if followed >= how.max {
                    LinkedIs::Beyond
                } else {
                    followed += 1;
                    match self.find(facts, &link, &mut there, &mut others)? {
                        Some(entity) => LinkedIs::Staged(entity),
                        None => LinkedIs::NotFiled,
                    }
                };
                if let LinkedIs::Staged(entity) = &is {
                    linked_by.entry(entity.clone()).or_default().insert(own.clone());
                }
                rows.push(Linked { link, is });
            }
            state.links = Some(rows);
        }
        for state in asked.iter_mut().chain(&mut others) {
            state.linked_by = linked_by.remove(&state.entity()).unwrap_or_default().into_iter().collect();
        }
        Ok(others)
    }

    fn find(
        &mut self,
        facts: &Facts<'_>,
        link: &Link,
        there: &mut BTreeMap<String, Option<Entity>>,
        others: &mut Vec<State>,
    ) -> Result<Option<Entity>, Error> {
        let dir = link.subject.dir();
        if let Some(found) = there.get(&dir) {
            return Ok(found.clone());
        }
        let state = self.load(facts, facts.observations(&dir)?)?;
        let entity = state.as_ref().map(State::entity);
        others.extend(state);
        there.insert(dir, entity.clone());
        Ok(entity)
    }
}

/// Observations by their path below `observations/`.
fn names(filed: &[Filed]) -> Vec<(String, Digest)> {
    let below = |filed: &Filed| Some((filed.path.strip_prefix(OBSERVATIONS)?[1..].to_owned(), filed.digest));
    filed.iter().filter_map(below).collect()
}

impl Event<'_> {
    /// Whether the delivery was there at the time that the stage is of.
    fn is_before(&self, profile: &Profile) -> bool {
        profile.trust.as_of.is_none_or(|at| self.delivery.at.is_some_and(|moment| moment <= at))
    }
}

fn may_follow(link: &Link, own: &Entity, from: LinkedFrom) -> bool {
    let same = link.subject.repository().is_some_and(|repository| repository.is_same(&own.repository));
    same || from == LinkedFrom::Any
}
