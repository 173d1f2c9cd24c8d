//! From a payload of GitHub's REST API to looks.

use std::collections::HashMap;

use crate::format::entity::{Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::dialect::Dialect;
use crate::forge::recognise::{Extent, Hints, Look, Part, Reason, Recognised, SubjectHint, Unrecognised};

use super::owner::{self, Owner};
use super::shape::{self, Beside, Shape};
use super::subject;
use super::{delivery, dump};
use crate::forge::member::number;

/// What is split out of an issue or pull request, where the value is an object (format 1).
pub(in crate::forge) const SPLIT: [&str; 9] = [
    "/user",
    "/assignee",
    "/closed_by",
    "/merged_by",
    "/head/user",
    "/head/repo",
    "/base/user",
    "/base/repo",
    "/repository",
];

/// Recognises a payload.
pub(in crate::forge) fn looks(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    match view {
        Json::Array(items) => {
            let (total, facet, beside, repository) = (None, None, None, None);
            List { base: "", items, total, facet, beside, selection: false, repository }.looks(hints)
        }
        Json::Object(_) if hints.event.is_some() || shape::is_delivery(view) => delivery::looks(view, hints),
        Json::Object(_) => match wrapped(view) {
            Some(Ok(list)) => list.looks(hints),
            Some(Err(reason)) => Recognised::nothing(reason),
            None => single(view, hints),
        },
        _ => Recognised::nothing(Reason::ShapeUnknown),
    }
}

/// The list in a payload.
struct List<'v> {
    base: &'static str,
    items: &'v [Json<'v>],
    total: Option<u64>,
    /// What the wrapper says that the items are.
    facet: Option<Facet>,
    /// What it lists beside check runs.
    beside: Option<Beside>,
    /// True for a list that leaves something out by its nature.
    selection: bool,
    /// The repository that the wrapper names.
    repository: Option<Repository>,
}

/// The lists of checks: their names, and what they list where that is not check runs.
const CHECKS: [(&str, &str, Option<Beside>); 4] = [
    ("check_runs", "/check_runs", None),
    ("check_suites", "/check_suites", Some(Beside::Suite)),
    ("workflow_runs", "/workflow_runs", Some(Beside::WorkflowRun)),
    ("jobs", "/jobs", Some(Beside::Job)),
];

/// The list in a wrapper object; `None` when the object is no wrapper.
fn wrapped<'v>(view: &'v Json<'v>) -> Option<Result<List<'v>, Reason>> {
    let list = |name| view.get(name).and_then(Json::as_array);
    let total = number(view, "total_count");
    let repository = owner::repository_of(view);
    if let (Some(items), Some(_), Some(_)) = (list("statuses"), view.get("state"), view.get("sha")) {
        let (facet, beside) = (Some(Facet::Statuses), None);
        let list = List { base: "/statuses", items, total, facet, beside, selection: true, repository };
        return Some(if shape::is_foreign(view) { Err(Reason::DialectUnsupported) } else { Ok(list) });
    }
    total?;
    for (name, base, beside) in CHECKS {
        if let Some(items) = list(name) {
            let facet = Some(Facet::Checks);
            return Some(Ok(List { base, items, total, facet, beside, selection: false, repository }));
        }
    }
    if let Some(items) = list("items") {
        let (total, facet, beside) = (None, None, None);
        return Some(Ok(List { base: "/items", items, total, facet, beside, selection: true, repository }));
    }
    // Artifacts, workflows and more come in wrappers of the same form.
    let other = view.as_object()?.iter().any(|(_, value)| value.as_array().is_some());
    other.then_some(Err(Reason::FacetUnsupported))
}

fn single(view: &Json<'_>, hints: &Hints<'_>) -> Recognised {
    let mut found = Collector::new(hints, None);
    if dump::take(&mut found, "", view) {
        return found.finish(Extent::Part);
    }
    let shape = shape::of(view);
    found.stream = subject::stream_facet(hints, shape == Shape::TimelineEntry);
    found.take(String::new(), shape, view);
    found.finish(Extent::Part)
}

