//! How a text may be shown, and the files made so far with what is known of each.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::actors::Actors;
use super::hunks::is_hunks;
use super::patch::visible_path;
use super::{Explained, Mode};
use crate::corpus::{Availability, Coverage, GapCode, Gaps, State};
use crate::filter::{self, Filter, Filtered, Findings, Span, Status};
use crate::forge::facets::Field;
use crate::format::digest::Digest;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::index::{Entry, Role};
use crate::format::json::{self, Json, Object};
use crate::format::profile::{Keep, Profile, main_facet};
use crate::format::time::Time;

/// A tree in the making.
pub(super) struct View<'p> {
    pub profile: Option<&'p Profile>,
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
    filter: Option<&'p Filter>,
    /// What filtering did to the file that is being made.
    file: FileNotes,
}

/// What is known of the filtering of one file.
#[derive(Default)]
struct FileNotes {
    status: Status,
    findings: Findings,
    /// Texts of it that are not shown.
    withheld: u64,
    /// Texts of it that were filtered.
    texts: usize,
    spans: Vec<(usize, Span)>,
}

impl<'p> View<'p> {
    pub fn new(state: &State, mode: Mode<'p>) -> Self {
        let (profile, filter) = match mode {
            Mode::Snapshot => (None, None),
            Mode::Stage(profile, filter) => (Some(profile), Some(filter)),
        };
        let mut view = Self {
            profile,
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

    /// Whether a facet is part of this tree. Labels always are: the record shows them.
    pub fn shows(&self, facet: Facet) -> bool {
        facet == Facet::Labels || self.profile.is_none_or(|profile| profile.asks_for(self.kind, facet))
    }

    /// Whether a facet is part of this tree and something is known of it, if only that it is empty.
    pub fn has(&self, state: &State, facet: Facet) -> bool {
        let is_known = |coverage: &Coverage| {
            coverage.items.is_some_and(|items| items > 0) || coverage.state == Availability::Complete
        };
        self.shows(facet) && state.coverage.get(&facet).is_some_and(is_known)
    }

    /// A text of several lines, as the bytes of a file. One that is withheld leaves its size and the reason.
    pub fn body(&mut self, text: &str, about: &mut Object<'static>) -> Vec<u8> {
        let shown = self.shown_lines(text, |profile| profile.max_body_bytes);
        if shown.is_none() {
            self.file.status = Status::Withheld;
            about.set("withheld", withheld_json(text));
        }
        shown.unwrap_or_default().into_owned().into_bytes()
    }

    /// A text of several lines as a member of a JSON file: without the line end that ends a file.
    pub fn text<'s>(&mut self, text: &'s str) -> Json<'s> {
        match self.lines(text, |profile| profile.max_body_bytes) {
            whole if self.profile.is_none() => Json::String(whole),
            Cow::Borrowed(text) => Json::String(Cow::Borrowed(text.trim_end_matches('\n'))),
            Cow::Owned(mut text) => {
                text.truncate(text.trim_end_matches('\n').len());
                Json::String(Cow::Owned(text))
            }
        }
    }

