//! Whose texts are shown: what was written by an author whom the profile does not admit is taken out of the state, so that no page can
//! show it.
//!
//! The change itself (files, hunks, branches, how checks went, logs) is nobody's text: who wrote it is not known for certain.

use std::collections::{BTreeMap, BTreeSet};

use super::accounts::Named;
use super::strip;
use super::withheld::{check_name, is_marked, mark};
use super::{Coverage, GapCode, Roles, State};
use crate::forge::facets::{Actor, CheckOrigin, Event, Field, MIGRATED};
use crate::format::access::Access;
use crate::format::entity::Forge;
use crate::format::facet::Facet;
use crate::format::patch;
use crate::format::profile::{Admit, Bots, Trust};

/// What all facts tell of an account, or of several that cannot be told apart.
#[derive(Clone, Copy, Default)]
struct Account {
    is_bot: bool,
    /// Whether anything tells what kind of account it is.
    has_type: bool,
    /// Whether a login that it has or had is refused: as it is, and without what marks an application.
    is_denied: (bool, bool),
    /// Whether an association that it has somewhere is admitted, and whether one is not.
    admitted: (bool, bool),
}

/// A name of an account.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Id(u64),
    Node(String),
    Login(String),
}

/// The accounts by id, or by login where no id is told.
struct Accounts<'t> {
    trust: &'t Trust,
    roles: Roles,
    /// The refused logins without what marks an application.
    denied: BTreeSet<String>,
    /// Whether the forge tells bots from people, so that what nothing tells is unknown.
    tells_bots: bool,
    known: BTreeMap<Name, Account>,
    /// All that have or had a login, without what marks an application, as one.
    of_login: BTreeMap<String, Account>,
}

/// Takes out what the profile does not admit. `spares_entity` leaves title and body of the entity, whoever wrote them.
pub fn admit(state: &mut State, trust: &Trust, spares_entity: bool) {
    if trust.admits_everyone() {
        return;
    }
    let accounts = Accounts::of(state, trust);
    let header = accounts.refuse(&state.header.author, state.header.association.known().map(String::as_str));
    if !spares_entity {
        entity(state, &accounts, header);
    }
    timeline(state, &accounts, header);
    conversation(state, &accounts);
    commits(state, &accounts, header);
    checks(state, &accounts, header);
    reactions(state, &accounts);
    mails(state);
}

/// Title and body. A title is its author's unless the timeline shows who gave it.
fn entity(state: &mut State, accounts: &Accounts<'_>, header: Option<GapCode>) {
    // Who wrote what closes it or refers to it is not known; what it closes, its body may have said.
    (state.header.closers, state.header.related) = (Field::Unknown, Field::Unknown);
    if header.is_some() {
        state.header.closes = Field::Unknown;
    }
    let renamed: Vec<_> = state.timeline.iter().filter(|event| event.event == "renamed").collect();
    let given = state.header.title.known().and_then(|title| {
        renamed.iter().rev().find(|event| event.details.iter().any(|(name, to)| *name == "to" && to == title))
    });
    let title = given.map_or(header, |event| accounts.refuse_account(&event.actor));
    let gone = state.withheld.of(Facet::Header, "title").is_some();
    if let (Some(reason), Some(text), false) = (title, state.header.title.known(), gone) {
        let bytes = text.len();
        state.header.title = Field::Known(mark(reason));
        state.withhold(Facet::Header, "title".to_owned(), bytes, reason);
    }
    if let (Some(reason), false) = (header, state.header.body == Field::Unknown) {
        let bytes = strip::body(&mut state.header.body);
        state.withhold(Facet::Header, "body".to_owned(), bytes, reason);
    }
}

