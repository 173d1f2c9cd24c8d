//! Review threads: one Markdown file each with what does not change, and `threads.json` with what does.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::items::{attribution, of_comment};
use super::markdown::{append_fenced, append_quoted};
use super::patch::visible_path;
use super::texts::{FINDING, withheld_json};
use super::view::{View, set_field};
use crate::corpus::{self, GapCode, stem};
use crate::filter::Status;
use crate::forge::facets::{Field, Id, Place, ReviewComment, Thread as State};
use crate::format::facet::Facet;
use crate::format::index::Role;
use crate::format::json::{self, Json, Object};

/// The comments whose bodies are not shown, with the size of each and the reason.
type Withheld = HashMap<Id, (usize, &'static str)>;

/// What stands for a body that is not shown.
const WITHHELD: &str = "The body is withheld.\n";

/// A thread: the comments that answer one root, by time.
struct Thread<'s> {
    id: &'s Id,
    /// The root, which may be unknown: deleted, or not in the part that was seen.
    root: Option<&'s ReviewComment>,
    /// What is known of it beside its comments.
    state: Option<&'s State>,
    comments: Vec<&'s ReviewComment>,
    /// Comments that a bound left out.
    left_out: u64,
}

pub(super) fn render(state: &corpus::State, view: &mut View<'_>) {
    if !view.has(state, Facet::ReviewComments) {
        return;
    }
    let threads = collect(state, view);
    let mut notes = Notes { withheld: by_profile(state), attachments: HashMap::new() };
    for (at, thread) in threads.iter().enumerate() {
        let text = thread.text(&mut notes, view);
        let mut about = match thread.root {
            Some(root) => of_comment(Facet::ReviewComments, &root.comment, view),
            None => Object::new(),
        };
        let updated = thread.comments.iter().filter_map(|c| c.comment.updated_at).max();
        about.set_some("updatedAt", updated.map(|time| view.time(time)));
        let on = thread.place().and_then(|place| place.path.as_deref());
        about.set_some("on", on.filter(|path| view.judged(path).is_empty()).map(|path| visible(path, view)));
        about.set("comments", thread.comments.len()).set("ordinal", at + 1);
        about.set_some("resolved", thread.resolved());
        about.set_some("outdated", thread.place().and_then(|place| thread.is_outdated(place)));
        view.add(thread.path(), Role::Thread, "text/markdown", text.into_bytes(), about);
    }
    let rows: Vec<_> = threads.iter().map(|thread| thread.row(&mut notes, view)).collect();
    let unknown = threads.iter().filter(|thread| thread.resolved().is_none()).count();
    view.gaps.add(Facet::ReviewComments, GapCode::ThreadStateUnknown, unknown as u64);
    let mut out = Object::new();
    out.set("threads", rows).set("byFile", by_file(&threads, view));
    let mut open: Vec<_> = threads.iter().collect();
    open.sort_by_key(|thread| thread.resolved() == Some(true));
    out.set("unresolvedFirst", open.into_iter().map(Thread::path).collect::<Vec<_>>());
    view.add_json("threads.json", Role::Threads, &Json::Object(out), Object::new());
}

/// The comments that the profile withholds.
fn by_profile(state: &corpus::State) -> Withheld {
    let of = |comment: &ReviewComment| {
        let id = &comment.comment.id;
        let withheld = state.withheld.of(Facet::ReviewComments, &id.to_string())?;
        Some((id.clone(), (withheld.bytes, withheld.reason.name())))
    };
    state.review_comments.iter().filter_map(of).collect()
}

/// The files of the threads on each file of the change, by its path; those of which none is known, or may be shown, come first.
fn by_file(threads: &[Thread<'_>], view: &View<'_>) -> Json<'static> {
    let mut of: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
    for thread in threads {
        let path = thread.place().and_then(|place| place.path.as_deref());
        let path = path.filter(|path| view.judged(path).is_empty()).map(|path| visible(path, view));
        of.entry(path).or_default().push(thread.path());
    }
    let row = |(path, threads)| {
        let mut row = Object::new();
        row.set_some("path", path);
        row.set("threads", threads);
        Json::Object(row)
    };
    Json::Array(of.into_iter().map(row).collect())
}

