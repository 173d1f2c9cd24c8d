//! Dumps of one issue or pull request in one document: `{issue|pull, events, comments}` as a client library wrote it again, and an
//! object of REST with its lists beside its own members, as python-github-backup keeps it.

use std::borrow::Cow;

use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::json::{Json, Object};

use crate::forge::dialect::Dialect;
use crate::forge::recognise::{Extent, Part, Reason, SubjectHint, Unrecognised};

use super::looks::Collector;
use super::shape::{self, Shape};
use crate::forge::member::{number, text};

/// Takes what a document at a place of the payload shows; false when it is no dump.
pub(super) fn take(found: &mut Collector<'_>, base: &str, view: &Json<'_>) -> bool {
    let taken = if let Some((thread, other)) = archived(view) {
        found.dialect = Dialect::GithubArchive;
        let taken = Dump::new(found, base, view, thread);
        taken.and_then(|mut dump| {
            dump.archive();
            other.map_or(Ok(()), |other| Dump::new(dump.found, base, view, other).map(|_| ()))
        })
    } else if is_backup(view) {
        Dump::new(found, base, view, "").map(|mut dump| dump.backup())
    } else {
        return false;
    };
    if let Err((pointer, reason)) = taken {
        found.left.push(Unrecognised { pointer, reason });
    }
    (found.dialect, found.extent) = (Dialect::GithubRest, Extent::Part);
    true
}

/// The pointer to the thread of an archive, as a pull request where it is one, and to the issue that it is beside that.
fn archived(view: &Json<'_>) -> Option<(&'static str, Option<&'static str>)> {
    view.get("events")?;
    let is_thread = |at: &&str| view.pointer(at).is_some_and(|thread| number(thread, "number").is_some());
    let mut threads: Vec<_> = ["/pull", "/issue"].into_iter().filter(is_thread).collect();
    threads.sort_by_key(|at| view.pointer(at).is_some_and(|thread| shape::of(thread) != Shape::Thread));
    Some((threads.first()?, threads.get(1).copied()))
}

/// The lists of a backup, for issues and for pull requests, whose comments of the conversation have a name of their own.
const LISTS: [(&str, Facet, Facet); 6] = [
    ("comment_data", Facet::Comments, Facet::ReviewComments),
    ("comment_regular_data", Facet::Comments, Facet::Comments),
    ("commit_data", Facet::Commits, Facet::Commits),
    ("event_data", Facet::Events, Facet::Events),
    ("review_data", Facet::Reviews, Facet::Reviews),
    ("timeline_data", Facet::Timeline, Facet::Timeline),
];

fn is_backup(view: &Json<'_>) -> bool {
    LISTS.iter().any(|(name, ..)| view.get(name).is_some_and(|list| list.as_array().is_some()))
        && shape::of(view) == Shape::Thread
}

/// A dump whose thread is recognised: all its lists belong to that.
struct Dump<'t, 'h, 'v> {
    found: &'t mut Collector<'h>,
    base: &'t str,
    view: &'v Json<'v>,
    subject: SubjectHint,
    kind: Option<Kind>,
}

impl<'t, 'h, 'v> Dump<'t, 'h, 'v> {
    fn new(
        found: &'t mut Collector<'h>,
        base: &'t str,
        view: &'v Json<'v>,
        thread: &str,
    ) -> Result<Self, (String, Reason)> {
        let pointer = format!("{base}{thread}");
        let value = view.pointer(thread).unwrap_or(view);
        let shape = shape::of(value);
        if shape != Shape::Thread {
            let reason = if shape == Shape::Foreign { Reason::DialectUnsupported } else { Reason::ShapeUnknown };
            return Err((pointer, reason));
        }
        found.extent = Extent::Whole;
        found.record(&pointer, shape, value).map_err(|reason| (pointer.clone(), reason))?;
        let look = found.looks.last().ok_or((pointer, Reason::ShapeUnknown))?;
        let (subject, kind) = (look.subject.clone(), look.kind);
        Ok(Self { found, base, view, subject, kind })
    }

