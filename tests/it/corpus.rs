//! Folding looks into a state: the laws, and the cases that forges are known for.

use std::collections::BTreeSet;

use git_docket::corpus::{Availability, GapCode, LoadedLook, LookData, State, fold};
use git_docket::forge::facets::{
    Actor, Check, CheckOrigin, CheckStatus, Comment, Commit, Event, Field, FileChange, Header, InvalidMetadata, Item,
    Label, Reaction, Review, ReviewState, Side,
};
use git_docket::format::digest::Digest;
use git_docket::format::entity::{Forge, Kind, Repository, Subject};
use git_docket::format::facet::Facet;
use git_docket::format::observation::Completeness;
use git_docket::format::time::Time;
use proptest::prelude::*;

pub fn time(seconds: i64) -> Time {
    Time::from_unix(1_700_000_000 + seconds).expect("a time in range")
}

/// A look made so many seconds after the start of the test's world.
pub fn look(at: i64, facet: Facet, data: LookData) -> LoadedLook {
    let repository = Repository::new(Forge::GitHub, "github.com", "acme/web").expect("a repository");
    let digest = Digest::of(format!("{at} {facet:?} {data:?}").as_bytes());
    LoadedLook {
        observed_at: time(at),
        position: None,
        digest,
        subject: Subject::Thread { repository, number: 42 },
        kind: None,
        facet,
        item: None,
        data,
        outside_profile: 0,
        missing: false,
    }
}

pub fn items(items: Vec<Item>, completeness: Completeness) -> LookData {
    LookData::Items { items: items.into_iter().map(Ok).collect(), completeness }
}

pub fn header(header: Header) -> LookData {
    LookData::Header(Box::new(header))
}

pub fn actor(id: u64, login: &str) -> Actor {
    Actor { id: Some(id), node_id: None, login: login.to_owned(), account: Some("User".to_owned()) }
}

pub fn comment(id: u64, updated_at: i64, body: &str) -> Comment {
    Comment {
        id,
        node_id: None,
        url: None,
        author: Some(actor(7, "octocat")),
        association: Some("MEMBER".to_owned()),
        body: Field::Known(body.to_owned()),
        created_at: Some(time(id as i64)),
        updated_at: Some(time(updated_at)),
    }
}

fn comments_look(at: i64, completeness: Completeness, list: &[(u64, i64, &str)]) -> LoadedLook {
    let list = list.iter().map(|(id, updated, body)| Item::Comment(comment(*id, *updated, body))).collect();
    look(at, Facet::Comments, items(list, completeness))
}

fn label(name: &str) -> Label {
    Label { id: None, name: name.to_owned(), color: None, description: None }
}

fn reaction(id: u64) -> Item {
    Item::Reaction(Reaction { id, content: "+1".to_owned(), actor: None, created_at: Some(time(1)) })
}

fn folded(looks: Vec<LoadedLook>) -> State {
    fold(looks).expect("looks at a thread")
}

fn ids(state: &State) -> Vec<u64> {
    state.comments.iter().map(|comment| comment.id).collect()
}

fn bodies(state: &State) -> Vec<&str> {
    state.comments.iter().filter_map(|comment| comment.body.known()).map(String::as_str).collect()
}

fn gone(state: &State) -> Vec<(Facet, String)> {
    state.tombstones.iter().map(|gone| (gone.facet, gone.item.key())).collect()
}

fn ambiguous(state: &State) -> u64 {
    Facet::ALL.iter().map(|facet| state.gaps.count(*facet, GapCode::OrderAmbiguous)).sum()
}

const ALL: Completeness = Completeness::AllPages;
const PART: Completeness = Completeness::Partial;
const UNPROVEN: Completeness = Completeness::Unproven;

#[test]
fn no_look_is_no_state() {
    assert!(fold(Vec::new()).is_none());
    let repository = Repository::new(Forge::GitHub, "github.com", "acme/web").expect("a repository");
    let of_repository = LoadedLook { subject: Subject::Repository(repository), ..comments_look(1, ALL, &[]) };
    assert!(fold(vec![of_repository]).is_none());
}