/// What an event says is by whom it is of. A new title names the one before, which is by someone else: by whom the rename before gave
/// it, or the first of all by the author. The note of a push names the titles of commits, which are asked for by the author.
fn timeline(state: &mut State, accounts: &Accounts<'_>, header: Option<GapCode>) {
    let is_whole = state.coverage.get(&Facet::Timeline).is_some_and(Coverage::is_complete);
    let mut before: Option<(Option<String>, Option<GapCode>)> = None;
    let mut refused = BTreeMap::new();
    for event in &state.timeline {
        let own = accounts.refuse_account(&event.actor);
        let detail = |name| event.details.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let others = match event.event.as_str() {
            "renamed" => {
                let from = match before.take() {
                    None if is_whole => header,
                    Some((to, reason)) if to.is_some() && to == detail("from") => reason,
                    _ => Some(GapCode::AdmissionUnknown),
                };
                before = Some((detail("to"), own));
                from
            }
            "pushed" => header,
            _ => None,
        };
        if let (Some(reason), false) = (own.or(others), event.details.is_empty()) {
            refused.insert(event.key.clone(), reason);
        }
    }
    let mut found = Vec::new();
    for event in &mut state.timeline {
        let Some(reason) = refused.remove(&event.key) else { continue };
        found.push((event.key.clone(), details(event), reason));
    }
    found.into_iter().for_each(|(key, bytes, reason)| state.withhold(Facet::Timeline, key, bytes, reason));
}

fn details(event: &mut Event) -> usize {
    std::mem::take(&mut event.details).iter().map(|(_, value)| value.len()).sum()
}

fn conversation(state: &mut State, accounts: &Accounts<'_>) {
    let mut found = Vec::new();
    for one in &mut state.comments {
        if let Some(reason) = accounts.refuse(&one.author, one.association.as_deref()) {
            found.push((Facet::Comments, one.id.to_string(), strip::body(&mut one.body), reason));
        }
    }
    for one in &mut state.reviews {
        if let Some(reason) = accounts.refuse(&one.author, one.association.as_deref()) {
            found.push((Facet::Reviews, one.id.to_string(), strip::body(&mut one.body), reason));
        }
    }
    for one in state.review_comments.iter_mut().map(|one| &mut one.comment) {
        if let Some(reason) = accounts.refuse(&one.author, one.association.as_deref()) {
            found.push((Facet::ReviewComments, one.id.to_string(), strip::body(&mut one.body), reason));
        }
    }
    found.into_iter().for_each(|(facet, id, bytes, reason)| state.withhold(facet, id, bytes, reason));
}

/// The author of a commit is a claim, so that whoever asks for it to be taken must be admitted, too.
fn commits(state: &mut State, accounts: &Accounts<'_>, header: Option<GapCode>) {
    let mut found = Vec::new();
    for commit in &mut state.commits {
        let Some(reason) = header.or_else(|| accounts.refuse_account(&commit.author)) else { continue };
        found.push((commit.sha.clone(), strip::commit(commit), reason));
    }
    found.into_iter().for_each(|(sha, bytes, reason)| state.withhold(Facet::Commits, sha, bytes, reason));
}

/// Checks are made by applications, of which only those that are refused are not shown. A commit status is by an account like others;
/// the title of a workflow run is that of the pull request, or the message of its commit.
fn checks(state: &mut State, accounts: &Accounts<'_>, header: Option<GapCode>) {
    let mut found = Vec::new();
    let both = [(Facet::Checks, &mut state.checks), (Facet::Statuses, &mut state.statuses)];
    for (facet, check) in both.into_iter().flat_map(|(facet, all)| all.iter_mut().map(move |check| (facet, check))) {
        let reporter = check.reporter.as_deref().map(str::to_ascii_lowercase);
        let reason = match (reporter, check.origin) {
            (Some(login), _) if accounts.denied.contains(bare(&login)) => Some(GapCode::NotAdmitted),
            (Some(login), CheckOrigin::Status) => {
                accounts.refuse_account(&Field::Known(Actor { login, ..Actor::default() }))
            }
            (None, CheckOrigin::Status) => accounts.refuse_account(&Field::Unknown),
            (_, CheckOrigin::WorkflowRun) => header,
            _ => None,
        };
        if let Some(reason) = reason {
            let bytes = strip::texts_of(check);
            found.push((facet, check_name(check), bytes, reason));
        }
    }
    found.into_iter().for_each(|(facet, key, bytes, reason)| state.withhold(facet, key, bytes, reason));
}

fn reactions(state: &mut State, accounts: &Accounts<'_>) {
    let all = state.reactions.iter_mut().chain(state.item_reactions.values_mut().flatten());
    // The first reason stands, as for all that is withheld: what came later is counted already.
    for reaction in all.filter(|reaction| !is_marked(&reaction.content)) {
        if let Some(reason) = accounts.refuse_account(&reaction.actor) {
            reaction.content = mark(reason);
            state.gaps.add(Facet::Reactions, reason, 1);
        }
    }
}

