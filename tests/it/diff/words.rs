//! The table of words: one edit of a pull request, and what is said of it.

use git_docket::ops::diff::Kind;
use serde_json::{Value, json};

use super::thing::{BASE, NEW, OLD, Thing, check, commit, item, thread, time};
use super::{compare, lines};

type Edit = fn(&mut Thing);

fn push(list: &mut Value, row: Value) {
    list.as_array_mut().expect("a list").push(row);
}

fn forget(thing: &mut Thing, facet: &str) {
    thing.members["coverage"][facet]["state"] = json!("partial");
}

const TABLE: &[(&str, Edit, &[&str])] = &[
    ("another title", |t| t.header["title"] = json!("B"), &["title-edited header"]),
    ("another body", |t| t.body.as_mut().expect("a body").text.push('!'), &["body-edited header"]),
    (
        "a body that is null now",
        |t| {
            let body = t.body.as_mut().expect("a body");
            (body.text, body.about) = (String::new(), json!({"bodyNull": true}));
        },
        &["body-edited header"],
    ),
    ("a body that is not known now", |t| t.body = None, &["header-changed header body"]),
    (
        "a title, and nothing that is known to be nothing",
        |t| {
            t.header["title"] = json!("B");
            for name in ["mergedBy", "closedBy", "autoMerge", "stateReason", "lockReason"] {
                let header = t.header.as_object_mut().expect("an object");
                match header.remove(name) {
                    Some(_) => {}
                    None => header.insert(name.to_owned(), Value::Null).map_or((), drop),
                }
            }
        },
        &["title-edited header"],
    ),
    ("nothing becomes known", |t| t.header["mergedBy"] = Value::Null, &["header-changed header mergedBy"]),
    (
        "closed: its reason and time go with it",
        |t| {
            t.header["state"] = json!("closed");
            t.header["stateReason"] = json!("completed");
            t.header["closedAt"] = json!(time(10));
        },
        &["state-changed header"],
    ),
    (
        "merged",
        |t| {
            t.header["state"] = json!("merged");
            t.header["merged"] = json!(true);
            t.header["mergeCommit"] = json!(NEW);
        },
        &["state-changed header"],
    ),
    ("another reason alone", |t| t.header["stateReason"] = json!("reopened"), &["header-changed header stateReason"]),
    ("ready for review", |t| t.header["draft"] = json!(false), &["draft-changed header"]),
    ("locked", |t| t.header["locked"] = json!(true), &["locked header"]),
    ("a label more", |t| push(&mut t.header["labels"], json!({"name": "new"})), &["label-added labels new"]),
    ("a label less", |t| t.header["labels"] = json!([{"name": "ui"}]), &["label-removed labels bug"]),
    ("another colour of a label", |t| t.header["labels"][0]["color"] = json!("00ff00"), &["item-changed labels bug"]),
    (
        "labels in another order",
        |t| t.header["labels"].as_array_mut().expect("a list").reverse(),
        &["header-changed header labels"],
    ),
    (
        "labels that are not known now were not removed",
        |t| drop(t.header.as_object_mut().expect("an object").remove("labels")),
        &["header-changed header labels"],
    ),
    (
        "another assignee",
        |t| t.header["assignees"] = json!([{"login": "eve"}]),
        &["assignee-added header eve", "assignee-removed header ada"],
    ),
    ("no milestone", |t| t.header["milestone"] = json!(null), &["milestone-changed header"]),
    (
        "other reviewers",
        |t| {
            t.header["requestedReviewers"] = json!([]);
            push(&mut t.header["requestedTeams"], json!("docs"));
        },
        &["reviewer-requested header docs", "reviewer-unrequested header rita"],
    ),
    ("another base", |t| t.header["base"]["branch"] = json!("next"), &["base-changed header"]),
    ("only the time", |t| t.header["updatedAt"] = json!(time(30)), &["header-changed header updatedAt"]),
    (
        "the time with something else",
        |t| {
            t.header["updatedAt"] = json!(time(30));
            t.members["asOf"] = json!(time(30));
            t.header["title"] = json!("B");
        },
        &["title-edited header"],
    ),
    ("a count alone", |t| t.header["counts"]["comments"] = json!(3), &["header-changed header counts.comments"]),
    (
        "a member known to be nothing alone",
        |t| t.header["autoMerge"] = json!(null),
        &["header-changed header autoMerge"],
    ),
    (
        "a member known to be nothing with something else",
        |t| {
            t.header["autoMerge"] = json!(null);
            t.header["title"] = json!("B");
        },
        &["title-edited header"],
    ),
    ("a member without a word", |t| t.header["mergeable"] = json!(null), &["header-changed header mergeable"]),
    (
        "a comment more, and all that follows",
        |t| {
            t.comments.insert(3, item("Three\n", 3, "ada"));
            t.header["counts"]["comments"] = json!(3);
            t.header["updatedAt"] = json!(time(3));
            t.summary.push_str("3 comments\n");
            push(&mut t.actors, json!({"id": 2, "login": "eve"}));
            t.members["coverage"]["comments"]["items"] = json!(3);
        },
        &["comment-added comments 3"],
    ),
    (
        "another body of a comment",
        |t| t.comments.get_mut(&2).expect("a comment").text.push('!'),
        &["comment-edited comments 2"],
    ),
    ("a comment less", |t| drop(t.comments.remove(&1)), &["comment-deleted comments 1"]),
    (
        "a comment less in a part",
        |t| {
            t.comments.remove(&1);
            forget(t, "comments");
        },
        &["item-absent comments 1", "coverage-changed comments"],
    ),
    (
        "a comment less in a part, and a tombstone",
        |t| {
            t.comments.remove(&1);
            forget(t, "comments");
            push(&mut t.members["tombstones"], json!({"facet": "comments", "id": 1}));
        },
        &["comment-deleted comments 1", "coverage-changed comments"],
    ),
    (
        "a comment that a bound left out",
        |t| {
            t.comments.remove(&1);
            push(&mut t.members["gaps"], json!({"scope": "comments", "code": "profile-bound", "count": 1}));
        },
        &["item-absent comments 1", "gap-added comments profile-bound"],
    ),
    (
        "a thread less, where REST tells no states",
        |t| {
            t.threads = json!([]);
            t.thread_texts.clear();
            push(
                &mut t.members["gaps"],
                json!({"scope": "review-comments", "code": "thread-state-unknown", "count": 1}),
            );
        },
        &["thread-deleted review-comments 11", "gap-added review-comments thread-state-unknown"],
    ),
    (
        "a file less, where another has no patch",
        |t| {
            t.files = json!([]);
            push(&mut t.members["gaps"], json!({"scope": "files", "code": "patch-missing", "count": 1}));
        },
        &["file-removed files src/lib.rs", "gap-added files patch-missing"],
    ),
    (
        "a comment that came and went",
        |t| push(&mut t.members["tombstones"], json!({"facet": "comments", "id": 5})),
        &["comment-deleted comments 5"],
    ),
    (
        "a reply that came and went",
        |t| push(&mut t.members["tombstones"], json!({"facet": "review-comments", "id": 19})),
        &["review-comment-deleted review-comments 19"],
    ),
    (
        "only an ordinal",
        |t| t.comments.get_mut(&2).expect("a comment").about["ordinal"] = json!(1),
        &["file-bytes-changed"],
    ),
    (
        "another name of an author",
        |t| t.comments.get_mut(&2).expect("a comment").about["author"]["login"] = json!("bobby"),
        &["item-changed comments 2"],
    ),
    (
        "a body of a comment that is not known now",
        |t| {
            let comment = t.comments.get_mut(&2).expect("a comment");
            (comment.text, comment.about["bodyUnknown"]) = (String::new(), json!(true));
        },
        &["item-changed comments 2"],
    ),
    ("a review more", |t| drop(t.reviews.insert(8, item("LGTM\n", 8, "ada"))), &["review-added reviews 8"]),
    (
        "a review dismissed",
        |t| t.reviews.get_mut(&7).expect("a review").about["state"] = json!("dismissed"),
        &["review-dismissed reviews 7"],
    ),
    (
        "a review submitted and edited",
        |t| {
            let review = t.reviews.get_mut(&7).expect("a review");
            (review.text, review.about["state"]) = ("Text\n".to_owned(), json!("approved"));
        },
        &["review-edited reviews 7", "review-changed reviews 7"],
    ),
    (
        "a thread more",
        |t| {
            push(&mut t.threads, thread(13, &[13]));
            t.thread_texts.insert(13, "Another\n".to_owned());
        },
        &["thread-added review-comments 13"],
    ),
    ("a thread resolved", |t| t.threads[0]["resolved"] = json!(true), &["thread-resolved review-comments 11"]),
    (
        "a thread outdated, without its line",
        |t| {
            t.threads[0]["outdated"] = json!(true);
            t.threads[0]["line"] = json!(null);
        },
        &["thread-outdated review-comments 11"],
    ),
    (
        "a thread whose state is not known now was not reopened",
        |t| drop(t.threads[0].as_object_mut().expect("an object").remove("resolved")),
        &["thread-changed review-comments 11"],
    ),
    ("a thread that moved", |t| t.threads[0]["line"] = json!(9), &["thread-changed review-comments 11"]),
    (
        "a reply more",
        |t| {
            t.threads = json!([thread(11, &[11, 12, 15])]);
            t.thread_texts.insert(11, "A thread\n\nA reply\n\nAnother\n".to_owned());
        },
        &["review-comment-added review-comments 15"],
    ),
    (
        "a reply edited",
        |t| {
            t.threads[0]["comments"][1]["updatedAt"] = json!(time(50));
            t.thread_texts.insert(11, "A thread\n\nA better reply\n".to_owned());
        },
        &["review-comment-edited review-comments 12"],
    ),
    (
        "a reply less",
        |t| {
            t.threads = json!([thread(11, &[11])]);
            t.thread_texts.insert(11, "A thread\n".to_owned());
        },
        &["review-comment-deleted review-comments 12"],
    ),
    (
        "the first comment less: its answer opens the thread now",
        |t| {
            t.threads = json!([thread(12, &[12])]);
            t.thread_texts = [(12, "A reply\n".to_owned())].into();
        },
        &["review-comment-deleted review-comments 11"],
    ),
    (
        "the first comment less, where not all were looked at",
        |t| {
            t.threads = json!([thread(12, &[12])]);
            t.thread_texts = [(12, "A reply\n".to_owned())].into();
            forget(t, "review-comments");
        },
        &["item-absent review-comments 11", "coverage-changed review-comments"],
    ),
    (
        "the first comment less, and resolved, and another answer",
        |t| {
            t.threads = json!([thread(12, &[12, 15])]);
            t.threads[0]["resolved"] = json!(true);
            t.thread_texts = [(12, "A reply\n\nAnother\n".to_owned())].into();
        },
        &[
            "thread-resolved review-comments 12",
            "review-comment-added review-comments 15",
            "review-comment-deleted review-comments 11",
        ],
    ),
    (
        "an answer that opens a thread of its own now",
        |t| {
            t.threads = json!([thread(11, &[11]), thread(12, &[12])]);
            t.thread_texts = [(11, "A thread\n".to_owned()), (12, "A reply\n".to_owned())].into();
        },
        &["thread-changed review-comments 11", "item-changed review-comments 12"],
    ),
    (
        "the text of a thread alone",
        |t| drop(t.thread_texts.insert(11, "Other\n".to_owned())),
        &["thread-changed review-comments 11"],
    ),
    (
        "threads not looked at were not deleted",
        |t| {
            t.threads = Value::Null;
            t.thread_texts.clear();
            t.members["coverage"]["review-comments"]["state"] = json!("absent");
        },
        &["item-absent review-comments 11", "coverage-changed review-comments"],
    ),
    (
        "a check more, with its log",
        |t| {
            t.checks.insert("22".to_owned(), check(22, "success"));
            t.logs.insert("22".to_owned(), "fine\n".to_owned());
        },
        &["check-added checks 22"],
    ),
    (
        "a status with the id of a check",
        |t| {
            let mut status = check(21, "success");
            status["origin"] = json!("commit-status");
            t.checks.insert("status-21".to_owned(), status);
        },
        &["check-added statuses 21"],
    ),
    (
        "another conclusion",
        |t| drop(t.checks.insert("21".to_owned(), check(21, "success"))),
        &["check-changed checks 21"],
    ),
    (
        "a check less, with its log",
        |t| {
            t.checks.clear();
            t.logs.clear();
        },
        &["check-removed checks 21"],
    ),
    ("a log less", |t| t.logs.clear(), &["log-removed logs 21"]),
    ("other bytes of a log", |t| drop(t.logs.insert("21".to_owned(), "x".to_owned())), &["log-changed logs 21"]),
    (
        "a file more, and the patch",
        |t| {
            push(&mut t.files, json!({"path": "new.rs", "status": "added"}));
            t.patch.push_str("+c\n");
        },
        &["file-added files new.rs"],
    ),
    ("other counts of a file", |t| t.files[0]["additions"] = json!(9), &["file-changed files src/lib.rs"]),
    ("a file less", |t| t.files = json!([]), &["file-removed files src/lib.rs"]),
    ("the patch alone", |t| t.patch.push('x'), &["file-bytes-changed"]),
    ("an event more", |t| push(&mut t.events, json!({"id": "32", "event": "closed"})), &["event-added timeline 32"]),
    ("a reaction less", |t| t.reactions = json!([]), &["reaction-removed reactions 41"]),
    (
        "another reaction",
        |t| t.reactions[0]["id"] = json!(42),
        &["reaction-added reactions 42", "reaction-removed reactions 41"],
    ),
    ("another login", |t| t.actors[0]["login"] = json!("lovelace"), &["item-changed actors 1"]),
    ("another association", |t| t.actors[0]["associations"] = json!([]), &["item-changed actors 1"]),
    (
        "a facet known less",
        |t| t.members["coverage"]["checks"]["partialSince"] = json!(time(9)),
        &["coverage-changed checks"],
    ),
    (
        "a gap",
        |t| push(&mut t.members["gaps"], json!({"scope": "files", "code": "patch-missing", "count": 2})),
        &["gap-added files patch-missing"],
    ),
    ("a profile", |t| t.members["profile"] = json!({"name": "full"}), &["profile-changed"]),
    ("another id of the repository", |t| t.members["repository"]["id"] = json!(6), &["header-changed repository"]),
    ("a summary", |t| t.summary.push('x'), &["file-bytes-changed"]),
    (
        "a push: the old head is a parent",
        |t| {
            t.header["head"]["sha"] = json!(NEW);
            push(&mut t.commits, commit(NEW, OLD));
        },
        &["head-pushed header", "commit-added commits bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"],
    ),
    (
        "a force-push: the complete list of the new head does not have the old one",
        |t| {
            t.header["head"]["sha"] = json!(NEW);
            t.commits = json!([commit(NEW, BASE)]);
        },
        &[
            "head-force-pushed header",
            "commit-added commits bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
            "commit-removed commits aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ],
    ),
    (
        "a head that moved while the commits are those of before",
        |t| t.header["head"]["sha"] = json!(NEW),
        &["head-pushed header"],
    ),
    (
        "a force-push that the timeline shows",
        |t| {
            t.header["head"]["sha"] = json!(NEW);
            t.commits = Value::Null;
            t.members["coverage"]["commits"]["state"] = json!("absent");
            push(&mut t.events, json!({"id": "33", "event": "head_ref_force_pushed", "commit": NEW}));
        },
        &[
            "head-force-pushed header",
            "event-added timeline 33",
            "item-absent commits aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "coverage-changed commits",
        ],
    ),
    (
        "a head that moved, and nobody knows how",
        |t| {
            t.header["head"]["sha"] = json!(NEW);
            t.commits = json!([commit(NEW, BASE)]);
            forget(t, "commits");
        },
        &[
            "head-pushed header",
            "commit-added commits bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
            "item-absent commits aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "coverage-changed commits",
        ],
    ),
];

#[test]
fn each_edit_is_said_in_the_words_of_the_forge_and_nothing_else_is() {
    let base = Thing::default();
    for (what, edit, expected) in TABLE {
        let mut next = base.clone();
        edit(&mut next);
        let diff = compare(&base.tree(), &next.tree());
        assert_eq!(lines(&diff.changes), *expected, "{what}");
        assert!(!diff.equal, "{what}");
        for change in &diff.changes {
            assert_eq!(change.entity.as_deref(), Some("github:github.com/acme/web/pull/42"), "{what}");
        }
        // The other way round, what was added is gone.
        let back = compare(&next.tree(), &base.tree());
        let count = |changes: &[git_docket::ops::diff::Change], is: fn(Kind) -> bool| {
            changes.iter().filter(|change| is(change.change)).count()
        };
        assert_eq!(count(&diff.changes, Kind::is_addition), count(&back.changes, Kind::is_removal), "{what}: {back:?}");
    }
}

#[test]
fn a_thread_that_is_not_known_to_be_resolved_has_no_before() {
    let mut base = Thing::default();
    base.threads[0].as_object_mut().expect("an object").remove("resolved");
    let mut next = base.clone();
    next.threads[0]["resolved"] = json!(true);
    let change = &compare(&base.tree(), &next.tree()).changes[0];
    assert_eq!((change.change, &change.before, &change.after), (Kind::ThreadResolved, &Value::Null, &json!(true)));
    let mut open = base.clone();
    open.threads[0]["resolved"] = json!(false);
    assert_eq!(lines(&compare(&base.tree(), &open.tree()).changes), ["thread-changed review-comments 11"]);
    let change = &compare(&next.tree(), &open.tree()).changes[0];
    assert_eq!((change.change, &change.before, &change.after), (Kind::ThreadReopened, &json!(true), &json!(false)));
}

#[test]
fn closed_that_is_known_to_be_merged_only_now_did_not_happen() {
    let said = |unknown: bool, back: bool| {
        let (mut a, mut b) = (Thing::default(), Thing::default());
        for (t, state, merged) in [(&mut a, "closed", false), (&mut b, "merged", true)] {
            t.header["state"] = json!(state);
            t.header["merged"] = json!(merged);
        }
        for name in ["merged", "mergedAt"].into_iter().filter(|_| unknown) {
            a.header.as_object_mut().expect("an object").remove(name);
        }
        let (a, b) = (a.tree(), b.tree());
        if back { lines(&compare(&b, &a).changes) } else { lines(&compare(&a, &b).changes) }
    };
    for back in [false, true] {
        let known = said(false, back);
        assert!(known.contains(&"state-changed header".to_owned()), "{known:?}");
        let unknown = said(true, back);
        assert!(unknown.iter().all(|line| line.starts_with("header-changed header ")), "{unknown:?}");
        assert!(unknown.contains(&"header-changed header state".to_owned()), "{unknown:?}");
    }
}

#[test]
fn before_and_after_are_values_of_the_forge() {
    let base = Thing::default();
    let mut next = base.clone();
    next.header["title"] = json!("B");
    next.header["head"]["sha"] = json!(NEW);
    next.header["labels"] = json!([{"name": "bug", "color": "ff0000"}]);
    next.checks.insert("21".to_owned(), check(21, "success"));
    let diff = compare(&base.tree(), &next.tree());
    let json = serde_json::to_value(&diff).expect("a diff serialises");
    let entity = "github:github.com/acme/web/pull/42";
    assert_eq!(
        json,
        json!({
            "equal": false,
            "changes": [
                {"change": "title-edited", "entity": entity, "facet": "header", "id": null, "path": "entity.json",
                    "before": "A title", "after": "B"},
                {"change": "label-removed", "entity": entity, "facet": "labels", "id": "ui", "path": "entity.json",
                    "before": {"name": "ui"}, "after": null},
                {"change": "head-pushed", "entity": entity, "facet": "header", "id": null, "path": "entity.json",
                    "before": OLD, "after": NEW},
                {"change": "check-changed", "entity": entity, "facet": "checks", "id": "21",
                    "path": "checks/20260102T030405Z-21/check.json",
                    "before": {"name": "build", "conclusion": "failure"}, "after": {"name": "build", "conclusion": "success"}},
            ],
            "counts": {"check-changed": 1, "head-pushed": 1, "label-removed": 1, "title-edited": 1},
        })
    );
}

#[test]
fn what_the_facet_files_do_not_hold_is_not_made_up() {
    // Files that are JSON of another shape, or no JSON, are changed bytes and nothing else.
    let base = Thing::default();
    for odd in [json!("text"), json!([1, 2]), json!({"id": {"deep": []}}), json!(null)] {
        let mut next = base.clone();
        next.threads = odd.clone();
        next.events = odd.clone();
        next.header = odd;
        let (there, back) = (compare(&base.tree(), &next.tree()), compare(&next.tree(), &base.tree()));
        assert!(!there.equal && !back.equal);
        assert!(there.changes.iter().all(|c| c.change != Kind::TitleEdited && c.change != Kind::ThreadResolved));
    }
}

/// The page and the type say the same.
#[test]
fn every_word_stands_in_the_table_of_the_format_page() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/format.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let section =
        page.split("\n## ").find(|section| section.lines().next().is_some_and(|title| title.ends_with(". Changes")));
    let section = section.expect("a section about changes");
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let mut documented: Vec<_> =
        cells.flat_map(|cell| cell.split(['`', ' ']).filter(|word| !word.is_empty())).collect();
    let mut words: Vec<_> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    documented.sort_unstable();
    words.sort_unstable();
    assert_eq!(documented, words);
}