#[test]
fn a_comment_missing_in_a_later_complete_list_is_a_tombstone_however_old_the_list_looks() {
    let state = folded(vec![comments_look(1, ALL, &[(1, 1, "a"), (2, 9, "b")]), comments_look(2, ALL, &[(1, 1, "a")])]);
    assert_eq!(ids(&state), [1]);
    assert_eq!(gone(&state), [(Facet::Comments, "2".to_owned())]);
    assert!(state.is_complete(Facet::Comments));
}

#[test]
fn a_complete_list_that_is_empty_is_data() {
    let state = folded(vec![comments_look(1, PART, &[(1, 1, "a")]), comments_look(2, ALL, &[])]);
    assert!(ids(&state).is_empty());
    assert_eq!(gone(&state), [(Facet::Comments, "1".to_owned())]);
    assert_eq!(state.coverage[&Facet::Comments].items, Some(0));
    assert!(state.is_complete(Facet::Comments));
}

#[test]
fn a_filtered_list_deletes_nothing_and_shows_what_it_adds() {
    let state = folded(vec![
        comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")]),
        comments_look(3, PART, &[(2, 5, "b, edited"), (3, 6, "c")]),
    ]);
    assert_eq!(ids(&state), [1, 2, 3]);
    assert_eq!(bodies(&state), ["a", "b, edited", "c"]);
    assert!(gone(&state).is_empty());
    let coverage = state.coverage[&Facet::Comments];
    assert_eq!(coverage.state, Availability::Complete);
    assert_eq!(coverage.partial_since, Some(Some(time(6))));
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::Incomplete), 1);
    assert!(!state.is_complete(Facet::Comments));
}

#[test]
fn an_incomplete_look_that_shows_nothing_else_leaves_a_set_complete() {
    let looks = vec![comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")]), comments_look(3, PART, &[(2, 2, "b")])];
    let state = folded(looks);
    assert!(state.is_complete(Facet::Comments));
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::Incomplete), 0);
}

#[test]
fn a_deleted_comment_that_a_newer_part_shows_again_is_no_tombstone() {
    let state = folded(vec![
        comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")]),
        comments_look(2, ALL, &[(1, 1, "a")]),
        comments_look(3, PART, &[(2, 2, "b")]),
    ]);
    assert_eq!(ids(&state), [1, 2]);
    assert!(gone(&state).is_empty());
}

#[test]
fn a_set_that_returns_to_an_earlier_state_is_seen() {
    let at = |at, list: &[u64]| {
        look(at, Facet::Reactions, items(list.iter().copied().map(reaction).collect(), Completeness::OnePage))
    };
    let state = folded(vec![at(1, &[1, 2]), at(2, &[]), at(3, &[1, 2])]);
    assert_eq!(state.reactions.len(), 2);
    assert!(state.tombstones.is_empty());
    assert_eq!(ambiguous(&state), 0);
}

#[test]
fn a_stale_version_of_a_comment_does_not_replace_a_newer_one() {
    let state = folded(vec![
        comments_look(1, PART, &[(1, 9, "newer by the forge's clock")]),
        comments_look(2, ALL, &[(1, 3, "older")]),
    ]);
    assert_eq!(bodies(&state), ["newer by the forge's clock"]);
}

#[test]
fn an_unproven_list_is_complete_when_the_header_counts_as_many() {
    let counting = |count| {
        let mut record = Header::default();
        record.counts.comments = Field::Known(count);
        look(5, Facet::Header, header(record))
    };
    let list = || comments_look(1, UNPROVEN, &[(1, 1, "a"), (2, 2, "b")]);
    assert!(folded(vec![list(), counting(2)]).is_complete(Facet::Comments));
    assert!(!folded(vec![list()]).is_complete(Facet::Comments));
    let short = folded(vec![list(), counting(5)]);
    assert_eq!(short.coverage[&Facet::Comments].state, Availability::Partial);
    assert_eq!(short.gaps.count(Facet::Comments, GapCode::Incomplete), 3);
    // Pages that shifted while they were read show an item twice: two rows are not two items.
    let twice = comments_look(1, UNPROVEN, &[(1, 1, "a"), (1, 1, "a")]);
    assert!(!folded(vec![twice, counting(2)]).is_complete(Facet::Comments));
}

