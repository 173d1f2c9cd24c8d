//! Deliveries of webhooks: objects of REST in an envelope. What a delivery tells of a review has no id and is no item.

use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::collect::Collector;
use crate::forge::member::text;
use crate::forge::recognise::{Extent, Hints, Reason};
use crate::forge::url::Target;

use super::shape::{self, Shape};
use super::{looks, owner};

/// Events by the objects that their deliveries have; the first that has all of its own is the event, which goes by GitHub's name. A comment
/// on a pull request may show that beside its issue.
const EVENTS: [(&str, &[&str]); 4] = [
    ("issue_comment", &["issue", "comment"]),
    ("pull_request_review", &["pull_request", "review"]),
    ("pull_request", &["pull_request"]),
    ("issues", &["issue"]),
];

/// The event of a delivery by its members; `None` for one that is about no issue or pull request.
pub(in crate::forge) fn event(view: &Json<'_>) -> Option<&'static str> {
    let has = |name: &&str| view.get(name).is_some_and(|member| member.as_object().is_some());
    EVENTS.iter().find(|(_, members)| members.iter().all(&has)).map(|(name, _)| *name)
}

/// Whether an event is meant by a name: `X-Gitea-Event`, or the finer `X-Gitea-Event-Type` (`issue_label`, `pull_request_approved`).
fn is_named(event: &str, name: &str) -> bool {
    let is_comment = matches!(name, "issue_comment" | "pull_request_comment");
    match event {
        "issue_comment" => is_comment,
        "issues" => name.starts_with("issue") && !is_comment,
        // GitHub's name for the one that runs in another context.
        _ => name.starts_with("pull_request"),
    }
}

/// Whether all addresses in a delivery name one issue or pull request, in its repository. Where they do not, nothing tells whose it is.
fn agree(view: &Json<'_>) -> bool {
    let home = view.get("repository").and_then(|repository| text(repository, "full_name"));
    let own = |name| view.get(name).and_then(|thread| owner::address(thread, "html_url"));
    let of_comment = view.get("comment").and_then(owner::thread_of);
    let named = [own("issue"), own("pull_request"), of_comment].into_iter().flatten();
    let mut named = named.filter(|target| target.resource.number().is_some());
    let at = |target: &Target| Some((target.repository.clone()?.dir().to_ascii_lowercase(), target.resource.number()?));
    let Some(first) = named.next() else { return true };
    let is_home = |home: &str| first.repository.as_ref().is_some_and(|own| own.path().eq_ignore_ascii_case(home));
    let fits = home.is_none_or(is_home);
    fits && named.all(|other| at(&other) == at(&first))
}

/// Takes what a delivery shows.
pub(super) fn take(found: &mut Collector<'_>, base: &str, view: &Json<'_>, hints: &Hints<'_>) -> Result<(), Reason> {
    let shown = event(view).ok_or(Reason::EventNoEntity)?;
    if hints.event.is_some_and(|name| !is_named(shown, name)) {
        return Err(Reason::FacetMismatch);
    }
    if !agree(view) {
        return Err(Reason::EntityAmbiguous);
    }
    let deleted = text(view, "action") == Some("deleted");
    // What it says of its repository settles of all of it that it is not the caller's.
    let hints = &hints.of(view);
    let whose = owner::of_delivery(view, hints);
    for (name, is_deleted) in
        [("issue", deleted && shown == "issues"), ("pull_request", false), ("comment", deleted), ("repository", false)]
    {
        let Some(object) = view.get(name).filter(|object| object.as_object().is_some()) else { continue };
        found.told = Some(if is_deleted { Extent::Deleted } else { Extent::Delivered });
        found.delivered.clone_from(&whose);
        let shape = match shape::of(object) {
            // Whose it is the delivery says, so that an older one need not.
            Shape::Unknown | Shape::Unsupported if name == "comment" && shape::is_comment(object) => {
                Shape::Item(Facet::Comments)
            }
            shape => shape,
        };
        looks::take_as(found, &format!("{base}/{name}"), shape, object, hints);
    }
    (found.told, found.delivered) = (None, None);
    if shown == "pull_request_review" {
        found.leave(&format!("{base}/review"), Reason::FacetUnsupported);
    }
    Ok(())
}
