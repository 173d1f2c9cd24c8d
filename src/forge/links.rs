//! The issues and pull requests that one links: what its text says it closes or mentions, and what its timeline shows.
//!
//! Only names come of it. A text can name anything; what is done with a name is for the caller to decide.

use std::collections::{BTreeMap, BTreeSet};

use super::facets::{Event, Header};
use super::named::entity_from_text;
use super::prose::prose;
use super::url::Target;
use crate::format::entity::{Kind, Repository, Subject, parse_number};

/// How one entity is linked, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// The forge links it as what is closed, or the body of a pull request says so with a closing word.
    Closes,
    /// The forge links it as what closes this one.
    ClosedBy,
    /// The timeline or a list of the forge shows that the other one refers to it.
    CrossReferenced,
    /// The body names it.
    Mentions,
}

impl How {
    /// The name in an index.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closes => "closes",
            Self::ClosedBy => "closed-by",
            Self::CrossReferenced => "cross-referenced",
            Self::Mentions => "mentions",
        }
    }
}

/// One that is linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Which.
    pub subject: Subject,
    /// In which ways.
    pub how: BTreeSet<How>,
}

/// What an issue or pull request links, each once, in the order of the closest way, the place and the number.
pub fn links(own: &Subject, kind: Kind, header: &Header, timeline: &[Event]) -> Vec<Link> {
    let Some(repository) = own.repository() else { return Vec::new() };
    let mut found: BTreeMap<String, Link> = BTreeMap::new();
    let mut add = |subject: Subject, how| {
        let dir = subject.dir();
        if dir != own.dir() {
            found.entry(dir).or_insert_with(|| Link { subject, how: BTreeSet::new() }).how.insert(how);
        }
    };
    let sources = timeline.iter().flat_map(|event| &event.details).filter(|(name, _)| *name == "source");
    let of_source = |text: &str| of_url(text, repository).or_else(|| of_short_form(text, repository));
    for subject in sources.filter_map(|(_, source)| of_source(source)) {
        add(subject, How::CrossReferenced);
    }
    let lists =
        [(&header.closes, How::Closes), (&header.closers, How::ClosedBy), (&header.related, How::CrossReferenced)];
    for (list, how) in lists {
        let named = list.known().into_iter().flatten().filter_map(|text| of_reference(text, repository));
        named.for_each(|subject| add(subject, how));
    }
    for (subject, closes) in in_text(header.body.known().map_or("", String::as_str), repository, kind) {
        add(subject, if closes { How::Closes } else { How::Mentions });
    }
    let mut links: Vec<_> = found.into_values().collect();
    links.sort_by_cached_key(|link| {
        let repository = link.subject.repository().map(Repository::dir);
        (link.how.first().copied(), repository, link.subject.number(), link.subject.dir())
    });
    links
}

/// The issue or pull request that an address names. Pages of the same host are of the same forge, which their form does not always tell.
fn of_url(url: &str, repository: &Repository) -> Option<Subject> {
    let at_home = Target::parse_page(url, repository.forge()).filter(|target| target.host == repository.host());
    let subject = match at_home {
        Some(target) => target.subject()?,
        None => entity_from_text(url, None).ok()?.subject,
    };
    subject.number().map(|_| subject)
}

/// What a list of the forge names: by its address, or by its number in a repository.
fn of_reference(text: &str, repository: &Repository) -> Option<Subject> {
    if text.contains("://") {
        return of_url(text, repository);
    }
    let path = if text.starts_with('#') { repository.path() } else { "" };
    let named = entity_from_text(&format!("{path}{text}"), Some((repository.forge(), repository.host()))).ok()?;
    Some(named.subject).filter(|subject| subject.number().is_some())
}

/// What a note of GitLab names: `acme/web!12`, `#5`.
fn of_short_form(text: &str, repository: &Repository) -> Option<Subject> {
    let at = text.find(['#', '!']).filter(|_| repository.forge().numbers_kinds_apart())?;
    let (subject, start, end) = short_form(text, at, repository);
    subject.filter(|_| start == 0 && end == text.len())
}

/// What a body names, and whether it says that it closes it.
fn in_text(body: &str, repository: &Repository, kind: Kind) -> Vec<(Subject, bool)> {
    let text = prose(body);
    let bytes = text.as_bytes();
    let apart = repository.forge().numbers_kinds_apart();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let (subject, start, end) = match bytes[at] {
            b'#' | b'!' if bytes[at] == b'#' || apart => short_form(&text, at, repository),
            b':' if text[at..].starts_with("://") => address(&text, at, repository),
            _ => (None, at, at + 1),
        };
        if let Some(subject) = subject {
            found.push((subject, kind == Kind::Pull && is_closing(&text[..start])));
        }
        at = end.max(at + 1);
    }
    found
}

/// `#12`, `owner/name#12`, and on GitLab `!12`, with the sign at this place; where it begins and ends.
fn short_form(text: &str, at: usize, repository: &Repository) -> (Option<Subject>, usize, usize) {
    let bytes = text.as_bytes();
    let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    let end = at + 1 + digits;
    let none = (None, at, end);
    let goes_on = bytes.get(end).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let Some(number) = parse_number(&text[at + 1..end]).filter(|_| !goes_on) else { return none };
    let is_path = |b: &&u8| b.is_ascii_alphanumeric() || b"._-/".contains(b);
    let start = at - bytes[..at].iter().rev().take_while(is_path).count();
    // `&#39;` is a character, and `##12` a heading.
    if start > 0 && b"&#!@".contains(&bytes[start - 1]) {
        return none;
    }
    let named = match &text[start..at] {
        "" => Some(repository.clone()),
        path if path.contains('/') => Repository::new(repository.forge(), repository.host(), path).ok(),
        _ => None,
    };
    let kind = repository.forge().numbers_kinds_apart();
    let kind = kind.then_some(if bytes[at] == b'!' { Kind::Pull } else { Kind::Issue });
    (named.and_then(|repository| Subject::numbered(repository, kind, number)), start, end)
}

/// The address around `://` at this place; where it begins and ends.
fn address(text: &str, at: usize, repository: &Repository) -> (Option<Subject>, usize, usize) {
    let start = ["https", "http"].iter().find(|scheme| text[..at].ends_with(**scheme)).map(|scheme| at - scheme.len());
    let is_over = |b: &u8| !b.is_ascii_graphic() || b"<>\"'`|()[]{}\\".contains(b);
    let end = text.as_bytes()[at..].iter().position(is_over).map_or(text.len(), |len| at + len);
    let Some(start) = start else { return (None, at, end) };
    let url = text[start..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']);
    (of_url(url, repository), start, end)
}

/// The words that close, as GitHub has them; GitLab and Gitea take these too.
const CLOSING: [&str; 9] = ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];

/// Whether a text ends in a closing word and what may stand between it and what it closes.
fn is_closing(before: &str) -> bool {
    let text = before.trim_end_matches([' ', '\t']);
    let word_ends = text.strip_suffix(':').unwrap_or(text);
    if word_ends.len() == before.len() {
        return false;
    }
    let word = word_ends.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_whole = !word_ends[..word_ends.len() - word.len()].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    is_whole && CLOSING.iter().any(|closing| word.eq_ignore_ascii_case(closing))
}