    /// The events are a timeline, whose comments and reviews stand in it whole.
    fn archive(&mut self) {
        let is_pull = self.kind == Some(Kind::Pull);
        let (on_diff, other) = (|item: &Json<'_>| is_on_diff(item), |item: &Json<'_>| !is_on_diff(item));
        let said = |entry: &Json<'_>| text(entry, "event") == Some("commented");
        let comments = self.view.get("comments").and_then(Json::as_array);
        let talk = comments.is_some_and(|list| list.iter().any(|item| item.as_object().is_some() && other(item)));
        let diff = is_pull && comments.is_some_and(|list| !talk || list.iter().any(on_diff));
        self.list("events", Facet::Timeline, |entry| entry.as_object().is_some());
        if diff {
            self.list("comments", Facet::ReviewComments, on_diff);
        }
        match comments {
            // They stand in the timeline too, which has all of them.
            Some(_) if diff => {
                self.list("events", Facet::Comments, said);
                if talk {
                    self.some("comments", Facet::Comments, |item| item.as_object().is_some() && other(item));
                }
            }
            Some(_) => self.list("comments", Facet::Comments, |item| item.as_object().is_some()),
            None => self.list("events", Facet::Comments, said),
        }
        if is_pull {
            self.list("events", Facet::Reviews, |entry| text(entry, "event") == Some("reviewed"));
        }
        for name in ["events", "comments"] {
            self.leave(name, |item| item.as_object().is_some());
        }
    }

    fn backup(&mut self) {
        let is_pull = self.kind == Some(Kind::Pull);
        // Listed among issues a pull request is one, and so are its comments.
        let as_pull = is_pull && self.view.get("pull_request").is_none_or(|links| links.as_object().is_none());
        for (name, of_issue, of_pull) in LISTS {
            let facet = if as_pull { of_pull } else { of_issue };
            let fits = |item: &Json<'_>, facet: Facet| match shape::of(item) {
                Shape::Item(Facet::Events) | Shape::TimelineEntry => matches!(facet, Facet::Events | Facet::Timeline),
                Shape::Item(found) => found == facet,
                _ => false,
            };
            self.list(name, facet, |item| fits(item, facet));
            let other = if as_pull { of_issue } else { of_pull };
            let is_other = |item: &Json<'_>| is_pull && other != facet && fits(item, other);
            if self.view.get(name).and_then(Json::as_array).is_some_and(|list| list.iter().any(is_other)) {
                self.some(name, other, is_other);
            }
            self.leave(name, |item| fits(item, facet) || is_other(item));
        }
    }

    /// Leaves what is in a list and was not taken, and a list that is none.
    fn leave(&mut self, name: &str, is_taken: impl Fn(&Json<'_>) -> bool) {
        let Some(list) = self.view.get(name).filter(|list| !list.is_null()) else { return };
        let base = format!("{}/{name}", self.base);
        let mut leave = |pointer| self.found.left.push(Unrecognised { pointer, reason: Reason::ShapeUnknown });
        let Some(items) = list.as_array() else { return leave(base) };
        items.iter().enumerate().filter(|(_, item)| !is_taken(item)).for_each(|(at, _)| leave(format!("{base}/{at}")));
    }

    /// A look at entries of a list in which others of their facet need not be.
    fn some(&mut self, name: &str, facet: Facet, is_of_facet: impl Fn(&Json<'_>) -> bool) {
        self.found.extent = Extent::Part;
        self.list(name, facet, is_of_facet);
        self.found.extent = Extent::Whole;
    }

    /// A look at the entries of a list that are of a facet; also at none of them, since the list is there.
    fn list(&mut self, name: &str, facet: Facet, is_of_facet: impl Fn(&Json<'_>) -> bool) {
        let Some(list) = self.view.get(name).and_then(Json::as_array) else { return };
        let look = self.found.set(self.subject.clone(), self.kind, facet, None);
        let entries = list.iter().enumerate().filter(|(_, entry)| is_of_facet(entry));
        let pointers = entries.map(|(at, _)| format!("{}/{name}/{at}", self.base));
        if let Part::Set { items } = &mut look.part {
            items.extend(pointers);
        }
    }
}

/// Whether a comment of a pull request is one on its diff, by any member that only these have.
fn is_on_diff(item: &Json<'_>) -> bool {
    let words = ["diff_hunk", "path", "pull_request_url"];
    let numbers = ["in_reply_to_id", "original_position", "position", "pull_request_review_id"];
    words.iter().any(|name| text(item, name).is_some()) || numbers.iter().any(|name| number(item, name).is_some())
}

/// Members that are null on the forge's own account. A client library also writes null where the forge was silent.
const NULLS: [&str; 7] = ["body", "closed_at", "merged_at", "milestone", "position", "repo", "user"];

/// An object that a client library wrote again, without the members that may be null on its account alone.
pub(super) fn without_added_nulls<'v>(value: &'v Json<'v>) -> Json<'v> {
    match value {
        Json::Object(members) => {
            let mut out = Object::new();
            for (name, member) in members.iter().filter(|(name, member)| !member.is_null() || NULLS.contains(name)) {
                out.set(name, without_added_nulls(member));
            }
            Json::Object(out)
        }
        Json::Array(items) => Json::Array(items.iter().map(without_added_nulls).collect()),
        Json::String(text) => Json::String(Cow::Borrowed(text)),
        other => other.clone(),
    }
}
