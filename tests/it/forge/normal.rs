//! Normal forms of our own vectors, member by member where a member is easily got wrong.

use git_docket::forge::facets::{CheckOrigin, CheckStatus, Field, Header, Item, ReviewState, State};
use git_docket::forge::github::{header, item, updated_at};
use git_docket::format::entity::Kind;
use git_docket::format::facet::Facet;
use git_docket::format::json::Json;

use super::{parse, vector};

fn items(facet: Facet, name: &str) -> Vec<Item> {
    let view = vector(name);
    let list = view.as_array().or_else(|| view.get("check_runs")?.as_array()).expect("a list");
    list.iter().map(|value| item(facet, value).expect("a valid item").value).collect()
}

fn known<T: Clone>(value: T) -> Field<T> {
    Field::Known(value)
}

#[test]
fn a_pull_request_knows_everything() {
    let pull = header(&vector("pull")).expect("a header").value;
    assert_eq!(
        (pull.kind, pull.issue_id.clone(), pull.pull_id.clone()),
        (Some(Kind::Pull), Field::Unknown, known(5_000_000_042))
    );
    assert_eq!((pull.repository.clone(), pull.repository_id.clone()), (known("acme/web".to_owned()), known(9001)));
    assert_eq!(
        (pull.body.clone(), pull.state.clone(), pull.draft.clone()),
        (Field::Null, known(State::Open), known(false))
    );
    assert_eq!(pull.author.known().map(|a| (a.login.as_str(), a.id)), Some(("mona", Some(11))));
    assert_eq!((pull.locked.clone(), pull.lock_reason.clone()), (known(true), known("too heated".to_owned())));
    assert_eq!(
        (pull.merged.clone(), pull.merged_at.clone(), pull.merged_by.clone()),
        (known(false), Field::Null, Field::Null)
    );
    assert_eq!((pull.mergeable.clone(), pull.mergeable_state.clone()), (Field::Null, known("unknown".to_owned())));
    // The fork was deleted: the head has no repository, which is not the same as saying nothing.
    let head = pull.head.known().expect("a head");
    assert_eq!(
        (head.branch.as_str(), head.sha.as_deref(), &head.repository),
        ("menu", Some("a".repeat(40).as_str()), &Field::Null)
    );
    assert_eq!(pull.base.known().map(|base| base.repository.clone()), Some(known("acme/web".to_owned())));
    assert_eq!(pull.requested_teams, known(vec!["frontend".to_owned()]));
    assert_eq!(pull.requested_reviewers.known().map(Vec::len), Some(1));
    let auto = pull.auto_merge.known().expect("auto-merge is on");
    assert_eq!(
        (auto.method.as_deref(), auto.enabled_by.known().map(|a| a.login.as_str())),
        (Some("squash"), Some("mona"))
    );
    assert_eq!(pull.milestone, known("Spring".to_owned()));
    assert_eq!((pull.closed_at.clone(), pull.closed_by.clone()), (Field::Null, Field::Unknown));
    let counts = [&pull.counts.comments, &pull.counts.review_comments, &pull.counts.commits, &pull.counts.files];
    assert_eq!(counts.map(|count| count.known().copied()), [Some(2), Some(3), Some(2), Some(2)]);
    assert_eq!(
        (pull.counts.additions, pull.counts.deletions, pull.counts.reactions),
        (known(10), known(4), Field::Unknown)
    );
    assert_eq!(updated_at(&vector("pull")).map(|t| t.to_string()), Some("2026-02-01T09:30:00Z".to_owned()));
}

