//! Dumps: one document a thread, written again by a client library or with its lists beside its own members.

use git_docket::forge::dialect::Dialect;
use git_docket::forge::facets::{Field, Item, ReviewComment};
use git_docket::forge::recognise::{Extent, Hints, recognise};
use git_docket::format::facet::Facet;
use git_docket::format::json::{self, Json};

use super::parse;
use crate::support::testdata;

fn dump(name: &str) -> Json<'static> {
    let bytes = std::fs::read(testdata(&format!("dumps/{name}.json"))).expect("a dump");
    json::parse(&bytes).expect("JSON").into_owned()
}

/// `facet items` of each look.
fn counts(view: &Json<'_>) -> Vec<String> {
    let found = recognise(view, &Hints::default());
    assert!(found.left.is_empty(), "{:?}", found.left);
    found.looks.iter().for_each(|look| assert_eq!(look.extent, Extent::Whole, "{look:?}"));
    found.looks.iter().map(|look| format!("{} {}", look.facet.name(), look.items().len())).collect()
}

#[test]
fn an_archive_has_a_timeline_whose_comments_and_reviews_are_whole() {
    let pull = dump("archive/pulls/42");
    assert_eq!(counts(&pull), ["header 0", "timeline 10", "review-comments 3", "comments 3", "reviews 3"]);
    assert_eq!(counts(&dump("archive/issues/7")), ["header 0", "timeline 1", "comments 1"]);
    let looks = recognise(&pull, &Hints::default()).looks;
    assert!(looks.iter().all(|look| look.dialect == Dialect::GithubArchive));
    for look in looks.iter().filter(|look| look.is_set()) {
        for at in look.items() {
            let items = look.dialect.items(look.facet, pull.pointer(at).expect("an item"));
            assert!(matches!(items[..], [Ok(_)]), "{at}: {items:?}");
        }
    }
}

