//! What one payload of a recording says about the owners of others: comments by id, repositories by number.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::format::entity::{Forge, Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use super::answer::Absence;
use super::member::is_object_id;
use super::recognise::{Look, Part, SubjectHint};
use super::recording::{Exchange, Links};
use super::url::{Request, Target};

/// A thread, and its kind where that is known.
type Owned = (Subject, Option<Kind>);

/// Owners learnt from the payloads and exchanges of one input.
#[derive(Debug, Clone, Default)]
pub struct Owners {
    /// By host and item; none where several threads have it.
    comments: BTreeMap<(String, String), Option<Owned>>,
    repositories: BTreeMap<(String, u64), Option<Repository>>,
    /// By repository, or on GitLab also the number of that which it comes from, and commit, the pull request whose head it is; none
    /// where several have it.
    heads: BTreeMap<(String, String), Option<Subject>>,
}

impl Owners {
    /// Learns the owners of the comments that looks show, and the numbers of the repositories in their records.
    pub fn learn(&mut self, looks: &[Look], view: &Json<'_>) {
        for look in looks {
            if let (Some(subject), Part::Record { pointer, .. }) = (look.subject.known(), &look.part)
                && let Some(record) = view.pointer(pointer)
            {
                self.learn_record(subject, record);
            }
        }
        for look in looks.iter().filter(|look| look.item.is_none()) {
            if matches!(look.facet, Facet::Comments | Facet::ReviewComments) {
                self.learn_comments(look, view);
            }
        }
    }

    /// The comments that a look shows, named as a set below one names its item (`review-comments/123`).
    fn learn_comments(&mut self, look: &Look, view: &Json<'_>) {
        let Some((subject, repository)) = look.subject.known().and_then(|known| Some((known, known.repository()?)))
        else {
            return;
        };
        for pointer in look.items() {
            if let Some(id) = view.pointer(pointer).and_then(|item| item.get("id")).and_then(Json::as_u64) {
                let item = (repository.host().to_owned(), format!("{}/{id}", look.facet.name()));
                self.learn_comment(item, Some((subject.clone(), look.kind)));
            }
        }
    }

    /// A header or repository object gives the number of its repository, and that of a pull request its head.
    pub fn learn_record(&mut self, subject: &Subject, record: &Json<'_>) {
        let Some(repository) = subject.repository() else { return };
        if repository.forge() == Forge::GitLab {
            let own = record.get("path_with_namespace").and(record.get("id"));
            let delivered = record.pointer("/project/id");
            if let Some(id) = delivered.or(record.get("project_id")).or(own).and_then(Json::as_u64) {
                self.learn_repository(repository.host().to_owned(), id, repository);
            }
            const HEADS: [&str; 4] =
                ["/sha", "/diff_refs/head_sha", "/object_attributes/last_commit/id", "/merge_request/last_commit/id"];
            let head = HEADS.iter().find_map(|at| record.pointer(at));
            if let Some(id) = record.get("source_project_id").and_then(Json::as_u64) {
                self.learn_head(subject, by_number(repository.host(), id), head);
            }
            return self.learn_head(subject, by_name(repository), head);
        }
        self.learn_head(subject, by_name(repository), record.pointer("/head/sha").or_else(|| record.get("headRefOid")));
        let embedded = [record.get("repository"), record.pointer("/base/repo"), Some(record)];
        for object in embedded.into_iter().flatten() {
            let name = object.get("full_name").and_then(Json::as_str);
            let id = object.get("id").and_then(Json::as_u64);
            if let (true, Some(id)) = (name.is_some_and(|name| name.eq_ignore_ascii_case(repository.path())), id) {
                self.learn_repository(repository.host().to_owned(), id, repository);
            }
        }
    }

    /// A comment that two threads have is nobody's. One look that shows a pull request settles that the thread is one.
    fn learn_comment(&mut self, item: (String, String), owner: Option<Owned>) {
        let known = self.comments.get(&item).and_then(Option::as_ref);
        let kinds = [known, owner.as_ref()].map(|owner| owner.and_then(|(_, kind)| *kind));
        let kind = kinds.into_iter().flatten().max_by_key(|kind| *kind == Kind::Pull);
        agree(&mut self.comments, item.clone(), owner, |a, b| a.0.dir() == b.0.dir());
        if let Some(Some((_, its))) = self.comments.get_mut(&item) {
            *its = kind;
        }
    }

    fn learn_head(&mut self, subject: &Subject, place: String, sha: Option<&Json<'_>>) {
        let sha = sha.and_then(Json::as_str).filter(|sha| is_object_id(sha) && subject.number().is_some());
        if let Some(sha) = sha {
            agree(&mut self.heads, (place, sha.to_owned()), Some(subject.clone()), |a, b| a.dir() == b.dir());
        }
    }

    /// Whether the number of a repository is known.
    pub fn has_repository(&self) -> bool {
        !self.repositories.is_empty()
    }

