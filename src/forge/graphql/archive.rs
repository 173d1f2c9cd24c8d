//! A dump of a repository thread by thread, for who does not hold it whole: the same looks as in one document.

use crate::format::entity::{Forge, Kind, Repository, Subject};
use crate::format::facet::Facet;
use crate::format::json::Json;

use crate::forge::recognise::{Extent, Hints, Look, SubjectHint, Unrecognised, mark_lacking};

use super::looks::Walk;
use super::sets::Set;
use super::shape;

/// The lists of threads in a dump.
pub const THREADS: [&str; 3] = ["issues", "pulls", "pullRequests"];

/// The list of the labels of the repository.
const LABELS: &str = "labels";

/// What holds for a whole dump: its repository.
#[derive(Debug, Clone, Default)]
pub struct Archive {
    repository: Option<Repository>,
}

/// The kind of the threads that a member lists; `None` for any other member.
pub fn kind_of_list(name: &str) -> Option<Kind> {
    let kind = if name == "issues" { Kind::Issue } else { Kind::Pull };
    THREADS.contains(&name).then_some(kind)
}

/// Whether a member lists the labels of the repository.
pub fn lists_labels(name: &str) -> bool {
    name == LABELS
}

/// Whether an item of a list of threads is one.
pub fn is_thread(value: &Json<'_>) -> bool {
    shape::is_thread(value)
}

/// The host that a thread's page is on.
pub fn host_of(thread: &Json<'_>) -> Option<String> {
    shape::page(thread).map(|page| page.host)
}

impl Archive {
    /// A dump that names its repository, whose first thread with a page is on a host. A dump itself names none.
    pub fn new(repo: Option<&str>, host: Option<&str>) -> Self {
        let host = host.unwrap_or("github.com");
        Self { repository: repo.and_then(|path| Repository::new(Forge::GitHub, host, path).ok()) }
    }

    /// Whether the dump names its repository.
    pub fn is_named(&self) -> bool {
        self.repository.is_some()
    }

    pub(super) fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }

    /// The looks at one item of a list of threads, whose list and place a pointer names, and what is left of it.
    pub fn thread(&self, pointer: &str, thread: &Json<'_>, kind: Kind) -> (Vec<Look>, Vec<Unrecognised>) {
        let hints = Hints::default();
        let mut walk = Walk::new(&hints);
        walk.dumped(pointer, thread, self.repository(), Some(kind));
        mark_lacking(&mut walk.looks, &walk.left);
        (walk.looks, walk.left)
    }

    /// The look at so many labels of the repository.
    pub fn labels(&self, count: usize) -> Option<Look> {
        let items = (0..count).map(|at| format!("/{LABELS}/{at}")).collect();
        let subject = SubjectHint::Known(Subject::Repository(self.repository.clone()?));
        let hints = Hints::default();
        let mut walk = Walk::new(&hints);
        walk.set(subject, None, Set { facet: Facet::Labels, item: None, items, extent: Extent::Whole, paged: None });
        walk.looks.pop()
    }
}
