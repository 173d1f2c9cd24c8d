//! `actors.json`: every account that the tree names, once.

use std::collections::{BTreeMap, BTreeSet};

use super::view::View;
use crate::corpus::State;
use crate::forge::facets::Actor;
use crate::format::access::Access;
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{Json, Object};
use crate::format::time::Time;

/// The accounts met so far. One with an id is one account under all its logins.
#[derive(Default)]
pub(super) struct Actors(BTreeMap<(Option<u64>, String), Seen>);

struct Seen {
    /// When the login was met, which decides between two of them.
    at: Option<Time>,
    actor: Actor,
    associations: BTreeSet<String>,
    /// Logins beside the one that is shown here.
    others: BTreeSet<String>,
}

impl View<'_> {
    /// An account as other files show it.
    pub fn actor(&mut self, actor: &Actor, at: Option<Time>) -> Json<'static> {
        self.author(actor, None, at)
    }

    /// The author of something; their association is noted.
    pub fn author(&mut self, actor: &Actor, association: Option<&str>, at: Option<Time>) -> Json<'static> {
        self.actors.meet(actor, association, at);
        let mut out = Object::new();
        out.set_some("id", actor.id);
        out.set("login", self.login(&actor.login));
        Json::Object(out)
    }
}

impl Actors {
    fn meet(&mut self, actor: &Actor, association: Option<&str>, at: Option<Time>) {
        let login = if actor.id.is_none() { actor.login.to_ascii_lowercase() } else { String::new() };
        let seen = self.0.entry((actor.id, login)).or_insert_with(|| Seen {
            at,
            actor: actor.clone(),
            associations: BTreeSet::new(),
            others: BTreeSet::new(),
        });
        if actor.login != seen.actor.login && !seen.others.contains(&actor.login) {
            seen.others.insert(actor.login.clone());
        }
        if (at, &actor.login) > (seen.at, &seen.actor.login) {
            seen.at = at;
            let former = std::mem::replace(&mut seen.actor.login, actor.login.clone());
            seen.others.insert(former);
        }
        // Not every payload tells these; the one that does is believed.
        if seen.actor.node_id < actor.node_id {
            seen.actor.node_id.clone_from(&actor.node_id);
        }
        if seen.actor.account < actor.account {
            seen.actor.account.clone_from(&actor.account);
        }
        if let Some(association) = association.filter(|known| !seen.associations.contains(*known)) {
            seen.associations.insert(association.to_owned());
        }
    }
}

pub(super) fn render(state: &State, view: &mut View<'_>) {
    let seen = std::mem::take(&mut view.actors.0);
    if seen.is_empty() {
        return;
    }
    let mut rows = Vec::with_capacity(seen.len());
    for one in seen.values() {
        let mut row = Object::new();
        row.set_some("id", one.actor.id);
        let node_id = one.actor.node_id.as_deref().and_then(|id| view.structural(Facet::Header, id));
        row.set_some("nodeId", node_id);
        row.set("login", view.display(&one.actor.login));
        // What is found in a former login, which stands beside items only, is counted here too.
        for former in one.others.iter().filter(|login| **login != one.actor.login) {
            let _ = view.display(former);
        }
        let account = one.actor.account.as_deref().map(|account| view.display(account));
        row.set_some("account", account);
        let associations: Vec<_> = one.associations.iter().map(|word| view.display(word)).collect();
        row.set("associations", associations);
        row.set_some("role", state.roles.of(&one.actor).map(Access::name));
        rows.push(Json::Object(row));
    }
    let mut out = Object::new();
    out.set("actors", rows);
    view.add_json("actors.json", Role::Actors, &Json::Object(out), Object::new());
}