/// What the rows of comments say of their bodies.
struct Notes {
    withheld: Withheld,
    attachments: HashMap<Id, Json<'static>>,
}

/// The comments with those threads first that are not known to be resolved, then those that were answered last; in a thread they are in
/// the order of its conversation.
pub(super) fn unresolved_first(state: &corpus::State) -> Vec<usize> {
    let comments = &state.review_comments;
    let by_id: HashMap<&Id, &ReviewComment> = comments.iter().map(|c| (&c.comment.id, c)).collect();
    let roots = roots(comments, &by_id);
    let known: HashMap<&Id, &State> =
        state.threads.iter().filter_map(|thread| Some((thread.root.as_ref()?, thread))).collect();
    let mut threads: BTreeMap<&Id, Vec<usize>> = BTreeMap::new();
    for (at, comment) in comments.iter().enumerate() {
        threads.entry(roots[&comment.comment.id]).or_default().push(at);
    }
    let is_resolved = |id: &Id, of: &[usize]| {
        let told = of.iter().rev().find_map(|at| comments[*at].resolved);
        resolved(known.get(id).copied(), told) == Some(true)
    };
    let mut threads: Vec<_> = threads.into_iter().map(|(id, of)| (is_resolved(id, &of), of)).collect();
    threads.sort_by_key(|(is_resolved, of)| (*is_resolved, Reverse(of.last().copied())));
    threads.into_iter().flat_map(|(_, of)| of).collect()
}

/// Whether a thread is resolved: as the forge tells of it, else as its newest comment does that tells.
fn resolved(thread: Option<&State>, by_comment: Option<bool>) -> Option<bool> {
    thread.and_then(|state| state.resolved.known().copied()).or(by_comment)
}

/// The threads that the bounds leave, in the order of their file names.
fn collect<'s>(state: &'s corpus::State, view: &mut View<'_>) -> Vec<Thread<'s>> {
    let comments = &state.review_comments;
    let by_id: HashMap<&Id, &ReviewComment> = comments.iter().map(|c| (&c.comment.id, c)).collect();
    let roots = roots(comments, &by_id);
    let known: HashMap<&Id, &State> =
        state.threads.iter().filter_map(|thread| Some((thread.root.as_ref()?, thread))).collect();
    let kept = view.within_bounds(state, Facet::ReviewComments);
    let mut threads: BTreeMap<&Id, Thread<'_>> = BTreeMap::new();
    for (at, comment) in comments.iter().enumerate() {
        let id = roots[&comment.comment.id];
        let root = || by_id.get(id).copied();
        let state = || known.get(id).copied();
        let thread = threads.entry(id).or_insert_with(|| Thread {
            id,
            root: root(),
            state: state(),
            comments: Vec::new(),
            left_out: 0,
        });
        if kept.binary_search(&at).is_ok() {
            thread.comments.push(comment);
        } else {
            thread.left_out += 1;
        }
    }
    let mut threads: Vec<_> = threads.into_values().filter(|thread| !thread.comments.is_empty()).collect();
    threads.sort_by_cached_key(Thread::stem);
    threads
}

/// The root of the thread of each comment. Forges let a reply name the root; here it may name another reply, one that nobody
/// has, or go round in a circle, and each comment is still looked at a fixed number of times.
pub(super) fn roots<'s>(
    comments: &'s [ReviewComment],
    by_id: &HashMap<&Id, &'s ReviewComment>,
) -> HashMap<&'s Id, &'s Id> {
    let mut roots: HashMap<&Id, &Id> = HashMap::with_capacity(comments.len());
    for comment in comments {
        let (mut path, mut on_path) = (Vec::new(), HashSet::new());
        let mut id = &comment.comment.id;
        let root = loop {
            if let Some(root) = roots.get(id) {
                break *root;
            }
            if !on_path.insert(id) {
                break id;
            }
            path.push(id);
            match by_id.get(id).and_then(|c| c.reply_to.as_ref()) {
                Some(parent) => id = parent,
                None => break id,
            }
        };
        roots.extend(path.into_iter().map(|id| (id, root)));
    }
    roots
}

