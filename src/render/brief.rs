//! The part of `summary.md` that a reader in a hurry needs: what wants attention, and where it stands.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::checks::went_well;
use super::logs;
use super::markdown::inline;
use super::view::View;
use crate::corpus::{GapCode, State, check_name, stem};
use crate::forge::facets::{Actor, Check, CheckOrigin, Field, Id, Review, ReviewState};
use crate::format::facet::Facet;
use crate::format::index::{Entry, Role};
use crate::format::json::Json;

/// The most bytes of a name.
const TEXT: usize = 80;

/// What wants attention, a line each; nothing where nothing does.
pub(super) fn append(page: &mut String, state: &State, view: &View<'_>) {
    let lines = [
        threads(state, view),
        reviews(state, view),
        checks(state, view),
        diff(view),
        withheld(state, view),
        links(view),
    ];
    let lines: Vec<_> = lines.into_iter().flatten().collect();
    if lines.is_empty() {
        return;
    }
    page.push_str("\n## Where to look\n\n");
    lines.iter().for_each(|line| page.push_str(&format!("- {line}\n")));
}

fn of<'v>(view: &'v View<'_>, role: Role) -> impl Iterator<Item = &'v Entry> {
    view.entries.iter().filter(move |entry| entry.role == role)
}

pub(super) fn is_true(entry: &Entry, name: &str) -> bool {
    entry.about.get(name) == Some(&Json::Bool(true))
}

/// Whether a row is of what was made after the time of the stage: then nobody is sent there.
pub(super) fn is_later(state: &State, entry: &Entry) -> bool {
    let reason = entry.about.get("withheld").and_then(|row| row.get("reason")).and_then(Json::as_str);
    let root = || {
        let id = entry.about.get("source")?.get("id")?;
        let id = id.as_u64().map_or_else(|| id.as_str().unwrap_or_default().to_owned(), |id| id.to_string());
        state.withheld.of(Facet::ReviewComments, &id)
    };
    match entry.role {
        Role::Thread => root().is_some_and(|withheld| withheld.reason == GapCode::AfterAsOf),
        _ => reason == Some(GapCode::AfterAsOf.name()),
    }
}

/// The same of a check.
pub(super) fn is_later_check(state: &State, check: &Check) -> bool {
    let withheld = state.withheld.of(super::checks::scope(check), &check_name(check));
    withheld.is_some_and(|withheld| withheld.reason == GapCode::AfterAsOf)
}

fn threads(state: &State, view: &View<'_>) -> Option<String> {
    let of = || of(view, Role::Thread).filter(|entry| !is_later(state, entry));
    let all = of().count();
    let resolved = of().filter(|entry| is_true(entry, "resolved")).count();
    let unknown = of().filter(|entry| entry.about.get("resolved").is_none()).count();
    let told = if unknown > 0 { format!(" (of {unknown} nothing tells it)") } else { String::new() };
    (all > resolved).then(|| {
        format!(
            "{} of {all} review threads are not known to be resolved{told}: `unresolvedFirst` and `byFile` in threads.json, texts in \
             threads/",
            all - resolved
        )
    })
}

/// The reviews that ask for changes, unless the same account approved later, or a review of it was dismissed.
fn reviews(state: &State, view: &View<'_>) -> Option<String> {
    let decides = |review: &&Review| {
        matches!(review.state, Some(ReviewState::Approved | ReviewState::ChangesRequested | ReviewState::Dismissed))
    };
    let path = |review: &Review| format!("reviews/{}.md", stem(review.submitted_at, &review.id));
    let mut last: BTreeMap<String, &Review> = BTreeMap::new();
    for review in state.reviews.iter().filter(decides) {
        let who = match &review.author {
            Field::Known(Actor { id: Some(id), .. }) => format!("account {id}"),
            Field::Known(actor) => format!("login {}", actor.login),
            // Nobody knows whether two of these are one.
            Field::Null | Field::Unknown => format!("review {}", review.id),
        };
        last.insert(who, review);
    }
    let asks = |review: &&&Review| {
        review.state == Some(ReviewState::ChangesRequested) && view.files.contains_key(&path(review))
    };
    let count = last.values().filter(asks).count();
    (count > 0).then(|| format!("{count} reviews ask for changes: reviews/"))
}

/// The commit whose checks count: the one that the stage is pinned to, else the head.
pub(super) fn head<'s>(state: &'s State, view: &View<'s>) -> Option<&'s str> {
    let pinned = view.profile.and_then(|profile| profile.trust.head.as_deref());
    pinned.or_else(|| state.header.head.known().and_then(|head| head.sha.as_deref()))
}

/// Whether a check is known to be of another commit.
pub(super) fn is_elsewhere(check: &Check, head: Option<&str>) -> bool {
    check.head_sha.as_deref().zip(head).is_some_and(|(own, head)| own != head)
}

/// The commit statuses that a later one of the same context and commit replaces, by id.
pub(super) fn replaced(state: &State) -> HashSet<&Id> {
    let mut last: HashMap<_, &Check> = HashMap::new();
    let mut replaced = HashSet::new();
    for status in state.statuses.iter().filter(|status| status.created_at.is_some() && !is_later_check(state, status)) {
        let key = (&status.name, &status.head_sha);
        let order = |status: &Check| (status.created_at, status.id.clone());
        match last.get(&key) {
            Some(other) if order(other) > order(status) => drop(replaced.insert(&status.id)),
            other => {
                replaced.extend(other.map(|other| &other.id));
                last.insert(key, status);
            }
        }
    }
    replaced
}

