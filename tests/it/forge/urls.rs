//! What URLs and other spellings name.

use git_docket::forge::named::{NotNamed, entity_from_text};
use git_docket::forge::resource::Resource;
use git_docket::forge::url::{Request, Target};
use git_docket::format::entity::Forge;
use git_docket::format::facet::Facet;
use proptest::prelude::*;

fn named(url: &str) -> (Option<String>, Resource) {
    let target = Target::parse(url).expect("a URL");
    let repository = target.repository.map(|r| r.to_string()).or(target.repository_id.map(|id| format!("#{id}")));
    (repository, target.resource)
}

#[test]
fn api_paths_name_their_resources() {
    let sha = "0123456789012345678901234567890123456789".to_owned();
    let cases = [
        ("", Resource::Repository),
        ("/issues/42", Resource::Issue(42)),
        ("/issues/42/", Resource::Issue(42)),
        ("/issues/042", Resource::Other),
        ("/issues/42/comments", Resource::Comments(42)),
        ("/issues/42/events", Resource::Events(42)),
        ("/issues/42/timeline", Resource::Timeline(42)),
        ("/issues/42/labels", Resource::Labels(42)),
        ("/issues/42/reactions", Resource::Reactions(42)),
        ("/issues/42/sub_issues", Resource::Other),
        ("/issues/comments/9", Resource::Comment(9)),
        ("/issues/comments/9/reactions", Resource::CommentReactions(9)),
        ("/issues/comments", Resource::RepositoryComments),
        ("/issues/events", Resource::RepositoryEvents),
        ("/issues/events/9", Resource::Event(9)),
        ("/issues", Resource::Issues),
        ("/pulls", Resource::Pulls),
        ("/pulls/42", Resource::Pull(42)),
        ("/pulls/42/comments", Resource::ReviewComments(42)),
        ("/pulls/42/reviews", Resource::Reviews(42)),
        ("/pulls/42/reviews/9", Resource::Review(42, 9)),
        ("/pulls/42/reviews/9/comments", Resource::CommentsOfReview(42, 9)),
        ("/pulls/42/files", Resource::Files(42)),
        ("/pulls/42/commits", Resource::Commits(42)),
        // There is no such endpoint: its 404 says nothing about the reactions of 42.
        ("/pulls/42/reactions", Resource::Other),
        ("/pulls/comments/9", Resource::ReviewComment(9)),
        ("/pulls/comments/9/reactions", Resource::ReviewCommentReactions(9)),
        ("/pulls/comments", Resource::RepositoryReviewComments),
        ("/commits/heads/main/check-runs", Resource::CheckRuns("heads/main".to_owned())),
        ("/commits/main/statuses", Resource::Statuses("main".to_owned())),
        ("/commits/main/status", Resource::CombinedStatus("main".to_owned())),
        ("/commits/main", Resource::Other),
        ("/statuses/0123456789012345678901234567890123456789", Resource::Statuses(sha)),
        ("/check-runs/9", Resource::CheckRun(9)),
        ("/check-suites/9/check-runs", Resource::CheckRunsOfSuite(9)),
        ("/labels", Resource::RepositoryLabels),
        ("/labels/help%20wanted", Resource::RepositoryLabel),
        ("/milestones/1", Resource::Other),
        ("/issues/99999999999999999999", Resource::Other),
    ];
    for (path, resource) in cases {
        let repository = Some("github:github.com/acme/web".to_owned());
        assert_eq!(named(&format!("https://api.github.com/repos/acme/web{path}")), (repository, resource.clone()));
        let by_id = named(&format!("https://api.github.com:443/repositories/9001{path}?page=2"));
        assert_eq!(by_id, (Some("#9001".to_owned()), resource.clone()), "{path}");
        let enterprise = named(&format!("http://git.acme.test:8080/api/v3/repos/acme/web{path}"));
        assert_eq!(enterprise, (Some("github:git.acme.test:8080/acme/web".to_owned()), resource), "{path}");
    }
}

#[test]
fn pages_name_issues_and_pull_requests() {
    let repository = |host: &str| Some(format!("github:{host}/acme/web"));
    let cases = [
        ("https://github.com/acme/web", "github.com", Resource::Repository),
        ("https://GitHub.com/acme/web/pull/42/files#diff-1", "github.com", Resource::Pull(42)),
        ("https://github.com/acme/web/issues/7#issuecomment-1", "github.com", Resource::Issue(7)),
        ("https://acme.ghe.com/acme/web/issues/7", "acme.ghe.com", Resource::Issue(7)),
        ("https://api.acme.ghe.com/repos/acme/web/issues/7", "acme.ghe.com", Resource::Issue(7)),
        ("https://github.com/acme/web/pulls/42", "github.com", Resource::Other),
        ("https://github.com/acme/web/-/issues/42", "github.com", Resource::Other),
    ];
    for (url, host, resource) in cases {
        assert_eq!(named(url), (repository(host), resource), "{url}");
    }
    assert_eq!(named("https://github.com/octocat"), (None, Resource::User("octocat".to_owned())));
    assert_eq!(named("https://api.github.com/repos/acme/web/commits//status"), (None, Resource::Other));
    for refused in
        ["ftp://github.com/a/b", "https://", "https://me:pw@github.com/a/b", "github.com/a/b", "https://a b/"]
    {
        assert_eq!(Request::parse(refused), None, "{refused}");
    }
}