#[test]
fn a_null_that_a_library_may_have_added_is_unknown() {
    let pull = dump("archive/pulls/42");
    let header = Dialect::GithubArchive.header(pull.get("pull").expect("a pull")).expect("a header").value;
    assert_eq!(header.body, Field::Null, "GitHub says null for no body");
    assert_eq!(header.merged_by, Field::Unknown);
    assert_eq!(header.mergeable_state, Field::Unknown);
    let as_rest = Dialect::GithubRest.header(pull.get("pull").expect("a pull")).expect("a header").value;
    assert_eq!(as_rest.merged_by, Field::Null);
    let comment = pull.pointer("/comments/0").expect("a comment");
    let comment = on_diff(comment);
    assert_eq!(comment.place.line, Field::Unknown);
    let gone = parse(r#"{"id":1,"user":null,"body":"b","position":null,"line":null,"created_at":null}"#);
    let gone = on_diff(&gone);
    assert_eq!((gone.place.position, gone.place.line), (Field::Null, Field::Unknown));
}

fn on_diff(value: &Json<'_>) -> ReviewComment {
    let mut items = Dialect::GithubArchive.items(Facet::ReviewComments, value);
    match items.pop().expect("one item").map(|noted| noted.value) {
        Ok(Item::ReviewComment(comment)) => *comment,
        other => panic!("no comment on the diff: {other:?}"),
    }
}

#[test]
fn a_backup_keeps_its_lists_beside_the_members_of_the_thread() {
    let pull = counts(&dump("backup/pulls/42"));
    assert_eq!(pull, ["header 0", "review-comments 3", "comments 3", "commits 2", "reviews 3"]);
    assert_eq!(counts(&dump("backup/issues/7")), ["header 0", "comments 1", "events 1"]);
    let mut torn = dump("backup/issues/7");
    if let Some(Json::Array(list)) = torn.pointer_mut("/comment_data") {
        list.push(parse(r#"{"message":"Not Found"}"#));
    }
    let found = recognise(&torn, &Hints::default());
    let left: Vec<_> = found.left.iter().map(|left| format!("{} {}", left.pointer, left.reason.code())).collect();
    assert_eq!(left, ["/comment_data/1 shape-unknown"]);
}

fn shown(view: &Json<'_>) -> (Vec<String>, Vec<String>) {
    let found = recognise(view, &Hints::default());
    let looks =
        found.looks.iter().map(|look| format!("{} {:?} {}", look.facet.name(), look.extent, look.items().len()));
    let left = found.left.iter().map(|left| format!("{} {}", left.pointer, left.reason.code()));
    (looks.collect(), left.collect())
}

fn set(view: &mut Json<'static>, at: &str, value: Json<'static>) {
    let (above, name) = at.rsplit_once('/').expect("a member");
    match view.pointer_mut(above) {
        Some(Json::Object(object)) => {
            object.set(name.to_owned(), value);
        }
        Some(Json::Array(list)) => list.push(value),
        other => panic!("{above}: {other:?}"),
    }
}

#[test]
fn a_pull_request_among_issues_has_comments_of_the_conversation() {
    let mut issue = dump("backup/issues/7");
    set(&mut issue, "/pull_request", parse(r#"{"url":"https://api.github.com/repos/acme/web/pulls/7"}"#));
    assert_eq!(counts(&issue), ["header 0", "comments 1", "events 1"]);
    // A comment is what it is, whatever list it stands in.
    let mut pull = dump("backup/pulls/42");
    let talk = pull.pointer("/comment_regular_data/0").expect("a comment").clone();
    set(&mut pull, "/comment_data/-", talk);
    let (looks, left) = shown(&pull);
    assert!(
        looks.contains(&"review-comments Whole 3".to_owned()) && looks.contains(&"comments Part 1".to_owned()),
        "{looks:?}"
    );
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn one_odd_entry_of_an_archive_turns_no_other() {
    let whole =
        ["header Whole 0", "timeline Whole 10", "review-comments Whole 3", "comments Whole 3", "reviews Whole 3"];
    assert_eq!(shown(&dump("archive/pulls/42")).0, whole);
    let mut bare = dump("archive/pulls/42");
    let at = "https://api.github.com/repos/acme/web/pulls/42";
    set(
        &mut bare,
        "/comments/-",
        parse(&format!(r#"{{"id":9,"user":null,"body":"b","path":"a","pull_request_url":"{at}"}}"#)),
    );
    assert!(shown(&bare).0.contains(&"review-comments Whole 4".to_owned()), "{:?}", shown(&bare));
    let mut null = dump("archive/pulls/42");
    set(&mut null, "/comments/-", Json::Null);
    let (looks, left) = shown(&null);
    assert_eq!(left, ["/comments/3 shape-unknown"]);
    assert!(looks.contains(&"review-comments Lacking 3".to_owned()), "{looks:?}");
    assert!(looks.contains(&"comments Whole 3".to_owned()), "{looks:?}");
    let mut talk = dump("archive/pulls/42");
    set(&mut talk, "/comments/-", parse(r#"{"id":9,"user":null,"body":"b"}"#));
    let (looks, left) = shown(&talk);
    assert!(left.is_empty(), "{left:?}");
    for look in ["review-comments Whole 3", "comments Whole 3", "comments Part 1"] {
        assert!(looks.contains(&look.to_owned()), "{look}: {looks:?}");
    }
}

#[test]
fn an_archive_may_lack_its_lists_and_have_both_threads() {
    let mut both = dump("archive/pulls/42");
    let mut issue = both.pointer("/pull").expect("a pull").clone();
    set(&mut issue, "/url", parse(r#""https://api.github.com/repos/acme/web/issues/42""#));
    set(&mut both, "/issue", issue);
    let (looks, left) = shown(&both);
    assert_eq!(looks.iter().filter(|look| look.starts_with("header")).count(), 2, "{looks:?}");
    assert!(looks.contains(&"reviews Whole 3".to_owned()) && left.is_empty(), "{looks:?} {left:?}");
    let mut bare = dump("archive/pulls/42");
    set(&mut bare, "/events", Json::Null);
    set(&mut bare, "/comments", Json::Null);
    assert_eq!(shown(&bare), (vec!["header Whole 0".to_owned()], vec![]));
    set(&mut bare, "/events", parse(r#""x""#));
    assert_eq!(shown(&bare), (vec!["header Whole 0".to_owned()], vec!["/events shape-unknown".to_owned()]));
}

#[test]
fn many_threads_in_one_list_stay_apart() {
    let list = Json::Array(vec![dump("archive/pulls/42"), dump("backup/issues/7")]);
    let found = recognise(&list, &Hints::default());
    let told: Vec<_> = found.looks.iter().map(|look| (look.facet, look.dialect, look.items().len())).collect();
    assert_eq!(told.len(), 8, "{told:?}");
    assert_eq!(told[5], (Facet::Header, Dialect::GithubRest, 0));
    assert_eq!(found.looks[6].items(), ["/1/comment_data/0"]);
}

#[test]
fn what_only_looks_like_a_dump_is_none() {
    let foreign = parse(
        r#"{"issue":{"number":1,"title":"t","state":"open","url":"https://x.example/api/v1/repos/a/b/issues/1"},"events":[]}"#,
    );
    let left = recognise(&foreign, &Hints::default()).left;
    assert_eq!(left[0].reason.code(), "dialect-unsupported");
    let empty = parse(r#"{"issue":{"number":1},"events":[]}"#);
    assert_eq!(recognise(&empty, &Hints::default()).left[0].reason.code(), "shape-unknown");
}