/// The checks of the head that are not known to have gone well, and how many those of other commits are.
fn checks(state: &State, view: &View<'_>) -> Option<String> {
    let (head, replaced) = (head(state, view), replaced(state));
    let shown = |check: &&Check| view.files.contains_key(&super::checks::path(check)) && !is_later_check(state, check);
    let counts = |check: &&Check| !(check.origin == CheckOrigin::Status && replaced.contains(&check.id));
    let all = state.checks.iter().chain(&state.statuses).filter(shown).filter(counts);
    let (others, open): (Vec<_>, Vec<_>) =
        all.filter(|check| !went_well(check)).partition(|check| is_elsewhere(check, head));
    let names: Vec<_> = open.iter().take(5).map(|check| inline(view, &check.name, TEXT)).collect();
    let more = if open.len() > names.len() { ", …" } else { "" };
    let of_head = (!open.is_empty())
        .then(|| format!("{} checks are not known to have gone well: {}{more}", open.len(), names.join(", ")));
    let others = (!others.is_empty())
        .then(|| format!("{} checks of other commits than the head are not known to have gone well", others.len()));
    let logs = logs::here(view);
    let logs = (logs > 0).then(|| format!("{logs} logs, as checks/…/log.txt"));
    let told: Vec<_> = of_head.into_iter().chain(others).collect();
    (!told.is_empty()).then(|| told.into_iter().chain(logs).collect::<Vec<_>>().join("; "))
}

fn diff(view: &View<'_>) -> Option<String> {
    let numbered = of(view, Role::Patch).any(|entry| entry.path.ends_with(".txt"));
    match (view.files.contains_key("changes/diff.patch"), numbered) {
        (true, true) => Some(
            "The diff: changes/diff.patch; file by file with the line of each in changes/by-file/: a comment may stand on line 12 of side \
             RIGHT where `R12` is, on line 9 of side LEFT where `L9` is, and a range within one hunk"
                .to_owned(),
        ),
        (true, false) => Some("The diff: changes/diff.patch".to_owned()),
        (false, _) => None,
    }
}

fn withheld(state: &State, view: &View<'_>) -> Option<String> {
    let count = |entry: &&Entry| entry.about.get("withheld").is_some() && !is_later(state, entry);
    let paths: Vec<_> = view.entries.iter().filter(count).map(|entry| entry.path.as_str()).collect();
    let more = if paths.len() > 5 { ", …" } else { "" };
    (!paths.is_empty())
        .then(|| format!("Withheld texts: {}{more}", paths.iter().take(5).copied().collect::<Vec<_>>().join(", ")))
}

fn links(view: &View<'_>) -> Option<String> {
    let count: u64 = Facet::ALL.iter().map(|facet| view.gaps.count(*facet, GapCode::AttachmentNotFetched)).sum();
    (count > 0).then(|| {
        format!("{count} linked files or images are not here: `attachments` in the rows of index.json and threads.json")
    })
}

/// What a code of a gap says to people.
pub(super) fn meaning(code: GapCode) -> &'static str {
    match code {
        GapCode::NotObserved => "never looked at: nothing is known, which is not none",
        GapCode::Incomplete => "known in part",
        GapCode::Forbidden => "the forge refused to show it",
        GapCode::Gone => "the forge has it no more",
        GapCode::Expired => "the forge kept it for a time only",
        GapCode::Unavailable => "the forge did not give it",
        GapCode::OrderAmbiguous => "looks differ, and nothing tells which is the newer",
        GapCode::InvalidMetadata => "not as the forge documents it, so unknown or left out",
        GapCode::OutsideProfile => "no JSON of our profile, read leniently",
        GapCode::ElementMissing => "a part of it is not in the store",
        GapCode::KindAssumed => "nothing shows whether it is an issue or a pull request",
        GapCode::PatchMissing => "files without diff, of a size that is not known",
        GapCode::DiffMismatch => "files of which diff and list say something else",
        GapCode::ThreadStateUnknown => "threads of which nothing tells whether they are resolved",
        GapCode::HistoryUnavailable => "the forge keeps the present state only",
        GapCode::ProfileBound => "left out or cut by the profile",
        GapCode::Budget => "left out whole, without room in the budget",
        GapCode::UnsafeContent => "withheld for what the filters found",
        GapCode::AfterAsOf => "made after the time of this stage",
        GapCode::EarlierVersionMissing => "changed after the time of this stage, and what it was is not known",
        GapCode::AsOfUnknown => "nothing tells whether it was there at the time of this stage",
        GapCode::EditsUnknown => "shown, and nothing tells whether it was edited after the time of this stage",
        GapCode::HeadMoved => "of another head, or not shown to be of this one",
        GapCode::NotAdmitted => "by authors whose texts are not shown here",
        GapCode::AdmissionUnknown => "nothing tells whether the author may be shown here",
        GapCode::AttachmentNotFetched => "linked files and images that nobody fetched",
        GapCode::LinkedNotFiled => "linked, and nothing is known of them",
        GapCode::LinkedNotStaged => "linked, and not staged by the choices of the profile",
        GapCode::NotRequested => "not asked for",
    }
}
