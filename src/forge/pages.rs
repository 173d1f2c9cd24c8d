//! How much of a set a look shows, and which looks are pages of one listing. Completeness comes from proof only.

use std::collections::{BTreeMap, HashSet};

use crate::format::entity::Forge;
use crate::format::facet::Facet;
use crate::format::observation::Completeness;
use crate::format::time::Time;

use super::recognise::{Extent, Look};
use super::recording::Exchange;
use super::url::Request;

/// One look with the exchange that it came from.
#[derive(Debug, Clone, Copy)]
pub struct Page<'p> {
    /// Which input it came from: looks of different files or recordings are never pages of one listing.
    pub source: usize,
    /// The exchange and what its URL names, with repositories known by number named; `None` for a plain file.
    pub asked: Option<(&'p Exchange, &'p Request)>,
    /// The look, its subject known.
    pub look: &'p Look,
}

/// What a connection of GraphQL says of its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paged {
    /// Whether a page follows, where it tells.
    pub next: Option<bool>,
    /// Whether a page comes before, where it tells.
    pub previous: Option<bool>,
    /// How many items all pages have, where it tells.
    pub total: Option<u64>,
    /// How many items this page has.
    pub shown: u64,
    /// Where it ends, where it tells: two pages with the same end are one.
    pub end: Option<String>,
}

/// Looks that make one observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Indexes of the looks, in the order of their pages.
    pub pages: Vec<usize>,
    /// How much they show together.
    pub completeness: Completeness,
    /// True when a list of theirs has items that cannot be read: then nobody can say that it is whole.
    pub lacking: bool,
}

/// How many items the payload's list has, of which a look may take in some.
fn listed(page: &Page<'_>) -> usize {
    if let Extent::Share(all) = page.look.extent { all } else { page.look.items().len() }
}

/// GitHub lists no more commits of a pull request, however many pages are asked for.
const MOST_COMMITS: usize = 250;

/// GitHub lists no more files of a pull request.
const MOST_FILES: usize = 3000;

/// Groups the looks of an invocation: each in exactly one group, groups in the order of their first look.
pub fn assemble(pages: &[Page<'_>]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for Run { pages: run, torn } in runs(pages) {
        let shown = completeness(&run.iter().map(|at| pages[*at]).collect::<Vec<_>>());
        let completeness = if torn && run.len() > 1 { Completeness::Partial } else { shown };
        let lacking = run.iter().any(|at| pages[*at].look.extent == Extent::Lacking);
        groups.push(Group { pages: run, completeness, lacking });
    }
    groups.sort_by_key(|group| group.pages.iter().min().copied());
    groups
}

/// How much the pages of one run show together. A run is what [`assemble`] makes; a look alone is one too.
pub fn completeness(run: &[Page<'_>]) -> Completeness {
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return Completeness::Partial };
    match first.look.extent {
        Extent::Deleted => return Completeness::Deleted,
        Extent::Delivered => return Completeness::Partial,
        Extent::Whole | Extent::Proved | Extent::Part | Extent::Lacking | Extent::Share(_) => {}
    }
    if !first.look.is_set() {
        return Completeness::Whole;
    }
    if run.len() == 1 && first.look.extent == Extent::Proved {
        return Completeness::OnePage;
    }
    if run.iter().any(|page| page.look.extent == Extent::Lacking) {
        return Completeness::Partial;
    }
    if let Some(proof) = connected(run) {
        return proof;
    }
    // Several documents of one item each are a list in another notation.
    let notation = run.len() > 1 && first.asked.is_none();
    if run.iter().any(|page| page.look.extent == Extent::Part && !(notation && is_document(page))) {
        return Completeness::Partial;
    }
    let Some((_, request)) = first.asked.filter(|_| first.look.dialect.is_paged_by_url()) else {
        return Completeness::Unproven;
    };
    if run.iter().any(|page| !lists_whole(page)) || request.query.page != 1 {
        return Completeness::Partial;
    }
    let items: usize = run.iter().map(listed).sum();
    let capped = match first.look.facet {
        _ if request.target.forge != Forge::GitHub => false,
        Facet::Commits => items >= MOST_COMMITS,
        Facet::Files => items >= MOST_FILES,
        _ => false,
    };
    let proof = if run.len() == 1 { Completeness::OnePage } else { Completeness::AllPages };
    match end(run, items, last) {
        End::Reached if capped => Completeness::Unproven,
        End::Reached => proof,
        End::Open => Completeness::Unproven,
        End::Missing => Completeness::Partial,
    }
}

