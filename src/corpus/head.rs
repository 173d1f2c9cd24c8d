//! What belongs to one head of a pull request: changed files, commits, the diff, checks and their logs.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{GapCode, Gaps, LoadedLook, LookData};
use crate::forge::facets::{Commit, Item};
use crate::format::digest::Digest;
use crate::format::entity::Forge;
use crate::format::facet::Facet;
use crate::format::patch;

/// The head that everything must belong to.
pub(super) struct Pin {
    /// The commit; none when nothing tells which it was, and then nothing belongs to it.
    head: Option<String>,
    /// Why something is not shown.
    reason: GapCode,
    /// The heads that documents tell of, each read at one moment.
    documents: HashMap<Digest, String>,
}

/// The facets of a head, those whose items have no times first.
const TIMELESS: [Facet; 3] = [Facet::Files, Facet::Commits, Facet::Diff];
const DATED: [Facet; 2] = [Facet::Checks, Facet::Statuses];

impl Pin {
    /// A head that the caller names; else that of the time that the state is of, where it is known.
    pub fn new(named: Option<&String>, of_time: Option<&String>, documents: HashMap<Digest, String>) -> Self {
        let reason = if named.is_some() { GapCode::HeadMoved } else { GapCode::AsOfUnknown };
        Self { head: named.or(of_time).cloned(), reason, documents }
    }

    /// The commit.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// Whether the caller named it: then checks must belong to it, too.
    pub fn is_named(&self) -> bool {
        self.reason == GapCode::HeadMoved
    }

    /// Takes out of the looks at one facet what does not belong to the head, and counts it.
    pub fn confine(&self, facet: Facet, looks: &mut Vec<LoadedLook>, forge: Forge, gaps: &mut Gaps) {
        if !(TIMELESS.contains(&facet) || self.is_named() && DATED.contains(&facet)) {
            return;
        }
        let mut left_out: HashSet<String> = HashSet::new();
        looks.retain_mut(|look| self.keep(facet, look, forge, &mut left_out));
        gaps.add(facet, self.reason, left_out.len() as u64);
    }

    /// Whether anything of a look belongs to the head; the rest is taken out of it.
    fn keep(&self, facet: Facet, look: &mut LoadedLook, forge: Forge, left_out: &mut HashSet<String>) -> bool {
        let of_document = look.document.and_then(|document| self.documents.get(&document));
        let shown = look.head.as_ref().or(of_document);
        let belongs = shown.is_some() && shown == self.head.as_ref();
        let items = match &mut look.data {
            LookData::Items { items, .. } => items,
            LookData::Text(text) => {
                let belongs = belongs || self.head().is_some_and(|head| patch::series_head(text) == Some(head));
                if !belongs {
                    left_out.insert(String::new());
                }
                return belongs;
            }
            // What the forge does not give says nothing of any head.
            _ => return true,
        };
        let all = items.len();
        let ours: HashSet<String> = match facet {
            Facet::Commits if !belongs => self.ancestors(items.iter().flatten().map(|item| &item.value), forge),
            _ => HashSet::new(),
        };
        items.retain(|item| {
            let Ok(item) = item else { return belongs };
            let stays = match &item.value {
                Item::Check(check) => match &check.head_sha {
                    Some(sha) => Some(sha) == self.head.as_ref(),
                    None => belongs,
                },
                Item::Commit(commit) => belongs || ours.contains(&commit.sha),
                _ => belongs,
            };
            if !stays {
                left_out.insert(item.value.key());
            }
            stays
        });
        // A list that is empty is of any head, which nothing shows; where there are checks of other heads, this one has none.
        if !belongs && all == 0 {
            left_out.insert(String::new());
        }
        belongs || !items.is_empty() || all > 0 && DATED.contains(&facet)
    }

    /// The commits of a list up to the head: it and what it descends from, or all when it is the last of a list without parents.
    fn ancestors<'i>(&self, items: impl Iterator<Item = &'i Item>, forge: Forge) -> HashSet<String> {
        let commits: Vec<&Commit> =
            items.filter_map(|item| if let Item::Commit(commit) = item { Some(&**commit) } else { None }).collect();
        // GitLab lists the newest first.
        let last = if forge == Forge::GitLab { commits.first() } else { commits.last() };
        let parents = |commit: &Commit| commit.parents.clone().unwrap_or_default();
        let unrelated = commits.iter().all(|commit| parents(commit).is_empty());
        if unrelated && last.is_some_and(|last| Some(last.sha.as_str()) == self.head()) {
            return commits.iter().map(|commit| commit.sha.clone()).collect();
        }
        let by_sha: BTreeMap<&str, &Commit> = commits.iter().map(|commit| (commit.sha.as_str(), *commit)).collect();
        let mut found = HashSet::new();
        let mut next: Vec<String> = self.head.clone().into_iter().collect();
        while let Some(sha) = next.pop() {
            if let Some(commit) = by_sha.get(sha.as_str())
                && found.insert(sha)
            {
                next.extend(parents(commit));
            }
        }
        found
    }
}

/// The heads of documents that are one answer: of GraphQL, and of GitLab, whose changes of a merge request name its head.
pub(super) fn documents(looks: &[LoadedLook], forge: Forge) -> HashMap<Digest, String> {
    let answers = looks.iter().filter(|look| look.sparse || forge == Forge::GitLab);
    let head = |look: &LoadedLook| match &look.data {
        LookData::Header(header) => {
            Some((look.document?, header.value.head.known().and_then(|head| head.sha.clone())?))
        }
        _ => None,
    };
    answers.filter_map(head).collect()
}
