//! Threads on the diff: which records belong together, and whether they are settled.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Refusal;
use super::making::Making;
use super::records::{Kept, forge_id};
use crate::corpus::State;
use crate::forge::facets::{Actor, Field, Id, Place, ReviewComment, Thread as Told};
use crate::format::digest::Digest;
use crate::format::upstream::{
    self, Forge, GapCode, Reply, Reviews, Scope, Side, SourceKind, Stamp, Thread, ThreadState, ThreadStates,
    is_repository_path,
};
use crate::render::threads::roots;

pub(super) fn render<'s>(
    state: &'s State,
    kept: &Kept<'s>,
    making: &mut Making<'s>,
) -> Result<(Reviews, ThreadStates), Refusal> {
    let mut reviews =
        Reviews { reviews: kept.reviews.iter().map(|(_, row)| row.clone()).collect(), threads: Vec::new() };
    reviews.reviews.sort_by(|a, b| (&a.submitted_at, &a.id).cmp(&(&b.submitted_at, &b.id)));
    let mut states = Vec::new();
    if making.includes(SourceKind::Reviews) {
        let mut seen = BTreeSet::new();
        for group in groups(state, kept) {
            let Some((thread, told)) = thread(&group, kept, &mut seen, making)? else { continue };
            reviews.threads.push(thread);
            states.push(told);
        }
    }
    reviews.threads.sort_by(|a, b| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
    states.sort_by_key(|state: &ThreadState| state.key);
    Ok((reviews, ThreadStates(states)))
}

/// A thread with at least one comment that is shown.
struct Group<'s> {
    root: &'s Id,
    first: Option<&'s ReviewComment>,
    told: Option<&'s Told>,
    /// In the order of the forge, which is that of their making.
    comments: Vec<&'s ReviewComment>,
}

fn groups<'s>(state: &'s State, kept: &Kept<'s>) -> Vec<Group<'s>> {
    let comments = &state.review_comments;
    let by_id: HashMap<&Id, &ReviewComment> = comments.iter().map(|c| (&c.comment.id, c)).collect();
    let roots = roots(comments, &by_id);
    let told: HashMap<&Id, &Told> =
        state.threads.iter().filter_map(|thread| Some((thread.root.as_ref()?, thread))).collect();
    let mut groups: BTreeMap<&Id, Group<'s>> = BTreeMap::new();
    for comment in comments {
        let root = roots[&comment.comment.id];
        let new =
            || Group { root, first: by_id.get(root).copied(), told: told.get(root).copied(), comments: Vec::new() };
        groups.entry(root).or_insert_with(new).comments.push(comment);
    }
    for group in groups.values_mut() {
        group.comments.sort_by_key(|comment| (comment.comment.created_at, &comment.comment.id));
    }
    let is_shown = |group: &Group<'_>| group.comments.iter().any(|c| kept.comments.contains_key(&c.comment.id));
    groups.into_values().filter(is_shown).collect()
}

fn thread<'s>(
    group: &Group<'s>,
    kept: &Kept<'s>,
    seen: &mut BTreeSet<Digest>,
    making: &mut Making<'s>,
) -> Result<Option<(Thread, ThreadState)>, Refusal> {
    let id = match making.forge {
        Forge::GitHub => group.told.and_then(|told| told.node_id.clone()),
        Forge::GitLab => group.comments.iter().find_map(|comment| comment.thread.clone()),
        Forge::Forgejo => group.root.number().map(|number| number.to_string()),
    };
    let Some(id) = making.id(Scope::Reviews, id, true)? else { return Ok(None) };
    let facts = (
        group.first.and_then(|first| first.comment.created_at).and_then(Stamp::of),
        group.resolved(),
        group.outdated(making.forge),
        path(group.place(), making)?,
    );
    let (Some(created_at), Some(resolved), Some(outdated), Some(path)) = facts else {
        making.gap(Scope::Reviews, GapCode::InvalidMetadata, 1);
        return Ok(None);
    };
    let key = making.source.thread_key(&id);
    // The id of another names nothing; whoever settled it is no account of the tree.
    if !seen.insert(key) {
        making.gap(Scope::Reviews, GapCode::InvalidMetadata, 1);
        return Ok(None);
    }
    let by = match group.resolved_by() {
        Some(by @ Field::Known(_)) if resolved => making.by(by, None)?.id,
        _ => None,
    };
    let told = ThreadState { id: id.clone(), key, resolved: resolved.then_some(by), outdated, minimized: None };
    let mut thread = Thread {
        id,
        key,
        created_at,
        records: group.comments.iter().filter_map(|c| kept.comments.get(&c.comment.id).copied()).collect(),
        replies: group.comments.iter().filter_map(|c| reply(c, &kept.comments)).collect(),
        review_id: None,
        review_key: None,
        reviewed_sha: None,
        path,
        line: None,
        side: None,
        start_line: None,
        original_line: None,
        original_start_line: None,
        original_side: None,
    };
    if let Some(place) = group.place() {
        set_place(&mut thread, place, making);
    }
    set_review(&mut thread, group, kept, making);
    Ok(Some((thread, told)))
}

