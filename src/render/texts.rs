//! How a text may be shown: each kind of text, as it is in a snapshot and as the filter lets it be in a stage.

use std::borrow::Cow;

use super::patch::visible_path;
use super::view::{View, usize_bound};
use crate::corpus::{GapCode, Withheld};
use crate::filter::{self, Filtered, Findings, Status};
use crate::forge::facets::Id;
use crate::format::facet::Facet;
use crate::format::json::{Json, Object};
use crate::format::patch::is_hunks;
use crate::format::profile::Profile;
use crate::format::source::Quoted;

impl View<'_> {
    /// A text of several lines, as the bytes of a file.
    pub fn body(&mut self, text: &str, about: &mut Object<'static>) -> Vec<u8> {
        let (Some(profile), Some(filter)) = (self.profile, self.filter) else { return text.as_bytes().to_vec() };
        let filtered = self.sound(filter.clean(text, usize_bound(profile.max_body_bytes)));
        self.own(filtered, text.len(), about)
    }

    /// The file of a text that the profile withholds: empty, with its row.
    pub fn empty(&mut self, withheld: Withheld, about: &mut Object<'static>) -> Vec<u8> {
        self.file.status = Status::Withheld;
        about.set("withheld", of_withheld(withheld));
        Vec::new()
    }

    /// The text of a file of its own. One that is withheld leaves its size and the reason in the row.
    fn own(&mut self, filtered: Filtered<'_>, size: usize, about: &mut Object<'static>) -> Vec<u8> {
        let shown = self.tally(filtered);
        if shown.is_none() {
            self.file.status = Status::Withheld;
            about.set("withheld", withheld_json(size, FINDING));
        }
        shown.unwrap_or_default().into_owned().into_bytes()
    }

    /// A log as the bytes of a file: as they are, or decoded, filtered and bounded. The row says what the bound cut off.
    pub fn log(&mut self, bytes: &[u8], about: &mut Object<'static>) -> Vec<u8> {
        let (Some(profile), Some(filter)) = (self.profile, self.filter) else { return bytes.to_vec() };
        let (text, broken) = filter::decode(bytes);
        let filtered = self.sound(filter.log(&text, usize_bound(profile.max_log_bytes)));
        if filtered.dropped_bytes > 0 {
            about.set("droppedBytes", filtered.dropped_bytes);
            self.gaps.add(Facet::Logs, GapCode::ProfileBound, 1);
        }
        let shown = self.own(filtered, bytes.len(), about);
        self.note_broken(broken);
        shown
    }

    /// A quoted line as the bytes of a file, given what was found in it before.
    pub fn quote(&mut self, quoted: &Quoted, about: &mut Object<'static>) -> Vec<u8> {
        self.file.count(quoted.findings.clone());
        if let Some(size) = quoted.withheld {
            self.file.status = Status::Withheld;
            self.file.withheld += 1;
            about.set("withheld", withheld_json(size, FINDING));
            return Vec::new();
        }
        if !quoted.findings.is_empty() {
            self.file.status = Status::Modified;
        }
        self.lines(&quoted.text, |_| None).into_owned().into_bytes()
    }

    /// A part of a diff as it may be shown, as many lines as it has; `None` for one that is withheld.
    pub fn diff<'s>(&mut self, text: &'s str) -> (Option<Cow<'s, str>>, Status) {
        let Some(filter) = self.filter else { return (Some(Cow::Borrowed(text)), Status::Unchanged) };
        let filtered = self.sound(filter.diff(text));
        let status = filtered.status;
        (self.tally(filtered), status)
    }

    /// Says of the file that is being made what filtering did to it, where that is counted elsewhere.
    pub fn mark(&mut self, status: Status) {
        self.file.status = self.file.status.max(status);
    }

    /// Takes note of pieces that were no text in any encoding.
    pub fn note_broken(&mut self, broken: u64) {
        if broken > 0 {
            self.file.status = self.file.status.max(Status::Modified);
            *self.file.findings.entry(filter::INVALID).or_default() += broken;
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
        if !is_hunks(text.as_bytes()) {
            return Err(Unshown::Odd);
        }
        let Some(filter) = self.filter else { return Ok(Cow::Borrowed(text)) };
        let filtered = self.sound(filter.clean(text, None));
        if filtered.status != Status::Withheld && !is_hunks(filtered.text.as_bytes()) {
            return Err(Unshown::Odd);
        }
        self.tally(filtered).ok_or(Unshown::Withheld)
    }

    /// A text on one line; the reason in the place of one that is withheld.
    pub fn display<'s>(&mut self, text: &'s str) -> Json<'s> {
        let (Some(profile), Some(filter)) = (self.profile, self.filter) else { return Json::from(text) };
        let filtered = self.sound(filter.display(text, usize_bound(profile.max_metadata_bytes)));
        let reason = filter::withheld_mark(&filtered.findings);
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
            Status::Withheld => (filter::withheld_mark(&filtered.findings), false),
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
            // What is found in it is not shown in another spelling either.
            Cow::Owned(_) if !self.judged(name).is_empty() => self.display(name),
            Cow::Owned(name) => self.display(&name).into_owned(),
        }
    }

    /// The name of an item: its id, or where that is a text that may not be shown, what its file is named by.
    pub fn id(&self, id: &Id) -> Json<'static> {
        match id {
            Id::Text(text) if !self.fits(text) => Json::from(id.file_part()),
            id => Json::from(id),
        }
    }

    /// Whether the detectors find nothing in a structural text. What they find is a gap, and counted.
    pub fn may_name(&mut self, scope: Facet, text: &str) -> bool {
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

    /// What stands for a text that is withheld for what was found since.
    pub fn withheld_since(&self, before: &Findings) -> String {
        let mut new = self.file.findings.clone();
        new.retain(|class, count| before.get(class) != Some(count));
        filter::withheld_mark(&new)
    }
}

/// Why a patch is not part of the diff.
pub(super) enum Unshown {
    /// It is not made of hunks, at least not any more.
    Odd,
    /// Something was found in it.
    Withheld,
}

/// The reason of a text that the filters withhold.
pub(super) const FINDING: &str = "finding";

/// What a row says of a text that is withheld: its size in bytes as the forge has it, and why.
pub(super) fn withheld_json(size: usize, reason: &'static str) -> Object<'static> {
    let mut out = Object::new();
    out.set("bytes", size).set("reason", reason);
    out
}

/// The same of one that the profile withholds.
pub(super) fn of_withheld(withheld: Withheld) -> Object<'static> {
    withheld_json(withheld.bytes, withheld.reason.name())
}