#[test]
fn a_header_that_counts_none_stands_for_a_look() {
    let mut record = Header::default();
    record.counts.comments = Field::Known(0);
    record.counts.reactions = Field::Known(2);
    let state = folded(vec![look(1, Facet::Header, header(record))]);
    assert!(state.is_complete(Facet::Comments));
    assert_eq!(state.coverage[&Facet::Reactions].state, Availability::Absent);
    assert_eq!(state.gaps.count(Facet::Reactions, GapCode::NotObserved), 2);
    assert_eq!(state.gaps.count(Facet::Timeline, GapCode::NotObserved), 1);
}

#[test]
fn a_header_of_a_list_does_not_erase_the_detail() {
    let detail = Header {
        updated_at: Field::Known(time(1)),
        title: Field::Known("old title".to_owned()),
        merged: Field::Known(false),
        merged_by: Field::Null,
        ..Header::default()
    };
    let list =
        Header { updated_at: Field::Known(time(2)), title: Field::Known("new title".to_owned()), ..Header::default() };
    let state = folded(vec![look(1, Facet::Header, header(detail)), look(2, Facet::Header, header(list))]);
    assert_eq!(state.header.title, Field::Known("new title".to_owned()));
    assert_eq!(state.header.merged, Field::Known(false));
    assert_eq!(state.header.merged_by, Field::Null);
}

#[test]
fn a_header_is_ordered_by_the_forges_time_before_the_time_of_the_look() {
    let titled = |updated: i64, title: &str| {
        header(Header {
            updated_at: Field::Known(time(updated)),
            title: Field::Known(title.to_owned()),
            ..Header::default()
        })
    };
    let state = folded(vec![look(1, Facet::Header, titled(9, "new")), look(2, Facet::Header, titled(3, "stale"))]);
    assert_eq!(state.header.title, Field::Known("new".to_owned()));
    let undated = header(Header { title: Field::Known("undated".to_owned()), ..Header::default() });
    let state = folded(vec![look(1, Facet::Header, titled(3, "dated")), look(2, Facet::Header, undated)]);
    assert_eq!(state.header.title, Field::Known("dated".to_owned()));
}

#[test]
fn labels_are_those_of_the_later_of_record_and_facet() {
    let record = |at, names: &[&str]| {
        let labels = names.iter().map(|name| label(name)).collect();
        look(at, Facet::Header, header(Header { labels: Field::Known(labels), ..Header::default() }))
    };
    let facet = |at, names: &[&str]| {
        look(at, Facet::Labels, items(names.iter().map(|name| Item::Label(label(name))).collect(), ALL))
    };
    let names = |state: &State| -> Vec<String> {
        state.header.labels.known().expect("labels").iter().map(|label| label.name.clone()).collect()
    };
    assert_eq!(names(&folded(vec![record(1, &["a"]), facet(2, &["z", "b"])])), ["b", "z"]);
    assert_eq!(names(&folded(vec![record(3, &["a"]), facet(2, &["b"])])), ["a"]);
    assert!(folded(vec![record(1, &[])]).is_complete(Facet::Labels));
    assert!(folded(vec![facet(1, &["a"])]).header.title == Field::Unknown);
    assert_eq!(ambiguous(&folded(vec![record(1, &["a"]), facet(1, &["b"])])), 2);
    assert_eq!(ambiguous(&folded(vec![record(1, &["a"]), facet(1, &["a"])])), 0);
}

