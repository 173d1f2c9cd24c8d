//! A tree in the making: texts as they may be shown, ids as they are or not at all, gaps with their counts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Refusal;
use super::accounts::Accounts;
use crate::corpus::{Roles, State};
use crate::filter::{self, Filter, Filtered, Findings};
use crate::format::entity;
use crate::format::facet::Facet;
use crate::format::upstream::{
    Collection, FileRole, Filtering, Forge, GapCode, Record, Scope, Source, SourceKind, Status, is_forge_id,
    is_git_oid, is_host, is_repository,
};
use crate::render::Explained;

/// A file that is made.
pub(super) struct Made {
    pub role: FileRole,
    pub bytes: Vec<u8>,
    pub filter: Option<Filtering>,
}

/// A tree in the making.
pub(super) struct Making<'m> {
    pub filter: &'m Filter,
    pub forge: Forge,
    pub source: Source,
    pub collection: Collection,
    /// The commit that checks must be of: the one that the caller names, else the one that the record shows.
    pub head: Option<&'m str>,
    pub files: BTreeMap<String, Made>,
    pub records: Vec<Record>,
    pub gaps: BTreeMap<(Scope, GapCode), u64>,
    pub accounts: Accounts<'m>,
    pub roles: Roles,
    pub findings: Findings,
    pub explained: Vec<Explained>,
}

/// A text as it may be shown, with what was done to it.
pub(super) struct Shown<'t> {
    /// `None` when it is rejected.
    pub text: Option<Cow<'t, str>>,
    pub filter: Filtering,
}

impl<'m> Making<'m> {
    /// # Errors
    /// [`Refusal::Required`] when nothing says where the entity is, or not as the layout allows.
    pub fn new(state: &'m State, collection: Collection, filter: &'m Filter) -> Result<Self, Refusal> {
        let forge = match state.repository.forge() {
            entity::Forge::GitHub => Forge::GitHub,
            entity::Forge::GitLab => Forge::GitLab,
            entity::Forge::Gitea | entity::Forge::Forgejo => Forge::Forgejo,
        };
        let mut making = Self {
            filter,
            forge,
            source: source(state, forge),
            collection,
            head: state.header.head.known().and_then(|head| head.sha.as_deref()),
            files: BTreeMap::new(),
            records: Vec::new(),
            gaps: BTreeMap::new(),
            accounts: Accounts::default(),
            roles: state.roles.clone(),
            findings: Findings::new(),
            explained: Vec::new(),
        };
        let required = |member, reason| Err(Refusal::Required { member, reason });
        let Source { host, repository_id, repository, .. } = making.source.clone();
        if repository_id.is_empty() {
            return required(
                "source.repository_id",
                "no record of the entity or of its repository that can be read tells it",
            );
        }
        if !is_host(&host) || !making.may_name(&host)? {
            return required("source.host", "it is not a DNS name in lower case");
        }
        if !is_forge_id(forge, &repository_id, false) || !making.may_name(&repository_id)? {
            return required("source.repository_id", "it is not an id of this forge");
        }
        if !is_repository(forge, &repository) || !making.may_name(&repository)? {
            return required("source.repository", "it is not a name of a repository as the layout writes it");
        }
        Ok(making)
    }

    pub fn includes(&self, source: SourceKind) -> bool {
        self.collection.sources.contains(&source)
    }

    /// An object id; one that is none is left out and counted.
    pub fn oid(&mut self, scope: Scope, oid: Option<&str>) -> Option<String> {
        let oid = oid?;
        let fits = is_git_oid(oid);
        self.gap(scope, GapCode::InvalidMetadata, usize::from(!fits));
        fits.then(|| oid.to_owned())
    }

    /// Counts something that is missing. Nothing is no gap.
    pub fn gap(&mut self, scope: Scope, code: GapCode, count: usize) {
        if count > 0 {
            *self.gaps.entry((scope, code)).or_default() += count as u64;
        }
    }

    /// Counts an item that lacks what a row needs, unless the state has counted it for that already.
    pub fn lacking(&mut self, state: &State, scope: Scope, facet: Facet, key: String) {
        let is_counted = state.odd.contains(&(facet, key));
        self.gap(scope, GapCode::InvalidMetadata, usize::from(!is_counted));
    }

