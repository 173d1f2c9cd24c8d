//! A tree in the making: the files made so far with what is known of each.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::actors::Actors;
use super::{Allowance, Explained, Mode, attachments, order};
use crate::corpus::{Availability, GapCode, Gaps, State};
use crate::filter::{self, Filter, Findings, Span, Status};
use crate::forge::facets::Field;
use crate::format::digest::Digest;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::index::{Entry, Role};
use crate::format::json::{self, Json, Object};
use crate::format::profile::Profile;
use crate::format::time::Time;

/// A tree in the making.
pub(super) struct View<'p> {
    pub profile: Option<&'p Profile>,
    /// What a budget lets it show; none is no budget.
    pub allowance: Option<&'p Allowance>,
    pub kind: Kind,
    pub files: BTreeMap<String, Vec<u8>>,
    pub entries: Vec<Entry>,
    pub gaps: Gaps,
    pub findings: Findings,
    pub as_of: Option<Time>,
    pub actors: Actors,
    /// Where findings were, for whom the filter explains them.
    pub explained: Vec<Explained>,
    /// The first failure of a detector. No tree comes of it.
    pub failure: OnceCell<filter::Error>,
    pub filter: Option<&'p Filter>,
    /// What filtering did to the file that is being made.
    pub file: FileNotes,
}

/// What is left of a set.
pub(super) struct Kept {
    /// The items that stay, those first that stay longest.
    pub in_order: Vec<usize>,
    /// How many a bound drops.
    pub beyond_bound: u64,
    /// How many of the others a budget drops.
    pub beyond_budget: u64,
}

/// What is known of the filtering of one file.
#[derive(Default)]
pub(super) struct FileNotes {
    /// The facet that its texts belong to, where its role does not tell.
    pub scope: Option<Facet>,
    pub status: Status,
    pub findings: Findings,
    /// Texts of it that are not shown.
    pub withheld: u64,
    /// Texts of it that were filtered.
    pub texts: usize,
    pub spans: Vec<(usize, Span)>,
}

impl<'p> View<'p> {
    pub fn new(state: &State, mode: Mode<'p>, allowance: Option<&'p Allowance>) -> Self {
        let (profile, filter) = match mode {
            Mode::Snapshot => (None, None),
            Mode::Stage(profile, filter) => (Some(profile), Some(filter)),
        };
        let mut view = Self {
            profile,
            allowance,
            kind: state.kind,
            files: BTreeMap::new(),
            entries: Vec::new(),
            gaps: Gaps::default(),
            findings: Findings::new(),
            as_of: None,
            actors: Actors::default(),
            explained: Vec::new(),
            failure: OnceCell::new(),
            filter,
            file: FileNotes::default(),
        };
        for gap in state.gaps.iter() {
            if view.shows(gap.scope) {
                view.gaps.add(gap.scope, gap.code, gap.count);
            }
        }
        view
    }

    /// Whether a facet is part of this tree. Labels always are, since the record shows them, and members in the list of accounts.
    pub fn shows(&self, facet: Facet) -> bool {
        matches!(facet, Facet::Labels | Facet::Members)
            || self.profile.is_none_or(|profile| profile.asks_for(self.kind, facet))
    }

    /// Whether a facet is part of this tree and something is known of it, if only that it is empty, or that something came later.
    pub fn has(&self, state: &State, facet: Facet) -> bool {
        self.shows(facet)
            && (order::len(state, facet) > 0
                || state.coverage.get(&facet).is_some_and(|coverage| coverage.state == Availability::Complete))
    }