#[test]
fn the_newest_look_says_whether_a_facet_is_available_and_data_stays() {
    let refused = |at, status| look(at, Facet::Comments, LookData::Unavailable(status));
    let list = comments_look(2, ALL, &[(1, 1, "a")]);
    for (status, state, code) in [
        (401, Availability::Forbidden, GapCode::Forbidden),
        (403, Availability::Forbidden, GapCode::Forbidden),
        (404, Availability::Gone, GapCode::Gone),
        (410, Availability::Gone, GapCode::Gone),
        (451, Availability::Gone, GapCode::Gone),
        (429, Availability::Unavailable, GapCode::Unavailable),
        (502, Availability::Unavailable, GapCode::Unavailable),
    ] {
        let after = folded(vec![list.clone(), refused(3, status)]);
        assert_eq!(after.coverage[&Facet::Comments].state, state, "{status}");
        assert_eq!(after.coverage[&Facet::Comments].items, Some(1), "{status}");
        assert_eq!((ids(&after), after.gaps.count(Facet::Comments, code)), (vec![1], 1), "{status}");
        assert!(!after.is_complete(Facet::Comments));
        let before = folded(vec![refused(1, status), list.clone()]);
        assert!(before.is_complete(Facet::Comments), "{status}");
    }
    let never = folded(vec![refused(1, 403)]);
    assert_eq!(never.coverage[&Facet::Comments].items, None);
}

#[test]
fn ties_are_ambiguous_only_where_they_decide_something() {
    let one = || comments_look(1, ALL, &[(1, 1, "a")]);
    let other = || comments_look(1, ALL, &[(1, 1, "b")]);
    assert_eq!(ambiguous(&folded(vec![one(), other()])), 1);
    // A later complete look settles it.
    assert_eq!(ambiguous(&folded(vec![one(), other(), comments_look(2, ALL, &[(1, 1, "b")])])), 0);
    // Equal contents are no conflict, and neither is a position in the recording or a time of the forge that orders them.
    let again = LoadedLook { digest: Digest::of(b"again"), ..one() };
    assert_eq!(ambiguous(&folded(vec![one(), again])), 0);
    assert_eq!(ambiguous(&folded(vec![one(), LoadedLook { position: Some(0), ..other() }])), 0);
    assert_eq!(ambiguous(&folded(vec![one(), comments_look(1, ALL, &[(1, 2, "b")])])), 0);
    // Which items there are is decided by the digest as well.
    assert_eq!(ambiguous(&folded(vec![one(), comments_look(1, ALL, &[(1, 1, "a"), (2, 2, "b")])])), 1);
    assert_eq!(ambiguous(&folded(vec![one(), comments_look(1, PART, &[(3, 3, "c")])])), 1);
}

#[test]
fn a_tie_of_headers_counts_the_fields_that_differ() {
    let record = |title: &str, locked| {
        header(Header {
            title: Field::Known(title.to_owned()),
            locked: Field::Known(locked),
            draft: Field::Null,
            ..Header::default()
        })
    };
    let state = folded(vec![
        look(1, Facet::Header, record("a", true)),
        look(1, Facet::Header, record("b", false)),
        look(0, Facet::Header, record("c", false)),
    ]);
    assert_eq!(state.gaps.count(Facet::Header, GapCode::OrderAmbiguous), 2);
    let settled = folded(vec![
        look(1, Facet::Header, record("a", true)),
        look(1, Facet::Header, record("b", false)),
        look(2, Facet::Header, record("c", false)),
    ]);
    assert_eq!(ambiguous(&settled), 0);
}

#[test]
fn the_kind_is_what_any_look_shows_and_a_pull_request_stays_one() {
    let with = |at, kind| LoadedLook { kind, ..comments_look(at, ALL, &[]) };
    let assumed = folded(vec![with(1, None)]);
    assert_eq!((assumed.kind, assumed.gaps.count(Facet::Header, GapCode::KindAssumed)), (Kind::Issue, 1));
    assert!(!assumed.coverage.contains_key(&Facet::Files));
    let state = folded(vec![with(1, Some(Kind::Pull)), with(2, Some(Kind::Issue))]);
    assert_eq!((state.kind, state.gaps.count(Facet::Header, GapCode::KindAssumed)), (Kind::Pull, 0));
    assert_eq!(state.coverage[&Facet::Files].state, Availability::Absent);
    let by_record = look(1, Facet::Header, header(Header { kind: Some(Kind::Pull), ..Header::default() }));
    assert_eq!(folded(vec![by_record]).kind, Kind::Pull);
}

