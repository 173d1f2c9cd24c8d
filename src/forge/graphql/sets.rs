//! The sets in an issue or pull request node.

use crate::forge::member::text;
use crate::forge::pages::Paged;
use crate::forge::recognise::Extent;
use crate::format::facet::Facet;
use crate::format::json::Json;

use super::connection::Connection;
use super::header::{is_of_gh, names};
use super::texts::stands_alone;

/// The items of a facet in a node, and how much of the set they are.
#[derive(Clone)]
pub(super) struct Set {
    pub facet: Facet,
    /// The item that the set belongs to.
    pub item: Option<String>,
    pub items: Vec<String>,
    pub extent: Extent,
    /// What is told of its pages.
    pub paged: Option<Paged>,
}

/// Sets as they are found.
pub(super) struct Sets<'v> {
    node: &'v Json<'v>,
    pointer: String,
    of_gh: bool,
    found: Vec<Set>,
}

/// The sets of a node at a pointer.
pub(super) fn of(pointer: &str, node: &Json<'_>) -> Vec<Set> {
    let mut sets = Sets { node, pointer: pointer.to_owned(), of_gh: is_of_gh(node), found: Vec::new() };
    sets.comments();
    sets.reviews();
    sets.threads();
    sets.files();
    sets.commits();
    sets.rollup();
    for (name, facet) in [("timelineItems", Facet::Timeline), ("reactions", Facet::Reactions)] {
        if let Some(list) = sets.list(name) {
            sets.all(facet, list);
        }
    }
    sets.labels();
    sets.found
}