impl<'s> Thread<'s> {
    /// As the forge tells; else by the lines.
    fn is_outdated(&self, place: &Place) -> Option<bool> {
        self.state.and_then(|state| state.outdated.known().copied()).or_else(|| is_outdated(place))
    }

    fn path(&self) -> String {
        format!("threads/{}.md", self.stem())
    }

    fn stem(&self) -> String {
        stem(self.root.and_then(|root| root.comment.created_at), self.id)
    }

    fn resolved(&self) -> Option<bool> {
        resolved(self.state, self.comments.iter().rev().find_map(|comment| comment.resolved))
    }

    /// The place of the root; that of the first reply when the root is unknown.
    fn place(&self) -> Option<&'s Place> {
        self.root.or_else(|| self.comments.first().copied()).map(|comment| &comment.place)
    }

    /// What does not change when the thread is resolved, the code moves on or an account gets another name.
    fn text(&self, notes: &mut Notes, view: &mut View<'_>) -> String {
        let mut out = format!("# Review thread {}\n\n", name(self.id, view));
        if let Some(place) = self.place() {
            append_place(&mut out, place, view);
        }
        if self.root.is_none() {
            out.push_str("- root: not known\n");
        }
        if self.left_out > 0 {
            out.push_str(&format!("- comments left out by a bound: {}\n", self.left_out));
        }
        if let Some(hunk) = self.place().and_then(|place| place.diff_hunk.as_deref()) {
            out.push('\n');
            append_fenced(&mut out, "diff", &view.lines(hunk, |profile| profile.max_patch_bytes));
        }
        for comment in &self.comments {
            append_comment(&mut out, comment, notes, view);
        }
        out
    }

    fn row(&self, notes: &mut Notes, view: &mut View<'_>) -> Json<'s> {
        let mut row = Object::new();
        row.set("id", view.id(self.id)).set("file", self.path());
        if let Some(place) = self.place() {
            set_place(&mut row, place, view);
            row.set_some("outdated", self.is_outdated(place));
        }
        if let Some(state) = self.state {
            let node_id = state.node_id.as_deref().and_then(|id| view.structural(Facet::Threads, id));
            row.set_some("nodeId", node_id);
            set_field(&mut row, "resolvedBy", &state.resolved_by, |by| view.actor(by, None));
        }
        row.set_some("resolved", self.resolved());
        self.set_resolution(&mut row, view);
        let comments: Vec<_> = self.comments.iter().map(|comment| comment_row(comment, notes, view)).collect();
        row.set("comments", comments);
        Json::Object(row)
    }

    /// Who resolved it and when, as the comment tells that tells that it is resolved.
    fn set_resolution(&self, row: &mut Object<'s>, view: &mut View<'_>) {
        let told = self.comments.iter().rev().find(|comment| comment.resolved.is_some());
        let Some(told) = told.filter(|_| self.resolved() == Some(true)) else { return };
        if self.state.is_none_or(|state| state.resolved_by == Field::Unknown) {
            set_field(row, "resolvedBy", &told.resolution.by, |by| view.actor(by, told.resolution.at));
        }
        row.set_some("resolvedAt", told.resolution.at.map(|time| view.time(time)));
    }
}

fn append_place(out: &mut String, place: &Place, view: &mut View<'_>) {
    let mut append = |name: &str, value: &Json<'_>| out.push_str(&format!("- {name}: {}\n", quoted(value)));
    if let Some(path) = place.path.as_deref().filter(|path| view.judged(path).is_empty()) {
        append("path", &Json::from(visible(path, view)));
    }
    if let Some(side) = &place.side {
        append("side", &view.display(side));
    }
    if let Some(sha) = place.original_commit.as_deref().filter(|sha| view.fits(sha)) {
        append("commit", &Json::from(sha));
    }
    match (place.original_start_line, place.original_line) {
        (Some(start), Some(end)) if start != end => out.push_str(&format!("- lines: {start} to {end}\n")),
        (_, Some(line)) => out.push_str(&format!("- line: {line}\n")),
        _ => {}
    }
}

