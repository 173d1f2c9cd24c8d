//! `entity.json` and `body.md`.

use super::items::reaction_counts;
use super::view::{View, set_field};
use crate::corpus::{GapCode, State};
use crate::forge::facets::{Actor, AutoMerge, Field, Header, Label, Side, State as OpenState};
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{Json, Object};
use crate::format::time::Time;

/// The word for the state: a pull request is merged when a look shows that it was.
pub(super) fn state_word(header: &Header) -> Option<&'static str> {
    match header.state {
        _ if header.merged == Field::Known(true) || header.merged_at.known().is_some() => Some("merged"),
        Field::Known(OpenState::Open) => Some("open"),
        Field::Known(OpenState::Closed) => Some("closed"),
        Field::Unknown | Field::Null => None,
    }
}

/// The forge's database id: a pull request has one of its own besides that of its issue.
pub(super) fn id(state: &State) -> &Field<u64> {
    match state.kind {
        Kind::Issue => &state.header.issue_id,
        Kind::Pull => &state.header.pull_id,
    }
}

pub(super) fn render(state: &State, view: &mut View<'_>) {
    let mut out = Object::new();
    identity(state, view, &mut out);
    conversation(state, view, &mut out);
    if state.kind == Kind::Pull {
        pull(&state.header, view, &mut out);
    }
    counts(&state.header, &mut out);
    view.add_json("entity.json", Role::Entity, &Json::Object(out), Object::new());
    body(state, view);
}

fn identity<'s>(state: &'s State, view: &mut View<'_>, out: &mut Object<'s>) {
    let header = &state.header;
    out.set("kind", state.kind.name()).set("number", state.number);
    out.set("repository", state.repository.path());
    set_field(out, "id", id(state), |id| Json::from(*id));
    if state.kind == Kind::Pull {
        set_field(out, "issueId", &header.issue_id, |id| Json::from(*id));
    }
    structural_field(view, out, "url", &header.url);
    structural_field(view, out, "nodeId", &header.node_id);
}

fn conversation<'s>(state: &'s State, view: &mut View<'_>, out: &mut Object<'s>) {
    let header = &state.header;
    set_field(out, "title", &header.title, |text| view.display(text));
    out.set_some("state", state_word(header));
    set_field(out, "stateReason", &header.state_reason, |text| view.display(text));
    let at = header.updated_at.known().copied();
    let association = header.association.known().map(String::as_str);
    set_field(out, "author", &header.author, |actor| view.author(actor, association, at));
    set_field(out, "association", &header.association, |text| view.display(text));
    time_field(view, out, "createdAt", &header.created_at);
    time_field(view, out, "updatedAt", &header.updated_at);
    time_field(view, out, "closedAt", &header.closed_at);
    set_field(out, "closedBy", &header.closed_by, |actor| view.actor(actor, at));
    set_field(out, "labels", &header.labels, |labels| {
        let kept = view.within_bounds(state, Facet::Labels);
        Json::Array(kept.into_iter().map(|at| label(&labels[at], view)).collect())
    });
    set_field(out, "assignees", &header.assignees, |actors| actor_list(actors, at, view));
    set_field(out, "milestone", &header.milestone, |text| view.display(text));
    set_field(out, "locked", &header.locked, |locked| Json::from(*locked));
    set_field(out, "lockReason", &header.lock_reason, |text| view.display(text));
    set_field(out, "confidential", &header.confidential, |confidential| Json::from(*confidential));
}

fn pull<'s>(header: &'s Header, view: &mut View<'_>, out: &mut Object<'s>) {
    let at = header.updated_at.known().copied();
    set_field(out, "draft", &header.draft, |draft| Json::from(*draft));
    if header.merged_at.known().is_some() {
        out.set("merged", true);
    } else {
        set_field(out, "merged", &header.merged, |merged| Json::from(*merged));
    }
    time_field(view, out, "mergedAt", &header.merged_at);
    set_field(out, "mergedBy", &header.merged_by, |actor| view.actor(actor, at));
    structural_field(view, out, "mergeCommit", &header.merge_commit);
    set_field(out, "head", &header.head, |head| side(head, view));
    set_field(out, "base", &header.base, |base| side(base, view));
    set_field(out, "mergeable", &header.mergeable, |mergeable| Json::from(*mergeable));
    set_field(out, "mergeableState", &header.mergeable_state, |text| view.display(text));
    set_field(out, "requestedReviewers", &header.requested_reviewers, |actors| actor_list(actors, at, view));
    set_field(out, "requestedTeams", &header.requested_teams, |teams| {
        Json::Array(teams.iter().map(|team| view.display(team)).collect())
    });
    set_field(out, "approvedBy", &header.approved_by, |actors| actor_list(actors, at, view));
    set_field(out, "autoMerge", &header.auto_merge, |auto_merge| auto_merge_json(auto_merge, at, view));
}

