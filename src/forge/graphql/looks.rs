//! From a payload of GitHub's GraphQL API to looks.

use crate::format::entity::{Forge, Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::answer::Absence;
use crate::forge::dialect::Dialect;
use crate::forge::github::owner::Owner;
use crate::forge::github::subject;
use crate::forge::member::{number, text};
use crate::forge::recognise::{Extent, Hints, Look, Part, Reason, Recognised, SubjectHint, Unrecognised};
use crate::forge::url::Target;

use super::archive::{self, Archive, THREADS};
use super::errors::{self, Shown};
use super::sets::{self, Set};
use super::shape;

/// Recognises a payload; `None` for what is not of this API.
pub(in crate::forge) fn looks(view: &Json<'_>, hints: &Hints<'_>) -> Option<Recognised> {
    let around = around(hints);
    // The address of all queries names nothing.
    let hints = Hints { url: None, entity: hints.caller(None), ..*hints };
    let mut walk = Walk::new(&hints);
    walk.around = around;
    match view {
        Json::Array(items) if items.iter().any(is_node) => walk.list("", items, None),
        Json::Object(_) if is_answer(view) => {
            if let Some(data) = view.get("data") {
                walk.below("/data", data, None);
            }
            walk.errors(view);
            if walk.looks.is_empty() && walk.left.is_empty() && walk.absent.is_empty() {
                let failed = view.get("data").is_none_or(Json::is_null);
                let reason = if failed { Reason::ForgeErrorBody } else { Reason::FacetUnsupported };
                return Some(Recognised::nothing(reason));
            }
        }
        Json::Object(_) if is_archive(view) => walk.archive(view),
        Json::Object(_) if is_node(view) => walk.node("", view, None),
        Json::Object(_) if is_printed(view, &hints) => walk.thread("", view, None, None),
        Json::Object(_) if is_row(view, &hints) => walk.thread("", view, None, None),
        Json::Array(rows) if !rows.is_empty() && rows.iter().all(|row| is_row(row, &hints)) => {
            rows.iter().enumerate().for_each(|(at, row)| walk.thread(&format!("/{at}"), row, None, None));
        }
        _ => return None,
    }
    Some(walk.finish())
}

/// `{data, errors?, extensions?}`, or an account of errors alone.
fn is_answer(view: &Json<'_>) -> bool {
    const MEMBERS: [&str; 3] = ["data", "errors", "extensions"];
    let only = view.as_object().is_some_and(|object| object.iter().all(|(name, _)| MEMBERS.contains(&name)));
    let data = view.get("data").is_some_and(|data| data.as_object().is_some() || data.is_null());
    let errors = view.get("errors").and_then(Json::as_array);
    let told =
        errors.is_some_and(|errors| !errors.is_empty() && errors.iter().all(|error| text(error, "message").is_some()));
    only && (data || told)
}

/// What `gh` printed of the caller's issue or pull request, where nothing else says what it is.
fn is_printed(view: &Json<'_>, hints: &Hints<'_>) -> bool {
    let own =
        |(subject, _): (&Subject, _)| matches!(subject, Subject::Thread { .. }) && subject.forge() == Forge::GitHub;
    let unnamed = hints.event.is_none() && hints.facet.is_none_or(|facet| facet == Facet::Header);
    unnamed && hints.entity.is_some_and(own) && shape::is_printed(view)
}

/// A row of what `gh issue list` or `gh pr list` printed: its number tells which issue or pull request of its repository it is.
fn is_row(view: &Json<'_>, hints: &Hints<'_>) -> bool {
    let unnamed = hints.event.is_none() && hints.facet.is_none_or(|facet| facet == Facet::Header);
    unnamed && number(view, "number").is_some() && shape::is_printed(view)
}

/// The repository that the caller names, or the request where that is about no issue or pull request.
fn around(hints: &Hints<'_>) -> Option<Repository> {
    let named = hints.caller(None).and_then(|(subject, _)| match subject {
        Subject::Repository(repository) => Some(repository),
        _ => None,
    });
    let asked = hints.url.map(|url| &url.target).filter(|target| target.resource.number().is_none());
    let found = named.or_else(|| asked.and_then(|target| target.repository.as_ref()));
    found.filter(|repository| repository.forge() == Forge::GitHub).cloned()
}

fn is_node(value: &Json<'_>) -> bool {
    shape::is_thread(value) || shape::item(value).is_some()
}

/// A dump of a repository: its threads as nodes, connections made flat.
fn is_archive(view: &Json<'_>) -> bool {
    let lists: Vec<_> = THREADS.iter().filter_map(|name| view.get(name).and_then(Json::as_array)).collect();
    let named = view.get("repo").and_then(Json::as_str).is_some_and(|name| name.contains('/'));
    let empty = lists.iter().all(|list| list.is_empty());
    // One odd item in a list of threads leaves the others what they are.
    let any = lists.iter().any(|list| list.iter().any(shape::is_thread));
    any || (empty && named && !lists.is_empty())
}

/// What is found on the way through a payload.
pub(super) struct Walk<'h> {
    hints: &'h Hints<'h>,
    /// The repository of nodes that name none.
    around: Option<Repository>,
    pub looks: Vec<Look>,
    /// The threads that were found.
    shown: Vec<Shown>,
    absent: Vec<Absence>,
    pub left: Vec<Unrecognised>,
    /// The members that an error made null.
    failed: Vec<String>,
}

