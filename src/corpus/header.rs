//! Folding the record of an issue or pull request: every field by itself, the last look that knows it wins.

use super::state::Availability;
use super::{GapCode, Gaps, LoadedLook, LookData, Rank};
use crate::forge::facets::{Field, Header, Label, Noted, Overlay};
use crate::format::digest::Digest;
use crate::format::entity::Kind;
use crate::format::facet::Facet;
use crate::format::time::Time;

/// A look at the header, with what orders it among others.
struct Look {
    rank: (Option<Time>, Rank),
    digest: Digest,
    header: Header,
    /// How many members are not what the forge documents.
    odd: u64,
    outside_profile: u64,
    sparse: bool,
}

/// What folding the headers gave.
#[derive(Default)]
pub(super) struct Folded {
    /// The fields.
    pub header: Header,
    /// Whether any look showed a header.
    pub seen: bool,
    /// What the forge said instead of data, when the newest look is such a one.
    pub unavailable: Option<Availability>,
    /// The look that the labels are from, so that it can be compared with looks at the facet.
    pub labels: Option<(Rank, Digest, Vec<Label>)>,
    /// Whether nothing but digests chose those labels. It matters only where no later look at the facet replaces them.
    pub labels_contested: bool,
    /// Whether all looks that they are from hold only what was asked for.
    pub labels_sparse: bool,
}

/// Which look a field is from.
#[derive(Default)]
struct Won {
    look: Option<usize>,
    contested: bool,
    sparse: bool,
}

/// Folds the headers among the looks, which are in order of (observedAt, position, digest).
pub(super) fn fold(looks: Vec<LoadedLook>, gaps: &mut Gaps) -> Folded {
    let later = after_readable(&looks);
    let unreadable = later.iter().filter(|look| matches!(look.data, LookData::Unreadable(_))).count() as u64;
    gaps.add(Facet::Header, GapCode::ElementMissing, later.iter().filter(|look| look.missing).count() as u64);
    gaps.add(Facet::Header, GapCode::InvalidMetadata, unreadable);
    let unavailable = newest_unavailable(&looks, gaps);
    // What was deleted does not come back, whatever a look says.
    let deleted = looks.iter().any(|look| matches!(look.data, LookData::LastHeader(_)));
    let unavailable = if deleted { Some(Availability::Gone) } else { unavailable };
    let mut headers: Vec<_> = looks.into_iter().filter_map(Look::new).collect();
    headers.sort_by_key(|look| std::cmp::Reverse((look.rank, look.digest)));
    let mut folded = Folded { seen: !headers.is_empty() || unreadable > 0, unavailable, ..Folded::default() };
    let won = overlay_all(&mut folded.header, &mut headers);
    let contributes = |at: usize| won.iter().any(|(_, won)| won.look == Some(at));
    let contested = won.iter().filter(|(name, won)| won.contested && *name != "labels").count() as u64;
    // The newest look counts even when nothing of it can be read.
    let counting = || headers.iter().enumerate().filter(|(at, _)| *at == 0 || contributes(*at)).map(|(_, look)| look);
    gaps.add(Facet::Header, GapCode::OutsideProfile, counting().map(|look| look.outside_profile).max().unwrap_or(0));
    gaps.add(Facet::Header, GapCode::InvalidMetadata, counting().map(|look| look.odd).max().unwrap_or(0));
    gaps.add(Facet::Header, GapCode::OrderAmbiguous, contested);
    let labels = won.iter().find(|(name, _)| *name == "labels").map(|(_, won)| won);
    folded.labels_contested = labels.is_some_and(|won| won.contested);
    folded.labels_sparse = labels.is_some_and(|won| won.sparse);
    let labels = labels.and_then(|won| won.look);
    folded.labels = labels.map(|at| {
        // They come back as members of their set.
        let labels = std::mem::replace(&mut folded.header.labels, Field::Known(Vec::new())).into_known();
        let labels = labels.unwrap_or_default();
        (headers[at].rank.1, headers[at].digest, labels)
    });
    // Forges turn issues into pull requests and never back: one look that shows a pull request settles it.
    let kinds = headers.iter().filter_map(|look| look.header.kind);
    folded.header.kind = kinds.max_by_key(|kind| *kind == Kind::Pull);
    folded
}

