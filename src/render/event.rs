//! What set off a stage: the delivery in the index, and the mark on the file of the item that it tells of.

use std::collections::HashMap;

use super::view::View;
use crate::corpus::State;
use crate::forge::delivery::Delivery;
use crate::forge::facets::{CheckOrigin, Id};
use crate::format::facet::Facet;
use crate::format::json::{Json, Object};

/// Marks the entry of the item and returns the index's member; none when no delivery set off this tree.
pub(super) fn member(state: &State, view: &mut View<'_>) -> Option<Json<'static>> {
    let delivery = state.event.as_ref()?;
    let place = place(state, delivery);
    let entry = view.entries.iter_mut().find(|entry| place.as_ref().is_some_and(|place| place.is_of(&entry.path)));
    let path = entry.map(|entry| {
        entry.about.set("trigger", true);
        entry.path.clone()
    });
    let mut out = Object::new();
    let action = delivery.action.as_deref().map(|action| view.display(action).into_owned());
    let head = delivery.head.as_deref().and_then(|sha| view.structural(Facet::Header, sha)).map(Json::into_owned);
    out.set("name", delivery.event).set("action", action);
    out.set("asOf", delivery.at.map(|time| time.to_string())).set("head", head);
    out.set(
        "item",
        delivery.item.map(|(facet, id)| {
            let mut item = Object::new();
            item.set("facet", facet.name()).set("id", id);
            Json::Object(item)
        }),
    );
    out.set("path", path);
    Some(Json::Object(out))
}

/// Where the item of a delivery is: a folder, and how the rest of the path ends behind the time.
struct Place {
    folder: &'static str,
    end: String,
}

impl Place {
    fn is_of(&self, path: &str) -> bool {
        // `undated-status-7` is a status and no check run 7; a time has no hyphen.
        let name = path.strip_prefix(self.folder).and_then(|name| name.strip_suffix(&self.end));
        name.is_some_and(|time| !time.contains('-'))
    }
}

fn place(state: &State, delivery: &Delivery) -> Option<Place> {
    let Some((facet, id)) = delivery.item else {
        let of_entity = matches!(delivery.event, "issue" | "issues" | "merge_request" | "pull_request");
        return of_entity.then(|| Place { folder: "", end: "body.md".to_owned() });
    };
    let (folder, end) = match facet {
        Facet::Comments => ("comments/", format!("-{id}.md")),
        Facet::Reviews => ("reviews/", format!("-{id}.md")),
        Facet::ReviewComments => ("threads/", format!("-{}.md", root(state, id))),
        Facet::Checks => {
            let word = origin(delivery).prefix().map_or_else(String::new, |word| format!("-{word}"));
            ("checks/", format!("{word}-{id}/check.json"))
        }
        Facet::Statuses => ("checks/", format!("-status-{id}/check.json")),
        _ => return None,
    };
    Some(Place { folder, end })
}

/// Which kind of check a delivery tells of, if it is of one.
pub(super) fn origin(delivery: &Delivery) -> CheckOrigin {
    match delivery.event {
        "check_suite" => CheckOrigin::Suite,
        "workflow_run" => CheckOrigin::WorkflowRun,
        "pipeline" => CheckOrigin::Pipeline,
        _ => CheckOrigin::Run,
    }
}

/// The first comment of the thread that a comment is in. Replies that go round in a circle lead nowhere.
fn root(state: &State, id: u64) -> String {
    let comments = &state.review_comments;
    let parents: HashMap<&Id, Option<&Id>> = comments.iter().map(|c| (&c.comment.id, c.reply_to.as_ref())).collect();
    let delivered = Id::from(id);
    let mut id = &delivered;
    for _ in 0..parents.len() {
        let Some(parent) = parents.get(id).copied().flatten() else { break };
        id = parent;
    }
    id.file_part()
}