#[test]
fn a_query_is_harmless_only_by_the_closed_list() {
    let query = |text: &str| Request::parse(&format!("https://api.github.com/user?{text}")).expect("a URL").query;
    for harmless in ["", "page=2", "per_page=50&page=3", "sort=created&direction=asc", "filter=latest"] {
        assert!(!query(harmless).filtered, "{harmless}");
    }
    let filters =
        ["since=2026-01-01T00:00:00Z", "state=all", "check_name=x", "per%5Fpage=1", "page=x", "page=0", "after=a"];
    for filter in filters.into_iter().chain(["page=1&page=2", "per_page=-1", "x", "Page=1"]) {
        assert!(query(filter).filtered, "{filter}");
    }
    assert_eq!((query("").page, query("").per_page), (1, 30));
    assert_eq!((query("page=3&per_page=500").page, query("page=3&per_page=500").per_page), (3, 100));
    assert_eq!(query("b=1&page=4&a=2").rest, "a=2&b=1");
}

#[test]
fn every_resource_that_is_whole_shows_its_facet() {
    for path in ["/issues/1", "/issues/1/comments", "/pulls/1/files", "/commits/m/check-runs", "/labels", ""] {
        let resource = named(&format!("https://api.github.com/repos/acme/web{path}")).1;
        assert!(resource.whole().is_some(), "{path}");
        assert_eq!(resource.whole(), resource.facet(), "{path}");
    }
    let partial = named("https://api.github.com/repos/acme/web/pulls/1/reviews/2/comments").1;
    assert_eq!((partial.whole(), partial.facet()), (None, Some(Facet::ReviewComments)));
}

fn told(text: &str, default: Option<(Forge, &str)>) -> String {
    match entity_from_text(text, default) {
        Ok(named) => format!("{} {}", named.subject, named.kind.map_or("?", |kind| kind.name())),
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn people_name_entities_in_many_ways() {
    let here = Some((Forge::GitHub, "github.com"));
    let thread = "github:github.com/acme/web/thread/42";
    let cases = [
        ("github:github.com/acme/web/pull/42", None, format!("{thread} pull")),
        ("github:github.com/acme/web/issue/42", None, format!("{thread} issue")),
        (thread, None, format!("{thread} ?")),
        ("github:github.com/acme/web", None, "github:github.com/acme/web ?".to_owned()),
        ("github:github.com/@octocat", None, "github:github.com/@octocat ?".to_owned()),
        ("https://github.com/acme/web/pull/42/files#r1", None, format!("{thread} pull")),
        ("https://github.com/acme/web/issues/42", None, format!("{thread} ?")),
        ("https://api.github.com/repos/acme/web/pulls/42/reviews?page=2", None, format!("{thread} pull")),
        ("https://api.github.com/repos/acme/web/issues/42/comments", None, format!("{thread} ?")),
        ("https://github.com/acme/web", None, "github:github.com/acme/web ?".to_owned()),
        ("https://github.com/octocat", None, "github:github.com/@octocat ?".to_owned()),
        ("acme/web#42", here, format!("{thread} ?")),
        ("acme/web", here, "github:github.com/acme/web ?".to_owned()),
        ("acme/web#42", None, "entity-ambiguous".to_owned()),
        ("https://api.github.com/repositories/9001/issues/42", None, "entity-ambiguous".to_owned()),
        ("acme/web#x", here, "entity-invalid".to_owned()),
        ("acme/web#0", here, "entity-invalid".to_owned()),
        ("acme#1", None, "entity-invalid".to_owned()),
        ("", here, "entity-invalid".to_owned()),
        ("https://github.com/", here, "entity-invalid".to_owned()),
        ("https://github.com/acme/web/actions/runs/1", here, "entity-invalid".to_owned()),
    ];
    for (text, default, expected) in cases {
        assert_eq!(told(text, default), expected, "{text}");
    }
    let error = entity_from_text("acme/web#42", None);
    assert_eq!(error, Err(NotNamed::NoForge("acme/web#42".to_owned())));
}

#[test]
fn a_query_of_any_length_is_read_in_one_pass() {
    let query: String = (0..200_000).map(|number| format!("a{number}=1&")).collect();
    for api in [
        "https://api.github.com/repos/acme/web/issues/42/comments",
        "https://gitlab.com/api/v4/projects/9/issues/42/notes",
    ] {
        let asked = Request::parse(&format!("{api}?{query}page=3")).expect("a URL").query;
        assert_eq!((asked.page, asked.filtered, asked.rest.matches('&').count()), (3, true, 199_999), "{api}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,80}", url in "https?://[a-z.:@]{0,12}(/[a-z0-9%#?=&]{0,9}){0,7}") {
        let _ = entity_from_text(&text, Some((Forge::GitHub, "github.com")));
        let _ = entity_from_text(&url, None);
    }

    #[test]
    fn every_spelling_of_one_pull_request_is_one_subject(
        owner in "[A-Za-z0-9][A-Za-z0-9-]{0,20}", name in "[A-Za-z0-9][A-Za-z0-9_.-]{0,20}", number in 1u64..1_000_000_000,
    ) {
        let spellings = [
            format!("github:github.com/{owner}/{name}/pull/{number}"),
            format!("https://github.com/{owner}/{name}/pull/{number}"),
            format!("https://api.github.com/repos/{owner}/{name}/pulls/{number}/comments?per_page=5"),
            format!("https://api.github.com:443/repos/{owner}/{name}/issues/{number}"),
            format!("{owner}/{name}#{number}"),
        ];
        let expected = format!("github:github.com/{owner}/{name}/thread/{number}");
        for text in spellings {
            let named = entity_from_text(&text, Some((Forge::GitHub, "github.com"))).expect("a spelling");
            prop_assert_eq!(named.subject.to_string(), expected.clone(), "{}", text);
            // What we write is read again as the same.
            prop_assert_eq!(entity_from_text(&expected, None).expect("an id").subject, named.subject);
        }
    }
}