/// An id in a heading.
fn name(id: &Id, view: &View<'_>) -> String {
    match view.id(id) {
        Json::String(text) => text.into_owned(),
        _ => id.to_string(),
    }
}

/// A path as it may be shown. `threads.json` shows it too and counts what is found in it.
fn visible(path: &str, view: &View<'_>) -> String {
    if view.profile.is_some() { visible_path(path).into_owned() } else { path.to_owned() }
}

/// A canonical JSON string ends where it ends, whatever is in it.
fn quoted(value: &Json<'_>) -> String {
    String::from_utf8_lossy(&json::to_vec(value)).into_owned()
}

/// A line of ours with numbers and a time only, then the body behind marks that it cannot leave.
fn append_comment(out: &mut String, comment: &ReviewComment, notes: &mut Notes, view: &mut View<'_>) {
    let base = &comment.comment;
    let author = match &base.author {
        Field::Known(author) => author.id.map_or("an account without id".to_owned(), |id| format!("account {id}")),
        Field::Null => "an account that is gone".to_owned(),
        Field::Unknown => "an account that is not known".to_owned(),
    };
    let time = base.created_at.map_or_else(String::new, |time| format!(" at {time}"));
    out.push_str(&format!("\n## Comment {} by {author}{time}\n\n", name(&base.id, view)));
    if notes.withheld.contains_key(&base.id) {
        view.mark(Status::Modified);
        out.push_str(WITHHELD);
        return;
    }
    match &base.body {
        Field::Known(body) => match view.shown_lines(body, |profile| profile.max_body_bytes) {
            Some(body) => {
                append_quoted(out, &body);
                let linked = view.attachments(Facet::ReviewComments, &body);
                notes.attachments.extend(linked.map(|linked| (base.id.clone(), linked)));
            }
            None => {
                notes.withheld.insert(base.id.clone(), (body.len(), FINDING));
                out.push_str(WITHHELD);
            }
        },
        Field::Null => out.push_str("The body is null.\n"),
        Field::Unknown => out.push_str("The body is not known.\n"),
    }
}

fn set_place<'s>(row: &mut Object<'s>, place: &'s Place, view: &mut View<'_>) {
    row.set_some("path", place.path.as_deref().and_then(|path| view.path(Facet::ReviewComments, path)));
    row.set_some("side", place.side.as_deref().map(|side| view.display(side)));
    set_field(row, "line", &place.line, |line| Json::from(*line));
    set_field(row, "startLine", &place.start_line, |line| Json::from(*line));
    row.set_some("originalLine", place.original_line);
    row.set_some("originalStartLine", place.original_start_line);
    let mut sha = |sha: &'s Option<String>| sha.as_deref().and_then(|sha| view.structural(Facet::ReviewComments, sha));
    row.set_some("commit", sha(&place.commit));
    row.set_some("originalCommit", sha(&place.original_commit));
    row.set_some("subject", place.subject.as_deref().map(|word| view.display(word)));
}

/// Whether the lines are no longer in the diff. A comment on a whole file has no line that could tell.
fn is_outdated(place: &Place) -> Option<bool> {
    fn is_gone(field: &Field<u64>) -> Option<bool> {
        match field {
            Field::Unknown => None,
            Field::Null => Some(true),
            Field::Known(_) => Some(false),
        }
    }
    if place.subject.as_deref() == Some("file") {
        return None;
    }
    is_gone(&place.line).or_else(|| is_gone(&place.position))
}

fn comment_row(comment: &ReviewComment, notes: &mut Notes, view: &mut View<'_>) -> Json<'static> {
    let base = &comment.comment;
    let mut row = attribution(base, view);
    row.set("id", view.id(&base.id));
    let url = base.url.as_deref().and_then(|url| view.structural(Facet::ReviewComments, url));
    row.set_some("url", url.map(Json::into_owned));
    row.set_some("replyTo", comment.reply_to.as_ref().map(|id| view.id(id)));
    row.set_some("review", comment.review.as_ref().map(|id| view.id(id)));
    row.set_some("attachments", notes.attachments.remove(&base.id));
    row.set_some("withheld", notes.withheld.get(&base.id).map(|(bytes, reason)| withheld_json(*bytes, reason)));
    Json::Object(row)
}
