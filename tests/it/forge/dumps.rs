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
        Ok(Item::ReviewComment(comment)) => comment,
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
