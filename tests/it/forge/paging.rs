//! Completeness comes from proof only; pages of one listing make one look.

use git_docket::forge::owners::Owners;
use git_docket::forge::pages::{Page, assemble};
use git_docket::forge::recognise::{Hints, Look, recognise};
use git_docket::forge::recording::{Exchange, exchange};
use git_docket::forge::url::Request;
use git_docket::format::entity::Subject;
use git_docket::format::json::Json;
use proptest::prelude::*;

use super::{parse, vector};

/// A recorded answer whose payload was recognised.
struct Seen {
    exchange: Exchange,
    request: Request,
    look: Look,
}

/// An answer: path with query, headers, how many items, position.
fn seen(path: &str, headers: &str, items: usize, position: u64) -> Seen {
    let reactions: Vec<_> = (0..items)
        .map(|id| format!(r#"{{"id":{id},"user":null,"content":"heart","created_at":"2026-01-01T00:00:00Z"}}"#))
        .collect();
    answered(path, headers, &parse(&format!("[{}]", reactions.join(","))), position)
}

fn answered(path: &str, headers: &str, body: &Json<'_>, position: u64) -> Seen {
    let url = format!("https://api.github.com{path}");
    let line = parse(&format!(
        r#"{{"method":"GET","url":"{url}","status":200,"seq":{position},"headers":{{{headers}}},"body":null}}"#
    ));
    let (exchange, _) = exchange(&line, 0).expect("an exchange");
    let request = Request::parse(&url).expect("a URL");
    let subject: Subject = "github:github.com/acme/web/thread/42".parse().expect("an id");
    let hints = Hints { url: Some(&request), entity: Some((&subject, None)), ..Hints::default() };
    let mut found = recognise(body, &hints);
    assert_eq!(found.looks.len(), 1, "{:?}", found.left);
    Seen { exchange, look: found.looks.remove(0), request }
}

fn groups(seen: &[Seen]) -> Vec<String> {
    let pages: Vec<_> =
        seen.iter().map(|s| Page { source: 0, asked: Some((&s.exchange, &s.request)), look: &s.look }).collect();
    assemble(&pages).iter().map(|group| format!("{:?} {}", group.pages, group.completeness.name())).collect()
}

const REACTIONS: &str = "/repos/acme/web/issues/42/reactions";
const ETAG: &str = r#""etag":"x""#;

fn link(path: &str, relations: &[(&str, u64)]) -> String {
    let links: Vec<_> = relations
        .iter()
        .map(|(rel, page)| format!(r#"<https://api.github.com{path}?page={page}>; rel=\"{rel}\""#))
        .collect();
    format!(r#""link":"{}""#, links.join(", "))
}

#[test]
fn one_answer_is_complete_only_as_a_short_first_page_without_filter() {
    let cases = [
        (REACTIONS.to_owned(), ETAG.to_owned(), 0, "one-page"),
        (REACTIONS.to_owned(), ETAG.to_owned(), 29, "one-page"),
        (REACTIONS.to_owned(), ETAG.to_owned(), 30, "unproven"),
        (format!("{REACTIONS}?per_page=100"), ETAG.to_owned(), 99, "one-page"),
        (format!("{REACTIONS}?per_page=5"), ETAG.to_owned(), 5, "unproven"),
        // Asked for more than the forge serves: a page of 100 is a full one.
        (format!("{REACTIONS}?per_page=1000"), ETAG.to_owned(), 100, "unproven"),
        (REACTIONS.to_owned(), String::new(), 3, "unproven"),
        (format!("{REACTIONS}?content=heart"), ETAG.to_owned(), 3, "partial"),
        (format!("{REACTIONS}?page=2"), ETAG.to_owned(), 3, "partial"),
        (REACTIONS.to_owned(), link(REACTIONS, &[("next", 2), ("last", 2)]), 3, "partial"),
        ("/repos/acme/web/pulls/comments/9/reactions".to_owned(), ETAG.to_owned(), 3, "one-page"),
    ];
    for (path, headers, items, expected) in cases {
        assert_eq!(groups(&[seen(&path, &headers, items, 0)]), [format!("[0] {expected}")], "{path} {items}");
    }
}

#[test]
fn lists_that_are_selections_are_never_complete() {
    let one = |path: &str, body: &str| groups(&[answered(path, ETAG, &vector(body), 0)])[0].clone();
    assert_eq!(one("/repos/acme/web/pulls/42/comments", "review_comments"), "[0] one-page");
    assert_eq!(one("/repos/acme/web/pulls/42/reviews/71/comments", "review_comments"), "[0] partial");
    assert_eq!(one("/repos/acme/web/pulls/comments", "review_comments"), "[0] partial");
    assert_eq!(one("/repos/acme/web/issues/comments", "comments"), "[0] partial");
    assert_eq!(one("/repos/acme/web/issues/43/comments", "comments"), "[0] partial");
    assert_eq!(one("/repos/acme/web/issues/42/comments?since=2026-01-01T00:00:00Z", "comments"), "[0] partial");
    assert_eq!(one("/repos/acme/web/commits/main/statuses", "statuses"), "[0] one-page");
    assert_eq!(one("/repos/acme/web/commits/main/status", "combined"), "[0] partial");
    assert_eq!(one("/repos/acme/web/commits/main/check-runs", "check_runs"), "[0] one-page");
    assert_eq!(one("/repos/acme/web/commits/main/check-runs?check_name=test", "check_runs"), "[0] partial");
    assert_eq!(one("/repos/acme/web/pulls/42", "pull"), "[0] whole");
}

#[test]
fn a_total_count_settles_it() {
    let runs = |total: u64| {
        let mut body = vector("check_runs");
        let Json::Object(object) = &mut body else { panic!("a wrapper") };
        object.set("total_count", total);
        groups(&[answered("/repos/acme/web/commits/main/check-runs?per_page=3", ETAG, &body, 0)])[0].clone()
    };
    assert_eq!((runs(3).as_str(), runs(4).as_str(), runs(2).as_str()), ("[0] one-page", "[0] partial", "[0] partial"));
}

#[test]
fn a_forge_that_stops_counting_proves_nothing() {
    let commits: Vec<_> =
        (0..250).map(|n| format!(r#"{{"sha":"{n:040x}","commit":{{"message":""}},"parents":[]}}"#)).collect();
    let path = "/repos/acme/web/pulls/42/commits";
    let pages = |count: usize| -> Vec<Seen> {
        let chunks: Vec<_> = commits[..count].chunks(100).collect();
        let last = chunks.len() as u64;
        let page = |(chunk, n): (&&[String], u64)| {
            let links =
                if n < last { link(path, &[("next", n + 1), ("last", last)]) } else { link(path, &[("first", 1)]) };
            answered(&format!("{path}?per_page=100&page={n}"), &links, &parse(&format!("[{}]", chunk.join(","))), n)
        };
        chunks.iter().zip(1..).map(page).collect()
    };
    assert_eq!(groups(&pages(249)), ["[0, 1, 2] all-pages"]);
    assert_eq!(groups(&pages(250)), ["[0, 1, 2] unproven"]);
}

#[test]
fn all_pages_are_a_run_from_the_first_to_the_last() {
    let page = |n: u64, last: u64, position: u64| {
        let mut relations = Vec::new();
        if n > 1 {
            relations.extend([("prev", n - 1), ("first", 1)]);
        }
        if n < last {
            relations.extend([("next", n + 1), ("last", last)]);
        }
        let items = if n < last { 30 } else { 4 };
        let path = if n == 1 { REACTIONS.to_owned() } else { format!("{REACTIONS}?page={n}") };
        seen(&path, &link(REACTIONS, &relations), items, position)
    };
    assert_eq!(groups(&[page(1, 3, 1), page(2, 3, 2), page(3, 3, 3)]), ["[0, 1, 2] all-pages"]);
    // The order of the recording counts, not that of the file.
    assert_eq!(groups(&[page(3, 3, 9), page(1, 3, 7), page(2, 3, 8)]), ["[1, 2, 0] all-pages"]);
    assert_eq!(groups(&[page(1, 3, 1), page(3, 3, 3)]), ["[0] partial", "[1] partial"]);
    assert_eq!(groups(&[page(2, 3, 2), page(3, 3, 3)]), ["[0, 1] partial"]);
    assert_eq!(groups(&[page(1, 3, 1), page(2, 3, 2)]), ["[0, 1] partial"]);
    // Two readings that ran into each other prove nothing, one that broke off and began again does.
    assert_eq!(groups(&[page(1, 2, 1), page(2, 2, 2), page(2, 2, 3)]), ["[0, 1] partial", "[2] partial"]);
    let interleaved = [page(1, 2, 1), page(1, 2, 2), page(2, 2, 3), page(2, 2, 4)];
    assert_eq!(groups(&interleaved), ["[0] partial", "[1, 2] partial", "[3] partial"]);
    assert_eq!(
        groups(&[page(1, 2, 1), page(1, 2, 2), page(2, 2, 3), page(1, 2, 4), page(2, 2, 5)]),
        ["[0] partial", "[1, 2] all-pages", "[3, 4] all-pages"]
    );
    // The list lost a page while it was read.
    assert_eq!(groups(&[page(1, 3, 1), page(2, 2, 2)]), ["[0, 1] partial"]);
    // Another page length is another listing.
    let longer = seen(&format!("{REACTIONS}?page=2&per_page=50"), &link(REACTIONS, &[("prev", 1)]), 4, 2);
    assert_eq!(groups(&[page(1, 2, 1), longer]), ["[0] partial", "[1] partial"]);
}

#[test]
fn later_pages_name_the_repository_by_number() {
    let path = "/repos/acme/web/pulls/42/files";
    let by_number = "/repositories/9001/pulls/42/files";
    let files = |n: usize| {
        let files: Vec<_> = (0..n).map(|at| format!(r#"{{"filename":"{n}/{at}","status":"added"}}"#)).collect();
        parse(&format!("[{}]", files.join(",")))
    };
    let first = answered(path, &link(by_number, &[("next", 2), ("last", 2)]), &files(30), 1);
    let mut owners = Owners::default();
    owners.learn_exchange(&first.exchange);
    let mut second = answered(&format!("{by_number}?page=2"), &link(by_number, &[("prev", 1)]), &files(7), 2);
    assert_eq!(second.look.subject.known(), None);
    assert!(owners.resolve(&mut second.look) && owners.name_repository(&mut second.request));
    assert_eq!(groups(&[second, first]), ["[1, 0] all-pages"]);
}

#[test]
fn pages_without_links_end_with_a_short_one() {
    let page = |n: u64, items| seen(&format!("{REACTIONS}?per_page=5&page={n}"), ETAG, items, n);
    assert_eq!(groups(&[page(1, 5), page(2, 5), page(3, 0)]), ["[0, 1, 2] all-pages"]);
    assert_eq!(groups(&[page(1, 5), page(2, 5)]), ["[0, 1] unproven"]);
}

#[test]
fn plain_files_prove_nothing() {
    let comments = vector("comments");
    let whole = recognise(&comments, &Hints::default()).looks.remove(0);
    let items: Vec<_> = comments.as_array().expect("a list").to_vec();
    let single: Vec<_> = items.iter().map(|item| recognise(item, &Hints::default()).looks.remove(0)).collect();
    let groups = |pages: &[(usize, &Look)]| -> Vec<String> {
        let pages: Vec<_> = pages.iter().map(|(source, look)| Page { source: *source, asked: None, look }).collect();
        assemble(&pages).iter().map(|group| format!("{:?} {}", group.pages, group.completeness.name())).collect()
    };
    assert_eq!(groups(&[(0, &whole)]), ["[0] unproven"]);
    assert_eq!(groups(&[(0, &single[0])]), ["[0] partial"]);
    // One file: concatenated pages, or a line an item, are one list. Two files are two looks.
    assert_eq!(groups(&[(0, &whole), (0, &whole)]), ["[0, 1] unproven"]);
    assert_eq!(groups(&[(0, &single[0]), (0, &single[1])]), ["[0, 1] unproven"]);
    assert_eq!(groups(&[(0, &whole), (1, &whole)]), ["[0] unproven", "[1] unproven"]);
}

proptest! {
    /// Whatever was recorded: every look is in exactly one group, and only runs from page 1 are complete.
    #[test]
    fn every_look_is_in_one_group(recorded in prop::collection::vec((1u64..4, 1u64..4, 0u64..9, 0usize..31), 0..12)) {
        let seen: Vec<_> = recorded
            .iter()
            .map(|(page, last, position, items)| {
                let relations: Vec<_> = if page < last { vec![("next", page + 1), ("last", *last)] } else { vec![("first", 1)] };
                seen(&format!("{REACTIONS}?page={page}"), &link(REACTIONS, &relations), *items, *position)
            })
            .collect();
        let pages: Vec<_> =
            seen.iter().map(|s| Page { source: 0, asked: Some((&s.exchange, &s.request)), look: &s.look }).collect();
        let groups = assemble(&pages);
        let mut all: Vec<_> = groups.iter().flat_map(|group| group.pages.clone()).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..seen.len()).collect::<Vec<_>>());
        for group in groups.iter().filter(|group| group.completeness.is_proof()) {
            let numbers: Vec<_> = group.pages.iter().map(|at| recorded[*at].0).collect();
            prop_assert_eq!(numbers.clone(), (1..=numbers.len() as u64).collect::<Vec<_>>());
            prop_assert!(group.pages.iter().all(|at| recorded[*at].0 >= recorded[*at].1 || *at != group.pages[group.pages.len() - 1]));
        }
    }
}