/// What pages of one connection prove together; `None` where there are not several, or one of them tells nothing of pages. That none is
/// missing between two of them only the number of all items shows.
pub fn connected(run: &[Page<'_>]) -> Option<Completeness> {
    let pages: Vec<&Paged> = run.iter().map(|page| page.look.paged.as_ref()).collect::<Option<_>>()?;
    let mut ends = HashSet::new();
    let pages: Vec<_> = pages.into_iter().filter(|page| page.end.as_ref().is_none_or(|end| ends.insert(end))).collect();
    let [first, .., last] = &pages[..] else { return None };
    let shown: u64 = pages.iter().map(|page| page.shown).sum();
    let mut totals = pages.iter().filter_map(|page| page.total).peekable();
    let is_counted = totals.peek().is_some();
    // A connection that changed its length while it was read is not a whole one.
    if first.previous == Some(true) || last.next == Some(true) || totals.any(|total| total != shown) {
        return Some(Completeness::Partial);
    }
    let ended = pages[..pages.len() - 1].iter().any(|page| page.next == Some(false));
    Some(if is_counted && !ended { Completeness::AllPages } else { Completeness::Unproven })
}

/// Whether the look's only item is the whole document.
fn is_document(page: &Page<'_>) -> bool {
    matches!(page.look.items(), [only] if only.is_empty())
}

/// What the last page of a run says about further ones.
enum End {
    /// There are none.
    Reached,
    /// There may be some.
    Open,
    /// There are some, or the pages do not fit together.
    Missing,
}

fn end(run: &[Page<'_>], items: usize, last: &Page<'_>) -> End {
    let links = |page: &Page<'_>| page.asked.and_then(|(exchange, _)| exchange.link.clone());
    let next = links(last).is_some_and(|link| link.next.is_some());
    let promised = run.iter().filter_map(|page| links(page)?.last).filter_map(|url| Request::parse(&url));
    // A listing that changed its length while it was read is not a whole one.
    if next || promised.map(|request| request.query.page).any(|page| page != run.len() as u64) {
        return End::Missing;
    }
    let total = |page: &Page<'_>| page.look.total.or_else(|| page.asked.and_then(|(exchange, _)| exchange.total));
    let next_page = last.asked.and_then(|(exchange, _)| exchange.next_page.as_deref());
    if next_page.is_some_and(|page| !page.is_empty()) {
        return End::Missing;
    }
    let mut totals = run.iter().filter_map(total);
    if let Some(total) = totals.next() {
        let same = totals.all(|other| other == total) && total == items as u64;
        return if same { End::Reached } else { End::Missing };
    }
    let Some((exchange, request)) = last.asked else { return End::Open };
    // However long a page may be, one without items is behind the last.
    let empty = listed(last) == 0;
    let short = (listed(last) as u64) < request.query.per_page;
    let linked = exchange.link.is_some() && run.len() > 1;
    let unpaged = request.target.forge.is_gitea_like() && request.target.resource.is_unpaged_at_gitea();
    let told = linked || unpaged || next_page.is_some() || (short && exchange.headers_kept);
    if told || empty { End::Reached } else { End::Open }
}

/// Whether the answer is a page of the facet's whole listing, with nothing left out by its query.
fn lists_whole(page: &Page<'_>) -> bool {
    let Some((exchange, request)) = page.asked else { return false };
    let resource = &request.target.resource;
    let of_subject = match page.look.subject.known() {
        Some(subject) if subject.number().is_some() => {
            resource.number().is_none_or(|asked| Some(asked) == subject.number())
        }
        _ => resource.number().is_none(),
    };
    let read = exchange.method == "GET" && exchange.status == 200;
    read && !request.query.filtered && resource.lists(page.look.facet) && of_subject
}

/// Pages that follow each other.
struct Run {
    /// Their indexes.
    pages: Vec<usize>,
    /// True when a page that starts no listing comes next: two readings ran into each other, and no one can tell which of
    /// them a page belongs to.
    torn: bool,
}

fn runs(pages: &[Page<'_>]) -> Vec<Run> {
    let mut listings: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut out = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        match listing(page) {
            Some(listing) => listings.entry(listing).or_default().push(at),
            None => out.push(Run { pages: vec![at], torn: false }),
        }
    }
    for mut listed in listings.into_values() {
        listed.sort_by_key(|at| (moment(&pages[*at]), *at));
        let mut chunks = listed.chunk_by(|before, at| follows(&pages[*before], &pages[*at])).peekable();
        while let Some(chunk) = chunks.next() {
            let next = chunks.peek().and_then(|next| pages[next[0]].asked);
            let torn = next.is_some_and(|(_, request)| request.query.page != 1);
            out.push(Run { pages: chunk.to_vec(), torn });
        }
    }
    out
}

/// What pages of one listing have in common; `None` for what is never one of several.
fn listing(page: &Page<'_>) -> Option<String> {
    let look = page.look;
    // What is whole by itself is no page of anything.
    let joins = look.is_set() && !look.extent.stands_alone();
    let subject = look.subject.known().filter(|_| joins)?.to_string().to_ascii_lowercase();
    let of_look = format!("{} {} {subject} {:?}", page.source, look.facet.name(), look.item);
    match page.asked {
        // Documents of one file: pages that a tool wrote one after the other, or a line an item.
        None => Some(of_look),
        Some(_) if look.paged.is_some() => Some(of_look),
        Some((_, request)) if lists_whole(page) => {
            Some(format!("{of_look} {:?} {}", request.target.resource, request.query.rest))
        }
        Some(_) => None,
    }
}

/// When an exchange took place: by its Date, within one second by its place in the recording.
fn moment(page: &Page<'_>) -> (Option<Time>, u64) {
    page.asked.map_or((None, 0), |(exchange, _)| (exchange.date, exchange.position))
}

/// Whether a look is the next page after another, both of one listing.
fn follows(before: &Page<'_>, page: &Page<'_>) -> bool {
    match (before.asked, page.asked) {
        (None, None) => true,
        (Some(_), Some(_)) if page.look.paged.is_some() => {
            let told = |page: &Page<'_>| page.look.paged.clone();
            told(before)
                .zip(told(page))
                .is_some_and(|(before, page)| before.next == Some(true) && page.previous != Some(false))
        }
        (Some((exchange, before)), Some((_, request))) => {
            let ended = exchange.link.as_ref().is_some_and(|link| link.next.is_none());
            !ended && request.query.page == before.query.page + 1
        }
        _ => false,
    }
}
