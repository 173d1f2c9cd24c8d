//! Whose texts are shown: what was written by an author whom the profile does not admit is taken out of the state, so that no page can
//! show it.
//!
//! The change itself (files, hunks, branches, how checks went, logs) is nobody's text: who wrote it is not known for certain.

use std::collections::{BTreeMap, BTreeSet};

use super::strip;
use super::withheld::{check_name, mark};
use super::{GapCode, State};
use crate::forge::facets::{Actor, Event, Field, Item};
use crate::format::facet::Facet;
use crate::format::patch;
use crate::format::profile::{Admit, Bots, Trust};

/// What all facts tell of an account.
#[derive(Default)]
struct Account {
    is_bot: bool,
    logins: BTreeSet<String>,
    associations: BTreeSet<String>,
}

/// The accounts by id, or by login where no id is told.
struct Accounts<'t> {
    trust: &'t Trust,
    known: BTreeMap<(Option<u64>, String), Account>,
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
    checks(state, trust);
    reactions(state, &accounts);
    mails(state);
}

/// Title and body. A title is its author's unless the timeline shows who gave it.
fn entity(state: &mut State, accounts: &Accounts<'_>, header: Option<GapCode>) {
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

/// What an event says is by whom it is of; a new title names the one before, which is by someone else.
fn timeline(state: &mut State, accounts: &Accounts<'_>, header: Option<GapCode>) {
    let mut before = header;
    let mut refused = Vec::new();
    for event in &state.timeline {
        let own = accounts.refuse_account(&event.actor);
        let renames = event.event == "renamed";
        if let (Some(reason), false) = (own.or(before.filter(|_| renames)), event.details.is_empty()) {
            refused.push((event.key.clone(), reason));
        }
        if renames {
            before = own;
        }
    }
    let mut refused: BTreeMap<String, GapCode> = refused.into_iter().collect();
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
        let mut item = Item::Commit(commit.clone());
        let bytes = strip::strip(&mut item);
        found.push((commit.sha.clone(), bytes, reason));
        if let Item::Commit(stripped) = item {
            *commit = stripped;
        }
    }
    found.into_iter().for_each(|(sha, bytes, reason)| state.withhold(Facet::Commits, sha, bytes, reason));
}

/// Checks are made by applications and have no author; but nothing is shown of one whose login is refused.
fn checks(state: &mut State, trust: &Trust) {
    let mut found = Vec::new();
    let both = [(Facet::Checks, &mut state.checks), (Facet::Statuses, &mut state.statuses)];
    for (facet, check) in both.into_iter().flat_map(|(facet, all)| all.iter_mut().map(move |check| (facet, check))) {
        let reporter = check.reporter.as_deref().map(str::to_ascii_lowercase).unwrap_or_default();
        if trust.deny.contains(&reporter) || trust.deny.contains(&format!("{reporter}[bot]")) {
            let bytes = strip::texts_of(check);
            found.push((facet, check_name(check), bytes, GapCode::NotAdmitted));
        }
    }
    found.into_iter().for_each(|(facet, key, bytes, reason)| state.withhold(facet, key, bytes, reason));
}

fn reactions(state: &mut State, accounts: &Accounts<'_>) {
    for reaction in state.reactions.iter_mut().chain(state.item_reactions.values_mut().flatten()) {
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

impl<'t> Accounts<'t> {
    fn of(state: &State, trust: &'t Trust) -> Self {
        let mut all = Self { trust, known: BTreeMap::new() };
        all.meet(&state.header.author, state.header.association.known().map(String::as_str));
        let reviews = state.reviews.iter().map(|review| (&review.author, &review.association));
        let comments = state.comments.iter().chain(state.review_comments.iter().map(|comment| &comment.comment));
        for (author, association) in comments.map(|comment| (&comment.author, &comment.association)).chain(reviews) {
            all.meet(author, association.as_deref());
        }
        let reactions = state.reactions.iter().chain(state.item_reactions.values().flatten());
        let actors = state.timeline.iter().map(|event| &event.actor).chain(reactions.map(|reaction| &reaction.actor));
        actors.chain(state.commits.iter().map(|commit| &commit.author)).for_each(|actor| all.meet(actor, None));
        all
    }

    fn meet(&mut self, actor: &Field<Actor>, association: Option<&str>) {
        let Some(actor) = actor.known() else { return };
        let account = self.known.entry(name(actor)).or_default();
        account.is_bot |= is_bot(actor);
        account.logins.insert(actor.login.to_ascii_lowercase());
        account.associations.extend(association.map(str::to_owned));
    }

    /// Why what an account did is not shown, where nothing is said of its association there: what is said elsewhere counts, if it is one thing.
    fn refuse_account(&self, actor: &Field<Actor>) -> Option<GapCode> {
        let account = actor.known().and_then(|actor| self.known.get(&name(actor)));
        let admitted: BTreeSet<bool> = account
            .iter()
            .flat_map(|account| &account.associations)
            .map(|association| self.trust.admit.has(association))
            .collect();
        self.decide(actor, admitted.first().copied().filter(|_| admitted.len() == 1))
    }

    /// Why an item is not shown; `None` for one that is. The list of refused logins comes first, then that of admitted ones.
    fn refuse(&self, author: &Field<Actor>, association: Option<&str>) -> Option<GapCode> {
        match association {
            None => self.refuse_account(author),
            Some(word) => self.decide(author, Some(self.trust.admit.has(word))),
        }
    }

    fn decide(&self, author: &Field<Actor>, admitted: Option<bool>) -> Option<GapCode> {
        let Some(actor) = author.known() else {
            // Whoever wrote it may be on the list.
            let unknown = self.trust.admit != Admit::All || !self.trust.deny.is_empty();
            return unknown.then_some(GapCode::AdmissionUnknown);
        };
        let account = self.known.get(&name(actor));
        let login = actor.login.to_ascii_lowercase();
        // Where no type is told, a bot may stand there without its mark.
        let marked = format!("{login}[bot]");
        let mut logins: Vec<&str> = account.iter().flat_map(|one| &one.logins).map(String::as_str).collect();
        logins.push(&login);
        if actor.account.is_none() {
            logins.push(&marked);
        }
        if logins.iter().any(|login| self.trust.deny.contains(*login)) {
            return Some(GapCode::NotAdmitted);
        }
        if self.trust.allow.contains(&login) {
            return None;
        }
        let bot = is_bot(actor) || account.is_some_and(|account| account.is_bot);
        if bot && self.trust.bots == Bots::Exclude {
            return Some(GapCode::NotAdmitted);
        }
        match (&self.trust.admit, admitted) {
            (Admit::All, _) | (_, Some(true)) => None,
            (_, Some(false)) => Some(GapCode::NotAdmitted),
            (_, None) => Some(GapCode::AdmissionUnknown),
        }
    }
}

/// What tells one account from another.
fn name(actor: &Actor) -> (Option<u64>, String) {
    let login = if actor.id.is_none() { actor.login.to_ascii_lowercase() } else { String::new() };
    (actor.id, login)
}

/// As the forge says: by its type, or by the mark in its login.
fn is_bot(actor: &Actor) -> bool {
    actor.account.as_deref() == Some("Bot") || actor.login.to_ascii_lowercase().ends_with("[bot]")
}
