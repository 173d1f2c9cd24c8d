//! What the errors of an answer say: which facet the forge did not give, and to whom it belongs.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::forge::answer::Absence;
use crate::forge::member::text;
use crate::forge::recognise::{Hints, Look, Reason, SubjectHint, Unrecognised};
use crate::format::entity::{Kind, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

/// A thread that an answer shows.
pub(super) struct Shown {
    pub pointer: String,
    pub subject: SubjectHint,
    pub kind: Option<Kind>,
}

/// Reads the errors of an answer: the facets that they say are not given, and the errors that say nothing of a facet.
pub(super) fn read(
    view: &Json<'_>,
    shown: &[Shown],
    looks: &[Look],
    hints: &Hints<'_>,
) -> (Vec<Absence>, Vec<Unrecognised>) {
    let (mut absent, mut left) = (Vec::new(), Vec::new());
    let errors = view.get("errors").and_then(Json::as_array).unwrap_or_default();
    if errors.is_empty() {
        return (absent, left);
    }
    let key = |facet: Facet, subject: &SubjectHint| (facet, subject.known().map(ToString::to_string));
    // What the answer shows all the same is not absent.
    let seen: HashSet<_> = looks.iter().map(|look| key(look.facet, &look.subject)).collect();
    let mut told = HashSet::new();
    let shown: HashMap<_, _> = shown.iter().map(|thread| (thread.pointer.as_str(), thread)).collect();
    for (at, error) in errors.iter().enumerate() {
        let mut said = one(view, error, &shown, hints);
        said.retain(|absence| !seen.contains(&key(absence.facet, &absence.subject)));
        if said.is_empty() {
            left.push(Unrecognised { pointer: format!("/errors/{at}"), reason: Reason::ForgeErrorBody });
        }
        // Two errors about one facet are one absence, with the status of the first.
        said.retain(|absence| told.insert(key(absence.facet, &absence.subject)));
        absent.append(&mut said);
    }
    (absent, left)
}

/// The members that are null because of an error, each once. The null of what cannot be null is handed on upwards: it stands
/// where the path of the error ends early.
pub(super) fn nulls(view: &Json<'_>) -> Vec<String> {
    let errors = view.get("errors").and_then(Json::as_array).unwrap_or_default();
    let paths = errors.iter().filter_map(|error| error.get("path")?.as_array().filter(|path| path.len() <= DEEPEST));
    let null = |path: Vec<String>| {
        let mut at = pointer(&[]);
        for step in &path {
            at = format!("{at}/{}", escaped(step));
            if view.pointer(&at)?.is_null() {
                return Some(at);
            }
        }
        None
    };
    let found: BTreeSet<String> = paths.filter_map(steps).filter_map(null).collect();
    found.into_iter().collect()
}

fn escaped(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}

fn pointer(steps: &[String]) -> String {
    steps.iter().fold("/data".to_owned(), |at, step| format!("{at}/{}", escaped(step)))
}

/// Nothing stands deeper in an answer than documents may be nested.
const DEEPEST: usize = 128;

/// The facets that one error says are not given.
fn one(view: &Json<'_>, error: &Json<'_>, shown: &HashMap<&str, &Shown>, hints: &Hints<'_>) -> Vec<Absence> {
    let status = match text(error, "type") {
        Some("NOT_FOUND") => 404,
        Some("FORBIDDEN" | "INSUFFICIENT_SCOPES") => 403,
        _ => return Vec::new(),
    };
    let path = error.get("path").and_then(Json::as_array).filter(|path| path.len() <= DEEPEST).and_then(steps);
    let Some(path) = path else { return Vec::new() };
    // The null of what cannot be null is handed on upwards, so that the place of an error need not be there.
    let of = (0..=path.len()).rev().find_map(|end| {
        let thread = *shown.get(pointer(&path[..end]).as_str())?;
        Some((thread, &path[end..]))
    });
    let absence =
        |subject: &SubjectHint, kind, facet| Absence { subject: subject.clone(), kind, facet, item: None, status };
    match of {
        Some((thread, below)) => {
            facets(below).iter().map(|facet| absence(&thread.subject, thread.kind, *facet)).collect()
        }
        None => {
            let is_null = view.pointer(&pointer(&path)).is_none_or(Json::is_null);
            let caller = hints.entity.filter(|(subject, _)| is_null && matches!(subject, Subject::Thread { .. }));
            let Some((below, (subject, kind))) = below_thread(&path).zip(caller) else { return Vec::new() };
            let facets = if below.is_empty() { &[Facet::Header] } else { facets(below) };
            facets.iter().map(|facet| absence(&SubjectHint::Known(subject.clone()), kind, *facet)).collect()
        }
    }
}

/// The names and numbers of a path.
fn steps(path: &[Json<'_>]) -> Option<Vec<String>> {
    let step = |step: &Json<'_>| step.as_str().map(str::to_owned).or_else(|| step.as_u64().map(|at| at.to_string()));
    path.iter().map(step).collect()
}

/// What a path names below the one thread that a query of this form asks for: nothing for the thread itself.
fn below_thread(path: &[String]) -> Option<&[String]> {
    let names: Vec<_> = path.iter().map(String::as_str).collect();
    match names[..] {
        ["repository"] => Some(&[]),
        ["repository", "issue" | "pullRequest" | "issueOrPullRequest", ..] => Some(&path[2..]),
        ["node" | "resource", ..] => Some(&path[1..]),
        _ => None,
    }
}

/// The facets whose whole set a path below a thread names. One item of a set says nothing of the others.
fn facets(below: &[String]) -> &'static [Facet] {
    let below: Vec<_> = below.iter().map(String::as_str).collect();
    match below[..] {
        // Both queries in use ask for the checks of the last commit as the only one.
        ["statusCheckRollup", ..] | ["commits", "nodes", "0", "commit", "statusCheckRollup", ..] => {
            &[Facet::Checks, Facet::Statuses]
        }
        [name] | [name, "nodes" | "edges" | "totalCount" | "pageInfo"] => match name {
            "comments" => &[Facet::Comments],
            "reviews" => &[Facet::Reviews],
            "reviewThreads" => &[Facet::Threads],
            "files" => &[Facet::Files],
            "commits" => &[Facet::Commits],
            "timelineItems" => &[Facet::Timeline],
            "reactions" => &[Facet::Reactions],
            "labels" => &[Facet::Labels],
            _ => &[],
        },
        _ => &[],
    }
}