    /// A text of several lines, bounded by what the profile says; the reason in the place of one that is withheld.
    pub fn lines<'s>(&mut self, text: &'s str, bound: fn(&Profile) -> Option<u64>) -> Cow<'s, str> {
        let before = self.file.findings.clone();
        self.shown_lines(text, bound).unwrap_or_else(|| Cow::Owned(self.withheld_since(&before) + "\n"))
    }

    /// The same, or `None` for one that is withheld.
    pub fn shown_lines<'s>(&mut self, text: &'s str, bound: fn(&Profile) -> Option<u64>) -> Option<Cow<'s, str>> {
        let (Some(profile), Some(filter)) = (self.profile, self.filter) else { return Some(Cow::Borrowed(text)) };
        let filtered = self.sound(filter.clean(text, usize_bound(bound(profile))));
        self.tally(filtered)
    }

    /// The hunks of a patch, unless it is more or less than hunks, another reader would see other lines, or it is withheld.
    pub fn hunks<'s>(&mut self, text: &'s str) -> Result<Cow<'s, str>, Unshown> {
        if !is_hunks(text) {
            return Err(Unshown::Odd);
        }
        let Some(filter) = self.filter else { return Ok(Cow::Borrowed(text)) };
        let filtered = self.sound(filter.clean(text, None));
        if filtered.status != Status::Withheld && !is_hunks(&filtered.text) {
            return Err(Unshown::Odd);
        }
        self.tally(filtered).ok_or(Unshown::Withheld)
    }

    /// A text on one line; the reason in the place of one that is withheld.
    pub fn display<'s>(&mut self, text: &'s str) -> Json<'s> {
        let (Some(profile), Some(filter)) = (self.profile, self.filter) else { return Json::from(text) };
        let filtered = self.sound(filter.display(text, usize_bound(profile.max_metadata_bytes)));
        let reason = reason(&filtered.findings);
        Json::String(self.tally(filtered).unwrap_or(Cow::Owned(reason)))
    }

    /// A login beside something. What filtering takes out of it is counted once, where `actors.json` shows it.
    pub fn login(&self, login: &str) -> String {
        let most = self.profile.and_then(|profile| profile.max_metadata_bytes);
        self.line(login, usize_bound(most).unwrap_or(usize::MAX)).map_or_else(|| login.to_owned(), |line| line.0)
    }

    /// A text on one line as a page of ours shows it, and whether it was cut; `None` where nothing is filtered.
    pub fn line(&self, text: &str, most: usize) -> Option<(String, bool)> {
        let filtered = self.sound(self.filter?.display(text, Some(most)));
        Some(match filtered.status {
            Status::Withheld => (reason(&filtered.findings), false),
            _ => (filtered.text.into_owned(), filtered.dropped_bytes > 0),
        })
    }

    /// An id, commit or address: shown as it is or not at all, since another spelling would name something else.
    pub fn structural<'s>(&mut self, scope: Facet, text: &'s str) -> Option<Json<'s>> {
        let is_plain = self.profile.is_none() || filter::is_structural(text);
        self.gaps.add(scope, GapCode::InvalidMetadata, u64::from(!is_plain));
        (is_plain && self.may_name(scope, text)).then(|| Json::from(text))
    }

    /// Whether a structural text can be shown as it is.
    pub fn fits(&self, text: &str) -> bool {
        self.profile.is_none() || filter::is_structural(text) && self.judged(text).is_empty()
    }

    /// A path that names a file: shown as it is, or quoted as git does, or not at all.
    pub fn path<'s>(&mut self, scope: Facet, path: &'s str) -> Option<Json<'s>> {
        if self.profile.is_none() {
            return Some(Json::from(path));
        }
        self.may_name(scope, path).then(|| Json::from(visible_path(path)))
    }

    /// A branch, which is shown to be read.
    pub fn branch<'s>(&mut self, name: &'s str) -> Json<'s> {
        if self.profile.is_none() {
            return Json::from(name);
        }
        match visible_path(name) {
            Cow::Borrowed(name) => self.display(name),
            Cow::Owned(name) => self.display(&name).into_owned(),
        }
    }

    /// Whether the detectors find nothing in a structural text. What they find is a gap, and counted.
    fn may_name(&mut self, scope: Facet, text: &str) -> bool {
        let found = self.judged(text);
        self.gaps.add(scope, GapCode::UnsafeContent, u64::from(!found.is_empty()));
        let is_clean = found.is_empty();
        self.file.count(found);
        is_clean
    }

    /// What the detectors find in a text.
    pub fn judged(&self, text: &str) -> Findings {
        match self.filter.map(|filter| filter.judge(text)) {
            None => Findings::new(),
            Some(Ok(found)) => found,
            Some(Err(error)) => {
                let _ = self.failure.set(error);
                Findings::new()
            }
        }
    }

    /// A time that the forge gave.
    pub fn time(&mut self, time: Time) -> Json<'static> {
        self.as_of = self.as_of.max(Some(time));
        Json::from(time.to_string())
    }

    /// A filtered text, or nothing of it after a failure, which is kept.
    fn sound<'s>(&self, filtered: Result<Filtered<'s>, filter::Error>) -> Filtered<'s> {
        filtered.unwrap_or_else(|error| {
            // The first one is reported.
            let _ = self.failure.set(error);
            Filtered {
                text: Cow::Borrowed(""),
                status: Status::Withheld,
                findings: Findings::new(),
                dropped_bytes: 0,
                spans: Vec::new(),
            }
        })
    }

    /// Takes note of what filtering did, and returns what may be shown.
    fn tally<'s>(&mut self, filtered: Filtered<'s>) -> Option<Cow<'s, str>> {
        self.file.texts += 1;
        self.file.count(filtered.findings);
        self.file.spans.extend(filtered.spans.into_iter().map(|span| (self.file.texts, span)));
        if filtered.status == Status::Withheld {
            self.file.withheld += 1;
            self.file.status = self.file.status.max(Status::Modified);
            return None;
        }
        self.file.status = self.file.status.max(filtered.status);
        Some(filtered.text)
    }

    /// Counts what filtering did to a file that is not made, in the tree as a whole and for nobody else.
    pub fn say_elsewhere(&mut self, scope: Facet) {
        let FileNotes { findings, withheld, .. } = std::mem::take(&mut self.file);
        self.gaps.add(scope, GapCode::UnsafeContent, withheld);
        for (class, count) in findings {
            *self.findings.entry(class).or_default() += count;
        }
    }

    /// What stands for a text that is withheld for what was found since.
    fn withheld_since(&self, before: &Findings) -> String {
        let mut new = self.file.findings.clone();
        new.retain(|class, count| before.get(class) != Some(count));
        reason(&new)
    }

    /// Adds a JSON file.
    pub fn add_json(&mut self, path: &str, role: Role, value: &Json<'_>, about: Object<'static>) {
        self.add(path.to_owned(), role, "application/json", json::to_vec(value), about);
    }

    /// Adds a file; what filtering did since the last one is said of it.
    pub fn add(&mut self, path: String, role: Role, media_type: &str, bytes: Vec<u8>, mut about: Object<'static>) {
        let FileNotes { status, findings, withheld, spans, .. } = std::mem::take(&mut self.file);
        self.gaps.add(scope(role), GapCode::UnsafeContent, withheld);
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

    /// The range of a sorted set that its bound leaves; what it drops is a gap.
    pub fn within_bound(&mut self, facet: Facet, len: usize) -> Range<usize> {
        let kept = self.kept(facet, len);
        self.gaps.add(main_facet(facet), GapCode::ProfileBound, (len - kept.len()) as u64);
        kept
    }

    /// The range of a sorted set that its bound leaves.
    pub fn kept(&self, facet: Facet, len: usize) -> Range<usize> {
        let bound = self.profile.and_then(|profile| profile.max_items.get(&facet)).copied();
        let kept = usize_bound(bound).map_or(len, |most| most.min(len));
        match self.profile.map(|profile| profile.keep) {
            // Files and labels are in the order of their names, which has no newer end.
            Some(Keep::Newest) if !matches!(facet, Facet::Files | Facet::Labels) => len - kept..len,
            _ => 0..kept,
        }
    }
}