fn auto_merge_json<'s>(auto_merge: &'s AutoMerge, at: Option<Time>, view: &mut View<'_>) -> Json<'s> {
    let mut out = Object::new();
    set_field(&mut out, "enabledBy", &auto_merge.enabled_by, |actor| view.actor(actor, at));
    out.set_some("method", auto_merge.method.as_deref().map(|method| view.display(method)));
    Json::Object(out)
}

fn side<'s>(side: &'s Side, view: &mut View<'_>) -> Json<'s> {
    let mut out = Object::new();
    out.set("branch", view.branch(&side.branch));
    out.set_some("sha", side.sha.as_deref().and_then(|sha| view.structural(Facet::Header, sha)));
    structural_field(view, &mut out, "repository", &side.repository);
    Json::Object(out)
}

fn label<'s>(label: &'s Label, view: &mut View<'_>) -> Json<'s> {
    let mut out = Object::new();
    out.set("name", view.display(&label.name));
    set_field(&mut out, "color", &label.color, |color| view.display(color));
    set_field(&mut out, "description", &label.description, |text| view.display(text));
    Json::Object(out)
}

fn actor_list(actors: &[Actor], at: Option<Time>, view: &mut View<'_>) -> Json<'static> {
    Json::Array(actors.iter().map(|actor| view.actor(actor, at)).collect())
}

fn counts(header: &Header, out: &mut Object<'_>) {
    let counts = &header.counts;
    let mut rows = Object::new();
    let named = [
        ("comments", &counts.comments),
        ("reviewComments", &counts.review_comments),
        ("notes", &counts.notes),
        ("commits", &counts.commits),
        ("files", &counts.files),
        ("additions", &counts.additions),
        ("deletions", &counts.deletions),
        ("reactions", &counts.reactions),
    ];
    for (name, count) in named {
        set_field(&mut rows, name, count, |count| Json::from(*count));
    }
    set_field(&mut rows, "reactionsByContent", &counts.reactions_by_content, |counts| reaction_counts(counts).into());
    if !rows.is_empty() {
        out.set("counts", rows.into_owned());
    }
}

fn body(state: &State, view: &mut View<'_>) {
    let mut about = Object::new();
    let withheld = state.withheld.of(Facet::Header, "body");
    let bytes = match (&state.header.body, withheld) {
        (_, Some(withheld)) => view.empty(withheld, &mut about),
        // No look shows the body: a file would say that it is empty.
        (Field::Unknown, None) => return,
        _ if view.allowed(Facet::Header) == 0 => {
            view.gaps.add(Facet::Header, GapCode::Budget, 1);
            return;
        }
        (Field::Null, None) => {
            about.set("bodyNull", true);
            Vec::new()
        }
        (Field::Known(text), None) => view.body(text, &mut about),
    };
    view.add("body.md".to_owned(), Role::Body, "text/markdown", bytes, about);
}

fn time_field(view: &mut View<'_>, out: &mut Object<'_>, name: &'static str, field: &Field<Time>) {
    match field {
        Field::Unknown => {}
        Field::Null => {
            out.set(name, Json::Null);
        }
        Field::Known(time) => {
            out.set(name, view.time(*time));
        }
    }
}

/// A structural member that cannot be shown is absent, like one that is unknown; the gap says so.
fn structural_field<'s>(view: &mut View<'_>, out: &mut Object<'s>, name: &'static str, field: &'s Field<String>) {
    match field {
        Field::Unknown => {}
        Field::Null => {
            out.set(name, Json::Null);
        }
        Field::Known(text) => {
            out.set_some(name, view.structural(Facet::Header, text));
        }
    }
}
