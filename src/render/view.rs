//! How a text may be shown, and the files made so far with what is known of each.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::Mode;
use super::actors::Actors;
use super::patch::visible_path;
use crate::corpus::{Availability, Coverage, GapCode, Gaps, State};
use crate::filter::{self, Filtered, Findings, Status};
use crate::forge::facets::Field;
use crate::format::digest::Digest;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::index::{Entry, Role};
use crate::format::json::{self, Json, Object};
use crate::format::patch::is_hunks;
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
    /// What filtering did to the file that is being made.
    status: Status,
    file_findings: Findings,
}

impl<'p> View<'p> {
    pub fn new(state: &State, mode: Mode<'p>) -> Self {
        let profile = match mode {
            Mode::Snapshot => None,
            Mode::Stage(profile) => Some(profile),
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
            status: Status::default(),
            file_findings: Findings::new(),
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

    /// A text of several lines, as the bytes of a file.
    pub fn body(&mut self, text: &str) -> Vec<u8> {
        self.lines(text, |profile| profile.max_body_bytes).into_owned().into_bytes()
    }

    /// A log as the bytes of a file: as they are, or decoded, filtered and bounded. Returns also how many bytes the bound cut off.
    pub fn log(&mut self, bytes: &[u8]) -> (Vec<u8>, u64) {
        let Some(profile) = self.profile else { return (bytes.to_vec(), 0) };
        let (text, broken) = filter::decode(bytes);
        let filtered = filter::clean(&text, usize_bound(profile.max_log_bytes));
        let dropped = filtered.dropped_bytes;
        let shown = self.tally(filtered).into_owned().into_bytes();
        self.note_broken(broken);
        (shown, dropped)
    }

    /// One line of a diff, with what filtering did to it.
    pub fn one_line<'s>(&mut self, text: &'s str) -> (Cow<'s, str>, Status) {
        let filtered = filter::line(text);
        let status = filtered.status;
        (self.tally(filtered), status)
    }

    /// Says of the file that is being made what filtering did to it, where that is counted elsewhere.
    pub fn mark(&mut self, status: Status) {
        self.status = self.status.max(status);
    }

    /// Takes note of pieces that were no text in any encoding.
    pub fn note_broken(&mut self, broken: u64) {
        if broken > 0 {
            self.status = self.status.max(Status::Modified);
            *self.file_findings.entry(filter::INVALID).or_default() += broken;
        }
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

    /// A text of several lines, bounded by what the profile says.
    pub fn lines<'s>(&mut self, text: &'s str, bound: fn(&Profile) -> Option<u64>) -> Cow<'s, str> {
        match self.profile {
            None => Cow::Borrowed(text),
            Some(profile) => self.tally(filter::clean(text, usize_bound(bound(profile)))),
        }
    }

    /// The hunks of a patch; `None` for a text that is more or less than hunks, or whose lines another reader would see otherwise.
    pub fn hunks<'s>(&mut self, text: &'s str) -> Option<Cow<'s, str>> {
        if !is_hunks(text.as_bytes()) {
            return None;
        }
        if self.profile.is_none() {
            return Some(Cow::Borrowed(text));
        }
        let filtered = filter::clean(text, None);
        is_hunks(filtered.text.as_bytes()).then(|| self.tally(filtered))
    }

    /// A text on one line.
    pub fn display<'s>(&mut self, text: &'s str) -> Json<'s> {
        match self.profile {
            None => Json::from(text),
            Some(profile) => Json::String(self.tally(filter::display(text, usize_bound(profile.max_metadata_bytes)))),
        }
    }

    /// A login beside something. What filtering takes out of it is counted once, where `actors.json` shows it.
    pub fn login(&self, login: &str) -> String {
        match self.profile {
            None => login.to_owned(),
            Some(profile) => filter::display(login, usize_bound(profile.max_metadata_bytes)).text.into_owned(),
        }
    }

    /// An id, commit or address: shown as it is or not at all, since another spelling would name something else.
    pub fn structural<'s>(&mut self, scope: Facet, text: &'s str) -> Option<Json<'s>> {
        let fits = self.fits(text);
        self.gaps.add(scope, GapCode::InvalidMetadata, u64::from(!fits));
        fits.then(|| Json::from(text))
    }

    /// Whether a structural text can be shown as it is.
    pub fn fits(&self, text: &str) -> bool {
        self.profile.is_none() || filter::is_structural(text)
    }

    /// A path or branch.
    pub fn path<'s>(&self, path: &'s str) -> Json<'s> {
        if self.profile.is_some() { Json::from(visible_path(path)) } else { Json::from(path) }
    }

    /// A time that the forge gave.
    pub fn time(&mut self, time: Time) -> Json<'static> {
        self.as_of = self.as_of.max(Some(time));
        Json::from(time.to_string())
    }

    /// Takes note of what filtering did.
    fn tally<'s>(&mut self, filtered: Filtered<'s>) -> Cow<'s, str> {
        self.status = self.status.max(filtered.status);
        for (class, count) in filtered.findings {
            *self.file_findings.entry(class).or_default() += count;
        }
        filtered.text
    }

    /// Adds a JSON file.
    pub fn add_json(&mut self, path: &str, role: Role, value: &Json<'_>, about: Object<'static>) {
        self.add(path.to_owned(), role, "application/json", json::to_vec(value), about);
    }

    /// Adds a file; what filtering did since the last one is said of it.
    pub fn add(&mut self, path: String, role: Role, media_type: &str, bytes: Vec<u8>, mut about: Object<'static>) {
        let findings = std::mem::take(&mut self.file_findings);
        let status = std::mem::take(&mut self.status);
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
