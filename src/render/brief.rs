//! The part of `summary.md` that a reader in a hurry needs: what wants attention, and where it stands.

use super::checks::went_well;
use super::markdown::inline;
use super::view::View;
use crate::corpus::{GapCode, State};
use crate::format::facet::Facet;
use crate::format::index::{Entry, Role};
use crate::format::json::Json;

/// The most bytes of a name.
const TEXT: usize = 80;

/// What wants attention, a line each; nothing where nothing does.
pub(super) fn append(page: &mut String, state: &State, view: &View<'_>) {
    let lines = [threads(view), reviews(view), checks(state, view), diff(view), withheld(view), links(view)];
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

fn threads(view: &View<'_>) -> Option<String> {
    let all = of(view, Role::Thread).count();
    let resolved = of(view, Role::Thread).filter(|entry| is_true(entry, "resolved")).count();
    let unknown = of(view, Role::Thread).filter(|entry| entry.about.get("resolved").is_none()).count();
    let told = if unknown > 0 { format!(" (of {unknown} nothing tells it)") } else { String::new() };
    (all > resolved).then(|| {
        format!(
            "{} of {all} review threads are not known to be resolved{told}: `unresolvedFirst` and `byFile` in threads.json, texts in \
             threads/",
            all - resolved
        )
    })
}

fn reviews(view: &View<'_>) -> Option<String> {
    let asks = |entry: &&Entry| entry.about.get("state").and_then(Json::as_str) == Some("changes-requested");
    let count = of(view, Role::Review).filter(asks).count();
    (count > 0).then(|| format!("{count} reviews ask for changes: reviews/"))
}

fn checks(state: &State, view: &View<'_>) -> Option<String> {
    let shown = |check: &&crate::forge::facets::Check| view.files.contains_key(&super::checks::path(check));
    let open: Vec<_> =
        state.checks.iter().chain(&state.statuses).filter(shown).filter(|check| !went_well(check)).collect();
    let names: Vec<_> = open.iter().take(5).map(|check| inline(view, &check.name, TEXT)).collect();
    let more = if open.len() > names.len() { ", …" } else { "" };
    let logs = of(view, Role::Log).count();
    let logs = if logs > 0 { format!("; {logs} logs, as checks/…/log.txt") } else { String::new() };
    (!open.is_empty())
        .then(|| format!("{} checks are not known to have gone well: {}{more}{logs}", open.len(), names.join(", ")))
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

fn withheld(view: &View<'_>) -> Option<String> {
    let count = |entry: &&Entry| entry.about.get("withheld").is_some();
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