/// The looks behind the last header that can be read: one that cannot is missed until a later look shows one that can.
fn after_readable(looks: &[LoadedLook]) -> &[LoadedLook] {
    let readable = looks.iter().rposition(|look| !look.missing && look.is_header());
    readable.map_or(looks, |at| &looks[at + 1..])
}

/// What the newest look says when it gave no data. A look of the same rank that says something else makes it ambiguous.
fn newest_unavailable(looks: &[LoadedLook], gaps: &mut Gaps) -> Option<Availability> {
    let said = |look: &LoadedLook| match look.data {
        LookData::Unavailable(status) => Some(Availability::of_status(status)),
        _ => None,
    };
    let newest = looks.last()?;
    let contested = looks.iter().any(|look| look.rank() == newest.rank() && said(look) != said(newest));
    gaps.add(Facet::Header, GapCode::OrderAmbiguous, u64::from(contested));
    said(newest)
}

impl LoadedLook {
    fn is_header(&self) -> bool {
        matches!(self.data, LookData::Header(_) | LookData::LastHeader(_))
    }
}

impl Look {
    fn new(look: LoadedLook) -> Option<Self> {
        let (rank, digest) = (look.rank(), look.digest);
        let (outside_profile, sparse) = (look.outside_profile, look.sparse);
        match look.data {
            LookData::Header(header) | LookData::LastHeader(header) => {
                let Noted { value: header, odd } = *header;
                let updated_at = header.updated_at.known().copied();
                let odd = odd.len() as u64;
                Some(Self { rank: (updated_at, rank), digest, header, odd, outside_profile, sparse })
            }
            _ => None,
        }
    }
}

/// Takes each field from the newest look that knows it. `headers` begins with the newest.
fn overlay_all(header: &mut Header, headers: &mut [Look]) -> Vec<(&'static str, Won)> {
    let ranks: Vec<_> = headers.iter().map(|look| (look.rank, look.sparse)).collect();
    let mut all = Vec::new();
    macro_rules! fields {
        ($($name:literal: $($field:ident).+;)*) => {
            $(
                let mut won = Won::default();
                for (at, look) in headers.iter_mut().enumerate() {
                    take(&mut header.$($field).+, &mut look.header.$($field).+, &mut won, at, &ranks);
                }
                all.push(($name, won));
            )*
        };
    }
    fields! {
        "issue_id": issue_id; "pull_id": pull_id; "node_id": node_id; "repository": repository;
        "repository_id": repository_id; "repository_node_id": repository_node_id; "url": url; "title": title; "body": body; "state": state;
        "closes": closes; "closers": closers; "related": related;
        "state_reason": state_reason; "author": author; "association": association; "created_at": created_at;
        "updated_at": updated_at; "closed_at": closed_at; "closed_by": closed_by; "labels": labels;
        "assignees": assignees; "milestone": milestone; "locked": locked; "lock_reason": lock_reason; "confidential": confidential;
        "draft": draft;
        "merged": merged; "merged_at": merged_at; "merged_by": merged_by; "merge_commit": merge_commit; "head": head;
        "base": base; "mergeable": mergeable; "mergeable_state": mergeable_state;
        "requested_reviewers": requested_reviewers; "requested_teams": requested_teams; "approved_by": approved_by; "auto_merge": auto_merge;
        "comments": counts.comments; "review_comments": counts.review_comments; "notes": counts.notes; "commits": counts.commits;
        "files": counts.files; "additions": counts.additions; "deletions": counts.deletions;
        "reactions": counts.reactions; "reactions_by_content": counts.reactions_by_content;
    }
    all
}

/// Takes a field when it is the first that is known; else only what it knows more, and compares it with a rival of the same rank.
fn take<T: Overlay>(
    to: &mut Field<T>,
    from: &mut Field<T>,
    won: &mut Won,
    at: usize,
    ranks: &[((Option<Time>, Rank), bool)],
) {
    let (rank, sparse) = ranks[at];
    match won.look {
        _ if matches!(from, Field::Unknown) => {}
        None => {
            *to = std::mem::take(from);
            won.look = Some(at);
            won.sparse = sparse;
        }
        Some(winner) => {
            won.contested |= ranks[winner].0 == rank && to.conflicts(from, [won.sparse, sparse]);
            to.fill(from, won.sparse);
            won.sparse &= sparse;
        }
    }
}
