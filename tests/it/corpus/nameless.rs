//! Items that a look names without database id: which of another look they are, and that none is lost.

use std::collections::BTreeSet;

use git_docket::forge::facets::Id;

use super::facets::check;
use super::*;

/// A look that holds no more than was asked for.
fn asked(at: i64, facet: Facet, list: Vec<Item>) -> LoadedLook {
    LoadedLook { sparse: true, ..look(at, facet, items(list, PART)) }
}

fn referenced(key: &str, commit: Option<char>) -> Item {
    Item::Event(Box::new(Event {
        key: key.to_owned(),
        node_id: None,
        event: "referenced".to_owned(),
        actor: Field::Known(actor(7, "octocat")),
        created_at: Some(time(1)),
        commit: commit.map(|digit| digit.to_string().repeat(40)),
        details: Vec::new(),
    }))
}

/// The keys of events with the first digit of their commits, folded in either order of the looks.
fn events(named: &[Item], asked_for: &[Item]) -> Vec<String> {
    let told = |event: &Event| format!("{} {}", event.key, event.commit.as_deref().map_or("-", |sha| &sha[..1]));
    let in_order = |named_at: i64, asked_at: i64| {
        let named = look(named_at, Facet::Timeline, items(named.to_vec(), PART));
        let state = folded(vec![named, asked(asked_at, Facet::Timeline, asked_for.to_vec())]);
        state.timeline.iter().map(told).collect::<BTreeSet<_>>()
    };
    assert_eq!(in_order(1, 2), in_order(2, 1));
    in_order(1, 2).into_iter().collect()
}

#[test]
fn two_events_of_one_look_stay_two() {
    let (a, b) = ("referenced:opaqueA", "referenced:opaqueB");
    let both = [referenced(a, Some('a')), referenced(b, Some('b'))];
    assert_eq!(events(&[referenced("1", Some('a'))], &both), ["1 a", "referenced:opaqueB b"]);
    assert_eq!(events(&[referenced("1", Some('a')), referenced("2", Some('b'))], &both), ["1 a", "2 b"]);
    // Nothing tells which of them it is.
    let alike = [referenced(a, None), referenced(b, None)];
    assert_eq!(events(&[referenced("1", None)], &alike), ["1 -", "referenced:opaqueA -", "referenced:opaqueB -"]);
    // One that tells another commit is another; one that tells none is the only one there is.
    assert_eq!(events(&[referenced("1", Some('a'))], &both[1..]), ["1 a", "referenced:opaqueB b"]);
    assert_eq!(events(&[referenced("1", Some('a'))], &alike[..1]), ["1 a"]);
    // One that a look shows twice is one.
    assert_eq!(events(&[referenced("1", None)], &[referenced(a, None), referenced(a, None)]), ["1 -"]);
}

#[test]
fn two_checks_of_one_look_stay_two() {
    let begun = |id: Id, node: Option<&str>| {
        let Item::Check(mut check) = check(0, CheckOrigin::Run, Some(CheckStatus::Completed)) else {
            panic!("a check")
        };
        (check.id, check.node_id, check.started_at) = (id, node.map(str::to_owned), Some(time(1)));
        Item::Check(check)
    };
    let named = || look(1, Facet::Checks, items(vec![begun(5.into(), None)], PART));
    let opaque = |node: &str| begun(Id::Text(node.to_owned()), Some(node));
    let checks = |list: Vec<Item>| folded(vec![named(), asked(2, Facet::Checks, list)]).checks.len();
    assert_eq!(checks(vec![opaque("A"), opaque("B")]), 3);
    assert_eq!(checks(vec![opaque("A")]), 1);
    assert_eq!(checks(vec![opaque("A"), opaque("A")]), 1);
}

