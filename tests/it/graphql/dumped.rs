//! Dumps of repositories as their writer makes them: five labels at most, comments without ids, some without authors.

use git_docket::forge::url::Request;
use git_docket::format::entity::{Forge, Repository, Subject};

use super::*;

const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
const SECOND: &str = "2026-01-01T11:00:00Z";

fn archived(labels: &[&str], comments: Value) -> Value {
    value!({"repo": "acme/web", "labels": [], "pulls": [], "issues": [{"number": 7, "title": "Broken", "state": "OPEN",
        "url": "https://github.com/acme/web/issues/7", "author": "alice", "assignees": labels, "labels": labels,
        "body": "It broke", "createdAt": "2026-01-01T10:00:00Z", "updatedAt": "2026-01-02T10:00:00Z", "comments": comments}]})
}

fn by(author: Option<&str>, at: &str, body: &str) -> Value {
    value!({"author": author, "authorAssociation": "NONE", "body": body, "createdAt": at, "updatedAt": at})
}

/// The issue of REST with all labels, and comments that are numbered from 1.
fn rest(dir: &Path, comments: &[Value]) {
    let account = |login: &Value| if login.is_null() { Value::Null } else { value!({"login": login, "id": 9}) };
    let labels: Vec<_> = NAMES.iter().zip(70..).map(|(name, id)| value!({"name": name, "id": id})).collect();
    let assignees: Vec<_> = NAMES.iter().zip(90..).map(|(login, id)| value!({"login": login, "id": id})).collect();
    let issue = value!({"number": 7, "id": 700, "title": "Broken", "state": "open", "body": "It broke",
        "url": "https://api.github.com/repos/acme/web/issues/7", "user": {"login": "alice", "id": 8}, "labels": labels, "assignees": assignees,
        "comments": comments.len(), "created_at": "2026-01-01T10:00:00Z", "updated_at": "2026-01-02T10:00:00Z"});
    let numbered = |(at, told): (usize, &Value)| {
        value!({"id": at + 1, "user": account(&told["author"]), "body": told["body"], "created_at": told["createdAt"],
            "updated_at": told["updatedAt"], "author_association": "NONE",
            "issue_url": "https://api.github.com/repos/acme/web/issues/7",
            "url": format!("https://api.github.com/repos/acme/web/issues/comments/{}", at + 1)})
    };
    let list: Value = comments.iter().enumerate().map(numbered).collect();
    std::fs::create_dir_all(dir).expect("a directory");
    std::fs::write(dir.join("issue.json"), issue.to_string()).expect("written");
    std::fs::write(dir.join("comments.json"), list.to_string()).expect("written");
}

/// Snapshots after each of the looks; the changes between the last two of them, and the last index.
fn folded(dir: &Path, looks: &[&str]) -> (Vec<Value>, Value) {
    let store = looks.join("-");
    done(dir, &["init", &store]);
    for (at, look) in looks.iter().enumerate() {
        let time = format!("2026-02-0{}T00:00:00Z", at + 1);
        let args = ["--store", &store, "observe", "--observed-at", &time, "--entity", "acme/web#7", look];
        done(dir, &args);
        done(dir, &["--store", &store, "snapshot", "--out", &format!("{store}.{at}")]);
    }
    let last = looks.len() - 1;
    let diff = done(dir, &["diff", &format!("{store}.{}", last - 1), &format!("{store}.{last}")]);
    let files = crate::support::files(&dir.join(format!("{store}.{last}")));
    let is_entity = |bytes: &Vec<u8>| {
        let index: Value = serde_json::from_slice(bytes).ok()?;
        index.get("coverage").is_some().then_some(index)
    };
    let index = files.iter().filter(|(path, _)| path.ends_with("index.json")).find_map(|(_, bytes)| is_entity(bytes));
    (diff["changes"].as_array().expect("changes").clone(), index.expect("an index"))
}

fn words(changes: &[Value]) -> Vec<&str> {
    changes.iter().filter_map(|change| change["change"].as_str()).collect()
}