impl<'v> Sets<'v> {
    fn list(&self, name: &str) -> Option<Connection<'v>> {
        Connection::read(&format!("{}/{name}", self.pointer), self.node.get(name)?, self.of_gh)
    }

    fn push(&mut self, facet: Facet, items: Vec<String>, extent: Extent) {
        self.found.push(Set { facet, item: None, items, extent, paged: None });
    }

    /// A connection as it is.
    fn all(&mut self, facet: Facet, list: Connection<'_>) {
        let items = list.items.into_iter().map(|(at, _)| at).collect();
        self.found.push(Set { facet, item: None, items, extent: list.extent, paged: list.paged });
    }

    fn comments(&mut self) {
        let Some(list) = self.list("comments") else { return };
        self.all(Facet::Comments, list);
    }

    /// Reviews, with the comments in them. The latest of each reviewer are a selection.
    fn reviews(&mut self) {
        let mut below = Vec::new();
        for (name, selection) in [("reviews", false), ("latestReviews", true), ("latestOpinionatedReviews", true)] {
            let Some(list) = self.list(name) else { continue };
            for (at, review) in &list.items {
                let comments =
                    review.get("comments").and_then(|list| Connection::read(&format!("{at}/comments"), list, false));
                let comments: Vec<_> = comments.into_iter().flat_map(|list| list.items).collect();
                if comments.iter().all(|(_, comment)| stands_alone(comment)) {
                    below.extend(comments.into_iter().map(|(at, _)| at));
                } else {
                    below.push(at.clone());
                }
            }
            let list = if selection { Connection { extent: Extent::Part, paged: None, ..list } } else { list };
            // A selection of nothing says nothing.
            if !selection || !list.items.is_empty() {
                self.all(Facet::Reviews, list);
            }
        }
        if !below.is_empty() {
            self.push(Facet::ReviewComments, below, Extent::Part);
        }
    }

    /// Threads, with their comments: all comments on the diff when all threads and all comments of each are there.
    fn threads(&mut self) {
        let Some(list) = self.list("reviewThreads") else { return };
        let (mut comments, mut whole, mut seen) = (Vec::new(), true, true);
        for (at, thread) in &list.items {
            match thread.get("comments").and_then(|list| Connection::read(&format!("{at}/comments"), list, false)) {
                Some(list) => {
                    whole &= list.is_whole();
                    comments.extend(list.items.into_iter().map(|(at, _)| at));
                }
                None => (whole, seen) = (false, false),
            }
        }
        if seen || !comments.is_empty() {
            // They are as many pages as the threads that they are in.
            let paged = list.paged.clone().filter(|_| whole);
            let extent = if whole && list.is_whole() { Extent::Proved } else { Extent::Part };
            let comments = Set { facet: Facet::ReviewComments, item: None, items: comments, extent, paged };
            self.all(Facet::Threads, list);
            self.found.push(comments);
        } else {
            self.all(Facet::Threads, list);
        }
    }

    fn files(&mut self) {
        let Some(list) = self.list("files") else { return };
        let changed = self.node.get("changedFiles").and_then(Json::as_u64);
        let extent =
            if changed.is_some_and(|changed| changed != list.items.len() as u64) { Extent::Part } else { list.extent };
        self.all(Facet::Files, Connection { extent, ..list });
    }

    /// Commits; in a connection each in a node of its own.
    fn commits(&mut self) {
        let Some(list) = self.list("commits") else { return };
        let at_commit = |(at, node): (String, &Json<'_>)| match node.get("commit") {
            Some(commit) => commit.get("oid").map(|_| format!("{at}/commit")),
            None => Some(at),
        };
        let shown = list.items.len();
        let items: Vec<_> = list.items.into_iter().filter_map(at_commit).collect();
        let extent = if items.len() < shown { Extent::Part } else { list.extent };
        if shown == 0 || !items.is_empty() {
            let paged = list.paged.filter(|_| items.len() == shown);
            self.found.push(Set { facet: Facet::Commits, item: None, items, extent, paged });
        }
    }

    /// Checks: of the node itself, or of its last commit, which both queries in use ask for as the only one.
    fn rollup(&mut self) {
        let mut contexts: Vec<Connection<'v>> = Vec::new();
        let at = format!("{}/statusCheckRollup", self.pointer);
        if let Some(rollup) = self.node.get("statusCheckRollup") {
            if rollup.as_array().is_some() {
                contexts.extend(Connection::read(&at, rollup, self.of_gh));
            } else if let Some(list) = rollup.get("contexts") {
                contexts.extend(Connection::read(&format!("{at}/contexts"), list, false));
            } else {
                contexts.extend(of_commits(&at, rollup));
            }
        }
        if let Some(commits) = self.node.get("commits") {
            contexts.extend(of_commits(&format!("{}/commits", self.pointer), commits));
        }
        if contexts.is_empty() {
            return;
        }
        let only = contexts.len() == 1;
        let (mut runs, mut statuses) = (Vec::new(), Vec::new());
        let whole = only && contexts.iter().all(Connection::is_whole);
        for (at, context) in contexts.into_iter().flat_map(|list| list.items) {
            let is_status = text(context, "__typename") == Some("StatusContext") || context.get("context").is_some();
            if is_status { statuses.push(at) } else { runs.push(at) }
        }
        // Of the checks of one name a rollup shows the latest alone.
        let extent = if whole { Extent::Whole } else { Extent::Part };
        self.push(Facet::Checks, runs, extent);
        if !statuses.is_empty() {
            self.push(Facet::Statuses, statuses, Extent::Part);
        }
    }

    /// Labels that the header does not tell, since they are not all.
    fn labels(&mut self) {
        let list = self.node.get("labels").and_then(|list| names(&format!("{}/labels", self.pointer), list));
        let Some(list) = list.filter(|list| !list.is_whole() && !list.items.is_empty()) else { return };
        self.push(Facet::Labels, list.items.into_iter().map(|(at, _)| at).collect(), Extent::Part);
    }
}

/// The checks of each commit in a connection of them.
fn of_commits<'v>(pointer: &str, commits: &'v Json<'v>) -> Vec<Connection<'v>> {
    let list = Connection::read(pointer, commits, false);
    let contexts = |(at, node): (String, &'v Json<'v>)| {
        let (at, commit) = match node.get("commit") {
            Some(commit) => (format!("{at}/commit"), commit),
            None => (at, node),
        };
        let list = commit.pointer("/statusCheckRollup/contexts")?;
        Connection::read(&format!("{at}/statusCheckRollup/contexts"), list, false)
    };
    list.into_iter().flat_map(|list| list.items).filter_map(contexts).collect()
}