/// Two systems run a check of one name in one second, and no look tells a number.
#[test]
fn checks_of_one_name_and_second_are_told_apart_by_their_pages() {
    let called = |id: Option<u64>, page: Option<&str>, conclusion: &str| {
        let Item::Check(mut check) = check(id.unwrap_or(0), CheckOrigin::Run, Some(CheckStatus::Completed)) else {
            panic!("a check")
        };
        check.started_at = Some(time(1));
        if id.is_none() {
            check.id = Id::Text(check.occasion().expect("a start"));
        }
        (check.details_url, check.conclusion) = (page.map(str::to_owned), Some(conclusion.to_owned()));
        Item::Check(check)
    };
    let (a, b) = (Some("https://ci.example/a"), Some("https://ci.example/b"));
    let ids = |looks: Vec<LoadedLook>| {
        let state = folded(looks);
        state.checks.iter().map(|check| (check.id.to_string(), check.conclusion.clone())).collect::<BTreeSet<_>>()
    };
    let asked = |at: i64, list: Vec<Item>| asked(at, Facet::Checks, list);
    let both = || vec![called(None, a, "success"), called(None, b, "failure")];
    let turned = || both().into_iter().rev().collect::<Vec<_>>();
    assert_eq!(ids(vec![asked(1, both())]).len(), 2);
    assert_eq!(ids(vec![asked(1, both())]), ids(vec![asked(1, both()), asked(2, turned())]), "in any order");
    // One that failed and is asked for again is the same one.
    let later = vec![called(None, a, "failure"), called(None, b, "failure")];
    let changed = ids(vec![asked(1, both()), asked(2, later)]);
    assert!(changed.len() == 2 && changed.iter().all(|(_, conclusion)| conclusion.as_deref() == Some("failure")));
    // A look that shows one of them alone tells which.
    assert_eq!(ids(vec![asked(1, both()), asked(2, vec![called(None, b, "failure")])]).len(), 2);
    // Those of one page, or of none, are in their order; one that is shown twice is one.
    assert_eq!(ids(vec![asked(1, vec![called(None, a, "success"), called(None, a, "failure")])]).len(), 2);
    assert_eq!(ids(vec![asked(1, vec![called(None, None, "success"), called(None, None, "failure")])]).len(), 2);
    assert_eq!(ids(vec![asked(1, vec![called(None, a, "success"), called(None, a, "success")])]).len(), 1);
    // They are those that another look has by their numbers.
    let named =
        || look(1, Facet::Checks, items(vec![called(Some(5), a, "success"), called(Some(6), b, "failure")], PART));
    for looks in [vec![named(), asked(2, both())], vec![asked(0, turned()), named()]] {
        let found = ids(looks);
        assert_eq!(found.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["5", "6"], "{found:?}");
    }
}

#[test]
fn reactions_of_two_who_are_gone_are_not_one() {
    let opaque = |node: &str| {
        let Item::Reaction(one) = reaction(5) else { panic!("a reaction") };
        Item::Reaction(Box::new(Reaction { id: None, node_id: Some(node.to_owned()), ..*one }))
    };
    let named = || look(1, Facet::Reactions, items(vec![reaction(5)], PART));
    let numbers = |list: Vec<Item>| {
        let state = folded(vec![named(), asked(2, Facet::Reactions, list)]);
        state.reactions.iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert!(numbers(vec![opaque("A"), opaque("B")]).contains(&None));
    assert_eq!(numbers(vec![opaque("A")]), [Some(5)]);
}

/// A comment that is called by its author and time.
fn called(author: &str, body: String) -> Item {
    let mut made = comment(1, 1, &body);
    made.id = Id::Text(format!("{author}@{}", time(1)));
    made.author = Field::Known(actor(7, author));
    Item::Comment(Box::new(made))
}

/// As many comments of one second as make a search for each of them a matter of hours.
#[test]
fn a_second_may_have_any_number_of_comments() {
    const MANY: usize = 10_000;
    let one = |nth: usize| called("octocat", format!("text {nth}"));
    let state = folded(vec![asked(1, Facet::Comments, (0..MANY).map(one).collect())]);
    let names: BTreeSet<_> = state.comments.iter().map(|comment| comment.id.to_string()).collect();
    assert_eq!((state.comments.len(), names.len()), (MANY, MANY));
    assert!(names.contains(&format!("octocat@{}#{MANY}", time(1))), "the last of them");
    // The same in another order, and edited: no other comments.
    let turned = |nth: usize| {
        called("octocat", format!("text {}", (nth * 7) % MANY + usize::from(nth.is_multiple_of(2)) * MANY))
    };
    let looks = [
        asked(1, Facet::Comments, (0..MANY).map(one).collect()),
        asked(2, Facet::Comments, (0..MANY).map(turned).collect()),
    ];
    assert_eq!(folded(looks.into()).comments.len(), MANY);
    // All alike, and by as many authors.
    let alike = |_| called("octocat", "+1".to_owned());
    assert_eq!(folded(vec![asked(1, Facet::Comments, (0..MANY).map(alike).collect())]).comments.len(), MANY);
    let people = |nth: usize| called(&format!("user{nth}"), "+1".to_owned());
    let again = |nth: usize| called(&format!("user{nth}"), "-1".to_owned());
    let looks = [
        asked(1, Facet::Comments, (0..MANY).map(people).collect()),
        asked(2, Facet::Comments, (0..MANY).map(again).collect()),
    ];
    assert_eq!(folded(looks.into()).comments.len(), MANY);
}