/// Why a patch is not part of the diff.
pub(super) enum Unshown {
    /// It is not made of hunks, at least not any more.
    Odd,
    /// Something was found in it.
    Withheld,
}

impl FileNotes {
    fn count(&mut self, findings: Findings) {
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
        Role::Check | Role::Log => Facet::Checks,
        Role::Files | Role::Diff => Facet::Files,
        Role::Commits => Facet::Commits,
        Role::Timeline => Facet::Timeline,
        Role::Reactions => Facet::Reactions,
        Role::Index | Role::Attributes | Role::Summary | Role::Entity | Role::Body | Role::Actors => Facet::Header,
    }
}

/// What stands in the place of a text that is withheld.
fn reason(findings: &Findings) -> String {
    let classes: Vec<_> = findings.keys().copied().filter(|class| filter::is_injection(class)).collect();
    if classes.is_empty() { "[withheld]".to_owned() } else { format!("[withheld:{}]", classes.join(",")) }
}

/// What a row says of a text that is withheld: its size in bytes as the forge has it, and why.
pub(super) fn withheld_json(text: &str) -> Object<'static> {
    let mut out = Object::new();
    out.set("bytes", text.len()).set("reason", "finding");
    out
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

fn usize_bound(bound: Option<u64>) -> Option<usize> {
    bound.map(|bound| usize::try_from(bound).unwrap_or(usize::MAX))
}