impl List<'_> {
    fn looks(&self, hints: &Hints<'_>) -> Recognised {
        if self.items.is_empty() {
            return self.empty(hints);
        }
        let shapes: Vec<Shape> = self.items.iter().map(shape::of).collect();
        let mut found = Collector::new(hints, self.total);
        found.repository.clone_from(&self.repository);
        found.stream = subject::stream_facet(hints, shapes.contains(&Shape::TimelineEntry));
        for (at, (item, shape)) in self.items.iter().zip(shapes).enumerate() {
            let pointer = format!("{}/{at}", self.base);
            if shape == Shape::Delivery || hints.event.is_some() {
                delivery::take(&mut found, &pointer, item);
            } else if !dump::take(&mut found, &pointer, item) {
                found.take(pointer, shape, item);
            }
        }
        // A listing of events of many issues names each event's issue, even where all are of one.
        let of_many =
            self.selection || self.items.iter().any(|item| item.get("issue").is_some_and(|issue| !issue.is_null()));
        let whole = !of_many && found.looks.iter().all(|look| look.items().len() == self.items.len());
        found.finish(if whole { Extent::Whole } else { Extent::Part })
    }

    /// An empty list shows its facet only by its wrapper, its URL or the caller's word.
    fn empty(&self, hints: &Hints<'_>) -> Recognised {
        // A selection of nothing, uncounted, says nothing of anybody.
        if self.selection && self.total.is_none() {
            return Recognised::nothing(Reason::EntityAmbiguous);
        }
        let of_url = hints.url.and_then(|url| url.target.resource.facet());
        let facet = match (self.facet.or(hints.facet), hints.facet) {
            (Some(found), Some(named)) if found != named => return Recognised::nothing(Reason::FacetMismatch),
            (found, _) => found.or(of_url).filter(|facet| *facet != Facet::Header),
        };
        let Some(facet) = facet else { return Recognised::nothing(Reason::of_empty(hints)) };
        let whole = if self.selection { Extent::Part } else { Extent::Whole };
        let mut found = Collector::new(hints, self.total);
        match subject::of_set(hints, facet, Owner { repository: self.repository.clone(), ..Owner::default() }) {
            Ok(owned) => {
                let item = owned.item.or_else(|| self.beside.map(|beside| beside.listing().to_owned()));
                for (subject, kind) in owned.subjects {
                    found.set(subject, kind, facet, item.clone());
                }
                found.finish(whole)
            }
            Err(reason) => Recognised::nothing(reason),
        }
    }
}

/// Looks as they are found.
pub(super) struct Collector<'h> {
    pub hints: Hints<'h>,
    /// How what is found now is written.
    pub dialect: Dialect,
    total: Option<u64>,
    /// The repository that the wrapper names, for items that name none.
    repository: Option<Repository>,
    /// The issue or pull request that a delivery says it is about, whatever the addresses in it name.
    pub delivered: Option<Subject>,
    /// What entries of a stream of events are here.
    stream: Facet,
    /// How much of its set or record what is found now takes in.
    pub extent: Extent,
    pub looks: Vec<Look>,
    /// Where the looks at sets stand in `looks`.
    sets: HashMap<(Facet, Option<String>, String, Extent), SetAt>,
    pub left: Vec<Unrecognised>,
}

/// A look at a set that is being collected.
struct SetAt {
    /// Its index.
    at: usize,
    /// True once its items contradict each other about the kind.
    torn: bool,
}

impl<'h> Collector<'h> {
    pub fn new(hints: &Hints<'h>, total: Option<u64>) -> Self {
        let (looks, sets, left) = (Vec::new(), HashMap::new(), Vec::new());
        let dialect = Dialect::GithubRest;
        let (repository, delivered, stream, extent) = (None, None, Facet::Events, Extent::Part);
        Self { hints: *hints, dialect, total, repository, delivered, stream, extent, looks, sets, left }
    }

    pub fn take(&mut self, pointer: String, shape: Shape, value: &Json<'_>) {
        let taken = match shape {
            Shape::Thread | Shape::Repository | Shape::Profile => {
                self.check_facet(Facet::Header).and_then(|()| self.record(&pointer, shape, value))
            }
            Shape::Item(Facet::Events) | Shape::TimelineEntry => self.item(&pointer, shape, self.stream, value),
            Shape::Item(facet) => self.item(&pointer, shape, facet, value),
            Shape::Error => Err(Reason::ForgeErrorBody),
            Shape::Unsupported | Shape::Delivery => Err(Reason::FacetUnsupported),
            Shape::Foreign => Err(Reason::DialectUnsupported),
            Shape::Unknown => Err(Reason::ShapeUnknown),
        };
        if let Err(reason) = taken {
            self.left.push(Unrecognised { pointer, reason });
        }
    }

    fn check_facet(&self, facet: Facet) -> Result<(), Reason> {
        match self.hints.facet {
            Some(named) if named != facet => Err(Reason::FacetMismatch),
            _ => Ok(()),
        }
    }

