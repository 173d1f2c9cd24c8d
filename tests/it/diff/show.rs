//! What people see: listing, stat, patch, Markdown.

use serde_json::json;

use super::compare;
use super::thing::{Thing, item};

fn edited() -> (Thing, Thing) {
    let base = Thing::default();
    let mut next = base.clone();
    next.header["title"] = json!("Another title");
    next.body.as_mut().expect("a body").text = "First\nOther\nThird\n".to_owned();
    next.comments.insert(3, item("Three\n", 3, "eve"));
    next.events = json!([{"id": "31", "event": "labeled", "createdAt": "2026-01-02T03:04:01Z"}, {"id": "32", "event": "renamed"},
        {"id": "33", "event": "commented"}, {"id": "34", "event": "commented"}]);
    (base, next)
}

#[test]
fn the_listing_has_a_line_a_change_and_counts_events() {
    let (base, next) = edited();
    let diff = compare(&base.tree(), &next.tree());
    let listing = diff.listing();
    let lines: Vec<_> = listing.lines().collect();
    assert_eq!(lines[0], "github:github.com/acme/web/pull/42");
    assert_eq!(lines[1], "  title-edited  \"A title\" → \"Another title\"");
    assert!(lines[2].starts_with("  body-edited  sha256:"), "{listing}");
    assert!(lines[3].starts_with("  comment-added  3  author \"eve\", createdAt \"2026"), "{listing}");
    assert_eq!(lines[4], "  event-added  3  2 commented, 1 renamed");
    assert_eq!(lines.len(), 5);
    let stat = diff.stat();
    assert_eq!(
        stat,
        "github:github.com/acme/web/pull/42  1 title-edited, 1 body-edited, 1 comment-added, 3 event-added\n\
         6 changes in 1 places\n"
    );
}

#[test]
fn a_line_shows_of_two_records_what_differs() {
    let base = Thing::default();
    let mut next = base.clone();
    next.comments.get_mut(&1).expect("a comment").text.push('!');
    next.comments.get_mut(&1).expect("a comment").about["updatedAt"] = json!("2026-02-03T04:05:06Z");
    let listing = compare(&base.tree(), &next.tree()).listing();
    let line = "  comment-edited  1  updatedAt \"2026-01-02T03:04:01Z\" → updatedAt \"2026-02-03T04:05:06Z\"";
    assert_eq!(listing.lines().nth(1), Some(line));
}

#[test]
fn the_patch_has_unified_diffs_of_the_texts() {
    let (base, next) = edited();
    let patch = compare(&base.tree(), &next.tree()).patch();
    assert!(patch.contains("docket github:github.com/acme/web/pull/42 body-edited"), "{patch}");
    let body = "--- a/body.md\n+++ b/body.md\n@@ -1,3 +1,3 @@\n First\n-Second\n+Other\n Third\n";
    assert!(patch.contains(body), "{patch}");
    assert!(patch.contains("--- /dev/null\n+++ b/comments/20260102T030403Z-3.md\n@@ -0,0 +1 @@\n+Three\n"), "{patch}");
    let mut cut = next.clone();
    cut.body.as_mut().expect("a body").text.pop();
    assert!(compare(&next.tree(), &cut.tree()).patch().contains("\\ No newline at end of file"));
}

#[test]
fn nothing_from_a_stranger_moves_a_cursor() {
    let base = Thing::default();
    let mut next = base.clone();
    next.header["title"] = json!("x\u{1b}[2J\u{202e}\r\n\u{7f}y");
    next.header["labels"] = json!([{"name": "\u{9b}31m\u{e0041}"}]);
    next.body.as_mut().expect("a body").text = "First\r\nSec\u{1b}]0;ond\n\u{200b}Third\n".to_owned();
    let diff = compare(&base.tree(), &next.tree());
    for text in [diff.listing(), diff.stat(), diff.patch(), diff.markdown()] {
        let hidden = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{200b}' | '\u{e0041}');
        assert!(!text.contains(hidden), "{text:?}");
    }
    assert!(diff.patch().contains("+Sec\\u{1b}]0;ond\n"), "{}", diff.patch());
    // The record for machines has the text as it is.
    assert!(diff.changes.iter().any(|change| change.after == json!("x\u{1b}[2J\u{202e}\r\n\u{7f}y")));
}

#[test]
fn markdown_from_a_stranger_stays_in_its_fence() {
    let base = Thing::default();
    let mut next = base.clone();
    next.header["title"] = json!("`` @octocat <!-- [x](http://evil) ```");
    next.body.as_mut().expect("a body").text = "First\n````\n# Not a heading\n`````js\n".to_owned();
    let markdown = compare(&base.tree(), &next.tree()).markdown();
    assert!(
        markdown.starts_with("### `github:github.com/acme/web/pull/42`\n\n- title-edited ````\"A title\" → "),
        "{markdown}"
    );
    assert!(markdown.contains("@octocat <!-- [x](http://evil) ```\"````\n"), "{markdown}");
    assert!(markdown.contains("\n``````diff\n--- a/body.md\n"), "{markdown}");
    assert!(markdown.contains("\n``````\n"), "{markdown}");
    assert_eq!(compare(&base.tree(), &base.tree()).markdown(), "No changes.\n");
}

#[test]
fn a_long_value_is_cut_where_one_sees_it() {
    let base = Thing::default();
    let mut next = base.clone();
    next.header["title"] = json!("ä".repeat(500));
    let listing = compare(&base.tree(), &next.tree()).listing();
    assert!(listing.lines().all(|line| line.chars().count() < 300), "{listing}");
    assert!(listing.contains("ä…"), "{listing}");
}

#[test]
fn an_edit_without_new_times_has_no_sides_to_show() {
    let base = Thing::default();
    let mut next = base.clone();
    next.comments.get_mut(&1).expect("a comment").text = "Other words\n".to_owned();
    let diff = compare(&base.tree(), &next.tree());
    let listing = diff.listing();
    assert!(listing.lines().any(|line| line == "  comment-edited  1"), "{listing}");
    assert!(!listing.contains('→') && !diff.markdown().contains('→'), "{listing}");
}
