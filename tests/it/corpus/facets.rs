//! What is particular to a facet.

use super::*;

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
    assert_eq!(state.item_reactions["comments/2"].iter().map(|r| r.id).collect::<Vec<_>>(), [Some(3)]);
    assert_eq!(state.reactions.iter().map(|r| r.id).collect::<Vec<_>>(), [Some(9)]);
    let part = LoadedLook { item: Some("reviews/5".to_owned()), ..comments_look(2, ALL, &[(2, 2, "b")]) };
    let state = folded(vec![comments_look(1, ALL, &[(1, 1, "a")]), part]);
    assert_eq!(ids(&state), [1, 2]);
}

pub fn check(id: u64, origin: CheckOrigin, status: Option<CheckStatus>) -> Item {
    Item::Check(Box::new(Check {
        id: id.into(),
        node_id: None,
        origin,
        name: "ci".to_owned(),
        status,
        conclusion: None,
        head_sha: None,
        attempt: None,
        run: None,
        created_at: None,
        updated_at: None,
        started_at: None,
        completed_at: None,
        url: None,
        details_url: None,
        reporter: None,
        title: None,
        summary: None,
    }))
}

#[test]
fn checks_of_another_head_are_not_deleted_and_statuses_count_among_checks() {
    let run =
        |at, id| look(at, Facet::Checks, items(vec![check(id, CheckOrigin::Run, Some(CheckStatus::Queued))], ALL));
    let state = folded(vec![run(1, 1), run(2, 2)]);
    assert_eq!(state.checks.iter().filter_map(|check| check.id.number()).collect::<Vec<_>>(), [2]);
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
        Item::Event(Box::new(Event {
            node_id: None,
            key: key.to_owned(),
            event: event.to_owned(),
            actor: Field::Null,
            created_at: at.map(time),
            commit: None,
            details: Vec::new(),
        }))
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
        Item::Commit(Box::new(Commit {
            sha: sha.to_owned(),
            parents: Some(Vec::new()),
            message: None,
            author_name: None,
            author: Field::Null,
            authored_at: Some(time(-9999)),
            committed_at: Some(time(9999)),
            url: None,
        }))
    };
    let file = |path: &str| {
        Item::File(Box::new(FileChange {
            path: path.to_owned(),
            previous_path: None,
            status: Some("added".to_owned()),
            additions: None,
            deletions: None,
            sha: None,
            patch: None,
        }))
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

#[test]
fn events_are_shown_where_the_timeline_is_refused() {
    let event = Item::Event(Box::new(Event {
        node_id: None,
        key: "1".to_owned(),
        event: "labeled".to_owned(),
        actor: Field::Null,
        created_at: Some(time(1)),
        commit: None,
        details: Vec::new(),
    }));
    let state = folded(vec![
        look(1, Facet::Timeline, LookData::Unavailable(403)),
        look(1, Facet::Events, items(vec![event], ALL)),
    ]);
    let timeline = state.coverage[&Facet::Timeline];
    assert_eq!((timeline.state, timeline.items), (Availability::Forbidden, Some(1)));
    assert_eq!(timeline.as_of, Some(time(1)));
}