    /// A time that the forge gave.
    pub fn time(&mut self, time: Time) -> Json<'static> {
        // The row of what came later is not of the time of the tree.
        if self.profile.and_then(|profile| profile.trust.as_of).is_none_or(|at| time <= at) {
            self.as_of = self.as_of.max(Some(time));
        }
        Json::from(time.to_string())
    }

    /// Counts the texts of the file that is being made that are withheld so far in a scope that is not its own.
    pub fn withheld_of(&mut self, scope: Facet) {
        let withheld = std::mem::take(&mut self.file.withheld);
        self.gaps.add(scope, GapCode::UnsafeContent, withheld);
    }

    /// Counts what filtering did to a file that is not made, in the tree as a whole and for nobody else.
    pub fn say_elsewhere(&mut self, scope: Facet) {
        let FileNotes { findings, withheld, .. } = std::mem::take(&mut self.file);
        self.gaps.add(scope, GapCode::UnsafeContent, withheld);
        for (class, count) in findings {
            *self.findings.entry(class).or_default() += count;
        }
    }

    /// Adds a JSON file.
    pub fn add_json(&mut self, path: &str, role: Role, value: &Json<'_>, about: Object<'static>) {
        self.add(path.to_owned(), role, "application/json", json::to_vec(value), about);
    }

    /// Adds a file; what filtering did since the last one is said of it.
    pub fn add(&mut self, path: String, role: Role, media_type: &str, bytes: Vec<u8>, mut about: Object<'static>) {
        let FileNotes { scope: told, status, findings, withheld, spans, .. } = std::mem::take(&mut self.file);
        let scope = told.unwrap_or(scope(role));
        self.gaps.add(scope, GapCode::UnsafeContent, withheld);
        if matches!(role, Role::Body | Role::Comment | Role::Review) {
            let linked = self.attachments(scope, &String::from_utf8_lossy(&bytes));
            about.set_some("attachments", linked);
        }
        // A log says by itself what it lost, and a diff loses whole files, which are counted where they are left out.
        let is_cut =
            status == Status::Truncated && !matches!(role, Role::Log | Role::Diff | Role::Patch | Role::Summary);
        self.gaps.add(scope, GapCode::ProfileBound, u64::from(is_cut));
        self.explained.extend(spans.into_iter().map(|(text, span)| Explained { path: path.clone(), text, span }));
        if self.profile.is_some() && role != Role::Summary {
            let mut filter = Object::new();
            filter.set("status", status.name()).set("findings", findings_json(&findings));
            about.set("filter", filter);
        }
        for (class, count) in findings {
            *self.findings.entry(class).or_default() += count;
        }
        self.entries.push(Entry {
            path: path.clone(),
            role,
            media_type: media_type.to_owned(),
            bytes: bytes.len() as u64,
            sha256: Digest::of(&bytes),
            about,
        });
        self.files.insert(path, bytes);
    }

    /// What a text that is shown links to, and nobody fetched: counted in a stage, and named as far as an address may be shown.
    pub fn attachments(&mut self, scope: Facet, text: &str) -> Option<Json<'static>> {
        self.profile?;
        let links = attachments::links(text);
        self.gaps.add(scope, GapCode::AttachmentNotFetched, links.len() as u64);
        let shown: Vec<_> = links.into_iter().filter(|url| self.fits(url)).collect();
        (!shown.is_empty()).then(|| Json::from(shown))
    }

    /// The items of a set that its bound and the budget leave, sorted; what either drops is a gap.
    pub fn within_bounds(&mut self, state: &State, facet: Facet) -> Vec<usize> {
        let Kept { mut in_order, beyond_bound, beyond_budget } = self.kept(state, facet);
        self.gaps.add(facet, GapCode::ProfileBound, beyond_bound);
        self.gaps.add(facet, GapCode::Budget, beyond_budget);
        in_order.sort_unstable();
        in_order
    }

    /// The items of a set that its bound and the budget leave.
    pub fn kept(&self, state: &State, facet: Facet) -> Kept {
        let mut in_order = order::of(state, facet, self);
        let all = in_order.len();
        let bound = self.profile.and_then(|profile| profile.max_items.get(&facet)).copied();
        in_order.truncate(usize_bound(bound).unwrap_or(usize::MAX));
        let bounded = in_order.len();
        in_order.truncate(self.allowed(facet));
        let (beyond_bound, beyond_budget) = ((all - bounded) as u64, (bounded - in_order.len()) as u64);
        Kept { in_order, beyond_bound, beyond_budget }
    }

    /// How many items of a class a budget lets this tree show.
    pub fn allowed(&self, class: Facet) -> usize {
        self.allowance.map_or(usize::MAX, |allowance| allowance.of(class))
    }
}

impl FileNotes {
    /// Takes what is known of the next part of the same file.
    pub fn append(&mut self, part: Self) {
        let Self { status, findings, withheld, texts, spans, .. } = part;
        self.status = self.status.max(status);
        self.count(findings);
        self.withheld += withheld;
        self.spans.extend(spans.into_iter().map(|(text, span)| (self.texts + text, span)));
        self.texts += texts;
    }

    pub fn count(&mut self, findings: Findings) {
        for (class, count) in findings {
            *self.findings.entry(class).or_default() += count;
        }
    }
}

/// The facet that the texts of a file belong to.
fn scope(role: Role) -> Facet {
    match role {
        Role::Comment => Facet::Comments,
        Role::Review => Facet::Reviews,
        Role::Thread | Role::Threads => Facet::ReviewComments,
        Role::Check => Facet::Checks,
        Role::Log => Facet::Logs,
        Role::Files | Role::Diff => Facet::Files,
        Role::Patch => Facet::Diff,
        Role::Commits => Facet::Commits,
        Role::Timeline => Facet::Timeline,
        Role::Reactions => Facet::Reactions,
        Role::Index | Role::Attributes | Role::Summary | Role::Entity | Role::Body | Role::Actors => Facet::Header,
        // Quotes belong to no facet.
        Role::Evidence | Role::Context | Role::References | Role::Excerpt => Facet::Header,
    }
}

/// The form of findings in an index: `[{"code","count"}]`.
pub(super) fn findings_json(findings: &Findings) -> Json<'static> {
    let row = |(code, count): (&&'static str, &u64)| {
        let mut row = Object::new();
        row.set("code", *code).set("count", *count);
        Json::Object(row)
    };
    Json::Array(findings.iter().map(row).collect())
}

/// Sets a member that may be unknown (absent) or null.
pub(super) fn set_field<'j, 'f, T>(
    out: &mut Object<'j>,
    name: &'static str,
    field: &'f Field<T>,
    json: impl FnOnce(&'f T) -> Json<'j>,
) {
    match field {
        Field::Unknown => {}
        Field::Null => {
            out.set(name, Json::Null);
        }
        Field::Known(value) => {
            out.set(name, json(value));
        }
    }
}

/// A bound of a profile as a length here.
pub(super) fn usize_bound(bound: Option<u64>) -> Option<usize> {
    bound.map(|bound| usize::try_from(bound).unwrap_or(usize::MAX))
}