#[test]
fn a_pull_request_seen_only_as_an_issue_is_known_in_part() {
    let as_issue = Header {
        kind: Some(Kind::Pull),
        title: Field::Known("t".to_owned()),
        body: Field::Null,
        state: Field::Known(git_docket::forge::facets::State::Open),
        created_at: Field::Known(time(1)),
        ..Header::default()
    };
    let state = folded(vec![look(1, Facet::Header, header(as_issue.clone()))]);
    assert_eq!(state.coverage[&Facet::Header].state, Availability::Partial);
    assert_eq!(state.gaps.count(Facet::Header, GapCode::Incomplete), 2);
    let side = Side { branch: "b".to_owned(), sha: "c".repeat(40), repository: Field::Null };
    let as_pull = Header { head: Field::Known(side.clone()), base: Field::Known(side), ..as_issue };
    assert!(folded(vec![look(1, Facet::Header, header(as_pull))]).is_complete(Facet::Header));
}

#[test]
fn the_repository_is_spelled_as_the_forge_does() {
    let spelled = |at, path: &str| {
        let repository = Repository::new(Forge::GitHub, "github.com", path).expect("a repository");
        LoadedLook { subject: Subject::Thread { repository, number: 42 }, ..comments_look(at, ALL, &[]) }
    };
    let state = folded(vec![spelled(2, "ACME/web"), spelled(1, "Acme/Web")]);
    assert_eq!(state.repository.path(), "ACME/web");
    let record = |path: &str| {
        look(0, Facet::Header, header(Header { repository: Field::Known(path.to_owned()), ..Header::default() }))
    };
    let state = folded(vec![spelled(2, "ACME/web"), record("Acme/Web")]);
    assert_eq!(state.repository.path(), "Acme/Web");
    // A repository that moved has another name, and this is still the thread that was asked for.
    let state = folded(vec![spelled(2, "ACME/web"), record("other/web")]);
    assert_eq!(state.repository.path(), "ACME/web");
}

#[test]
fn reactions_below_an_item_fold_by_themselves_and_other_parts_delete_nothing() {
    let below = |at, item: &str, list: &[u64]| LoadedLook {
        item: Some(item.to_owned()),
        ..look(at, Facet::Reactions, items(list.iter().copied().map(reaction).collect(), ALL))
    };
    let own = look(1, Facet::Reactions, items(vec![reaction(9)], ALL));
    let state =
        folded(vec![below(1, "comments/1", &[1]), below(2, "comments/2", &[2, 3]), below(3, "comments/2", &[3]), own]);
    let keys: Vec<_> = state.item_reactions.keys().collect();
    assert_eq!(keys, ["comments/1", "comments/2"]);
    assert_eq!(state.item_reactions["comments/2"].iter().map(|r| r.id).collect::<Vec<_>>(), [3]);
    assert_eq!(state.reactions.iter().map(|r| r.id).collect::<Vec<_>>(), [9]);
    let part = LoadedLook { item: Some("reviews/5".to_owned()), ..comments_look(2, ALL, &[(2, 2, "b")]) };
    let state = folded(vec![comments_look(1, ALL, &[(1, 1, "a")]), part]);
    assert_eq!(ids(&state), [1, 2]);
}

#[test]
fn what_cannot_be_read_is_counted_once_however_often_it_is_seen() {
    let broken = |at| LoadedLook {
        outside_profile: 2,
        data: LookData::Items {
            items: vec![Ok(Item::Comment(comment(1, 1, "a"))), Err(InvalidMetadata { member: "id" })],
            completeness: UNPROVEN,
        },
        ..comments_look(at, UNPROVEN, &[])
    };
    let state = folded(vec![broken(1), broken(2)]);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::InvalidMetadata), 1);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::OutsideProfile), 2);
    let state = folded(vec![broken(1), broken(2), comments_look(3, ALL, &[(1, 1, "a")])]);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::InvalidMetadata), 0);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::OutsideProfile), 0);
}

