//! Deliveries of webhooks: objects of REST in an envelope that says what happened to them.

use crate::format::entity::{Forge, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::recognise::{Extent, Hints, Part, Reason, Recognised, SubjectHint, Unrecognised};

use super::looks::Collector;
use super::owner;
use super::shape::{self, Shape};
use crate::forge::member::{number, text};

/// Events by the objects that their deliveries have; the first that has all of its own is the event.
const EVENTS: [(&str, &[&str]); 18] = [
    ("pull_request_review_thread", &["pull_request", "thread"]),
    ("pull_request_review_comment", &["pull_request", "comment"]),
    ("pull_request_review", &["pull_request", "review"]),
    ("pull_request", &["pull_request"]),
    ("discussion_comment", &["discussion", "comment"]),
    ("discussion", &["discussion"]),
    ("issue_comment", &["issue", "comment"]),
    ("issues", &["issue"]),
    ("deployment_status", &["deployment_status"]),
    ("workflow_job", &["workflow_job"]),
    ("workflow_run", &["workflow_run"]),
    ("check_run", &["check_run"]),
    ("check_suite", &["check_suite"]),
    ("deployment", &["deployment"]),
    ("commit_comment", &["comment"]),
    ("label", &["label"]),
    ("milestone", &["milestone"]),
    ("merge_group", &["merge_group"]),
];

/// What every delivery may have besides what its event is about; what has nothing else is about the repository.
const ENVELOPE: [&str; 8] =
    ["action", "changes", "enterprise", "installation", "organization", "repository", "sender", "starred_at"];

/// The event of a delivery by its members; `None` for one that is not known.
pub(in crate::forge) fn event(view: &Json<'_>) -> Option<&'static str> {
    let has = |name: &&str| view.get(name).is_some_and(|member| member.as_object().is_some());
    let named = EVENTS.iter().find(|(_, members)| members.iter().all(&has));
    let status = ["context", "sha", "state"].iter().all(|name| text(view, name).is_some());
    let bare =
        || has(&"repository") && view.as_object().is_some_and(|all| all.iter().all(|(n, _)| ENVELOPE.contains(&n)));
    named.map(|(name, _)| *name).or(status.then_some("status")).or_else(|| bare().then_some("repository"))
}

/// Recognises a delivery.
pub(super) fn looks(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    let mut found = Collector::new(hints, None);
    take(&mut found, "", view);
    found.finish(Extent::Delivered)
}

/// Takes what a delivery at a place of the payload shows.
pub(super) fn take(found: &mut Collector<'_>, base: &str, view: &Json<'_>) {
    let shown = event(view);
    // The one event that runs in another context has the payload of its namesake.
    let named = found.hints.event.map(|name| if name == "pull_request_target" { "pull_request" } else { name });
    let listed = |name| name == "status" || name == "repository" || EVENTS.iter().any(|(known, _)| *known == name);
    let mut taker = Taker { found, base, view };
    match (shown, named) {
        (None, Some(name)) if listed(name) => taker.leave("", Reason::FacetMismatch),
        (None, _) => taker.leave("", Reason::EventNoEntity),
        (Some(shown), Some(name)) if shown != name => taker.leave("", Reason::FacetMismatch),
        (Some(shown), _) => taker.event(shown),
    }
}

/// What is taken from one delivery.
struct Taker<'t, 'h, 'v> {
    found: &'t mut Collector<'h>,
    base: &'t str,
    view: &'v Json<'v>,
}

impl Taker<'_, '_, '_> {
    fn event(&mut self, event: &str) {
        let before = self.found.looks.len();
        let deleted = text(self.view, "action") == Some("deleted");
        self.found.extent = Extent::Delivered;
        let outside = self.found.hints;
        self.found.delivered = self.whose();
        // What it says of its repository settles of all of it that it is not the caller's.
        self.found.hints = outside.of(self.view);
        match event {
            "issues" => {
                self.thread("/issue", deleted);
                self.moved();
            }
            "issue_comment" => {
                self.thread("/issue", false);
                self.item("/comment", Facet::Comments, deleted);
            }
            "pull_request" => self.thread("/pull_request", false),
            "pull_request_review" => {
                self.thread("/pull_request", false);
                self.item("/review", Facet::Reviews, false);
            }
            "pull_request_review_comment" => {
                self.thread("/pull_request", false);
                self.item("/comment", Facet::ReviewComments, deleted);
            }
            "pull_request_review_thread" => {
                self.thread("/pull_request", false);
                self.each("/thread/comments", |taker, at| taker.item(at, Facet::ReviewComments, false));
                self.state();
            }
            "check_run" | "check_suite" | "workflow_run" | "workflow_job" => {
                self.item(&format!("/{event}"), Facet::Checks, false);
                self.each(&format!("/{event}/pull_requests"), |taker, at| taker.record(at, Shape::Thread));
            }
            "status" => self.add("", Shape::Item(Facet::Statuses), Facet::Statuses),
            "label" if !deleted => self.label(),
            "repository" => self.repository("/repository"),
            // A label comes back under its name, so that its deletion is no fact to keep.
            "label" | "milestone" | "discussion" | "discussion_comment" | "commit_comment" => {
                self.leave("", Reason::FacetUnsupported);
            }
            _ => self.leave("", Reason::EventNoEntity),
        }
        self.found.delivered = None;
        self.found.hints = outside;
        if event != "repository" && self.found.looks.len() > before {
            self.repository("/repository");
        }
        self.found.extent = Extent::Part;
    }

    /// The issue or pull request that the event is about: its number in the repository of the delivery. An issue that was transferred
    /// may be at its new address, and checks name theirs themselves. A repository without an address is on the caller's host.
    fn whose(&self) -> Option<Subject> {
        let thread = ["issue", "pull_request"].iter().find_map(|name| self.view.get(name))?;
        let told = self.view.get("repository")?;
        let on_host_of_caller = || {
            let caller = self.found.hints.of(told).entity?.0.repository()?;
            Repository::new(Forge::GitHub, caller.host(), text(told, "full_name")?).ok()
        };
        let repository = owner::of(Shape::Repository, told).repository.or_else(on_host_of_caller)?;
        let number = number(thread, "number").filter(|_| text(self.view, "action") != Some("transferred"))?;
        Some(Subject::Thread { repository, number })
    }

    fn at(&self, pointer: &str) -> String {
        format!("{}{pointer}", self.base)
    }

    fn leave(&mut self, pointer: &str, reason: Reason) {
        let pointer = self.at(pointer);
        self.found.left.push(Unrecognised { pointer, reason });
    }

    /// The issue or pull request as it is after what happened.
    fn thread(&mut self, pointer: &str, deleted: bool) {
        let Some(value) = self.view.pointer(pointer) else { return };
        match shape::of(value) {
            Shape::Thread => {
                self.found.extent = if deleted { Extent::Deleted } else { Extent::Delivered };
                self.record(pointer, Shape::Thread);
                self.found.extent = Extent::Delivered;
            }
            // A delivery may leave members out: what has a number and an address of its own is enough to be known.
            Shape::Unknown if value.get("url").is_some() => self.record(pointer, Shape::Thread),
            other => self.found.take(self.at(pointer), other, value),
        }
    }

    fn record(&mut self, pointer: &str, shape: Shape) {
        let Some(value) = self.view.pointer(pointer) else { return };
        if let Err(reason) = self.found.record(&self.at(pointer), shape, value) {
            self.leave(pointer, reason);
        }
    }

    fn item(&mut self, pointer: &str, facet: Facet, deleted: bool) {
        let Some(value) = self.view.pointer(pointer) else { return };
        match shape::of(value) {
            Shape::Item(found) if found == facet => {
                self.found.extent = if deleted { Extent::Deleted } else { Extent::Delivered };
                self.add(pointer, Shape::Item(facet), facet);
                self.found.extent = Extent::Delivered;
            }
            Shape::Foreign => self.leave(pointer, Reason::DialectUnsupported),
            _ => self.leave(pointer, Reason::ShapeUnknown),
        }
    }

    /// Whether the thread is settled: the action says it, not the thread, so that the delivery is the item.
    fn state(&mut self) {
        match text(self.view, "action") {
            Some("resolved" | "unresolved") => self.add("", Shape::Item(Facet::Threads), Facet::Threads),
            _ => self.leave("/thread", Reason::ShapeUnknown),
        }
    }

    fn add(&mut self, pointer: &str, shape: Shape, facet: Facet) {
        let Some(value) = self.view.pointer(pointer) else { return };
        if let Err(reason) = self.found.item(&self.at(pointer), shape, facet, value) {
            self.leave(pointer, reason);
        }
    }

    fn each(&mut self, list: &str, mut take: impl FnMut(&mut Self, &str)) {
        let items = self.view.pointer(list).and_then(Json::as_array).map_or(0, <[_]>::len);
        for at in 0..items {
            take(self, &format!("{list}/{at}"));
        }
    }

    /// The other end of a transfer.
    fn moved(&mut self) {
        self.found.delivered = None;
        for name in ["/changes/new_issue", "/changes/old_issue"] {
            if self.view.pointer(name).map(shape::of) == Some(Shape::Thread) {
                self.record(name, Shape::Thread);
            }
        }
        self.repository("/changes/new_repository");
        self.repository("/changes/old_repository");
    }

    fn repository(&mut self, pointer: &str) {
        match self.view.pointer(pointer).map(shape::of) {
            Some(Shape::Repository) => self.record(pointer, Shape::Repository),
            Some(Shape::Foreign) => self.leave(pointer, Reason::DialectUnsupported),
            Some(_) => self.leave(pointer, Reason::ShapeUnknown),
            None => {}
        }
    }

    /// A label of the repository, which says nothing of any issue.
    fn label(&mut self) {
        let label = self.view.get("label").filter(|label| shape::of(label) == Shape::Item(Facet::Labels));
        let Some(repository) = label.and_then(owner::repository_of) else {
            return self.leave("/label", Reason::ShapeUnknown);
        };
        let (pointer, subject) = (self.at("/label"), SubjectHint::Known(Subject::Repository(repository)));
        if let Part::Set { items } = &mut self.found.set(subject, None, Facet::Labels, None).part {
            items.push(pointer);
        }
    }
}