impl<'s> Group<'s> {
    fn place(&self) -> Option<&'s Place> {
        self.first.or_else(|| self.comments.first().copied()).map(|comment| &comment.place)
    }

    fn resolved(&self) -> Option<bool> {
        let told = self.told.and_then(|told| told.resolved.known().copied());
        told.or_else(|| self.comments.iter().rev().find_map(|comment| comment.resolved))
    }

    /// As the forge tells of the thread, else as the comment does that tells that it is resolved.
    fn resolved_by(&self) -> Option<&'s Field<Actor>> {
        let told = self.told.map(|told| &told.resolved_by).filter(|by| **by != Field::Unknown);
        let comment = || self.comments.iter().rev().find(|comment| comment.resolved.is_some());
        told.or_else(|| comment().map(|comment| &comment.resolution.by))
    }

    /// Only GitHub tells; elsewhere nothing is out of date. It is never concluded from lines.
    fn outdated(&self, forge: Forge) -> Option<bool> {
        match forge {
            Forge::GitHub => self.told.and_then(|told| told.outdated.known().copied()),
            Forge::GitLab | Forge::Forgejo => Some(false),
        }
    }
}

/// The file that a thread is on: `Some(None)` when nobody told it, `None` when it may not be shown.
fn path(place: Option<&Place>, making: &mut Making<'_>) -> Result<Option<Option<String>>, Refusal> {
    let Some(path) = place.and_then(|place| place.path.as_ref()) else { return Ok(Some(None)) };
    if !is_repository_path(path) || !making.fits(path) || !making.filter.judge(path)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(Some(path.clone())))
}

fn set_place(thread: &mut Thread, place: &Place, making: &mut Making<'_>) {
    let line = |line: Option<u64>| line.filter(|line| *line > 0);
    thread.line = line(place.line.known().copied());
    thread.start_line = line(place.start_line.known().copied());
    thread.original_line = line(place.original_line);
    thread.original_start_line = line(place.original_start_line);
    thread.side = match place.side.as_deref() {
        Some("left") => Some(Side::Left),
        Some("right") => Some(Side::Right),
        _ => None,
    };
    thread.reviewed_sha = making.oid(Scope::Reviews, place.original_commit.as_deref());
}

/// The review that the first comment came with: its id where a payload tells the canonical one, its record where it has one.
fn set_review(thread: &mut Thread, group: &Group<'_>, kept: &Kept<'_>, making: &Making<'_>) {
    let Some(number) = group.first.and_then(|first| first.review.as_ref()) else { return };
    if let Some((id, key)) = kept.review_keys.get(number) {
        (thread.review_id, thread.review_key) = (Some(id.clone()), Some(*key));
        return;
    }
    let id = forge_id(making.forge, number, &kept.review_nodes.get(number).cloned());
    thread.review_id = id.filter(|id| upstream::is_forge_id(making.forge, id, false) && making.fits(id));
}

fn reply(comment: &ReviewComment, shown: &BTreeMap<&Id, Digest>) -> Option<Reply> {
    let key = shown.get(&comment.comment.id)?;
    let parent = shown.get(comment.reply_to.as_ref()?)?;
    (key != parent).then_some(Reply { key: *key, parent: *parent })
}