#[test]
fn a_look_whose_elements_are_missing_proves_nothing() {
    let missing = |at, list: &[(u64, i64, &str)]| LoadedLook { missing: true, ..comments_look(at, ALL, list) };
    let state = folded(vec![comments_look(1, ALL, &[(1, 1, "a")]), missing(2, &[])]);
    assert_eq!(ids(&state), [1]);
    assert_eq!(state.gaps.count(Facet::Comments, GapCode::ElementMissing), 1);
    assert!(!state.is_complete(Facet::Comments));
    let replaced = folded(vec![missing(1, &[]), comments_look(2, ALL, &[(1, 1, "a")])]);
    assert_eq!(replaced.gaps.count(Facet::Comments, GapCode::ElementMissing), 0);
    let record = |at, missing| LoadedLook { missing, ..look(at, Facet::Header, header(Header::default())) };
    assert_eq!(folded(vec![record(1, true)]).gaps.count(Facet::Header, GapCode::ElementMissing), 1);
    assert_eq!(folded(vec![record(1, true), record(2, false)]).gaps.count(Facet::Header, GapCode::ElementMissing), 0);
}

#[test]
fn words_that_no_table_lists_are_gaps() {
    let review = |id, state| {
        Item::Review(Review {
            id,
            node_id: None,
            url: None,
            author: None,
            association: None,
            body: Field::Null,
            state,
            submitted_at: None,
            commit: None,
        })
    };
    let reviews = look(1, Facet::Reviews, items(vec![review(1, None), review(2, Some(ReviewState::Pending))], ALL));
    let state = folded(vec![reviews]);
    assert_eq!(state.gaps.count(Facet::Reviews, GapCode::InvalidMetadata), 1);
    let done = check(1, CheckOrigin::Run, Some(CheckStatus::Completed));
    let state = folded(vec![look(1, Facet::Checks, items(vec![done], ALL))]);
    assert_eq!(state.gaps.count(Facet::Checks, GapCode::InvalidMetadata), 1);
}

fn check(id: u64, origin: CheckOrigin, status: Option<CheckStatus>) -> Item {
    Item::Check(Check {
        id,
        origin,
        name: "ci".to_owned(),
        status,
        conclusion: None,
        head_sha: None,
        created_at: None,
        started_at: None,
        completed_at: None,
        url: None,
        details_url: None,
        reporter: None,
        title: None,
        summary: None,
    })
}

#[test]
fn checks_of_another_head_are_not_deleted_and_statuses_count_among_checks() {
    let run =
        |at, id| look(at, Facet::Checks, items(vec![check(id, CheckOrigin::Run, Some(CheckStatus::Queued))], ALL));
    let state = folded(vec![run(1, 1), run(2, 2)]);
    assert_eq!(state.checks.iter().map(|check| check.id).collect::<Vec<_>>(), [2]);
    assert!(state.tombstones.is_empty());
    assert!(state.is_complete(Facet::Checks));
    let status = check(1, CheckOrigin::Status, Some(CheckStatus::Queued));
    let state = folded(vec![run(1, 1), look(1, Facet::Statuses, items(vec![status], PART))]);
    assert_eq!((state.checks.len(), state.statuses.len()), (1, 1));
    assert!(!state.is_complete(Facet::Checks));
}

#[test]
fn events_fill_the_timeline_in_part() {
    let event = |key: &str, at: Option<i64>, event: &str| {
        Item::Event(Event {
            key: key.to_owned(),
            event: event.to_owned(),
            actor: None,
            created_at: at.map(time),
            commit: None,
            details: Vec::new(),
        })
    };
    let events = |at, list| look(at, Facet::Events, items(list, ALL));
    let only = folded(vec![events(1, vec![event("1", Some(1), "labeled")])]);
    assert_eq!(only.coverage[&Facet::Timeline].state, Availability::Partial);
    assert_eq!(only.timeline.len(), 1);
    let timeline =
        vec![event("c", Some(2), "commented"), event("committed:x", None, "committed"), event("4", Some(4), "closed")];
    let both = folded(vec![
        look(1, Facet::Timeline, items(timeline, ALL)),
        events(2, vec![event("4", Some(4), "closed"), event("3", Some(3), "mentioned")]),
    ]);
    let keys: Vec<_> = both.timeline.iter().map(|event| event.key.as_str()).collect();
    assert_eq!(keys, ["c", "committed:x", "3", "4"]);
    assert!(both.is_complete(Facet::Timeline));
}

