//! The lists of `summary.md`: what there is, one line each, as far as the page has room.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::brief::{head, is_elsewhere, is_later, is_later_check, is_true, replaced};
use super::changes::lines;
use super::checks::{self, lateness, result};
use super::markdown::inline;
use super::patch::visible_path;
use super::texts::FINDING;
use super::view::View;
use crate::corpus::State;
use crate::filter;
use crate::forge::facets::{Check, CheckOrigin, FileChange, Id};
use crate::format::facet::Facet;
use crate::format::index::{Entry, Role};
use crate::format::json::Json;
use crate::format::path::unique_segment;

/// A list whose rows are written only when they fit.
struct List<'l> {
    title: &'static str,
    columns: &'static str,
    len: usize,
    row: &'l dyn Fn(usize) -> String,
    cut: Cut,
}

/// Which end of a list gives way.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    Front,
    Back,
}

/// Appends the lists to a page of at most so many bytes. They share the room that is left; what one does not need goes to the next.
pub(super) fn append(page: &mut String, most: usize, state: &State, view: &View<'_>) {
    let of = |role| {
        let rows = view.entries.iter().filter(|entry| entry.role == role && !is_later(state, entry));
        rows.collect::<Vec<_>>()
    };
    let (reviews, mut threads, comments) = (of(Role::Review), of(Role::Thread), of(Role::Comment));
    // What is not resolved, and the newest of it, stays longest when the page is full.
    threads.sort_by_key(|entry| (is_true(entry, "resolved"), Reverse(entry.path.clone())));
    let (checks, replaced) = (checks_in(state, view), replaced(state));
    let are_elsewhere = checks.iter().any(|check| is_elsewhere(check, head(state, view)));
    let logs = of(Role::Log);
    let mut files = if view.shows(Facet::Files) { view.kept(state, Facet::Files).in_order } else { Vec::new() };
    files.sort_unstable();
    let lists = [
        List {
            title: "Reviews",
            columns: "| file | state | author | association | bytes |",
            len: reviews.len(),
            row: &|at| review_row(view, reviews[at]),
            cut: Cut::Front,
        },
        List {
            title: "Review threads",
            columns: "| file | state | on | comments | author of the first |",
            len: threads.len(),
            row: &|at| thread_row(view, threads[at]),
            cut: Cut::Back,
        },
        List {
            title: "Checks",
            columns: if are_elsewhere { "| name | result | commit | file |" } else { "| name | result | file |" },
            len: checks.len(),
            row: &|at| check_row(view, checks[at], &replaced, are_elsewhere),
            cut: Cut::Back,
        },
        List {
            title: "Logs",
            columns: "| file | of | bytes |",
            len: logs.len(),
            row: &|at| log_row(state, view, logs[at]),
            cut: Cut::Back,
        },
        List {
            title: "Changed files",
            columns: "| path | status | added | removed | diff with line numbers |",
            len: files.len(),
            row: &|at| file_row(view, &state.files[files[at]]),
            cut: Cut::Back,
        },
        List {
            title: "Comments",
            columns: "| file | author | association | bytes |",
            len: comments.len(),
            row: &|at| comment_row(view, comments[at]),
            cut: Cut::Front,
        },
    ];
    let count = lists.iter().filter(|list| list.len > 0).count();
    for (at, list) in lists.iter().filter(|list| list.len > 0).enumerate() {
        let room = most.saturating_sub(page.len()) / (count - at);
        list.append(page, room);
    }
}

/// The head of a table.
pub(super) fn append_table(page: &mut String, title: &str, columns: &str) {
    let count = columns.matches('|').count() - 1;
    page.push_str(&format!("\n## {title}\n\n{columns}\n|{}\n", "---|".repeat(count)));
}

impl List<'_> {
    fn append(&self, page: &mut String, room: usize) {
        // Title, columns and the line that counts the rest.
        let mut room = room.saturating_sub(200);
        let mut rows = Vec::new();
        while rows.len() < self.len {
            let at = if self.cut == Cut::Front { self.len - 1 - rows.len() } else { rows.len() };
            let row = (self.row)(at);
            if row.len() > room {
                break;
            }
            room -= row.len();
            rows.push(row);
        }
        if rows.is_empty() {
            page.push_str(&format!("\n## {}\n", self.title));
        } else {
            append_table(page, self.title, self.columns);
        }
        let (left_out, which) = (self.len - rows.len(), if self.cut == Cut::Front { "older" } else { "more" });
        if self.cut == Cut::Front {
            rows.reverse();
        }
        rows.iter().for_each(|row| page.push_str(row));
        if left_out > 0 {
            page.push_str(&format!("\nAnd {left_out} {which}: see index.json.\n"));
        }
    }
}

/// What a row says beside the size of a text: that it is not shown, or not to its end, what it links to, and how people took it.
pub(super) fn not_whole(entry: &Entry) -> String {
    let withheld = entry.about.get("withheld");
    let reason = withheld.and_then(|row| row.get("reason")).and_then(Json::as_str).unwrap_or_default();
    let size = withheld.and_then(|row| row.get("bytes")).and_then(Json::as_u64);
    let links = entry.about.get("attachments").and_then(Json::as_array).map_or(0, <[_]>::len);
    let reactions = entry.about.get("reactions").and_then(Json::as_object);
    let reactions = reactions
        .map_or(0, |counts| counts.iter().filter_map(|(_, count)| count.as_u64()).fold(0, u64::saturating_add));
    let links = if links > 0 { format!(", {links} attachments") } else { String::new() };
    let links = if reactions > 0 { format!("{links}, {reactions} reactions") } else { links };
    let status = entry.about.get("filter").and_then(|filter| filter.get("status")).and_then(Json::as_str);
    match (size, status) {
        (Some(bytes), _) if reason == FINDING => format!(", withheld ({bytes} bytes, {})", found(entry)),
        (Some(bytes), _) => format!(", withheld ({bytes} bytes, {reason})"),
        (None, Some("truncated")) => format!(", cut{links}"),
        _ => links,
    }
}