    /// A number that two names have is nobody's.
    fn learn_repository(&mut self, host: String, id: u64, repository: &Repository) {
        agree(&mut self.repositories, (host, id), Some(repository.clone()), Repository::is_same);
    }

    /// Learns from the Link header of an answer: it names by number the repository that the request named by name.
    pub fn learn_exchange(&mut self, exchange: &Exchange) {
        let asked = Target::parse_api(&exchange.url);
        let linked = exchange.link.as_ref().and_then(Links::target);
        let (Some(asked), Some(linked)) = (asked, linked) else { return };
        if let (Some(repository), Some(id)) = (asked.repository, linked.repository_id)
            && (asked.host, asked.resource) == (linked.host, linked.resource)
        {
            self.learn_repository(repository.host().to_owned(), id, &repository);
        }
    }

    /// Takes over what others learnt.
    pub fn merge(&mut self, other: Self) {
        for (item, owner) in other.comments {
            self.learn_comment(item, owner);
        }
        for (id, name) in other.repositories {
            agree(&mut self.repositories, id, name, Repository::is_same);
        }
        for (head, subject) in other.heads {
            agree(&mut self.heads, head, subject, |a, b| a.dir() == b.dir());
        }
    }

    /// Gives the lack of a facet its subject; `None` when it is not known.
    pub fn resolve_absence(&self, mut absence: Absence) -> Option<Absence> {
        let (subject, kind) = self.subject(&absence.subject, absence.kind, absence.item.as_ref())?;
        absence.subject = SubjectHint::Known(subject);
        absence.kind = absence.kind.or(kind);
        Some(absence)
    }

    /// Gives a request the name of its repository, when that is known. True when the request has one now.
    pub fn name_repository(&self, request: &mut Request) -> bool {
        let target = &mut request.target;
        if let (None, Some(id)) = (&target.repository, target.repository_id) {
            target.repository = self.repositories.get(&(target.host.clone(), id)).cloned().flatten();
        }
        target.repository.is_some()
    }

    /// Gives a look its subject, when what it lacks is known. True when the subject is known now.
    pub fn resolve(&self, look: &mut Look) -> bool {
        let Some((subject, kind)) = self.subject(&look.subject, look.kind, look.item.as_ref()) else { return false };
        look.kind = look.kind.or(kind);
        look.subject = SubjectHint::Known(subject);
        true
    }

    /// Whether nothing else need be asked for a subject.
    pub fn knows(&self, subject: &SubjectHint) -> bool {
        match subject {
            SubjectHint::ByRepositoryId { host, id, .. } => self.repositories.contains_key(&(host.clone(), *id)),
            SubjectHint::AtHead { .. } => false,
            SubjectHint::Known(_) | SubjectHint::OfItem { .. } => true,
        }
    }

    /// The subject that a hint means, with its kind where a comment of it shows that.
    fn subject(&self, hint: &SubjectHint, kind: Option<Kind>, item: Option<&String>) -> Option<Owned> {
        match hint {
            SubjectHint::Known(subject) => Some((subject.clone(), None)),
            SubjectHint::ByRepositoryId { host, id, number } => {
                let repository = self.repositories.get(&(host.clone(), *id))?.clone()?;
                let subject = match number {
                    Some(number) => Subject::numbered(repository, kind, *number)?,
                    None => Subject::Repository(repository),
                };
                Some((subject, None))
            }
            SubjectHint::OfItem { host, repository } => {
                let (subject, kind) = self.comments.get(&(host.clone(), item?.clone()))?.as_ref()?;
                let other = |named: &Repository| subject.repository().is_some_and(|owner| !owner.is_same(named));
                if repository.as_ref().is_some_and(other) { None } else { Some((subject.clone(), *kind)) }
            }
            SubjectHint::AtHead { repository, project, sha } => {
                let number = project.map(|id| by_number(repository.host(), id));
                let places = [Some(by_name(repository)), number].into_iter().flatten();
                let known: Vec<_> = places.filter_map(|place| self.heads.get(&(place, sha.clone()))).collect();
                let found = known.first()?.as_ref()?;
                let agree = known.iter().all(|other| other.as_ref().is_some_and(|other| other.dir() == found.dir()));
                agree.then(|| (found.clone(), Some(Kind::Pull)))
            }
        }
    }
}

fn by_name(repository: &Repository) -> String {
    repository.to_string().to_ascii_lowercase()
}

fn by_number(host: &str, id: u64) -> String {
    format!("{host} {id}")
}

/// Notes what a key stands for; what two accounts take for different things stands for nothing. Of two spellings of one thing the lesser
/// holds, so that nothing depends on the order of the accounts.
fn agree<K: Ord, V: Ord>(known: &mut BTreeMap<K, Option<V>>, key: K, value: Option<V>, same: fn(&V, &V) -> bool) {
    match known.entry(key) {
        Entry::Vacant(free) => {
            free.insert(value);
        }
        Entry::Occupied(mut there) => {
            let both = there.get_mut().take().zip(value).filter(|(a, b)| same(a, b));
            there.insert(both.map(|(a, b)| a.min(b)));
        }
    }
}