#[test]
fn commits_keep_the_forges_order_and_files_are_by_path() {
    let commit = |sha: &str| {
        Item::Commit(Commit {
            sha: sha.to_owned(),
            parents: Vec::new(),
            message: None,
            author_name: None,
            author: None,
            authored_at: Some(time(-9999)),
            committed_at: Some(time(9999)),
            url: None,
        })
    };
    let file = |path: &str| {
        Item::File(FileChange {
            path: path.to_owned(),
            previous_path: None,
            status: Some("added".to_owned()),
            additions: None,
            deletions: None,
            sha: None,
            patch: None,
        })
    };
    let state = folded(vec![
        look(1, Facet::Commits, items(vec![commit("b"), commit("a")], ALL)),
        look(2, Facet::Commits, items(vec![commit("c"), commit("a")], ALL)),
        look(1, Facet::Files, items(vec![file("z"), file("a/b"), file("a-b")], ALL)),
    ]);
    assert_eq!(state.commits.iter().map(|c| c.sha.as_str()).collect::<Vec<_>>(), ["c", "a"]);
    assert_eq!(state.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["a-b", "a/b", "z"]);
    assert!(state.tombstones.is_empty());
    assert_eq!(state.coverage[&Facet::Commits].as_of, None);
}

// ---- laws ----

fn any_comment() -> impl Strategy<Value = Item> {
    (1u64..5, 0i64..3, proptest::option::weighted(0.8, 0i64..3)).prop_map(|(id, body, updated)| {
        let mut item = comment(id, 0, &body.to_string());
        item.updated_at = updated.map(time);
        Item::Comment(item)
    })
}

fn any_completeness() -> impl Strategy<Value = Completeness> {
    prop_oneof![Just(ALL), Just(PART), Just(UNPROVEN), Just(Completeness::OnePage)]
}

fn any_header() -> impl Strategy<Value = Header> {
    let field = || prop_oneof![Just(Field::Unknown), Just(Field::Null), (0u64..3).prop_map(Field::Known)];
    let labels = proptest::collection::btree_set(0u8..3, 0..3);
    (field(), field(), field(), proptest::option::of(labels)).prop_map(|(title, updated, comments, labels)| {
        let mut record = Header {
            title: match title {
                Field::Known(n) => Field::Known(n.to_string()),
                Field::Null => Field::Null,
                Field::Unknown => Field::Unknown,
            },
            updated_at: match updated {
                Field::Known(n) => Field::Known(time(n as i64)),
                _ => Field::Unknown,
            },
            ..Header::default()
        };
        record.counts.comments = comments;
        if let Some(labels) = labels {
            record.labels = Field::Known(labels.into_iter().map(|n| label(&n.to_string())).collect());
        }
        record
    })
}

fn any_look(ranks: i64) -> impl Strategy<Value = LoadedLook> {
    let comments = (proptest::collection::vec(any_comment(), 0..4), any_completeness())
        .prop_map(|(list, completeness)| (Facet::Comments, items(list, completeness)));
    let labels =
        (proptest::collection::btree_set(0u8..3, 0..3), any_completeness()).prop_map(|(names, completeness)| {
            let list = names.into_iter().map(|n| Item::Label(label(&n.to_string()))).collect();
            (Facet::Labels, items(list, completeness))
        });
    let data = prop_oneof![
        5 => comments,
        2 => labels,
        2 => any_header().prop_map(|record| (Facet::Header, header(record))),
        1 => Just((Facet::Comments, LookData::Unavailable(403))),
    ];
    (0..ranks, proptest::option::weighted(0.2, 0u64..2), data, any::<bool>()).prop_map(
        |(at, position, (facet, data), pull)| LoadedLook {
            position,
            kind: pull.then_some(Kind::Pull),
            ..look(at, facet, data)
        },
    )
}

fn any_looks(most: usize) -> impl Strategy<Value = Vec<LoadedLook>> {
    proptest::collection::vec(any_look(4), 1..most)
}

/// What reaches a tree, less the last versions of what is gone: nobody reads their contents.
fn projection(looks: &[LoadedLook]) -> (State, BTreeSet<(Facet, String)>) {
    let mut state = folded(looks.to_vec());
    let gone = gone(&state).into_iter().collect();
    state.tombstones.clear();
    (state, gone)
}