    /// An id as it is; `None`, and a gap, for one that the payload does not tell or that may not be shown.
    pub fn id(&mut self, scope: Scope, id: Option<String>, opaque: bool) -> Result<Option<String>, filter::Error> {
        match id.filter(|id| is_forge_id(self.forge, id, opaque)) {
            Some(id) if self.fits(&id) => self.named(scope, id),
            _ => {
                self.gap(scope, GapCode::InvalidMetadata, 1);
                Ok(None)
            }
        }
    }

    /// A structural text in which a detector finds nothing.
    pub fn named(&mut self, scope: Scope, text: String) -> Result<Option<String>, filter::Error> {
        if self.may_name(&text)? {
            return Ok(Some(text));
        }
        self.gap(scope, GapCode::UnsafeContent, 1);
        Ok(None)
    }

    /// Whether the bound of strings leaves a structural text, which is never cut.
    pub fn fits(&self, text: &str) -> bool {
        text.len() as u64 <= self.collection.bounds.string_bytes
    }

    fn may_name(&mut self, text: &str) -> Result<bool, filter::Error> {
        let found = self.filter.judge(text)?;
        self.count(&found);
        Ok(found.is_empty() && self.fits(text))
    }

    /// A text on one line; one of which nothing is left is `None` without being rejected.
    pub fn display<'t>(&mut self, path: &str, text: &'t str) -> Result<Shown<'t>, filter::Error> {
        let filtered = self.filter.display(text, Some(length(self.collection.bounds.string_bytes)))?;
        let mut shown = self.shown(path, filtered);
        shown.text = shown.text.filter(|text| !text.is_empty());
        Ok(shown)
    }

    /// A text of several lines.
    pub fn lines<'t>(&mut self, path: &str, text: &'t str, bound: u64) -> Result<Shown<'t>, filter::Error> {
        let filtered = self.filter.clean(text, Some(length(bound)))?;
        Ok(self.shown(path, filtered))
    }

    fn shown<'t>(&mut self, path: &str, filtered: Filtered<'t>) -> Shown<'t> {
        self.count(&filtered.findings);
        let spans = filtered.spans.into_iter();
        self.explained.extend(spans.map(|span| Explained { path: path.to_owned(), text: 1, span }));
        let status = match filtered.status {
            filter::Status::Unchanged => Status::Unchanged,
            filter::Status::Modified => Status::Modified,
            filter::Status::Truncated => Status::Truncated,
            filter::Status::Withheld => Status::Rejected,
        };
        let findings = filtered.findings.into_iter().map(|(class, count)| (class.to_owned(), count)).collect();
        let text = (status != Status::Rejected).then_some(filtered.text);
        Shown { text, filter: Filtering { status, findings } }
    }

    fn count(&mut self, found: &Findings) {
        for (class, count) in found {
            *self.findings.entry(class).or_default() += count;
        }
    }

    /// Takes a file.
    pub fn file(&mut self, path: &str, role: FileRole, bytes: Vec<u8>, filter: Option<Filtering>) {
        self.files.insert(path.to_owned(), Made { role, bytes, filter });
    }
}

impl Shown<'_> {
    /// Whether a detector keeps it back.
    pub fn is_rejected(&self) -> bool {
        self.filter.status == Status::Rejected
    }

    /// Adds what was done to it to that of the document that it stands in, where a text that is rejected is one that is replaced.
    pub fn note_in(&self, document: &mut Filtering) {
        let status = if self.is_rejected() { Status::Modified } else { self.filter.status };
        document.status = document.status.max(status);
        for (code, count) in &self.filter.findings {
            *document.findings.entry(code.clone()).or_default() += count;
        }
    }
}

fn source(state: &State, forge: Forge) -> Source {
    let header = &state.header;
    let id = match forge {
        Forge::GitHub => header.repository_node_id.known().cloned(),
        Forge::GitLab | Forge::Forgejo => header.repository_id.known().map(u64::to_string),
    };
    let name = state.repository.path();
    Source {
        forge,
        host: state.repository.host().to_owned(),
        repository_id: id.unwrap_or_default(),
        repository: if forge == Forge::GitLab { name.to_owned() } else { name.to_ascii_lowercase() },
    }
}

/// A bound as a length here.
fn length(bound: u64) -> usize {
    usize::try_from(bound).unwrap_or(usize::MAX)
}