#[test]
fn an_issue_object_of_a_pull_request_knows_less() {
    let found = header(&vector("as_issue")).expect("a header").value;
    assert_eq!((found.kind, found.issue_id, found.pull_id), (Some(Kind::Pull), known(4_000_000_042), Field::Unknown));
    // Empty is not null.
    assert_eq!(found.body, known(String::new()));
    assert_eq!((found.state, found.state_reason), (known(State::Closed), Field::Null));
    assert_eq!(found.merged, known(true));
    assert_eq!(found.merged_at.known().map(|t| t.to_string()), Some("2026-02-02T09:30:00Z".to_owned()));
    assert_eq!(found.closed_by.known().map(|a| a.login.as_str()), Some("kit"));
    assert_eq!(
        (found.head, found.base, found.mergeable, found.merge_commit),
        (Field::Unknown, Field::Unknown, Field::Unknown, Field::Unknown)
    );
    assert_eq!(
        (found.requested_reviewers, found.requested_teams, found.auto_merge),
        (Field::Unknown, Field::Unknown, Field::Unknown)
    );
    assert_eq!((found.counts.reactions, found.counts.commits), (known(1), Field::Unknown));
    assert_eq!((found.repository, found.repository_id), (known("acme/web".to_owned()), Field::Unknown));
}

