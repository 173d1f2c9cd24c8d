//! `checks/`: one directory for each check run, commit status, suite, workflow run and pipeline.

use super::items::source;
use super::texts::of_withheld;
use super::view::View;
use crate::corpus::{State, check_name, stem};
use crate::forge::facets::{Check, CheckOrigin};
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{Json, Object};
use crate::format::time::Time;

pub(super) fn render(state: &State, view: &mut View<'_>) {
    // Of the two file names for one time, digits come before letters: the order of the index is that of both together.
    let mut named = Vec::new();
    for (facet, checks) in [(Facet::Checks, &state.checks), (Facet::Statuses, &state.statuses)] {
        if view.shows(facet) {
            let kept = view.within_bounds(state, facet);
            named.extend(kept.into_iter().map(|at| (path(&checks[at]), &checks[at])));
        }
    }
    named.sort_by(|a, b| a.0.cmp(&b.0));
    for (at, (path, check)) in named.into_iter().enumerate() {
        let value = value(check, state, view);
        let mut about = Object::new();
        about.set("source", source(scope(check), &check.id, None, check.url.as_deref(), view));
        about.set_some("createdAt", check.created_at.map(|time| view.time(time)));
        about.set("ordinal", at + 1);
        view.file.scope = Some(scope(check));
        view.add_json(&path, Role::Check, &value, about);
    }
}

/// What came of a check, in the forge's words.
pub(super) fn result(check: &Check) -> &str {
    check.conclusion.as_deref().unwrap_or_else(|| check.status.map_or("not known", |status| status.name()))
}

/// How late a check wants attention: what failed before what nothing is known of or has not ended, and that before what went well.
pub(super) fn lateness(check: &Check) -> u8 {
    match &check.conclusion {
        _ if went_well(check) => 2,
        Some(_) => 0,
        None => 1,
    }
}

/// Whether a check is known to need nobody's attention.
pub(super) fn went_well(check: &Check) -> bool {
    matches!(result(check), "success" | "neutral" | "skipped")
}

pub(super) fn scope(check: &Check) -> Facet {
    match check.origin {
        CheckOrigin::Status => Facet::Statuses,
        _ => Facet::Checks,
    }
}

/// Where a check stands. Runs and statuses have ids of their own, which may be equal.
pub(super) fn path(check: &Check) -> String {
    let Some(word) = check.origin.prefix() else {
        return format!("checks/{}/check.json", stem(check.created_at, &check.id));
    };
    let time = check.created_at.map_or_else(|| "undated".to_owned(), Time::file_stamp);
    format!("checks/{time}-{word}-{}/check.json", check.id.file_part())
}

fn value<'s>(check: &'s Check, state: &State, view: &mut View<'_>) -> Json<'s> {
    let mut out = Object::new();
    out.set("id", view.id(&check.id)).set("origin", check.origin.name());
    out.set("name", view.display(&check.name));
    out.set_some("status", check.status.map(|status| status.name()));
    out.set_some("conclusion", check.conclusion.as_deref().map(|word| view.display(word)));
    out.set_some("headSha", check.head_sha.as_deref().and_then(|sha| view.structural(scope(check), sha)));
    out.set_some("attempt", check.attempt);
    out.set_some("run", check.run);
    out.set_some("createdAt", check.created_at.map(|time| view.time(time)));
    // The application that reports a run says when it started and ended: no time of the forge.
    out.set_some("startedAt", check.started_at.map(|time| time.to_string()));
    out.set_some("completedAt", check.completed_at.map(|time| time.to_string()));
    // The row of the index has the same address, and its gap when it cannot be shown.
    out.set_some("url", check.url.as_deref().filter(|url| view.fits(url)));
    out.set_some("detailsUrl", check.details_url.as_deref().and_then(|url| view.structural(scope(check), url)));
    out.set_some("reporter", check.reporter.known().map(|who| view.display(&who.login)));
    out.set_some("title", check.title.as_deref().map(|title| view.display(title)));
    out.set_some("summary", check.summary.as_deref().map(|summary| view.text(summary)));
    out.set_some("withheld", state.withheld.of(scope(check), &check_name(check)).map(of_withheld));
    Json::Object(out)
}
