//! Recognition by shape, on vectors of our own.

use git_docket::forge::owners::Owners;
use git_docket::forge::recognise::{Hints, Reason, recognise};
use git_docket::forge::url::Request;
use git_docket::format::entity::{Kind, Subject};
use git_docket::format::facet::Facet;
use git_docket::format::json::Json;

use super::{lines, parse, vector};

fn alone(view: &Json<'_>) -> Vec<String> {
    lines(&recognise(view, &Hints::default()))
}

fn asked(view: &Json<'_>, path: &str) -> Vec<String> {
    let url = Request::parse(&format!("https://api.github.com{path}")).expect("a URL");
    lines(&recognise(view, &Hints { url: Some(&url), ..Hints::default() }))
}

fn about_42(view: &Json<'_>) -> Vec<String> {
    let subject: Subject = "github:github.com/acme/web/thread/42".parse().expect("an id");
    lines(&recognise(view, &Hints { entity: Some((&subject, Some(Kind::Pull))), ..Hints::default() }))
}

#[test]
fn records_are_recognised_with_what_is_split_out() {
    let pull = r#"["/user", "/assignee", "/head/user", "/base/user", "/base/repo"]"#;
    assert_eq!(alone(&vector("pull")), [format!(r#"acme/web/thread/42 pull header: record "" {pull}"#)]);
    assert_eq!(alone(&vector("as_issue")), [r#"acme/web/thread/42 pull header: record "" ["/user", "/closed_by"]"#]);
    assert_eq!(alone(&vector("issue")), [r#"acme/web/thread/7 issue header: record "" []"#]);
    assert_eq!(alone(&vector("repository")), [r#"acme/web ? header: record "" []"#]);
    assert_eq!(alone(&vector("profile")), [r#"@mona ? header: record "" []"#]);
    assert_eq!(
        alone(&vector("search")),
        [
            r#"acme/web/thread/42 pull header: record "/items/0" ["/items/0", "/items/0/user", "/items/0/closed_by"]"#,
            r#"acme/web/thread/7 issue header: record "/items/1" ["/items/1"]"#,
        ]
    );
}

#[test]
fn lists_that_name_their_thread_need_no_hint() {
    for (name, kind, facet, items) in [
        ("comments", "pull", "comments", "/0 /1"),
        ("reviews", "pull", "reviews", "/0 /1 /2"),
        ("review_comments", "pull", "review-comments", "/0 /1 /2"),
    ] {
        assert_eq!(alone(&vector(name)), [format!("acme/web/thread/42 {kind} {facet}: Whole {items}")]);
        // One item alone is a part, whoever asks.
        let Json::Array(items) = vector(name) else { panic!("{name} is a list") };
        assert_eq!(alone(&items[0]), [format!("acme/web/thread/42 {kind} {facet}: Part ")]);
    }
}

#[test]
fn lists_that_name_nobody_take_the_url_or_the_callers_entity() {
    let cases = [
        ("files", "/repos/acme/web/pulls/42/files", "pull", "files", "Whole /0 /1"),
        ("commits", "/repos/acme/web/pulls/42/commits", "pull", "commits", "Whole /0"),
        ("labels", "/repos/acme/web/issues/42/labels", "?", "labels", "Whole /0 /1"),
        ("reactions", "/repos/acme/web/issues/42/reactions", "?", "reactions", "Whole /0 /1"),
        ("events", "/repos/acme/web/issues/42/events", "?", "events", "Whole /0 /1 /2"),
        // A payload with a timeline's entries is one; the URL decides for a payload without.
        ("events", "/repos/acme/web/issues/42/timeline", "?", "timeline", "Whole /0 /1 /2"),
        ("timeline", "/repos/acme/web/issues/42/timeline", "pull", "timeline", "Whole /0 /1 /2 /3 /4 /5"),
    ];
    for (name, path, kind, facet, items) in cases {
        assert_eq!(asked(&vector(name), path), [format!("acme/web/thread/42 {kind} {facet}: {items}")], "{path}");
        let facet = if path.ends_with("timeline") && name == "events" { "events" } else { facet };
        assert_eq!(about_42(&vector(name)), [format!("acme/web/thread/42 pull {facet}: {items}")], "{path}");
        if name != "timeline" {
            assert_eq!(alone(&vector(name)), [r#"left "" entity-ambiguous"#], "{name}");
        }
    }
}

#[test]
fn checks_and_statuses_belong_to_a_commit_and_so_to_the_callers_entity() {
    let runs = "acme/web/thread/42 pull checks: Whole /check_runs/0 /check_runs/1 /check_runs/2";
    assert_eq!(about_42(&vector("check_runs")), [runs]);
    assert_eq!(
        asked(&vector("check_runs"), "/repos/acme/web/commits/main/check-runs"),
        ["acme/web@aaaaaaa pull checks: Whole /check_runs/0 /check_runs/1 /check_runs/2"]
    );
    assert_eq!(about_42(&vector("statuses")), ["acme/web/thread/42 pull statuses: Whole /0 /1"]);
    // The combined status leaves out what a later status of the same context replaced.
    assert_eq!(about_42(&vector("combined")), ["acme/web/thread/42 pull statuses: Part /statuses/0"]);

    let named = |numbers: &[u64]| {
        let pulls: Vec<_> = numbers
            .iter()
            .map(|n| format!(r#"{{"number":{n},"url":"https://api.github.com/repos/acme/web/pulls/{n}"}}"#))
            .collect();
        parse(&format!(
            r#"{{"id":1,"name":"t","head_sha":"a","status":"queued","output":{{}},"pull_requests":[{}]}}"#,
            pulls.join(",")
        ))
    };
    assert_eq!(alone(&named(&[41])), ["acme/web/thread/41 pull checks: Part "]);
    let both = ["acme/web/thread/41 pull checks: Part ", "acme/web/thread/43 pull checks: Part "];
    assert_eq!(alone(&named(&[41, 43])), both);
    assert_eq!(about_42(&named(&[41, 43])), both);
    assert_eq!(about_42(&named(&[41, 42])), ["acme/web/thread/42 pull checks: Part "]);
}

#[test]
fn a_list_of_many_threads_is_a_part_of_each() {
    assert_eq!(
        alone(&vector("repo_comments")),
        [
            "acme/web/thread/42 pull comments: Lacking /0 /2",
            "acme/web/thread/7 issue comments: Lacking /1",
            r#"left "/3" shape-unknown"#,
        ]
    );
    assert_eq!(
        alone(&vector("repo_events")),
        [
            "acme/web/thread/42 pull events: Part /0 /2",
            r#"acme/web/thread/42 pull header: record "/0/issue" ["/0/issue", "/0/issue/user", "/0/issue/closed_by"]"#,
            "acme/web/thread/7 issue events: Part /1",
            r#"acme/web/thread/7 issue header: record "/1/issue" ["/1/issue"]"#,
            r#"acme/web/thread/42 pull header: record "/2/issue" ["/2/issue", "/2/issue/user", "/2/issue/closed_by"]"#,
        ]
    );
}

#[test]
fn an_empty_list_shows_nothing_by_itself() {
    let empty = parse("[]");
    assert_eq!(alone(&empty), [r#"left "" entity-ambiguous"#]);
    assert_eq!(about_42(&empty), [r#"left "" facet-unnamed"#]);
    assert_eq!(asked(&empty, "/repos/acme/web/pulls/42/reviews"), ["acme/web/thread/42 pull reviews: Whole "]);
    assert_eq!(asked(&empty, "/repositories/9/issues/42/labels"), ["github.com #9 Some(42) ? labels: Whole "]);
    assert_eq!(asked(&empty, "/repos/acme/web/pulls?state=open"), [r#"left "" entity-ambiguous"#]);
    assert_eq!(asked(&empty, "/repos/acme/web/issues/comments"), [r#"left "" entity-ambiguous"#]);
    assert_eq!(asked(&empty, "/repos/acme/web/milestones"), [r#"left "" entity-ambiguous"#]);
    assert_eq!(about_42(&parse(r#"{"total_count":0,"check_runs":[]}"#)), ["acme/web/thread/42 pull checks: Whole "]);

    let subject: Subject = "github:github.com/acme/web/thread/42".parse().expect("an id");
    let hints = Hints { facet: Some(Facet::Reviews), entity: Some((&subject, None)), ..Hints::default() };
    assert_eq!(lines(&recognise(&empty, &hints)), ["acme/web/thread/42 pull reviews: Whole "]);
    let no_entity = Hints { entity: None, ..hints };
    assert_eq!(lines(&recognise(&empty, &no_entity)), [r#"left "" entity-ambiguous"#]);
}

#[test]
fn the_callers_word_for_the_facet_must_fit() {
    let named = |facet, view: &Json<'_>| {
        let subject: Subject = "github:github.com/acme/web/thread/42".parse().expect("an id");
        lines(&recognise(view, &Hints { facet: Some(facet), entity: Some((&subject, None)), ..Hints::default() }))
    };
    assert_eq!(named(Facet::Timeline, &vector("events")), ["acme/web/thread/42 ? timeline: Whole /0 /1 /2"]);
    assert_eq!(named(Facet::Comments, &vector("reviews")), [r#"left "" facet-mismatch"#]);
    assert_eq!(named(Facet::Comments, &vector("pull")), [r#"left "" facet-mismatch"#]);
    let runs = parse(r#"{"total_count":0,"check_runs":[]}"#);
    assert_eq!(named(Facet::Statuses, &runs), [r#"left "" facet-mismatch"#]);
}

#[test]
fn an_address_elsewhere_is_not_overruled_by_the_callers_entity() {
    let subject: Subject = "github:github.com/acme/web/thread/42".parse().expect("an id");
    for (name, path) in [
        ("commits", "/repos/acme/web/commits"),
        ("labels", "/repos/acme/web/milestones/2/labels"),
        ("files", "/repos/acme/web/compare/a...b"),
    ] {
        let url = Request::parse(&format!("https://api.github.com{path}")).expect("a URL");
        let hints = Hints { url: Some(&url), entity: Some((&subject, None)), ..Hints::default() };
        assert_eq!(lines(&recognise(&vector(name), &hints)), [r#"left "" facet-unsupported"#], "{path}");
    }
    assert_eq!(asked(&vector("labels"), "/repos/acme/web/labels"), ["acme/web ? labels: Whole /0 /1"]);
    // Labels of another repository are not those of 42.
    let other: Subject = "github:github.com/acme/shop/thread/42".parse().expect("an id");
    let hints = Hints { entity: Some((&other, None)), ..Hints::default() };
    assert_eq!(lines(&recognise(&vector("labels"), &hints)), [r#"left "" entity-ambiguous"#]);
}

#[test]
fn what_is_not_ours_has_a_reason() {
    let cases = [
        (vector("error"), Reason::ForgeErrorBody),
        (parse(r#"{"message":"Server Error"}"#), Reason::ForgeErrorBody),
        (parse("null"), Reason::ShapeUnknown),
        (parse("{}"), Reason::ShapeUnknown),
        (parse(r#"[{"a":1},2]"#), Reason::ShapeUnknown),
        (parse(r#"{"total_count":1,"workflow_runs":[{"id":1}]}"#), Reason::ShapeUnknown),
        (parse(r#"{"total_count":1,"check_suites":[]}"#), Reason::EntityAmbiguous),
        (
            parse(r#"{"id":1,"run_id":2,"head_sha":"a","name":"build","status":"queued","steps":[]}"#),
            Reason::EntityAmbiguous,
        ),
        (
            parse(r#"{"number":1,"title":"v1","state":"open","created_at":"","closed_issues":0}"#),
            Reason::FacetUnsupported,
        ),
        // Gitea's objects look much like GitHub's, but for their addresses.
        (
            parse(
                r#"{"id":1,"body":"","user":{},"issue_url":"http://git.acme.test/a/b/issues/7","pull_request_url":""}"#,
            ),
            Reason::DialectUnsupported,
        ),
        // A number and an address that differ are of nobody.
        (
            parse(
                r#"{"number":8,"title":"t","state":"open","user":{},"url":"https://api.github.com/repos/a/b/issues/7"}"#,
            ),
            Reason::EntityAmbiguous,
        ),
    ];
    for (view, reason) in cases {
        assert_eq!(alone(&view), [format!(r#"left "" {}"#, reason.code())], "{view:?}");
    }
    let mut codes: Vec<_> = Reason::ALL.iter().map(|reason| reason.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), Reason::ALL.len());
}

#[test]
fn a_header_without_addresses_takes_the_hint_with_its_number() {
    let bare = parse(r#"{"number":42,"title":"t","state":"open","user":null}"#);
    assert_eq!(alone(&bare), [r#"left "" entity-ambiguous"#]);
    assert_eq!(about_42(&bare), [r#"acme/web/thread/42 pull header: record "" []"#]);
    assert_eq!(asked(&bare, "/repos/acme/web/pulls/42"), [r#"acme/web/thread/42 pull header: record "" []"#]);
    assert_eq!(asked(&bare, "/repos/acme/web/issues/43"), [r#"left "" entity-ambiguous"#]);
}

#[test]
fn reactions_to_a_comment_find_its_thread_in_another_payload() {
    let url = Request::parse("https://api.github.com/repos/acme/web/pulls/comments/82/reactions").expect("a URL");
    let hints = Hints { url: Some(&url), ..Hints::default() };
    let mut found = recognise(&vector("reactions"), &hints);
    assert_eq!(lines(&found), [r#"of-item Some("acme/web") pull reactions of review-comments/82: Whole /0 /1"#]);

    let comments = vector("review_comments");
    let looks = recognise(&comments, &Hints::default()).looks;
    let mut owners = Owners::default();
    assert!(!owners.resolve(&mut found.looks[0]));
    owners.learn(&looks, &comments);
    assert!(owners.resolve(&mut found.looks[0]));
    assert_eq!(lines(&found), ["acme/web/thread/42 pull reactions of review-comments/82: Whole /0 /1"]);

    // A comment of the conversation is another one, whatever its id.
    let url = Request::parse("https://api.github.com/repos/acme/web/issues/comments/82/reactions").expect("a URL");
    let mut other = recognise(&vector("reactions"), &Hints { url: Some(&url), ..Hints::default() });
    assert!(!owners.resolve(&mut other.looks[0]));
}

#[test]
fn a_repository_known_by_number_is_named_by_a_header() {
    let url = Request::parse("https://api.github.com/repositories/9001/pulls/42/files?page=2").expect("a URL");
    // Files of an older forge, without the addresses that name the repository.
    let files = parse(r#"[{"filename":"a","status":"added"},{"filename":"b","status":"removed"}]"#);
    let mut found = recognise(&files, &Hints { url: Some(&url), ..Hints::default() });
    assert_eq!(lines(&found), ["github.com #9001 Some(42) pull files: Whole /0 /1"]);
    let pull = vector("pull");
    let mut owners = Owners::default();
    owners.learn(&recognise(&pull, &Hints::default()).looks, &pull);
    assert!(owners.resolve(&mut found.looks[0]));
    assert_eq!(lines(&found), ["acme/web/thread/42 pull files: Whole /0 /1"]);
}

#[test]
fn answers_of_the_first_years_are_known_by_their_addresses() {
    let pull = r#"{"number":31,"title":"t","state":"closed","url":"https://api.github.com/repos/acme/web/pulls/31",
        "issue_url":"https://github.com/acme/web/ISSUES/31","head":{},"user":null}"#;
    for word in ["pull", "issues"] {
        let found = alone(&parse(&pull.replace("ISSUES", word)));
        assert_eq!(found, ["acme/web/thread/31 pull header: record \"\" []"], "{word}");
    }
    let elsewhere = pull.replace("https://github.com/acme/web/ISSUES", "https://code.example/acme/web/pull");
    assert_eq!(alone(&parse(&elsewhere)), ["left \"\" dialect-unsupported"]);

    let labels = r#"[{"url":"https://api.github.com/repos/acme/web/labels/Bug","name":"Bug","color":"e10c02"}]"#;
    let listed = asked(&parse(labels), "/repos/acme/web/issues/7/labels");
    assert_eq!(listed, ["acme/web/thread/7 ? labels: Whole /0"]);
    assert_eq!(about_42(&parse(&labels.replace("/labels/Bug", "/milestones/1"))), ["left \"\" shape-unknown"]);

    let comment = r#"{"id":886298,"body":"b","USER":{"login":"mona","id":1},"path":"a.py","position":5,"commit_id":"a","original_commit_id":"a",
        "url":"https://api.github.com/repos/acme/web/pulls/comments/886298",
        "_links":{"pull_request":{"href":"https://api.github.com/repos/acme/web/pulls/31"}}}"#;
    for name in ["user", "nobody"] {
        let comment = parse(&comment.replace("USER", name));
        let found = asked(&comment, "/repos/acme/web/pulls/comments/886298");
        assert_eq!(found, ["acme/web/thread/31 pull review-comments: Part "], "{name}");
        assert_eq!(alone(&comment), found);
    }
    let on_commit = comment.replace("/pulls/comments/", "/comments/").replace("USER", "user");
    assert_eq!(alone(&parse(&on_commit)), ["left \"\" facet-unsupported"]);
}