#[test]
fn what_a_payload_lacks_is_unknown() {
    let found = header(&vector("issue")).expect("a header").value;
    assert_eq!(
        (found.kind, found.author, found.body),
        (Some(Kind::Issue), Field::Null, known("Ten seconds.\r\n".to_owned()))
    );
    assert_eq!(found.labels.known().map(|labels| labels[0].name.as_str()), Some("plain"));
    assert_eq!(
        (found.assignees, found.milestone, found.locked, found.draft),
        (Field::Unknown, Field::Unknown, Field::Unknown, Field::Unknown)
    );
    assert_eq!((found.merged, found.merged_at), (Field::Unknown, Field::Unknown));

    let bare = header(&parse(r#"{"number":1}"#)).expect("a header").value;
    assert_eq!(bare, Header::default());
    // What is of another type says nothing; a list with an unreadable item is not a shorter list.
    let odd = r#"{"number":1,"title":5,"created_at":"yesterday","locked":"no","labels":[{"name":"a"},{}],"assignees":{},"user":{}}"#;
    assert_eq!(header(&parse(odd)).expect("a header").value, Header::default());
}

#[test]
fn no_merge_time_is_no_proof_that_it_was_not_merged() {
    let listed = r#"{"number":1,"state":"closed","head":{"ref":"a","sha":"b"},"base":null,"merged_at":null}"#;
    let found = header(&parse(listed)).expect("a header").value;
    assert_eq!((found.merged, found.merged_at), (Field::Unknown, Field::Null));
    // A head whose payload does not mention the repository, and a base that is null.
    assert_eq!(found.head.known().map(|head| head.repository.clone()), Some(Field::Unknown));
    assert_eq!(found.base, Field::Null);
}

#[test]
fn a_header_without_number_or_with_a_foreign_state_is_invalid() {
    let member = |text: &str| header(&parse(text)).expect_err("it is invalid").member;
    for text in ["[]", "null", "{}", r#"{"number":0}"#, r#"{"number":"1"}"#, r#"{"number":1.5}"#] {
        assert_eq!(member(text), "number", "{text}");
    }
    for state in [r#""opened""#, r#""OPEN""#, "null", "1"] {
        assert_eq!(member(&format!(r#"{{"number":1,"state":{state}}}"#)), "state", "{state}");
    }
}

#[test]
fn comments_keep_null_and_empty_apart() {
    let [Item::Comment(first), Item::Comment(second)] = &items(Facet::Comments, "comments")[..] else { panic!("two") };
    assert_eq!((first.id.number(), first.association.as_deref()), (Some(6_000_000_001), Some("MEMBER")));
    assert_eq!(first.url.as_deref(), Some("https://github.com/acme/web/pull/42#issuecomment-6000000001"));
    assert_eq!((&second.author, &second.body), (&Field::Null, &known(String::new())));
}

#[test]
fn reviews_have_the_listed_states_only() {
    let reviews = items(Facet::Reviews, "reviews");
    let state = |at: usize| match &reviews[at] {
        Item::Review(review) => (review.state, review.submitted_at.is_some(), review.body.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(state(0), (Some(ReviewState::ChangesRequested), true, known("Please measure.".to_owned())));
    assert_eq!(state(1), (Some(ReviewState::Pending), false, Field::Null));
    assert_eq!(state(2).0, None);
    let words =
        ["APPROVED", "approved", "COMMENTED", "commented", "DISMISSED", "dismissed", "Approved", "REQUEST_CHANGES"];
    let listed = words.map(|word| {
        let review = parse(&format!(r#"{{"id":1,"state":"{word}"}}"#));
        matches!(item(Facet::Reviews, &review).map(|read| read.value), Ok(Item::Review(review)) if review.state.is_some())
    });
    assert_eq!(listed, [true, true, true, true, true, true, false, false]);
}

#[test]
fn comments_on_the_diff_keep_their_place() {
    let comments = items(Facet::ReviewComments, "review_comments");
    let at = |n: usize| match &comments[n] {
        Item::ReviewComment(comment) => comment,
        other => panic!("{other:?}"),
    };
    let place = &at(0).place;
    assert_eq!((place.side.as_deref(), &place.line, &place.start_line), (Some("right"), &known(2), &Field::Null));
    assert_eq!((&at(0).review, &at(0).reply_to, &at(1).reply_to), (&Some(71.into()), &None, &Some(81.into())));
    assert_eq!((&at(1).comment.author, &at(1).comment.body), (&Field::Null, &Field::Null));
    // Outdated: the lines of today are null, those of its making are kept.
    let old = &at(2).place;
    assert_eq!(
        (&old.line, &old.position, old.original_line, old.original_start_line),
        (&Field::Null, &Field::Null, Some(9), Some(7))
    );
    assert_eq!((old.side.as_deref(), old.subject.as_deref(), at(2).review.clone()), (Some("left"), Some("file"), None));
    // A view by review does not mention lines at all.
    let bare = item(Facet::ReviewComments, &parse(r#"{"id":1,"position":4}"#)).expect("an item");
    let Item::ReviewComment(bare) = bare.value else { panic!("a comment on the diff") };
    assert_eq!((bare.place.line, bare.place.position, bare.place.side), (Field::Unknown, known(4), None));
}

#[test]
fn checks_conclude_only_when_completed() {
    let told = |facet, name| -> Vec<_> {
        let told = |item| match item {
            Item::Check(check) => (check.name, check.origin, check.status, check.conclusion),
            other => panic!("{other:?}"),
        };
        items(facet, name).into_iter().map(told).collect()
    };
    let run = |name: &str, status, conclusion: Option<&str>| {
        (name.to_owned(), CheckOrigin::Run, status, conclusion.map(str::to_owned))
    };
    let runs = [
        run("test", Some(CheckStatus::Completed), Some("failure")),
        run("lint", Some(CheckStatus::Queued), None),
        run("deploy", None, None),
    ];
    assert_eq!(told(Facet::Checks, "check_runs"), runs);
    let status = |status, conclusion: Option<&str>| {
        ("coverage".to_owned(), CheckOrigin::Status, Some(status), conclusion.map(str::to_owned))
    };
    let statuses = [status(CheckStatus::Completed, Some("error")), status(CheckStatus::Queued, None)];
    assert_eq!(told(Facet::Statuses, "statuses"), statuses);

    let Item::Check(run) = &items(Facet::Checks, "check_runs")[0] else { panic!("a check") };
    assert_eq!(
        (run.title.as_deref(), run.summary.as_deref(), run.reporter.known().map(|app| app.login.as_str())),
        (Some("2 failures"), Some("menu_test"), Some("builder"))
    );
    let Item::Check(status) = &items(Facet::Statuses, "statuses")[0] else { panic!("a check") };
    assert_eq!((status.id.number(), status.head_sha.clone()), (Some(18_000_000_001), Some("a".repeat(40))));
    assert_eq!(
        (status.reporter.known().map(|who| who.login.as_str()), status.created_at.is_some()),
        (Some("lint[bot]"), true)
    );
}

#[test]
fn files_and_commits_are_claims_kept_as_they_are() {
    let [Item::File(text), Item::File(image)] = &items(Facet::Files, "files")[..] else { panic!("two files") };
    assert_eq!((text.status.as_deref(), text.additions, text.patch.is_some()), (Some("modified"), Some(6), true));
    assert_eq!((image.previous_path.as_deref(), image.patch.as_deref()), (Some("img/old.png"), None));
    let Item::Commit(commit) = &items(Facet::Commits, "commits")[0] else { panic!("a commit") };
    assert_eq!((commit.author_name.as_deref(), &commit.author), (Some("Kit"), &Field::Null));
    assert_eq!(
        (commit.parents.clone(), commit.message.as_deref()),
        (Some(vec!["b".repeat(40)]), Some("Cache the menu\n\nIt was slow."))
    );
    assert_eq!(items(Facet::Commits, "commits")[0].updated_at(), None);
    let odd = item(Facet::Files, &parse(r#"{"filename":"a","status":"exploded","sha":null}"#)).expect("an item");
    assert!(matches!(odd.value, Item::File(file) if file.status.is_none() && file.additions.is_none()));
}

#[test]
fn entries_of_a_timeline_have_stable_keys() {
    let keys = |name, facet| -> Vec<_> { items(facet, name).iter().map(Item::key).collect() };
    assert_eq!(keys("events", Facet::Events), ["7000000001", "7000000002", "7000000003"]);
    assert_eq!(
        keys("timeline", Facet::Timeline),
        [
            format!("committed:{}", "a".repeat(40)),
            "commented:6000000001".to_owned(),
            "reviewed:71".to_owned(),
            "7000000001".to_owned(),
            "cross-referenced:3000000007:2026-01-31T11:00:00Z".to_owned(),
            "line-commented:PRRT_1".to_owned(),
        ]
    );
    let events = items(Facet::Timeline, "timeline");
    let event = |at: usize| match &events[at] {
        Item::Event(event) => event,
        other => panic!("{other:?}"),
    };
    // The date in a commit is its author's claim.
    assert_eq!(
        (event(0).created_at, event(0).commit.clone(), &event(0).actor),
        (None, Some("a".repeat(40)), &Field::Unknown)
    );
    assert_eq!(event(2).actor.known().map(|a| a.login.as_str()), Some("kit"));
    assert_eq!(event(2).created_at.map(|t| t.to_string()), Some("2026-01-31T09:00:00Z".to_owned()));
    assert!(event(3).details.contains(&("label", "bug".to_owned())));
    assert!(event(4).details.contains(&("source", "https://github.com/acme/web/issues/7".to_owned())));
    let Item::Event(renamed) = &items(Facet::Events, "events")[1] else { panic!("an event") };
    assert_eq!(renamed.details, [("from", "Cache".to_owned()), ("to", "Cache the menu".to_owned())]);
}

#[test]
fn labels_and_reactions() {
    let labels = items(Facet::Labels, "labels");
    assert!(
        matches!(&labels[1], Item::Label(l) if l.name == "help wanted" && l.description == Field::Null && l.id == Some(302))
    );
    let reactions = items(Facet::Reactions, "reactions");
    assert!(matches!(&reactions[1], Item::Reaction(r) if r.content == "+1" && r.actor == Field::Null));
}

#[test]
fn an_item_without_identity_or_meaning_is_invalid() {
    let cases = [
        (Facet::Header, "{}", "facet"),
        (Facet::Comments, r#"{"id":"1"}"#, "id"),
        (Facet::Reviews, "{}", "id"),
        (Facet::ReviewComments, "[]", "id"),
        (Facet::Checks, r#"{"id":1}"#, "name"),
        (Facet::Statuses, r#"{"id":1}"#, "context"),
        (Facet::Files, "{}", "filename"),
        (Facet::Commits, r#"{"sha":"abc"}"#, "sha"),
        (Facet::Commits, r#"{"sha":"0123456789012345678901234567890123456789","parents":[{}]}"#, "parents"),
        (Facet::Timeline, r#"{"id":1}"#, "event"),
        (Facet::Events, r#"{"event":"closed"}"#, "id"),
        (Facet::Labels, "{}", "name"),
        (Facet::Reactions, r#"{"id":1,"content":"party"}"#, "content"),
    ];
    for (facet, text, member) in cases {
        assert_eq!(item(facet, &parse(text)).expect_err("it is invalid").member, member, "{facet:?} {text}");
        assert!(item(facet, &Json::Null).is_err());
    }
}