/// All orders that digests could give to looks which nothing else orders.
fn with_digests_in_every_order(looks: &[LoadedLook]) -> Vec<Vec<LoadedLook>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for at in 0..looks.len() {
        orders = orders
            .into_iter()
            .flat_map(|order| {
                (0..=order.len()).map(move |place| {
                    let mut order = order.clone();
                    order.insert(place, at);
                    order
                })
            })
            .collect();
    }
    let mut digests: Vec<_> = (0..looks.len()).map(|n| Digest::of(&[n as u8])).collect();
    digests.sort();
    let dress = |order: Vec<usize>| {
        order
            .into_iter()
            .zip(&digests)
            .map(|(at, digest)| LoadedLook { digest: *digest, ..looks[at].clone() })
            .collect()
    };
    orders.into_iter().map(dress).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_arrival_never_matters(looks in any_looks(9), seed in any::<u64>()) {
        let mut shuffled = looks.clone();
        shuffled.sort_by_key(|look| Digest::of(format!("{seed}{}", look.digest).as_bytes()));
        prop_assert_eq!(folded(looks), folded(shuffled));
    }

    #[test]
    fn a_look_given_twice_counts_once(looks in any_looks(7)) {
        let twice: Vec<_> = looks.iter().chain(&looks).cloned().collect();
        prop_assert_eq!(folded(looks), folded(twice));
    }

    #[test]
    fn a_part_never_deletes(looks in any_looks(7), list in proptest::collection::vec(any_comment(), 0..4), at in 0i64..5) {
        let before: BTreeSet<_> = ids(&folded(looks.clone())).into_iter().collect();
        let mut more = looks;
        more.push(look(at, Facet::Comments, items(list, PART)));
        let after: BTreeSet<_> = ids(&folded(more)).into_iter().collect();
        prop_assert!(before.is_subset(&after), "{before:?} {after:?}");
    }

    #[test]
    fn the_newest_complete_look_says_what_there_is(looks in any_looks(7), list in proptest::collection::vec(any_comment(), 0..4)) {
        let shown: BTreeSet<_> = list.iter().map(Item::key).collect();
        let mut more = looks.clone();
        more.push(look(9, Facet::Comments, items(list, ALL)));
        let state = folded(more);
        prop_assert_eq!(ids(&state).iter().map(u64::to_string).collect::<BTreeSet<_>>(), shown.clone());
        prop_assert!(state.is_complete(Facet::Comments));
        let earlier: BTreeSet<_> = looks.iter().filter_map(|look| match &look.data {
            LookData::Items { items, .. } if look.facet == Facet::Comments => Some(items.iter().flatten().map(Item::key)),
            _ => None,
        }).flatten().collect();
        let expected: Vec<_> = earlier.difference(&shown).map(|key| (Facet::Comments, key.clone())).collect();
        let gone: Vec<_> = gone(&state).into_iter().filter(|(facet, _)| *facet == Facet::Comments).collect();
        prop_assert_eq!(gone, expected);
    }

    #[test]
    fn ambiguous_is_exactly_what_another_digest_would_change(looks in proptest::collection::vec(any_look(2), 2..5)) {
        let all: Vec<_> = with_digests_in_every_order(&looks).iter().map(|looks| projection(looks)).collect();
        let decided = all.iter().all(|one| *one == all[0]);
        let said: Vec<_> = all.iter().map(|(state, _)| ambiguous(state) > 0).collect();
        prop_assert!(said.iter().all(|said| *said != decided), "decided {decided}, said {said:?}");
    }
}

#[test]
fn the_format_page_lists_every_gap_with_its_usability() {
    let page = include_str!("../../docs/format.md");
    let table: Vec<_> = page.lines().filter(|line| line.starts_with("| `")).collect();
    for code in GapCode::ALL {
        let (name, usability) = (format!("`{}`", code.name()), format!("| {} |", code.usability().name()));
        let rows = table
            .iter()
            .filter(|row| row.contains(&usability) && row.split('|').nth(1).is_some_and(|cell| cell.contains(&name)));
        assert_eq!(rows.count(), 1, "{name}");
    }
}