/// What stands in a series of patches between the changes is a message, and no forge says whose.
fn mails(state: &mut State) {
    let Some(text) = &state.diff else { return };
    let Ok(read) = patch::read(text) else { return };
    let changes: Vec<u8> = read.files.iter().flat_map(|file| &text[file.range.clone()]).copied().collect();
    let bytes = text.len() - changes.len();
    if bytes > 0 {
        state.diff = Some(changes);
        state.withhold(Facet::Diff, String::new(), bytes, GapCode::AdmissionUnknown);
    }
}

impl Account {
    fn add(&mut self, other: Self) {
        self.is_bot |= other.is_bot;
        self.has_type |= other.has_type;
        self.is_denied = (self.is_denied.0 | other.is_denied.0, self.is_denied.1 | other.is_denied.1);
        self.admitted = (self.admitted.0 | other.admitted.0, self.admitted.1 | other.admitted.1);
    }
}

impl<'t> Accounts<'t> {
    fn of(state: &State, trust: &'t Trust) -> Self {
        let denied = trust.deny.iter().map(|login| bare(login).to_owned()).collect();
        let tells_bots = state.repository.forge() == Forge::GitHub;
        let (roles, known, of_login) = (state.roles.clone(), BTreeMap::new(), BTreeMap::new());
        let mut all = Self { trust, roles, denied, tells_bots, known, of_login };
        let reviews = state.reviews.iter().map(|review| (&review.author, review.association.as_deref()));
        let comments = state.comments.iter().chain(state.review_comments.iter().map(|comment| &comment.comment));
        let comments = comments.map(|comment| (&comment.author, comment.association.as_deref()));
        let header = (&state.header.author, state.header.association.known().map(String::as_str));
        let reactions = state.reactions.iter().chain(state.item_reactions.values().flatten());
        let actors = state.timeline.iter().map(|event| &event.actor).chain(reactions.map(|reaction| &reaction.actor));
        let actors = actors.chain(state.commits.iter().map(|commit| &commit.author)).map(|actor| (actor, None));
        let shown = || comments.clone().chain(reviews.clone()).chain(actors.clone()).chain([header]);
        let shown = || shown().filter_map(|(actor, association)| Some((actor.known()?, association)));
        // Of what is no longer shown only who it was counts: an association is that of a version.
        let met = || shown().chain(state.met.iter().chain(&state.roles.met).map(|actor| (actor, None)));
        for (actor, association) in met() {
            let told = all.told(actor, association);
            names(actor).for_each(|name| all.known.entry(name).or_default().add(told));
        }
        // What only one of its ids tells of an account holds by the other, too.
        for (actor, _) in met().filter(|(actor, _)| actor.id.is_some() && actor.node_id.is_some()) {
            let account = all.known_of(actor);
            names(actor).for_each(|name| all.known.entry(name).or_default().add(account));
        }
        for (actor, _) in met() {
            let account = all.known_of(actor);
            all.of_login.entry(bare(&actor.login.to_ascii_lowercase()).to_owned()).or_default().add(account);
        }
        all
    }

    /// What one item tells of an account.
    fn told(&self, actor: &Actor, association: Option<&str>) -> Account {
        let login = actor.login.to_ascii_lowercase();
        let admitted = association.map(|word| self.trust.admit.has(word));
        Account {
            is_bot: is_bot(actor),
            has_type: actor.account.is_some(),
            is_denied: (self.trust.deny.contains(&login), self.denied.contains(bare(&login))),
            admitted: (admitted == Some(true), admitted == Some(false)),
        }
    }

    /// Why what an account did is not shown, where nothing is said of its association there: what is said elsewhere counts, if it is one thing.
    fn refuse_account(&self, actor: &Field<Actor>) -> Option<GapCode> {
        let (yes, no) = actor.known().map_or((false, false), |actor| self.account(actor).admitted);
        self.decide(actor, (yes != no).then_some(yes))
    }

