//! Members of another type than the forge documents: unknown and noted, never a fact.

use git_docket::format::time::Time;
use std::collections::BTreeSet;

use git_docket::forge::dialect::Dialect;
use git_docket::forge::facets::{Field, InvalidMetadata, Item, Noted};
use git_docket::forge::github;
use git_docket::format::facet::Facet;
use git_docket::format::json::{self, Json, Object};

use super::{parse, vector};
use crate::support::testdata;

/// The vectors of each facet, and where their items are.
const SETS: [(&str, &str, Facet); 11] = [
    ("comments", "", Facet::Comments),
    ("reviews", "", Facet::Reviews),
    ("review_comments", "", Facet::ReviewComments),
    ("check_runs", "/check_runs", Facet::Checks),
    ("statuses", "", Facet::Statuses),
    ("files", "", Facet::Files),
    ("commits", "", Facet::Commits),
    ("timeline", "", Facet::Timeline),
    ("events", "", Facet::Events),
    ("labels", "", Facet::Labels),
    ("reactions", "", Facet::Reactions),
];

/// The pointers to everything below a value.
fn pointers(value: &Json<'_>, at: &str, out: &mut Vec<String>) {
    let children: Vec<(String, &Json<'_>)> = match value {
        Json::Object(object) => object.iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        Json::Array(items) => items.iter().enumerate().map(|(n, value)| (n.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        let at = format!("{at}/{name}");
        pointers(child, &at, out);
        out.push(at);
    }
}

/// Puts something of another type in each place of a payload: what the normal form says then is the same, or it is noted
/// that the member cannot be read, or there is no normal form at all.
fn check<T: PartialEq + std::fmt::Debug>(
    payload: &Json<'static>,
    read: impl Fn(&Json<'_>) -> Result<Noted<T>, InvalidMetadata>,
) -> usize {
    let Ok(right) = read(payload) else { panic!("a vector is read") };
    // A vector with a word that no table lists has its own test.
    if !right.odd.is_empty() {
        return 0;
    }
    let mut places = Vec::new();
    pointers(payload, "", &mut places);
    let mut noted = 0;
    for place in &places {
        for wrong in [Json::Bool(true), Json::from(7_u64), Json::from("x\u{0}"), Json::Array(Vec::new()), object()] {
            let mut damaged = payload.clone();
            let there = damaged.pointer_mut(place).expect("the place is there");
            let is_label = place.starts_with("/labels/") && wrong.as_str().is_some();
            if std::mem::discriminant(there) == std::mem::discriminant(&wrong) || is_label {
                continue;
            }
            let says_null = there.is_null();
            *there = wrong.clone();
            let Ok(found) = read(&damaged) else { continue };
            let top = place.split('/').nth(1).expect("a member");
            if found.value != right.value && !says_null {
                assert!(found.odd.contains(&top), "{place} is {wrong:?}: {found:?}");
            }
            noted += usize::from(!found.odd.is_empty());
        }
    }
    noted
}

fn object() -> Json<'static> {
    let mut object = Object::new();
    object.set("x", true);
    Json::Object(object)
}

#[test]
fn another_type_changes_nothing_without_being_noted() {
    for name in ["pull", "issue", "as_issue"] {
        assert!(check(&vector(name), github::header) > 20, "{name}");
    }
    for (name, below, facet) in SETS {
        let vector = vector(name);
        let items = vector.pointer(below).and_then(Json::as_array).expect("a list");
        for item in items.iter().filter(|item| item.as_object().is_some()) {
            check(item, |value| github::item(facet, value));
        }
    }
}

/// Our recorded threads of the other forges: the files, where their items are, and what they are of.
const OTHERS: [(&str, &str, &str, Facet); 19] = [
    ("gitlab-mr-7", "merge_request", "", Facet::Header),
    ("gitlab-mr-7", "approvals", "", Facet::Header),
    ("gitlab-mr-7", "changes", "/changes", Facet::Files),
    ("gitlab-mr-7", "commits", "", Facet::Commits),
    ("gitlab-mr-7", "discussions", "notes", Facet::ReviewComments),
    ("gitlab-mr-7", "discussions", "notes", Facet::Comments),
    ("gitlab-mr-7", "discussions", "notes", Facet::Timeline),
    ("gitlab-mr-7", "note_emoji", "", Facet::Reactions),
    ("gitlab-mr-7", "jobs", "", Facet::Checks),
    ("gitlab-mr-7", "pipelines", "", Facet::Checks),
    ("gitlab-mr-7", "label_events", "", Facet::Timeline),
    ("gitlab-mr-7", "state_events", "", Facet::Timeline),
    ("forgejo-pull-3", "pull", "", Facet::Header),
    ("forgejo-pull-3", "comments", "", Facet::Comments),
    ("forgejo-pull-3", "files", "", Facet::Files),
    ("forgejo-pull-3", "review_comments", "", Facet::ReviewComments),
    ("forgejo-pull-3", "reviews", "", Facet::Reviews),
    ("forgejo-pull-3", "statuses", "", Facet::Statuses),
    ("forgejo-pull-3", "timeline", "", Facet::Timeline),
];

#[test]
fn the_same_holds_for_gitlab_and_for_gitea() {
    for (thread, name, below, facet) in OTHERS {
        let dialect = if thread.starts_with("gitlab") { Dialect::GitlabRest } else { Dialect::GiteaRest };
        let bytes = std::fs::read(testdata(&format!("threads/{thread}/{name}.json"))).expect("a file");
        let view = json::parse(&bytes).expect("JSON").into_owned();
        if facet == Facet::Header {
            let noted = check(&view, |value| dialect.header(value));
            assert!(noted > 20 || name == "approvals" && noted > 5, "{thread}/{name}: {noted}");
            continue;
        }
        let list = view.pointer(below.strip_prefix("notes").unwrap_or(below)).and_then(Json::as_array).expect("a list");
        let notes: Vec<_> = list.iter().filter_map(|item| item.get("notes")?.as_array()).flatten().collect();
        let items: Vec<_> = if below == "notes" { notes } else { list.iter().collect() };
        let mut noted = 0;
        for item in items {
            let read =
                |value: &Json<'_>| dialect.items(facet, value).pop().unwrap_or(Err(InvalidMetadata { member: "none" }));
            // Notes of other facets, requests for a review, and what no table lists.
            if read(item).is_ok_and(|read| read.odd.is_empty()) {
                noted += check(&item.clone().into_owned(), read);
            }
        }
        assert!(noted > 0, "{thread}/{name} {}", facet.name());
    }
}

#[test]
fn an_account_that_cannot_be_read_is_not_one_that_is_gone() {
    let author = |user: &str| {
        let text = format!(r#"{{"id":1,"body":"x"{user}}}"#);
        let read = github::item(Facet::Comments, &parse(&text)).expect("a comment");
        let Item::Comment(comment) = read.value else { panic!("a comment") };
        (comment.author, read.odd)
    };
    assert_eq!(author(r#","user":null"#), (Field::Null, vec![]));
    assert_eq!(author(""), (Field::Unknown, vec![]));
    for user in ["7", "[]", "\"octocat\"", "{}", r#"{"login":""}"#, r#"{"login":["a"]}"#] {
        assert_eq!(author(&format!(r#","user":{user}"#)), (Field::Unknown, vec!["user"]), "{user}");
    }
    let (account, odd) = author(r#","user":{"login":"kit","id":"7"}"#);
    assert_eq!(
        (account.known().map(|account| (account.login.as_str(), account.id)), odd),
        (Some(("kit", None)), vec!["user"])
    );
}

#[test]
fn words_and_times_are_noted_too() {
    let odd =
        |facet, text: &str| github::item(facet, &parse(text)).map(|read| read.odd.into_iter().collect::<BTreeSet<_>>());
    let of = |names: &[&'static str]| Ok(names.iter().copied().collect());
    let comment = r#"{"id":1,"created_at":"yesterday","updated_at":"2026-13-01T00:00:00Z","author_association":9}"#;
    assert_eq!(odd(Facet::Comments, comment), of(&["author_association", "created_at", "updated_at"]));
    assert_eq!(odd(Facet::Reviews, r#"{"id":1,"state":"MAYBE"}"#), of(&["state"]));
    assert_eq!(odd(Facet::Reviews, r#"{"id":1}"#), of(&["state"]));
    assert_eq!(odd(Facet::Checks, r#"{"id":1,"name":"ci","status":"completed","conclusion":null}"#), of(&["status"]));
    assert_eq!(odd(Facet::Checks, r#"{"id":1,"name":"ci","status":"queued","conclusion":null}"#), of(&[]));
    assert_eq!(odd(Facet::Statuses, r#"{"id":1,"context":"ci","state":"green"}"#), of(&["state"]));
    assert_eq!(odd(Facet::Files, r#"{"filename":"a","status":"renamed"}"#), of(&["previous_filename"]));
    assert_eq!(
        odd(Facet::ReviewComments, r#"{"id":1,"side":"UP","subject_type":"book"}"#),
        of(&["side", "subject_type"])
    );
}

#[test]
fn no_line_says_nothing_of_a_comment_whose_subject_cannot_be_read() {
    let line = |subject: &str| {
        let text = format!(r#"{{"id":1,"line":null,"position":null{subject}}}"#);
        let Ok(Noted { value: Item::ReviewComment(comment), .. }) = github::item(Facet::ReviewComments, &parse(&text))
        else {
            panic!("a comment on the diff")
        };
        comment.place.line
    };
    assert_eq!(line(""), Field::Null);
    assert_eq!(line(r#","subject_type":"line""#), Field::Null);
    assert_eq!(line(r#","subject_type":7"#), Field::Unknown);
}

/// An offset takes a time out of the years that RFC 3339 writes: then it is none.
#[test]
fn a_time_that_cannot_be_written_is_none() {
    for text in [
        "0000-01-01T00:00:00+23:59",
        "0000-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "-000001-01-01T00:00:00Z",
    ] {
        assert!(text.parse::<Time>().is_err(), "{text}");
    }
    let first: Time = "0000-01-01T00:00:00Z".parse().expect("a time");
    assert_eq!((first.to_string().as_str(), first.file_stamp().as_str()), ("0000-01-01T00:00:00Z", "00000101T000000Z"));
    assert_eq!(Time::from_unix(first.unix() - 1), None);
}