impl<'h> Walk<'h> {
    pub fn new(hints: &'h Hints<'h>) -> Self {
        let (looks, shown, absent, left, failed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { hints, around: None, looks, shown, absent, left, failed }
    }

    /// What the errors of an answer say of what it does not show.
    fn errors(&mut self, view: &Json<'_>) {
        let (absent, left) = errors::read(view, &self.shown, &self.looks, self.hints);
        self.absent = absent;
        self.failed = errors::nulls(view);
        self.left.extend(left);
    }

    fn archive(&mut self, view: &Json<'_>) {
        let lists = || THREADS.iter().filter_map(|name| Some((*name, view.get(name)?.as_array()?)));
        // The pages of the threads tell the host.
        let host =
            lists().flat_map(|(_, list)| list).filter(|item| archive::is_thread(item)).find_map(archive::host_of);
        let dump = Archive::new(view.get("repo").and_then(Json::as_str), host.as_deref());
        let labels = view.get("labels").and_then(Json::as_array);
        self.looks.extend(labels.and_then(|labels| dump.labels(labels.len())));
        for (name, list) in lists() {
            for (at, thread) in list.iter().enumerate() {
                let kind = archive::kind_of_list(name);
                self.dumped(&format!("/{name}/{at}"), thread, dump.repository(), kind);
            }
        }
    }

    /// An item of a list of threads in a dump.
    pub fn dumped(&mut self, pointer: &str, item: &Json<'_>, repository: Option<&Repository>, kind: Option<Kind>) {
        if shape::is_thread(item) {
            self.thread(pointer, item, repository, kind);
        } else {
            self.left.push(Unrecognised { pointer: pointer.to_owned(), reason: Reason::ShapeUnknown });
        }
    }

    fn list(&mut self, pointer: &str, items: &[Json<'_>], repository: Option<&Repository>) {
        let mut bare = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let pointer = format!("{pointer}/{at}");
            if shape::is_thread(item) {
                self.thread(&pointer, item, repository, None);
            } else if let Some(facet) = shape::item(item) {
                bare.push((facet, pointer, item));
            } else {
                self.left.push(Unrecognised { pointer, reason: Reason::ShapeUnknown });
            }
        }
        let whole = bare.len() == items.len();
        self.bare(bare, if whole { Extent::Whole } else { Extent::Part }, repository);
    }

    fn node(&mut self, pointer: &str, value: &Json<'_>, repository: Option<&Repository>) {
        if shape::is_thread(value) {
            self.thread(pointer, value, repository, None);
        } else if let Some(facet) = shape::item(value) {
            self.bare(vec![(facet, pointer.to_owned(), value)], Extent::Part, repository);
        }
    }

    /// What an answer holds: queries give their parts any names.
    fn below(&mut self, pointer: &str, value: &Json<'_>, repository: Option<&Repository>) {
        if let Some(items) = value.as_array() {
            for (at, item) in items.iter().enumerate() {
                self.found(&format!("{pointer}/{at}"), item, repository, None);
            }
        }
        let Some(object) = value.as_object() else { return };
        let own = named(value);
        let repository = own.as_ref().or(repository);
        for (name, member) in object.iter() {
            let kind = match name {
                "issue" => Some(Kind::Issue),
                "pullRequest" => Some(Kind::Pull),
                _ => None,
            };
            let escaped = name.replace('~', "~0").replace('/', "~1");
            if let Some(edges) = shape::collaborators(member) {
                self.members(&format!("{pointer}/{escaped}/edges"), edges, repository);
                continue;
            }
            let expected = kind.is_some() || matches!(name, "issueOrPullRequest" | "node");
            let sets = || {
                member.as_object().is_some_and(|o| {
                    o.iter().any(|(name, set)| shape::SETS.contains(&name) && set.as_object().is_some())
                })
            };
            // A node may be anything.
            let tells = || sets() || name != "node" && shape::tells_header(member);
            if expected && member.get("__typename").is_none() && tells() && !shape::is_thread(member) {
                self.thread(&format!("{pointer}/{escaped}"), member, repository, kind);
            } else {
                self.found(&format!("{pointer}/{escaped}"), member, repository, kind);
            }
        }
    }

    /// Accounts with what they may do. A query may select among them, and the answer does not tell: they are never all.
    fn members(&mut self, pointer: &str, edges: &[Json<'_>], repository: Option<&Repository>) {
        let (there, lacking): (Vec<_>, Vec<_>) = edges.iter().enumerate().partition(|(_, edge)| !edge.is_null());
        let items = there.into_iter().map(|(at, _)| format!("{pointer}/{at}")).collect();
        let extent = if lacking.is_empty() { Extent::Part } else { Extent::Lacking };
        let set = Set { facet: Facet::Members, item: None, items, extent, paged: None };
        match repository.map(|own| Subject::Repository(own.clone())) {
            Some(own) => self.set(SubjectHint::Known(own), None, set),
            None => self.owned(set, Owner { subjects: Vec::new(), repository: None, kind: None, commit: None }),
        }
    }

    fn found(&mut self, pointer: &str, value: &Json<'_>, repository: Option<&Repository>, kind: Option<Kind>) {
        if shape::is_thread(value) {
            self.thread(pointer, value, repository, kind);
        } else if shape::item(value).is_some() {
            self.node(pointer, value, repository);
        } else {
            self.below(pointer, value, repository);
        }
    }

    /// An issue or pull request: its header, and each connection with items.
    pub fn thread(&mut self, pointer: &str, value: &Json<'_>, repository: Option<&Repository>, kind: Option<Kind>) {
        let kind = shape::kind(value).or(kind);
        let page = shape::page(value);
        let number = number(value, "number");
        let repository = page
            .as_ref()
            .and_then(|page| page.repository.clone())
            .or_else(|| value.get("repository").and_then(named))
            .or_else(|| repository.cloned())
            .or_else(|| self.around.clone());
        let shown = page.as_ref().and_then(|page| page.resource.number());
        // A node whose address and number differ is of nobody.
        let agrees = number.is_none() || shown.is_none() || number == shown;
        let own = repository.clone().zip(number.or(shown)).filter(|_| agrees);
        let subjects: Vec<_> =
            own.map(|(repository, number)| Subject::Thread { repository, number }).into_iter().collect();
        let owner = || Owner { subjects: subjects.clone(), repository: repository.clone(), kind, commit: None };
        let sets = sets::of(pointer, value);
        // A node of which nothing else is filed is one that somebody saw.
        let told = shape::tells_header(value) || sets.is_empty();
        if told && (number.is_some() || shown.is_some() || self.hints.entity.is_some()) {
            let caller = self.hints.entity.and_then(|(subject, _)| {
                if let Subject::Thread { number, .. } = subject { Some(*number) } else { None }
            });
            let asked = number.or(shown).or(caller).filter(|_| agrees);
            match subject::of_record(self.hints, owner(), asked) {
                Ok((subject, of_hint)) => self.record(pointer, subject, kind.or(of_hint)),
                Err(reason) => self.left.push(Unrecognised { pointer: pointer.to_owned(), reason }),
            }
        } else if told {
            self.left.push(Unrecognised { pointer: pointer.to_owned(), reason: Reason::EntityAmbiguous });
        }
        if agrees && let Ok(owned) = subject::of_set(self.hints, Facet::Comments, owner()) {
            let shown = |(subject, kind)| Shown { pointer: pointer.to_owned(), subject, kind };
            self.shown.extend(owned.subjects.into_iter().map(shown));
        }
        for set in sets {
            if agrees {
                self.owned(set, owner());
            }
        }
    }

    fn record(&mut self, pointer: &str, subject: SubjectHint, kind: Option<Kind>) {
        let split = if pointer.is_empty() { Vec::new() } else { vec![pointer.to_owned()] };
        self.looks.push(Look {
            dialect: Dialect::GithubGraphql,
            subject,
            kind,
            facet: Facet::Header,
            item: None,
            part: Part::Record { pointer: pointer.to_owned(), split },
            total: None,
            extent: Extent::Whole,
            paged: None,
        });
    }

    /// A set, when somebody owns it.
    fn owned(&mut self, set: Set, owner: Owner) {
        match subject::of_set(self.hints, set.facet, owner) {
            Ok(owned) => {
                for (subject, kind) in owned.subjects {
                    self.set(subject, kind, set.clone());
                }
            }
            Err(reason) => {
                let pointer = set.items.into_iter().next().unwrap_or_default();
                self.left.push(Unrecognised { pointer, reason });
            }
        }
    }

    /// A set of somebody known.
    pub fn set(&mut self, subject: SubjectHint, kind: Option<Kind>, set: Set) {
        self.looks.push(Look {
            dialect: Dialect::GithubGraphql,
            subject,
            kind,
            facet: set.facet,
            item: set.item,
            part: Part::Set { items: set.items },
            total: None,
            extent: set.extent,
            paged: set.paged,
        });
    }

    /// Items outside of any thread: one set for each facet and owner. A thread on the diff brings its comments.
    fn bare(&mut self, items: Vec<(Facet, String, &Json<'_>)>, extent: Extent, repository: Option<&Repository>) {
        let mut found: Vec<(Set, Option<Target>)> = Vec::new();
        for (facet, pointer, value) in items {
            let page = shape::page(value);
            let below = (facet == Facet::Threads).then(|| value.get("comments")).flatten();
            let below =
                below.and_then(|list| super::connection::Connection::read(&format!("{pointer}/comments"), list, false));
            let comments = below.into_iter().flat_map(|list| list.items).map(|(at, _)| (Facet::ReviewComments, at));
            for (facet, pointer) in std::iter::once((facet, pointer)).chain(comments) {
                match found.iter_mut().find(|(set, target)| set.facet == facet && *target == page) {
                    Some((set, _)) => set.items.push(pointer),
                    None => {
                        found.push((Set { facet, item: None, items: vec![pointer], extent, paged: None }, page.clone()))
                    }
                }
            }
        }
        let several = found.len() > 1;
        for (mut set, page) in found {
            if several {
                set.extent = Extent::Part;
            }
            let subject = page.as_ref().and_then(Target::subject);
            let kind = page.as_ref().and_then(Target::kind);
            let repository = page.and_then(|page| page.repository).or_else(|| repository.cloned());
            self.owned(set, Owner { subjects: subject.into_iter().collect(), repository, kind, commit: None });
        }
    }

    /// Keeps what the caller says that it is.
    fn finish(mut self) -> Recognised {
        if let Some(facet) = self.hints.facet {
            for look in self.looks.extract_if(.., |look| look.facet != facet) {
                let at = if let Part::Record { pointer, .. } = &look.part {
                    pointer.clone()
                } else {
                    look.items().first().cloned().unwrap_or_default()
                };
                self.left.push(Unrecognised { pointer: at, reason: Reason::FacetMismatch });
            }
            for _ in self.absent.extract_if(.., |absence| absence.facet != facet) {
                self.left.push(Unrecognised { pointer: "/errors".to_owned(), reason: Reason::FacetMismatch });
            }
        }
        if let (true, Some(first)) = (self.looks.is_empty() && self.absent.is_empty(), self.left.first())
            && self.left.iter().all(|left| left.reason == first.reason)
        {
            return Recognised::nothing(first.reason);
        }
        Recognised { looks: self.looks, absent: self.absent, left: self.left, failed: self.failed }
    }
}

/// The repository that a node is, by its name and page.
fn named(value: &Json<'_>) -> Option<Repository> {
    let path = text(value, "nameWithOwner")?;
    let host = text(value, "url").and_then(Target::parse).map(|page| page.host);
    Repository::new(Forge::GitHub, host.as_deref().unwrap_or("github.com"), path).ok()
}