    /// Why an item is not shown; `None` for one that is. The list of refused logins comes first, then that of admitted ones.
    fn refuse(&self, author: &Field<Actor>, association: Option<&str>) -> Option<GapCode> {
        match association {
            None => self.refuse_account(author),
            Some(word) => self.decide(author, Some(self.trust.admit.has(word))),
        }
    }

    /// What is told of an account: by its id, and where none is told, of all that have or had its login. An association is that of one.
    fn account(&self, actor: &Actor) -> Account {
        let mut account = self.known_of(actor);
        let own = actor.node_id.as_ref().map_or((false, false), |_| account.admitted);
        if actor.id.is_none() {
            let same = self.of_login.get(bare(&actor.login.to_ascii_lowercase()));
            account.add(same.copied().unwrap_or_default());
            // Under a login of several each may be refused for what another is, and none is heard for it.
            if self.roles.logins.named(actor) == Named::Shared {
                account.admitted = own;
            }
        }
        account
    }

    /// What is told of an account under any of its names.
    fn known_of(&self, actor: &Actor) -> Account {
        let mut account = Account::default();
        names(actor).filter_map(|name| self.known.get(&name)).for_each(|known| account.add(*known));
        account
    }

    /// Whether the role of an account is enough, when it is known and counts.
    fn verified(&self, actor: &Actor) -> Option<bool> {
        let least = match &self.trust.admit {
            Admit::Members => Access::OF_MEMBERS,
            Admit::Role(least) => *least,
            Admit::All | Admit::Association(_) => return None,
        };
        let outside = || self.roles.leaves_out(actor).then_some(false);
        self.roles.of(actor).map(|access| access >= least).or_else(outside)
    }

    fn decide(&self, author: &Field<Actor>, admitted: Option<bool>) -> Option<GapCode> {
        let Some(actor) = author.known() else {
            // Whoever wrote it may be on the list.
            let unknown = self.trust.admit != Admit::All || !self.trust.deny.is_empty();
            return unknown.then_some(GapCode::AdmissionUnknown);
        };
        let mut account = self.account(actor);
        account.add(self.told(actor, None));
        let Account { is_bot: bot, has_type: typed, is_denied: (denied, denied_bare), .. } = account;
        // The login of an application is written with different marks, of which people have none.
        let is_person = typed && !bot;
        if denied || (!is_person && denied_bare) {
            return Some(GapCode::NotAdmitted);
        }
        let login = actor.login.to_ascii_lowercase();
        let migrated = is_migrated(actor);
        if self.trust.allow.contains(&login) && !migrated {
            return None;
        }
        if self.trust.bots == Bots::Exclude && (bot || (!typed && self.tells_bots)) {
            return Some(if bot { GapCode::NotAdmitted } else { GapCode::AdmissionUnknown });
        }
        let verified = if bot { None } else { self.verified(actor) };
        let admitted = verified.or(admitted.filter(|_| self.trust.admit.role().is_none())).filter(|_| !migrated);
        match (&self.trust.admit, admitted) {
            (Admit::All, _) | (_, Some(true)) => None,
            (_, Some(false)) => Some(GapCode::NotAdmitted),
            (_, None) => Some(GapCode::AdmissionUnknown),
        }
    }
}

/// What tells one account from another: its ids, and where none is told its login.
fn names(actor: &Actor) -> impl Iterator<Item = Name> {
    let node = actor.node_id.clone().map(Name::Node);
    let is_told = actor.id.is_some() || node.is_some();
    let login = (!is_told).then(|| Name::Login(actor.login.to_ascii_lowercase()));
    actor.id.map(Name::Id).into_iter().chain(node).chain(login)
}

/// A login in lower case without what marks an application: `app/name` and `name[bot]` are one account.
pub fn bare(login: &str) -> &str {
    let name = login.strip_prefix("app/").unwrap_or(login);
    name.strip_suffix("[bot]").unwrap_or(name)
}

/// Whether it is the account of another forge, which is nobody here.
pub(super) fn is_migrated(actor: &Actor) -> bool {
    actor.account.as_deref() == Some(MIGRATED)
}

/// As the forge says: by its type, or by the mark in its login.
pub(super) fn is_bot(actor: &Actor) -> bool {
    let login = actor.login.to_ascii_lowercase();
    actor.account.as_deref() == Some("Bot") || login.ends_with("[bot]") || login.starts_with("app/")
}
