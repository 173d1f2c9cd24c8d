//! Recorded exchanges, request logs, and answers that are no data.

use git_docket::forge::answer::{Answer, answer};
use git_docket::forge::owners::Owners;
use git_docket::forge::recognise::{Hints, Reason, SubjectHint};
use git_docket::forge::recording::{Body, Links, NotAnExchange, exchange, is_exchange, request_log};
use git_docket::forge::url::Request;
use git_docket::format::entity::Subject;
use git_docket::format::json::Json;

use super::{parse, vector};

fn line(method: &str, url: &str, status: u16, rest: &str) -> Json<'static> {
    parse(&format!(r#"{{"method":"{method}","url":"{url}","status":{status}{rest}}}"#))
}

#[test]
fn a_line_gives_its_facts() {
    let view = line(
        "get",
        "https://api.github.com/user",
        200,
        r#","seq":7,"body":[],"headers":{"DATE":"Fri, 08 Apr 2022 17:54:33 GMT","ETag":["W/\"a\""],
          "link":"<https://api.github.com/repositories/9/issues/1/comments?page=2>; rel=\"next\", <https://api.github.com/x?page=5>; rel=\"last\""}"#,
    );
    assert!(is_exchange(&view));
    let (found, body) = exchange(&view, 3).expect("an exchange");
    assert_eq!((found.method.as_str(), found.status, found.position), ("GET", 200, 7));
    assert_eq!(found.date.map(|date| date.to_string()), Some("2022-04-08T17:54:33Z".to_owned()));
    assert_eq!((found.date_fault, found.headers_kept, found.throttled), (false, true, false));
    assert_eq!(found.etag.as_deref(), Some("W/\"a\""));
    let link = found.link.expect("a Link header");
    assert_eq!((Links::page(link.next.as_ref()), Links::page(link.last.as_ref())), (Some(2), Some(5)));
    assert_eq!((Links::page(link.prev.as_ref()), link.first), (None, None));
    assert_eq!(body, Body::Json(&Json::Array(Vec::new())));

    let (bare, body) =
        exchange(&line("GET", "u", 200, r#","headers":{}"#), 3).map(|(e, b)| (e, b == Body::Absent)).expect("one");
    assert_eq!((bare.position, bare.date, bare.date_fault, bare.headers_kept, body), (3, None, false, false, true));
}

#[test]
fn a_date_that_is_none_is_a_finding() {
    for date in ["Fri, 01 Nov 2019 13-36-03 GMT", "{{now}}", "2022-04-08T17:54:33Z", ""] {
        let view = line("GET", "u", 200, &format!(r#","headers":{{"date":"{date}"}}"#));
        let (found, _) = exchange(&view, 0).expect("an exchange");
        assert_eq!((found.date, found.date_fault), (None, true), "{date}");
    }
}

#[test]
fn bodies_come_in_three_spellings() {
    let body = |rest: &str| {
        let view = line("GET", "u", 200, rest);
        exchange(&view, 0).map(|(_, body)| match body {
            Body::Json(json) => format!("{json:?}"),
            Body::Text(text) => text.to_owned(),
            Body::Bytes(bytes) => String::from_utf8(bytes).expect("text in this test"),
            Body::Absent => "absent".to_owned(),
        })
    };
    assert_eq!(body(r#","body_text":"<html>""#), Ok("<html>".to_owned()));
    for (coded, plain) in
        [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Pz8/Pj4+", "???>>>")]
    {
        assert_eq!(body(&format!(r#","body_b64":"{coded}""#)), Ok(plain.to_owned()));
    }
    for wrong in ["Zg=", "Zg", "Zh==", "Zm9=", "Z===", "====", "Zm9v\\n", "Zm-v", "=Zm9", "Zg==Zg=="] {
        assert_eq!(body(&format!(r#","body_b64":"{wrong}""#)), Err(NotAnExchange::Base64), "{wrong}");
    }
    assert_eq!(body(r#","body_b64":"Zg==","body":1"#), Err(NotAnExchange::Member("body")));
    assert_eq!(body(r#","body_text":1"#), Err(NotAnExchange::Member("body_text")));
    for status in [0, 99, 1000] {
        let view = line("GET", "u", status, r#","body":null"#);
        assert_eq!(exchange(&view, 0), Err(NotAnExchange::Member("status")));
    }
    assert!(!is_exchange(&vector("pull")) && !is_exchange(&line("GET", "u", 200, "")));
}

#[test]
fn a_request_log_is_a_list_of_files() {
    let log = parse(
        r#"[{"file":"a.json","url":"https://api.github.com/user","status":200,"headers":{}},{"file":"b","url":"u","status":404}]"#,
    );
    let read = |log: &Json<'_>| request_log(log).expect("a log");
    let found: Vec<_> = read(&log).into_iter().map(|entry| entry.expect("an entry")).collect();
    assert_eq!(found.iter().map(|entry| entry.file.as_str()).collect::<Vec<_>>(), ["a.json", "b"]);
    assert_eq!(found.iter().map(|entry| entry.exchange.position).collect::<Vec<_>>(), [0, 1]);
    assert!(found.iter().all(|entry| entry.exchange.method == "GET"));
    let log = parse(
        r#"[{"file":"a","url":"u"},{"url":"u","status":200},{"file":"a","status":200},7,{"file":"a","url":"u","status":"200"},{"file":"a","url":"u","status":200}]"#,
    );
    let faults = ["status", "file", "url", "file", "status"].map(|name| Some(NotAnExchange::Member(name)));
    let found: Vec<_> = read(&log).into_iter().map(Result::err).collect();
    assert_eq!((&found[..5], &found[5..]), (&faults[..], &[None][..]), "one bad entry is one fault");
    for other in ["[]", "{}", "[{}]", r#"[{"file":"a"},{"url":"u","status":200}]"#] {
        assert_eq!(request_log(&parse(other)), None, "{other}");
    }
    assert_eq!(request_log(&vector("comments")), None);
}

#[test]
fn a_link_header_is_read_loosely_and_never_guessed_at() {
    let next = |value: &str| Links::parse(value).next;
    assert_eq!(next("<a,b;c>; foo=\"x\"; rel=next"), Some("a,b;c".to_owned()));
    assert_eq!(next("<p>; rel=prev, <n>; rel=\"last next\""), Some("n".to_owned()));
    assert_eq!(next("<1>; rel=next, <2>; rel=next"), Some("1".to_owned()));
    for nothing in ["", "<", "<a", "a; rel=next", "<a>; rev=next", "<a>"] {
        assert_eq!(Links::parse(nothing), Links::default(), "{nothing}");
    }
}

/// What an answer is, in a word or two.
fn told(method: &str, path: &str, status: u16, rest: &str) -> String {
    let url = format!("https://api.github.com{path}");
    let view = line(method, &url, status, rest);
    let (exchange, body) = exchange(&view, 0).expect("an exchange");
    let request = Request::parse(&url).expect("a URL");
    let body = if let Body::Json(body) = body { Some(body) } else { None };
    match answer(&exchange, &Hints { url: Some(&request), ..Hints::default() }, body) {
        Answer::Payload => "payload".to_owned(),
        Answer::Aside(reason) => reason.code().to_owned(),
        Answer::Absent(absence) => {
            let subject = match absence.subject {
                SubjectHint::Known(subject) => subject.to_string(),
                SubjectHint::ByRepositoryId { id, number, .. } => format!("#{id} {number:?}"),
                SubjectHint::AtHead { sha, .. } => sha,
                SubjectHint::OfItem { .. } => absence.item.unwrap_or_default(),
            };
            format!("{subject} {} {}", absence.facet.name(), absence.status)
        }
    }
}

#[test]
fn only_a_get_with_200_is_data() {
    let none = r#","headers":{}"#;
    let thread = "github:github.com/acme/web/thread/42";
    let cases = [
        ("GET", "/repos/acme/web/pulls/42", 200, "payload".to_owned()),
        ("POST", "/repos/acme/web/issues/42/comments", 201, "write".to_owned()),
        ("DELETE", "/repos/acme/web/issues/comments/1", 404, "write".to_owned()),
        ("GET", "/repos/acme/web/pulls/42", 304, "not-modified".to_owned()),
        ("GET", "/repos/acme/web/pulls/42", 301, "redirect".to_owned()),
        ("GET", "/repos/acme/web/pulls/42", 204, "no-content".to_owned()),
        ("GET", "/repos/acme/web/pulls/42", 404, format!("{thread} header 404")),
        ("GET", "/repos/acme/web/issues/42", 410, format!("{thread} header 410")),
        ("GET", "/repos/acme/web/pulls/42/files?page=1", 502, format!("{thread} files 502")),
        // A further page does not make the pages before it gone.
        ("GET", "/repos/acme/web/pulls/42/files?page=3", 502, "facet-unsupported".to_owned()),
        ("GET", "/repositories/9/pulls/42/reviews?page=2", 403, "facet-unsupported".to_owned()),
        ("GET", "/repos/acme/web", 451, "github:github.com/acme/web header 451".to_owned()),
        ("GET", "/users/mona", 404, "github:github.com/@mona header 404".to_owned()),
        ("GET", "/repositories/9/pulls/42/reviews", 403, "#9 Some(42) reviews 403".to_owned()),
        ("GET", "/repos/acme/web/pulls/comments/9/reactions", 404, "review-comments/9 reactions 404".to_owned()),
        // One comment that is gone does not make the conversation gone.
        ("GET", "/repos/acme/web/issues/comments/9", 404, "facet-unsupported".to_owned()),
        ("GET", "/repos/acme/web/pulls/42/reactions", 404, "facet-unsupported".to_owned()),
        ("GET", "/repos/acme/web/commits/main/check-runs", 403, "entity-ambiguous".to_owned()),
    ];
    for (method, path, status, expected) in cases {
        assert_eq!(told(method, path, status, none), expected, "{method} {path} {status}");
    }
}

#[test]
fn being_asked_too_often_is_not_being_forbidden() {
    let path = "/repos/acme/web/pulls/42";
    for limited in [
        r#","headers":{"Retry-After":"30"}"#,
        r#","headers":{"x-ratelimit-remaining":"0"}"#,
        r#","body":{"message":"You have exceeded a secondary rate limit."}"#,
    ] {
        assert_eq!(told("GET", path, 403, limited), "github:github.com/acme/web/thread/42 header 429");
    }
    let forbidden = r#","headers":{"x-ratelimit-remaining":"10"},"body":{"message":"Resource not accessible"}"#;
    assert_eq!(told("GET", path, 403, forbidden), "github:github.com/acme/web/thread/42 header 403");
}

#[test]
fn the_facets_of_a_commit_are_absent_for_the_callers_entity() {
    let url = "https://api.github.com/repos/acme/web/commits/main/check-runs";
    let view = line("GET", url, 404, r#","headers":{}"#);
    let (exchange, _) = exchange(&view, 0).expect("an exchange");
    let subject: Subject = "github:github.com/acme/web/thread/42".parse().expect("an id");
    let request = Request::parse(url).expect("a URL");
    let hints = Hints { url: Some(&request), entity: Some((&subject, None)), ..Hints::default() };
    let Answer::Absent(absence) = answer(&exchange, &hints, None) else { panic!("an absence") };
    assert_eq!(absence.subject, SubjectHint::Known(subject));
    assert_eq!(answer(&exchange, &Hints::default(), None), Answer::Aside(Reason::EntityAmbiguous));
}

#[test]
fn a_link_names_the_repository_by_number() {
    let view = line(
        "GET",
        "https://api.github.com/repos/acme/web/pulls/42/files",
        200,
        r#","body":[],"headers":{"link":"<https://api.github.com/repositories/9001/pulls/42/files?page=2>; rel=\"next\""}"#,
    );
    let (exchange, _) = exchange(&view, 0).expect("an exchange");
    let mut owners = Owners::default();
    let mut request = Request::parse("https://api.github.com/repositories/9001/pulls/42/files?page=2").expect("a URL");
    assert!(!owners.name_repository(&mut request));
    owners.learn_exchange(&exchange);
    assert!(owners.name_repository(&mut request));
    assert_eq!(
        request.target.subject().map(|s| s.to_string()),
        Some("github:github.com/acme/web/thread/42".to_owned())
    );
}