/// The classes for which the filters withhold a text.
fn found(entry: &Entry) -> String {
    let rows = entry.about.get("filter").and_then(|filter| filter.get("findings")).and_then(Json::as_array);
    let codes = rows.unwrap_or_default().iter().filter_map(|row| row.get("code").and_then(Json::as_str));
    let codes: Vec<_> = codes.filter(|code| filter::is_injection(code)).collect();
    let more = if codes.len() > 3 { ", …" } else { "" };
    if codes.is_empty() { FINDING.to_owned() } else { format!("{}{more}", codes[..codes.len().min(3)].join(", ")) }
}

/// A text of an index row, short and escaped.
fn about(view: &View<'_>, entry: &Entry, name: &str) -> String {
    entry.about.get(name).and_then(Json::as_str).map(|text| inline(view, text, 80)).unwrap_or_default()
}

fn author(view: &View<'_>, entry: &Entry) -> String {
    match entry.about.get("author") {
        None => "not known".to_owned(),
        Some(author) => {
            let login = author.get("login").and_then(Json::as_str);
            login.map_or_else(|| "an account that is gone".to_owned(), |login| inline(view, login, 60))
        }
    }
}

fn comment_row(view: &View<'_>, entry: &Entry) -> String {
    let (who, association) = (author(view, entry), about(view, entry, "association"));
    format!("| {} | {who} | {association} | {}{} |\n", entry.path, entry.bytes, not_whole(entry))
}

fn review_row(view: &View<'_>, entry: &Entry) -> String {
    let (state, association) = (about(view, entry, "state"), about(view, entry, "association"));
    format!(
        "| {} | {state} | {} | {association} | {}{} |\n",
        entry.path,
        author(view, entry),
        entry.bytes,
        not_whole(entry)
    )
}

fn thread_row(view: &View<'_>, entry: &Entry) -> String {
    let comments = entry.about.get("comments").and_then(Json::as_u64).unwrap_or(0);
    let state = match entry.about.get("resolved") {
        Some(Json::Bool(true)) => "resolved",
        Some(_) => "unresolved",
        None => "not known",
    };
    let outdated = if is_true(entry, "outdated") { ", outdated" } else { "" };
    let on = about(view, entry, "on");
    format!("| {} | {state}{outdated} | {on} | {comments} | {} |\n", entry.path, author(view, entry))
}

/// The checks of the tree, those first that did not succeed.
fn checks_in<'s>(state: &'s State, view: &View<'_>) -> Vec<&'s Check> {
    let all = state.checks.iter().chain(&state.statuses);
    let is_here = |check: &&Check| view.files.contains_key(&checks::path(check)) && !is_later_check(state, check);
    let mut shown: Vec<_> = all.filter(is_here).collect();
    shown.sort_by_key(|check| lateness(check));
    shown
}

fn check_row(view: &View<'_>, check: &Check, replaced: &HashSet<&Id>, with_commit: bool) -> String {
    let (name, result, path) = (inline(view, &check.name, 80), inline(view, result(check), 60), checks::path(check));
    let is_replaced = check.origin == CheckOrigin::Status && replaced.contains(&check.id);
    let later = if is_replaced { ", replaced by a later one" } else { "" };
    let commit = check.head_sha.as_deref().map_or_else(|| "not known".to_owned(), |sha| inline(view, sha, 12));
    let commit = if with_commit { format!(" {commit} |") } else { String::new() };
    format!("| {name} | {result}{later} |{commit} {path} |\n")
}

/// A log, and the check that it is of: the name of a job stands there where none is known.
fn log_row(state: &State, view: &View<'_>, entry: &Entry) -> String {
    let record = format!("{}check.json", entry.path.trim_end_matches("log.txt"));
    let check = state.checks.iter().chain(&state.statuses).find(|check| checks::path(check) == record);
    let name = match (check, entry.about.get("job")) {
        (Some(check), _) => inline(view, &check.name, 80),
        (None, Some(_)) => format!("{}, of no check that is known", about(view, entry, "job")),
        (None, None) => "a check that is not known".to_owned(),
    };
    format!("| {} | {name} | {}{} |\n", entry.path, entry.bytes, not_whole(entry))
}

fn file_row(view: &View<'_>, file: &FileChange) -> String {
    let number =
        |count: Option<Option<u64>>| count.flatten().map_or_else(|| "not known".to_owned(), |count| count.to_string());
    let status = file.status.as_deref().map(|word| inline(view, word, 60)).unwrap_or_default();
    let path = inline(view, &visible_path(&file.path), 160);
    let name = format!("changes/by-file/{}.txt", unique_segment(&file.path));
    let place = if view.files.contains_key(&name) { name.as_str() } else { "" };
    // Where the forge does not count lines, the diff does.
    let shown = view.entries.iter().find(|entry| entry.path == place);
    let counted = |count: Option<u64>, name: &str| {
        let of_diff = || shown.and_then(|entry| entry.about.get(name)).and_then(Json::as_u64);
        number(lines(file, count.or_else(of_diff)))
    };
    let (added, removed) = (counted(file.additions, "additions"), counted(file.deletions, "deletions"));
    format!("| {path} | {status} | {added} | {removed} | {place} |\n")
}