    pub fn record(&mut self, pointer: &str, shape: Shape, value: &Json<'_>) -> Result<(), Reason> {
        let mut owner = owner::of(shape, value);
        if shape == Shape::Thread {
            owner.is_of(self.delivered.as_ref());
        }
        let number = number(value, "number").filter(|_| shape == Shape::Thread);
        let kind = owner.kind;
        let (subject, of_hint) = subject::of_record(&self.hints.of(value), owner, number)?;
        let mut split = Vec::new();
        if !pointer.is_empty() {
            split.push(pointer.to_owned());
        }
        if shape == Shape::Thread {
            let objects = SPLIT.iter().filter(|at| value.pointer(at).is_some_and(|part| part.as_object().is_some()));
            split.extend(objects.map(|at| format!("{pointer}{at}")));
        }
        self.looks.push(Look {
            dialect: self.dialect,
            subject,
            kind: kind.or(of_hint),
            facet: Facet::Header,
            item: None,
            part: Part::Record { pointer: pointer.to_owned(), split },
            total: None,
            extent: if self.extent == Extent::Deleted { Extent::Deleted } else { Extent::Whole },
            paged: None,
        });
        Ok(())
    }

    pub fn item(&mut self, pointer: &str, shape: Shape, facet: Facet, value: &Json<'_>) -> Result<(), Reason> {
        self.check_facet(facet)?;
        let mut owner = owner::of(shape, value);
        owner.is_of(self.delivered.as_ref());
        owner.repository = owner.repository.take().or_else(|| self.repository.clone());
        let owned = subject::of_set(&self.hints.of(value), facet, owner)?;
        let beside = if facet == Facet::Checks { shape::beside_runs(value) } else { None };
        let item = owned.item.or_else(|| beside.map(|beside| beside.listing().to_owned()));
        for (subject, kind) in owned.subjects {
            if let Part::Set { items } = &mut self.set(subject, kind, facet, item.clone()).part {
                items.push(pointer.to_owned());
            }
        }
        // A listing of events of many issues shows each event's issue as it is now.
        if let Some(issue) = value.get("issue").filter(|issue| shape::of(issue) == Shape::Thread) {
            let pointer = format!("{pointer}/issue");
            if let Err(reason) = self.record(&pointer, Shape::Thread, issue) {
                self.left.push(Unrecognised { pointer, reason });
            }
        }
        Ok(())
    }

    /// The look at a set: the one that is there, or a new one.
    pub fn set(&mut self, subject: SubjectHint, kind: Option<Kind>, facet: Facet, item: Option<String>) -> &mut Look {
        let key = (facet, item.clone(), key(&subject), self.extent);
        if let Some(set) = self.sets.get_mut(&key) {
            let look = &mut self.looks[set.at];
            // Items that contradict each other show nothing; items that say nothing contradict none.
            set.torn |= kind.is_some() && look.kind.is_some() && look.kind != kind;
            look.kind = if set.torn { None } else { look.kind.or(kind) };
            return look;
        }
        self.sets.insert(key, SetAt { at: self.looks.len(), torn: false });
        self.looks.push(Look {
            dialect: self.dialect,
            subject,
            kind,
            facet,
            item,
            part: Part::Set { items: Vec::new() },
            total: self.total,
            extent: self.extent,
            paged: None,
        });
        let last = self.looks.len() - 1;
        &mut self.looks[last]
    }

    pub fn finish(mut self, extent: Extent) -> Recognised {
        for look in self.looks.iter_mut().filter(|look| look.is_set() && look.extent == Extent::Part) {
            look.extent = extent;
        }
        // One row for the whole says more than a row an item.
        if let (true, Some(first)) = (self.looks.is_empty(), self.left.first())
            && self.left.iter().all(|left| left.reason == first.reason)
        {
            return Recognised::nothing(first.reason);
        }
        Recognised { looks: self.looks, left: self.left, ..Recognised::default() }
    }
}

/// What tells subjects apart: forges do not tell names by their case.
fn key(subject: &SubjectHint) -> String {
    match subject {
        SubjectHint::Known(subject) => subject.to_string().to_ascii_lowercase(),
        SubjectHint::ByRepositoryId { host, id, number } => format!("{host} {id} {number:?}"),
        SubjectHint::AtHead { repository, sha, .. } => format!("{repository} {sha}").to_ascii_lowercase(),
        // Only the URL makes such a look, so that a payload has one at most.
        SubjectHint::OfItem { .. } => String::new(),
    }
}