#[test]
fn five_names_are_as_many_as_were_asked_for() {
    let dir = scratch();
    rest(&dir.path().join("rest"), &[]);
    for (name, labels) in [("five", &NAMES[..5]), ("three", &NAMES[..3])] {
        std::fs::write(dir.path().join(name), archived(labels, value!([])).to_string()).expect("written");
    }
    let (changes, index) = folded(dir.path(), &["rest", "five"]);
    assert!(!words(&changes).iter().any(|word| word.contains("label") || word.contains("assign")), "{changes:?}");
    assert_eq!(index["coverage"]["labels"]["items"], 7, "{index}");
    let (changes, _) = folded(dir.path(), &["rest", "three"]);
    assert_eq!(words(&changes).iter().filter(|word| **word == "label-removed").count(), 4, "{changes:?}");
    let names = |labels: &[&str]| header(archived(labels, value!([]))["issues"][0].clone());
    assert_eq!((names(&NAMES[..5]).labels, names(&NAMES[..5]).assignees), (Field::Unknown, Field::Unknown));
    assert_eq!(names(&NAMES[..4]).labels.known().map(Vec::len), Some(4));
    assert_eq!(names(&[]).assignees.known().map(Vec::len), Some(0));
    let (_, alone) = folded(dir.path(), &["five", "five"]);
    assert_ne!(alone["coverage"]["labels"]["state"], "complete", "{alone}");
    assert_eq!(alone["coverage"]["labels"]["items"], 5, "{alone}");
}

#[test]
fn two_comments_of_one_second_are_two() {
    let dir = scratch();
    let ghosts = "2026-01-01T12:00:00Z";
    let all = [
        by(Some("bob"), SECOND, "one"),
        by(Some("bob"), SECOND, "two"),
        by(None, ghosts, "ghost one"),
        by(None, ghosts, "ghost two"),
    ];
    rest(&dir.path().join("rest"), &all);
    let mut moved = all.clone();
    moved.swap(0, 1);
    let mut edited = all.clone();
    edited[1]["body"] = "two, edited".into();
    let mut nobody = all.clone();
    nobody
        .iter_mut()
        .for_each(|comment| comment.as_object_mut().expect("an object").retain(|name, _| !name.starts_with("author")));
    for (name, list) in [("all", &all), ("moved", &moved), ("edited", &edited), ("nobody", &nobody)] {
        let archive = archived(&[], list.iter().cloned().collect());
        std::fs::write(dir.path().join(name), archive.to_string()).expect("written");
        for looks in [[name, "rest"], ["rest", name]] {
            let (changes, index) = folded(dir.path(), &looks);
            let lost = ["comment-deleted", "comment-added", "item-absent"];
            let words = words(&changes);
            assert!(!words.iter().any(|word| lost.contains(word)), "{looks:?}: {changes:?}");
            let edits = words.iter().filter(|word| **word == "comment-edited").count();
            assert!(edits <= usize::from(name == "edited"), "{looks:?}: {changes:?}");
            assert_eq!(index["coverage"]["comments"]["items"], 4, "{looks:?}: {index}");
            assert_eq!(index["coverage"]["comments"]["state"], "complete", "{looks:?}: {index}");
            assert_eq!(index["tombstones"], value!([]), "{looks:?}: {index}");
        }
    }
    let (changes, index) = folded(dir.path(), &["all", "nobody"]);
    assert!(!words(&changes).iter().any(|word| word.starts_with("comment")), "{changes:?}");
    assert_eq!(index["coverage"]["comments"]["items"], 4, "{index}");
}

#[test]
fn a_comment_in_a_review_is_of_its_author() {
    let inline = |at: &str, body: &str| value!({"originalPosition": 3, "body": body, "createdAt": at, "updatedAt": at});
    let review = value!({"id": "MDE3OlB1bGxSZXF1ZXN0UmV2aWV3OTAw", "author": "bob", "authorAssociation": "MEMBER",
        "state": "COMMENTED", "body": "see below", "comments": [inline(SECOND, "first"), inline(SECOND, "second")]});
    let node = value!({"number": 42, "url": "https://github.com/acme/web/pull/42", "title": "t", "reviews": [review]});
    let found = seen(&node);
    let look = found.looks.iter().find(|look| look.facet == Facet::ReviewComments).expect("comments on the diff");
    assert_eq!((look.items(), look.extent), (&["/reviews/0".to_owned()][..], Extent::Part));
    let items = Dialect::GithubGraphql.items(Facet::ReviewComments, &parse(&review));
    assert_eq!(items.len(), 2);
    for item in items {
        let Item::ReviewComment(comment) = item.expect("a comment").value else { panic!("no comment on the diff") };
        assert_eq!(comment.comment.author.known().map(|author| author.login.as_str()), Some("bob"));
        assert_eq!(comment.review, Some(Id::Number(900)));
    }
    let dir = scratch();
    std::fs::write(dir.path().join("pull.json"), node.to_string()).expect("written");
    done(dir.path(), &["init", "store"]);
    done(dir.path(), &["--store", "store", "observe", "--observed-at", "2026-02-01T00:00:00Z", "pull.json"]);
    done(dir.path(), &["--store", "store", "snapshot", "--out", "tree"]);
    let all: String = crate::support::files(&dir.path().join("tree"))
        .into_values()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    assert!(all.contains("first") && all.contains("second") && !all.contains("invalid-metadata"), "{all}");
}

#[test]
fn a_text_of_nobody_known_is_one() {
    let told = item(Facet::Comments, value!({"body": "x", "createdAt": SECOND}));
    let Item::Comment(comment) = told else { panic!("no comment") };
    assert_eq!((comment.author, comment.id.to_string()), (Field::Unknown, format!("@{SECOND}")));
    let node = parse(&value!({"body": "x"}));
    assert!(Dialect::GithubGraphql.items(Facet::Comments, &node)[0].is_err(), "without a time it has no name");
}

fn told(of: &str, kind: Option<Kind>, payload: &Value) -> Recognised {
    let forge = if of.starts_with("gitlab") { Forge::GitLab } else { Forge::GitHub };
    let repository = Repository::new(forge, of, "acme/web").expect("a repository");
    let subject = Subject::Thread { repository, number: 42 };
    let view = parse(payload);
    recognise(&view, &Hints { entity: Some((&subject, kind)), ..Hints::default() })
}

#[test]
fn any_member_of_a_node_is_filed_or_left() {
    for (name, member) in [
        ("isDraft", value!(true)),
        ("mergedAt", Value::Null),
        ("additions", value!(2)),
        ("headRefOid", value!("a")),
        ("mergeStateStatus", value!("CLEAN")),
        ("stateReason", Value::Null),
        ("reviewDecision", value!("APPROVED")),
        ("locked", value!(false)),
        ("authorAssociation", value!("NONE")),
    ] {
        let node = value!({"number": 42, "baseRefName": "main", name: member});
        let own = value!({"number": 42, "isDraft": false, name: node[name]});
        for node in [node, own] {
            let found = told("github.com", None, &node);
            assert_eq!(lines(&found), ["header Whole github:github.com/acme/web/thread/42 0"], "{node}");
            assert!(found.left.is_empty(), "{node}");
        }
        let found = seen(&value!({"isDraft": false, name: member}));
        assert_eq!(found.left.len(), 1, "{name}");
        assert_eq!(found.left[0].reason, Reason::EntityAmbiguous, "{name}");
        let answer = value!({"data": {"repository": {"pullRequest": {name: member}}}});
        assert_eq!(
            lines(&told("github.com", None, &answer)),
            ["header Whole github:github.com/acme/web/thread/42 0"],
            "{name}"
        );
    }
    let counted =
        told("github.com", None, &value!({"data": {"repository": {"issue": {"comments": {"totalCount": 3}}}}}));
    assert_eq!(lines(&counted), ["header Whole github:github.com/acme/web/thread/42 0"]);
    // A page of a set is no look at the rest.
    let page = told(
        "github.com",
        None,
        &value!({"data": {"repository": {"issue": {"comments": {"totalCount": 0, "nodes": []}}}}}),
    );
    assert_eq!(lines(&page), ["comments Proved github:github.com/acme/web/thread/42 0"]);
}

#[test]
fn what_gh_prints_needs_no_more_than_the_word_of_the_caller() {
    let author = value!({"login": "mira", "id": "U_1", "is_bot": false, "name": "Mira"});
    let labels = value!([{"id": "LA_1", "name": "bug", "description": "", "color": "d73a4a"}]);
    for printed in [
        value!({"title": "t", "body": "b"}),
        value!({"number": 42, "title": "t", "body": "b"}),
        value!({"title": "t", "body": "b", "author": {"login": "mira"}, "state": "OPEN"}),
        value!({"title": "t", "body": "b", "author": author, "state": "MERGED"}),
        value!({"title": "t", "labels": labels}),
        value!({"assignees": [author], "milestone": null}),
        value!({"body": "b"}),
    ] {
        let found = told("github.com", Some(Kind::Pull), &printed);
        assert_eq!(lines(&found), ["header Whole github:github.com/acme/web/thread/42 0"], "{printed}");
        assert!(found.left.is_empty(), "{printed}");
        assert!(seen(&printed).looks.is_empty(), "{printed}: nobody says whose it is");
        assert!(told("gitlab.com", None, &printed).looks.is_empty(), "{printed}: gh knows no other forge");
    }
    for other in [
        value!({"title": "t", "state": "open"}),
        value!({"title": "t", "body": null}),
        value!({"title": "t", "body": "b", "draft": true}),
        value!({"title": "t", "user": {"login": "mira"}}),
        value!({"title": "t", "author": {"login": "mira", "html_url": "https://github.com/mira"}}),
        value!({"title": "t", "author": "mira"}),
        value!({"title": "t", "labels": [{"id": 1, "name": "bug"}]}),
        value!({"title": "t", "labels": ["bug"]}),
        value!({"number": 42, "id": "x"}),
        value!({}),
    ] {
        let found = told("github.com", None, &other);
        assert!(found.looks.is_empty() && found.left.len() == 1, "{other}: {found:?}");
    }
    let elsewhere = told("github.com", None, &value!({"number": 43, "title": "t", "body": "b"}));
    assert!(elsewhere.looks.is_empty(), "{elsewhere:?}");
}

#[test]
fn rows_that_gh_lists_are_of_the_repository_that_the_caller_names() {
    let rows = value!([{"number": 1, "title": "a", "body": ""}, {"number": 2, "title": "b", "body": "x"}]);
    let acme = Repository::new(Forge::GitHub, "github.com", "acme/web").expect("a repository");
    let (repository, thread) =
        (Subject::Repository(acme.clone()), Subject::Thread { repository: acme.clone(), number: 2 });
    let by = |subject: &Subject, payload: &Value| {
        recognise(&parse(payload), &Hints { entity: Some((subject, None)), ..Hints::default() })
    };
    let both =
        ["header Whole github:github.com/acme/web/thread/1 0", "header Whole github:github.com/acme/web/thread/2 0"];
    assert_eq!(lines(&by(&repository, &rows)), both);
    assert_eq!(lines(&by(&repository, &rows[0])), both[..1]);
    // What has more members names no more, and what names its repository is there.
    let more = value!([{"number": 1, "title": "a", "createdAt": SECOND}, {"number": 2, "title": "b", "createdAt": SECOND,
        "url": "https://github.com/acme/other/issues/2"}]);
    assert_eq!(lines(&by(&repository, &more))[1], "header Whole github:github.com/acme/other/thread/2 0");
    // The request tells it too.
    let listed = Request::parse("https://github.com/acme/web/issues").expect("an address");
    let found = recognise(&parse(&rows), &Hints { url: Some(&listed), ..Hints::default() });
    assert_eq!(lines(&found), both);
    // Of an issue only its own row is known to be of it.
    let own = by(&thread, &rows);
    assert_eq!(lines(&own), both[1..]);
    assert_eq!(
        own.left.iter().map(|left| (&*left.pointer, left.reason)).collect::<Vec<_>>(),
        [("/0", Reason::EntityAmbiguous)]
    );
    for payload in [&rows, &rows[0]] {
        let found = seen(payload);
        assert!(found.looks.is_empty());
        assert_eq!(
            found.left.iter().map(|left| left.reason).collect::<Vec<_>>(),
            [Reason::EntityAmbiguous],
            "{payload}"
        );
    }
    let other = Subject::Repository(Repository::new(Forge::GitLab, "gitlab.com", "acme/web").expect("a repository"));
    assert!(by(&other, &rows).looks.is_empty(), "gh knows no other forge");
}
